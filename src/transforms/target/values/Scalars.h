// Scalars, and what the lanes of a group and of a warp learn of each other.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

// ---- Scalars.cpp
mlir::LogicalResult emitScalar(Emission &em, mlir::Operation &op);
mlir::LogicalResult emitWarp(Emission &em, ir::tile::WarpOp op);
/// Between two loops over lanes: what the first one left in an array becomes what the second one finds in another.
mlir::LogicalResult emitLaneWarp(Emission &em, ir::tile::WarpOp op);

}  // namespace tessera::transforms::totarget
