// The table of facts that the checker writes for editors.
#include "sema/FactTable.h"
#include "tests/sema/Checking.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

namespace tessera::sema {
namespace {

using test::Checking;

struct Noted {
  FactTable table;
  Checking checked;
  explicit Noted(const std::string &text, std::map<std::string, std::string> beside = {}) : checked(text, std::move(beside), options(&table)) {}
  static CheckOptions options(FactTable *table) {
    CheckOptions options;
    options.facts = table;
    return options;
  }
  /// The fact about the nth `word` of the program.
  const Fact *of(const std::string &word, int nth = 0) const {
    const std::string &text = checked.sources.file(checked.main->file).text;
    size_t at = text.find(word);
    for (int i = 0; i < nth && at != std::string::npos; ++i) at = text.find(word, at + 1);
    if (at == std::string::npos) return nullptr;
    return table.at({checked.main->file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())});
  }
  std::string typeOf(const std::string &word, int nth = 0) const {
    const Fact *fact = of(word, nth);
    return fact ? fact->type.str() : "nothing";
  }
};

TEST(Facts, ValuesHaveTheirTypesWithSymbolicShapes) {
  Noted noted("def f[B, S, D, F](x: Tensor[B, S, D, bf16 @accum(f32)], w: Tensor[D, F, f32]) -> Tensor[B * S, F, f32]:\n"
              "    rows = x.reshape(B * S, D)\n"
              "    return cast(rows, f32) @ w\n");
  EXPECT_EQ(noted.checked.messages(), "");
  EXPECT_EQ(noted.typeOf("rows"), "Tensor[B*S, D, bf16 @accum(f32)]");
  EXPECT_EQ(noted.typeOf("cast(rows, f32) @ w"), "Tensor[B*S, F, f32]");
  ASSERT_TRUE(noted.of("rows"));
  EXPECT_EQ(noted.of("rows")->view, FactView::Own);
  EXPECT_EQ(noted.of("B * S", 1)->text, "B*S");
}

TEST(Facts, AFunctionIsSeenWithItsOwnDimensionsBeforeThoseOfACall) {
  Noted noted("def _half[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n"
              "    y = x * 0.5\n"
              "    return y\n"
              "\n"
              "def f(x: Tensor[8, f32]) -> Tensor[8, f32]:\n"
              "    return _half(x)\n");
  EXPECT_EQ(noted.checked.messages(), "");
  EXPECT_EQ(noted.typeOf("y"), "Tensor[N, f32]");
}

TEST(Facts, AFunctionWithoutTypesIsSeenAsItsCallHasIt) {
  Noted noted("def half(x):\n"
              "    y = x * 0.5\n"
              "    return y\n"
              "\n"
              "def f(x: Tensor[8, f32]) -> Tensor[8, f32]:\n"
              "    return half(x)\n");
  EXPECT_EQ(noted.typeOf("y"), "Tensor[8, f32]");
  EXPECT_EQ(noted.of("y")->view, FactView::Called);
  EXPECT_FALSE(noted.of("y")->several);
}

TEST(Facts, SeveralCallsWithOtherShapesAreMarked) {
  Noted noted("def half(x):\n"
              "    y = x * 0.5\n"
              "    return y\n"
              "\n"
              "def f(x: Tensor[8, f32], z: Tensor[4, f32]) -> (Tensor[8, f32], Tensor[4, f32]):\n"
              "    return half(x), half(z)\n");
  EXPECT_EQ(noted.typeOf("y"), "Tensor[8, f32]");
  EXPECT_TRUE(noted.of("y")->several);
}

TEST(Facts, WhatNobodyCallsIsAGuess) {
  Noted noted("def half(x):\n    y = x * 0.5\n    return y\n");
  ASSERT_TRUE(noted.of("y"));
  EXPECT_EQ(noted.of("y")->view, FactView::Guessed);
}

TEST(Facts, ConstantsFunctionsMembersAndEffects) {
  Noted noted("struct P[N]:\n"
              "    w: Tensor[N, f32]\n"
              "\n"
              "BLOCK = 4 * 16\n"
              "\n"
              "def twice(x):\n"
              "    return x * 2.0\n"
              "\n"
              "def f[N](p: P[N]) -> Tensor[N, f32]:\n"
              "    return twice(p.w)\n"
              "\n"
              "def main():\n"
              "    print(BLOCK)\n");
  EXPECT_EQ(noted.checked.messages(), "");
  EXPECT_EQ(noted.of("BLOCK")->text, "64");
  EXPECT_EQ(noted.of("twice", 1)->function->name.text, "twice");
  EXPECT_EQ(noted.of("p", 1)->text, "P[N]");
  ASSERT_TRUE(noted.of("p", 1)->structure);
  EXPECT_EQ(noted.typeOf("p.w"), "Tensor[N, f32]");
  auto *main = ast::as<ast::FuncDef>(noted.checked.main->body.back());
  ASSERT_TRUE(main && noted.table.effectsOf(*main));
  EXPECT_EQ(noted.table.effectsOf(*main)->str(), "io");
}

/// The table must not change what is said.
TEST(Facts, MessagesAreTheSameWithATable) {
  size_t files = 0;
  for (const char *folder : {"/tests/sema/errors", "/tests/canon", "/examples"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(TSR_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".tsr") continue;
      std::string text = test::fileText(entry.path().string());
      FactTable table;
      CheckOptions plain, noting;
      plain.advice = noting.advice = false;
      noting.facts = &table;
      EXPECT_EQ(Checking(text, {}, plain).messages(), Checking(text, {}, noting).messages()) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 20u);
}

}  // namespace
}  // namespace tessera::sema
