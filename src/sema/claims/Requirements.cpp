// Facts about dimensions: of `where`, of `assert`, of functions that are called; and claims that a rule makes.
// What is neither proved nor broken is checked once, at the entry (docs/spec/shapes.md, S2).
#include "sema/Checker.h"
#include "sema/trace/Unknown.h"
#include "shape/Divisors.h"
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

std::optional<Dim> Checker::factSide(const ast::Expr &expr, const std::string &text) {
  bool outer = std::exchange(readsFact_, true);
  Value v = checkExpr(expr);
  readsFact_ = outer;
  if (v.kind == ValueKind::Int && !v.expr) return v.sym;
  if (!v.isPoison() && fresh(Id::badFact, expr.span))
    report(Id::badFact, expr.span, "`" + text + "`").label("this is " + describe(v) + ", not a dimension");
  return std::nullopt;
}

std::optional<Formula> Checker::factOfCompare(const ast::CompareExpr &compare, const std::string &text) {
  std::vector<Formula> parts;
  for (size_t i = 0; i < compare.ops.size(); ++i) {
    const ast::Expr &right = *compare.operands[i + 1];
    bool equality = compare.ops[i] == ast::CompareOp::Eq || compare.ops[i] == ast::CompareOp::Ne;
    if (equality && mayBeShape(*compare.operands[i]) && mayBeShape(right))
      if (auto same = sameItems(checkExpr(*compare.operands[i]), checkExpr(right))) {
        parts.push_back(compare.ops[i] == ast::CompareOp::Eq ? std::move(*same) : same->negated());
        continue;
      }
    auto left = factSide(*compare.operands[i], text);
    if (!left) return std::nullopt;
    if (compare.ops[i] == ast::CompareOp::In) {
      auto *range = as<ast::RangeExpr>(&right);
      if (!range) {
        report(Id::badFact, compare.span, "`" + text + "`").help("a range is written `1..=64`");
        return std::nullopt;
      }
      auto low = factSide(*range->low, text), high = factSide(*range->high, text);
      if (!low || !high) return std::nullopt;
      parts.push_back({*left, Relation::Ge, *low});
      parts.push_back({*left, range->inclusive ? Relation::Le : Relation::Lt, *high});
      continue;
    }
    auto relation = relationOf(compare.ops[i]);
    if (!relation) {
      report(Id::badFact, compare.span, "`" + text + "`");
      return std::nullopt;
    }
    auto other = factSide(right, text);
    if (!other) return std::nullopt;
    parts.push_back({*left, *relation, *other});
  }
  return Formula::all(std::move(parts));
}

std::optional<Formula> Checker::factOf(const ast::Expr &expr, const std::string &text) {
  if (auto *list = as<ast::BoolOpExpr>(&expr)) {
    std::vector<Formula> parts;
    for (const auto &operand : list->operands) {
      auto part = factOf(*operand, text);
      if (!part) return std::nullopt;
      parts.push_back(std::move(*part));
    }
    return list->isAnd ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
  }
  if (auto *unary = as<ast::UnaryExpr>(&expr); unary && unary->op == ast::UnaryOp::Not) {
    auto inner = factOf(*unary->operand, text);
    return inner ? std::optional(inner->negated()) : std::nullopt;
  }
  if (auto *compare = as<ast::CompareExpr>(&expr)) return factOfCompare(*compare, text);
  auto builder = report(Id::badFact, expr.span, "`" + text + "`");
  builder.help("a fact compares dimensions: `D % 8 == 0`, `N <= 4096`, `B in 1..=64`");
  if (auto *remainder = as<ast::BinaryExpr>(&expr); remainder && remainder->op == ast::BinaryOp::Mod)
    builder.suggest({expr.span.file, expr.span.end, expr.span.end}, " == 0", "what is divisible leaves nothing");
  return std::nullopt;
}

/// The parts of an `and` are facts of their own, each with its text.
void Checker::whereFact(const ast::Expr &expr, FactOrigin origin) {
  if (auto *both = as<ast::BoolOpExpr>(&expr); both && both->isAnd) {
    for (const auto &operand : both->operands) whereFact(*operand, origin);
    return;
  }
  const ast::FuncDef *def = frame_->function ? frame_->function->def : nullptr;
  auto absent = [&](const std::string &name) {  // only another alternative of a parameter has it
    return (!frame_->dims.count(name) || !frame_->inlined) && def && inParameters(*def, name) && mentions(expr, name);
  };
  if (std::any_of(frame_->generics.begin(), frame_->generics.end(), absent)) return;
  std::string text(sources_.text(expr.span));
  auto fact = factOf(expr, text);
  if (!fact) return;
  Span place = origin == FactOrigin::Call ? calls_.back().span : expr.span;
  if (origin == FactOrigin::Call) requireOfCall(*fact, calls_.back().callable->name, text, expr.span, place);
  else addFact(*fact, text, place, origin);
}

void Checker::whereFacts(const ast::FuncDef &def, bool ofCall) {
  for (const auto &fact : def.where)
    if (!ofCall || !inHost() || !hostFact(*fact)) whereFact(*fact, ofCall ? FactOrigin::Call : FactOrigin::Where);
}

// ---------------------------------------------------------------- adding facts

void Checker::addFact(const Formula &fact, const std::string &text, Span span, FactOrigin origin) {
  auto truth = facts_.truth(fact);
  std::set<std::string> vars;
  fact.collectVars(vars);
  if (truth == false) {
    if (!fresh(Id::factRefuted, span)) return;
    if (shape::Facts().truth(fact) == false || fn_->requirements.empty()) {
      report(Id::factRefuted, span, text);
      return;
    }
    auto builder = report(Id::contradictoryFacts, span, text);
    for (const Requirement &have : fn_->requirements) {
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
      if (fresh(Id::shapeUndecided, span)) report(Id::shapeUndecided, span, "`" + text + "`", "true");
      return;
    }
  if (addGuard(fact, text, span) || truth == true) return;
  report(Id::contradictoryFacts, span, text);
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

/// A check at the entry. Under conditions on dimensions it is asked for only where they hold. False if there are
/// no sizes that pass all checks.
bool Checker::addGuard(const Formula &given, const std::string &text, Span span) {
  Formula fact = shape::withDefinedAlternatives(withoutKnownParts(given, facts_),
                                                [&](const Dim &divisor) { return facts_.provesPositive(divisor); });
  if (fact.kind == Formula::Kind::And && fact.parts.empty()) return true;
  std::vector<Dim> divisors;
  shape::collectDivisors(fact, divisors);
  for (const Dim &divisor : divisors) {  // run time divides by nothing that was not checked before
    Formula some(divisor, Relation::Ge, Dim(1));
    if (!facts_.proves(some) && !addGuard(some, show(some), span)) return false;
  }
  std::vector<Formula> ways;
  for (const auto &condition : path_) {
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
    if (fresh(Id::sizeTooLarge, span)) report(Id::sizeTooLarge, span, "a number in what this requires");
    return true;
  }
  facts_.add(fact);
  for (const Requirement &have : fn_->requirements)
    if (have.left == requirement.left && have.right == requirement.right &&
        have.relation == requirement.relation)
      return true;
  fn_->requirements.push_back(std::move(requirement));
  return !facts_.contradictoryWith(fact);
}

bool Checker::mentionsRebound(const Formula &formula) const {
  std::set<std::string> vars;
  formula.collectVars(vars);
  for (const std::string &v : vars)
    if (mentionsRebound(Dim::var(v))) return true;
  return false;
}

// ---------------------------------------------------------------- claims

bool Checker::claim(const Formula &claim, const std::string &why, Span span) {
  Verdict verdict = facts_.decide(claim);
  if (verdict != Verdict::Undecided) return verdict == Verdict::Proved;
  std::set<std::string> vars;
  claim.collectVars(vars);
  for (const std::string &v : vars)
    if (v[0] == '%' || shape::isPositiveName(v)) return false;
  if (!fn_ || inHost() || why.empty()) return false;
  return addGuard(claim, why, span);
}

/// What a function that is called asks of its arguments. `declared`: where it says so.
void Checker::requireOfCall(const Formula &fact, const std::string &callee, const std::string &text, Span declared,
                            Span span) {
  if (claim(fact, text, span)) return;
  std::string shown = show(fact);
  if (!fresh(Id::callFactFails, span)) return;
  auto builder = report(Id::callFactFails, span, callee, text);
  builder.label(shown == text ? "not for all sizes" : "here this is `" + shown + "`");
  if (declared.valid()) builder.note(declared, "`" + callee + "` says so here");
  explainClaim(builder, fact);
}

}  // namespace tessera::sema
