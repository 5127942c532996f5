#include "codegen/DimText.h"
#include "support/Check.h"

namespace tessera::codegen {

Dim parseDim(const std::string &text) {
  std::optional<Dim> dim = Dim::parse(text);
  TSR_CHECK(dim, "no dimension expression: " + text);
  return *dim;
}

Expr DimText::variable(const std::string &name) const {
  auto found = names_.find(name);
  return {found == names_.end() ? name : found->second, Precedence::Primary};
}

bool DimText::isPositive(const Dim &dim) const {
  if (dim.isConstant()) return dim.constant() > 0;
  return dim.isVar() && positive_.count(dim.varName());
}

bool DimText::isNotNegative(const Dim &dim) const {
  for (const Dim::Term &term : dim.terms())
    if (term.coefficient < 0) return false;
  return true;  // extents and what is divided from them are never negative
}

Expr DimText::division(const Dim &left, const Dim &right) const {
  Dim counted = left - right + Dim(1);  // (n + d - 1) // d is n / d rounded up
  if (isPositive(right) && isNotNegative(counted) && !counted.isConstant())
    return callExpr("tsr::ceil_div", {(*this)(counted), (*this)(right)});
  if (isPositive(right) && isNotNegative(left)) return binaryExpr("/", (*this)(left), (*this)(right));
  return callExpr("tsr::floordiv<int64_t>", {(*this)(left), (*this)(right)});
}

Expr DimText::atom(const Atom &atom) const {
  if (auto known = computed_.empty() || atom.kind == AtomKind::Var ? computed_.end() : computed_.find(atom.str()); known != computed_.end())
    return {known->second, Precedence::Primary};
  switch (atom.kind) {
  case AtomKind::Var: return variable(atom.name);
  case AtomKind::FloorDiv: return division(*atom.left, *atom.right);
  case AtomKind::Mod:
    if (isPositive(*atom.right) && isNotNegative(*atom.left))
      return binaryExpr("%", (*this)(*atom.left), (*this)(*atom.right));
    return callExpr("tsr::mod<int64_t>", {(*this)(*atom.left), (*this)(*atom.right)});
  case AtomKind::Min: return callExpr("tsr::min<int64_t>", {(*this)(*atom.left), (*this)(*atom.right)});
  case AtomKind::Max: return callExpr("tsr::max<int64_t>", {(*this)(*atom.left), (*this)(*atom.right)});
  }
  TSR_UNREACHABLE("no such atom of a dimension");
}

Expr DimText::operator()(const Dim &dim) const {
  if (dim.isConstant()) {
    int64_t value = dim.constant();
    Expr number{std::to_string(value < 0 ? -value : value), Precedence::Primary};
    return value < 0 ? unaryExpr("-", number) : number;
  }
  std::optional<Expr> sum;
  // Positive terms first: n - 1, not -1 + n.
  for (bool negative : {false, true}) {
    for (const Dim::Term &term : dim.terms()) {
      if ((term.coefficient < 0) != negative) continue;
      int64_t factor = negative ? -term.coefficient : term.coefficient;
      std::optional<Expr> product;
      if (factor != 1 || term.atoms.empty()) product = Expr{std::to_string(factor), Precedence::Primary};
      for (const auto &[part, power] : term.atoms)
        for (int i = 0; i < power; ++i)
          product = product ? binaryExpr("*", *product, atom(part)) : atom(part);
      if (sum) sum = binaryExpr(negative ? "-" : "+", *sum, *product);
      else sum = negative ? unaryExpr("-", *product) : *product;
    }
  }
  return *sum;
}

Expr DimText::operator()(const std::string &text) const { return (*this)(parseDim(text)); }

}  // namespace tessera::codegen
