#include "Passes.h"
#include "ir/common/Common.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "mlir/Transforms/Passes.h"
#ifdef TESSERA_TRANSFORMS_SCHEDULE
#include "transforms/schedule/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_TILE
#include "transforms/tile/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_TARGET
#include "transforms/target/Passes.h"
#endif
#ifdef TESSERA_TRANSFORMS_VERIFY
#include "transforms/verify/Passes.h"
#endif

namespace {

/// The machine that the driver sets before the first pass, from the command line.
struct SetMachine : mlir::PassWrapper<SetMachine, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetMachine)
  SetMachine() = default;
  SetMachine(const SetMachine &other) : PassWrapper(other) {}
  Option<std::string> name{*this, "name", llvm::cl::desc("a machine of support/Machines.def: sm_90a, gfx942, cpu")};

  llvm::StringRef getArgument() const override { return "set-machine"; }
  llvm::StringRef getDescription() const override { return "says which machine the module is compiled for"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const override { registry.insert<tessera::ir::TsrDialect>(); }
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto wrong = [&] { return module.emitError(); };
    // Checked, for the message about a name that the table does not have.
    if (!tessera::ir::MachineAttr::getChecked(wrong, &getContext(), llvm::StringRef(name))) return signalPassFailure();
    tessera::ir::setMachine(module, *tessera::machineByName(name.getValue()));
  }
};

}  // namespace

void tessera::tools::registerPasses() {
  mlir::PassRegistration<SetMachine>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
#ifdef TESSERA_TRANSFORMS_SCHEDULE
  tessera::transforms::registerScheduleTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_TILE
  tessera::transforms::registerTileTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_TARGET
  tessera::transforms::registerTargetTransforms();
#endif
#ifdef TESSERA_TRANSFORMS_VERIFY
  tessera::transforms::registerVerifyTransforms();
#endif
}
