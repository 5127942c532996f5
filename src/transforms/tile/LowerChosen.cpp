// Elements of tensors that tiles of indices name. Rows that products alone read are copied to shared memory, each from its place; other
// elements go to the registers of the lane that holds them.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// For each dimension of the tensor the axis of the choice that it is; -1 for points, and for those that are counted with the next one.
SmallVector<int64_t> axesOf(const ChosenLoad &from) {
  SmallVector<int64_t> axes;
  int64_t next = 0;
  graph::LoadOp load = from.load;
  for (size_t i = 0; i < load.getPoints().size(); ++i) axes.push_back(load.getPoints()[i] || (i >= from.first && i < from.last) ? -1 : next++);
  return axes;
}

/// The tensor's rows lie along the axis that is chosen from, and their elements along the last one; all others are at one element, which
/// is there.
bool takesRows(graph::GatherOp op, const ChosenLoad &from) {
  graph::LoadOp load = from.load;
  const SmallVector<int64_t> axes = axesOf(from), held = longAxes(op.getType());
  const size_t last = axes.size() - 1;
  if (held.size() != 2 || axes[from.last] != held[0] || axes[last] != held[1] || load.getSteps()[last] != 1) return false;
  if (longAxes(op.getPlaces().getType()).size() != 1) return false;
  for (size_t i = 0; i < last; ++i) {
    const bool isRow = i >= from.first && i <= from.last;
    if (!isRow && (!load.getInBounds()[i] || (!load.getPoints()[i] && !isUnit(load.getSizes().getDims()[i])))) return false;
  }
  // What lies behind the extent of a tile would be copied with it.
  return llvm::none_of(op.getType().getShape(), [](DimAttr extent) { return variesAtRunTime(extent); });
}

/// Moves what makes a value out of the loops in which it does not change.
void hoist(Operation *op) {
  while (auto loop = dyn_cast<scf::ForOp>(op->getParentOp())) {
    SmallVector<Operation *> makers = {op};
    llvm::SmallPtrSet<Operation *, 8> seen = {op};
    for (size_t i = 0; i < makers.size(); ++i) {
      if (i > 0 && !isPure(makers[i])) return;
      for (Value operand : makers[i]->getOperands()) {
        if (isa<BlockArgument>(operand) && cast<BlockArgument>(operand).getOwner() == loop.getBody()) return;
        Operation *maker = operand.getDefiningOp();
        if (!maker || !loop->isProperAncestor(maker)) continue;
        if (maker->getBlock() != loop.getBody()) return;
        if (seen.insert(maker).second) makers.push_back(maker);
      }
    }
    llvm::sort(makers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *maker : makers) maker->moveBefore(loop);
  }
}

}  // namespace

/// Rows for products, whose places stand in shared memory, as other lanes bring them than those that know them. False if it is something else.
bool KernelLowering::copyRows(graph::GatherOp op, const ChosenLoad &from) {
  if (!takesRows(op, from) || !onlyFeedsDots(op.getResult())) return false;
  Location loc = op.getLoc();
  graph::LoadOp load = from.load;
  StringRef base = nameHint(load.getBase());
  const std::string name = base.empty() ? "operand" : base.str();
  Value numbers = writeToShared(values_.lookup(op.getPlaces()), name + "_rows", unnamed(loc));
  hoist(&builder_.getInsertionBlock()->back());  // the write
  Value buffer = allocShared(longShape(op.getType()), elementTypeOf(op.getType()), name + "_tile", loc, loc);
  SmallVector<Value> indices;
  for (Value offset : load.getOffsets()) indices.push_back(values_.lookup(offset));
  builder_.create<tile::CopyRowsOp>(unnamed(loc), values_.lookup(load.getBase()), indices, numbers, from.last, from.last - from.first, buffer, false);
  shared_[op.getResult()] = buffer;
  return true;
}

LogicalResult KernelLowering::lowerChosen(graph::GatherOp op) {
  const ChosenLoad from = *chosenLoad(op);
  if (copyRows(op, from)) return success();
  Location loc = op.getLoc(), line = unnamed(loc);
  Type i64 = builder_.getI64Type();
  graph::LoadOp load = from.load;
  const bool isTile = isLong(op.getType());
  if (!isTile && from.first != from.last) return unsupported(op, "one element that tiles of indices name along several axes; name it by numbers");
  Value places = isTile ? placesOf(op) : values_.lookup(op.getPlaces());
  SmallVector<Value> indices;
  SmallVector<bool> inBounds;
  for (auto [i, axis] : llvm::enumerate(axesOf(from))) {
    Value offset = values_.lookup(load.getOffsets()[i]);
    const int64_t position = axis < 0 ? -1 : longPosition(op.getType(), axis);
    inBounds.push_back(load.getInBounds()[i] && i != from.last && !variesAtRunTime(load.getSizes().getDims()[i]));
    if (i >= from.first && i < from.last) inBounds.back() = true;
    if (i == from.last) {
      indices.push_back(isTile ? places : cast(places, builder_.getIndexType(), line));
      continue;
    }
    if (position < 0) {
      indices.push_back(offset);
      continue;
    }
    Value at = cast(builder_.create<tile::IotaOp>(line, fragmentType(op.getResult(), builder_.getI32Type()), position), i64, line);
    auto spread = [&](Value number) { return builder_.create<tile::FillOp>(line, llvm::cast<tile::FragmentType>(at.getType()), number).getResult(); };
    if (load.getSteps()[i] != 1) at = elementwise("mul", {at, spread(constant(builder_.getI64IntegerAttr(load.getSteps()[i]), line))}, line);
    auto known = load.getOffsets()[i].getDefiningOp<graph::ConstantOp>();
    if (!known || llvm::cast<IntegerAttr>(known.getValue()).getInt() != 0) at = elementwise("add", {spread(cast(offset, i64, line)), at}, line);
    indices.push_back(at);
  }
  Value base = values_.lookup(load.getBase()), result;
  auto proved = builder_.getDenseBoolArrayAttr(inBounds);
  if (isTile) result = builder_.create<tile::LoadAtOp>(loc, fragmentType(op.getResult()), base, indices, from.last, from.last - from.first, proved);
  else result = builder_.create<tile::LoadElementOp>(loc, elementTypeOf(op.getType()), base, indices, Value(), proved);
  values_.map(op.getResult(), result);
  return success();
}

}  // namespace tessera::transforms
