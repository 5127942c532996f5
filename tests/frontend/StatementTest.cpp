// Statements and definitions.
#include "Parsed.h"

using namespace tessera;
using test::statements;

TEST(Statement, Assignments) {
  EXPECT_EQ(statements("a = b = c\n"), "  (assign (name a) (name b) (name c))");
  EXPECT_EQ(statements("a, *b = c\n"), "  (assign (tuple (name a) (starred (name b))) (name c))");
  EXPECT_EQ(statements("a.b[0] //= 2\n"), "  (//= (subscript (attribute (name a) b) (int 0)) (int 2))");
  EXPECT_EQ(statements("a: f32\n"), "  (declare (name a) (name f32) _)");
  EXPECT_EQ(statements("a: f32 = 1\n"), "  (declare (name a) (name f32) (int 1))");
  EXPECT_EQ(statements("w ~ Normal(0, 1)\n"), "  (sample (name w) (call (name Normal) (int 0) (int 1)))");
  EXPECT_EQ(statements("a = 1; b = 2;\n"), "  (assign (name a) (int 1))\n  (assign (name b) (int 2))");
}

TEST(Statement, ContextualKeywordsAreNamesElsewhere) {
  EXPECT_EQ(statements("state = 1\n"), "  (assign (name state) (int 1))");
  EXPECT_EQ(statements("policy.x = struct\n"), "  (assign (attribute (name policy) x) (name struct))");
  EXPECT_EQ(statements("state: f32 = 1\n"), "  (declare (name state) (name f32) (int 1))");
  EXPECT_EQ(statements("where(a, b)\n"), "  (expr (call (name where) (name a) (name b)))");
  EXPECT_EQ(statements("effects[a] = await\n"), "  (assign (subscript (name effects) (name a)) (name await))");
  EXPECT_EQ(statements("async = type + k + m + match\n"),
            "  (assign (name async) (+ (+ (+ (name type) (name k)) (name m)) (name match)))");
  EXPECT_EQ(statements("f(where=1, state=2, policy=3)\n"),
            "  (expr (call (name f) (keyword where (int 1)) (keyword state (int 2)) (keyword policy (int 3))))");
  EXPECT_EQ(statements("def where(state, policy): return effects\n"),
            "  (def where\n    (parameter state)\n    (parameter policy)\n    (body\n      (return (name effects))))");
  EXPECT_EQ(statements("x = [await for await in effects]\n"),
            "  (assign (name x) (list-of (name await) (for (name await) (name effects))))");
}

TEST(Statement, ContextualKeywords) {
  EXPECT_EQ(statements("policy P = Policy(storage=i8)\n"), "  (policy-def P (call (name Policy) (keyword storage (name i8))))");
  EXPECT_EQ(statements("state s: KV[D] = zeros()\n"), "  (state s (subscript (name KV) (name D)) (call (name zeros)))");
  EXPECT_EQ(statements("state s\n"), "  (state s _ _)");
  EXPECT_EQ(statements("struct S[D]:\n    x: f32\n"), "  (struct S [D]\n    (body\n      (declare (name x) (name f32) _)))");
  EXPECT_EQ(statements("async def f():\n    await (x)\n    async with a as b:\n        pass\n"),
            "  (async-def f\n    (body\n      (expr (await (name x)))\n      (async-with (item (name a) (name b))\n        (body\n          (pass)))))");
  EXPECT_EQ(statements("await (x)\n"), "  (expr (call (name await) (name x)))");
}

TEST(Statement, Signatures) {
  EXPECT_EQ(statements("def f[B, D: Int](x: T[B], *, k=1) -> T[D] where B % 8 == 0, D in 1..=8 effects[random, state(c)]: ...\n"),
            "  (def f [B D: (name Int)]\n"
            "    (parameter x (subscript (name T) (name B)))\n"
            "    (keyword-parameter k _ (int 1))\n"
            "    (result (subscript (name T) (name D)))\n"
            "    (where (compare (% (name B) (int 8)) == (int 0)))\n"
            "    (where (compare (name D) in (..= (int 1) (int 8))))\n"
            "    (effects (name random) (call (name state) (name c)))\n"
            "    (body\n      (expr (ellipsis))))");
}

TEST(Statement, WhereMayStandOnLinesOfItsOwn) {
  const char *split = "def f[B, D](x: T[B, D]) -> T[B]\n"
                      "        where B % 8 == 0,  # a comment\n"
                      "              D <= 4\n"
                      "        effects[random]:\n"
                      "    return x\n";
  const char *joined = "def f[B, D](x: T[B, D]) -> T[B] where B % 8 == 0, D <= 4 effects[random]:\n    return x\n";
  test::Parsed a(split), b(joined);
  EXPECT_EQ(a.messages() + b.messages(), "");
  EXPECT_TRUE(ast::equal(*a.module, *b.module));
}

TEST(Statement, Decorators) {
  EXPECT_EQ(statements("@jit @autodiff\n@deterministic(seed=42)\ndef f(): ...\n"),
            "  (def f\n    (decorator (name jit))\n    (decorator (name autodiff))\n"
            "    (decorator (call (name deterministic) (keyword seed (int 42))))\n    (body\n      (expr (ellipsis))))");
}

TEST(Statement, Blocks) {
  EXPECT_EQ(statements("if a:\n    b\nelif c: d\nelse:\n    e\n"),
            "  (if (name a)\n    (then\n      (expr (name b)))\n    (else\n      (elif (name c)\n        (then\n          (expr (name d)))\n"
            "        (else\n          (expr (name e))))))");
  EXPECT_EQ(statements("for a, b in c, d:\n    pass\nelse:\n    f\n"),
            "  (for (tuple (name a) (name b)) (tuple (name c) (name d))\n    (body\n      (pass))\n    (else\n      (expr (name f))))");
  EXPECT_EQ(statements("try:\n    a\nexcept E as e:\n    b\nexcept:\n    c\nelse:\n    d\nfinally:\n    f\n"),
            "  (try\n    (body\n      (expr (name a)))\n    (except (name E) e\n      (body\n        (expr (name b))))\n    (except _\n"
            "      (body\n        (expr (name c))))\n    (else\n      (expr (name d)))\n    (finally\n      (expr (name f))))");
  EXPECT_EQ(statements("while (n := f()) > 0: continue\n"),
            "  (while (compare (named n (call (name f))) > (int 0))\n    (body\n      (continue)))");
}

TEST(Statement, Imports) {
  EXPECT_EQ(statements("import a.b as c, d\n"), "  (import (item a.b as c) (item d))");
  EXPECT_EQ(statements("from ..a.b import x as y, z\n"), "  (from-import level=2 a.b (item x as y) (item z))");
  EXPECT_EQ(statements("from ... import x\n"), "  (from-import level=3 (item x))");
  EXPECT_EQ(statements("from a import *\n"), "  (from-import a *)");
  EXPECT_EQ(statements("from a import (x,\n  y,  # c\n)\n"), "  (from-import a (item x) (item y))");
}

TEST(Statement, OneWordStatements) {
  EXPECT_EQ(statements("raise A from b\nassert a, b\ndel a, b[0]\nglobal a, b\nnonlocal c\n"),
            "  (raise (name A) (name b))\n  (assert (name a) (name b))\n  (del (name a) (subscript (name b) (int 0)))\n"
            "  (global a b)\n  (nonlocal c)");
  EXPECT_EQ(statements("while a:\n    break\n"), "  (while (name a)\n    (body\n      (break)))");
}
