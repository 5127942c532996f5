// Where messages stand and what edits they offer: library calls, large modules, suggestions that do not mend.
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tessera;

namespace {

/// What the first edit of each message writes; empty without one.
std::vector<std::string> edits(const test::Checking &checking) {
  std::vector<std::string> found;
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    found.push_back(d.fixes.empty() ? "" : d.fixes[0].replacement);
  return found;
}

std::string notesOf(const test::Checking &checking) {
  std::string text;
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    for (const diag::Note &note : d.notes) {
      if (!note.span.valid()) continue;
      const SourceFile &file = checking.sources.file(note.span.file);
      text += file.path + ":" + std::to_string(file.lineColumn(note.span.begin).line) + " " + note.text + "\n";
    }
  return text;
}

const char *const kBroken = "def broken[B, I, O](x: Tensor[B, I, f32], w: Tensor[O, I, f32]) -> Tensor[B, O, f32]:\n"
                            "    return x @ w\n";

}  // namespace

TEST(Advice, AMistakeInTheLibraryIsSaidAtTheCall) {
  test::Checking c("def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    return softmax_safe(x, axis=2)\n");
  EXPECT_EQ(c.messages(), "E0403 2:33 there is no axis 2 in a tensor `[B, D]` of f32\n");
  EXPECT_NE(notesOf(c).find("this stands in `softmax_safe` of the standard library, where `axis` is `2`"),
            std::string::npos);
}

TEST(Advice, TwoCallsOfTheLibraryAreTwoMistakes) {
  test::Checking c("def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    return softmax_safe(x, axis=2)\n"
                   "def g[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    return softmax_safe(x, axis=2)\n");
  EXPECT_EQ(c.messages(), "E0403 2:33 there is no axis 2 in a tensor `[B, D]` of f32\n"
                          "E0403 4:33 there is no axis 2 in a tensor `[B, D]` of f32\n");
}

TEST(Advice, AMistakeBelowTwoLibraryFunctionsIsSaidAtTheUsersCall) {
  test::Checking c("def f[N](x: Tensor[N, f16]) -> Tensor[1, f16]:\n    return x.std(axis=0, keepdim=True)\n");
  ASSERT_EQ(c.diagnostics.all().size(), 1u);
  EXPECT_EQ(c.diagnostics.all()[0].span.file, c.main->file);
  for (const diag::Fix &fix : c.diagnostics.all()[0].fixes) EXPECT_EQ(fix.span.file, c.main->file);
}

TEST(Advice, ARowOfAStateHasAPlace) {
  const std::string head = "struct KV[S, D]:\n    k: Tensor[S, D, f32]\n    n: i32\n\n@state\nstruct Cache[L, S, D]:\n    layers: [KV[S, D]; L]\n\n"
                           "def put[L, S, D](x: Tensor[D, f32], cache: Cache[L, S, D]) -> Tensor[D, f32] where S >= 1:\n";
  auto dumpOf = [&](const std::string &body) {
    test::Checking c(head + body + "    return x\n");
    EXPECT_EQ(c.messages(), "") << body;
    return c.dump();
  };
  EXPECT_EQ(dumpOf("    for i, c in enumerate(cache.layers):\n        c.k[0] = x\n        c.n = c.n + 1\n        x = x + c.k[0]\n"),
            dumpOf("    for i in range(L):\n        cache.layers[i].k[0] = x\n        cache.layers[i].n = cache.layers[i].n + 1\n        x = x + cache.layers[i].k[0]\n"));
  test::Checking alone(head + "    for i in range(L):\n        c = cache.layers[i]\n        c.k[0] = x\n    return x\n");
  EXPECT_EQ(edits(alone), std::vector<std::string>{""});
  test::Checking another(head + "    for c in cache.layers:\n        d = c\n        d.k[0] = x\n    return x\n");
  EXPECT_EQ(edits(another), std::vector<std::string>{""});
}

TEST(Advice, AHelperWithoutTypesIsSaidWithItsCall) {
  test::Checking c("def project(x, w):\n    return x @ w\n\n"
                   "def f[B, I, O](x: Tensor[B, I, f32], w: Tensor[O, I, f32]) -> Tensor[B, O, f32]:\n"
                   "    return project(x, w)\n");
  EXPECT_EQ(c.messages(), "E0405 2:12 [B, I] and [O, I] cannot be multiplied: I is not O\n");
  EXPECT_EQ(notesOf(c).rfind("test.tsr:5 `project` is called here\n", 0), 0u);
  EXPECT_EQ(edits(c), std::vector<std::string>{"w.T"});
}

TEST(Advice, InALargeModuleToo) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    std::string n = std::to_string(i);
    text +=
        "def part" + n + "[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    y = exp(x) * " + n + "\n    return y + x\n\n";
  }
  test::Checking c(text + kBroken);
  EXPECT_EQ(edits(c), std::vector<std::string>{"w.T"});
}

TEST(Advice, WhatAFunctionMentionsIsTriedWithIt) {
  test::Checking c("struct Layer[I, O]:\n    w: Tensor[O, I, f32]\n\n"
                   "def unused[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n\n"
                   "def inner(x, l):\n    return x @ l.w.T\n\n"
                   "def f[B, I, O](x: Tensor[B, I, f32], l: Layer[I, O]) -> Tensor[B, O, f32]:\n"
                   "    h = inner(x, l)\n    return h - h.mean(axis=1)\n");
  ASSERT_EQ(c.diagnostics.all().size(), 1u) << c.messages();
  EXPECT_EQ(edits(c)[0], ", keepdim=True");
}

TEST(Advice, ASuggestionThatDoesNotMendIsNotOffered) {
  test::Checking c("def f[N](x: Tensor[N, f32]) -> Tensor[Rest, f32]:\n    return x[:3]\n");
  EXPECT_EQ(c.messages(), "E0200 1:39 I know no name `Rest`\n");
  EXPECT_EQ(edits(c), std::vector<std::string>{""});
}

TEST(Advice, OfSeveralEditsThatWouldDoTheAuthorChooses) {
  test::Checking c("def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    return softmax_safe(x, axis=2)\n");
  const auto &fixes = c.diagnostics.all()[0].fixes;  // axis 0 and axis 1
  ASSERT_EQ(fixes.size(), 2u);
  for (const diag::Fix &fix : fixes) EXPECT_EQ(fix.applicability, diag::Applicability::Assumption) << fix.replacement;
  test::Checking one("def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, f32]:\n    return x.sum(axis=2)\n");
  EXPECT_EQ(edits(one), std::vector<std::string>{"1"});
}

TEST(Advice, ManyMistakesAreAllSaid) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "def part" + std::to_string(i) + std::string(kBroken).substr(10);
  test::Checking c(text);
  EXPECT_EQ(c.diagnostics.all().size(), 60u);
  EXPECT_EQ(edits(c)[0], "w.T");
}

TEST(Advice, ConsequencesAreSilent) {
  test::Checking c("def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    m = x.mean(axis=5)\n    d = x - m\n"
                   "    v = (d * d).mean(axis=5)\n    return d / sqrt(v)\n");
  EXPECT_EQ(c.messages(), "E0403 2:21 there is no axis 5 in a tensor `[B, D]` of f32\n");
  test::Checking half("def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    y = x +\n    return z + y\n\n"
                      "def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return f(x) + unknown\n");
  EXPECT_EQ(half.messages(), "E0138 2:11 I expected a value behind `+`, but saw the end of the line\n"
                             "E0200 6:19 I know no name `unknown`\n");
  test::Checking policy("policy Mixed = (bf16, f32)\n\ndef f[N](a: Tensor[N, bf16 @Mixed]) -> Tensor[N, "
                        "bf16]:\n    return a\n");
  EXPECT_EQ(policy.messages(), "E0311 1:16 `policy` expects `Policy(...)`, but this is a tuple\n");
}

TEST(Advice, AnUnknownNameInALoopIsSaidOnce) {
  test::Checking c("def main():\n    total = 0.0\n    for i in range(4):\n        total += unknown\n        "
                   "total -= unknown\n"
                   "    print(total)\n");
  EXPECT_EQ(c.messages(), "E0200 4:18 I know no name `unknown`\n");
}

TEST(Advice, AnInferredSizeBehindAnEmptyList) {
  test::Checking c("def f(x: Tensor[6, f32]) -> Tensor[6, f32]:\n    return x.reshape([], -1)\n");
  EXPECT_EQ(c.messages(), "");
  test::Checking wrong("def f(x: Tensor[6, f32]) -> Tensor[4, 2, f32]:\n    return x.reshape([], 2)\n");
  EXPECT_EQ(wrong.diagnostics.all().size(), 1u) << wrong.messages();
}

TEST(Advice, TheSameMistakeFurtherOnDoesNotHideAnEdit) {
  test::Checking c("def rows(x: Tensor[\"B\", \"D\", f32]) -> Tensor[\"B\", \"D\", f32]:\n"
                   "    mu = x.mean(axis=1)\n    sd = x.std(axis=1)\n    return (x - mu) / sd\n");
  ASSERT_EQ(edits(c), std::vector<std::string>{", keepdim=True)\n    sd = x.std(axis=1, keepdim=True"});  // of both
  EXPECT_EQ(c.sources.file(0).lineColumn(c.diagnostics.all()[0].fixes[0].span.begin).line, 2u);
}

TEST(Advice, WhatTheLibraryHasIsNotSaidToBeWrittenInAnotherWay) {
  size_t functions = 0;
  for (const auto &file : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/stdlib/tessera")) {
    if (file.path().stem() == "json") continue;  // its names stand behind that of the module, `json.load`
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("def ", 0) != 0) continue;
      std::string name = line.substr(4, line.find_first_of("([", 4) - 4);
      EXPECT_EQ(sema::wordsInstead(name), "") << name;
      ++functions;
    }
  }
  EXPECT_GT(functions, 100u);
}

TEST(Advice, ATensorOfHostCodeHasTheDTypeThatItIsMadeWith) {
  const std::string head = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return 2.0 * x\n"
                           "def g[N](x: Tensor[N, f32]) -> Tensor[N, i32]:\n    return cast(x, i32)\n"
                           "def main():\n";
  auto said = [&](const std::string &body) { return test::Checking(head + body).messages(); };
  test::Checking direct(head + "    print(f(iota(5)))\n");
  EXPECT_EQ(direct.diagnostics.all().size(), 1u);
  EXPECT_NE(direct.messages().find("a tensor of i32"), std::string::npos) << direct.messages();
  EXPECT_EQ(edits(direct), std::vector<std::string>{", dtype=f32"});
  EXPECT_NE(said("    x = zeros(3, f64)\n    print(f(x))\n").find("a tensor of f64"), std::string::npos);
  EXPECT_NE(said("    print(f(g(ones(3))))\n").find("a tensor of i32"), std::string::npos);
  EXPECT_NE(said("    print(f(read_bytes(\"a\")))\n").find("a tensor of u8"), std::string::npos);
  EXPECT_EQ(said("    print(f(iota(5, dtype=f32)))\n    print(f(f(ones(3))))\n    print(f(load_npy(\"a.npy\")))\n"),
            "");
  // What a loop or a branch may have changed is not known.
  EXPECT_EQ(
      said(
          "    x = iota(3)\n    for i in range(4):\n        if i > 1:\n            print(f(x))\n        x = ones(3)\n"),
      "");
}
