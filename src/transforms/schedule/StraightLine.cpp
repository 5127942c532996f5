// Tensor functions without control flow: loops whose number of turns is known are written out, the others stay for the
// entry function (Loops.h); a branch becomes a choice between what both sides give. Nothing in them has an effect: both sides may be computed, but for
// branches that rely on a condition on sizes. Those stay (Conditions.h).
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Loops.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Clones a block in front of an operation; gives what it yields.
SmallVector<Value> inlineBefore(Operation *place, Block &block, IRMapping &values) {
  OpBuilder builder(place);
  for (Operation &op : block.without_terminator()) builder.clone(op, values);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands()) yielded.push_back(values.lookupOrDefault(value));
  return yielded;
}

LogicalResult writeOut(scf::ForOp loop) {
  auto function = loop->getParentOfType<graph::FuncOp>();
  auto constantOf = [&](Value value) {
    std::optional<Dim> dim = dimOf(value, function);
    return dim && dim->isConstant() ? std::optional(dim->constant()) : std::nullopt;
  };
  std::optional<int64_t> start = constantOf(loop.getLowerBound()), stop = constantOf(loop.getUpperBound()),
                         step = constantOf(loop.getStep());
  if (!start || !stop || !step || *step <= 0) return loop.emitError("a loop that stays, and that nothing counts");
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t i = *start; i < *stop; i += *step) {
    OpBuilder builder(loop);
    TypedAttr counter = builder.getIndexAttr(i);
    IRMapping values;
    Location line = unnamed(loop.getLoc());
    values.map(loop.getInductionVar(),
               builder.create<graph::ConstantOp>(line, counter.getType(), counter).getResult());
    values.map(loop.getRegionIterArgs(), carried);
    carried = inlineBefore(loop, *loop.getBody(), values);
  }
  loop->replaceAllUsesWith(carried);
  loop.erase();
  return success();
}

LogicalResult choose(scf::IfOp branch) {
  SmallVector<Value> yes, no;
  IRMapping values;
  bool pure = true, ends = true;
  branch->walk([&](Operation *op) { pure &= !isa<graph::CallOp>(op), ends &= !isa<scf::WhileOp>(op); });
  if (!pure)
    return branch.emitError("a call of a kernel under a condition in a tensor function; choose between its "
                            "results");
  if (!ends)  // both sides are computed
    return branch.emitError("a `while` loop under a condition on data in a tensor function; make the condition part of the loop's");
  yes = inlineBefore(branch, *branch.thenBlock(), values);
  if (branch.elseBlock()) no = inlineBefore(branch, *branch.elseBlock(), values);
  OpBuilder builder(branch);
  SmallVector<Value> chosen;
  for (auto [result, a, b] : llvm::zip(branch.getResults(), yes, no)) {
    Location loc = named(nameHint(result), unnamed(branch.getLoc()));
    Value condition = branch.getCondition();
    if (isa<TensorType>(result.getType())) {
      Type truths = withElementType(result.getType(), builder.getI1Type());
      condition = builder.create<graph::FullOp>(loc, truths, condition);
    }
    chosen.push_back(builder.create<graph::ElementwiseOp>(loc, result.getType(), "select",
                                                          ValueRange{condition, a, b}));
  }
  branch->replaceAllUsesWith(chosen);
  branch.erase();
  return success();
}

}  // namespace

LogicalResult straighten(graph::FuncOp function) {
  if (failed(keepLoops(function))) return failure();
  while (true) {
    Operation *next = nullptr;  // the innermost first: what it is made of stands in straight lines then
    function.walk([&](Operation *op) {
      if (op == function || op->getNumRegions() == 0 || isa<graph::DotOp>(op) || op->hasAttr(kWhen) || op->hasAttr(kLoop)) return WalkResult::advance();
      next = op;
      return WalkResult::interrupt();
    });
    if (!next) break;
    if (auto loop = dyn_cast<scf::ForOp>(next)) {
      if (failed(writeOut(loop))) return failure();
    } else if (auto branch = dyn_cast<scf::IfOp>(next)) {
      if (failed(askBefore(branch, function))) return failure();
      if (!branch->hasAttr(kWhen) && failed(choose(branch))) return failure();
    } else {
      return next->emitError("an operation with a body that no loop or condition is");
    }
  }
  return success();
}

}  // namespace tessera::transforms
