// The mistakes corpus: each program of wrong/ gets its one message and mends by its edit, each of right/ gets none.
#include "diag/Edits.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>

using namespace tessera;
namespace fs = std::filesystem;

namespace {
const fs::path folder = TSR_SOURCE_DIR "/tests/corpus";

/// "shapes/transposed_weight" for each program of wrong/ or right/, in order.
std::vector<std::string> casesOf(const std::string &kind) {
  std::vector<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder / kind)) {
    const fs::path &path = entry.path();
    if (path.extension() != ".tsr" || path.filename().string()[0] == '_') continue;
    names.push_back(fs::relative(path, folder / kind).replace_extension().generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Checks a text as if it stood in the file, with the helpers that lie beside it.
std::unique_ptr<test::Checking> checkedText(const std::string &text, const fs::path &file) {
  std::map<std::string, std::string> helpers;
  for (const auto &entry : fs::directory_iterator(file.parent_path()))
    if (entry.path().extension() == ".tsr" && entry.path().filename().string()[0] == '_')
      helpers[entry.path().stem().string()] = test::fileText(entry.path().string());
  return std::make_unique<test::Checking>(text, std::move(helpers));
}

struct Header {
  std::string code, fix;
  uint32_t line = 0, firstColumn = 0, lastColumn = 0;  // columns 0: any
};
/// Empty code: the text has no header that can be read.
Header headerOf(const std::string &text) {
  static const std::regex expect(R"(# expect: (E\d{4}) line (\d+)(?: columns (\d+)-(\d+))?\n)");
  static const std::regex fix(R"(# fix: ((?:insert|delete|replace) `.*|none: \S.*)\n)");
  Header header;
  std::smatch match;
  if (!std::regex_search(text, match, fix)) return header;
  header.fix = match[1];
  if (!std::regex_search(text, match, expect)) return header;
  header.code = match[1];
  header.line = static_cast<uint32_t>(std::stoul(match[2]));
  if (match[3].matched) {
    header.firstColumn = static_cast<uint32_t>(std::stoul(match[3]));
    header.lastColumn = static_cast<uint32_t>(std::stoul(match[4]));
  }
  return header;
}

/// What the checker said, in the words of a header, so that it can be compared and copied.
std::string whatCame(const test::Checking &checking) {
  std::string out;
  for (const diag::Diagnostic &d : checking.diagnostics.all()) {
    const SourceFile &file = checking.sources.file(d.span.file);
    LineColumn begin = file.lineColumn(d.span.begin), end = file.lineColumn(d.span.end);
    out += "  # expect: " + std::string(diag::row(d.id).code) + " line " + std::to_string(begin.line) +
           " columns " + std::to_string(begin.column) + "-" + std::to_string(end.column - 1) + "\n";
    const diag::Fix *fix = diag::shownFix(d);
    out += "  # fix: " + (fix ? diag::editText(*fix, checking.sources) : "none: ...") + "\n    " + d.message +
           "\n";
  }
  return out.empty() ? "  no message\n" : out;
}

/// With TSR_UPDATE_GOLDENS=1 the header is written anew from what the checker says: to be read before it is committed.
/// The reason of a `none` is a person's and stays.
void updateHeader(const fs::path &file, const std::string &text, const std::string &came) {
  std::string body = text;
  while (body.rfind("# expect:", 0) == 0 || body.rfind("# fix:", 0) == 0) body.erase(0, body.find('\n') + 1);
  size_t expect = came.find("# expect: "), fix = came.find("# fix: ");
  if (expect == std::string::npos) return;
  std::string fixLine = came.substr(fix, came.find('\n', fix) + 1 - fix), old = headerOf(text).fix;
  if (fixLine.rfind("# fix: none", 0) == 0 && old.rfind("none: ", 0) == 0) fixLine = "# fix: " + old + "\n";
  std::ofstream(file) << came.substr(expect, came.find('\n', expect) + 1 - expect) << fixLine << body;
}

class Wrong : public testing::TestWithParam<std::string> {};
class Right : public testing::TestWithParam<std::string> {};
std::string testName(const testing::TestParamInfo<std::string> &info) {
  return std::regex_replace(info.param, std::regex("[^A-Za-z0-9]"), "_");
}
}  // namespace

TEST_P(Wrong, GetsItsMessageAndMends) {
  fs::path file = folder / "wrong" / (GetParam() + ".tsr");
  std::string text = test::fileText(file.string());
  Header header = headerOf(text);
  auto checking = checkedText(text, file);
  std::string came = file.string() + "\n" + whatCame(*checking);
  if (std::getenv("TESSERA_UPDATE_GOLDENS") || std::getenv("TSR_UPDATE_GOLDENS")) return updateHeader(file, text, whatCame(*checking));
  ASSERT_FALSE(header.code.empty()) << "the header is not as README.md wants it\n" << came;
  ASSERT_TRUE(fs::exists(folder / "right" / (GetParam() + ".tsr")))
      << "there is no right program beside " << file;
  ASSERT_EQ(checking->diagnostics.all().size(), 1u) << came;
  const diag::Diagnostic &d = checking->diagnostics.all()[0];
  const SourceFile &source = checking->sources.file(d.span.file);
  LineColumn begin = source.lineColumn(d.span.begin), end = source.lineColumn(d.span.end);
  EXPECT_EQ(diag::row(d.id).code, header.code) << came;
  EXPECT_EQ(begin.line, header.line) << came;
  if (header.firstColumn) {
    EXPECT_EQ(begin.column, header.firstColumn) << came;
    EXPECT_EQ(end.column - 1, header.lastColumn) << came;
  }
  const diag::Fix *fix = diag::shownFix(d);
  if (header.fix.rfind("none: ", 0) == 0) {
    EXPECT_EQ(fix, nullptr) << came;
    return;
  }
  ASSERT_NE(fix, nullptr) << came;
  EXPECT_EQ(diag::editText(*fix, checking->sources), header.fix) << came;
  ASSERT_EQ(fix->span.file, checking->main->file) << "the edit is in another file\n" << came;
  std::string mended = diag::applyFixes(text, {fix}).text;
  EXPECT_EQ(checkedText(mended, file)->messages(), "") << mended;
}

TEST_P(Right, GetsNoMessage) {
  fs::path file = folder / "right" / (GetParam() + ".tsr");
  auto checking = checkedText(test::fileText(file.string()), file);
  EXPECT_TRUE(checking->diagnostics.all().empty()) << file << "\n" << whatCame(*checking);
  EXPECT_TRUE(fs::exists(folder / "wrong" / (GetParam() + ".tsr")))
      << "there is no wrong program beside " << file;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Wrong, testing::ValuesIn(casesOf("wrong")), testName);
INSTANTIATE_TEST_SUITE_P(Corpus, Right, testing::ValuesIn(casesOf("right")), testName);
