#include "sema/numerics/Sizes.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

shape::Facts factsOf(const Function &function) {
  shape::Facts facts;
  for (const std::string &name : function.dims) facts.add(shape::Formula(Dim::var(name), Relation::Ge, Dim(1)));
  for (const Requirement &fact : function.requirements) facts.add(shape::asFormula(fact.claim()));
  return facts;
}

Sizes::Sizes(const Function &function) : function_(&function) {
  for (const std::string &name : function.dims) names_[name] = Range::of(1, kMostElements);
  const Schedule &schedule = function.kernel.schedule;
  for (const std::string &size : function.kernel.contextSizes) {
    Range r = Range::of(1, kMostTile);
    if (auto it = schedule.sizes.find(size); it != schedule.sizes.end())
      r = Range::point(static_cast<double>(it->second));
    else if (auto space = schedule.space.find(size);
             space != schedule.space.end() && !space->second.empty()) {
      auto [least, most] = std::minmax_element(space->second.begin(), space->second.end());
      r = Range::of(static_cast<double>(*least), static_cast<double>(*most));
    }
    names_["T." + size] = r;
  }
  // A bound may rest on another: `N <= M, M <= 512`.
  for (int round = 0; round < 3; ++round)
    for (const Requirement &fact : function.requirements) apply(fact);
}

void Sizes::restrict(const std::string &name, double low, double high) {
  auto it = names_.find(name);
  if (it != names_.end()) it->second = intersect(it->second, low, high);
}

bool Sizes::isBounded(const std::string &name) const {
  auto it = names_.find(name);
  return it != names_.end() && it->second.high < kMostElements;
}

void Sizes::apply(const Requirement &fact) {
  auto nothing = [](const std::string &) { return Range::unknown(); };
  Range left = interval(fact.left, nothing), right = interval(fact.right, nothing);
  auto atMost = [&](const Dim &dim, double bound) {
    if (dim.isVar()) restrict(dim.varName(), -kInfinity, bound);
  };
  auto atLeast = [&](const Dim &dim, double bound) {
    if (dim.isVar()) restrict(dim.varName(), bound, kInfinity);
  };
  switch (fact.relation) {
  case Relation::Eq:
    atMost(fact.left, right.high), atLeast(fact.left, right.low);
    atMost(fact.right, left.high), atLeast(fact.right, left.low);
    break;
  case Relation::Le: atMost(fact.left, right.high), atLeast(fact.right, left.low); break;
  case Relation::Lt: atMost(fact.left, right.high - 1), atLeast(fact.right, left.low + 1); break;
  case Relation::Ge: atLeast(fact.left, right.low), atMost(fact.right, left.high); break;
  case Relation::Gt: atLeast(fact.left, right.low + 1), atMost(fact.right, left.high - 1); break;
  case Relation::Ne: break;
  }
}

/// Intervals do not know that `N - M` is positive where `M < N`: the facts do.
Range Sizes::of(const Dim &dim, const std::function<Range(const std::string &)> &local) const {
  Range range = interval(dim, local);
  if (!range.hasFinite() || range.isPoint() || range.low >= 1) return range;
  std::set<std::string> variables;
  dim.collectVars(variables);
  for (const std::string &name : variables)
    if (!names_.count(name)) return range;
  if (!facts_) facts_ = std::make_shared<const shape::Facts>(factsOf(*function_));
  for (int64_t least : {1, 0})
    if (range.low < static_cast<double>(least) && facts_->proves(shape::Formula(dim, Relation::Ge, Dim(least)))) {
      range.low = static_cast<double>(least);
      range.high = std::max(range.high, range.low);
      break;
    }
  return range;
}

Range Sizes::interval(const Dim &dim, const std::function<Range(const std::string &)> &local) const {
  auto atomRange = [&](const Atom &atom) -> Range {
    if (atom.kind == AtomKind::Var) {
      auto it = names_.find(atom.name);
      return it != names_.end() ? it->second : local(atom.name);
    }
    Range a = interval(*atom.left, local), b = interval(*atom.right, local);
    switch (atom.kind) {
    case AtomKind::Min: return minimum(a, b);
    case AtomKind::Max: return maximum(a, b);
    case AtomKind::FloorDiv:
      if (b.low < 1) return Range::unknown();
      return monotone(
          quotient(a, b), [](double v) { return std::floor(v); }, 0);
    case AtomKind::Mod:
      if (b.low < 1) return Range::unknown();
      return Range::of(0, a.low >= 0 ? std::min(b.high - 1, a.high) : b.high - 1);
    case AtomKind::Var: break;
    }
    return Range::unknown();
  };
  Range sum = Range::point(0);
  for (const Dim::Term &term : dim.terms()) {
    Range product = Range::point(static_cast<double>(term.coefficient));
    for (const auto &[atom, power] : term.atoms)
      for (int i = 0; i < power; ++i) product = product * atomRange(atom);
    sum = sum + product;
  }
  return sum;
}

}  // namespace tessera::sema::numerics
