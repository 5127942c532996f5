// `@specialize(B=32)` and `f.specialize(B=32)`: the entry points that they make, and sizes that cannot be. Rule T40 of
// docs/spec/types.md.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;

namespace {
const std::string f = "def f[B, T](x: Tensor[B, T, f32]) -> Tensor[B, f32] where B % 2 == 0, T in 1..=2048:\n    return sum(x, axis=1)\n";
std::string codes(const std::string &text) { return Checking(text).codes(); }
/// The names of the entry points in their order, and behind the general ones what they hand on to.
std::string entriesOf(const std::string &text) {
  Checking checked(text);
  std::string all = checked.messages();
  for (const auto &function : checked.program->functions) {
    all += (all.empty() ? "" : " ") + function->name;
    for (const checked::Special &special : function->specials) {
      all += "(" + special.name;
      for (const auto &[dim, size] : special.sizes) all += " " + dim + "=" + std::to_string(size);
      all += ")";
    }
  }
  return all;
}
}  // namespace

TEST(Specialize, MakesAnEntryPointBeforeTheGeneralOne) {
  EXPECT_EQ(entriesOf("@specialize(B=32)\n" + f), "f_B32 f(f_B32 B=32)");
  EXPECT_EQ(entriesOf(f + "f.specialize(B=32)\n"), "f_B32 f(f_B32 B=32)");
  EXPECT_EQ(entriesOf("SIZE = 4 * 8\n@specialize(B=SIZE)\n" + f), "f_B32 f(f_B32 B=32)");
}

TEST(Specialize, WhatFixesMostIsTriedFirst) {
  EXPECT_EQ(entriesOf("@specialize(B=32)\n@specialize(T=7)\n@specialize(T=64, B=32)\n" + f),
            "f_B32_T64 f_B32 f_T7 f(f_B32_T64 B=32 T=64)(f_B32 B=32)(f_T7 T=7)");
}

TEST(Specialize, SizesAreNumbersInTheTypesAndTheBody) {
  Checking c("@specialize(B=32)\ndef f[B, T](x: Tensor[B, T, f32], n: Const[T]) -> Tensor[B // 4, f32] where B % 4 == 0:\n"
             "    if B >= 32:\n        return sum(x.reshape(B // 4, 4 * T), axis=1)\n    return zeros((B // 4,))\n");
  ASSERT_EQ(c.messages(), "");
  const checked::Function &special = *c.program->find("f_B32");
  EXPECT_EQ(special.dims, std::vector<std::string>{"T"});
  EXPECT_EQ(special.params[0].var->type.str(), "Tensor[32, T, f32]");
  EXPECT_EQ(special.results[0].type.str(), "Tensor[8, f32]");
  EXPECT_TRUE(special.requirements.empty());
  EXPECT_EQ(special.signature, c.program->find("f")->signature + "  # B = 32");
}

TEST(Specialize, EachAlternativeOfTheParametersHasItsOwn) {
  EXPECT_EQ(entriesOf("@jit(dtypes=[f32, bf16])\n@specialize(N=8)\ndef f[N](x: Tensor[N]) -> Tensor[N]:\n    return x + 1.0\n"),
            "f_N8 f(f_N8 N=8) f_bf16_N8 f_bf16(f_bf16_N8 N=8)");
}

TEST(Specialize, KernelsAreSpecializedToo) {
  EXPECT_EQ(entriesOf("@kernel\n@specialize(n=64)\ndef twice(x: Tensor[\"n\", f32], y: Tensor[\"n\", f32]):\n    i = tile.linear_id()\n"
                      "    if i < n:\n        y[i] = 2.0 * x[i]\n"),
            "twice_n64 twice(twice_n64 n=64)");
}

TEST(Specialize, ANameThatIsTakenGetsANumber) {
  EXPECT_EQ(entriesOf("@specialize(B=2)\ndef f[B](x: Tensor[B, f32]) -> f32:\n    return sum(x)\ndef f_B2(x: f32) -> f32:\n    return x\n"),
            "f_B2_2 f(f_B2_2 B=2) f_B2");
}

TEST(Specialize, TestsBenchmarksAndClaimsStayWithTheGeneralOne) {
  Checking c("@specialize(B=32)\n@benchmark(B=32, T=8)\n@require(workspace <= 4 * KiB, B=32, T=8)\n@require(workspace <= 4 * KiB, B=16, T=8)\n" + f);
  ASSERT_EQ(c.messages(), "");
  const checked::Function &special = *c.program->find("f_B32");
  EXPECT_TRUE(special.benchmarks.empty());
  ASSERT_EQ(special.resources.size(), 1u);  // what is claimed of its own sizes
  EXPECT_EQ(special.resources[0].sizes, (checked::RunSizes{{"T", 8}}));
  EXPECT_EQ(c.program->find("f")->resources.size(), 2u);
}

TEST(Specialize, WhatIsNoSizeIsAnError) {
  Checking small("@specialize(b=32)\n" + f);
  EXPECT_EQ(small.messages(), "E0311 1:13 `specialize` expects dimensions of `f`, but this is `b`\n");
  ASSERT_EQ(small.diagnostics.all().back().fixes.size(), 1u);
  EXPECT_EQ(small.diagnostics.all().back().fixes[0].replacement, "B");
  EXPECT_EQ(codes("@specialize(BB=32)\n" + f), "E0311 1:13");
  EXPECT_EQ(codes("@specialize(B=0)\n" + f), "E0311 1:15");
  EXPECT_EQ(codes("@specialize(B=-2)\n" + f), "E0311 1:15");
  EXPECT_EQ(codes("@specialize(B=2.0)\n" + f), "E0311 1:15");
  EXPECT_EQ(codes("@specialize(32)\n" + f), "E0311 1:13");
  EXPECT_EQ(codes("@specialize\n" + f), "E0311 1:1");
  EXPECT_EQ(codes("@specialize()\n" + f), "E0311 1:1");
  EXPECT_EQ(codes(f + "f.specialize(B=nine)\n"), "E0200 3:16");
  EXPECT_EQ(codes("@specialize(B=32)\n" + f + "f.specialize(B=32)\n"), "E0311 4:1");
}

TEST(Specialize, SizesThatTheFactsForbidAreAnError) {
  Checking c("@specialize(B=33)\n" + f);
  EXPECT_EQ(c.messages(), "E0311 1:2 `specialize` expects sizes that `f` admits, but this is `B=33`\n");
  EXPECT_EQ(codes("@specialize(T=4096)\n" + f), "E0311 1:2");
  EXPECT_EQ(codes("@specialize(B=3)\ndef f[B](x: Tensor[B, f32]) -> f32:\n    assert B % 2 == 0\n    return sum(x)\n"), "E0311 1:2");
}

TEST(Specialize, ItStandsAboveEntryPointsOrOnALineOfItsOwn) {
  EXPECT_EQ(codes("@specialize(N=3)\ndef _f[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"), "E0340 1:1");
  EXPECT_EQ(codes("@specialize(N=3)\ndef main():\n    print(1)\n"), "E0340 1:1");
  EXPECT_EQ(codes("@specialize(N=3)\ndef f(x):\n    return sum(x)\n"), "E0340 1:1");
  EXPECT_EQ(codes("@test(N=3)\n@specialize(N=3)\ndef f[N](x: Tensor[N, f32]):\n    assert sum(x) == sum(x)\n"), "E0340 2:1");
  EXPECT_EQ(codes("@model\n@specialize(B=3)\ndef net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(x, 4)\n"), "E0340 2:1");
  EXPECT_EQ(codes("def g[N](x: Tensor[N, f32]) -> f32:\n    @specialize(N=3)\n    def h(y: Tensor[N, f32]) -> f32:\n        return sum(y)\n    return h(x)\n"), "E0340 2:5");
  EXPECT_EQ(codes(f + "g = f.specialize(B=32)\n"), "E0214 3:5");
}
