// Kernels of one function are started while the one before them ends, where the machine can: a start takes as long as a small
// kernel. Each of them waits for the one before it, in its first lines or behind what it prepares in shared memory. As each
// waits, the one before has waited for all that came before it.
#include "ir/common/Common.h"
#include "ir/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/target/Expr.h"
#include "transforms/target/Passes.h"

namespace tessera::transforms {
using namespace mlir;
namespace out = ir::target;

namespace {

constexpr StringLiteral kWait = "tsr::after_previous_kernel";

struct StartEarly : PassWrapper<StartEarly, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StartEarly)
  StringRef getArgument() const override { return "target-start-early"; }
  StringRef getDescription() const override { return "kernels start while the one before them ends"; }
  void runOnOperation() override {
    const Machine *machine = ir::machineOf(getOperation());
    if (!machine || !machine->earlyStart) return;
    llvm::DenseSet<StringAttr> early;
    for (auto entry : getOperation().getOps<out::EntryOp>()) {
      SmallVector<out::LaunchOp> launches(entry.getBody().getOps<out::LaunchOp>());
      if (launches.size() < 2) continue;
      for (out::LaunchOp launch : launches) {
        launch.setEarly(true);
        early.insert(launch.getKernelAttr().getAttr());
      }
    }
    for (auto kernel : getOperation().getOps<out::KernelOp>())
      if (early.contains(kernel.getSymNameAttr())) wait(kernel);
  }

private:
  static bool isCallOf(Operation &op, StringRef name) {
    auto statement = dyn_cast<out::ExpressionOp>(op);
    auto call = statement ? statement.getValue().getDefiningOp<out::CallOp>() : out::CallOp();
    return call && call.getCallee() == name;
  }

  /// Behind the start of the rings, which other lanes wait for, else before everything else that is done.
  static void wait(out::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    Block::iterator place = body.begin();
    while (place != body.end() && isa<out::ConstantOp, out::AliasOp, out::CommentOp>(*place)) ++place;
    bool startsRing = false;
    for (Operation &op : body) {
      startsRing |= isCallOf(op, "tsr::start_ring");
      if (startsRing && (isCallOf(op, "tsr::group_barrier") || isCallOf(op, "tsr::cluster_barrier"))) {
        place = std::next(op.getIterator());
        break;
      }
    }
    OpBuilder builder(&body, place);
    Location line = kernel.getLoc();
    builder.create<out::ExpressionOp>(line, totarget::write(builder, line, totarget::call(kWait.str(), {}, builder.getNoneType())));
  }
};

}  // namespace

std::unique_ptr<Pass> createStartEarlyPass() { return std::make_unique<StartEarly>(); }

}  // namespace tessera::transforms
