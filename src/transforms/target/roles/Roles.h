// Roles, rings of stages and the copy engine.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Roles {
  ir::tile::RolesOp op;  // null where all lanes of a group do the same
  ExprRef turns;         // null where no warpgroup waits for another
  llvm::SmallVector<ir::tile::RingOp> rings;
  llvm::DenseMap<mlir::Value, ExprRef> cursors;  // where the role that is emitted stands in each ring
  llvm::MapVector<mlir::Type, ExprRef> panels;   // where the consumers are in those of each dtype that they store
};

struct TileRows {
  int64_t count, axis;
};

// ---- Roles.cpp
/// Consumers of several warpgroups take groups of the launch in turn.
bool hasTeams(Emission &em);
/// The group has a producer more than the lanes over which tiles are spread.
void planRoles(Emission &em);
/// The rows of the tiles in which the copy engine moves a tensor; nothing where it does not.
std::optional<TileRows> tileRows(Emission &em, mlir::Value parameter);
mlir::LogicalResult emitRoles(Emission &em, ir::tile::RolesOp op);
/// The dimension along which the rows of a stored tile lie; the columns are the last.
int64_t rowAxis(ir::tile::StoreFragmentOp store);

// ---- Rings.cpp
mlir::LogicalResult emitRing(Emission &em, mlir::Operation &op);
/// The product after which a turn was passed and that is waited for behind `op`, the passing or the last load that comes meanwhile.
ir::tile::DotOp productUnderWay(mlir::Operation &op);
/// Taking a turn and passing it on.
mlir::LogicalResult emitTurn(Emission &em, mlir::Operation &op);
mlir::LogicalResult emitCopyToRing(Emission &em, ir::tile::CopyOp op);
mlir::LogicalResult emitBulkStore(Emission &em, ir::tile::StoreFragmentOp op);

}  // namespace tessera::transforms::totarget
