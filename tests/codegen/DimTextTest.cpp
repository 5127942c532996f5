#include "codegen/DimText.h"
#include "support/Check.h"
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::codegen;

namespace {

std::string printed(const DimText &text, const char *dim) { return text(std::string(dim)).doc.lines(0, 1000).front(); }

TEST(DimText, PrintsWhatTheProgramMeans) {
  DimText text;
  EXPECT_EQ(printed(text, "2 * D + 1"), "2 * D + 1");
  EXPECT_EQ(printed(text, "N - 1"), "N - 1");
  EXPECT_EQ(printed(text, "B * (S + 1)"), "B + B * S");
  EXPECT_EQ(printed(text, "7"), "7");
}
TEST(DimText, DivisionsRoundDownAndNeverTrap) {
  DimText text;
  EXPECT_EQ(printed(text, "D // 8"), "D / 8");
  EXPECT_EQ(printed(text, "D // H"), "tsr::floordiv<int64_t>(D, H)");       // H may be 0
  EXPECT_EQ(printed(text, "(D - 5) // 2"), "tsr::floordiv<int64_t>(D - 5, 2)");  // C rounds to zero
  EXPECT_EQ(printed(text, "D % 8"), "D % 8");
  EXPECT_EQ(printed(text, "D % H"), "tsr::mod<int64_t>(D, H)");
}
TEST(DimText, CountsOfTilesAreCeilDiv) {
  DimText text;
  text.positive("BM");
  EXPECT_EQ(printed(text, "(M + 127) // 128"), "tsr::ceil_div(M, 128)");
  EXPECT_EQ(printed(text, "(M + BM - 1) // BM"), "tsr::ceil_div(M, BM)");
}
TEST(DimText, VariablesCanBeCalledOtherwise) {
  DimText text;
  text.rename("x", "x2");
  EXPECT_EQ(printed(text, "x + 1"), "x2 + 1");
}
TEST(DimText, WhatIsNoDimensionIsAnInternalError) { EXPECT_THROW(parseDim("1 +"), InternalError); }

}  // namespace
