// Operations that are computed with fewer roundings or instructions than their names say: sums and differences that are one instruction
// with the product that they add to, and functions of what leaves in 16 bits.
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

/// On a `sigmoid`, an `erfc` or a `div` of f32 that is computed as `short_sigmoid`, `short_erfc` or `short_div` (docs/spec/numerics.md, R15, R18).
inline constexpr llvm::StringLiteral kShortened = "tsr.shortened";

inline void markShortened(mlir::Operation *op) { op->setAttr(kShortened, mlir::UnitAttr::get(op->getContext())); }
inline bool isShortened(mlir::Operation *op) { return op->hasAttr(kShortened); }

/// On a `div` of f32 by a number of elements: computed as `div_by` of math.h, in fewer instructions: the same number where it is normal.
inline constexpr llvm::StringLiteral kByExtent = "tsr.by_extent";

}  // namespace tessera::ir
