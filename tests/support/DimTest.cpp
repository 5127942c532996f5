#include "support/Dim.h"
#include "support/LinearDim.h"
#include <array>
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

TEST(Dim, WhatLeaves64BitsIsUndefined) {
  const Dim N = Dim::var("N"), large(int64_t{1} << 62), &undefined = Dim::undefined();
  for (const Dim &beyond : {large + large, large * Dim(2), large * N * Dim(2), large * N + large * N, large * N * (large * N), Dim(INT64_MIN) - Dim(1),
                            Dim(0) - Dim(INT64_MIN), Dim::floorDiv(INT64_MIN, -1), Dim::floorDiv(7, 0), Dim::mod(7, 0)}) {
    EXPECT_FALSE(beyond.isDefined()) << beyond.str();
    EXPECT_FALSE(beyond.isConstant());
    EXPECT_EQ(beyond.evaluate([](const std::string &) { return 1; }), std::nullopt);
  }
  for (const Dim &made : {undefined + Dim(1), undefined - undefined, undefined * Dim(0), Dim::min(undefined, N), Dim::mod(N, undefined),
                          N.substitute({{"N", undefined}}), read("1 // 0"), (N * Dim(4)).substitute({{"N", large}})})
    EXPECT_FALSE(made.isDefined()) << made.str();
  EXPECT_FALSE(undefined == undefined);
  EXPECT_TRUE((large * N - large * N).isDefined());
  EXPECT_EQ(large - large + Dim(3), Dim(3));
  EXPECT_EQ(Dim::min(Dim(INT64_MIN), Dim(INT64_MAX)), Dim(INT64_MIN));
  EXPECT_FALSE(Dim::named(INT64_MAX, "BIG").hasNames());
  EXPECT_EQ(read("9223372036854775807"), Dim(INT64_MAX));
  EXPECT_EQ(read("-9223372036854775808"), Dim(INT64_MIN));
  EXPECT_EQ(read("-7 // 2"), Dim(-4));  // as in Python
  EXPECT_EQ(read("N - 9223372036854775807").str(), "N - 9223372036854775807");
  EXPECT_FALSE(Dim::parse(std::string(1000, '(') + "N" + std::string(1000, ')')));
}

namespace {
using Wide = __int128;

/// An expression as the normal form and as what it is for given N and M; nothing where that has no value.
struct Both {
  Dim dim;
  std::optional<Wide> value;
};
Both random(std::mt19937_64 &source, int depth, int64_t n, int64_t m) {
  if (depth == 0 || source() % 5 == 0) {
    switch (source() % 4) {
    case 0: return {Dim::var("N"), n};
    case 1: return {Dim::var("M"), m};
    default: break;
    }
    int64_t ends[] = {0, 1, -1, 2, 3, -5, int64_t{1} << 31, int64_t{1} << 40, (int64_t{1} << 62) - 1, INT64_MAX, -INT64_MAX, INT64_MIN};
    int64_t number = source() % 3 ? ends[source() % 12] : static_cast<int64_t>(source()) >> (source() % 64);
    return {Dim(number), number};
  }
  Both a = random(source, depth - 1, n, m), b = random(source, depth - 1, n, m), out;
  uint64_t operation = source() % 8;
  static const std::array operations = {
      +[](const Dim &x, const Dim &y) { return x + y; }, +[](const Dim &x, const Dim &y) { return x - y; },
      +[](const Dim &x, const Dim &y) { return x * y; }, +[](const Dim &x, const Dim &y) { return x + y; },
      &Dim::floorDiv, &Dim::mod, &Dim::min, &Dim::max};
  out.dim = operations[operation](a.dim, b.dim);
  bool divides = operation == 4 || operation == 5;
  if (!a.value || !b.value || (divides && *b.value == 0)) return out;
  Wide x = *a.value, y = *b.value, result = 0;
  Wide quotient = divides ? x / y - (x % y != 0 && (x < 0) != (y < 0)) : 0;
  bool fits = true;
  switch (operation) {
  case 1: fits = !__builtin_sub_overflow(x, y, &result); break;
  case 2: fits = !__builtin_mul_overflow(x, y, &result); break;
  case 4: result = quotient; break;
  case 5: result = x - quotient * y; break;
  case 6: result = std::min(x, y); break;
  case 7: result = std::max(x, y); break;
  default: fits = !__builtin_add_overflow(x, y, &result);
  }
  if (fits) out.value = result;
  return out;
}
}  // namespace

TEST(Dim, ValuesNearTheLimitsAreExactOrNone) {
  std::mt19937_64 source(12);
  int exact = 0, none = 0;
  for (int round = 0; round < 20000; ++round) {
    auto size = [&] { return static_cast<int64_t>(source() >> (1 + source() % 63)); };
    int64_t n = size(), m = size();
    Both both = random(source, 3, n, m);
    if (!both.value) continue;
    auto value = both.dim.evaluate([&](const std::string &name) { return name == "N" ? n : m; });
    ++(value ? exact : none);
    if (value) ASSERT_TRUE(*value == *both.value) << both.dim.str() << " for N = " << n << ", M = " << m;
    auto again = Dim::parse(both.dim.str());
    if (again && both.dim.isDefined()) ASSERT_EQ(*again, both.dim);
  }
  EXPECT_GT(exact, 5000);
  EXPECT_GT(none, 1000);
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

TEST(Dim, ProductsLeaveQuotients) {
  const Dim n = Dim::var("N"), m = Dim::var("M"), k = Dim::var("K");
  EXPECT_EQ(Dim::floorDiv(n * m, m), n);
  EXPECT_EQ(Dim::floorDiv(Dim(6) * n * m * m, Dim(2) * m), Dim(3) * n * m);
  EXPECT_EQ(Dim::floorDiv(n * m + k, m).str(), "(K + M*N) // M");
  EXPECT_EQ(Dim::floorDiv(Dim(3) * m, m), Dim(3));
  EXPECT_EQ(Dim::mod(n * m, m), Dim(0));
  EXPECT_EQ(Dim::floorDiv(Dim(3) * n * m, Dim(2) * m).evaluate([](const std::string &name) { return name == "N" ? 5 : 7; }), 7);
}

TEST(Dim, ExtentsGiveWhatTheyLeave) {
  const Dim i = Dim::var("I"), h = Dim::var("H"), o = Dim::var("O");
  EXPECT_FALSE(tessera::linearDim(i));
  EXPECT_FALSE(tessera::linearDim(i + h));
  EXPECT_FALSE(tessera::linearDim(i * h));
  EXPECT_FALSE(tessera::linearDim(i * i * h, [](const std::string &name) { return name == "H"; }));
  EXPECT_FALSE(tessera::linearDim(i * h + i - Dim(2) * i, [](const std::string &name) { return name == "H"; }));
  auto heads = tessera::linearDim(i * h + i + h, [](const std::string &name) { return name == "H"; });
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->factor, h + Dim(1));
  EXPECT_EQ(heads->rest, h);
  EXPECT_EQ(heads->solved(Dim(23), {{"H", Dim(3)}}), Dim(5));
  EXPECT_EQ(tessera::linearDim(i * h, [](const std::string &name) { return name == "H"; })->solved(o * h), o);
  EXPECT_FALSE(tessera::linearDim(Dim(4) - i));
  EXPECT_FALSE(tessera::linearDim(i + Dim::floorDiv(i, Dim(2))));
  auto half = tessera::linearDim(Dim(2) * i + Dim(1));
  ASSERT_TRUE(half);
  EXPECT_EQ(half->solved(Dim(7)), Dim(3));
  // w: [I + H + O, 4 * H], b: [O - 1 + H], x: [I]: H first, then O, and I stands alone.
  const auto solved = tessera::solvedExtents({{i + h + o, Dim(4) * h}, {o - Dim(1) + h}, {i}});
  ASSERT_EQ(solved.size(), 2u);
  std::map<std::string, Dim> values = {{"I", Dim(3)}};
  for (const auto &one : solved) values[one.extent.variable] = one.extent.solved(one.parameter == 1 ? Dim(9) : one.axis == 1 ? Dim(20) : Dim(13), values);
  EXPECT_EQ(values.at("H"), Dim(5));
  EXPECT_EQ(values.at("O"), Dim(5));
  EXPECT_TRUE(tessera::solvedExtents({{i + h}, {i + h}}).empty());
}
