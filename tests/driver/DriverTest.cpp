#include "driver/CacheFolder.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Targets.h"
#include "support/Check.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace tessera;
using namespace tessera::driver;

namespace {
std::string scratch(const std::string &name) {
  std::string folder = testing::TempDir() + "tessera-" + std::to_string(getpid());
  EXPECT_EQ(makeFolders(folder), "");
  return folder + "/" + name;
}
}  // namespace

TEST(Console, MistakesOfTheCompilerBecomeMessages) {
  testing::internal::CaptureStderr();
  int code = guardedMain([]() -> int {
    TSR_CHECK(1 + 1 == 3, "sums are off");
    return 0;
  });
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kInternalError);
  EXPECT_NE(text.find("E0709"), std::string::npos);
  EXPECT_NE(text.find("sums are off"), std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(guardedMain([]() -> int { throw std::bad_alloc(); }), kInternalError);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("memory"), std::string::npos);
}

TEST(Files, AllAppearOrNone) {
  std::string good = scratch("good.txt"), bad = scratch("missing/bad.txt");
  EXPECT_NE(writeFiles({{good, "new"}, {bad, "new"}}), "");
  EXPECT_FALSE(std::filesystem::exists(good));
  EXPECT_EQ(writeFiles({{good, "first"}}), "");
  EXPECT_NE(writeFiles({{good, "second"}, {bad, "second"}}), "");
  EXPECT_EQ(readFile(good).text, "first");
  for (const auto &entry : std::filesystem::directory_iterator(folderOf(good))) EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos);
}

TEST(Files, TemporariesAreMadeNotFound) {
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) {
    std::string name = temporaryBeside(scratch("made"));
    EXPECT_EQ(readFile(name).text, "");
    EXPECT_TRUE(names.insert(name).second);
  }
  for (const std::string &name : names) std::filesystem::remove(name);
  EXPECT_EQ(temporaryBeside(scratch("missing/made")), "");
  EXPECT_NE(temporaryBeside(scratch(std::string(250, 'n'))), "");  // also beside the longest name that there may be
}

TEST(Files, WhatKilledProcessesLeftIsSwept) {
  const std::string folder = scratch("swept"), path = folder + "/model.cpp";
  std::filesystem::create_directories(folder);
  const std::string left = temporaryBeside(path), other = temporaryBeside(folder + "/other.cpp"), theirs = path + ".tmp-notes";
  ASSERT_EQ(writeFiles({{theirs, "mine"}}), "");
  sweepBeside(path, 3600);
  EXPECT_TRUE(std::filesystem::exists(left));  // somebody may be writing it
  sweepBeside(path, -1);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(theirs));
}

TEST(Cache, EntriesAreCheckedBeforeTheyAreUsed) {
  std::string path = scratch("entry"), moved = scratch("moved");
  EXPECT_EQ(readEntry(path).state, EntryState::Missing);
  ASSERT_EQ(writeEntry(path, "bytes"), "");
  EXPECT_EQ(readEntry(path).state, EntryState::Good);
  EXPECT_EQ(readEntry(path).bytes, "bytes");
  std::string whole = readFile(path).text;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    ASSERT_EQ(writeFiles({{path, damaged}}), "");
    EXPECT_EQ(readEntry(path).state, EntryState::Damaged) << i;
    ASSERT_EQ(writeFiles({{path, whole.substr(0, i)}}), "");
    EXPECT_EQ(readEntry(path).state, EntryState::Damaged) << i;
  }
  ASSERT_EQ(writeFiles({{moved, whole}}), "");
  EXPECT_EQ(readEntry(moved).state, EntryState::Damaged);
}

TEST(Files, ProblemsOfReadingAreToldApart) {
  EXPECT_EQ(readFile(scratch("none")).problem, ReadProblem::Missing);
  EXPECT_EQ(readFile(folderOf(scratch("x"))).problem, ReadProblem::Directory);
  ASSERT_EQ(writeFiles({{scratch("ten"), "0123456789"}}), "");
  EXPECT_EQ(readFile(scratch("ten"), 9).problem, ReadProblem::TooLarge);
  EXPECT_EQ(readFile(scratch("ten"), 10).text, "0123456789");
}

TEST(Targets, NamesAndSuffixes) {
  EXPECT_EQ(parseTarget("cuda:sm_90a")->name(), "cuda:sm_90a");
  EXPECT_EQ(parseTarget("hip:gfx942")->suffix(), ".hip");
  EXPECT_TRUE(parseTarget("reference")->reference);
  for (const char *wrong : {"", "tpu", "cuda:", "cuda:gfx942", "cpu:avx", "hip:sm_90"}) EXPECT_FALSE(parseTarget(wrong)) << wrong;
  EXPECT_EQ(targetOfSuffix(".cu")->target, Target::Cuda);
  EXPECT_FALSE(targetOfSuffix(".c"));
}

TEST(Cache, HashesTellTextsApart) {
  EXPECT_EQ(contentHash("abc"), contentHash("abc"));
  EXPECT_NE(contentHash("abc"), contentHash("abd"));
  EXPECT_NE(contentHash(""), contentHash(std::string(1, '\0')));
  EXPECT_EQ(contentHash("x").size(), 64u);
  EXPECT_NE(contentHash({"ab", "c"}), contentHash({"a", "bc"}));
  EXPECT_NE(contentHash({"a", ""}), contentHash({"", "a"}));
}
