// The text renderer, whole messages at a time: what a user sees is what is compared.
#include "diag/Render.h"
#include "diag/RenderWidth.h"
#include <gtest/gtest.h>

namespace tessera::diag {
namespace {

class RenderText : public testing::Test {
protected:
  FileId file(std::string text, std::string path = "model.tsr") { return sources.add(std::move(path), std::move(text)); }
  /// The span of the n-th occurrence of `part`.
  Span at(FileId id, std::string_view part, int n = 0) {
    size_t where = sources.file(id).text.find(part);
    while (n-- > 0) where = sources.file(id).text.find(part, where + 1);
    EXPECT_NE(where, std::string::npos) << part;
    return {id, static_cast<uint32_t>(where), static_cast<uint32_t>(where + part.size())};
  }
  std::string text(TextStyle style = {}) { return renderText(engine.all().back(), sources, style); }
  Sources sources;
  Engine engine;
};

TEST_F(RenderText, PointsAtTheTextWithALabel) {
  FileId f = file("def f(x: f32):\n    y = x + +\n    return y\n");
  engine.report(Id::syntaxError, at(f, "+", 1), "`+`").label("an operand is missing");
  EXPECT_EQ(text(), R"(error[E0100]: I did not expect `+` here
 --> model.tsr:2:13
  |
2 |     y = x + +
  |             ^ an operand is missing
)");
}

TEST_F(RenderText, ShowsNotesHelpAndAnInsertion) {
  FileId f = file("n = 3\n\n\n\n\n\n\n\n\nif n\n    pass\n");
  Span gap = at(f, "if n");
  gap.begin = gap.end;
  engine.report(Id::syntaxError, gap, "the end of the line")
      .note(at(f, "n"), "`n` is defined here")
      .help("a block begins with a colon,\nand its body is indented")
      .fix(gap, ":", "insert `:`");
  EXPECT_EQ(text(), R"(error[E0100]: I did not expect the end of the line here
  --> model.tsr:10:5
   |
10 | if n
   |     ^
note: `n` is defined here
  --> model.tsr:1:1
   |
 1 | n = 3
   | ^
   |
   = help: a block begins with a colon,
           and its body is indented
help: insert `:`
   |
10 | if n:
   |     +
)");
}

TEST_F(RenderText, ShowsReplacementsDeletionsAndEditsOverLines) {
  FileId f = file("if x = 1:\n    y = 2;;\n");
  engine.report(Id::syntaxError, at(f, "="), "`=`")
      .fix(at(f, "="), "==", "compare with `==`")
      .fix(at(f, ";"), "", "remove `;`")
      .fix(at(f, "1:\n    y = 2;;"), "1: y = 2", "put it on one line");
  EXPECT_EQ(text(), R"(error[E0100]: I did not expect `=` here
 --> model.tsr:1:6
  |
1 | if x = 1:
  |      ^
help: compare with `==`
  |
1 | if x == 1:
  |      ~~
help: remove `;`
  |
2 |     y = 2;;
  |          -
help: put it on one line
  |
1 - if x = 1:
2 -     y = 2;;
1 + if x = 1: y = 2
)");
}

TEST_F(RenderText, DrawsSpansOverSeveralLines) {
  FileId f = file("a = f(1,\n      2)\n");
  engine.report(Id::syntaxError, at(f, "f(1,\n      2)"), "this call").label("two lines");
  EXPECT_EQ(text(), R"(error[E0100]: I did not expect this call here
 --> model.tsr:1:5
  |
1 |   a = f(1,
  |  _____^
2 | |       2)
  | |________^ two lines
)");
}

TEST_F(RenderText, LeavesOutTheMiddleOfALongSpan) {
  std::string body = "def f():\n";
  for (int i = 0; i < 10; ++i) body += "    x" + std::to_string(i) + " = 1\n";
  FileId f = file(body);
  engine.report(Id::syntaxError, Span{f, 0, static_cast<uint32_t>(body.size())}, "this");
  EXPECT_EQ(text(), R"(error[E0100]: I did not expect this here
  --> model.tsr:1:1
   |
 1 | / def f():
 2 | |     x0 = 1
 3 | |     x1 = 1
   | | ...
11 | |     x9 = 1
   | |__________^
)");
}

TEST_F(RenderText, CountsColumnsOfTabsWideAndCombiningCharacters) {
  FileId f = file("\tx = \"\xE4\xB8\xAD\xE6\x96\x87\" + e\xCC\x81 $\n");
  engine.report(Id::syntaxError, at(f, "$"), "`$`");
  EXPECT_EQ(text(), "error[E0100]: I did not expect `$` here\n"
                    " --> model.tsr:1:16\n"
                    "  |\n"
                    "1 |     x = \"\xE4\xB8\xAD\xE6\x96\x87\" + e\xCC\x81 $\n"
                    "  |                    ^\n");
  EXPECT_EQ(displayWidth("\xE4\xB8\xAD\xE6\x96\x87"), 4u);
  EXPECT_EQ(displayWidth("a\tb"), 5u);
}

TEST_F(RenderText, NeverPrintsControlCharactersOrBadUtf8) {
  FileId f = file(std::string("a\x1b[31m\x00 \xFF $\n", 12), "m.tsr");
  engine.report(Id::syntaxError, at(f, "$"), "\x1b]0;title");
  std::string out = text();
  for (char c : out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int(c);
  EXPECT_NE(out.find("a\xE2\x90\x9B[31m\xE2\x90\x80 \xEF\xBF\xBD $"), std::string::npos) << out;
}

TEST_F(RenderText, CutsLongLinesAroundThePlace) {
  std::string line = std::string(300, 'a') + " $ " + std::string(300, 'b');
  FileId f = file(line);
  engine.report(Id::syntaxError, at(f, "$"), "`$`").label("here");
  std::string out = text({.colour = false, .width = 60});
  size_t begin = 0, longest = 0;
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] == '\n') longest = std::max<size_t>(longest, displayWidth(std::string_view(out).substr(begin, i - begin))), begin = i + 1;
  EXPECT_LE(longest, 60u) << out;
  EXPECT_NE(out.find("\n1 | …aaaaaaaaaaaaa $ bbb"), std::string::npos) << out;
  EXPECT_NE(out.find("bbb…\n  |                ^ here\n"), std::string::npos) << out;
}

TEST_F(RenderText, ShowsOfAVeryLongLineWhatItShowsOfALongOne) {
  auto shown = [&](size_t before, size_t after) {
    std::string line;
    for (size_t i = 0; i < before; ++i) line += "é + ";
    line += "wrong";
    for (size_t i = 0; i < after; ++i) line += " + ü";
    FileId f = file(line + "\n");
    engine.report(Id::syntaxError, at(f, "wrong"), "`wrong`").label("here");
    std::string all = text();
    return all.substr(all.find("  |\n"));
  };
  EXPECT_EQ(shown(1000, 1000), shown(400'000, 400'000));
  EXPECT_EQ(shown(0, 1000), shown(0, 400'000));
  EXPECT_EQ(shown(1000, 0), shown(400'000, 0));
}

TEST_F(RenderText, KeepsAShortPlaceAtTheBeginningOfALongLineInView) {
  FileId f = file("$ " + std::string(300, 'b'));
  engine.report(Id::syntaxError, at(f, "$"), "`$`");
  std::string out = text({.colour = false, .width = 60});
  EXPECT_NE(out.find("\n1 | $ bbb"), std::string::npos) << out;
  EXPECT_NE(out.find("bbb…\n  | ^\n"), std::string::npos) << out;
}

TEST_F(RenderText, WorksWithoutAPlaceAndAtTheEndOfAFile) {
  engine.report(Id::cannotReadFile, Span{}, "a.tsr", "no such file").help("check the path");
  EXPECT_EQ(text(), "error[E0700]: I cannot read `a.tsr`: no such file\n  = help: check the path\n");
  FileId f = file("");
  engine.report(Id::syntaxError, Span{f, 0, 0}, "the end of the file");
  EXPECT_EQ(text(), "error[E0100]: I did not expect the end of the file here\n --> model.tsr:1:1\n  |\n1 |\n  | ^\n");
}

TEST_F(RenderText, ColoursOnlyWhenAsked) {
  FileId f = file("$\n");
  engine.report(Id::syntaxError, at(f, "$"), "`$`").note(at(f, "$"), "why").help("how").fix(at(f, "$"), "x", "do");
  EXPECT_EQ(text().find('\x1b'), std::string::npos);
  std::string coloured = text({.colour = true, .width = 100});
  EXPECT_NE(coloured.find("\x1b[1;31merror[E0100]\x1b[0m"), std::string::npos) << coloured;
  std::string stripped;
  for (size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else stripped += coloured[i];
  }
  EXPECT_EQ(stripped, text());
}

TEST_F(RenderText, EndsWithASummary) {
  FileId f = file("$ $\n");
  EXPECT_EQ(renderText(engine, sources), "");
  engine.report(Id::syntaxError, at(f, "$"), "`$`");
  EXPECT_TRUE(renderText(engine, sources).ends_with("\n\n1 error\n"));
  engine.report(Id::syntaxError, at(f, "$", 1), "`$`");
  EXPECT_TRUE(renderText(engine, sources).ends_with("\n\n2 errors\n"));
}

}  // namespace
}  // namespace tessera::diag
