// How a product may be added up, where its operations do not say it: kept on `graph.dot` and on the `tile.dot` that it becomes.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"

namespace tessera::ir {

/// A unit: the sums may stay in tensor cores that keep fewer bits (`@fast_sums`). Absent: they are in the dtype of the result.
inline constexpr llvm::StringLiteral kFastSums = "tsr.fast_sums";

inline bool hasFastSums(mlir::Operation *product) { return product->hasAttr(kFastSums); }

/// The product, which may be added up as `like` may, whose place it takes.
template <class Product> Product addedUpAs(mlir::Operation *like, Product product) {
  if (hasFastSums(like)) product->setAttr(kFastSums, mlir::UnitAttr::get(product->getContext()));
  return product;
}

}  // namespace tessera::ir
