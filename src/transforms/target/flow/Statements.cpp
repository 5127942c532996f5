// Statements: which function emits an op, and what variables get at once.
#include "support/Check.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Scalars.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

struct Assignment {
  Storage *target;
  ExprRef value;
};

static LogicalResult emitOnce(Emission &em, tile::OnceOp op);

LogicalResult unsupported(Operation &op, const Twine &why) { return op.emitError() << why; }

LogicalResult emitBlock(Emission &em, Block &block) {
  if (!em.lanes->runs.empty() && !em.grid->lane) return emitLanes(em, block);
  for (Operation &op : block) {
    if (failed(emitOp(em, op))) return failure();
    if (tile::DotOp product = productUnderWay(op))
      statement(em, call(product.getRunsOn() ? "tsr::finish_earlier_products" : "tsr::finish_products", {}, em.none()),
                product.getLoc());
  }
  return success();
}

LogicalResult emitOp(Emission &em, Operation &op) {
  if (isa<tile::KernelEndOp, scf::YieldOp, scf::ConditionOp>(op)) return success();
  if (auto loop = dyn_cast<scf::ForOp>(op)) return emitFor(em, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) return emitIf(em, branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return emitWhile(em, loop);
  if (auto once = dyn_cast<tile::OnceOp>(op)) return emitOnce(em, once);
  if (emitNeighbours(em, op)) return success();
  if (auto store = dyn_cast<tile::StoreElementOp>(op)) return emitStoreElement(em, store);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) return emitAtomic(em, atomic);
  if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return emitGroupReduce(em, reduce);
  if (auto warp = dyn_cast<tile::WarpOp>(op)) return emitWarp(em, warp);
  if (auto shared = dyn_cast<tile::AllocSharedOp>(op)) return emitAllocShared(em, shared);
  if (auto sort = dyn_cast<tile::ArgsortRowOp>(op)) return emitArgsortRow(em, sort);
  if (isa<tile::NewVectorOp, tile::LoadVectorOp, tile::StoreVectorOp, tile::HoldRowOp, tile::RowVectorOp,
          tile::RowTurnsOp, tile::NewRowOp, tile::KeepOp, tile::RecallOp, tile::AddColumnOp, tile::NewExtremesOp, tile::TakeExtremesOp, tile::ExtremeOp, tile::PutVectorOp>(op))
    return emitVector(em, op);
  if (auto roles = dyn_cast<tile::RolesOp>(op)) return emitRoles(em, roles);
  if (isa<tile::TakeTurnOp, tile::PassTurnOp>(op)) return emitTurn(em, op);
  if (isa<tile::FinishProductsOp>(op))
    return statement(em, call("tsr::finish_products", {}, em.none()), op.getLoc()), success();
  if (isa<tile::RingOp, tile::RingAcquireOp, tile::RingPublishOp, tile::RingWaitOp, tile::RingReleaseOp,
          tile::RingDrainOp, tile::RingSeekOp>(op))
    return emitRing(em, op);
  if (isa<tile::BarrierOp, tile::CommitGroupOp, tile::WaitGroupOp>(op)) return emitTime(em, op);
  bool fragments = llvm::any_of(op.getOperandTypes(), llvm::IsaPred<tile::FragmentType>) ||
                   llvm::any_of(op.getResultTypes(), llvm::IsaPred<tile::FragmentType>);
  if (fragments || isa<tile::CopyOp, tile::CopyRowsOp, tile::SelectBufferOp>(op)) return emitFragment(em, op);
  if (isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::LoadElementOp, tile::CastOp, tile::ElementwiseOp>(op))
    return emitScalar(em, op);
  return unsupported(op, "'" + op.getName().getStringRef() + "' has no form in emitted code");
}

// What is read is written last, cycles over a copy.
static void assignAtOnce(Emission &em, SmallVector<Assignment> pending, Location place) {
  while (!pending.empty()) {
    auto free = llvm::find_if(pending, [&](const Assignment &candidate) {
      return llvm::none_of(pending, [&](const Assignment &other) {
        return &other != &candidate && mentions(other.value, candidate.target->place->value);
      });
    });
    if (free == pending.end()) {
      Assignment &first = pending.front();
      std::string name = em.names.fresh(first.target->hint.empty() ? "next" : first.target->hint + "_next");
      first.value = read(declare(em, name, placeType(em, first.target->type, sizedPlace(*first.target, place)), "copy",
                                 {first.value}, true, place));
      continue;
    }
    store(em, *free->target, free->value, place);
    pending.erase(free);
  }
}

LogicalResult enterLoop(Emission &em, ValueRange inits, ValueRange arguments, Location place) {
  SmallVector<Assignment> pending;  // to variables that are there, which new ones may still read
  for (auto [init, argument] : llvm::zip(inits, arguments)) {
    Storage *carried = em.values->plan.storage(argument);
    TSR_CHECK(carried, "a loop carries a value without a variable");
    if (em.values->plan.storage(init) != carried) {
      ExprRef start = isa<tile::FragmentType>(init.getType()) ? materialised(em, init) : scalar(em, init);
      if (!start) return failure();
      if (carried->perLane && !em.grid->lane) {
        if (failed(overLanes(em, place, [&] { return store(em, *carried, scalar(em, init), place), success(); })))
          return failure();
      } else if (carried->place) {
        pending.push_back({carried, start});
      } else {
        store(em, *carried, start, place);
      }
    }
  }
  assignAtOnce(em, std::move(pending), place);
  return success();
}

LogicalResult assignYields(Emission &em, ValueRange values, ArrayRef<Storage *> targets, Location place) {
  SmallVector<Assignment> pending;
  for (auto [value, target] : llvm::zip(values, targets)) {
    if (em.values->plan.storage(value) == target) continue;
    if (target->perLane && !em.grid->lane) {
      Value yielded = value;
      Storage *array = target;
      if (failed(overLanes(em, place, [&] { return store(em, *array, scalar(em, yielded), place), success(); })))
        return failure();
      continue;
    }
    ExprRef expr = isa<tile::FragmentType>(value.getType()) ? materialised(em, value) : scalar(em, value);
    if (!expr) return failure();
    pending.push_back({target, expr});
  }
  assignAtOnce(em, std::move(pending), place);
  return success();
}

static LogicalResult emitOnce(Emission &em, tile::OnceOp op) {
  if (em.isCpu() && !em.grid->lane) return emitBlock(em, op.getBody().front());
  Location place = op.getLoc();
  em.lastLoop = nullptr;
  auto branch =
      em.builder.create<out::IfOp>(place, write(em.builder, place, compare("==", bare(lane(em)), em.typed(0))));
  Scope scope(em);
  scope.enter(branch.getThenBody());
  return emitBlock(em, op.getBody().front());
}

}  // namespace tessera::transforms::totarget
