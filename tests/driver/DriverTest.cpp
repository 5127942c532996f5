#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Targets.h"
#include "support/Check.h"
#include <filesystem>
#include <gtest/gtest.h>
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
  EXPECT_EQ(contentHash("x").size(), 32u);
}
