// Casts that keep the bits and not the number: they say so in the place of a rounding.
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

inline constexpr llvm::StringLiteral kBits = "bits";
/// A value as another one of as many bits each.
mlir::LogicalResult verifyBits(mlir::Operation *op, mlir::Type from, mlir::Type to);

}  // namespace tessera::ir
