// Strategy "map": no lane needs what another has; each computes elements of the result by itself.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

LogicalResult FunctionScheduler::laneKernel(Value root, Value target, bool sequential, ArrayRef<Value> siblings) {
  Location loc = root.getLoc();
  SmallVector<Stored> others = memoryForAll(siblings);
  MLIRContext *context = builder_.getContext();
  Dim count(1);
  for (DimAttr dim : shapeOf(root.getType())) count = count * dim.getDim();
  GridAttr grid = GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, count), -1);
  std::string reason =
      sequential ? "one lane an element of the result; it adds up by itself" : "one lane an element";
  if (!siblings.empty()) reason += " of all results: what they share is read once";
  Kernel kernel = beginKernel(root, grid, target, {reason}, true, {}, schedule::KernelOp::getOperationName(), {}, others);
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
  SmallVector<Value> pieces;
  for (Value sibling : siblings)
    if (!pieces.emplace_back(privatiser.part(sibling, indices))) return failure();
  store(builder, piece, kernel.target, indices, /*byLane=*/true, loc);
  for (auto [i, sibling] : llvm::enumerate(siblings)) {
    store(builder, pieces[i], kernel.others[i], indices, /*byLane=*/true, sibling.getLoc());
    isHeld(others[i]);
  }
  builder.setInsertionPointAfter(guard);
  builder.create<schedule::KernelEndOp>(place);
  return success();
}

}  // namespace tessera::transforms
