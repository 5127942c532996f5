// Facts: what is added, normal forms, and the order in which a claim is decided.
#include "shape/Facts.h"
#include "shape/Divisors.h"
#include "shape/Known.h"
#include "shape/Problem.h"
#include "shape/Relevant.h"
#include <algorithm>

namespace tessera::shape {

bool isPositiveName(const std::string &name) { return name.rfind("T.", 0) == 0; }
bool isDimensionName(const std::string &name) { return !name.empty() && name[0] != '%'; }

Dim dimOfAtom(const Atom &atom) {
  switch (atom.kind) {
  case AtomKind::Var: return Dim::var(atom.name);
  case AtomKind::FloorDiv: return Dim::floorDiv(*atom.left, *atom.right);
  case AtomKind::Mod: return Dim::mod(*atom.left, *atom.right);
  case AtomKind::Min: return Dim::min(*atom.left, *atom.right);
  case AtomKind::Max: return Dim::max(*atom.left, *atom.right);
  }
  return {};
}

std::optional<Dim> divideExactly(const Dim &a, const Dim &b) {
  std::vector<Dim::Term> divisor = b.terms();
  if (divisor.size() != 1 || divisor[0].coefficient == 0) return std::nullopt;
  Dim quotient;
  for (const Dim::Term &term : a.terms()) {
    if (term.coefficient == INT64_MIN || term.coefficient % divisor[0].coefficient != 0) return std::nullopt;
    Dim::Monomial rest = term.atoms;
    for (const auto &[atom, power] : divisor[0].atoms) {
      std::string text = atom.str();
      auto it =
          std::find_if(rest.begin(), rest.end(), [&](const auto &p) { return p.first.str() == text; });
      if (it == rest.end() || it->second < power) return std::nullopt;
      it->second -= power;
    }
    Dim product(term.coefficient / divisor[0].coefficient);
    for (const auto &[atom, power] : rest)
      for (int i = 0; i < power; ++i) product = product * dimOfAtom(atom);
    quotient = quotient + product;
  }
  return quotient;
}

bool plainlyNonNegative(const Dim &value, int64_t least) {
  if (!value.isDefined()) return false;
  if (value.isConstant()) return value.constant() >= 0;
  if (value.isVar()) return isDimensionName(value.varName());
  __int128 sum = 0;
  for (const Dim::Term &term : value.terms()) {
    if (term.atoms.empty()) {
      sum += term.coefficient;
      continue;
    }
    if (term.coefficient < 0) return false;
    bool positive = true;
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) {
        if (!isDimensionName(atom.name)) return false;
        positive &= least > 0 || isPositiveName(atom.name);
        continue;
      }
      positive = false;
      if (!plainlyNonNegative(*atom.right, least)) return false;
      if (atom.kind != AtomKind::Mod && !plainlyNonNegative(*atom.left, least)) return false;
    }
    if (positive) sum += term.coefficient;
  }
  return sum >= 0;
}

// ---------------------------------------------------------------- adding

namespace {
constexpr int kMostWritten = 100;  // variables and operators of a formula that is written out
/// Whether a formula with what its variables are defined as has at most so many variables and operators; counts them down.
bool isShort(const std::map<std::string, Dim> &defined, const Dim &dim, int &room) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (--room < 0) return false;
      if (atom.kind != AtomKind::Var) {
        if (!isShort(defined, *atom.left, room) || !isShort(defined, *atom.right, room)) return false;
      } else if (auto it = defined.find(atom.name); it != defined.end()) {
        if (!isShort(defined, it->second, room)) return false;
      }
    }
  return true;
}
}  // namespace

/// A value that is too long to be written out at each use stays unknown: one that mentions the one before twice doubles.
void Facts::define(const std::string &var, const Dim &value) {
  int room = kMostWritten;
  if (!isShort(substitution_, value, room)) return undefine(var);
  bool isNew = substitution_.insert_or_assign(var, simplify(value)).second;
  if (!isNew || isDerived(var) || (cache_ && cache_->mentions(var))) cache_.reset();
}
void Facts::undefine(const std::string &var) {
  substitution_.erase(var);
  cache_.reset();
}

/// X == expression without X: X is written as the expression from now on.
bool Facts::substitute(const Claim &equality) {
  Dim l = equality.left, r = equality.right;
  for (int side = 0; side < 2; ++side, std::swap(l, r)) {
    if (!l.isVar() || quotients_.count(l.varName())) continue;
    std::set<std::string> vars;
    r.collectVars(vars);
    if (vars.count(l.varName()) || !r.isDefined()) continue;
    // A tile size or a dimension stands for a run-time variable, not the other way round.
    bool runTime = std::any_of(vars.begin(), vars.end(), [](const auto &v) { return !isDimensionName(v); });
    if (runTime && isDimensionName(l.varName())) continue;
    writeAs(l.varName(), r);
    return true;
  }
  return false;
}

/// value % divisor == 0: a variable is written as divisor * quotient from now on. False: the fact is still to be kept.
bool Facts::makeProduct(const Dim &of, const Dim &divisor) {
  Dim value = simplify(of);
  multiples_.push_back({value, divisor});
  std::optional<Dim> earlier;  // what divides the variable already, a number
  if (of.isVar() && !divisor.isConstant()) earlier = constantFactor(of);
  if (earlier) value = of;
  if (!value.isVar() || !plainlyNonNegative(divisor) || divisor == Dim(0)) return false;
  std::set<std::string> vars;
  divisor.collectVars(vars);
  if (vars.count(value.varName()) || quotients_.count(value.varName())) return false;
  if (earlier && vars.count(Dim::floorDiv(value, *earlier).str())) return false;
  Dim quotient = Dim::var(Dim::floorDiv(value, divisor).str());
  Dim product = divisor * quotient;
  if (!product.isDefined()) return false;
  quotients_[quotient.varName()] = Dim::floorDiv(value, divisor);
  writeAs(value.varName(), product);
  if (!divisor.isConstant()) known_.push_back(Formula(divisor, Relation::Ge, Dim(1)));
  if (earlier) {
    writeAs(Dim::floorDiv(value, *earlier).str(), Dim::floorDiv(product, *earlier));
    multiples_.push_back({product, *earlier});
    known_.push_back(Formula(Dim::mod(product, *earlier), Relation::Eq, Dim(0)));
  }
  return true;
}

/// The number c, where the variable is written as c * (variable // c).
std::optional<Dim> Facts::constantFactor(const Dim &variable) const {
  auto it = substitution_.find(variable.varName());
  if (it == substitution_.end()) return std::nullopt;
  std::vector<Dim::Term> terms = it->second.terms();
  if (terms.size() != 1) return std::nullopt;
  Dim factor(terms[0].coefficient);
  Dim quotient = Dim::floorDiv(variable, factor);
  bool same = quotients_.count(quotient.str()) && it->second == factor * Dim::var(quotient.str());
  return same ? std::optional(factor) : std::nullopt;
}

void Facts::add(const Formula &given) {
  if (given.kind == Formula::Kind::And) {
    for (const Formula &part : given.parts) add(part);
    return;
  }
  Formula fact = withDefinedAlternatives(given, [&](const Dim &divisor) { return provesPositive(divisor); });
  size_t before = known_.size();
  if (!addMultiple(fact)) {
    for (Formula &divisor : divisorsOf(fact)) known_.push_back(std::move(divisor));
    bool equates = fact.kind == Formula::Kind::Claim && fact.claim.relation == Relation::Eq;
    if (!equates || !substitute({simplify(fact.claim.left), Relation::Eq, simplify(fact.claim.right)}))
      known_.push_back(substituted(fact));
  }
  refresh(before);
}

/// The fact says no more than makeProduct() has taken in.
bool Facts::addMultiple(const Formula &fact) {
  const Claim &c = fact.claim;
  if (fact.kind != Formula::Kind::Claim || c.relation != Relation::Eq) return false;
  for (const auto &[a, b] : {std::pair(c.left, c.right), std::pair(c.right, c.left)}) {
    std::vector<Dim::Term> terms = a.terms();
    bool isMod = b == Dim(0) && terms.size() == 1 && terms[0].atoms.size() == 1 && terms[0].atoms[0].second == 1 &&
                 terms[0].atoms[0].first.kind == AtomKind::Mod;
    if (!isMod) continue;
    const Atom &mod = terms[0].atoms[0].first;
    if (makeProduct(*mod.left, simplify(*mod.right))) return true;
    cache_.reset();  // normal forms may have it as a remainder
  }
  return false;
}

// ---------------------------------------------------------------- normal forms

namespace {
constexpr int kDeepest = 8;  // of substitutions in one another: products of products grow
}

/// Where a chain of names ends: N is M, M is K, and K is more than a name.
Facts::Substitution::const_iterator Facts::lastName(Substitution::const_iterator it) const {
  for (size_t steps = 0; it->second.isVar() && steps < substitution_.size(); ++steps) {
    auto next = substitution_.find(it->second.varName());
    if (next == substitution_.end()) break;
    it = next;
  }
  return it;
}

/// With the variables written as what they are. `room`: how many operators and variables it may still come to; behind that
/// variables stay, because formulas that mention others twice double with each.
Dim Facts::rebuild(const Dim &dim, int depth, bool useMultiples, int &room) const {
  auto named = [&](const std::string &name) {
    auto it = substitution_.find(name);
    if (it != substitution_.end()) it = lastName(it);
    bool written = it != substitution_.end() && depth <= kDeepest && --room > 0;
    return written ? rebuild(it->second, depth + 1, useMultiples, room) : Dim::var(name);
  };
  if (dim.isConstant()) return dim.constant();
  if (dim.isVar()) return named(dim.varName());
  Dim sum;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      Dim value;
      if (atom.kind == AtomKind::Var) {
        value = named(atom.name);
      } else {
        --room;
        Dim l = rebuild(*atom.left, depth, useMultiples, room), r = rebuild(*atom.right, depth, useMultiples, room);
        auto exact = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod ? divideExactly(l, r)
                                                                                   : std::nullopt;
        if (atom.kind == AtomKind::FloorDiv) {
          value = exact ? *exact : Dim::floorDiv(l, r);
        } else if (atom.kind == AtomKind::Mod) {
          bool multiple = exact.has_value();
          for (const auto &[v, d] : multiples_)
            multiple |= useMultiples && ((v == *atom.left && d == *atom.right) || (v == l && d == r));
          value = multiple ? Dim(0) : Dim::mod(l, r);
        } else {
          value = atom.kind == AtomKind::Min ? Dim::min(l, r) : Dim::max(l, r);
        }
      }
      for (int i = 0; i < power; ++i) product = product * value;
    }
    sum = sum + product;
  }
  return sum;
}
bool Facts::isNormal(const Dim &dim) const {
  if (dim.isConstant()) return true;
  if (dim.isVar()) return !substitution_.count(dim.varName());
  bool normal = true;
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms)
      normal &= atom.kind == AtomKind::Var && !substitution_.count(atom.name);
  return normal;
}
Dim Facts::simplify(const Dim &dim) const {
  int room = kMostWritten;
  return isNormal(dim) ? dim : rebuild(dim, 0, true, room);
}

/// A fact in normal form. That something is a multiple is not used: it is what this fact may say.
Formula Facts::substituted(const Formula &fact) const {
  return fact.map([&](const Dim &d) {
    int room = kMostWritten;
    return isNormal(d) ? d : rebuild(d, 0, false, room);
  });
}

std::vector<Formula> Facts::divisorsOf(const Formula &formula) const {
  std::vector<Dim> divisors;
  collectDivisors(formula, divisors);
  std::map<std::string, Dim> byText;
  for (Dim &divisor : divisors) byText.try_emplace(divisor.str(), std::move(divisor));
  std::vector<Formula> list;
  for (const auto &[text, divisor] : byText) {
    Dim now = simplify(divisor);
    if (plainlyNonNegative(now - Dim(1))) continue;
    list.push_back(Formula(now, plainlyNonNegative(now) ? Relation::Gt : Relation::Ne, Dim(0)));
  }
  return list;
}

/// No variable is written as something else still, because it is too deep inside of others. Otherwise values of the
/// variables are no sizes of the program.
bool Facts::isResolved(const std::set<std::string> &variables) const {
  return std::none_of(variables.begin(), variables.end(), [&](const std::string &name) { return substitution_.count(name) != 0; });
}

/// A dimension of the program that is written as something else.
bool Facts::isDerived(const std::string &name) const { return isDimensionName(name) && !quotients_.count(name); }

// ---------------------------------------------------------------- deciding

namespace {
constexpr int kSearchOfVerdict = 200;  // sizes that are tried where the solver alone cannot tell

Verdict verdictOf(bool holds) { return holds ? Verdict::Proved : Verdict::Refuted; }

/// What normal forms and signs alone say of difference (relation) 0.
std::optional<Verdict> plainVerdict(const Dim &difference, Relation relation) {
  if (difference.isConstant()) return verdictOf(compare(difference.constant(), relation, 0));
  auto decided = [](const Dim &yes) -> std::optional<Verdict> {
    if (plainlyNonNegative(yes)) return Verdict::Proved;
    return std::nullopt;
  };
  Dim negated = Dim(0) - difference;
  switch (relation) {
  case Relation::Lt: return decided(negated - Dim(1));
  case Relation::Le: return decided(negated);
  case Relation::Gt: return decided(difference - Dim(1));
  case Relation::Ge: return decided(difference);
  default: return std::nullopt;
  }
}
}  // namespace

/// What normal forms and signs alone say, or the claim in its normal form.
Facts::Question Facts::questionOf(const Formula &claim) const {
  Question question{claim.map([&](const Dim &d) { return simplify(d); }), {}, {}};
  if (question.formula.kind == Formula::Kind::Claim) {
    Claim &c = question.formula.claim;
    bool numbers = c.left.isConstant() && c.right.isConstant();  // also those whose difference is beyond 64 bits
    if (numbers) question.plain = verdictOf(compare(c.left.constant(), c.relation, c.right.constant()));
    c.left = simplify(c.left - c.right);
    c.right = Dim(0);
    if (!numbers) question.plain = plainVerdict(c.left, c.relation);
  }
  if (!question.plain && !question.formula.isDefined()) question.plain = Verdict::Undecided;
  if (!question.plain) question.key = question.formula.str();
  return question;
}

Verdict Facts::holds(const Dim &left, Relation relation, const Dim &right) const {
  return decide(Formula(left, relation, right));
}

bool Facts::provesPositive(const Dim &value) const { return proves(Formula(value, Relation::Ge, Dim(1))); }

bool Facts::proves(const Formula &given) const {
  Formula claim = withTotalParts(given, [&](const Dim &divisor) { return provesPositive(divisor); });
  Question question = questionOf(claim);
  return question.plain ? *question.plain == Verdict::Proved : isProved(claim, question);
}

Verdict Facts::decide(const Formula &given) const {
  Formula claim = withTotalParts(given, [&](const Dim &divisor) { return provesPositive(divisor); });
  Question question = questionOf(claim);
  if (question.plain) return *question.plain;
  if (isProved(claim, question)) return Verdict::Proved;
  auto [it, inserted] = cache_->unproved.try_emplace(question.key, Verdict::Undecided);
  return inserted ? it->second = unproved(given) : it->second;
}

bool Facts::isProved(const Formula &claim, const Question &question) const {
  const Cache &known = cache();
  auto [it, inserted] = cache_->proved.try_emplace(question.key, false);
  if (!inserted) return it->second;
  if (known.texts.count(substituted(claim).str())) return it->second = true;
  Relevant with = relevant(question.formula, {}, Problem::kMostColumns);
  if (modelWhere(with, question.formula, false)) return false;
  return it->second = emptiness(with, question.formula.negated(), false) == Emptiness::Empty;
}

/// Refuted or undecided: a claim that is not proved. Where it has no value it is not broken.
Verdict Facts::unproved(const Formula &claim) const {
  auto normal = [&](const Dim &d) { return simplify(d); };
  Formula simple = claim.map(normal);
  Relevant with = relevant(simple);
  if (!isResolved(with.variables)) return Verdict::Undecided;
  if (modelWhere(with, simple, false)) return Verdict::Refuted;
  Formula breaking = withDefinedAlternatives(claim.negated(), [&](const Dim &divisor) { return provesPositive(divisor); });
  std::vector<Formula> parts = divisorsOf(breaking);
  parts.push_back(breaking.map(normal));
  Formula broken = Formula::all(std::move(parts));
  bool positive = admitsPositive();
  Emptiness breaks = emptiness(with, broken, positive);
  if (breaks == Emptiness::Unknown && searchSizes(with, broken, positive, kSearchOfVerdict))
    breaks = Emptiness::Inhabited;
  return breaks == Emptiness::Inhabited ? Verdict::Refuted : Verdict::Undecided;
}

std::optional<bool> Facts::truth(const Formula &claim) const {
  if (proves(claim)) return true;
  if (proves(claim.negated())) return false;
  return std::nullopt;
}

/// All facts, and that dimensions which are written as something else are at least 0.
Formula Facts::everything() const {
  Formula all;
  for (const Formula &fact : cache().facts) all.parts.push_back(fact);
  for (const auto &[name, value] : substitution_)
    if (isDerived(name)) all.parts.push_back(Formula(simplify(Dim::var(name)), Relation::Ge, Dim(0)));
  return all;
}

bool Facts::contradictory() const {
  Formula all = everything();
  Relevant with = relevant(all);
  return !modelWhere(with, Formula(), true) && emptiness(with, Formula(), false) == Emptiness::Empty;
}

bool Facts::contradictoryWith(const Formula &latest) const {
  Formula simple = latest.map([&](const Dim &d) { return simplify(d); });
  std::set<std::string> mentioned;
  latest.collectVars(mentioned);
  Relevant with = relevant(simple, mentioned, Problem::kMostColumns);
  return !modelWhere(with, Formula(), true) && emptiness(with, Formula(), false) == Emptiness::Empty;
}

bool Facts::admitsPositive() const {
  if (cache().admitsPositive) return *cache_->admitsPositive;
  Formula all = everything();
  Relevant with = relevant(all);
  for (const auto &[name, value] : substitution_)
    if (isDerived(name)) with.derived[name] = simplify(value);
  bool admits = modelWhere(with, Formula(), true) || findPositive(with);
  cache_->admitsPositive = admits;
  return admits;
}

}  // namespace tessera::shape
