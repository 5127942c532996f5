// Where the sums of a product lie that lanes add up by themselves.
#pragma once
#include "ir/tile/Tile.h"
#include "transforms/tile/Extents.h"

namespace tessera::transforms {

/// Blocks of neighbours over warps (#tile.blocked), for sums that such products add up together; null where the tile is too small for it, or
/// a group no whole warps.
ir::tile::Layout blockedLayout(Extents &extents, int64_t group, llvm::ArrayRef<ir::tile::DotOp> dots);

}  // namespace tessera::transforms
