// Dimension expressions as C++ over int64_t variables.
#pragma once
#include "codegen/source/Precedence.h"
#include "support/Dim.h"
#include <functional>
#include <map>
#include <set>

namespace tessera::codegen {

class DimText {
public:
  /// How a variable is called in the text; the variable's own name where there is no entry.
  void rename(const std::string &variable, const std::string &text) { names_[variable] = text; }
  /// A variable that is a positive constant of the emitted code.
  void positive(const std::string &variable) { positive_.insert(variable); }
  /// A minimum or maximum that the text has computed already, and by which name.
  void computed(const std::string &atom, const std::string &name) { computed_[atom] = name; }
  Expr operator()(const Dim &dim) const;
  Expr operator()(const std::string &text) const;

private:
  Expr variable(const std::string &name) const;
  Expr atom(const Atom &atom) const;
  Expr division(const Dim &left, const Dim &right) const;
  bool isPositive(const Dim &dim) const;     // a divisor that cannot be zero
  bool isNotNegative(const Dim &dim) const;  // so that C's division rounds down too
  std::map<std::string, std::string> names_, computed_;
  std::set<std::string> positive_;
};

/// Parses, or throws InternalError.
Dim parseDim(const std::string &text);

}  // namespace tessera::codegen
