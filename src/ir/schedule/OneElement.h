// Kernels whose lanes have one element each, however long it takes: there may be few of them.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera::ir {

inline constexpr llvm::StringLiteral kOneElement = "tsr.one_element";

inline void markOneElement(mlir::Operation *kernel) { kernel->setAttr(kOneElement, mlir::UnitAttr::get(kernel->getContext())); }
inline bool hasOneElementALane(mlir::Operation *kernel) { return kernel->hasAttr(kOneElement); }

}  // namespace tessera::ir
