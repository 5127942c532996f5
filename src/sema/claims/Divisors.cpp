// What divides inside of values and types. (docs/spec/shapes.md, S11)
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "shape/Divisors.h"
#include <algorithm>

namespace tessera::sema {

using shape::Formula;

static bool mayDivideHere(Context &cx, const Dim &divisor, Span span);

bool mayDivide(Context &cx, const Dim &divisor, Span span) {
  if (divisor.isConstant()) return !(divisor == Dim(0));
  if (cx.readsFact) return true;  // addGuard() asks for it
  if (cx.function.chosen.empty()) return mayDivideHere(cx, divisor, span);
  shape::Facts facts = cx.function.facts;
  for (const Formula &fact : cx.function.chosen) {
    cx.function.facts.add(fact);
    cx.function.path.push_back(fact);
  }
  bool may = mayDivideHere(cx, divisor, span);
  cx.function.path.resize(cx.function.path.size() - cx.function.chosen.size());
  cx.function.facts = std::move(facts);
  return may;
}

static bool mayDivideHere(Context &cx, const Dim &divisor, Span span) {
  Formula some(divisor, Relation::Ge, Dim(1));
  if (cx.function.facts.proves(some)) return true;
  bool positive =
      (divisor.isVar() && shape::isDimensionName(divisor.varName())) || cx.function.facts.nonNegative(divisor);
  Formula notNone = positive ? some : Formula(divisor, Relation::Ne, Dim(0));
  if (!positive && cx.function.facts.proves(notNone)) return true;
  if (cx.function.facts.truth(notNone) == false) {
    if (cx.function.facts.contradictory()) return true;  // nothing comes here
    if (fresh(cx, Id::badConstant, span))
      report(cx, Id::badConstant, span, "this divides by zero").label("`" + show(cx, divisor) + "` is 0 here");
    return false;
  }
  std::set<std::string> vars;
  divisor.collectVars(vars);
  bool ofSizes = std::all_of(vars.begin(), vars.end(), shape::isDimensionName);
  if (!ofSizes || inHost(cx) || claim(cx, notNone, show(cx, notNone), span))
    return true;  // run time knows the others, and stops
  if (fresh(cx, Id::mayDivideByZero, span)) {
    auto builder = report(cx, Id::mayDivideByZero, span, show(cx, divisor));
    explainClaim(cx, builder, notNone);
  }
  return false;
}

bool typesMayDivide(Context &cx, const ast::FuncDef &def) {
  auto check = [&](const Type &type, Span span) {
    std::vector<Dim> divisors;
    for (const Dim &extent : type.shape) shape::collectDivisors(extent, divisors);
    return std::all_of(divisors.begin(), divisors.end(), [&](const Dim &d) { return mayDivide(cx, d, span); });
  };
  for (const Param &param : cx.function.fn->params)
    if (!check(param.var->type, param.var->span)) return false;
  return !cx.function.declared || std::all_of(cx.function.declared->begin(), cx.function.declared->end(),
                                              [&](const Type &type) { return check(type, def.result->span); });
}

}  // namespace tessera::sema
