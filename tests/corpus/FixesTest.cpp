// Every edit that a message of a golden program offers as certain takes that message away, and the program still reads.
#include "diag/Edits.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::string> kBeside = {{"around", "from .around import f\n"},
                                                    {"blocks", "def mlp(x):\n    return x\n"}};

std::vector<fs::path> goldens() {
  std::vector<fs::path> files;
  for (const char *folder : {"tests/frontend/errors", "tests/sema/errors", "tests/corpus/wrong"})
    for (const auto &entry : fs::recursive_directory_iterator(fs::path(TSR_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".tsr" && entry.path().filename().string()[0] != '_')
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Whether the message is still given for this place. The text before the place has not changed; a mistake of the same
/// kind behind it, of which nothing was said before, is another mistake.
bool saysAt(const test::Checking &checking, const diag::Diagnostic &like) {
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    if (d.id == like.id && d.message == like.message && d.span.begin == like.span.begin) return true;
  return false;
}

size_t countOf(const test::Checking &checking, const diag::Diagnostic &like) {
  size_t count = 0;
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    count += d.id == like.id && d.message == like.message;
  return count;
}

size_t syntaxMistakes(const test::Checking &checking) {
  size_t count = 0;
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    count += diag::row(d.id).code.substr(0, 3) == "E01";
  return count;
}

}  // namespace

TEST(Fixes, TakeTheirMessageAway) {
  size_t tried = 0;
  for (const fs::path &file : goldens()) {
    std::string text = test::fileText(file.string());
    test::Checking checking(text, kBeside);
    bool cut = false;  // E0102: behind it there are mistakes that were not said
    for (const diag::Diagnostic &d : checking.diagnostics.all()) cut |= d.id == diag::Id::tooManyMistakes;
    for (const diag::Diagnostic &d : checking.diagnostics.all())
      for (const diag::Fix &fix : d.fixes) {
        if (cut || fix.span.file != checking.main->file || fix.applicability != diag::Applicability::Certain)
          continue;
        ++tried;
        std::string mended = diag::applyFixes(text, {&fix}).text;
        test::Checking again(mended, kBeside);
        EXPECT_FALSE(saysAt(again, d)) << file << ": " << d.message << "\n" << mended << again.messages();
        EXPECT_LE(syntaxMistakes(again), syntaxMistakes(checking)) << file << ": " << d.message << "\n"
                                                                   << again.messages();
      }
  }
  EXPECT_GT(tried, 40u);
}

TEST(Fixes, SuggestionsThatAreTheOnlyOneMend) {
  size_t tried = 0;
  for (const fs::path &file : goldens()) {
    std::string text = test::fileText(file.string());
    test::Checking checking(text, kBeside);
    if (checking.diagnostics.all().size() != 1) continue;
    const diag::Diagnostic &d = checking.diagnostics.all()[0];
    const diag::Fix *fix = diag::shownFix(d);
    bool aboutMeaning = diag::row(d.id).code >= "E0200";
    if (!aboutMeaning || !fix || fix->span.file != checking.main->file) continue;
    ++tried;
    test::Checking again(diag::applyFixes(text, {fix}).text, kBeside);
    EXPECT_EQ(countOf(again, d), 0u) << file << "\n" << again.messages();
  }
  EXPECT_GT(tried, 20u);
}
