// Small wrong programs, errors/*.tsr: each says with `# expect: E0401 3:12 words` what must be said about it.
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace tessera;
namespace fs = std::filesystem;

namespace {
const fs::path folder = TSR_SOURCE_DIR "/tests/sema/errors";

struct Expected {
  std::string code, place, words;
};
std::vector<Expected> expectations(const std::string &text) {
  std::vector<Expected> list;
  std::istringstream lines(text);
  const std::string mark = "# expect: ";
  for (std::string line; std::getline(lines, line);) {
    size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::istringstream words(line.substr(at + mark.size()));
    Expected e;
    words >> e.code >> e.place;
    std::getline(words >> std::ws, e.words);
    list.push_back(std::move(e));
  }
  return list;
}
std::vector<fs::path> programs() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".tsr") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}
}  // namespace

TEST(Errors, EachProgramGetsItsMessages) {
  ASSERT_GT(programs().size(), 40u);
  for (const fs::path &file : programs()) {
    SCOPED_TRACE(file.filename().string());
    std::string text = test::fileText(file.string());
    test::Checking checked(
        text, {{"around", "from .around import f\n"}, {"blocks", "def mlp(x):\n    return x\n"}});
    std::vector<Expected> expected = expectations(text);
    ASSERT_FALSE(expected.empty()) << "no `# expect:` line";
    const auto &got = checked.diagnostics.all();
    ASSERT_EQ(got.size(), expected.size()) << checked.messages();
    for (size_t i = 0; i < got.size(); ++i) {
      LineColumn at = checked.sources.file(got[i].span.file).lineColumn(got[i].span.begin);
      EXPECT_EQ(diag::row(got[i].id).code, expected[i].code) << checked.messages();
      EXPECT_EQ(std::to_string(at.line) + ":" + std::to_string(at.column), expected[i].place)
          << checked.messages();
      EXPECT_NE(got[i].message.find(expected[i].words), std::string::npos) << checked.messages();
    }
  }
}

TEST(Errors, EveryIdOfTheCheckerOccursAndHasAPage) {
  std::set<std::string> seen;
  for (const fs::path &file : programs())
    for (const Expected &e : expectations(test::fileText(file.string()))) seen.insert(e.code);
  for (const diag::Row &row : diag::rows()) {
    std::string code(row.code);
    if (code < "E0200" || code >= "E0600") continue;
    EXPECT_TRUE(seen.count(code)) << code << " " << row.name << " has no program in " << folder;
    EXPECT_TRUE(fs::exists(fs::path(TSR_SOURCE_DIR "/docs/errors") / (code + ".md")))
        << code << " has no page";
  }
}
