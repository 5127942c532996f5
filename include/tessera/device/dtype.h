// The dtypes that C++ lacks, and tsr::to<T>(x), the one way from one dtype to another.
//
//   bf16 f16               the vendor's types on CUDA, structs of 16 bits elsewhere
//   f8e4m3 f8e5m2          one byte each; f8e4m3 has no infinity (S.1111.111 is NaN), as OCP defines it
//   f6e2m3 f6e3m2 f4e2m1   in the low bits of a byte; without infinity and NaN, so they always saturate
//   tf32                   an f32 whose low 13 bits of mantissa are zero
//   i4                     -8..7 in the low bits of a byte
//   complex64              two floats
//
// tsr::to<T>(x) rounds once, to nearest, ties to even; overflow gives infinity, or NaN where there is none. To an
// integer the fraction is cut off, NaN is 0, and what lies outside is the end of the range; integers wrap.
// tsr::to<T, Round::Up>(x) rounds otherwise; tsr::to<T, Round::NearestEven, true>(x) saturates instead of overflowing.
// tsr::rounded<T>(x) is to<float>(to<T>(x)).
#pragma once
#include "tessera/device/platform.h"
#include <cmath>
#include <limits>
#include <type_traits>
#if defined(TSR_CUDA)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace tsr {
inline namespace TSR_TARGET {

enum class Round { NearestEven, TowardZero, Up, Down };

namespace detail {

/// A float format of at most 16 bits: its codes are sign, exponent, mantissa.
template <int Exponent, int Mantissa, bool Infinity, bool NaN> struct Format {
  static constexpr int exponent = Exponent, mantissa = Mantissa, bias = (1 << (Exponent - 1)) - 1;
  static constexpr bool infinity = Infinity, nan = NaN;
  static constexpr uint32_t signBit = 1u << (Exponent + Mantissa);
  static constexpr uint32_t infinityCode = ((1u << Exponent) - 1) << Mantissa;  // where there is one
  static constexpr uint32_t maxCode = Infinity ? infinityCode - 1 : signBit - 1 - (NaN ? 1 : 0);
  static constexpr uint32_t nanCode = Infinity ? infinityCode | (1u << (Mantissa - 1)) : signBit - 1;
};

TSR_INLINE bool away_from_zero(Round mode, bool negative, uint32_t kept, uint32_t rest, uint32_t half) {
  switch (mode) {
  case Round::NearestEven: return rest > half || (rest == half && (kept & 1));
  case Round::TowardZero: return false;
  case Round::Up: return !negative && rest != 0;
  case Round::Down: return negative && rest != 0;
  }
  return false;
}

template <class F> TSR_INLINE uint32_t overflow_code(Round mode, bool negative, bool saturate) {
  bool inwards = mode == Round::TowardZero || (mode == Round::Up && negative) || (mode == Round::Down && !negative);
  if (saturate || inwards || !F::nan) return F::maxCode;
  return F::infinity ? F::infinityCode : F::nanCode;
}

/// The code nearest to `value` in a format with infinities, ties to even, without branches: loops over it become vector
/// code.
template <class F> TSR_INLINE uint32_t encode_nearest(float value) {
  constexpr int shift = 23 - F::mantissa;
  const uint32_t bits = bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const uint32_t sign = (bits >> 31) << (F::exponent + F::mantissa);
  // The exponent changes its bias, and half a unit is added, or a little less to an even code.
  constexpr uint32_t rebias = static_cast<uint32_t>(127 - F::bias) << 23, half = (1u << (shift - 1)) - 1;
  uint32_t code = (magnitude - rebias + half + ((magnitude >> shift) & 1u)) >> shift;
  if constexpr (F::exponent < 8) {
    // Below the smallest normal number the units are as large as those of this one, to which the sum is rounded.
    constexpr uint32_t unit = static_cast<uint32_t>(127 + 1 - F::bias - F::mantissa + 23) << 23;
    const uint32_t sum = bit_cast<uint32_t>(bit_cast<float>(magnitude) + bit_cast<float>(unit));
    code = magnitude < rebias + (1u << 23) ? sum - unit : code;
    code = magnitude >= (static_cast<uint32_t>(127 + F::bias + 1) << 23) || code > F::infinityCode ? F::infinityCode : code;
  }
  return (magnitude > 0x7f800000u ? F::nanCode : code) | sign;
}

/// The code of the value of format F that `value` rounds to.
template <class F> TSR_INLINE uint32_t encode(float value, Round mode, bool saturate) {
  if constexpr (F::infinity) {
    if (mode == Round::NearestEven && !saturate) return encode_nearest<F>(value);
  }
  const uint32_t bits = bit_cast<uint32_t>(value), fraction = bits & 0x7fffffu;
  const int exponent = static_cast<int>((bits >> 23) & 0xffu);
  const bool negative = (bits >> 31) != 0;
  const uint32_t sign = negative ? F::signBit : 0u;
  if (exponent == 255 && fraction) return F::nan ? (F::nanCode | sign) : F::maxCode;
  if (exponent == 255) {
    if (F::infinity && !saturate) return F::infinityCode | sign;
    return overflow_code<F>(Round::NearestEven, negative, saturate) | sign;
  }
  // value = significand * 2^(e - 23); the codes around it are 2^(top - mantissa) apart.
  const int e = exponent ? exponent - 127 : -126;
  const uint32_t significand = exponent ? (fraction | 0x800000u) : fraction;
  const int top = e > 1 - F::bias ? e : 1 - F::bias;
  int shift = top - F::mantissa - e + 23;
  if (shift > 30) shift = 30;  // far below the smallest code: only whether it is zero matters
  uint32_t kept = significand >> shift;
  const uint32_t rest = significand & ((1u << shift) - 1), half = (1u << shift) >> 1;
  if (away_from_zero(mode, negative, kept, rest, half)) ++kept;
  const uint32_t code = (static_cast<uint32_t>(top + F::bias - 1) << F::mantissa) + kept;  // a carry moves the exponent
  if (code > F::maxCode) return overflow_code<F>(mode, negative, saturate) | sign;
  return code | sign;
}

template <class F> TSR_INLINE float decode(uint32_t code) {
  if constexpr (F::exponent == 8) {
    return bit_cast<float>(code << (31 - F::exponent - F::mantissa));  // the upper bits of an f32
  } else {
    // Read as the bits of an f32 whose exponent is too small by a constant, and put that right by a product, which is
    // exact: so subnormal codes need no case of their own.
    constexpr int shift = 23 - F::mantissa;
    constexpr uint32_t sign = 0x80000000u, magnitude = (F::signBit - 1) << shift;
    const float scale = bit_cast<float>(static_cast<uint32_t>(127 + 127 - F::bias) << 23);
    uint32_t bits;
    if constexpr (F::exponent + F::mantissa == 15) bits = (static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(code))) << shift) & (sign | magnitude);
    else bits = ((code << shift) & magnitude) | ((code & F::signBit) << (31 - F::exponent - F::mantissa));
    bits = bit_cast<uint32_t>(bit_cast<float>(bits) * scale);
    // The greatest exponent stands for infinity and NaN. The value is compared, which is as wide as the result: of comparisons of codes compilers
    // make masks of narrower vectors, and take them apart.
    if constexpr (F::nan && F::infinity) bits |= bit_cast<float>(bits & ~sign) >= bit_cast<float>(static_cast<uint32_t>(127 + F::bias + 1) << 23) ? 0x7f800000u : 0u;
    else if constexpr (F::nan) bits = (code & (F::signBit - 1)) > F::maxCode ? 0x7fc00000u | (bits & sign) : bits;
    return bit_cast<float>(bits);
  }
}

using FormatBf16 = Format<8, 7, true, true>;
using FormatF16 = Format<5, 10, true, true>;
using FormatTf32 = Format<8, 10, true, true>;

/// A value of format F in the low bits of Storage.
template <class F, class Storage> struct SmallFloat {
  Storage bits;
  using format = F;
  TSR_INLINE explicit operator float() const { return decode<F>(bits); }
};

}  // namespace detail

#if defined(TSR_CUDA)
using bf16 = __nv_bfloat16;
using f16 = __half;
#else
using bf16 = detail::SmallFloat<detail::FormatBf16, uint16_t>;
using f16 = detail::SmallFloat<detail::FormatF16, uint16_t>;
#endif
using f8e4m3 = detail::SmallFloat<detail::Format<4, 3, false, true>, uint8_t>;
using f8e5m2 = detail::SmallFloat<detail::Format<5, 2, true, true>, uint8_t>;
using f6e2m3 = detail::SmallFloat<detail::Format<2, 3, false, false>, uint8_t>;
using f6e3m2 = detail::SmallFloat<detail::Format<3, 2, false, false>, uint8_t>;
using f4e2m1 = detail::SmallFloat<detail::Format<2, 1, false, false>, uint8_t>;

struct tf32 {
  float value;
  TSR_INLINE explicit operator float() const { return value; }
};
struct i4 {
  int8_t value;
  TSR_INLINE explicit operator int() const { return value; }
};
struct complex64 {
  float re, im;
};
TSR_INLINE complex64 operator+(complex64 a, complex64 b) { return {a.re + b.re, a.im + b.im}; }
TSR_INLINE complex64 operator-(complex64 a, complex64 b) { return {a.re - b.re, a.im - b.im}; }
TSR_INLINE complex64 operator-(complex64 a) { return {-a.re, -a.im}; }
TSR_INLINE complex64 operator*(complex64 a, complex64 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
TSR_INLINE complex64 &operator+=(complex64 &a, complex64 b) { return a = a + b; }
TSR_INLINE complex64 &operator*=(complex64 &a, complex64 b) { return a = a * b; }
TSR_INLINE bool operator==(complex64 a, complex64 b) { return a.re == b.re && a.im == b.im; }
TSR_INLINE bool operator!=(complex64 a, complex64 b) { return !(a == b); }

namespace detail {

template <class T> struct IsSmallFloat : std::false_type {};
template <class F, class S> struct IsSmallFloat<SmallFloat<F, S>> : std::true_type {};
/// bf16 and f16 are SmallFloats except on CUDA.
template <class T>
constexpr bool is_half = std::is_same<T, bf16>::value || std::is_same<T, f16>::value;
template <class T>
constexpr bool is_real = std::is_floating_point<T>::value || IsSmallFloat<T>::value || is_half<T> ||
                         std::is_same<T, tf32>::value;

/// An f32 that rounds to every narrower format as `value` itself would ("round to odd").
TSR_INLINE float sticky(double value) {
  float f = static_cast<float>(value);
  if (value != value || static_cast<double>(f) == value) return f;
  uint32_t bits = bit_cast<uint32_t>(f);
  const bool tooLarge = value < 0 ? static_cast<double>(f) < value : static_cast<double>(f) > value;
  if (tooLarge) --bits;
  return bit_cast<float>(bits | 1u);
}
template <class I> TSR_INLINE float sticky_integer(I value) {
  bool negative = false;
  if constexpr (std::is_signed<I>::value) negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  float scale = 1.0f;
  while (magnitude >> 24) {
    magnitude = (magnitude >> 1) | (magnitude & 1);
    scale *= 2.0f;
  }
  const float f = static_cast<float>(magnitude) * scale;
  return negative ? -f : f;
}

/// Any real or integer value as an f32 that rounds as the value does.
template <class T> TSR_INLINE float carried(T value) {
  if constexpr (std::is_same<T, float>::value) return value;
  else if constexpr (std::is_same<T, double>::value) return sticky(value);
  else if constexpr (std::is_same<T, bool>::value) return value ? 1.0f : 0.0f;
  else if constexpr (std::is_same<T, i4>::value) return static_cast<float>(value.value);
  else if constexpr (std::is_integral<T>::value && sizeof(T) < 4) return static_cast<float>(value);
  else if constexpr (std::is_integral<T>::value) return sticky_integer(value);
#if defined(TSR_CUDA)
  // As bits: of the halves of a word, compilers make one instruction each.
  else if constexpr (std::is_same<T, bf16>::value) return bit_cast<float>(static_cast<uint32_t>(bit_cast<uint16_t>(value)) << 16);
#endif
  else return static_cast<float>(value);
}

TSR_INLINE uint32_t bf16_bits(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return value != value ? ((bits >> 16) | 0x40u) : rounded;
}

/// From f32 to a format, by the machine where it can.
template <class T, Round Mode, bool Saturate> TSR_INLINE T from_f32(float value) {
#if defined(TSR_CUDA)
  if constexpr (std::is_same<T, bf16>::value && Mode == Round::NearestEven && !Saturate) return __float2bfloat16_rn(value);
  else if constexpr (std::is_same<T, f16>::value && Mode == Round::NearestEven && !Saturate) return __float2half_rn(value);
  else if constexpr (std::is_same<T, bf16>::value)
    return __ushort_as_bfloat16(static_cast<uint16_t>(encode<FormatBf16>(value, Mode, Saturate)));
  else if constexpr (std::is_same<T, f16>::value)
    return __ushort_as_half(static_cast<uint16_t>(encode<FormatF16>(value, Mode, Saturate)));
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  else if constexpr (std::is_same<T, f8e4m3>::value && Mode == Round::NearestEven && Saturate) {
    uint16_t two;  // the second number's code is the low byte
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(value));
    return {static_cast<uint8_t>(two)};
  } else if constexpr (std::is_same<T, f8e5m2>::value && Mode == Round::NearestEven && Saturate) {
    uint16_t two;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(value));
    return {static_cast<uint8_t>(two)};
  }
#endif
  else
#else
  if constexpr (std::is_same<T, bf16>::value && Mode == Round::NearestEven && !Saturate)
    return {static_cast<uint16_t>(bf16_bits(value))};
#if defined(__HIP_DEVICE_COMPILE__)
  else if constexpr (std::is_same<T, f16>::value && Mode == Round::NearestEven && !Saturate)
    return {bit_cast<uint16_t>(static_cast<_Float16>(value))};
#endif
  else
#endif
  {
    using Bits = decltype(T::bits);
    return {static_cast<Bits>(encode<typename T::format>(value, Mode, Saturate))};
  }
}

/// The least and greatest value of an integer type, i4 among them.
template <class T> struct Range {
  using Value = T;
  static constexpr int64_t low = static_cast<int64_t>(std::numeric_limits<T>::min());
  static constexpr int64_t high = static_cast<int64_t>(std::numeric_limits<T>::max());
};
template <> struct Range<i4> {
  using Value = int8_t;
  static constexpr int64_t low = -8, high = 7;
};

template <class T, Round Mode, class Real> TSR_INLINE T real_to_integer(Real value) {
  using Value = typename Range<T>::Value;
  if (value != value) return T{0};
  if constexpr (Mode == Round::Up) value = ::ceil(value);
  if constexpr (Mode == Round::Down) value = ::floor(value);
  if (value >= static_cast<Real>(Range<T>::high)) return T{static_cast<Value>(Range<T>::high)};
  if (value <= static_cast<Real>(Range<T>::low)) return T{static_cast<Value>(Range<T>::low)};
  return T{static_cast<Value>(value)};
}

template <class T, bool Saturate, class From> TSR_INLINE T integer_to_integer(From value) {
  using Value = typename Range<T>::Value;
  if constexpr (std::is_same<From, i4>::value) {
    return integer_to_integer<T, Saturate>(value.value);
  } else {
    if constexpr (Saturate) {
      if (static_cast<int64_t>(value) < Range<T>::low) return T{static_cast<Value>(Range<T>::low)};
      if (static_cast<int64_t>(value) > Range<T>::high) return T{static_cast<Value>(Range<T>::high)};
    }
    if constexpr (std::is_same<T, i4>::value) return {static_cast<int8_t>(((static_cast<int>(value) & 15) ^ 8) - 8)};
    else return static_cast<T>(value);
  }
}

template <Round Mode, bool Saturate, class From> TSR_INLINE float to_f32(From value) {
  float result;
  if constexpr (std::is_same<From, double>::value || (std::is_integral<From>::value && sizeof(From) >= 4)) {
    result = static_cast<float>(value);
    if constexpr (Mode != Round::NearestEven) {
      // One step of the last bit where the nearest lies on the wrong side.
      const double wide = static_cast<double>(value), seen = static_cast<double>(result);
      const bool inwards = Mode == Round::TowardZero || (Mode == Round::Up) == (wide < 0);
      const double distance = wide < 0 ? seen - wide : wide - seen;  // positive: result lies inwards of the value
      if (inwards && distance < 0) result = bit_cast<float>(bit_cast<uint32_t>(result) - 1u);
      if (!inwards && distance > 0) {
        const uint32_t sign = wide < 0 ? 0x80000000u : 0u;
        result = bit_cast<float>(((bit_cast<uint32_t>(result) & 0x7fffffffu) + 1u) | sign);
      }
    }
  } else {
    result = carried(value);
  }
  if constexpr (Saturate) {
    constexpr float most = 3.40282346638528859812e+38f;
    if (result > most) result = most;
    if (result < -most) result = -most;
  }
  return result;
}

}  // namespace detail

/// The value of dtype T that `value` becomes; see the head of this file.
template <class T, Round Mode = Round::NearestEven, bool Saturate = false, class From> TSR_INLINE T to(From value) {
  using namespace detail;
  if constexpr (std::is_same<T, From>::value && !Saturate) {
    return value;
  } else if constexpr (std::is_same<T, complex64>::value) {
    return {to_f32<Mode, Saturate>(value), 0.0f};
  } else if constexpr (std::is_same<T, bool>::value) {
    return carried(value) != 0.0f;
  } else if constexpr (std::is_same<T, double>::value) {
    if constexpr (std::is_arithmetic<From>::value) return static_cast<double>(value);
    else return static_cast<double>(carried(value));
  } else if constexpr (std::is_same<T, float>::value) {
    return to_f32<Mode, Saturate>(value);
  } else if constexpr (std::is_same<T, tf32>::value) {
    return {bit_cast<float>(encode<FormatTf32>(carried(value), Mode, Saturate) << 13)};
  } else if constexpr (is_real<T>) {
    return from_f32<T, Mode, Saturate>(carried(value));
  } else if constexpr (std::is_same<From, double>::value) {
    return real_to_integer<T, Mode>(value);
  } else if constexpr (is_real<From>) {
    return real_to_integer<T, Mode>(carried(value));
  } else {
    return integer_to_integer<T, Saturate>(value);
  }
}

/// An f32 as it is once it has been a T.
template <class T> TSR_INLINE float rounded(float value) {
#if defined(TSR_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same<T, bf16>::value) {
    // A bf16 is the upper half of an f32: the conversion of a pair leaves it there, at once. That of one is many times slower.
    uint32_t bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(value), "f"(0.0f));
    return bit_cast<float>(bits);
  } else
#endif
    return to<float>(to<T>(value));
}

/// The type in which arithmetic on T is done: f32 for the narrower floats, 32 bits for the narrower integers.
template <class T>
using Compute = typename std::conditional<
    std::is_same<T, double>::value, double,
    typename std::conditional<detail::is_real<T>, float,
                              typename std::conditional<(sizeof(T) < 4) && std::is_integral<T>::value && !std::is_same<T, bool>::value,
                                                        int32_t, typename std::conditional<std::is_same<T, i4>::value, int32_t, T>::type>::type>::type>::type;

}  // inline namespace TSR_TARGET
}  // namespace tsr
