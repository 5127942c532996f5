// The pass over the module: kernels by the rooms beside this file, entry functions and host code by the functions of
// Entry.h.
#include "ir/graph/Graph.h"
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/target/Entry.h"
#include "transforms/target/ImpliedConditions.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/Passes.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms {
namespace {

struct TileToTarget : PassWrapper<TileToTarget, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToTarget)
  StringRef getArgument() const override { return "tile-to-target"; }
  StringRef getDescription() const override {
    return "kernels and functions in the words of a C-family language";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<out::TargetDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Machine *machine = ir::machineOf(module);
    if (!machine) return signalPassFailure();
    std::map<std::string, totarget::KernelInfo> kernels;
    SmallVector<Operation *> old;
    for (Operation &op : *module.getBody()) old.push_back(&op);
    OpBuilder builder(&getContext());
    // Kernels first: launches need to know what became of them.
    for (Operation *op : old)
      if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
        builder.setInsertionPoint(op);
        std::string name = totarget::kernelName(module, kernel.getSymName());
        auto info = totarget::emitKernel(kernel, name, *machine, builder);
        if (failed(info)) return signalPassFailure();
        for (auto variable : kernel.getDims().getAsRange<StringAttr>())
          info->variables.push_back(variable.getValue().str());
        kernels[kernel.getSymName().str()] = *info;
      }
    for (Operation *op : old)
      if (auto function = dyn_cast<tile::FuncOp>(op)) {
        builder.setInsertionPoint(op);
        if (failed(totarget::emitEntry(function, kernels, builder))) return signalPassFailure();
      }
    for (Operation *op : old)
      if (auto function = dyn_cast<tile::HostFuncOp>(op)) {
        builder.setInsertionPoint(op);
        if (failed(totarget::emitHost(function, builder))) return signalPassFailure();
      }
    for (Operation *op : old)
      if (isa<tile::KernelOp, tile::FuncOp, tile::HostFuncOp>(op)) op->erase();
    module.walk([](out::KernelOp kernel) {
      totarget::joinEqualBranches(kernel);
      totarget::foldImpliedConditions(kernel);
    });
  }
};

}  // namespace

std::unique_ptr<Pass> createTileToTargetPass() { return std::make_unique<TileToTarget>(); }
void registerTargetTransforms() {
  registerPass(createShareKernelsPass);
  registerPass(createOrderLaunchesPass);
  registerPass(createShareTemporariesPass);
  registerPass(createTileToTargetPass);
  registerPass(createStartEarlyPass);
  registerPass(createShareFormsPass);
  registerPass(createShareLaunchesPass);
  registerPass(createShareIndicesPass);
}

}  // namespace tessera::transforms
