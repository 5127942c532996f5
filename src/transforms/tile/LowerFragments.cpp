// Fragments: arrays whose extents are known, in the registers of the group.
#include "ir/common/MaskAttr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/Lowering.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

tile::FragmentType KernelLowering::fragmentType(ArrayRef<DimAttr> shape, Type element, int64_t sliceAxis) {
  MLIRContext *context = builder_.getContext();
  Attribute layout = tile::GridAttr::get(context, layouts_.rows(), layouts_.cols());
  if (shape.size() == 1)
    layout = tile::SliceAttr::get(context, sliceAxis, layout);
  return tile::FragmentType::get(context, shape, element, layout);
}

/// The fragment that holds a source array: its long axes, where Layouts put it.
tile::FragmentType KernelLowering::fragmentType(Value array, Type element) {
  return fragmentType(longShape(array.getType()), element ? element : elementTypeOf(array.getType()),
                      layouts_.sliceAxis(array));
}

LogicalResult KernelLowering::lowerFragmentOp(Operation *op) {
  if (isOnlyChosenFrom(op)) return success();  // its elements are read where indices name them (LowerChosen.cpp)
  if (auto concat = llvm::dyn_cast<graph::ConcatOp>(op)) {
    // A stack whose axes are merged: what that gives is put together at once.
    auto merged = concat->hasOneUse() ? llvm::dyn_cast<graph::ReshapeOp>(*concat->user_begin()) : graph::ReshapeOp();
    return merged && longShape(merged.getType()) != longShape(concat.getType()) ? success() : lowerConcat(concat, concat.getResult());
  }
  for (Type type : op->getResultTypes())
    if (longAxes(type).size() > 2)
      return unsupported(op, "a tile in a kernel has at most two axes of more than one element");
  Location loc = op->getLoc();
  Value result;
  if (auto elementwiseOp = llvm::dyn_cast<graph::ElementwiseOp>(op)) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto dot = operand.getDefiningOp<graph::DotOp>();
      if (dot && accumulation(dot) == elementwiseOp)
        return lowerDot(dot, values_.lookup(op->getOperand(1 - i)), elementwiseOp.getResult());
    }
    SmallVector<Value> args;
    for (Value operand : op->getOperands()) args.push_back(values_.lookup(operand));
    result = elementwise(elementwiseOp.getMnemonic(), args, loc);
    if (isExtentMask(op)) markExtentMask(result.getDefiningOp());
  } else if (auto castOp = llvm::dyn_cast<graph::CastOp>(op)) {
    result = builder_.create<tile::CastOp>(loc, fragmentType(castOp.getResult()),
                                           values_.lookup(castOp.getOperand()), castOp.getRoundingAttr(),
                                           castOp.getSaturateAttr());
  } else if (auto full = llvm::dyn_cast<graph::FullOp>(op)) {
    result =
        builder_.create<tile::FillOp>(loc, fragmentType(full.getResult()), values_.lookup(full.getOperand()));
  } else if (auto iota = llvm::dyn_cast<graph::IotaOp>(op)) {
    int64_t position = longPosition(iota.getType(), iota.getAxis());
    if (position >= 0) result = builder_.create<tile::IotaOp>(loc, fragmentType(iota.getResult()), position);
    else
      result = builder_.create<tile::FillOp>(loc, fragmentType(iota.getResult()),
                                             constant(builder_.getI32IntegerAttr(0), loc));
  } else if (auto reshape = llvm::dyn_cast<graph::ReshapeOp>(op)) {
    auto concat = reshape.getOperand().getDefiningOp<graph::ConcatOp>();
    if (longShape(reshape.getOperand().getType()) != longShape(reshape.getType()) && concat && concat->hasOneUse()) return lowerConcat(concat, reshape.getResult());
    if (longShape(reshape.getOperand().getType()) != longShape(reshape.getType()))
      return unsupported(op, "a tile can be reshaped inside a kernel only by axes of one element");
    result = values_.lookup(reshape.getOperand());
  } else if (auto broadcast = llvm::dyn_cast<graph::BroadcastOp>(op)) {
    return lowerBroadcast(broadcast);
  } else if (auto reduce = llvm::dyn_cast<graph::ReduceOp>(op)) {
    return lowerReduce(reduce);
  } else if (auto scan = llvm::dyn_cast<graph::ScanOp>(op)) {
    result = values_.lookup(scan.getOperand());
    if (int64_t position = longPosition(scan.getType(), scan.getAxis()); position >= 0)
      result = builder_.create<tile::ScanOp>(withSizesOf(result.getLoc(), loc), result.getType(), scan.getMnemonic(), result, position);
  } else if (auto argsort = llvm::dyn_cast<graph::ArgsortOp>(op)) {
    return lowerArgsort(argsort);
  } else if (auto gather = llvm::dyn_cast<graph::GatherOp>(op)) {
    return lowerGather(gather);
  } else if (auto slice = llvm::dyn_cast<graph::SliceOp>(op)) {
    return lowerSlice(slice);
  } else if (auto load = llvm::dyn_cast<graph::LoadOp>(op)) {
    return lowerLoad(load);
  } else if (auto store = llvm::dyn_cast<graph::StoreOp>(op)) {
    return storeFragment(store);
  } else if (auto atomic = llvm::dyn_cast<graph::AtomicOp>(op)) {
    return updateFragment(atomic);
  } else if (auto transpose = llvm::dyn_cast<graph::TransposeOp>(op)) {
    return lowerTranspose(transpose);
  } else if (auto dot = llvm::dyn_cast<graph::DotOp>(op)) {
    if (accumulation(dot)) return success();  // the addition that follows does it
    return lowerDot(dot, {}, dot.getResult());
  } else {
    return unsupported(op, wordOf(op) + " of tiles inside a kernel");
  }
  values_.map(op->getResult(0), result);
  return success();
}

LogicalResult KernelLowering::lowerBroadcast(graph::BroadcastOp op) {
  Type from = op.getOperand().getType();
  SmallVector<int64_t> axes = longAxes(from);
  Value value = values_.lookup(op.getOperand());
  if (axes.empty()) {
    value = builder_.create<tile::FillOp>(op.getLoc(), fragmentType(op.getResult()), value);
  } else if (axes.size() == 1 && longAxes(op.getType()).size() == 2) {
    int64_t position = longPosition(op.getType(), op.getAxes()[axes[0]]);
    value = reoriented(value, 1 - position, op.getLoc());
    value = builder_.create<tile::BroadcastOp>(op.getLoc(), fragmentType(op.getResult()), value);
  }
  values_.map(op.getResult(), value);
  return success();
}

LogicalResult KernelLowering::lowerReduce(graph::ReduceOp op) {
  Location loc = op.getLoc();
  Type carried = elementTypeOf(op.getType());
  Value value = cast(values_.lookup(op.getOperand()), carried, loc);
  Value neutral = identity(op.getMnemonic(), carried, loc);
  if (!neutral) return unsupported(op, "this reduction is not available for its dtype inside a kernel");
  SmallVector<int64_t> positions;
  for (int64_t axis : op.getAxes())
    if (int64_t position = longPosition(op.getOperand().getType(), axis); position >= 0)
      positions.push_back(position);
  SmallVector<Dim> sizes = sizesOf(op.getOperand().getLoc());  // of what is left, in the program's names
  llvm::erase_if(sizes, [](const Dim &size) { return size == Dim(1); });
  llvm::sort(positions, std::greater<>());  // the last axis first: the others keep their places
  for (int64_t position : positions) {
    auto type = llvm::cast<tile::FragmentType>(value.getType());
    value = padded(value, position, neutral, loc);
    Type result = type.getElementType();
    if (type.getRank() == 2)
      result = fragmentType(type.getShape()[1 - position], type.getElementType(), position);
    if (position < static_cast<int64_t>(sizes.size())) sizes.erase(sizes.begin() + position);
    value = builder_.create<tile::ReduceOp>(withSizes(sizes, loc), result, op.getMnemonic(), value, position);
  }
  if (isLong(op.getType())) value = reoriented(value, layouts_.sliceAxis(op.getResult()), loc);
  values_.map(op.getResult(), value);
  return success();
}

// ---------------------------------------------------------------- tiles wider than their extents

bool KernelLowering::isPadded(tile::FragmentType type, int64_t axis) {
  int64_t step = type.getStep(axis);
  std::optional<int64_t> extent =
      type.getShape()[axis].getDim().evaluate([&](const std::string &name) -> std::optional<int64_t> {
        if (name.rfind("T.", 0) != 0) return std::nullopt;
        auto size = source_.getSizes().getAs<IntegerAttr>(name.substr(2));
        return size ? std::optional<int64_t>(size.getInt()) : std::nullopt;
      });
  return !extent || *extent % step != 0;
}

Value KernelLowering::padded(Value fragment, int64_t axis, Value neutral, Location loc) {
  auto type = llvm::cast<tile::FragmentType>(fragment.getType());
  if (!isPadded(type, axis)) return fragment;
  loc = withSizesOf(fragment.getLoc(), loc);
  Type i32 = builder_.getI32Type();
  auto counts = llvm::cast<tile::FragmentType>(type.withElementType(i32));
  Value position = builder_.create<tile::IotaOp>(loc, counts, axis);
  Value extent = cast(dim(type.getShape()[axis], loc), i32, loc);
  Value inside = elementwise("lt", {position, builder_.create<tile::FillOp>(loc, counts, extent)}, loc);
  Value masked = elementwise("select", {inside, fragment, builder_.create<tile::FillOp>(loc, type, neutral)}, loc);
  markExtentMask(masked.getDefiningOp());
  return masked;
}

// ---------------------------------------------------------------- memory

DimsAttr KernelLowering::dimsAttr(ArrayRef<DimAttr> dims) {
  return DimsAttr::get(builder_.getContext(), dims);
}

LogicalResult KernelLowering::lowerLoad(graph::LoadOp op) {
  Location loc = op.getLoc();
  bool isView = llvm::isa<ViewType>(op.getBase().getType());
  if (feedsDot(op.getResult()) && isView) shared_[op.getResult()] = copyToShared(op);
  if (isOnlyDotOperand(op.getResult())) return success();
  Access access = accessOf(op);
  Value other = op.getOther() ? values_.lookup(op.getOther()) : Value();
  auto build = [&](auto tag) -> Value {
    return builder_.create<decltype(tag)>(loc, fragmentType(op.getResult()), values_.lookup(op.getBase()),
                                          access.offsets, builder_.getDenseBoolArrayAttr(access.points),
                                          dimsAttr(access.sizes), builder_.getDenseI64ArrayAttr(access.steps),
                                          builder_.getDenseBoolArrayAttr(access.inBounds), other, UnitAttr());
  };
  values_.map(op.getResult(), isView ? build(tile::LoadFragmentOp()) : build(tile::ReadSharedOp()));
  return success();
}

LogicalResult KernelLowering::storeFragment(graph::StoreOp op) {
  for (size_t i = 0; i < op.getOffsets().size(); ++i) {
    DimAttr size = op.getSizes().getDims()[i];
    if (!op.getPoints()[i] && variesAtRunTime(size) && size != shapeOf(op.getBase().getType())[i])
      return unsupported(op,
                         "a tile whose extent varies at run time can be stored only along a whole dimension");
  }
  Access access = accessOf(op);
  Value value = values_.lookup(op.getValue());
  auto build = [&](auto tag) {
    builder_.create<decltype(tag)>(op.getLoc(), value, values_.lookup(op.getBase()), access.offsets,
                                   builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                                   builder_.getDenseI64ArrayAttr(access.steps),
                                   builder_.getDenseBoolArrayAttr(access.inBounds));
  };
  if (llvm::isa<ViewType>(op.getBase().getType())) build(tile::StoreFragmentOp());
  else build(tile::WriteSharedOp());
  return success();
}

KernelLowering::Access KernelLowering::wholeBuffer(SharedType type, Location loc) {
  Access access;
  for (DimAttr extent : type.getShape()) {
    access.offsets.push_back(constantIndex(0, loc));
    access.points.push_back(false);
    access.inBounds.push_back(true);
    access.sizes.push_back(extent);
    access.steps.push_back(1);
  }
  return access;
}

Value KernelLowering::allocShared(ArrayRef<DimAttr> shape, Type element, StringRef name, Location loc,
                                  Location like) {
  OpBuilder::InsertionGuard guard(builder_);
  // After the buffers that are there, before everything else.
  Block &top = target_.getBody().front();
  auto place = top.begin();
  while (place != top.end() && llvm::isa<tile::AllocSharedOp>(*place)) ++place;
  builder_.setInsertionPoint(&top, place);
  auto type = SharedType::get(builder_.getContext(), shape, element, "");
  return builder_.create<tile::AllocSharedOp>(withSizesOf(like, named(name, unnamed(loc))), type,
                                              /*manual=*/false);
}

Value KernelLowering::writeToShared(Value fragment, StringRef name, Location loc) {
  auto type = llvm::cast<tile::FragmentType>(fragment.getType());
  Value buffer = allocShared(type.getShape(), type.getElementType(), name, loc, fragment.getLoc());
  Access access = wholeBuffer(llvm::cast<SharedType>(buffer.getType()), loc);
  builder_.create<tile::WriteSharedOp>(loc, fragment, buffer, access.offsets,
                                       builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                                       builder_.getDenseI64ArrayAttr(access.steps),
                                       builder_.getDenseBoolArrayAttr(access.inBounds));
  return buffer;
}

static Value readWhole(OpBuilder &builder, Value buffer, Type type, ArrayRef<Value> offsets,
                       DenseBoolArrayAttr points, DimsAttr sizes, DenseI64ArrayAttr steps,
                       DenseBoolArrayAttr inBounds, bool transposed, Location loc) {
  return builder.create<tile::ReadSharedOp>(loc, type, buffer, offsets, points, sizes, steps, inBounds,
                                            Value(), transposed ? builder.getUnitAttr() : UnitAttr());
}

/// A vector in the other place: through shared memory, as its elements change lanes.
Value KernelLowering::reoriented(Value vector, int64_t sliceAxis, Location loc) {
  auto type = llvm::cast<tile::FragmentType>(vector.getType());
  if (type.getSliceAxis() == sliceAxis) return vector;
  Value buffer = writeToShared(vector, "turned", loc);
  Access access = wholeBuffer(llvm::cast<SharedType>(buffer.getType()), loc);
  return readWhole(builder_, buffer, fragmentType(type.getShape(), type.getElementType(), sliceAxis),
                   access.offsets, builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                   builder_.getDenseI64ArrayAttr(access.steps),
                   builder_.getDenseBoolArrayAttr(access.inBounds), false, loc);
}

LogicalResult KernelLowering::lowerTranspose(graph::TransposeOp op) {
  if (isOnlyDotOperand(op.getResult())) return success();  // the dot reads the other way round
  SmallVector<int64_t> axes = longAxes(op.getType());
  bool swaps = axes.size() == 2 && op.getPerm()[axes[0]] > op.getPerm()[axes[1]];
  if (!values_.contains(op.getOperand()))
    return unsupported(op, "this transposed tile is used both by a dot and otherwise; load it twice");
  Value value = values_.lookup(op.getOperand());
  if (swaps && !onlyFeedsDots(op.getResult())) {
    Value buffer = writeToShared(value, "transposed", op.getLoc());
    Access access = wholeBuffer(llvm::cast<SharedType>(buffer.getType()), op.getLoc());
    value = readWhole(builder_, buffer, fragmentType(op.getResult()), access.offsets,
                      builder_.getDenseBoolArrayAttr(access.points), dimsAttr(access.sizes),
                      builder_.getDenseI64ArrayAttr(access.steps),
                      builder_.getDenseBoolArrayAttr(access.inBounds), true, op.getLoc());
  }
  values_.map(op.getResult(), value);
  return success();
}

}  // namespace tessera::transforms
