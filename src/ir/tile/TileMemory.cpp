// Rules of the operations on memory.
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

namespace {

LogicalResult checkElement(Operation *op, Type base, size_t indices, std::optional<ArrayRef<bool>> inBounds, Type value) {
  size_t rank = shapeOf(base).size();
  if (indices != rank) return op->emitOpError() << "has " << indices << " indices for a base of rank " << rank;
  if (inBounds && inBounds->size() != rank) return op->emitOpError() << "'in_bounds' needs " << rank << " entries";
  if (value && value != elementTypeOf(base))
    return op->emitOpError() << "the value is " << value << ", the base holds " << elementTypeOf(base);
  return success();
}

/// The parts that all accesses to tiles share; `tileRank` dimensions of the base must not be points.
template <class Access>
LogicalResult checkAccess(Access op, size_t tileRank, Type tileElement) {
  Type base = op.getBase().getType();
  size_t rank = shapeOf(base).size();
  if (op.getOffsets().size() != rank)
    return op.emitOpError() << "has " << op.getOffsets().size() << " offsets for a base of rank " << rank;
  if (op.getPoints() && op.getPoints()->size() != rank) return op.emitOpError() << "'points' needs " << rank << " entries";
  if (op.getSteps() && op.getSteps()->size() != rank) return op.emitOpError() << "'steps' needs " << rank << " entries";
  if (op.getInBounds() && op.getInBounds()->size() != rank)
    return op.emitOpError() << "'in_bounds' needs " << rank << " entries";
  size_t ranges = 0;
  for (size_t i = 0; i < rank; ++i) {
    ranges += !op.isPoint(i);
    if (op.getStep(i) == 0) return op.emitOpError() << "a step of 0 in dimension " << i;
  }
  if (ranges != tileRank)
    return op.emitOpError() << "leaves " << ranges << " dimensions of the base for a tile of rank " << tileRank;
  if (tileElement != elementTypeOf(base))
    return op.emitOpError() << "the tile holds " << tileElement << ", the base " << elementTypeOf(base);
  return success();
}

template <class Read> LogicalResult checkRead(Read op) {
  FragmentType type = op.getResult().getType();
  if (op.getOther() && op.getOther().getType() != type.getElementType())
    return op.emitOpError() << "'other' is " << op.getOther().getType() << ", not " << type.getElementType();
  if (op.getTransposed() && type.getRank() != 2) return op.emitOpError() << "only a tile of rank 2 can be 'transposed'";
  return checkAccess(op, type.getRank(), type.getElementType());
}

}  // namespace

LogicalResult LoadElementOp::verify() {
  Type type = getResult().getType();
  if (getOther() && getOther().getType() != type)
    return emitOpError() << "'other' is " << getOther().getType() << ", not " << type;
  return checkElement(*this, getBase().getType(), getIndices().size(), getInBounds(), type);
}

LogicalResult StoreElementOp::verify() {
  return checkElement(*this, getBase().getType(), getIndices().size(), getInBounds(), getValue().getType());
}

LogicalResult LoadFragmentOp::verify() { return checkRead(*this); }
LogicalResult ReadSharedOp::verify() { return checkRead(*this); }

LogicalResult StoreFragmentOp::verify() {
  return checkAccess(*this, getValue().getType().getRank(), getValue().getType().getElementType());
}

LogicalResult WriteSharedOp::verify() {
  return checkAccess(*this, getValue().getType().getRank(), getValue().getType().getElementType());
}

LogicalResult CopyOp::verify() {
  SharedType target = getTarget().getType();
  return checkAccess(*this, target.getRank(), target.getElementType());
}

LogicalResult SelectBufferOp::verify() {
  SharedType from = getBase().getType(), to = getResult().getType();
  bool same = from.getRank() == to.getRank() + 1 && from.getElementType() == to.getElementType() &&
              from.getSwizzle() == to.getSwizzle() && from.getShape().drop_front() == to.getShape();
  if (!same) return emitOpError() << to << " is not " << from << " with the leading dimension dropped";
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getParticipants() != "group")
    return emitOpError() << "there are no participants \"" << getParticipants() << "\"; all lanes are \"group\"";
  return success();
}
