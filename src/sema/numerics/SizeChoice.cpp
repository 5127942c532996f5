#include "sema/numerics/SizeChoice.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

using shape::Formula;

namespace {
// What the searches for one claim may cost: one among products takes milliseconds, another one microseconds.
constexpr int kMostCost = 240, kCostOfProducts = 6;

bool isLinear(const Dim &dim) {
  for (const Dim::Term &term : dim.terms()) {
    if (term.atoms.size() > 1 || (!term.atoms.empty() && term.atoms[0].second > 1)) return false;
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var && (!isLinear(*atom.left) || !isLinear(*atom.right))) return false;
  }
  return true;
}
}  // namespace

SizeChoice::SizeChoice(const Function &function) : function_(function), all_(function) {
  for (const Requirement &fact : function.requirements)
    if (!isLinear(fact.left) || !isLinear(fact.right)) cost_ = kCostOfProducts;
}

Sizes SizeChoice::points(const Wishes &sizes) const {
  Sizes out = all_;
  for (const auto &[name, value] : sizes) out.restrict(name, value, value);
  return out;
}

bool SizeChoice::allowed(const Wishes &sizes) {
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(static_cast<int64_t>(it->second));
  };
  return std::all_of(function_.requirements.begin(), function_.requirements.end(), [&](const Requirement &fact) {
    return shape::asFormula(fact.claim()).holds(valueOf).value_or(false);
  });
}

/// The value of a dimension that the facts admit: the wish, else the next one above, else one that is little below.
std::optional<int64_t> SizeChoice::nearest(const shape::Facts &facts, const std::string &name, double wish) {
  Dim size = Dim::var(name);
  auto within = [&](double low, double high) -> std::optional<int64_t> {
    if ((spent_ += cost_) > kMostCost) return std::nullopt;
    std::vector<Formula> bounds = {Formula(size, Relation::Ge, Dim(static_cast<int64_t>(low)))};
    if (high < kMostElements) bounds.push_back(Formula(size, Relation::Le, Dim(static_cast<int64_t>(high))));
    auto found = facts.sizesWhere(Formula::all(std::move(bounds)));
    if (!found || !found->count(name)) return std::nullopt;
    return found->at(name);
  };
  const Range &range = all_.names().at(name);
  if (auto found = within(wish, range.high)) return found;
  auto least = within(range.low, wish);
  if (!least || facts.proves(Formula(size, Relation::Eq, Dim(*least)))) return least;  // linked to those chosen before
  for (double room = 1; room < wish - static_cast<double>(*least); room *= 16)
    if (auto found = within(wish - room, wish)) return found;
  return least;
}

std::optional<Sizes> SizeChoice::smaller(const std::string &name, double wish, const Sizes &than) {
  Wishes wishes;
  for (const auto &[other, now] : than.names()) wishes[other] = other == name ? wish : now.low;
  return near(wishes, &name, than.names().at(name).low);
}

std::optional<Sizes> SizeChoice::near(const Wishes &wishes, const std::string *first, double below) {
  if (allowed(wishes)) return points(wishes);
  if (!facts_) facts_ = factsOf(function_);
  shape::Facts facts = *facts_;
  Wishes sizes = wishes;
  std::vector<std::string> order = function_.dims;
  if (first) std::stable_partition(order.begin(), order.end(), [&](const std::string &name) { return name == *first; });
  for (const std::string &name : order) {
    auto value = nearest(facts, name, sizes.at(name));
    if (!value || (first && name == *first && static_cast<double>(*value) >= below)) return std::nullopt;
    sizes[name] = static_cast<double>(*value);
    facts.addEqual(Dim::var(name), Dim(*value));
  }
  if (!allowed(sizes)) return std::nullopt;
  return points(sizes);
}

}  // namespace tessera::sema::numerics
