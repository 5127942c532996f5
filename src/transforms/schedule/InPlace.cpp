// Rows that are written where they were read: a row kernel's result over an array of the same shape that nobody needs behind it.
// The derivative by the logits lies where the logits were.
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// How many leading axes number the rows, of which there are so many; nothing if no leading axes do.
static std::optional<size_t> axesOf(Value value, const Dim &rows) {
  Dim count(1);
  ArrayRef<DimAttr> shape = shapeOf(value.getType());
  for (size_t axes = 0; axes <= shape.size(); ++axes) {
    if (count == rows) return axes;
    if (axes < shape.size()) count = count * shape[axes].getDim();
  }
  return std::nullopt;
}

/// The op leaves each of so many rows where it is, and what it finds elsewhere in the row it finds by a reduction of the group.
static bool keepsRows(Operation *op, const Dim &rows) {
  if (isa<graph::ElementwiseOp, graph::CastOp, graph::ReshapeOp>(op)) return true;  // a reshape of as many rows
  std::optional<size_t> axes = axesOf(op->getOperand(0), rows);
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    bool isByGroup = !isForLanes(reduce) && isLong(reduce);  // else each lane reads the row by itself
    return isByGroup && axes && llvm::all_of(reduce.getAxes(), [&](int64_t axis) { return axis >= static_cast<int64_t>(*axes); });
  }
  auto broadcast = dyn_cast<graph::BroadcastOp>(op);
  if (!broadcast || !axes) return false;
  for (auto [i, axis] : llvm::enumerate(broadcast.getAxes()))
    if (static_cast<int64_t>(i) != axis) return false;
  return broadcast.getType().getShape().take_front(*axes) == shapeOf(broadcast.getOperand().getType()).take_front(*axes);
}

/// What an element of `value` becomes depends, of this memory, on the element at its own place and on reductions along its own
/// row: the group has computed these, all lanes together, before a lane stores anything.
bool FunctionScheduler::readsOnlyItsRow(Value value, Value memory, const Dim &rows) {
  if (!readsFrom(value, memory)) return true;
  if (!isa<TensorType>(value.getType()) || !axesOf(value, rows)) return false;
  if (leaves_.count(value)) return true;
  Operation *op = value.getDefiningOp();
  return keepsRows(op, rows) && llvm::all_of(op->getOperands(), [&](Value operand) { return readsOnlyItsRow(operand, memory, rows); });
}

/// Nothing but `last` is still to read this memory.
bool FunctionScheduler::isLastReader(Operation *last, Value memory) {
  for (auto [value, held] : leaves_) {
    if (held != memory) continue;
    for (Operation *user : value.getUsers()) {
      if (user == last) continue;
      if (user->getBlock() != last->getBlock() || !user->isBeforeInBlock(last)) return false;
      llvm::DenseSet<Value> seen;
      if (llvm::any_of(user->getResults(), [&](Value result) { return isPending(result, last, seen); })) return false;
    }
  }
  return true;
}

/// The memory of an array that a row kernel for `root` reads as the last one, and that its result may lie in; null if there is none.
Value FunctionScheduler::memoryToOverwrite(Value root, size_t fixed) {
  if (when_ != always_ || !root.getDefiningOp() || root.getParentBlock() != &function_.entry()) return {};
  llvm::SetVector<Value> inputs;
  leavesOf(root, inputs);
  Dim rows(1);
  for (DimAttr extent : shapeOf(root.getType()).take_front(fixed)) rows = rows * extent.getDim();
  for (Value input : inputs) {
    Value memory = leaves_.lookup(input);
    auto temp = memory.getDefiningOp<schedule::TempOp>();
    auto isOther = [&](Value other) { return other != input && leaves_.lookup(other) == memory; };
    bool isAlike = temp && !temp->hasAttr(kBuffer) && temp->getAttr(kWhen) == (always_.empty() ? Attribute() : builder_.getArrayAttr(always_)) && shapeOf(input.getType()) == shapeOf(root.getType()) &&
                   shapeOf(memory.getType()) == shapeOf(root.getType()) && elementTypeOf(memory.getType()) == elementTypeOf(root.getType());
    if (isAlike && !longAxes(root.getType()).empty() && llvm::none_of(inputs, isOther) && isLastReader(root.getDefiningOp(), memory) &&
        readsOnlyItsRow(root, memory, rows))
      return memory;
  }
  return {};
}

/// The same for an array whose kernel also finds these numbers for each row: after it, nobody reads the memory for them.
Value FunctionScheduler::memoryOverRows(Value root, size_t fixed, ArrayRef<Stored> rows) {
  for (const Stored &row : rows) leaves_.insert(row);
  Value memory = memoryToOverwrite(root, fixed);
  for (auto [row, held] : rows) leaves_.erase(row);
  Dim count(1);
  for (DimAttr extent : shapeOf(root.getType()).take_front(fixed)) count = count * extent.getDim();
  bool isSafe = memory && llvm::all_of(rows, [&](const Stored &row) { return readsOnlyItsRow(row.first, memory, count); });
  return isSafe ? memory : Value();
}

}  // namespace tessera::transforms
