// The order of rows: against a stable sort, over extents around powers of two and around the chunks of a group.
#pragma once
#include "harness.h"
#include "tessera/device/sort.h"
#include <algorithm>
#include <limits>
#include <type_traits>

namespace sort_tests {
using harness::Buffer;
using harness::expect;

template <class Direction, int Group, class T> KERNEL order_of(int64_t *order, const T *keys, int64_t extent) {
#if defined(TSR_CPU)
  tsr::argsort_row<Direction>(order, keys, extent);
#else
  SHARED T held[tsr::sort_chunk];
  SHARED int64_t places[tsr::sort_chunk];
  tsr::argsort_row<Direction, Group>(order, keys, extent, held, places);
#endif
}

/// Many ties; of floats, NaN, both zeros and both infinities, too.
template <class T> T key(uint32_t random) {
  const int value = static_cast<int>(random >> 8) % 97 - 48;
  if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(value + (std::is_signed<T>::value ? 0 : 50));
  } else {
    const float special[] = {NAN, 0.0f, -0.0f, INFINITY, -INFINITY};
    return tsr::to<T>(random % 8 == 0 ? special[(random >> 4) % 5] : static_cast<float>(value) / 4);
  }
}

template <class T> double number(T value) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<double>(value);
  else return static_cast<double>(tsr::to<float>(value));
}

template <class Direction, int Group, class T> void order(const char *name, int64_t extent) {
  constexpr bool falling = std::is_same<Direction, tsr::Descending>::value;
  Buffer<T> keys(static_cast<size_t>(extent));
  Buffer<int64_t> found(static_cast<size_t>(extent) + 1);
  uint32_t random = static_cast<uint32_t>(extent) * 2654435761u + 1;
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = key<T>(random = random * 1664525u + 1013904223u);
  for (size_t i = 0; i < found.size(); ++i) found[i] = -7;
  std::vector<int64_t> right(keys.size());
  for (size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int64_t>(i);
  std::sort(right.begin(), right.end(), [&](int64_t i, int64_t j) {
    const double a = number(keys[static_cast<size_t>(i)]), b = number(keys[static_cast<size_t>(j)]);
    if ((a != a) != (b != b)) return a == a;
    if (a == b || a != a) return i < j;
    return falling ? a > b : a < b;
  });
  LAUNCH(Group, (order_of<Direction, Group, T>), found.device(), keys.device(), extent);
  found.back();
  for (size_t i = 0; i < right.size(); ++i) expect(found[i] == right[i], name, static_cast<long long>(i));
  expect(found[right.size()] == -7, name, -1);
}

inline void all() {
  for (int64_t extent : {0, 1, 2, 3, 5, 31, 32, 33, 64, 127, 251, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4097, 6151}) {
    order<tsr::Ascending, 256, float>("argsort_row of f32", extent);
    order<tsr::Descending, 256, float>("argsort_row of f32, descending", extent);
  }
  for (int64_t extent : {7, 2050, 9001}) {
    order<tsr::Ascending, 64, tsr::bf16>("argsort_row of bf16", extent);
    order<tsr::Descending, 96, tsr::f16>("argsort_row of f16, descending", extent);
    order<tsr::Ascending, 32, double>("argsort_row of f64", extent);
    order<tsr::Descending, 128, int8_t>("argsort_row of i8, descending", extent);
    order<tsr::Ascending, 256, int64_t>("argsort_row of i64", extent);
    order<tsr::Descending, 256, uint8_t>("argsort_row of u8, descending", extent);
    order<tsr::Ascending, 256, tsr::f8e4m3>("argsort_row of f8e4m3", extent);
  }
}

}  // namespace sort_tests
