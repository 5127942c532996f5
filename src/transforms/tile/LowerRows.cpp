// Streamed values: an array is a recipe for each of its elements, and a consumer is a loop over them.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/Lowering.h"
#include "transforms/tile/StoreLate.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

LogicalResult KernelLowering::lowerStreamed(Operation *op) {
  if (auto store = llvm::dyn_cast<graph::StoreOp>(op)) return storeRow(store);
  if (auto atomic = llvm::dyn_cast<graph::AtomicOp>(op)) return updateRow(atomic);
  if (auto reduce = llvm::dyn_cast<graph::ReduceOp>(op))
    if (!isLong(reduce.getType())) return reduceRow(reduce);
  if (llvm::isa<graph::ScanOp>(op))  // elsewhere a kernel with a scan, or with an order, holds fragments
    return unsupported(op, "a scan of what each lane has by itself; a group scans a tile, in a kernel with a grid of groups");
  if (llvm::isa<graph::ArgsortOp>(op))
    return unsupported(op, "the order of what each lane has by itself; a group sorts a tile, in a kernel with a grid of groups");
  bool isRecipe = llvm::isa<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::ReshapeOp,
                            graph::TransposeOp, graph::FullOp, graph::IotaOp, graph::LoadOp, graph::ConcatOp,
                            graph::SliceOp, graph::WindowOp, graph::GatherOp, graph::ReduceOp,
                            graph::DotOp>(op);
  if (!isRecipe) return unsupported(op, wordOf(op) + " of a row that is longer than a group can hold");
  if (isLong(op->getResult(0).getType())) return success();  // its consumers compute its elements
  // One element of a row: a scalar from here on.
  Index first(shapeOf(op->getResult(0).getType()).size());
  for (Value &index : first) index = constantIndex(0, op->getLoc());
  Value value = element(op->getResult(0), first);
  if (!value) return failure();
  values_.map(op->getResult(0), value);
  return success();
}

// ---------------------------------------------------------------- who runs the loop

/// Differs between the lanes of a group.
bool KernelLowering::isVarying(Value value) {
  auto found = varying_.find(value);
  if (found != varying_.end()) return found->second;
  varying_[value] = false;  // of a loop's carried values: decided by what enters
  bool varying = false;
  if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (!llvm::isa<schedule::KernelOp>(parent))
      varying = llvm::any_of(parent->getOperands(), [&](Value operand) { return isVarying(operand); });
  } else {
    Operation *op = value.getDefiningOp();
    if (auto query = llvm::dyn_cast<graph::QueryOp>(op))
      varying =
          query.getQuery() == "local_id" || query.getQuery() == "lane_id" || query.getQuery() == "linear_id";
    varying |= llvm::isa<graph::AtomicOp, graph::WarpOp>(op);  // each lane finds what the one before it left, or what is its warp's
    varying |= llvm::any_of(op->getOperands(), [&](Value operand) { return isVarying(operand); });
    if (op->getNumRegions())
      op->walk([&](Operation *inner) {
        if (inner != op && inner->hasTrait<OpTrait::IsTerminator>())
          varying |= llvm::any_of(inner->getOperands(), [&](Value operand) { return isVarying(operand); });
      });
  }
  return varying_[value] = varying;
}

bool KernelLowering::isInVaryingFlow(Operation *op) {
  for (Operation *parent = op->getParentOp(); !llvm::isa<schedule::KernelOp>(parent);
       parent = parent->getParentOp()) {
    if (llvm::any_of(parent->getOperands(), [&](Value operand) { return isVarying(operand); })) return true;
    if (auto loop = llvm::dyn_cast<scf::WhileOp>(parent))
      if (isVarying(loop.getConditionOp().getCondition())) return true;
  }
  return false;
}

/// A streamed load is read when its consumer runs: nothing may have been stored there since.
bool KernelLowering::checkReadsBefore(Operation *consumer, Value array) {
  for (graph::LoadOp load : streamedLoads(array))
    for (Operation *user : load.getBase().getUsers()) {
      auto store = llvm::dyn_cast<graph::StoreOp>(user);
      auto atomic = llvm::dyn_cast<graph::AtomicOp>(user);
      const bool writes = (store && store.getBase() == load.getBase()) || (atomic && atomic.getBase() == load.getBase());
      if (!writes || !isBetween(user, load, consumer)) continue;
      consumer->emitError("this uses a row of a tensor after part of that tensor was stored; the row is longer than a group can keep, so it would be "
                          "read again with the new values; store it behind its last use");
      return false;
    }
  return true;
}

// ---------------------------------------------------------------- loops

Value KernelLowering::loopOver(ArrayRef<DimAttr> extents, bool byGroup, Value initial, Location loc,
                               function_ref<Value(ArrayRef<Value>, Value)> body) {
  SmallVector<DimAttr> longExtents;
  Dim count(1);
  for (DimAttr extent : extents)
    if (!isUnit(extent)) {
      longExtents.push_back(extent);
      count = count * extent.getDim();
    }
  Location place = unnamed(loc);
  Value start = byGroup ? query("local_id", 0, place) : constantIndex(0, place);
  Value stop = dim(DimAttr::get(builder_.getContext(), count), place);
  Value step = byGroup ? query("group_size", 0, place) : constantIndex(1, place);
  auto loop =
      builder_.create<scf::ForOp>(place, start, stop, step, initial ? ValueRange(initial) : ValueRange());
  Block *block = loop.getBody();
  if (!block->empty()) block->back().erase();
  if (initial) block->getArgument(1).setLoc(loc);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(block);
  elements_.emplace_back();
  SmallVector<Value> position = delinearize(loop.getInductionVar(), longExtents, place), index;
  auto next = position.begin();
  for (DimAttr extent : extents) index.push_back(isUnit(extent) ? constantIndex(0, place) : *next++);
  Value result = body(index, initial ? block->getArgument(1) : Value());
  elements_.pop_back();
  if (initial && !result) return {};
  builder_.create<scf::YieldOp>(place, initial ? ValueRange(result) : ValueRange());
  return initial ? loop.getResult(0) : start;
}

KernelLowering::Index KernelLowering::delinearize(Value linear, ArrayRef<DimAttr> extents, Location loc) {
  Index index(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      index[0] = linear;
      break;
    }
    Value extent = dim(extents[i], loc);
    index[i] = elementwise("mod", {linear, extent}, loc);
    linear = elementwise("floordiv", {linear, extent}, loc);
  }
  return index;
}

Value KernelLowering::linearize(ArrayRef<Value> index, ArrayRef<DimAttr> extents, Location loc) {
  Value linear;
  for (size_t i = 0; i < index.size(); ++i) {
    if (isUnit(extents[i])) continue;
    linear =
        linear ? elementwise("add", {elementwise("mul", {linear, dim(extents[i], loc)}, loc), index[i]}, loc)
               : index[i];
  }
  return linear ? linear : constantIndex(0, loc);
}

// ---------------------------------------------------------------- consumers

LogicalResult KernelLowering::storeRow(graph::StoreOp op) {
  if (!checkReadsBefore(op, op.getValue())) return failure();
  bool byGroup = !isInVaryingFlow(op) && !isVarying(op.getValue()) &&
                 llvm::none_of(op.getOffsets(), [&](Value offset) { return isVarying(offset); });
  Value done = loopOver(
      shapeOf(op.getValue().getType()), byGroup, {}, op.getLoc(), [&](ArrayRef<Value> index, Value) -> Value {
        Value value = element(op.getValue(), index);
        if (!value) return {};
        SmallVector<Value> indices;
        auto next = index.begin();
        for (size_t i = 0; i < op.getOffsets().size(); ++i) {
          Value offset = values_.lookup(op.getOffsets()[i]);
          indices.push_back(op.getPoints()[i] ? offset
                                              : offsetBy(offset, *next++, op.getSteps()[i], op.getLoc()));
        }
        builder_.create<tile::StoreElementOp>(op.getLoc(), value, values_.lookup(op.getBase()), indices,
                                              proved(op.getInBounds()));
        return value;
      });
  (void)done;
  return success(!failed_);
}

LogicalResult KernelLowering::reduceRow(graph::ReduceOp op) {
  if (!checkReadsBefore(op, op.getOperand())) return failure();
  bool byGroup = !isInVaryingFlow(op) && !isVarying(op.getOperand());
  Type result = elementTypeOf(op.getType()), carried = result;
  // The greatest of narrow floats is the same in f32, in which they are compared anyway.
  bool narrow = isa<FloatType>(carried) && carried.getIntOrFloatBitWidth() < 32;
  if (narrow && (op.getMnemonic() == "max" || op.getMnemonic() == "min")) carried = builder_.getF32Type();
  Value start = identity(op.getMnemonic(), carried, op.getLoc());
  if (!start) return unsupported(op, "this reduction is not available for its dtype inside a kernel");
  Value total =
      loopOver(shapeOf(op.getOperand().getType()), byGroup, start, op.getLoc(),
               [&](ArrayRef<Value> index, Value sum) -> Value {
                 Value value = element(op.getOperand(), index);
                 return value ? combine(op.getMnemonic(), sum, cast(value, carried, op.getLoc()), op.getLoc())
                              : Value();
               });
  if (!total) return failure();
  total.getDefiningOp()->setAttr(tile::kReduces, op.getMnemonicAttr());
  if (byGroup) total = builder_.create<tile::GroupReduceOp>(op.getLoc(), carried, op.getMnemonic(), total);
  values_.map(op.getResult(), cast(total, result, op.getLoc()));
  return success();
}

}  // namespace tessera::transforms
