// Strategy "sort": one group finds the order of one row; of a long one all groups together (RadixSort.cpp). What is sorted lies in memory, and so
// does the order.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

LogicalResult FunctionScheduler::sortKernel(graph::ArgsortOp op, Value target) {
  Value keys = op.getOperand();
  if (!leaves_.count(keys) && failed(makeRoot(keys))) return failure();
  if (leaves_.lookup(keys) == target) return op.emitError("the order of a tensor cannot be written over the tensor");
  return longSort(op, target, [&] { return sortByGroups(op, target); });
}

LogicalResult FunctionScheduler::sortByGroups(graph::ArgsortOp op, Value target) {
  Location loc = op.getLoc();
  MLIRContext *context = builder_.getContext();
  Value keys = op.getOperand();
  ArrayRef<DimAttr> shape = op.getType().getShape();
  bool isWhole = shape == op.getOperand().getType().getShape();
  SmallVector<DimAttr> tile(shape);
  std::fill(tile.begin(), tile.end() - 1, DimAttr::get(context, Dim(1)));
  Kernel kernel = beginKernel(op.getResult(), GridAttr::get(context, GridKind::Output, tile, 0), target,
                              {isWhole ? "one group sorts a row" : "one group finds the first places of a row"}, false, {}, schedule::KernelOp::getOperationName(), keys);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  SmallVector<Value> row;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    row.push_back(isUnit(shape[axis])
                      ? privatiser.constantIndex(0, loc)
                      : builder.create<graph::QueryOp>(named(shape.size() == 2 ? "row" : "", loc), builder.getIndexType(), "origin", axis).getResult());
  builder.create<schedule::ArgsortRowOp>(loc, kernel.leaves.lookup(keys), kernel.target, row, op.getDescending());
  builder.create<schedule::KernelEndOp>(loc);
  return success();
}

}  // namespace tessera::transforms
