// Elements of tiles that move along an axis to places that only run time knows: the order of a row, what is chosen by indices,
// and parts of a tile. A lane's registers have no index at run time, so they go through shared memory (tile.gather).
#include "transforms/schedule/Shapes.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// A fragment at `places` along one of its axes.
Value KernelLowering::gatheredTile(Value value, Value places, int64_t position, Location loc) {
  Type element = elementTypeOf(value.getType()), result = element;
  if (auto fragment = llvm::dyn_cast<tile::FragmentType>(places.getType())) result = fragment.withElementType(element);
  return builder_.create<tile::GatherOp>(withSizesOf(places.getLoc(), loc), result, value, places, position);
}

LogicalResult KernelLowering::lowerArgsort(graph::ArgsortOp op) {
  Location loc = op.getLoc();
  Value value = values_.lookup(op.getOperand());
  const int64_t last = static_cast<int64_t>(op.getType().getShape().size()) - 1;
  Value result;
  if (longPosition(op.getType(), last) >= 0) {
    auto type = llvm::cast<tile::FragmentType>(value.getType());
    result = builder_.create<tile::ArgsortOp>(withSizesOf(value.getLoc(), loc), type.withElementType(builder_.getI64Type()), value,
                                              op.getDescending());
  } else {  // rows of one element
    result = constant(builder_.getI64IntegerAttr(0), loc);
    if (isLong(op.getType())) result = builder_.create<tile::FillOp>(loc, fragmentType(op.getResult()), result);
  }
  values_.map(op.getResult(), result);
  return success();
}

/// Those of one axis are the same along the other.
Value KernelLowering::placesOf(graph::GatherOp op) {
  Location loc = op.getLoc();
  Type to = op.getType(), named = op.getPlaces().getType();
  Value places = values_.lookup(op.getPlaces());
  if (isLong(to) && !isLong(named)) return builder_.create<tile::FillOp>(loc, fragmentType(op.getResult(), builder_.getI64Type()), places);
  if (longAxes(named).size() < longAxes(to).size()) {
    const int64_t along = longPosition(to, op.getAxes()[longAxes(named)[0]]);
    return builder_.create<tile::BroadcastOp>(loc, fragmentType(op.getResult(), builder_.getI64Type()), reoriented(places, 1 - along, loc));
  }
  return places;
}

LogicalResult KernelLowering::lowerGather(graph::GatherOp op) {
  if (isOnlyChosenFrom(op.getOperand().getDefiningOp())) return lowerChosen(op);
  Location loc = op.getLoc();
  Type from = op.getOperand().getType(), to = op.getType();
  const int64_t axis = op.getAxis(), position = longPosition(from, axis);
  if (position < 0 && isLong(from)) return unsupported(op, "a choice among rows of one element, of a tile");
  Value value = values_.lookup(op.getOperand()), places = placesOf(op);
  if (longAxes(to).size() == 1 && longAxes(from).size() == 2 && longAxes(op.getPlaces().getType()).size() == 1) places = reoriented(places, position, loc);
  Value result;
  if (position >= 0) {
    result = gatheredTile(value, places, position, loc);
    if (longAxes(to).size() == 1) result = reoriented(result, layouts_.sliceAxis(op.getResult()), loc);
  } else {  // one element
    Type element = elementTypeOf(from);
    Value first = constant(builder_.getI64IntegerAttr(0), loc), nothing = identity("sum", element, loc);
    if (!nothing) return unsupported(op, "a choice of this dtype inside a kernel");
    if (isLong(to)) {
      first = builder_.create<tile::FillOp>(loc, places.getType(), first);
      nothing = builder_.create<tile::FillOp>(loc, fragmentType(op.getResult()), nothing);
      value = builder_.create<tile::FillOp>(loc, fragmentType(op.getResult()), value);
    }
    result = elementwise("select", {elementwise("eq", {places, first}, loc), value, nothing}, loc);
  }
  values_.map(op.getResult(), result);
  return success();
}

/// One axis after the other, the last one first: the others keep their places.
LogicalResult KernelLowering::lowerSlice(graph::SliceOp op) {
  Location loc = op.getLoc();
  Value value = values_.lookup(op.getBase());
  Type base = op.getBase().getType(), i64 = builder_.getI64Type();
  for (int64_t axis = static_cast<int64_t>(op.getOffsets().size()) - 1; axis >= 0; --axis) {
    const int64_t position = longPosition(base, axis);
    if (position < 0) continue;
    DimAttr extent = op.getSizes().getDims()[axis];
    const bool point = op.getPoints()[axis] || isUnit(extent);
    auto type = llvm::cast<tile::FragmentType>(value.getType());
    if (!point && extent == type.getShape()[position]) continue;  // the whole axis
    Value offset = cast(values_.lookup(op.getOffsets()[axis]), i64, unnamed(loc)), places = offset;
    if (!point) {
      SmallVector<DimAttr> shape(type.getShape());
      shape[position] = extent;
      auto counted = tile::FragmentType::get(builder_.getContext(), shape, i64, type.getLayout());
      places = cast(builder_.create<tile::IotaOp>(loc, llvm::cast<tile::FragmentType>(counted.withElementType(builder_.getI32Type())), position), i64, loc);
      auto spread = [&](Value number) { return builder_.create<tile::FillOp>(loc, counted, number).getResult(); };
      if (op.getSteps()[axis] != 1)
        places = elementwise("mul", {places, spread(constant(builder_.getI64IntegerAttr(op.getSteps()[axis]), loc))}, loc);
      auto known = op.getOffsets()[axis].getDefiningOp<graph::ConstantOp>();
      if (!known || llvm::cast<IntegerAttr>(known.getValue()).getInt() != 0) places = elementwise("add", {places, spread(offset)}, loc);
    } else if (type.getRank() == 2) {
      places = builder_.create<tile::FillOp>(loc, fragmentType(type.getShape()[1 - position], i64, position), offset);
    }
    value = gatheredTile(value, places, position, loc);
  }
  if (longAxes(op.getType()).size() == 1) value = reoriented(value, layouts_.sliceAxis(op.getResult()), loc);
  values_.map(op.getResult(), value);
  return success();
}

}  // namespace tessera::transforms
