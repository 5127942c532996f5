// Expressions: precedence, associativity, literals, brackets.
#include "Parsed.h"

using namespace tessera;
using test::expression;

TEST(Expression, PrecedenceIsPythons) {
  EXPECT_EQ(expression("a + b * c ** d"), "(+ (name a) (* (name b) (** (name c) (name d))))");
  EXPECT_EQ(expression("-a ** -b ** c"), "(neg (** (name a) (neg (** (name b) (name c)))))");
  EXPECT_EQ(expression("2 ** -1 * 3"), "(* (** (int 2) (neg (int 1))) (int 3))");
  EXPECT_EQ(expression("a - b - c"), "(- (- (name a) (name b)) (name c))");
  EXPECT_EQ(expression("a ** b ** c"), "(** (name a) (** (name b) (name c)))");
  EXPECT_EQ(expression("a | b ^ c & d << e"), "(| (name a) (^ (name b) (& (name c) (<< (name d) (name e)))))");
  EXPECT_EQ(expression("not a == b and c or d"), "(or (and (not (compare (name a) == (name b))) (name c)) (name d))");
  EXPECT_EQ(expression("a @ b * c"), "(* (@ (name a) (name b)) (name c))");
  EXPECT_EQ(expression("~x.y[0]"), "(~ (subscript (attribute (name x) y) (int 0)))");
  EXPECT_EQ(expression("a if b else c if d else e"), "(if (name b) (name a) (if (name d) (name c) (name e)))");
}

TEST(Expression, ChainsAreOneNode) {
  EXPECT_EQ(expression("a < b <= c != d"), "(compare (name a) < (name b) <= (name c) != (name d))");
  EXPECT_EQ(expression("a and b and c"), "(and (name a) (name b) (name c))");
  EXPECT_EQ(expression("a and (b and c)"), "(and (name a) (and (name b) (name c)))");
  EXPECT_EQ(expression("(a < b) < c"), "(compare (compare (name a) < (name b)) < (name c))");
  EXPECT_EQ(expression("a is not b not in c"), "(compare (name a) is-not (name b) not-in (name c))");
}

TEST(Expression, RangesAreNotFloats) {
  EXPECT_EQ(expression("B in 1..=4096"), "(compare (name B) in (..= (int 1) (int 4096)))");
  EXPECT_EQ(expression("B in 1..8"), "(compare (name B) in (.. (int 1) (int 8)))");
  EXPECT_EQ(expression("a..=b + 1"), "(..= (name a) (+ (name b) (int 1)))");
  EXPECT_EQ(expression("1. + .5"), "(+ (float 1 \"1.\") (float 0.5 \".5\"))");
}

TEST(Expression, Numbers) {
  EXPECT_EQ(expression("0x_ff + 0b11 + 0o17 + 1_000"), "(+ (+ (+ (int 255 \"0x_ff\") (int 3 \"0b11\")) (int 15 \"0o17\")) (int 1000 \"1_000\"))");
  EXPECT_EQ(expression("1e-5"), "(float 1e-05 \"1e-5\")");
  EXPECT_EQ(expression("1_0.5e+2"), "(float 1050 \"1_0.5e+2\")");
  EXPECT_EQ(expression("1e999"), "(float inf \"1e999\")");
  EXPECT_EQ(expression("1e-999"), "(float 0 \"1e-999\")");
  EXPECT_EQ(expression("2.5j"), "(imaginary 2.5 \"2.5j\")");
  EXPECT_EQ(expression("18446744073709551615"), "(int 18446744073709551615)");
  EXPECT_EQ(expression("18446744073709551616"), "(int 18446744073709551616 too-large \"18446744073709551616\")");
}

TEST(Expression, Strings) {
  EXPECT_EQ(expression("\"a\\n\\x41\\u00e9\\101\\q\""), "(string \"a\\nA\xC3\xA9" "A\\\\q\" (text \"\\\"a\\\\n\\\\x41\\\\u00e9\\\\101\\\\q\\\"\"))");
  EXPECT_EQ(expression("r'\\n'"), "(string \"\\\\n\" (text \"r'\\\\n'\"))");
  EXPECT_EQ(expression("'a' \"b\""), "(string \"ab\" (text \"'a' \\\"b\\\"\"))");
  EXPECT_EQ(expression("\"\"\"a\n\"b\\\"\"\"\"").substr(0, 18), "(string \"a\\n\\\"b\\\"\"");
  EXPECT_EQ(expression("''"), "(string \"\" (text \"''\"))");
}

TEST(Expression, FStrings) {
  auto parts = [](const std::string &text) {
    std::string dump = expression(text);
    return dump.substr(0, dump.find(" (text \""));
  };
  EXPECT_EQ(parts("f\"a{x}b\""), "(fstring \"a\" (value (name x)) \"b\"");
  EXPECT_EQ(parts("f\"{{{x!r:>{w}}}}\""), "(fstring \"{\" (value (name x) !r \">{w}\") \"}\"");
  EXPECT_EQ(parts("f\"{x + f(1, {'a': 2}['a']):.3f}\""),
            "(fstring (value (+ (name x) (call (name f) (int 1) (subscript (dict (pair (string \"a\"");
  EXPECT_EQ(parts("f'{x=}'"), "(fstring \"x=\" (value (name x) !r)");
  EXPECT_EQ(parts("f'{a == b}'"), "(fstring (value (compare (name a) == (name b)))");
  EXPECT_EQ(parts("f'{a != b}'"), "(fstring (value (compare (name a) != (name b)))");
  EXPECT_EQ(parts("'a' f'{x}' 'b'"), "(fstring \"a\" (value (name x)) \"b\"");
  EXPECT_EQ(parts("f'{f\"{x}\"}'"), "(fstring (value (fstring (value (name x))");
  EXPECT_EQ(parts("f'{a, b}'"), "(fstring (value (tuple (name a) (name b)))");
}

TEST(Expression, SpansInsideFStringsAreThoseOfTheFile) {
  test::Parsed parsed("x = f\"a {name + 1}\"\n");
  auto *assign = ast::as<ast::AssignStmt>(parsed.module->body[0]);
  auto *string = ast::as<ast::FStringExpr>(assign->value);
  ASSERT_TRUE(string);
  EXPECT_EQ(parsed.sources.text(string->parts[1].value->span), "name + 1");
}

TEST(Expression, Brackets) {
  EXPECT_EQ(expression("()"), "(tuple ())");
  EXPECT_EQ(expression("(a)"), "(name a)");
  EXPECT_EQ(expression("(a,)"), "(tuple () (name a))");
  EXPECT_EQ(expression("a, *b"), "(tuple (name a) (starred (name b)))");
  EXPECT_EQ(expression("[]"), "(list)");
  EXPECT_EQ(expression("{}"), "(dict)");
  EXPECT_EQ(expression("{a, b}"), "(set (name a) (name b))");
  EXPECT_EQ(expression("{a: b, **c}"), "(dict (pair (name a) (name b)) (spread (name c)))");
  EXPECT_EQ(expression("{a: b for a, b in c}"), "(dict-of (name a) (name b) (for (tuple (name a) (name b)) (name c)))");
  EXPECT_EQ(expression("{a for a in b if c if d}"), "(set-of (name a) (for (name a) (name b) (if (name c)) (if (name d))))");
  EXPECT_EQ(expression("f(x for x in y)"), "(call (name f) (generator (name x) (for (name x) (name y))))");
  EXPECT_EQ(expression("(n := 3)"), "(named n (int 3))");
  EXPECT_EQ(expression("W{\"d\", e}"), "(braced (name W) (string \"d\") (name e))");
}

TEST(Expression, CallsAndSubscripts) {
  EXPECT_EQ(expression("f(a, *b, k=c, **d)"), "(call (name f) (name a) (spread (name b)) (keyword k (name c)) (spread-options (name d)))");
  EXPECT_EQ(expression("x[..., None, 1:-1:2, :, i]"),
            "(subscript (name x) (ellipsis) (none) (slice (int 1) (neg (int 1)) (int 2)) (slice _ _ _) (name i))");
  EXPECT_EQ(expression("x[::2]"), "(subscript (name x) (slice _ _ (int 2)))");
  EXPECT_EQ(expression("T[D, dtype=bf16, @accum(f32) @device(g)]"),
            "(subscript (name T) (name D) (keyword dtype (name bf16)) (policy (call (name accum) (name f32))) (policy (call (name device) (name g))))");
  EXPECT_EQ(expression("T[D, bf16 @accum(f32)] @paged | None"),
            "(| (@ (subscript (name T) (name D) (@ (name bf16) (call (name accum) (name f32)))) (name paged)) (none))");
  EXPECT_EQ(expression("a.b(c)[d].e"), "(attribute (subscript (call (attribute (name a) b) (name c)) (name d)) e)");
}

TEST(Expression, Lambdas) {
  EXPECT_EQ(expression("lambda: 1"), "(lambda (int 1))");
  EXPECT_EQ(expression("lambda u, v=1, *w, k, **o: u"),
            "(lambda (parameter u) (parameter v _ (int 1)) (rest-parameter w) (keyword-parameter k) (options-parameter o) (name u))");
}

TEST(Expression, EqualIgnoresSpelling) {
  auto same = [](const char *a, const char *b) { return ast::equal(*test::Parsed(a).module, *test::Parsed(b).module); };
  EXPECT_TRUE(same("x = (a + b)  # c\n", "x = a + b\n"));
  EXPECT_TRUE(same("x = 0xFF, 1.0, 'a'\n", "x = (255, 1.00, \"a\")\n"));
  EXPECT_TRUE(same("if a: b\n", "if a:\n    b\n"));
  EXPECT_FALSE(same("x = a - (b - c)\n", "x = a - b - c\n"));
  EXPECT_FALSE(same("x = 1\n", "x = 2\n"));
  EXPECT_FALSE(same("x = 'a'\n", "x = f'a'\n"));
  EXPECT_FALSE(same("def f(a, *, b): ...\n", "def f(a, b): ...\n"));
}
