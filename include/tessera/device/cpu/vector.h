// SIMD vectors of the CPU: as wide as the machine that the text is compiled for, in the vector types that GCC and Clang
// share.
//
//   Vector<T>       lanes<T> elements; + - * / work on all of them
//   load, store     from and to any address
//   transpose(rows) lanes<T> vectors as a square whose rows and columns change places
#pragma once
#include "tessera/device/platform.h"

#if defined(TSR_CPU)
#include <type_traits>
#include <utility>

#if defined(__AVX512F__)
#define TSR_VECTOR_BYTES 64
#elif defined(__AVX__)
#define TSR_VECTOR_BYTES 32
#else
#define TSR_VECTOR_BYTES 16
#endif
// For functions whose vectors live in registers. Clang splits vectors of 64 bytes unless it is told not to. Such a function
// may contract products and sums into one rounding, also where the rest of the text must not: for Clang its body begins with
// TSR_CONTRACT.
#if defined(__clang__) && TSR_VECTOR_BYTES == 64
#define TSR_VECTOR_CODE __attribute__((noinline, min_vector_width(512)))
#elif defined(__clang__)
#define TSR_VECTOR_CODE __attribute__((noinline))
#else
#define TSR_VECTOR_CODE __attribute__((noinline, optimize("fp-contract=fast")))
#endif
#if defined(__clang__)
#define TSR_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define TSR_CONTRACT
#endif
#define TSR_UNROLL_ALL _Pragma("GCC unroll 64")
#define TSR_UNROLLED(n) TSR_UNROLLED_(GCC unroll n)
#define TSR_UNROLLED_(text) _Pragma(#text)
#define TSR_ALWAYS_INLINE inline __attribute__((always_inline))

namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

template <class T> [[maybe_unused]] constexpr int lanes = TSR_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <class T> struct VectorOf {
  typedef T Type __attribute__((vector_size(TSR_VECTOR_BYTES)));
};
template <class T> using Vector = typename VectorOf<T>::Type;

template <class T> TSR_ALWAYS_INLINE Vector<T> load(const T *from) {
  Vector<T> value;
  memcpy(&value, from, sizeof(value));
  return value;
}
template <class T> TSR_ALWAYS_INLINE void store(T *to, const Vector<T> &value) { memcpy(to, &value, sizeof(value)); }

namespace detail {
/// Of two rows of a square, the halves of each pair of columns that differ in bit `Step` change places.
template <int Step, class T, int... I>
TSR_ALWAYS_INLINE void exchange(Vector<T> &a, Vector<T> &b, std::integer_sequence<int, I...>) {
  constexpr int n = lanes<T>;
  const Vector<T> first = __builtin_shufflevector(a, b, (I & Step ? n + I - Step : I)...);
  b = __builtin_shufflevector(a, b, (I & Step ? n + I : I + Step)...);
  a = first;
}
template <int Step, class T> TSR_ALWAYS_INLINE void exchange_all(Vector<T> (&row)[lanes<T>]) {
  if constexpr (Step < lanes<T>) {
    TSR_UNROLL_ALL
    for (int i = 0; i < lanes<T>; ++i)
      if (!(i & Step)) exchange<Step, T>(row[i], row[i + Step], std::make_integer_sequence<int, lanes<T>>());
    exchange_all<Step * 2, T>(row);
  }
}
}  // namespace detail

/// Element j of row i changes places with element i of row j.
template <class T> TSR_ALWAYS_INLINE void transpose(Vector<T> (&row)[lanes<T>]) { detail::exchange_all<1, T>(row); }

}  // namespace cpu
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
