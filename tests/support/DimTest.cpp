#include "support/Dim.h"
#include <gtest/gtest.h>
#include <random>

using tessera::Dim;

namespace {
Dim read(const char *text) {
  auto d = Dim::parse(text);
  EXPECT_TRUE(d.has_value()) << text;
  return d.value_or(Dim(-999));
}
}  // namespace

TEST(Dim, EqualExpressionsHaveOneForm) {
  EXPECT_EQ(read("B*H"), read("H*B"));
  EXPECT_EQ(read("(N + M)*2"), read("2*M + 2*N"));
  EXPECT_EQ(read("N - N"), Dim(0));
  EXPECT_EQ(read("(4*D + 3) // 4"), read("D"));
  EXPECT_EQ(read("(6*D + 1) % 3"), Dim(1));
  EXPECT_NE(read("D // H"), read("H // D"));
  EXPECT_NE(read("N + 1"), read("N + 2"));
  EXPECT_EQ(read("max(N + 1, N)"), read("N + 1"));
}

TEST(Dim, TextReadsBack) {
  for (const char *text : {"2*D + 1", "D // H", "(N + 63) // 64", "H*(D // H)", "min(M, N)", "-N", "N*N - 3", "-(D // H)",
                           "2*(D % 7) + 1", "(D // H) // 2", "D // (H // 2)", "0", "-5"})
    EXPECT_EQ(read(read(text).str().c_str()), read(text)) << text << " printed as " << read(text).str();
}

TEST(Dim, RejectsWhatIsNoExpression) {
  for (const char *text : {"", "N +", "(N", "N N", "12x", "N // ", "min(N)", "99999999999999999999"})
    EXPECT_FALSE(Dim::parse(text).has_value()) << text;
}

TEST(Dim, NormalFormKeepsTheValue) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    int64_t n = random() % 200, m = random() % 200, c = 1 + random() % 9, k = random() % 40;
    auto value = [&](const std::string &name) -> std::optional<int64_t> { return name == "N" ? n : m; };
    auto N = Dim::var("N"), M = Dim::var("M");
    auto floorDiv = [](int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); };
    int64_t a = k * n - c * m + k;
    Dim A = Dim(k) * N - Dim(c) * M + Dim(k);
    EXPECT_EQ(Dim::floorDiv(A, c).evaluate(value), floorDiv(a, c));
    EXPECT_EQ(Dim::mod(A, c).evaluate(value), a - floorDiv(a, c) * c);
    EXPECT_EQ(Dim::ceilDiv(A, c).evaluate(value), floorDiv(a + c - 1, c));
    EXPECT_EQ((A * M).evaluate(value), a * m);
    EXPECT_EQ(Dim::min(A, N).evaluate(value), std::min(a, n));
    EXPECT_EQ(Dim::parse(Dim::floorDiv(A * M, Dim(c)).str())->evaluate(value), floorDiv(a * m, c));
  }
  for (int64_t a : {7, -7, 8, -8, 0}) {  // the sign of the divisor, as in Python
    EXPECT_EQ(Dim::floorDiv(a, -4), Dim(a == 7 ? -2 : a == -7 ? 1 : -a / 4));
    EXPECT_EQ(Dim::mod(a, -4), Dim(a == 7 ? -1 : a == -7 ? -3 : 0));
  }
  EXPECT_EQ(Dim::floorDiv(Dim::var("N"), Dim(0)).evaluate([](const std::string &) { return 3; }), std::nullopt);
}

TEST(Dim, NamesOfConstantsGoThroughArithmetic) {
  Dim bm = Dim::named(128, "BM"), bk = Dim::named(32, "BK"), k = Dim::var("k"), m = Dim::var("M");
  EXPECT_EQ(bm, Dim(128));
  EXPECT_EQ((bm * bk).str(), "4096");
  EXPECT_EQ((bm * bk).written().str(), "BK.32*BM.128");
  EXPECT_EQ(((k + Dim(2) * bk) - (k + bk)).written().str(), "BK.32");
  EXPECT_EQ(Dim::ceilDiv(m, bm).written().str(), "(BM.128 + M - 1) // BM.128");
  EXPECT_EQ(inNumbers(Dim::ceilDiv(m, bm).written()), Dim::ceilDiv(m, Dim(128)));
  EXPECT_EQ((k * bk).substitute({{"k", bm}}).written().str(), "BK.32*BM.128");
  EXPECT_FALSE(Dim(128).hasNames());
  EXPECT_EQ(Dim(128).written(), Dim(128));
  EXPECT_EQ(tessera::namedConstant("BM.128")->second, 128);
  for (const char *other : {"BM", "T.m", ".5", "BM.", "BM.1x"}) EXPECT_FALSE(tessera::namedConstant(other)) << other;
}

TEST(Dim, NamesNeverChangeAValue) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    int64_t a = random() % 50, b = 1 + random() % 20, n = random() % 100;
    Dim plain = Dim::var("N") * Dim(b) + Dim(a), shown = Dim::var("N") * Dim::named(b, "b") + Dim::named(a, "a");
    auto value = [&](const std::string &) -> std::optional<int64_t> { return n; };
    auto operations = {Dim::floorDiv, Dim::mod, Dim::ceilDiv, Dim::min, Dim::max};
    for (auto operation : operations) {
      Dim result = operation(shown, Dim::named(b, "b"));
      EXPECT_EQ(result, operation(plain, Dim(b)));
      EXPECT_EQ(inNumbers(result.written()).evaluate(value), result.evaluate(value)) << result.written().str();
    }
  }
}
