// The fact that is missing for a proof, in the form in which one would write it behind `where`.
#include "shape/Facts.h"
#include "shape/Known.h"
#include "support/Integers.h"
#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::shape {

namespace {

/// A divisor that somebody would write in a fact. Proofs with larger ones take ten times as long.
constexpr int64_t kMostDivisor = 1 << 14;

/// `a % b == 0` for each quotient and remainder inside.
void collectDivisions(const Dim &dim, std::vector<Formula> &list) {
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      collectDivisions(*atom.left, list);
      collectDivisions(*atom.right, list);
      bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      if (divides && !(atom.right->isConstant() && atom.right->constant() > kMostDivisor))
        list.push_back(Formula(Dim::mod(*atom.left, *atom.right), Relation::Eq, Dim(0)));
    }
}

/// Without the factor that all terms have in common; variables of the factor are dimensions.
Dim withoutCommonFactor(const Dim &dim) {
  std::vector<Dim::Term> terms = dim.terms();
  if (terms.empty()) return dim;
  int64_t divisor = 0;
  Dim common(1);
  for (const Dim::Term &term : terms) divisor = std::gcd(divisor, term.coefficient);
  for (const auto &[atom, power] : terms[0].atoms) {
    if (atom.kind != AtomKind::Var || !isDimensionName(atom.name)) continue;
    Dim factor = common * Dim::var(atom.name);
    if (divideExactly(dim, factor)) common = factor;
  }
  auto quotient = divideExactly(dim, common * Dim(divisor));
  return quotient ? *quotient : dim;
}

/// difference (relation) 0 with the terms on the sides where they are positive.
Formula sided(const Dim &difference, Relation relation) {
  Dim left, right;
  for (const Dim::Term &term : difference.terms()) {
    Dim product(term.coefficient < 0 ? -term.coefficient : term.coefficient);
    for (const auto &[atom, power] : term.atoms)
      for (int i = 0; i < power; ++i) product = product * dimOfAtom(atom);
    (term.coefficient < 0 ? right : left) = (term.coefficient < 0 ? right : left) + product;
  }
  bool turn = left.isConstant() && !right.isConstant();
  if (!turn) return Formula(left, relation, right);
  Relation other = relation == Relation::Lt   ? Relation::Gt
                   : relation == Relation::Le ? Relation::Ge
                   : relation == Relation::Gt ? Relation::Lt
                   : relation == Relation::Ge ? Relation::Le
                                              : relation;
  return Formula(right, other, left);
}

/// The variable's bound, if there is one variable: c * N + k >= 0.
std::optional<Formula> boundOf(const Dim &margin) {
  std::vector<Dim::Term> terms = margin.terms();
  if (terms.empty() || terms.size() > 2 || terms[0].atoms.size() != 1 || terms[0].atoms[0].second != 1)
    if (terms.size() != 2 || terms[1].atoms.size() != 1 || terms[1].atoms[0].second != 1) return std::nullopt;
  const Dim::Term &x = terms[0].atoms.empty() ? terms[1] : terms[0];
  int64_t k = terms.size() < 2 ? 0 : (terms[0].atoms.empty() ? terms[0] : terms[1]).coefficient;
  if (terms.size() == 2 && !terms[0].atoms.empty() && !terms[1].atoms.empty()) return std::nullopt;
  if (x.atoms[0].first.kind != AtomKind::Var) return std::nullopt;
  Dim variable = Dim::var(x.atoms[0].first.name);
  int64_t c = x.coefficient;
  if (c > 0) return Formula(variable, Relation::Ge, Dim(-floorDivide(k, c)));
  return Formula(variable, Relation::Le, Dim(floorDivide(k, -c)));
}

/// No products of dimensions, or `a % b == 0`: what one would write.
bool isSimple(const Formula &formula) {
  if (formula.kind != Formula::Kind::Claim) return false;
  auto plain = [](const Dim &dim) {
    std::vector<Dim::Term> terms = dim.terms();
    return std::all_of(terms.begin(), terms.end(), [](const Dim::Term &t) {
      return t.atoms.empty() || (t.atoms.size() == 1 && t.atoms[0].second == 1);
    });
  };
  return plain(formula.claim.left) && plain(formula.claim.right);
}

/// `N == 4`, `N // 8 == 0`: leaves one size, or a few. One would rather say a bound.
bool pins(const Formula &formula) {
  if (formula.kind != Formula::Kind::Claim || formula.claim.relation != Relation::Eq || !formula.claim.right.isConstant())
    return false;
  std::vector<Dim::Term> terms = formula.claim.left.terms();
  return std::none_of(terms.begin(), terms.end(), [](const Dim::Term &term) {
    return std::any_of(term.atoms.begin(), term.atoms.end(), [](const auto &atom) { return atom.first.kind == AtomKind::Mod; });
  });
}

/// The factor of a variable that occurs in one term, alone; 0 otherwise.
int64_t linearFactor(const Dim &dim, const std::string &variable) {
  int64_t factor = 0;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(1);
    for (const auto &[atom, power] : term.atoms) product = product * dimOfAtom(atom);
    std::set<std::string> vars;
    product.collectVars(vars);
    if (!vars.count(variable)) continue;
    bool alone = term.atoms.size() == 1 && term.atoms[0].second == 1 && term.atoms[0].first.kind == AtomKind::Var;
    if (!alone || factor != 0) return 0;
    factor = term.coefficient;
  }
  return factor;
}

/// left >= 0 of an inequality.
std::optional<Dim> marginOf(const Claim &claim) {
  Dim more = claim.left - claim.right, less = claim.right - claim.left;
  switch (claim.relation) {
  case Relation::Lt: return less - Dim(1);
  case Relation::Le: return less;
  case Relation::Gt: return more - Dim(1);
  case Relation::Ge: return more;
  default: return std::nullopt;
  }
}
}  // namespace

/// A margin with each run-time variable at the bound, by a fact over dimensions, at which the margin is least: what
/// holds there holds for the whole range of a counter. Nothing if some variable has no such bound.
std::optional<Dim> Facts::leastMargin(Dim margin) const {
  std::set<std::string> vars;
  margin.collectVars(vars);
  std::erase_if(vars, [](const std::string &v) { return isDimensionName(v); });
  if (vars.empty()) return std::nullopt;
  for (const std::string &v : vars) {
    std::optional<Dim> bound;
    int64_t sign = linearFactor(margin, v);
    for (const Formula &fact : known_) {
      auto room = fact.kind == Formula::Kind::Claim ? marginOf(fact.claim) : std::nullopt;
      if (bound || !room || sign == 0 || linearFactor(*room, v) != (sign > 0 ? 1 : -1)) continue;
      Dim end = sign > 0 ? Dim::var(v) - *room : *room + Dim::var(v);
      std::set<std::string> of;
      end.collectVars(of);
      if (std::all_of(of.begin(), of.end(), isDimensionName)) bound = end;
    }
    if (!bound) return std::nullopt;
    margin = margin.substitute({{v, *bound}});
  }
  return margin;
}

std::vector<Formula> Facts::candidates(const Formula &claim) const {
  std::vector<Formula> list;
  if (claim.kind != Formula::Kind::Claim) {
    bool worded = true;  // no part is about numbers alone
    for (const Formula &part : claim.parts) {
      std::set<std::string> vars;
      part.collectVars(vars);
      worded &= !vars.empty();
      if (proves(part)) continue;
      std::vector<Formula> more = candidates(part);
      list.insert(list.end(), more.begin(), more.end());
    }
    if (worded) list.push_back(claim.map([&](const Dim &d) { return external(d); }));
    return list;
  }
  const Claim &c = claim.claim;
  for (const Dim &d : {c.left, c.right, external(c.left), external(c.right)}) collectDivisions(d, list);
  for (const Dim &difference : {c.left - c.right, external(c.left - c.right)}) {
    if (auto margin = marginOf({difference, c.relation, Dim(0)})) {
      if (auto bound = boundOf(*margin)) list.push_back(*bound);
      list.push_back(sided(withoutCommonFactor(*margin), Relation::Ge));
      if (auto least = leastMargin(*margin)) list.push_back(sided(withoutCommonFactor(*least), Relation::Ge));
    } else {
      list.push_back(sided(withoutCommonFactor(difference), c.relation));
    }
  }
  list.push_back(claim);
  return list;
}

std::optional<Formula> Facts::missingFact(const Formula &claim) const {
  std::string key = claim.str();
  if (auto known = cache().missing.find(key); known != cache().missing.end()) return known->second;
  std::optional<Formula> missing = weakestFact(claim);
  cache();  // proofs may have begun it anew
  return cache_->missing[key] = std::move(missing);
}

std::optional<Formula> Facts::weakestFact(const Formula &claim) const {
  std::vector<std::pair<Formula, Facts>> good, nearly;  // that prove the claim, or all but dimensions of 0; with all facts
  std::set<std::string> seen;
  for (const Formula &candidate : candidates(claim)) {
    std::set<std::string> vars;
    candidate.collectVars(vars);
    bool writable = !vars.empty() && std::all_of(vars.begin(), vars.end(), [&](const std::string &v) {
      return isDimensionName(v) && !isPositiveName(v) && !quotients_.count(v);
    });
    if (!writable || !seen.insert(candidate.str()).second) continue;
    Facts with = *this;
    with.add(candidate);
    if (!with.admitsPositive()) continue;
    auto &list = with.proves(claim) ? good : nearly;
    list.emplace_back(candidate, std::move(with));
  }
  auto fact = weakestOf(std::move(good));
  if (fact && !pins(*fact)) return fact;
  std::erase_if(nearly, [&](const auto &entry) { return entry.second.decide(claim) != Verdict::Undecided; });
  auto bound = weakestOf(std::move(nearly));
  return bound ? bound : fact;
}

/// The first that follows from all the others, and if there is none, the first; simple ones before others.
std::optional<Formula> Facts::weakestOf(std::vector<std::pair<Formula, Facts>> list) {
  auto simple = [](const auto &entry) { return isSimple(entry.first); };
  if (std::any_of(list.begin(), list.end(), simple)) std::erase_if(list, std::not_fn(simple));
  for (const auto &[weak, facts] : list)
    if (std::all_of(list.begin(), list.end(), [&](const auto &other) { return other.second.proves(weak); })) return weak;
  return list.empty() ? std::nullopt : std::optional(list.front().first);
}

Answer Facts::explain(const Formula &claim) const {
  Answer answer;
  answer.verdict = decide(claim);
  if (answer.verdict == Verdict::Proved) return answer;
  answer.never = truth(claim) == false;
  answer.breaks = sizesWhere(claim.negated());
  if (!answer.never) answer.missing = missingFact(claim);
  return answer;
}

}  // namespace tessera::shape
