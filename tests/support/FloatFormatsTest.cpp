#include "support/FloatFormats.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tessera;

namespace {
const DType kSmall[] = {DType::BF16,   DType::F16,    DType::F8E4M3, DType::F8E5M2,
                        DType::F6E2M3, DType::F6E3M2, DType::F4E2M1};
const double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Every finite value of a format that is not negative, by its code.
std::vector<double> ladder(DType dtype) {
  std::vector<double> values;
  for (uint64_t code = 0; code < uint64_t(1) << (info(dtype).bits - 1); ++code)
    if (double v = decodeFloat(dtype, code); std::isfinite(v)) values.push_back(v);
  return values;
}
}  // namespace

TEST(FloatFormats, EveryCodeReadsBack) {
  for (DType dtype : kSmall)
    for (uint64_t code = 0; code < uint64_t(1) << info(dtype).bits; ++code) {
      double value = decodeFloat(dtype, code);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decodeFloat(dtype, encodeFloat(dtype, value))));
        continue;
      }
      ASSERT_EQ(encodeFloat(dtype, value), code) << name(dtype);
      ASSERT_EQ(roundToFloat(dtype, value), value) << name(dtype) << " code " << code;
    }
}

TEST(FloatFormats, CodesAreInTheOrderOfTheirValues) {
  for (DType dtype : kSmall) {
    auto values = ladder(dtype);
    for (size_t i = 1; i < values.size(); ++i) ASSERT_LT(values[i - 1], values[i]) << name(dtype);
    EXPECT_EQ(values[1], floatFormat(dtype).minPositive);
    EXPECT_EQ(values.back(), floatFormat(dtype).max);
  }
}

TEST(FloatFormats, KnownLimits) {
  EXPECT_EQ(floatFormat(DType::F8E4M3).max, 448);
  EXPECT_EQ(floatFormat(DType::F8E5M2).max, 57344);
  EXPECT_EQ(floatFormat(DType::F6E2M3).max, 7.5);
  EXPECT_EQ(floatFormat(DType::F6E3M2).max, 28);
  EXPECT_EQ(floatFormat(DType::F4E2M1).max, 6);
  EXPECT_EQ(floatFormat(DType::F16).max, 65504);
  EXPECT_EQ(floatFormat(DType::F32).max, std::numeric_limits<float>::max());
  EXPECT_EQ(floatFormat(DType::F64).max, std::numeric_limits<double>::max());
  EXPECT_EQ(floatFormat(DType::F8E4M3).minPositive, std::ldexp(1.0, -9));
  EXPECT_EQ(floatFormat(DType::F64).minPositive, std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(decodeFloat(DType::F8E4M3, 0x7f)));
  EXPECT_EQ(decodeFloat(DType::F8E4M3, 0x7e), 448);
  EXPECT_EQ(decodeFloat(DType::F8E5M2, 0x7c), kInf);
}

TEST(FloatFormats, BetweenTwoNeighboursEveryModeGoesItsWay) {
  for (DType dtype : kSmall) {
    auto values = ladder(dtype);
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      double low = values[i], high = values[i + 1], middle = low + (high - low) / 2,
             quarter = low + (high - low) / 4;
      double even = i % 2 == 0 ? low : high;
      ASSERT_EQ(roundToFloat(dtype, middle), even) << name(dtype) << " " << middle;
      ASSERT_EQ(roundToFloat(dtype, -middle), -even);
      ASSERT_EQ(roundToFloat(dtype, std::nextafter(middle, 0)), low);
      ASSERT_EQ(roundToFloat(dtype, std::nextafter(middle, kInf)), high);
      ASSERT_EQ(roundToFloat(dtype, quarter, RoundMode::Up), high);
      ASSERT_EQ(roundToFloat(dtype, -quarter, RoundMode::Up), -low);
      ASSERT_EQ(roundToFloat(dtype, quarter, RoundMode::Down), low);
      ASSERT_EQ(roundToFloat(dtype, -quarter, RoundMode::Down), -high);
      ASSERT_EQ(roundToFloat(dtype, -quarter, RoundMode::TowardZero), -low);
    }
  }
}

TEST(FloatFormats, OverflowAndWhatIsNoNumber) {
  EXPECT_EQ(roundToFloat(DType::F8E4M3, 464), 448);  // the tie with the code of NaN goes to even
  EXPECT_TRUE(std::isnan(roundToFloat(DType::F8E4M3, 464.001)));
  EXPECT_TRUE(std::isnan(roundToFloat(DType::F8E4M3, kInf)));
  EXPECT_EQ(roundToFloat(DType::F8E4M3, -1e9, RoundMode::NearestEven, true), -448);
  EXPECT_EQ(roundToFloat(DType::F8E4M3, kInf, RoundMode::NearestEven, true), 448);
  EXPECT_EQ(roundToFloat(DType::F8E5M2, 61439), 57344);
  EXPECT_EQ(roundToFloat(DType::F8E5M2, 61440), kInf);
  EXPECT_EQ(roundToFloat(DType::F8E5M2, -kInf, RoundMode::NearestEven, true), -57344);
  EXPECT_EQ(roundToFloat(DType::F16, 65519), 65504);
  EXPECT_EQ(roundToFloat(DType::F16, 65520), kInf);
  EXPECT_EQ(roundToFloat(DType::F16, 1e6, RoundMode::TowardZero), 65504);
  EXPECT_EQ(roundToFloat(DType::F16, -1e6, RoundMode::Up), -65504);
  EXPECT_EQ(roundToFloat(DType::F16, -1e6, RoundMode::Down), -kInf);
  EXPECT_EQ(roundToFloat(DType::F4E2M1, 1e6), 6);
  EXPECT_EQ(roundToFloat(DType::F4E2M1, kNaN), 6);
  EXPECT_TRUE(std::isnan(roundToFloat(DType::BF16, kNaN, RoundMode::NearestEven, true)));
  EXPECT_TRUE(std::signbit(roundToFloat(DType::BF16, -1e-60)));
  EXPECT_TRUE(isSubnormal(DType::F16, 1e-5));
  EXPECT_FALSE(isSubnormal(DType::F16, std::ldexp(1.0, -14)));
}

TEST(FloatFormats, F32IsTheMachines) {
  std::mt19937_64 random(3);
  const FloatFormat &format = floatFormat(DType::F32);
  EXPECT_EQ(format.minPositive, std::numeric_limits<float>::denorm_min());
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, 8);
    if (i % 2) value = std::ldexp(1 + (bits & 0xffffffffff) / 1e12, static_cast<int>(bits >> 40) % 320 - 160);
    if (!std::isfinite(value)) continue;
    float machine = static_cast<float>(value);
    double down = roundToFloat(DType::F32, value, RoundMode::Down),
           up = roundToFloat(DType::F32, value, RoundMode::Up);
    ASSERT_EQ(roundToFloat(DType::F32, value), machine);
    ASSERT_LE(down, value);
    ASSERT_GE(up, value);
    ASSERT_TRUE(machine == down || machine == up);
    double tf32 = roundToFloat(DType::TF32, value);
    ASSERT_EQ(decodeFloat(DType::TF32, encodeFloat(DType::TF32, value)), tf32);
  }
}

TEST(FloatFormats, Integers) {
  EXPECT_EQ(wrapInt(DType::I8, 200), -56);
  EXPECT_EQ(wrapInt(DType::I8, 200, true), 127);
  EXPECT_EQ(wrapInt(DType::U8, -1), 255);
  EXPECT_EQ(wrapInt(DType::U8, -1, true), 0);
  EXPECT_EQ(wrapInt(DType::I4, 9), -7);
  EXPECT_EQ(wrapInt(DType::I32, int64_t(1) << 31), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(wrapInt(DType::U32, -1), 4294967295LL);
  EXPECT_EQ(wrapInt(DType::Bool, 7), 1);
  EXPECT_EQ(floatToInt(DType::I32, -2.9), -2);
  EXPECT_EQ(floatToInt(DType::I32, -2.1, RoundMode::Down), -3);
  EXPECT_EQ(floatToInt(DType::I32, 2.1, RoundMode::Up), 3);
  EXPECT_EQ(floatToInt(DType::I32, 1e20), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(floatToInt(DType::I64, 1e20), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(floatToInt(DType::I64, -kInf), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInt(DType::U8, -3), 0);
  EXPECT_EQ(floatToInt(DType::I16, kNaN), 0);
  EXPECT_EQ(floatToInt(DType::Bool, 0.25), 1);
}

TEST(FloatFormats, ElementsInStorage) {
  unsigned char bytes[8] = {};
  storeFloat(DType::BF16, 1.0, bytes);
  EXPECT_EQ(bytes[0], 0x80);
  EXPECT_EQ(bytes[1], 0x3f);
  EXPECT_EQ(loadFloat(DType::BF16, bytes), 1.0);
  storeFloat(DType::TF32, 1.0 + std::ldexp(1.0, -12), bytes);
  EXPECT_EQ(loadFloat(DType::F32, bytes), 1.0);
  storeInt(DType::I16, -2, bytes);
  EXPECT_EQ(bytes[0], 0xfe);
  EXPECT_EQ(loadInt(DType::I16, bytes), -2);
  EXPECT_EQ(loadInt(DType::U16, bytes), 65534);
  storeInt(DType::I64, std::numeric_limits<int64_t>::min(), bytes);
  EXPECT_EQ(loadInt(DType::I64, bytes), std::numeric_limits<int64_t>::min());
}
