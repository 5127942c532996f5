// Loops and branches that the entry function runs. What a loop carries lies in two buffers: a turn reads the one and writes the other, and
// then the entry function swaps them, which copies nothing. An array that turns only update lies in one (Updates.h).
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Integers are counted by the entry function (Loops.h).
SmallVector<FunctionScheduler::Carried> FunctionScheduler::carriedBy(Operation *op) {
  SmallVector<Carried> carried;
  auto add = [&](SmallVector<Value, 2> arguments, Value init, Value yielded, Value result) {
    if (result.getType().isIndex()) return;
    bool isIdle = result.use_empty() && yielded == arguments[0] && llvm::all_of(arguments, [](Value each) { return each.hasOneUse() || each.use_empty(); });
    if (isIdle) return;  // handed on, and read by nobody
    int64_t number = cast<OpResult>(result).getResultNumber();
    carried.push_back({std::move(arguments), init, yielded, result, {}, {}, isListed(op, kInPlace, number), isListed(op, kTakesOver, number)});
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, init, yielded, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues(), loop.getResults()))
      add({argument}, init, yielded, result);
    return carried;
  }
  auto loop = cast<scf::WhileOp>(op);
  for (auto [before, after, init, yielded, result] :
       llvm::zip(loop.getBeforeArguments(), loop.getAfterArguments(), loop.getInits(), loop.getYieldOp().getOperands(), loop.getResults()))
    add({after, before}, init, yielded, result);
  return carried;
}

/// Memory with a number, for the words of a loop to speak of.
Value FunctionScheduler::bufferFor(Type type, StringRef hint, Location loc) {
  Type view = ViewType::get(builder_.getContext(), shapeOf(type), elementTypeOf(type));
  auto memory = launchOp<schedule::TempOp>(named(hint, unnamed(loc)), view);
  memory->setAttr(kBuffer, builder_.getI64IntegerAttr(buffers_++));
  return memory;
}

/// The dimensions of the function, and the integers that the loops around count.
ArrayAttr FunctionScheduler::dimsInScope() {
  SmallVector<Attribute> dims(function_.getDimsAttr().begin(), function_.getDimsAttr().end());
  dims.append(counters_);
  return builder_.getArrayAttr(dims);
}

/// Computes a value into memory that something else holds, too.
LogicalResult FunctionScheduler::fill(Value value, Value memory) {
  if (leaves_.lookup(value) == memory) return success();
  return leaves_.count(value) ? laneKernel(value, memory, false) : makeRoot(value, memory);
}

/// What a loop starts from. The memory changes: nobody else may read the value there.
LogicalResult FunctionScheduler::startFrom(Value init, Value memory) {
  bool shared = !init.hasOneUse();
  if (shared && roots_.count(init) && !leaves_.count(init) && failed(makeRoot(init))) return failure();
  if (leaves_.count(init)) return laneKernel(init, memory, false);
  bool wasRoot = roots_.count(init);
  if (failed(makeRoot(init, memory))) return failure();
  leaves_.erase(init);
  if (wasRoot) roots_.insert(init);
  return success();
}

/// The entry function reads how many turns the device has computed, under the name that the words have for it.
LogicalResult FunctionScheduler::readCount(Value count, StringRef number, Attribute named) {
  OpBuilder behind(function_.getContext());
  behind.setInsertionPointAfterValue(count);
  Location loc = unnamed(count.getLoc());
  const std::string name = cast<DimAttr>(named).getDim().varName();
  Value stored = behind.create<graph::CastOp>(ir::named(name, loc), behind.getI64Type(), count);
  Value memory = bufferFor(stored.getType(), name + "_place", loc);
  if (failed(fill(stored, memory))) return failure();
  when_.push_back(builder_.getArrayAttr({builder_.getStringAttr("read"), builder_.getStringAttr(number), memory.getDefiningOp()->getAttr(kBuffer), builder_.getStringAttr(name)}));
  return success();
}

LogicalResult FunctionScheduler::launchLoop(Operation *op) {
  SmallVector<Carried> carried = carriedBy(op);
  if (carried.empty()) return success();  // nothing that it makes is used
  auto kept = op->getAttrOfType<ArrayAttr>(kLoop);
  std::string number = std::to_string(loops_++);
  SmallVector<Attribute> words(kept.begin(), kept.end()), swaps;
  auto word = cast<StringAttr>(words[0]);
  Attribute integers = words.pop_back_val();
  for (Carried &one : carried) {
    StringRef hint = nameHint(one.arguments[0]);
    std::string name = hint.empty() ? "carried" : hint.str();
    if (failed(one.takesOver ? settle(one.init, op) : success())) return failure();
    one.memory = one.takesOver                               ? leaves_.lookup(one.init)
                 : one.inPlace && results_.count(one.result) ? memoryFor(one.result)
                                                             : bufferFor(one.result.getType(), name, op->getLoc());
    if (!one.takesOver && failed(startFrom(one.init, one.memory))) return failure();
    for (Value argument : one.arguments) leaves_[argument] = one.memory;
    if (one.inPlace || llvm::is_contained(one.arguments, one.yielded)) continue;
    one.next = bufferFor(one.result.getType(), "next_" + name, op->getLoc());
    swaps.push_back(builder_.getArrayAttr({one.memory.getDefiningOp()->getAttr(kBuffer), one.next.getDefiningOp()->getAttr(kBuffer)}));
  }
  // ["for", number, counter, start, stop, step, integers, swaps] or ["while", number, condition?, integers, swaps]
  words.insert(words.begin() + 1, builder_.getStringAttr(number));
  words.append({integers, builder_.getArrayAttr(swaps)});
  auto counters = counters_;
  if (word.getValue() == "for") counters_.push_back(words[2]);
  for (Attribute integer : cast<ArrayAttr>(integers)) counters_.push_back(cast<ArrayAttr>(integer)[0]);
  auto when = when_;
  if (auto counted = dyn_cast<scf::ForOp>(op); counted && op->hasAttr(kCountOfData)) {
    // Known by now, where the loop around it was written out.
    if (auto count = dimOf(counted.getUpperBound(), function_)) words[kStopWord + 1] = DimAttr::get(builder_.getContext(), *count);
    else if (failed(readCount(counted.getUpperBound(), number, kept[kStopWord]))) return failure();
  }
  when_.push_back(builder_.getArrayAttr(words));

  // What a turn computes, what follows does not have.
  auto leaves = leaves_;
  auto roots = roots_;
  auto repeated = dyn_cast<scf::WhileOp>(op);
  if (repeated && kept.size() == 2) {
    Value holds = repeated.getConditionOp().getCondition();
    Value memory = bufferFor(holds.getType(), "going_on", op->getLoc());
    if (holds.getParentBlock() == repeated.getBeforeBody()) results_.try_emplace(holds, memory);
    if (failed(launchBlock(*repeated.getBeforeBody())) || failed(fill(holds, memory))) return failure();
    when_.push_back(builder_.getArrayAttr({builder_.getStringAttr("leave"), builder_.getStringAttr(number), memory.getDefiningOp()->getAttr(kBuffer)}));
  }
  Block *body = repeated ? repeated.getAfterBody() : cast<scf::ForOp>(op).getBody();
  for (Carried &one : carried)
    if (one.next && one.yielded.getParentBlock() == body && !leaves_.count(one.yielded)) results_.try_emplace(one.yielded, one.next);
  if (failed(launchBlock(*body))) return failure();
  for (Carried &one : carried)
    if (one.next && failed(fill(one.yielded, one.next))) return failure();
  for (Carried &one : carried) results_.erase(one.yielded);
  leaves_ = std::move(leaves);
  roots_ = std::move(roots);
  when_ = std::move(when);
  counters_ = std::move(counters);
  for (Carried &one : carried) {
    roots_.erase(one.result);
    leaves_[one.result] = one.memory;
  }
  // Integers are sizes of the entry function from here on.
  for (Attribute integer : cast<ArrayAttr>(integers))
    if (Attribute name = cast<ArrayAttr>(integer)[0]; !llvm::is_contained(counters_, name)) counters_.push_back(name);
  return success();
}

/// Both branches write what they give into the same memory; the entry function asks which of them it launches.
LogicalResult FunctionScheduler::launchBranches(scf::IfOp branch) {
  SmallVector<Value> memory;
  for (Value result : branch.getResults()) memory.push_back(memoryFor(result));
  Attribute condition = branch->getAttr(kWhen);
  for (bool holds : {true, false}) {
    Block *block = holds ? branch.thenBlock() : branch.elseBlock();
    if (!block) continue;
    // What one branch computes, the other and what follows do not have.
    auto leaves = leaves_;
    auto roots = roots_;
    when_.push_back(holds ? condition : negated(condition));
    for (auto [value, target] : llvm::zip(block->getTerminator()->getOperands(), memory))
      if (value.getParentBlock() == block) results_.try_emplace(value, target);
    if (failed(launchBlock(*block))) return failure();
    for (auto [value, target] : llvm::zip(block->getTerminator()->getOperands(), memory))
      if (leaves_.lookup(value) != target && failed(makeRoot(value, target))) return failure();
    when_.pop_back();
    leaves_ = std::move(leaves);
    roots_ = std::move(roots);
  }
  for (auto [result, target] : llvm::zip(branch.getResults(), memory)) {
    roots_.erase(result);
    leaves_[result] = target;
  }
  return success();
}

}  // namespace tessera::transforms
