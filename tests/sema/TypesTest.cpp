// Structs, tuples, alternatives, generic functions, functions as values, overloads: the rules of docs/spec/types.md.
#include "tests/sema/Checking.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;
using testing::HasSubstr;
using testing::Not;

namespace {
/// "name(parameters) -> results" of each function of the program.
std::string signatures(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.messages(), "") << text;
  std::string all;
  for (const auto &function : c.program->functions) {
    std::string parameters;
    for (const auto &p : function->params)
      parameters += (parameters.empty() ? "" : ", ") + p.var->name + ": " + p.var->type.str();
    all += function->name + "(" + parameters + ")";
    for (const auto &r : function->results) all += " " + r.name + ": " + r.type.str();
    all += "\n";
  }
  return all;
}
std::string dumpOf(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.messages(), "") << text;
  return c.dump();
}
std::string said(const std::string &text) { return Checking(text).messages(); }
/// The notes of the only message.
std::string notes(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.diagnostics.all().size(), 1u) << c.messages();
  std::string all;
  for (const auto &d : c.diagnostics.all())
    for (const auto &note : d.notes) {
      if (!note.span.valid()) continue;
      LineColumn at = c.sources.file(note.span.file).lineColumn(note.span.begin);
      all += std::to_string(at.line) + ":" + std::to_string(at.column) + " " + note.text + "\n";
    }
  return all;
}
/// The program after the fixes of its only message.
std::string mended(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.diagnostics.all().size(), 1u) << c.messages();
  std::string out = text;
  if (c.diagnostics.all().empty() || c.diagnostics.all()[0].fixes.empty()) return "no fix";
  const diag::Fix &fix = c.diagnostics.all()[0].fixes[0];
  return out.replace(fix.span.begin, fix.span.end - fix.span.begin, fix.replacement);
}

const std::string linear = "struct Linear[I, O]:\n"
                           "    w: Tensor[I, O, f32]\n"
                           "    b: Tensor[O, f32]\n"
                           "    def apply(self, x: Tensor[\"B\", I, f32]):\n"
                           "        return x @ self.w + self.b\n";
const std::string square = "def square[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * x\n";
}  // namespace

// ---------------------------------------------------------------- structs

TEST(Types, StacksAreMadeOfLists) {
  std::string block = "struct Block:\n    w: Tensor[2, f32]\nstruct Net:\n    layers: [Block; 2]\n"
                      "def block(x: Tensor[2, f32]) -> Block:\n    return Block(x)\n";
  EXPECT_EQ(Checking(block + "def main():\n    a = block(load_npy(\"x.npy\"))\n    n = Net(layers=[a, a])\n    print(n)\n").messages(), "");
  EXPECT_THAT(Checking("struct Scale:\n    by: f32\nstruct All:\n    parts: [Scale; 2]\ndef main():\n    a = Scale(2.0)\n    n = All(parts=[a, a])\n    print(n)\n").messages(),
              HasSubstr("a stack that host code puts together of structs with numbers"));
  EXPECT_EQ(Checking(block + "def f(x: Tensor[2, f32]) -> Net:\n    return Net(layers=[block(x), block(x)])\n").messages(), "");
  EXPECT_THAT(Checking(block + "def f(x: Tensor[2, f32]) -> Net:\n    return Net(layers=[block(x)])\n").messages(),
              HasSubstr("expects a stack of 2 structs"));
}
TEST(Structs, AParameterBecomesOneForEachField) {  // (T6)
  EXPECT_EQ(signatures(linear + "def f[B, I, O](x: Tensor[B, I, f32], p: Linear[I, O]) -> Tensor[B, O, f32]:\n"
                                "    return p.apply(x)\n"),
            "f(x: Tensor[B, I, f32], p_w: Tensor[I, O, f32], p_b: Tensor[O, f32]) result: Tensor[B, O, f32]\n");
}
TEST(Structs, AProgramWithThemIsTheSameAsOneOfTheirParts) {  // (T6)
  EXPECT_EQ(dumpOf(linear + "def f[B, I, O](x: Tensor[B, I, f32], p: Linear[I, O]) -> (Linear[I, O], Tensor[B, O, f32]):\n"
                            "    return replace(p, w=p.w * 2), relu(x @ p.w + p.b)\n"),
            [] {
              std::string text = dumpOf("def f[B, I, O](x: Tensor[B, I, f32], p_w: Tensor[I, O, f32], p_b: Tensor[O, f32]):\n"
                                        "    w = p_w * 2\n    return (w, p_b), relu(x @ p_w + p_b)\n");
              for (const auto &[from, to] : {std::pair("result_0_0", "result_0_w"), {"result_0_1", "result_0_b"}})
                text.replace(text.find(from), std::string(from).size(), to);
              return text;
            }());
}
TEST(Structs, AResultBecomesOneForEachField) {  // (T4) (T6)
  EXPECT_EQ(signatures(linear + "def f[I, O](p: Linear[I, O], s: f32) -> (Linear[I, O], f32):\n"
                                "    return replace(p, w=p.w * s), s\n"),
            "f(p_w: Tensor[I, O, f32], p_b: Tensor[O, f32], s: f32) result_0_w: Tensor[I, O, f32] "
            "result_0_b: Tensor[O, f32] result_1: Tensor[f32]\n");
}
TEST(Structs, NestedOnesJoinTheirNames) {  // (T5) (T6)
  EXPECT_EQ(signatures(linear + "struct Mlp[D, F]:\n    up: Linear[D, F]\n    down: Linear[F, D]\n    s: f32 = 1.0\n"
                                "def f[B, D, F](x: Tensor[B, D, f32], m: Mlp[D, F]) -> Tensor[B, D, f32]:\n"
                                "    return m.down.apply(relu(m.up.apply(x))) * m.s\n"),
            "f(x: Tensor[B, D, f32], m_up_w: Tensor[D, F, f32], m_up_b: Tensor[F, f32], m_down_w: Tensor[F, D, f32], "
            "m_down_b: Tensor[D, f32], m_s: f32) result: Tensor[B, D, f32]\n");
}
TEST(Structs, FieldsAreGivenByNameOrInOrderAndHaveDefaults) {  // (T2)
  std::string text = "struct P[N]:\n    w: Tensor[N, f32]\n    s: f32 = 3.0\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n";
  EXPECT_EQ(dumpOf(text + "    p = P(x)\n    return p.w * p.s\n"), dumpOf(text + "    p = P(w=x)\n    return p.w * p.s\n"));
  EXPECT_THAT(dumpOf(text + "    p = P(s=2.0, w=x)\n    return p.w * p.s\n"), HasSubstr("full[N](2:f32)"));
  EXPECT_THAT(dumpOf(text + "    p = P(x)\n    return p.w * p.s\n"), HasSubstr("full[N](3:f32)"));
}
TEST(Structs, AMismatchNamesTheFieldThatGaveTheDimension) {  // (T2)
  EXPECT_THAT(notes(linear + "def f(x: Tensor[512, 64, f32], b: Tensor[32, f32]) -> Linear[512, 64]:\n"
                             "    return Linear(w=x, b=b)\n"),
              HasSubstr("`O` is 64 because of the field `w`"));
}
TEST(Structs, TypeArgumentsCanBeStated) {  // (T2)
  std::string text = "struct P[N]:\n    w: Tensor[N, f32]\n";
  EXPECT_EQ(said(text + "def f(x: Tensor[64, f32]) -> P[64]:\n    return P[64](x)\n"), "");
  EXPECT_THAT(said(text + "def f(x: Tensor[32, f32]) -> P[64]:\n    return P[64](x)\n"),
              HasSubstr("E0401 4:18 expected the shape [64], but this has [32]"));
}
TEST(Structs, AStructOfOtherDimensionsDoesNotFit) {
  EXPECT_EQ(said(linear + "def g[B, I, O](x: Tensor[B, I, f32], p: Linear[I, O]):\n    return p.apply(x)\n"
                          "def f[B](x: Tensor[B, 512, f32], p: Linear[256, 8]) -> Tensor[B, 8, f32]:\n"
                          "    return g(x, p)\n"),
            "E0311 9:17 `p` expects `Linear[512, 8]`, but this is a `Linear[256, 8]`\n");
}
TEST(Structs, MethodsSeeTheTypeParameters) {  // (T3)
  EXPECT_THAT(dumpOf("struct P[H, D]:\n    w: Tensor[H, D, f32]\n    def heads(self, x: Tensor[\"B\", H * D, f32]):\n"
                     "        return x.reshape(x.shape[0], H, D) * self.w\n"
                     "def f[B](x: Tensor[B, 64, f32], p: P[4, 16]) -> Tensor[B, 4, 16, f32]:\n    return p.heads(x)\n"),
              HasSubstr("reshape[B, 4, 16]"));
}
TEST(Structs, AnAssignmentThatTheCallerWouldNotSeeIsMendedByReplace) {  // (T4)
  for (const char *change : {"    p.w = p.w * 2\n", "    p.w *= 2\n"}) {
    std::string text = linear + "def f[I, O](p: Linear[I, O]) -> f32:\n" + change + "    return sum(p.w)\n";
    EXPECT_THAT(said(text), HasSubstr("E0325 7:5"));
    EXPECT_EQ(said(mended(text)), "") << mended(text);
  }
}
TEST(Structs, AnAssignmentToAFieldOfWhatIsReturnedIsReplace) {  // (T4)
  std::string head = linear + "def f[I, O](p: Linear[I, O], s: f32) -> Linear[I, O]:\n";
  EXPECT_EQ(dumpOf(head + "    p.w = p.w * s\n    return p\n"), dumpOf(head + "    p = replace(p, w=p.w * s)\n    return p\n"));
}
TEST(Structs, DtypeParameters) {  // (T1)
  EXPECT_EQ(signatures("struct P[N, T: dtype]:\n    w: Tensor[N, T]\n"
                       "def f[N](p: P[N, bf16]) -> Tensor[N, bf16]:\n    return p.w\n"),
            "f(p_w: Tensor[N, bf16]) result: Tensor[N, bf16]\n");
}
TEST(Structs, MutuallyRecursiveOnesAreSaidOnce) {  // (T5)
  EXPECT_EQ(said("struct A[N]:\n    b: B[N]\nstruct B[N]:\n    x: Tensor[N, f32]\n    a: A[N] | None = None\n"
                 "def f[N](n: B[N]) -> Tensor[N, f32]:\n    return n.x\n"),
            "E0323 2:5 the struct `A` contains itself\n");
}
TEST(Structs, FieldsAndParametersDoNotClash) {  // (T6)
  EXPECT_EQ(said("struct P[N]:\n    w: Tensor[N, f32]\n"
                 "def f[N](p_w: Tensor[N, f32], p: P[N]) -> Tensor[N, f32]:\n    return p.w + p_w\n"),
            "E0204 3:31 `p_w` is defined twice\n");
}
TEST(Structs, WrongDefinitions) {  // (T1)
  EXPECT_EQ(said("struct P[N]:\n    w: Tensor[N, f32]\n    w: Tensor[N, f32]\n"), "E0204 3:5 `w` is defined twice\n");
  EXPECT_EQ(said("struct P[N, M]:\n    w: Tensor[N, f32]\n"), "E0406 1:13 the dimension `M` is given by no parameter\n");
  EXPECT_EQ(said("struct P:\n    w: Tensor[N, f32]\n"), "E0200 2:15 I know no name `N`\n");
  EXPECT_EQ(said("struct P[T: float]:\n    w: Tensor[T, f32]\n"), "E0300 1:13 this is not a type: `float`\n");
  EXPECT_EQ(said("def g[N, T: float](n: Tensor[N, T], x) -> Tensor[N, f32]:\n    return n\n\n"
                 "def f(x: Tensor[3, f32]) -> Tensor[3, f32]:\n    return g(x, x)\n"),
            "E0300 1:13 this is not a type: `float`\n");
  EXPECT_EQ(said("struct P[N]:\n    w: Tensor[N, f32]\n    def m():\n        return 1\n"),
            "E0322 3:9 the method `m` has no parameter for its struct\n");
  EXPECT_EQ(said("struct P[N]:\n    w: Tensor[N, f32]\nstruct P[N]:\n    v: Tensor[N, f32]\n"),
            "E0204 3:8 `P` is defined twice\n");
}
TEST(Structs, WrongValues) {
  std::string f = linear + "def f[I, O](w: Tensor[I, O, f32], b: Tensor[O, f32]) -> Linear[I, O]:\n    return ";
  EXPECT_EQ(said(f + "Linear(w, b, b)\n"), "E0207 7:25 `Linear` takes 2 fields, but saw 3\n");
  EXPECT_EQ(said(f + "Linear(w, w=w, b=b)\n"), "E0209 7:24 `Linear` gets its argument `w` twice\n");
  EXPECT_EQ(said(f + "Linear(weights=w, b=b)\n"), "E0320 7:19 `Linear` has no field `weights`\n");
  EXPECT_EQ(said(f + "Linear()\n"), "E0321 7:12 `Linear` needs its field `w`, `b`\n");
  EXPECT_EQ(said(f + "Linear(w, 1.0)\n"), "E0311 7:22 `b` expects `Tensor[O, f32]`, but this is a number\n");
  EXPECT_EQ(said(f + "Linear(w, cast(b, f64))\n"), "E0302 7:22 f64 would become f32, which holds less\n");
  EXPECT_EQ(said(f + "w\n"), "E0305 7:12 `f` returns a tensor `[I, O]` of f32, but a `Linear[I, O]` is declared\n");
  EXPECT_EQ(said(f + "replace(w, b=b)\n"), "E0311 7:20 `replace` expects a struct, but this is a tensor `[I, O]` of f32\n");
}
TEST(Structs, ATypeWithoutItsArgumentsIsTheOnlyOneOfItsKind) {
  EXPECT_EQ(said(linear + "def f(p: Linear) -> f32:\n    return sum(p.w)\n"), "");
  EXPECT_THAT(said(linear + "def f(p: Linear, q: Linear) -> f32:\n    return sum(p.w) + sum(q.w)\n"),
              HasSubstr("E0324 6:10 `Linear` takes 2 type arguments, not 0\n"));
}

// ---------------------------------------------------------------- tuples

TEST(Tuples, AreTakenApartInParametersAndResults) {  // (T7)
  EXPECT_EQ(signatures("def f[N, M](t: tuple[Tensor[N, f32], (Tensor[M, f32], f32)]):\n"
                       "    a, (b, c) = t\n    return (b, c), a\n"),
            "f(t_0: Tensor[N, f32], t_1_0: Tensor[M, f32], t_1_1: f32) result_0_0: Tensor[M, f32] result_0_1: "
            "Tensor[f32] result_1: Tensor[N, f32]\n");
}
TEST(Tuples, ListsOfKnownLengthArePassedToTracedFunctions) {  // (T7) (T8)
  std::string text = "def total[N](xs: list[Tensor[N, f32]]):\n    t = xs[0]\n    for x in xs[1:]:\n        t = t + x\n"
                     "    return t, len(xs)\n";
  EXPECT_EQ(signatures(text + "def f[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:\n"
                              "    t, n = total([x, y, x])\n    return t / n\n"),
            "f(x: Tensor[N, f32], y: Tensor[N, f32]) result: Tensor[N, f32]\n");
  EXPECT_THAT(said(text + "def f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> Tensor[N, f32]:\n"
                          "    return total([x, y])[0]\n"),
              HasSubstr("E0401 7:18 expected the shape [N], but this has [M]"));
}
TEST(Tuples, RestParametersDeclareTheTypeOfEachItem) {  // (T7)
  std::string text = "def total[N](x: Tensor[N, f32], *rest: Tensor[N, f32]):\n    for r in rest:\n        x = x + r\n"
                     "    return x\n";
  EXPECT_EQ(said(text + "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return total(x, x, *[x, x])\n"), "");
  EXPECT_EQ(said(text + "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return total(x, 1)\n"),
            "E0311 6:21 `rest` expects `Tensor[N, f32]`, but this is the integer 1\n");
}
TEST(Tuples, AnotherNumberOfItems) {
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[N, f32]):\n    return x\n"),
            "E0305 2:12 `f` returns a tensor `[N]` of f32, but a tuple of 2 is declared\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[N, f32]):\n    return x, x, x\n"),
            "E0305 2:12 `f` returns 3 values, but a tuple of 2 is declared\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x, x\n"),
            "E0305 2:12 `f` returns 2 values, but 1 result is declared\n");
  EXPECT_EQ(said("def f[N](t: tuple[Tensor[N, f32], Tensor[N, f32]]) -> Tensor[N, f32]:\n    a, b, c = t\n    return a\n"),
            "E0312 2:5 3 names cannot stand for 2 values\n");
}

// ---------------------------------------------------------------- alternatives

TEST(Alternatives, GiveAnEntryPointEach) {  // (T9) (T10)
  EXPECT_EQ(signatures("def f[N](x: Tensor[N, f32], by: f32 | Tensor[N, f32] | None = None) -> Tensor[N, f32]:\n"
                       "    if by is None:\n        return x\n    if isinstance(by, Tensor):\n        return x * by[:]\n"
                       "    return x * by\n"),
            "f(x: Tensor[N, f32], by: f32) result: Tensor[N, f32]\n"
            "f_with_by_as_Tensor_N_f32(x: Tensor[N, f32], by: Tensor[N, f32]) result: Tensor[N, f32]\n"
            "f_without_by(x: Tensor[N, f32]) result: Tensor[N, f32]\n");
}
TEST(Alternatives, OfFieldsCount) {  // (T9)
  EXPECT_EQ(signatures("struct P[N]:\n    w: Tensor[N, f32]\n    b: Tensor[N, f32] | None = None\n"
                       "def f[N](x: Tensor[N, f32], p: P[N]) -> P[N]:\n"
                       "    return replace(p, w=x * p.w if p.b is None else x * p.w + p.b)\n"),
            "f(x: Tensor[N, f32], p_w: Tensor[N, f32], p_b: Tensor[N, f32]) result_w: Tensor[N, f32] result_b: "
            "Tensor[N, f32]\n"
            "f_without_p_b(x: Tensor[N, f32], p_w: Tensor[N, f32]) result_w: Tensor[N, f32]\n");
}
TEST(Alternatives, ARaiseRefusesAnEntryPoint) {  // (T12)
  EXPECT_EQ(signatures("def f[N](a: Tensor[N, f32] | None = None, b: Tensor[N, f32] | None = None) -> Tensor[N, f32]:\n"
                       "    if a is None and b is None:\n        raise ValueError(\"one of them\")\n"
                       "    if a is None:\n        return b\n    return a if b is None else a + b\n"),
            "f(a: Tensor[N, f32], b: Tensor[N, f32]) result: Tensor[N, f32]\n"
            "f_without_a(b: Tensor[N, f32]) result: Tensor[N, f32]\n"
            "f_without_b(a: Tensor[N, f32]) result: Tensor[N, f32]\n");
  EXPECT_EQ(signatures("def f[N](x: Tensor[N, f32], y: Tensor[N, f32] | None = None) -> Tensor[N, f32]:\n"
                       "    assert y is not None, \"y\"\n    return x + y\n"),
            "f(x: Tensor[N, f32], y: Tensor[N, f32]) result: Tensor[N, f32]\n");
}
TEST(Alternatives, ACallOfARefusedOneIsAMistake) {  // (T12)
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32], y: Tensor[N, f32] | None = None) -> Tensor[N, f32]:\n"
                 "    if y is None:\n        raise ValueError(\"y\")\n    return x + y\n"
                 "def main():\n    x = load_npy(\"x.npy\")\n    save_npy(\"y.npy\", f(x))\n"),
            "E0327 7:23 this always raises\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    raise ValueError(\"no\")\n"),
            "E0327 2:5 this always raises\n");
}
TEST(Alternatives, NoneWithoutATestIsSaidOnce) {  // (T11)
  std::string f = "def f[N](x: Tensor[N, f32], m: Tensor[N, f32] | None = None) -> Tensor[N, f32]:\n";
  for (const char *use : {"x * m", "m.sum() + x", "m[0] + x", "maximum(x, m)", "x @ m + x", "-m + x", "cast(m, f32)",
                          "x + (m if x.shape[0] > 0 else x)", "sum(m) + x", "m + 1", "m"}) {
    std::string text = f + "    return " + use + "\n";
    Checking c(text);
    ASSERT_EQ(c.diagnostics.all().size(), 1u) << use << "\n" << c.messages();
    EXPECT_THAT(c.messages(), HasSubstr("`m` may be None here")) << use;
    EXPECT_EQ(said(f + "    if m is None:\n        return x\n    return " + use + "\n").find("E0326"), std::string::npos);
  }
}
TEST(Alternatives, ATracedCallTakesTheOneThatFits) {  // (T9)
  std::string g = "def _g[N](x: Tensor[N, f32], by: i32 | f32 | Tensor[N, f32]):\n"
                  "    if isinstance(by, Tensor):\n        return x * by\n    return x + by\n"
                  "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return _";
  EXPECT_THAT(dumpOf(g + "g(x, x)\n"), HasSubstr("mul(x#0, x#0)"));
  EXPECT_THAT(dumpOf(g + "g(x, 0.5)\n"), HasSubstr("add(x#0, full[N](0.5:f32))"));
  EXPECT_EQ(said(g + "g(x, \"two\")\n"),
            "E0311 6:18 `by` expects `i32 | f32 | Tensor[N, f32]`, but this is a string\n");
}
TEST(Alternatives, HostCallsTakeTheRightEntryPoint) {
  EXPECT_THAT(dumpOf(linear + "def f[B, I, O](x: Tensor[B, I, f32], p: Linear[I, O], s: f32 | None = None):\n"
                              "    y = p.apply(x)\n    return y if s is None else y * s\n"
                              "def main():\n    p = Linear(w=load_npy(\"w.npy\"), b=load_npy(\"b.npy\"))\n"
                              "    save_npy(\"y.npy\", f(load_npy(\"x.npy\"), p))\n"),
              HasSubstr("call f_without_s("));
}
TEST(Alternatives, PythonsSpellingsAreMended) {
  std::string text = "def f[N](x: Tensor[N, f32], m: Optional[Tensor[N, f32]] = None) -> Tensor[N, f32]:\n"
                     "    return x if m is None else x * m\n";
  EXPECT_EQ(said(text), "E0300 1:32 this is not a type: `Optional[...]`\n");
  EXPECT_EQ(said(mended(text)), "");
}

// ---------------------------------------------------------------- generic functions

TEST(Generics, ExpressionsMayStandBeforeTheirVariables) {  // (T13)
  EXPECT_EQ(said("def g[N](a: Tensor[2 * N, f32], b: Tensor[N, f32]):\n    return a\n"
                 "def f[M](x: Tensor[2 * M, f32], y: Tensor[M, f32]) -> Tensor[2 * M, f32]:\n    return g(x, y)\n"),
            "");
}
TEST(Generics, AMismatchNamesWhatGaveTheVariable) {  // (T13)
  EXPECT_THAT(notes("def g[N](a: Tensor[N, f32], b: Tensor[N, f32]):\n    return a\n"
                    "def f(x: Tensor[512, f32], y: Tensor[256, f32]) -> Tensor[512, f32]:\n    return g(x, y)\n"),
              HasSubstr("4:14 `N` is 512 because of `a`"));
}
TEST(Generics, DtypeVariables) {  // (T14)
  std::string g = "def g[N, T: dtype](a: Tensor[N, T], b: Tensor[N, T]) -> Tensor[N, T]:\n    return a + cast(b, T)\n";
  EXPECT_EQ(signatures(g + "def f[N](x: Tensor[N, bf16]) -> Tensor[N, bf16]:\n    return g(x, x)\n"),
            "f(x: Tensor[N, bf16]) result: Tensor[N, bf16]\n");
  EXPECT_EQ(said(g + "def f[N](x: Tensor[N, bf16], y: Tensor[N, f32]) -> Tensor[N, bf16]:\n    return g(x, y)\n"),
            "E0302 4:17 f32 would become bf16, which holds less\n");
}
TEST(Generics, ConstAgreesWithWhatTheShapesSay) {  // (T15)
  std::string g = "def g[B, D, H](x: Tensor[B, D, f32], heads: Const[H]) where D % H == 0:\n"
                  "    return x.reshape(B, H, D // H)\n";
  EXPECT_EQ(said(g + "def f[B](x: Tensor[B, 64, f32]) -> Tensor[B, 4, 16, f32]:\n    return g(x, 4)\n"), "");
  EXPECT_THAT(said(g + "def f[B](x: Tensor[B, 64, f32]) -> Tensor[B, 3, 21, f32]:\n    return g(x, 3)\n"),
              HasSubstr("`g` requires `D % H == 0`"));
  EXPECT_EQ(said("def g[H](x: Tensor[H, f32], n: Const[H]):\n    return x\n"
                 "def f(x: Tensor[64, f32]) -> Tensor[64, f32]:\n    return g(x, 32)\n"),
            "E0311 4:17 `n` expects 64, but this is 32\n");
}
TEST(Generics, AVariableThatNothingGives) {
  EXPECT_EQ(said("def g[N](x: Tensor[N * N, f32]):\n    return x\n"
                 "def f[M](x: Tensor[M, f32]) -> Tensor[M, f32]:\n    return g(x)\n"),
            "E0406 1:7 the dimension `N` is given by no parameter\n");
}

// ---------------------------------------------------------------- functions as values

TEST(Functions, ArePassedNamedAndPartlyApplied) {  // (T17)
  std::string text = "def twice(f: Callable, x):\n    return f(f(x))\n"
                     "def scaled(by):\n    return lambda x: x * by\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n"
                     "    add = partial(lambda a, b: a + b, 3.0)\n    act = relu if x.ndim == 1 else gelu\n"
                     "    return twice(add, twice(act, twice(scaled(2.0), x)))\n";
  EXPECT_THAT(dumpOf(text), HasSubstr("full[N](3:f32)"));
  EXPECT_EQ(said("def twice(f: Callable, x):\n    return f(f(x))\n"
                 "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return twice(x, x)\n"),
            "E0311 4:18 `f` expects a function, but this is a tensor `[N]` of f32\n");
}
TEST(Functions, DerivativesHaveTheTypesOfTheirParameters) {  // (T18)
  EXPECT_EQ(signatures("def loss[B, I](x: Tensor[B, I, f32], w: Tensor[I, f32], b: f32) -> f32:\n    return sum(x @ w + b)\n"
                       "slope = grad(loss, wrt=(\"b\", \"w\"))\n"
                       "def f[B, I](x: Tensor[B, I, f32], w: Tensor[I, f32]) -> (f32, Tensor[B, I, f32]):\n"
                       "    value, dx = value_and_grad(loss)(x, w, 1.0)\n    return value, dx\n"),
            "loss(x: Tensor[B, I, f32], w: Tensor[I, f32], b: f32) result: Tensor[f32]\n"
            "f(x: Tensor[B, I, f32], w: Tensor[I, f32]) result_0: Tensor[f32] result_1: Tensor[B, I, f32]\n"
            "slope(x: Tensor[B, I, f32], w: Tensor[I, f32], b: f32) result_0: Tensor[f32] result_1: Tensor[I, f32]\n");
}
TEST(Functions, ADerivativeByAStructIsAStruct) {  // (T18)
  EXPECT_EQ(signatures(linear + "def loss[B, I, O](p: Linear[I, O], x: Tensor[B, I, f32]) -> f32:\n    return sum(p.apply(x))\n"
                                "def step[B, I, O](p: Linear[I, O], x: Tensor[B, I, f32]) -> Linear[I, O]:\n"
                                "    g = grad(loss, wrt=\"p\")(p, x)\n    return Linear(p.w - g.w, p.b - g.b)\n"),
            "loss(p_w: Tensor[I, O, f32], p_b: Tensor[O, f32], x: Tensor[B, I, f32]) result: Tensor[f32]\n"
            "step(p_w: Tensor[I, O, f32], p_b: Tensor[O, f32], x: Tensor[B, I, f32]) result_w: Tensor[I, O, f32] "
            "result_b: Tensor[O, f32]\n");
}
TEST(Functions, DerivativesOfLambdasTakeWhatTheyCapture) {  // (T17) (T18)
  EXPECT_THAT(dumpOf("def f[B, I](x: Tensor[B, I, f32], w: Tensor[I, f32]) -> Tensor[I, f32]:\n"
                     "    return grad(lambda v: sum(x @ v))(w)\n"),
              HasSubstr("derivative lambda<0>(w#1, x#0)"));
}
TEST(Functions, ANamedDerivativeIsAnEntryPoint) {  // (T19)
  Checking c("def loss[N](x: Tensor[N, f32]) -> f32:\n    return sum(x * x)\nslope = grad(loss)\n");
  EXPECT_EQ(c.messages(), "");
  ASSERT_TRUE(c.program->find("slope"));
  EXPECT_TRUE(c.program->find("slope")->later.empty());
}
TEST(Functions, WrongDerivatives) {  // (T18)
  std::string loss = "def loss[N](x: Tensor[N, f32], n: i32) -> f32:\n    return sum(x) * f32(n)\n";
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=\"y\")\n"), "E0330 3:20 `loss` has no parameter `y` to differentiate by\n");
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=(\"x\", \"x\"))\n"), "E0209 3:26 `wrt` gets its argument `x` twice\n");
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=0)\n"), "");
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=2)\n"), "E0330 3:20 `loss` has no parameter `2` to differentiate by\n");
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=0.5)\n"),
            "E0311 3:20 `wrt` expects names of parameters in quotes, but this is a number\n");
  EXPECT_EQ(said(loss + "g = grad(loss, wrt=\"n\")\n"), "E0331 3:5 `n` is `i32`, which has no derivative\n");
  EXPECT_EQ(said(loss + "g = grad(3)\n"), "E0311 3:10 `grad` expects a tensor function, but this is the integer 3\n");
  EXPECT_EQ(said(loss + "g = grad(loss, argnums=0)\n"), "E0206 3:16 `grad` takes no argument `argnums`\n");
  EXPECT_EQ(said(square + "g = grad(square)\n"),
            "E0332 3:5 `grad` needs a function that returns one float, but `square` returns `Tensor[N, f32]`\n");
  std::string misspelt = loss + "g = grad(loss, wrt=\"xx\")\n";
  EXPECT_EQ(said(mended(misspelt)), "") << mended(misspelt);
}
TEST(Functions, RulesOfOnesOwn) {  // (T20)
  std::string f = "@custom_vjp\n" + square;
  std::string rule = "@square.vjp\ndef rule[M](x: Tensor[M, f32], y: Tensor[M, f32], dy: Tensor[M, f32]) -> Tensor[M, f32]:\n"
                     "    return 2 * x * dy\n";
  EXPECT_EQ(said(f + rule), "");
  EXPECT_EQ(said(f + rule + "def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return square.vjp(x, x, x)\n"), "");
  EXPECT_EQ(said(f), "E0333 2:5 `square.vjp` is no derivative of `square`: there is none\n");
  EXPECT_EQ(said(square + rule), "E0333 3:1 `rule` is no derivative of `square`: that has no `@custom_vjp`\n");
  EXPECT_EQ(said(f + "@square.vjp\ndef rule[M](x: Tensor[M, f32], y: Tensor[M, f32], dy: Tensor[M, f32]):\n"
                     "    return x, y\n"),
            "E0333 5:5 `rule` is no derivative of `square`: it returns 2 values, not a derivative for each of `x`\n");
  EXPECT_EQ(said(f + "@square.vjp\ndef rule[M](x: Tensor[M, f32], y: Tensor[M, f32], dy: Tensor[M, f16]) -> "
                     "Tensor[M, f32]:\n    return x\n"),
            "E0333 5:51 `rule` is no derivative of `square`: `dy` is `Tensor[M, f16]`, but the derivative of the result "
            "is `Tensor[N, f32]`\n");
  EXPECT_EQ(said("@sqare.vjp\n" + square), "E0200 1:2 I know no name `sqare`\n");
}

// ---------------------------------------------------------------- overloads

namespace {
const std::string areas = "@overload\ndef area[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"
                          "@overload\ndef area[N, M](x: Tensor[N, M, f32]) -> f32:\n    return sum(x) * 2\n"
                          "@overload\ndef area(x: f32) -> f32:\n    return x * x\n"
                          "@overload\ndef area(x: i32) -> i32:\n    return x + x\n";
}
TEST(Overloads, ACallTakesTheOneThatFits) {  // (T22)
  std::string f = areas + "def f[N](x: Tensor[N, f32], y: Tensor[N, 3, f32], _s: f32, i: i32) -> f32:\n    return ";
  EXPECT_THAT(dumpOf(f + "area(x)\n"), HasSubstr("return reduce_sum<0>(x#0)"));
  EXPECT_THAT(dumpOf(f + "area(y)\n"), HasSubstr("return mul(reduce_sum<0,1>(y#1), 2:f32)"));
  EXPECT_THAT(dumpOf(f + "area(_s)\n"), HasSubstr("return mul(_s#2, _s#2)"));
  EXPECT_THAT(dumpOf(f + "f32(area(i))\n"), HasSubstr("add(i#3, i#3)"));
  EXPECT_THAT(dumpOf(f + "f32(area(3))\n"), HasSubstr("9:f32"));  // an integer that is written converts to either: the first
}
TEST(Overloads, AreEntryPointsInTheirOrder) {  // (T23)
  EXPECT_EQ(signatures(areas), "area(x: Tensor[N, f32]) result: Tensor[f32]\narea_2(x: Tensor[N, M, f32]) result: Tensor[f32]\n"
                               "area_3(x: f32) result: Tensor[f32]\narea_4(x: i32) result: Tensor[i32]\n");
}
TEST(Overloads, AFailureRanksTheCandidates) {  // (T22)
  std::string text = "@overload\ndef area[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"
                     "@overload\ndef area[N, M](x: Tensor[N, M, f32], scale: f32) -> f32:\n    return sum(x) * scale\n"
                     "def f[N, M](x: Tensor[N, M, f32]) -> f32:\n    return area(x, x)\n";
  EXPECT_EQ(said(text), "E0328 8:12 none of the 2 functions `area` fits these arguments\n");
  EXPECT_EQ(notes(text), "5:5 the closest: `scale` expects a scalar, but this is a tensor `[N, M]` of f32\n"
                         "2:5 `area` takes 1 argument, but saw 2\n");
}
TEST(Overloads, OfTheStandardLibrary) {
  std::string f = "def f[N, D](x: Tensor[N, D, f32], w: Tensor[D, f32]) -> Tensor[N, D, f32]:\n    return ";
  EXPECT_EQ(said(f + "rmsnorm_safe(x) + rmsnorm_safe(x, w) + x.rmsnorm_safe(w, eps=1e-6) + layernorm_safe(x)\n"), "");
  EXPECT_EQ(said(f + "rmsnorm_safe(x, \"w\")\n"), "E0328 2:12 none of the 3 functions `rmsnorm_safe` fits these arguments\n");
}
TEST(Overloads, ASecondDefinitionHasToSaySo) {  // (T21)
  EXPECT_EQ(said(square + square), "E0204 3:5 `square` is defined twice\n");
  EXPECT_EQ(said("@overload\n" + square + square), "E0204 4:5 `square` is defined twice\n");
}

// ---------------------------------------------------------------- names of types

TEST(TypeNames, AreOfferedWhereTheyAreMisspelt) {
  for (const auto &[wrong, message] : std::map<std::string, std::string>{
           {"def f[N](x: Tensor[N, flaot32]) -> Tensor[N, f32]:\n    return x\n",
            "E0300 1:23 this is not a type: I know no dtype `flaot32`\n"},
           {"def f[N](x: Tensr[N, f32]) -> Tensor[N, f32]:\n    return x\n", "E0200 1:13 I know no name `Tensr`\n"},
           {"def f[Batch](x: Tensor[Bacth, f32]) -> Tensor[Batch, f32]:\n    return x\n",
            "E0200 1:24 I know no name `Bacth`\n"},
           {"import tesera\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n",
            "E0202 1:8 I found no module `tesera`\n"}}) {
    EXPECT_EQ(said(wrong), message);
    EXPECT_EQ(said(mended(wrong)), "") << mended(wrong);
  }
}

TEST(TypeNames, TheDtypeStandsLast) {
  std::string text = "def f[N, M](x: Tensor[f32, N, M]) -> Tensor[N, M, f32]:\n    return x\n";
  EXPECT_EQ(said(text), "E0300 1:23 this is not a type: the dtype stands last\n");
  EXPECT_EQ(said(mended(text)), "");
}
TEST(Names, OfOtherLibrariesAreOffered) {
  for (const char *use : {"x.sum(dim=1)", "sum(x.view(N, M), axis=1)", "cat(x, x, axis=0).sum(axis=1)[:N]"}) {
    std::string text = std::string("def f[N, M](x: Tensor[N, M, f32]) -> Tensor[N, f32]:\n    return ") + use + "\n";
    EXPECT_EQ(said(mended(text)), "") << mended(text);
  }
}
TEST(Names, AKeywordOnlyParameterIsNamed) {  // (T16)
  std::string text = "def g(x, *, by):\n    return x * by\n"
                     "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return g(x, 3.0)\n";
  EXPECT_EQ(said(text), "E0207 4:17 `g` takes 1 argument, but saw 2\n");
  EXPECT_EQ(said(mended(text)), "");
}
TEST(Names, WhatFollowsFromAMistakeIsNotSaid) {
  EXPECT_EQ(said("@kernal\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i, = tile.origin()\n    return x[i]\n"),
            "E0212 1:1 I know no decorator `kernal`\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> f32:\n    total += x.sum()\n    return total\n"),
            "E0200 2:5 I know no name `total`\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, i32]:\n    x = x.astype(i32)\n    return x\n"),
            "E0304 2:5 `x` is a tensor `[N]` of f32 and would become a tensor `[N]` of i32\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    if x > 0:\n        return x\n    return -x\n"),
            "E0310 2:8 a condition must be true or false, but this is a tensor `[N]` of bool\n");
}

TEST(Transformer, TheBlockOfTheCanonChecks) {
  std::string text = test::fileText(TSR_SOURCE_DIR "/tests/canon/12_transformer.tsr");
  Checking c(text);
  EXPECT_EQ(c.messages(), "");
  ASSERT_TRUE(c.program->find("transformer_block"));
  EXPECT_EQ(c.program->find("transformer_block")->params[2].var->name, "p_wqkv");
  EXPECT_EQ(c.program->find("transformer_block")->params[2].var->type.str(), "Tensor[D, 3*D, bf16 @accum(f32)]");
  const checked::Function *step = c.program->find("decode_step");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->effects.str(), "state(cache)");
  ASSERT_EQ(step->params.size(), 6u);  // the cache: its keys, its values, and how many are filled
  EXPECT_EQ(step->params[3].var->name + ": " + step->params[3].var->type.str(), "cache_k: Tensor[B, H, S_max, D, bf16]");
  EXPECT_EQ(step->params[5].var->name, "cache_length");
}

TEST(StateTypes, AWindowThatRollsOnIsPartOfTheType) {
  const std::string head = "def f[B, H, S, D](k: Tensor[B, H, 1, D, bf16], c: KVCache[B, H, S, D, bf16] @rolling_window):\n";
  const std::string plain = "def g(k, c: KVCache[\"B\", \"H\", \"S\", \"D\", bf16]):\n    c = c.append(k, k)\n";
  const std::string rolling = "def g(k, c: KVCache[\"B\", \"H\", \"S\", \"D\", bf16] @rolling_window):\n    c = c.append(k, k)\n";
  EXPECT_EQ(said(rolling + head + "    g(k, c)\n"), "");
  EXPECT_EQ(said(plain + head + "    g(k, c)\n"), "E0311 4:10 `c` expects `KVCache[\"B\", \"H\", \"S\", \"D\", bf16]`, but this is a "
                                                  "state object `KVCache[B, H, S, D, bf16] @rolling_window`\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32] @rolling_window) -> Tensor[N, f32]:\n    return x\n"),
            "E0351 1:29 `@rolling_window` has no meaning for `Tensor[N, f32]`\n");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32 @rolling_window]) -> Tensor[N, f32]:\n    return x\n"),
            "E0351 1:28 `@rolling_window` has no meaning for `f32`\n");
}
TEST(StateTypes, PoliciesBehindTypesOfTracedFunctions) {
  EXPECT_EQ(said("def h(x: Tensor[\"N\", f16] @accum(f32), y):\n    return x @ y\n"
                 "def f(x: Tensor[\"N\", f16]) -> f32:\n    return h(x, x)\n"),
            "");
  EXPECT_EQ(said("def h(x: Tensor @accum(f32), y):\n    return x @ y\n"
                 "def f(x: Tensor[\"N\", f16]) -> f32:\n    return h(x, x)\n"),
            "");
  EXPECT_EQ(said("def h(x: Tensor, y):\n    return x @ y\n"
                 "def f(x: Tensor[\"N\", f16]) -> f32:\n    return h(x, x)\n").substr(0, 5),
            "E0303");
}
TEST(With, WhatIsFetchedAhead) {
  auto with = [](const std::string &item) {
    return said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    with " + item + ":\n        return x + 1.0\n");
  };
  EXPECT_EQ(with("prefetch(x)"), "");
  EXPECT_EQ(with("prefetch(x, into=\"l2\", overlap=\"none\")"), "");
  EXPECT_EQ(with("prefetch(x, into=\"smen\")"),
            "E0311 2:27 `prefetch` expects \"smem\" or \"l2\", but this is a string\n");
  EXPECT_EQ(with("prefetch(3)").substr(0, 10), "E0311 2:19");
  EXPECT_EQ(with("prefetched(x)").substr(0, 5), "E0214");
  EXPECT_EQ(said("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    prefetch(x)\n    return x\n").substr(0, 9), "E0214 2:5");
}

TEST(Products, ATensorWithoutDimensionsHasNothingToContract) {
  EXPECT_EQ(said("def g(a: Tensor[f16], b: Tensor[\"N\", f16]):\n    return a @ b\n").substr(0, 10), "E0308 2:12");
  EXPECT_EQ(said("def g(a: Tensor[\"N\", f32], b: Tensor[f32]):\n    return a @ b\n").substr(0, 10), "E0308 2:12");
  EXPECT_EQ(said("def g(a: Tensor[f32]) -> f32:\n    return a * len(a)\n").substr(0, 10), "E0308 2:16");
}

TEST(Casts, OfANamedValueAreKeptInCalls) {
  const std::string head = "def total(x):\n    return sum(x, axis=-1)\n"
                           "def f[S, D](q: Tensor[S, D, bf16 @accum(f32)], k: Tensor[S, D, bf16]) -> Tensor[S, f32]:\n";
  EXPECT_EQ(said(head + "    s = q @ k.T\n    return total(cast(s, f32))\n"), "");
  EXPECT_EQ(said(head + "    s = q @ k.T\n    t = cast(s, f32)\n    return total(t)\n"), "");
  // The parameter says already what sums of it are carried in: no edit says it twice.
  Checking again(head + "    return cast(total(cast(cast(q, f32), bf16)), f32)\n");
  ASSERT_EQ(again.diagnostics.all().size(), 1u) << again.messages();
  EXPECT_THAT(again.messages(), HasSubstr("E0303"));
  EXPECT_TRUE(again.diagnostics.all()[0].fixes.empty());
}

TEST(Types, TruthValuesAreNotShifted) {
  for (std::string op : {"<<", ">>"})
    EXPECT_THAT(said("def f[N](x: Tensor[N, bool], y: Tensor[N, bool]) -> Tensor[N, bool]:\n    return x " + op + " y\n"),
                HasSubstr("`" + op + "` is not defined for bool"));
}

TEST(Types, TruthValuesHaveNoLargestOne) {
  std::string text = said("def f[R, C](x: Tensor[R, C, bool]) -> Tensor[R, bool]:\n    return max(x, axis=-1)\n");
  EXPECT_THAT(text, HasSubstr("`max` is not defined for bool"));
  EXPECT_EQ(said("def f[R, C](x: Tensor[R, C, bool]) -> Tensor[R, bool]:\n    return any(x, axis=-1)\n"), "");
}

// ---------------------------------------------------------------- (T31) tensors of numbers

namespace {
std::string table(const std::string &list, const std::string &type) {
  return "def f[N](x: Tensor[N, f32]) -> Tensor[" + type + "]:\n    return tensor(" + list + ")\n";
}
}  // namespace

TEST(Tables, HaveTheShapeAndTheDtypeOfTheirNumbers) {
  EXPECT_THAT(dumpOf(table("[1.0, 2]", "2, f32")), HasSubstr("table[2](1:f32, 2:f32)"));
  EXPECT_THAT(dumpOf(table("[[1, -2], [3, 4]]", "2, 2, i32")), HasSubstr("table[2, 2](1, -2, 3, 4)"));
  EXPECT_THAT(dumpOf(table("[True, False]", "2, bool")), HasSubstr("table[2](true, false)"));
  EXPECT_THAT(dumpOf(table("[0.1, INF], bf16", "2, bf16")), HasSubstr("table[2]("));
  EXPECT_THAT(dumpOf(table("([1, 2.0],), dtype=i64", "1, 2, i64")), HasSubstr("table[1, 2](1, 2)"));
  EXPECT_EQ(said(table("[N, 1]", "2, i32")), "");
  EXPECT_EQ(said(table("[sum(x), 1]", "2, f32")), "");
  EXPECT_EQ(said("W = [1.0, 2.0]\ndef f[N](x: Tensor[N, f32]) -> Tensor[2, f32]:\n    return tensor(W)\n"), "");
}

TEST(Tables, WhatIsNoArrayIsRefusedWhereItStands) {
  const std::pair<const char *, const char *> wrong[] = {
      {"[]", "this list is empty"},
      {"[[1.0], []]", "this list is empty"},
      {"[[1, 2], [3]]", "this list has 1 item, and the first one beside it has 2"},
      {"[[1, 2], 3]", "this is no list, and there are lists in its place before"},
      {"[1, [2]]", "this is a list, and there are numbers in its place before"},
      {"[1, True]", "this is a truth value, and there are numbers before it"},
      {"[True, 0]", "this is a number, and there are truth values before it"},
      {"[1, 300], u8", "300"},
      {"[1, 2.5], i32", "this is no whole number, and the tensor is of `i32`"},
      {"[1e39]", "E0"},
      {"[x, x]", "`tensor` expects numbers"},
      {"3.0", "`tensor` expects a list of numbers"},
      {"['a']", "`tensor` expects numbers"},
  };
  for (const auto &[list, words] : wrong) {
    Checking c(table(list, "2, f32"));
    EXPECT_EQ(c.diagnostics.all().size(), 1u) << list << "\n" << c.messages();
    EXPECT_THAT(c.messages(), HasSubstr(words)) << list;
  }
  // The place is the element's.
  Checking c(table("[[1, 2], [3, 400]], u8", "2, 2, u8"));
  ASSERT_EQ(c.diagnostics.all().size(), 1u) << c.messages();
  EXPECT_EQ(c.sources.text(c.diagnostics.all()[0].span), "400");
}
