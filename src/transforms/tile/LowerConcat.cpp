// Tiles that are put together: side by side (concat), or in turn, element by element (a stack whose axes are merged: the two nibbles of a
// byte). A lane's registers have no index at run time, so the parts go to their places in shared memory, where products read them.
#include "transforms/schedule/Shapes.h"
#include "transforms/tile/Beside.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Along which axis of the result the parts lie, from where on each and how far apart its elements are.
struct Places {
  int64_t axis = -1;
  SmallVector<Dim> starts;
  int64_t step = 1;
};

/// Of parts that lie one behind the other along an axis of the result.
Places sideBySide(graph::ConcatOp op) {
  Places places;
  places.axis = longPosition(op.getType(), op.getAxis());
  Dim start(0);
  for (Value part : op.getOperands()) {
    places.starts.push_back(start);
    start = start + shapeOf(part.getType())[op.getAxis()].getDim();
  }
  return places;
}

/// Of parts of one element along their axis, which the result merges with a neighbour: behind it the parts' elements take turns, before
/// it they lie one behind the other. `axis` is -1 where it is something else.
Places merged(graph::ConcatOp op, Type result) {
  Places places;
  SmallVector<DimAttr> from = longShape(op.getType()), to = longShape(result);
  const int64_t position = longPosition(op.getType(), op.getAxis()), count = static_cast<int64_t>(op.getOperands().size());
  const bool units = llvm::all_of(op.getOperands(), [&](Value part) { return isUnit(shapeOf(part.getType())[op.getAxis()]); });
  if (!units || position < 0 || to.size() + 1 != from.size()) return places;
  auto mergesInto = [&](int64_t first) {  // axes first and first + 1
    if (first < 0 || first + 1 >= static_cast<int64_t>(from.size())) return false;
    for (int64_t i = 0, j = 0; j < static_cast<int64_t>(to.size()); ++i, ++j) {
      if (j == first) {
        if (!(from[i].getDim() * from[i + 1].getDim() == to[j].getDim())) return false;
        ++i;
      } else if (from[i] != to[j]) {
        return false;
      }
    }
    return true;
  };
  if (mergesInto(position - 1)) {
    places.axis = position - 1;
    places.step = count;
    for (int64_t i = 0; i < count; ++i) places.starts.push_back(Dim(i));
  } else if (mergesInto(position)) {
    places.axis = position;
    for (int64_t i = 0; i < count; ++i) places.starts.push_back(Dim(i) * from[position + 1].getDim());
  }
  return places;
}

}  // namespace

void castBeforeConcat(schedule::KernelOp kernel) {
  SmallVector<graph::CastOp> casts;
  kernel.walk([&](graph::CastOp cast) { casts.push_back(cast); });
  for (graph::CastOp cast : casts) {
    auto merged = cast.getOperand().getDefiningOp<graph::ReshapeOp>();
    Value stacked = merged ? merged.getOperand() : cast.getOperand();
    auto concat = stacked.getDefiningOp<graph::ConcatOp>();
    if (!concat || !concat->hasOneUse() || (merged && !merged->hasOneUse())) continue;
    OpBuilder builder(concat);
    Type element = elementTypeOf(cast.getType());
    auto like = [&](Operation *op, ValueRange operands, Location loc) {
      Operation *made = builder.clone(*op);
      made->setOperands(operands);
      made->getResult(0).setType(withElementType(op == cast ? operands[0].getType() : op->getResult(0).getType(), element));
      made->setLoc(loc);
      return made->getResult(0);
    };
    SmallVector<Value> parts;
    for (Value part : concat.getOperands()) parts.push_back(like(cast, part, unnamed(part.getLoc())));
    Value result = like(concat, parts, merged ? concat.getLoc() : cast.getLoc());
    if (merged) result = like(merged, result, cast.getLoc());
    cast.getResult().replaceAllUsesWith(result);
    cast->erase();
    if (merged) merged->erase();
    concat->erase();
  }
}

LogicalResult KernelLowering::lowerConcat(graph::ConcatOp op, Value result) {
  Location loc = op.getLoc();
  Type to = result.getType();
  const Places places = longShape(to) == longShape(op.getType()) ? sideBySide(op) : merged(op, to);
  SmallVector<DimAttr> shape = longShape(to);
  if (places.axis < 0 || shape.size() > 2)
    return unsupported(op, "tiles are put together along an axis of theirs, or stacked along a new one that is merged with its neighbour, `stack(a, b, axis=1).reshape(...)`");
  if (llvm::any_of(shape, [](DimAttr extent) { return variesAtRunTime(extent); }))
    return unsupported(op, "tiles whose extent varies at run time, put together inside a kernel");
  StringRef hint = nameHint(result);
  Value buffer = allocShared(shape, elementTypeOf(to), hint.empty() ? "together" : (hint + "_tile").str(), loc, result.getLoc());
  for (auto [part, start] : llvm::zip(op.getOperands(), places.starts)) {
    Value value = values_.lookup(part);
    if (!isLong(part.getType())) return unsupported(op, "a tile of one element, put together with others inside a kernel");
    Access access = wholeBuffer(llvm::cast<SharedType>(buffer.getType()), loc);
    SmallVector<DimAttr> extents(llvm::cast<tile::FragmentType>(value.getType()).getShape());
    // Beside side by side parts, one of one element along the axis is a point of it.
    const bool point = extents.size() < shape.size();
    access.offsets[places.axis] = dim(DimAttr::get(builder_.getContext(), start), unnamed(loc));
    access.points[places.axis] = point;
    access.steps[places.axis] = point ? 1 : places.step;
    access.sizes[places.axis] = point ? DimAttr::get(builder_.getContext(), Dim(1)) : extents[places.axis];
    auto write = builder_.create<tile::WriteSharedOp>(loc, value, buffer, access.offsets, builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                                         builder_.getDenseI64ArrayAttr(access.steps), builder_.getDenseBoolArrayAttr(access.inBounds));
    if (part != op.getOperands().front()) write->setAttr(kBeside, builder_.getUnitAttr());
  }
  if (onlyFeedsDots(result)) {
    shared_[result] = buffer;
    return success();
  }
  Access access = wholeBuffer(llvm::cast<SharedType>(buffer.getType()), loc);
  values_.map(result, builder_.create<tile::ReadSharedOp>(loc, fragmentType(result), buffer, access.offsets, builder_.getDenseBoolArrayAttr(access.points),
                                                          dimsAttr(access.sizes), builder_.getDenseI64ArrayAttr(access.steps),
                                                          builder_.getDenseBoolArrayAttr(access.inBounds), Value(), UnitAttr()));
  return success();
}

}  // namespace tessera::transforms
