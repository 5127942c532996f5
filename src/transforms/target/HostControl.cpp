// Control flow of host code. What a loop carries and what a condition chooses are variables; a value is written into the
// variable that it ends in as soon as nobody needs what that held before.
#include "ir/common/Names.h"
#include "transforms/target/HostEmitter.h"

using namespace mlir;
namespace graph = tessera::ir::graph;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// Whether something behind an operation, in its block, still asks for what a variable holds before it.
bool HostEmitter::isNeededBehind(Operation *op, const ExprRef &variable) {
  auto needs = [&](Value operand) {
    ExprRef bound = bound_.lookup(operand);
    return bound && mentions(bound, variable->value);
  };
  for (Operation *later = op->getNextNode(); later; later = later->getNextNode()) {
    WalkResult needed = later->walk([&](Operation *nested) {
      return llvm::any_of(nested->getOperands(), needs) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (needed.wasInterrupted()) return true;
  }
  return false;
}

ExprRef HostEmitter::handedOnTo(Value value) {
  Operation *op = value.getDefiningOp(), *end = &op->getBlock()->back();
  auto found = targets_.find(op->getBlock());
  if (found == targets_.end()) return nullptr;
  auto atEnd = [&](OpOperand &use) { return use.getOwner() == end; };
  if (llvm::count_if(value.getUses(), atEnd) != 1) return nullptr;
  ExprRef target = found->second[llvm::find_if(value.getUses(), atEnd)->getOperandNumber()];
  return target && !isNeededBehind(op, target) ? target : nullptr;
}

/// The variable whose value a condition only changes on its way, where nothing else asks for the old one.
ExprRef HostEmitter::changedBy(scf::IfOp op, const ExprRef &start) {
  if (!start || start->kind != Expr::Kind::Read) return nullptr;
  auto variable = start->operands[0]->value.getDefiningOp<out::VariableOp>();
  if (!variable || variable.getIsConst()) return nullptr;
  Operation *at = op;
  for (Block *block = builder_.getInsertionBlock(); block != variable->getBlock(); at = at->getParentOp()) {
    auto around = dyn_cast_or_null<out::IfOp>(block->getParentOp());
    if (!around || isNeededBehind(at, start->operands[0])) return nullptr;
    block = around->getBlock();
  }
  return isNeededBehind(at, start->operands[0]) ? nullptr : start->operands[0];
}

void HostEmitter::copyInto(ValueRange values, ArrayRef<ExprRef> targets, Location place) {
  // All as if at once: whatever another assignment would overwrite is copied first.
  SmallVector<std::pair<ExprRef, ExprRef>> moves;
  for (auto [value, target] : llvm::zip(values, targets)) {
    ExprRef expr = get(value);
    if (!same(expr, read(target))) moves.push_back({target, expr});
  }
  for (size_t i = 0; i < moves.size(); ++i)
    for (size_t later = i + 1; later < moves.size(); ++later)
      if (mentions(moves[later].second, moves[i].first->value))
        moves[later].second = read(declare("", moves[later].second->type, moves[later].second, true, place));
  for (auto &[target, expr] : moves)
    builder_.create<out::AssignOp>(place, write(builder_, place, target), write(builder_, place, expr));
}

/// The variable that a loop carries a value in: that of the value it starts from, where only the loop needs
/// it.
ExprRef HostEmitter::startOf(Operation &loop, Value init, BlockArgument argument) {
  ExprRef start = get(init);
  Type type = typeOf(argument.getType());
  StringRef hint = ir::nameHint(argument);
  if (init.hasOneUse() && start->kind == Expr::Kind::Read && start->type == type &&
      (hint.empty() || hint == ir::nameHint(init)))
    if (auto variable = start->operands[0]->value.getDefiningOp<out::VariableOp>();
        variable && variable->getBlock() == builder_.getInsertionBlock()) {
      variable.setIsConst(false);
      return start->operands[0];
    }
  return declare(hint, type, start, false, loop.getLoc());
}

LogicalResult HostEmitter::emitFor(scf::ForOp op) {
  Location place = op.getLoc();
  SmallVector<ExprRef> carried;
  for (auto [init, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    carried.push_back(startOf(*op, init, argument));
    bound_[argument] = read(carried.back());
  }
  targets_[op.getBody()] = carried;
  Value from = write(builder_, place, get(op.getLowerBound())),
        to = write(builder_, place, get(op.getUpperBound()));
  Value by = write(builder_, place, get(op.getStep()));
  names_.push();
  StringRef hint = ir::nameHint(op.getInductionVar());
  std::string counter = hint.empty() || hint == "_" ? names_.fresh("i") : names_.declare(hint);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), false, false);
  OpBuilder::InsertionGuard guard(builder_);
  Block *body = builder_.createBlock(&loop.getBody());
  bound_[op.getInductionVar()] = valueOf(body->addArgument(builder_.getIndexType(), place));
  if (failed(emitBlock(*op.getBody()))) return failure();
  copyInto(op.getYieldedValues(), carried, place);
  names_.pop();
  for (auto [result, place] : llvm::zip(op.getResults(), carried)) bound_[result] = read(place);
  return success();
}

/// The variables for the results of a condition. A result that nothing carries yet starts as what one side hands on, if
/// that is a number that is there: `start`, which has nothing more to do for it.
HostEmitter::Choice HostEmitter::declareResults(scf::IfOp op) {
  Choice choice;
  auto given = [&](Block *side, size_t i) { return side->getTerminator()->getOperand(i); };
  auto isThere = [&](Block *side, size_t i) {
    Value value = side && op.getNumResults() ? given(side, i) : Value();
    return value && !side->getParent()->isAncestor(value.getParentRegion()) && value.getType().isIntOrIndexOrFloat() &&
           isTrivial(get(value));
  };
  choice.targets.resize(op.getNumResults());
  choice.start.resize(op.getNumResults());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (given(op.thenBlock(), i) == given(op.elseBlock(), i)) bound_[result] = get(given(op.thenBlock(), i));
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (bound_.count(result) || (choice.targets[i] = handedOnTo(result))) continue;
    choice.start[i] = isThere(op.elseBlock(), i) ? op.elseBlock() : isThere(op.thenBlock(), i) ? op.thenBlock() : nullptr;
    ExprRef start = choice.start[i] ? get(given(choice.start[i], i)) : nullptr;
    ExprRef changed = changedBy(op, start);
    bool taken = changed && llvm::any_of(choice.targets, [&](auto &other) { return other && same(other, changed); });
    if (changed && !taken) choice.targets[i] = changed;
    else
      choice.targets[i] = declare(ir::nameHint(result), typeOf(result.getType()), start, false, op.getLoc());
  }
  return choice;
}

/// Whether one side of a condition leaves everything as it is.
bool HostEmitter::isDone(Block *side, const Choice &choice) {
  if (!side || !llvm::hasSingleElement(*side)) return !side;
  for (auto [i, target] : llvm::enumerate(choice.targets))
    if (target && side != choice.start[i] && !same(get(side->getTerminator()->getOperand(i)), read(target))) return false;
  return true;
}

LogicalResult HostEmitter::emitIf(scf::IfOp op) {
  Location place = op.getLoc();
  if (isShortCircuit(op)) {
    if (failed(emitBlock(*op.thenBlock()))) return failure();
    ExprRef asked = get(op.thenBlock()->getTerminator()->getOperand(0));
    bool always = asked->kind == Expr::Kind::Literal && cast<IntegerAttr>(asked->attribute).getValue().isOne();
    define(op.getResult(0), always ? get(op.getCondition()) : binary("&&", get(op.getCondition()), asked));
    return success();
  }
  ExprRef condition = get(op.getCondition());
  Choice choice = declareResults(op);
  auto asked = op.getCondition().getDefiningOp<graph::HostCallOp>();
  const bool tries = asked && asked.getCallee() == "tries";  // its first side may have nothing to hand on, and fail
  bool thenDone = !tries && isDone(op.thenBlock(), choice), elseDone = isDone(op.elseBlock(), choice);
  auto fill = [&](Region &region, Block &source) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.createBlock(&region);
    names_.push();
    targets_[&source] = choice.targets;
    if (failed(emitBlock(source))) return failure();
    SmallVector<Value> values;
    SmallVector<ExprRef> targets;
    for (auto [i, value] : llvm::enumerate(source.getTerminator()->getOperands()))
      if (choice.targets[i] && &source != choice.start[i]) values.push_back(value), targets.push_back(choice.targets[i]);
    copyInto(values, targets, place);
    names_.pop();
    return success();
  };
  if (!thenDone || !elseDone) {
    auto branch = builder_.create<out::IfOp>(place, write(builder_, place, thenDone ? unary("!", condition) : condition));
    if (failed(fill(branch.getThenBody(), thenDone ? *op.elseBlock() : *op.thenBlock()))) return failure();
    if (!thenDone && !elseDone && failed(fill(branch.getElseBody(), *op.elseBlock()))) return failure();
  }
  for (auto [result, target] : llvm::zip(op.getResults(), choice.targets))
    if (target) bound_[result] = read(target);
  return success();
}

/// if (a) b else a, where b takes no statement, is a && b.
bool HostEmitter::isShortCircuit(scf::IfOp op) {
  return op.getNumResults() == 1 && op.getResult(0).getType().isInteger(1) && foldsWhole(*op.thenBlock()) &&
         llvm::hasSingleElement(*op.elseBlock()) &&
         op.elseBlock()->getTerminator()->getOperand(0) == op.getCondition();
}

/// No statement is made of the block: its values are folded into what its end asks for.
bool HostEmitter::foldsWhole(Block &block) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    Value value = op.getNumResults() == 1 ? op.getResult(0) : Value();
    auto choice = dyn_cast<scf::IfOp>(op);
    return value && ir::nameHint(value).empty() && value.hasOneUse() && isMemoryEffectFree(&op) &&
           (*value.user_begin())->getBlock() == &block && (op.getNumRegions() == 0 || (choice && isShortCircuit(choice)));
  });
}

/// while (condition) { body }; where the condition takes statements
/// while (true) { ...; if (!condition) break; body }
LogicalResult HostEmitter::emitWhile(scf::WhileOp op) {
  Location place = op.getLoc();
  SmallVector<ExprRef> carried, passed;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    carried.push_back(startOf(*op, init, argument));
    bound_[argument] = read(carried.back());
  }
  for (auto [argument, given] : llvm::zip(op.getAfterArguments(), op.getConditionOp().getArgs())) {
    ExprRef before = bound_.lookup(given);
    passed.push_back(
        before ? before->operands[0]
               : declare(ir::nameHint(argument), typeOf(argument.getType()), nullptr, false, place));
    bound_[argument] = read(passed.back());
  }
  bool passesOn = llvm::all_of(llvm::zip(passed, carried),
                               [](auto pair) { return same(std::get<0>(pair), std::get<1>(pair)); });
  bool plain = passesOn && passed.size() == carried.size() && foldsWhole(*op.getBeforeBody());
  if (passesOn) targets_[op.getAfterBody()] = carried;
  auto loop = builder_.create<out::WhileOp>(place);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&loop.getBefore());
  if (plain && failed(emitBlock(*op.getBeforeBody()))) return failure();
  ExprRef whole = plain ? get(op.getConditionOp().getCondition())
                        : literal(builder_.getBoolAttr(true), builder_.getI1Type());
  builder_.create<out::ConditionOp>(place, write(builder_, place, whole));
  builder_.createBlock(&loop.getBody());
  names_.push();
  if (!plain) {
    if (failed(emitBlock(*op.getBeforeBody()))) return failure();
    copyInto(op.getConditionOp().getArgs(), passed, place);
    auto leave = builder_.create<out::IfOp>(
        place, write(builder_, place, unary("!", get(op.getConditionOp().getCondition()))));
    OpBuilder::InsertionGuard inner(builder_);
    builder_.createBlock(&leave.getThenBody());
    builder_.create<out::BreakOp>(place);
  }
  if (failed(emitBlock(*op.getAfterBody()))) return failure();
  copyInto(op.getYieldOp().getOperands(), carried, place);
  names_.pop();
  for (auto [result, place] : llvm::zip(op.getResults(), passed)) bound_[result] = read(place);
  return success();
}

}  // namespace tessera::transforms::totarget
