// Operations on floats as formulas: what a function does is counted by hand here.
#include "checked/FloatWork.h"
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;

namespace {

std::string workOf(const std::string &program, const std::string &name) {
  Checking checking("from tessera import kernel, tile\n" + program);
  if (!checking.messages().empty()) return checking.messages();
  const checked::Function *function = checking.program->find(name);
  if (!function) return "there is no `" + name + "`";
  std::optional<Dim> work = checked::floatWork(*function);
  return work ? work->str() : "unknown";
}

TEST(FloatWork, EachElementOfAnOperationCounts) {
  EXPECT_EQ(workOf("def f[M, N](x: Tensor[M, N, f32]) -> Tensor[M, N, f32]:\n    return exp(x) * 2.0 + 1.0\n", "f"), "3*M*N");
  EXPECT_EQ(workOf("def f[M, N](x: Tensor[M, N, f32]) -> Tensor[M, f32]:\n    return sum(x, axis=1)\n", "f"), "M*N");
  EXPECT_EQ(workOf("def f[M, N](x: Tensor[M, N, f32]) -> Tensor[N, M, f32]:\n    return transpose(x)\n", "f"), "0");
  EXPECT_EQ(workOf("def f[M](x: Tensor[M, i32]) -> Tensor[M, i32]:\n    return x + x\n", "f"), "0");
}

TEST(FloatWork, AProductCountsTwice) {
  EXPECT_EQ(workOf("def f[M, N, K](a: Tensor[M, K, f32], b: Tensor[K, N, f32]) -> Tensor[M, N, f32]:\n    return a @ b\n", "f"), "2*K*M*N");
}

TEST(FloatWork, LoopsAndBranches) {
  const std::string loop = "def f[M](x: Tensor[M, f32]) -> Tensor[M, f32]:\n    y = x\n    for i in range(5):\n        y = y * 2.0\n    return y\n";
  EXPECT_EQ(workOf(loop, "f"), "5*M");
  const std::string ever = "def f[M](x: Tensor[M, f32]) -> Tensor[M, f32]:\n    y = x\n    while sum(y) > 1.0:\n        y = y * 0.5\n    return y\n";
  EXPECT_EQ(workOf(ever, "f"), "unknown");
}

TEST(FloatWork, TilesCoverTheWhole) {
  const std::string product = "@kernel\n"
                              "def f[M, N, K](a: Tensor[M, K, f32], b: Tensor[K, N, f32]) -> Tensor[M, N, f32]:\n"
                              "    T = tile.context()\n    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), f32)\n"
                              "    for k in tile.range(0, K, T.k):\n        acc += tile.dot(a[m:m + T.m, k:k + T.k], b[k:k + T.k, n:n + T.n])\n"
                              "    return acc\n";
  EXPECT_EQ(workOf(product, "f"), "2*K*M*N");
  const std::string rows = "@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    r, _ = tile.origin()\n    return x[r, :] * 2.0\n";
  EXPECT_EQ(workOf(rows, "f"), "C*R");
  EXPECT_EQ(workOf(rows + "def g[B, S](x: Tensor[2 * B, S, f32]) -> Tensor[2 * B, S, f32]:\n    return f(x) + x\n", "g"), "4*B*S");
}

}  // namespace
