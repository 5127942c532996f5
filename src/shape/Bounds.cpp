#include "shape/Bounds.h"
#include <algorithm>

namespace tessera::shape {

static std::optional<int64_t> greatestByOne(const Claim &fact, const std::string &dimension) {
  const bool turned = fact.right.isVar() && fact.left.isConstant();
  const Dim &name = turned ? fact.right : fact.left, &number = turned ? fact.left : fact.right;
  if (!name.isVar() || name.varName() != dimension || !number.isConstant()) return std::nullopt;
  switch (fact.relation) {
  case Relation::Eq: return number.constant();
  case Relation::Le: return turned ? std::nullopt : std::optional(number.constant());
  case Relation::Lt: return turned ? std::nullopt : std::optional(number.constant() - 1);
  case Relation::Ge: return turned ? std::optional(number.constant()) : std::nullopt;
  case Relation::Gt: return turned ? std::optional(number.constant() - 1) : std::nullopt;
  case Relation::Ne: return std::nullopt;
  }
  return std::nullopt;
}

/// `number - D >= 0`, as `D in 1..=64` is kept.
static std::optional<int64_t> greatestByRest(const Claim &fact, const std::string &dimension) {
  if (fact.relation != Relation::Ge || !(fact.right == Dim(0))) return std::nullopt;
  const Dim most = fact.left + Dim::var(dimension);
  return most.isConstant() ? std::optional(most.constant()) : std::nullopt;
}

std::optional<int64_t> greatestBy(const Claim &fact, const std::string &dimension) {
  const Formula formula = asFormula(fact);
  if (formula.kind == Formula::Kind::Or) return std::nullopt;
  std::optional<int64_t> least;
  for (const Formula &part : formula.kind == Formula::Kind::And ? formula.parts : std::vector<Formula>{formula}) {
    if (part.kind != Formula::Kind::Claim) continue;
    for (auto most : {greatestByOne(part.claim, dimension), greatestByRest(part.claim, dimension)})
      if (most) least = least ? std::min(*least, *most) : most;
  }
  return least;
}

std::string needsGreatest(const std::string &dimension) {
  return "a group holds this tile in registers and shared memory, so " + dimension +
         ", which varies at run time, needs an upper bound; add a fact such as `where " + dimension + " <= 256`";
}

}  // namespace tessera::shape
