// Strategy "map": no lane needs what another has; each computes elements of the result by itself.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

LogicalResult FunctionScheduler::laneKernel(Value root, Value target, bool sequential) {
  Location loc = root.getLoc();
  MLIRContext *context = builder_.getContext();
  Dim count(1);
  for (DimAttr dim : shapeOf(root.getType())) count = count * dim.getDim();
  GridAttr grid = GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, count), -1);
  std::string reason =
      sequential ? "one lane an element of the result; it adds up by itself" : "one lane an element";
  Kernel kernel = beginKernel(root, grid, target, {reason}, true, {});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Location place = unnamed(loc);
  Value i = builder.create<graph::QueryOp>(named("i", place), builder.getIndexType(), "linear_id", 0);
  Privatiser outer(builder, kernel.leaves);
  Value isInside = outer.arithmetic("lt", i, outer.dim(count, place), place);
  auto guard = builder.create<scf::IfOp>(place, isInside, /*withElse=*/false);
  builder.setInsertionPointToStart(guard.thenBlock());
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices = privatiser.delinearize(i, shapeOf(root.getType()), place, /*naming=*/true);
  Value piece = privatiser.part(root, indices);
  if (!piece) return failure();
  store(builder, piece, kernel.target, indices, /*byLane=*/true, loc);
  builder.setInsertionPointAfter(guard);
  builder.create<schedule::KernelEndOp>(place);
  return success();
}

}  // namespace tessera::transforms
