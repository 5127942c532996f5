// The order in which a sort puts elements, and elements as integers that have it.
//
// An element stands before another if it is less (greater, for Descending); a NaN stands behind all numbers in both
// directions, and what is equal, zeros of either sign among it, keeps the order in which it came. No two elements are tied,
// so every machine and every number of lanes finds the same order.
#pragma once
#include "tessera/device/math.h"

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {
/// Whether element `a`, at place `i` of the row, stands before `b`, at place `j`.
template <bool Falling, class T> TSR_DEVICE bool sorted_before(T a, int64_t i, T b, int64_t j) {
  const Compute<T> x = to<Compute<T>>(a), y = to<Compute<T>>(b);
  if (isnan(x) || isnan(y)) return isnan(x) == isnan(y) ? i < j : isnan(y);
  if (x == y) return i < j;
  return Falling ? x > y : x < y;
}
}  // namespace detail

struct Ascending {
  static constexpr bool falls = false;
  template <class T> static TSR_DEVICE bool before(T a, int64_t i, T b, int64_t j) { return detail::sorted_before<false>(a, i, b, j); }
};
struct Descending {
  static constexpr bool falls = true;
  template <class T> static TSR_DEVICE bool before(T a, int64_t i, T b, int64_t j) { return detail::sorted_before<true>(a, i, b, j); }
};

#if !defined(TSR_CPU)
namespace detail {
/// An element as an unsigned integer of 32 bits, or of 64 where it has as many: the lesser one stands before.
template <class T> using KeyOf = typename std::conditional<(sizeof(T) > 4), uint64_t, uint32_t>::type;
template <class Direction, class T> TSR_DEVICE KeyOf<T> key_of(T element) {
  using Key = KeyOf<T>;
  using Value = Compute<T>;
  constexpr Key top = Key(1) << (8 * sizeof(Key) - 1);
  const Value value = to<Value>(element);
  Key rising;
  if constexpr (std::is_integral<Value>::value) {
    rising = std::is_signed<Value>::value ? static_cast<Key>(value) ^ top : static_cast<Key>(value);
  } else {
    if (isnan(value)) return ~Key(0);  // no number becomes this
    const Key bits = bit_cast<Key>(value == Value(0) ? Value(0) : value);
    rising = bits & top ? ~bits : bits | top;
  }
  return Direction::falls ? ~rising : rising;
}

/// What a sort moves: an element's key, and behind it its place in the row, in one integer ...
struct PackedWord {
  static constexpr int parts = 1, depth = 3;  // a lane holds 2^depth
  static constexpr bool keeps_key = true;  // in 64 bits of memory
  uint64_t bits;
  static TSR_DEVICE PackedWord of(uint32_t key, int64_t place) { return {static_cast<uint64_t>(key) << 32 | static_cast<uint32_t>(place)}; }
  /// Behind all elements.
  static TSR_DEVICE PackedWord last() { return {~uint64_t(0)}; }
  TSR_DEVICE int64_t place() const { return static_cast<int64_t>(bits & 0xffffffffu); }
  TSR_DEVICE int64_t part(int) const { return static_cast<int64_t>(bits); }
  TSR_DEVICE void set_part(int, int64_t value) { bits = static_cast<uint64_t>(value); }
  TSR_DEVICE bool is_before(const PackedWord &other) const { return bits < other.bits; }
};
/// ... or in two, for elements of 64 bits and rows of more than 2^32 elements.
struct WideWord {
  static constexpr int parts = 2, depth = 2;
  static constexpr bool keeps_key = false;
  uint64_t key;
  int64_t at;
  static TSR_DEVICE WideWord of(uint64_t key, int64_t place) { return {key, place}; }
  static TSR_DEVICE WideWord last() { return {~uint64_t(0), INT64_MAX}; }
  TSR_DEVICE int64_t place() const { return at; }
  TSR_DEVICE int64_t part(int i) const { return i == 0 ? static_cast<int64_t>(key) : at; }
  TSR_DEVICE void set_part(int i, int64_t value) {
    if (i == 0) key = static_cast<uint64_t>(value);
    else at = value;
  }
  TSR_DEVICE bool is_before(const WideWord &other) const { return key < other.key || (key == other.key && at < other.at); }
};
}  // namespace detail
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr
