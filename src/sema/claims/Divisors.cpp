// What divides inside of values and types. (docs/spec/shapes.md, S11)
#include "shape/Divisors.h"
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using shape::Formula;

/// Whether it may divide here: what has no value must not be computed. What is neither proved nor refuted is checked at
/// the entry, for the sizes of which the choices around it compute it.
bool Checker::mayDivide(const Dim &divisor, Span span) {
  if (divisor.isConstant()) return !(divisor == Dim(0));
  if (readsFact_) return true;  // addGuard() asks for it
  if (chosen_.empty()) return mayDivideHere(divisor, span);
  shape::Facts facts = facts_;
  for (const Formula &fact : chosen_) {
    facts_.add(fact);
    path_.push_back(fact);
  }
  bool may = mayDivideHere(divisor, span);
  path_.resize(path_.size() - chosen_.size());
  facts_ = std::move(facts);
  return may;
}

bool Checker::mayDivideHere(const Dim &divisor, Span span) {
  Formula some(divisor, Relation::Ge, Dim(1));
  if (facts_.proves(some)) return true;
  bool positive = (divisor.isVar() && shape::isDimensionName(divisor.varName())) || facts_.nonNegative(divisor);
  Formula notNone = positive ? some : Formula(divisor, Relation::Ne, Dim(0));
  if (!positive && facts_.proves(notNone)) return true;
  if (facts_.truth(notNone) == false) {
    if (facts_.contradictory()) return true;  // nothing comes here
    if (fresh(Id::badConstant, span))
      report(Id::badConstant, span, "this divides by zero").label("`" + show(divisor) + "` is 0 here");
    return false;
  }
  std::set<std::string> vars;
  divisor.collectVars(vars);
  bool ofSizes = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
  if (!ofSizes || inHost() || claim(notNone, show(notNone), span)) return true;  // run time knows the others, and stops
  if (fresh(Id::mayDivideByZero, span)) {
    auto builder = report(Id::mayDivideByZero, span, show(divisor));
    explainClaim(builder, notNone);
  }
  return false;
}

/// What divides in the types of the parameters and results.
bool Checker::typesMayDivide(const ast::FuncDef &def) {
  auto check = [&](const Type &type, Span span) {
    std::vector<Dim> divisors;
    for (const Dim &extent : type.shape) shape::collectDivisors(extent, divisors);
    return std::all_of(divisors.begin(), divisors.end(), [&](const Dim &d) { return mayDivide(d, span); });
  };
  for (const Param &param : fn_->params)
    if (!check(param.var->type, param.var->span)) return false;
  return !declared_ || std::all_of(declared_->begin(), declared_->end(),
                                   [&](const Type &type) { return check(type, def.result->span); });
}

}  // namespace tessera::sema
