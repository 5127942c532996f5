// Sums and differences that are one instruction with the product that they add to.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On an `add` or `sub` whose first operand is a product: both are rounded once, as `fma`. A program's own sums never have
/// this mark (docs/spec/numerics.md, F18); a pass that sets it says which rule allows it.
inline constexpr llvm::StringLiteral kContracted = "tsr.contracted";

inline void markContracted(mlir::Operation *sum) { sum->setAttr(kContracted, mlir::UnitAttr::get(sum->getContext())); }
inline bool isContracted(mlir::Operation *op) { return op->hasAttr(kContracted); }

}  // namespace tessera::ir
