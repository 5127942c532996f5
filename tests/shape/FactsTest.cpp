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

namespace {
Dim numbered(int i) { return Dim::var("N" + std::to_string(i)); }
}  // namespace

TEST(Facts, LongChainsOfFactsAreNeverRefutedByTheirOwnEnds) {
  Facts equal, linear, multiples;
  for (int i = 0; i < 40; ++i) {
    equal.addEqual(numbered(i), numbered(i + 1));
    linear.addEqual(numbered(i), Dim(2) * numbered(i + 1));
    multiples.addMultiple(numbered(i), numbered(i + 1));
  }
  for (int i : {1, 7, 8, 9, 20, 40}) {
    EXPECT_EQ(equal.equal(numbered(0), numbered(i)), Verdict::Proved) << i;
    EXPECT_NE(linear.equal(numbered(0), Dim(int64_t{1} << i) * numbered(i)), Verdict::Refuted) << i;
    EXPECT_NE(linear.equal(numbered(40 - i), Dim(int64_t{1} << i) * numbered(40)), Verdict::Refuted) << i;
    EXPECT_NE(multiples.equal(Dim::mod(numbered(0), numbered(i)), Dim(0)), Verdict::Refuted) << i;
  }
}

TEST(Facts, NormalFormsOfEarlierFactsFollowLaterOnes) {
  for (bool asked : {false, true}) {
    Facts facts;
    auto ask = [&] {
      if (asked) EXPECT_EQ(facts.holds(dim("A"), shape::Relation::Ge, dim("B + C")), Verdict::Proved);
    };
    facts.add(shape::Formula(dim("A"), shape::Relation::Ge, dim("B + C")));
    ask();
    facts.addMultiple(dim("C"), dim("4"));
    ask();
    facts.addEqual(dim("B"), dim("3*D + C"));
    ask();
    facts.addEqual(dim("C"), dim("8*E"));
    EXPECT_EQ(facts.holds(dim("A"), shape::Relation::Ge, dim("3*D + 16*E")), Verdict::Proved);
    EXPECT_EQ(facts.holds(dim("A"), shape::Relation::Ge, dim("3*D + 17*E")), Verdict::Refuted);
    Facts copy = facts;
    copy.addEqual(dim("E"), dim("0"));
    EXPECT_EQ(copy.holds(dim("A"), shape::Relation::Ge, dim("3*D + 17*E")), Verdict::Proved);
    EXPECT_EQ(facts.holds(dim("A"), shape::Relation::Ge, dim("3*D + 17*E")), Verdict::Refuted);
  }
}
