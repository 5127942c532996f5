// errors/<id>_<name>.tsr are programs with mistakes; the .expected beside each says where and what the messages are.
#include "Parsed.h"
#include <filesystem>
#include <set>

using namespace tessera;
using test::Parsed;

namespace {
const std::string folder = TSR_SOURCE_DIR "/tests/frontend/errors/";

std::vector<std::string> programs() {
  std::vector<std::string> out;
  for (auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tsr") out.push_back(entry.path().stem());
  std::sort(out.begin(), out.end());
  return out;
}

/// Messages with their labels, notes and fixes, a line each.
std::string essentials(const Parsed &parsed) {
  std::string out;
  const SourceFile &source = parsed.sources.file(parsed.file);
  auto place = [&](Span span) {
    LineColumn at = source.lineColumn(span.begin), end = source.lineColumn(span.end);
    return std::to_string(at.line) + ":" + std::to_string(at.column) + "-" + std::to_string(end.line) + ":" +
           std::to_string(end.column);
  };
  for (const diag::Diagnostic &diagnostic : parsed.diagnostics.all()) {
    out += std::string(diag::row(diagnostic.id).code) + " " + place(diagnostic.span) + " " + diagnostic.message + "\n";
    if (!diagnostic.label.empty()) out += "  label: " + diagnostic.label + "\n";
    for (const diag::Note &note : diagnostic.notes)
      out += "  note: " + (note.span.valid() ? place(note.span) + " " : "") + note.text + "\n";
    for (const diag::Fix &fix : diagnostic.fixes) {
      std::string escaped;
      for (char c : fix.replacement) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
      out += "  fix: " + place(fix.span) + " `" + escaped + "` " + fix.title + "\n";
    }
  }
  return out;
}

std::string codeOf(const diag::Row &row) { return std::string(row.code); }

std::vector<diag::Row> syntaxRows() {
  std::vector<diag::Row> out;
  for (const diag::Row &row : diag::rows())
    if (row.code.substr(0, 3) == "E01") out.push_back(row);
  return out;
}
}  // namespace

TEST(SyntaxErrors, Goldens) {
  ASSERT_GT(programs().size(), 40u);
  for (const std::string &name : programs()) {
    Parsed parsed(test::readFile(folder + name + ".tsr"));
    EXPECT_TRUE(parsed.diagnostics.hasErrors()) << name;
    test::expectGolden(folder + name + ".expected", essentials(parsed));
  }
}

TEST(SyntaxErrors, EveryIdHasAGoldenAndAPage) {
  std::set<std::string> seen;
  for (const std::string &name : programs()) {
    std::istringstream golden(name.empty() ? "" : test::readFile(folder + name + ".expected"));
    for (std::string line; std::getline(golden, line);) seen.insert(line.substr(0, 5));
  }
  for (const diag::Row &row : syntaxRows()) {
    if (row.name != "sourceTooLarge") {  // four megabytes: JunkTest makes it
      EXPECT_TRUE(seen.count(codeOf(row))) << row.code << " " << row.name;
    }
    EXPECT_TRUE(std::filesystem::exists(TSR_SOURCE_DIR "/docs/errors/" + codeOf(row) + ".md")) << row.code;
  }
}

/// The page of an id shows a program that has the mistake, and one that is right.
TEST(SyntaxErrors, PagesTellTheTruth) {
  for (const diag::Row &row : syntaxRows()) {
    std::string page = test::readFile(TSR_SOURCE_DIR "/docs/errors/" + codeOf(row) + ".md");
    std::vector<std::string> programs;
    for (size_t at = page.find("```tsr\n"); at != std::string::npos; at = page.find("```tsr\n", at + 7)) {
      size_t begin = at + 7, end = page.find("```", begin);
      programs.push_back(page.substr(begin, end - begin));
      at = end;
    }
    ASSERT_EQ(programs.size(), 2u) << row.code;
    // Files that are no text cannot be shown in a page.
    bool shown = row.name != "sourceTooLarge" && row.name != "nulByte" && row.name != "badUtf8" &&
                 row.name != "bareCarriageReturn" && row.name != "nestingTooDeep" && row.name != "tooManyMistakes";
    Parsed wrong(programs[0]), right(programs[1]);
    if (shown) {
      EXPECT_NE(wrong.messages().find(codeOf(row)), std::string::npos) << row.code << "\n" << wrong.messages();
    }
    EXPECT_EQ(right.messages(), "") << row.code;
  }
}

/// A fix is an edit; where a program has one mistake, the edit leaves none of that id.
TEST(SyntaxErrors, FixesMend) {
  size_t tried = 0;
  for (const std::string &name : programs()) {
    Parsed parsed(test::readFile(folder + name + ".tsr"));
    const std::string &text = parsed.sources.file(parsed.file).text;
    for (const diag::Diagnostic &diagnostic : parsed.diagnostics.all()) {
      for (const diag::Fix &fix : diagnostic.fixes) {
        ASSERT_LE(fix.span.end, text.size()) << name;
        std::string mended = text.substr(0, fix.span.begin) + fix.replacement + text.substr(fix.span.end);
        if (name.find("tooManyMistakes") != std::string::npos) continue;
        Parsed again(mended);
        EXPECT_NE(again.messages(), parsed.messages()) << name << ": " << diagnostic.message;
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 60u);
}

TEST(SyntaxErrors, OneMistakeOneMessage) {
  // Each of these programs has one mistake.
  for (const char *text : {
           "def f(x)\n    return x\n",
           "def f(x):\n    if x = 3:\n        return x\n    return 0\n",
           "def f(x):\n    y = g(x, [1, 2)\n    return y\n",
           "def f(x):\n    y = g(x, (1, 2\n    return y\n",
           "def f(x):\n    if a && b && c:\n        return 1\n    return 2\n",
           "x = 'abc\ny = 2\n",
           "def f(x: Tensor[A, B, f32],\n      y: TensorA, B, f32]) -> f32:\n    z = x\n    return z\n",
           "def f x: Tensor[A, f32],\n      y: f32) -> f32:\n    z = x\n    return z\n",
           "try:\n    x = 1\nexcept (A, B as c:\n    x = 2\nelse:\n    x = 4\nfinally:\n    x = 3\n",
           "class A:\n    x: f32\n     y: f32\n    z: f32\n",
           "if a:\n    x = 1\n  y = 2\n  z = 3\n",
       }) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.diagnostics.all().size(), 1u) << text << parsed.messages();
  }
}

/// Text is looked at by eight characters at a time.
TEST(SyntaxErrors, AByteThatNoTextHasIsFoundWhereverItStands) {
  for (size_t at = 5; at < 24; ++at)
    for (char byte : {'\0', '\r', '\xFF'}) {
      std::string text = "x = \"" + std::string(24, 'a') + "\"\n";
      text[at] = byte;
      Parsed parsed(text);
      ASSERT_FALSE(parsed.diagnostics.all().empty()) << at;
      EXPECT_EQ(parsed.diagnostics.all()[0].span.begin, at);
    }
}
