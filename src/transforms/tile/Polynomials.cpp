// Long division, from the term on that is the largest in an order which products keep: by degree, then by the powers of atoms.
#include "transforms/tile/Polynomials.h"
#include <algorithm>
#include <map>
#include <string>

namespace tessera::transforms {

namespace {

using Powers = std::map<std::string, int>;

Powers powersOf(const Dim::Term &term) {
  Powers powers;
  for (const auto &[atom, power] : term.atoms) powers[atom.str()] += power;
  return powers;
}

bool isBelow(const Dim::Term &a, const Dim::Term &b) {
  Powers left = powersOf(a), right = powersOf(b);
  auto degree = [](const Powers &powers) {
    int sum = 0;
    for (const auto &[name, power] : powers) sum += power;
    return sum;
  };
  if (degree(left) != degree(right)) return degree(left) < degree(right);
  Powers names = left;
  names.insert(right.begin(), right.end());
  for (const auto &[name, power] : names)
    if (left[name] != right[name]) return left[name] < right[name];
  return false;
}

Dim::Term leading(const Dim &dim) {
  std::vector<Dim::Term> terms = dim.terms();
  return *std::max_element(terms.begin(), terms.end(), isBelow);
}

/// a / b of two terms.
std::optional<Dim> termQuotient(const Dim::Term &a, const Dim::Term &b) {
  if (b.coefficient == 0 || a.coefficient % b.coefficient != 0) return std::nullopt;
  Powers powers = powersOf(a);
  for (const auto &[name, power] : powersOf(b))
    if ((powers[name] -= power) < 0) return std::nullopt;
  Dim product(a.coefficient / b.coefficient);
  for (const auto &[name, power] : powers)
    for (int i = 0; i < power; ++i) product = product * *Dim::parse(name);
  return product;
}

}  // namespace

std::optional<Dim> exactQuotient(const Dim &a, const Dim &b) {
  if (b == Dim(1)) return a;
  if (b == Dim(0) || !a.isDefined() || !b.isDefined()) return std::nullopt;
  Dim rest = a, quotient;
  const Dim::Term divisor = leading(b);
  for (size_t most = a.terms().size() + b.terms().size(); !(rest == Dim(0)); --most) {
    if (most == 0) return std::nullopt;
    std::optional<Dim> part = termQuotient(leading(rest), divisor);
    if (!part) return std::nullopt;
    quotient = quotient + *part;
    rest = rest - *part * b;
  }
  return quotient;
}

}  // namespace tessera::transforms
