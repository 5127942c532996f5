// Updates of an element of memory in one step, which no other lane, group or thread divides:
//
//   tsr::atomic_add(counts(bin), 1);   and atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor
//
// They give back what was there before. The order of updates is not defined, and nothing is said about other elements
// (relaxed). A NaN is the least and the greatest of all, and -0 is below 0, so that the order of minima and maxima does not
// matter. For i32, u32, i64, f32, f64, f16 and bf16; bits of the integers.
#pragma once
#include "tessera/device/dtype.h"

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

template <class T> using ValueOf = typename std::enable_if<true, T>::type;  // takes no part in deduction
template <int Bytes> struct UnsignedOf;
template <> struct UnsignedOf<2> { using type = unsigned short; };
template <> struct UnsignedOf<4> { using type = unsigned int; };
template <> struct UnsignedOf<8> { using type = unsigned long long; };
template <class T> using Unsigned = typename UnsignedOf<sizeof(T)>::type;

/// `combine(what is there)` takes its place, whatever others do meanwhile.
#if defined(TSR_CPU)
template <class T, class F> TSR_DEVICE T update(T &place, F combine) {
  T before;
  __atomic_load(&place, &before, __ATOMIC_RELAXED);
  while (true) {
    T after = combine(before);
    if (bit_cast<Unsigned<T>>(after) == bit_cast<Unsigned<T>>(before)) return before;
    if (__atomic_compare_exchange(&place, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
  }
}
#else
template <class T, class F> TSR_DEVICE T update(T &place, F combine) {
#if !defined(TSR_CUDA)  // HIP swaps no fewer than 32 bits: the word is taken that holds the two bytes
  if constexpr (sizeof(T) == 2) {
    // The other half may lie behind the end of the tensor. It is written back as it was, and memory ends no earlier than
    // its last word.
    const auto address = reinterpret_cast<uintptr_t>(&place);
    auto *word = reinterpret_cast<unsigned int *>(address & ~static_cast<uintptr_t>(3));
    const unsigned int shift = (address & 2) * 8;
    unsigned int seen = *static_cast<volatile unsigned int *>(word);
    while (true) {
      const T before = bit_cast<T>(static_cast<uint16_t>(seen >> shift));
      const unsigned int after = bit_cast<uint16_t>(combine(before));
      const unsigned int wanted = (seen & ~(0xffffu << shift)) | after << shift;
      if (wanted == seen) return before;
      const unsigned int found = atomicCAS(word, seen, wanted);
      if (found == seen) return before;
      seen = found;
    }
  } else
#endif
  {
    auto *word = reinterpret_cast<Unsigned<T> *>(&place);
    Unsigned<T> seen = *static_cast<volatile Unsigned<T> *>(word);
    while (true) {
      const T before = bit_cast<T>(seen);
      const Unsigned<T> wanted = bit_cast<Unsigned<T>>(combine(before));
      if (wanted == seen) return before;
      const Unsigned<T> found = atomicCAS(word, seen, wanted);
      if (found == seen) return before;
      seen = found;
    }
  }
}
#endif

/// In f32 where a format is narrower.
template <class T> using Wide = typename std::conditional<is_half<T>, float, T>::type;

template <class T> TSR_DEVICE bool is_below(T a, T b) {
  if constexpr (std::is_integral<T>::value) return a < b;
  else {
    const Wide<T> x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
    const int top = static_cast<int>(8 * sizeof(T)) - 1;
    return x < y || (x == y && (bit_cast<Unsigned<T>>(a) >> top) > (bit_cast<Unsigned<T>>(b) >> top));
  }
}
template <class T> TSR_DEVICE bool is_number(T value) {
  if constexpr (std::is_integral<T>::value) return true;
  else return static_cast<Wide<T>>(value) == static_cast<Wide<T>>(value);
}
/// What `atomic_max` (Up) and `atomic_min` leave of two values.
template <bool Up, class T> TSR_DEVICE T outermost(T a, T b) {
  if (!is_number(a) || !is_number(b)) return is_number(a) ? b : a;
  return (Up ? is_below(a, b) : is_below(b, a)) ? b : a;
}

}  // namespace detail

template <class T> TSR_DEVICE T atomic_add(T &place, detail::ValueOf<T> value) {
  if constexpr (std::is_integral<T>::value) {
#if defined(TSR_CPU)
    return __atomic_fetch_add(&place, value, __ATOMIC_RELAXED);
#else  // modulo 2 to the number of bits: signed or not
    using Bits = detail::Unsigned<T>;
    return static_cast<T>(atomicAdd(reinterpret_cast<Bits *>(&place), static_cast<Bits>(value)));
#endif
  } else if constexpr (detail::is_half<T>) {
#if defined(TSR_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return atomicAdd(&place, value);
#else
    return detail::update(place, [=](T old) { return to<T>(static_cast<float>(old) + static_cast<float>(value)); });
#endif
  } else {
#if defined(TSR_CPU)
    return detail::update(place, [=](T old) { return old + value; });
#else
    return atomicAdd(&place, value);
#endif
  }
}

template <class T> TSR_DEVICE T atomic_max(T &place, detail::ValueOf<T> value) {
#if defined(TSR_CUDA)
  if constexpr (std::is_same<T, int64_t>::value)
    return atomicMax(reinterpret_cast<long long *>(&place), static_cast<long long>(value));
#endif
#if !defined(TSR_CPU)
  if constexpr (std::is_integral<T>::value && sizeof(T) == 4) return atomicMax(&place, value);
#endif
  return detail::update(place, [=](T old) { return detail::outermost<true>(old, value); });
}
template <class T> TSR_DEVICE T atomic_min(T &place, detail::ValueOf<T> value) {
#if defined(TSR_CUDA)
  if constexpr (std::is_same<T, int64_t>::value)
    return atomicMin(reinterpret_cast<long long *>(&place), static_cast<long long>(value));
#endif
#if !defined(TSR_CPU)
  if constexpr (std::is_integral<T>::value && sizeof(T) == 4) return atomicMin(&place, value);
#endif
  return detail::update(place, [=](T old) { return detail::outermost<false>(old, value); });
}

#if defined(TSR_CPU)
#define TSR_ATOMIC_BITS(name, cpu, gpu)                                                        \
  template <class T> TSR_DEVICE T name(T &place, detail::ValueOf<T> value) {                   \
    static_assert(std::is_integral<T>::value, "bits are those of integers");                   \
    return cpu(&place, value, __ATOMIC_RELAXED);                                               \
  }
#else
#define TSR_ATOMIC_BITS(name, cpu, gpu)                                                        \
  template <class T> TSR_DEVICE T name(T &place, detail::ValueOf<T> value) {                   \
    static_assert(std::is_integral<T>::value, "bits are those of integers");                   \
    using Bits = detail::Unsigned<T>;                                                              \
    return static_cast<T>(gpu(reinterpret_cast<Bits *>(&place), static_cast<Bits>(value)));    \
  }
#endif
TSR_ATOMIC_BITS(atomic_and, __atomic_fetch_and, atomicAnd)
TSR_ATOMIC_BITS(atomic_or, __atomic_fetch_or, atomicOr)
TSR_ATOMIC_BITS(atomic_xor, __atomic_fetch_xor, atomicXor)
#undef TSR_ATOMIC_BITS

}  // inline namespace TSR_TARGET
}  // namespace tsr
