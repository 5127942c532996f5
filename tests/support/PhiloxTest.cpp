// Random numbers against the published known answers; rounding by chance against its probabilities.
#include "support/Philox.h"
#include "support/FloatFormats.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;

// kat_vectors of Random123, the authors' own implementation.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RoundByChance, KeepsValuesOfTheFormat) {
  for (double v : {0.0, 1.0, -1.5, 65504.0, 5.9604644775390625e-08})
    for (uint64_t bits : {uint64_t(0), ~uint64_t(0)}) EXPECT_EQ(roundByChance(DType::F16, v, bits), v);
}

TEST(RoundByChance, ThresholdIsTheShareOfTheGap) {
  // bf16 has 7 bits behind the point: between 1 and 1 + 2^-7, a quarter of the way up.
  double value = 1 + std::ldexp(1.0, -9), up = 1 + std::ldexp(1.0, -7);
  uint64_t quarter = uint64_t(1) << 62;
  EXPECT_EQ(roundByChance(DType::BF16, value, quarter - 1), up);
  EXPECT_EQ(roundByChance(DType::BF16, value, quarter), 1.0);
  EXPECT_EQ(roundByChance(DType::BF16, -value, 3 * quarter - 1), -1.0);
  EXPECT_EQ(roundByChance(DType::BF16, -value, 3 * quarter), -up);
}

TEST(RoundByChance, IsRightOnAverage) {
  for (DType dtype : {DType::BF16, DType::F16, DType::F8E4M3, DType::F8E5M2}) {
    double value = 1.3, sum = 0;
    const int trials = 40000;
    for (uint32_t i = 0; i < trials; ++i) {
      PhiloxCounter r = philox({i, 0, 0, 0}, {7, 11});
      double got = roundByChance(dtype, value, uint64_t(r[0]) << 32 | r[1]);
      EXPECT_TRUE(got == roundToFloat(dtype, value, RoundMode::Down) ||
                  got == roundToFloat(dtype, value, RoundMode::Up));
      sum += got;
    }
    double gap = roundToFloat(dtype, value, RoundMode::Up) - roundToFloat(dtype, value, RoundMode::Down);
    EXPECT_NEAR(sum / trials, value, 4 * gap * 0.5 / std::sqrt(double(trials))) << name(dtype);
  }
}

TEST(RoundByChance, BeyondTheLargestItIsNearest) {
  EXPECT_EQ(roundByChance(DType::F16, 65510, 1), 65504);
  EXPECT_TRUE(std::isinf(roundByChance(DType::F16, 70000, 1)));
  EXPECT_EQ(roundByChance(DType::F16, 70000, 1, true), 65504);
}
