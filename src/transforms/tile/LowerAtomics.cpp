// Updates of memory in one step: by each lane, by the lanes of a group in turn, by a tile.
#include "ir/common/InOrder.h"
#include "support/SetAtPlaces.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Value KernelLowering::asIndex(Value value, Location loc) { return cast(value, builder_.getIndexType(), named("at", unnamed(loc))); }

/// A scalar as the program says; a tile of one element once.
LogicalResult KernelLowering::lowerAtomic(graph::AtomicOp op) {
  SmallVector<Value> indices;
  for (Value index : op.getIndices()) indices.push_back(asIndex(values_.lookup(index), op.getLoc()));
  const bool byLane = target_.getGrid().getKind() == GridKind::Lanes;
  OpBuilder::InsertionGuard guard(builder_);
  if (op.getOnce() || (llvm::isa<TensorType>(op.getValue().getType()) && !byLane)) {
    auto single = builder_.create<tile::OnceOp>(op.getLoc());
    builder_.setInsertionPointToEnd(&single.getBody().emplaceBlock());
  }
  if (op.getMnemonic() == kSetMnemonic) {
    builder_.create<tile::StoreElementOp>(op.getLoc(), values_.lookup(op.getValue()), values_.lookup(op.getBase()), indices, proved(op.getInBounds()));
    return success();
  }
  auto atomic = builder_.create<tile::AtomicOp>(op.getLoc(), op->getResultTypes(), op.getMnemonic(), values_.lookup(op.getValue()),
                                                values_.lookup(op.getBase()), indices, proved(op.getInBounds()));
  if (op->hasAttr(kInOrder)) atomic->setAttr(kInOrder, builder_.getUnitAttr());
  if (op.getOld()) values_.map(op.getOld(), atomic.getOld());
  return success();
}

/// A row that is longer than a group can hold: a loop over its elements.
LogicalResult KernelLowering::updateRow(graph::AtomicOp op) {
  if (!checkReadsBefore(op, op.getValue())) return failure();
  for (Value index : op.getIndices())
    if (!checkReadsBefore(op, index)) return failure();
  const bool byGroup = !isInVaryingFlow(op) && !isVarying(op.getValue()) &&
                       llvm::none_of(op.getIndices(), [&](Value index) { return isVarying(index); });
  loopOver(shapeOf(op.getValue().getType()), byGroup, {}, op.getLoc(), [&](ArrayRef<Value> index, Value) -> Value {
    Value value = element(op.getValue(), index);
    SmallVector<Value> indices;
    for (Value place : op.getIndices()) {
      Value at = isLong(place.getType()) ? element(place, index) : values_.lookup(place);
      if (!at) return {};
      indices.push_back(asIndex(at, op.getLoc()));
    }
    if (value && op.getMnemonic() == kSetMnemonic)
      builder_.create<tile::StoreElementOp>(op.getLoc(), value, values_.lookup(op.getBase()), indices, proved(op.getInBounds()));
    else if (value)
      builder_.create<tile::AtomicOp>(op.getLoc(), TypeRange(), op.getMnemonic(), value, values_.lookup(op.getBase()), indices,
                                      proved(op.getInBounds()));
    return value;
  });
  return success(!failed_);
}

/// A tile in registers: each element by the lane that has it.
LogicalResult KernelLowering::updateFragment(graph::AtomicOp op) {
  SmallVector<Value> indices;
  for (Value index : op.getIndices()) indices.push_back(values_.lookup(index));
  builder_.create<tile::AtomicOp>(op.getLoc(), TypeRange(), op.getMnemonic(), values_.lookup(op.getValue()),
                                  values_.lookup(op.getBase()), indices, proved(op.getInBounds()));
  return success();
}

}  // namespace tessera::transforms
