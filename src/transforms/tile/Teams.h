// Two teams of consumers, one warpgroup each, on tiles of their own: while one does what follows its sums, the other multiplies.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {

constexpr int64_t kTeams = 2;

/// The loop of products of a kernel that can have teams; null where it cannot.
mlir::scf::ForOp loopOfTeams(ir::tile::KernelOp kernel, const RolePlan &plan);
/// Gives the consumers that go through this loop two teams. `inLoop`: the ring that it reads; `outside`: those with one stage for
/// each tile, and one for each team.
void formTeams(ir::tile::RolesOp roles, mlir::scf::ForOp loop, mlir::Value inLoop, llvm::ArrayRef<mlir::Value> outside);

}  // namespace tessera::transforms
