#include "checked/Policy.h"
#include "support/FloatFormats.h"
#include <cmath>
#include <cstdio>

namespace tessera::checked {
namespace {
uint16_t bit(PolicyField field) { return static_cast<uint16_t>(1u << static_cast<unsigned>(field)); }

std::string quoted(DType dtype) { return std::string(name(dtype)); }

std::string roundText(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven: return "@round(nearest_even)";
  case Rounding::TowardZero: return "@round(toward_zero)";
  case Rounding::Up: return "@round(up)";
  case Rounding::Down: return "@round(down)";
  case Rounding::Stochastic: return "@stochastic_round";
  }
  return "";
}

bool same(const Numerics &a, const Numerics &b, PolicyField field) {
  switch (field) {
  case PolicyField::Accumulate: return a.accumulate == b.accumulate;
  case PolicyField::Compute: return a.compute == b.compute;
  case PolicyField::Round: return a.rounding == b.rounding;
  case PolicyField::RoundAt: return a.roundEachOp == b.roundEachOp;
  case PolicyField::Saturate: return a.saturate == b.saturate;
  case PolicyField::Denormals: return a.denormals == b.denormals;
  case PolicyField::LossScale: return a.lossScale == b.lossScale;
  case PolicyField::PerChannel: return a.perChannel == b.perChannel;
  case PolicyField::FastSums: return a.fastSums == b.fastSums;
  }
  return true;
}
void copy(Numerics &to, const Numerics &from, PolicyField field) {
  switch (field) {
  case PolicyField::Accumulate: to.accumulate = from.accumulate; break;
  case PolicyField::Compute: to.compute = from.compute; break;
  case PolicyField::Round: to.rounding = from.rounding; break;
  case PolicyField::RoundAt: to.roundEachOp = from.roundEachOp; break;
  case PolicyField::Saturate: to.saturate = from.saturate; break;
  case PolicyField::Denormals: to.denormals = from.denormals; break;
  case PolicyField::LossScale: to.lossScale = from.lossScale; break;
  case PolicyField::PerChannel: to.perChannel = from.perChannel; break;
  case PolicyField::FastSums: to.fastSums = from.fastSums; break;
  }
  if (states(from, field)) state(to, field);
}
Numerics keep(const Numerics &from, std::initializer_list<PolicyField> fields) {
  Numerics out;
  for (PolicyField field : fields) copy(out, from, field);
  return out;
}
bool isNumber(DType dtype) { return isFloat(dtype) || isInt(dtype); }
}  // namespace

bool states(const Numerics &n, PolicyField field) { return (n.stated & bit(field)) != 0; }
void state(Numerics &n, PolicyField field) { n.stated |= bit(field); }

std::string fieldText(const Numerics &n, PolicyField field) {
  switch (field) {
  case PolicyField::Accumulate: return n.accumulate ? "@accum(" + quoted(*n.accumulate) + ")" : "";
  case PolicyField::Compute: return n.compute ? "@compute(" + quoted(*n.compute) + ")" : "";
  case PolicyField::Round: return roundText(n.rounding);
  case PolicyField::RoundAt: return n.roundEachOp ? "@round_at(each_op)" : "@round_at(store)";
  case PolicyField::Saturate: return n.saturate ? "@saturate" : "saturate=False";
  case PolicyField::Denormals:
    return n.denormals == Denormals::Flush ? "@denormals(flush)" : "@denormals(keep)";
  case PolicyField::LossScale: {
    char text[48];
    std::snprintf(text, sizeof text, "@loss_scale(%g)", std::ldexp(1.0, n.lossScale));
    return text;
  }
  case PolicyField::PerChannel: return "@per_channel(" + std::to_string(n.perChannel) + ")";
  case PolicyField::FastSums: return n.fastSums ? "@fast_sums" : "fast_sums=False";
  }
  return "";
}

std::string policyText(const Numerics &n) {
  const Numerics plain;
  std::string text;
  for (PolicyField field :
       {PolicyField::Compute, PolicyField::Accumulate, PolicyField::Round, PolicyField::RoundAt,
        PolicyField::Saturate, PolicyField::Denormals, PolicyField::LossScale, PolicyField::PerChannel, PolicyField::FastSums})
    if (!same(n, plain, field)) text += " " + fieldText(n, field);
  return text;
}

std::optional<PolicyField> disagreement(const Numerics &a, const Numerics &b) {
  for (PolicyField field : kPolicyFields)
    if (states(a, field) && states(b, field) && !same(a, b, field)) return field;
  return std::nullopt;
}

Numerics combined(const Numerics &first, const Numerics &second) {
  Numerics out = first;
  for (PolicyField field : kPolicyFields)
    if (!states(first, field) && states(second, field)) copy(out, second, field);
  return out;
}
Numerics roundingOf(const Numerics &n) {
  return keep(n, {PolicyField::Round, PolicyField::RoundAt, PolicyField::Saturate, PolicyField::Denormals});
}
Numerics withoutStorage(const Numerics &n) {
  return keep(n, {PolicyField::Accumulate, PolicyField::Compute, PolicyField::Round, PolicyField::RoundAt,
                  PolicyField::Saturate, PolicyField::Denormals, PolicyField::FastSums});
}

std::optional<DType> join(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  if (a == DType::Complex64 || b == DType::Complex64) return std::nullopt;
  if (isFloat(a) && isFloat(b)) {
    for (DType wide : {DType::F64, DType::F32})
      if (a == wide || b == wide) return wide;
    int x = info(a).bits, y = info(b).bits;
    if (a == DType::TF32 || b == DType::TF32) return DType::TF32;
    if (x > y && y <= 8) return a;
    if (y > x && x <= 8) return b;
    return std::nullopt;
  }
  if (isInt(a) && isInt(b)) {
    bool sa = info(a).cls == DTypeClass::SignedInt, sb = info(b).cls == DTypeClass::SignedInt;
    if (sa == sb) return info(a).bits >= info(b).bits ? a : b;
    DType s = sa ? a : b, u = sa ? b : a;
    if (info(s).bits > info(u).bits) return s;
    if (info(u).bits < 16) return DType::I16;
    return info(u).bits < 32 ? DType::I32 : DType::I64;
  }
  DType f = isFloat(a) ? a : b, i = isFloat(a) ? b : a;
  if (f == DType::F64) return info(i).bits <= 32 ? std::optional(f) : std::nullopt;
  if (info(i).bits <= 16 && f == DType::F32) return f;
  return std::nullopt;
}
bool holds(DType wide, DType narrow) { return join(wide, narrow) == wide; }

DType carryType(DType dtype, const Numerics &n) {
  if (n.compute && (holds(*n.compute, dtype) || n.perChannel >= 0)) return *n.compute;
  DType natural = info(dtype).accumulate;
  if (natural == dtype) return dtype;
  return n.accumulate ? *n.accumulate : natural;
}
DType factorType(DType dtype, const Numerics &n) {
  return n.compute && !holds(*n.compute, dtype) ? *n.compute : dtype;
}

// ---------------------------------------------------------------- what goes with what

namespace {
using Refusal = std::optional<PolicyRefusal>;

Refusal meaningless(const Numerics &n, PolicyField field, DType dtype, std::string reason) {
  return PolicyRefusal{false, fieldText(n, field), quoted(dtype), std::move(reason)};
}
Refusal contradiction(std::string first, std::string second, std::string reason) {
  return PolicyRefusal{true, std::move(first), std::move(second), std::move(reason)};
}

Refusal refuseAccumulate(DType dtype, const Numerics &n) {
  if (!n.accumulate) return std::nullopt;
  DType acc = *n.accumulate;
  std::string text = fieldText(n, PolicyField::Accumulate);
  if (!isNumber(dtype)) return meaningless(n, PolicyField::Accumulate, dtype, "it is not added up");
  bool scaled = n.perChannel >= 0;
  if (scaled ? !isFloat(acc) : !holds(acc, dtype))
    return contradiction(text, quoted(dtype),
                         "a sum must hold at least every value that goes into it, and " + quoted(acc) +
                             " does not hold all of " + (scaled ? "the scaled integers" : quoted(dtype)));
  if (!scaled && isFloat(acc) != isFloat(dtype))
    return contradiction(text, quoted(dtype), "integers are added up in integers, which lose nothing");
  if (info(acc).accumulate != acc)
    return meaningless(n, PolicyField::Accumulate, dtype,
                       "sums in fewer than 32 bits would have other bits for each order of adding");
  if (n.compute && isFloat(*n.compute) && !holds(acc, *n.compute))
    return contradiction(text, fieldText(n, PolicyField::Compute),
                         "what is computed in " + quoted(*n.compute) +
                             " would be narrowed when it is added up");
  return std::nullopt;
}
Refusal refuseCompute(DType dtype, const Numerics &n) {
  if (!n.compute) return std::nullopt;
  DType in = *n.compute;
  bool scaled = n.perChannel >= 0;
  if (!isNumber(dtype) || in == DType::Bool || info(in).cls == DTypeClass::Complex)
    return meaningless(n, PolicyField::Compute, dtype, "arithmetic is done in a type of numbers");
  if (isFloat(in) != (isFloat(dtype) || scaled))
    return meaningless(n, PolicyField::Compute, dtype,
                       isFloat(in) ? "integers are computed in integers, unless they have scales"
                                   : "fractions would be cut off");
  if (isInt(dtype) && !scaled && !holds(in, dtype))
    return contradiction(fieldText(n, PolicyField::Compute), quoted(dtype),
                         quoted(in) + " does not hold every " + quoted(dtype));
  return std::nullopt;
}
Refusal refuseRounding(DType dtype, const Numerics &n) {
  if (states(n, PolicyField::Round)) {
    if (!isNumber(dtype)) return meaningless(n, PolicyField::Round, dtype, "it is not rounded");
    if (dtype == DType::F64)
      return meaningless(n, PolicyField::Round, dtype, "no type is wider, so nothing is rounded to it");
    if (n.rounding == Rounding::Stochastic && (!isFloat(dtype) || info(dtype).bits >= 32))
      return meaningless(n, PolicyField::Round, dtype,
                         isFloat(dtype) ? "its values are stored as they were computed, without rounding"
                                        : "integers are not rounded when they are stored");
  }
  if (!states(n, PolicyField::RoundAt)) return std::nullopt;
  if (!isFloat(dtype)) return meaningless(n, PolicyField::RoundAt, dtype, "operations on it do not round");
  std::string where = fieldText(n, PolicyField::RoundAt);
  DType carry = carryType(dtype, n);
  if (!n.roundEachOp && (carry == dtype || info(carry).bits < 32))
    return contradiction(where, n.compute ? fieldText(n, PolicyField::Compute) : quoted(dtype),
                         "arithmetic in " + quoted(carry) + " rounds at each operation");
  if (n.roundEachOp && n.rounding == Rounding::Stochastic)
    return contradiction(where, "@stochastic_round",
                         "random bits come from a stream that a `cast` names, not from every operation");
  return std::nullopt;
}
Refusal refuseRange(DType dtype, const Numerics &n) {
  if (n.saturate) {
    if (!isNumber(dtype)) return meaningless(n, PolicyField::Saturate, dtype, "it has no largest value");
    if (dtype == DType::F64)
      return meaningless(n, PolicyField::Saturate, dtype, "nothing wider is ever brought into its range");
    if (isFloat(dtype) && !floatFormat(dtype).hasInfinity && !floatFormat(dtype).hasNaN)
      return meaningless(n, PolicyField::Saturate, dtype,
                         "it has no infinity and no NaN: it always becomes the largest value");
  }
  if (states(n, PolicyField::Denormals) && !isFloat(dtype))
    return meaningless(n, PolicyField::Denormals, dtype, "only floats have subnormal numbers");
  return std::nullopt;
}
Refusal refuseFastSums(DType dtype, const Numerics &n) {
  if (!n.fastSums || (isFloat(dtype) && info(dtype).bits == 8)) return std::nullopt;
  return meaningless(n, PolicyField::FastSums, dtype,
                     "only products of floats of 8 bits have sums that are faster with fewer bits");
}
Refusal refuseStorage(DType dtype, const Numerics &n) {
  if (states(n, PolicyField::LossScale)) {
    if (!isFloat(dtype) || info(dtype).bits >= 32)
      return meaningless(n, PolicyField::LossScale, dtype,
                         isFloat(dtype)
                             ? "it has room for small values; a scale moves them into the range of "
                               "a narrower float"
                             : "integers are scaled with `@per_channel`");
    if (n.roundEachOp)
      return contradiction("@round_at(each_op)", fieldText(n, PolicyField::LossScale),
                           "a value is scaled where it is stored, not at each operation");
  }
  if (n.perChannel >= 0 && dtype != DType::I8 && dtype != DType::I4 && dtype != DType::U8)
    return meaningless(n, PolicyField::PerChannel, dtype,
                       "channels have scales where i8, u8 or i4 are stored");
  return std::nullopt;
}
}  // namespace

std::optional<PolicyRefusal> refusal(DType dtype, const Numerics &n) {
  for (auto rule : {refuseAccumulate, refuseCompute, refuseRounding, refuseRange, refuseFastSums, refuseStorage})
    if (auto refused = rule(dtype, n)) return refused;
  return std::nullopt;
}

std::string literalMisfit(DType dtype, double value) {
  auto number = [](double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", v);
    return std::string(text);
  };
  if (isInt(dtype)) {
    double low = static_cast<double>(minInt(dtype)), high = static_cast<double>(maxInt(dtype));
    if (value >= low && value <= high) return "";
    return "the values of " + quoted(dtype) + " go from " + std::to_string(minInt(dtype)) + " to " +
           std::to_string(maxInt(dtype));
  }
  if (!isFloat(dtype) || std::isnan(value)) return "";
  const FloatFormat &format = floatFormat(dtype);
  if (std::isinf(value)) return format.hasInfinity ? "" : quoted(dtype) + " has no infinity";
  double rounded = roundToFloat(dtype, value);
  bool fits = std::isfinite(rounded) && (format.hasNaN || std::abs(value) <= format.max);
  return fits ? "" : "the largest " + quoted(dtype) + " is " + number(format.max);
}

}  // namespace tessera::checked
