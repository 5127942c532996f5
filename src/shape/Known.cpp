// Facts in normal form: kept while facts are added, so that a fact costs what it touches; and which of them have to do
// with a claim.
#include "shape/Known.h"
#include "shape/Relevant.h"
#include <algorithm>
#include <utility>

namespace tessera::shape {

void Facts::Cache::setFact(size_t at, Formula fact) {
  if (at == facts.size()) {
    facts.emplace_back();
    variables.emplace_back();
  }
  std::set<std::string> &vars = variables[at];
  vars.clear();
  // What is undefined may speak of any variable: as one without variables it has to do with every claim.
  if (fact.isDefined()) fact.collectVars(vars);
  for (const std::string &variable : vars) factsOf[variable].push_back(at);
  if (vars.empty()) always.push_back(at);
  texts.insert(fact.str());
  facts[at] = std::move(fact);
}

void Facts::Cache::setDerived(const std::string &name, Dim value) {
  Derived &entry = derived[name];
  entry.variables.clear();
  value.collectVars(entry.variables);
  for (const std::string &variable : entry.variables) derivedOf[variable].push_back(name);
  entry.value = std::move(value);
}

void Facts::Cache::forgetVerdicts() {
  proved.clear();
  unproved.clear();
  missing.clear();
  admitsPositive.reset();
}

const Facts::Cache &Facts::cache() const {
  if (cache_) return *cache_;
  cache_ = std::make_shared<Cache>();
  for (const Formula &fact : known_) cache_->setFact(cache_->facts.size(), substituted(fact));
  for (const auto &[name, value] : substitution_)
    if (isDerived(name)) cache_->setDerived(name, simplify(value));
  return *cache_;
}

/// The variable is written as the value from now on.
void Facts::writeAs(const std::string &variable, const Dim &value) {
  bool again = !substitution_.insert_or_assign(variable, value).second;
  if (again) cache_.reset();
  else rewritten_.push_back(variable);
}

/// Takes into the normal forms what was added: the last facts of known_, from `before` on, and rewritten_.
void Facts::refresh(size_t before) {
  std::vector<std::string> rewritten = std::exchange(rewritten_, {});
  if (!cache_) return;
  if (cache_.use_count() > 1) cache_ = std::make_shared<Cache>(*cache_);
  Cache &cache = *cache_;
  cache.forgetVerdicts();
  for (const std::string &variable : rewritten) {
    std::vector<size_t> facts = std::exchange(cache.factsOf[variable], {});
    std::vector<std::string> names = std::exchange(cache.derivedOf[variable], {});
    // From what was written: what is too deep inside of others stays as it is, or products of products would grow.
    for (size_t at : facts) cache.setFact(at, substituted(known_[at]));
    if (isDerived(variable)) names.push_back(variable);
    Dim now = simplify(Dim::var(variable));
    for (const std::string &name : names) {
      auto known = cache.derived.find(name);
      bool isOther = known != cache.derived.end() && known->second.value.isVar();  // it is another name of the variable
      cache.setDerived(name, isOther ? now : simplify(substitution_.at(name)));
    }
  }
  for (size_t i = before; i < known_.size(); ++i) cache.setFact(cache.facts.size(), substituted(known_[i]));
}

// ---------------------------------------------------------------- what has to do with a claim

std::vector<Formula> Facts::Relevant::conditions(bool positive) const {
  std::vector<Formula> list = facts;
  for (const auto &[name, value] : derived) {
    int64_t least = positive || isPositiveName(name);
    if (!plainlyNonNegative(value - Dim(least), least)) list.push_back(Formula(value, Relation::Ge, Dim(least)));
  }
  return list;
}

namespace {
constexpr size_t kMostFacts = 128, kMostHard = 16;  // of one proof

bool isPlain(const Dim &dim) {
  if (dim.isConstant() || dim.isVar()) return true;
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind != AtomKind::Var) return false;
  return true;
}
/// The solver looks at several cases for it, or at quotients.
bool isHard(const Formula &fact) {
  if (fact.kind != Formula::Kind::Claim || fact.claim.relation == Relation::Ne) return true;
  return !isPlain(fact.claim.left) || !isPlain(fact.claim.right);
}

/// From variable to variable through what speaks of both, breadth first.
class Spread {
public:
  Spread(std::set<std::string> &seen, size_t most) : seen_(seen), most_(most), queue_(seen.begin(), seen.end()) {}

  /// Takes a thing with these variables, unless too many would be new.
  bool take(const std::set<std::string> &variables) {
    std::vector<std::string> fresh;
    for (const std::string &variable : variables)
      if (!seen_.count(variable)) fresh.push_back(variable);
    if (!fresh.empty() && seen_.size() + fresh.size() > most_) return false;
    seen_.insert(fresh.begin(), fresh.end());
    queue_.insert(queue_.end(), fresh.begin(), fresh.end());
    return true;
  }
  bool next(std::string &variable) {
    if (at_ == queue_.size()) return false;
    variable = queue_[at_++];
    return true;
  }

private:
  std::set<std::string> &seen_;
  size_t most_;
  std::vector<std::string> queue_;
  size_t at_ = 0;
};
}  // namespace

Facts::Relevant Facts::relevant(const Formula &formula, const std::set<std::string> &mentioned, size_t most) const {
  Relevant out;
  const Cache &known = cache();
  formula.collectVars(out.variables);
  Spread spread(out.variables, most);
  std::set<size_t> taken;  // in the order in which they were added
  size_t hard = 0;
  auto takeFact = [&](size_t at) {
    bool isOne = isHard(known.facts[at]);
    if (taken.count(at) || (most != SIZE_MAX && (taken.size() >= kMostFacts || (isOne && hard >= kMostHard)))) return;
    if (!spread.take(known.variables[at])) return;
    taken.insert(at);
    hard += isOne;
  };
  auto takeDerived = [&](const std::string &name, const Cache::Derived &derived) {
    if (!out.derived.count(name) && spread.take(derived.variables)) out.derived[name] = derived.value;
  };
  for (size_t at : known.always) takeFact(at);
  for (const auto &[name, derived] : known.derived)
    if (derived.variables.empty() || mentioned.count(name)) takeDerived(name, derived);
  for (std::string variable; spread.next(variable);) {
    if (auto facts = known.factsOf.find(variable); facts != known.factsOf.end())
      for (auto at = facts->second.rbegin(); at != facts->second.rend(); ++at)  // the newest are the nearest
        if (known.variables[*at].count(variable)) takeFact(*at);
    if (auto names = known.derivedOf.find(variable); names != known.derivedOf.end())
      for (const std::string &name : names->second)
        if (known.derived.at(name).variables.count(variable)) takeDerived(name, known.derived.at(name));
  }
  for (size_t at : taken) out.facts.push_back(known.facts[at]);
  return out;
}

}  // namespace tessera::shape
