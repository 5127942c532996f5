#include "transforms/schedule/Turn.h"
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool isTurn(Operation *op) {
  auto transpose = dyn_cast_or_null<graph::TransposeOp>(op);
  if (!transpose) return false;
  ArrayRef<int64_t> perm = transpose.getPerm();
  int64_t rank = static_cast<int64_t>(perm.size());
  return rank >= 2 && perm[rank - 1] == rank - 2 && perm[rank - 2] == rank - 1 && llvm::equal(perm.drop_back(2), llvm::seq<int64_t>(0, rank - 2));
}

TensorType turnedType(Type type) {
  SmallVector<DimAttr> shape(shapeOf(type));
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return TensorType::get(type.getContext(), shape, elementTypeOf(type));
}

static int64_t swapped(int64_t axis, Type type) {
  int64_t rank = static_cast<int64_t>(shapeOf(type).size());
  return axis == rank - 1 ? rank - 2 : axis == rank - 2 ? rank - 1 : axis;
}

Value Turner::turned(Value value) {
  if (Value known = turned_.lookup(value)) return known;
  Value made = make(value);
  return turned_[value] = made;
}

Value Turner::transposed(Value value) {
  if (isTurn(value.getDefiningOp())) return value.getDefiningOp()->getOperand(0);
  int64_t rank = static_cast<int64_t>(shapeOf(value.getType()).size());
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[rank - 1], perm[rank - 2]);
  return builder_.create<graph::TransposeOp>(unnamed(value.getLoc()), turnedType(value.getType()), value, perm);
}

Value Turner::make(Value value) {
  Operation *op = value.getDefiningOp();
  if (isTurn(op)) return op->getOperand(0);
  Type type = turnedType(value.getType());
  if (auto dot = dyn_cast_or_null<graph::DotOp>(op))
    return addedUpAs(dot, builder_.create<graph::DotOp>(op->getLoc(), type, transposed(dot.getRhs()), transposed(dot.getLhs())), /*turned=*/true);
  if (isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(op)) {
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    state.addTypes(type);
    for (Value operand : op->getOperands()) state.addOperands(turned(operand));
    return builder_.create(state)->getResult(0);
  }
  if (auto full = dyn_cast_or_null<graph::FullOp>(op)) return builder_.create<graph::FullOp>(op->getLoc(), type, full.getOperand());
  if (auto iota = dyn_cast_or_null<graph::IotaOp>(op)) return builder_.create<graph::IotaOp>(op->getLoc(), type, swapped(iota.getAxis(), type));
  if (auto broadcast = dyn_cast_or_null<graph::BroadcastOp>(op)) return spread(broadcast, type);
  return transposed(value);
}

/// An operand that has both axes is turned, too; of one that has one of them, it becomes the other.
Value Turner::spread(graph::BroadcastOp op, Type type) {
  int64_t rank = static_cast<int64_t>(shapeOf(type).size());
  bool hasBoth = llvm::is_contained(op.getAxes(), rank - 1) && llvm::is_contained(op.getAxes(), rank - 2);
  if (hasBoth) return builder_.create<graph::BroadcastOp>(op.getLoc(), type, turned(op.getOperand()), op.getAxes());
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxes()) axes.push_back(swapped(axis, type));
  return builder_.create<graph::BroadcastOp>(op.getLoc(), type, op.getOperand(), axes);
}

}  // namespace tessera::transforms
