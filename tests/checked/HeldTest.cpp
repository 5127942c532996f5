// Tiles of any size that a kernel holds whole: what no target compiles is found in the checked program.
#include "checked/Held.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;
namespace fs = std::filesystem;

namespace {

/// The extent without a bound of the first kernel that has one; empty where there is none.
std::string unboundedIn(const Checking &checking) {
  for (const auto &function : checking.program->functions)
    if (auto tile = checked::unboundedTile(*function)) return tile->dimension;
  return "";
}
std::string unbounded(const std::string &program) {
  Checking checking("from tessera import Schedule, kernel, tile\n" + program);
  return checking.messages().empty() ? unboundedIn(checking) : checking.messages();
}

std::string scores(const std::string &facts) {
  return "@kernel\ndef scores[S, D](q: Tensor[S, D, f32], k: Tensor[S, D, f32]) -> Tensor[S, S, f32]" + facts +
         ":\n    T = tile.context()\n    m, n = tile.origin()\n"
         "    return tile.dot(q[m:m + T.m, :], tile.transpose(k[n:n + T.n, :]))\n";
}

/// The order of whole rows, which a group holds.
std::string sorted(const std::string &facts) {
  return "@kernel\ndef order[R, D](x: Tensor[R, D, f32]) -> Tensor[R, D, i64]" + facts +
         ":\n    T = tile.context()\n    r, _ = tile.origin()\n    return tile.argsort(x[r:r + T.m, :])\n";
}

TEST(Held, RowsThatAreSortedNeedABound) {
  EXPECT_EQ(unbounded(sorted("")), "D");
  EXPECT_EQ(unbounded(sorted(" where D % 16 == 0, D >= 16")), "D");
  for (const char *bound : {" where D <= 256", " where D < 257", " where D == 64", " where 256 >= D", " where D in 1..=64"})
    EXPECT_EQ(unbounded(sorted(bound)), "") << bound;
}

TEST(Held, RowsInPiecesNeedNone) {
  EXPECT_EQ(unbounded(scores("")), "");
  const std::string head = "@kernel\ndef f[S, D](x: Tensor[S, D, f32], y: Tensor[D, D, f32]) -> Tensor[S, D, f32]:\n    T = tile.context()\n    m, _ = tile.origin()\n";
  EXPECT_EQ(unbounded(head + "    v = x[m:m + T.m, :]\n    return v / tile.row_sum(v)[:, None]\n"), "");
  EXPECT_EQ(unbounded(head + "    return tile.dot(x[m:m + T.m, :], y)\n"), "D");  // a square
  const std::string loop = "    acc = tile.zeros((T.m, D), f32)\n    total = tile.zeros((T.m,), f32)\n    for i in tile.range(0, S):\n        acc += x[m:m + T.m, :]\n";
  EXPECT_EQ(unbounded(head + loop + "        total += tile.row_sum(x[m:m + T.m, :])\n    return acc / total[:, None]\n"), "");
  EXPECT_EQ(unbounded(head + loop + "        half = acc * 0.5\n        total += tile.row_sum(half)\n    return acc / total[:, None]\n"), "D");  // of all that was carried
}

TEST(Held, APieceWritesNothingBehindTheEnd) {
  const std::string head = "@kernel.schedule(Schedule(block=(8, 16)))\ndef f[R, C](x: Tensor[R, C, f32], y: Tensor[R, 2 * C, f32]):\n    T = tile.context()\n    r = tile.group_id(0) * T.m\n";
  EXPECT_EQ(unbounded(head + "    y[r:r + T.m, 0:C] = x[r:r + T.m, :] * 2.0\n"), "C");
  EXPECT_EQ(unbounded(head + "    x[r:r + T.m, :] = x[r:r + T.m, :] * 2.0\n"), "");
  const std::string before = "    v = x[r:r + T.m, :]\n    x[r:r + T.m, :] = v * 2.0\n    x[r:r + T.m, :] = ";
  EXPECT_EQ(unbounded(head + before + "x[r:r + T.m, :] + 1.0\n"), "");
  EXPECT_EQ(unbounded(head + before + "v + 1.0\n"), "C");  // as it was before
}

TEST(Held, ARowThatIsOnlyReadIsNotHeld) {
  EXPECT_EQ(unbounded("@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    r, _ = tile.origin()\n    row = x[r, :]\n"
                      "    return tile.exp(row - tile.max(row, axis=-1, keepdim=True))\n"),
            "");
}

TEST(Held, RowsThatIndicesNameNeedNoBound) {
  const std::string head = "@kernel(grid=(cdiv(N, 64),))\ndef f[R, H, N, K](x: Tensor[R, H, K, f32], ids: Tensor[N, i32], w: Tensor[K, 64, f32], y: Tensor[N, 64, f32]):\n"
                           "    n = tile.group_id(0) * 64\n    rows = ids[n:n + 64]\n    acc = tile.zeros((64, 64), f32)\n    for k in range(0, K, 32):\n";
  const std::string tail = "    y[n:n + 64, :] = acc\n";
  EXPECT_EQ(unbounded(head + "        acc = tile.dot(x[rows, 0, k:k + 32], w[k:k + 32, :], acc)\n" + tail), "");
  EXPECT_EQ(unbounded(head + "        acc = tile.dot(x[rows, rows, k:k + 32], w[k:k + 32, :], acc)\n" + tail), "");
  EXPECT_EQ(unbounded(head + "        acc = tile.dot(x[0:64, 0, :], w, acc)\n" + tail), "");
}

TEST(Held, WhatALoopCarriesIsHeld) {
  const std::string head = "@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]";
  const std::string body = ":\n    r, _ = tile.origin()\n    row = x[r, :]\n    for i in tile.range(0, 3):\n        row = row * 0.5\n    return row\n";
  EXPECT_EQ(unbounded(head + body), "");  // a piece of it after the other
  const std::string sum = "    for i in tile.range(0, 3):\n        row = row / tile.sum(row)\n    return row\n";
  EXPECT_EQ(unbounded(head + ":\n    r, _ = tile.origin()\n    row = x[r, :]\n" + sum), "C");
  EXPECT_EQ(unbounded(head + " where C <= 1024" + body), "");
}

/// tests/e2e/not_compiled.txt says of each right program of the corpus whether a target compiles it.
TEST(Held, TheCorpusIsCompiledWhereNothingIsFound) {
  std::set<std::string> refused;
  std::ifstream list(TSR_SOURCE_DIR "/tests/e2e/not_compiled.txt");
  for (std::string line; std::getline(list, line);)
    if (line[0] != '#' && line.find("needs an upper bound") != std::string::npos) refused.insert(line.substr(0, line.find(' ')));
  const fs::path folder = TSR_SOURCE_DIR "/tests/corpus/right";
  size_t kernels = 0;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tsr" || entry.path().filename().string()[0] == '_') continue;
    const std::string text = test::fileText(entry.path().string()), name = fs::relative(entry.path(), folder).generic_string();
    if (text.find("kernel") == std::string::npos || text.find("from .") != std::string::npos) continue;
    Checking checking(text);
    ++kernels;
    EXPECT_EQ(unboundedIn(checking) != "", refused.count(name) != 0) << name;
  }
  EXPECT_GE(kernels, 100u);
}

}  // namespace
