// Sums with a product as one instruction, in what is done to tiles behind a product of matrices.
//
//   p = x * y                                p = x * y
//   s = add c, p                      ->     s = add p, c, contracted: fma(x, y, c)
//
// Allowed where nothing can tell (docs/spec/numerics.md, R17): the sums leave only as floats of 16 bits, and in sums of columns. What
// follows a product takes the processor's other units as long as tensor cores multiply, so each instruction of it counts.
#include "ir/common/ContractAttr.h"
#include "ir/tile/Tile.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/LeavesNarrow.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isProduct(Value value) { return value.hasOneUse() && elementwiseOf(value, "mul"); }

/// A sum of f32 in a tile, or a difference from a product, which can be one instruction with it.
bool mayContract(tile::ElementwiseOp op) {
  auto type = dyn_cast<tile::FragmentType>(op.getResult().getType());
  if (!type || type.getRank() != 2 || !type.getElementType().isF32() || isContracted(op)) return false;
  bool isSum = op.getMnemonic() == "add" && llvm::any_of(op.getArgs(), isProduct);
  bool isDifference = op.getMnemonic() == "sub" && isProduct(op.getArgs()[0]);
  return (isSum || isDifference) && leavesRounded(op.getResult());
}

void contract(tile::ElementwiseOp op) {
  if (!isProduct(op.getArgs()[0])) {  // of a sum: the product stands first
    Value first = op.getArgs()[0], second = op.getArgs()[1];
    op->setOperands({second, first});
  }
  markContracted(op);
}

struct ContractSums : PassWrapper<ContractSums, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ContractSums)
  StringRef getArgument() const override { return "tile-contract-sums"; }
  StringRef getDescription() const override { return "sums with a product as one instruction, where they leave in 16 bits"; }
  void runOnOperation() override {
    bool multiplies = false;
    SmallVector<tile::ElementwiseOp> sums;
    getOperation().getBody().walk([&](Operation *op) {
      multiplies |= isa<tile::DotOp>(op);
      if (auto elementwise = dyn_cast<tile::ElementwiseOp>(op); elementwise && mayContract(elementwise)) sums.push_back(elementwise);
    });
    if (!multiplies || sums.empty()) return;
    for (tile::ElementwiseOp op : sums) contract(op);
    addReason(getOperation(), "sums with a product that leave in 16 bits as one instruction (R17)");
  }
};

}  // namespace

std::unique_ptr<Pass> createContractSumsPass() { return std::make_unique<ContractSums>(); }

}  // namespace tessera::transforms
