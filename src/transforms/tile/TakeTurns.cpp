// Warpgroups that multiply by turns.
//
// Where a loop multiplies, computes with the sums, and multiplies what it computed (attention: weights of the scores), all
// warpgroups come to their arithmetic at the same time, and the tensor cores wait. So the warpgroups take turns: one has
// the tensor cores for its second product and, in the next iteration, its first one; then it computes while another has
// them. (Shah et al., FlashAttention-3, section 3.1, "pingpong scheduling".)
//
//   take turn
//   for ...:
//     s = a * b          pass turn
//     p = f(s)
//     take turn          acc += p * c
//   pass turn
//
// A turn is passed when the products before it have begun: the tensor cores do those of two warpgroups one after the other.
// What rescales `acc` (by factors that are 1 as long as no larger score comes) stands last before the turn, and its warps
// skip it where they can. Without that branch ptxas moves the wait for the turn, a barrier that no number depends on, above
// the arithmetic, which is then done in the turn.
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "ir/common/Names.h"
#include "ir/tile/RowScale.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/Stages.h"
#include "transforms/tile/Turns.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Operations that a warpgroup does by itself. Any other may wait for all of the consumers, who would wait for a turn.
bool isOfOneWarpgroup(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto type = dyn_cast<tile::FragmentType>(reduce.getValue().getType());  // a row lies in one warp
    return type && type.getRank() == 2 && reduce.getAxis() == 1;
  }
  if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) return isa<ViewType>(load.getBase().getType());  // each lane what it computes with
  if (auto read = dyn_cast<tile::ReadSharedOp>(op)) return readsStage(read);
  return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp, tile::FillOp, tile::IotaOp,
             tile::BroadcastOp, tile::DotOp, tile::SelectBufferOp, tile::RingWaitOp, tile::RingReleaseOp, scf::IfOp, scf::YieldOp>(op);
}

}  // namespace

bool comesFromDot(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op || !block->findAncestorOpInBlock(*op)) return false;
  if (isa<tile::DotOp>(op)) return op->getBlock() == block;
  bool found = llvm::any_of(op->getOperands(), [&](Value operand) { return comesFromDot(operand, block); });
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) found |= !region.isAncestor(operand.getParentRegion()) && comesFromDot(operand, block);
    });
  return found;
}

tile::ElementwiseOp rowScaleOf(tile::DotOp dot) {
  auto product = dot.getAcc().getDefiningOp<tile::ElementwiseOp>();
  bool scales = product && product.getMnemonic() == "mul" && product->hasOneUse() && product->getBlock() == dot->getBlock() &&
                llvm::count_if(product.getArgs(), [](Value arg) {
                  auto rows = arg.getDefiningOp<tile::BroadcastOp>();
                  return rows && cast<tile::FragmentType>(rows.getValue().getType()).getSliceAxis() == 1;
                }) == 1;
  return scales ? product : tile::ElementwiseOp();
}

bool runsByItself(scf::ForOp loop) {
  return !loop.getBody()->walk([](Operation *op) { return isOfOneWarpgroup(op) ? WalkResult::advance() : WalkResult::interrupt(); }).wasInterrupted();
}

bool takesTurns(tile::KernelOp kernel) { return kernel.getGroup() >= 2 * kWarpgroupLanes && givenStages(kernel).value_or(1) >= 2; }

namespace {

/// The first product of the loop's body of something that was computed, in registers, from an earlier product.
tile::DotOp productOfComputed(scf::ForOp loop) {
  for (tile::DotOp dot : loop.getBody()->getOps<tile::DotOp>())
    if (isa<tile::FragmentType>(dot.getA().getType()) && comesFromDot(dot.getA(), loop.getBody())) return dot;
  return {};
}

/// What is loaded before the first products and not needed by them is loaded when they have begun and the turn is passed: another
/// warpgroup does not wait for it, and it comes while the tensor cores work.
void loadBehind(tile::PassTurnOp pass, Block &block) {
  Operation *last = pass;
  SmallVector<tile::LoadFragmentOp> loads(block.getOps<tile::LoadFragmentOp>());
  for (tile::LoadFragmentOp load : loads) {
    bool isNeeded = llvm::any_of(load->getUsers(), [&](Operation *user) { return !pass->isBeforeInBlock(block.findAncestorOpInBlock(*user)); });
    if (pass->isBeforeInBlock(load) || isNeeded) continue;
    load->moveAfter(last);
    last = load;
  }
}

bool takeTurns(scf::ForOp loop) {
  tile::DotOp second = productOfComputed(loop);
  if (!second || !runsByItself(loop)) return false;
  tile::DotOp first;  // the last one before the arithmetic
  for (tile::DotOp dot : loop.getBody()->getOps<tile::DotOp>())
    if (dot->isBeforeInBlock(second)) first = dot;
  OpBuilder builder(loop);
  builder.create<tile::TakeTurnOp>(unnamed(loop.getLoc()));
  builder.setInsertionPointAfter(first);
  auto pass = builder.create<tile::PassTurnOp>(unnamed(first.getLoc()));
  loadBehind(pass, *loop.getBody());
  if (tile::ElementwiseOp scale = rowScaleOf(second)) {
    scale->moveBefore(second);
    markRowScale(scale);
  }
  builder.setInsertionPoint(second);
  builder.create<tile::TakeTurnOp>(unnamed(second.getLoc()));
  builder.setInsertionPointAfter(loop);
  builder.create<tile::PassTurnOp>(unnamed(loop.getLoc()));
  return true;
}

struct TakeTurns : PassWrapper<TakeTurns, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TakeTurns)
  StringRef getArgument() const override { return "tile-take-turns"; }
  StringRef getDescription() const override { return "warpgroups that multiply and compute by turns"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!takesTurns(kernel)) return;
    SmallVector<scf::ForOp> loops;
    kernel.getBody().walk([&](tile::RolesOp roles) {
      for (scf::ForOp loop : roles.getConsumers().front().getOps<scf::ForOp>()) loops.push_back(loop);
    });
    bool taken = false;
    for (scf::ForOp loop : loops) taken |= takeTurns(loop);
    if (taken) addReason(kernel, "warpgroups by turns: one multiplies while another computes");
  }
};

}  // namespace

std::unique_ptr<Pass> createTakeTurnsPass() { return std::make_unique<TakeTurns>(); }

}  // namespace tessera::transforms
