// Where the compiler's own work ends: integers of 64 bits, formulas, values and steps (docs/spec/types.md, T24-T26).
#include "tests/sema/Checking.h"
#include <ctime>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;

namespace {
using Wide = __int128;

/// What Python computes; nothing where it raises, or where this program's numbers end.
std::optional<Wide> exact(const std::string &op, Wide x, Wide y) {
  Wide floor = y == 0 ? 0 : x / y - ((x % y != 0) && ((x < 0) != (y < 0)));
  if (op == "+") return x + y;
  if (op == "-") return x - y;
  if (op == "*") return x * y;
  if (op == "//") return y == 0 ? std::nullopt : std::optional(floor);
  if (op == "%") return y == 0 ? std::nullopt : std::optional(x - floor * y);
  if (op == "<<") return y < 0 ? std::nullopt : x == 0 ? std::optional<Wide>(0) : y > 64 ? std::nullopt : std::optional(x * (Wide{1} << y));
  if (op == ">>") return y < 0 ? std::nullopt : y > 64 ? std::optional<Wide>(x < 0 ? -1 : 0) : std::optional(x >> y);
  if (op == "&") return x & y;
  if (op == "|") return x | y;
  if (op == "^") return x ^ y;
  Wide power = 1;  // **
  for (Wide i = 0; i < y && power < (Wide{1} << 64) && power > -(Wide{1} << 64) && i < 200; ++i) power *= x;
  return y < 0 ? std::nullopt : std::optional(power);
}
std::string literal(int64_t n) { return n < 0 ? "(" + std::to_string(n) + ")" : std::to_string(n); }

std::string kernel(const std::string &body) {
  return "@kernel\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    v = x[tile.origin()[0]]\n" + body + "    return v\n";
}
std::string code(const test::Checking &checked) {
  if (checked.diagnostics.all().empty()) return "";
  return std::string(diag::row(checked.diagnostics.all()[0].id).code);
}
double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
}  // namespace

TEST(Limits, KnownIntegersAreThoseOfPythonOrAnError) {
  const std::vector<int64_t> ends = {0, 1, -1, 2, -2, 3, 7, -7, 10, 62, 63, 64, 70, 200, int64_t{1} << 31, int64_t{1} << 62, INT64_MAX, -INT64_MAX};
  const std::vector<std::string> ops = {"+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "**"};
  std::mt19937_64 random(31);
  int fitting = 0, beyond = 0;
  for (int round = 0; round < 900; ++round) {
    auto number = [&] { return random() % 4 ? ends[random() % ends.size()] : static_cast<int64_t>(random()) >> random() % 64; };
    int64_t x = number(), y = number();
    if (x == INT64_MIN || y == INT64_MIN) continue;  // has no literal
    const std::string &op = ops[random() % ops.size()];
    std::string term = literal(x) + " " + op + " " + literal(y);
    auto want = exact(op, x, y);
    bool fraction = op == "**" && y < 0 && x != 0;
    if (fraction) continue;
    bool fits = want && *want <= INT64_MAX && *want > INT64_MIN;
    if (want && *want == INT64_MIN) continue;
    test::Checking checked(fits ? "assert " + term + " == " + literal(static_cast<int64_t>(*want)) + "\n" : "n = " + term + "\n");
    bool undefined = (op == "//" || op == "%" || op == "**") ? (op == "**" ? x == 0 && y < 0 : y == 0) : (op == "<<" || op == ">>") && y < 0;
    ASSERT_EQ(code(checked), fits ? "" : undefined ? "E0314" : "E0430") << term << "\n" << checked.messages();
    ++(fits ? fitting : beyond);
  }
  EXPECT_GT(fitting, 300);
  EXPECT_GT(beyond, 100);
}

TEST(Limits, SizesBeyond64BitsAreErrorsAndNeverOtherSizes) {
  const std::string half = "4611686018427387904", all = "9223372036854775807";
  std::string many = "x";
  for (int i = 1; i < 64; ++i) many += ", x";
  auto body = [](const std::string &parameters, const std::string &line) { return "def f[N](" + parameters + "):\n    y = " + line + "\n    return n\n"; };
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"E0434", body("n: Tensor[N, f32], x: Tensor[" + all + ", f32]", "concat([x, x], axis=0)")},
      {"E0434", body("n: Tensor[N, f32], x: Tensor[288230376151711744, f32]", "concat([" + many + "], axis=0)")},
      {"E0434", body("n: Tensor[N, f32], x: Tensor[N * 288230376151711744, f32]", "concat([" + many + "], axis=0)")},
      {"", body("n: Tensor[N, f32], x: Tensor[N * 144115188075855871, f32]", "concat([" + many + "], axis=0)")},
      {"E0434", body("n: Tensor[N, f32], x: Tensor[" + half + ", f32]", "x.reshape(2, 2, 2, 2305843009213693951)")},
      {"E0434", body("n: Tensor[N, f32], x: Tensor[" + half + ", f32]", "x.repeat(2, axis=0)")},
      {"E0434", body("n: Tensor[N, f32], x: Tensor[4294967296, 2147483648, f32]", "x")},
      {"", body("n: Tensor[N, f32], x: Tensor[4294967296, 2147483647, f32]", "x")},
      {"E0434", body("n: Tensor[N, f32]", "zeros((N, 4294967296, 4294967296))")},
      {"E0430", body("n: Tensor[N, f32], x: Tensor[N * " + half + " * 2, f32]", "x")},
      {"E0300", body("n: Tensor[N, f32], x: Tensor[\"N * " + half + " * 2\", f32]", "x")},
      {"E0430", body("n: Tensor[N, f32]", "N * (1 << 40) * (1 << 40)")},
      {"E0430", body("n: Tensor[N, f32]", "N * (1 << 62) + N * (1 << 62)")},
  };
  for (const auto &[expected, text] : programs) {
    test::Checking checked(text);
    EXPECT_EQ(code(checked), expected) << text << "\n" << checked.messages();
    EXPECT_LE(checked.diagnostics.all().size(), 1u) << checked.messages();
  }
}

TEST(Limits, StaticRangesRunUpAndDownToTheirEnds) {
  for (auto [range, sum] : std::map<std::string, int>{{"0, 4096, 1", 8386560}, {"10, 0, -3", 22}, {"0, 10, 4", 12}, {"5, 5, 1", 0}, {"0, 5, -1", 0}}) {
    std::string text = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    assert sum([i for i in range(" + range + ")]) == " +
                       std::to_string(sum) + "\n    return x\n";
    EXPECT_EQ(test::Checking(text).messages(), "") << range;
  }
  EXPECT_EQ(code(test::Checking(kernel("    for i in tile.static_range(0, 4097):\n        v = v + 1.0\n"))), "E0432");
  EXPECT_EQ(code(test::Checking(kernel("    for i in tile.static_range(3, 0, 0):\n        v = v + 1.0\n"))), "E0314");
}

TEST(Limits, WhatDoublesEndsSoon) {
  auto repeated = [](const std::string &first, const std::string &again) {
    std::string text = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    " + first + "\n";
    for (int i = 0; i < 60; ++i) text += "    " + again + "\n";
    return text + "    return x\n";
  };
  std::string calls = "def g0(x):\n    return x + 1.0\n", structs = "struct S0:\n    a: Tensor[4, f32]\n    b: Tensor[4, f32]\n";
  for (int i = 1; i < 40; ++i) {
    std::string now = std::to_string(i), before = std::to_string(i - 1);
    calls += "def g" + now + "(x):\n    return g" + before + "(x) + g" + before + "(x)\n";
    structs += "struct S" + now + ":\n    a: S" + before + "\n    b: S" + before + "\n";
  }
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"E0432", repeated("y = (1, 1)", "y = (y, y)")},
      {"E0432", repeated("y = [1]", "y = y + y")},
      {"E0432", repeated("y = \"a\"", "y = y + y")},
      {"E0431", repeated("n = N", "n = n * n")},
      {"E0431", repeated("n = N + 1", "n = n * n")},
      {"E0431", repeated("n = N + 1", "n = (n // 3 + n) % 7")},
      {"E0431", repeated("n = N + 1", "n = min(n, N * 3) + max(n, 4)")},
      {"E0433", calls + "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return g39(x)\n"},
      {"E0433", structs + "def f(s: S39) -> Tensor[4, f32]:\n    return s.a\n"},
      {"E0433", kernel("    for a in tile.static_range(0, 4000):\n        for b in tile.static_range(0, 4000):\n            v = v + 1.0\n")},
  };
  for (const auto &[expected, text] : programs) {
    double start = cpuSeconds();
    test::Checking checked(text);
    EXPECT_EQ(code(checked), expected) << text.substr(0, 200) << "\n" << checked.messages();
    EXPECT_EQ(checked.diagnostics.all().size(), 1u) << checked.messages();
    EXPECT_LT(cpuSeconds() - start, 20.0) << text.substr(0, 200);
  }
}
