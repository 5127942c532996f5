// Stages of the buffers that a kernel's loops load ahead: a size of its schedule, under the name "stages".
#pragma once
#include "ir/tile/Tile.h"

namespace tessera::transforms {

/// What the schedule says, or nothing.
std::optional<int64_t> givenStages(ir::tile::KernelOp kernel);
/// Where there is room for fewer than the schedule says, the comment over the kernel says why: `staged` are the bytes of
/// shared memory of one stage.
void explainStages(ir::tile::KernelOp kernel, int64_t stages, int64_t staged);
/// The kernel has so many, as `T.stages`.
void setStages(ir::tile::KernelOp kernel, int64_t stages);

/// The most that a producer fills: with more, what is loaded is not there sooner.
constexpr int64_t kMostStages = 6;
/// So many bytes of shared memory are free again: more stages of a producer's rings, as far as they go.
void addStages(ir::tile::KernelOp kernel, int64_t bytes);

/// A copy that is done elsewhere, and what it alone needed in `within`: where a tile lies is for those to know who copy it.
void eraseWithOperands(mlir::Operation *copy, mlir::Operation *within);

}  // namespace tessera::transforms
