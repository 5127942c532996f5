// How a product may be added up, where its operations do not say it: kept on `graph.dot` and on the `tile.dot` that it becomes.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace tessera::ir {

/// A unit: the sums may stay in tensor cores that keep fewer bits (`@fast_sums`). Absent: they are in the dtype of the result.
inline constexpr llvm::StringLiteral kFastSums = "tsr.fast_sums";

inline bool hasFastSums(mlir::Operation *product) { return product->hasAttr(kFastSums); }

/// A number b: columns in blocks of b, each of which adds up terms of its own. Column n of [m, N] adds up, over c < b, the left operand's
/// columns `n / b * b + c`, of the N that each of its parts has (windows have one for each place), times row c of that part's b rows of the
/// right one. What a block does not see is never multiplied, so that it may be infinite.
inline constexpr llvm::StringLiteral kBlocks = "tsr.blocks";

inline std::optional<int64_t> blocksOf(mlir::Operation *product) {
  auto blocks = product->getAttrOfType<mlir::IntegerAttr>(kBlocks);
  return blocks ? std::optional(blocks.getInt()) : std::nullopt;
}

/// A number p, on a `graph.dot` of a function: rows in panels of p, each of which is multiplied with as many columns. Element [..., m, j] of
/// [..., M, p] is the row m times the column m / p * p + j of the M that the right operand has.
inline constexpr llvm::StringLiteral kPanels = "tsr.panels";

inline std::optional<int64_t> panelsOf(mlir::Operation *product) {
  auto panels = product->getAttrOfType<mlir::IntegerAttr>(kPanels);
  return panels ? std::optional(panels.getInt()) : std::nullopt;
}

/// The product, which may be added up as `like` may, whose place it takes.
template <class Product> Product addedUpAs(mlir::Operation *like, Product product) {
  if (hasFastSums(like)) product->setAttr(kFastSums, mlir::UnitAttr::get(product->getContext()));
  if (mlir::Attribute blocks = like->getAttr(kBlocks)) product->setAttr(kBlocks, blocks);
  return product;
}

}  // namespace tessera::ir
