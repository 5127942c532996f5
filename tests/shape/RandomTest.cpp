// The shape solver on random claims with `//`, `%`, min, max and products of variables, and with numbers near the end
// of 64 bits; brute force over small sizes, in wider numbers, is the oracle (docs/spec/shapes.md, S1 and S24).
#include "shape/Facts.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
using namespace tessera::shape;

namespace {
using Wide = __int128;
using Random = std::mt19937_64;
constexpr int64_t kMost = 5;  // of a size
const std::array<std::string, 3> kNames = {"K", "M", "N"};
using Point = std::array<int64_t, 3>;

size_t below(Random &random, size_t n) { return random() % n; }

/// An expression of its own, so that the oracle shares no arithmetic with the solver.
struct Term {
  enum Kind { Number, Variable, Add, Sub, Mul, Div, Mod, Min, Max } kind = Number;
  int64_t number = 0;  // or which variable
  std::vector<Term> sides;

  /// Nothing where it divides by 0.
  std::optional<Wide> at(const Point &point) const {
    if (kind == Number) return number;
    if (kind == Variable) return point[static_cast<size_t>(number)];
    auto a = sides[0].at(point), b = sides[1].at(point);
    if (!a || !b) return std::nullopt;
    switch (kind) {
    case Add: return *a + *b;
    case Sub: return *a - *b;
    case Mul: return *a * *b;
    case Min: return std::min(*a, *b);
    case Max: return std::max(*a, *b);
    default: break;
    }
    if (*b == 0) return std::nullopt;
    Wide quotient = *a / *b - (*a % *b != 0 && (*a < 0) != (*b < 0));
    return kind == Div ? quotient : *a - quotient * *b;
  }
  Dim dim() const {
    if (kind == Number) return Dim(number);
    if (kind == Variable) return Dim::var(kNames[static_cast<size_t>(number)]);
    Dim a = sides[0].dim(), b = sides[1].dim();
    switch (kind) {
    case Add: return a + b;
    case Sub: return a - b;
    case Mul: return a * b;
    case Div: return Dim::floorDiv(a, b);
    case Mod: return Dim::mod(a, b);
    case Min: return Dim::min(a, b);
    default: return Dim::max(a, b);
    }
  }
};

/// What the normal form says for sizes.
std::optional<bool> holdsIn(const Formula &formula, const Point &point) {
  return formula.holds([&](const std::string &name) -> std::optional<int64_t> {
    return point[static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin())];
  });
}

/// A comparison, or `and` or `or` of two.
struct Statement {
  Formula::Kind kind = Formula::Kind::Claim;
  Term left, right;
  Relation relation = Relation::Eq;
  std::vector<Statement> parts;

  /// Where it divides by 0 it has no value; but the normal form has forgotten some divisors (`N // N` is 1), and then
  /// what it says is right too.
  std::optional<bool> at(const Point &point) const {
    auto value = written(point);
    return value ? value : holdsIn(formula(), point);
  }
  std::optional<bool> written(const Point &point) const {
    if (kind != Formula::Kind::Claim) {
      auto first = parts[0].written(point);
      return !first || *first == (kind == Formula::Kind::Or) ? first : parts[1].written(point);
    }
    auto l = left.at(point), r = right.at(point);
    if (!l || !r) return std::nullopt;
    return compare(*l < *r ? -1 : *l > *r, relation, 0);
  }
  Formula formula() const {
    if (kind == Formula::Kind::Claim) return Formula(left.dim(), relation, right.dim());
    std::vector<Formula> list{parts[0].formula(), parts[1].formula()};
    return kind == Formula::Kind::And ? Formula::all(std::move(list)) : Formula::any(std::move(list));
  }
};

using Numbers = int64_t (*)(Random &);
int64_t small(Random &random) { return static_cast<int64_t>(below(random, 8)) - 2; }
int64_t nearTheEnd(Random &random) {
  static constexpr std::array<int64_t, 9> ends = {INT64_MAX, -INT64_MAX, INT64_MIN, int64_t{1} << 62, -(int64_t{1} << 62),
                                                  int64_t{1} << 40, int64_t{1} << 31, INT64_MAX / 3, (int64_t{1} << 40) + 1};
  if (below(random, 3) == 0) return small(random);
  return below(random, 2) ? ends[below(random, ends.size())] : static_cast<int64_t>(random()) >> below(random, 64);
}

Term term(Random &random, int depth, Numbers numbers) {
  Term made;
  if (depth == 0 || below(random, 4) == 0) {
    made.kind = below(random, 3) == 0 ? Term::Number : Term::Variable;
    made.number = made.kind == Term::Number ? numbers(random) : static_cast<int64_t>(below(random, 3));
    return made;
  }
  made.kind = static_cast<Term::Kind>(Term::Add + below(random, 7));
  for (int side = 0; side < 2; ++side) made.sides.push_back(term(random, depth - 1, numbers));
  return made;
}
Statement statement(Random &random, int depth, Numbers numbers) {
  Statement made;
  size_t kind = below(random, 8);
  if (kind < 2) {
    made.kind = kind == 0 ? Formula::Kind::And : Formula::Kind::Or;
    for (int part = 0; part < 2; ++part) {
      Statement &one = made.parts.emplace_back();
      one = {Formula::Kind::Claim, term(random, depth - 1, numbers), term(random, depth - 1, numbers), static_cast<Relation>(below(random, 6)), {}};
    }
    return made;
  }
  made.left = term(random, depth, numbers);
  made.right = term(random, kind < 5 ? 1 : depth, numbers);
  made.relation = static_cast<Relation>(below(random, 6));
  return made;
}
Statement atMost(size_t variable, int64_t most) {
  Statement made;
  made.left = {Term::Variable, static_cast<int64_t>(variable), {}};
  made.right = {Term::Number, most, {}};
  made.relation = Relation::Le;
  return made;
}

std::string show(const std::vector<Statement> &facts, const Statement &claim) {
  std::string text = claim.formula().str() + "  where";
  for (const Statement &fact : facts) text += "  " + fact.formula().str() + ",";
  return text;
}
bool holdAt(const std::vector<Statement> &facts, const Point &point) {
  return std::all_of(facts.begin(), facts.end(), [&](const Statement &fact) { return fact.at(point).value_or(false); });
}

/// Points in the order of their sums, then of their coordinates.
const std::vector<Point> &points() {
  static const std::vector<Point> all = [] {
    std::vector<Point> list;
    for (int64_t k = 0; k <= kMost; ++k)
      for (int64_t m = 0; m <= kMost; ++m)
        for (int64_t n = 0; n <= kMost; ++n) list.push_back({k, m, n});
    auto sum = [](const Point &p) { return p[0] + p[1] + p[2]; };
    std::sort(list.begin(), list.end(), [&](const Point &a, const Point &b) { return std::pair(sum(a), a) < std::pair(sum(b), b); });
    return list;
  }();
  return all;
}

struct Counts {
  int verdicts[3] = {}, smallest = 0, contradictions = 0;
};

/// The smallest point that breaks the claim, as S1 has it: among dimensions of at least 1 if the facts admit such.
std::optional<Point> smallestBreak(const std::vector<Statement> &facts, const Statement &claim) {
  for (int64_t least : {1, 0})
    for (const Point &point : points()) {
      if (*std::min_element(point.begin(), point.end()) < least) continue;
      if (holdAt(facts, point) && claim.at(point) == false) return point;
    }
  return std::nullopt;
}

void checkExample(const std::vector<Statement> &facts, const Statement &claim, const Facts &known, Counts &counts) {
  auto found = known.sizesWhere(claim.formula().negated());
  if (!found) return;
  // Variables that have nothing to do with the claim are not named: any value that the facts admit will do.
  std::optional<Point> whole;
  for (const Point &point : points()) {
    bool agrees = true;
    for (size_t i = 0; i < kNames.size(); ++i)
      if (auto it = found->find(kNames[i]); it != found->end()) agrees &= it->second == point[i];
    if (agrees && holdAt(facts, point) && claim.at(point) == false) whole = point;
  }
  std::string text;
  for (const auto &[name, value] : *found) text += name + "=" + std::to_string(value) + " ";
  ASSERT_TRUE(whole) << "an example that breaks nothing: " << text;
  auto fits = [](const Statement &one) {  // sizes for which a side needs more than 64 bits are passed over
    Formula formula = one.formula();
    return std::all_of(points().begin(), points().end(), [&](const Point &point) { return !one.written(point) || holdsIn(formula, point); });
  };
  bool allFit = fits(claim) && std::all_of(facts.begin(), facts.end(), fits);
  if (found->size() < kNames.size() || !allFit) return;
  ++counts.smallest;
  ASSERT_EQ(*whole, *smallestBreak(facts, claim)) << "not the smallest: " << text;
}

void checkOne(Random &random, Numbers numbers, Counts &counts) {
  std::vector<Statement> facts;
  for (size_t v = 0; v < kNames.size(); ++v) facts.push_back(atMost(v, kMost));
  for (size_t i = below(random, 3); i > 0; --i) facts.push_back(statement(random, 2, numbers));
  Statement claim = statement(random, 2, numbers);
  SCOPED_TRACE(show(facts, claim));
  Facts known;
  for (const Statement &fact : facts) known.add(fact.formula());
  bool some = false, always = true, never = true, hasValue = false;
  for (const Point &point : points()) {
    if (!holdAt(facts, point)) continue;
    some = true;
    auto holds = claim.at(point);
    hasValue |= holds.has_value();
    always &= holds.value_or(true);
    never &= !holds.value_or(false);
  }
  if (known.contradictory()) {
    ++counts.contradictions;
    ASSERT_FALSE(some);
  }
  if (!hasValue) return;
  Verdict verdict = known.decide(claim.formula());
  ++counts.verdicts[static_cast<int>(verdict)];
  if (verdict == Verdict::Proved) {
    auto broken = smallestBreak(facts, claim);
    ASSERT_TRUE(always) << "breaks at K=" << (*broken)[0] << " M=" << (*broken)[1] << " N=" << (*broken)[2];
    return;
  }
  if (verdict == Verdict::Refuted) ASSERT_FALSE(always);
  if (known.truth(claim.formula()) == false) ASSERT_TRUE(never);
  checkExample(facts, claim, known, counts);
}

/// TESSERA_CLAIMS asks for more of them than a run of all tests has time for.
int rounds(int usual) {
  const char *given = std::getenv("TESSERA_CLAIMS");
  return given ? std::atoi(given) : usual;
}
void checkMany(uint64_t seed, int count, Numbers numbers, Counts &counts) {
  for (int round = 0; round < count && !testing::Test::HasFailure(); ++round) {
    Random random(seed * 1'000'003 + static_cast<uint64_t>(round));
    SCOPED_TRACE("round " + std::to_string(round));
    checkOne(random, numbers, counts);
  }
}
}  // namespace

TEST(RandomClaims, VerdictsAndExamplesAreThoseOfBruteForce) {
  Counts counts;
  checkMany(1, rounds(1500), small, counts);
  EXPECT_GT(counts.verdicts[0], 150);
  EXPECT_GT(counts.verdicts[1], 500);
  EXPECT_GT(counts.smallest, 100);
}

TEST(RandomClaims, NumbersNearTheEndOf64BitsAreExactOrUndecided) {
  Counts counts;
  checkMany(2, rounds(1500), nearTheEnd, counts);
  EXPECT_GT(counts.verdicts[0], 100);
  EXPECT_GT(counts.verdicts[1], 300);
  EXPECT_GT(counts.verdicts[2], 10);
}
