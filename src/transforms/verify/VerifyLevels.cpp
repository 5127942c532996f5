#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/verify/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// What may stand at a level: `isAllowed` is asked for every operation of the module.
template <class Level> struct VerifyLevel : PassWrapper<VerifyLevel<Level>, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyLevel)
  StringRef getArgument() const override { return Level::argument; }
  StringRef getDescription() const override { return Level::description; }
  void runOnOperation() override {
    Operation *module = this->getOperation();
    module->walk([&](Operation *op) {
      if (op == module || Level::isAllowed(op)) return;
      op->emitError() << "'" << op->getName() << "' is left over: " << Level::description;
      this->signalPassFailure();
    });
  }
};

StringRef dialectOf(Operation *op) { return op->getName().getDialectNamespace(); }

struct ScheduleLevel {
  static constexpr const char *argument = "verify-schedule";
  static constexpr const char *description =
      "at the schedule level graph operations stand in kernels and host code only";
  static bool isAllowed(Operation *op) {
    if (dialectOf(op) == "schedule") return true;
    bool inKernel = op->getParentOfType<schedule::KernelOp>() != nullptr;
    bool inHost = op->getParentOfType<schedule::HostFuncOp>() != nullptr;
    if (dialectOf(op) == "scf") return inKernel || inHost;
    if (dialectOf(op) != "graph" || isa<graph::ReturnOp, graph::KernelEndOp>(op)) return false;
    return inHost || (inKernel && graph::isBodyOp(op));
  }
};

struct TileLevel {
  static constexpr const char *argument = "verify-tile";
  static constexpr const char *description = "at the tile level graph operations stand in host code only";
  static bool isAllowed(Operation *op) {
    if (dialectOf(op) == "tile") return true;
    bool inHost = op->getParentOfType<tile::HostFuncOp>() != nullptr;
    if (dialectOf(op) == "scf") return inHost || op->getParentOfType<tile::KernelOp>();
    return inHost && dialectOf(op) == "graph" && !isa<graph::ReturnOp>(op);
  }
};

struct TargetLevel {
  static constexpr const char *argument = "verify-target";
  static constexpr const char *description = "at the target level everything is in the words of the target";
  static bool isAllowed(Operation *op) { return dialectOf(op) == "target"; }
};

}  // namespace

std::unique_ptr<Pass> createVerifySchedulePass() { return std::make_unique<VerifyLevel<ScheduleLevel>>(); }
std::unique_ptr<Pass> createVerifyTilePass() { return std::make_unique<VerifyLevel<TileLevel>>(); }
std::unique_ptr<Pass> createVerifyTargetPass() { return std::make_unique<VerifyLevel<TargetLevel>>(); }

void registerVerifyTransforms() {
  registerPass(createVerifySchedulePass);
  registerPass(createVerifyTilePass);
  registerPass(createVerifyTargetPass);
}

}  // namespace tessera::transforms
