// Exact conversions between double and every dtype of the table: what a value becomes when it is stored as,
// or cast to, that dtype, and which bits it then has. Every format narrower than f64 is a subset of double,
// so that a rounded value is again a double and nothing is lost by carrying it as one.
#pragma once
#include "support/DType.h"
#include <cstdint>

namespace tessera {

enum class RoundMode : uint8_t { NearestEven, TowardZero, Up, Down };

/// What a float format can say. Without infinities an overflow is NaN; without NaN either, it is the largest
/// value.
struct FloatFormat {
  int exponentBits, mantissaBits, bias;
  bool hasInfinity, hasNaN;
  double max;          // largest finite value
  double minNormal;    // smallest normal value
  double minPositive;  // smallest subnormal value
};
const FloatFormat &floatFormat(DType dtype);  // floats only

/// The value of `dtype` nearest to `value` in the direction of `mode`. Overflow follows IEEE 754: infinity,
/// or the largest value where the mode points inwards. f8e4m3 has no infinity: overflow and infinities are
/// NaN there. f6 and f4 have no NaN either: they always saturate, and NaN becomes the largest value. With
/// `saturate`, overflow and infinities become the largest value of their sign in every format.
double roundToFloat(DType dtype, double value, RoundMode mode = RoundMode::NearestEven,
                    bool saturate = false);

/// True if `value` (not zero) lies below the smallest normal value of the format.
bool isSubnormal(DType dtype, double value);

/// The integer that a value becomes: the fraction is cut off (Up and Down: rounded that way), NaN is 0, and
/// what lies outside the range becomes the end of the range. Bool: whether it differs from 0.
int64_t floatToInt(DType dtype, double value, RoundMode mode = RoundMode::TowardZero);

/// An integer brought into the range of `dtype`: modulo 2^bits, or with `saturate` the end of the range.
int64_t wrapInt(DType dtype, int64_t value, bool saturate = false);
int64_t minInt(DType dtype);
int64_t maxInt(DType dtype);

/// Bits of a float dtype as stored: tf32 stands in the upper bits of 32 as an f32, formats under 8 bits stand
/// in the lower bits of their byte. `value` is rounded to nearest even if it is not a value of the dtype.
uint64_t encodeFloat(DType dtype, double value);
double decodeFloat(DType dtype, uint64_t bits);

/// One element in storage order (little-endian), storageBytes(dtype) long. No complex dtypes.
void storeFloat(DType dtype, double value, void *bytes);
void storeInt(DType dtype, int64_t value, void *bytes);
double loadFloat(DType dtype, const void *bytes);
int64_t loadInt(DType dtype, const void *bytes);

}  // namespace tessera
