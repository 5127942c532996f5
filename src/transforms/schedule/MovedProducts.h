// Products that are only moved before they are read: transposed, or under another shape.
#pragma once
#include "ir/graph/Graph.h"
#include "support/Machine.h"

namespace tessera::transforms {

inline bool isMovedProduct(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (mlir::isa_and_nonnull<ir::graph::TransposeOp, ir::graph::ReshapeOp>(op)) op = op->getOperand(0).getDefiningOp();
  return mlir::isa_and_nonnull<ir::graph::DotOp>(op);
}

/// A sum over rows of a product that comes from its tiles (tile-sum-columns), on machines whose kernels have that.
inline bool isSumOfTiles(mlir::Operation *op) {
  auto reduce = mlir::dyn_cast<ir::graph::ReduceOp>(op);
  if (!reduce || reduce.getMnemonic() != "sum" || !ir::elementTypeOf(reduce.getType()).isF32()) return false;
  const Machine *machine = ir::machineOf(op);
  return machine && machine->family == Target::Cuda && machine->warpgroupProducts && isMovedProduct(reduce.getOperand());
}

}  // namespace tessera::transforms
