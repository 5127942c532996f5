// The rules of kernel bodies: accesses, queries and copies.
#include "ir/graph/Graph.h"

namespace tessera::ir::graph {
using namespace mlir;

/// The value of an access: its element type and shape. 0-d arrays stand for scalars where a value is stored.
static LogicalResult verifyValue(Operation *op, Type value, Type expected, StringRef what) {
  if (value == expected) return success();
  return op->emitOpError() << what << " has type " << value << ", expected " << expected;
}

LogicalResult LoadOp::verify() {
  Type base = getBase().getType();
  if (failed(verifyAccess(*this, base, getOffsets().size(), getPoints(), getSizes().getDims(), getSteps(),
                          getInBounds())))
    return failure();
  if (getOther() && getOther().getType() != elementTypeOf(base))
    return emitOpError() << "'other' has type " << getOther().getType() << ", expected "
                         << elementTypeOf(base);
  return verifyValue(*this, getType(), accessedType(base, getPoints(), getSizes().getDims()), "result");
}

LogicalResult StoreOp::verify() {
  Type base = getBase().getType();
  if (failed(verifyAccess(*this, base, getOffsets().size(), getPoints(), getSizes().getDims(), getSteps(),
                          getInBounds())))
    return failure();
  if (getOnce() && !isScalar(getValue().getType()))
    return emitOpError("'once' is for scalars: the group stores a tile");
  return verifyValue(*this, getValue().getType(), accessedType(base, getPoints(), getSizes().getDims()),
                     "value");
}

LogicalResult AtomicOp::verify() {
  if (getOnce() && !isScalar(getValue().getType())) return emitOpError("'once' is for scalars: the group updates a tile");
  if (getOnce() && getOld()) return emitOpError("what one lane does 'once' has no old value for the others");
  return verifyAtomic(*this, getMnemonic(), getValue().getType(), getBase().getType(), getIndices().getTypes(), getInBounds().size(),
                      getOld() ? getOld().getType() : Type());
}

LogicalResult WarpOp::verify() {
  return verifyWarp(*this, getWhat(), getValue().getType(), static_cast<bool>(getLane()), getResult().getType());
}

LogicalResult QueryOp::verify() {
  static constexpr StringLiteral names[] = {"origin",  "group_id",  "group_size", "local_id",
                                            "lane_id", "linear_id", "group_count"};
  if (!llvm::is_contained(names, getQuery())) return emitOpError() << "unknown query '" << getQuery() << "'";
  if (static_cast<int64_t>(getAxis()) < 0)
    return emitOpError() << "axis " << static_cast<int64_t>(getAxis()) << " is negative";
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  if (failed(verifyAccess(*this, getSource().getType(), getSourceOffsets().size(), getSourcePoints(),
                          getSourceSizes().getDims(), getSourceSteps(), getSourceInBounds())) ||
      failed(verifyAccess(*this, getTarget().getType(), getTargetOffsets().size(), getTargetPoints(),
                          getTargetSizes().getDims(), getTargetSteps(), getTargetInBounds())))
    return failure();
  Type from = accessedType(getSource().getType(), getSourcePoints(), getSourceSizes().getDims());
  Type to = accessedType(getTarget().getType(), getTargetPoints(), getTargetSizes().getDims());
  if (from != to) return emitOpError() << "copies " << from << " to " << to;
  return success();
}

LogicalResult WaitGroupOp::verify() {
  if (static_cast<int64_t>(getPending()) < 0) return emitOpError("waits for a negative number of copies");
  return success();
}

}  // namespace tessera::ir::graph
