// Functions of f32 on GPUs, without branches, made of the two approximations that GPUs have as instructions. The errors
// are bounds for approximations that are off by as much as the machines' manuals allow (tests/device/gpu_math.cpp), in
// units of 2^-24 times the result; results of exp, exp2 and erfc below 2^-126 may be 0, and a NaN gives a NaN.
//
//   exp 8 + |x| / 20   exp2 4   erfc 15   logistic 5, of its own argument   short_sigmoid 9 + 2 |x|
//   short_erfc 48 + 4 x^2   short_div 4
#pragma once
#include "tessera/device/platform.h"
#include <cmath>

namespace tsr {
inline namespace TSR_TARGET {
namespace gpu {

/// What the machine has: each is off by at most 2^-22 times its result, and takes and makes 0 of what is below 2^-126.
struct Machine {
  static TSR_INLINE float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#elif defined(__AMDGCN__)
    return __builtin_amdgcn_rcpf(x);
#else
    return 1.0f / x;
#endif
  }
  static TSR_INLINE float exp2(float x) {
#if defined(__CUDA_ARCH__)
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#elif defined(__AMDGCN__)
    return __builtin_amdgcn_exp2f(x);
#else
    return ::exp2f(x);
#endif
  }
};

/// x, at least `least`; of a NaN a NaN.
TSR_INLINE float not_below(float x, float least) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(least));
  return result;
#else
  return x < least ? least : x;
#endif
}
/// x, at most `most`; of a NaN a NaN.
TSR_INLINE float not_above(float x, float most) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(most));
  return result;
#else
  return x > most ? most : x;
#endif
}

/// |x|, at most `bound`; of a NaN a NaN.
TSR_INLINE float magnitude(float x, float bound) { return not_above(::fabsf(x), bound); }

/// e^x: 2^t for a t near x log2(e), and 1 + (x - t ln(2)) for what was lost in t, six instructions. t stays so little below
/// 128 that 2^t is finite, and x so high that nothing is infinite: 0 times infinity would be a NaN. exp(0) is 1.
template <class On = Machine> TSR_INLINE float exp(float x) {
  const float above = not_below(x, -104.0f);  // 0 from there on
  const float t = not_above(above * 1.44269504f, 127.999992f), power = On::exp2(t);
  return ::fmaf(power, ::fmaf(t, -0.693147182f, above), power);
}

/// 1 - erf(x): of a = |x| it is e^(-a^2) times a polynomial in 1 / (1 + 0.6 a). The square and its product with log2(e)
/// are rounded; what they lost is put back as the first two terms of an exponential: 1 + lost.
template <class On = Machine> TSR_INLINE float erfc(float x) {
  const float a = magnitude(x, 10.5f);  // 0 from there on
  const float square = a * a, power = square * -1.44269504f;
  float lost = ::fmaf(power, -0.693147182f, -square);
  lost = ::fmaf(power, 1.90465421e-9f, lost) + ::fmaf(-a, a, square);
  const float t = On::reciprocal(::fmaf(a, 0.6f, 1.0f));
  float p = 0.0395568870f;
  p = ::fmaf(p, t, -0.283252296f);
  p = ::fmaf(p, t, 0.805650737f);
  p = ::fmaf(p, t, -1.09585477f);
  p = ::fmaf(p, t, 0.599730704f);
  p = ::fmaf(p, t, -0.0659005515f);
  p = ::fmaf(p, t, 0.330111585f);
  p = ::fmaf(p, t, 0.330837209f);
  p = ::fmaf(p, t, 0.339142438f);
  p = ::fmaf(p, t, -2.19968492e-5f);
  const float beyond = On::exp2(power) * ::fmaf(p, lost, p);
  return x < 0.0f ? 2.0f - beyond : beyond;
}

/// 1 / (1 + e), where e is e^-x and may be infinite. The sum is scaled, so that its reciprocal is 0 only where it should.
template <class On = Machine> TSR_INLINE float logistic(float e) {
  constexpr float scale = 5.96046448e-8f;  // 2^-24
  return On::reciprocal(::fmaf(e, scale, scale)) * scale;
}

/// 1 / (1 + e^-x) from one power of two, five instructions: off by at most (9 + 2 |x|) 2^-24 times it.
template <class On = Machine> TSR_INLINE float short_sigmoid(float x) { return logistic<On>(On::exp2(x * -1.44269504f)); }

/// erfc with a polynomial of three terms fewer, and without what the square and the power lost: 17 instructions in the place of 27.
template <class On = Machine> TSR_INLINE float short_erfc(float x) {
  const float a = magnitude(x, 10.5f), t = On::reciprocal(::fmaf(a, 0.5f, 1.0f));
  const float power = On::exp2(a * a * -1.44269504f) * t;
  float p = 0.0873229526f;
  p = ::fmaf(p, t, -0.353645387f);
  p = ::fmaf(p, t, 0.384913221f);
  p = ::fmaf(p, t, 0.0409263466f);
  p = ::fmaf(p, t, 0.280373084f);
  p = ::fmaf(p, t, 0.277791905f);
  p = ::fmaf(p, t, 0.282316354f);
  const float beyond = power * p;
  return x < 0.0f ? 2.0f - beyond : beyond;
}

/// a / b of all that f32 has, off by at most two units in the last place.
TSR_INLINE float short_div(float a, float b) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a / b;
#endif
}

/// a / n for a whole number n, as a float, from 1 to 2^62, without a branch: the same number, but 0 for -0, and maybe the neighbour of one that is
/// subnormal. Several by one n have one reciprocal.
TSR_INLINE float div_by(float a, float n) {
#if defined(__CUDA_ARCH__)
  float about;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(about) : "f"(n));
  const float reciprocal = ::fmaf(::fmaf(-n, about, 1.0f), about, about), quotient = a * reciprocal;
  const float exact = ::fmaf(::fmaf(-quotient, n, a), reciprocal, quotient);
  return exact == exact ? exact : a * about;  // nothing is left of what is infinite
#else
  return a / n;
#endif
}

}  // namespace gpu
}  // inline namespace TSR_TARGET
}  // namespace tsr
