#include "sema/shape/Facts.h"
#include <algorithm>

namespace tessera::sema::shape {

bool isPositiveName(const std::string &name) { return name.rfind("T.", 0) == 0; }

namespace {
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
bool sameAtom(const Atom &a, const Atom &b) { return a.str() == b.str(); }
bool isDimensionName(const std::string &name) { return !name.empty() && name[0] != '%'; }
}  // namespace

std::optional<Dim> divideExactly(const Dim &a, const Dim &b) {
  std::vector<Dim::Term> divisor = b.terms();
  if (divisor.size() != 1 || divisor[0].coefficient == 0) return std::nullopt;
  Dim quotient;
  for (const Dim::Term &term : a.terms()) {
    if (term.coefficient % divisor[0].coefficient != 0) return std::nullopt;
    Dim::Monomial rest = term.atoms;
    for (const auto &[atom, power] : divisor[0].atoms) {
      auto it =
          std::find_if(rest.begin(), rest.end(), [&](const auto &p) { return sameAtom(p.first, atom); });
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

void Facts::addEqual(const Dim &a, const Dim &b) {
  Dim l = simplify(a), r = simplify(b);
  if (l == r) return;
  for (int side = 0; side < 2; ++side, std::swap(l, r)) {
    if (!l.isVar()) continue;
    std::set<std::string> vars;
    r.collectVars(vars);
    if (vars.count(l.varName())) continue;
    substitution_[l.varName()] = r;
    return;
  }
  Dim difference = l - r;
  nonNegative_.push_back(difference);
  nonNegative_.push_back(Dim(0) - difference);
}
void Facts::addMultiple(const Dim &value, const Dim &divisor) {
  Dim v = simplify(value);
  if (v.isVar()) {
    Dim quotient = Dim::var(Dim::floorDiv(v, divisor).str());
    std::set<std::string> vars;
    divisor.collectVars(vars);
    if (!vars.count(v.varName())) {
      quotients_[quotient.varName()] = Dim::floorDiv(v, divisor);
      substitution_[v.varName()] = simplify(divisor) * quotient;
    }
  }
  multiples_.push_back({v, divisor});
}
void Facts::addNonNegative(const Dim &value) { nonNegative_.push_back(simplify(value)); }
void Facts::define(const std::string &var, const Dim &value) { substitution_[var] = simplify(value); }

void Facts::add(const Requirement &fact) {
  switch (fact.relation) {
  case Relation::Eq: {
    for (const auto &[a, b] : {std::pair(fact.left, fact.right), std::pair(fact.right, fact.left)})
      if (b == Dim(0)) {
        std::vector<Dim::Term> terms = a.terms();
        if (terms.size() == 1 && terms[0].atoms.size() == 1 &&
            terms[0].atoms[0].first.kind == AtomKind::Mod) {
          addMultiple(*terms[0].atoms[0].first.left, *terms[0].atoms[0].first.right);
          return;
        }
      }
    addEqual(fact.left, fact.right);
    return;
  }
  case Relation::Ne: return;
  case Relation::Lt: addNonNegative(fact.right - fact.left - Dim(1)); return;
  case Relation::Le: addNonNegative(fact.right - fact.left); return;
  case Relation::Gt: addNonNegative(fact.left - fact.right - Dim(1)); return;
  case Relation::Ge: addNonNegative(fact.left - fact.right); return;
  }
}

Dim Facts::rebuild(const Dim &dim, int depth) const {
  Dim sum;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      Dim value;
      if (atom.kind == AtomKind::Var) {
        auto it = substitution_.find(atom.name);
        value = it == substitution_.end() || depth > 8 ? Dim::var(atom.name) : rebuild(it->second, depth + 1);
      } else {
        Dim l = rebuild(*atom.left, depth), r = rebuild(*atom.right, depth);
        if (atom.kind == AtomKind::FloorDiv) {
          auto exact = divideExactly(l, r);
          value = exact ? *exact : Dim::floorDiv(l, r);
        } else if (atom.kind == AtomKind::Mod) {
          bool multiple = divideExactly(l, r).has_value();
          for (const auto &[v, d] : multiples_) multiple |= v == *atom.left && d == *atom.right;
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
Dim Facts::simplify(const Dim &dim) const { return rebuild(dim, 0); }

Verdict Facts::equal(const Dim &a, const Dim &b) const { return holds(a, Relation::Eq, b); }

// No term can be negative: dimensions, remainders and quotients of them are at least 0, tile sizes at
// least 1.
bool Facts::plainlyNonNegative(const Dim &value) const {
  int64_t constant = 0, atLeast = 0;
  for (const Dim::Term &term : value.terms()) {
    if (term.atoms.empty()) {
      constant = term.coefficient;
      continue;
    }
    if (term.coefficient < 0) return false;
    bool positive = true;
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var && !isDimensionName(atom.name)) return false;
      if (atom.kind == AtomKind::Var && isPositiveName(atom.name)) continue;
      positive = false;
      if (atom.kind == AtomKind::Mod || atom.kind == AtomKind::Var) continue;
      if (!plainlyNonNegative(*atom.left) || !plainlyNonNegative(*atom.right)) return false;
    }
    if (positive) atLeast += term.coefficient;
  }
  return constant + atLeast >= 0;
}
bool Facts::search(const Dim &value, int depth) const {
  if (plainlyNonNegative(value)) return true;
  if (depth == 0) return false;
  // Take away a known non-negative expression that shares a variable which stands in the way.
  std::set<std::string> wanted;
  for (const Dim::Term &term : value.terms())
    for (const auto &[atom, power] : term.atoms)
      if (atom.kind == AtomKind::Var && (term.coefficient < 0 || !isDimensionName(atom.name)))
        wanted.insert(atom.name);
      else if (term.coefficient < 0) wanted.insert(atom.str());
  bool negativeConstant = value.isConstant();
  for (const Dim &fact : nonNegative_) {
    const Dim &known = fact;
    bool shares = negativeConstant;
    for (const Dim::Term &term : known.terms())
      for (const auto &[atom, power] : term.atoms)
        shares |= wanted.count(atom.kind == AtomKind::Var ? atom.name : atom.str()) != 0;
    if (!shares) continue;
    if (search(value - known, depth - 1)) return true;
  }
  return false;
}
bool Facts::nonNegative(const Dim &value) const { return search(simplify(value), 3); }

Verdict Facts::holds(const Dim &left, Relation relation, const Dim &right) const {
  Dim difference = simplify(left - right);
  if (difference.isConstant()) {
    int64_t d = difference.constant();
    bool holds = relation == Relation::Eq   ? d == 0
                 : relation == Relation::Ne ? d != 0
                 : relation == Relation::Lt ? d < 0
                 : relation == Relation::Le ? d <= 0
                 : relation == Relation::Gt ? d > 0
                                            : d >= 0;
    return holds ? Verdict::Proved : Verdict::Refuted;
  }
  Dim negated = Dim(0) - difference;
  auto verdict = [&](const Dim &yes, const Dim &no) {
    return nonNegative(yes) ? Verdict::Proved : nonNegative(no) ? Verdict::Refuted : Verdict::Undecided;
  };
  switch (relation) {
  case Relation::Eq:
    if (nonNegative(difference) && nonNegative(negated)) return Verdict::Proved;
    return nonNegative(difference - Dim(1)) || nonNegative(negated - Dim(1)) ? Verdict::Refuted
                                                                             : Verdict::Undecided;
  case Relation::Ne:
    return nonNegative(difference - Dim(1)) || nonNegative(negated - Dim(1)) ? Verdict::Proved
                                                                             : Verdict::Undecided;
  case Relation::Lt: return verdict(negated - Dim(1), difference);
  case Relation::Le: return verdict(negated, difference - Dim(1));
  case Relation::Gt: return verdict(difference - Dim(1), negated);
  case Relation::Ge: return verdict(difference, negated - Dim(1));
  }
  return Verdict::Undecided;
}

}  // namespace tessera::sema::shape
