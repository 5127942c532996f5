// Policies: what may be said of which dtype, what two operands have in common, where values are rounded and
// scaled. The numbers of rules are those of docs/spec/numerics.md.
#include "checked/Policy.h"
#include "reference/Reference.h"
#include "tests/sema/Checking.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tessera;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string ofType(const std::string &dtype) {
  test::Checking c("def f[N](x: Tensor[N, " + dtype + "], i: Int) -> Int:\n    return i\n");
  const auto &all = c.diagnostics.all();
  if (all.empty()) return "";
  return std::string(diag::row(all[0].id).code) + (all.size() > 1 ? "+" : "") + " " + all[0].message + ": " +
         all[0].label;
}
std::string said(const std::string &text) { return test::Checking(text).messages(); }
std::string dumped(const std::string &text) {
  test::Checking c(text);
  EXPECT_EQ(c.messages(), "");
  return c.dump();
}
std::vector<double> ran(const std::string &text, reference::Arguments arguments) {
  test::Checking c(text);
  EXPECT_EQ(c.messages(), "");
  const checked::Function *f = c.program->find("f");
  if (!f) return {};
  reference::Outcome outcome = reference::run(*f, std::move(arguments));
  EXPECT_TRUE(outcome) << outcome.error->message;
  return outcome ? outcome.values[0].floats : std::vector<double>{};
}
reference::Value floats(DType dtype, std::vector<double> values) {
  auto n = static_cast<int64_t>(values.size());
  return reference::Value::ofFloats(dtype, {n}, std::move(values));
}
}  // namespace

TEST(Policies, WhatGoesTogether) {  // P1 to P12
  for (const char *right : {"bf16 @accum(f32)",         "f32 @accum(f64)",
                            "i8 @accum(i32)",           "f8e4m3 @compute(f16) @accum(f32)",
                            "f32 @compute(tf32)",       "bf16 @compute(bf16) @accum(f32)",
                            "f32 @compute(bf16)",       "f16 @round(up)",
                            "i8 @round(down)",          "f16 @round_at(each_op)",
                            "f16 @round_at(store)",     "bf16 @stochastic_round",
                            "f8e4m3 @saturate",         "i8 @saturate",
                            "f32 @denormals(flush)",    "f16 @denormals(keep)",
                            "f16 @loss_scale(1024)",    "f8e5m2 @loss_scale(0.5)",
                            "i8 @per_channel(0)",       "i4 @per_channel(0) @compute(bf16) @accum(f32)",
                            "f16 @round(up) @round(up)", "f8e4m3 @accum(f32) @fast_sums",
                            "f8e5m2 @fast_sums"})
    EXPECT_EQ(ofType(right), "") << right;
  const std::pair<const char *, const char *> wrong[] = {
      {"bf16 @round(up) @round(down)", "E0350 `@round(up)` and `@round(down)` contradict"},
      {"bf16 @round(up) @stochastic_round", "E0350 `@round(up)` and `@stochastic_round`"},
      {"bf16 @accum(f16)", "E0350 `@accum(f16)` and `bf16` contradict each other: a sum must hold"},
      {"f32 @accum(f16)", "E0350"},
      {"f32 @accum(tf32)", "E0350"},
      {"f8e4m3 @accum(f16)", "E0351 `@accum(f16)` has no meaning for f8e4m3: sums in fewer than 32 bits"},
      {"i8 @accum(f16)", "E0350"},
      {"i32 @accum(f32)", "E0350"},
      {"bool @accum(i32)", "E0351"},
      {"bf16 @compute(f64) @accum(f32)", "E0350 `@accum(f32)` and `@compute(f64)`"},
      {"i8 @compute(f32)", "E0351 `@compute(f32)` has no meaning for i8: integers are computed in integers"},
      {"f32 @compute(i32)", "E0351"},
      {"i32 @compute(i8)", "E0350"},
      {"f64 @round(up)", "E0351 `@round(up)` has no meaning for f64: no type is wider"},
      {"bool @round(up)", "E0351"},
      {"f32 @stochastic_round",
       "E0351 `@stochastic_round` has no meaning for f32: its values are stored as they were"},
      {"i8 @stochastic_round", "E0351"},
      {"f32 @round_at(store)",
       "E0350 `@round_at(store)` and `f32` contradict each other: arithmetic in f32 rounds"},
      {"bf16 @compute(bf16) @round_at(store)", "E0350 `@round_at(store)` and `@compute(bf16)`"},
      {"bf16 @stochastic_round @round_at(each_op)", "E0350"},
      {"i8 @round_at(each_op)", "E0351"},
      {"f4e2m1 @saturate", "E0351 `@saturate` has no meaning for f4e2m1: it has no infinity and no NaN"},
      {"f64 @saturate", "E0351"},
      {"bool @saturate", "E0351"},
      {"i32 @denormals(flush)", "E0351 `@denormals(flush)` has no meaning for i32: only floats"},
      {"f32 @loss_scale(1024)", "E0351 `@loss_scale(1024)` has no meaning for f32: it has room"},
      {"i8 @loss_scale(2)", "E0351"},
      {"f16 @loss_scale(1000)", "E0359 `@loss_scale` takes a power of two, but this is `1000`"},
      {"f16 @loss_scale(0)", "E0359"},
      {"f16 @per_channel(0)", "E0351 `@per_channel(0)` has no meaning for f16"},
      {"i8 @per_channel(1)", "E0351 `@per_channel(1)` has no meaning for this tensor: its axes are 0 to 0"},
      {"i8 @per_channel(-1)", "E0359"},
      {"bf16 @round(sideways)", "E0307"},
      {"bf16 @satrate", "E0307"},
      {"bf16 @fast_sums", "E0351 `@fast_sums` has no meaning for bf16: only products of floats of 8 bits"},
      {"f6e2m3 @fast_sums", "E0351"},
      {"i8 @fast_sums", "E0351"},
  };
  for (const auto &[dtype, words] : wrong) {
    SCOPED_TRACE(dtype);
    EXPECT_THAT(ofType(dtype), HasSubstr(words));
    EXPECT_THAT(ofType(dtype), Not(HasSubstr("+ ")));
  }
}

TEST(Policies, FastSumsAreThoseOfTheProduct) {  // P17
  const std::string bundle = "policy Fast = Policy(storage=f8e4m3, accumulate=f32, fast_sums=True)\n";
  std::string text = dumped(bundle + "def f[M, N, K](x: Tensor[M, K, Fast], w: Tensor[K, N, f8e4m3]) -> Tensor[M, N, f32]:\n    return x @ w\n");
  EXPECT_THAT(text, HasSubstr("x#0: Tensor[M, K, f8e4m3 @accum(f32) @fast_sums]"));
  const std::string two = "def f[M, N, K](x: Tensor[M, K, f8e4m3 @accum(f32) @fast_sums], w: Tensor[K, N, Exact]) -> Tensor[M, N, f32]:\n    return x @ w\n";
  EXPECT_THAT(said("policy Exact = Policy(storage=f8e4m3, fast_sums=False)\n" + two), HasSubstr("`@fast_sums`"));
}

TEST(Policies, Bundles) {  // P13
  const std::string training = "policy Training = Policy(storage=bf16, compute=bf16, accumulate=f32, "
                               "rounding=\"up\", saturate=False)\n";
  std::string text = dumped(
      training +
      "def f[N](x: Tensor[N, Training], y: Tensor[N, bf16 @Training]) -> f32:\n    return sum(x * y)\n");
  EXPECT_THAT(text, HasSubstr("x#0: Tensor[N, bf16 @compute(bf16) @accum(f32) @round(up)]"));
  EXPECT_THAT(text, HasSubstr("cast<bf16 @round(up)>(mul(cast<f32>(x#0), cast<f32>(y#1)))"));
  test::Checking imported("from .precision import Training\nimport tessera as ts\ndef f[N](x: Tensor[N, "
                          "Training]) -> f32:\n    return sum(x)\n",
                          {{"precision", training}});
  EXPECT_EQ(imported.messages(), "");
  test::Checking member("from . import precision\ndef f[N](x: Tensor[N, precision.Training], y: Tensor[N, "
                        "bf16 @precision.Training]) -> f32:\n    return sum(x * y)\n",
                        {{"precision", training}});
  EXPECT_EQ(member.messages(), "");
  EXPECT_THAT(said(training + "def f[N](x: Tensor[N, f16 @Training]) -> f32:\n    return sum(x)\n"),
              HasSubstr("E0350 2:28 `f16` and `Training` contradict each other"));
  EXPECT_THAT(said(training + "def f[N](x: Tensor[N, Training @round(down)]) -> f32:\n    return sum(x)\n"),
              HasSubstr("E0350"));
  EXPECT_THAT(
      said("policy P = Policy(accumulate=f32)\ndef f[N](x: Tensor[N, bf16 @P]) -> f32:\n    return sum(x)\n"),
      testing::Eq(""));
  EXPECT_THAT(said("policy P = Policy(storage=f32, accumulate=f16)\n"), HasSubstr("E0350 1:12"));
  EXPECT_THAT(said("policy P = Policy(storage=i8 @per_channel(0), compute=f32, accumulate=f32)\n"),
              testing::Eq(""));
  EXPECT_THAT(said("policy P = Policy(storage=bf16 @round(up), rounding=\"down\")\n"), HasSubstr("E0350"));
  EXPECT_THAT(said("policy P = Policy(storage=bf16, rounding=up)\n"), HasSubstr("up"));
  EXPECT_THAT(said("policy P = Policy(storage=bf16, loss_scale=3)\n"), HasSubstr("E0359"));
}

TEST(Policies, OfOperands) {  // P14
  auto both = [](const char *a, const char *b, const char *op) {
    return said("def f[N](x: Tensor[N, " + std::string(a) + "], y: Tensor[N, " + b +
                "]) -> Tensor[N, f32]:\n    return cast(x " + op + " y, f32)\n");
  };
  EXPECT_EQ(both("bf16 @round(up)", "bf16", "+"), "");
  EXPECT_THAT(both("bf16 @round(up)", "bf16 @round(down)", "+"),
              HasSubstr("E0354 2:17 the operands of `+` say `@round(up)` and `@round(down)`"));
  EXPECT_EQ(both("f8e4m3 @round(up)", "bf16 @round(down)", "*"),
            "");  // the narrower is widened: its policy ends there
  EXPECT_THAT(both("bf16 @accum(f32)", "bf16 @accum(f64)", "*"), HasSubstr("E0354"));
  EXPECT_THAT(both("bf16 @stochastic_round", "bf16 @round_at(each_op)", "*"), HasSubstr("E0354"));
}

TEST(Policies, ComputeInANarrowTypeRoundsEachOperation) {  // P3
  EXPECT_THAT(
      dumped("def f[N](x: Tensor[N, bf16 @compute(bf16)]) -> Tensor[N, bf16]:\n    return x * x + x\n"),
      HasSubstr(
          "cast<bf16>(add(cast<f32>(cast<bf16>(mul(cast<f32>(x#0), cast<f32>(x#0)))), cast<f32>(x#0)))"));
  // 1 + 2^-8 is 1 in bf16: computed in bf16 the small term is lost twice, in f32 it is not.
  double tiny = std::ldexp(1.0, -8);
  std::string body = "]) -> Tensor[N, f32]:\n    return cast((x + 1) - 1, f32)\n";
  EXPECT_EQ(ran("def f[N](x: Tensor[N, bf16 @compute(bf16)" + body, {floats(DType::BF16, {tiny})})[0], 0);
  EXPECT_EQ(ran("def f[N](x: Tensor[N, bf16 @round_at(each_op)" + body, {floats(DType::BF16, {tiny})})[0], 0);
  EXPECT_EQ(ran("def f[N](x: Tensor[N, bf16" + body, {floats(DType::BF16, {tiny})})[0], tiny);
  EXPECT_THAT(dumped("def f[N](x: Tensor[N, f32 @compute(f64)]) -> Tensor[N, f32]:\n    return x * x + x\n"),
              HasSubstr("cast<f32>(add(mul(cast<f64>(x#0), cast<f64>(x#0)), cast<f64>(x#0)))"));
}

TEST(Policies, FactorsOfProducts) {  // P4
  std::string text = dumped("def f[N](x: Tensor[N, N, f32 @compute(tf32)], y: Tensor[N, N, f32]) -> "
                            "Tensor[N, N, f32]:\n    return (x + y) @ y\n");
  EXPECT_THAT(text, HasSubstr("dot:f32(cast<tf32>(add(x#0, y#1)), cast<tf32>(y#1))"));
  EXPECT_THAT(
      dumped(
          "def f[N](x: Tensor[N, N, f32], y: Tensor[N, N, f32]) -> Tensor[N, N, f32]:\n    return x @ y\n"),
      Not(HasSubstr("tf32")));
}

TEST(Policies, ThePlaceSaysHowItIsRounded) {  // P15, P16
  EXPECT_THAT(dumped("def f[N](x: Tensor[N, f16 @round(up)]) -> Tensor[N, f16]:\n    return x * 3\n"),
              HasSubstr("return cast<f16 @round(up)>"));
  EXPECT_THAT(
      dumped("def f[N](x: Tensor[N, f16 @round(up)]) -> Tensor[N, f16 @round(down)]:\n    return x * 3\n"),
      HasSubstr("return cast<f16 @round(down)>"));
  double v = 1.0009765625;  // 1 + 2^-10; tripled it lies between two values of f16
  EXPECT_LT(ran("def f[N](x: Tensor[N, f16]) -> Tensor[N, f16 @round(down)]:\n    return x * 3\n",
                {floats(DType::F16, {v})})[0],
            ran("def f[N](x: Tensor[N, f16]) -> Tensor[N, f16 @round(up)]:\n    return x * 3\n",
                {floats(DType::F16, {v})})[0]);
  EXPECT_THAT(dumped("def g[N](x: Tensor[N, bf16 @accum(f64)]) -> f32:\n    return cast(sum(x), f32)\n"
                     "def f[N](x: Tensor[N, bf16 @accum(f32)]) -> f32:\n    return g(x)\n"),
              HasSubstr("reduce_sum<0>(cast<f64>(x#0))"));
  for (const char *type : {"Tensor[N, bf16 @accum(f64)]", "Tensor[N, bf16] @accum(f64)"})  // of a traced function
    EXPECT_THAT(dumped("def _g[N](x: " + std::string(type) + "):\n    return sum(x)\n"
                       "def f[N](x: Tensor[N, bf16 @accum(f32)]) -> f32:\n    return cast(_g(x), f32)\n"),
                HasSubstr("reduce_sum<0>(cast<f64>(x#0))"));
}

TEST(Policies, ACastAtThePlaceTakesOverWhatItSays) {  // P15
  EXPECT_THAT(dumped("def f[N](x: Tensor[N, f32]) -> Tensor[N, f16 @saturate]:\n    return cast(x, f16)\n"),
              HasSubstr("return cast<f16 @saturate>"));
  EXPECT_EQ(ran("def f[N](x: Tensor[N, f32]) -> Tensor[N, f16 @saturate]:\n    return cast(x, f16)\n",
                {floats(DType::F32, {1e6})})[0],
            65504);
  EXPECT_THAT(dumped("def f[N](x: Tensor[N, f32]) -> Tensor[N, bf16 @denormals(flush)]:\n    return cast(x, bf16 @saturate)\n"),
              HasSubstr("return cast<bf16 @saturate @denormals(flush)>"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, bf16 @stochastic_round]:\n    return cast(x, bf16)\n"),
              HasSubstr("E0352 2:12"));
}

TEST(Policies, WhatComesTooLateIsRefused) {  // P15
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f16 @round(up)]:\n    return cast(x, f16 @round(down))\n"),
              HasSubstr("E0360 2:12 `@round(up)` comes too late"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f16 @saturate]:\n    y = cast(x, f16)\n    return y.reshape(N, 1).reshape(N)\n"),
              HasSubstr("E0360 3:12"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32 @round(up)], y: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * y\n"),
              HasSubstr("E0360 2:12"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, i32]) -> Tensor[N, i32 @saturate]:\n    return x + x\n"), HasSubstr("E0360"));
  // Nothing is rounded: the value is one of memory's, or holds more.
  for (const char *body : {"x", "maximum(x, 0)", "-x", "where(x > 1, x, abs(x))", "x.reshape(1, N).reshape(N)"})
    EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32 @saturate]:\n    return " + std::string(body) + "\n"), "")
        << body;
  EXPECT_EQ(said("def f[N](x: Tensor[N, i8]) -> Tensor[N, i8 @saturate]:\n    return x + x\n"), "");
  EXPECT_EQ(said("def f[N](x: Tensor[N, bf16]) -> Tensor[N, f32 @saturate]:\n    return x\n"), "");
}

TEST(Policies, HowAFractionBecomesAnInteger) {  // P5
  auto whole = [](const std::string &policy) {
    auto values = ran("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return cast(cast(x, i32" + policy + "), f32)\n",
                      {floats(DType::F32, {1.2, 1.5, 2.5, -1.2, -1.7})});
    return std::vector<double>(values.begin(), values.end());
  };
  EXPECT_EQ(whole(""), (std::vector<double>{1, 1, 2, -1, -1}));
  EXPECT_EQ(whole(" @round(toward_zero)"), (std::vector<double>{1, 1, 2, -1, -1}));
  EXPECT_EQ(whole(" @round(nearest_even)"), (std::vector<double>{1, 2, 2, -1, -2}));
  EXPECT_EQ(whole(" @round(up)"), (std::vector<double>{2, 2, 3, -1, -1}));
  EXPECT_EQ(whole(" @round(down)"), (std::vector<double>{1, 1, 2, -2, -2}));
  // The same where the place says it, and of a type that is carried in a wider one.
  EXPECT_THAT(dumped("def f[N](x: Tensor[N, bf16]) -> Tensor[N, i32 @round(up)]:\n    return cast(x, i32)\n"),
              HasSubstr("cast<i32 @round(up)>(ceil(cast<f32>(x#0)))"));
}

TEST(Policies, ChoicesOfIntegersAreIntegers) {  // F10
  EXPECT_THAT(dumped("def f[N](c: Tensor[N, bool], d: Tensor[N, bool], x: Tensor[N, i32]) -> Tensor[N, i32]:\n"
                     "    return x + where(c, 2, where(d, 1, 0))\n"),
              Not(HasSubstr("f32")));
  EXPECT_EQ(said("def f[N](c: Tensor[N, bool], x: Tensor[N, i32]) -> Tensor[N, i64]:\n    return x + where(c, 2, 3000000000)\n"), "");
  EXPECT_EQ(said("def f[N](c: Tensor[N, bool], x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x + where(c, 2, 0.5)\n"), "");
}

TEST(Policies, StochasticRoundingNeedsAStream) {  // P9
  std::string rounded = dumped("def f[N](x: Tensor[N, f32], rng: Rng) -> Tensor[N, bf16 @stochastic_round]:\n"
                               "    return cast(x, bf16, rng=rng)\n");
  EXPECT_THAT(rounded, HasSubstr("let below#3: Tensor[N, f32] = cast<f32>(cast<bf16 @round(down)>(exact#2))"));
  EXPECT_THAT(rounded, HasSubstr("random_bits(rng#1, iota<0>[N])"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32], rng: Rng) -> Tensor[N, i8]:\n    return cast(x, i8, rng=rng)\n"),
              HasSubstr("E0351 2:20"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32], rng: Rng) -> Tensor[N, bf16]:\n"
                   "    return cast(x, bf16 @round(up), rng=rng)\n"),
              HasSubstr("E0350"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, bf16]:\n    return cast(x, bf16, rng=3)\n"),
              HasSubstr("E0311"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, bf16 @stochastic_round]:\n    return cast(x, "
                   "bf16 @stochastic_round)\n"),
              HasSubstr("E0352 2:12 rounding to bf16 by chance needs a stream of random numbers"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, bf16 @stochastic_round]) -> Tensor[N, bf16]:\n    return x * 2\n"),
              HasSubstr("E0352"));
  EXPECT_EQ(said("def f[N](x: Tensor[N, bf16 @stochastic_round]) -> Tensor[N, bf16]:\n    return x\n"), "");
}

TEST(Policies, LiteralsFit) {  // F14
  const std::pair<const char *, const char *> wrong[] = {
      {"i8", "x + 300"},  {"u8", "maximum(x, -1)"}, {"f16", "minimum(x, 100000.0)"},
      {"f16", "x * 1e6"}, {"f8e4m3", "x + 500"},    {"i8", "where(x > 0, x, 128)"},
      {"i4", "x * 8"},    {"f16", "x + 70000"},     {"u16", "x - 65536"}};
  for (const auto &[dtype, body] : wrong)
    EXPECT_THAT(said("def f[N](x: Tensor[N, " + std::string(dtype) + "]) -> Tensor[N, " + dtype +
                     "]:\n    return " + body + "\n"),
                HasSubstr("E0353 2:12"))
        << body;
  const std::pair<const char *, const char *> right[] = {
      {"i8", "x + 100"},    {"u8", "maximum(x, 255)"}, {"f16", "where(x > 0, x, -INF)"},
      {"bf16", "x * 1e30"}, {"f16", "x * 1e-9"},       {"i8", "where(x > -128, x, 127)"},
      {"f32", "x * 1e38"},  {"f8e4m3", "x * 448"}};
  for (const auto &[dtype, body] : right)
    EXPECT_EQ(said("def f[N](x: Tensor[N, " + std::string(dtype) + "]) -> Tensor[N, " + dtype +
                   "]:\n    return " + body + "\n"),
              "")
        << body;
  EXPECT_THAT(said("@kernel\ndef f[N](y: Tensor[N, i8]):\n    i = tile.origin()[0]\n    y[i] = 300\n"),
              HasSubstr("E0353"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, i8], s: i8 = 200) -> Tensor[N, i8]:\n    return x\n"),
              HasSubstr("E0353"));
  EXPECT_THAT(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f8e4m3]:\n    return full((N,), INF, f8e4m3)\n"),
              HasSubstr("E0353"));
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, i8]:\n    return full((N,), 300, i8 @saturate)\n"),
            "");
}

TEST(Policies, LossScale) {  // P10
  std::string text = dumped(
      "def f[N](x: Tensor[N, f16 @loss_scale(1024)]) -> Tensor[N, f16 @loss_scale(4)]:\n    return x * 3\n");
  EXPECT_THAT(text, HasSubstr("mul(cast<f32>(x#0), full[N](0.0009765625:f32))"));
  // Memory holds 1024 times the value; the result holds 4 times its value.
  EXPECT_EQ(ran("def f[N](x: Tensor[N, f16 @loss_scale(1024)]) -> Tensor[N, f16 @loss_scale(4)]:\n    return "
                "x * 3\n",
                {floats(DType::F16, {1024, 512})}),
            (std::vector<double>{12, 6}));
  // A gradient too small for f16 survives a product, because its factor is rounded as it stands in memory.
  std::string dot = "def f[N](x: Tensor[N, f16 @loss_scale(32768) @accum(f32)], y: Tensor[N, f16]) -> f32:\n "
                    "   return cast(x @ y, f32)\n";
  double small = std::ldexp(1.0, -30);
  EXPECT_EQ(ran(dot, {floats(DType::F16, {small * 32768, 0}), floats(DType::F16, {1, 1})})[0], small);
  EXPECT_EQ(ran("@kernel\ndef f[N](x: Tensor[N, f16 @loss_scale(8)]) -> Tensor[N, f16 @loss_scale(2)]:\n    "
                "T = tile.context()\n"
                "    n, = tile.origin()\n    return x[n:n + T.m] + 1\n",
                {floats(DType::F16, {8, 24})}),
            (std::vector<double>{4, 8}));
}

TEST(Policies, IntegersWithScales) {  // P11
  std::string text = dumped("def f[N, K](x: Tensor[K, f32], w: Tensor[N, K, i8 @per_channel(0)]) -> "
                            "Tensor[N, f32]:\n    return w @ x\n");
  EXPECT_THAT(text, HasSubstr("w#1: Tensor[N, K, i8 @per_channel(0)], w_scale#2: Tensor[N, f32]"));
  reference::Arguments arguments;
  arguments.push_back(floats(DType::F32, {1, 10}));
  arguments.push_back(reference::Value::ofInts(DType::I8, {3, 2}, {1, 2, 3, 4, -5, 6}));
  arguments.push_back(floats(DType::F32, {0.5, 2, 0.25}));
  std::vector<double> want = {0.5 * 21, 2 * 43, 0.25 * 55};
  EXPECT_EQ(ran("def f[N, K](x: Tensor[K, f32], w: Tensor[N, K, i8 @per_channel(0)]) -> Tensor[N, f32]:\n    "
                "return w @ x\n",
                arguments),
            want);
  EXPECT_EQ(ran("def apply[N, K](x: Tensor[K, f32], m: Tensor[N, K, i8 @per_channel(0)]) -> Tensor[N, "
                "f32]:\n    return m @ x\n"
                "def f[N, K](x: Tensor[K, f32], w: Tensor[N, K, i8 @per_channel(0)]) -> Tensor[N, f32]:\n    "
                "return apply(x, w)\n",
                arguments),
            want);
  EXPECT_EQ(ran("@kernel\ndef f[N, K](x: Tensor[K, f32], w: Tensor[N, K, i8 @per_channel(0)]) -> Tensor[N, "
                "f32]:\n    n, = tile.origin()\n"
                "    return tile.sum(w[n, :] * x[:])\n",
                arguments),
            want);
  EXPECT_EQ(ran("@kernel\ndef f[N, K](x: Tensor[K, f32], w: Tensor[N, K, i8 @per_channel(0)]) -> Tensor[N, "
                "f32]:\n    T = tile.context()\n"
                "    n, = tile.origin()\n    return tile.sum(w[n:n + T.m, :] * x[:][None, :], axis=1)\n",
                arguments),
            want);
  EXPECT_THAT(said("def f[N, K](x: Tensor[N, K, f32]) -> Tensor[N, K, i8 @per_channel(0)]:\n    return x\n"),
              HasSubstr("E0358 2:12"));
  EXPECT_THAT(said("def f[N, K](w: Tensor[N, K, i8 @per_channel(0)], w_scale: Tensor[N, f32]) -> Tensor[N, "
                   "K, f32]:\n    return w\n"),
              HasSubstr("E0204"));
}

/// The edits of E0302 and E0303 mend the program.
TEST(Policies, FixesMend) {  // F7, F8
  for (const std::string text :
       {"def f[N](x: Tensor[N, bf16]) -> f32:\n    return sum(x)\n",
        "def f[N](x: Tensor[N, bf16]) -> f32:\n    y = x * 2\n    return sum(y)\n",
        "def f[N](x: Tensor[N, dtype=f16]) -> Tensor[f16]:\n    return mean(x)\n",
        "def f[N, M, K](a: Tensor[N, K, i8], b: Tensor[K, M, i8]) -> Tensor[N, M, i32]:\n    return a @ b\n",
        "def f[N](x: Tensor[N, f16 @round(up)]) -> f16:\n    return sum(x)\n",
        "@kernel\ndef f(x: Tensor[\"N\", f32], y: Tensor[\"N\", f16]):\n    i = tile.linear_id()\n    if i < "
        "N:\n        y[i] = x[i]\n",
        "def f[N](x: Tensor[N, f64]) -> Tensor[N, f32]:\n    return exp(x)\n",
        "def g[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return x\ndef f[N](x: Tensor[N, f32]) -> "
        "Tensor[N, f16]:\n    return g(x)\n"}) {
    SCOPED_TRACE(text);
    test::Checking c(text);
    ASSERT_EQ(c.diagnostics.all().size(), 1u) << c.messages();
    const auto &fixes = c.diagnostics.all()[0].fixes;
    ASSERT_FALSE(fixes.empty()) << c.messages();
    for (const auto &fix : fixes) {  // there may be two ways: a cast, another declared type
      std::string mended = text;
      mended.replace(fix.span.begin, fix.span.end - fix.span.begin, fix.replacement);
      EXPECT_EQ(said(mended), "") << mended;
    }
  }
}

/// What goes into a narrow accumulator, and products of truth values.
TEST(Policies, AccumulatorsAreWide) {  // F8
  EXPECT_THAT(
      said("@kernel\ndef f[M, K](A: Tensor[M, K, bf16], B: Tensor[K, M, bf16]) -> Tensor[M, M, bf16]:\n    T "
           "= tile.context()\n"
           "    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), bf16)\n    for k in tile.range(0, K, "
           "T.k):\n"
           "        acc += tile.dot(A[m:m + T.m, k:k + T.k], B[k:k + T.k, n:n + T.n])\n    return acc\n"),
      HasSubstr("E0303"));
  for (const char *sum : {"acc * 0.5 + p", "p + acc * 0.5", "acc - p", "acc + p * 0.5"}) {  // what a product is added to is its accumulator
    std::string text = sum;
    text.replace(text.find('p'), 1, "tile.dot(A[m:m + T.m, k:k + T.k], B[k:k + T.k, n:n + T.n])");
    auto added = [&](const char *dtype) {
      return said("@kernel\ndef f[M, K](A: Tensor[M, K, bf16], B: Tensor[K, M, bf16]) -> Tensor[M, M, bf16]:\n    T = tile.context()\n"
                  "    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), " + std::string(dtype) +
                  ")\n    for k in tile.range(0, K, T.k):\n        acc = " + text + "\n    return tile.cast(acc, bf16)\n");
    };
    EXPECT_EQ(added("f32"), "") << sum;
    EXPECT_THAT(added("bf16"), HasSubstr("E0303")) << sum;
  }
  EXPECT_THAT(said("def f[M](a: Tensor[M, M, bool]) -> Tensor[M, M, i32]:\n    return a @ a\n"),
              HasSubstr("E0308"));
}
