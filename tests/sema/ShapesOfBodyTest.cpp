// Shapes by algebra alone (sema/advice/ShapesOfBody.h): what a right program has is never in the way, what is wrong is seen, and
// an edit that mends it fits.
#include "sema/advice/ShapesOfBody.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace tessera;
using sema::Fit;
namespace fs = std::filesystem;

namespace {
struct Read {
  Sources sources;
  diag::Engine diagnostics;
  std::unique_ptr<ast::Module> module;
  explicit Read(const std::string &text) { module = frontend::parse(sources, sources.add("test.tsr", text), diagnostics); }

  Fit fitOf(const ast::FuncDef &def, const diag::Fix *fix = nullptr) {
    sema::Places places(*module);
    const sema::Place place = places.at(def.body.front()->span);
    const sema::ShapesOfBody shapes(place, sources);
    return fix ? shapes.with(*fix) : shapes.asItStands();
  }
};

/// Of the last function of a text: as it stands, or with the first place of `wrong` written as `right`.
Fit fitOf(const std::string &text, const std::string &wrong = "", const std::string &right = "") {
  Read read(text);
  auto *def = ast::as<ast::FuncDef>(read.module->body.back());
  if (!def || read.diagnostics.hasErrors()) throw std::runtime_error("no function: " + text);
  if (wrong.empty()) return read.fitOf(*def);
  const auto at = static_cast<uint32_t>(text.find(wrong));
  const diag::Fix fix{{read.module->file, at, at + static_cast<uint32_t>(wrong.size())}, right, "", diag::Applicability::Assumption};
  return read.fitOf(*def, &fix);
}
}  // namespace

TEST(ShapesOfBody, NothingOfARightProgramIsInTheWay) {
  size_t functions = 0, known = 0;
  for (const char *folder : {"/tests/corpus/right", "/examples", "/stdlib/tessera", "/tests/canon"})
    for (const auto &entry : fs::recursive_directory_iterator(std::string(TSR_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".tsr") continue;
      Read read(test::fileText(entry.path().string()));
      for (const ast::StmtPtr &stmt : read.module->body) {
        auto *def = ast::as<ast::FuncDef>(stmt);
        if (!def || def->body.empty()) continue;
        const Fit fit = read.fitOf(*def);
        ++functions, known += fit == Fit::Fits;
        EXPECT_NE(fit, Fit::Fails) << entry.path() << " " << def->name.text;
      }
    }
  EXPECT_GT(functions, 1000u);
  EXPECT_GT(known * 4, functions) << known << " of " << functions;  // it is of no use if it knows little
}

TEST(ShapesOfBody, WhatIsWrongIsSeenAndWhatMendsItFits) {
  struct Case {
    std::string text, wrong, right, worse;
  };
  const std::vector<Case> cases = {
      {"def f[B, D, E](x: Tensor[B, D, f32], w: Tensor[E, D, f32]) -> Tensor[B, E, f32]:\n    return x @ w", "@ w", "@ w.T", "@ w[:, None]"},
      {"def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    m = mean(x, axis=1)\n    return x - m", "axis=1", "axis=1, keepdim=True", "axis=2"},
      {"def f[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:\n    m = mean(x, axis=1)\n    return x - m", "- m", "- m[:, None]", "- m[None, :]"},
      {"def f[B, S, V](x: Tensor[B, S, V, f32]) -> Tensor[B * (S - 1), V, f32]:\n    return x.reshape(B * (S - 1), V)", "x.reshape", "x[:, 1:].reshape", "x[1:].reshape"},
      {"def f[B, S, V](x: Tensor[B, S, V, f32]) -> Tensor[B, V, S, f32]:\n    return x.permute(1, 0, 2)", "1, 0, 2", "0, 2, 1", "2, 1, 0"},
      {"def f[A, B, C](x: Tensor[A, B, f32], y: Tensor[B, C, f32]) -> Tensor[A, C, f32]:\n    return einsum(\"ab,ac->ac\", x, y)", "ab,ac", "ab,bc", "ba,ac"},
      {"def f[B, D](x: Tensor[B, D, f32], y: Tensor[B, D, f32]) -> Tensor[B, 2 * D, f32]:\n    return concat([x, y], axis=0)", "axis=0", "axis=1", "axis=2"},
      {"def g[N, M](x: Tensor[N, M, f32], y: Tensor[M, f32]) -> Tensor[N, f32]:\n    return x @ y\n\n\n"
       "def f[B, D](x: Tensor[B, D, f32], w: Tensor[B, f32]) -> Tensor[D, f32]:\n    return g(x, w)", "g(x, w)", "g(x.T, w)", "g(x, x)"},
      {"struct Layer[I, O]:\n    w: Tensor[I, O, f32]\n    b: Tensor[O, f32]\n\n\n"
       "def f[B, D, E](x: Tensor[B, D, f32], p: Layer[D, E]) -> Tensor[B, E, f32]:\n    return x @ p.b + p.w", "p.b + p.w", "p.w + p.b", "p.b + p.b"},
      {"def f[B, D](x: Tensor[B, D, f32], n: Tensor[B, f32]) -> Tensor[B, D, f32]:\n    h = x\n    for t in range(4):\n        h += n\n    return h", "+= n", "+= n[:, None]", "+= x.T"}};
  for (const Case &one : cases) {
    EXPECT_EQ(fitOf(one.text + "\n"), Fit::Fails) << one.text;
    EXPECT_EQ(fitOf(one.text + "\n", one.wrong, one.right), Fit::Fits) << one.text;
    EXPECT_EQ(fitOf(one.text + "\n", one.wrong, one.worse), Fit::Fails) << one.text;
  }
}

TEST(ShapesOfBody, WhatIsNotKnownHasNoShape) {
  const std::string head = "def f[B, D](x: Tensor[B, D, f32], y: Tensor[D, B, f32]) -> Tensor[B, D, f32]";
  EXPECT_EQ(fitOf(head + ":\n    return unknown(x) + y\n"), Fit::Unknown);
  EXPECT_EQ(fitOf(head + " where B == D:\n    return x + y\n"), Fit::Fits);  // a fact may make them equal
  EXPECT_EQ(fitOf(head + ":\n    return x + y\n"), Fit::Fails);
}
