// Functions that nothing calls and that are no entry points: rule N18 of docs/spec/names.md.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;

namespace {
std::string codes(const std::string &text) { return Checking(text).codes(); }
const std::string layer = "struct Layer[I, O]:\n"
                          "    w: Tensor[I, O, f32 @accum(f32)]\n"
                          "    b: Tensor[O, f32]\n"
                          "    def run(self, x: Tensor[\"B\", I, f32]):\n";
}  // namespace

TEST(Uncalled, PrivateFunctionsAreCheckedByTheirTypes) {
  EXPECT_EQ(codes("def _f(x: Tensor[\"N\", f32]):\n    return x + y\n"), "E0200 2:16");
  EXPECT_EQ(codes("def _f(x: Tensor[\"N\", f32], y: Tensor[\"N\", f32]):\n    return x @ y + x.nope\n"), "E0201 2:22");
  EXPECT_EQ(codes("def _f(a: Tensor[3, f32], b: Tensor[4, f32]):\n    return a + b\n"), "E0400 2:12");
  EXPECT_EQ(codes("def _f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    y = x + 1.0\n"), "E0306 1:5");
  EXPECT_EQ(codes("def _f(x: Tensor[\"N\", f32], y: Tensor[\"N\", f32]):\n    return x + y\n"), "");
}

TEST(Uncalled, APrivateKernelIsAKernel) {
  const std::string head = "@kernel(grid=(ceildiv(N, 64),))\ndef _k(x: Tensor[\"N\", f32], y: Tensor[\"N\", f32]):\n";
  EXPECT_EQ(codes(head + "    i = tile.group_id(0) * 64\n    tile.store(y, i, tile.load(x, i, 64) + z)\n").substr(0, 5), "E0200");
}

TEST(Uncalled, WhatIsWrongWhateverTheTypesAreIsSaid) {
  EXPECT_EQ(codes("def f(x):\n    return x + nothing\n"), "E0200 2:16");
  EXPECT_EQ(codes("twice = lambda x: x + nothing\n"), "E0200 1:23");
  EXPECT_EQ(codes("def g(x, y):\n    return x + y\ndef f(x):\n    return g(x, x, x)\n"), "E0207 4:20");
  EXPECT_EQ(codes("def f(x: Tensor):\n    return x.sum(axis=0) + nothing\n"), "E0200 2:28");
}

TEST(Uncalled, OneLikelyTypeThatFitsIsEnough) {
  EXPECT_EQ(codes("def f(x, w):\n    return x @ w\n"), "");
  EXPECT_EQ(codes("def f(x, n):\n    return x << n\n"), "");
  EXPECT_EQ(codes("def f(x):\n    b, s, d = x.shape\n    return x.reshape(b * s, d)\n"), "");
  EXPECT_EQ(codes("def f(x, axis=-1):\n    return x - x.max(axis=axis, keepdim=True)\n"), "");
  EXPECT_EQ(codes("def f(x: Tensor, eps: float = 1e-6):\n    return x / sqrt(mean(x * x, axis=-1, keepdim=True) + eps)\n"), "");
}

TEST(Uncalled, OtherwiseThereIsOneWarning) {
  EXPECT_EQ(codes("def f(x):\n    return x.nope(3)\ndef g(h: Callable, x: Tensor[\"N\", f32]):\n    return h(x)\n"), "E0217 1:5");
  EXPECT_EQ(codes("def f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    def unused(y):\n        return y\n    return x\n"),
            "E0217 2:9");
  // Beside mistakes it would be noise: the call may stand behind one.
  EXPECT_EQ(codes("def f(x):\n    return x.nope(3)\ndef _g():\n    return nothing\n"), "E0200 4:12");
}

TEST(Uncalled, DtypeVariablesAreTried) {
  EXPECT_EQ(codes("def f[T: dtype](x: Tensor[\"N\", T]) -> Tensor[\"N\", T]:\n    return x << 1\n"), "");  // integers
  EXPECT_EQ(codes("def f[T: dtype](x: Tensor[\"N\", T]) -> Tensor[\"N\", T]:\n    return exp(x)\n"), "");  // floats
  Checking c("def f[T: dtype](x: Tensor[\"N\", T], y: Tensor[\"N\", T]) -> Tensor[\"N\", T]:\n    return x.nope\n");
  ASSERT_EQ(c.diagnostics.all().size(), 1u);
  const diag::Diagnostic &d = c.diagnostics.all()[0];
  EXPECT_EQ(d.id, diag::Id::unknownAttribute);
  ASSERT_FALSE(d.notes.empty());
  EXPECT_EQ(d.notes.back().text, "nothing calls `f`: it was checked with f32 for its dtype");
}

TEST(Uncalled, MethodsHaveTheirStruct) {
  EXPECT_EQ(codes(layer + "        return x @ self.w + self.b\n"), "");
  EXPECT_EQ(codes(layer + "        return x @ self.w + self.c\n"), "E0320 5:34");
  EXPECT_EQ(codes(layer + "        return self.w @ x\n"), "E0405 5:16");
}

TEST(Uncalled, HostFunctionsAreHostCode) {
  EXPECT_EQ(codes("def show(y, name: str):\n    print(f\"{name}: {y}\")\n"), "");
  EXPECT_EQ(codes("def show(y):\n    print(f\"{x}\")\n"), "E0200 2:14");
}

TEST(Uncalled, WhatACheckedFunctionCallsIsChecked) {
  // Not alone: its parameter is a function, which is known where it is called.
  EXPECT_EQ(codes("def g(h: Callable, x):\n    return h(x)\ndef f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n"
                  "    return g(exp, x)\n"),
            "");
  // From a function that is checked only alone.
  EXPECT_EQ(codes("def g(h: Callable, x):\n    return h(x)\ndef _f(x: Tensor[\"N\", f32]):\n    return g(exp, x)\n"), "");
  EXPECT_EQ(codes("def _b(x):\n    return x + nothing\ndef _a(x):\n    return _b(x)\n"), "E0200 2:16");
}

TEST(Uncalled, NothingOfItIsCompiled) {
  Checking c("def scale(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    return x * 2.0\n"
             "def _f(x: Tensor[\"N\", f32]):\n    return x + 1.0\n");
  EXPECT_EQ(c.messages(), "");
  ASSERT_EQ(c.program->functions.size(), 1u);
  EXPECT_EQ(c.program->functions[0]->name, "scale");
}

TEST(Uncalled, CallingItselfIsSaid) {
  EXPECT_EQ(codes("def f(x):\n    return f(x)\n"), "E0211 2:12");
  EXPECT_EQ(codes("def f(x):\n    return grad(f)(x)\ndef g(x: Tensor[\"N\", f32]):\n    return f(x)\n"), "E0211 2:12");
}
