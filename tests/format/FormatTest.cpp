// The rules of the layout, one by one.
#include "FormatTesting.h"

namespace tessera::frontend {
namespace {

std::string f(const std::string &text) { return formatChecked(text); }
void unchanged(const std::string &text) { EXPECT_EQ(f(text), text); }

TEST(Format, EmptyFiles) {
  EXPECT_EQ(f(""), "");
  EXPECT_EQ(f("\n\n  \n"), "");
  EXPECT_EQ(f("# only\n"), "# only\n");
}

TEST(Format, BlanksBetweenWords) {
  EXPECT_EQ(f("x=1\n"), "x = 1\n");
  EXPECT_EQ(f("x = a+b*-c[ 1 : 2 , ::3, a+1:b-2 ] ** 2\n"), "x = a + b * -c[1:2, ::3, a + 1:b - 2] ** 2\n");
  EXPECT_EQ(f("y = x ** 3 + a.b ** -2 + f(x) ** 2\n"), "y = x**3 + a.b**-2 + f(x) ** 2\n");
  EXPECT_EQ(f("f( a,b = 3 , *c,**d )\n"), "f(a, b=3, *c, **d)\n");
  EXPECT_EQ(f("z = lambda a , b=2 : ( a , )\n"), "z = lambda a, b=2: (a,)\n");
  EXPECT_EQ(f("d = {  **a , 'k' : v }\n"), "d = {**a, \"k\": v}\n");
  EXPECT_EQ(f("b = not  a and (c) or-d is  not None\n"), "b = not a and (c) or -d is not None\n");
  EXPECT_EQ(f("W~Normal( 0,1 )\n"), "W ~ Normal(0, 1)\n");
  EXPECT_EQ(f("r = 0 .. .5, a .. ..., 1 ..= 8, 1. .. 2\n"), "r = 0.. .5, a.. ..., 1..=8, 1. ..2\n");
  EXPECT_EQ(f("s = W {\"d\"}\n"), "s = W{\"d\"}\n");
  EXPECT_EQ(f("from . a import b\nfrom .. import c\nfrom ...d.e import *\n"),
            "from .a import b\nfrom .. import c\nfrom ...d.e import *\n");
  EXPECT_EQ(f("x //= 2\nq, ( k, *v ) , _ = y [ 0 ] . z ( 1 )\n"), "x //= 2\nq, (k, *v), _ = y[0].z(1)\n");
}

TEST(Format, SignaturesAndPolicies) {
  EXPECT_EQ(f("def g( a:f32=4, b = 3 , *c, **e )->f32 :\n  pass\n"),
            "def g(a: f32 = 4, b=3, *c, **e) -> f32:\n    pass\n");
  EXPECT_EQ(f("a: Tensor[B, bf16@accum( f32 )@stochastic_round]\n"), "a: Tensor[B, bf16 @accum(f32) @stochastic_round]\n");
  EXPECT_EQ(f("a: Tensor[B, dtype = bf16, @ accum(f32)]\n"), "a: Tensor[B, dtype=bf16, @accum(f32)]\n");
  EXPECT_EQ(f("y = x@W\n"), "y = x @ W\n");
  EXPECT_EQ(f("@ jit   @autodiff\ndef g() : ...\n"), "@jit @autodiff\ndef g(): ...\n");
  EXPECT_EQ(f("def g(x: Tensor[S, f32]) where(S) % 8==0,S in 1 ..= 4096: pass\n"),
            "def g(x: Tensor[S, f32]) where (S) % 8 == 0, S in 1..=4096:\n    pass\n");
}

TEST(Format, ShortNamesOfDTypesInTypesOnly) {
  EXPECT_EQ(f("def g(x: Tensor[N, fp8(e4m3) @accum(fp32)], y: ts.float16) -> fp32: return fp32(x)\n"),
            "def g(x: Tensor[N, f8e4m3 @accum(f32)], y: ts.f16) -> f32:\n    return fp32(x)\n");
  EXPECT_EQ(f("policy P = Policy(storage=fp8_e4m3)\n"), "policy P = Policy(storage=f8e4m3)\n");
  unchanged("fp32 = Thing()\nx: fp32 = 3\n");  // a name of the program's own
  EXPECT_EQ(formatChecked("x: fp32 = 3\n", {.shortDTypes = false}), "x: fp32 = 3\n");
}

TEST(Format, StatementsGetLinesOfTheirOwn) {
  EXPECT_EQ(f("x = 1 ;y=2;\n"), "x = 1\ny = 2\n");
  EXPECT_EQ(f("if a : b(); c()  # why\nelse: d()\n"), "if a:\n    b()\n    c()  # why\nelse:\n    d()\n");
  EXPECT_EQ(f("class A : pass\n"), "class A:\n    pass\n");
  unchanged("def g(x: f32) -> f32: ...\ndef h(x: f32) -> f32: ...\n");
}

TEST(Format, IndentationIsFour) {
  EXPECT_EQ(f("if a:\n  if b:\n          c()\n  d()\n"), "if a:\n    if b:\n        c()\n    d()\n");
  EXPECT_EQ(f("if a:\n\tb()\n"), "if a:\n    b()\n");
}

TEST(Format, EmptyLines) {
  EXPECT_EQ(f("\n\nimport a\n\n\n\n\nx = 1\ndef g():\n\n    y = 1\n\n\n\n    return y\nz = 2\n"),
            "import a\n\n\nx = 1\n\ndef g():\n    y = 1\n\n    return y\n\nz = 2\n");
  EXPECT_EQ(f("x = 1\n# about g\n@jit\n\ndef g():\n    pass\n# about h\n\ndef h():\n    pass\n"),
            "x = 1\n\n# about g\n@jit\ndef g():\n    pass\n\n# about h\n\ndef h():\n    pass\n");
  EXPECT_EQ(f("if a:\n    b()\n\nelse:\n    c()\n"), "if a:\n    b()\nelse:\n    c()\n");
  EXPECT_EQ(f("class A:\n    x = 1\n    def m(self):\n        pass\n    y = 2\n"),
            "class A:\n    x = 1\n\n    def m(self):\n        pass\n\n    y = 2\n");
}

TEST(Format, CommentsStayWithTheirBlock) {
  EXPECT_EQ(f("def g():\n  # first\n  if a:\n    b()\n    # in the if\n  # in g\n# outside\nx = 1\n"),
            "def g():\n    # first\n    if a:\n        b()\n        # in the if\n    # in g\n\n# outside\nx = 1\n");
  EXPECT_EQ(f("def g():\n    pass\n    # the end\n"), "def g():\n    pass\n    # the end\n");
  EXPECT_EQ(f("#!shebang\n#text   \n#: doc\n##\n#\n"), "#!shebang\n# text\n#: doc\n##\n#\n");
}

TEST(Format, CommentsBehindCode) {
  EXPECT_EQ(f("x = 1 # a\n"), "x = 1  # a\n");
  unchanged("T = a()                # set apart,\nm, n = b()             # one below the other\n");
  EXPECT_EQ(f("if c:\n  x = 1        # set apart\n"), "if c:\n    x = 1        # set apart\n");
  EXPECT_EQ(f("x =        1    # 日本\n"), "x = 1           # 日本\n");
}

TEST(Format, CommentsInBrackets) {
  EXPECT_EQ(f("z = foo( # why\n   a, # first\n  # own line\n   b\n   # last\n   )\n"),
            "z = foo(  # why\n    a,  # first\n    # own line\n    b,\n    # last\n)\n");
  EXPECT_EQ(f("t = ( a\n  + b # note\n  + c )\n"), "t = (a\n     + b  # note\n     + c)\n");
  EXPECT_EQ(f("f(\n  # nothing\n)\n"), "f(\n    # nothing\n)\n");
  EXPECT_EQ(f("f(a\n  # above the comma\n  , b)\n"), "f(a,\n  # above the comma\n  b)\n");
  EXPECT_EQ(f("f(a # last\n)\n"), "f(\n    a,  # last\n)\n");
  EXPECT_EQ(f("x = [ # none\n]\n"), "x = [  # none\n]\n");
  EXPECT_EQ(f("x = a[ # why\n  1]\n"), "x = a[  # why\n    1\n]\n");
}

TEST(Format, RowsOfTheAuthorAreKept) {
  unchanged("def g(x: f32, y: f32,\n      z: f32) -> f32:\n    pass\n");
  unchanged("f(\n    a, b,\n    c,\n)\n");
  unchanged("f(\n    a,\n)\n");
  EXPECT_EQ(f("f(\n    a\n)\n"), "f(a)\n");
  EXPECT_EQ(f("f(a,\n  b,\n)\n"), "f(a,\n  b)\n");
  EXPECT_EQ(f("f(a, [\n  1,2,\n  3\n ])\n"), "f(a, [\n    1, 2,\n    3,\n])\n");
  EXPECT_EQ(f("f(g(\n   1,\n   2))\n"), "f(g(\n    1,\n    2,\n))\n");
  EXPECT_EQ(f("x = (a\n   .b(1)\n   .c(2))\n"), "x = (a\n     .b(1)\n     .c(2))\n");
  EXPECT_EQ(f("x = (\n   'a'\n   'b')\n"), "x = (\"a\"\n     \"b\")\n");
  EXPECT_EQ(f("def g(x: Tensor[S, f32])\n  where S % 8 == 0,\n    S < 9:\n  pass\n"),
            "def g(x: Tensor[S, f32])\n        where S % 8 == 0,\n              S < 9:\n    pass\n");
}

TEST(Format, LongLinesAreBroken) {
  std::string a(40, 'a'), b(40, 'b'), c(40, 'c');
  EXPECT_EQ(f("f(" + a + ", " + b + ", " + c + ")\n"), "f(" + a + ", " + b + ",\n  " + c + ")\n");
  EXPECT_EQ(f("def g(" + a + ", " + b + ", " + c + "): pass\n"),
            "def g(" + a + ",\n      " + b + ",\n      " + c + "):\n    pass\n");
  EXPECT_EQ(f("if (" + a + " and " + b + " or " + c + "):\n    pass\n"),
            "if (" + a + " and " + b + "\n    or " + c + "):\n    pass\n");
  EXPECT_EQ(f(a + b + "(" + a + ", " + c + ")\n"), a + b + "(\n    " + a + ", " + c + ",\n)\n");
  EXPECT_EQ(f("x = [" + a + " for " + b + " in " + c + "]\n"), "x = [" + a + "\n     for " + b + " in " + c + "]\n");
  EXPECT_EQ(f("d = {\"" + a + "\": 1, \"" + b + "\": 2, \"" + c + "\": 3}\n"),
            "d = {\"" + a + "\": 1,\n     \"" + b + "\": 2,\n     \"" + c + "\": 3}\n");
  EXPECT_EQ(f("x = f(" + a + " + " + b + " * " + c + ", 1)\n"), "x = f(" + a + "\n          + " + b + " * " + c + ",\n      1)\n");
  EXPECT_EQ(f("def g(x: Tensor[" + a + ", f32]) -> Tensor[" + b + ", f32] where " + c + " == 0: pass\n"),
            "def g(x: Tensor[" + a + ", f32]) -> Tensor[" + b + ", f32]\n        where " + c + " == 0:\n    pass\n");
}

TEST(Format, LongValuesAreWrapped) {
  std::string a(40, 'a'), b(40, 'b'), c(40, 'c');
  EXPECT_EQ(f("x = " + a + " + " + b + " * " + c + "  # why\n"), "x = (" + a + "\n     + " + b + " * " + c + ")  # why\n");
  EXPECT_EQ(f("x: f32 = " + a + " or " + b + " or " + c + "\n"), "x: f32 = (" + a + "\n          or " + b + "\n          or " + c + ")\n");
  EXPECT_EQ(f("while " + a + " < " + b + " and " + c + ":\n  pass\n"),
            "while (" + a + " < " + b + "\n       and " + c + "):\n    pass\n");
  EXPECT_EQ(f("def g():\n    return " + a + "(" + b + ") + " + c + "(1)\n"),
            "def g():\n    return (" + a + "(" + b + ")\n            + " + c + "(1))\n");
  EXPECT_EQ(f("x, y = " + a + ", *" + b + ", " + c + "\n"), "x, y = (" + a + ", *" + b + ",\n        " + c + ")\n");
  unchanged("x = lambda " + a + ", " + b + ": " + c + "\n");
  unchanged("x = " + a + b + c + "\n");
}

TEST(Format, StringsAreKept) {
  EXPECT_EQ(f("a = 'x' + \"it's\" + 'say \"x\"' + r'\\d' + f'{b!r:>8}'\n"),
            "a = \"x\" + \"it's\" + 'say \"x\"' + r'\\d' + f\"{b!r:>8}\"\n");
  unchanged("s = \"\"\"one\n   two\n\"\"\" + x\n");
  unchanged("def g():\n    \"\"\"Doc.\n\n      More.\n    \"\"\"\n    return f(\"\"\"a\n  b\"\"\", 2)\n");
}

TEST(Format, LinesJoinedByBackslash) { EXPECT_EQ(f("x = a + \\\n    b\n"), "x = a + b\n"); }

TEST(Format, LineEndsOfWindows) { EXPECT_EQ(f("if a:\r\n  b() # c\r\n"), "if a:\n    b()  # c\n"); }

}  // namespace
}  // namespace tessera::frontend
