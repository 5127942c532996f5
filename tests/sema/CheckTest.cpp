// The checked program of right programs.
#include "tests/sema/Checking.h"
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;
using testing::HasSubstr;
using testing::Not;

class Canon : public testing::TestWithParam<const char *> {};
TEST_P(Canon, ChecksAndMatchesItsGolden) {
  std::string stem = GetParam();
  Checking c(test::fileText(TSR_SOURCE_DIR "/tests/canon/" + stem + ".tsr"));
  EXPECT_EQ(c.messages(), "");
  std::string golden = TSR_SOURCE_DIR "/tests/sema/golden/" + stem + ".checked";
  if (std::getenv("TESSERA_UPDATE_GOLDENS")) std::ofstream(golden) << c.dump();
  EXPECT_EQ(c.dump(), test::fileText(golden)) << "TESSERA_UPDATE_GOLDENS=1 writes it anew";
}
INSTANTIATE_TEST_SUITE_P(All, Canon,
                         testing::Values("01_saxpy", "02_elementwise", "03_matmul", "04_softmax", "05_norms",
                                         "06_cooperative_reduction", "07_double_buffered_gemm",
                                         "08_flash_attention", "09_shapes"));

static Checking right(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.messages(), "");
  return c;
}

TEST(Check, ShapesOfTheCanonAreProved) {
  Checking c(test::fileText(TSR_SOURCE_DIR "/tests/canon/09_shapes.tsr"));
  EXPECT_EQ(c.messages(), "");
  EXPECT_EQ(c.program->functions.size(), 6u);
  EXPECT_EQ(c.program->find("masked")->params.size(), 2u);
  EXPECT_EQ(c.program->find("masked_without_mask")->params.size(), 1u);
}
TEST(Check, AnOptionalParameterMakesTwoEntryPoints) {
  Checking c = right("def scale[N](x: Tensor[N, f32], by: f32 | None = None) -> Tensor[N, f32]:\n"
                     "    return x if by is None else x * by\n"
                     "def main():\n    x = load_npy(\"x.npy\")\n    save_npy(\"a.npy\", scale(x))\n"
                     "    save_npy(\"b.npy\", scale(x, 2.0))\n    save_npy(\"c.npy\", scale(x, by=None))\n");
  EXPECT_THAT(c.dump(), HasSubstr("tensor scale(x#0: Tensor[N, f32], by#1: f32) "));
  EXPECT_THAT(c.dump(), HasSubstr("tensor scale_without_by(x#0: Tensor[N, f32]) "));
  EXPECT_THAT(c.dump(), HasSubstr("call scale(x#0, 2:f32)"));
  size_t calls = 0;
  std::string text = c.dump();
  for (size_t at = text.find("call scale_without_by(x#0)"); at != std::string::npos;
       at = text.find("call scale_without_by(x#0)", at + 1))
    ++calls;
  EXPECT_EQ(calls, 2u);
}

namespace {
std::string coverage(const std::string &grid, const std::string &facts, const std::string &body) {
  return "@kernel(grid=" + grid + ", group=128)\ndef f[N](x: Tensor[N, f32], y: Tensor[N, f32])" + facts + ":\n" + body;
}
}  // namespace

TEST(Check, KernelsWriteAllOfTheirOutput) {  // effects.md, K14
  const std::string tiles = "    i = tile.group_id(0) * 128\n    y[i:i + 128] = x[i:i + 128]\n";
  const std::string lanes = "    i = tile.linear_id()\n    if i < N:\n        y[i] = x[i]\n";
  const std::string loop = "    for i in tile.range(0, N, 128):\n        y[i:i + 128] = x[i:i + 128]\n";
  auto said = [](const std::string &text) { return Checking(text).messages(); };
  for (const auto &[grid, facts, body] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"(cdiv(N, 128),)", "", tiles},
           {"(N // 128,)", " where N % 128 == 0", tiles},
           {"(cdiv(N, 128),)", "", lanes},
           {"(N // 128 + 1,)", "", lanes},
           {"(1,)", "", loop},
           {"(cdiv(N, 64),)", "", "    i = tile.group_id(0) * 64\n    y[i:i + 128] = x[i:i + 128]\n"},
           {"(cdiv(N, 128),)", "", "    i = tile.group_id(0) * 128\n    y[i:i + 128] = y[i:i + 128] + x[i:i + 128]\n"},
           {"(cdiv(N, 256),)", "", tiles + "    y[i + 128:i + 256] = x[i + 128:i + 256]\n"}})
    EXPECT_EQ(said(coverage(grid, facts, body)), "") << grid << "\n" << body;
  for (const auto &[grid, facts, body, place] : std::vector<std::tuple<std::string, std::string, std::string, std::string>>{
           {"(N // 128,)", "", tiles, "4:5"},
           {"(N // 128,)", " where N % 64 == 0", tiles, "4:5"},
           {"(N // 128,)", "", lanes, "5:9"},
           {"(cdiv(N, 256),)", "", tiles, "4:5"},
           {"(1,)", "", "    for i in tile.range(0, N, 256):\n        y[i:i + 128] = x[i:i + 128]\n", "4:9"},
           {"(1,)", "", "    for i in tile.range(1, N):\n        y[i] = x[i - 1]\n", "4:9"},
           {"(cdiv(N, 128),)", "", "    i = tile.group_id(0) * 256\n    y[i:i + 128] = x[i:i + 128]\n", "4:5"}})
    EXPECT_EQ(said(coverage(grid, facts, body)), "E0526 " + place + " elements of `y` are never written\n") << grid << "\n" << body;
}

TEST(Check, WhatMinusOneStandsForIsDefined) {  // shapes.md, S4
  Checking free = right("def f[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32]:\n    return x.reshape(N, -1)\n");
  EXPECT_THAT(free.dump(), HasSubstr("N >= 1"));
  Checking known = right("def f[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32] where N >= 2:\n    return x.reshape(N, -1)\n"
                         "def g[N](x: Tensor[N, 4, f32]) -> Tensor[N * 4, f32]:\n    return x.reshape(-1)\n");
  EXPECT_THAT(known.dump(), Not(HasSubstr("N >= 1")));
  EXPECT_THAT(Checking("def f[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32] where N == 0:\n    return x.reshape(N, -1)\n").messages(),
              HasSubstr("E0404 2:12"));
}

TEST(Check, TheRankOfAResultIsKnownInHostCode) {  // names.md, N12
  auto said = [](const std::string &body) {
    return Checking("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n"
                    "def g[N](x: Tensor[N, f32]) -> (Tensor[N, N, f32], f32):\n    return outer_of(x), sum(x)\n"
                    "def outer_of(x):\n    return x[:, None] * x\n"
                    "def main():\n    x = load_npy(\"x.npy\")\n    y = f(x)\n    z, s = g(x)\n" + body).messages();
  };
  EXPECT_EQ(said("    print(f\"{x:.3f} {s:.3f} {y[0]:.3f} {z[0][1]:.3f} {y!r:>40}\")\n"), "");
  EXPECT_THAT(said("    print(f\"{y:.3f}\")\n"), HasSubstr("E0337"));
  EXPECT_THAT(said("    print(f\"{z[0]:.3}\")\n"), HasSubstr("E0337"));
  EXPECT_EQ(said("    for i in range(2):\n        print(f\"{x:.3f}\")\n        x = y\n"), "");
}

TEST(Check, ExtentsOfOneVariableGiveItsValue) {  // shapes.md, S23
  auto said = [](const std::string &text) { return Checking(text).messages(); };
  right("def f[N](x: Tensor[2 * N, f32]) -> Tensor[N, f32]:\n    return x[:N] + x[N:]\n"
        "def g[N](x: Tensor[4 * N, f32]) -> Tensor[N, f32]:\n    return f(f(x))\n"
        "def late[N](x: Tensor[3 * N + 2, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x[:N] + y\n");
  const std::string halves = "def f[N](x: Tensor[2 * N, f32]) -> Tensor[N, f32]:\n    return x[:N] + x[N:]\n";
  right(halves + "def g[M](x: Tensor[M, f32]) -> f32 where M % 2 == 0:\n    return sum(f(x))\n");
  EXPECT_THAT(said(halves + "def g[M](x: Tensor[M, f32]) -> f32:\n    return sum(f(x))\n"), HasSubstr("E0401 4:18"));
  EXPECT_THAT(said("def f[N](x: Tensor[2 * N, f32]) -> Tensor[N, f32]:\n    return x[:N]\n"
                   "def g(x: Tensor[7, f32]) -> Tensor[3, f32]:\n    return f(x)\n"),
              HasSubstr("E0401 4:14"));
  const std::string behind = "def f[N, M](x: Tensor[N + M, f32], y: Tensor[2 * N, f32]) -> Tensor[M, f32]:\n    return x[N:N + M]\n";
  right(behind + "def g[K](x: Tensor[K + 3, f32], y: Tensor[6, f32]) -> Tensor[K, f32]:\n    return f(x, y)\n"
                 "struct Cell[I, H]:\n    w: Tensor[I + H, 4 * H]\n\ndef h[I, H](c: Cell[I, H], x: Tensor[I, f32]) -> Tensor[4 * H, f32]:\n    return x @ c.w[:I]\n");
  EXPECT_THAT(said(behind + "def g[K](x: Tensor[K, f32], y: Tensor[6, f32]) -> Tensor[K, f32]:\n    return f(x, y)\n"), HasSubstr("E0408 2:12"));
  EXPECT_THAT(said("def f[N, M](x: Tensor[N + M, f32], y: Tensor[N - M, f32]) -> f32:\n    return sum(x)\n"), HasSubstr("E0406"));
  for (const char *extent : {"N * N", "N // 2", "0 * N", "N - N"})
    EXPECT_THAT(said("def f[N, M](x: Tensor[" + std::string(extent) + ", M, f32]) -> f32:\n    return sum(x)\n"),
                HasSubstr("E0406")) << extent;
}

TEST(Check, NamesAreDeletedWhereTheyAreBound) {  // names.md, N19
  auto said = [](const std::string &body) {
    return Checking("K = 3\ndef f[N](x: Tensor[N, f32], n: Int) -> Tensor[N, f32]:\n    y = x\n" + body + "    return x\n").messages();
  };
  EXPECT_EQ(said("    del y, n\n    y = x + 1.0\n    x = y\n"), "");
  EXPECT_EQ(said("    del (y)\n    for i in range(n):\n        y = x\n        x = y + 1.0\n        del y\n"), "");
  EXPECT_THAT(said("    del y\n    x = y\n"), HasSubstr("E0200 5:9"));
  EXPECT_THAT(said("    del y\n    del y\n"), HasSubstr("E0200 5:9"));
  EXPECT_THAT(said("    del y\n    if n > 2:\n        y = x\n    x = y\n"), HasSubstr("E0213 7:9"));
  EXPECT_THAT(said("    for i in range(n):\n        y = x\n        del y\n    x = y\n"), HasSubstr("E02"));
  for (const char *what : {"K", "N", "y[0]", "print"})
    EXPECT_THAT(said("    del " + std::string(what) + "\n"), HasSubstr("E0214 4:9")) << what;
  EXPECT_THAT(said("    if n > 2:\n        del y\n"), HasSubstr("E0214 5:13"));
  EXPECT_THAT(said("    del z\n"), HasSubstr("E0200 4:9"));
}

TEST(Check, LoopsThatAreWrittenOutAreLeftWhereThatIsKnown) {  // names.md, N20
  auto dump = [](const std::string &body) {
    Checking c = right("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    r = x\n" + body + "    return r\n");
    return c.dump();
  };
  EXPECT_EQ(dump("    for i in static_range(3):\n        if i == 1:\n            break\n        r = r + 1.0\n    else:\n        r = r * 2.0\n"),
            dump("    r = r + 1.0\n"));
  EXPECT_EQ(dump("    for i in static_range(3):\n        if i == 1:\n            continue\n        r = r + 1.0\n    else:\n        r = r * 2.0\n"),
            dump("    r = r + 1.0\n    r = r + 1.0\n    r = r * 2.0\n"));
  EXPECT_EQ(Checking("def f[N](x: Tensor[N, f32], n: Int) -> Tensor[N, f32]:\n    for i in range(n):\n        if max(x) < 1.0:\n"
                     "            break\n        x = 0.5 * x\n    else:\n        x = x + 1.0\n    return x\n").messages(), "");
  EXPECT_THAT(Checking("@kernel\ndef f[N](x: Tensor[N, f32], y: Tensor[N, f32], n: Int):\n    i = tile.linear_id()\n    if i < N:\n"
                       "        for j in range(n):\n            break\n        y[i] = x[i]\n").messages(), HasSubstr("E0214"));
}

TEST(Check, AnEllipsisOfEinsumStandsForTheOtherAxes) {  // shapes.md, S16
  auto dump = [](const std::string &x, const std::string &y, const std::string &result, const std::string &equation) {
    Checking c("def f[A, B, M, K, N](x: Tensor[" + x + ", f32], y: Tensor[" + y + ", f32], z: Tensor[A, B, M, K, N, f32]) -> Tensor[" +
               result + ", f32]:\n    return einsum(\"" + equation + "\", x, y)\n");
    EXPECT_EQ(c.messages(), "") << equation;
    return c.dump();
  };
  EXPECT_EQ(dump("A, B, M, K", "A, B, K, N", "A, B, M, N", "...mk,...kn->...mn"),
            dump("A, B, M, K", "A, B, K, N", "A, B, M, N", "abmk,abkn->abmn"));
  EXPECT_EQ(dump("A, B, M, K", "B, K, N", "A, B, M, N", "...mk,...kn"), dump("A, B, M, K", "B, K, N", "A, B, M, N", "abmk,bkn->abmn"));
  EXPECT_EQ(dump("M, K", "K, N", "N, M", "...mk,kn->n...m"), dump("M, K", "K, N", "N, M", "mk,kn->nm"));
  for (const char *wrong : {"...mk,kn->mn", "..mk,kn->..mn", "......mk,kn->...mn"})
    EXPECT_THAT(Checking("def f[A, M, K, N](x: Tensor[A, M, K, f32], y: Tensor[K, N, f32]) -> Tensor[A, M, N, f32]:\n"
                         "    return einsum(\"" + std::string(wrong) + "\", x, y)\n").messages(),
                HasSubstr("E0423 2:19")) << wrong;
}

TEST(Check, ConditionsAreFacts) {  // shapes.md, S12
  auto said = [](const std::string &body) {
    return Checking("def f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> f32:\n    r = 0.0\n" + body + "    return r\n").messages();
  };
  EXPECT_EQ(said("    if not (N != M or N < 3):\n        r = sum(x + y) + x[2]\n"), "");
  EXPECT_EQ(said("    if not N == M:\n        r = 1.0\n    else:\n        r = sum(x + y)\n"), "");
  EXPECT_THAT(said("    if not (N != M and N < 3):\n        r = sum(x + y)\n"), HasSubstr("E0400"));
  // Behind a `return` the opposite holds.
  std::string early = said("    if N < 4:\n        return sum(x)\n    r = sum(x[3:])\n");
  EXPECT_EQ(early, "");
}

TEST(Check, AnIndexGoesNoFurtherThanItsGuard) {  // shapes.md, S7
  auto said = [](const std::string &guard, const std::string &index) {
    return Checking("@kernel(grid=(cdiv(N, 128),), group=128)\n"
                    "def f[N](x: Tensor[N, f32], y: Tensor[N, f32]) where N > 2:\n"
                    "    i = tile.group_id(0) * 128 + tile.local_id()\n"
                    "    if " + guard + ":\n        y[i] = x[" + index + "]\n")
        .messages();
  };
  EXPECT_EQ(said("i < N", "i + 1"), "E0408 5:18 the index i + 1 lies outside a dimension of N\n");
  EXPECT_EQ(said("i < N", "i - 1"), "E0408 5:18 the index i - 1 lies outside a dimension of N\n");
  EXPECT_EQ(said("i < N", "2 * i"), "E0408 5:18 the index 2 * i lies outside a dimension of N\n");
  EXPECT_EQ(said("i < N - 1", "i + 2"), "E0408 5:18 the index i + 2 lies outside a dimension of N\n");
  EXPECT_EQ(said("i + 1 < N", "i + 1"), "");
  EXPECT_EQ(said("i < N - 1", "i + 1"), "");
  EXPECT_EQ(said("i > 0 and i < N", "i - 1"), "");
  EXPECT_EQ(said("2 * i < N", "2 * i"), "");
}

TEST(Check, AnIndexThatIsNeverInsideIsAMistake) {  // shapes.md, S7
  auto said = [](const std::string &part) {
    return Checking(coverage("(cdiv(N, 128),)", "", "    i = tile.group_id(0) * 128\n    y[i:i + 128] = x[i:i + 128] + " + part + "\n"))
        .messages();
  };
  EXPECT_THAT(said("x[N]"), HasSubstr("E0408 4:37 the index N lies outside"));
  EXPECT_THAT(said("x[N + i]"), HasSubstr("E0408 4:37"));
  EXPECT_THAT(said("x[N:N + 128]"), HasSubstr("E0408 4:37"));
  EXPECT_THAT(said("x[i - N - 128]"), HasSubstr("E0408 4:37"));
  EXPECT_EQ(said("x[N - 1]"), "");
  EXPECT_EQ(said("x[3]"), "");
  EXPECT_EQ(said("x[i + 1:i + 129]"), "");
}

TEST(Check, RaggedTileIsMaskedBeforeItIsReduced) {
  Checking c =
      right("@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    T = tile.context()\n    r, = "
            "tile.origin()\n"
            "    total = tile.zeros((T.m,), f32)\n    for k in tile.range(0, C, T.k):\n"
            "        total += tile.sum(tile.exp(x[r:r + T.m, k:k + T.k]), axis=1)\n    return total\n");
  EXPECT_THAT(c.dump(), HasSubstr("reduce_sum<1>(select(lt(iota<1>"));
}
TEST(Check, SumOfAFreshLoadNeedsNoMask) {
  Checking c = right("@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    T = "
                     "tile.context()\n    r, = tile.origin()\n"
                     "    total = tile.zeros((T.m,), f32)\n    for k in tile.range(0, C, T.k):\n"
                     "        total += tile.sum(x[r:r + T.m, k:k + T.k], axis=1)\n    return total\n");
  EXPECT_THAT(c.dump(), Not(HasSubstr("select")));
}
TEST(Check, WholeRowsNeedNoMask) {
  Checking c = right("@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    r, = "
                     "tile.origin()\n    return tile.max(x[r, :])\n");
  EXPECT_THAT(c.dump(), HasSubstr("load x#0[r#1, 0 +: C]"));
  EXPECT_THAT(c.dump(), Not(HasSubstr("select")));
}
TEST(Check, ReadBeforeTheFirstRaggedAssignmentIsCheckedAgain) {
  // `m` gets its limit at the end of the loop's body; its maximum at the start must know it.
  Checking c = right("@kernel\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    "
                     "n, = tile.origin()\n    m = tile.zeros((T.m,), f32)\n"
                     "    best = 0.0\n    for i in tile.range(0, 4):\n        best = max(best, "
                     "tile.max(m))\n        m = tile.exp(x[n:n + T.m])\n    return m + best\n");
  EXPECT_THAT(c.dump(), HasSubstr("reduce_max<0>(select("));
}
TEST(Check, NamesBoundInBothBranchesGetOneVariable) {
  Checking c = right("@kernel\ndef f[N](x: Tensor[N, f32], flag: bool) -> Tensor[N, f32]:\n    i = "
                     "tile.origin()[0]\n    if flag:\n        y = x[i] * 2\n"
                     "    else:\n        y = x[i] + 1\n    return y\n");
  EXPECT_THAT(c.dump(), HasSubstr("let y"));
}
TEST(Check, CallsAreTracedAndSayTheirFacts) {
  Checking c =
      right("def double[N](x: Tensor[N, f32]) -> Tensor[N, f32] where N % 4 == 0:\n    return x + x\n"
            "def twice[M](y: Tensor[M, f32]) -> Tensor[M, f32] where M % 8 == 0:\n    return double(double(y))\n");
  EXPECT_THAT(c.dump(), HasSubstr("require M % 8 == 0"));
  EXPECT_THAT(c.dump(), Not(HasSubstr("require M % 4 == 0")));  // it follows
}
TEST(Check, AKernelCalledFromATensorFunctionIsACall) {
  Checking c = right("@kernel\ndef rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    r, = "
                     "tile.origin()\n    return tile.sum(x[r, :])\n"
                     "def f[A, B](x: Tensor[A, B, f32]) -> Tensor[A, f32]:\n    return rows(x) * 2\n");
  EXPECT_THAT(c.dump(), HasSubstr("call rows(x#0)"));
}
TEST(Check, HostPrograms) {
  Checking c = right("def scale[N](x: Tensor[N, f32], a: f32) -> Tensor[N, f32]:\n    return x * a\n"
                     "def total[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"
                     "def main():\n    data = load_npy(\"x.npy\")\n    acc = 0.0\n    for step, row in "
                     "enumerate(data):\n        y = scale(row, 2.0)\n"
                     "        acc += total(y)\n        print(f\"{step}: {total(y):.4f}\")\n    if acc > 3:\n "
                     "       print(\"big\", acc)\n    save_npy(\"y.npy\", scale(data[0], 0.5))\n");
  EXPECT_THAT(c.dump(), HasSubstr("host main()"));
  EXPECT_THAT(c.dump(), HasSubstr("save_npy"));
}
TEST(Check, ExtentsOfHostTensors) {
  Checking c = right("def main():\n    x = load_npy(\"x.npy\")\n    for i in range(x.shape[0]):\n"
                     "        print(i, x.shape[1])\n");
  EXPECT_THAT(c.dump(), HasSubstr("for i#2 in 0, length#1, 1"));
  EXPECT_THAT(right("def main():\n    print(load_npy(\"x.npy\").shape[-1])\n").dump(), HasSubstr("-1"));
  std::string made = "def made() -> Tensor[2, 3, f32]:\n    return ones((2, 3), f32)\ndef main():\n    x = made()\n    print(x.shape[";
  EXPECT_EQ(right(made + "-1])\n").dump(), right(made + "1])\n").dump());
  EXPECT_EQ(Checking(made + "2])\n").messages(), "E0403 5:19 there is no axis 2 in a tensor of 2 dimensions\n");
  EXPECT_EQ(Checking(made + "-3])\n").messages(), "E0403 5:19 there is no axis -3 in a tensor of 2 dimensions\n");
}
TEST(Check, HostCodeMakesTensors) {
  std::string dump = right("def main():\n    n = 3\n    x = zeros((n, 4))\n    y = full((2,), 7, i64)\n    print(x, y, iota((2, n), axis=1))\n").dump();
  EXPECT_THAT(dump, HasSubstr("full_real(\"f32\", 0:f64, n=3, 4)"));
  EXPECT_THAT(dump, HasSubstr("full_whole(\"i64\", 7, 2)"));
  EXPECT_THAT(dump, HasSubstr("iota(\"i32\", 1, 2, n=3)"));
  EXPECT_EQ(Checking("def main():\n    print(zeros((2, -1)))\n").messages(), "E0314 2:17 the extent -1 is negative\n");
  EXPECT_EQ(Checking("def main():\n    x = zeros((2, 3))\n    print(x.shape[2])\n").messages(),
            "E0403 3:19 there is no axis 2 in a tensor of 2 dimensions\n");
}
TEST(Check, PythonsMathIsWhatIsHereWithoutIt) {
  Checking c = right("import math\nfrom math import pi as half_turn, sqrt\nA = math.sqrt(16.0)\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return math.exp(x) * half_turn * math.e + sqrt(x) + A\n");
  EXPECT_THAT(c.dump(), HasSubstr("A=4:f32"));
  EXPECT_THAT(Checking("import math\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return math.sinn(x)\n").messages(),
              HasSubstr("E0201 3:17"));
}
TEST(Check, ZipAndThePartsOfADictAreLists) {
  std::string dump = right("def main():\n    for x, y in zip([1, 2, 3], (4.5, 5.5)):\n        print(x, y)\n"
                           "    d = {\"a\": 1, \"b\": 2}\n    for k, v in d.items():\n        print(k, v)\n    print(d.keys(), d.values())\n").dump();
  for (const char *line : {"2 ", "a 1", "b 2", "['a', 'b'] [1, 2]"}) EXPECT_THAT(dump, HasSubstr(line));
  EXPECT_THAT(dump, Not(HasSubstr("\"3 ")));
  EXPECT_THAT(Checking("def main():\n    for x, y in zip([1], 2):\n        print(x, y)\n").messages(), HasSubstr("E0"));
}
TEST(Check, ListsTuplesDictsAndShapesArePrintedAsInPython) {
  std::string dump = right("def main():\n"
                           "    print([1, 2], (3,), (1, \"x\"), {\"k\": [4]})\n    print(load_npy(\"x.npy\").shape)\n").dump();
  EXPECT_THAT(dump, HasSubstr("[1, 2] (3,) (1, 'x') {'k': [4]}"));
  EXPECT_THAT(dump, HasSubstr("shape_text("));
}
TEST(Check, AFunctionIsPrintedAsItIsDeclared) {
  std::string dump = right("def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 2.0 * x\n"
                           "def main():\n    print(twice)\n").dump();
  EXPECT_THAT(dump, HasSubstr("def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]"));
}
TEST(Check, ANameBehindDimensionsIsADtype) {
  EXPECT_EQ(Checking("def f(x: Tensor[\"N\", foo]) -> Tensor[\"N\", f32]:\n    return x\n").messages(),
            "E0300 1:22 this is not a type: I know no dtype `foo`\n");
  EXPECT_THAT(Checking("def f(x: Tensor[\"N\", D]) -> Tensor[\"N\", f32]:\n    return x\n").messages(), HasSubstr("the dtype is missing"));
}
TEST(Check, WhatHasNoMeaningIsNotIgnored) {
  EXPECT_EQ(Checking("@jit\nstruct P:\n    x: f32\ndef f(p: P) -> f32:\n    return p.x\n").messages(),
            "E0340 1:1 `@jit` has no meaning for a struct\n");
  EXPECT_EQ(Checking("def f(x: f32, on: bool) -> f32:\n    return x if on else -x\ndef g(x: f32) -> f32:\n    return f(x, 3)\n").messages(),
            "E0311 4:17 `on` expects `True` or `False`, but this is the integer 3\n");
  Checking failed("W = 3\nassert W % 2 == 0, \"W is even\"\ndef f(x: f32) -> f32:\n    return x\n");
  ASSERT_EQ(failed.messages(), "E0409 2:8 `W % 2 == 0` is never true\n");
  EXPECT_EQ(failed.diagnostics.all()[0].label, "W is even");
}
TEST(Check, ACallWhoseAssertIsUntrueHasOneMessage) {
  Checking c("def half(x):\n    assert x.ndim == 2, \"matrices\"\n    return x[:, :x.shape[1] // 2]\n\n"
             "def f(x: Tensor[4, f32], y: Tensor[2, 4, f32]) -> Tensor[2, 2, f32]:\n    return half(y) + half(x)\n");
  EXPECT_EQ(c.messages(), "E0409 2:12 `x.ndim == 2` is never true\n");
}
TEST(Check, AHelperThatContradictsItselfIsBlamedAlone) {
  EXPECT_EQ(Checking("def rows[N, D](x: Tensor[N, D, f32]) -> Tensor[N, D, f32]:\n    return x.sum(axis=1, keepdim=True)\n"
                     "def f[A, B](x: Tensor[A, B, f32]) -> Tensor[A, B, f32]:\n    return x - rows(x)\n").messages(),
            "E0305 2:12 `rows` returns `[N, 1]`, but `[N, D]` is declared\n");
}
TEST(Check, OnlyWhatHasNoMeaningYetIsRefused) {
  auto said = [](const std::string &stem) {
    return Checking(test::fileText(TSR_SOURCE_DIR "/tests/canon/" + stem + ".tsr")).messages();
  };
  EXPECT_EQ(said("10_policies"), "");
  EXPECT_EQ(said("11_mlp_grad"), "");
  EXPECT_EQ(said("12_transformer"), "");
  Checking c(test::fileText(TSR_SOURCE_DIR "/tests/canon/10_policies.tsr"));
  for (const char *name : {"mixed_gemm", "sum_large", "stochastic", "reproducible_sum"})
    EXPECT_TRUE(c.program->find(name)) << name;
  EXPECT_TRUE(c.program->find("reproducible_sum")->deterministic);
}
TEST(Check, NumericsAreExplicit) {
  Checking c =
      right("def f[N](x: Tensor[N, bf16 @round_at(each_op)]) -> Tensor[N, bf16]:\n    return x * x + x\n"
            "def g[N](x: Tensor[N, bf16]) -> Tensor[N, f32]:\n    return x * x\n");
  EXPECT_THAT(c.dump(), HasSubstr("cast<bf16 @round_at(each_op)>(mul("));
  EXPECT_THAT(c.dump(), HasSubstr("return mul(cast<f32>(x#0), cast<f32>(x#0))"));
}
TEST(Check, EveryHelperOfTheLibraryChecks) {
  right("def a[N, D](x: Tensor[N, D, f32], w: Tensor[D, f32]) -> Tensor[N, D, f32]:\n"
        "    y = relu(x) + gelu_tanh(x) + softplus(x) + log_softmax_safe(x) + layernorm_safe(x, w, w)\n"
        "    return y / norm(x) + x.std(axis=-1, keepdim=True) + mse(x, y) + row_min(x)[:, None]\n");
}
TEST(Check, ImportsOfFilesBesideThisOne) {
  Checking c("from .blocks import mlp as feed_forward\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    "
             "return feed_forward(x)\n",
             {{"blocks", "def mlp(x):\n    return x * 2\n"}});
  EXPECT_EQ(c.messages(), "");
  EXPECT_THAT(c.dump(), HasSubstr("mul(x#0"));
}
TEST(Check, FunctionsOfOneNameStayTwo) {
  const char rows[] = "@kernel\ndef rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:\n    r, = tile.origin()\n"
                      "    return tile.sum(x[r, :])\ndef unused[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n";
  Checking c("from .blocks import rows as totals\ndef rows[A, B](x: Tensor[A, B, f32]) -> Tensor[A, f32]:\n"
             "    return totals(x) * 2\n",
             {{"blocks", rows}});
  EXPECT_EQ(c.messages(), "");
  ASSERT_EQ(c.program->functions.size(), 2u) << c.dump();
  EXPECT_EQ(c.program->functions[0]->name, "blocks_rows");
  EXPECT_EQ(c.program->functions[1]->name, "rows");
  EXPECT_THAT(c.dump(), HasSubstr("call blocks_rows(x#0)"));
}
TEST(Check, AKernelUnderAScheduleOfItsOwn) {
  Checking c = right("@kernel\ndef twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i, = tile.origin()\n"
                     "    return x[i:i + 32] * 2\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n"
                     "    return twice(x) + twice.with_schedule(Schedule(warps=8))(x)\n");
  ASSERT_EQ(c.program->functions.size(), 3u) << c.dump();
  EXPECT_EQ(c.program->functions[1]->name, "twice_2");
  EXPECT_EQ(c.program->functions[1]->kernel.schedule.sizes.at("warps"), 8);
}
TEST(Check, WhatTheTunerIsToldIsKept) {
  Checking c = right("@kernel.autotune(space=dict(BM=[32, 64]), metric=\"latency_ms\", budget_ms=180, cache=\"c.db\")\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i, = tile.origin()\n"
                     "    s = tile.zeros((32,), f32)\n    for k in tile.range(0, 4, prefetch=2):\n        s += x[i:i + 32]\n"
                     "    return s\n");
  std::map<std::string, std::string> expected = {
      {"metric", "latency_ms"}, {"budget_ms", "180"}, {"cache", "c.db"}, {"prefetch", "k=2"}};
  EXPECT_EQ(c.program->find("f")->kernel.schedule.options, expected);
}
TEST(Check, OptionsThatMeanNothingAreRefused) {
  const char body[] = "\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i, = tile.origin()\n    return x[i:i + 32]\n";
  auto said = [&](const std::string &decorator) { return Checking(decorator + body).messages(); };
  EXPECT_EQ(said("@kernel.autotune(space=dict(BM=[32]), metrik=\"x\")"),
            "E0505 1:39 `kernel.autotune` has no option `metrik`\n");
  EXPECT_EQ(said("@kernel.autotune(budget_ms=0)"), "E0505 1:28 the tuner needs at least 1 ms, not 0\n");
  EXPECT_EQ(said("@kernel.autotune(metric=3)"),
            "E0505 1:25 `metric` of `kernel.autotune` is a text in quotes, but this is the integer 3\n");
  EXPECT_EQ(said("@deterministic(sed=1)\n@kernel"), "E0206 1:16 `deterministic` takes no argument `sed`\n");
  EXPECT_EQ(Checking("@jit(fast=True)\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n").messages(),
            "E0207 1:6 `@jit` takes no arguments, but saw 1\n");
  EXPECT_EQ(Checking("def main():\n    for i in range(0, 3, prefetch=2):\n        print(i)\n").messages(),
            "E0505 2:35 `prefetch` has a meaning only in the loops of kernels\n");
}
TEST(Check, UniformElementsAreStoredOnceAGroup) {
  Checking c =
      right("@kernel(grid=(4,), group=32)\ndef f(x: Tensor[4, f32], y: Tensor[4, f32], z: Tensor[32, f32]):\n"
            "    g = tile.group_id()\n    y[g] += x[g]\n    z[tile.local_id()] = 1.0\n");
  EXPECT_THAT(c.dump(), HasSubstr("load x#0[g#3]) once"));
  EXPECT_THAT(c.dump(), HasSubstr("store z#2[local_id(0)] = 1:f32\n"));
}
TEST(Check, GuardsTogetherGiveTheLanes) {
  Checking c = right("@kernel\ndef f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]):\n    i = "
                     "tile.linear_id()\n    if i < N:\n        x[i] = 1.0\n"
                     "    if i < M:\n        y[i] = 2.0\n");
  EXPECT_THAT(c.dump(), HasSubstr("grid lanes max(M, N)"));
}
TEST(Check, OptionalArgumentsOfTracedCalls) {
  Checking c = right(
      "def opt(x, mask=None):\n    if mask is not None:\n        x = x * mask.unsqueeze(-1)\n    return x\n"
      "def f[B, D](x: Tensor[B, D, f32], m: Tensor[B, f32]) -> Tensor[B, D, f32]:\n    return opt(x, m) + "
      "opt(x)\n");
  EXPECT_THAT(c.dump(), HasSubstr("return add(x#2, x#0)"));
}
TEST(Check, Attention) {
  Checking c =
      right("def f[B, S, D, H](x: Tensor[B, S, D, bf16 @accum(f32)], w: Tensor[D, 3 * D, bf16 @accum(f32)], "
            "heads: Const[H])"
            " -> Tensor[B, S, D, bf16] where D % H == 0:\n    q, k, v = split(x @ w, 3, axis=-1)\n"
            "    q, k, v = [t.reshape(B, S, H, D // H).transpose(1, 2) for t in (q, k, v)]\n"
            "    p = softmax_safe(q @ k.transpose(-1, -2) * rsqrt(f32(D // H)))\n    a = cast(p, bf16) @ v\n"
            "    return x + a.transpose(1, 2).reshape(B, S, D)\n");
  EXPECT_THAT(c.dump(), HasSubstr("require D % H == 0"));
  EXPECT_EQ(c.program->find("f")->requirements.size(), 2u);
  EXPECT_THAT(
      c.dump(),
      HasSubstr("let q#4: Tensor[B, S, D, f32 @accum(f32)] = slice(parts#3)[0 +: B, 0 +: S, 0 +: D]"));
}
/// That a multiple of B of at most B + 1 is B is beyond the solver; it is asked for at the entry.
TEST(Check, UndecidedExtentsOfOperandsAreARequirement) {
  Checking c = right("def f[A, B](x: Tensor[A, f32], y: Tensor[B, f32]) -> Tensor[A, f32] "
                     "where A % B == 0, A >= 3, B + 1 >= A:\n    return x + y\n");
  EXPECT_THAT(c.dump(), HasSubstr("require A == B"));
}
TEST(Check, TheDimensionLeftOfAReshape) {
  Checking c = right("def f[B, D, H](x: Tensor[B, D, f32], heads: Const[H]) -> Tensor[B, H, D // H, f32] "
                     "where D % H == 0:\n    return x.reshape(B, heads, -1)\n");
  EXPECT_THAT(c.dump(), HasSubstr("return reshape[B, H, D // H](x#0)"));
}
TEST(Check, SameTextTwice) {
  std::string text = test::fileText(TSR_SOURCE_DIR "/tests/canon/08_flash_attention.tsr");
  EXPECT_EQ(Checking(text).dump(), Checking(text).dump());
}
