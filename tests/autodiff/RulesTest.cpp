// What derivatives are where a formula does not say it: ties, branches that are not taken, rules of one's own, and what
// has no derivative.
#include "Derivatives.h"

namespace tessera::test {
namespace {

reference::Value numbers(std::vector<double> values, DType dtype = DType::F32) {
  auto count = static_cast<int64_t>(values.size());
  return reference::Value::ofFloats(dtype, {count}, std::move(values));
}
std::vector<double> slopes(const std::string &text, const std::vector<reference::Value> &arguments, size_t which = 0) {
  Module module(text);
  EXPECT_FALSE(module.hasErrors()) << module.messages();
  return module.hasErrors() ? std::vector<double>() : module.run("g", arguments).at(which).floats;
}
std::string of(const std::string &expression, const std::string &more = "") {
  return "def f[N](x: Tensor[N, f32]" + more + ") -> f32:\n    return " + expression + "\n\ng = grad(f)\n";
}
using Numbers = std::vector<double>;

TEST(Ties, LargestElementsShare) {
  EXPECT_EQ(slopes(of("max(x)"), {numbers({1, 3, 3, 2})}), (Numbers{0, 0.5, 0.5, 0}));
  EXPECT_EQ(slopes(of("min(x)"), {numbers({1, 1, 1, 1})}), (Numbers{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(slopes(of("sum(maximum(x, x[::-1]))"), {numbers({1, 1})}), (Numbers{1, 1}));
}
TEST(Ties, ANumberTakesAll) {
  EXPECT_EQ(slopes(of("sum(maximum(x, 0.0))"), {numbers({-1, 0, 2})}), (Numbers{0, 0, 1}));
  EXPECT_EQ(slopes(of("sum(relu(x))"), {numbers({-1, 0, 2})}), (Numbers{0, 0, 1}));
  EXPECT_EQ(slopes(of("sum(abs(x))"), {numbers({-1, 0, 2})}), (Numbers{-1, 0, 1}));
}
TEST(Ties, AProductIsThatOfTheOthers) {
  EXPECT_EQ(slopes(of("prod(x)"), {numbers({2, 0, 3})}), (Numbers{0, 6, 0}));
  EXPECT_EQ(slopes(of("prod(x)"), {numbers({0, 0, 3})}), (Numbers{0, 0, 0}));
  EXPECT_EQ(slopes(of("prod(x)"), {numbers({2, 4, 3})}), (Numbers{12, 6, 8}));
}

/// Each of these has no finite derivative where the other side is chosen.
TEST(Branches, WhatIsNotChosenContributesNothing) {
  for (const char *pole : {"sqrt(x)", "log(x)", "1.0 / x", "rsqrt(x)", "log2(x)", "pow(x, 0.5)", "log1p(x - 1.0)", "x * (1.0 / x)",
                           "sqrt(x) + log(x)", "exp(1.0 / x)", "sqrt(x.reshape(N, 1)).reshape(N)", "sqrt(x) * log(x)"}) {
    Numbers slope = slopes(of("sum(where(x > 0.0, " + std::string(pole) + ", 0.0))"), {numbers({0, 4})});
    ASSERT_EQ(slope.size(), 2u) << pole;
    EXPECT_EQ(slope[0], 0) << pole;
    EXPECT_TRUE(std::isfinite(slope[1]) && (slope[1] != 0 || std::string(pole) == "x * (1.0 / x)")) << pole;
  }
  EXPECT_EQ(slopes(of("sum(where(x < 100.0, exp(x), 0.0))"), {numbers({1000, 0})}), (Numbers{0, 1}));
}
TEST(Branches, OnData) {
  std::string text = "def f[N](x: Tensor[N, f32]) -> f32:\n    s = sum(x)\n    if s > 0.0:\n        s = s * s\n    else:\n"
                     "        s = 3.0 * s\n    return s\n\ng = grad(f)\n";
  EXPECT_EQ(slopes(text, {numbers({1, 2})}), (Numbers{6, 6}));
  EXPECT_EQ(slopes(text, {numbers({-1, -2})}), (Numbers{3, 3}));
}
TEST(Branches, OnSizes) {  // what a side asserts holds only there
  std::string text = "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    y = x * w\n    if N >= 3:\n        y = y * exp(x)\n        s = sum(y[:3] * y[:3])\n"
                     "    else:\n        s = 5.0 * sum(x)\n    return s + sum(y)\n\ng = grad(f, wrt=(\"x\", \"w\"))\nh = jvp(f, wrt=\"w\")\n";
  EXPECT_EQ(slopes(text, {numbers({0, 2}), numbers({3, 4})}), (Numbers{8, 9}));
  EXPECT_EQ(slopes(text, {numbers({0, 2}), numbers({3, 4})}, 1), (Numbers{0, 2}));
  // (x w e^x)^2 + x w e^x at x = 0 and w = 3: w by x, 0 by w
  EXPECT_EQ(slopes(text, {numbers({0, 0, 0, 0}), numbers({3, 3, 3, 3})}), (Numbers{3, 3, 3, 3}));
  Module module(text);
  EXPECT_EQ(module.run("h", {numbers({1, 2}), numbers({3, 4}), numbers({1, 1})}).at(0).floats, (Numbers{3}));
  double e = std::exp(1.0), y = 2 * e;  // by w at x = 1, w = 2: (2 y + 1) e
  EXPECT_NEAR(module.run("h", {numbers({1, 0, 0}), numbers({2, 0, 0}), numbers({1, 0, 0})}).at(0).floats.at(0), (2 * y + 1) * e, 1e-5);
}
TEST(Branches, LoopsAreWrittenOut) {
  std::string text = "def f[N](x: Tensor[N, f32]) -> f32:\n    y = x\n    for i in range(3):\n        y = y * x + f32(i)\n"
                     "    return sum(y)\n\ng = grad(f)\n";
  EXPECT_EQ(slopes(text, {numbers({2})}), (Numbers{4 * 8 + 1}));  // x**4 + x + 2
}
TEST(Branches, WhatDoesNotDependIsZero) {
  EXPECT_EQ(slopes(of("sum(x) * 0.0 + sum(floor(x))"), {numbers({1, 2})}), (Numbers{0, 0}));
  std::string text = "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    return sum(w)\n\ng = grad(f, wrt=(\"x\", 1))\n";
  EXPECT_EQ(slopes(text, {numbers({1, 2}), numbers({1, 2})}), (Numbers{0, 0}));
  EXPECT_EQ(slopes(text, {numbers({1, 2}), numbers({1, 2})}, 1), (Numbers{1, 1}));
}
TEST(Branches, StoppedIsConstant) {
  EXPECT_EQ(slopes(of("sum(stop_gradient(x) * x)"), {numbers({3, 5})}), (Numbers{3, 5}));
  EXPECT_EQ(slopes(of("sum(stop_gradient(x * x))"), {numbers({3, 5})}), (Numbers{0, 0}));
  // The slope 2 c x + c w has constants c = x, or w; so they are for its own slopes.
  auto twice = [](const std::string &stopped, const std::string &by) {
    return "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    c = stop_gradient(" + stopped + ")\n    return sum(c * x * x + c * w * x)\n\n"
           "def h[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    return sum(grad(f, wrt=\"x\")(x, w))\n\ng = grad(h, wrt=\"" + by + "\")\n";
  };
  EXPECT_EQ(slopes(twice("x", "x"), {numbers({3, 5}), numbers({7, 8})}), (Numbers{6, 10}));
  EXPECT_EQ(slopes(twice("w", "w"), {numbers({3, 5}), numbers({7, 8})}), (Numbers{7, 8}));
  EXPECT_EQ(slopes(twice("x * w", "w"), {numbers({3, 5}), numbers({7, 8})}), (Numbers{21, 40}));
}
TEST(Branches, OneArgumentTwice) {
  std::string text = "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    return sum(x * x * w)\n"
                     "def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return grad(f, wrt=\"w\")(x, x)\n";
  EXPECT_EQ(slopes(text, {numbers({3, 5})}), (Numbers{9, 25}));
}
TEST(Branches, SmallFloatsAreRoundedOnce) {
  std::string text = "def f[N](x: Tensor[N, bf16]) -> f32:\n    y = cast(x, f32)\n    return sum(y * 1.00390625 + y * 0.00390625)\n\ng = grad(f)\n";
  EXPECT_EQ(slopes(text, {numbers({1}, DType::BF16)}), (Numbers{1.0078125}));  // each product alone would round to 1
}

TEST(Parts, WhatWasSplitIsPutTogether) {
  Module module("def f[N](x: Tensor[N, 6, f32]) -> f32:\n    a, b, c = split(x, 3, axis=1)\n    return sum(a * b * exp(c))\n\ng = grad(f)\n");
  ASSERT_FALSE(module.hasErrors()) << module.messages();
  std::string text = checked::dump(module.function("g"));
  EXPECT_NE(text.find("dx#"), std::string::npos) << text;
  EXPECT_EQ(text.find("full[N, 2](0"), std::string::npos) << text;  // no zeros around the parts
  EXPECT_EQ(text.find("full[N, 4](0"), std::string::npos) << text;
}

TEST(Parts, FactorsOfColumnsStandOutsideOfSums) {
  std::string text = "def f[N, C](x: Tensor[N, C, f32], g: Tensor[C, f32], b: Tensor[C, f32]) -> f32:\n    return sum(where(x > 0.0, x * g + b * g, 0.0))\n\n"
                     "g = grad(f, wrt=(\"g\", \"b\"))\n";
  Module module(text);
  ASSERT_FALSE(module.hasErrors()) << module.messages();
  std::string shown = checked::dump(module.function("g"));
  EXPECT_EQ(shown.find("broadcast"), std::string::npos) << shown;  // neither of g nor of b
  const std::vector<reference::Value> arguments = {reference::Value::ofFloats(DType::F32, {3, 2}, {1, 2, -1, 4, 3, -5}), numbers({2, 10}), numbers({5, 7})};
  EXPECT_EQ(slopes(text, arguments), (Numbers{14, 20}));  // the sums of x > 0, and b for each of them
  EXPECT_EQ(slopes(text, arguments, 1), (Numbers{4, 20}));
}

// ---------------------------------------------------------------- rules of one's own

const std::string kCube = "@custom_vjp\ndef cube[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * x * x\n\n"
                          "@cube.vjp\ndef cube_vjp[M](x: Tensor[M, f32], y: Tensor[M, f32], dy: Tensor[M, f32]) -> Tensor[M, f32]:\n";

TEST(Rules, AreUsed) {  // and not the derivative of the body
  std::string text = kCube + "    return 100.0 * x * dy\n\n" + of("sum(cube(x + 1.0) * 2.0)");
  EXPECT_EQ(slopes(text, {numbers({0, 2})}), (Numbers{200, 600}));
}
TEST(Rules, AreDifferentiated) {
  std::string text = kCube + "    return 3.0 * x * x * dy\n\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(cube(x))\n"
                             "def h[N](x: Tensor[N, f32]) -> f32:\n    return sum(grad(f)(x))\n\ng = grad(h)\n";
  EXPECT_EQ(slopes(text, {numbers({1, 2})}), (Numbers{6, 12}));
}
TEST(Rules, OfSeveralArgumentsAndResults) {
  std::string text = "@custom_vjp\ndef both[N](x: Tensor[N, f32], n: i32, w: f32) -> (Tensor[N, f32], f32):\n    return x * w, sum(x) * f32(n)\n"
                     "@both.vjp\ndef rule[N](x: Tensor[N, f32], n: i32, w: f32, y: Tensor[N, f32], s: f32, dy: Tensor[N, f32], ds: f32) -> (Tensor[N, f32], f32):\n"
                     "    return dy * w + ds * f32(n), sum(dy * x) + 7.0\n"
                     "def f[N](x: Tensor[N, f32], w: f32) -> f32:\n    y, s = both(x, 3, w)\n    return sum(y) + 2.0 * s\n"
                     "g = grad(f, wrt=(\"x\", \"w\"))\n";
  EXPECT_EQ(slopes(text, {numbers({1, 2}), reference::Value::scalar(DType::F32, 5)}), (Numbers{11, 11}));
  EXPECT_EQ(slopes(text, {numbers({1, 2}), reference::Value::scalar(DType::F32, 5)}, 1), (Numbers{10}));
}
TEST(Rules, PullAndPush) {
  std::string text = "def h[N, M](x: Tensor[N, f32], w: Tensor[N, M, f32]) -> (Tensor[M, f32], f32):\n    return x @ w, sum(x * x)\n"
                     "def pulled[N, M](x: Tensor[N, f32], w: Tensor[N, M, f32], dy: Tensor[M, f32]) -> Tensor[N, f32]:\n"
                     "    return vjp(h)(x, w, cotangent=(dy, 10.0))\n"
                     "pushed = jvp(h, wrt=\"x\")\n";
  Module module(text);
  ASSERT_FALSE(module.hasErrors()) << module.messages();
  auto w = reference::Value::ofFloats(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(module.run("pulled", {numbers({1, 2}), w, numbers({1, 0, 1})}).at(0).floats, (Numbers{1 + 3 + 20, 4 + 6 + 40}));
  auto pushed = module.run("pushed", {numbers({1, 2}), w, numbers({1, -1})});
  EXPECT_EQ(pushed.at(0).floats, (Numbers{-3, -3, -3}));
  EXPECT_EQ(pushed.at(1).floats, (Numbers{-2}));
}

// ---------------------------------------------------------------- what has none

std::string said(const std::string &text) {
  Module module(text);
  return module.messages();
}
testing::AssertionResult says(const std::string &text, const std::vector<std::string> &words) {
  std::string all = said(text);
  for (const std::string &word : words)
    if (all.find(word) == std::string::npos) return testing::AssertionFailure() << "no `" << word << "` in\n" << all;
  return testing::AssertionSuccess();
}

TEST(NoDerivative, OfAKernel) {
  std::string text = "@kernel\ndef twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    m = tile.origin()[0]\n"
                     "    return 2.0 * x[m:m + T.m]\n\n"
                     "def f[N](w: Tensor[N, f32]) -> f32:\n    h = w * 3.0\n    y = twice(h)\n    return sum(y * y)\n\ng = grad(f)\n";
  EXPECT_TRUE(says(text, {"error[E0214]: the derivative of the kernel `twice`", "`f` depends on `w` through it",
                          "the derivative is taken here", "`w` -> `h`", "`@custom_vjp`"}));
}
TEST(NoDerivative, OfIntegersMadeOfFloats) {
  EXPECT_TRUE(says(of("sum(cast(cast(x, i32), f32) * x)"), {"E0214", "an integer that was made of floats"}));
  EXPECT_TRUE(says(of("sum(cast(where(x > 0.0, 3, 4), f32) * x)"), {"E0214"}));
  EXPECT_EQ(said(of("sum(where(cast(x, i32) == 1, x, 0.0))")), "");   // only asked, not used as a number
  EXPECT_EQ(said(of("sum(cast(x > 0.0, f32) * x)")), "");
}
TEST(NoDerivative, OfWhatTheResultDoesNotDependOn) {  // is not asked for
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> f32:\n    n = cast(cast(x, i32), f32)\n    s = sum(n)\n    return sum(x)\n\ng = grad(f)\nh = jvp(f)\n"), "");
}
TEST(NoDerivative, ForwardThroughARule) {
  EXPECT_TRUE(says(kCube + "    return dy\n\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return cube(x)\n\ng = jvp(f)\n",
                   {"E0214", "the rule of `cube`", "it serves `grad` and `vjp`"}));
}
TEST(NoDerivative, OfLoopsThatRunTimeEnds) {
  std::string loop = "def f[N](x: Tensor[N, f32], n: i64) -> f32:\n    y = x\n    for i in range(n):\n        y = y * x\n    return sum(y)\n\ng = grad(f)\n";
  EXPECT_TRUE(says(loop, {"error[E0214]: the derivative of a loop whose number of turns is data", "range(min(turns, N))"}));
  std::string ends = "def f[N](x: Tensor[N, f32]) -> f32:\n    y = x\n    while sum(y) > 1.0:\n        y = 0.5 * y\n    return sum(y)\n\ng = grad(f)\n";
  EXPECT_TRUE(says(ends, {"error[E0214]: the derivative of a loop that ends by a condition", "and turn < N"}));
}

}  // namespace
}  // namespace tessera::test
