// How buffers in shared memory are laid out.
#pragma once
#include "ir/tile/Tile.h"

namespace tessera::transforms {

/// The 16-byte chunks of a row change places ("xor") or lie in panels, in a buffer that the compiler lays out and that has no order yet.
inline void swizzle(mlir::Value buffer, llvm::StringRef order) {
  auto type = mlir::cast<ir::SharedType>(buffer.getType());
  auto alloc = buffer.getDefiningOp<ir::tile::AllocSharedOp>();
  if (!alloc || alloc.getManual() || !type.getSwizzle().empty()) return;
  alloc.getResult().setType(ir::SharedType::get(type.getContext(), type.getShape(), type.getElementType(), order));
}

}  // namespace tessera::transforms
