#include "sema/Divisors.h"
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using shape::Formula;

void collectDivisors(const Dim &dim, std::vector<Dim> &list) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      collectDivisors(*atom.left, list);
      collectDivisors(*atom.right, list);
      bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      if (divides && !atom.right->isConstant()) list.push_back(*atom.right);
    }
}
void collectDivisors(const Formula &formula, std::vector<Dim> &list) {
  collectDivisors(formula.claim.left, list);
  collectDivisors(formula.claim.right, list);
  for (const Formula &part : formula.parts) collectDivisors(part, list);
}

Dim overOneAtLeast(const Dim &dim) {
  Dim sum;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      Atom guarded = atom;
      if (atom.kind != AtomKind::Var) {
        bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
        Dim right = overOneAtLeast(*atom.right);
        guarded.left = std::make_shared<Dim>(overOneAtLeast(*atom.left));
        guarded.right = std::make_shared<Dim>(divides ? Dim::max(right, Dim(1)) : right);
      }
      Dim value = shape::dimOfAtom(guarded);
      for (int i = 0; i < power; ++i) product = product * value;
    }
    sum = sum + product;
  }
  return sum;
}

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
    for (const Dim &extent : type.shape) collectDivisors(extent, divisors);
    return std::all_of(divisors.begin(), divisors.end(), [&](const Dim &d) { return mayDivide(d, span); });
  };
  for (const Param &param : fn_->params)
    if (!check(param.var->type, param.var->span)) return false;
  return !declared_ || std::all_of(declared_->begin(), declared_->end(),
                                   [&](const Type &type) { return check(type, def.result->span); });
}

}  // namespace tessera::sema
