// Tiles that are loaded to registers by way of shared memory, where the copy engine brings them ahead of their use.
#pragma once
#include "ir/tile/Tile.h"
#include "transforms/tile/Extents.h"

namespace tessera::transforms {

/// A tile that bulk copies can bring, as panels.
bool canBeStaged(ir::tile::LoadFragmentOp load, Extents &extents);
/// `t = load x[...]` becomes `copy x[...] to s; t = read s`, with a buffer of its own; the load is erased. The read.
ir::tile::ReadSharedOp stage(ir::tile::LoadFragmentOp load, llvm::StringRef swizzle = "");

}  // namespace tessera::transforms
