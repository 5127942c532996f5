// The body of a kernel, operation by operation: control flow, time, and who handles the rest.
#include "ir/common/SharedAlignment.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/tile/Lowering.h"
#include "transforms/tile/StoreLate.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

KernelLowering::KernelLowering(schedule::KernelOp source, tile::KernelOp target, Layouts layouts)
    : source_(source), target_(target), layouts_(std::move(layouts)), builder_(target->getContext()),
      elements_(1) {}

LogicalResult KernelLowering::run() {
  if (layouts_.fragments()) castBeforeConcat(source_);
  else storeAfterReads(source_);
  Block &from = source_.entry();
  Block &to = target_.getBody().emplaceBlock();
  for (BlockArgument argument : from.getArguments())
    values_.map(argument, to.addArgument(argument.getType(), argument.getLoc()));
  builder_.setInsertionPointToEnd(&to);
  if (failed(lowerBlock(from))) return failure();
  removeUnused(target_.getBody());
  return success();
}

/// Indices of axes that turned out not to matter, values that only a streamed consumer asked for.
void KernelLowering::removeUnused(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &inner : op.getRegions()) removeUnused(inner);
      if (isOpTriviallyDead(&op)) op.erase();
    }
}

LogicalResult KernelLowering::unsupported(Operation *op, const Twine &why) { return op->emitError(why); }

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lowerOp(&op))) return failure();
  return success();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  Location loc = op->getLoc();
  if (llvm::isa<scf::ForOp>(op)) return lowerFor(op);
  if (llvm::isa<scf::IfOp>(op)) return lowerIf(op);
  if (llvm::isa<scf::WhileOp>(op)) return lowerWhile(op);
  if (llvm::isa<scf::YieldOp, scf::ConditionOp>(op)) return lowerYield(op);
  if (auto copy = llvm::dyn_cast<graph::AsyncCopyOp>(op)) return lowerCopy(copy);
  if (llvm::isa<schedule::KernelEndOp>(op)) {
    builder_.create<tile::KernelEndOp>(loc);
  } else if (llvm::isa<graph::CommitGroupOp>(op)) {
    builder_.create<tile::CommitGroupOp>(loc);
  } else if (auto wait = llvm::dyn_cast<graph::WaitGroupOp>(op)) {
    builder_.create<tile::WaitGroupOp>(loc, builder_.getI64IntegerAttr(wait.getPending()));
  } else if (llvm::isa<graph::BarrierOp>(op)) {
    builder_.create<tile::BarrierOp>(loc);
  } else if (auto alloc = llvm::dyn_cast<graph::AllocSharedOp>(op)) {
    auto buffer = builder_.create<tile::AllocSharedOp>(loc, alloc.getType(), /*manual=*/true);
    if (Attribute alignment = alloc->getAttr(kSharedAlignment)) buffer->setAttr(kSharedAlignment, alignment);
    values_.map(alloc.getResult(), buffer.getResult());
  } else if (auto sort = llvm::dyn_cast<schedule::ArgsortRowOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : sort.getIndices()) indices.push_back(values_.lookup(index));
    builder_.create<tile::ArgsortRowOp>(loc, values_.lookup(sort.getKeys()), values_.lookup(sort.getBase()), indices,
                                        sort.getPart() ? values_.lookup(sort.getPart()) : Value(), sort.getNamed() ? values_.lookup(sort.getNamed()) : Value(), sort.getDescending(),
                                        sort.getFirst(), sort.getLength());
  } else if (isScalarOp(op)) {
    return lowerScalar(op);
  } else {
    return layouts_.fragments() ? lowerFragmentOp(op) : lowerStreamed(op);
  }
  return success();
}

// ---------------------------------------------------------------- control flow

LogicalResult KernelLowering::lowerFor(Operation *op) {
  auto loop = llvm::cast<scf::ForOp>(op);
  SmallVector<Value> initial;
  for (Value value : loop.getInitArgs()) {
    if (!values_.contains(value)) return unsupported(op, "a loop carries an array that no group can hold");
    initial.push_back(values_.lookup(value));
  }
  auto to = builder_.create<scf::ForOp>(loop.getLoc(), values_.lookup(loop.getLowerBound()),
                                        values_.lookup(loop.getUpperBound()), values_.lookup(loop.getStep()),
                                        initial);
  if (Attribute count = loop->getAttr(tile::kUnrolled)) to->setAttr(tile::kUnrolled, count);
  Block *body = to.getBody();
  if (!body->empty()) body->back().erase();  // an implicit yield
  for (auto [from, argument] : llvm::zip(loop.getBody()->getArguments(), body->getArguments())) {
    argument.setLoc(from.getLoc());
    values_.map(from, argument);
  }
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(body);
  elements_.emplace_back();
  LogicalResult lowered = lowerBlock(*loop.getBody());
  elements_.pop_back();
  values_.map(loop.getResults(), to.getResults());
  return lowered;
}

LogicalResult KernelLowering::lowerIf(Operation *op) {
  auto branch = llvm::cast<scf::IfOp>(op);
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.push_back(isLong(result.getType()) ? Type(fragmentType(result)) : elementTypeOf(result.getType()));
  bool hasElse = !branch.getElseRegion().empty();
  auto to =
      builder_.create<scf::IfOp>(branch.getLoc(), types, values_.lookup(branch.getCondition()), hasElse);
  to->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  auto lower = [&](Region &from, Region &into) {
    if (from.empty()) return success();
    if (into.empty()) into.emplaceBlock();
    Block &block = into.front();
    if (!block.empty()) block.back().erase();
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(&block);
    elements_.emplace_back();
    LogicalResult lowered = lowerBlock(from.front());
    elements_.pop_back();
    return lowered;
  };
  if (failed(lower(branch.getThenRegion(), to.getThenRegion())) ||
      failed(lower(branch.getElseRegion(), to.getElseRegion())))
    return failure();
  values_.map(branch.getResults(), to.getResults());
  return success();
}

LogicalResult KernelLowering::lowerWhile(Operation *op) {
  auto loop = llvm::cast<scf::WhileOp>(op);
  SmallVector<Value> initial;
  SmallVector<Type> types;
  for (Value value : loop.getInits()) {
    if (!values_.contains(value)) return unsupported(op, "a loop carries an array that no group can hold");
    initial.push_back(values_.lookup(value));
  }
  for (Value result : loop.getResults())
    types.push_back(isLong(result.getType()) ? Type(fragmentType(result)) : elementTypeOf(result.getType()));
  auto to = builder_.create<scf::WhileOp>(loop.getLoc(), types, initial);
  to->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  auto lower = [&](Region &from, Region &into, TypeRange argumentTypes) {
    Block &block = into.emplaceBlock();
    for (auto [argument, type] : llvm::zip(from.front().getArguments(), argumentTypes))
      values_.map(argument, block.addArgument(type, argument.getLoc()));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(&block);
    elements_.emplace_back();
    LogicalResult lowered = lowerBlock(from.front());
    elements_.pop_back();
    return lowered;
  };
  if (failed(lower(loop.getBefore(), to.getBefore(), ValueRange(initial).getTypes())) ||
      failed(lower(loop.getAfter(), to.getAfter(), types)))
    return failure();
  values_.map(loop.getResults(), to.getResults());
  return success();
}

LogicalResult KernelLowering::lowerYield(Operation *op) {
  SmallVector<Value> operands;
  for (Value value : op->getOperands()) {
    if (!values_.contains(value))
      return unsupported(op, "an array leaves a branch or loop in which no group can hold it");
    operands.push_back(values_.lookup(value));
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  builder_.create(state);
  return success();
}

// ---------------------------------------------------------------- asynchronous copies

LogicalResult KernelLowering::lowerCopy(graph::AsyncCopyOp op) {
  Value buffer = values_.lookup(op.getTarget());
  auto type = llvm::cast<SharedType>(buffer.getType());
  bool leading = true;
  for (size_t i = 0; i < op.getTargetPoints().size(); ++i) {
    Value offset = op.getTargetOffsets()[i];
    if (op.getTargetPoints()[i] && leading) {
      auto part = SharedType::get(op.getContext(), type.getShape().drop_front(), type.getElementType(),
                                  type.getSwizzle());
      buffer = builder_.create<tile::SelectBufferOp>(op.getLoc(), part, buffer, values_.lookup(offset));
      type = part;
      continue;
    }
    leading = false;
    auto start = offset.getDefiningOp<graph::ConstantOp>();
    bool whole = !op.getTargetPoints()[i] && start &&
                 llvm::cast<IntegerAttr>(start.getValue()).getInt() == 0 && op.getTargetSteps()[i] == 1 &&
                 op.getTargetSizes().getDims()[i] == op.getTarget().getType().getShape()[i];
    if (!whole)
      return unsupported(op, "an asynchronous copy must fill a whole shared buffer, or one of several");
  }
  SmallVector<Value> offsets;
  for (Value offset : op.getSourceOffsets()) offsets.push_back(values_.lookup(offset));
  builder_.create<tile::CopyOp>(op.getLoc(), values_.lookup(op.getSource()), offsets,
                                op.getSourcePointsAttr(), op.getSourceSizesAttr(), op.getSourceStepsAttr(),
                                op.getSourceInBoundsAttr(), buffer, builder_.getUnitAttr());
  return success();
}

}  // namespace tessera::transforms
