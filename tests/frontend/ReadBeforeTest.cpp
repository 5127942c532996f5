// A text in its versions: what is taken over from the version before is what a fresh reading finds.
#include "Parsed.h"
#include "diag/Render.h"
#include "frontend/ReadBefore.h"
#include <filesystem>
#include <random>

using namespace tessera;

namespace {
struct Read {
  Sources sources;
  diag::Engine said;
  std::unique_ptr<ast::Module> module;
  explicit Read(const std::string &text, frontend::ReadBefore *before = nullptr) {
    module = frontend::parse(sources, sources.add("a.tsr", text), said, before);
  }
  std::string all() const {
    std::string comments;
    for (const ast::Comment &comment : module->comments)
      comments += " " + std::to_string(comment.span.begin) + "-" + std::to_string(comment.span.end);
    return ast::dump(*module, true) + comments + "\n" + diag::renderText(said, sources);
  }
};

const char *const kPieces[] = {"x",
                               "(",
                               ")",
                               "[",
                               "]",
                               "{",
                               "}",
                               ":",
                               "\"",
                               "\"\"\"",
                               "'",
                               "#",
                               "\n",
                               "\n\n",
                               "    ",
                               "\n    ",
                               "\ndef f(x):\n    return x\n",
                               "@kernel\n",
                               "where ",
                               " = 1",
                               ",",
                               "lambda: ",
                               "\\\n",
                               "pass\n",
                               "elif x:\n",
                               "\xC3\xA9",
                               ""};

/// Where definitions, names of parameters and line ends are: an edit there reaches across statements.
size_t placeIn(const std::string &text, std::mt19937 &random) {
  size_t any = random() % (text.size() + 1);
  static const char *const marks[] = {"\ndef ", "\n\n", "(", "\n@", ")"};
  if (random() % 2) return any;
  size_t found = text.find(marks[random() % std::size(marks)], any);
  return found == std::string::npos ? any : found + random() % 2;
}
}  // namespace

TEST(ReadBefore, RandomEditsAreReadAsAFreshTextIs) {
  std::mt19937 random(7);
  for (const auto &entry : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/tests/canon")) {
    if (entry.path().extension() != ".tsr") continue;
    const std::string original = test::readFile(entry.path());
    std::string text = original;
    frontend::ReadBefore before;
    for (int i = 0; i < 60; ++i) {
      before.beginVersion();
      Read again(text, &before), fresh(text);
      ASSERT_EQ(again.all(), fresh.all()) << entry.path() << ", edit " << i;
      std::string second = text;  // a second text of the same version and length, as one with a line taken out
      size_t line = second.find('\n', random() % (second.size() + 1));
      for (size_t at = line; at != std::string::npos && ++at < second.size() && second[at] != '\n';) second[at] = ' ';
      Read other(second, &before), otherFresh(second);
      ASSERT_EQ(other.all(), otherFresh.all()) << entry.path() << ", beside edit " << i;
      ASSERT_EQ(again.all(), fresh.all()) << entry.path() << ", behind edit " << i;
      size_t at = placeIn(text, random),
             length = random() % 3 == 0 ? std::min(text.size() - at, static_cast<size_t>(random() % 40)) : 0;
      text.replace(at, length, kPieces[random() % std::size(kPieces)]);
      if (i % 10 == 9) text = original;
    }
  }
}

TEST(ReadBefore, AStatementThatDidNotChangeKeepsItsTree) {
  const std::string first = "def f(x):\n    return x\n", second = "def g(x):\n    return x + 1\n";
  frontend::ReadBefore before;
  Read one(first + second, &before);
  before.beginVersion();
  Read two("# moved\n" + second + first, &before);
  EXPECT_EQ(one.module->body[0], two.module->body[1]);
  EXPECT_EQ(one.module->body[1], two.module->body[0]);
  EXPECT_EQ(two.sources.text(two.module->body[0]->span).substr(0, 5), "def g");
  before.beginVersion();
  Read three(first + "def g(x):\n    return x + 2\n", &before);
  EXPECT_EQ(two.module->body[1], three.module->body[0]);
  EXPECT_NE(two.module->body[0], three.module->body[1]);
}

TEST(ReadBefore, VersionsThatNobodyReadsMakeNothingOlder) {
  const std::string text = "def f(x):\n    return x\n";
  frontend::ReadBefore before;
  Read one(text, &before);
  for (int key = 0; key < 50; ++key) before.beginVersion();
  Read two("# typed fast\n" + text, &before);
  EXPECT_EQ(one.module->body[0], two.module->body[0]);
}

/// A large file is read by two threads, an editor's text by one: trees and messages are the same, also of mistakes in both halves.
TEST(ReadBefore, ALargeFileIsReadInHalvesAsItIsInOne) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    const std::string n = std::to_string(i);
    if (i % 97 == 50) text += "y" + n + " = (1 +\n";                                        // never closed, or closed below
    else if (i % 89 == 40) text += "def g" + n + "(x: f32) -> f32\n    return x\n\n";      // no colon
    else if (i % 83 == 30) text += "z" + n + " = f\"{a b}\" + \"\\xq\"\n";               // in strings
    else text += "def f_" + n + "[N](x: Tensor[N, f32], k: f32 = " + n + ".0) -> Tensor[N, f32]:\n    y = x * k + (k - 1.0)\n    return y / (1.0 + y)\n\n";
  }
  test::Parsed halves(text);
  Sources sources;
  const FileId file = sources.add("test.tsr", text);
  diag::Engine diagnostics;
  frontend::ReadBefore before;
  before.beginVersion();
  auto module = frontend::parse(sources, file, diagnostics, &before);
  EXPECT_GT(module->body.size(), 400u);
  EXPECT_TRUE(ast::equal(*halves.module, *module));
  ASSERT_EQ(halves.diagnostics.all().size(), diagnostics.all().size());
  EXPECT_GE(diagnostics.all().size(), 10u);
  for (size_t i = 0; i < diagnostics.all().size(); ++i) {
    EXPECT_EQ(halves.diagnostics.all()[i].span, diagnostics.all()[i].span);
    EXPECT_EQ(halves.diagnostics.all()[i].message, diagnostics.all()[i].message);
  }
}
