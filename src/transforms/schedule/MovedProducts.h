// Products that are only moved before they are read: transposed, or under another shape; and values that are put together.
#pragma once
#include "ir/graph/Graph.h"
#include "support/Machine.h"

namespace tessera::transforms {

/// The product that the value is, moved, or what `Also` does to it besides; null if it is none.
template <class... Also> mlir::Operation *productUnder(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (mlir::isa_and_nonnull<ir::graph::TransposeOp, ir::graph::ReshapeOp, Also...>(op)) op = op->getOperand(0).getDefiningOp();
  return mlir::isa_and_nonnull<ir::graph::DotOp>(op) ? op : nullptr;
}
inline bool isMovedProduct(mlir::Value value) { return productUnder(value) != nullptr; }

/// The machine's kernels of products store the sums of their tiles (tile-sum-columns), and write results by the copy engine.
inline bool hasSumsOfTiles(mlir::Operation *op) {
  const Machine *machine = ir::machineOf(op);
  return machine && machine->warpgroupProducts;
}
/// A sum over rows of a product that comes from its tiles.
inline bool isSumOfTiles(mlir::Operation *op) {
  auto reduce = mlir::dyn_cast<ir::graph::ReduceOp>(op);
  return reduce && reduce.getMnemonic() == "sum" && ir::elementTypeOf(reduce.getType()).isF32() && hasSumsOfTiles(op) && isMovedProduct(reduce.getOperand());
}

/// The operand of a concatenation that the value becomes, maybe under another shape; null if it is more than that.
inline mlir::OpOperand *joinedAs(mlir::Value value) {
  while (value.hasOneUse() && mlir::isa<ir::graph::ReshapeOp>(*value.user_begin())) value = (*value.user_begin())->getResult(0);
  return value.hasOneUse() && mlir::isa<ir::graph::ConcatOp>(*value.user_begin()) ? &*value.use_begin() : nullptr;
}

}  // namespace tessera::transforms
