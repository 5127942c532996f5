// Lines, blanks, comments, brackets.
#include "Parsed.h"

using namespace tessera;
using test::statements;

TEST(Layout, EmptyPrograms) {
  for (const char *text : {"", "\n", "   \n\n", "# only a comment", "\t# c\n\n", "\xEF\xBB\xBF", "\\\n"}) {
    test::Parsed parsed(text);
    EXPECT_EQ(parsed.messages(), "") << text;
    EXPECT_TRUE(parsed.module->body.empty()) << text;
  }
}

TEST(Layout, LastLineNeedsNoLineBreak) {
  EXPECT_EQ(statements("def f():\n    return 1"), "  (def f\n    (body\n      (return (int 1))))");
  EXPECT_EQ(statements("x = 1 # c"), "  (assign (name x) (int 1))");
}

TEST(Layout, BracketsJoinLines) {
  EXPECT_EQ(statements("x = f(\n1,\n        2  # two\n\n)\ny = 3\n"),
            "  (assign (name x) (call (name f) (int 1) (int 2)))\n  (assign (name y) (int 3))");
  EXPECT_EQ(statements("x = 1 + \\\n    2\n"), "  (assign (name x) (+ (int 1) (int 2)))");
}

TEST(Layout, BlankLinesAndCommentsDoNotEndBlocks) {
  EXPECT_EQ(statements("if a:\n    b\n\n# c\n        # d\n    e\nf\n"),
            "  (if (name a)\n    (then\n      (expr (name b))\n      (expr (name e))))\n  (expr (name f))");
}

TEST(Layout, TabsAloneAreFine) {
  EXPECT_EQ(statements("if a:\n\tif b:\n\t\tc\n\td\n"),
            "  (if (name a)\n    (then\n      (if (name b)\n        (then\n          (expr (name c))))\n      (expr (name d))))");
  EXPECT_EQ(statements("x\t=\t1\n"), "  (assign (name x) (int 1))");
}

TEST(Layout, TabsAndSpacesMixed) {
  test::Parsed parsed("if a:\n    b\n\tc\n");
  EXPECT_EQ(parsed.messages(), "E0111 3:1 tabs and spaces are mixed, so I cannot tell how deep this line is\n");
}

TEST(Layout, CommentsSayWhetherTheyStandAlone) {
  test::Parsed parsed("# a\nx = (1,  # b\n  # c\n  2)\nif x:  # d\n    pass\n# e");
  EXPECT_EQ(parsed.messages(), "");
  ASSERT_EQ(parsed.module->comments.size(), 5u);
  std::string own;
  for (const ast::Comment &comment : parsed.module->comments) own += comment.ownLine ? '1' : '0';
  EXPECT_EQ(own, "10101");
  EXPECT_EQ(parsed.sources.text(parsed.module->comments[4].span), "# e");
}

TEST(Layout, ADictBehindTheColonOfAHeaderIsNoBlock) {
  EXPECT_EQ(test::Parsed("def g(a): return 1 if a else {\n    1: 2}\n").messages(), "");
  EXPECT_EQ(test::Parsed("if a: x = {\n    1: 2,\n}\n").messages(), "");
}

TEST(Layout, AHashInAStringIsNoComment) {
  test::Parsed parsed("x = '# no'  # yes\n");
  ASSERT_EQ(parsed.module->comments.size(), 1u);
  EXPECT_EQ(parsed.sources.text(parsed.module->comments[0].span), "# yes");
}
