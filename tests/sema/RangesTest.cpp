// Interval analysis against random inputs: what the interpreter computes never leaves the range that is
// claimed.
#include "reference/Reference.h"
#include "sema/numerics/Verify.h"
#include "tests/sema/Checking.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
namespace num = tessera::sema::numerics;

namespace {
const char *const programs[] = {
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return x * y - x + "
    "3\n",
    "def f[R, C](x: Tensor[R, C, f16], y: Tensor[R, C, f16]) -> Tensor[R, C, f16]:\n    return x * y / (1 + "
    "x * x)\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
    "    e = exp(x - max(x, axis=-1, keepdim=True))\n    return e / sum(e, axis=-1, keepdim=True) + 0 * y\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    return sum(x * y, "
    "axis=1) + max(x - y, axis=1)\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
    "    c = x - mean(x, axis=-1, keepdim=True)\n    return c / sqrt(mean(c * c, axis=-1, keepdim=True) + "
    "1e-5) * y\n",
    "def f[R, C](x: Tensor[R, C, bf16 @accum(f32)], y: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, "
    "bf16]:\n"
    "    return x * rsqrt(mean(x * x, axis=-1, keepdim=True) + 1e-6) + tanh(y)\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, R, f32]:\n    return x @ y.T\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, R, f32]:\n"
    "    e = exp(x - max(x, axis=-1, keepdim=True))\n    return (e / sum(e, axis=-1, keepdim=True)) @ y.T\n",
    "def f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
    "    return where(x > 0.5, log(maximum(x, 0.25)), floor(y) + abs(x) + sigmoid(y) + erf(x) + x**3)\n",
    "def f[R, C](x: Tensor[R, C, f8e4m3], y: Tensor[R, C, f16 @saturate]) -> Tensor[R, C, f8e5m2 "
    "@saturate]:\n"
    "    return cast(x * 100 - minimum(y, x), f8e5m2 @saturate)\n",
    "def f[R, C](x: Tensor[R, C, f16 @loss_scale(64)], y: Tensor[R, C, f16]) -> Tensor[R, C, f16 "
    "@loss_scale(4)]:\n    return x + y * 2\n",
    "@kernel\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    m = tile.full((T.m,), -INF)\n    l = "
    "tile.zeros((T.m,), f32)\n"
    "    for k in tile.range(0, C, T.k):\n        s = x[r:r + T.m, k:k + T.k] * y[r:r + T.m, k:k + T.k]\n"
    "        m_new = tile.maximum(m, tile.row_max(s))\n"
    "        l = tile.exp(m - m_new) * l + tile.sum(tile.exp(s - m_new[:, None]), axis=1)\n        m = "
    "m_new\n"
    "    return m + tile.log(l)\n",
    "@kernel\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    total = tile.zeros((T.m,), f32)\n"
    "    for k in tile.range(0, C, T.k):\n        total += tile.sum(x[r:r + T.m, k:k + T.k] - y[r:r + T.m, "
    "k:k + T.k], axis=1)\n"
    "    return total\n",
    // An online softmax with its weighted sum: a mean of y, weighted by exp(x).
    "@kernel\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    m = tile.full((T.m,), -INF)\n"
    "    l = tile.zeros((T.m,), f32)\n    acc = tile.zeros((T.m,), f32)\n"
    "    for k in tile.range(0, C, T.k):\n        s = x[r:r + T.m, k:k + T.k]\n"
    "        m_new = tile.maximum(m, tile.row_max(s))\n        alpha = tile.exp(m - m_new)\n"
    "        p = tile.exp(s - m_new[:, None])\n        l_new = l * alpha + tile.row_sum(p)\n"
    "        acc = acc * alpha + tile.sum(p * y[r:r + T.m, k:k + T.k], axis=1)\n        l = l_new\n        m = m_new\n"
    "    return acc / l\n",
    // Names bound in the iteration, a decaying sum, a value assigned twice, and a condition.
    "@kernel\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    a = tile.zeros((T.m,), f32)\n    b = tile.zeros((T.m,), f32)\n"
    "    for k in tile.range(0, C, T.k):\n        t = a * 0.5\n        d = tile.max(x[r:r + T.m, k:k + T.k], axis=1)\n"
    "        a = t + d\n        if k > 8:\n            b = b + d\n        else:\n            b = b - 1\n        b = b + 2\n"
    "    return a - b + tile.max(y[r:r + T.m, 0:4], axis=1)\n",
    // A loop in a loop that adds to a sum of the outer one.
    "@kernel\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, C, f32]) -> Tensor[R, f32]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    a = tile.zeros((T.m,), f32)\n"
    "    for k in tile.range(0, C, T.k):\n        a = a + 1\n        for j in tile.range(0, R, 4):\n"
    "            a = a + tile.max(x[r:r + T.m, k:k + T.k], axis=1)\n"
    "        t = a\n        a = t + tile.min(y[r:r + T.m, k:k + T.k], axis=1)\n    return a\n",
};

reference::Value randomArray(DType dtype, int64_t rows, int64_t columns, const num::Range &range,
                             std::mt19937 &random) {
  std::uniform_real_distribution<double> inside(range.low, range.high);
  std::vector<double> values(static_cast<size_t>(rows * columns));
  int style = static_cast<int>(random() % 4);
  for (double &v : values) {  // all over, the ends, one value, or near the ends
    v = inside(random);
    if (style == 1) v = random() % 2 ? range.low : range.high;
    if (style == 2) v = values[0];
    if (style == 3 && random() % 3) v = random() % 2 ? range.low : range.high;
  }
  return reference::Value::ofFloats(dtype, {rows, columns}, values);
}
}  // namespace

TEST(Ranges, ResultsLieInTheClaimedRange) {
  std::mt19937 random(20);
  size_t proved = 0;
  for (const char *text : programs) {
    SCOPED_TRACE(text);
    for (auto [low, high] : {std::pair(-1.0, 1.0), std::pair(-6.0, 2.0), std::pair(0.5, 8.0)}) {
      std::string range = "[" + std::to_string(low) + ", " + std::to_string(high) + "]";
      test::Checking c("@verify.numerics(bounded=" + range + ")\n" + text);
      const checked::Function *f = c.program->find("f");
      ASSERT_TRUE(f) << c.messages();
      num::Inputs inputs = num::inputsOf(*f);
      num::Sizes sizes(*f);
      int64_t rows = 1 + static_cast<int64_t>(random() % 5),
              columns = 1 + static_cast<int64_t>(random() % 40);
      sizes.restrict("R", 1, 8);
      sizes.restrict("C", 1, 64);
      num::Analysis analysis(*f, sizes, inputs);
      analysis.run();
      if (!analysis.findings().empty()) continue;
      ++proved;
      ASSERT_EQ(analysis.results().size(), 1u);
      const num::Range &claimed = analysis.results()[0];
      for (int trial = 0; trial < 40; ++trial) {
        reference::Arguments arguments;
        for (const checked::Param &p : f->params)
          if (!p.isResult)
            arguments.push_back(
                randomArray(p.var->type.dtype, rows, columns, inputs.ranges.at(p.var->name), random));
        reference::Outcome outcome = reference::run(*f, arguments);
        ASSERT_TRUE(outcome) << outcome.error->message;
        for (double v : outcome.values[0].floats)
          ASSERT_TRUE(claimed.contains(v))
              << v << " is not in " << claimed.str() << " for inputs in " << range;
      }
    }
  }
  EXPECT_GT(proved, 2 * std::size(programs));
}

namespace {
/// The arguments that a witness describes.
reference::Arguments argumentsOf(const checked::Function &f, const num::Witness &witness) {
  reference::Arguments arguments;
  for (const checked::Param &p : f.params) {
    if (p.isResult) continue;
    const checked::Type &type = p.var->type;
    const num::Fill &fill = witness.parameters.at(p.var->name);
    std::vector<int64_t> shape;
    size_t count = 1;
    for (const Dim &d : type.shape) {
      auto extent = d.evaluate([&](const std::string &name) -> std::optional<int64_t> {
        return static_cast<int64_t>(witness.sizes.at(name));
      });
      shape.push_back(extent.value());
      count *= static_cast<size_t>(shape.back());
    }
    size_t row = shape.empty() ? 1 : static_cast<size_t>(shape.back());
    auto high = static_cast<size_t>(std::lround(fill.share * static_cast<double>(row)));
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) {
      bool alternates = 2 * high == row;
      values[i] = (alternates ? i % row % 2 == 0 : i % row < high) ? fill.high : fill.low;
    }
    arguments.push_back(isFloat(type.dtype)
                            ? reference::Value::ofFloats(type.dtype, shape, values)
                            : reference::Value::ofInts(type.dtype, shape, {values.begin(), values.end()}));
  }
  return arguments;
}
}  // namespace

TEST(Ranges, WitnessesAreReal) {
  const char *const wrong[] = {
      "@verify.numerics(bounded=[-1000, 1000])\ndef f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return x "
      "* x\n",
      "@verify.numerics(bounded=[-1, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return "
      "log(x)\n",
      "@verify.numerics(bounded=[-1, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 1 / x\n",
      "@verify.numerics(bounded=[0, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x / "
      "sum(x)\n",
      "@verify.numerics(bounded=[-20, 20])\ndef f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return "
      "exp(x)\n",
      // The difference of an element and the mean is largest where one stands against all others.
      "@verify.numerics(bounded=[-40000, 60000])\ndef f[B, D](x: Tensor[B, D, f16 @accum(f32)]) -> Tensor[B, D, f16]:\n"
      "    return x - mean(x, axis=-1, keepdim=True)\n",
      "@verify.numerics(bounded=[-60000, 40000])\n@kernel\ndef f[B, D](x: Tensor[B, D, f16 @accum(f32)]) -> Tensor[B, D, f16]:\n"
      "    r, _ = tile.origin()\n    v = tile.cast(x[r, :], f32)\n    return tile.cast(v - tile.sum(v) / D, f16)\n",
      "@verify.numerics(bounded=[-300, 300])\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
      "    return exp(max(x, axis=-1, keepdim=True) - x)\n",
      "@verify.numerics(bounded=[-8, 8])\ndef f[M, N, K](a: Tensor[M, K, f16 @accum(f32)], b: Tensor[K, N, f16]) -> "
      "Tensor[M, N, f16] where K >= 1100, K <= 1200:\n    return a @ b\n",
  };
  for (const char *text : wrong) {
    SCOPED_TRACE(text);
    test::Checking c(text);
    const checked::Function *f = c.program->find("f");
    ASSERT_TRUE(f) << c.messages();
    num::Decision decision = num::decide(*f);
    ASSERT_EQ(decision.verdict, num::Verdict::Refuted) << c.messages();
    reference::Outcome outcome = reference::run(*f, argumentsOf(*f, decision.witness));
    ASSERT_TRUE(outcome) << outcome.error->message;
    const auto &values = outcome.values[0].floats;
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }))
        << decision.witness.text;
  }
}

TEST(Ranges, OperationsContainTheirPoints) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> all(-9, 9);
  for (int i = 0; i < 20000; ++i) {
    double a = all(random), b = all(random), c = all(random), d = all(random);
    num::Range x = num::Range::of(std::min(a, b), std::max(a, b)),
               y = num::Range::of(std::min(c, d), std::max(c, d));
    double p = a + (b - a) * (random() % 100) / 100.0, q = c + (d - c) * (random() % 100) / 100.0;
    p = std::clamp(p, x.low, x.high), q = std::clamp(q, y.low, y.high);
    EXPECT_TRUE((x + y).contains(p + q));
    EXPECT_TRUE((x - y).contains(p - q));
    EXPECT_TRUE((x * y).contains(p * q));
    if (!y.containsZero()) EXPECT_TRUE(quotient(x, y).contains(p / q));
    EXPECT_TRUE(minimum(x, y).contains(std::min(p, q)));
    EXPECT_TRUE(maximum(x, y).contains(std::max(p, q)));
    EXPECT_TRUE(magnitudeOf(x).contains(std::abs(p)));
    EXPECT_TRUE(join(x, y).contains(p) && join(x, y).contains(q));
  }
}
