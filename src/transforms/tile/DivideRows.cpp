// Division of the elements of each row by one number of the row: a multiplication by its reciprocal.
//
// A division takes ten instructions and more, a multiplication one, and a tile of results has thousands: at the end of
// attention they are as much as two turns of its loop. Allowed where nothing can tell (docs/spec/numerics.md, R13): the
// quotients leave only as floats of 16 bits.
//
//   y = x / broadcast(n)    ->    r = 1 / n    y = x * broadcast(r)
//   for (c = ...) y[c] = x[c] / n    ->    r = 1 / n    for (c = ...) y[c] = x[c] * r
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/LeavesNarrow.h"
#include "transforms/tile/Passes.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The numbers of the rows or columns by which a tile of f32 is divided.
tile::BroadcastOp divisorOf(tile::ElementwiseOp op) {
  auto type = dyn_cast<tile::FragmentType>(op.getResult().getType());
  if (op.getMnemonic() != "div" || !type || type.getRank() != 2 || !type.getElementType().isF32()) return {};
  return op.getArgs()[1].getDefiningOp<tile::BroadcastOp>();
}

void multiply(tile::ElementwiseOp quotient, tile::BroadcastOp divisor) {
  OpBuilder builder(divisor);
  Location loc = unnamed(quotient.getLoc());
  Value rows = divisor.getValue();
  Value one = builder.create<tile::ConstantOp>(loc, builder.getF32Type(), builder.getF32FloatAttr(1));
  Value ones = builder.create<tile::FillOp>(loc, rows.getType(), one);
  auto reciprocal = builder.create<tile::ElementwiseOp>(named("reciprocal", loc), rows.getType(), builder.getStringAttr("div"), ValueRange{ones, rows});
  Value each = builder.create<tile::BroadcastOp>(loc, divisor.getResult().getType(), reciprocal.getResult());
  quotient.setMnemonicAttr(builder.getStringAttr("mul"));
  quotient->setOperand(1, each);
  if (divisor->use_empty()) divisor->erase();
}

/// The loop in which one f32 after the other is divided by a number from before it.
scf::ForOp loopOf(tile::ElementwiseOp op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (op.getMnemonic() != "div" || !loop || !op.getResult().getType().isF32()) return {};
  bool isFixed = !loop->isAncestor(op.getArgs()[1].getParentBlock()->getParentOp());
  return isFixed && loop->isAncestor(op.getArgs()[0].getParentBlock()->getParentOp()) ? loop : scf::ForOp();
}

void multiply(tile::ElementwiseOp quotient, scf::ForOp loop, llvm::DenseMap<std::pair<Value, Operation *>, Value> &reciprocals) {
  Value &reciprocal = reciprocals[{quotient.getArgs()[1], loop}];
  if (!reciprocal) {
    OpBuilder builder(loop);
    Location loc = unnamed(quotient.getLoc());
    Value one = builder.create<tile::ConstantOp>(loc, builder.getF32Type(), builder.getF32FloatAttr(1));
    reciprocal = builder.create<tile::ElementwiseOp>(named("reciprocal", loc), one.getType(), "div", ValueRange{one, quotient.getArgs()[1]});
  }
  quotient.setMnemonicAttr(OpBuilder(quotient).getStringAttr("mul"));
  quotient->setOperand(1, reciprocal);
}

struct DivideRows : PassWrapper<DivideRows, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DivideRows)
  StringRef getArgument() const override { return "tile-divide-rows"; }
  StringRef getDescription() const override { return "divisions of rows whose quotients leave in 16 bits, as multiplications"; }
  void runOnOperation() override {
    SmallVector<tile::ElementwiseOp> quotients;
    getOperation().getBody().walk([&](tile::ElementwiseOp op) {
      if ((divisorOf(op) || loopOf(op)) && leavesNarrow(op.getResult())) quotients.push_back(op);
    });
    llvm::DenseMap<std::pair<Value, Operation *>, Value> reciprocals;
    for (tile::ElementwiseOp op : quotients) {
      if (scf::ForOp loop = loopOf(op)) multiply(op, loop, reciprocals);
      else multiply(op, divisorOf(op));
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createDivideRowsPass() { return std::make_unique<DivideRows>(); }

}  // namespace tessera::transforms
