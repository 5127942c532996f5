// What checking costs grows about as the program does, whatever shape it has: programs of one shape are checked in two
// sizes, and four times as much text may not take much more than four times the memory, all that was asked for added up:
// unlike time, that is the same in each run. What is too deep is an error.
#include "tests/sema/Checking.h"
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>

using namespace tessera;

namespace {
size_t asked = 0;  // bytes, by everything in this program
}  // namespace

void *operator new(size_t bytes) {
  asked += bytes;
  if (void *memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {
using Text = std::function<std::string(int)>;

std::string joined(int count, const std::string &between, const Text &item) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? between : "") + item(i);
  return text;
}
std::string number(int i) { return std::to_string(i); }

const std::string kHead = "def f[N](x: Tensor[N, f32], k: i32) -> Tensor[N, f32]:\n";
std::string lines(int count, const Text &line) { return kHead + joined(count, "", [&](int i) { return "    " + line(i) + "\n"; }) + "    return x\n"; }
/// Facts about N0, N1, ... of a function.
std::string facts(int count, const Text &fact) {
  return "def f[" + joined(count + 1, ", ", [](int i) { return "N" + number(i); }) + "](" +
         joined(count + 1, ", ", [](int i) { return "x" + number(i) + ": Tensor[N" + number(i) + ", f32]"; }) +
         ") -> Tensor[N0, f32] where " + joined(count, ", ", fact) + ":\n    return x0\n";
}
std::string next(int i, const std::string &between) { return "N" + number(i) + between + "N" + number(i + 1); }

struct Shape {
  const char *name;
  int size;  // of the smaller program
  Text text;
  size_t growth = 7;  // at most, for four times the size
};

const std::vector<Shape> kShapes = {
    {"undefined names", 1000, [](int n) { return lines(n, [](int i) { return "y" + number(i) + " = u" + number(i) + "nknown + 1"; }); }},
    {"assignments", 1000, [](int n) { return lines(n, [](int i) { return "y" + number(i) + " = x + 1.0"; }); }},
    {"mistakes", 500, [](int n) { return lines(n, [](int i) { return "y" + number(i) + " = x @ 3"; }); }},
    {"unequal facts", 150, [](int n) { return lines(n, [](int i) { return "assert N != " + number(i + 1); }); }},
    {"sums of dimensions", 200, [](int n) { return lines(n, [](int i) { return "assert N + " + number(i) + " >= " + number(i); }); }},
    {"conditions", 100, [](int n) { return lines(n, [](int i) { return "y = x + 1.0 if k == " + number(i) + " else x"; }); }},
    {"integers from integers", 500, [](int n) { return kHead + "    a0 = N\n" + joined(n, "", [](int i) { return "    a" + number(i + 1) + " = a" + number(i) + " + 1\n"; }) + "    return x\n"; }},
    {"a tuple", 900, [](int n) { return kHead + "    t = (" + joined(n, ", ", number) + ")\n    return x\n"; }},
    {"a text with values", 1000, [](int n) { return kHead + "    s = f\"" + joined(n, "", [](int) { return "{N} a "; }) + "\"\n    return x\n"; }},
    {"comments", 10000, [](int n) { return kHead + joined(n, "", [](int) { return "    # c\n"; }) + "    return x\n"; }},
    {"parameters", 250, [](int n) { return "def f[N](" + joined(n, ", ", [](int i) { return "x" + number(i) + ": Tensor[N, f32]"; }) + ") -> Tensor[N, f32]:\n    return x0\n"; }},
    {"functions", 300, [](int n) { return joined(n, "\n\n", [](int i) { return "def g" + number(i) + "[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x + 1.0\n"; }); }},
    {"bounds", 100, [](int n) { return facts(n, [](int i) { return "N" + number(i) + " <= " + number(i + 9); }); }},
    {"bounds of one", 100, [](int n) { return facts(n, [](int i) { return "N0 >= " + number(i); }); }, 14},
    {"a chain of bounds", 100, [](int n) { return facts(n, [](int i) { return next(i, " <= "); }); }},
    {"sums in a chain", 100, [](int n) { return facts(n, [](int i) { return next(i, " + ") + " <= " + number(i + 9); }); }},
    {"products in a chain", 100, [](int n) { return facts(n, [](int i) { return next(i, "*") + " <= " + number(i + 9); }); }},
    {"multiples", 100, [](int n) { return facts(n, [](int i) { return "N" + number(i) + " % 8 == 0"; }); }},
    {"equal dimensions", 100, [](int n) { return facts(n, [](int i) { return next(i, " == "); }); }, 14},
    {"a chain of multiples", 60, [](int n) { return facts(n, [](int i) { return next(i, " % ") + " == 0"; }); }},
};

size_t bytesFor(const std::string &text) {
  size_t before = asked;
  test::Checking checked(text);
  return asked - before;
}

std::string codes(const test::Checking &checked) {
  std::string text;
  for (const diag::Diagnostic &d : checked.diagnostics.all()) text += std::string(diag::row(d.id).code) + " ";
  return text;
}
}  // namespace

TEST(Growth, FourTimesTheProgramIsNotMuchMoreThanFourTimesTheWork) {
  for (const Shape &shape : kShapes) {
    size_t small = bytesFor(shape.text(shape.size)), large = bytesFor(shape.text(4 * shape.size));
    EXPECT_LT(large, shape.growth * small) << shape.name << ": " << (small >> 10) << " KiB, then " << (large >> 10) << " KiB";
  }
}

TEST(Growth, WhatIsTooDeepIsOneMessage) {
  auto chain = [](int count, const std::string &body) {
    std::string text = "def g0(x):\n    return x + 1.0\n\n\n";
    for (int i = 1; i < count; ++i) {
      std::string called = body;
      called.replace(called.find('@'), 1, "g" + number(i - 1));
      text += "def g" + number(i) + "(x):\n    return " + called + "\n\n\n";
    }
    return text + "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return g" + number(count - 1) + "(x)\n";
  };
  std::string sum = joined(900, "", [](int) { return " + 1.0"; }), opened = joined(190, "", [](int) { return "exp("; });
  EXPECT_EQ(test::Checking(chain(150, "@(x)")).messages(), "");
  EXPECT_EQ(codes(test::Checking(chain(2000, "@(x)"))), "E0435 ");
  EXPECT_EQ(codes(test::Checking(chain(60, "@(x)" + sum))), "E0435 ");
  EXPECT_THAT(codes(test::Checking(chain(60, "@(x" + sum + ")"))), testing::AnyOf("", "E0435 "));  // as much stack as frames take
  EXPECT_EQ(codes(test::Checking(chain(60, opened + "@(x)" + std::string(190, ')')))), "E0435 ");
}
