#include "codegen/Conditions.h"
#include "ir/common/Common.h"
#include "ir/common/Relations.h"
#include "support/Check.h"
#include "support/Dim.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace mlir;

namespace tessera::codegen {

Literal literalOf(Attribute part) {
  if (auto words = dyn_cast<ArrayAttr>(part); words && words[0] == StringAttr::get(part.getContext(), "not")) return {words[1], false};
  return {part, true};
}

namespace {

/// What is at most 0 where the literal holds, of integers; nothing of equations and of other words.
std::optional<Dim> atMostZero(Literal literal) {
  auto asked = dyn_cast<ir::RequirementAttr>(literal.part);
  if (!asked) return std::nullopt;
  const Dim left = asked.getLeft().getDim(), right = asked.getRight().getDim();
  switch (literal.holds ? asked.getRelation() : ir::contraryOf(asked.getRelation())) {
  case ir::Relation::Le: return left - right;
  case ir::Relation::Lt: return left - right + Dim(1);
  case ir::Relation::Ge: return right - left;
  case ir::Relation::Gt: return right - left + Dim(1);
  case ir::Relation::Eq:
  case ir::Relation::Ne: return std::nullopt;
  }
  TSR_UNREACHABLE("a relation that says nothing");
}

/// `extent` of (extent + by - 1) // by, and `by`, a number.
struct Tiles {
  Dim extent;
  int64_t by;
};
std::optional<Tiles> tilesOf(const Dim::Term &term) {
  if (term.atoms.size() != 1 || term.atoms[0].second != 1) return std::nullopt;
  const Atom &atom = term.atoms[0].first;
  if (atom.kind != AtomKind::FloorDiv || !atom.right->isConstant() || atom.right->constant() < 1) return std::nullopt;
  Tiles tiles{*atom.left - Dim(atom.right->constant() - 1), atom.right->constant()};
  if (llvm::any_of(tiles.extent.terms(), [](const Dim::Term &part) { return part.coefficient < 0; })) return std::nullopt;
  return tiles;
}

/// Whether a difference is never more than 0: a number, and beside it as many larger tiles of an extent as smaller ones are taken away.
bool isAtMostZero(const Dim &difference) {
  if (!difference.isDefined()) return false;
  std::vector<Dim::Term> added, taken;
  for (const Dim::Term &term : difference.terms()) {
    if (term.atoms.empty() ? term.coefficient > 0 : !tilesOf(term)) return false;
    if (!term.atoms.empty()) (term.coefficient > 0 ? added : taken).push_back(term);
  }
  auto isCovered = [&](const Dim::Term &larger) {
    auto covers = [&](const Dim::Term &smaller) {
      return -smaller.coefficient >= larger.coefficient && tilesOf(smaller)->extent == tilesOf(larger)->extent && tilesOf(smaller)->by <= tilesOf(larger)->by;
    };
    auto found = llvm::find_if(taken, covers);
    if (found == taken.end()) return false;
    found->coefficient += larger.coefficient;
    return true;
  };
  return llvm::all_of(added, isCovered);
}

}  // namespace

bool follows(llvm::ArrayRef<Literal> known, Literal asked) {
  const std::optional<Dim> wanted = atMostZero(asked);
  return llvm::any_of(known, [&](Literal each) {
    if (each.part == asked.part && each.holds == asked.holds) return true;
    const std::optional<Dim> given = wanted ? atMostZero(each) : std::nullopt;
    return given && isAtMostZero(*wanted - *given);
  });
}

}  // namespace tessera::codegen
