// Comparisons: of what the compiler knows, of dimensions, of run-time values; chains of them.
#include "sema/Checker.h"

namespace tessera::sema {

using ast::CompareOp;

Value Checker::compareValues(CompareOp op, Value a, Value b, Span span) {
  if (a.isPoison() || b.isPoison()) return Value::poison();
  bool equality = op == CompareOp::Eq || op == CompareOp::Is,
       inequality = op == CompareOp::Ne || op == CompareOp::IsNot;
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    if (!b.isSequence()) {
      report(Id::badOperand, span, "in", describe(b));
      return Value::poison();
    }
    Value out = Value::boolean(false);
    for (const Value &item : b.items) {
      Value one = compareValues(CompareOp::Eq, a, item, span);
      if (one.isPoison()) return one;
      auto known = knownCondition(one);
      if (!known) return unsupported("`in` over values that only run time knows", span);
      out.truth |= *known;
    }
    if (op == CompareOp::NotIn) out.truth = !out.truth;
    return out;
  }
  if (a.kind == ValueKind::None || b.kind == ValueKind::None || op == CompareOp::Is ||
      op == CompareOp::IsNot) {
    bool same = a.kind == ValueKind::None && b.kind == ValueKind::None;
    if (equality || inequality) return Value::boolean(equality ? same : !same);
  }
  if (a.kind == ValueKind::DType && b.kind == ValueKind::DType && (equality || inequality))
    return Value::boolean((a.type.dtype == b.type.dtype) == equality);
  if (a.kind == ValueKind::String && b.kind == ValueKind::String && !a.expr && !b.expr &&
      (equality || inequality))
    return Value::boolean((a.text == b.text) == equality);
  if (a.isSequence() && b.isSequence() && (equality || inequality)) {
    bool same = a.items.size() == b.items.size();
    for (size_t i = 0; same && i < a.items.size(); ++i) {
      Value one = compareValues(CompareOp::Eq, a.items[i], b.items[i], span);
      auto known = knownCondition(one);
      if (!known) return unsupported("comparing sequences that only run time knows", span);
      same = *known;
    }
    return Value::boolean(same == equality);
  }
  if (a.kind == ValueKind::Bool && b.kind == ValueKind::Int) a = Value::integer(Dim(a.truth));
  if (b.kind == ValueKind::Bool && a.kind == ValueKind::Int) b = Value::integer(Dim(b.truth));
  static const std::map<CompareOp, std::pair<ElementwiseOp, const char *>> ops = {
      {CompareOp::Eq, {ElementwiseOp::Eq, "=="}}, {CompareOp::Ne, {ElementwiseOp::Ne, "!="}},
      {CompareOp::Lt, {ElementwiseOp::Lt, "<"}},  {CompareOp::Le, {ElementwiseOp::Le, "<="}},
      {CompareOp::Gt, {ElementwiseOp::Gt, ">"}},  {CompareOp::Ge, {ElementwiseOp::Ge, ">="}}};
  auto it = ops.find(op);
  if (it == ops.end()) {
    report(Id::badOperand, span, "is", describe(a)).help("compare values with `==`");
    return Value::poison();
  }
  auto known = [&](auto x, auto y) {
    switch (op) {
    case CompareOp::Eq: return x == y;
    case CompareOp::Ne: return x != y;
    case CompareOp::Lt: return x < y;
    case CompareOp::Le: return x <= y;
    case CompareOp::Gt: return x > y;
    default: return x >= y;
    }
  };
  if (a.isKnownInt() && b.isKnownInt() && !a.expr && !b.expr)
    return Value::boolean(known(a.sym.constant(), b.sym.constant()));
  bool numbers =
      (a.kind == ValueKind::Float || a.isKnownInt()) && (b.kind == ValueKind::Float || b.isKnownInt());
  if (numbers && !a.expr && !b.expr) {
    auto number = [](const Value &v) {
      return v.kind == ValueKind::Float ? v.number : static_cast<double>(v.sym.constant());
    };
    return Value::boolean(known(number(a), number(b)));
  }
  if (a.kind == ValueKind::Bool && b.kind == ValueKind::Bool) return Value::boolean(known(a.truth, b.truth));
  if (a.kind == ValueKind::Int && b.kind == ValueKind::Int && !a.expr &&
      !b.expr) {  // dimensions: what is proved is known
    Relation r = op == CompareOp::Eq   ? Relation::Eq
                 : op == CompareOp::Ne ? Relation::Ne
                 : op == CompareOp::Lt ? Relation::Lt
                 : op == CompareOp::Le ? Relation::Le
                 : op == CompareOp::Gt ? Relation::Gt
                                       : Relation::Ge;
    auto verdict = facts_.holds(a.sym, r, b.sym);
    if (verdict != shape::Verdict::Undecided) return Value::boolean(verdict == shape::Verdict::Proved);
  }
  bool ints = a.kind == ValueKind::Int && b.kind == ValueKind::Int && !mentionsRebound(a.sym) &&
              !mentionsRebound(b.sym);
  Dim less = b.sym - a.sym, greater = a.sym - b.sym;
  Value out = elementwise(it->second.first, {a, b}, span, it->second.second);
  if (!ints || out.isPoison()) return out;
  switch (op) {
  case CompareOp::Lt: out.implies = {less - Dim(1)}; break;
  case CompareOp::Le: out.implies = {less}; break;
  case CompareOp::Gt: out.implies = {greater - Dim(1)}; break;
  case CompareOp::Ge: out.implies = {greater}; break;
  case CompareOp::Eq: out.implies = {less, greater}; break;
  default: break;
  }
  return out;
}

Value Checker::compare(const ast::CompareExpr &expr) {
  std::vector<Value> operands;
  for (const ast::ExprPtr &e : expr.operands) operands.push_back(checkExpr(*e));
  Value out;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Span span = expr.operands[i]->span.to(expr.operands[i + 1]->span);
    if (i + 1 < expr.ops.size()) operands[i + 1] = cheap(operands[i + 1], "middle", span);
    Value one = compareValues(expr.ops[i], operands[i], operands[i + 1], span);
    if (one.isPoison()) return one;
    if (i == 0) {
      out = one;
      continue;
    }
    auto left = knownCondition(out), right = knownCondition(one);
    if (left) out = *left ? one : out;
    else if (right) out = *right ? out : one;
    else {
      std::vector<Dim> implies = out.implies;
      implies.insert(implies.end(), one.implies.begin(), one.implies.end());
      out = elementwise(ElementwiseOp::And, {out, one}, expr.span, "and");
      out.implies = std::move(implies);
    }
  }
  return out;
}

}  // namespace tessera::sema
