// Dimensions such as `2 * N + 1`, which give their one variable a value although it does not stand alone.
#pragma once
#include "support/Dim.h"

namespace tessera {

/// factor * variable + rest, with a factor of at least 1.
struct LinearDim {
  std::string variable;
  int64_t factor = 0, rest = 0;
  /// The variable, for an extent that the dimension is; a whole number only if `factor` divides what is left.
  Dim solved(const Dim &extent) const { return Dim::floorDiv(extent - Dim(rest), Dim(factor)); }
};

/// Nothing for a variable alone, a number, or anything with more than one variable in it.
inline std::optional<LinearDim> linearDim(const Dim &dim) {
  LinearDim linear;
  if (dim.isVar()) return std::nullopt;
  for (const Dim::Term &term : dim.terms()) {
    if (term.atoms.empty()) {
      linear.rest = term.coefficient;
      continue;
    }
    const auto &[atom, power] = *term.atoms.begin();
    bool isVariable = term.atoms.size() == 1 && atom.kind == AtomKind::Var && power == 1;
    if (!isVariable || !linear.variable.empty() || term.coefficient < 1) return std::nullopt;
    linear.variable = atom.name;
    linear.factor = term.coefficient;
  }
  return linear.variable.empty() ? std::nullopt : std::optional(std::move(linear));
}

}  // namespace tessera
