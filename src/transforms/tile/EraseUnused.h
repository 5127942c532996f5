// What nobody needs any more.
#pragma once
#include "ir/tile/Tile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::transforms {

/// Erases operations of a kernel that do nothing, and what only they needed; also those that `isUnused` says.
inline void eraseUnused(ir::tile::KernelOp kernel, llvm::function_ref<bool(mlir::Operation *)> isUnused = nullptr) {
  for (bool again = true; again;) {
    again = false;
    kernel.getBody().walk([&](mlir::Operation *op) {
      if (!mlir::isOpTriviallyDead(op) && !(isUnused && isUnused(op))) return;
      op->erase();
      again = true;
    });
  }
}

}  // namespace tessera::transforms
