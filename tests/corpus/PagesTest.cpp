// The explanation pages of what reading and checking find: the wrong program of a page has that mistake and no other,
// the right one has none.
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace tessera;

namespace {

std::vector<std::string> programsOf(const std::string &page) {
  std::vector<std::string> programs;
  const std::string fence = "```tsr\n";
  for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    size_t end = page.find("```", at);
    programs.push_back(page.substr(at, end - at));
    at = end;
  }
  return programs;
}

/// Mistakes of files that no page can show: they are too large or no text. Their goldens are tests/frontend/errors.
const std::set<std::string> kNotShown = {"tooManyMistakes", "sourceTooLarge",     "nulByte",
                                         "badUtf8",         "bareCarriageReturn", "nestingTooDeep"};

std::vector<diag::Row> rowsOfPages() {
  std::vector<diag::Row> rows;
  for (const diag::Row &row : diag::rows())
    if (row.code < "E0600") rows.push_back(row);
  return rows;
}

/// What pages import: `around` imports the program itself.
const std::map<std::string, std::string> kBeside = {{"around", "from .around import f\n"},
                                                    {"blocks", "def mlp(x):\n    return x\n"}};

class Page : public testing::TestWithParam<diag::Row> {};
}  // namespace

TEST_P(Page, ShowsItsMistakeAndHowToMendIt) {
  std::string code(GetParam().code), path = TSR_SOURCE_DIR "/docs/errors/" + code + ".md";
  std::vector<std::string> programs = programsOf(test::fileText(path));
  ASSERT_EQ(programs.size(), 2u) << path;
  if (!kNotShown.count(std::string(GetParam().name))) {
    test::Checking wrong(programs[0], kBeside);
    ASSERT_EQ(wrong.diagnostics.all().size(), 1u) << path << "\n" << wrong.messages();
    EXPECT_EQ(diag::row(wrong.diagnostics.all()[0].id).code, code) << path << "\n" << wrong.messages();
  }
  test::Checking right(programs[1], kBeside);
  EXPECT_EQ(right.messages(), "") << path;
}

INSTANTIATE_TEST_SUITE_P(Pages, Page, testing::ValuesIn(rowsOfPages()),
                         [](const testing::TestParamInfo<diag::Row> &info) {
                           return std::string(info.param.code) + "_" + std::string(info.param.name);
                         });
