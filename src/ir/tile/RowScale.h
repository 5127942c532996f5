// Scales of rows that are 1 most of the time.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On a `mul` of a tile in the layout of warpgroups and a broadcast of one number for each row, whose result takes the
/// place of the tile: rows are skipped, a warp's together, where all of these numbers are 1.
inline constexpr llvm::StringLiteral kRowScale = "tsr.row_scale";

inline void markRowScale(mlir::Operation *product) { product->setAttr(kRowScale, mlir::UnitAttr::get(product->getContext())); }
inline bool isRowScale(mlir::Operation *op) { return op->hasAttr(kRowScale); }

}  // namespace tessera::ir
