// What devices do together is no kernel: between launches the entry function asks for it, from memory to memory.
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// The terms of a sum over devices that nothing else reads: the sum may be written where they lie. Null for other values.
Value FunctionScheduler::summedInPlace(Value value) {
  auto sum = value.getDefiningOp<graph::ExchangeOp>();
  if (!sum || sum.getKind() != "all_reduce") return {};
  Value terms = sum.getOperand();
  bool isMade = terms.getDefiningOp() && terms.hasOneUse() && terms.getParentBlock() == value.getParentBlock();
  return isMade && !isa<graph::ReshapeOp, graph::AfterOp>(terms.getDefiningOp()) ? terms : Value();
}

/// The memory of these terms, if it is theirs alone.
Value FunctionScheduler::memoryOfSummed(Value value) {
  Value terms = summedInPlace(value), memory = terms ? leaves_.lookup(terms) : Value();
  if (!memory || placed_.count(terms)) return {};
  if (auto temporary = memory.getDefiningOp<schedule::TempOp>()) return temporary->hasAttr(kBuffer) || results_.count(value) ? Value() : memory;
  auto argument = dyn_cast<BlockArgument>(memory);
  return argument && cast<ParamAttr>(entry_.getParams()[argument.getArgNumber()]).getIsResult() ? memory : Value();
}

LogicalResult FunctionScheduler::exchange(graph::ExchangeOp op, Value target) {
  Value from = op.getOperand();
  if (!leaves_.count(from) && failed(makeRoot(from))) return failure();
  Value source = leaves_.lookup(from);
  if (placed_.count(from)) {  // it lies among others: what is exchanged has memory of its own
    source = memoryFor(from);
    if (failed(laneKernel(from, source, false))) return failure();
  }
  launchOp<schedule::ExchangeOp>(op.getLoc(), op.getKind(), op.getOver(), source, target);
  return success();
}

}  // namespace tessera::transforms
