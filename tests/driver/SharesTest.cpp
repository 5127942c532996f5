// A large module is checked in several threads, and says what it says when one thread checks it.
#include "diag/Render.h"
#include "driver/check/Report.h"
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
using namespace tessera::driver;

namespace {

/// Definitions number `i`; they call those of `j`, which may stand anywhere.
std::string right(size_t i, size_t j) {
  std::string own = std::to_string(i), other = std::to_string(j);
  return "@kernel\n"
         "def rows_" + own + "[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32]) -> Tensor[R, C, f32] where C <= 1024:\n"
         "    r, _ = tile.origin()\n"
         "    v = x[r, :] * " + own + ".5\n"
         "    return v / tile.sum(tile.exp(v), axis=-1, keepdim=True) * g[:]\n\n\n"
         "def block_" + own + "[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32]) -> Tensor[R, C, f32] where C <= 1024:\n"
         "    \"\"\"Rows " + other + ", and what `_part_" + other + "` makes of them.\"\"\"\n"
         "    return gelu(rows_" + other + "(x, g)) + _part_" + other + "(x, g)\n\n\n"
         "def _part_" + own + "(x, g):\n"
         "    return x * g + " + own + ".0\n\n\n";
}

std::string wrong(size_t i, size_t j, size_t kind) {
  std::string own = std::to_string(i), other = std::to_string(j);
  switch (kind) {
  case 0:  // in itself
    return "def wrong_" + own + "[N, M](a: Tensor[N, f32], b: Tensor[M, f32]) -> Tensor[N, f32]:\n    return a + b\n\n\n";
  case 1:  // in what it calls, which is right elsewhere
    return "def wrong_" + own + "[R, C](x: Tensor[R, C, f32], g: Tensor[R, f32]) -> Tensor[R, C, f32]:\n"
           "    return _part_" + other + "(x, g)\n\n\n";
  case 2:  // a name
    return "def wrong_" + own + "[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32]) -> Tensor[R, C, f32] where C <= 1024:\n"
           "    return block_" + other + "(x, g) + rose_" + other + "\n\n\n";
  case 3:  // a fact that the caller does not have
    return "def wrong_" + own + "[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32]) -> Tensor[R, C, f32]:\n"
           "    return rows_" + other + "(x, g)\n\n\n";
  case 4:  // of reading the text
    return "def wrong_" + own + "[N](a: Tensor[N, f32]) -> Tensor[N, f32]\n    return a\n\n\n";
  default:  // nothing calls it
    return "def _wrong_" + own + "(x, y):\n    return x.reshaped(3) + y\n\n\n";
  }
}

std::string module(size_t count, const std::map<size_t, std::string> &between = {}) {
  std::string text = "from tessera import kernel, tile\n\n\n";
  for (size_t i = 0; i < count; ++i) {
    text += right(i, (i * 7 + 3) % count);
    if (auto it = between.find(i); it != between.end()) text += it->second;
  }
  return text;
}

std::unique_ptr<Report> checkedIn(const std::string &text, size_t threads) {
  Texts texts;
  texts.replace("module.tsr", text);
  return checkProgram("module.tsr", texts, {}, threads);
}

std::string said(const Report &report) {
  std::string all;
  for (const diag::Diagnostic &d : report.diagnostics.all()) all += diag::renderText(d, report.sources, {}) + "\n";
  return all;
}

constexpr size_t kCount = 300;  // about 140 KB: enough for four threads

}  // namespace

TEST(Shares, ARightModuleIsRight) {
  std::string text = module(kCount);
  ASSERT_GT(text.size(), size_t{4 * 32 << 10});
  auto names = [](const Report &report) {
    std::multiset<std::string> all;
    for (const FunctionTime &time : report.times) all.insert(time.name);
    return all;
  };
  auto one = checkedIn(text, 1);
  EXPECT_EQ(said(*one), "");
  EXPECT_GE(one->times.size(), 2 * kCount);
  for (size_t threads : {2, 3, 4}) {
    auto several = checkedIn(text, threads);
    EXPECT_EQ(said(*several), "");
    EXPECT_EQ(names(*several), names(*one));
  }
}

TEST(Shares, MistakesAreSaidAsOneThreadSaysThem) {
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    std::map<size_t, std::string> between;
    for (size_t mistake = 0; mistake < 5; ++mistake) {
      size_t at = random() % kCount;
      between[at] += wrong(at, random() % kCount, (random() + mistake) % 6);
    }
    std::string text = module(kCount, between);
    std::string one = said(*checkedIn(text, 1));
    EXPECT_NE(one, "");
    for (size_t threads : {2, 3}) EXPECT_EQ(said(*checkedIn(text, threads)), one) << "with " << threads << " threads, round " << round;
  }
}

TEST(Shares, WhatIsSaidOfRightProgramsIsSaidOfEachShare) {
  for (size_t at : {size_t{3}, kCount - 3}) {
    std::string text = module(kCount, {{at, "@require(flops <= 10)\ndef large[N](a: Tensor[N, f32]) -> Tensor[N, f32] where N >= 64:\n    return a * a + a\n\n\n"}});
    std::string one = said(*checkedIn(text, 1));
    EXPECT_NE(one.find("flops"), std::string::npos) << one;
    EXPECT_EQ(said(*checkedIn(text, 3)), one);
  }
}

TEST(Shares, FilesThatOneFunctionImportsAreKnown) {
  auto dependencies = [](size_t threads) {
    Texts texts;
    texts.replace("module.tsr", module(kCount) + "from .beside import twice\n\n\ndef last[N](a: Tensor[N, f32]) -> Tensor[N, f32]:\n    return twice(a)\n");
    texts.replace("beside.tsr", "def twice(a):\n    return 2.0 * a\n");
    auto report = checkProgram("module.tsr", texts, {}, threads);
    EXPECT_EQ(said(*report), "");
    std::vector<std::string> files;
    for (const Dependency &d : report->dependencies) files.push_back(d.path);
    return files;
  };
  EXPECT_EQ(dependencies(1), (std::vector<std::string>{"module.tsr", "beside.tsr"}));
  EXPECT_EQ(dependencies(3), dependencies(1));
}

/// The trees of the prelude are those of every session, so that its files stand where a check alone would have put them.
TEST(Shares, FilesOfThePreludeStandWhereTheyStoodAlone) {
  auto paths = [](bool taken) {
    Session session([](const std::string &) { return ReadResult{ReadProblem::None, "def f[N](a: Tensor[N, f32]) -> Tensor[N, f32]:\n    return gelu(a)\n", 0}; });
    session.load("f.tsr");
    if (taken) session.take(Session::readPrelude());
    session.check();
    std::vector<std::string> all;
    for (FileId id = 0; id < session.sources.size(); ++id) all.push_back(session.sources.file(id).path);
    return all;
  };
  EXPECT_GT(paths(false).size(), size_t{5});
  EXPECT_EQ(paths(true), paths(false));
}
