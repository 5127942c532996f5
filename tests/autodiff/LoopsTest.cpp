// Derivatives of loops whose turns run time counts, in f64: against central differences along a direction, both directions against
// each other, and the derivative of the derivative.
#include "Derivatives.h"
#include "checked/ExprBuild.h"
#include <algorithm>

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
  add("PartsOfOneRow", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        h = sin(h) * x[t, 0] + h * sum(x[t, 1:]) + x[t, D - 1] * x[t, :D]\n    return sum(h)\n", {4, 3}, {3});
  add("Windows", head(kRows, kVector) + "    h = w\n    for t in range(T - 2):\n        h = sin(h) + sum(x[t:t + 3] * x[t + 1:t + 2], axis=0) * h\n    return sum(h)\n", {5, 2}, {2});
  add("WindowsWritten", head(kRows, kVector) + "    y = x * x\n    for t in range(T - 1):\n        y[t:t + 2, 1:] = y[t:t + 2, :D - 1] * x[t:t + 2, 1:] + w[0]\n    return sum(y * y)\n", {5, 3}, {3});
  add("RowsFromTheLast", head(kRows, kVector) + "    y = zeros((T, D), f64)\n    for t in range(T - 1, 0, -1):\n        y[t - 1] = sin(y[t] + x[t]) * w\n    return sum(y * y)\n", {5, 3}, {3});
  add("EverySecondBefore", head(kRows, kVector) + "    y = x * 1.0\n    for t in range(2, T, 2):\n        y[t] = tanh(y[t - 2] * y[t - 1]) + w\n    return sum(y * y)\n", {7, 2}, {2});
  add("TwoPlacesBefore", head(kRows, kVector) + "    y = x * 1.0\n    for t in range(1, T):\n        y[t] = sin(y[t - 1]) * y[t // 2] + w\n    return sum(y * y)\n", {6, 2}, {2});
  add("LeftAtATurn", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        if t == 3:\n            break\n        h = sin(h) + x[t] * h\n    return sum(h * h)\n", {6, 2}, {2});
  add("LeftByData", head(kRows, kVector) + "    h = w * w\n    for t in range(T):\n        h = h + x[t] * x[t] * h\n        if sum(h) > 1.5:\n            break\n        h = h * 1.01\n    return sum(h * h)\n", {6, 2}, {2});
  add("GoneOn", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        if x[t, 0] < 0.0:\n            continue\n        if t % 3 == 1:\n            h = h * 0.5\n            continue\n        h = sin(h) + x[t] * h\n    return sum(h * h)\n", {7, 2}, {2});
  add("LeftInside", head(kRows, kVector) + "    h = w\n    for t in range(T):\n        for d in range(D):\n            if d > t:\n                break\n            h = sin(h) + x[t, d] * h\n        if t == 2:\n            continue\n        h = h * w\n    return sum(h * h)\n", {4, 3}, {3});
  add("WhileItCounts", head(kRows, kVector) + "    h = w\n    i = 1\n    while i <= 7:\n        h = sin(h) * x[0] + h\n        i += 2\n    return sum(h)\n", {2, 3}, {3});
  add("WhileDataAllows", head(kRows, kVector) + "    h = w * w + 0.1\n    i = 0\n    while sum(h) < 4.0 and i < 30:\n        h = h * (1.2 + x[0] * x[0]) + 0.01 * x[T - 1]\n        i += 1\n    return sum(h * h)\n", {2, 3}, {3});
  add("WhileItDoubles", head(kRows, kVector) + "    h = w\n    reach = 1\n    while reach < T:\n        h = sin(h) * x[0] + h * f64(reach)\n        reach *= 2\n    return sum(h)\n", {9, 3}, {3});
  add("ScannedProducts", head(kRows, kVector) + "    return sum(cumprod(x, axis=0) * w) + sum(cummax(x, axis=1) * x)\n", {5, 3}, {3});
  add("ScannedPairs", head(kRows, kVector) + "    a, h = associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (sin(x), x * w))\n    return sum(h * h)\n", {6, 3}, {3});
  add("Unused", head(kRows, kVector) + "    h = w\n    other = w\n    for t in range(T):\n        other = other * h\n        h = h * x[t]\n    return sum(h)\n", {4, 3}, {3});
  add("Shadowed", head(kRows, kVector) + "    h = w * 3.0\n    for t in range(T):\n        h = x[t] * w\n    return sum(h * h)\n", {4, 3}, {3});
  return all;
}

/// A turn that reads and writes rows and parts of rows has a derivative whose turns do the same: none of them computes with an array as
/// long as the loop, and what is kept of a turn is what it reads.
TEST(LoopsOfParts, TurnsBackAreAsShortAsTurns) {
  const std::string texts[] = {
      "    h = w\n    for t in range(T):\n        h = sin(h * x[t, 1:] + x[t, :D])\n    return sum(h)\n",
      "    h = w\n    for t in range(T - 2):\n        h = sin(h + sum(x[t:t + 3, :D], axis=0))\n    return sum(h)\n",
      "    y = zeros((T, D), f64)\n    y[0] = sin(x[0, :D])\n    for t in range(1, T):\n        y[t] = sin(x[t, :D] * y[t - 1] + w)\n    return sum(y)\n",
      "    y = zeros((T, D), f64)\n    for t in range(T - 1):\n        y[t:t + 2] = sin(x[t:t + 2, :D] * y[t:t + 2] + w)\n    return sum(y)\n"};
  for (const std::string &text : texts) {
    Module module("def loss[T, D](x: Tensor[T, D + 1, f64], w: Tensor[D, f64]) -> f64 where T >= 3:\n" + text + "both = grad(loss, wrt=(\"x\", \"w\"))\n");
    ASSERT_FALSE(module.hasErrors()) << module.messages();
    const Dim turns = Dim::var("T");
    int loops = 0;
    auto look = [&](const checked::Stmt &loop) {
      ++loops;
      checked::visitExprs(const_cast<checked::Block &>(loop.body), [&](checked::Expr &e) {
        const std::vector<Dim> &shape = e.type.shape;
        auto *op = e.get<checked::node::Elementwise>();
        bool computes = (op && !op->inPlace && isFloat(e.type.dtype)) || e.kind == checked::ExprKind::Concat || e.kind == checked::ExprKind::Reduce;
        EXPECT_FALSE(computes && std::find(shape.begin(), shape.end(), turns) != shape.end()) << text;
        EXPECT_LE(std::count(shape.begin(), shape.end(), turns), 1) << text;
      });
    };
    for (const auto &stmt : module.function("both").body)
      if (stmt->kind == checked::StmtKind::For) look(*stmt);
    EXPECT_EQ(loops, 2) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Loops, testing::ValuesIn(cases()), [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::test
