// Facts about dimensions: of `where`, of `assert`, of functions that are called; and claims that a rule makes.
// What is neither proved nor broken is checked once, at the entry (docs/spec/shapes.md, S2).
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "shape/Divisors.h"
#include "support/MeshDims.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;
using shape::Formula;
using shape::Verdict;

namespace {
std::optional<Relation> relationOf(ast::CompareOp op) {
  switch (op) {
  case ast::CompareOp::Eq: return Relation::Eq;
  case ast::CompareOp::Ne: return Relation::Ne;
  case ast::CompareOp::Lt: return Relation::Lt;
  case ast::CompareOp::Le: return Relation::Le;
  case ast::CompareOp::Gt: return Relation::Gt;
  case ast::CompareOp::Ge: return Relation::Ge;
  default: return std::nullopt;
  }
}
bool mayBeShape(const ast::Expr &expr) {
  using K = ast::ExprKind;
  return expr.kind == K::Tuple || expr.kind == K::List || expr.kind == K::Attribute || expr.kind == K::Subscript;
}
/// `x.shape == (B, 64)`: that each dimension is the same.
std::optional<Formula> sameItems(const Value &a, const Value &b) {
  if (!a.isSequence() || !b.isSequence() || a.items.size() != b.items.size()) return std::nullopt;
  std::vector<Formula> parts;
  for (size_t i = 0; i < a.items.size(); ++i) {
    for (const Value *item : {&a.items[i], &b.items[i]})
      if (item->kind != ValueKind::Int || item->expr) return std::nullopt;
    parts.push_back({a.items[i].sym, Relation::Eq, b.items[i].sym});
  }
  return Formula::all(std::move(parts));
}
}  // namespace

// ---------------------------------------------------------------- reading facts

static std::optional<Dim> factSide(Context &cx, const ast::Expr &expr, const std::string &text) {
  bool outer = std::exchange(cx.readsFact, true);
  Value v = checkExpr(cx, expr);
  cx.readsFact = outer;
  if (v.kind == ValueKind::Int && !v.expr) return v.sym;
  if (!v.isPoison() && fresh(cx, Id::badFact, expr.span))
    report(cx, Id::badFact, expr.span, "`" + text + "`").label("this is " + describe(cx, v) + ", not a dimension");
  return std::nullopt;
}

static std::optional<Formula> factOfCompare(Context &cx, const ast::CompareExpr &compare, const std::string &text) {
  std::vector<Formula> parts;
  for (size_t i = 0; i < compare.ops.size(); ++i) {
    const ast::Expr &right = *compare.operands[i + 1];
    bool equality = compare.ops[i] == ast::CompareOp::Eq || compare.ops[i] == ast::CompareOp::Ne;
    if (equality && mayBeShape(*compare.operands[i]) && mayBeShape(right))
      if (auto same = sameItems(checkExpr(cx, *compare.operands[i]), checkExpr(cx, right))) {
        parts.push_back(compare.ops[i] == ast::CompareOp::Eq ? std::move(*same) : same->negated());
        continue;
      }
    auto left = factSide(cx, *compare.operands[i], text);
    if (!left) return std::nullopt;
    if (compare.ops[i] == ast::CompareOp::In) {
      auto *range = as<ast::RangeExpr>(&right);
      if (!range) {
        report(cx, Id::badFact, compare.span, "`" + text + "`").help("a range is written `1..=64`");
        return std::nullopt;
      }
      auto low = factSide(cx, *range->low, text), high = factSide(cx, *range->high, text);
      if (!low || !high) return std::nullopt;
      parts.push_back({*left, Relation::Ge, *low});
      parts.push_back({*left, range->inclusive ? Relation::Le : Relation::Lt, *high});
      continue;
    }
    auto relation = relationOf(compare.ops[i]);
    if (!relation) {
      report(cx, Id::badFact, compare.span, "`" + text + "`");
      return std::nullopt;
    }
    auto other = factSide(cx, right, text);
    if (!other) return std::nullopt;
    parts.push_back({*left, *relation, *other});
  }
  return Formula::all(std::move(parts));
}

static std::optional<Formula> factOf(Context &cx, const ast::Expr &expr, const std::string &text) {
  if (auto *list = as<ast::BoolOpExpr>(&expr)) {
    std::vector<Formula> parts;
    for (const auto &operand : list->operands) {
      auto part = factOf(cx, *operand, text);
      if (!part) return std::nullopt;
      parts.push_back(std::move(*part));
    }
    return list->isAnd ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
  }
  if (auto *unary = as<ast::UnaryExpr>(&expr); unary && unary->op == ast::UnaryOp::Not) {
    auto inner = factOf(cx, *unary->operand, text);
    return inner ? std::optional(inner->negated()) : std::nullopt;
  }
  if (auto *compare = as<ast::CompareExpr>(&expr)) return factOfCompare(cx, *compare, text);
  auto builder = report(cx, Id::badFact, expr.span, "`" + text + "`");
  builder.help("a fact compares dimensions: `D % 8 == 0`, `N <= 4096`, `B in 1..=64`");
  if (auto *remainder = as<ast::BinaryExpr>(&expr); remainder && remainder->op == ast::BinaryOp::Mod)
    builder.suggest({expr.span.file, expr.span.end, expr.span.end}, " == 0", "what is divisible leaves nothing");
  return std::nullopt;
}

static void addFact(Context &cx, const Formula &fact, const std::string &text, Span span, FactOrigin origin);

void whereFact(Context &cx, const ast::Expr &expr, FactOrigin origin) {
  if (auto *both = as<ast::BoolOpExpr>(&expr); both && both->isAnd) {
    for (const auto &operand : both->operands) whereFact(cx, *operand, origin);
    return;
  }
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  auto absent = [&](const std::string &name) {  // only another alternative of a parameter has it
    return (!cx.function.frame->dims.count(name) || !cx.function.frame->inlined) && def && inParameters(*def, name) &&
           mentions(expr, name);
  };
  if (std::any_of(cx.function.frame->generics.begin(), cx.function.frame->generics.end(), absent)) return;
  std::string text(cx.sources.text(expr.span));
  auto fact = factOf(cx, expr, text);
  if (!fact) return;
  Span place = origin == FactOrigin::Call ? cx.function.calls.back().span : expr.span;
  if (origin == FactOrigin::Call)
    requireOfCall(cx, *fact, cx.function.calls.back().callable->name, text, expr.span, place);
  else addFact(cx, *fact, text, place, origin);
}

void whereFacts(Context &cx, const ast::FuncDef &def, bool ofCall) {
  for (const auto &fact : def.where)
    if (!ofCall || !inHost(cx) || !hostFact(cx, *fact))
      whereFact(cx, *fact, ofCall ? FactOrigin::Call : FactOrigin::Where);
}

// ---------------------------------------------------------------- adding facts

static void addFact(Context &cx, const Formula &fact, const std::string &text, Span span, FactOrigin origin) {
  auto truth = cx.function.facts.truth(fact);
  std::set<std::string> vars;
  fact.collectVars(vars);
  if (truth == false) {
    if (!fresh(cx, Id::factRefuted, span)) return;
    if (shape::Facts().truth(fact) == false || cx.function.fn->requirements.empty()) {
      report(cx, Id::factRefuted, span, text);
      return;
    }
    auto builder = report(cx, Id::contradictoryFacts, span, text);
    for (const Requirement &have : cx.function.fn->requirements) {
      std::set<std::string> others;
      have.left.collectVars(others);
      have.right.collectVars(others);
      bool shares = false;
      for (const std::string &v : others) shares |= vars.count(v) != 0;
      if (shares) builder.note(have.span, "this must hold too");
    }
    return;
  }
  if (truth == true && (origin == FactOrigin::Assert || vars.empty())) return;
  for (const std::string &v : vars)
    if (v[0] == '%' || shape::isPositiveName(v)) {
      if (fresh(cx, Id::shapeUndecided, span)) report(cx, Id::shapeUndecided, span, "`" + text + "`", "true");
      return;
    }
  if (addGuard(cx, fact, text, span) || truth == true) return;
  report(cx, Id::contradictoryFacts, span, text);
}

namespace {
/// Without the parts that hold anyway, or that never do.
Formula withoutKnownParts(const Formula &formula, const shape::Facts &facts) {
  if (formula.kind == Formula::Kind::Claim) return formula;
  bool isAnd = formula.kind == Formula::Kind::And;
  std::vector<Formula> parts;
  for (const Formula &part : formula.parts) {
    Formula simple = withoutKnownParts(part, facts);
    if (facts.truth(simple) != isAnd) parts.push_back(std::move(simple));
  }
  return isAnd ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
}
}  // namespace

bool addGuard(Context &cx, const Formula &given, const std::string &text, Span span) {
  Formula fact = shape::withDefinedAlternatives(withoutKnownParts(given, cx.function.facts), [&](const Dim &divisor) {
    return cx.function.facts.provesPositive(divisor);
  });
  if (fact.kind == Formula::Kind::And && fact.parts.empty()) return true;
  std::vector<Dim> divisors;
  shape::collectDivisors(fact, divisors);
  for (const Dim &divisor : divisors) {  // run time divides by nothing that was not checked before
    Formula some(divisor, Relation::Ge, Dim(1));
    if (!cx.function.facts.proves(some) && !addGuard(cx, some, show(cx, some), span)) return false;
  }
  std::vector<Formula> ways;
  for (const auto &condition : cx.function.path) {
    if (!condition) continue;  // run time decides: the check is asked for in any case
    std::set<std::string> vars;
    condition->collectVars(vars);
    bool ofDims = true;
    for (const std::string &v : vars) ofDims &= v[0] != '%' && !shape::isPositiveName(v);
    if (ofDims) ways.push_back(condition->negated());
  }
  ways.push_back(fact);
  if (ways.size() > 1)  // all are computed, also where a condition does not hold
    for (Formula &way : ways)
      way = way.map([](const Dim &dim) { return shape::overOneAtLeast(dim, [](const Dim &) { return false; }); });
  shape::Claim one = shape::asClaim(Formula::any(std::move(ways)));
  Requirement requirement;
  requirement.left = std::move(one.left);
  requirement.relation = one.relation;
  requirement.right = std::move(one.right);
  requirement.text = text;
  requirement.span = span;
  if (!requirement.left.isDefined() || !requirement.right.isDefined()) {
    if (fresh(cx, Id::sizeTooLarge, span)) report(cx, Id::sizeTooLarge, span, "a number in what this requires");
    return true;
  }
  cx.function.facts.add(fact);
  for (const Requirement &have : cx.function.fn->requirements)
    if (have.left == requirement.left && have.right == requirement.right && have.relation == requirement.relation)
      return true;
  cx.function.fn->requirements.push_back(std::move(requirement));
  return !cx.function.facts.contradictoryWith(fact);
}

bool mentionsRebound(const Context &cx, const Formula &formula) {
  std::set<std::string> vars;
  formula.collectVars(vars);
  for (const std::string &v : vars)
    if (mentionsRebound(cx, Dim::var(v))) return true;
  return false;
}

// ---------------------------------------------------------------- claims

bool claim(Context &cx, const Formula &claim, const std::string &why, Span span) {
  Verdict verdict = cx.function.facts.decide(claim);
  // The extents of tensors of host code are as many symbols: what an expression needs of them is said nowhere else.
  const bool asked = verdict == Verdict::Refuted && cx.function.inArrayWork;
  if (verdict != Verdict::Undecided && !asked) return verdict == Verdict::Proved;
  std::set<std::string> vars;
  claim.collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%' || shape::isPositiveName(v)) return false;
  if (!cx.function.fn || inHost(cx) || why.empty()) return false;
  return addGuard(cx, claim, why, span);
}

/// Whether it is about the mesh of devices, whose sizes run time alone knows.
static bool asksMesh(const Formula &fact) {
  std::set<std::string> vars;
  fact.collectVars(vars);
  return std::any_of(vars.begin(), vars.end(), [](const std::string &var) { return meshDim(var).has_value(); });
}

void requireOfCall(Context &cx, const Formula &fact, const std::string &callee, const std::string &text, Span declared,
                   Span span) {
  if (claim(cx, fact, text, span)) return;
  if (asksMesh(fact) && cx.function.fn && !inHost(cx) && addGuard(cx, fact, text, span)) return;  // the caller asks in its place
  std::string shown = show(cx, fact);
  if (!fresh(cx, Id::callFactFails, span)) return;
  auto builder = report(cx, Id::callFactFails, span, callee, text);
  builder.label(shown == text ? "not for all sizes" : "here this is `" + shown + "`");
  if (declared.valid()) builder.note(declared, "`" + callee + "` says so here");
  explainClaim(cx, builder, fact);
}

}  // namespace tessera::sema
