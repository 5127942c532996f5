// Dimensions such as `2 * N + 1` and `I + H`, which give a variable a value although it does not stand alone: what is left when the number, and
// what other extents give, are taken off.
#pragma once
#include "support/Dim.h"

namespace tessera {

/// factor * variable + rest, with a factor of at least 1. The rest is a number, or made of variables that are given.
struct LinearDim {
  std::string variable;
  int64_t factor = 0;
  Dim rest;
  /// The variable, for an extent that the dimension is; a whole number only if `factor` divides what is left.
  Dim solved(const Dim &extent) const { return Dim::floorDiv(extent - rest, Dim(factor)); }
  /// The same where the variables of the rest stand for these.
  Dim solved(const Dim &extent, const std::map<std::string, Dim> &values) const {
    return Dim::floorDiv(extent - rest.substitute(values), Dim(factor));
  }
};

using IsGivenDim = std::function<bool(const std::string &)>;

/// Nothing for a variable alone, a number, or anything with more than one variable in it that is not given.
inline std::optional<LinearDim> linearDim(const Dim &dim, const IsGivenDim &isGiven = {}) {
  if (dim.isVar() || dim.isConstant()) return std::nullopt;
  std::set<std::string> open;
  dim.collectVars(open);
  if (isGiven) std::erase_if(open, isGiven);
  if (open.size() != 1) return std::nullopt;
  LinearDim linear;
  linear.variable = *open.begin();
  for (const Dim::Term &term : dim.terms()) {
    const bool isVariable = term.atoms.size() == 1 && term.atoms[0].first.kind == AtomKind::Var && term.atoms[0].second == 1;
    if (isVariable && term.atoms[0].first.name == linear.variable) linear.factor = term.coefficient;
  }
  if (linear.factor < 1) return std::nullopt;
  linear.rest = dim - Dim(linear.factor) * Dim::var(linear.variable);
  std::set<std::string> left;
  linear.rest.collectVars(left);
  return left.count(linear.variable) ? std::nullopt : std::optional(std::move(linear));
}

/// An extent of a signature that gives a variable which stands nowhere alone.
struct SolvedExtent {
  size_t parameter = 0, axis = 0;
  LinearDim extent;
};

/// In an order in which each needs only what stands alone, in `given`, or comes before it.
inline std::vector<SolvedExtent> solvedExtents(const std::vector<std::vector<Dim>> &shapes, std::set<std::string> given = {}) {
  for (const std::vector<Dim> &shape : shapes)
    for (const Dim &dim : shape)
      if (dim.isVar()) given.insert(dim.varName());
  std::vector<SolvedExtent> solved;
  for (size_t before = solved.size() + 1; before != solved.size();) {
    before = solved.size();
    for (size_t p = 0; p < shapes.size(); ++p)
      for (size_t axis = 0; axis < shapes[p].size(); ++axis)
        if (auto linear = linearDim(shapes[p][axis], [&](const std::string &name) { return given.count(name) != 0; })) {
          given.insert(linear->variable);
          solved.push_back({p, axis, std::move(*linear)});
        }
  }
  return solved;
}

}  // namespace tessera
