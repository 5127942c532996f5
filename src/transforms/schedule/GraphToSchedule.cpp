// The pass over the module.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Forms.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Host code keeps its operations; only the function and its end are of the next level.
void scheduleHost(OpBuilder &builder, graph::HostFuncOp function) {
  OperationState state(function.getLoc(), schedule::HostFuncOp::getOperationName());
  state.addAttributes(function->getAttrs());
  state.addRegion()->takeBody(function.getBody());
  Operation *host = builder.create(state);
  host->walk([&](graph::ReturnOp op) {
    OpBuilder(op).create<schedule::ReturnOp>(op.getLoc(), op.getOperands());
    op.erase();
  });
}

struct GraphToSchedule : PassWrapper<GraphToSchedule, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GraphToSchedule)
  StringRef getArgument() const override { return "graph-to-schedule"; }
  StringRef getDescription() const override { return "which operations share a kernel, and in what sizes"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<schedule::ScheduleDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    if (!machineOf(getOperation())) return signalPassFailure();
    KernelNames names(getOperation());
    bool ok = true;  // one function's trouble does not hide another's
    SmallVector<Operation *> done;
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody())) {
      OpBuilder builder(&op);
      if (auto kernel = dyn_cast<graph::KernelOp>(op))
        ok &= succeeded(scheduleKernel(builder, kernel, names));
      else if (auto function = dyn_cast<graph::FuncOp>(op))
        ok &= isOtherForm(function) || succeeded(scheduleFunction(builder, function, names));
      else if (auto host = dyn_cast<graph::HostFuncOp>(op)) scheduleHost(builder, host);
      else continue;
      done.push_back(&op);
    }
    if (!ok) return signalPassFailure();
    for (Operation *op : done) op->erase();
  }
};

}  // namespace

std::unique_ptr<Pass> createGraphToSchedulePass() { return std::make_unique<GraphToSchedule>(); }

void registerScheduleTransforms() {
  registerPass(createNarrowFactorsPass);
  registerPass(createPickTermsPass);
  registerPass(createSumPartsPass);
  registerPass(createRoundEarlyPass);
  registerPass(createAskForDepthsPass);
  registerPass(createExchangeSumsPass);
  registerPass(createSumWindowsPass);
  registerPass(createSlideWindowsPass);
  registerPass(createReadWindowsPass);
  registerPass(createTurnResultsPass);
  registerPass(createPairTermsPass);
  registerPass(createGraphToSchedulePass);
  registerPass(createSplitProductsPass);
}

}  // namespace tessera::transforms
