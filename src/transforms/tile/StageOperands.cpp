// What left operands in registers are computed from, by way of shared memory.
//
// A left operand that is computed from tiles of tensors (a weight of 8 bits, in 16) can be multiplied from the registers in
// which it was computed. Its tiles are then loaded as those of other operands are, to shared memory, ahead of their use, and
// read from there in the layout of the product:
//
//   t = load w[n, k]; p = cast(t); acc += p * x      becomes      copy w[n, k] to s; t = read s; p = cast(t); acc += p * x
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Components.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/StagedLoads.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class StageOperands {
public:
  explicit StageOperands(tile::KernelOp kernel) : kernel_(kernel), extents_(kernel) {}

  void run() {
    Components components(kernel_);
    llvm::DenseSet<void *> sums;
    SmallVector<Value> operands;
    kernel_.getBody().walk([&](tile::DotOp dot) {
      sums.insert(components.leader(dot.getResult()));
      if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot)) operands.push_back(write.getValue());
    });
    for (Value operand : operands) {
      if (sums.contains(components.leader(operand))) continue;
      for (Value value : components.of(kernel_, operand))
        if (auto load = value.getDefiningOp<tile::LoadFragmentOp>(); load && canBeStaged(load, extents_)) stage(load);
    }
  }

private:
  tile::KernelOp kernel_;
  Extents extents_;
};

struct StageOperandsPass : PassWrapper<StageOperandsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageOperandsPass)
  StringRef getArgument() const override { return "tile-stage-operands"; }
  StringRef getDescription() const override { return "tiles of which left operands are computed, through shared memory"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    if (machine->warpgroupProducts && getOperation().getGroup() % kWarpgroupLanes == 0) StageOperands(getOperation()).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createStageOperandsPass() { return std::make_unique<StageOperandsPass>(); }

}  // namespace tessera::transforms
