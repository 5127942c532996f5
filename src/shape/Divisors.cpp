#include "shape/Divisors.h"
#include "shape/Facts.h"

namespace tessera::shape {

void collectDivisors(const Dim &dim, std::vector<Dim> &list) {
  if (dim.isConstant() || dim.isVar()) return;
  for (const Dim::Term &term : dim.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      collectDivisors(*atom.left, list);
      collectDivisors(*atom.right, list);
      bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      if (divides && !atom.right->isConstant()) list.push_back(*atom.right);
    }
}
void collectDivisors(const Formula &formula, std::vector<Dim> &list) {
  collectDivisors(formula.claim.left, list);
  collectDivisors(formula.claim.right, list);
  for (const Formula &part : formula.parts) collectDivisors(part, list);
}

Dim overOneAtLeast(const Dim &dim, const std::function<bool(const Dim &)> &sure) {
  Dim sum;
  for (const Dim::Term &term : dim.terms()) {
    Dim product(term.coefficient);
    for (const auto &[atom, power] : term.atoms) {
      Atom guarded = atom;
      if (atom.kind != AtomKind::Var) {
        bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
        Dim right = overOneAtLeast(*atom.right, sure);
        bool mayBeZero = divides && !right.isConstant() && plainlyNonNegative(right) && !sure(*atom.right);
        guarded.left = std::make_shared<Dim>(overOneAtLeast(*atom.left, sure));
        guarded.right = std::make_shared<Dim>(mayBeZero ? Dim::max(right, Dim(1)) : right);
      }
      Dim value = dimOfAtom(guarded);
      for (int i = 0; i < power; ++i) product = product * value;
    }
    sum = sum + product;
  }
  return sum;
}

namespace {
using IsSure = std::function<bool(const Dim &)>;
Formula combined(Formula::Kind kind, std::vector<Formula> parts) {
  return kind == Formula::Kind::And ? Formula::all(std::move(parts)) : Formula::any(std::move(parts));
}
Formula total(const Formula &formula, const IsSure &sure) {
  return formula.map([&](const Dim &dim) { return overOneAtLeast(dim, sure); });
}
Formula defined(const Formula &formula, const IsSure &sure) {
  std::vector<Dim> divisors;
  collectDivisors(formula, divisors);
  std::vector<Formula> parts;
  for (const Dim &divisor : divisors)
    if (plainlyNonNegative(divisor) && !sure(divisor)) parts.push_back({overOneAtLeast(divisor, sure), Relation::Ge, Dim(1)});
  parts.push_back(total(formula, sure));
  return Formula::all(std::move(parts));
}
}  // namespace

Formula withDefinedAlternatives(const Formula &formula, const IsSure &sure) {
  if (formula.kind == Formula::Kind::Claim) return formula;
  std::vector<Formula> parts;
  for (const Formula &part : formula.parts) {
    bool asked = parts.empty() || formula.kind == Formula::Kind::And;
    parts.push_back(asked ? withDefinedAlternatives(part, sure) : defined(part, sure));
  }
  return combined(formula.kind, std::move(parts));
}

Formula withTotalParts(const Formula &formula, const IsSure &sure) {
  if (formula.kind == Formula::Kind::Claim) return formula;
  std::vector<Formula> parts;
  for (const Formula &part : formula.parts) parts.push_back(parts.empty() ? withTotalParts(part, sure) : total(part, sure));
  return combined(formula.kind, std::move(parts));
}

}  // namespace tessera::shape
