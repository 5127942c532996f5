// What `vmap`, `checkpoint` and rules of both directions do where a sweep over expressions does not say it: axes, trees, loops,
// branches, rules that are kept under a map, and what is refused.
#include "Derivatives.h"

namespace tessera::test {
namespace {

using Numbers = std::vector<double>;

reference::Value numbers(std::vector<int64_t> shape, Numbers values) { return reference::Value::ofFloats(DType::F32, std::move(shape), std::move(values)); }
reference::Value numbers(Numbers values) { return numbers({static_cast<int64_t>(values.size())}, values); }

std::vector<reference::Value> results(const std::string &text, const std::string &name, const std::vector<reference::Value> &arguments) {
  Module module(text);
  EXPECT_FALSE(module.hasErrors()) << module.messages();
  return module.hasErrors() ? std::vector<reference::Value>() : module.run(name, arguments);
}
Numbers result(const std::string &text, const std::string &name, const std::vector<reference::Value> &arguments, size_t which = 0) {
  auto all = results(text, name, arguments);
  return which < all.size() ? all[which].floats : Numbers();
}
testing::AssertionResult says(const std::string &text, const std::vector<std::string> &words) {
  std::string all = Module(text).messages();
  for (const std::string &word : words)
    if (all.find(word) == std::string::npos) return testing::AssertionFailure() << "no `" << word << "` in\n" << all;
  return testing::AssertionSuccess();
}

const reference::Value kRows = numbers({2, 3}, {1, 2, 3, 4, 5, 6});

// ---------------------------------------------------------------- vmap

TEST(Vmap, AxesOfArgumentsAndResults) {
  std::string f = "def f[N](x: Tensor[N, f32], c: f32) -> Tensor[N, f32]:\n    return x * c + sum(x)\n\n";
  EXPECT_EQ(result(f + "def g[B, N](x: Tensor[B, N, f32], c: Tensor[B, f32]) -> Tensor[B, N, f32]:\n    return vmap(f)(x, c)\n", "g",
                   {kRows, numbers({1, 10})}),
            (Numbers{7, 8, 9, 55, 65, 75}));
  EXPECT_EQ(result(f + "def g[B, N](x: Tensor[B, N, f32]) -> Tensor[N, B, f32]:\n    return vmap(f, in_axes=(0, None), out_axes=1)(x, 1.0)\n", "g", {kRows}),
            (Numbers{7, 19, 8, 20, 9, 21}));
  EXPECT_EQ(result(f + "def g[B, N](x: Tensor[B, N, f32]) -> Tensor[N, B, f32]:\n    return vmap(f, in_axes=(-1, None))(x, c=1.0)\n", "g", {kRows}),
            (Numbers{6, 9, 9, 12, 12, 15}));
  EXPECT_EQ(result(f + "def g[B](c: Tensor[B, f32]) -> Tensor[B, f32]:\n    return vmap(lambda a: 2.0)(c)\n", "g", {numbers({1, 2})}), (Numbers{2, 2}));
  EXPECT_EQ(result(f + "def g[B, N](x: Tensor[B, N, f32]) -> Tensor[B, f32]:\n    return vmap(sum)(x)\n", "g", {kRows}), (Numbers{6, 15}));
  EXPECT_EQ(result(f + "def g[N](x: Tensor[0, N, f32]) -> Tensor[0, f32]:\n    return vmap(sum)(x)\n", "g", {numbers({0, 3}, {})}), (Numbers{}));
}
TEST(Vmap, OfAMapAndOfADerivative) {
  std::string text = "def f(x: f32, y: f32) -> f32:\n    return x * x * y\n\n"
                     "def all_pairs[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> Tensor[N, M, f32]:\n    return vmap(vmap(f, in_axes=(None, 0)), in_axes=(0, None))(x, y)\n\n"
                     "def slopes[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:\n    return vmap(grad(f))(x, y)\n\n"
                     "def curved[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> f32:\n    return sum(vmap(grad(f))(x, y))\n\ncurvature = grad(curved, wrt=(\"x\", \"y\"))\n";
  EXPECT_EQ(result(text, "all_pairs", {numbers({1, 2, 3}), numbers({1, 10})}), (Numbers{1, 10, 4, 40, 9, 90}));
  EXPECT_EQ(result(text, "slopes", {numbers({1, 2}), numbers({3, 4})}), (Numbers{6, 16}));
  EXPECT_EQ(result(text, "curvature", {numbers({1, 2}), numbers({3, 4})}), (Numbers{6, 8}));
  EXPECT_EQ(result(text, "curvature", {numbers({1, 2}), numbers({3, 4})}, 1), (Numbers{2, 4}));
}
TEST(Vmap, OfTreesAndWhatIsTakenFromAround) {
  std::string text = "struct Line[N]:\n    w: Tensor[N, f32]\n    b: f32\n\n"
                     "def g[B, N](w: Tensor[B, N, f32], b: Tensor[B, f32], x: Tensor[N, f32], k: f32) -> (Tensor[B, f32], Tensor[B, N, f32]):\n"
                     "    def f(pair, line):\n        w, b = pair\n        return sum(w * line.w) + b * line.b, w + k\n"
                     "    return vmap(f, in_axes=(0, None))((w, b), Line(x, k))\n\n"
                     "def loss[N](line: Line[N], x: Tensor[N, f32]) -> f32:\n    return sum(line.w * x) * line.b\n\n"
                     "def each[B, N](w: Tensor[N, f32], b: f32, x: Tensor[B, N, f32]) -> (Tensor[B, N, f32], Tensor[B, f32]):\n"
                     "    d = vmap(grad(loss, wrt=\"line\"), in_axes=(None, 0))(Line(w, b), x)\n    return d.w, d.b\n";
  auto all = results(text, "g", {kRows, numbers({1, 2}), numbers({1, 0, 1}), reference::Value::scalar(DType::F32, 10)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].floats, (Numbers{14, 30}));
  EXPECT_EQ(all[1].floats, (Numbers{11, 12, 13, 14, 15, 16}));
  auto slopes = results(text, "each", {numbers({1, 0, 1}), reference::Value::scalar(DType::F32, 10), kRows});
  ASSERT_EQ(slopes.size(), 2u);
  EXPECT_EQ(slopes[0].floats, (Numbers{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(slopes[1].floats, (Numbers{4, 10}));
}
TEST(Vmap, OfSizesThatNoArgumentHas) {
  std::string text = "def f[N, H](x: Tensor[N, f32], heads: Const[H]) -> Tensor[N, f32] where N % H == 0:\n    return sum(reshape(x, H, N // H), axis=1, keepdim=True).broadcast_to((H, N // H)).reshape(N)\n\n"
                     "def g[B, N, H](x: Tensor[B, N, f32], heads: Const[H]) -> Tensor[B, N, f32] where N % H == 0:\n    return vmap(f, in_axes=(0, None))(x, heads)\n\n"
                     "@checkpoint\ndef inner[B, N, H](x: Tensor[B, N, f32], heads: Const[H]) -> Tensor[B, N, f32] where N % H == 0:\n    return vmap(lambda r: f(r * r, heads))(x)\n\n"
                     "def loss[B, N](x: Tensor[B, N, f32]) -> f32 where N % 2 == 0:\n    return sum(inner(x, 2))\n\nslope = grad(loss)\n";
  EXPECT_EQ(result(text, "g", {numbers({1, 4}, {1, 2, 3, 4}), reference::Value::index(2)}), (Numbers{3, 3, 7, 7}));
  EXPECT_EQ(result(text, "slope", {numbers({1, 4}, {1, 2, 3, 4})}), (Numbers{4, 8, 12, 16}));
}
TEST(Vmap, OfBranchesOnWhatIsMapped) {
  std::string text = "def f(x: f32, y: f32) -> f32:\n    s = x\n    if x > 0.0:\n        s = s * y\n    else:\n        s = 7.0\n    return s\n\n"
                     "def g[B](x: Tensor[B, f32], y: Tensor[B, f32]) -> Tensor[B, f32]:\n    return vmap(f)(x, y)\n\n"
                     "def shared[B](x: f32, y: Tensor[B, f32]) -> Tensor[B, f32]:\n    return vmap(f, in_axes=(None, 0))(x, y)\n";
  EXPECT_EQ(result(text, "g", {numbers({1, -1, 2}), numbers({3, 4, 5})}), (Numbers{3, 7, 10}));
  EXPECT_EQ(result(text, "shared", {reference::Value::scalar(DType::F32, 2), numbers({3, 4})}), (Numbers{6, 8}));
  EXPECT_EQ(result(text, "shared", {reference::Value::scalar(DType::F32, -2), numbers({3, 4})}), (Numbers{7, 7}));
}
TEST(Vmap, OfBranchesOnSizes) {
  std::string text = "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    s = sum(x)\n    if N >= 3:\n        s = s + sum(x[:3] * w[:3])\n    else:\n        s = 5.0 * s\n    return s\n\n"
                     "def g[B, N](x: Tensor[B, N, f32], w: Tensor[N, f32]) -> Tensor[B, f32]:\n    return vmap(f, in_axes=(0, None))(x, w)\n";
  EXPECT_EQ(result(text, "g", {kRows, numbers({1, 1, 1})}), (Numbers{12, 30}));
  EXPECT_EQ(result(text, "g", {numbers({2, 2}, {1, 2, 3, 4}), numbers({1, 1})}), (Numbers{15, 35}));
}
TEST(Vmap, OfLoopsThatRunTimeEnds) {  // they stay; what a turn leaves to the next has the axis if it depends on it in any turn
  std::string text = "def f[N](x: Tensor[N, f32], n: i64) -> (Tensor[N, f32], f32):\n    y = x * 0.0 + 1.0\n    p = 1.0 + 0.0 * f32(n)\n    q = p\n"
                     "    for i in range(n):\n        y = y * x\n        p, q = q, p + f32(i)\n    return y, q\n\n"
                     "def g[B, N](x: Tensor[B, N, f32], n: i64) -> (Tensor[B, N, f32], Tensor[B, f32]):\n    return vmap(f, in_axes=(0, None))(x, n)\n";
  auto all = results(text, "g", {kRows, reference::Value::index(3)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].floats, (Numbers{1, 8, 27, 64, 125, 216}));
  EXPECT_EQ(all[1].floats, (Numbers{3, 3}));  // (p, q): (1, 1), (1, 1), (1, 2), (2, 3)
  EXPECT_EQ(result(text, "g", {kRows, reference::Value::index(0)}), (Numbers{1, 1, 1, 1, 1, 1}));
}
TEST(Vmap, KeepsRules) {  // the rule's derivative, not that of the body; what is the same for all gets the sum
  std::string cube = "@custom_vjp\ndef cube[N](x: Tensor[N, f32], c: f32) -> Tensor[N, f32]:\n    return x * x * x * c\n\n"
                     "@cube.vjp\ndef cube_vjp[M](x: Tensor[M, f32], c: f32, y: Tensor[M, f32], dy: Tensor[M, f32]) -> (Tensor[M, f32], f32):\n    return 100.0 * x * dy, sum(dy)\n\n"
                     "def loss[B, N](x: Tensor[B, N, f32], c: f32) -> f32:\n    return sum(vmap(cube, in_axes=(0, None))(x, c))\n\nslope = grad(loss, wrt=(\"x\", \"c\"))\n";
  EXPECT_EQ(result(cube, "slope", {kRows, reference::Value::scalar(DType::F32, 1)}), (Numbers{100, 200, 300, 400, 500, 600}));
  EXPECT_EQ(result(cube, "slope", {kRows, reference::Value::scalar(DType::F32, 1)}, 1), (Numbers{6}));
  std::string forward = "@custom_jvp\ndef cube[N](x: Tensor[N, f32], c: f32) -> Tensor[N, f32]:\n    return x * x * x * c\n\n"
                        "@cube.jvp\ndef rule[M](x: Tensor[M, f32], c: f32, y: Tensor[M, f32], dx: Tensor[M, f32], dc: f32) -> Tensor[M, f32]:\n    return 100.0 * x * dx + dc\n\n"
                        "def map[B, N](x: Tensor[B, N, f32], c: f32) -> Tensor[B, N, f32]:\n    return vmap(cube, in_axes=(0, None))(x, c)\n\n"
                        "back = vjp(map, wrt=(\"x\", \"c\"))\non = jvp(map, wrt=(\"x\", \"c\"))\n";
  auto one = reference::Value::scalar(DType::F32, 1);
  EXPECT_EQ(result(forward, "back", {kRows, one, numbers({2, 3}, {1, 0, 1, 0, 1, 0})}), (Numbers{100, 0, 300, 0, 500, 0}));
  EXPECT_EQ(result(forward, "back", {kRows, one, numbers({2, 3}, {1, 0, 1, 0, 1, 0})}, 1), (Numbers{3}));
  EXPECT_EQ(result(forward, "on", {kRows, one, numbers({2, 3}, {1, 0, 1, 0, 1, 0}), one}), (Numbers{101, 1, 301, 1, 501, 1}));
}
TEST(Vmap, Refuses) {
  std::string f = "def f[N](x: Tensor[N, f32], c: f32) -> Tensor[N, f32]:\n    return x * c\n\n";
  std::string head = "def g[B, N](x: Tensor[B, N, f32], c: Tensor[B, f32]) -> Tensor[B, N, f32]:\n    return ";
  EXPECT_TRUE(says(f + head + "vmap(f)(x, 1.0 * c[0])\n", {"E0311", "an axis to map over", "`c`", "`None` in `in_axes`"}));
  EXPECT_TRUE(says(f + head + "vmap(f, in_axes=(2, 0))(x, c)\n", {"E0311", "the axis 2"}));
  EXPECT_TRUE(says(f + head + "vmap(f, in_axes=(0, 0, 0))(x, c)\n", {"E0311", "3 arguments"}));
  EXPECT_TRUE(says(f + head + "vmap(f, in_axes=0.5)(x, c)\n", {"E0311", "an axis or `None`"}));
  EXPECT_TRUE(says(f + head + "vmap(f, out_axes=None)(x, c)\n", {"E0311", "each result has the mapped axis"}));
  EXPECT_TRUE(says(f + head + "vmap(f, out_axes=3)(x, c)\n", {"E0311", "an axis of the result"}));
  EXPECT_TRUE(says(f + head + "vmap(f, axis=0)(x, c)\n", {"`in_axes` and `out_axes`"}));
  EXPECT_TRUE(says(f + head + "vmap(f(x, c))(x, c)\n", {"E0"}));
  EXPECT_TRUE(says(f + head + "vmap(f, in_axes=None)(x, c)\n", {"E0311", "all arguments are the same for all"}));
  EXPECT_TRUE(says(f + "def g[N](x: Tensor[4, N, f32], c: Tensor[3, f32]) -> Tensor[4, N, f32]:\n    return vmap(f)(x, c)\n", {"E0311", "mapped axes of one extent", "this says 4"}));
  EXPECT_TRUE(says("def f[N](x: Tensor[N, f32], n: i64) -> Tensor[N, f32]:\n    y = x\n    for i in range(n):\n        y = y * x\n    return y\n\n"
                   "def g[B, N](x: Tensor[B, N, f32], n: Tensor[B, i64]) -> Tensor[B, N, f32]:\n    return vmap(f)(x, n)\n", {"E0"}));
  EXPECT_TRUE(says("def f(x: f32) -> f32:\n    y = x\n    while y < 10.0:\n        y = y * 2.0\n    return y\n\n"
                   "def g[B](x: Tensor[B, f32]) -> Tensor[B, f32]:\n    return vmap(f)(x)\n", {"E0214", "a loop that ends at another turn for each index of the axis"}));
}

// ---------------------------------------------------------------- derivatives of what is made of a function

TEST(Nested, DerivativesOfDerivativesAndMaps) {
  std::string f = "def f(x: Tensor[3, f32], k: f32) -> f32:\n    return sum(x * x * x) * k\n\n";
  auto body = [&](const std::string &text) { return f + "def g(x: Tensor[3, f32]) -> Tensor[3, f32]:\n    return " + text + "\n"; };
  const reference::Value x = numbers({1, 2, 3});
  EXPECT_EQ(result(body("jvp(grad(f))(x, 2.0, tangent=x)"), "g", {x}), (Numbers{12, 48, 108}));
  EXPECT_EQ(result(body("vjp(grad(f))(x, 2.0, cotangent=x)"), "g", {x}), (Numbers{12, 48, 108}));
  EXPECT_EQ(result(body("jvp(value_and_grad(f))(x, k=2.0, tangent=x)[1]"), "g", {x}), (Numbers{12, 48, 108}));
  EXPECT_EQ(result(body("vjp(vmap(lambda a: a * a))(x, cotangent=x)"), "g", {x}), (Numbers{2, 8, 18}));
  EXPECT_EQ(result(body("vjp(grad(f, wrt=\"k\"), wrt=\"x\")(x, 2.0, cotangent=1.0)"), "g", {x}), (Numbers{3, 12, 27}));
  EXPECT_EQ(result(f + "push = jvp(grad(f))\n\ndef g(x: Tensor[3, f32]) -> Tensor[3, f32]:\n    return push(x, 2.0, tangent=x)\n", "g", {x}), (Numbers{12, 48, 108}));
  EXPECT_TRUE(says(body("grad(grad(f))(x, 2.0)"), {"E0332", "`grad(f)` returns"}));
  EXPECT_TRUE(says(body("jvp(vjp(f))(x, 2.0, tangent=x)"), {"E0311", "lambda x: vjp(f)(x, cotangent=...)"}));
}

TEST(Nested, MatricesOfDerivatives) {
  std::string f = "def f[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64]) -> Tensor[N, f64]:\n    return sin(x * x @ w) * sum(x)\n\n"
                  "def forward[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64]) -> Tensor[N, N, M, f64]:\n    return jacobian(lambda a: f(a, w), x)\n\n"
                  "def back[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64]) -> Tensor[N, N, M, f64]:\n    return jacobian(lambda a: f(a, w), reverse=True)(x)\n\n"
                  "def second[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64]) -> Tensor[N, M, N, M, f64]:\n    return hessian(lambda a: sum(f(a, w)), x)\n\n"
                  "def times[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64], v: Tensor[N, M, f64]) -> Tensor[N, M, f64]:\n    return hvp(lambda a: sum(f(a, w)), x, v)\n\n"
                  "def slope[N, M](x: Tensor[N, M, f64], w: Tensor[M, f64]) -> Tensor[N, M, f64]:\n    return grad(lambda a: sum(f(a, w)))(x)\n";
  auto wide = [](std::vector<int64_t> shape, Numbers values) { return reference::Value::ofFloats(DType::F64, std::move(shape), std::move(values)); };
  const Numbers at = {0.3, -0.7, 1.1, 0.4, -0.2, 0.9}, w = {0.5, -1.2, 0.8};
  const Numbers forward = result(f, "forward", {wide({2, 3}, at), wide({3}, w)}), back = result(f, "back", {wide({2, 3}, at), wide({3}, w)});
  const Numbers second = result(f, "second", {wide({2, 3}, at), wide({3}, w)});
  ASSERT_EQ(forward.size(), 12u);
  ASSERT_EQ(back.size(), 12u);
  ASSERT_EQ(second.size(), 36u);
  const double step = 1e-5;
  for (size_t i = 0; i < at.size(); ++i) {
    Numbers above = at, below = at;
    above[i] += step;
    below[i] -= step;
    auto differences = [&](const char *function) {
      Numbers up = result(f, function, {wide({2, 3}, above), wide({3}, w)}), down = result(f, function, {wide({2, 3}, below), wide({3}, w)});
      for (size_t k = 0; k < up.size(); ++k) up[k] = (up[k] - down[k]) / (2 * step);
      return up;
    };
    Numbers first = differences("f"), curved = differences("slope");
    for (size_t n = 0; n < 2; ++n) {
      EXPECT_NEAR(forward[n * 6 + i], first[n], 1e-8);
      EXPECT_NEAR(back[n * 6 + i], first[n], 1e-8);
    }
    for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(second[k * 6 + i], curved[k], 1e-8);
    Numbers unit(6, 0);
    unit[i] = 1;
    Numbers column = result(f, "times", {wide({2, 3}, at), wide({3}, w), wide({2, 3}, unit)});
    for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(column[k], second[k * 6 + i], 1e-12);
  }
}

// ---------------------------------------------------------------- checkpoint

std::string dumpOf(const std::string &text, const std::string &name) {
  Module module(text);
  EXPECT_FALSE(module.hasErrors()) << module.messages();
  return module.hasErrors() ? "" : checked::dump(module.function(name));
}
size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Checkpoint, ComputesAgainBehindTheDerivativeByTheResult) {
  std::string text = "@checkpoint\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return exp(sin(x))\n\n"
                     "def loss[N](x: Tensor[N, f32]) -> f32:\n    return sum(f(f(x)) ** 2)\n\nslope = value_and_grad(loss)\n";
  std::string dump = dumpOf(text, "slope");
  EXPECT_EQ(count(dump, "= after("), 2u) << dump;      // the argument of each of the calls
  EXPECT_EQ(count(dump, "= exp("), 4u) << dump;        // on the way there, and again
  EXPECT_GT(dump.find("= after("), dump.find("reduce_sum")) << dump;  // not before the loss is known
  double x = 0.5, a = std::exp(std::sin(x)), b = std::exp(std::sin(a));
  EXPECT_NEAR(result(text, "slope", {numbers({x})}, 1).at(0), 2 * b * b * std::cos(a) * a * std::cos(x), 1e-4);
}
TEST(Checkpoint, OfTreesNoiseAndWhatIsTakenFromAround) {
  std::string text = "struct Layer[N]:\n    w: Tensor[N, f32]\n    b: f32\n\n"
                     "def loss[N](w: Tensor[N, f32], b: f32, x: Tensor[N, f32], rng: Rng) -> f32:\n"
                     "    layer = Layer(w, b)\n    keep = dropout(x, 0.5, rng=rng)\n"
                     "    def block(layer, h):\n        return sin(h * layer.w) + layer.b + keep, sum(h)\n"
                     "    h, s = checkpoint(block)(layer, x)\n    h, s2 = block(layer, h)\n    return sum(h) + s * s2\n\n"
                     "def plain[N](w: Tensor[N, f32], b: f32, x: Tensor[N, f32], rng: Rng) -> f32:\n"
                     "    layer = Layer(w, b)\n    keep = dropout(x, 0.5, rng=rng)\n"
                     "    def block(layer, h):\n        return sin(h * layer.w) + layer.b + keep, sum(h)\n"
                     "    h, s = block(layer, x)\n    h, s2 = block(layer, h)\n    return sum(h) + s * s2\n\n"
                     "a = grad(loss, wrt=(\"w\", \"b\", \"x\"))\nb = grad(plain, wrt=(\"w\", \"b\", \"x\"))\n";
  std::vector<reference::Value> arguments = {numbers({0.1, 0.2, 0.3}), reference::Value::scalar(DType::F32, 0.5), numbers({1, 2, 3}), reference::Value::index(7)};
  auto a = results(text, "a", arguments), b = results(text, "b", arguments);
  ASSERT_EQ(a.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(a[i].floats, b[i].floats) << i;
}
TEST(Checkpoint, InsideOfOneAndOfLoops) {
  std::string text = "@checkpoint\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return sin(x) * x\n\n"
                     "@checkpoint\ndef two[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return f(f(x))\n\n"
                     "def loss[N](x: Tensor[N, f32]) -> f32:\n    h = x\n    for i in range(3):\n        h = two(h)\n    return sum(h)\n\n"
                     "def plain[N](x: Tensor[N, f32]) -> f32:\n    h = x\n    for i in range(6):\n        h = sin(h) * h\n    return sum(h)\n\na = grad(loss)\nb = grad(plain)\n"
                     "@checkpoint\ndef powers[N](x: Tensor[N, f32], n: i64) -> Tensor[N, f32]:\n    y = x\n    for i in range(n):\n        y = y * x\n    return y\n\n"
                     "def unasked[N](x: Tensor[N, f32], n: i64) -> Tensor[N, f32]:\n    return powers(x, n) + 1.0\n";
  EXPECT_EQ(result(text, "a", {numbers({1, 2, 3})}), result(text, "b", {numbers({1, 2, 3})}));
  EXPECT_EQ(result(text, "unasked", {numbers({2}), reference::Value::index(2)}), (Numbers{9}));  // a loop of run time stays one
}
TEST(Checkpoint, IntegersThatItGivesHaveNone) {
  std::string text = "@checkpoint\ndef f[N](x: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[N, i64]):\n    return x * x, argsort(x)\n\n"
                     "def loss[N](x: Tensor[N, f32]) -> f32:\n    y, order = f(x)\n    return sum(take(y, order) * y)\n\nslope = grad(loss)\n"
                     "def wrong[N](x: Tensor[N, f32]) -> f32:\n    y, order = f(x)\n    return sum(cast(order, f32) * y)\n\n";
  EXPECT_EQ(result(text, "slope", {numbers({1, 3, 2})}), (Numbers{4, 48, 72}));  // 2 x (y[o] + y[o]) with y = 1 9 4 and o = 0 2 1
  EXPECT_TRUE(says(text + "bad = grad(wrong)\n", {"E0214", "an integer that was made of floats"}));
}
TEST(Checkpoint, KeepsWhatIsNamed) {
  auto text = [](const std::string &policy) {
    return policy + "def block[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> (Tensor[B, D, f32], f32):\n"
                    "    h = x @ w\n    h = tanh(h)\n    if B > 3:\n        h = h * 2.0\n    return sin(h @ v), sum(h)\n\n"
                    "def loss[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n    y, s = block(x, w, v)\n    y, s2 = block(y, v, w)\n"
                    "    return sum(y * y) * s + s2\n\ng = value_and_grad(loss, wrt=(\"x\", \"w\", \"v\"))\n"
                    "def slope[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n    return sum(grad(loss)(x, w, v) * x)\n\nagain = grad(slope, wrt=(\"x\", \"v\"))\nonward = jvp(loss)\n";
  };
  auto products = [](const Module &module) {
    std::string all = checked::dump(module.function("g"));
    size_t count = 0;
    for (size_t at = all.find("dot:"); at != std::string::npos; at = all.find("dot:", at + 1)) ++count;
    return count;
  };
  Module plain(text("")), whole(text("@checkpoint\n")), kept(text("@checkpoint(keep=(\"h\",))\n"));
  ASSERT_FALSE(kept.hasErrors()) << kept.messages();
  EXPECT_EQ(products(whole), products(plain) + 4);  // both products of each block, once more
  EXPECT_EQ(products(kept), products(plain) + 2);   // those behind h
  for (int64_t rows : {2, 5}) {
    Numbers x, square = {0.3, -0.2, 0.5, 0.1};
    for (int64_t i = 0; i < rows * 2; ++i) x.push_back(0.1 * static_cast<double>(i) - 0.3);
    std::vector<reference::Value> arguments = {numbers({rows, 2}, x), numbers({2, 2}, square), numbers({2, 2}, {0.7, 0.2, -0.4, 0.6})};
    for (const char *function : {"g", "again"}) {
      auto a = plain.run(function, arguments), b = kept.run(function, arguments);
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i)
        for (size_t k = 0; k < a[i].floats.size(); ++k) EXPECT_NEAR(a[i].floats[k], b[i].floats[k], 1e-5) << function << " " << i << " " << k;
    }
    arguments.push_back(arguments[0]);
    EXPECT_NEAR(plain.run("onward", arguments)[0].floats[0], kept.run("onward", arguments)[0].floats[0], 1e-5);
  }
}
TEST(Checkpoint, KeepsWhatSavesMostWithinABudget) {
  auto text = [](const std::string &policy) {
    return policy + "def block[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> (Tensor[B, D, f32], f32):\n"
                    "    h = tanh(x @ w)\n    if B > 3:\n        h = h * 2.0\n    return sin(h @ v), sum(h)\n\n"
                    "def loss[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n    y, s = block(x, w, v)\n    y, s2 = block(y, v, w)\n"
                    "    return sum(y * y) * s + s2\n\ng = value_and_grad(loss, wrt=(\"x\", \"w\", \"v\"))\n"
                    "def slope[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n    return sum(grad(loss)(x, w, v) * x)\n\nagain = grad(slope, wrt=(\"x\", \"v\"))\nonward = jvp(loss)\n"
                    "def all[A, B, D](x: Tensor[A, B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n    return sum(vmap(lambda r: block(r, w, v)[0])(x) ** 2)\n\neach = grad(all, wrt=(\"x\", \"w\"))\n"
                    "def turned[P, Q](x: Tensor[P * Q, 2, f32], p: Tensor[P, f32], q: Tensor[Q, f32], w: Tensor[2, 2, f32]) -> f32:\n    return sum(block(x, w, w)[0]) + sum(p) + sum(q)\n\nfolded = value_and_grad(turned, wrt=\"w\")\n";
  };
  auto products = [](const Module &module, const std::string &function) {
    std::string all = checked::dump(module.function(function));
    size_t count = 0;
    for (size_t at = all.find("dot:"); at != std::string::npos; at = all.find("dot:", at + 1)) ++count;
    return count;
  };
  Module plain(text(""));
  // Two products of each block are computed again; what is behind each of them takes 4 B D bytes.
  for (auto [budget, again] : std::vector<std::pair<int, size_t>>{{0, 4}, {15, 4}, {16, 2}, {31, 2}, {32, 0}, {1000000, 0}}) {
    Module kept(text("@checkpoint(budget=" + std::to_string(budget) + ", B=2, D=2)\n"));
    ASSERT_FALSE(kept.hasErrors()) << kept.messages();
    EXPECT_EQ(products(kept, "g"), products(plain, "g") + again) << budget;
    EXPECT_EQ(products(kept, "each"), products(plain, "each") + again / 2) << budget;  // of each index of the map
    EXPECT_EQ(products(kept, "folded"), products(plain, "folded") + again / 2) << budget;
    for (int64_t rows : {1, 2, 5}) {
      Numbers x;
      for (int64_t i = 0; i < rows * 2; ++i) x.push_back(0.1 * static_cast<double>(i) - 0.3);
      std::vector<reference::Value> arguments = {numbers({rows, 2}, x), numbers({2, 2}, {0.3, -0.2, 0.5, 0.1}), numbers({2, 2}, {0.7, 0.2, -0.4, 0.6})};
      for (const char *function : {"g", "again"}) {
        auto a = plain.run(function, arguments), b = kept.run(function, arguments);
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); ++i)
          for (size_t k = 0; k < a[i].floats.size(); ++k) EXPECT_NEAR(a[i].floats[k], b[i].floats[k], 1e-5) << function << " " << i << " " << k;
      }
      std::vector<reference::Value> onward = arguments;
      onward.push_back(arguments[0]);
      EXPECT_NEAR(plain.run("onward", onward)[0].floats[0], kept.run("onward", onward)[0].floats[0], 1e-5);
      arguments[0].shape = {1, rows, 2};
      auto a = plain.run("each", arguments), b = kept.run("each", arguments);
      for (size_t i = 0; i < a.size(); ++i)
        for (size_t k = 0; k < a[i].floats.size(); ++k) EXPECT_NEAR(a[i].floats[k], b[i].floats[k], 1e-5) << "each " << i << " " << k;
    }
  }
  // What has a name is kept first.
  Module named(text("@checkpoint(keep=\"h\", budget=16, B=2, D=2)\n"));
  ASSERT_FALSE(named.hasErrors()) << named.messages();
  EXPECT_EQ(products(named, "g"), products(plain, "g") + 2);
}
TEST(Checkpoint, ACallHasABudgetOfItsOwn) {
  auto text = [](const std::string &first, const std::string &second) {
    return "def block[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> Tensor[B, D, f32]:\n"
           "    h = tanh(x @ w)\n    return sin(h @ v)\n\n"
           "def loss[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32], v: Tensor[D, D, f32]) -> f32:\n"
           "    y = " + first + "(x, w, v)\n    y = " + second + "(y, v, w)\n    return sum(y * y)\n\n"
           "g = value_and_grad(loss, wrt=(\"x\", \"w\", \"v\"))\n";
  };
  auto products = [](const Module &module) {
    std::string all = checked::dump(module.function("g"));
    size_t count = 0;
    for (size_t at = all.find("dot:"); at != std::string::npos; at = all.find("dot:", at + 1)) ++count;
    return count;
  };
  auto budget = [](int bytes) { return "checkpoint(block, budget=" + std::to_string(bytes) + ", B=2, D=2)"; };
  Module plain(text("block", "block"));
  const std::vector<reference::Value> arguments = {numbers({2, 2}, {0.1, -0.3, 0.2, 0.5}), numbers({2, 2}, {0.3, -0.2, 0.5, 0.1}),
                                                   numbers({2, 2}, {0.7, 0.2, -0.4, 0.6})};
  struct Case {
    std::string first, second;
    size_t again;  // products that are computed again
  };
  for (const Case &c : {Case{budget(15), budget(0), 4}, {budget(16), "block", 1}, {budget(16), budget(31), 2}, {budget(0), budget(32), 2},
                        {budget(1 << 20), budget(32), 0}, {"checkpoint(block, keep=\"h\")", "block", 1},
                        {"checkpoint(lambda a, b, c: block(a, b, c), keep=[\"h\"], budget=0, B=2, D=2)", budget(32), 1}}) {
    Module kept(text(c.first, c.second));
    ASSERT_FALSE(kept.hasErrors()) << kept.messages();
    EXPECT_EQ(products(kept), products(plain) + c.again) << c.first << " " << c.second;
    auto a = plain.run("g", arguments), b = kept.run("g", arguments);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t k = 0; k < a[i].floats.size(); ++k) EXPECT_NEAR(a[i].floats[k], b[i].floats[k], 1e-5) << c.first << " " << i << " " << k;
  }
}
TEST(Checkpoint, RefusesInCalls) {
  auto said = [](const std::string &arguments) {
    return "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * x\n\n"
           "def loss[N](x: Tensor[N, f32]) -> f32:\n    return sum(checkpoint(f, " + arguments + ")(x))\n\ng = grad(loss)\n";
  };
  EXPECT_TRUE(says(said("keep=\"dots\""), {"E0311", "`keep` expects names of values of `f`, but this is `dots`, which is none"}));
  EXPECT_TRUE(says(said("keep=()"), {"E0311", "names of values in quotes"}));
  EXPECT_TRUE(says(said("budget=3"), {"E0208", "`checkpoint` needs its argument `N`", "`checkpoint(f, budget=..., N=...)`"}));
  EXPECT_TRUE(says(said("budget=3, N=2, M=2"), {"E0206", "`checkpoint` takes no argument `M`", "no dimension of this name", "`N=...`"}));
  EXPECT_TRUE(says(said("budget=3, N=2.5"), {"E0311", "`N` expects a whole number, the size of a dimension"}));
  EXPECT_TRUE(says(said("budget=-1, N=2"), {"E0311", "`budget` expects a whole number of bytes", "`budget=64 * MiB`"}));
  EXPECT_TRUE(says(said("budget=0.5, N=2"), {"E0311", "`budget` expects a whole number of bytes"}));
  EXPECT_TRUE(says(said("N=2"), {"E0206", "takes no argument `N`", "`budget=64 * MiB` with sizes of dimensions"}));
  EXPECT_TRUE(says(said("3"), {"E0207", "`keep=` and `budget=`"}));
}
TEST(Checkpoint, Refuses) {
  std::string f = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * x\n\n";
  EXPECT_TRUE(says("@checkpoint(keep=\"dots\")\n" + f, {"E0340", "keeps `dots`, and no value of `f` is called so"}));
  EXPECT_TRUE(says("@checkpoint(budget=3)\n" + f, {"E0340", "no size for `N`", "`@checkpoint(budget=..., N=...)`"}));
  EXPECT_TRUE(says("@checkpoint(budget=3, N=2, M=2)\n" + f, {"E0340", "gives a size to `M`, which is no dimension of `f`"}));
  EXPECT_TRUE(says("@checkpoint(budget=3, N=2.5)\n" + f, {"E0340", "gives `N` a size that is no number"}));
  EXPECT_TRUE(says("@checkpoint(budget=-1, N=2)\n" + f, {"E0340", "no number of bytes"}));
  EXPECT_TRUE(says("@checkpoint(budget=0.5, N=2)\n" + f, {"E0340", "no number of bytes"}));
  EXPECT_TRUE(says("@checkpoint(N=2)\n" + f, {"E0214", "this policy of `@checkpoint`", "`budget=64 * MiB`"}));
  EXPECT_TRUE(says("@checkpoint(keep=1)\n" + f, {"E0214", "names of values in quotes"}));
  EXPECT_TRUE(says("@checkpoint\n@kernel\ndef k[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    m = tile.origin()[0]\n    return x[m:m + T.m]\n", {"stands above the kernel `k`"}));
  EXPECT_TRUE(says("@checkpoint\n@custom_vjp\n" + f + "@f.vjp\ndef r[N](x: Tensor[N, f32], y: Tensor[N, f32], dy: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dy\n", {"whose derivative is written by hand"}));
  EXPECT_TRUE(says(f + "def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return checkpoint(f, keep=1)(x)\n", {"`keep`"}));
  EXPECT_TRUE(says("@checkpoint\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return cast(cast(x, i32), f32)\n\ndef loss[N](x: Tensor[N, f32]) -> f32:\n    h = x * 2.0\n    return sum(f(h))\n\ng = grad(loss)\n",
                   {"E0214", "an integer that was made of floats", "`loss` depends on `x` through it", "`x` -> `h`"}));
}

// ---------------------------------------------------------------- rules of both directions

const std::string kRoot = "@custom_jvp\ndef root[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return sqrt(x)\n\n@root.jvp\n"
                          "def root_jvp[N](x: Tensor[N, f32], y: Tensor[N, f32], dx: Tensor[N, f32]) -> Tensor[N, f32]:\n";

TEST(ForwardRules, ServeBothDirections) {  // with another factor than that of the body, to see which is taken
  std::string text = kRoot + "    return where(x > 0.0, 100.0 * dx / maximum(y, 1.0), 0.0)\n\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 3.0 * root(2.0 * x)\n\n"
                     "on = jvp(f)\nback = vjp(f)\ndef slope[N](x: Tensor[N, f32]) -> f32:\n    return sum(vjp(f)(x, cotangent=x))\n\nsecond = grad(slope)\n";
  EXPECT_EQ(result(text, "on", {numbers({0, 2, 8}), numbers({1, 1, 2})}), (Numbers{0, 300, 300}));
  EXPECT_EQ(result(text, "back", {numbers({0, 2, 8}), numbers({1, 1, 2})}), (Numbers{0, 300, 300}));
  // slope = sum of 600 x / y, y = sqrt(2 x) with y' = 100 / y by the rule, times 2
  EXPECT_EQ(result(text, "second", {numbers({2, 8})}), (Numbers{600.0 / 2 - 600.0 * 2 / 4 * 100, 600.0 / 4 - 600.0 * 8 / 16 * 50}));
}
TEST(ForwardRules, OfSeveralArgumentsAndResults) {
  std::string text = "@custom_jvp\ndef f[N](x: Tensor[N, f32], n: i32, w: f32) -> (Tensor[N, f32], f32):\n    return x * w, sum(x) * f32(n)\n"
                     "@f.jvp\ndef r[N](x: Tensor[N, f32], n: i32, w: f32, y: Tensor[N, f32], s: f32, dx: Tensor[N, f32], dw: f32) -> (Tensor[N, f32], f32):\n"
                     "    return dx * w + x * dw, f32(n) * sum(dx)\n"
                     "def g[N](x: Tensor[N, f32], w: f32) -> f32:\n    y, s = f(x, 3, w)\n    return sum(y * y) + 2.0 * s\n\nslope = grad(g, wrt=(\"x\", \"w\"))\n";
  EXPECT_EQ(result(text, "slope", {numbers({1, 2}), reference::Value::scalar(DType::F32, 5)}), (Numbers{56, 106}));
  EXPECT_EQ(result(text, "slope", {numbers({1, 2}), reference::Value::scalar(DType::F32, 5)}, 1), (Numbers{50}));
}
const std::string kUntyped = "@custom_jvp\ndef root(x, scale=1.0):\n    return sqrt(x) * scale\n\n@root.jvp\ndef root_jvp(x, scale, y, dx):\n";

TEST(ForwardRules, OfFunctionsWithoutTypes) {  // for each call one, of the types of its arguments; with another factor than that of the body
  std::string text = kUntyped + "    return 100.0 * scale * dx / y\n\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 3.0 * root(2.0 * x, scale=1.0)\n\n"
                     "on = jvp(f)\nback = vjp(f)\ndef g[M, N](x: Tensor[M * N, f32], y: Tensor[M, N, f32]) -> f32:\n    return sum(root(x, 1.0)) + sum(root(y, 1.0))\n\nslopes = grad(g, wrt=(\"x\", \"y\"))\n"
                     "def turns[T, N](x: Tensor[T, N, f32]) -> f32:\n    h = x[0]\n    for t in range(T):\n        h = root(h * x[t])\n    return sum(h)\n\nof_turns = grad(turns)\n"
                     "def direct[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return vjp(root)(x, 1.0, cotangent=x)\n";
  EXPECT_EQ(result(text, "on", {numbers({2, 8}), numbers({1, 2})}), (Numbers{300, 300}));
  EXPECT_EQ(result(text, "back", {numbers({2, 8}), numbers({1, 2})}), (Numbers{300, 300}));
  EXPECT_EQ(result(text, "slopes", {numbers({1, 4}), numbers({1, 2}, {1, 16})}), (Numbers{100, 50}));
  EXPECT_EQ(result(text, "slopes", {numbers({1, 4}), numbers({1, 2}, {1, 16})}, 1), (Numbers{100, 25}));
  EXPECT_EQ(result(text, "of_turns", {numbers({1, 1}, {4})}), (Numbers{200}));  // root(x * x), 2 x * 100 / 4
  EXPECT_EQ(result(text, "direct", {numbers({1, 4})}), (Numbers{100, 200}));
}
TEST(ForwardRules, OfFunctionsWithoutTypesAreChecked) {
  std::string of = "\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(root(x, 1.0))\n\ng = grad(f)\n";
  EXPECT_TRUE(says(kUntyped + "    return dx * dx\n" + of, {"E0333", "not linear in the tangents", "`mul`"}));
  EXPECT_TRUE(says(kUntyped + "    return sum(dx)\n" + of, {"E0333", "its result 0 is"}));
  EXPECT_TRUE(says("@custom_jvp\ndef root(x, scale=1.0):\n    return sqrt(x) * scale\n" + of, {"E0333", "there is none"}));
  EXPECT_TRUE(says("@custom_jvp\ndef root(x, scale=1.0):\n    return sqrt(x) * scale\n\n@root.jvp\ndef root_jvp(x, y, dx):\n    return dx\n" + of, {"E0333", "it takes 3 arguments, not 4"}));
  EXPECT_TRUE(says("@custom_vjp\ndef root(x, scale):\n    return sqrt(x[0]) * scale\n\n@root.vjp\ndef root_vjp(x, scale, y, dy):\n    return (dy,)\n\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(root((x, x), 1.0))\n",
                   {"E0214", "one is of several parts"}));
}
TEST(BackwardRules, OfFunctionsWithoutTypes) {
  std::string text = "@custom_vjp\ndef part(x, w):\n    return x * w, sum(w)\n\n@part.vjp\ndef part_vjp(x, w, y, s, dy, ds):\n    return 10.0 * dy * w, 100.0 * x * dy + ds\n\n"
                     "def f[N](x: Tensor[N, f32], w: Tensor[N, f32]) -> f32:\n    y, s = part(x, w)\n    return sum(y) + 3.0 * s\n\ng = grad(f, wrt=(\"x\", \"w\"))\n";
  EXPECT_EQ(result(text, "g", {numbers({1, 2}), numbers({4, 5})}), (Numbers{40, 50}));
  EXPECT_EQ(result(text, "g", {numbers({1, 2}), numbers({4, 5})}, 1), (Numbers{103, 203}));
}
TEST(ForwardRules, AreLinear) {
  auto refused = [&](const std::string &body, const std::string &what) {
    return says(kRoot + "    return " + body + "\n", {"E0333", "not linear in the tangents", what});
  };
  EXPECT_TRUE(refused("exp(dx)", "`exp`"));
  EXPECT_TRUE(refused("dx * dx", "`mul`"));
  EXPECT_TRUE(refused("dx + 1.0", "`add`"));
  EXPECT_TRUE(refused("x / dx", "`div`"));
  EXPECT_TRUE(refused("abs(dx)", "`abs`"));
  EXPECT_TRUE(refused("where(dx > 0.0, dx, 0.0)", "`"));
  EXPECT_TRUE(refused("where(x > 0.0, dx, 1.0)", "`select`"));
  EXPECT_TRUE(refused("x", "no tangent is part of"));
  EXPECT_TRUE(refused("dx * sum(dx)", "`mul`"));
  EXPECT_TRUE(refused("max(dx) + dx", "`max`"));
  EXPECT_EQ(Module(kRoot + "    h = concat(dx, zeros_like(x) + dx, axis=0)\n    return 0.5 / y * (h[:N] - x * sum(-dx)) + softmax_safe(x) * dx\n").messages(), "");
}
TEST(ForwardRules, AreWhatTheFunctionNeeds) {
  EXPECT_TRUE(says("@custom_jvp\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n", {"E0333", "`@f.jvp` above a function"}));
  EXPECT_TRUE(says("@custom_jvp\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n\n@f.jvp\ndef r[N](x: Tensor[N, f32], dx: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dx\n",
                   {"E0333", "it takes 2 arguments, not 3"}));
  EXPECT_TRUE(says("@custom_vjp\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n\n@f.jvp\ndef r[N](x: Tensor[N, f32], y: Tensor[N, f32], dx: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dx\n",
                   {"E0333", "that has no `@custom_jvp`"}));
}

}  // namespace
}  // namespace tessera::test
