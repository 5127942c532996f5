// Dimensions such as `2 * N + 1`, `I + H` and `H * D`, which give a variable a value although it does not stand alone: what is left when the number, and
// what other extents give, are taken off.
#pragma once
#include "support/Dim.h"

namespace tessera {

/// factor * variable + rest. The rest is a number, or made of variables that are given; so is the factor, which is at least 1,
/// or as large as such variables are: sizes, of which one may be 0.
struct LinearDim {
  std::string variable;
  Dim factor, rest;
  /// The variable, for an extent that the dimension is; a whole number only if `factor` divides what is left.
  Dim solved(const Dim &extent) const { return Dim::floorDiv(extent - rest, factor); }
  /// The same where the variables of the rest stand for these.
  Dim solved(const Dim &extent, const std::map<std::string, Dim> &values) const {
    return Dim::floorDiv(extent - rest.substitute(values), factor.substitute(values));
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
    Dim product(term.coefficient);  // what the variable is multiplied by, where it is
    bool has = false;
    for (const auto &[atom, power] : term.atoms) {
      const bool isIt = atom.kind == AtomKind::Var && atom.name == linear.variable;
      if (isIt && power != 1) return std::nullopt;
      if (!isIt && atom.kind != AtomKind::Var) product = Dim();  // neither a factor, nor without the variable: the rest tells
      has |= isIt;
      for (int i = 0; i < power && !isIt && atom.kind == AtomKind::Var; ++i) product = product * Dim::var(atom.name);
    }
    if (has && term.coefficient < 1) return std::nullopt;
    if (has) linear.factor = linear.factor + product;
  }
  if (linear.factor == Dim()) return std::nullopt;
  linear.rest = dim - linear.factor * Dim::var(linear.variable);
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
