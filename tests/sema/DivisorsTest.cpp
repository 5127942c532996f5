// What the entry functions ask of what divides.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

namespace tessera {
namespace {
using test::Checking;

/// The requirements of `f`, one after the other.
std::string required(const std::string &text) {
  Checking c(text);
  EXPECT_EQ(c.messages(), "") << text;
  std::string all;
  if (const checked::Function *f = c.program ? c.program->find("f") : nullptr)
    for (const checked::Requirement &requirement : f->requirements) all += (all.empty() ? "" : "; ") + requirement.text;
  return all;
}
std::string ofBody(const std::string &body, const std::string &where = "") {
  return required("def f[A, B](x: Tensor[A, f32], y: Tensor[B, f32]) -> Tensor[A, f32]" + where + ":\n" + body);
}

TEST(Divisors, AreAtLeastOneOrNotZero) {
  EXPECT_EQ(ofBody("    return x + f32(A // B)\n"), "B >= 1");
  EXPECT_EQ(ofBody("    return x + f32(A % (2 * B))\n"), "2*B >= 1");
  EXPECT_EQ(ofBody("    return x + f32(cdiv(A, B))\n"), "B >= 1");
  EXPECT_EQ(ofBody("    return x + f32(A // B) + f32(B // A) + f32(7 % B)\n"), "B >= 1; A >= 1");
}

TEST(Divisors, AreNotAskedForWhereTheyAreProved) {
  EXPECT_EQ(ofBody("    return x + f32(A // B)\n", " where B >= 3"), "B >= 3");
  EXPECT_EQ(ofBody("    return x + f32(A // (B + 1)) + f32(A // 3)\n"), "");
  EXPECT_EQ(ofBody("    return x + f32(A // (A - B))\n", " where A > B"), "A > B");
}

TEST(Divisors, AreAskedForWhereTheyAreComputed) {
  EXPECT_EQ(ofBody("    z = x\n    if B > 0:\n        z = x + f32(A // B)\n    return z\n"), "");
  EXPECT_EQ(ofBody("    z = x\n    if B > 0 and A % B == 0:\n        z = x * 2.0\n    return z\n"), "");
  EXPECT_EQ(ofBody("    z = x\n    if A % B == 0 and B > 0:\n        z = x * 2.0\n    return z\n"), "B >= 1");
  EXPECT_EQ(ofBody("    z = x\n    if B == 0 or A % B == 0:\n        z = x * 2.0\n    return z\n"), "");
  EXPECT_EQ(ofBody("    n = A // B if B > 0 else 0\n    return x + f32(n)\n"), "");
  EXPECT_EQ(ofBody("    n = 0 if A > 4 else A // B\n    return x + f32(n)\n"), "B >= 1");
  EXPECT_EQ(Checking("def f[A, B](x: Tensor[A, f32], y: Tensor[B, f32]) -> Tensor[A, f32]:\n"
                     "    n = 0 if B > 0 else A // B\n    return x + f32(n)\n").codes(),
            "E0314 2:25");
}

/// An alternative that was not asked for says nothing of what divides in it.
TEST(Divisors, OfFactsThatMayNotBeAskedFor) {
  const std::string inside = "this slice must lie inside of [B]";
  const std::string either = "    z = x\n    if B > 0 and A % B == 0:\n        z = x * 2.0\n    else:\n        z = x + y[0]\n    return z\n";
  EXPECT_EQ(ofBody(either), inside);
  EXPECT_EQ(ofBody("    z = x\n    if B == 0 or A // B > 2:\n        z = x + y[0]\n    return z\n"), inside);
  EXPECT_EQ(ofBody("    z = x\n    if B > 0 and A % B == 0:\n        z = x + y[0]\n    return z\n"), "");
  EXPECT_EQ(ofBody("    assert B == 0 or A // B > 2\n    return x + y[0]\n"), "B == 0 or A // B > 2; " + inside);
  EXPECT_EQ(ofBody("    assert A // B > 2 or B == 0\n    return x\n"), "B >= 1; A // B > 2 or B == 0");
}

TEST(Divisors, OfTypesToo) {
  EXPECT_EQ(required("def f[A, B](x: Tensor[A, f32], y: Tensor[B, f32], z: Tensor[A // B, f32]) -> Tensor[A, f32]:\n"
                     "    return x + sum(z)\n"),
            "B >= 1");
  EXPECT_EQ(required("def f[A, B](x: Tensor[A, f32], y: Tensor[B, f32]) -> Tensor[A // B, f32]:\n    return x[:A // B]\n"), "B >= 1");
}

}  // namespace
}  // namespace tessera
