#include <gtest/gtest.h>

void helper(int value) { (void)value; }

TEST(Adds, Numbers) {
  // EXPECT_EQ(1 + 1, 2);
  helper(1 + 1);
}
