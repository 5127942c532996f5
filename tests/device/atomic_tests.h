// Updates in one step: sums, extremes and bits of what all lanes of a group bring, and what each of them found before.
#pragma once
#include "harness.h"
#include "tessera/device/atomic.h"
#include <algorithm>
#include <limits>
#include <type_traits>

namespace atomic_tests {
using harness::Buffer;
using harness::expect;

enum class Way { Add, Min, Max, And, Or, Xor };

template <Way way, class T> TSR_DEVICE T update(T &place, T value) {
  if constexpr (way == Way::Add) return tsr::atomic_add(place, value);
  else if constexpr (way == Way::Min) return tsr::atomic_min(place, value);
  else if constexpr (way == Way::Max) return tsr::atomic_max(place, value);
  else if constexpr (way == Way::And) return tsr::atomic_and(place, value);
  else if constexpr (way == Way::Or) return tsr::atomic_or(place, value);
  else return tsr::atomic_xor(place, value);
}

template <Way way, int Group, class T> KERNEL updates(T *places, int64_t count, const T *values, T *found, int64_t many) {
  for (int64_t i = tsr::lane(); i < many; i += kGpu ? Group : 1) found[i] = update<way>(places[i % count], values[i]);
}

template <class T> double number(T value) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<double>(value);
  else return static_cast<double>(tsr::to<float>(value));
}

/// Small whole numbers, whose sums are exact in every format.
template <class T> T small(int64_t i) {
  const int value = static_cast<int>(i * 7 % 11) - (std::is_unsigned<T>::value ? 0 : 5);
  if constexpr (std::is_arithmetic<T>::value) return static_cast<T>(value);
  else return tsr::to<T>(static_cast<float>(value));
}

template <Way way, class T, class F> void all_lanes(const char *name, T start, F combine) {
  constexpr int64_t count = 3, many = 96 * 2 + 1;
  Buffer<T> places(count), values(many), found(many);
  std::vector<double> expected(count, number(start));
  for (int64_t i = 0; i < count; ++i) places[i] = start;
  for (int64_t i = 0; i < many; ++i) {
    values[i] = small<T>(i);
    expected[i % count] = combine(expected[i % count], number(values[i]));
  }
  LAUNCH(96, (updates<way, 96, T>), places.device(), count, values.device(), found.device(), many);
  places.back();
  found.back();
  for (int64_t i = 0; i < count; ++i) expect(number(places[i]) == expected[i], name, i);
  // Each element was found once as it was at the start.
  for (int64_t place = 0; place < count; ++place) {
    bool first = false;
    for (int64_t i = place; i < many; i += count) first |= number(found[i]) == number(start);
    expect(first, name, place);
  }
}

template <class T> void numbers(const char *name) {
  const T zero = small<T>(std::is_unsigned<T>::value ? 0 : 7 * 7);
  all_lanes<Way::Add>(name, zero, [](double a, double b) { return a + b; });
  all_lanes<Way::Min>(name, zero, [](double a, double b) { return std::min(a, b); });
  all_lanes<Way::Max>(name, zero, [](double a, double b) { return std::max(a, b); });
}
template <class T> void bits(const char *name) {
  auto of = [](auto combine) {
    return [=](double a, double b) { return static_cast<double>(static_cast<T>(combine(static_cast<T>(a), static_cast<T>(b)))); };
  };
  all_lanes<Way::And>(name, static_cast<T>(31), of([](T a, T b) { return a & b; }));
  all_lanes<Way::Or>(name, static_cast<T>(16), of([](T a, T b) { return a | b; }));
  all_lanes<Way::Xor>(name, static_cast<T>(16), of([](T a, T b) { return a ^ b; }));
}

/// NaN stays on top and at the bottom, and of the zeros -0 is the lower one, in any order.
template <class T> void special(const char *name) {
  const float of[] = {0.0f, -0.0f, NAN, 1.0f, -INFINITY, INFINITY};
  auto same = [](double a, double b) { return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b)); };
  for (float a : of)
    for (float b : of) {
      Buffer<T> places(2), values(1), found(1);
      auto as = [](float value) {
        if constexpr (std::is_arithmetic<T>::value) return static_cast<T>(value);
        else return tsr::to<T>(value);
      };
      places[0] = places[1] = as(a);
      values[0] = as(b);
      LAUNCH(1, (updates<Way::Max, 1, T>), places.device(), 1, values.device(), found.device(), 1);
      places.back();
      const double most = number(places[0]);
      LAUNCH(1, (updates<Way::Min, 1, T>), places.device() + 1, 1, values.device(), found.device(), 1);
      places.back();
      const double least = number(places[1]);
      auto below = [](double x, double y) { return x < y || (x == y && std::signbit(x) && !std::signbit(y)); };
      const double x = a, y = b;
      const bool nan = x != x || y != y;
      expect(nan ? most != most && least != least : same(most, below(x, y) ? y : x) && same(least, below(y, x) ? y : x), name);
    }
}

inline void all() {
  numbers<int32_t>("atomics of i32");
  numbers<uint32_t>("atomics of u32");
  numbers<int64_t>("atomics of i64");
  numbers<float>("atomics of f32");
  numbers<double>("atomics of f64");
  numbers<tsr::f16>("atomics of f16");
  numbers<tsr::bf16>("atomics of bf16");
  bits<int32_t>("bits of i32");
  bits<uint32_t>("bits of u32");
  bits<int64_t>("bits of i64");
  special<float>("extremes of f32");
  special<double>("extremes of f64");
  special<tsr::f16>("extremes of f16");
  special<tsr::bf16>("extremes of bf16");
}

}  // namespace atomic_tests
