// Strategy "map": no lane needs what another has; each computes elements of the result by itself.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

static Dim countOfLanes(ArrayRef<DimAttr> extents) {
  Dim count(1);
  for (DimAttr extent : extents) count = count * extent.getDim();
  return count;
}

GridAttr FunctionScheduler::gridOfLanes(MLIRContext *context, ArrayRef<DimAttr> extents) {
  return GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, countOfLanes(extents)), -1);
}

FunctionScheduler::Lane FunctionScheduler::beginLane(const Kernel &kernel, ArrayRef<DimAttr> extents, Location line, StringRef name) {
  Lane lane{OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front()), {}};
  OpBuilder &builder = lane.builder;
  lane.number = builder.create<graph::QueryOp>(named(name, line), builder.getIndexType(), "linear_id", 0);
  Privatiser outer(builder, kernel.leaves);
  Value isInside = outer.arithmetic("lt", lane.number, outer.dim(countOfLanes(extents), line), line);
  builder.setInsertionPointToStart(builder.create<scf::IfOp>(line, isInside, /*withElse=*/false).thenBlock());
  return lane;
}

void FunctionScheduler::endLane(const Kernel &kernel, Location line) {
  OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front()).create<schedule::KernelEndOp>(line);
}

LogicalResult FunctionScheduler::laneKernel(Value root, Value target, bool sequential, ArrayRef<Value> siblings) {
  Location loc = root.getLoc();
  SmallVector<Stored> others = memoryForAll(siblings);
  GridAttr grid = gridOfLanes(builder_.getContext(), shapeOf(root.getType()));
  std::string reason =
      sequential ? "one lane an element of the result; it adds up by itself" : "one lane an element";
  if (!siblings.empty()) reason += " of all results: what they share is read once";
  Kernel kernel = beginKernel(root, grid, target, {reason}, true, {}, schedule::KernelOp::getOperationName(), {}, others);
  Location place = unnamed(loc);
  Lane lane = beginLane(kernel, shapeOf(root.getType()), place);
  OpBuilder &builder = lane.builder;
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices = privatiser.delinearize(lane.number, shapeOf(root.getType()), place, /*naming=*/true);
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
  endLane(kernel, place);
  return success();
}

}  // namespace tessera::transforms
