// The device headers' conversions and the table's: two implementations, one with integers and one with
// doubles, that must agree code by code.
#include "support/FloatFormats.h"
#include "tessera/device/dtype.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tessera;

namespace {

/// f32 bit patterns: every sign, exponent and upper mantissa, with lower bits around the ties.
template <class F> void everyPattern(F f) {
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      uint32_t bits = (high << 16) | low;
      float value;
      std::memcpy(&value, &bits, 4);
      f(value);
    }
}

template <class T, tsr::Round Mode, bool Saturate> void compare(DType dtype, RoundMode mode) {
  size_t wrong = 0;
  everyPattern([&](float value) {
    uint64_t device = tsr::to<T, Mode, Saturate>(value).bits;
    double rounded = roundToFloat(dtype, value, mode, Saturate);
    bool same =
        std::isnan(rounded) ? std::isnan(decodeFloat(dtype, device)) : encodeFloat(dtype, rounded) == device;
    if (!same && ++wrong < 5)
      ADD_FAILURE() << name(dtype) << " of " << value << ": device " << device << ", table " << rounded;
    if (!std::isnan(rounded)) {
      wrong += static_cast<double>(static_cast<float>(T{static_cast<decltype(T::bits)>(device)})) != rounded;
    }
  });
  EXPECT_EQ(wrong, 0u) << name(dtype);
}

template <class T> void compareAll(DType dtype) {
  compare<T, tsr::Round::NearestEven, false>(dtype, RoundMode::NearestEven);
  compare<T, tsr::Round::NearestEven, true>(dtype, RoundMode::NearestEven);
  compare<T, tsr::Round::TowardZero, false>(dtype, RoundMode::TowardZero);
  compare<T, tsr::Round::Up, false>(dtype, RoundMode::Up);
  compare<T, tsr::Round::Down, true>(dtype, RoundMode::Down);
}

}  // namespace

TEST(DeviceDTypes, RoundAsTheTableDoes) {
  compareAll<tsr::bf16>(DType::BF16);
  compareAll<tsr::f16>(DType::F16);
  compareAll<tsr::f8e4m3>(DType::F8E4M3);
  compareAll<tsr::f8e5m2>(DType::F8E5M2);
  compareAll<tsr::f6e2m3>(DType::F6E2M3);
  compareAll<tsr::f6e3m2>(DType::F6E3M2);
  compareAll<tsr::f4e2m1>(DType::F4E2M1);
}

TEST(DeviceDTypes, NumbersOfMoreDigitsAreRoundedOnce) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    double value = std::ldexp(1.0 + static_cast<double>(state >> 12) / 4503599627370496.0,
                              static_cast<int>(state % 300) - 150);
    // Close to a tie of the narrow format, where a detour through f32 would go wrong.
    double tie = roundToFloat(DType::BF16, value) * (1 + 1.0 / 256) * (1 + std::ldexp(1.0, -40));
    for (double v : {value, tie, -tie}) {
      ASSERT_EQ(static_cast<float>(tsr::to<tsr::bf16>(v)), static_cast<float>(roundToFloat(DType::BF16, v)))
          << v;
      ASSERT_EQ(tsr::to<int32_t>(v), floatToInt(DType::I32, v)) << v;
    }
    auto whole = static_cast<int64_t>(state);
    ASSERT_EQ(tsr::to<int8_t>(whole), wrapInt(DType::I8, whole));
    ASSERT_EQ(tsr::to<uint32_t>(whole), wrapInt(DType::U32, whole));
    ASSERT_EQ((tsr::to<int16_t, tsr::Round::NearestEven, true>(whole)), wrapInt(DType::I16, whole, true));
  }
}
