// The shape solver against brute force over small sizes (docs/spec/shapes.md, S1).
#include "shape/Facts.h"
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
using namespace tessera::shape;

namespace {
using Random = std::mt19937;
int64_t below(Random &random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

const std::vector<std::string> kNames = {"K", "M", "N"};

/// Linear, with `//` and `%` by constants, min and max.
Dim linear(Random &random, int depth) {
  Dim sum(below(random, 7) - 3);
  for (int i = 0, n = 1 + static_cast<int>(below(random, 2)); i < n; ++i) {
    Dim x = Dim::var(kNames[static_cast<size_t>(below(random, 3))]);
    if (depth > 0) {
      int64_t c = 2 + below(random, 4);
      switch (below(random, 6)) {
      case 0: x = Dim::floorDiv(linear(random, depth - 1), Dim(c)); break;
      case 1: x = Dim::mod(linear(random, depth - 1), Dim(c)); break;
      case 2: x = Dim::min(x, linear(random, 0)); break;
      case 3: x = Dim::max(x, linear(random, 0)); break;
      default: break;
      }
    }
    sum = sum + Dim(below(random, 5) - 2) * x;
  }
  return sum;
}
/// Products and quotients of variables.
Dim polynomial(Random &random) {
  Dim a = Dim::var(kNames[static_cast<size_t>(below(random, 3))]),
      b = Dim::var(kNames[static_cast<size_t>(below(random, 3))]);
  switch (below(random, 6)) {
  case 0: return a * b;
  case 1: return Dim::floorDiv(a, b);
  case 2: return Dim::mod(a, b);
  case 3: return b * Dim::floorDiv(a, b);
  case 4: return a * b - linear(random, 0);
  default: return linear(random, 1);
  }
}
Relation relation(Random &random) { return static_cast<Relation>(below(random, 6)); }

Formula formula(Random &random, const std::function<Dim(Random &)> &dim) {
  Formula one(dim(random), relation(random), dim(random));
  switch (below(random, 6)) {
  case 0: return Formula::any({one, Formula(dim(random), relation(random), dim(random))});
  case 1: return Formula::all({one, Formula(dim(random), relation(random), dim(random))});
  default: return one;
  }
}

/// All sizes up to `most` that satisfy the facts, in the order of their sums and then of their names.
std::vector<Sizes> admitted(const std::vector<Formula> &facts, int64_t most) {
  std::vector<Sizes> list;
  for (int64_t total = 0; total <= 3 * most; ++total)
    for (int64_t k = 0; k <= most; ++k)
      for (int64_t m = 0; m <= most; ++m) {
        int64_t n = total - k - m;
        if (n < 0 || n > most) continue;
        Sizes sizes{{"K", k}, {"M", m}, {"N", n}};
        bool ok = true;
        for (const Formula &f : facts)
          ok &= f.holds([&](const std::string &v) { return std::optional(sizes.at(v)); }).value_or(false);
        if (ok) list.push_back(std::move(sizes));
      }
  return list;
}
/// The variables of the claim, and those that facts connect with them.
std::set<std::string> connected(const std::vector<Formula> &given, const Formula &claim) {
  std::set<std::string> names;
  std::vector<Formula> facts;
  for (const Formula &f : given)
    if (f.kind == Formula::Kind::And) facts.insert(facts.end(), f.parts.begin(), f.parts.end());
    else facts.push_back(f);
  claim.collectVars(names);
  for (size_t before = SIZE_MAX; before != names.size();) {
    before = names.size();
    for (const Formula &f : facts) {
      std::set<std::string> vars;
      f.collectVars(vars);
      bool shares = std::any_of(vars.begin(), vars.end(), [&](const auto &v) { return names.count(v) != 0; });
      if (shares) names.insert(vars.begin(), vars.end());
    }
  }
  return names;
}
struct Truth {
  bool some = false, never = true, always = true, breaksPositive = false, anyPositive = false;
  std::optional<Sizes> breaks;  // the smallest, of at least 1 if there are such
};
Truth truthOf(const std::vector<Formula> &facts, const std::vector<Sizes> &sizes, const Formula &claim) {
  Truth t;
  std::set<std::string> names = connected(facts, claim);
  auto positive = [&](const Sizes &one) {
    return std::all_of(names.begin(), names.end(), [&](const auto &name) { return one.at(name) >= 1; });
  };
  std::set<std::string> all;
  claim.collectVars(all);
  for (const Formula &f : facts) f.collectVars(all);
  auto allPositive = [&](const Sizes &one) {
    return std::all_of(all.begin(), all.end(), [&](const auto &name) { return one.at(name) >= 1; });
  };
  auto valueIn = [](const Sizes &s) {
    return [&s](const std::string &v) { return std::optional(s.at(v)); };
  };
  for (const Sizes &s : sizes)
    t.anyPositive |= allPositive(s);
  for (const Sizes &s : sizes) {
    auto holds = claim.holds(valueIn(s));
    if (!holds) continue;
    t.some = true;
    t.always &= *holds;
    t.never &= !*holds;
    if (!*holds && (!t.breaks || (positive(s) && !t.breaksPositive))) {
      t.breaks = s;
      t.breaksPositive = positive(s);
    }
  }
  return t;
}
std::string show(const std::vector<Formula> &facts, const Formula &claim) {
  std::string text = claim.str() + "  where";
  for (const Formula &f : facts) text += "  " + f.str() + ",";
  return text;
}
std::string show(const Sizes &sizes) {
  std::string text;
  for (const auto &[name, value] : sizes) text += name + "=" + std::to_string(value) + " ";
  return text;
}
Facts factsOf(const std::vector<Formula> &list) {
  Facts facts;
  for (const Formula &f : list) facts.add(f);
  return facts;
}
Dim dim(const char *text) { return *Dim::parse(text); }
}  // namespace

TEST(Solver, LinearVerdictsAreExactlyThoseOfBruteForce) {
  Random random(20);
  const int64_t most = 5;
  auto expression = [](Random &r) { return linear(r, 1); };
  int counts[3] = {}, contradictions = 0;
  for (int round = 0; round < 2500; ++round) {
    std::vector<Formula> list;
    for (const std::string &name : kNames)
      list.push_back(Formula(Dim::var(name), shape::Relation::Le, Dim(most)));
    for (int64_t i = below(random, 3); i > 0; --i) list.push_back(formula(random, expression));
    Formula claim = formula(random, expression);
    std::vector<Sizes> sizes = admitted(list, most);
    Facts facts = factsOf(list);
    SCOPED_TRACE(show(list, claim));
    ASSERT_EQ(facts.contradictory(), sizes.empty());
    if (sizes.empty()) {
      ++contradictions;
      continue;
    }
    Truth truth = truthOf(list, sizes, claim);
    Verdict expected = truth.always                                   ? Verdict::Proved
                       : truth.breaksPositive || !truth.anyPositive ? Verdict::Refuted
                                                                      : Verdict::Undecided;
    Verdict got = facts.decide(claim);
    ASSERT_EQ(static_cast<int>(got), static_cast<int>(expected));
    ++counts[static_cast<int>(got)];
    if (round % 4 != 0 || got == Verdict::Proved) continue;
    auto breaks = facts.sizesWhere(claim.negated());
    ASSERT_TRUE(breaks);
    if (connected(list, claim).size() == kNames.size()) ASSERT_EQ(show(*breaks), show(*truth.breaks));
  }
  EXPECT_GT(counts[0], 200);
  EXPECT_GT(counts[1], 1000);
  EXPECT_GT(counts[2], 20);
  EXPECT_GT(contradictions, 20);
}

TEST(Solver, UnboundedLinearVerdictsHaveNoCounterexample) {
  Random random(21);
  auto expression = [](Random &r) { return linear(r, 1); };
  for (int round = 0; round < 600; ++round) {
    std::vector<Formula> list;
    for (int64_t i = below(random, 3); i > 0; --i) list.push_back(formula(random, expression));
    Formula claim = formula(random, expression);
    SCOPED_TRACE(show(list, claim));
    Facts facts = factsOf(list);
    Verdict got = facts.decide(claim);
    std::vector<Sizes> sizes = admitted(list, 14);
    Truth truth = truthOf(list, sizes, claim);
    if (got == Verdict::Proved) ASSERT_TRUE(truth.always) << show(*truth.breaks);
    if (got == Verdict::Undecided) ASSERT_FALSE(truth.breaksPositive && truth.anyPositive);
    if (facts.truth(claim) == false) ASSERT_TRUE(truth.never);
    if (facts.contradictory()) ASSERT_TRUE(sizes.empty());
  }
}

TEST(Solver, NonlinearVerdictsAreNeverWrong) {
  Random random(22);
  int counts[3] = {};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Formula> list;
    for (int64_t i = below(random, 3); i > 0; --i) list.push_back(formula(random, polynomial));
    Formula claim = formula(random, polynomial);
    SCOPED_TRACE(show(list, claim));
    Facts facts = factsOf(list);
    Verdict got = facts.decide(claim);
    ++counts[static_cast<int>(got)];
    std::vector<Sizes> sizes = admitted(list, 9);
    Truth truth = truthOf(list, sizes, claim);
    if (facts.contradictory()) ASSERT_TRUE(sizes.empty());
    if (got == Verdict::Proved) ASSERT_TRUE(truth.always) << show(*truth.breaks);
    if (facts.truth(claim) == false) ASSERT_TRUE(truth.never);
    if (got == Verdict::Refuted && !sizes.empty()) ASSERT_TRUE(facts.sizesWhere(claim.negated()));
    if (round % 10 != 0 || got == Verdict::Proved) continue;
    if (auto breaks = facts.sizesWhere(claim.negated())) {
      Sizes all = *breaks;
      for (const std::string &name : kNames) all.try_emplace(name, 1);
      auto valueOf = [&](const std::string &v) { return std::optional(all.at(v)); };
      ASSERT_FALSE(claim.holds(valueOf).value_or(false)) << show(all);
    }
  }
  for (int n : {0, 1}) EXPECT_GT(counts[n], 100);
}

TEST(Solver, MissingFactsProveTheClaim) {
  Random random(23);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    Formula claim(polynomial(random), relation(random), polynomial(random));
    Facts facts;
    auto missing = facts.missingFact(claim);
    if (facts.decide(claim) == Verdict::Proved || !missing) continue;
    ++found;
    facts.add(*missing);
    ASSERT_EQ(facts.decide(claim), Verdict::Proved) << claim.str() << "  with  " << missing->str();
  }
  EXPECT_GT(found, 40);
}

TEST(Solver, MissingFactsAreSimple) {
  auto missing = [](const char *l, shape::Relation r, const char *right) {
    auto fact = Facts().missingFact(Formula(dim(l), r, dim(right)));
    return fact ? fact->str() : "";
  };
  EXPECT_EQ(missing("N", shape::Relation::Eq, "M"), "N == M");
  EXPECT_EQ(missing("H * (D // H)", shape::Relation::Eq, "D"), "D % H == 0");
  EXPECT_EQ(missing("D % H", shape::Relation::Eq, "0"), "D % H == 0");
  EXPECT_EQ(missing("7", shape::Relation::Lt, "N"), "N >= 8");
  EXPECT_EQ(missing("8 * (N // 8)", shape::Relation::Eq, "N"), "N % 8 == 0");
  EXPECT_EQ(missing("B * N", shape::Relation::Eq, "B * M"), "N == M");
}

TEST(Solver, ProductsAndLinearFactsWorkTogether) {
  Facts facts;
  facts.add(Formula(dim("D % H"), shape::Relation::Eq, dim("0")));
  facts.add(Formula(dim("D // H"), shape::Relation::Ge, dim("2")));
  EXPECT_EQ(facts.holds(dim("D"), shape::Relation::Ge, dim("2 * H")), Verdict::Proved);
  EXPECT_EQ(facts.equal(dim("B * H * (D // H)"), dim("B * D")), Verdict::Proved);
  EXPECT_EQ(facts.holds(dim("H"), shape::Relation::Ge, dim("1")), Verdict::Proved);
  Facts order;
  order.add(Formula(dim("N"), shape::Relation::Ge, dim("M")));
  EXPECT_EQ(order.holds(dim("B * N"), shape::Relation::Ge, dim("B * M")), Verdict::Proved);
  EXPECT_EQ(order.holds(dim("H * (D // H)"), shape::Relation::Le, dim("D")), Verdict::Proved);
}

TEST(Solver, MultiplesAreKnownInAnyOrder) {
  Random random(25);
  const std::vector<const char *> values = {"K", "K", "K", "M", "K + M", "K * M"},
                                  divisors = {"2", "3", "4", "6", "M", "N", "2 * N", "M * N"};
  auto multiple = [&](Random &r) {
    return Formula(Dim::mod(dim(values[static_cast<size_t>(below(r, 6))]), dim(divisors[static_cast<size_t>(below(r, 8))])),
                   shape::Relation::Eq, Dim(0));
  };
  int counts[3] = {}, forgotten = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Formula> list;
    for (int64_t i = 2 + below(random, 2); i > 0; --i) list.push_back(multiple(random));
    Formula claim = multiple(random);
    std::vector<Formula> order = list;
    std::shuffle(order.begin(), order.end(), random);
    SCOPED_TRACE(show(order, claim));
    Facts facts = factsOf(order);
    for (const Formula &fact : list) {
      ASSERT_NE(facts.decide(fact), Verdict::Refuted) << fact.str();
      if (facts.decide(fact) != Verdict::Proved) ++forgotten;
    }
    Answer answer = facts.explain(claim);
    ++counts[static_cast<int>(answer.verdict)];
    std::vector<Sizes> sizes = admitted(list, 12);
    Truth truth = truthOf(list, sizes, claim);
    if (answer.verdict == Verdict::Proved) ASSERT_TRUE(truth.always) << show(*truth.breaks);
    if (!answer.breaks) continue;
    Sizes all = *answer.breaks;
    for (const std::string &name : kNames) all.try_emplace(name, 1);
    auto valueOf = [&](const std::string &v) { return std::optional(all.at(v)); };
    ASSERT_FALSE(claim.holds(valueOf).value_or(false)) << show(all);
    for (const Formula &fact : list) {
      std::set<std::string> names;
      fact.collectVars(names);
      bool named = std::all_of(names.begin(), names.end(), [&](const auto &n) { return answer.breaks->count(n); });
      if (named) ASSERT_TRUE(fact.holds(valueOf).value_or(false)) << fact.str() << " for " << show(all);
    }
  }
  for (int n : {0, 1}) EXPECT_GT(counts[n], 50);
  EXPECT_LT(forgotten, 20);  // sums modulo products, where a variable of the sum is written anew

  for (bool turned : {false, true}) {
    Facts facts;
    for (const char *divisor : turned ? std::vector{"128", "H", "96"} : std::vector{"H", "96", "128"})
      facts.addMultiple(dim("D"), dim(divisor));
    EXPECT_EQ(facts.equal(dim("D % 64"), dim("0")), Verdict::Proved);
    EXPECT_EQ(facts.equal(dim("D % 3"), dim("0")), Verdict::Proved);
    EXPECT_EQ(facts.equal(dim("H * (D // H)"), dim("D")), Verdict::Proved);
    EXPECT_EQ(facts.equal(dim("128 * (D // 128)"), dim("D")), Verdict::Proved);
    EXPECT_EQ(facts.equal(dim("D % 5"), dim("0")), Verdict::Refuted);
  }
}

TEST(Solver, RefutesWithTheSmallestSizes) {
  Facts facts;
  Answer answer = facts.explain(Formula(dim("2 * N"), shape::Relation::Eq, dim("N")));
  EXPECT_EQ(answer.verdict, Verdict::Refuted);
  ASSERT_TRUE(answer.breaks);
  EXPECT_EQ(answer.breaks->at("N"), 1);
  facts.add(Formula(dim("N % 4096"), shape::Relation::Eq, dim("0")));
  answer = facts.explain(Formula(dim("N"), shape::Relation::Eq, dim("M")));
  EXPECT_EQ(answer.verdict, Verdict::Refuted);
  EXPECT_FALSE(answer.never);
  ASSERT_TRUE(answer.breaks);
  EXPECT_EQ(answer.breaks->at("N"), 4096);
  EXPECT_EQ(answer.breaks->at("M"), 1);
}

TEST(Solver, DisjunctionsAreOneComparisonAtTheEntry) {
  Random random(24);
  auto expression = [](Random &r) { return linear(r, 0); };
  for (int round = 0; round < 400; ++round) {
    Formula f = Formula::any({formula(random, expression), formula(random, expression)});
    Claim one = asClaim(f);
    Formula back = asFormula(one);
    for (int i = 0; i < 20; ++i) {
      Sizes sizes{{"K", below(random, 9)}, {"M", below(random, 9)}, {"N", below(random, 9)}};
      auto valueOf = [&](const std::string &v) { return std::optional(sizes.at(v)); };
      ASSERT_EQ(f.holds(valueOf), Formula(one).holds(valueOf)) << f.str();
      ASSERT_EQ(f.holds(valueOf), back.holds(valueOf)) << f.str();
    }
  }
}
