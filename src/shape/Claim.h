// What can be said about dimensions: a comparison of two of them, and `and` and `or` of such.
#pragma once
#include "shape/Relation.h"
#include "support/Dim.h"
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::shape {

/// Values of variables, in the order of their names.
using Sizes = std::map<std::string, int64_t>;

struct Claim {
  Dim left;
  Relation relation = Relation::Eq;
  Dim right;
  std::string str() const;  // "D % H == 0"
};

struct Formula {
  enum class Kind : uint8_t { Claim, And, Or };
  Kind kind = Kind::And;  // no parts: true
  Claim claim;
  std::vector<Formula> parts;

  Formula() = default;
  Formula(Claim c) : kind(Kind::Claim), claim(std::move(c)) {}
  Formula(Dim left, Relation relation, Dim right)
      : Formula(Claim{std::move(left), relation, std::move(right)}) {}
  static Formula all(std::vector<Formula> parts) { return combine(Kind::And, std::move(parts)); }
  static Formula any(std::vector<Formula> parts) { return combine(Kind::Or, std::move(parts)); }

  Formula negated() const;
  Formula map(const std::function<Dim(const Dim &)> &change) const;
  void collectVars(std::set<std::string> &names) const;
  bool isDefined() const;  // all of its sides are
  std::string str() const;
  /// Nothing where a part has no value (a division by 0), and none before it decides.
  std::optional<bool> holds(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const;

private:
  static Formula combine(Kind kind, std::vector<Formula> parts);
};

Relation negation(Relation relation);
bool compare(int64_t left, Relation relation, int64_t right);
const char *spelling(Relation relation);

/// One comparison that says the same: `or` becomes max(...) >= 0, `and` min(...) >= 0.
Claim asClaim(const Formula &formula);
/// The formula that asClaim() wrote.
Formula asFormula(const Claim &claim);

}  // namespace tessera::shape
