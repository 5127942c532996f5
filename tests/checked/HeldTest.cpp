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
  Checking checking("from tessera import kernel, tile\n" + program);
  return checking.messages().empty() ? unboundedIn(checking) : checking.messages();
}

std::string scores(const std::string &facts) {
  return "@kernel\ndef scores[S, D](q: Tensor[S, D, f32], k: Tensor[S, D, f32]) -> Tensor[S, S, f32]" + facts +
         ":\n    T = tile.context()\n    m, n = tile.origin()\n"
         "    return tile.dot(q[m:m + T.m, :], tile.transpose(k[n:n + T.n, :]))\n";
}

TEST(Held, AnExtentOfAProductNeedsABound) {
  EXPECT_EQ(unbounded(scores("")), "D");
  EXPECT_EQ(unbounded(scores(" where D % 16 == 0, D >= 16")), "D");
  for (const char *bound : {" where D <= 256", " where D < 257", " where D == 64", " where 256 >= D", " where D in 1..=64"})
    EXPECT_EQ(unbounded(scores(bound)), "") << bound;
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
  EXPECT_EQ(unbounded(head + "        acc = tile.dot(x[0:64, 0, :], w, acc)\n" + tail), "K");
}

TEST(Held, WhatALoopCarriesIsHeld) {
  const std::string head = "@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]";
  const std::string body = ":\n    r, _ = tile.origin()\n    row = x[r, :]\n    for i in tile.range(0, 3):\n        row = row * 0.5\n    return row\n";
  EXPECT_EQ(unbounded(head + body), "C");
  EXPECT_EQ(unbounded(head + " where C <= 1024" + body), "");
}

/// tests/e2e/not_compiled.txt says of each right program of the corpus whether a target compiles it.
TEST(Held, TheCorpusIsCompiledWhereNothingIsFound) {
  std::set<std::string> refused;
  std::ifstream list(TSR_SOURCE_DIR "/tests/e2e/not_compiled.txt");
  for (std::string line; std::getline(list, line);)
    if (line[0] != '#' && line.find("needs an upper bound") != std::string::npos) refused.insert(line.substr(0, line.find(' ')));
  EXPECT_GE(refused.size(), 10u);
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
