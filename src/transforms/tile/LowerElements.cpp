// One element of a streamed array, from the elements of its producers.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/ConcatParts.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Value KernelLowering::element(Value array, ArrayRef<Value> index) {
  if (values_.contains(array)) return values_.lookup(array);  // a scalar, or a tile of one element
  ElementKey key{array.getAsOpaquePointer(), {}};
  for (Value i : index) key.second.push_back(i.getAsOpaquePointer());
  for (auto &scope : llvm::reverse(elements_))
    if (auto found = scope.find(key); found != scope.end()) return found->second;
  Value value = computeElement(array, index);
  if (value) elements_.back()[key] = value;
  else failed_ = true;
  return value;
}

Value KernelLowering::computeElement(Value array, ArrayRef<Value> index) {
  Operation *op = array.getDefiningOp();
  if (!op || op->getNumRegions()) {
    (op ? op->emitError() : emitError(array.getLoc()))
        << "an array that is carried by a loop or branch must have an extent that is known or bounded";
    return {};
  }
  Location loc = op->getLoc();
  if (auto elementwiseOp = llvm::dyn_cast<graph::ElementwiseOp>(op)) {
    SmallVector<Value> args;
    for (Value operand : op->getOperands())
      if (!args.emplace_back(element(operand, index))) return {};
    return elementwise(elementwiseOp.getMnemonic(), args, loc);
  }
  if (auto castOp = llvm::dyn_cast<graph::CastOp>(op)) {
    Value value = element(castOp.getOperand(), index);
    if (!value) return {};
    return builder_.create<tile::CastOp>(loc, elementTypeOf(castOp.getType()), value,
                                         castOp.getRoundingAttr(), castOp.getSaturateAttr());
  }
  if (auto broadcast = llvm::dyn_cast<graph::BroadcastOp>(op)) {
    Index inner;
    for (auto [axis, extent] : llvm::zip(broadcast.getAxes(), broadcast.getOperand().getType().getShape()))
      inner.push_back(isUnit(extent) ? constantIndex(0, loc) : index[axis]);
    return element(broadcast.getOperand(), inner);
  }
  if (auto transpose = llvm::dyn_cast<graph::TransposeOp>(op)) {
    Index inner(index.size());
    for (auto [i, axis] : llvm::enumerate(transpose.getPerm())) inner[axis] = index[i];
    return element(transpose.getOperand(), inner);
  }
  if (auto full = llvm::dyn_cast<graph::FullOp>(op)) return values_.lookup(full.getOperand());
  if (auto iota = llvm::dyn_cast<graph::IotaOp>(op))
    return cast(index[iota.getAxis()], elementTypeOf(iota.getType()), loc);
  if (auto load = llvm::dyn_cast<graph::LoadOp>(op)) return loadedElement(load, index);
  if (auto slice = llvm::dyn_cast<graph::SliceOp>(op)) return slicedElement(slice, index);
  if (auto reshape = llvm::dyn_cast<graph::ReshapeOp>(op)) return reshapedElement(reshape, index);
  if (auto concat = llvm::dyn_cast<graph::ConcatOp>(op)) return concatElement(concat, index, 0, concat.getOperands().size());
  if (auto window = llvm::dyn_cast<graph::WindowOp>(op)) return windowElement(window, index);
  if (auto gather = llvm::dyn_cast<graph::GatherOp>(op)) return gatheredElement(gather, index);
  if (auto dot = llvm::dyn_cast<graph::DotOp>(op)) return dotElement(dot, index);
  if (auto reduce = llvm::dyn_cast<graph::ReduceOp>(op)) return reducedElement(reduce, index);
  op->emitError(wordOf(op) + " of a row that is longer than a group can hold");
  return {};
}

Value KernelLowering::loadedElement(graph::LoadOp load, ArrayRef<Value> index, int64_t masked) {
  SmallVector<Value> indices;
  SmallVector<bool> inBounds(load.getInBounds());
  auto next = index.begin();
  for (size_t i = 0; i < load.getOffsets().size(); ++i) {
    Value offset = values_.lookup(load.getOffsets()[i]);
    if (!load.getPoints()[i] && next - index.begin() == masked) inBounds[i] = false;
    indices.push_back(load.getPoints()[i] ? offset
                                          : offsetBy(offset, *next++, load.getSteps()[i], load.getLoc()));
  }
  Value other = load.getOther() ? values_.lookup(load.getOther()) : Value();
  return builder_.create<tile::LoadElementOp>(load.getLoc(), elementTypeOf(load.getType()),
                                              values_.lookup(load.getBase()), indices, other,
                                              proved(inBounds));
}

Value KernelLowering::windowElement(graph::WindowOp window, ArrayRef<Value> index) {
  Location loc = unnamed(window.getLoc());
  size_t axis = window.getAxis();
  Index inner(index);
  inner.erase(inner.begin() + axis);
  Value start = offsetBy(constantIndex(0, loc), index[axis + 1], window.getStep(), loc);
  inner[axis] = offsetBy(start, index[axis], window.getDilation(), loc);
  return element(window.getOperand(), inner);
}

/// A masked load: the mask is the extent of the tensor, so that the array must be the whole of that axis.
Value KernelLowering::gatheredElement(graph::GatherOp gather, ArrayRef<Value> index) {
  size_t axis = gather.getAxis();
  auto load = gather.getOperand().getDefiningOp<graph::LoadOp>();
  SmallVector<size_t> ranges;  // the dimensions of the tensor that are the array's axes
  for (size_t i = 0; load && i < load.getPoints().size(); ++i)
    if (!load.getPoints()[i]) ranges.push_back(i);
  bool whole = load && !load.getOther() && load.getSteps()[ranges[axis]] == 1 &&
               load.getSizes().getDims()[ranges[axis]] == shapeOf(load.getBase().getType())[ranges[axis]];
  if (!whole) {
    gather.emitError("elements can be chosen by indices only out of a whole axis of a tensor in memory");
    return {};
  }
  Index places, inner(index);
  for (int64_t to : gather.getAxes()) places.push_back(index[to]);
  Value place = element(gather.getPlaces(), places);
  if (!place) return {};
  inner[axis] = cast(place, builder_.getIndexType(), gather.getLoc());
  return loadedElement(load, inner, static_cast<int64_t>(axis));
}

Value KernelLowering::slicedElement(graph::SliceOp slice, ArrayRef<Value> index) {
  Index inner;
  auto next = index.begin();
  for (size_t i = 0; i < slice.getOffsets().size(); ++i) {
    Value offset = values_.lookup(slice.getOffsets()[i]);
    inner.push_back(slice.getPoints()[i] ? offset
                                         : offsetBy(offset, *next++, slice.getSteps()[i], slice.getLoc()));
  }
  return element(slice.getBase(), inner);
}

/// Row-major position in one shape, as indices of the other. Equal leading and trailing axes pass through.
Value KernelLowering::reshapedElement(graph::ReshapeOp reshape, ArrayRef<Value> index) {
  Location loc = unnamed(reshape.getLoc());
  SmallVector<DimAttr> from = longShape(reshape.getOperand().getType()), to = longShape(reshape.getType());
  SmallVector<Value> position;
  for (int64_t axis : longAxes(reshape.getType())) position.push_back(index[axis]);
  size_t head = 0, tail = 0;
  while (head < from.size() && head < to.size() && from[head] == to[head]) ++head;
  while (tail < from.size() - head && tail < to.size() - head &&
         from[from.size() - 1 - tail] == to[to.size() - 1 - tail])
    ++tail;
  ArrayRef<DimAttr> fromMiddle = ArrayRef(from).slice(head, from.size() - head - tail);
  ArrayRef<DimAttr> toMiddle = ArrayRef(to).slice(head, to.size() - head - tail);
  SmallVector<Value> inner(position.begin(), position.begin() + head);
  if (fromMiddle.size() == 1 && toMiddle.size() == 1) {
    inner.push_back(position[head]);  // two spellings of one extent
  } else if (!fromMiddle.empty()) {
    Value linear = linearize(ArrayRef(position).slice(head, toMiddle.size()), toMiddle, loc);
    inner.append(delinearize(linear, fromMiddle, loc));
  }
  inner.append(position.end() - tail, position.end());
  Index full(reshape.getOperand().getType().getRank());
  for (Value &value : full) value = {};
  for (auto [axis, value] : llvm::zip(longAxes(reshape.getOperand().getType()), inner)) full[axis] = value;
  for (Value &value : full)
    if (!value) value = constantIndex(0, loc);
  return element(reshape.getOperand(), full);
}

/// `if (i < extent of the first) first[i] else the rest at i - extent`.
/// Of the operands from `first` to `last`. The index counts from where the first one begins.
Value KernelLowering::concatElement(graph::ConcatOp concat, ArrayRef<Value> index, size_t first, size_t last) {
  if (first + 1 == last) return element(concat.getOperands()[first], index);
  Location loc = concat.getLoc(), line = unnamed(loc);
  int64_t axis = concat.getAxis();
  size_t middle = middleOf(first, last);
  Value extent = dim(DimAttr::get(concat.getContext(), extentOf(concat, first, middle)), line);
  Value isHere = elementwise("lt", {index[axis], extent}, line);
  auto branch =
      builder_.create<scf::IfOp>(loc, TypeRange(elementTypeOf(concat.getType())), isHere, /*withElse=*/true);
  auto fill = [&](Region &region, auto compute) {
    OpBuilder::InsertionGuard guard(builder_);
    if (!region.front().empty()) region.front().back().erase();
    builder_.setInsertionPointToEnd(&region.front());
    elements_.emplace_back();
    Value value = compute();
    elements_.pop_back();
    if (value) builder_.create<scf::YieldOp>(loc, value);
    return static_cast<bool>(value);
  };
  Index rest(index);
  bool filled = fill(branch.getThenRegion(), [&] { return concatElement(concat, index, first, middle); }) &&
                fill(branch.getElseRegion(), [&] {
                  rest[axis] = elementwise("sub", {index[axis], extent}, line);
                  return concatElement(concat, rest, middle, last);
                });
  return filled ? branch.getResult(0) : Value();
}

Value KernelLowering::dotElement(graph::DotOp dot, ArrayRef<Value> index) {
  Location loc = dot.getLoc();
  Type carried = elementTypeOf(dot.getType());
  size_t rank = index.size();
  Value start = identity(dot.combining(), carried, loc);
  DimAttr k = dot.getLhs().getType().getShape()[rank - 1];
  return loopOver(k, /*byGroup=*/false, start, loc, [&](ArrayRef<Value> position, Value sum) -> Value {
    Index left(index), right(index);
    left[rank - 1] = position[0];
    right[rank - 2] = position[0];
    Value a = element(dot.getLhs(), left), b = element(dot.getRhs(), right);
    if (!a || !b) return {};
    a = cast(a, carried, loc), b = cast(b, carried, loc);
    Value made = dot.hasTerm() ? termOf(dot, a, b, [](Value scalar) { return scalar; }) : elementwise("mul", {a, b}, loc);
    return elementwise(dot.combiner(), {sum, made}, loc);
  });
}

/// A reduction that differs from element to element: the lane that needs it runs its loop.
Value KernelLowering::reducedElement(graph::ReduceOp reduce, ArrayRef<Value> index) {
  Location loc = reduce.getLoc();
  Type carried = elementTypeOf(reduce.getType());
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  SmallVector<DimAttr> reduced;
  for (int64_t axis : reduce.getAxes()) reduced.push_back(shape[axis]);
  Value start = identity(reduce.getMnemonic(), carried, loc);
  if (!start) {
    reduce.emitError("this reduction is not available for its dtype inside a kernel");
    return {};
  }
  Value total = loopOver(reduced, /*byGroup=*/false, start, loc, [&](ArrayRef<Value> position, Value sum) -> Value {
    Index inner(shape.size());
    auto kept = index.begin();
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      auto at = llvm::find(reduce.getAxes(), static_cast<int64_t>(axis));
      inner[axis] = at == reduce.getAxes().end() ? *kept++ : position[at - reduce.getAxes().begin()];
    }
    Value value = element(reduce.getOperand(), inner);
    return value ? combine(reduce.getMnemonic(), sum, cast(value, carried, loc), loc) : Value();
  });
  if (total) total.getDefiningOp()->setAttr(tile::kReduces, reduce.getMnemonicAttr());
  return total;
}

}  // namespace tessera::transforms
