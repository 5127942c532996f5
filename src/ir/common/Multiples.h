// Dimensions that a function says are multiples: `D % 64 == 0` makes `64 * (D // 64)` the same as D.
#pragma once
#include "ir/common/Common.h"
#include <map>

namespace tessera::ir {

/// For comparing only: each dimension that the facts say is a multiple of a number, as that number times another dimension.
inline Dim inMultiples(const Dim &dim, mlir::ArrayAttr facts) {
  std::map<std::string, Dim> values;
  if (!facts || dim.isConstant()) return dim;
  for (auto fact : facts.getAsRange<RequirementAttr>()) {
    if (fact.getRelation() != Relation::Eq || !(fact.getRight().getDim() == Dim(0))) continue;
    std::vector<Dim::Term> terms = fact.getLeft().getDim().terms();
    if (terms.size() != 1 || terms[0].atoms.size() != 1 || terms[0].atoms[0].second != 1) continue;
    const Atom &atom = terms[0].atoms[0].first;
    if (atom.kind != AtomKind::Mod || !atom.left->isVar() || !atom.right->isConstant() || atom.right->constant() < 1) continue;
    values.try_emplace(atom.left->varName(), *atom.right * Dim::var(atom.left->varName() + "/" + atom.right->str()));
  }
  return values.empty() ? dim : dim.substitute(values);
}

}  // namespace tessera::ir
