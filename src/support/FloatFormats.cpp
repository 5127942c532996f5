#include "support/FloatFormats.h"
#include "support/Check.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

FloatFormat makeFormat(int exponentBits, int mantissaBits, bool infinity, bool nan) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int topExponent = (1 << exponentBits) - 1 - bias - (infinity ? 1 : 0);
  double topMantissa = 2.0 - std::ldexp(1.0, -mantissaBits);
  if (nan && !infinity) topMantissa -= std::ldexp(1.0, -mantissaBits);  // the highest code is NaN
  return {exponentBits,
          mantissaBits,
          bias,
          infinity,
          nan,
          std::ldexp(topMantissa, topExponent),
          std::ldexp(1.0, 1 - bias),
          std::ldexp(1.0, 1 - bias - mantissaBits)};
}

const FloatFormat kF64 = makeFormat(11, 52, true, true);
const FloatFormat kF32 = makeFormat(8, 23, true, true);
const FloatFormat kTF32 = makeFormat(8, 10, true, true);
const FloatFormat kBF16 = makeFormat(8, 7, true, true);
const FloatFormat kF16 = makeFormat(5, 10, true, true);
const FloatFormat kF8E4M3 = makeFormat(4, 3, false, true);
const FloatFormat kF8E5M2 = makeFormat(5, 2, true, true);
const FloatFormat kF6E2M3 = makeFormat(2, 3, false, false);
const FloatFormat kF6E3M2 = makeFormat(3, 2, false, false);
const FloatFormat kF4E2M1 = makeFormat(2, 1, false, false);

double roundInteger(double value, RoundMode mode) {
  switch (mode) {
  case RoundMode::TowardZero: return std::trunc(value);
  case RoundMode::Up: return std::ceil(value);
  case RoundMode::Down: return std::floor(value);
  case RoundMode::NearestEven: break;
  }
  double low = std::floor(value), fraction = value - low;
  if (fraction != 0.5) return fraction < 0.5 ? low : low + 1;
  return std::fmod(low, 2.0) == 0 ? low : low + 1;
}

double overflowed(const FloatFormat &format, bool negative, RoundMode mode, bool saturate) {
  double sign = negative ? -1.0 : 1.0;
  bool inwards = mode == RoundMode::TowardZero || (mode == RoundMode::Up && negative) ||
                 (mode == RoundMode::Down && !negative);
  if (saturate || inwards || !format.hasNaN) return sign * format.max;
  if (format.hasInfinity) return sign * std::numeric_limits<double>::infinity();
  return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
}

}  // namespace

const FloatFormat &floatFormat(DType dtype) {
  switch (dtype) {
  case DType::F64: return kF64;
  case DType::F32: return kF32;
  case DType::TF32: return kTF32;
  case DType::BF16: return kBF16;
  case DType::F16: return kF16;
  case DType::F8E4M3: return kF8E4M3;
  case DType::F8E5M2: return kF8E5M2;
  case DType::F6E2M3: return kF6E2M3;
  case DType::F6E3M2: return kF6E3M2;
  case DType::F4E2M1: return kF4E2M1;
  default: TSR_UNREACHABLE("no float format: " + std::string(name(dtype)));
  }
}

double roundToFloat(DType dtype, double value, RoundMode mode, bool saturate) {
  if (dtype == DType::F32 && mode == RoundMode::NearestEven && !saturate) return static_cast<float>(value);
  const FloatFormat &format = floatFormat(dtype);
  if (std::isnan(value)) return format.hasNaN ? value : format.max;
  if (std::isinf(value)) {
    if (saturate || !format.hasInfinity)
      return overflowed(format, value < 0, RoundMode::NearestEven, saturate);
    return value;
  }
  if (dtype == DType::F64 || value == 0) return value;
  // The spacing of the format's values around `value`; below the normal numbers it stays what it is there.
  int exponent = std::max(std::ilogb(value), 1 - format.bias) - format.mantissaBits;
  double rounded = std::ldexp(roundInteger(std::ldexp(value, -exponent), mode), exponent);
  if (std::fabs(rounded) > format.max) return overflowed(format, value < 0, mode, saturate);
  return rounded == 0 ? std::copysign(0.0, value) : rounded;
}

bool isSubnormal(DType dtype, double value) {
  return value != 0 && std::fabs(value) < floatFormat(dtype).minNormal;
}

int64_t minInt(DType dtype) {
  const DTypeInfo &row = info(dtype);
  TSR_CHECK(row.cls != DTypeClass::Float && row.cls != DTypeClass::Complex,
            "no integer dtype: " + std::string(row.name));
  if (row.cls != DTypeClass::SignedInt) return 0;
  return row.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << (row.bits - 1));
}

int64_t maxInt(DType dtype) {
  const DTypeInfo &row = info(dtype);
  TSR_CHECK(row.cls != DTypeClass::Float && row.cls != DTypeClass::Complex,
            "no integer dtype: " + std::string(row.name));
  if (row.cls == DTypeClass::Bool) return 1;
  int valueBits = row.cls == DTypeClass::SignedInt ? row.bits - 1 : row.bits;
  return valueBits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << valueBits) - 1;
}

int64_t floatToInt(DType dtype, double value, RoundMode mode) {
  if (info(dtype).cls == DTypeClass::Bool) return value != 0;
  if (std::isnan(value)) return 0;
  double whole = roundInteger(value, mode == RoundMode::NearestEven ? RoundMode::TowardZero : mode);
  if (whole < static_cast<double>(minInt(dtype))) return minInt(dtype);
  // 2^63 is the double next above the largest i64: everything from there on is out of range.
  if (whole >= static_cast<double>(maxInt(dtype))) return maxInt(dtype);
  return static_cast<int64_t>(whole);
}

int64_t wrapInt(DType dtype, int64_t value, bool saturate) {
  const DTypeInfo &row = info(dtype);
  if (row.cls == DTypeClass::Bool) return value != 0;
  int64_t low = minInt(dtype), high = maxInt(dtype);
  if (value >= low && value <= high) return value;
  if (saturate) return value < low ? low : high;
  int unused = 64 - row.bits;
  uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (row.cls == DTypeClass::UnsignedInt) return static_cast<int64_t>(shifted >> unused);
  return static_cast<int64_t>(shifted) >> unused;
}

// ---------------------------------------------------------------- bits

uint64_t encodeFloat(DType dtype, double value) {
  if (dtype == DType::F64) return std::bit_cast<uint64_t>(value);
  double rounded = roundToFloat(dtype, value);
  if (dtype == DType::F32 || dtype == DType::TF32)
    return std::bit_cast<uint32_t>(static_cast<float>(rounded));
  const FloatFormat &format = floatFormat(dtype);
  uint64_t sign = std::signbit(rounded) ? 1 : 0;
  uint64_t topExponent = (uint64_t(1) << format.exponentBits) - 1,
           mantissaOnes = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t exponent = 0, mantissa = 0;
  if (std::isnan(rounded)) {
    exponent = topExponent;
    mantissa = format.hasInfinity ? uint64_t(1) << (format.mantissaBits - 1) : mantissaOnes;
  } else if (std::isinf(rounded)) {
    exponent = topExponent;
  } else if (rounded != 0) {
    int e = std::max(std::ilogb(rounded), 1 - format.bias);
    auto units = static_cast<uint64_t>(std::ldexp(std::fabs(rounded), format.mantissaBits - e));
    bool normal = units > mantissaOnes;
    exponent = normal ? static_cast<uint64_t>(e + format.bias) : 0;
    mantissa = units & mantissaOnes;
  }
  return (((sign << format.exponentBits) | exponent) << format.mantissaBits) | mantissa;
}

double decodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::F64) return std::bit_cast<double>(bits);
  if (dtype == DType::F32 || dtype == DType::TF32) {
    double value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return dtype == DType::TF32 ? roundToFloat(dtype, value) : value;
  }
  const FloatFormat &format = floatFormat(dtype);
  uint64_t mantissaOnes = (uint64_t(1) << format.mantissaBits) - 1,
           topExponent = (uint64_t(1) << format.exponentBits) - 1;
  uint64_t mantissa = bits & mantissaOnes, exponent = (bits >> format.mantissaBits) & topExponent;
  double sign = (bits >> (format.mantissaBits + format.exponentBits)) & 1 ? -1.0 : 1.0;
  if (exponent == topExponent && format.hasInfinity)
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (exponent == topExponent && format.hasNaN && mantissa == mantissaOnes)
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  uint64_t units = exponent == 0 ? mantissa : mantissa + mantissaOnes + 1;
  int e = std::max<int>(static_cast<int>(exponent), 1) - format.bias - format.mantissaBits;
  return sign * std::ldexp(static_cast<double>(units), e);
}

namespace {
void putBytes(uint64_t bits, int count, void *bytes) {
  auto *out = static_cast<unsigned char *>(bytes);
  for (int i = 0; i < count; ++i) out[i] = static_cast<unsigned char>(bits >> (8 * i));
}
uint64_t getBytes(int count, const void *bytes) {
  auto *in = static_cast<const unsigned char *>(bytes);
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) bits |= static_cast<uint64_t>(in[i]) << (8 * i);
  return bits;
}
}  // namespace

void storeFloat(DType dtype, double value, void *bytes) {
  putBytes(encodeFloat(dtype, value), storageBytes(dtype), bytes);
}
double loadFloat(DType dtype, const void *bytes) {
  return decodeFloat(dtype, getBytes(storageBytes(dtype), bytes));
}
void storeInt(DType dtype, int64_t value, void *bytes) {
  putBytes(static_cast<uint64_t>(wrapInt(dtype, value)), storageBytes(dtype), bytes);
}
int64_t loadInt(DType dtype, const void *bytes) {
  return wrapInt(dtype, static_cast<int64_t>(getBytes(storageBytes(dtype), bytes)));
}

}  // namespace tessera
