// Comparisons: of what the compiler knows, of dimensions, of run-time values;
// chains of them.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "support/Check.h"
#include "tessera/host/texts.h"

namespace tessera::sema {

using ast::CompareOp;

namespace {
bool isEquality(CompareOp op) { return op == CompareOp::Eq || op == CompareOp::Is; }
bool isInequality(CompareOp op) { return op == CompareOp::Ne || op == CompareOp::IsNot; }

template <class T> bool holds(const T &x, CompareOp op, const T &y) {
  switch (op) {
  case CompareOp::Eq: return x == y;
  case CompareOp::Ne: return x != y;
  case CompareOp::Lt: return x < y;
  case CompareOp::Le: return x <= y;
  case CompareOp::Gt: return x > y;
  default: return x >= y;
  }
}

struct Comparison {
  ElementwiseOp op;
  Relation relation;
  const char *text;
};
const Comparison *comparisonOf(CompareOp op) {
  static const std::map<CompareOp, Comparison> table = {{CompareOp::Eq, {ElementwiseOp::Eq, Relation::Eq, "=="}},
                                                        {CompareOp::Ne, {ElementwiseOp::Ne, Relation::Ne, "!="}},
                                                        {CompareOp::Lt, {ElementwiseOp::Lt, Relation::Lt, "<"}},
                                                        {CompareOp::Le, {ElementwiseOp::Le, Relation::Le, "<="}},
                                                        {CompareOp::Gt, {ElementwiseOp::Gt, Relation::Gt, ">"}},
                                                        {CompareOp::Ge, {ElementwiseOp::Ge, Relation::Ge, ">="}}};
  auto it = table.find(op);
  return it == table.end() ? nullptr : &it->second;
}

bool isPlainInt(const Value &v) { return v.kind == ValueKind::Int && !v.expr; }
bool isPlainNumber(const Value &v) { return !v.expr && (v.kind == ValueKind::Float || v.isKnownInt()); }
double numberOf(const Value &v) {
  return v.kind == ValueKind::Float ? v.number : static_cast<double>(v.sym.constant());
}
/// `a >= b & c < d` compares `b & c`: an operand in the middle that has no parentheses around it.
const ast::BinaryExpr *bareBits(const ast::CompareExpr &expr, const Sources &sources) {
  for (size_t i = 1; i + 1 < expr.operands.size(); ++i) {
    const ast::Expr &operand = *expr.operands[i];
    auto *binary = ast::as<ast::BinaryExpr>(&operand);
    bool bits = binary && (binary->op == ast::BinaryOp::BitAnd || binary->op == ast::BinaryOp::BitOr);
    if (!bits || binary->right->kind == ast::ExprKind::Int) continue;  // `0 < flags & 4 < 8`
    Span before{operand.span.file, expr.operands[i - 1]->span.end, operand.span.begin};
    if (sources.text(before).find('(') == std::string_view::npos) return binary;
  }
  return nullptr;
}
}  // namespace

static Value compareIn(Context &cx, CompareOp op, const Value &a, const Value &b, Span span) {
  if (b.kind == ValueKind::Dict || isHeldDict(b)) {
    Value holds = dictHolds(cx, b, a, span);
    if (op == CompareOp::In || holds.isPoison()) return holds;
    return holds.kind == ValueKind::Bool ? Value::boolean(!holds.truth) : elementwise(cx, ElementwiseOp::Not, {holds}, span, "not in");
  }
  const bool held = b.kind == ValueKind::HostTensor && (b.text == kHeldList || isHeldRows(b));
  auto rows = held && inHost(cx) ? asHeldRows(cx, b, span) : std::nullopt;
  if (auto holds = rows ? rowsHold(cx, *rows, a, span) : std::nullopt) return op == CompareOp::In ? *holds : elementwise(cx, ElementwiseOp::Not, {*holds}, span, "not in");
  if (b.kind == ValueKind::String && a.kind == ValueKind::String) {
    Value holds = textHolds(cx, b, a, span);
    if (op == CompareOp::In || holds.isPoison()) return holds;
    return holds.kind == ValueKind::Bool ? Value::boolean(!holds.truth) : elementwise(cx, ElementwiseOp::Not, {holds}, span, "not in");
  }
  if (!b.isSequence()) {
    report(cx, Id::badOperand, span, "in", describe(cx, b));
    return Value::poison();
  }
  Value out = Value::boolean(false), open = Value::of(ValueKind::Absent);  // of those that only run time knows
  for (const Value &item : b.items) {
    Value one = compareValues(cx, CompareOp::Eq, a, item, span);
    if (one.isPoison()) return one;
    auto known = knownCondition(one);
    if (known) out.truth |= *known;
    else if (!inHost(cx) || one.isArray()) return unsupported(cx, "`in` over values that only run time knows", span);
    else open = open.given() ? elementwise(cx, ElementwiseOp::Or, {open, one}, span, "in") : std::move(one);
  }
  if (!out.truth && open.given()) return op == CompareOp::NotIn ? elementwise(cx, ElementwiseOp::Not, {open}, span, "not in") : open;
  if (op == CompareOp::NotIn) out.truth = !out.truth;
  return out;
}

/// Comparisons of things that are no numbers, which can only be the same or not; Absent for all others.
static Value compareThings(Context &cx, CompareOp op, const Value &a, const Value &b, Span span) {
  bool equality = isEquality(op);
  if (!equality && !isInequality(op) && a.kind == ValueKind::String && b.kind == ValueKind::String) {  // as Python: byte by byte
    const Value zero = Value::integer(Dim(0));
    if (!a.expr && !b.expr) return compareValues(cx, op, Value::integer(Dim(tsr::host::text_order(a.text, b.text))), zero, span);
    if (!inHost(cx)) return Value::of(ValueKind::Absent);
    std::vector<ExprPtr> texts;
    for (const Value *text : {&a, &b}) texts.push_back(text->expr ? clone(*text->expr) : textExpr(text->text, span));
    return compareValues(cx, op, hostCall(cx, "text_order", std::move(texts), span), zero, span);
  }
  if (!equality && !isInequality(op)) return Value::of(ValueKind::Absent);
  if (a.kind == ValueKind::None || b.kind == ValueKind::None) {
    bool same = a.kind == ValueKind::None && b.kind == ValueKind::None;
    return Value::boolean(same == equality);
  }
  if (a.kind == ValueKind::DType && b.kind == ValueKind::DType)
    return Value::boolean((a.type.dtype == b.type.dtype) == equality);
  if (a.kind == ValueKind::String && b.kind == ValueKind::String && !a.expr && !b.expr)
    return Value::boolean((a.text == b.text) == equality);
  if (a.kind == ValueKind::String && b.kind == ValueKind::String && inHost(cx)) {
    std::vector<ExprPtr> texts;
    for (const Value *text : {&a, &b}) texts.push_back(text->expr ? clone(*text->expr) : textExpr(text->text, span));
    Value same = hostCall(cx, "same_text", std::move(texts), span);
    return equality ? same : elementwise(cx, ElementwiseOp::Not, {same}, span, "!=");
  }
  if (!a.isSequence() || !b.isSequence()) return Value::of(ValueKind::Absent);
  bool same = a.items.size() == b.items.size();
  Value open = Value::of(ValueKind::Absent);  // of dimensions: that all those are the same which may be
  for (size_t i = 0; same && i < a.items.size(); ++i) {
    Value one = compareValues(cx, CompareOp::Eq, a.items[i], b.items[i], span);
    auto known = knownCondition(one);
    if (known) same = *known;
    else if (one.isPoison()) return one;
    else if (!one.fact) return unsupported(cx, "comparing sequences that only run time knows", span);
    else if (!open.given()) open = std::move(one);
    else {
      auto fact = shape::Formula::all({*open.fact, *one.fact});
      open = elementwise(cx, ElementwiseOp::And, {open, one}, span, "and");
      open.fact = std::move(fact);
    }
  }
  if (!same || !open.given()) return Value::boolean(same == equality);
  open.implies.clear();
  if (equality) return open;
  auto fact = open.fact->negated();
  open = elementwise(cx, ElementwiseOp::Not, {open}, span, "not");
  open.fact = std::move(fact);
  return open;
}

/// `x == 2` of a truth value, which counts as 0 or 1. True after a message.
static bool sameForAll(Context &cx, CompareOp op, const Value &a, const Value &b, Span span) {
  auto isTruth = [](const Value &v) { return v.kind == ValueKind::Array && v.type.dtype == DType::Bool; };
  bool left = isTruth(a) && isPlainNumber(b), right = isTruth(b) && isPlainNumber(a);
  if (!left && !right) return false;
  double number = numberOf(left ? b : a);
  auto with = [&](double truth) { return left ? holds(truth, op, number) : holds(number, op, truth); };
  if (with(0) != with(1)) return false;
  if (!fresh(cx, Id::constantComparison, span)) return true;
  report(cx, Id::constantComparison, span, with(0) ? "true" : "false")
      .label(describe(cx, left ? a : b) + " is compared as 0 or 1")
      .help("what is true or false is a condition by itself: `x`, or `~x`");
  return true;
}

/// `x.dtype == bool`: what is called as Python's conversions is the dtype that they give.
static Value asDTypeBeside(Context &cx, Value value, const Value &other, Span span) {
  const bool named = other.kind == ValueKind::DType && value.kind == ValueKind::Builtin &&
                     (value.builtin->name == "bool" || value.builtin->name == "int" || value.builtin->name == "float");
  return named ? Value::dtype(*dtypeArgument(cx, value, span)) : value;
}

Value compareValues(Context &cx, CompareOp op, Value a, Value b, Span span) {
  const bool within = op == CompareOp::In || op == CompareOp::NotIn;
  if (within) b = iteratedStruct(cx, std::move(b), span);
  else if (a.kind == ValueKind::String || b.kind == ValueKind::String)
    for (Value *part : {&a, &b})
      if (auto text = byMethod(cx, *part, "__str__", span)) *part = std::move(*text);
  if (!within && a.kind != ValueKind::None && b.kind != ValueKind::None) a = numberByMethod(cx, std::move(a), span), b = numberByMethod(cx, std::move(b), span);
  if (a.isPoison() || b.isPoison()) return Value::poison();
  a = asDTypeBeside(cx, std::move(a), b, span), b = asDTypeBeside(cx, std::move(b), a, span);
  if (op == CompareOp::In || op == CompareOp::NotIn) return compareIn(cx, op, a, b, span);
  if (Value known = compareThings(cx, op, a, b, span); known.given()) return known;
  if (a.kind == ValueKind::Bool && b.kind == ValueKind::Int) a = Value::integer(Dim(a.truth));
  if (b.kind == ValueKind::Bool && a.kind == ValueKind::Int) b = Value::integer(Dim(b.truth));
  const Comparison *comparison = comparisonOf(op);
  TSR_CHECK(comparison, "`is` of values was refused before");
  if (isPlainInt(a) && isPlainInt(b) && a.isKnownInt() && b.isKnownInt())
    return Value::boolean(holds(a.sym.constant(), op, b.sym.constant()));
  if (isPlainNumber(a) && isPlainNumber(b)) return Value::boolean(holds(numberOf(a), op, numberOf(b)));
  if (a.kind == ValueKind::Bool && b.kind == ValueKind::Bool) return Value::boolean(holds(a.truth, op, b.truth));
  if (sameForAll(cx, op, a, b, span)) return Value::poison();
  bool ints = a.kind == ValueKind::Int && b.kind == ValueKind::Int && !mentionsRebound(cx, a.sym) &&
              !mentionsRebound(cx, b.sym);
  shape::Formula fact(a.sym, comparison->relation, b.sym);
  if (ints && !a.expr && !b.expr)  // dimensions: what holds for all sizes, or for none, is known
    if (auto truth = cx.function.facts.truth(fact)) return Value::boolean(*truth);
  Dim less = b.sym - a.sym, greater = a.sym - b.sym;
  Value out = elementwise(cx, comparison->op, {a, b}, span, comparison->text);
  if (!ints || out.isPoison()) return out;
  out.fact = std::move(fact);
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

/// True, with a message, for `is` between values: it asks for None and for dtypes only.
static bool comparesIdentity(Context &cx, CompareOp op, const Value &a, const Value &b, Span between) {
  bool identity = op == CompareOp::Is || op == CompareOp::IsNot;
  if (!identity || a.isPoison() || b.isPoison() || a.kind == ValueKind::None || b.kind == ValueKind::None) return false;
  if (a.kind == ValueKind::DType && b.kind == ValueKind::DType) return false;
  bool isNot = op == CompareOp::IsNot;
  if (fresh(cx, Id::badOperand, between))
    report(cx, Id::badOperand, between, isNot ? "is not" : "is", describe(cx, b.kind == ValueKind::Bool ? b : a))
        .help("`is` asks for None; values are compared with `==`")
        .suggest(between, isNot ? " != " : " == ", std::string("write `") + (isNot ? "!=" : "==") + "`");
  return true;
}

Value checkCompare(Context &cx, const ast::CompareExpr &expr) {
  if (auto *bits = bareBits(expr, cx.sources)) {
    std::string sign = bits->op == ast::BinaryOp::BitAnd ? "&" : "|";
    if (fresh(cx, Id::badOperand, bits->span))
      report(cx, Id::badOperand, bits->span, sign, "the middle of a chain of comparisons")
          .label("this is computed first, and then compared on both sides");
    return Value::poison();
  }
  std::vector<Value> operands;
  for (const ast::ExprPtr &e : expr.operands) operands.push_back(checkExpr(cx, *e));
  Value out;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Span span = expr.operands[i]->span.to(expr.operands[i + 1]->span);
    if (i + 1 < expr.ops.size()) operands[i + 1] = reusable(cx, operands[i + 1], "middle", span);
    Span between{span.file, expr.operands[i]->span.end, expr.operands[i + 1]->span.begin};
    if (comparesIdentity(cx, expr.ops[i], operands[i], operands[i + 1], between)) return Value::poison();
    const bool differs = isInequality(expr.ops[i]);
    if (comparesWithNan(cx, operands[i], operands[i + 1], differs, expr.operands[i]->span, expr.operands[i + 1]->span)) return Value::poison();
    const bool asksForNan = (differs || isEquality(expr.ops[i])) && isFloat(operands[i].type.dtype);  // `x[i] != x[i]`
    if (operands[i].isArray() && !asksForNan) warnOfSameOperands(cx, *expr.operands[i], *expr.operands[i + 1], std::string(cx.sources.text(between)).substr(1, 2));
    Value one = compareValues(cx, expr.ops[i], operands[i], operands[i + 1], span);
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
      std::optional<shape::Formula> fact;
      if (out.fact && one.fact) fact = shape::Formula::all({*out.fact, *one.fact});
      out = elementwise(cx, ElementwiseOp::And, {out, one}, expr.span, "and");
      out.implies = std::move(implies);
      out.fact = std::move(fact);
    }
  }
  return out;
}

}  // namespace tessera::sema
