// `@verify.numerics`: claims that are proved, refuted with inputs that show it, or left undecided with what
// is missing.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;

namespace {
struct Wrong {
  std::string name, text, code, words;  // words: of the message, its label or its notes
};
std::string everything(const diag::Diagnostic &d) {
  std::string all = d.message + "\n" + d.label + "\n";
  for (const diag::Note &n : d.notes) all += n.text + "\n";
  for (const diag::Fix &f : d.fixes) all += "fix" + f.replacement + "\n";
  return all;
}
std::string claim(const std::string &range, const std::string &body) {
  return "@verify.numerics(bounded=" + range + ")\n" + body;
}
/// The maximum and the sum of a softmax in one pass over the row.
const std::string kOnline =
    "@kernel\ndef f[R, C](x: Tensor[R, C, f16 @accum(f32)]) -> Tensor[R, f16]:\n"
    "    T = tile.context()\n    r, = tile.origin()\n    m = tile.full((T.m,), -INF, f32)\n"
    "    l = tile.zeros((T.m,), f32)\n    for c in tile.range(0, C, T.k):\n"
    "        s = tile.cast(x[r:r + T.m, c:c + T.k], f32)\n        m_new = tile.maximum(m, tile.row_max(s))\n"
    "        l = l * tile.exp(m - m_new) + tile.row_sum(tile.exp(s - m_new[:, None]))\n";

std::string flash(const std::string &result, const std::string &mask) {
  return "@kernel\ndef f[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D, bf16 @accum(f32)],\n"
         "    V: Tensor[B, H, S, D, bf16 @accum(f32)]) -> Tensor[B, H, S, D, " +
         result +
         "] where D % 16 == 0, D <= 256:\n"
         "    T = tile.context()\n    b, h, q0, _ = tile.origin()\n    q = tile.load(Q[b, h, q0:q0 + T.m, :])\n"
         "    acc = tile.zeros((T.m, D), f32)\n    m_i = tile.full((T.m,), -INF, f32)\n    l_i = tile.zeros((T.m,), f32)\n"
         "    for k0 in tile.range(0, S, T.n):\n"
         "        s = tile.dot(q, tile.transpose(K[b, h, k0:k0 + T.n, :])) * rsqrt(f32(D))\n" +
         mask +
         "        m_new = tile.maximum(m_i, tile.row_max(s))\n        alpha = tile.exp(m_i - m_new)\n"
         "        p = tile.exp(s - m_new[:, None])\n        l_i = alpha * l_i + tile.row_sum(p)\n"
         "        acc = alpha[:, None] * acc + tile.dot(tile.cast(p, bf16), V[b, h, k0:k0 + T.n, :])\n        m_i = m_new\n"
         "    return tile.cast(acc / l_i[:, None], " +
         result + ")\n";
}
}  // namespace

TEST(Claims, Proved) {
  const std::pair<const char *, std::string> programs[] = {
      {"a divisor that facts keep from zero",
       claim("[1, 2]", "def f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> f32 where N >= M + 1, N <= 4096:\n"
                       "    return sum(x) / (N - M)\n")},
      {"softmax",
       claim("[-10000, 10000]", "def f[R, C](x: Tensor[R, C, f16 @accum(f32)]) -> Tensor[R, C, f16]:\n"
                                "    e = exp(x - max(x, axis=-1, keepdim=True))\n"
                                "    return e / sum(e, axis=-1, keepdim=True)\n")},
      {"softmax of the library",
       claim("[-1e30, 1e30]", "def f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
                              "    return softmax_safe(x)\n")},
      {"softmax kernel",
       claim("[-100, 100]", "@kernel\ndef f[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, f16]:\n"
                            "    r = tile.origin()[0]\n    v = x[r, :]\n    e = tile.exp(v - tile.max(v))\n"
                            "    return tile.cast(e / tile.sum(e), f16)\n")},
      {"rms norm",
       claim("[-100, 100]", "def f[B, D](x: Tensor[B, D, f16 @accum(f32)], w: Tensor[D, f16]) -> Tensor[B, "
                            "D, f16] where D <= 16384:\n"
                            "    return x * rsqrt(mean(x * x, axis=-1, keepdim=True) + 1e-6) * w\n")},
      {"layer norm",
       claim("[-3000, 3000]",
             "def f[B, D](x: Tensor[B, D, f16 @accum(f32)]) -> Tensor[B, D, f16] where D <= 4096:\n"
             "    c = x - mean(x, axis=-1, keepdim=True)\n"
             "    return c / sqrt(mean(c * c, axis=-1, keepdim=True) + 1e-5)\n")},
      {"sigmoid in f8", claim("[-1000, 1000]", "def f[N](x: Tensor[N, f16]) -> Tensor[N, f8e4m3]:\n"
                                               "    return cast(sigmoid(x), f8e4m3)\n")},
      {"tanh scaled", claim("[-60000, 60000]",
                            "def f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return tanh(x) * 65000\n")},
      {"bounded sum",
       claim("[-60, 60]",
             "def f[N](x: Tensor[N, f16 @accum(f32)]) -> f16 where N <= 1000:\n    return sum(x)\n")},
      {"bounded product", claim("[-8, 8]", "def f[M, N, K](a: Tensor[M, K, f16 @accum(f32)], b: Tensor[K, N, "
                                           "f16]) -> Tensor[M, N, f16] where K <= 512:\n"
                                           "    return a @ b\n")},
      {"log of more than one", claim("[-1000, 1000]", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f16]:\n"
                                                      "    return cast(log(x * x + 1), f16)\n")},
      {"inverse of a root with eps", claim("[-200, 200]", "def f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n"
                                                          "    return 1 / sqrt(x * x + 1e-6)\n")},
      {"clamped", claim("[-10000, 10000]", "def f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n"
                                           "    return minimum(maximum(x * 1000, -500), 500)\n")},
      {"saturated", claim("[-10000, 10000]", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f8e4m3 @saturate]:\n"
                                             "    return cast(x * 1000, f8e4m3 @saturate)\n")},
      {"log softmax",
       claim("[-1000, 1000]", "def f[R, C](x: Tensor[R, C, f16 @accum(f32)]) -> Tensor[R, C, f16]:\n"
                              "    y = x - max(x, axis=-1, keepdim=True)\n"
                              "    return y - log(sum(exp(y), axis=-1, keepdim=True))\n")},
      {"attention",
       claim("[-100, 100]", "def f[S, D](q: Tensor[S, D, f16 @accum(f32)], k: Tensor[S, D, f16], v: "
                            "Tensor[S, D, f16]) -> Tensor[S, D, f16] where D <= 256:\n"
                            "    s = cast(q @ k.T, f32) * 0.0625\n"
                            "    e = exp(s - max(s, axis=-1, keepdim=True))\n"
                            "    return cast(e / sum(e, axis=-1, keepdim=True), f16 @accum(f32)) @ v\n")},
      {"accumulated in a loop",
       claim("[-4, 4]",
             "@kernel\n@kernel.schedule(Schedule(block=(64, 64), k=32))\n"
             "def f[M, N, K](A: Tensor[M, K, f16 @accum(f32)], B: Tensor[K, N, f16 @accum(f32)]) -> "
             "Tensor[M, N, f16] where K <= 1024:\n"
             "    T = tile.context()\n    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), f32)\n"
             "    for k in tile.range(0, K, T.k):\n"
             "        acc += tile.dot(A[m:m + T.m, k:k + T.k], B[k:k + T.k, n:n + T.n])\n"
             "    return tile.cast(acc, f16)\n")},
      {"root of what is chosen", claim("[-9, 9]", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n"
                                                  "    return sqrt(where(x > 0, x, 0.0))\n")},
      {"a range for each",
       claim("{\"x\": [1, 2], \"w\": [-30000, 30000]}",
             "def f[N](x: Tensor[N, f16], w: Tensor[N, f16]) -> Tensor[N, f16]:\n    return w / x * 2\n")},
      {"what cancels",
       claim("[-1e15, 1e15]",
             "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    y = x * x\n    return exp(y - y)\n")},
      {"centred",
       claim("[-30000, 30000]", "def f[N](x: Tensor[N, f16 @accum(f32)]) -> Tensor[N, f16] where N <= 4096:\n"
                                "    return x - mean(x)\n")},
      {"centred, of any size",
       claim("[-30000, 30000]", "def f[B, D](x: Tensor[B, D, f16 @accum(f32)]) -> Tensor[B, D, f16]:\n"
                                "    return x - mean(x, axis=-1, keepdim=True)\n")},
      {"centred in a kernel",
       claim("[-30000, 30000]", "@kernel\ndef f[R, C](x: Tensor[R, C, f16 @accum(f32)]) -> Tensor[R, C, f16]:\n"
                                "    r, _ = tile.origin()\n    v = tile.cast(x[r, :], f32)\n"
                                "    return tile.cast(v - tile.sum(v) / C, f16)\n")},
      {"online softmax",
       claim("[-100, 100]", kOnline + "        m = m_new\n    return tile.cast(1 / l, f16)\n")},
      {"online softmax with names for the new values",
       claim("[-100, 100]",
             std::string(kOnline).replace(kOnline.find("l = l *"), 7, "l_new = l *") +
                 "        m = m_new\n        l = l_new\n    return tile.cast(1 / l, f16)\n")},
      {"flash attention", claim("[-100, 100]", flash("f16", ""))},
      {"flash attention with a causal mask",
       claim("[-100, 100]", flash("f16", "        s = tile.mask_causal(s, q0, k0)\n"))},
      {"decaying sum",
       claim("[-1000, 1000]", "@kernel\ndef f[N](x: Tensor[N, f32], n: Int) -> Tensor[N, f16]:\n"
                              "    i = tile.origin()[0]\n    v = x[i]\n    a = 0 * v\n"
                              "    for k in tile.range(0, n):\n        a = a * 0.9 + v\n    return tile.cast(a, f16)\n")},
      {"scaled in memory",
       claim("[-30, 30]",
             "def f[N](x: Tensor[N, f16 @loss_scale(1024)]) -> Tensor[N, f16]:\n    return x * 2000\n")},
  };
  for (const auto &[name, text] : programs) {
    SCOPED_TRACE(name);
    test::Checking c(text);
    ASSERT_EQ(c.messages(), "");
    EXPECT_TRUE(c.program->functions.back()->claim.has_value());
  }
}

static const Wrong wrongPrograms[] = {
    {"square",
     "@verify.numerics(bounded=[-1000, 1000])\ndef f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return "
     "x * x\n",
     "E0355",
     "what is rounded is 1e+06, f16 ends at 65504\nthe range is promised here\nfor example `x` = 1000 "
     "everywhere, N = 1\n"
     "it holds for inputs in [-250, 250]"},
    {"exp in f16",
     "@verify.numerics(bounded=[-20, 20])\ndef f[N](x: Tensor[N, f16]) -> Tensor[N, f16]:\n    return "
     "exp(x)\n",
     "E0355", "for example `x` = 20 everywhere"},
    {"exp in f32",
     "@verify.numerics(bounded=[0, 100])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return "
     "exp(x)\n",
     "E0355", "this overflows f32"},
    {"open sum",
     "@verify.numerics(bounded=[0, 1])\ndef f[N](x: Tensor[N, f16 @accum(f32)]) -> f16:\n    return "
     "sum(x)\n",
     "E0355", "it holds under the fact `where N <= 32768`\nfix where N <= 32768"},
    {"log of a negative",
     "@verify.numerics(bounded=[-1, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return "
     "log(x)\n",
     "E0355", "this is the logarithm of a negative number"},
    {"division by zero",
     "@verify.numerics(bounded=[-1, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 1 / "
     "x\n",
     "E0355", "for example `x` = 0 everywhere"},
    {"root of a negative",
     "@verify.numerics(bounded=[0, 4])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return sqrt(x "
     "- 1)\n",
     "E0355", "this is the root of a negative number"},
    {"rsqrt without eps",
     "@verify.numerics(bounded=[-4, 4])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * "
     "rsqrt(mean(x * x))\n",
     "E0355", "this divides by zero"},
    {"softmax without the maximum",
     "@verify.numerics(bounded=[-200, 200])\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
     "    e = exp(x)\n    return e / sum(e, axis=-1, keepdim=True)\n",
     "E0355", "`exp` is 7.22"},
    {"share of nothing",
     "@verify.numerics(bounded=[0, 1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x / "
     "sum(x)\n",
     "E0355", "this divides by zero"},
    {"open product",
     "@verify.numerics(bounded=[-8, 8])\ndef f[M, N, K](a: Tensor[M, K, f16 @accum(f32)], b: Tensor[K, N, "
     "f16]) -> Tensor[M, N, f16]:\n"
     "    return a @ b\n",
     "E0355", "it holds under the fact `where K <= 512`"},
    {"log of a sigmoid",
     "@verify.numerics(bounded=[-200, 200])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return "
     "log(sigmoid(x))\n",
     "E0356", "the argument of this logarithm is never zero"},
    {"power of a negative",
     "@verify.numerics(bounded=[-4, -1])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return "
     "pow(x, 0.5)\n",
     "E0355", "this is a power of a negative number"},
    {"f8",
     "@verify.numerics(bounded=[-500, 500])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f8e4m3]:\n    return "
     "cast(x, f8e4m3)\n",
     "E0355", "f8e4m3 ends at 448"},
    {"everything masked",
     "@verify.numerics(bounded=[-4, 4])\ndef f[R, C](x: Tensor[R, C, f32], m: Tensor[R, C, bool]) -> "
     "Tensor[R, C, f32]:\n"
     "    s = where(m, x, -INF)\n    return exp(s - max(s, axis=-1, keepdim=True))\n",
     "E0355", "infinities make a NaN here"},
    {"growing in a loop",
     "@verify.numerics(bounded=[-4, 4])\n@kernel\ndef f[N](x: Tensor[N, f32], n: Int) -> Tensor[N, f32]:\n"
     "    i = tile.origin()[0]\n    v = x[i]\n    for k in tile.range(0, n):\n        v = v * 1.5\n    "
     "return v\n",
     "E0356", "has no bound that I know"},
    {"squares in f16",
     "@verify.numerics(bounded=[-1000, 1000])\ndef f[N](x: Tensor[N, f16 @accum(f32)]) -> f16:\n    return "
     "mean(x * x)\n",
     "E0355", "f16 ends at 65504"},
    {"minimum instead of maximum",
     "@verify.numerics(bounded=[-100, 100])\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
     "    return exp(x - min(x, axis=-1, keepdim=True))\n",
     "E0355", "`x` with -100 and 100 in each row"},
    {"narrow integers",
     "@verify.numerics(bounded=[0, 1])\ndef f[N](x: Tensor[N, i8], y: Tensor[N, i8]) -> Tensor[N, i8]:\n   "
     " return x * y\n",
     "E0355", "i8 ends at"},
    {"centred too far",
     "@verify.numerics(bounded=[-60000, 60000])\ndef f[B, D](x: Tensor[B, D, f16 @accum(f32)]) -> Tensor[B, D, f16]:\n"
     "    return x - mean(x, axis=-1, keepdim=True)\n",
     "E0355", "for example `x` with 60000 once in each row, else -60000"},
    {"weights that are not the sum's",  // the sum leaves out a factor that the weighted values have
     "@verify.numerics(bounded=[-60000, 60000])\n@kernel\ndef f[R, C](x: Tensor[R, C, f16 @accum(f32)]) -> Tensor[R, f16]:\n"
     "    T = tile.context()\n    r, = tile.origin()\n    l = tile.zeros((T.m,), f32)\n    acc = tile.zeros((T.m,), f32)\n"
     "    for c in tile.range(0, C, T.k):\n        s = tile.cast(x[r:r + T.m, c:c + T.k], f32)\n"
     "        p = tile.sigmoid(s)\n        l = l + tile.row_sum(p)\n        acc = acc + tile.row_sum(p * s) * 3\n"
     "    return tile.cast(acc / (l + 1), f16)\n",
     "E0355", "f16 ends at 65504"},
    {"maximum of the whole row after a first pass",
     "@verify.numerics(bounded=[-100, 100])\n" + kOnline + "        m = m_new\n    return tile.cast(l, f16)\n", "E0356",
     "it holds under the fact `where C <= "},
    {"reversed",
     "@verify.numerics(bounded=[4, -4])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n",
     "E0357", "the range of inputs is empty"},
    {"unknown parameter",
     "@verify.numerics(bounded={\"xs\": [0, 1]})\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    "
     "return x\n",
     "E0357", "did you mean `x`?"},
    {"forgotten parameter",
     "@verify.numerics(bounded={\"x\": [0, 1]})\ndef f[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> "
     "Tensor[N, f32]:\n    return x + y\n",
     "E0357", "the range of `y` is missing"},
    {"beyond what a double holds",
     "@verify.numerics(bounded=[-1e4, 1e4])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return exp(maximum(x, 1000.0))\n",
     "E0355", "this overflows f32"},
    {"a size that is a multiple",
     "@verify.numerics(bounded=[0, 100])\ndef f[N](x: Tensor[N, f32]) -> f16 where N % 64 == 0, N <= 10000:\n"
     "    return cast(sum(x), f16)\n",
     "E0355", "everywhere, N = 704\n"},
    {"sizes that are linked",
     "@verify.numerics(bounded=[0, 100])\ndef f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> f16 where M == 2 * N, N >= 3:\n"
     "    return cast(sum(y), f16)\n",
     "E0355", "M = 656, N = 328\nit holds under the fact `where M <= 512`"},
    {"a divisor that may be zero",
     "@verify.numerics(bounded=[1, 2])\ndef f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> f32 where N >= M:\n"
     "    return sum(x) / (N - M)\n",
     "E0355", "M = 1, N = 1"},
    {"in the library",
     "@verify.numerics(bounded=[-4, 4])\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x / "
     "std(x)\n",
     "E0355", "this divides by zero"},
};

TEST(Claims, RefutedOrUndecided) {
  for (const Wrong &program : wrongPrograms) {
    SCOPED_TRACE(program.name);
    test::Checking c(program.text);
    const auto &all = c.diagnostics.all();
    ASSERT_EQ(all.size(), 1u) << c.messages();
    EXPECT_EQ(diag::row(all[0].id).code, program.code) << everything(all[0]);
    EXPECT_NE(everything(all[0]).find(program.words), std::string::npos) << everything(all[0]);
  }
}

/// The offered fact makes the program check.
TEST(Claims, TheMissingFactIsEnough) {
  for (std::string where : {"", " where N >= 2"}) {
    std::string text = "@verify.numerics(bounded=[0, 1])\ndef f[N](x: Tensor[N, f16 @accum(f32)]) -> f16" +
                       where + ":\n    return sum(x)\n";
    test::Checking c(text);
    ASSERT_EQ(c.diagnostics.all().size(), 1u);
    const auto &fixes = c.diagnostics.all()[0].fixes;
    ASSERT_EQ(fixes.size(), 1u);
    text.replace(fixes[0].span.begin, fixes[0].span.end - fixes[0].span.begin, fixes[0].replacement);
    EXPECT_EQ(test::Checking(text).messages(), "") << text;
  }
}
