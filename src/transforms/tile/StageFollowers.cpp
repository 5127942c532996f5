// What teams read for what follows their sums, by way of shared memory.
//
// A team has one warp for each scheduler of the processor: while it waits for a tile of an array, nobody else computes. So the
// producer brings such tiles, too, behind the operands of the same tile of the result, and the team finds them there:
//
//   acc = loop of products                    acc = loop of products
//   r = load R[m, n]                 ->       copy R[m, n] to s;  r = read s
//   store acc * r                             store acc * r
//
// Only tiles of 16 bits: each team has one, beside the stages of the operands.
#include "ir/common/Names.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/StagedLoads.h"
#include "transforms/tile/Teams.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kFewestStages = 4;  // of the operands: with fewer, products wait

scf::ForOp loopOf(tile::KernelOp kernel) {
  std::variant<RolePlan, Refusal> plan = planRoles(kernel);
  auto *roles = std::get_if<RolePlan>(&plan);
  return roles ? loopOfTeams(kernel, *roles) : scf::ForOp();
}

/// Bytes of the buffers that copies in the loop, and outside of it, fill.
std::pair<int64_t, int64_t> copiedBytes(tile::KernelOp kernel, scf::ForOp loop) {
  Extents extents(kernel);
  int64_t inside = 0, outside = 0;
  kernel.getBody().walk([&](tile::CopyOp copy) {
    SharedType type = copy.getTarget().getType();
    (loop->isAncestor(copy) ? inside : outside) += extents.greatestCount(type.getShape()).value_or(0) * storedBytes(type.getElementType());
  });
  return {inside, outside};
}

void stageFollowers(tile::KernelOp kernel, const Machine &machine) {
  scf::ForOp loop = loopOf(kernel);
  if (!loop) return;
  Extents extents(kernel);
  SmallVector<tile::LoadFragmentOp> loads;
  for (auto load : loop->getBlock()->getOps<tile::LoadFragmentOp>())
    if (loop->isBeforeInBlock(load) && load.getResult().getType().getRank() == 2 && storedBytes(load.getResult().getType().getElementType()) == 2)
      loads.push_back(load);
  auto [staged, outside] = copiedBytes(kernel, loop);
  const int64_t panels = storePanelBytes(kTeams);
  for (tile::LoadFragmentOp load : loads) {
    tile::FragmentType type = load.getResult().getType();
    int64_t bytes = extents.greatestCount(type.getShape()).value_or(machine.sharedBytes) * storedBytes(type.getElementType());
    bool isAlone = load.getBase().hasOneUse() && !load.getTransposed();
    if (!isAlone || !canBeStaged(load, extents) || kFewestStages * staged + kTeams * (outside + bytes) + panels > machine.sharedBytes) continue;
    outside += bytes;
    stage(load, "panels");
  }
}

struct StageFollowersPass : PassWrapper<StageFollowersPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageFollowersPass)
  StringRef getArgument() const override { return "tile-stage-followers"; }
  StringRef getDescription() const override { return "tiles that follow the sums of teams, through shared memory"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    if (hasPanels(getOperation())) stageFollowers(getOperation(), *machine);
  }
};

}  // namespace

std::unique_ptr<Pass> createStageFollowersPass() { return std::make_unique<StageFollowersPass>(); }

}  // namespace tessera::transforms
