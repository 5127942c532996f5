// Sentences for the comment over a kernel.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"

namespace tessera::transforms {

/// One more sentence, after those of the passes before.
inline void addReason(ir::tile::KernelOp kernel, const llvm::Twine &sentence) {
  mlir::Builder builder(kernel->getContext());
  llvm::SmallVector<mlir::Attribute> reasons(kernel.getReasons().begin(), kernel.getReasons().end());
  reasons.push_back(builder.getStringAttr(sentence));
  kernel.setReasonsAttr(builder.getArrayAttr(reasons));
}

}  // namespace tessera::transforms
