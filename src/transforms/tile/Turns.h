// Loops of consumers in which a product's left operand is computed from an earlier product.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {

/// Whether a value is computed from the result of a product of the same block.
bool comesFromDot(mlir::Value value, mlir::Block *block);

/// Whether warpgroups do all of the loop's body by themselves: nothing in it may wait for the others.
bool runsByItself(mlir::scf::ForOp loop);

/// Whether the kernel's warpgroups may multiply by turns: there are several, and two stages, as with one a warpgroup
/// would wait, in its turn, for a stage that another leaves in its own.
bool takesTurns(ir::tile::KernelOp kernel);

/// The scale of the rows of what a product adds to: `acc * broadcast(scale)`, used there alone; or null.
ir::tile::ElementwiseOp rowScaleOf(ir::tile::DotOp dot);

}  // namespace tessera::transforms
