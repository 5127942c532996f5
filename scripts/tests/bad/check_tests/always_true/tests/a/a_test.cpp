#include <gtest/gtest.h>

TEST(Adds, Numbers) { EXPECT_TRUE(true); }
TEST(Adds, Itself) { int sum = 2; EXPECT_EQ(sum, sum); }
