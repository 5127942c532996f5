// A long program is emitted in parts, which compilers take side by side.
#include "driver/Compiler.h"
#include "diag/Render.h"
#include <gtest/gtest.h>
#include <map>
#include <regex>

using namespace tessera;
using namespace tessera::driver;

namespace {

/// Functions with kernels of their own, and one that has those of all of them.
std::string program(int count) {
  std::string text, calls;
  for (int i = 1; i <= count; ++i) {
    const std::string number = std::to_string(i);
    text += "def rows_" + number + "[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n"
            "    y = softmax_safe(x * " + number + ".5, axis=-1)\n"
            "    return y - mean(y + " + number + ".0, axis=0, keepdim=True)\n\n\n";
    calls += "    x = rows_" + number + "(x)\n";
  }
  return "from tessera.nn import softmax_safe\n\n\n" + text + "def all_rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n" + calls + "    return x\n";
}

std::optional<Product> emitted(const std::string &text, const std::string &target, size_t mostParts) {
  Session session([&](const std::string &) { return ReadResult{ReadProblem::None, text, 0}; });
  session.load("rows.tsr");
  CompileOptions options;
  options.target = *parseTarget(target);
  options.mostParts = mostParts;
  auto product = Compiler(session, options).emit();
  EXPECT_TRUE(product) << target;
  return product;
}

/// How often each function is defined in a text, of those whose head begins with `begin`.
std::map<std::string, int> definitions(const std::string &text, const std::string &begin) {
  std::map<std::string, int> found;
  const std::regex head("(^|\n)" + begin + "(\\w+)\\([^;{]*\\) \\{");
  for (std::sregex_iterator at(text.begin(), text.end(), head), end; at != end; ++at) ++found[(*at)[2]];
  return found;
}

void isWhole(const std::string &target) {
  auto product = emitted(program(12), target, 3);
  ASSERT_TRUE(product);
  ASSERT_EQ(product->parts.size(), 2U) << target;
  std::vector<std::string> texts = product->parts;
  texts.push_back(product->source);
  std::map<std::string, int> starters;
  for (const std::string &text : texts)
    for (const auto &[name, count] : definitions(text, "void ")) starters[name] += count;
  EXPECT_GE(starters.size(), 24U) << target;
  for (const auto &[name, count] : starters) EXPECT_EQ(count, 1) << name << " of " << target;
  // What is called in a text is declared or defined in it, and a kernel is launched where it is.
  const std::regex call("\n +(start_\\w+)\\("), declared("\nvoid (start_\\w+)\\(");
  for (const std::string &text : texts) {
    EXPECT_EQ(text.find("#pragma once"), std::string::npos) << "compilers warn of it in a main file";
    std::set<std::string> known;
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) known.insert((*at)[1]);
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) EXPECT_TRUE(known.count((*at)[1])) << (*at)[1] << " of " << target;
  }
}

}  // namespace

TEST(Parts, AreWholeTogether) {
  for (const char *target : {"cpu", "cuda:sm_90a", "hip:gfx942"}) isWhole(target);
}

TEST(Parts, AShortProgramIsOneText) {
  for (const char *target : {"cpu", "cuda:sm_90a"}) {
    auto apart = emitted(program(1), target, 8), whole = emitted(program(1), target, 1);
    ASSERT_TRUE(apart && whole);
    EXPECT_TRUE(apart->parts.empty());
    EXPECT_EQ(apart->source, whole->source);
  }
}
