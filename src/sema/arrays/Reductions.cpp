// Reductions, which must ignore what lies outside of a tensor.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::sema {

using shape::Verdict;

double identityOf(ReduceOp op, DType dtype) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Any: return 0;
  case ReduceOp::Prod:
  case ReduceOp::All: return 1;
  case ReduceOp::Min:
  case ReduceOp::Max: break;
  }
  bool lowest = op == ReduceOp::Max;
  if (isFloat(dtype))
    return lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (dtype == DType::Bool) return lowest ? 0 : 1;
  int bits = info(dtype).bits;
  if (info(dtype).cls == DTypeClass::UnsignedInt) return lowest ? 0 : std::ldexp(1.0, bits) - 1;
  return lowest ? -std::ldexp(1.0, bits - 1) : std::ldexp(1.0, bits - 1) - 1;
}

Value maskAxis(Context &cx, Value value, size_t axis, double fill, Span span) {
  const Limit limit = *value.limit(axis);
  Type type = value.type;
  ExprPtr arg = takeExpr(value);
  std::vector<Dim> shape = arg->type.shape;
  ExprPtr iota = makeExpr(ExprKind::Iota, sema::tensorType(DType::I32, shape), span);
  iota->as<node::Iota>().axis = static_cast<int>(axis);
  ExprPtr end = makeCast(dimExpr(cx, limit.end, span), DType::I32, {});
  std::vector<ExprPtr> compared;
  compared.push_back(std::move(iota));
  compared.push_back(broadcastTo(std::move(end), shape));
  ExprPtr inside = makeElementwise(ElementwiseOp::Lt, sema::tensorType(DType::Bool, shape), span, std::move(compared));
  DType dtype = arg->type.dtype;
  ExprPtr other = makeConstant(dtype, fill, span);
  if (dtype == DType::I64 && std::abs(fill) > 9e18) other->as<node::Constant>().value = fill < 0 ? INT64_MIN : INT64_MAX;
  Type result = arg->type;
  std::vector<ExprPtr> args;
  args.push_back(std::move(inside));
  args.push_back(std::move(arg));
  args.push_back(broadcastTo(std::move(other), shape));
  Value out = Value::of(ValueKind::Array);
  out.type = type;
  out.limits = value.limits;
  out.limits[axis] = Limit{limit.end, fill == 0};
  ExprPtr masked = makeElementwise(ElementwiseOp::Select, result, span, std::move(args));
  masked->as<node::Elementwise>().ofLimit = true;
  out.expr = std::shared_ptr<Expr>(masked.release());
  return out;
}

std::optional<Summand> summandOf(Context &cx, const Value &value, const std::string &what, Span span) {
  auto carried = accumulator(cx, value, span, what);
  if (!carried) return std::nullopt;
  Summand out{value, value.type, *carried};
  if (out.type.dtype == DType::Bool) out.type = scalarType(DType::I32);
  else if (info(out.type.dtype).accumulate != out.type.dtype) {
    out.type.numerics.accumulate = *carried;
    state(out.type.numerics, PolicyField::Accumulate);
  }
  out.value.expr = std::shared_ptr<Expr>(inCarryType(cx, value, *carried, span).release());
  return out;
}

Value reduce(Context &cx, ReduceOp op, Value value, const Value &axis, Span axisSpan, bool keepdim, Span span,
             const std::string &what) {
  value = toArray(cx, value, DType::F32, span);
  if (!requireNumber(cx, value, span, what)) return Value::poison();
  if (value.isScalar()) return value;
  std::vector<int> axes;
  if (!axesOf(cx, axis, value, axisSpan, axes)) return Value::poison();
  for (int a : axes)
    if (dependsOnTile(cx, value.type.shape[static_cast<size_t>(a)], what, span)) return Value::poison();
  bool truth = op == ReduceOp::Any || op == ReduceOp::All;
  if (truth && value.type.dtype != DType::Bool) {
    report(cx, Id::badOperand, span, what, std::string(name(value.type.dtype)))
        .help("compare first: `" + what + "(x > 0)`");
    return Value::poison();
  }
  bool compares = op == ReduceOp::Min || op == ReduceOp::Max;
  if (compares && info(value.type.dtype).cls == DTypeClass::Complex) {
    report(cx, Id::badOperand, span, what, std::string(name(value.type.dtype))).label("complex numbers have no order");
    return Value::poison();
  }
  if (compares && value.type.dtype == DType::Bool) {
    report(cx, Id::badOperand, span, what, std::string(name(value.type.dtype)))
        .help(op == ReduceOp::Max ? "whether one is true: `any(x)`" : "whether all are true: `all(x)`");
    return Value::poison();
  }
  bool adds = op == ReduceOp::Sum || op == ReduceOp::Prod;
  DType carriedDType = value.expr->type.dtype;
  Type type = value.type;
  if (adds) {
    auto summand = summandOf(cx, value, what == "mean" ? "a mean" : "a reduction (`" + what + "`)", span);
    if (!summand) return Value::poison();
    carriedDType = summand->carried;
    type = summand->type;
    value = std::move(summand->value);
  }
  for (int a : axes)
    if (const Limit *l = value.limit(a)) {
      double identity = identityOf(op, carriedDType);
      if (!(l->zeroOutside && identity == 0)) value = maskAxis(cx, std::move(value), a, identity, span);
    }
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits;
  for (size_t i = 0; i < value.type.shape.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end()) continue;
    shape.push_back(value.type.shape[i]);
    limits.push_back(value.limit(i) ? std::optional(Limit{value.limit(i)->end, false}) : std::nullopt);
  }
  ExprPtr arg = takeExpr(value);
  // Over no axes (a tensor without dimensions, `axis=()`) each number is its own result.
  if (axes.empty()) return arrayValue(cx, std::move(arg), type, std::move(limits), span);
  Type result = shape.empty() ? scalarType(carriedDType) : sema::tensorType(carriedDType, shape);
  result.numerics = type.numerics;
  ExprPtr e = makeExpr(ExprKind::Reduce, result, span);
  e->as<node::Reduce>().op = op;
  e->as<node::Reduce>().axes = axes;
  e->args.push_back(std::move(arg));
  Value out = arrayValue(cx, std::move(e), type, std::move(limits), span);
  if (keepdim)
    for (int a : axes) out = insertAxis(cx, std::move(out), a, span);
  return out;
}

Value mean(Context &cx, Value value, const Value &axis, Span axisSpan, bool keepdim, Span span) {
  value = toArray(cx, value, DType::F32, span);
  if (value.kind == ValueKind::Array && value.type.dtype == DType::Bool) value = castTo(cx, std::move(value), DType::F32, {}, span);  // the share that holds
  if (!requireNumber(cx, value, span, "mean")) return Value::poison();
  if (!isFloat(value.type.dtype) && info(value.type.dtype).cls != DTypeClass::Complex && saysNoDTypes(cx)) value = castTo(cx, std::move(value), DType::F32, {}, span);
  if (!isFloat(value.type.dtype)) {
    report(cx, Id::badOperand, span, "mean", std::string(name(value.type.dtype)))
        .help("it needs a float: `cast(x, f32)`");
    return Value::poison();
  }
  if (value.isScalar()) return value;
  std::vector<int> axes;
  if (!axesOf(cx, axis, value, axisSpan, axes)) return Value::poison();
  ExprPtr count;
  Dim known(1);
  for (int a : axes) {
    const Limit *l = value.limit(a);
    known = known * (l ? Dim::min(value.type.shape[a], l->end) : value.type.shape[a]);
  }
  Value sum = reduce(cx, ReduceOp::Sum, std::move(value), axis, axisSpan, keepdim, span, "mean");
  if (sum.isPoison()) return sum;
  count = makeCast(dimExpr(cx, known, span), sum.expr->type.dtype, {});
  Type type = sum.type;
  std::vector<std::optional<Limit>> limits = sum.limits;
  ExprPtr total = takeExpr(sum);
  Type result = total->type;
  std::vector<ExprPtr> args;
  bool array = result.kind == TypeKind::Tensor;
  std::vector<Dim> shape = result.shape;
  args.push_back(std::move(total));
  args.push_back(array ? broadcastTo(std::move(count), shape) : std::move(count));
  return arrayValue(cx, makeElementwise(ElementwiseOp::Div, result, span, std::move(args)), type, std::move(limits),
                    span);
}

}  // namespace tessera::sema
