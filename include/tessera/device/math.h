// Scalar mathematics with one meaning on every machine.
//
//   min, max        a NaN on either side wins, as in NumPy
//   floordiv, mod   rounded to minus infinity; mod has the sign of the divisor, as in Python. A zero divisor of
//                   integers gives 0
//   add .. shr      of integers: what does not fit wraps around
//   round           halves to even
//   exp .. atan2    of f32 or f64. Narrower values are converted first, by the caller
#pragma once
#include "tessera/device/cpu/math.h"
#include "tessera/device/dtype.h"
#include "tessera/device/gpu/math.h"

namespace tsr {
inline namespace TSR_TARGET {

template <class T> TSR_INLINE bool isnan(T x) { return x != x; }

// Of integers that do not fit, the bits that do: C leaves open what happens then, and compilers conclude from it.
namespace detail {
template <class T> using Wrapping = typename std::common_type<unsigned, typename std::make_unsigned<T>::type>::type;
}  // namespace detail
template <class T> TSR_INLINE T add(T a, T b) { return static_cast<T>(static_cast<detail::Wrapping<T>>(a) + static_cast<detail::Wrapping<T>>(b)); }
template <class T> TSR_INLINE T sub(T a, T b) { return static_cast<T>(static_cast<detail::Wrapping<T>>(a) - static_cast<detail::Wrapping<T>>(b)); }
template <class T> TSR_INLINE T mul(T a, T b) { return static_cast<T>(static_cast<detail::Wrapping<T>>(a) * static_cast<detail::Wrapping<T>>(b)); }
template <class T> TSR_INLINE T neg(T a) { return sub<T>(0, a); }
/// By fewer than no bits: 0. By all bits and more: 0, and -1 of what is negative and goes to the right.
template <class T> TSR_INLINE T shl(T a, T by) {
  if (static_cast<detail::Wrapping<T>>(by) >= 8 * sizeof(T)) return T{0};
  return static_cast<T>(static_cast<detail::Wrapping<T>>(a) << by);
}
template <class T> TSR_INLINE T shr(T a, T by) {
  if (static_cast<detail::Wrapping<T>>(by) < 8 * sizeof(T)) return static_cast<T>(a >> by);
  if constexpr (std::is_signed<T>::value) return by > T{0} && a < T{0} ? T{-1} : T{0};
  else return T{0};
}

/// a * b + c for sums of products: with one rounding, by an instruction, where the machine has it.
template <class T> TSR_INLINE T fma(T a, T b, T c) {
#if !defined(TSR_CPU) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (std::is_same<T, float>::value) return ::fmaf(a, b, c);
  else if constexpr (std::is_same<T, double>::value) return ::fma(a, b, c);
#endif
  if constexpr (std::is_integral<T>::value) return add<T>(mul<T>(a, b), c);
  else return static_cast<T>(a * b + c);
}
#if defined(TSR_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TSR_NAN_MIN_MAX 1  // one instruction; of a positive and a negative zero it may choose the other one
#endif

#if defined(TSR_CPU)
namespace detail {
TSR_INLINE float nan_unless_number(float tested, float value) {
  return bit_cast<float>(bit_cast<int32_t>(value) | -static_cast<int32_t>(tested != tested));
}
}  // namespace detail
#endif
template <class T> TSR_INLINE T max(T a, T b) {
#if defined(TSR_NAN_MIN_MAX)
  if constexpr (std::is_same<T, float>::value) {
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
#if defined(TSR_CPU)
  // One comparison for the choice, so that it is one instruction of vectors; a NaN that it lost comes back as bits.
  if constexpr (std::is_same<T, float>::value) return detail::nan_unless_number(a, a > b ? a : b);
#endif
  if constexpr (std::is_floating_point<T>::value) return a > b || a != a ? a : b;
  else return a > b ? a : b;
}
template <class T> TSR_INLINE T min(T a, T b) {
#if defined(TSR_NAN_MIN_MAX)
  if constexpr (std::is_same<T, float>::value) {
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
#endif
#if defined(TSR_CPU)
  // One comparison for the choice, so that it is one instruction of vectors; a NaN that it lost comes back as bits.
  if constexpr (std::is_same<T, float>::value) return detail::nan_unless_number(a, a < b ? a : b);
#endif
  if constexpr (std::is_floating_point<T>::value) return a < b || a != a ? a : b;
  else return a < b ? a : b;
}

template <class T> TSR_INLINE T mod(T a, T b) {
  if constexpr (std::is_floating_point<T>::value) {
    T rest = ::fmod(a, b);
    if (rest == T{0}) return ::copysign(T{0}, b);
    return (rest < T{0}) != (b < T{0}) ? rest + b : rest;
  } else {
    if (b == T{0}) return T{0};
    if constexpr (std::is_signed<T>::value) {
      if (b == T{-1}) return T{0};
    }
    T rest = static_cast<T>(a % b);
    if constexpr (std::is_signed<T>::value) {
      if (rest != T{0} && (rest < T{0}) != (b < T{0})) rest = static_cast<T>(rest + b);
    }
    return rest;
  }
}
template <class T> TSR_INLINE T floordiv(T a, T b) {
  if constexpr (std::is_floating_point<T>::value) {
    if (b == T{0}) return a / b;
    if (b == T{0} || a - a != T{0} || b - b != T{0}) return ::floor(a / b);
    // From the exact remainder: dividing first could round up over a whole number.
    T quotient = (a - mod(a, b)) / b;
    T whole = ::floor(quotient);
    return quotient - whole > T{0.5} ? whole + T{1} : whole;
  } else {
    if (b == T{0}) return T{0};
    if constexpr (std::is_signed<T>::value) {
      if (b == T{-1}) return static_cast<T>(0 - static_cast<typename std::make_unsigned<T>::type>(a));
    }
    T quotient = static_cast<T>(a / b);
    if constexpr (std::is_signed<T>::value) {
      const T rest = static_cast<T>(a % b);
      if (rest != T{0} && (rest < T{0}) != (b < T{0})) --quotient;
    }
    return quotient;
  }
}
/// a / b rounded up, for counts: a >= 0, b > 0.
TSR_INLINE int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <class T> TSR_INLINE T abs(T x) {
  if constexpr (std::is_floating_point<T>::value) return ::fabs(x);
  else if constexpr (std::is_signed<T>::value) return x < T{0} ? neg(x) : x;
  else return x;
}

// Named once for f32 and once for f64: C's own names differ by a suffix.
#define TSR_MATH(name, f32name, f64name)                       \
  TSR_INLINE float name(float x) { return f32name(x); }        \
  TSR_INLINE double name(double x) { return ::f64name(x); }
#if defined(TSR_CPU)
TSR_MATH(exp, cpu::exp, exp)
TSR_MATH(exp2, cpu::exp2, exp2)
TSR_MATH(log, cpu::log, log)
TSR_MATH(log2, cpu::log2, log2)
TSR_MATH(tanh, cpu::tanh, tanh)
TSR_MATH(erf, cpu::erf, erf)
TSR_MATH(erfc, cpu::erfc, erfc)
#else
#if defined(TSR_CUDA)  // expf takes eight instructions there, on AMD's machines as few as ours would
TSR_MATH(exp, gpu::exp, exp)
TSR_MATH(exp2, gpu::Machine::exp2, exp2)
#else
TSR_MATH(exp, ::expf, exp)
TSR_MATH(exp2, ::exp2f, exp2)
#endif
TSR_MATH(log, ::logf, log)
TSR_MATH(log2, ::log2f, log2)
TSR_MATH(tanh, ::tanhf, tanh)
TSR_MATH(erf, ::erff, erf)
TSR_MATH(erfc, gpu::erfc, erfc)
#endif
TSR_MATH(expm1, ::expm1f, expm1)
TSR_MATH(log1p, ::log1pf, log1p)
TSR_MATH(sqrt, ::sqrtf, sqrt)
TSR_MATH(sin, ::sinf, sin)
TSR_MATH(cos, ::cosf, cos)
TSR_MATH(tan, ::tanf, tan)
TSR_MATH(asin, ::asinf, asin)
TSR_MATH(acos, ::acosf, acos)
TSR_MATH(atan, ::atanf, atan)
TSR_MATH(sinh, ::sinhf, sinh)
TSR_MATH(cosh, ::coshf, cosh)
TSR_MATH(asinh, ::asinhf, asinh)
TSR_MATH(acosh, ::acoshf, acosh)
TSR_MATH(atanh, ::atanhf, atanh)
TSR_MATH(log10, ::log10f, log10)
TSR_MATH(trunc, ::truncf, trunc)
TSR_MATH(floor, ::floorf, floor)
TSR_MATH(ceil, ::ceilf, ceil)
TSR_MATH(round, ::rintf, rint)
#undef TSR_MATH

TSR_INLINE float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
TSR_INLINE double rsqrt(double x) { return 1.0 / ::sqrt(x); }
#if defined(TSR_CPU)
inline float sigmoid(float x) { return cpu::sigmoid(x); }
#else
TSR_INLINE float sigmoid(float x) { return gpu::logistic(exp(-x)); }
// Of what leaves in 16 bits.
TSR_INLINE float short_sigmoid(float x) { return gpu::short_sigmoid(x); }
TSR_INLINE float short_erfc(float x) { return gpu::short_erfc(x); }
TSR_INLINE float short_div(float a, float b) { return gpu::short_div(a, b); }
/// a / n; where it is subnormal, maybe its neighbour.
TSR_INLINE float div_by(float a, float n) { return gpu::div_by(a, n); }
#endif
TSR_INLINE double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

TSR_INLINE float atan2(float y, float x) { return ::atan2f(y, x); }
TSR_INLINE double atan2(double y, double x) { return ::atan2(y, x); }

/// x to the power y. Integers: by squaring, modulo 2^bits; a negative exponent gives 0 (1 and -1 keep their powers).
template <class T> TSR_INLINE T pow(T x, T y) {
  if constexpr (std::is_same<T, float>::value) {
    return ::powf(x, y);
  } else if constexpr (std::is_same<T, double>::value) {
    return ::pow(x, y);
  } else {
    using Unsigned = typename std::make_unsigned<T>::type;
    if constexpr (std::is_signed<T>::value) {
      if (y < T{0}) return x == T{1} ? T{1} : x == T{-1} ? (y & 1 ? T{-1} : T{1}) : T{0};
    }
    uint64_t power = 1, base = static_cast<uint64_t>(static_cast<Unsigned>(x));
    for (Unsigned rest = static_cast<Unsigned>(y); rest; rest = static_cast<Unsigned>(rest >> 1)) {
      if (rest & 1) power *= base;
      base *= base;
    }
    return static_cast<T>(static_cast<Unsigned>(power));
  }
}

/// The ends of a type's order, and its infinity, as constants (functions of std::numeric_limits are the host's).
template <class T> struct Ends {
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T lowest = std::numeric_limits<T>::has_infinity ? -infinity : std::numeric_limits<T>::lowest();
  static constexpr T highest = std::numeric_limits<T>::has_infinity ? infinity : std::numeric_limits<T>::max();
};
template <class T> TSR_INLINE T infinity() { return Ends<T>::infinity; }

// ---------------------------------------------------------------- reductions, by name

/// What row_reduce, col_reduce and group_reduce combine with. `identity` changes nothing it is combined with.
struct Sum {
  template <class T> static TSR_INLINE T identity() { return T{}; }
  template <class T> static TSR_INLINE T combine(T a, T b) {
    if constexpr (std::is_integral<T>::value && !std::is_same<T, bool>::value) return add(a, b);
    else return static_cast<T>(a + b);
  }
};
struct Prod {
  template <class T> static TSR_INLINE T identity() { return T{1}; }
  template <class T> static TSR_INLINE T combine(T a, T b) {
    if constexpr (std::is_integral<T>::value && !std::is_same<T, bool>::value) return mul(a, b);
    else return static_cast<T>(a * b);
  }
};
struct Max {
  template <class T> static TSR_INLINE T identity() { return Ends<T>::lowest; }
  template <class T> static TSR_INLINE T combine(T a, T b) { return max(a, b); }
};
struct Min {
  template <class T> static TSR_INLINE T identity() { return Ends<T>::highest; }
  template <class T> static TSR_INLINE T combine(T a, T b) { return min(a, b); }
};
struct Any {
  template <class T> static TSR_INLINE T identity() { return T{false}; }
  template <class T> static TSR_INLINE T combine(T a, T b) { return a || b; }
};
struct All {
  template <class T> static TSR_INLINE T identity() { return T{true}; }
  template <class T> static TSR_INLINE T combine(T a, T b) { return a && b; }
};

#if defined(TSR_CPU) && defined(_OPENMP) && !defined(__clang__)
// What is combined with itself stays what it is: each part may begin with the value that was there before.
#pragma omp declare reduction(Max : float, double, int32_t, int64_t : omp_out = max(omp_out, omp_in)) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(Min : float, double, int32_t, int64_t : omp_out = min(omp_out, omp_in)) initializer(omp_priv = omp_orig)
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr

// Before a loop that combines values with tsr::Max or tsr::Min: each lane of a vector combines its own. Clang makes no
// vectors of such loops, and warns where it is told to.
#define TSR_PRAGMA(text) _Pragma(#text)
#if defined(TSR_CPU) && defined(_OPENMP) && !defined(__clang__)
#define TSR_SIMD_REDUCTION(what) TSR_PRAGMA(omp simd reduction(what))
#else
#define TSR_SIMD_REDUCTION(what)
#endif
