// The pretty printer, precedence and names.
#include "codegen/source/Doc.h"
#include "codegen/source/Names.h"
#include "codegen/source/Precedence.h"
#include "codegen/source/Writer.h"
#include "support/Check.h"
#include <gmock/gmock.h>

using namespace tessera;
using namespace tessera::codegen;
using testing::ElementsAre;

namespace {

Expr name(const char *text) { return {text, Precedence::Primary}; }
std::string text(const Expr &expr) { return expr.doc.lines(0, 1000).front(); }
std::string binary(const char *op, const Expr &a, const Expr &b) { return text(binaryExpr(op, a, b)); }

TEST(Doc, GroupsStayOnOneLineWhereTheyFit) {
  Doc doc = Doc::group(Doc("a,") + Doc::line() + "b");
  EXPECT_THAT(doc.lines(0, 10), ElementsAre("a, b"));
  EXPECT_THAT(doc.lines(0, 3), ElementsAre("a,", "b"));
}
TEST(Doc, WhatFollowsAGroupCountsUpToTheNextBreak) {
  Doc doc = Doc::group(Doc("aa") + Doc::line() + "bb") + "ccc";
  EXPECT_THAT(doc.lines(0, 8), ElementsAre("aa bbccc"));
  EXPECT_THAT(doc.lines(0, 7), ElementsAre("aa", "bbccc"));
}
TEST(Doc, CommasBreakOnlyWhereNeeded) {
  Doc doc = Doc("f(") + Doc::align(commaSeparated({"aaa", "bbb", "ccc"})) + ")";
  EXPECT_THAT(doc.lines(2, 12), ElementsAre("  f(aaa,", "    bbb,", "    ccc)"));
  EXPECT_THAT(doc.lines(2, 13), ElementsAre("  f(aaa, bbb,", "    ccc)"));
}
TEST(Doc, AnItemMovesAsAWholeBeforeItBreaks) {
  Expr inner = callExpr("g", {name("bbb"), name("ccc")});
  EXPECT_THAT(callExpr("f", {name("aaaaaa"), inner}).doc.lines(0, 14), ElementsAre("f(aaaaaa,", "g(bbb, ccc))"));
}
TEST(Doc, NestMovesFurtherLines) {
  Doc doc = Doc("x =") + Doc::nest(4, Doc::group(Doc::line()) + "value");
  EXPECT_THAT(doc.lines(2, 8), ElementsAre("  x =", "      value"));
}

TEST(Precedence, ParenthesesStandOnlyWhereTheyAreNeeded) {
  Expr sum = binaryExpr("+", name("a"), name("b")), product = binaryExpr("*", name("a"), name("b"));
  EXPECT_EQ(binary("*", sum, name("c")), "(a + b) * c");
  EXPECT_EQ(binary("+", product, name("c")), "a * b + c");
  EXPECT_EQ(binary("+", sum, name("c")), "a + b + c");
  EXPECT_EQ(binary("+", name("c"), sum), "c + (a + b)");  // floats: the order of sums is meaning
  EXPECT_EQ(binary("-", name("c"), product), "c - a * b");
  EXPECT_EQ(binary("<", sum, product), "a + b < a * b");
  EXPECT_EQ(text(unaryExpr("-", sum)), "-(a + b)");
  EXPECT_EQ(text(unaryExpr("-", unaryExpr("-", name("a")))), "-(-a)");
  EXPECT_EQ(text(conditionalExpr(binaryExpr("<", name("a"), name("b")), sum, name("c"))), "a < b ? a + b : c");
}
TEST(Precedence, WhatCompilersWarnAboutGetsParentheses) {
  Expr both = binaryExpr("&&", name("a"), name("b"));
  EXPECT_EQ(binary("||", both, name("c")), "(a && b) || c");
  EXPECT_EQ(binary("<<", binaryExpr("+", name("a"), name("b")), name("c")), "(a + b) << c");
  EXPECT_EQ(binary("&", binaryExpr("==", name("a"), name("b")), name("c")), "(a == b) & c");
  EXPECT_EQ(binary("==", binaryExpr("<", name("a"), name("b")), name("c")), "(a < b) == c");
}
TEST(Precedence, UnknownOperatorsAreInternalErrors) { EXPECT_THROW(precedenceOf("<=>"), InternalError); }

TEST(Names, AreMadeDistinct) {
  Names names;
  names.take("call");
  EXPECT_EQ(names.fresh("call"), "call2");
  EXPECT_EQ(names.fresh("call"), "call3");
  EXPECT_EQ(names.fresh("while"), "while_");
  EXPECT_EQ(names.fresh("M_PI"), "M_PI_");
  EXPECT_EQ(names.fresh("Threads"), "Threads_");
  EXPECT_EQ(names.own("Threads"), "Threads");
  EXPECT_EQ(names.fresh("x"), "x");
}

TEST(Writer, ThePlaceStandsOnceForEachGroup) {
  Writer writer;
  writer.statement("a;", Place{"dir/model.tsr", 8});
  writer.statement("b;", Place{"dir/model.tsr", 8});
  writer.statement("c;", Place{"dir/model.tsr", 9});
  EXPECT_EQ(writer.text("model.cu"), "a;  // model.tsr:8\nb;\nc;  // :9\n");
  ASSERT_EQ(writer.lines().size(), 3u);
  EXPECT_EQ(writer.lines()[1].place->line, 8);
}
TEST(Writer, AnotherFileIsNamed) {
  Writer writer;
  writer.statement("a;", Place{"dir/model.tsr", 8});
  writer.statement("b;", Place{"<tessera/nn.tsr>", 3});
  writer.statement("c;", Place{"<tessera/nn.tsr>", 4});
  writer.statement("d;", Place{"dir/model.tsr", 9});
  EXPECT_EQ(writer.text(""), "a;  // model.tsr:8\nb;  // nn.tsr:3\nc;  // :4\nd;  // model.tsr:9\n");
}
TEST(Writer, ACommentThatDoesNotFitStandsAbove) {
  Writer writer;
  std::string longText(95, 'x');
  writer.statement(longText + ";", Place{"model.tsr", 8});
  EXPECT_EQ(writer.text(""), "// model.tsr:8\n" + longText + ";\n");
}
TEST(Writer, LineDirectivesSpeakOfTheProgramAndComeBack) {
  Writer writer(true);
  writer.statement("a;", Place{"model.tsr", 8});
  writer.statement("b;", Place{"model.tsr", 8});
  writer.endFunction();
  writer.line("c;");
  EXPECT_EQ(writer.text("model.cu"), "#line 8 \"model.tsr\"\na;\nb;\n#line 5 \"model.cu\"\nc;\n");
}
TEST(Writer, LongCommentsWrap) {
  Writer writer;
  writer.comment("  " + std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(writer.text(""), "//   " + std::string(60, 'a') + "\n//     " + std::string(60, 'b') + "\n");
}

}  // namespace
