// What the shape solver proves, refutes and leaves open.
#include "shape/Facts.h"
#include <gtest/gtest.h>

using namespace tessera;
using shape::Facts;
using shape::Verdict;

static Dim dim(const char *text) { return *Dim::parse(text); }

TEST(Facts, NormalFormsAreEqual) {
  Facts facts;
  EXPECT_EQ(facts.equal(dim("B*H"), dim("H*B")), Verdict::Proved);
  EXPECT_EQ(facts.equal(dim("N + 1"), dim("N")), Verdict::Refuted);
  EXPECT_EQ(facts.equal(dim("N"), dim("M")), Verdict::Refuted);
}
TEST(Facts, DivisibilityMakesQuotientsExact) {
  Facts facts;
  EXPECT_EQ(facts.equal(dim("H * (D // H)"), dim("D")), Verdict::Refuted);
  facts.addMultiple(dim("D"), dim("H"));
  EXPECT_EQ(facts.equal(dim("H * (D // H)"), dim("D")), Verdict::Proved);
  EXPECT_EQ(facts.equal(dim("D % H"), dim("0")), Verdict::Proved);
  facts.addMultiple(dim("S"), dim("8"));
  EXPECT_EQ(facts.equal(dim("8 * (S // 8)"), dim("S")), Verdict::Proved);
}
TEST(Facts, EqualitiesAreSubstituted) {
  Facts facts;
  facts.addEqual(dim("N"), dim("2 * M"));
  EXPECT_EQ(facts.equal(dim("N + M"), dim("3 * M")), Verdict::Proved);
}
TEST(Facts, BoundsOfRunTimeVariables) {
  Facts facts;
  Dim k = Dim::var("%1");
  EXPECT_FALSE(facts.nonNegative(k));
  facts.addNonNegative(k);
  facts.addNonNegative(dim("K") - Dim(1) - k);
  EXPECT_TRUE(facts.nonNegative(k));
  EXPECT_TRUE(facts.nonNegative(dim("K") - Dim(1) - k));
  EXPECT_TRUE(facts.nonNegative(dim("K + 3") - k));
  EXPECT_FALSE(facts.nonNegative(dim("K") - Dim(2) - k));
}
TEST(Facts, RefutesWhatCannotHold) {
  Facts facts;
  EXPECT_EQ(facts.holds(dim("N"), shape::Relation::Lt, dim("0")), Verdict::Refuted);
  EXPECT_EQ(facts.holds(dim("N"), shape::Relation::Ge, dim("0")), Verdict::Proved);
  EXPECT_EQ(facts.holds(dim("N"), shape::Relation::Le, dim("8")), Verdict::Refuted);
  EXPECT_EQ(facts.holds(dim("N"), shape::Relation::Ge, dim("1")), Verdict::Undecided);  // only N == 0 breaks it
}
