#include "reference/Elementwise.h"
#include "support/FloatFormats.h"
#include "support/Integers.h"
#include "tessera/device/philox.h"
#include <cmath>

namespace tessera::reference {
namespace {

/// The elements of one argument: how far apart those of two lanes and of two positions are (0: shared).
template <class T> struct Operand {
  const T *data;
  size_t lane, step;
};
template <class T> Operand<T> operand(const Datum &d) {
  const T *data;
  if constexpr (std::is_same_v<T, double>) data = d.floats.data();
  else data = d.ints.data();
  return {data, d.lanes == 0 ? 0 : d.perLane(), d.shape.empty() ? size_t(0) : size_t(1)};
}

struct Extent {
  size_t lanes, count;
};

template <class In, class Out, class F> void each(Extent n, Out *out, const std::vector<Ref> &args, F f) {
  auto a = operand<In>(*args[0]);
  if constexpr (std::is_invocable_v<F, In>) {
    for (size_t l = 0; l < n.lanes; ++l)
      for (size_t i = 0; i < n.count; ++i) *out++ = static_cast<Out>(f(a.data[l * a.lane + i * a.step]));
  } else {
    auto b = operand<In>(*args[1]);
    for (size_t l = 0; l < n.lanes; ++l)
      for (size_t i = 0; i < n.count; ++i)
        *out++ = static_cast<Out>(f(a.data[l * a.lane + i * a.step], b.data[l * b.lane + i * b.step]));
  }
}

double pythonMod(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return r == 0 ? std::copysign(0.0, b) : r;
}
double pythonFloorDiv(double a, double b) {
  if (b == 0 || !std::isfinite(a) || std::isinf(b)) return std::floor(a / b);
  double quotient = (a - pythonMod(a, b)) / b, whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}
double minNaN(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
double maxNaN(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }

bool floatToFloat(ElementwiseOp op, Extent n, DType dtype, double *out, const std::vector<Ref> &args) {
  auto apply = [&](auto f) { return each<double, double>(n, out, args, f), true; };
  using Op = ElementwiseOp;
  switch (op) {
  case Op::Add: return apply([](double a, double b) { return a + b; });
  case Op::Sub: return apply([](double a, double b) { return a - b; });
  case Op::Mul: return apply([](double a, double b) { return a * b; });
  case Op::Div: return apply([](double a, double b) { return a / b; });
  case Op::FloorDiv: return apply(pythonFloorDiv);
  case Op::Mod: return apply(pythonMod);
  case Op::Pow: return apply([](double a, double b) { return std::pow(a, b); });
  case Op::Min: return apply(minNaN);
  case Op::Max: return apply(maxNaN);
  case Op::Neg: return apply([](double a) { return -a; });
  case Op::Abs: return apply([](double a) { return std::fabs(a); });
  case Op::Exp: return apply([](double a) { return std::exp(a); });
  case Op::Exp2: return apply([](double a) { return std::exp2(a); });
  case Op::Expm1: return apply([](double a) { return std::expm1(a); });
  case Op::Log: return apply([](double a) { return std::log(a); });
  case Op::Log2: return apply([](double a) { return std::log2(a); });
  case Op::Log1p: return apply([](double a) { return std::log1p(a); });
  case Op::Sqrt: return apply([](double a) { return std::sqrt(a); });
  case Op::Rsqrt: return apply([](double a) { return 1.0 / std::sqrt(a); });
  case Op::Tanh: return apply([](double a) { return std::tanh(a); });
  case Op::Sigmoid: return apply([](double a) { return 1.0 / (1.0 + std::exp(-a)); });
  case Op::Erf: return apply([](double a) { return std::erf(a); });
  case Op::Erfc: return apply([](double a) { return std::erfc(a); });
  case Op::Sin: return apply([](double a) { return std::sin(a); });
  case Op::Cos: return apply([](double a) { return std::cos(a); });
  case Op::Tan: return apply([](double a) { return std::tan(a); });
  case Op::Asin: return apply([](double a) { return std::asin(a); });
  case Op::Acos: return apply([](double a) { return std::acos(a); });
  case Op::Atan: return apply([](double a) { return std::atan(a); });
  case Op::Sinh: return apply([](double a) { return std::sinh(a); });
  case Op::Cosh: return apply([](double a) { return std::cosh(a); });
  case Op::Asinh: return apply([](double a) { return std::asinh(a); });
  case Op::Acosh: return apply([](double a) { return std::acosh(a); });
  case Op::Atanh: return apply([](double a) { return std::atanh(a); });
  case Op::Log10: return apply([](double a) { return std::log10(a); });
  case Op::Atan2: return apply([](double a, double b) { return std::atan2(a, b); });
  case Op::Floor: return apply([](double a) { return std::floor(a); });
  case Op::Ceil: return apply([](double a) { return std::ceil(a); });
  case Op::Round: return apply([](double a) { return std::nearbyint(a); });
  case Op::Trunc: return apply([](double a) { return std::trunc(a); });
  case Op::Probit:  // the one function that the language defines to the bit
    if (dtype == DType::F64) return apply(tsr::probit<double>);
    return apply([](double a) { return tsr::probit(static_cast<float>(a)); });
  default: return false;
  }
}

template <class T> bool compare(ElementwiseOp op, Extent n, int64_t *out, const std::vector<Ref> &args) {
  auto apply = [&](auto f) { return each<T, int64_t>(n, out, args, f), true; };
  using Op = ElementwiseOp;
  switch (op) {
  case Op::Eq: return apply([](T a, T b) { return a == b; });
  case Op::Ne: return apply([](T a, T b) { return a != b; });
  case Op::Lt: return apply([](T a, T b) { return a < b; });
  case Op::Le: return apply([](T a, T b) { return a <= b; });
  case Op::Gt: return apply([](T a, T b) { return a > b; });
  case Op::Ge: return apply([](T a, T b) { return a >= b; });
  case Op::IsNan: return apply([](T a) { return a != a; });
  default: return false;
  }
}

int64_t dividedBy(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : floorDivide(a, b);
}
int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return static_cast<int64_t>(result);
}
int64_t shiftLeft(int64_t a, int64_t by) {
  return by < 0 || by > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << by);
}
int64_t shiftRight(int64_t a, int64_t by) { return by < 0 ? 0 : a >> std::min<int64_t>(by, 63); }

bool intToInt(ElementwiseOp op, Extent n, DType dtype, int64_t *out, const std::vector<Ref> &args) {
  using U = uint64_t;
  auto apply = [&](auto f) { return each<int64_t, int64_t>(n, out, args, f), true; };
  using Op = ElementwiseOp;
  switch (op) {
  case Op::Add: return apply([](int64_t a, int64_t b) { return U(a) + U(b); });
  case Op::Sub: return apply([](int64_t a, int64_t b) { return U(a) - U(b); });
  case Op::Mul: return apply([](int64_t a, int64_t b) { return U(a) * U(b); });
  case Op::FloorDiv: return apply(dividedBy);
  case Op::Mod:
    return apply([](int64_t a, int64_t b) { return b == 0 ? 0 : floorModulo(a, b); });
  case Op::Pow: return apply(power);
  case Op::Min: return apply([](int64_t a, int64_t b) { return std::min(a, b); });
  case Op::Max: return apply([](int64_t a, int64_t b) { return std::max(a, b); });
  case Op::Neg: return apply([](int64_t a) { return -U(a); });
  case Op::Abs: return apply([](int64_t a) { return a < 0 ? -U(a) : U(a); });
  case Op::And: return apply([](int64_t a, int64_t b) { return a & b; });
  case Op::Or: return apply([](int64_t a, int64_t b) { return a | b; });
  case Op::Xor: return apply([](int64_t a, int64_t b) { return a ^ b; });
  case Op::Not:
    if (dtype == DType::Bool) return apply([](int64_t a) { return a == 0; });
    return apply([](int64_t a) { return ~a; });
  case Op::Shl: return apply(shiftLeft);
  case Op::Shr: return apply(shiftRight);
  case Op::Floor:
  case Op::Ceil:
  case Op::Round:
  case Op::Trunc: return apply([](int64_t a) { return a; });
  case Op::RandomBits: return apply(tsr::random_bits);
  case Op::RandomKey: return apply(tsr::random_key);
  default: return false;
  }
}

template <class T> void select(Extent n, T *out, const std::vector<Ref> &args) {
  auto c = operand<int64_t>(*args[0]);
  auto a = operand<T>(*args[1]), b = operand<T>(*args[2]);
  for (size_t l = 0; l < n.lanes; ++l)
    for (size_t i = 0; i < n.count; ++i)
      *out++ =
          c.data[l * c.lane + i * c.step] ? a.data[l * a.lane + i * a.step] : b.data[l * b.lane + i * b.step];
}

}  // namespace

Ref elementwise(ElementwiseOp op, DType result, const std::vector<Ref> &args, std::string &error) {
  int64_t lanes = 0;
  const std::vector<int64_t> *shape = nullptr;
  for (const Ref &arg : args) {
    TSR_CHECK(arg->kind == Datum::Kind::Number, "an elementwise operation on something that is no number");
    lanes = std::max(lanes, arg->lanes);
    if (arg->shape.empty()) continue;
    if (shape && *shape != arg->shape) {
      error = "operands of '" + std::string(info(op).mnemonic) + "' have the shapes " + shapeText(*shape) +
              " and " + shapeText(arg->shape);
      return nullptr;
    }
    shape = &arg->shape;
  }
  Ref out = makeDatum(result, shape ? *shape : std::vector<int64_t>{}, lanes);
  Extent n{static_cast<size_t>(std::max<int64_t>(lanes, 1)), out->perLane()};
  TSR_CHECK(static_cast<int>(args.size()) == info(op).arity, "arity of " + std::string(info(op).mnemonic));
  const Ref &last = args.back();
  bool floats = last->isFloat();
  for (size_t i = op == ElementwiseOp::Select ? 1 : 0; i < args.size(); ++i)
    TSR_CHECK(args[i]->isFloat() == floats,
              "operands of '" + std::string(info(op).mnemonic) + "' are of two kinds");
  bool done = true;
  if (op == ElementwiseOp::Select && floats) select<double>(n, out->floats.data(), args);
  else if (op == ElementwiseOp::Select) select<int64_t>(n, out->ints.data(), args);
  else if (info(op).resultIsBool && floats) done = compare<double>(op, n, out->ints.data(), args);
  else if (info(op).resultIsBool) done = compare<int64_t>(op, n, out->ints.data(), args);
  else if (floats) done = out->isFloat() && floatToFloat(op, n, result, out->floats.data(), args);
  else done = !out->isFloat() && intToInt(op, n, result, out->ints.data(), args);
  if (!done) {
    error = "'" + std::string(info(op).mnemonic) + "' has no meaning for " + std::string(name(last->dtype));
    return nullptr;
  }
  if (out->isFloat()) roundTo(result, out->floats);
  else if (result != DType::I64)
    for (int64_t &v : out->ints) v = wrapInt(result, v);
  return out;
}

void roundTo(DType dtype, std::vector<double> &values) {
  if (dtype == DType::F64) return;
  if (dtype == DType::F32)
    for (double &v : values) v = static_cast<double>(static_cast<float>(v));
  else
    for (double &v : values) v = roundToFloat(dtype, v);
}

// ---------------------------------------------------------------- casts

Rounder::Rounder(DType dtype, const checked::Numerics &numerics)
    : dtype_(dtype), saturate_(numerics.saturate), flush_(numerics.denormals == checked::Denormals::Flush) {
  RoundMode mode = RoundMode::NearestEven;
  switch (numerics.rounding) {
  case checked::Rounding::NearestEven:
  case checked::Rounding::Stochastic: break;
  case checked::Rounding::TowardZero: mode = RoundMode::TowardZero; break;
  case checked::Rounding::Up: mode = RoundMode::Up; break;
  case checked::Rounding::Down: mode = RoundMode::Down; break;
  }
  mode_ = static_cast<int>(mode);
}

double Rounder::operator()(double value) const {
  double rounded = roundToFloat(dtype_, value, static_cast<RoundMode>(mode_), saturate_);
  return flush_ && isSubnormal(dtype_, rounded) ? std::copysign(0.0, rounded) : rounded;
}

double Rounder::ofInt(int64_t value) const {
  uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude < (uint64_t(1) << 53) || dtype_ == DType::F64) return (*this)(static_cast<double>(value));
  // More digits than a double has: cut them off and keep a 1 in the last place (rounding to odd), so that the
  // rounding that follows sees on which side of a tie the value was.
  int extra = 11 - __builtin_clzll(magnitude);
  bool sticky = (magnitude & ((uint64_t(1) << extra) - 1)) != 0;
  magnitude = ((magnitude >> extra) | (sticky ? 1 : 0)) << extra;
  double odd = static_cast<double>(magnitude);
  return (*this)(value < 0 ? -odd : odd);
}

int64_t Rounder::toInt(double value) const {
  return floatToInt(dtype_, value, static_cast<RoundMode>(mode_));
}
int64_t Rounder::wrap(int64_t value) const { return wrapInt(dtype_, value, saturate_); }

Ref cast(const Ref &value, DType to, const checked::Numerics &numerics, std::string &error) {
  if (info(to).cls == DTypeClass::Complex || info(value->dtype).cls == DTypeClass::Complex) {
    error = "the reference interpreter has no complex numbers";
    return nullptr;
  }
  Ref out = makeDatum(to, value->shape, value->lanes);
  Rounder round(to, numerics);
  size_t count = value->size();
  if (value->isFloat() && out->isFloat())
    for (size_t i = 0; i < count; ++i) out->floats[i] = round(value->floats[i]);
  else if (value->isFloat())
    for (size_t i = 0; i < count; ++i) out->ints[i] = round.toInt(value->floats[i]);
  else if (out->isFloat())
    for (size_t i = 0; i < count; ++i) out->floats[i] = round.ofInt(value->ints[i]);
  else
    for (size_t i = 0; i < count; ++i) out->ints[i] = round.wrap(value->ints[i]);
  return out;
}

Ref castBits(const Ref &value, DType to) {
  Ref out = makeDatum(to, value->shape, value->lanes);
  const Rounder whole(to, {});
  for (size_t i = 0, count = value->size(); i < count; ++i) {
    const uint64_t bits = value->isFloat() ? encodeFloat(value->dtype, value->floats[i]) : static_cast<uint64_t>(value->ints[i]);
    if (out->isFloat()) out->floats[i] = decodeFloat(to, info(to).bits == 64 ? bits : bits & ((uint64_t(1) << info(to).bits) - 1));
    else out->ints[i] = whole.wrap(static_cast<int64_t>(bits));
  }
  return out;
}

}  // namespace tessera::reference
