#include "sema/effects/Draws.h"
#include "checked/ExprBuild.h"
#include "support/FloatFormats.h"
#include <cmath>

namespace tessera::sema {

namespace {
ExprPtr constant(DType dtype, double value, Span span) { return makeConstant(dtype, value, span); }

ExprPtr whole(int64_t value, Span span) {
  ExprPtr e = makeConstant(DType::I64, 0, span);
  e->as<node::Constant>().value = value;
  return e;
}

ExprPtr extent(const Dim &dim, Span span) {
  if (dim.isConstant()) return whole(dim.constant(), span);
  ExprPtr e = makeExpr(ExprKind::DimValue, indexType(), span);
  e->as<node::DimValue>().dim = dim;
  return makeCast(std::move(e), DType::I64, {});
}

/// Binary digits of a value of this dtype, the one before the point included.
int digitsOf(DType dtype) {
  int digits = 0;
  while (roundToFloat(dtype, 1 + std::ldexp(1.0, -digits), RoundMode::NearestEven) != 1) ++digits;
  return digits;
}
}  // namespace

Type keyType() { return scalarType(DType::I64); }

Type Draw::arrayOf(DType dtype) const { return shape_.empty() ? scalarType(dtype) : tensorType(dtype, shape_); }

ExprPtr Draw::binary(ElementwiseOp op, DType dtype, ExprPtr a, ExprPtr b) const {
  std::vector<ExprPtr> args;
  args.push_back(std::move(a));
  args.push_back(std::move(b));
  return makeElementwise(op, arrayOf(dtype), span_, std::move(args));
}

/// The number of each element, in row-major order.
ExprPtr Draw::element() const {
  if (at_) return clone(*at_);
  if (shape_.empty()) return whole(0, span_);
  ExprPtr number;
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    ExprPtr along = makeExpr(ExprKind::Iota, arrayOf(DType::I64), span_);
    along->as<node::Iota>().axis = static_cast<int>(axis);
    if (!number) number = std::move(along);
    else
      number = binary(ElementwiseOp::Add, DType::I64,
                      binary(ElementwiseOp::Mul, DType::I64, std::move(number), extent(shape_[axis], span_)), std::move(along));
  }
  return number;
}

ExprPtr Draw::bits(int word, int words) const {
  ExprPtr at = element();
  if (words > 1) at = binary(ElementwiseOp::Mul, DType::I64, std::move(at), whole(words, span_));
  if (word > 0) at = binary(ElementwiseOp::Add, DType::I64, std::move(at), whole(word, span_));
  return binary(ElementwiseOp::RandomBits, DType::I64, clone(key_), std::move(at));
}

ExprPtr Draw::uniform(DType dtype, ExprPtr high, ExprPtr low) const {
  const int digits = digitsOf(dtype);
  DType in = info(dtype).accumulate;
  ExprPtr taken;
  if (digits <= 32) taken = binary(ElementwiseOp::Shr, DType::I64, std::move(high), whole(32 - digits, span_));
  else
    taken = binary(ElementwiseOp::Or, DType::I64,
                   binary(ElementwiseOp::Shl, DType::I64, std::move(high), whole(digits - 32, span_)),
                   binary(ElementwiseOp::Shr, DType::I64, std::move(low), whole(64 - digits, span_)));
  return binary(ElementwiseOp::Mul, in, makeCast(std::move(taken), in, {}),
                constant(in, std::ldexp(1.0, -digits), span_));
}

/// The bit of 2^31 is the sign; the others, and half of a last one, are a share of the lower half.
ExprPtr Draw::normal(DType dtype, const Expr &high, ExprPtr low) const {
  const bool wide = dtype == DType::F64;
  ExprPtr magnitude = binary(ElementwiseOp::And, DType::I64, clone(high), whole(0x7fffffff, span_));
  int digits = 32;
  if (wide) {  // 52 bits and the half are what a double holds
    magnitude = binary(ElementwiseOp::Or, DType::I64,
                       binary(ElementwiseOp::Shl, DType::I64, std::move(magnitude), whole(21, span_)),
                       binary(ElementwiseOp::Shr, DType::I64, std::move(low), whole(11, span_)));
    digits = 53;
  }
  ExprPtr share = binary(ElementwiseOp::Add, dtype, makeCast(std::move(magnitude), dtype, {}), constant(dtype, 0.5, span_));
  share = binary(ElementwiseOp::Mul, dtype, std::move(share), constant(dtype, std::ldexp(1.0, -digits), span_));
  std::vector<ExprPtr> args;
  args.push_back(std::move(share));
  ExprPtr below = makeElementwise(ElementwiseOp::Probit, arrayOf(dtype), span_, std::move(args));
  // The sign is a factor, so that the expensive part stands there once.
  ExprPtr side = binary(ElementwiseOp::Ge, DType::Bool, clone(high), whole(int64_t(1) << 31, span_));
  args.clear();
  args.push_back(std::move(side));
  args.push_back(constant(dtype, -1, span_));
  args.push_back(constant(dtype, 1, span_));
  ExprPtr sign = makeElementwise(ElementwiseOp::Select, arrayOf(dtype), span_, std::move(args));
  return binary(ElementwiseOp::Mul, dtype, std::move(sign), std::move(below));
}

ExprPtr Draw::happens(ExprPtr probability) const {
  if (probability->kind == ExprKind::Constant) {
    double limit = std::get<double>(probability->as<node::Constant>().value) * 4294967296.0;
    return binary(ElementwiseOp::Lt, DType::Bool, bits(), whole(static_cast<int64_t>(limit), span_));
  }
  DType in = probability->type.dtype;
  std::vector<ExprPtr> args;
  args.push_back(std::move(probability));
  args.push_back(constant(in, 4294967296.0, span_));
  ExprPtr limit = makeElementwise(ElementwiseOp::Mul, scalarType(in), span_, std::move(args));
  return binary(ElementwiseOp::Lt, DType::Bool, bits(), makeCast(std::move(limit), DType::I64, {}));
}

ExprPtr roundedByChance(const Expr &exact, const Neighbours &to, ExprPtr uniform) {
  Type type = withDType(exact.type, exact.type.dtype), truth = withDType(exact.type, DType::Bool);
  type.numerics = truth.numerics = {};
  Span span = exact.span;
  auto operation = [&](ElementwiseOp op, const Type &result, auto... operands) {
    std::vector<ExprPtr> args;
    (args.push_back(std::move(operands)), ...);
    return makeElementwise(op, result, span, std::move(args));
  };
  auto gap = [&] { return operation(ElementwiseOp::Sub, type, clone(*to.up), clone(*to.down)); };
  // Both differences are exact. Of a value of the dtype the share is 0 / 0, which nothing is below.
  ExprPtr share = operation(ElementwiseOp::Div, type, operation(ElementwiseOp::Sub, type, clone(exact), clone(*to.down)), gap());
  ExprPtr up = operation(ElementwiseOp::Lt, truth, std::move(uniform), std::move(share));
  ExprPtr chosen = operation(ElementwiseOp::Select, type, std::move(up), clone(*to.up), clone(*to.down));
  // A gap up to infinity has no shares: what lies there is rounded to nearest, and a NaN stays one.
  ExprPtr finite = operation(ElementwiseOp::Lt, truth, gap(), constant(type.dtype, INFINITY, span));
  return operation(ElementwiseOp::Select, type, std::move(finite), std::move(chosen), clone(*to.nearest));
}

}  // namespace tessera::sema
