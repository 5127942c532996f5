// Masks that keep what lies beyond a tensor's end out of a reduction or a product.
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On a `select` of the graph or the tile dialect that gives the neutral value to elements beyond the end of a tensor.
/// Nothing that a program computes can depend on such elements, so they may have this value from the mask on. A program's
/// own `where` has no such mark: what is read without it must stay without it.
inline constexpr llvm::StringLiteral kExtentMask = "tsr.extent_mask";

inline void markExtentMask(mlir::Operation *select) {
  select->setAttr(kExtentMask, mlir::UnitAttr::get(select->getContext()));
}
inline bool isExtentMask(mlir::Operation *op) { return op->hasAttr(kExtentMask); }

}  // namespace tessera::ir
