// Kernels that name their lanes, on the CPU: the lanes of a group run one after the other in loops that end
// where a barrier stands. What differs between lanes and lives across such an end is an array with an element
// for each lane.
#include "ir/common/Common.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/values/Scalars.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

static bool isLaneQuery(Operation *op) {
  auto query = dyn_cast<tile::QueryOp>(op);
  return query && query.isVarying();
}

/// All lanes of the group take part at once: a loop over lanes ends before it.
static bool cuts(Operation *op) {
  if (isa<tile::BarrierOp, tile::GroupReduceOp, tile::WarpOp, tile::CopyOp, tile::CopyRowsOp, tile::OnceOp, tile::AllocSharedOp,
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

bool lanesMatter(Emission &em) {
  if (em.kernel->hasAttr("uses_lanes")) return true;
  bool named = false;
  em.kernel.getBody().walk([&](Operation *op) { named |= isLaneQuery(op); });
  return named && em.kernel.getGrid().getKind() != ir::GridKind::Output;
}

bool varies(Emission &em, Value value) {
  if (auto found = em.lanes->varies.find(value); found != em.lanes->varies.end()) return found->second;
  em.lanes->varies[value] = false;  // until shown otherwise; loops come back here
  auto any = [&](ValueRange values) { return llvm::any_of(values, [&](Value v) { return varies(em, v); }); };
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
      result = varies(em, loop.getConditionOp().getCondition()) ||
               (before ? any({loop.getInits()[i], loop.getYieldOp().getOperand(i)})
                       : varies(em, loop.getConditionOp().getArgs()[i]));
    }
  } else {
    Operation *op = value.getDefiningOp();
    unsigned i = cast<OpResult>(value).getResultNumber();
    if (isLaneQuery(op) || isa<tile::AtomicOp, tile::WarpOp>(op)) result = true;
    else if (isa<tile::GroupReduceOp, tile::AllocSharedOp>(op)) result = false;
    else if (auto loop = dyn_cast<scf::ForOp>(op)) result = varies(em, loop.getRegionIterArgs()[i]);
    else if (auto loop = dyn_cast<scf::WhileOp>(op)) result = varies(em, loop.getAfterArguments()[i]);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = any({branch.getCondition(), branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)});
    else result = any(op->getOperands());
  }
  em.lanes->varies[value] = result;
  return result;
}

/// Whether it differs between lanes, or is kept in a variable that holds what does: where a loop begins with a number.
static bool needsLanes(Emission &em, Value value) {
  Storage *storage = em.values->plan.storage(value);
  return varies(em, value) || (storage && llvm::any_of(storage->members, [&](Value member) { return varies(em, member); }));
}

/// Whether the statement does something else in each lane, or writes what each lane has of its own.
static bool variesInside(Emission &em, Operation &op) {
  bool result = llvm::any_of(op.getOperands(), [&](Value v) { return varies(em, v); }) ||
                llvm::any_of(op.getResults(), [&](Value v) { return needsLanes(em, v); });
  for (Region &region : op.getRegions())
    region.walk([&](Operation *nested) {
      result |= llvm::any_of(nested->getOperands(), [&](Value v) { return varies(em, v); }) || isLaneQuery(nested);
    });
  return result;
}

static bool isPureScalar(Operation &op) {
  return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp>(op);
}

/// Computed at any time between its operands and its uses: but for what is kept in a variable that holds other values, too, as that of a
/// loop, whose old value the lanes may still ask for.
static bool isAtAnyTime(Emission &em, Operation &op) {
  return isPureScalar(op) && llvm::none_of(op.getResults(), [&](Value result) {
    Storage *storage = em.values->plan.storage(result);
    return storage && storage->members.size() > 1;
  });
}

/// Numbers the stretches of statements that run in one loop over lanes.
static void numberRuns(Emission &em, Block &block) {
  ++em.lanes->lastRun;
  for (Operation &op : block) {
    if (cuts(&op)) {
      em.lanes->runs[&op] = ++em.lanes->lastRun;
      for (Region &region : op.getRegions())
        for (Block &nested : region) numberRuns(em, nested);
      ++em.lanes->lastRun;
    } else {
      const bool ends = !variesInside(em, op) && !isAtAnyTime(em, op);
      if (ends) ++em.lanes->lastRun;
      em.lanes->runs[&op] = em.lanes->lastRun;
      if (ends) ++em.lanes->lastRun;
    }
  }
}

static unsigned runOf(Emission &em, Operation *op) {
  for (; op && op != em.kernel; op = op->getParentOp())
    if (auto found = em.lanes->runs.find(op); found != em.lanes->runs.end()) return found->second;
  return 0;
}

LogicalResult overLanes(Emission &em, Location place, llvm::function_ref<LogicalResult()> body) {
  em.lastLoop = nullptr;
  Value from = write(em.builder, place, em.typed(0)), to = write(em.builder, place, name("Threads", em.indexType()));
  Value by = write(em.builder, place, em.typed(1));
  Scope scope(em);
  auto loop = em.builder.create<out::ForOp>(place, em.names.fresh("lane"), from, to, by, IntegerAttr(), false, false);
  Block *block = scope.enter(loop.getBody());
  ExprRef outer = em.grid->lane;
  em.grid->lane = valueOf(block->addArgument(em.indexType(), place));
  LogicalResult result = body();
  em.grid->lane = outer;
  if (succeeded(result) && block->empty()) {
    SmallVector<Operation *> bounds = {by.getDefiningOp(), to.getDefiningOp(), from.getDefiningOp()};
    loop->erase();
    for (Operation *bound : bounds) bound->erase();
  }
  return result;
}

ExprRef laneArray(Emission &em, const std::string &name, Type type, Location place) {
  auto array = out::ArrayType::get(em.context, em.builder.getStrArrayAttr({"Threads"}), type);
  return declare(em, name, array, "copy", {}, false, place);
}

void declareLaneArray(Emission &em, Storage &storage, Location place) {
  std::string base = storage.hint.empty() ? "value" : storage.hint;
  if (storage.reduction) base = "lane_" + base;  // the group's gets the plain name
  storage.place = laneArray(em, em.names.declare(base), storage.type, place);
  storage.perLane = true;
}

/// Arrays for what a stretch of statements hands to a later one.
static void declareCrossing(Emission &em, ArrayRef<Operation *> stretch) {
  for (Operation *op : stretch) {
    if (isLaneQuery(op)) continue;  // read off the loop over lanes, in each stretch anew
    for (Value result : op->getResults()) {
      unsigned home = runOf(em, op);
      bool leaves = needsLanes(em, result) && llvm::any_of(result.getUsers(), [&](Operation *user) {
                      return runOf(em, em.values->plan.statementOf(user)) != home;
                    });
      if (!leaves || em.values->plan.isInline(result)) continue;
      if (Storage *storage = em.values->plan.storage(result)) {
        if (!storage->place) declareLaneArray(em, *storage, op->getLoc());
        continue;
      }
      em.values->perLane[result] = laneArray(em, nameFor(em, result), result.getType(), op->getLoc());
    }
  }
}

/// The array in which the lanes have the value, or null.
static ExprRef lanesOf(Emission &em, Value value) {
  if (Storage *storage = em.values->plan.storage(value)) return storage->perLane ? storage->place : nullptr;
  return em.values->perLane.lookup(value);
}

ExprRef lanesWith(Emission &em, Value value, StringRef name, Location place) {
  if (ExprRef values = lanesOf(em, value)) return values;
  const Type type = value.getType();
  ExprRef values = laneArray(em, em.names.fresh(name), type, place);
  LogicalResult filled = overLanes(em, place, [&] {
    assign(em, subscript(values, {em.grid->lane}, type), scalar(em, value), place);
    return success();
  });
  return succeeded(filled) ? values : nullptr;
}

static LogicalResult emitLaneReduce(Emission &em, tile::GroupReduceOp op) {
  Type type = op.getType();
  ExprRef values = lanesWith(em, op.getValue(), "lane_values", op.getLoc());
  if (!values) return failure();
  std::vector<Attribute> templates = {StringAttr::get(em.context, reductionName(op.getReduction())),
                                      StringAttr::get(em.context, "Threads")};
  define(em, op.getResult(), call("tsr::group_reduce", {values}, type, templates));
  return success();
}

/// A statement that all lanes run together.
static LogicalResult emitGroupOp(Emission &em, Operation &op) {
  Location place = op.getLoc();
  if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return emitLaneReduce(em, reduce);
  if (auto warp = dyn_cast<tile::WarpOp>(op)) return emitLaneWarp(em, warp);
  if (auto once = dyn_cast<tile::OnceOp>(op)) {
    em.grid->lane = em.typed(0);
    LogicalResult result = emitBlock(em, once.getBody().front());
    em.grid->lane = nullptr;
    return result;
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  auto whileLoop = dyn_cast<scf::WhileOp>(op);
  auto branch = dyn_cast<scf::IfOp>(op);
  bool inFlow = cuts(&op) && (loop || whileLoop || branch);
  if (!inFlow) return emitOp(em, op);
  Value condition = branch ? branch.getCondition() : whileLoop ? whileLoop.getConditionOp().getCondition() : Value();
  bool diverges = condition ? varies(em, condition) : varies(em, loop.getInductionVar());
  if (diverges) return unsupported(op, "a barrier under control flow that differs between the lanes of a group");
  for (Value result : op.getResults())
    if (Storage *storage = em.values->plan.storage(result); storage && needsLanes(em, result) && !storage->place)
      declareLaneArray(em, *storage, place);
  if (loop) return emitFor(em, loop);
  if (whileLoop) return emitWhile(em, whileLoop);
  return emitIf(em, branch);
}

LogicalResult emitLanes(Emission &em, Block &block) {
  if (em.lanes->runs.empty()) {
    numberRuns(em, block);
    em.builder.setInsertionPoint(em.declarations);
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.setInsertionPoint(&em.top->front());
    em.builder.create<out::ConstantOp>(em.kernel.getLoc(), "Threads",
                                       em.builder.getI64IntegerAttr(em.kernel.getGroup()));
  }
  em.builder.setInsertionPointToEnd(em.builder.getInsertionBlock());
  SmallVector<Operation *> run;
  auto flush = [&]() -> LogicalResult {
    if (run.empty()) return success();
    SmallVector<Operation *> stretch = std::move(run);
    run.clear();
    declareCrossing(em, stretch);
    return overLanes(em, stretch.front()->getLoc(), [&] {
      for (Operation *op : stretch)
        if (failed(emitOp(em, *op))) return failure();
      return success();
    });
  };
  for (Operation &op : block) {
    bool varying = variesInside(em, op);
    if (!cuts(&op) && varying) {
      run.push_back(&op);
      continue;
    }
    if (isAtAnyTime(em, op)) {  // the same in all lanes, and nobody can tell when it is computed
      if (failed(emitOp(em, op))) return failure();
      continue;
    }
    if (failed(flush()) || failed(emitGroupOp(em, op))) return failure();
  }
  return flush();
}

}  // namespace tessera::transforms::totarget
