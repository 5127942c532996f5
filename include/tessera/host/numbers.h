// Numbers that become elements of a tensor, of a dtype that is known when the program runs. They come some at a time, so that what
// converts them is there once and not once for each way in which numbers are made.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/tensor.h"
#include <algorithm>
#include <type_traits>

namespace tsr {
namespace host {
namespace detail {

constexpr int64_t kNumbersAtOnce = 256;
constexpr size_t kWidestElement = 8;

template <class T, class Number> bool put_as(TessDType dtype, unsigned char *elements, const Number *numbers, int64_t count) {
  const TessDType mine = tsr::detail::DTypeOf<T>::dtype();
  if (mine.code != dtype.code || mine.bits != dtype.bits) return false;
  for (int64_t i = 0; i < count; ++i, elements += sizeof(T)) {
    const T value = tsr::to<T>(numbers[i]);
    memcpy(elements, &value, sizeof(T));
  }
  return true;
}
template <class... T, class Number> void put_among(TessDType dtype, unsigned char *elements, const Number *numbers, int64_t count) {
  (void)(put_as<T>(dtype, elements, numbers, count) || ...);
}
template <class Number> void put_any(TessDType dtype, unsigned char *elements, const Number *numbers, int64_t count) {
  put_among<float, double, int32_t, int64_t, bf16, f16, f8e4m3, f8e5m2, f6e2m3, f6e3m2, f4e2m1, tf32, int16_t, int8_t, i4, uint32_t, uint16_t, uint8_t,
            bool>(dtype, elements, numbers, count);
}
/// Writes numbers as elements of `dtype`, one behind the other.
TSR_APART void put_numbers(TessDType dtype, unsigned char *elements, const double *numbers, int64_t count) { put_any(dtype, elements, numbers, count); }
TSR_APART void put_numbers(TessDType dtype, unsigned char *elements, const int64_t *numbers, int64_t count) { put_any(dtype, elements, numbers, count); }

/// Calls `take` with the numbers values(0), values(1), ..., `count` in all, some at a time: where they begin, and how many they are.
template <class Values, class Take> void some_at_once(int64_t count, const Values &values, const Take &take) {
  using Number = typename std::conditional<std::is_integral<decltype(values(0))>::value, int64_t, double>::type;
  Number some[kNumbersAtOnce];
  for (int64_t begin = 0; begin < count; begin += kNumbersAtOnce) {
    const int64_t length = std::min(kNumbersAtOnce, count - begin);
    for (int64_t i = 0; i < length; ++i) some[i] = static_cast<Number>(values(begin + i));
    take(some, begin, length);
  }
}

}  // namespace detail
}  // namespace host
}  // namespace tsr
