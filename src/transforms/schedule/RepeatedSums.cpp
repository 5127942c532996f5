// Sums that a kernel would add up again for each of its elements. A product with a vector is multiplications and a sum; the vector that a
// second one multiplies, `gelu(x @ w) @ v`, is the same for all columns of v, and so is the norm of a row that is multiplied with a matrix.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Axes of several elements along which a group, or a lane, has one.
static size_t axesOfElements(Value value, const AxisKinds &kinds) {
  size_t count = 0;
  for (auto [extent, kind] : llvm::zip(shapeOf(value.getType()), kinds)) count += kind == AxisKind::Private && !isUnit(extent);
  return count;
}

/// Something that is added up at length is part of the value, and nothing in memory stands between.
bool FunctionScheduler::addsUp(Value value) {
  return holds(value, [](Operation *op) {
    auto reduce = dyn_cast<graph::ReduceOp>(op);
    return reduce && isLong(reduce);
  });
}

void FunctionScheduler::findRepeated(Value value, const AxisKinds &kinds, Value root, size_t axes, SmallVectorImpl<Value> &found, Met &met) {
  if ((value != root && isStored(value)) || !met.isNew(value, kinds)) return;
  Operation *op = value.getDefiningOp();
  const bool isLater = value != root && op->getBlock() == root.getParentBlock();
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  // One lane would do all the sums that lanes could do each for itself.
  const bool isAlone = axes == 0 && longAxes(root.getType()).empty() && reduce && isForLanes(reduce) && isLong(reduce);
  const bool isRepeated = axesOfElements(value, kinds) < axes && addsUp(value);
  const bool isMoved = isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp>(op) && operandAxes(op, 0, kinds) &&
                       countOf(op->getOperand(0).getType()) == countOf(value.getType());  // what lies under it can be stored as well
  if (isLater && !isMoved && (isAlone || isRepeated)) {
    if (!llvm::is_contained(found, value)) found.push_back(value);
    return;
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isa<TensorType>(operand.getType()))
      if (std::optional<AxisKinds> inner = operandAxes(op, i, kinds)) findRepeated(operand, *inner, root, axes, found, met);
}

/// What a kernel that fixes the first axes of its root is to find in memory: values that hold sums and are the same for some of these
/// axes' elements, as late as that is so.
SmallVector<Value> FunctionScheduler::repeatedUnder(Value root, size_t fixed) {
  AxisKinds kinds(shapeOf(root.getType()).size(), AxisKind::Whole);
  std::fill_n(kinds.begin(), std::min(fixed, kinds.size()), AxisKind::Private);
  SmallVector<Value> found;
  Met met;
  findRepeated(root, kinds, root, axesOfElements(root, kinds), found, met);
  llvm::sort(found, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  return found;
}

}  // namespace tessera::transforms
