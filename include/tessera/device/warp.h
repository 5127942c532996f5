// What the lanes of a warp of the language, kRowLanes neighbours, learn of each other. On GPUs each lane brings its own value and gets
// its own result; all lanes of the group take part. The CPU runs the lanes of a group one after the other: there an array has the
// values of all of them, and another one, which may be the same, gets the results.
//
//   warp_shuffle(value, from)       the value of lane `from` of the warp, modulo kRowLanes
//   warp_shuffle_xor(value, bits)   the value of the lane whose number differs in these bits, modulo kRowLanes
//   warp_ballot(condition)          bit i: whether the condition holds in lane i
//   warp_reduce<Sum>(value)         the combination of all values: of lanes 16 apart, then 8, 4, 2 and 1
#pragma once
#include "tessera/device/reduce.h"

namespace tsr {
inline namespace TSR_TARGET {

#if !defined(TSR_CPU)

template <class T> TSR_DEVICE T warp_shuffle(const T &value, int64_t from) {
  return shuffle(value, static_cast<int>(from & (kRowLanes - 1)));
}
template <class T> TSR_DEVICE T warp_shuffle_xor(const T &value, int64_t bits) {
  return shuffle_xor(value, static_cast<int>(bits & (kRowLanes - 1)));
}
TSR_DEVICE uint32_t warp_ballot(bool condition) {
#if defined(TSR_CUDA)
  return __ballot_sync(0xffffffffu, condition);
#else  // __ballot is as wide as a wave, which may be two warps
  uint32_t bits = condition ? 1u << (lane() % kRowLanes) : 0u;
  TSR_UNROLL
  for (int offset = kRowLanes / 2; offset > 0; offset /= 2) bits |= shuffle_xor(bits, offset);
  return bits;
#endif
}
template <class Op, class T> TSR_DEVICE T warp_reduce(T value) {
  return detail::reduce_neighbours<Op, kRowLanes>(value);
}

#else

namespace detail {
/// result[lane] = values[lane of the same warp that `source` names].
template <int Lanes, class T, class Source> void exchange(T (&result)[Lanes], const T (&values)[Lanes], Source source) {
  static_assert(Lanes % kRowLanes == 0, "a group has whole warps");
  T given[Lanes];
  for (int lane = 0; lane < Lanes; ++lane) given[lane] = values[lane];
  for (int lane = 0; lane < Lanes; ++lane)
    result[lane] = given[(lane & ~(kRowLanes - 1)) | static_cast<int>(source(lane) & (kRowLanes - 1))];
}
}  // namespace detail

template <int Lanes, class T> void warp_shuffle(T (&result)[Lanes], const T (&values)[Lanes], int64_t from) {
  detail::exchange(result, values, [=](int) { return from; });
}
template <int Lanes, class T>
void warp_shuffle(T (&result)[Lanes], const T (&values)[Lanes], const int64_t (&from)[Lanes]) {
  detail::exchange(result, values, [&](int lane) { return from[lane]; });
}
template <int Lanes, class T> void warp_shuffle_xor(T (&result)[Lanes], const T (&values)[Lanes], int64_t bits) {
  detail::exchange(result, values, [=](int lane) { return lane ^ bits; });
}
template <int Lanes, class T>
void warp_shuffle_xor(T (&result)[Lanes], const T (&values)[Lanes], const int64_t (&bits)[Lanes]) {
  detail::exchange(result, values, [&](int lane) { return lane ^ bits[lane]; });
}
template <int Lanes> void warp_ballot(uint32_t (&result)[Lanes], const bool (&conditions)[Lanes]) {
  static_assert(Lanes % kRowLanes == 0, "a group has whole warps");
  for (int first = 0; first < Lanes; first += kRowLanes) {
    uint32_t bits = 0;
    for (int i = 0; i < kRowLanes; ++i) bits |= conditions[first + i] ? 1u << i : 0u;
    for (int i = 0; i < kRowLanes; ++i) result[first + i] = bits;
  }
}
template <class Op, int Lanes, class T> void warp_reduce(T (&result)[Lanes], const T (&values)[Lanes]) {
  static_assert(Lanes % kRowLanes == 0, "a group has whole warps");
  for (int first = 0; first < Lanes; first += kRowLanes) {
    T part[kRowLanes], next[kRowLanes];
    for (int i = 0; i < kRowLanes; ++i) part[i] = values[first + i];
    for (int offset = kRowLanes / 2; offset > 0; offset /= 2) {
      for (int i = 0; i < kRowLanes; ++i) next[i] = Op::combine(part[i], part[i ^ offset]);
      for (int i = 0; i < kRowLanes; ++i) part[i] = next[i];
    }
    for (int i = 0; i < kRowLanes; ++i) result[first + i] = part[i];
  }
}

#endif

}  // namespace TSR_TARGET
}  // namespace tsr
