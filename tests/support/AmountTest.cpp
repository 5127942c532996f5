#include "support/Amount.h"
#include "support/Prediction.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;

namespace {

Amount of(const char *text) { return Amount(*Dim::parse(text)); }

TEST(Amount, NumbersStayNumbers) {
  const Amount sum = Amount(1.5) + Amount(2) * Amount(0.25);
  EXPECT_TRUE(sum.isNumber());
  EXPECT_EQ(sum.number(), 2);
  EXPECT_EQ(Amount::ceil(Amount(1.25)).number(), 2);
  EXPECT_EQ(Amount::max(1, 2).number(), 2);
}

TEST(Amount, PartsOfTilesAddUpToWholes) {
  const Amount rows = of("M") / 128, cols = of("N") / 256;
  EXPECT_EQ((rows * cols * 2 * Amount(128 * 256) * of("K")).str(), "2*K*M*N");
  EXPECT_EQ(Amount::ceil(rows).str(), "(M + 127) // 128");
  EXPECT_EQ(((of("M") - 128) / 2 + 64).str(), "M // 2");
  EXPECT_EQ((of("S") / of("S")).str(), "1");
}

TEST(Amount, OfAWholeNoMoreThanTheWholeIsTouched) {
  const Amount touched = Amount::ceil(of("M") / 128) * Amount::ceil(of("N") / 256) * Amount::ceil(of("K") / 64) * Amount(2 * 128 * 64);
  EXPECT_EQ(Amount::ofTiles(touched, 2 * of("K*M")).str(), "2*K*M");
  EXPECT_EQ(Amount::ofTiles(of("10*D"), of("V*D")).str(), "min(10*D, D*V)");
}

TEST(Amount, FormulasAgreeWithNumbers) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> size(1, 5000), small(1, 300);
  for (int turn = 0; turn < 300; ++turn) {
    const std::map<std::string, int64_t> sizes{{"M", size(random)}, {"N", size(random)}};
    const auto a = static_cast<double>(small(random)), b = static_cast<double>(small(random));
    auto formula = [&](const Amount &m, const Amount &n) {
      return Amount::max(m * n / a, Amount::ceil(n / b) * a) + Amount::min(m - a, n / a) * b - m / 3;
    };
    const Amount symbolic = formula(of("M"), of("N"));
    const double number = formula(Amount(static_cast<double>(sizes.at("M"))), Amount(static_cast<double>(sizes.at("N")))).number();
    ASSERT_TRUE(symbolic.at(sizes)) << symbolic.str();
    EXPECT_NEAR(*symbolic.at(sizes), number, 1e-3 * std::abs(number) + 1) << symbolic.str();
  }
}

TEST(Amount, WhatLeavesSixtyFourBitsHasNoValue) {
  const Amount large = of("4611686018427387904*N") + of("M");
  EXPECT_FALSE(large.isDefined());
  EXPECT_FALSE((of("4611686018427387903*N") * of("4611686018427387903*N") + of("N")).isDefined());
  EXPECT_FALSE(of("M").at({}));
}

TEST(Prediction, TheLongestPartLimits) {
  const Machine &machine = *machineByName("sm_90a");
  Work copy;
  copy.readBytes = copy.writtenBytes = 1e9;
  const Prediction copied = predict(copy, machine, false);
  EXPECT_EQ(copied.limitedBy(copy, machine), "memory");
  EXPECT_NEAR(copied.nanoseconds().number(), 2e9 / (3350 * 0.89) + 4500, 1000);
  Work product;
  product.groups = 133;  // one more than there are processors: twice as long
  product.products[DType::BF16] = product.groupProducts[DType::BF16] = 2e9;
  const Prediction multiplied = predict(product, machine, true);
  EXPECT_EQ(multiplied.rounds.number(), 2);
  EXPECT_EQ(multiplied.limitedBy(product, machine), "waves");
  product.groups = 132;
  EXPECT_NEAR(predict(product, machine, true).products.number() * 2, multiplied.products.number(), 1);
  EXPECT_EQ(predict(product, machine, true).limitedBy(product, machine), "products");
  EXPECT_EQ(predict(Work{}, machine, false).limitedBy(Work{}, machine), "launch");
}

TEST(Prediction, EveryMachineHasItsOrItsFamilysRow) {
  for (const Machine &machine : machines())
    if (!machine.product.empty()) EXPECT_GT(reachedOn(machine).copy, 0) << machine.name;
}

}  // namespace
