// The programs of the canon, interpreted, against plain loops in f64 over awkward sizes.
#include "Compiled.h"

using namespace tessera;
using namespace tessera::test;
using reference::Arguments;
using reference::Options;
using reference::Value;

namespace {

/// True if `got` is what `want` rounds to as `dtype`, given that `want` is known to `slack` relative to
/// `scale`: the operations between are in f32, and each rounds.
testing::AssertionResult isRounded(DType dtype, double got, double want, double scale, double slack = 4e-7) {
  if (std::isnan(want) && std::isnan(got)) return testing::AssertionSuccess();
  double low = roundToFloat(dtype, want - slack * scale), high = roundToFloat(dtype, want + slack * scale);
  if (got >= low && got <= high) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "got " << got << ", expected " << want << " as " << name(dtype);
}

/// The one result of a run; fails the test where there is none.
Value result(const reference::Outcome &outcome, const std::vector<int64_t> &shape) {
  EXPECT_TRUE(outcome) << (outcome.error ? outcome.error->message : "");
  if (!outcome || outcome.values.size() != 1) {
    ADD_FAILURE() << outcome.values.size() << " results";
    return Value::poison(DType::F32, shape);
  }
  EXPECT_EQ(outcome.values[0].shape, shape);
  return outcome.values[0];
}

struct Matrix {
  const Value &v;
  double operator()(int64_t i, int64_t j) const { return v.floats[static_cast<size_t>(i * v.shape[1] + j)]; }
};

/// Rows of attention weights or norms: a view of one row.
struct Row {
  const double *begin;
  int64_t count;
  double operator[](int64_t i) const { return begin[i]; }
};
Row row(const Value &v, int64_t index) {
  int64_t count = v.shape.back();
  return {v.floats.data() + index * count, count};
}

}  // namespace

TEST(Canon, Saxpy) {
  Compiled program("01_saxpy.tsr");
  for (int64_t n : {0, 1, 2, 31, 127, 128, 129, 1009}) {
    Value x = normal(DType::F32, {n}, 1), y = normal(DType::F32, {n}, 2);
    Value out = result(program.run("saxpy", {x, y, Value::scalar(DType::F32, 2.5)}), {n});
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out.floats[i], static_cast<double>(static_cast<float>(
                                   static_cast<double>(static_cast<float>(2.5 * x.floats[i])) + y.floats[i])));
  }
}

TEST(Canon, SaxpyDoesNotDependOnTheGroupSize) {
  Compiled program("01_saxpy.tsr");
  Value x = normal(DType::F32, {200}, 1), y = normal(DType::F32, {200}, 2);
  Options options;
  options.groupSize = 7;
  Arguments arguments = {x, y, Value::scalar(DType::F32, 2)};
  EXPECT_EQ(result(program.run("saxpy", arguments, options), {200}).floats,
            result(program.run("saxpy", arguments), {200}).floats);
}

TEST(Canon, Elementwise) {
  Compiled program("02_elementwise.tsr");
  for (auto [R, C] : {std::pair<int64_t, int64_t>{0, 5}, {1, 1}, {3, 17}, {5, 0}, {13, 64}}) {
    Value x = normal(DType::BF16, {R, C}, 1), b = normal(DType::BF16, {C}, 2),
          r = normal(DType::BF16, {R, C}, 3);
    Value out = result(program.run("bias_gelu_residual", {x, b, r}), {R, C});
    Value gated = result(program.run("swiglu", {x, r}), {R, C});
    for (int64_t i = 0; i < R * C; ++i) {
      auto at = static_cast<size_t>(i);
      double v = x.floats[at] + b.floats[static_cast<size_t>(i % C)];
      double gelu = 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
      // Constants of the definition are f32 literals.
      ASSERT_TRUE(isRounded(DType::BF16, out.floats[at], gelu + r.floats[at], 1 + std::fabs(v), 1e-7));
      double gate = x.floats[at];
      ASSERT_TRUE(isRounded(DType::BF16, gated.floats[at], gate / (1 + std::exp(-gate)) * r.floats[at],
                            1 + std::fabs(gate)));
    }
  }
}

TEST(Canon, Matmul) {
  Compiled program("03_matmul.tsr");
  for (auto [M, N, K] : {std::array<int64_t, 3>{1, 1, 1},
                         {0, 3, 5},
                         {7, 13, 0},
                         {127, 257, 65},
                         {129, 255, 63},
                         {37, 11, 101}}) {
    Value A = normal(DType::BF16, {M, K}, 1), B = normal(DType::BF16, {K, N}, 2);
    for (const char *name : {"matmul", "small_matmul"}) {
      Value out = result(program.run(name, {A, B}), {M, N});
      for (int64_t i = 0; i < M; ++i)
        for (int64_t j = 0; j < N; ++j) {
          double sum = 0, scale = 0;
          for (int64_t k = 0; k < K; ++k) {
            double product = Matrix{A}(i, k) * Matrix{B}(k, j);
            sum += product, scale += std::fabs(product);
          }
          ASSERT_TRUE(isRounded(DType::BF16, Matrix{out}(i, j), sum, scale)) << name << " " << i << " " << j;
        }
    }
  }
}

namespace {
std::vector<double> softmaxOf(Row x) {
  double highest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < x.count; ++i) highest = std::max(highest, x[i]);
  std::vector<double> out;
  for (int64_t i = 0; i < x.count; ++i) out.push_back(std::exp(x[i] - highest));
  for (double v : out) sum += v;
  for (double &v : out) v /= sum;
  return out;
}
}  // namespace

TEST(Canon, Softmax) {
  Compiled program("04_softmax.tsr");
  for (auto [R, C] : {std::pair<int64_t, int64_t>{0, 3}, {3, 0}, {1, 1}, {5, 31}, {2, 1025}, {7, 257}}) {
    Value x = normal(DType::BF16, {R, C}, 4, 3);
    Value out = result(program.run("softmax", {x}), {R, C});
    for (int64_t r = 0; r < R; ++r) {
      auto want = softmaxOf(row(x, r));
      for (int64_t c = 0; c < C; ++c)
        ASSERT_TRUE(isRounded(DType::BF16, Matrix{out}(r, c), want[static_cast<size_t>(c)], 1));
    }
  }
}

TEST(Canon, AttentionWeights) {
  Compiled program("04_softmax.tsr");
  for (int64_t S : {0, 1, 17}) {
    Value x = normal(DType::F32, {2, 3, S, S}, 5, 2);
    Value out = result(program.run("attention_weights", {x}), {2, 3, S, S});
    for (int64_t r = 0; r < 6 * S; ++r) {
      auto want = softmaxOf(row(x, r));
      for (int64_t c = 0; c < S; ++c)
        ASSERT_TRUE(isRounded(DType::F32, row(out, r)[c], want[static_cast<size_t>(c)], 1));
    }
  }
}

TEST(Canon, Norms) {
  Compiled program("05_norms.tsr");
  for (auto [B, S, D] : {std::array<int64_t, 3>{1, 1, 1}, {2, 3, 31}, {0, 2, 4}, {2, 5, 257}}) {
    Value x = normal(DType::F32, {B, S, D}, 6), gamma = normal(DType::F32, {D}, 7),
          beta = normal(DType::F32, {D}, 8);
    Value out = result(program.run("layer_norm", {x, gamma, beta}), {B, S, D});
    Value xb = normal(DType::BF16, {B, S, D}, 6), w = normal(DType::BF16, {D}, 7);
    Value rms = result(program.run("rms_norm", {xb, w}), {B, S, D});
    for (int64_t r = 0; r < B * S; ++r) {
      Row v = row(x, r), u = row(xb, r);
      double mean = 0, variance = 0, square = 0;
      for (int64_t i = 0; i < D; ++i)
        mean += v[i] / static_cast<double>(D), square += u[i] * u[i] / static_cast<double>(D);
      for (int64_t i = 0; i < D; ++i) variance += (v[i] - mean) * (v[i] - mean) / static_cast<double>(D);
      for (int64_t i = 0; i < D; ++i) {
        auto at = static_cast<size_t>(i);
        double want = (v[i] - mean) / std::sqrt(variance + 1e-5) * gamma.floats[at] + beta.floats[at];
        ASSERT_TRUE(isRounded(DType::F32, row(out, r)[i], want, 10));
        ASSERT_TRUE(
            isRounded(DType::BF16, row(rms, r)[i], u[i] / std::sqrt(square + 1e-6) * w.floats[at], 10));
      }
    }
  }
}

TEST(Canon, CooperativeReduction) {
  Compiled program("06_cooperative_reduction.tsr");
  for (int64_t n : {0, 1, 127, 128, 129, 10007}) {
    Value data = normal(DType::F32, {n}, 9);
    double sum = 0, scale = 0;
    for (double v : data.floats) sum += v, scale += std::fabs(v);
    Value out = result(program.run("total", {data}), {});
    // Partial sums lie in shared memory as f32.
    EXPECT_NEAR(out.floats[0], sum, 1e-6 * (scale + 1)) << n;
  }
}

TEST(Canon, DoubleBufferedGemm) {
  Compiled program("07_double_buffered_gemm.tsr");
  for (auto [M, N, K] :
       {std::array<int64_t, 3>{1, 1, 1}, {0, 3, 5}, {5, 3, 0}, {127, 129, 33}, {130, 64, 97}}) {
    Value A = normal(DType::BF16, {M, K}, 1), B = normal(DType::BF16, {K, N}, 2);
    Value C = Value::poison(DType::F32, {M, N});
    auto outcome = program.run("double_buffered_gemm", {A, B, C});
    ASSERT_TRUE(outcome) << outcome.error->message;
    ASSERT_EQ(outcome.written.size(), 1u);
    ASSERT_EQ(outcome.written[0].first, "C");
    const Value &out = outcome.written[0].second;
    for (int64_t i = 0; i < M; ++i)
      for (int64_t j = 0; j < N; ++j) {
        double sum = 0, scale = 0;
        for (int64_t k = 0; k < K; ++k) {
          double product = Matrix{A}(i, k) * Matrix{B}(k, j);
          sum += product, scale += std::fabs(product);
        }
        ASSERT_TRUE(isRounded(DType::F32, Matrix{out}(i, j), sum, scale)) << i << " " << j;
      }
  }
}

TEST(Canon, FlashAttention) {
  Compiled program("08_flash_attention.tsr");
  for (auto [B, H, S, D] :
       {std::array<int64_t, 4>{1, 1, 1, 16}, {1, 2, 100, 64}, {2, 1, 67, 32}, {1, 1, 0, 16}, {0, 1, 4, 16}})
    for (bool causal : {true, false}) {
      Value Q = normal(DType::BF16, {B, H, S, D}, 1), K = normal(DType::BF16, {B, H, S, D}, 2),
            V = normal(DType::BF16, {B, H, S, D}, 3);
      Value out =
          result(program.run("flash_attention", {Q, K, V, Value::scalar(DType::Bool, causal)}), {B, H, S, D});
      for (int64_t r = 0; r < B * H * S; ++r) {
        int64_t first = r / S * S, count = causal ? r % S + 1 : S;
        std::vector<double> scores;
        for (int64_t j = 0; j < count; ++j) {
          double dot = 0;
          for (int64_t d = 0; d < D; ++d) dot += row(Q, r)[d] * row(K, first + j)[d];
          scores.push_back(dot / std::sqrt(static_cast<double>(D)));
        }
        auto p = softmaxOf({scores.data(), count});
        for (int64_t d = 0; d < D; ++d) {
          double want = 0, scale = 0;
          for (int64_t j = 0; j < count; ++j) {
            double term = p[static_cast<size_t>(j)] * row(V, first + j)[d];
            want += term, scale += std::fabs(term);
          }
          // The weights are rounded to bf16 before they meet V: at most 2^-8 of each term.
          ASSERT_TRUE(isRounded(DType::BF16, row(out, r)[d], want, scale, 1.0 / 256))
              << S << " " << causal << " row " << r;
        }
      }
    }
}

TEST(Canon, FlashAttentionSaysWhatItRequires) {
  Compiled program("08_flash_attention.tsr");
  for (int64_t D : {20, 272}) {
    Value Q = normal(DType::BF16, {1, 1, 4, D}, 1);
    auto outcome = program.run("flash_attention", {Q, Q, Q});
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error->message.find(D == 20 ? "D % 16 == 0" : "D <= 256"), std::string::npos)
        << outcome.error->message;
    EXPECT_NE(outcome.error->message.find("D = " + std::to_string(D)), std::string::npos);
  }
}
