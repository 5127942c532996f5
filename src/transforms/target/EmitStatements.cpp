// Statements and control flow. What a loop carries is a variable that stands before the loop.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult KernelEmitter::unsupported(Operation &op, const Twine &why) { return op.emitError() << why; }

LogicalResult KernelEmitter::emitBlock(Block &block) {
  if (!runs_.empty() && !lane_) return emitLanes(block);
  for (Operation &op : block) {
    if (failed(emitOp(op))) return failure();
    if (tile::DotOp product = productUnderWay(op))
      statement(call(product.getRunsOn() ? "tsr::finish_earlier_products" : "tsr::finish_products", {}, none()), product.getLoc());
  }
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation &op) {
  if (isa<tile::KernelEndOp, scf::YieldOp, scf::ConditionOp>(op)) return success();
  if (auto loop = dyn_cast<scf::ForOp>(op)) return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return emitWhile(loop);
  if (auto once = dyn_cast<tile::OnceOp>(op)) return emitOnce(once);
  if (emitNeighbours(op)) return success();
  if (auto store = dyn_cast<tile::StoreElementOp>(op)) return emitStoreElement(store);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) return emitAtomic(atomic);
  if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return emitGroupReduce(reduce);
  if (auto warp = dyn_cast<tile::WarpOp>(op)) return emitWarp(warp);
  if (auto shared = dyn_cast<tile::AllocSharedOp>(op)) return emitAllocShared(shared);
  if (auto sort = dyn_cast<tile::ArgsortRowOp>(op)) return emitArgsortRow(sort);
  if (isa<tile::NewVectorOp, tile::LoadVectorOp, tile::StoreVectorOp, tile::HoldRowOp, tile::RowVectorOp, tile::RowTurnsOp,
          tile::NewRowOp, tile::KeepOp, tile::RecallOp, tile::AddColumnOp>(op))
    return emitVector(op);
  if (auto roles = dyn_cast<tile::RolesOp>(op)) return emitRoles(roles);
  if (isa<tile::TakeTurnOp, tile::PassTurnOp>(op)) return emitTurn(op);
  if (isa<tile::FinishProductsOp>(op)) return statement(call("tsr::finish_products", {}, none()), op.getLoc()), success();
  if (isa<tile::RingOp, tile::RingAcquireOp, tile::RingPublishOp, tile::RingWaitOp, tile::RingReleaseOp, tile::RingDrainOp, tile::RingSeekOp>(op))
    return emitRing(op);
  if (isa<tile::BarrierOp, tile::CommitGroupOp, tile::WaitGroupOp>(op)) return emitTime(op);
  bool fragments = llvm::any_of(op.getOperandTypes(), llvm::IsaPred<tile::FragmentType>) ||
                   llvm::any_of(op.getResultTypes(), llvm::IsaPred<tile::FragmentType>);
  if (fragments || isa<tile::CopyOp, tile::SelectBufferOp>(op)) return emitFragment(op);
  if (isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::LoadElementOp, tile::CastOp,
          tile::ElementwiseOp>(op))
    return emitScalar(op);
  return unsupported(op, "'" + op.getName().getStringRef() + "' has no form in emitted code");
}

/// The variables that a loop carries are declared and hold what it starts from.
LogicalResult KernelEmitter::enterLoop(ValueRange inits, ValueRange arguments, Location place) {
  SmallVector<Assignment> pending;  // to variables that are there, which new ones may still read
  for (auto [init, argument] : llvm::zip(inits, arguments)) {
    Storage *carried = plan_.storage(argument);
    TSR_CHECK(carried, "a loop carries a value without a variable");
    if (plan_.storage(init) != carried) {
      ExprRef start = isa<tile::FragmentType>(init.getType()) ? materialised(init) : scalar(init);
      if (!start) return failure();
      if (carried->perLane && !lane_) {
        if (failed(overLanes(place, [&] { return store(*carried, scalar(init), place), success(); })))
          return failure();
      } else if (carried->place) {
        pending.push_back({carried, start});
      } else {
        store(*carried, start, place);
      }
    }
  }
  assignAtOnce(std::move(pending), place);
  return success();
}

// All targets get the values that were yielded, as if at once.
LogicalResult KernelEmitter::assignYields(ValueRange values, ArrayRef<Storage *> targets, Location place) {
  SmallVector<Assignment> pending;
  for (auto [value, target] : llvm::zip(values, targets)) {
    if (plan_.storage(value) == target) continue;
    if (target->perLane && !lane_) {
      Value yielded = value;
      Storage *array = target;
      if (failed(overLanes(place, [&] { return store(*array, scalar(yielded), place), success(); })))
        return failure();
      continue;
    }
    ExprRef expr = isa<tile::FragmentType>(value.getType()) ? materialised(value) : scalar(value);
    if (!expr) return failure();
    pending.push_back({target, expr});
  }
  assignAtOnce(std::move(pending), place);
  return success();
}

// What is read is written last, cycles over a copy.
void KernelEmitter::assignAtOnce(SmallVector<Assignment> pending, Location place) {
  while (!pending.empty()) {
    auto free = llvm::find_if(pending, [&](const Assignment &candidate) {
      return llvm::none_of(pending, [&](const Assignment &other) {
        return &other != &candidate && mentions(other.value, candidate.target->place->value);
      });
    });
    if (free == pending.end()) {
      Assignment &first = pending.front();
      std::string name = names_.fresh(first.target->hint.empty() ? "next" : first.target->hint + "_next");
      first.value = read(declare(name, placeType(first.target->type, sizedPlace(*first.target, place)),
                                 "copy", {first.value}, true, place));
      continue;
    }
    store(*free->target, free->value, place);
    pending.erase(free);
  }
}

/// A loop that goes on by 0 does not end. What is not known to be at least 1 is a parameter, for which the entry asks.
LogicalResult KernelEmitter::checkStep(scf::ForOp op) {
  Value step = op.getStep();
  if (facts_.mayDivide(step)) return success();
  while (auto cast = step.getDefiningOp<tile::CastOp>()) step = cast.getValue();
  auto argument = dyn_cast<BlockArgument>(step);
  if (!argument || argument.getOwner()->getParentOp() != kernel_)
    return unsupported(*op, "a loop whose step is computed while the kernel runs, and may be 0; write `max(step, 1)`");
  info_.steps.insert(argument.getArgNumber());
  return success();
}

LogicalResult KernelEmitter::emitFor(scf::ForOp op) {
  Location place = op.getLoc();
  if (failed(checkStep(op))) return failure();
  if (failed(enterLoop(op.getInitArgs(), op.getRegionIterArgs(), place))) return failure();
  SmallVector<Storage *> carried;
  for (Value argument : op.getRegionIterArgs()) carried.push_back(plan_.storage(argument));
  // A bound that the loop itself changes is read once, before it.
  auto bound = [&](Value value, StringRef what) {
    ExprRef expr = scalar(value);
    bool changes =
        llvm::any_of(carried, [&](Storage *storage) { return mentions(expr, storage->place->value); });
    return changes ? read(declare(names_.fresh(what), expr->type, "copy", {expr}, true, place)) : expr;
  };
  ExprRef lower = scalar(op.getLowerBound()), upper = bound(op.getUpperBound(), "end"),
          step = bound(op.getStep(), "step");
  lastLoop_ = nullptr;
  SmallVector<tile::StoreElementOp> lines = storesOfRow(op);
  if (!lines.empty() && streamed_ != lines.front().getBase()) declareStreaming(lines.front());  // its name is one of the block around the loop
  ExprRef parts = declareParts(op, carried);
  std::optional<Scope> scope(*this);
  StringRef hint = ir::nameHint(op.getInductionVar());
  std::string counter = hint.empty() || hint == "_" ? names_.fresh("i") : names_.declare(hint);
  if (!lines.empty()) std::tie(lower, upper) = openLines(lines, counter, upper);
  ExprRef whole = parts ? carried.front()->place : nullptr;
  if (parts) std::tie(lower, upper) = openParts(op, counter, upper);
  Value from = write(builder_, place, bare(lower)), to = write(builder_, place, upper),
        by = write(builder_, place, step);
  auto unroll = dyn_cast_or_null<IntegerAttr>(op->getAttr(tile::kUnrolled));  // by so many
  if (op->hasAttr(tile::kUnrolled) && !unroll) unroll = builder_.getI64IntegerAttr(0);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, unroll, false, false);
  if (isa_and_nonnull<StringAttr>(op->getAttr(tile::kUnrolled))) {  // over turns: as many as are held
    auto held = constants_.find("T.held");
    std::string by = held == constants_.end() ? "4" : held->second + " > 0 ? " + held->second + " : 4";
    loop->setAttr("unroll_by", builder_.getStringAttr(by));
  }
  Block *body = scope->enter(loop.getBody());
  body->addArgument(from.getType(), place);
  bound_[op.getInductionVar()] = valueOf(body->getArgument(0));
  if (parts) carried.front()->place = element(parts, {binary("-", scalar(op.getInductionVar()), lower)}, carried.front()->type);
  if (failed(emitBlock(*op.getBody()))) return failure();
  if (failed(assignYields(op.getYieldedValues(), carried, op.getBody()->getTerminator()->getLoc())))
    return failure();
  if (parts) {
    loop.setSimd(true);
    scope.reset();
    carried.front()->place = whole;
    assign(whole, method(parts, "combine", {read(whole)}, carried.front()->type), place);
    return success();
  }
  combineInVectors(loop, op, carried);
  if (!lines.empty()) loop.setSimd(llvm::all_of(*op.getBody(), [&](Operation &inner) { return !writesMemory(&inner) || lines_.count(&inner); }));
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  Location place = op.getLoc();
  if (op.getNumResults() == 0 && isLoopBound(op.getCondition())) return emitBlock(*op.thenBlock());
  SmallVector<Storage *> targets;
  for (Value result : op.getResults()) {
    Storage *target = plan_.storage(result);
    if (!target->place) declareStorage(*target, nullptr, place);
    targets.push_back(target);
  }
  ExprRef condition = scalar(op.getCondition());
  lastLoop_ = nullptr;
  auto branch = builder_.create<out::IfOp>(place, write(builder_, place, condition));
  auto fill = [&](Region &region, Block &source) -> LogicalResult {
    Scope scope(*this);
    scope.enter(region);
    if (failed(emitBlock(source))) return failure();
    if (op.getNumResults() == 0) return success();
    return assignYields(source.getTerminator()->getOperands(), targets, source.getTerminator()->getLoc());
  };
  if (failed(fill(branch.getThenBody(), *op.thenBlock()))) return failure();
  if (op.elseBlock() && !op.elseBlock()->empty()) {
    if (failed(fill(branch.getElseBody(), *op.elseBlock()))) return failure();
    if (branch.getElseBody().front().empty()) branch.getElseBody().front().erase();
  }
  return success();
}

LogicalResult KernelEmitter::emitWhile(scf::WhileOp op) {
  Location place = op.getLoc();
  if (failed(enterLoop(op.getInits(), op.getBeforeArguments(), place))) return failure();
  SmallVector<Storage *> carried, passed;
  for (Value argument : op.getBeforeArguments()) carried.push_back(plan_.storage(argument));
  for (Value argument : op.getAfterArguments()) {
    Storage *storage = plan_.storage(argument);
    if (!storage->place) declareStorage(*storage, nullptr, place);
    passed.push_back(storage);
  }
  scf::ConditionOp decision = op.getConditionOp();
  auto handOn = [&] { return assignYields(decision.getArgs(), passed, decision.getLoc()); };
  bool plain = llvm::all_of(*op.getBeforeBody(),
                            [&](Operation &inner) {
                              return &inner == decision ||
                                     (inner.getNumResults() == 1 && plan_.isInline(inner.getResult(0)));
                            }) &&
               llvm::all_of(llvm::zip(decision.getArgs(), passed),
                            [&](auto pair) { return plan_.storage(std::get<0>(pair)) == std::get<1>(pair); });
  lastLoop_ = nullptr;
  auto loop = builder_.create<out::WhileOp>(place);
  {
    Scope scope(*this);
    scope.enter(loop.getBefore());
    ExprRef condition = literal(builder_.getBoolAttr(true), builder_.getI1Type());
    if (plain) {
      if (failed(emitBlock(*op.getBeforeBody()))) return failure();
      condition = scalar(decision.getCondition());
    }
    builder_.create<out::ConditionOp>(place, write(builder_, place, condition));
  }
  {
    Scope scope(*this);
    scope.enter(loop.getBody());
    if (!plain) {  // the condition takes statements: while (true) { ...; if (!condition) break; ... }
      if (failed(emitBlock(*op.getBeforeBody())) || failed(handOn())) return failure();
      auto leave = builder_.create<out::IfOp>(
          place, write(builder_, place, unary("!", scalar(decision.getCondition()))));
      OpBuilder::InsertionGuard guard(builder_);
      builder_.createBlock(&leave.getThenBody());
      builder_.create<out::BreakOp>(place);
    }
    if (failed(emitBlock(*op.getAfterBody()))) return failure();
    if (failed(assignYields(op.getYieldOp().getOperands(), carried, place))) return failure();
  }
  return success();
}

LogicalResult KernelEmitter::emitOnce(tile::OnceOp op) {
  if (singleLane_ && !lane_) return emitBlock(op.getBody().front());
  Location place = op.getLoc();
  lastLoop_ = nullptr;
  auto branch =
      builder_.create<out::IfOp>(place, write(builder_, place, compare("==", bare(lane()), typed(0))));
  Scope scope(*this);
  scope.enter(branch.getThenBody());
  return emitBlock(op.getBody().front());
}

}  // namespace tessera::transforms::totarget
