// What nobody reads any more.
#pragma once
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::transforms {

/// Erases operations without effects whose results have no use. Unlike CSE it leaves equal values apart.
inline void eraseUnused(mlir::Operation *root) {
  llvm::SmallVector<mlir::Operation *> ops;
  root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { ops.push_back(op); });  // backwards: what is inside first
  for (mlir::Operation *op : llvm::reverse(ops))
    if (op != root && mlir::isOpTriviallyDead(op)) op->erase();
}

}  // namespace tessera::transforms
