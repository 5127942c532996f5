// After a mistake, what follows is still read, and what the line was is kept as far as it can be.
#include "Parsed.h"

using namespace tessera;
using test::Parsed;

namespace {
/// The tree of a text with mistakes.
std::string tree(const std::string &text, size_t messages) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.diagnostics.all().size(), messages) << text << parsed.messages();
  std::string dump = parsed.dump();
  return dump.substr(8, dump.size() - 10);
}
}  // namespace

TEST(Recovery, MendedMistakesGiveTheTreeThatWasMeant) {
  EXPECT_EQ(tree("if a && b\n    c\n", 1), "  (if (and (name a) (name b))\n    (then\n      (expr (name c))))");
  EXPECT_EQ(tree("if a = b:\n    c\n", 1), "  (if (compare (name a) == (name b))\n    (then\n      (expr (name c))))");
  EXPECT_EQ(tree("if a:\n    b\nelse if c:\n    d\n", 1),
            "  (if (name a)\n    (then\n      (expr (name b)))\n    (else\n      (elif (name c)\n        (then\n          (expr (name d))))))");
  EXPECT_EQ(tree("x = f(a, (b, c)\ny = 1\n", 1),
            "  (assign (name x) (call (name f) (name a) (tuple () (name b) (name c))))\n  (assign (name y) (int 1))");
  EXPECT_EQ(tree("function f(x):\n    return x\n", 1), "  (def f\n    (parameter x)\n    (body\n      (return (name x))))");
  EXPECT_EQ(tree("print a, b\n", 1), "  (expr (call (name print) (name a) (name b)))");
  EXPECT_EQ(tree("let x = 3\n", 1), "  (assign (name x) (int 3))");
  EXPECT_EQ(tree("def f(x) {\n    return x\n}\ny = 1\n", 1),
            "  (def f\n    (parameter x)\n    (body\n      (return (name x))))\n  (assign (name y) (int 1))");
}

TEST(Recovery, MissingValuesAreErrorNodes) {
  EXPECT_EQ(tree("x = 1 +\ny = 2\n", 1), "  (assign (name x) (+ (int 1) (error)))\n  (assign (name y) (int 2))");
  EXPECT_EQ(tree("x = f(a, , b)\n", 1), "  (assign (name x) (call (name f) (name a) (error) (name b)))");
  EXPECT_EQ(tree("x = 'abc\ny = 2\n", 1), "  (assign (name x) (error))\n  (assign (name y) (int 2))");
}

TEST(Recovery, HeadersKeepTheirBlocks) {
  EXPECT_EQ(tree("while a ) b ( c:\n    x = 1\n", 1).find("  (while"), 0u);
  EXPECT_EQ(tree("def f(a b c d / e):\n    x = 1\ny = 2\n", 1),
            "  (def f\n    (result (error))\n    (body\n      (assign (name x) (int 1))))\n"
            "  (assign (name y) (int 2))");
}

TEST(Recovery, LaterMistakesAreStillFound) {
  Parsed parsed("def f(x)\n    if x = 3:\n        y = x +\n    i++\n    return y\n\nz = f(1\nprint z\n");
  EXPECT_EQ(parsed.messages(), "E0130 1:9 I expected `:` at the end of this `def` line\n"
                               "E0131 2:10 `=` assigns; a condition compares with `==`\n"
                               "E0138 3:15 I expected a value behind `+`, but saw the end of the line\n"
                               "E0133 4:6 `++` is not an operator of Tessera\n"
                               "E0114 7:6 this `(` is never closed\n"
                               "E0137 8:1 `print` is a function: its arguments stand in parentheses\n");
}

TEST(Recovery, MistakesOfTheTreeAreFoundBesideOthers) {
  Parsed parsed("def f(x)\n    1 = x\n    return f(a=1, 2)\n");
  EXPECT_EQ(parsed.messages(), "E0130 1:9 I expected `:` at the end of this `def` line\n"
                               "E0160 2:5 I cannot assign to a number\n"
                               "E0161 3:19 an argument without a name follows one with a name\n");
}

TEST(Recovery, AMistakeInOneFunctionLeavesTheOthersAlone) {
  Parsed parsed("def f():\n    return )\n\ndef g():\n    return 1\n");
  EXPECT_EQ(parsed.diagnostics.all().size(), 1u);
  ASSERT_EQ(parsed.module->body.size(), 2u);
  EXPECT_TRUE(ast::as<ast::FuncDef>(parsed.module->body[1]));
}
