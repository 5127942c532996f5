// Kernels that name their lanes, on the CPU: the lanes of a group run one after the other in loops that end
// where a barrier stands. What differs between lanes and lives across such an end is an array with an element
// for each lane.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

bool isLaneQuery(Operation *op) {
  auto query = dyn_cast<tile::QueryOp>(op);
  return query && query.isVarying();
}
/// All lanes of the group take part at once: a loop over lanes ends before it.
bool cuts(Operation *op) {
  if (isa<tile::BarrierOp, tile::GroupReduceOp, tile::WarpOp, tile::CopyOp, tile::OnceOp, tile::AllocSharedOp,
          tile::SelectBufferOp, tile::CommitGroupOp, tile::WaitGroupOp, tile::ArgsortRowOp>(op))
    return true;
  for (Type type : op->getResultTypes())
    if (isa<tile::FragmentType>(type)) return true;
  for (Type type : op->getOperandTypes())
    if (isa<tile::FragmentType>(type)) return true;
  bool inside = false;
  for (Region &region : op->getRegions()) region.walk([&](Operation *nested) { inside |= cuts(nested); });
  return inside;
}

}  // namespace

bool KernelEmitter::lanesMatter() {
  if (kernel_->hasAttr("uses_lanes")) return true;
  bool named = false;
  kernel_.getBody().walk([&](Operation *op) { named |= isLaneQuery(op); });
  return named && kernel_.getGrid().getKind() != ir::GridKind::Output;
}

bool KernelEmitter::varies(Value value) {
  if (auto found = varies_.find(value); found != varies_.end()) return found->second;
  varies_[value] = false;  // until shown otherwise; loops come back here
  auto any = [&](ValueRange values) { return llvm::any_of(values, [&](Value v) { return varies(v); }); };
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      result = any({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      if (argument != loop.getInductionVar()) {
        unsigned i = argument.getArgNumber() - 1;
        result |= any({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned i = argument.getArgNumber();
      bool before = argument.getOwner() == loop.getBeforeBody();
      result = varies(loop.getConditionOp().getCondition()) ||
               (before ? any({loop.getInits()[i], loop.getYieldOp().getOperand(i)})
                       : varies(loop.getConditionOp().getArgs()[i]));
    }
  } else {
    Operation *op = value.getDefiningOp();
    unsigned i = cast<OpResult>(value).getResultNumber();
    if (isLaneQuery(op) || isa<tile::AtomicOp, tile::WarpOp>(op)) result = true;
    else if (isa<tile::GroupReduceOp, tile::AllocSharedOp>(op)) result = false;
    else if (auto loop = dyn_cast<scf::ForOp>(op)) result = varies(loop.getRegionIterArgs()[i]);
    else if (auto loop = dyn_cast<scf::WhileOp>(op)) result = varies(loop.getAfterArguments()[i]);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result =
          any({branch.getCondition(), branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)});
    else result = any(op->getOperands());
  }
  varies_[value] = result;
  return result;
}

/// Whether the statement does something else in each lane.
bool KernelEmitter::variesInside(Operation &op) {
  bool result = llvm::any_of(op.getOperands(), [&](Value v) { return varies(v); }) ||
                llvm::any_of(op.getResults(), [&](Value v) { return varies(v); });
  for (Region &region : op.getRegions())
    region.walk([&](Operation *nested) {
      result |=
          llvm::any_of(nested->getOperands(), [&](Value v) { return varies(v); }) || isLaneQuery(nested);
    });
  return result;
}

/// Numbers the stretches of statements that run in one loop over lanes.
void KernelEmitter::numberRuns(Block &block) {
  ++lastRun_;
  for (Operation &op : block) {
    if (cuts(&op)) {
      runs_[&op] = ++lastRun_;
      for (Region &region : op.getRegions())
        for (Block &nested : region) numberRuns(nested);
      ++lastRun_;
    } else {
      if (!variesInside(op) && !isPureScalar(op)) ++lastRun_;
      runs_[&op] = lastRun_;
      if (!variesInside(op) && !isPureScalar(op)) ++lastRun_;
    }
  }
}

bool KernelEmitter::isPureScalar(Operation &op) {
  return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp>(op);
}

unsigned KernelEmitter::runOf(Operation *op) {
  for (; op && op != kernel_; op = op->getParentOp())
    if (auto found = runs_.find(op); found != runs_.end()) return found->second;
  return 0;
}

LogicalResult KernelEmitter::overLanes(Location place, llvm::function_ref<LogicalResult()> body) {
  lastLoop_ = nullptr;
  Value from = write(builder_, place, typed(0)), to = write(builder_, place, name("Threads", indexType()));
  Value by = write(builder_, place, typed(1));
  Scope scope(*this);
  auto loop =
      builder_.create<out::ForOp>(place, names_.fresh("lane"), from, to, by, IntegerAttr(), false, false);
  Block *block = scope.enter(loop.getBody());
  ExprRef outer = lane_;
  lane_ = valueOf(block->addArgument(indexType(), place));
  LogicalResult result = body();
  lane_ = outer;
  if (succeeded(result) && block->empty()) {
    SmallVector<Operation *> bounds = {by.getDefiningOp(), to.getDefiningOp(), from.getDefiningOp()};
    loop->erase();
    for (Operation *bound : bounds) bound->erase();
  }
  return result;
}

LogicalResult KernelEmitter::emitLanes(Block &block) {
  if (runs_.empty()) {
    numberRuns(block);
    builder_.setInsertionPoint(declarations_);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(&top_->front());
    builder_.create<out::ConstantOp>(kernel_.getLoc(), "Threads",
                                     builder_.getI64IntegerAttr(kernel_.getGroup()));
  }
  builder_.setInsertionPointToEnd(builder_.getInsertionBlock());
  SmallVector<Operation *> run;
  auto flush = [&]() -> LogicalResult {
    if (run.empty()) return success();
    SmallVector<Operation *> stretch = std::move(run);
    run.clear();
    declareCrossing(stretch);
    return overLanes(stretch.front()->getLoc(), [&] {
      for (Operation *op : stretch)
        if (failed(emitOp(*op))) return failure();
      return success();
    });
  };
  for (Operation &op : block) {
    bool varying = variesInside(op);
    if (!cuts(&op) && varying) {
      run.push_back(&op);
      continue;
    }
    if (isPureScalar(op)) {  // the same in all lanes, and nobody can tell when it is computed
      if (failed(emitOp(op))) return failure();
      continue;
    }
    if (failed(flush()) || failed(emitGroupOp(op))) return failure();
  }
  return flush();
}

/// Arrays for what a stretch of statements hands to a later one.
void KernelEmitter::declareCrossing(ArrayRef<Operation *> stretch) {
  for (Operation *op : stretch) {
    if (isLaneQuery(op)) continue;  // read off the loop over lanes, in each stretch anew
    for (Value result : op->getResults()) {
      unsigned home = runOf(op);
      bool leaves = varies(result) && llvm::any_of(result.getUsers(), [&](Operation *user) {
                      return runOf(plan_.statementOf(user)) != home;
                    });
      if (!leaves || plan_.isInline(result)) continue;
      if (Storage *storage = plan_.storage(result)) {
        if (!storage->place) declareLaneArray(*storage, op->getLoc());
        continue;
      }
      perLane_[result] = laneArray(nameFor(result), result.getType(), op->getLoc());
    }
  }
}

ExprRef KernelEmitter::laneArray(const std::string &name, Type type, Location place) {
  auto array = out::ArrayType::get(context_, builder_.getStrArrayAttr({"Threads"}), type);
  return declare(name, array, "copy", {}, false, place);
}
void KernelEmitter::declareLaneArray(Storage &storage, Location place) {
  std::string base = storage.hint.empty() ? "value" : storage.hint;
  if (storage.reduction) base = "lane_" + base;  // the group's gets the plain name
  storage.place = laneArray(names_.declare(base), storage.type, place);
  storage.perLane = true;
}

/// A statement that all lanes run together.
LogicalResult KernelEmitter::emitGroupOp(Operation &op) {
  Location place = op.getLoc();
  if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return emitLaneReduce(reduce);
  if (auto warp = dyn_cast<tile::WarpOp>(op)) return emitLaneWarp(warp);
  if (auto once = dyn_cast<tile::OnceOp>(op)) {
    lane_ = typed(0);
    LogicalResult result = emitBlock(once.getBody().front());
    lane_ = nullptr;
    return result;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  auto whileLoop = dyn_cast<scf::WhileOp>(op);
  auto branch = dyn_cast<scf::IfOp>(op);
  bool inFlow = cuts(&op) && (loop || whileLoop || branch);
  if (!inFlow) return emitOp(op);
  Value condition = branch      ? branch.getCondition()
                    : whileLoop ? whileLoop.getConditionOp().getCondition()
                                : Value();
  bool diverges = condition ? varies(condition) : varies(loop.getInductionVar());
  if (diverges)
    return unsupported(op, "a barrier under control flow that differs between the lanes of a group");
  for (Value result : op.getResults())
    if (Storage *storage = plan_.storage(result); storage && varies(result) && !storage->place)
      declareLaneArray(*storage, place);
  if (loop) return emitFor(loop);
  if (whileLoop) return emitWhile(whileLoop);
  return emitIf(branch);
}

/// The array in which the lanes have the value, or null.
ExprRef KernelEmitter::lanesOf(Value value) {
  if (Storage *storage = plan_.storage(value)) return storage->perLane ? storage->place : nullptr;
  return perLane_.lookup(value);
}

/// ... or a new one that gets them. Null after a message.
ExprRef KernelEmitter::lanesWith(Value value, StringRef name, Location place) {
  if (ExprRef values = lanesOf(value)) return values;
  const Type type = value.getType();
  ExprRef values = laneArray(names_.fresh(name), type, place);
  LogicalResult filled = overLanes(place, [&] {
    assign(subscript(values, {lane_}, type), scalar(value), place);
    return success();
  });
  return succeeded(filled) ? values : nullptr;
}

LogicalResult KernelEmitter::emitLaneReduce(tile::GroupReduceOp op) {
  Type type = op.getType();
  ExprRef values = lanesWith(op.getValue(), "lane_values", op.getLoc());
  if (!values) return failure();
  std::vector<Attribute> templates = {StringAttr::get(context_, reductionName(op.getReduction())),
                                      StringAttr::get(context_, "Threads")};
  define(op.getResult(), call("tsr::group_reduce", {values}, type, templates));
  return success();
}

}  // namespace tessera::transforms::totarget
