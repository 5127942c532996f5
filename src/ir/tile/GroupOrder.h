// Which end of an axis of the grid has the longest groups.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On a kernel with `longest_first`: the work of a group shrinks along that axis, so the launch begins with its near end.
inline constexpr llvm::StringLiteral kLongestAtStart = "tsr.longest_at_start";

inline void markLongestAtStart(mlir::Operation *kernel) { kernel->setAttr(kLongestAtStart, mlir::UnitAttr::get(kernel->getContext())); }
inline bool isLongestAtStart(mlir::Operation *kernel) { return kernel->hasAttr(kLongestAtStart); }

}  // namespace tessera::ir
