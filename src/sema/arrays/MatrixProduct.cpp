// Products of matrices: what the factors are rounded to, what is added up in, what lies outside adds nothing.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include <limits>
#include <utility>

namespace tessera::sema {

/// The dtype and policy of `a @ b` and the dtype in which it is added up; nothing after a message.
static std::optional<DType> productType(Context &cx, const Value &a, const Value &b, const Value &acc, Span span,
                                        Type &type) {
  if (!promote(cx, {a, b}, type, span, "@")) return std::nullopt;
  // An accumulate type may also be stated by the operand of the narrower dtype.
  for (const Value *v : {&a, &b}) {
    auto stated = v->type.numerics.accumulate;
    if (!stated || stated == type.numerics.accumulate || !holds(*stated, type.dtype)) continue;
    if (type.numerics.accumulate) {
      if (fresh(cx, Id::policiesDoNotMix, span))
        report(cx, Id::policiesDoNotMix, span, fieldText(a.type.numerics, PolicyField::Accumulate),
               fieldText(b.type.numerics, PolicyField::Accumulate), "@")
            .help("one product is added up in one type: cast one operand");
      return std::nullopt;
    }
    type.numerics.accumulate = stated;
    state(type.numerics, PolicyField::Accumulate);
  }
  Value probe = a.type.dtype == type.dtype ? a : b;
  probe.type.dtype = type.dtype;
  probe.type.numerics = type.numerics;
  auto saved = cx.accumulateHint;
  if (acc.kind == ValueKind::Array) cx.accumulateHint = acc.type.dtype;
  auto in = accumulator(cx, probe, span, "a product (`dot`)");
  cx.accumulateHint = saved;
  if (in && info(type.dtype).accumulate != type.dtype) {
    type.numerics.accumulate = *in;
    state(type.numerics, PolicyField::Accumulate);
  }
  return in;
}

/// A factor as the product takes it: rounded to `type.dtype`, scaled as its own type says, nothing outside.
static std::optional<Value> factor(Context &cx, const Value &value, const Type &type, size_t axis, Span span) {
  Numerics how = roundingOf(type.numerics);
  if (value.type.dtype == type.dtype) how.lossScale = value.type.numerics.lossScale;
  if (needsStream(cx, how, value.expr->type.dtype, type.dtype, span)) return std::nullopt;
  Value out = value;
  out.expr = std::shared_ptr<Expr>(asDType(cx, value, type.dtype, how, span).release());
  if (const Limit *l = out.limit(axis))
    if (!l->zeroOutside) out = maskAxis(cx, std::move(out), axis, 0, span);
  return out;
}

static Value multiplied(Context &cx, Value a, Value b, const Type &type, DType in, Span span);

namespace {
/// The two sides of a product as it takes them.
struct Factors {
  Value a, b;
  Type type;     // of the product, but for its shape
  DType in;      // what it is added up in
  int scale = 0;  // the powers of two by which both together are scaled
  Value unscaled(Value out) const {
    if (!out.isPoison() && scale != 0) out.expr = std::shared_ptr<Expr>(timesPower(takeExpr(out), -scale).release());
    return out;
  }
};
}  // namespace

/// `axisA`, `axisB`: those that are added up. Nothing after a message.
static std::optional<Factors> factorsOf(Context &cx, const Value &a, const Value &b, const Value &acc, size_t axisA, size_t axisB, Span span) {
  Type type = scalarType(DType::F32);
  auto in = productType(cx, a, b, acc, span, type);
  if (!in) return std::nullopt;
  int scale = 0;
  for (const Value *v : {&a, &b})
    if (v->type.dtype == type.dtype) scale += v->type.numerics.lossScale;
  Type factors = type;
  factors.dtype = factorType(type.dtype, type.numerics);
  if (factors.dtype != type.dtype) scale = 0;
  auto x = factor(cx, a, factors, axisA, span), y = factor(cx, b, factors, axisB, span);
  if (!x || !y) return std::nullopt;
  return Factors{std::move(*x), std::move(*y), type, *in, scale};
}

Value sumOfProducts(Context &cx, Value a, Value b, const std::vector<int> &axes, Span span) {
  constexpr size_t none = std::numeric_limits<size_t>::max();  // no axis ends early
  auto product = factorsOf(cx, a, b, Value::of(ValueKind::Absent), none, none, span);
  if (!product) return Value::poison();
  std::vector<Value> factors;
  for (Value *side : {&product->a, &product->b}) {
    ExprPtr factor = takeExpr(*side);
    if (factor->type.dtype != product->in) factor = makeCast(std::move(factor), product->in, Numerics());
    factors.push_back(arrayValue(cx, std::move(factor), scalarType(product->in), side->limits, span));
  }
  Value out = elementwise(cx, ElementwiseOp::Mul, std::move(factors), span, "*");
  Value places = Value::of(ValueKind::Tuple);
  for (int axis : axes) places.items.push_back(Value::integer(Dim(axis)));
  if (!out.isPoison()) out = reduce(cx, ReduceOp::Sum, std::move(out), places, span, false, span, "sum");
  if (out.isPoison()) return out;
  auto limits = out.limits;
  return product->unscaled(arrayValue(cx, takeExpr(out), product->type, std::move(limits), span));
}

Value dot(Context &cx, Value a, Value b, const Value &acc, Span span) {
  a = toArray(cx, a, DType::F32, span);
  b = toArray(cx, b, DType::F32, span);
  if (!requireNumber(cx, a, span, "dot") || !requireNumber(cx, b, span, "dot")) return Value::poison();
  auto hasAxes = [](const Value &v) { return v.isArray() && !v.type.shape.empty(); };
  if (!hasAxes(a) || !hasAxes(b)) {
    report(cx, Id::badOperand, span, "@", describe(cx, hasAxes(a) ? b : a))
        .help("`@` contracts tensors; `*` multiplies elements");
    return Value::poison();
  }
  for (const Value *v : {&a, &b})
    if (v->type.dtype == DType::Bool) {
      report(cx, Id::badOperand, span, "@", describe(cx, *v)).help("truth values are not multiplied: `cast(x, f32)`");
      return Value::poison();
    }
  const bool isMixed = cx.function.mixed && !inKernel(cx) && !acc.given() && a.type.dtype == DType::F32 && b.type.dtype == DType::F32;
  if (isMixed) {
    const Type to = *std::exchange(cx.function.mixed, std::nullopt);
    a = castTo(cx, std::move(a), to.dtype, to.numerics, span), b = castTo(cx, std::move(b), to.dtype, to.numerics, span);
    Value made = a.isPoison() || b.isPoison() ? Value::poison() : dot(cx, std::move(a), std::move(b), acc, span);
    cx.function.mixed = to;
    return made.isPoison() ? made : castTo(cx, std::move(made), DType::F32, {}, span);
  }
  bool rowVector = a.type.shape.size() == 1, columnVector = b.type.shape.size() == 1;
  std::string left = shapeText(cx, a.type.shape), right = shapeText(cx, b.type.shape);
  if (rowVector) a = insertAxis(cx, std::move(a), 0, span);
  if (columnVector) b = insertAxis(cx, std::move(b), 1, span);
  size_t ra = a.type.shape.size(), rb = b.type.shape.size();
  const Dim ka = a.type.shape[ra - 1], kb = b.type.shape[rb - 2];
  if (!sameDim(cx, ka, kb, span, "this product needs " + show(cx, ka) + " == " + show(cx, kb))) {
    if (!fresh(cx, Id::contractionMismatch, span)) return Value::poison();
    auto builder = report(cx, Id::contractionMismatch, span, left, right, show(cx, ka), show(cx, kb));
    builder.help("the last dimension of the left side is summed with the one before the last of the right side");
    explainClaim(cx, builder, {ka, Relation::Eq, kb});
    return Value::poison();
  }
  if (dependsOnTile(cx, ka, "dot", span)) return Value::poison();
  auto product = factorsOf(cx, a, b, acc, ra - 1, rb - 2, span);
  if (!product) return Value::poison();
  Value out = product->unscaled(multiplied(cx, std::move(product->a), std::move(product->b), product->type, product->in, span));
  if (out.isPoison()) return out;
  int rank = static_cast<int>(out.type.shape.size());
  if (rowVector) out = removeAxis(cx, std::move(out), rank - 2, span);
  if (columnVector && !out.isPoison()) out = removeAxis(cx, std::move(out), rank - 1 - rowVector, span);
  if (acc.given() && acc.kind != ValueKind::None) out = elementwise(cx, ElementwiseOp::Add, {acc, out}, span, "dot");
  return out;
}

/// The product itself; leading dimensions broadcast.
static Value multiplied(Context &cx, Value a, Value b, const Type &type, DType in, Span span) {
  size_t ra = a.type.shape.size(), rb = b.type.shape.size();
  std::vector<Dim> lead;
  std::vector<Value> factors;
  factors.push_back(std::move(a));
  factors.push_back(std::move(b));
  if (!broadcastShapes(cx, factors, lead, span, 2)) return Value::poison();
  a = std::move(factors[0]), b = std::move(factors[1]);
  std::vector<Dim> shape = lead;
  std::vector<std::optional<Limit>> limits(lead.size() + 2);
  shape.push_back(a.type.shape[ra - 2]);
  shape.push_back(b.type.shape[rb - 1]);
  if (const Limit *l = a.limit(ra - 2)) limits[lead.size()] = Limit{l->end, false};
  if (const Limit *l = b.limit(rb - 1)) limits[lead.size() + 1] = Limit{l->end, false};
  auto widen = [&](Value &v, size_t rank) {
    std::vector<Dim> want = lead;
    want.push_back(v.type.shape[rank - 2]);
    want.push_back(v.type.shape[rank - 1]);
    return broadcastTo(takeExpr(v), want);
  };
  ExprPtr e = makeExpr(ExprKind::Dot, sema::tensorType(in, shape, type.numerics), span);
  e->args.push_back(widen(a, ra));
  e->args.push_back(widen(b, rb));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

}  // namespace tessera::sema
