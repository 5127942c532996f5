// Rules of the operations on memory.
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

namespace {

LogicalResult checkElement(Operation *op, Type base, size_t indices, std::optional<ArrayRef<bool>> inBounds,
                           Type value) {
  size_t rank = isa<LaneVectorType>(base) ? 1 : shapeOf(base).size();
  if (indices != rank)
    return op->emitOpError() << "has " << indices << " indices for a base of rank " << rank;
  if (inBounds && inBounds->size() != rank)
    return op->emitOpError() << "'in_bounds' needs " << rank << " entries";
  if (value && value != elementTypeOf(base))
    return op->emitOpError() << "the value is " << value << ", the base holds " << elementTypeOf(base);
  return success();
}

/// The access is right for its base, and reaches exactly a tile of this shape.
template <class Access>
LogicalResult checkAccess(Access op, ArrayRef<DimAttr> shape, Type element, bool transposed = false) {
  Type base = op.getBase().getType();
  if (failed(verifyAccess(op, base, op.getOffsets().size(), op.getPoints(), op.getSizes().getDims(),
                          op.getSteps(), op.getInBounds())))
    return failure();
  Type reached = accessedType(base, op.getPoints(), op.getSizes().getDims());
  SmallVector<DimAttr> extents(shapeOf(reached));
  if (transposed) std::reverse(extents.begin(), extents.end());
  if (ArrayRef<DimAttr>(extents) != shape)
    return op.emitOpError() << "reaches a tile of " << text(extents) << ", not " << text(shape);
  if (element != elementTypeOf(base))
    return op.emitOpError() << "the tile holds " << element << ", the base " << elementTypeOf(base);
  return success();
}

template <class Read> LogicalResult checkRead(Read op) {
  FragmentType type = op.getResult().getType();
  if (op.getOther() && op.getOther().getType() != type.getElementType())
    return op.emitOpError() << "'other' is " << op.getOther().getType() << ", not " << type.getElementType();
  if (op.getTransposed() && type.getRank() != 2)
    return op.emitOpError() << "only a tile of rank 2 can be 'transposed'";
  return checkAccess(op, type.getShape(), type.getElementType(), op.getTransposed());
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

LogicalResult AtomicOp::verify() {
  return verifyAtomic(*this, getMnemonic(), getValue().getType(), getBase().getType(), getIndices().getTypes(),
                      getInBounds() ? getInBounds()->size() : getIndices().size(), getOld() ? getOld().getType() : Type());
}

LogicalResult LoadAtOp::verify() {
  FragmentType type = getResult().getType();
  if (type.getElementType() != elementTypeOf(getBase().getType()))
    return emitOpError() << "the tile holds " << type.getElementType() << ", the base " << elementTypeOf(getBase().getType());
  const int64_t rank = static_cast<int64_t>(getBase().getType().getShape().size()), axis = getAxis(), merged = getMerged();
  if (axis < 0 || axis >= std::max<int64_t>(rank, 1) || merged < 0 || merged > axis)
    return emitOpError() << "counts rows of axis " << axis << " and " << merged << " before it, of a base of rank " << rank;
  return verifyPlaces(*this, type, getBase().getType(), getIndices().getTypes(), getInBounds() ? getInBounds()->size() : getIndices().size());
}

LogicalResult LoadFragmentOp::verify() { return checkRead(*this); }
LogicalResult ReadSharedOp::verify() { return checkRead(*this); }

LogicalResult ReadPairsOfRowsOp::verify() {
  SharedType from = getBase().getType();
  FragmentType to = getResult().getType();
  auto layout = dyn_cast<MmaAttr>(to.getLayout());
  if (from.getSwizzle() != "panels" || !from.getElementType().isInteger(8) || !to.getElementType().isBF16() || !layout || layout.getCols() != 1)
    return emitOpError() << "reads panels of i8 as a left operand of bf16, not " << from << " as " << to;
  if (from.getRank() != 2 || to.getRank() != 2 || from.getShape()[0] != to.getShape()[1] || from.getShape()[1] != to.getShape()[0])
    return emitOpError() << "reads all of the buffer, transposed";
  return success();
}

LogicalResult StoreFragmentOp::verify() {
  FragmentType type = getValue().getType();
  if (getTransposed() && type.getRank() != 2) return emitOpError() << "only a tile of rank 2 can be 'transposed'";
  if (getTransposed() && getBulk()) return emitOpError() << "the copy engine stores no 'transposed' tile";
  if (getBulk() && (getPoints().size() < 2 || getPoints().back() || llvm::count(getPoints(), false) != 2))
    return emitOpError() << "the copy engine stores rows along one dimension and columns along the last";
  return checkAccess(*this, type.getShape(), type.getElementType(), getTransposed());
}

LogicalResult StoreColumnSumsOp::verify() {
  FragmentType type = getValue().getType();
  ViewType base = getBase().getType();
  if (type.getRank() != 2 || !type.getElementType().isF32() || !isa<MmaAttr>(type.getLayout()))
    return emitOpError() << "adds up tiles of f32 in the layout of matrix instructions";
  if (base.getShape().size() != 2 || !base.getElementType().isF32()) return emitOpError() << "stores sums to a view of rank 2 and f32";
  return success();
}

LogicalResult WriteSharedOp::verify() {
  return checkAccess(*this, getValue().getType().getShape(), getValue().getType().getElementType());
}

LogicalResult ArgsortRowOp::verify() {
  return verifyArgsortRow(*this, getKeys(), getBase(), getIndices().size(), {getPart(), getNamed(), static_cast<int64_t>(getFirst()), static_cast<int64_t>(getLength())});
}

LogicalResult CopyOp::verify() {
  SharedType target = getTarget().getType();
  return checkAccess(*this, target.getShape(), target.getElementType());
}

LogicalResult CopyRowsOp::verify() {
  SharedType target = getTarget().getType(), places = getPlaces().getType();
  ViewType base = getBase().getType();
  const int64_t rank = static_cast<int64_t>(base.getShape().size());
  if (static_cast<int64_t>(getIndices().size()) != rank)
    return emitOpError() << "has " << getIndices().size() << " indices for a base of rank " << rank;
  const int64_t axis = getAxis();
  if (axis < 0 || axis + 1 >= rank) return emitOpError() << "rows lie along an axis before the last one, not along " << axis;
  if (static_cast<int64_t>(getMerged()) < 0 || static_cast<int64_t>(getMerged()) > axis) return emitOpError() << "there are no " << getMerged() << " axes before axis " << axis;
  if (target.getRank() != 2 || places.getShape() != target.getShape().take_front())
    return emitOpError() << "needs the place of each row of " << target << ", not " << places;
  if (!places.getElementType().isInteger(64)) return emitOpError() << "places are i64, not " << places.getElementType();
  if (target.getElementType() != base.getElementType())
    return emitOpError() << "the tile holds " << target.getElementType() << ", the base " << base.getElementType();
  return success();
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
    return emitOpError() << "there are no participants \"" << getParticipants()
                         << "\"; all lanes are \"group\"";
  return success();
}
