// Sizes that satisfy facts: a few guesses that answer most questions at once, the exact least ones where the
// facts are linear, and an enumeration where they are not.
#include "shape/Divisors.h"
#include "shape/Problem.h"
#include "shape/Relevant.h"
#include <algorithm>

namespace tessera::shape {

namespace {
constexpr int kMostTries = 4000;  // sizes that an enumeration looks at
constexpr int kModels = 9;

/// The value of the i-th of n variables in a guess.
int64_t guess(int model, int64_t i, int64_t n) {
  static constexpr int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  switch (model) {
  case 0: return 1;
  case 1: return i + 1;
  case 2: return n - i;
  case 3: return primes[i % 8];
  case 4: return primes[(n - i) % 8];
  case 5: return 64;
  case 6: return 128 * (i + 1);
  case 7: return 96 * (n - i);
  default: return 1000 + 7 * i;
  }
}
}  // namespace

/// One of a few guesses satisfies what is relevant, with dimensions of at least 1, and the formula is or is not so.
bool Facts::modelWhere(const Relevant &with, const Formula &formula, bool holds) const {
  std::vector<Formula> conditions = with.conditions(true);
  std::vector<std::string> names(with.variables.begin(), with.variables.end());
  int64_t n = static_cast<int64_t>(names.size());
  for (int model = 0; model < kModels; ++model) {
    auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
      int64_t i = std::lower_bound(names.begin(), names.end(), name) - names.begin();
      return guess(model, i, n) - !isDimensionName(name);
    };
    if (formula.holds(valueOf) != holds) continue;
    bool admitted = std::all_of(conditions.begin(), conditions.end(),
                                [&](const Formula &f) { return f.holds(valueOf).value_or(false); });
    if (admitted) return true;
  }
  return false;
}

namespace {
Problem problemOf(const std::set<std::string> &variables, const std::vector<Formula> &conditions,
                  bool positive) {
  Problem problem;
  for (const std::string &name : variables)
    if (isDimensionName(name)) problem.bound(name, positive || isPositiveName(name));
  for (const Formula &fact : conditions) problem.require(fact);
  return problem;
}
}  // namespace

Emptiness Facts::emptiness(const Relevant &with, const Formula &formula, bool positive) const {
  std::vector<Formula> all{formula};  // first, because rows of too many columns are left out
  std::vector<Formula> conditions = with.conditions(positive);
  all.insert(all.end(), conditions.begin(), conditions.end());
  return problemOf(with.variables, all, positive).solve(solved_.get());
}

bool Facts::findPositive(const Relevant &with) const {
  Emptiness found = emptiness(with, Formula(), true);
  if (found != Emptiness::Unknown) return found == Emptiness::Inhabited;
  return searchSizes(with, Formula(), true, kMostTries).has_value();
}

/// The program's dimensions for values of the free variables.
std::optional<Sizes> Facts::sizesOf(const Relevant &with, const Sizes &free) const {
  Sizes sizes;
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = free.find(name);
    return it == free.end() ? std::nullopt : std::optional(it->second);
  };
  for (const auto &[name, value] : free)
    if (!quotients_.count(name)) sizes[name] = value;
  for (const auto &[name, value] : with.derived) {
    auto number = value.evaluate(valueOf);
    if (!number) return std::nullopt;
    sizes[name] = *number;
  }
  return sizes;
}

namespace {
/// The sum of the dimensions, then the dimensions in the order of their names.
std::pair<__int128, std::vector<int64_t>> rank(const Sizes &sizes) {
  std::pair<__int128, std::vector<int64_t>> out{0, {}};
  for (const auto &[name, value] : sizes)
    if (isDimensionName(name)) out.first += value, out.second.push_back(value);
  return out;
}
/// Calls `visit` with each way of writing `total` as a sum of n numbers that are at least `least`.
bool sums(std::vector<int64_t> &values, size_t at, int64_t total, int64_t least,
          const std::function<bool()> &visit) {
  if (at + 1 == values.size()) {
    values[at] = total;
    return visit();
  }
  int64_t others = least * static_cast<int64_t>(values.size() - at - 1);
  for (int64_t v = least; v + others <= total; ++v) {
    values[at] = v;
    if (!sums(values, at + 1, total - v, least, visit)) return false;
  }
  return true;
}
}  // namespace

// A free variable is a dimension or a quotient of one, so that the sum of the free variables is at most that
// of the dimensions: nothing smaller comes once the former is above the least of the latter.
std::optional<Sizes> Facts::searchSizes(const Relevant &with, const Formula &formula, bool positive,
                                        int mostTries) const {
  std::vector<Formula> conditions = with.conditions(positive);
  conditions.push_back(formula);
  std::vector<std::string> names(with.variables.begin(), with.variables.end());
  std::vector<int64_t> values(names.size());
  if (names.empty()) return std::nullopt;
  int tries = 0;
  std::optional<Sizes> best;
  auto visit = [&] {
    if (++tries > mostTries) return false;
    Sizes free;
    for (size_t i = 0; i < names.size(); ++i) free[names[i]] = values[i];
    auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
      auto it = free.find(name);
      return it == free.end() ? std::nullopt : std::optional(it->second);
    };
    for (const Formula &f : conditions)
      if (!f.holds(valueOf).value_or(false)) return true;
    auto sizes = sizesOf(with, free);
    if (sizes && (!best || rank(*sizes) < rank(*best))) best = std::move(sizes);
    return true;
  };
  int64_t least = positive, n = static_cast<int64_t>(names.size());
  for (int64_t total = least * n; !best || total <= rank(*best).first; ++total)
    if (!sums(values, 0, total, least, visit)) break;
  return best;
}

std::optional<Sizes> Facts::sizesWhere(const Formula &given) const {
  Formula formula = withDefinedAlternatives(given, [&](const Dim &divisor) { return provesPositive(divisor); });
  Formula simple = formula.map([&](const Dim &d) { return simplify(d); });
  std::vector<Formula> parts = divisorsOf(formula);
  parts.push_back(std::move(simple));
  simple = Formula::all(std::move(parts));
  std::set<std::string> mentioned;
  formula.collectVars(mentioned);
  Relevant with = relevant(simple, mentioned);
  if (!isResolved(with.variables)) return std::nullopt;
  for (bool positive : {true, false}) {
    Problem problem = problemOf(with.variables, with.conditions(positive), positive);
    problem.require(simple);
    std::vector<std::string> names;
    for (const auto &[name, value] : with.derived) {
      problem.bound(name, positive);
      problem.require(Formula(Dim::var(name), Relation::Eq, value));
      names.push_back(name);
    }
    for (const std::string &name : with.variables)
      if (isDimensionName(name) && !quotients_.count(name)) names.push_back(name);
    std::sort(names.begin(), names.end());
    Emptiness emptiness = problem.solve(solved_.get());
    if (emptiness == Emptiness::Empty) continue;
    std::optional<Sizes> found;
    if (emptiness == Emptiness::Inhabited) {
      found = problem.smallest(names);
      if (found) std::erase_if(*found, [&](const auto &item) {
          return !with.derived.count(item.first) &&
                 (!with.variables.count(item.first) || quotients_.count(item.first));
        });
    }
    if (!found) found = searchSizes(with, simple, positive, kMostTries);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace tessera::shape
