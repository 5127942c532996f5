// Derivatives of loops whose turns run time counts, in f64: against central differences along a direction, both directions against
// each other, and the derivative of the derivative.
#include "Derivatives.h"

namespace tessera::test {
namespace {

using reference::Value;

struct Case {
  const char *name;
  const char *text;    // defines loss(x, w, n) -> f64
  std::vector<int64_t> x, w;
  int64_t n = 0;
};

Value drawn(const std::vector<int64_t> &shape, std::mt19937_64 &random) {
  std::normal_distribution<double> normal(0, 0.7);
  size_t count = 1;
  for (int64_t extent : shape) count *= static_cast<size_t>(extent);
  std::vector<double> numbers(count);
  for (double &number : numbers) number = normal(random);
  return Value::ofFloats(DType::F64, shape, std::move(numbers));
}
Value along(const Value &at, const Value &direction, double step) {
  Value moved = at;
  for (size_t i = 0; i < moved.floats.size(); ++i) moved.floats[i] += step * direction.floats[i];
  return moved;
}

/// The best of some differences agrees with the slope.
void expectSlope(const Module &module, const std::string &function, std::vector<Value> arguments, size_t which, const Value &direction, double slope) {
  double best = HUGE_VAL;
  const Value at = arguments[which];
  for (double step : {1e-3, 1e-4, 1e-5, 1e-6}) {
    arguments[which] = along(at, direction, step);
    double above = module.run(function, arguments).at(0).floats[0];
    arguments[which] = along(at, direction, -step);
    double below = module.run(function, arguments).at(0).floats[0];
    best = std::min(best, std::abs((above - below) / (2 * step) - slope));
  }
  EXPECT_LE(best, 1e-6 * std::max(1.0, std::abs(slope))) << function << " by argument " << which << ": " << slope;
}

std::string program(const Case &one) {
  auto type = [](const std::vector<int64_t> &shape, const std::string &first) {
    std::string text = "Tensor[" + first;
    for (size_t i = 1; i < shape.size(); ++i) text += ", D";
    return text + ", f64]";
  };
  std::string x = type(one.x, "T"), w = type(one.w, "D");
  return std::string(one.text) + "\nboth = grad(loss, wrt=(\"x\", \"w\"))\nonward = jvp(loss, wrt=(\"x\", \"w\"))\n"
         "def slope[T, D](x: " + x + ", w: " + w + ", n: i64, u: " + x + ", v: " + w + ") -> f64 where D >= 2:\n"
         "    dx, dw = grad(loss, wrt=(\"x\", \"w\"))(x, w, n)\n    return sum(dx * u) + sum(dw * v)\n"
         "curved = grad(slope, wrt=(\"x\", \"w\"))\n";
}

std::string head(const std::string &x, const std::string &w) { return "def loss[T, D](x: " + x + ", w: " + w + ", n: i64) -> f64 where D >= 2:\n"; }
const std::string kRows = "Tensor[T, D, f64]", kSquare = "Tensor[D, D, f64]", kRow = "Tensor[T, f64]", kVector = "Tensor[D, f64]";

class Loops : public testing::TestWithParam<Case> {};

TEST_P(Loops, AgreeWithDifferences) {
  const Case &one = GetParam();
  Module module(program(one));
  ASSERT_FALSE(module.hasErrors()) << module.messages();
  std::mt19937_64 random(7);
  std::vector<Value> arguments = {drawn(one.x, random), drawn(one.w, random), Value::index(one.n)};
  Value u = drawn(one.x, random), v = drawn(one.w, random);
  auto slopes = module.run("both", arguments);
  expectSlope(module, "loss", arguments, 0, u, dot(slopes.at(0), u));
  expectSlope(module, "loss", arguments, 1, v, dot(slopes.at(1), v));
  auto pushed = arguments;
  pushed.push_back(u);
  pushed.push_back(v);
  double forward = module.run("onward", pushed).at(0).floats[0], back = dot(slopes.at(0), u) + dot(slopes.at(1), v);
  EXPECT_NEAR(forward, back, 1e-11 * std::max(1.0, std::abs(back)));
  auto curved = module.run("curved", pushed);
  Value p = drawn(one.x, random), q = drawn(one.w, random);
  expectSlope(module, "slope", pushed, 0, p, dot(curved.at(0), p));
  expectSlope(module, "slope", pushed, 1, q, dot(curved.at(1), q));
}

std::vector<Case> cases() {
  static std::vector<std::string> texts;
  texts.reserve(32);
  std::vector<Case> all;
  auto add = [&](const char *name, const std::string &text, std::vector<int64_t> x, std::vector<int64_t> w, int64_t n = 0) {
    texts.push_back(text);
    all.push_back({name, texts.back().c_str(), std::move(x), std::move(w), n});
  };
  const std::string recurrence = head(kRows, kSquare) + "    h = ones((D,), f64)\n    out = zeros((T, D), f64)\n    for t in range(T):\n        h = tanh(h @ w + x[t])\n"
                                                        "        out[t] = h\n    return sum(out * out * out)\n";
  add("Recurrence", recurrence, {5, 3}, {3, 3});
  add("NoTurn", recurrence, {0, 3}, {3, 3});
  add("OneTurn", recurrence, {1, 2}, {2, 2});
  add("LastStateOnly", head(kRows, kSquare) + "    h = x[T - 1]\n    for t in range(1, T):\n        h = sin(h @ w) * x[t]\n    return sum(h)\n    \n", {4, 3}, {3, 3});
  add("Steps", head(kRow, kVector) + "    s = w\n    for t in range(1, T, 3):\n        s = s * x[t] + w\n    return sum(s * s)\n", {9}, {3});
  add("CountIsData", head(kRow, kVector) + "    s = w\n    for t in range(min(n, T)):\n        s = cos(s) * x[t]\n    return sum(s)\n", {6}, {3}, 4);
  add("MoreTurnsThanRoom", head(kRow, kVector) + "    s = w\n    for t in range(min(n, T)):\n        s = cos(s) * x[t]\n    return sum(s)\n", {3}, {3}, 100);
  add("Nested", head(kRows, kSquare) + "    s = w[0, 0]\n    for t in range(T):\n        for d in range(D):\n            s = sin(s * x[t, d]) + w[d, 0] * x[t, 0]\n    return s * s\n", {3, 2}, {2, 2});
  add("Triangle", head(kRow, kSquare) + "    y = zeros((D,), f64)\n    for i in range(D):\n        s = x[0]\n        for j in range(i):\n            s = s - w[i, j] * y[j] * s\n"
                                        "        y[i] = s / (1.0 + w[i, i] * w[i, i])\n    return sum(y * y)\n", {1}, {4, 4});
  add("TwoStates", head(kRows, kVector) + "    a = w\n    b = w * w\n    for t in range(T):\n        a, b = b * x[t], a + sin(b)\n    return sum(a * b)\n", {4, 3}, {3});
  add("BranchOnData", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        if sum(h) > 0.3:\n            h = h * x[t]\n        else:\n            h = h + w * w\n    return sum(h * h)\n", {5, 3}, {3});
  add("BranchOnTheCounter", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        if t % 2 == 0:\n            h = h * x[t]\n        else:\n            h = sin(h)\n    return sum(h * h)\n", {5, 3}, {3});
  add("CountedBeside", head(kRows, kVector) + "    h = w\n    k = 0\n    for t in range(T):\n        k = (k + 2) % T\n        h = h * f64(k) + w * x[t]\n    return sum(h)\n", {5, 3}, {3});
  add("ReadAndWritten", head(kRows, kVector) + "    y = x * x\n    for t in range(1, T):\n        y[t] = y[t] * y[t - 1] + w\n    return sum(y)\n", {4, 3}, {3});
  add("PartsOfRows", head(kRows, kVector) + "    y = x\n    for t in range(T):\n        y[t, 1:] = y[t, 1:] * y[t, :D - 1]\n    return sum(y * y)\n", {4, 3}, {3});
  add("Unused", head(kRows, kVector) + "    h = w\n    other = w\n    for t in range(T):\n        other = other * h\n        h = h * x[t]\n    return sum(h)\n", {4, 3}, {3});
  add("Shadowed", head(kRows, kVector) + "    h = w * 3.0\n    for t in range(T):\n        h = x[t] * w\n    return sum(h * h)\n", {4, 3}, {3});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Loops, testing::ValuesIn(cases()), [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::test
