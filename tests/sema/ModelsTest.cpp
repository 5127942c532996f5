// Models: what `@model` collects, and where it cannot. Rule T39 of docs/spec/types.md.
#include "checked/Checked.h"
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;

namespace {
std::string codes(const std::string &text) { return Checking(text).codes(); }
const std::string model = "@model\n"
                          "def net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n"
                          "    return linear(tanh(linear(x, 6)), 4)\n";
/// A model with this body, and a function that calls it.
std::string of(const std::string &body) {
  return "@model\ndef net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n" + body + "def f[B](p: net, x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return p(x)\n";
}
/// The parameters of the program's function of that name, "p_linear_w p_linear_b x".
std::string parametersOf(const Checking &checked, const std::string &name) {
  std::string all;
  for (const auto &function : checked.program->functions)
    if (function->name == name)
      for (const auto &param : function->params) all += (all.empty() ? "" : " ") + param.var->name;
  return all;
}
}  // namespace

TEST(Models, ParametersAreNamedByTheLayersThatMakeThem) {
  Checking plain(of("    return linear(tanh(linear(x, 6)), 4, bias=False)\n"));
  EXPECT_EQ(plain.messages(), "");
  EXPECT_EQ(parametersOf(plain, "f"), "p_linear_w p_linear_b p_linear_2_w x");
  Checking helper("def head(x):\n    return linear(x, 4) * parameter(\"scale\", (4,), init=\"ones\")\n" + of("    return head(x)\n"));
  EXPECT_EQ(helper.messages(), "");
  EXPECT_EQ(parametersOf(helper, "f"), "p_head_linear_w p_head_linear_b p_head_scale x");
}

TEST(Models, ModelsInModelsAreFields) {
  Checking c("@model\ndef block[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(x, 4, bias=False)\n" +
             of("    for _ in range(2):\n        x = block(x)\n    return x\n"));
  EXPECT_EQ(c.messages(), "");
  EXPECT_EQ(parametersOf(c, "f"), "p_block_linear_w x");
  // ... also one that stands below.
  Checking later(of("    return block(x)\n") + "@model\ndef block[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(x, 4, bias=False)\n");
  EXPECT_EQ(later.messages(), "");
  EXPECT_EQ(parametersOf(later, "f"), "p_block_linear_w x");
}

/// How many operations of this word the program's function of that name has.
static size_t count(const Checking &checked, const std::string &name, const std::string &word) {
  size_t found = 0;
  for (const auto &function : checked.program->functions) {
    if (function->name != name) continue;
    std::string all = checked::dump(*function);
    for (size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) ++found;
  }
  return found;
}

TEST(Models, TurnsThatMakeTheSameLayersMakeAStack) {
  const std::string block = "@model\ndef block[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(tanh(linear(x, 4)), 4, bias=False)\n";
  Checking many(block + of("    x = linear(x, 4)\n    for _ in range(12):\n        x = block(x)\n    return linear(block(x), 4, bias=False)\n"));
  EXPECT_EQ(many.messages(), "");
  EXPECT_EQ(parametersOf(many, "f"), "p_linear_w p_linear_b p_block_linear_w p_block_linear_b p_block_linear_2_w p_block_2_linear_w p_block_2_linear_b "
                                     "p_block_2_linear_2_w p_linear_2_w x");
  EXPECT_EQ(count(many, "f", "dot:"), 6u);  // a loop of run time
  EXPECT_EQ(count(many, "f", "for "), 1u);
  // Layers of the program, and two in a turn.
  Checking two(of("    for _ in range(3):\n        x = x + linear(tanh(linear(x, 6)), 4, bias=False)\n    return x\n"));
  EXPECT_EQ(two.messages(), "");
  EXPECT_EQ(parametersOf(two, "f"), "p_linear_w p_linear_b p_linear_2_w x");
  EXPECT_EQ(count(two, "f", "dot:"), 2u);
  // A turn that asks for its number is written out, with rows of the stack.
  Checking asked(of("    for i in range(3):\n        x = linear(x, 4) * f32(i + 1)\n    return x\n"));
  EXPECT_EQ(asked.messages(), "");
  EXPECT_EQ(parametersOf(asked, "f"), "p_linear_w p_linear_b x");
  EXPECT_EQ(count(asked, "f", "dot:"), 3u);
  // ... and so is one after which a name has another type.
  Checking grown(of("    h = x\n    n = 1\n    for _ in range(3):\n        h = linear(h, 4)\n        n = n * 2\n    return h * f32(n)\n"));
  EXPECT_EQ(grown.messages(), "");
  EXPECT_EQ(parametersOf(grown, "f"), "p_linear_w p_linear_b x");
  EXPECT_EQ(count(grown, "f", "dot:"), 3u);
}

TEST(Models, TurnsThatMakeOthersMakeFieldsOfTheirOwn) {
  Checking sizes(of("    for i in range(3):\n        x = linear(linear(x, 5 + i, bias=False), 4, bias=False)\n    return x\n"));
  EXPECT_EQ(sizes.messages(), "");
  EXPECT_EQ(parametersOf(sizes, "f"), "p_linear_w p_linear_2_w p_linear_3_w p_linear_4_w p_linear_5_w p_linear_6_w x");
  Checking own(of("    for _ in range(2):\n        x = linear(x, 4, bias=False) * parameter(\"scale\", (4,), init=\"ones\")\n    return x\n"));
  EXPECT_EQ(own.messages(), "");
  EXPECT_EQ(parametersOf(own, "f"), "p_linear_w p_scale p_linear_2_w p_scale_2 x");
  Checking once(of("    for _ in range(1):\n        x = linear(x, 4, bias=False)\n    return x\n"));
  EXPECT_EQ(once.messages(), "");
  EXPECT_EQ(parametersOf(once, "f"), "p_linear_w x");
  Checking twice(of("    for _ in range(2):\n        for _ in range(3):\n            x = linear(x, 4, bias=False)\n    return x\n"));
  EXPECT_EQ(twice.messages(), "");
  EXPECT_EQ(parametersOf(twice, "f"), "p_linear_w p_linear_2_w x");
}

TEST(Models, StacksOfModelsHaveFirstValuesAndDerivatives) {
  const std::string net = "@model\ndef block[B, D](x: Tensor[B, D]) -> Tensor[B, D]:\n    for _ in range(2):\n        x = linear(x, D)\n    return x\n"
                          "@model\ndef net[B, D](x: Tensor[B, D]) -> Tensor[B, D]:\n    for _ in range(3):\n        x = block(x) + linear(x, D, bias=False)\n    return x\n";
  Checking c(net + "def f[B, D](p: net[D], x: Tensor[B, D]) -> f32:\n    return sum(p(x))\nslope = grad(f)\n"
                   "def first(rng: Rng) -> net[4]:\n    return net.init(rng, D=4)\n");
  EXPECT_EQ(c.messages(), "");
  EXPECT_EQ(parametersOf(c, "f"), "p_block_linear_w p_block_linear_b p_linear_w x");
}

TEST(Models, CallsOfOneValueShareItsParameters) {
  Checking c(model + "def f[B](p: net, x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return p(p(x))\n");
  EXPECT_EQ(c.messages(), "");
  EXPECT_EQ(parametersOf(c, "f"), "p_linear_w p_linear_b p_linear_2_w p_linear_2_b x");
}

TEST(Models, AModelOfAnotherFileIsOne) {
  Checking c("from .nets import net\ndef f[B](p: net, x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return p(x)\n", {{"nets", model}});
  EXPECT_EQ(c.messages(), "");
  EXPECT_EQ(parametersOf(c, "f"), "p_linear_w p_linear_b p_linear_2_w p_linear_2_b x");
}

TEST(Models, ModelsStandInStacks) {
  EXPECT_EQ(codes(model + "def f[B](ps: [net; 3], x: Tensor[B, 4]) -> Tensor[B, 4]:\n    for p in ps:\n        x = p(x)\n    return x\n"), "");
  EXPECT_EQ(codes(model + "def f(rng: Rng) -> [net; 3]:\n    return [net.init(one) for one in rng.split(3)]\n"), "");
}

TEST(Models, OutsideOfAModelThereAreNoParameters) {
  EXPECT_EQ(codes("def f[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(x, 4)\n"), "E0329 2:12");
  EXPECT_EQ(codes(model + "def f[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return net(x)\n"), "E0329 5:12");
  EXPECT_EQ(codes(of("    return vmap(lambda v: linear(v, 4))(x)\n")), "E0329 3:27");
}

TEST(Models, SizesAreNumbersOrDimensionsOfTheStruct) {
  const std::string open = "@model\ndef net[B, D](x: Tensor[B, D]) -> Tensor[B, 4]:\n    return linear(x, 4)\n";
  EXPECT_EQ(codes(open + "def f[B, D](p: net[D], x: Tensor[B, D]) -> Tensor[B, 4]:\n    return p(x)\n"), "");
  EXPECT_EQ(codes(open + "def f(rng: Rng) -> net[5]:\n    return net.init(rng, D=5)\n"), "");
  EXPECT_EQ(codes(open + "def f[B](p: net[5], x: Tensor[B, 6]) -> Tensor[B, 4]:\n    return p(x)\n"), "E0329 3:12");
  EXPECT_EQ(codes(open + "@model\ndef two[B, E](x: Tensor[B, E]) -> Tensor[B, 4]:\n    return net(linear(x, 2 * E))\n"
                         "def f[B](p: two[3], x: Tensor[B, 3]) -> Tensor[B, 4]:\n    return p(x)\n"),
            "");
  EXPECT_EQ(codes(open + "def f[B](p: net, x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return p(x)\n"), "E0324 4:13");
  EXPECT_EQ(codes(model + "def f[B](p: net, x: Tensor[B, 5]) -> Tensor[B, 4]:\n    return p(x)\n"), "E0401 5:14");
  Checking c(of("    n = 0\n    while n < 3:\n        n = n + 1\n    return x * parameter(\"w\", (n,))\n"));
  EXPECT_NE(c.messages(), "");
}

TEST(Models, RunTimeDoesNotDecideAboutParameters) {
  EXPECT_EQ(codes(of("    for _ in range(B):\n        x = linear(x, 4)\n    return x\n")), "E0329 4:13");
  EXPECT_EQ(codes(of("    if sum(x) > 0.0:\n        x = linear(x, 4)\n    return x\n")), "E0329 4:13");
  EXPECT_EQ(codes(of("    if is_training():\n        x = linear(x, 4)\n    return linear(x, 4)\n") +
                  "def loss[B](p: net, x: Tensor[B, 4]) -> f32:\n    return sum(p(x))\nslope = grad(loss)\n"),
            "E0329 5:12");
}

TEST(Models, TheDecoratorIsForFunctionsOfTensors) {
  EXPECT_EQ(codes("@model\ndef net(x):\n    return linear(x, 4)\n"), "E0340 2:5");
  EXPECT_EQ(codes("@model\ndef net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return x + x\n"), "E0340 2:5");
  EXPECT_EQ(codes("@model\n@checkpoint\ndef net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return linear(x, 4)\n"), "E0340 3:5");
  EXPECT_EQ(codes("@model\ndef net[B](x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return net(linear(x, 4))\n"), "E0211 3:12");
}

TEST(Models, AMistakeInAModelIsSaidOnce) {
  EXPECT_EQ(codes(model + "def f[B](p: net, x: Tensor[B, 4]) -> Tensor[B, 4]:\n    return p(x)\n" + model), "E0204 7:5");
  EXPECT_EQ(codes(of("    return linear(y, 4)\n")), "E0200 3:19");
  EXPECT_EQ(codes(of("    return x @ parameter(\"w\", (4, 4), init=\"other\")\n")), "E0311 3:44");
}
