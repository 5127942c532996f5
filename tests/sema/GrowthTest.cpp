// What checking costs grows about as the program does, whatever shape it has: programs of one shape are checked in two
// sizes, and four times as much text may not take much more than four times as long. What is too deep is an error.
#include "tests/sema/Checking.h"
#include <ctime>
#include <functional>
#include <gtest/gtest.h>

using namespace tessera;

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
    {"bounds of one", 100, [](int n) { return facts(n, [](int i) { return "N0 >= " + number(i); }); }},
    {"a chain of bounds", 100, [](int n) { return facts(n, [](int i) { return next(i, " <= "); }); }},
    {"sums in a chain", 100, [](int n) { return facts(n, [](int i) { return next(i, " + ") + " <= " + number(i + 9); }); }},
    {"products in a chain", 100, [](int n) { return facts(n, [](int i) { return next(i, "*") + " <= " + number(i + 9); }); }},
    {"multiples", 100, [](int n) { return facts(n, [](int i) { return "N" + number(i) + " % 8 == 0"; }); }},
    {"equal dimensions", 100, [](int n) { return facts(n, [](int i) { return next(i, " == "); }); }},
    {"a chain of multiples", 60, [](int n) { return facts(n, [](int i) { return next(i, " % ") + " == 0"; }); }},
};

/// Of the processor; the least of three.
double secondsFor(const std::string &text) {
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    timespec before{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    test::Checking checked(text);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    least = std::min(least, static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec));
  }
  return least;
}

std::string codes(const test::Checking &checked) {
  std::string text;
  for (const diag::Diagnostic &d : checked.diagnostics.all()) text += std::string(diag::row(d.id).code) + " ";
  return text;
}
}  // namespace

TEST(Growth, FourTimesTheProgramIsNotMuchMoreThanFourTimesTheWork) {
  for (const Shape &shape : kShapes) {
    double small = secondsFor(shape.text(shape.size)), large = secondsFor(shape.text(4 * shape.size));
    EXPECT_LT(large, 11 * small + 0.05) << shape.name << ": " << 1e3 * small << " ms, then " << 1e3 * large << " ms";
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
  EXPECT_EQ(codes(test::Checking(chain(60, "@(x" + sum + ")"))), "E0435 ");
  EXPECT_EQ(codes(test::Checking(chain(60, opened + "@(x)" + std::string(190, ')')))), "E0435 ");
}
