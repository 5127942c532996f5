// Functions of f32 on the CPU in plain arithmetic without branches or calls, so that loops over them become vector code.
// The errors are the greatest over all f32 (tests/device/cpu_math.cpp), in units in the last place, subnormal results
// included; a NaN gives a NaN.
//
//   exp 1.2   exp2 1.2   log 1.1   log2 2.7   tanh 1.9   erf 1.4   erfc 7.8   sigmoid 2.5
#pragma once
#include "tessera/device/platform.h"

#if defined(TSR_CPU)
#include <cmath>
#include <limits>

namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

/// a * b + c, with one rounding where the machine has it: the bounds hold either way.
inline float fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// x, or `bound` with its sign where x is larger; of a NaN too. As integers, because compilers make branches of
/// comparisons with constants.
inline float at_most(float x, float bound) {
  const uint32_t bits = bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffu, most = bit_cast<uint32_t>(bound);
  return bit_cast<float>((magnitude < most ? magnitude : most) | (bits & 0x80000000u));
}

/// The whole number n nearest to x * factor, or 152 where that is less, for n >= -252: as a float, and in the last bits of
/// a float that has no others.
struct Nearest {
  float value;
  int32_t bits;
  Nearest(float x, float factor) {
    constexpr float base = 12582912.0f + 254.0f;  // 1.5 * 2^23: no fraction is left. 254: twice the exponent of 1
    constexpr int32_t most = 0x4b400000 + 254 + 152;
    const int32_t nearest = bit_cast<int32_t>(fused(x, factor, base));
    bits = nearest < most ? nearest : most;
    value = bit_cast<float>(bits) - base;
  }
  /// p * 2^n for p around 1, in two steps so that subnormal and infinite results come out right; of a NaN a NaN.
  float scale(float p) const {
    const uint32_t both = static_cast<uint32_t>(bits), half = both >> 1;  // exponents; what is before them leaves by the shifts
    return p * bit_cast<float>(half << 23) * bit_cast<float>((both - half) << 23);
  }
};

/// e^r for |r| <= log(2) / 2, to within 0.05 units in the last place but for the rounding.
inline float exp_near_zero(float r) {
  float p = fused(1.3814602280e-3f, r, 8.3687156439e-3f);
  p = fused(p, r, 4.1668388993e-2f);
  p = fused(p, r, 1.6666521132e-1f);
  p = fused(p, r, 4.9999994040e-1f);
  p = fused(p, r, 1.0f);
  return fused(p, r, 1.0f);
}

/// factor * e^(x + rest) for |x + rest| <= 175, `factor` around 1 and a `rest` that x has no digits for.
inline float exp_of_sum(float x, float rest, float factor) {
  const Nearest n(x + rest, 1.44269504f);
  const float r = fused(n.value, 2.12194440e-4f, fused(n.value, -0.693359375f, x) + rest);
  return n.scale(factor * exp_near_zero(r));
}

inline float exp(float x) {
  const float in = x < -105.0f ? -105.0f : x;  // 0 from there on; above, what is left over is positive and only grows
  const Nearest n(in, 1.44269504f);
  return n.scale(exp_near_zero(fused(n.value, 2.12194440e-4f, fused(n.value, -0.693359375f, in))));
}

inline float exp2(float x) {
  const float in = x < -151.0f ? -151.0f : x;
  const Nearest n(in, 1.0f);
  return n.scale(exp_near_zero((in - n.value) * 0.69314718f));
}

/// x = 2^exponent * (1 + fraction), 2/3 <= 1 + fraction < 4/3, and log(1 + fraction). For 0 < x < infinity.
struct Logarithm {
  float exponent, of_fraction;
  explicit Logarithm(float x) {
    const bool subnormal = x < 1.17549435e-38f;
    const int32_t bits = bit_cast<int32_t>(subnormal ? x * 8388608.0f : x);
    const int32_t power = (bits - 0x3f2aaaab) & static_cast<int32_t>(0xff800000u);
    exponent = static_cast<float>(power >> 23) - (subnormal ? 23.0f : 0.0f);
    const float f = bit_cast<float>(bits - power) - 1.0f, s = f * f;
    float r = fused(fused(-0.130187988f, f, 0.140889585f), s, fused(-0.121489584f, f, 0.139809534f));
    r = fused(r, f, -0.166845024f);
    r = fused(r, f, 0.200121149f);
    r = fused(r, f, -0.249996364f);
    r = fused(r, f, 0.333331943f);
    r = fused(r, f, -0.5f);
    of_fraction = fused(r, s, f);
  }
};
/// The logarithm of what is not between 0 and infinity: of 0 minus infinity, of what is below it NaN.
inline float logarithm_or(float x, float inside) {
  const float beyond = x > 0.0f    ? x
                       : x == 0.0f ? -std::numeric_limits<float>::infinity()
                                   : std::numeric_limits<float>::quiet_NaN();
  return x > 0.0f && x < std::numeric_limits<float>::infinity() ? inside : beyond;
}
inline float log(float x) {
  const Logarithm parts(x);
  return logarithm_or(x, fused(parts.exponent, 0.693147182f, parts.of_fraction));
}
inline float log2(float x) {
  const Logarithm parts(x);
  // log2(e) is 1 and what is left of it: the product rounds less so.
  return logarithm_or(x, parts.exponent + fused(parts.of_fraction, 0.44269504f, parts.of_fraction));
}

inline float tanh(float x) {
  const float size = std::fabs(x), s = x * x;
  float p = fused(-5.70498872745e-3f, s, 2.06390887954e-2f);
  p = fused(p, s, -5.37397155531e-2f);
  p = fused(p, s, 1.33314422036e-1f);
  p = fused(p, s, -3.33332819422e-1f);
  const float small = fused(p * s, x, x);
  const float large = 1.0f - 2.0f / (cpu::exp(2.0f * size) + 1.0f);
  return size < 0.625f ? small : x == x ? std::copysign(large, x) : x;
}

inline float erf(float x) {
  const float size = std::fabs(x), s = x * x;
  float small = fused(-5.96761703e-4f, s, 4.99119423e-3f);
  small = fused(small, s, -2.67681349e-2f);
  small = fused(small, s, 1.12819925e-1f);
  small = fused(small, s, -3.76125336e-1f);
  small = fused(small, s, 1.28379166e-1f);
  small = fused(small, x, x);
  const float t = at_most(size, 4.0f), t2 = t * t;  // from 4 on it is 1
  float r = fused(fused(-1.72853470e-5f, t, 3.83197126e-4f), t2, fused(-3.88396438e-3f, t, 2.42546219e-2f));
  r = fused(r, t, -1.06777877e-1f);
  r = fused(r, t, -6.34846687e-1f);
  r = fused(r, t, -1.28717512e-1f);
  r = fused(r, t, -t);
  const float large = 1.0f - cpu::exp(r);
  return size < 0.927734375f ? small : x == x ? std::copysign(large, x) : x;
}

/// 1 - erf(x): t * e^(p(t) - x^2) with t = 1 / (1 + |x| / 2). The square is taken apart, so that its rounding does not
/// become one of the result: the upper half of the digits of x has an exact square.
inline float erfc(float x) {
  const float size = std::fabs(x), a = size < 11.0f ? size : 11.0f;  // from 11 on it is 0
  const float upper = bit_cast<float>(bit_cast<int32_t>(a) & static_cast<int32_t>(0xfffff000u));
  const float t = 1.0f / (1.0f + 0.5f * a);
  float p = fused(0.17087277f, t, -0.82215223f);
  p = fused(p, t, 1.48851587f);
  p = fused(p, t, -1.13520398f);
  p = fused(p, t, 0.27886807f);
  p = fused(p, t, -0.18628806f);
  p = fused(p, t, 0.09678418f);
  p = fused(p, t, 0.37409196f);
  p = fused(p, t, 1.00002368f);
  p = fused(p, t, -1.26551223f);
  const float rest = fused(upper - a, a + upper, p);
  const float beyond = exp_of_sum(-upper * upper, rest, t);
  return x == x ? (x < 0.0f ? 2.0f - beyond : beyond) : x;
}

/// 1 / (1 + e^-x), written so that nothing overflows.
inline float sigmoid(float x) {
  const float e = cpu::exp(-std::fabs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

}  // namespace cpu
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
