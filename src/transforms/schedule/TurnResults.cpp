// Products that are read turned are computed turned.
//
// The derivative of `x @ table.T` by the table is `transpose(x.T @ dy)`. As `dy.T @ x` it has the order in which the table lies:
// what goes on with both, such as an optimiser, reads rows beside rows.
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Turn.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

struct TurnResults : PassWrapper<TurnResults, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TurnResults)
  StringRef getArgument() const override { return "graph-turn-results"; }
  StringRef getDescription() const override { return "products in the order in which their results are read"; }
  void runOnOperation() override {
    SmallVector<graph::DotOp> dots;
    getOperation().walk([&](graph::DotOp dot) {
      bool isMatrix = dot.getType().getRank() == 2;  // a batch with one matrix for all of it has to stay so
      Operation *user = isMatrix && dot->hasOneUse() ? *dot->user_begin() : nullptr;
      if (isTurn(user) && user->getBlock() == dot->getBlock() && !chainOf(dot)) dots.push_back(dot);
    });
    for (graph::DotOp dot : dots) {
      OpBuilder builder(dot);
      Turner turner(builder);
      Operation *turn = *dot->user_begin();
      Value lhs = turner.transposed(dot.getRhs()), rhs = turner.transposed(dot.getLhs());
      Location line = nameHint(turn->getResult(0)).empty() ? dot.getLoc() : turn->getLoc();
      auto turned = addedUpAs(dot, builder.create<graph::DotOp>(line, turn->getResult(0).getType(), lhs, rhs));
      turn->getResult(0).replaceAllUsesWith(turned.getResult());
      turn->erase();
      dot->erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createTurnResultsPass() { return std::make_unique<TurnResults>(); }

}  // namespace tessera::transforms
