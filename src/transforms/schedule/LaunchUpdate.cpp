// Updates in place: a kernel that writes a part of the array's memory, after everything that reads what was there.
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"
#include "transforms/schedule/WalkBack.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// A value that is not computed yet, and that something after `change` asks for.
bool FunctionScheduler::isPending(Value value, Operation *change, llvm::DenseSet<Value> &seen) {
  if (leaves_.count(value) || !seen.insert(value).second) return false;
  for (Operation *user : value.getUsers()) {
    Operation *here = change->getBlock()->findAncestorOpInBlock(*user);
    if (here == change && user == change) continue;
    if (!here || here == change || !here->isBeforeInBlock(change)) return true;
    if (here != user) continue;  // a loop or branch that was launched
    for (Value result : user->getResults())
      if (isPending(result, change, seen)) return true;
  }
  return false;
}

/// Computes what is still to read a value whose memory `change` writes to, also under another shape.
LogicalResult FunctionScheduler::settle(Value value, Operation *change) {
  for (Operation *user : value.getUsers()) {
    if (user == change || user->getBlock() != change->getBlock() || user->getNumRegions()) continue;
    if (auto reshape = dyn_cast<graph::ReshapeOp>(user); reshape && sameMemory(reshape.getResult())) {
      if (failed(settle(reshape.getResult(), change))) return failure();
      continue;
    }
    for (Value result : user->getResults()) {
      llvm::DenseSet<Value> seen;
      if (isPending(result, change, seen) && failed(makeRoot(result))) return failure();
    }
  }
  return success();
}

bool FunctionScheduler::readsFrom(Value value, Value memory) {
  bool reads = false;
  walkBack(value, [&](Value each) {
    auto leaf = leaves_.find(each);
    if (leaf == leaves_.end()) return !reads;
    reads |= leaf->second == memory;
    return false;
  });
  return reads;
}

/// What an element becomes depends on no other element of this memory.
bool FunctionScheduler::readsOnlyItsElement(Value value, Value memory) {
  if (!readsFrom(value, memory)) return !holds(value, [](Operation *op) { return isa<graph::DotOp, graph::ReduceOp>(op); });
  if (leaves_.count(value)) return shapeOf(value.getType()) == shapeOf(memory.getType());
  Operation *op = value.getDefiningOp();
  if (!isa<graph::ElementwiseOp, graph::CastOp>(op)) return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return readsOnlyItsElement(operand, memory); });
}

/// What a state becomes by a computation of its own, not by updates of parts or by what a loop, branch or kernel leaves.
bool FunctionScheduler::isNewState(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &function_.entry() && op->getNumRegions() == 0 && !op->hasAttr(kInPlace) && !isa<graph::CallOp>(op);
}

/// A new value for the whole of a state's memory, which nothing else reads any more.
LogicalResult FunctionScheduler::writeState(Value value, Value memory) {
  if (leaves_.count(value) || readsOnlyItsElement(value, memory)) return laneKernel(value, memory, false);
  if (!readsFrom(value, memory)) return makeRoot(value, memory);
  return failed(makeRoot(value)) ? failure() : laneKernel(value, memory, false);
}

/// The first, and those that one kernel can write together with it: of its shape, each made of elements at the same place alone.
/// The moments and weights of an optimiser.
SmallVector<FunctionScheduler::Stored> FunctionScheduler::statesTogether(const Stored &first, ArrayRef<Stored> states) {
  SmallVector<Stored> together{first};
  if (leaves_.count(first.first) || !readsOnlyItsElement(first.first, first.second)) return together;
  SmallVector<Value> siblings = siblingsOf(first.first);
  for (const Stored &state : states) {
    if (state == first || !llvm::is_contained(siblings, state.first)) continue;
    together.push_back(state);
    bool isByElement = llvm::all_of(together, [&](const Stored &reader) {
      return llvm::all_of(together, [&](const Stored &read) {
        return !readsFrom(reader.first, read.second) || readsOnlyItsElement(reader.first, read.second);
      });
    });
    if (!isByElement) together.pop_back();
  }
  return together;
}

/// Whether one of the values is still computed from what lies in memory of the states. From there forward: what the values are
/// made of is nearly the whole function.
static bool isReadFor(const llvm::DenseSet<Value> &values, ArrayRef<std::pair<Value, Value>> states,
                      const llvm::DenseMap<Value, Value> &leaves) {
  SmallVector<Value> next;
  for (auto [leaf, memory] : leaves)
    if (llvm::any_of(states, [memory = memory](const auto &state) { return state.second == memory; })) next.push_back(leaf);
  llvm::DenseSet<Value> seen;
  while (!next.empty()) {
    Value value = next.pop_back_val();
    if (!seen.insert(value).second) continue;
    if (values.contains(value)) return true;
    for (Operation *user : value.getUsers())
      for (Value result : user->getResults())
        if (!leaves.count(result)) next.push_back(result);
  }
  return false;
}

/// The first of them, with those written together with it, whose memory no other needs any more; none if each needs another's.
SmallVector<FunctionScheduler::Stored> FunctionScheduler::freeStates(ArrayRef<Stored> states) {
  for (const Stored &first : states) {
    SmallVector<Stored> together = statesTogether(first, states);
    llvm::DenseSet<Value> others;
    for (const Stored &other : states)
      if (!llvm::is_contained(together, other)) others.insert(other.first);
    if (!isReadFor(others, together, leaves_)) return together;
  }
  return {};
}

/// One kernel for states that are written together.
LogicalResult FunctionScheduler::writeTogether(ArrayRef<Stored> together) {
  for (const Stored &state : together) roots_.erase(state.first);
  auto [value, memory] = together.front();
  if (together.size() == 1) return writeState(value, memory);
  SmallVector<Value> siblings;
  for (const Stored &state : together.drop_front()) {
    siblings.push_back(state.first);
    results_[state.first] = state.second;
  }
  if (failed(laneKernel(value, memory, false, siblings))) return failure();
  leaves_[value] = memory;
  return success();
}

/// One group after the other: each when no other needs what its memory holds. Where each needs another's, one is computed beside.
LogicalResult FunctionScheduler::writeStates(SmallVector<Stored> states) {
  // What one is made of comes first, as the program has them.
  llvm::sort(states, [](const Stored &a, const Stored &b) {
    Operation *made = a.first.getDefiningOp(), *other = b.first.getDefiningOp();
    return other && (!made || (made->getBlock() == other->getBlock() && made->isBeforeInBlock(other)));
  });
  while (!states.empty()) {
    if (SmallVector<Stored> together = freeStates(states); !together.empty()) {
      llvm::erase_if(states, [&](const Stored &state) { return llvm::is_contained(together, state); });
      if (failed(writeTogether(together))) return failure();
      continue;
    }
    Value value = states.front().first;
    if (!leaves_.count(value)) {
      if (failed(makeRoot(value))) return failure();
      continue;
    }
    Value view = launchOp<schedule::TempOp>(
        unnamed(value.getLoc()), ViewType::get(builder_.getContext(), shapeOf(value.getType()), elementTypeOf(value.getType())));
    if (failed(laneKernel(value, view, false))) return failure();
    leaves_[value] = view;
  }
  return success();
}

/// What is gathered only moves to the block of an update in place: its kernel asks for it where it comes from.
bool FunctionScheduler::goesToBlock(graph::GatherOp gather) {
  int64_t axis = gather.getAxis();
  for (Value value = gather.getResult(); value.hasOneUse();) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    auto broadcast = dyn_cast<graph::BroadcastOp>(user);
    auto other = dyn_cast<graph::GatherOp>(user);
    if (user->hasAttr(kInPlace)) {
      std::optional<Update> update = use.getOperandNumber() == 1 ? updateBy(user) : std::nullopt;
      return update && movesTo(gather, update->starts[axis], function_);
    }
    bool moves = other && use.getOperandNumber() == 0 && other.getAxes().size() == 1 && static_cast<int64_t>(other.getAxis()) != axis;
    if (!broadcast && !moves) return false;
    if (broadcast) axis = broadcast.getAxes()[axis];
    value = user->getResult(0);
  }
  return false;
}

/// The part of a new value at indices of the array it goes to, which are `local` from where the block begins: what moves to the
/// block is asked for where it comes from.
Value FunctionScheduler::partOfBlock(Privatiser &privatiser, Value value, const Indices &indices, const Indices &local, ArrayRef<Value> starts) {
  auto through = [&](Value operand, ArrayRef<int64_t> axes) {
    Indices innerIndices, innerLocal;
    SmallVector<Value> innerStarts;
    for (auto [axis, extent] : llvm::zip(axes, shapeOf(operand.getType()))) {
      Index zero(privatiser.constantIndex(0, unnamed(value.getLoc())));
      innerIndices.push_back(isUnit(extent) ? zero : indices[axis]);
      innerLocal.push_back(isUnit(extent) ? zero : local[axis]);
      innerStarts.push_back(isUnit(extent) ? Value() : starts[axis]);
    }
    return partOfBlock(privatiser, operand, innerIndices, innerLocal, innerStarts);
  };
  if (leaves_.count(value)) return privatiser.part(value, indices);
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) return through(broadcast.getOperand(), broadcast.getAxes());
  auto gather = value.getDefiningOp<graph::GatherOp>();
  if (!gather || !movesTo(gather, starts[gather.getAxis()], function_)) return privatiser.part(value, indices);
  Indices inner(indices);
  inner[gather.getAxis()] = local[gather.getAxis()];
  SmallVector<Value> innerStarts(starts);
  innerStarts[gather.getAxis()] = {};
  return partOfBlock(privatiser, gather.getOperand(), inner, local, innerStarts);
}

/// One element, made of others by elementwise operations alone: its lane has read them before it writes, so that what it reads may lie in
/// the memory that is written.
bool FunctionScheduler::isReadBeforeWritten(const Update &update, Value source, ArrayRef<Value> read, Value memory) {
  auto hasItsShape = [&](Value leaf) { return leaves_.lookup(leaf) != memory || shapeOf(leaf.getType()) == shapeOf(update.old.getType()); };
  return !leaves_.count(source) && !roots_.count(source) && llvm::all_of(update.sizes, [](const Dim &size) { return size == Dim(1); }) &&
         llvm::all_of(read, hasItsShape) && !holds(source, [](Operation *op) { return isa<graph::DotOp, graph::ReduceOp>(op); });
}

/// Writes the block. A value that reads the old array is computed before, in memory of its own, unless one lane does all of it.
LogicalResult FunctionScheduler::launchUpdate(Operation *op) {
  std::optional<Update> update = updateBy(op);
  Value memory = update ? leaves_.lookup(update->old) : Value();
  if (!memory) return op->emitError("an update in place of what does not lie in memory");
  if (failed(settle(update->old, op))) return failure();
  Value source = sourceOf(update->value);
  llvm::SetVector<Value> read;
  leavesOf(source, read);
  bool readsOld = llvm::any_of(read, [&](Value leaf) { return leaves_.lookup(leaf) == memory; });
  if (readsOld && isReadBeforeWritten(*update, source, read.getArrayRef(), memory)) {
  } else if (!leaves_.count(source) && (readsOld || roots_.count(source))) {
    if (failed(makeRoot(source))) return failure();
  } else if (readsOld) {  // under another name
    Value view = launchOp<schedule::TempOp>(
        unnamed(op->getLoc()), ViewType::get(builder_.getContext(), shapeOf(source.getType()), elementTypeOf(source.getType())));
    if (failed(laneKernel(source, view, false))) return failure();
    leaves_[source] = view;
  }
  for (Value start : update->starts)  // a place that the old array says is known before
    if (start && !leaves_.count(start) && readsFrom(start, memory) && failed(makeRoot(start))) return failure();
  Value result = op->getResult(0);
  leaves_[result] = memory;
  roots_.erase(result);

  Location loc = op->getLoc(), place = unnamed(loc);
  SmallVector<DimAttr> shape;
  for (const Dim &size : update->sizes) shape.push_back(DimAttr::get(builder_.getContext(), size));
  GridAttr grid = gridOfLanes(builder_.getContext(), shape);
  SmallVector<Value> reads = {update->value};
  for (Value start : update->starts)
    if (start) reads.push_back(start);
  Kernel kernel = beginKernel(result, grid, memory, {"one lane an element of what is written"}, true, {},
                              schedule::KernelOp::getOperationName(), reads);
  Lane lane = beginLane(kernel, shape, place);
  OpBuilder &builder = lane.builder;
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices = privatiser.delinearize(lane.number, shape, place, /*naming=*/true), local(indices);
  for (auto [index, start] : llvm::zip(indices, update->starts)) {
    Value from = start ? privatiser.part(start, {}) : Value();
    if (from && !from.getType().isIndex())
      from = builder.create<graph::CastOp>(place, builder.getIndexType(), from, StringAttr(), UnitAttr());
    if (from) index.at = privatiser.arithmetic("add", from, index.at, place);
  }
  Value piece = partOfBlock(privatiser, update->value, indices, local, update->starts);
  if (!piece) return failure();
  store(builder, piece, kernel.target, indices, /*byLane=*/true, loc);
  endLane(kernel, place);
  return success();
}

}  // namespace tessera::transforms
