// The pass: kernels of a GPU whose lanes take single elements take vectors of neighbouring ones.
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

struct Vectorise : PassWrapper<Vectorise, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Vectorise)
  StringRef getArgument() const override { return "tile-vectorise"; }
  StringRef getDescription() const override { return "lanes of single elements take vectors of neighbouring ones"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tile::TileDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    OwningOpRef<tile::KernelOp> before;
    if (kernel.getGrid().getKind() == GridKind::Lanes) before = kernel.clone();  // rows always gain
    VectorForm form(kernel);
    const bool done = form.run();
    if (done ? form.gains() : !before) return;
    kernel.getBody().takeBody(before->getBody());
    kernel->setDiscardableAttrs((*before)->getDiscardableAttrDictionary());
    kernel.getProperties() = before->getProperties();
  }
};

}  // namespace

std::unique_ptr<Pass> createVectorisePass() { return std::make_unique<Vectorise>(); }

}  // namespace tessera::transforms
