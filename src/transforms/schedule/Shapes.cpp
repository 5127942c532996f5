#include "transforms/schedule/Shapes.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

int64_t bitsOf(Type type) {
  Type element = elementTypeOf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Value inDType(OpBuilder &builder, Location loc, Value value, Type element) {
  if (elementTypeOf(value.getType()) == element) return value;
  return builder.create<graph::CastOp>(loc, withElementType(value.getType(), element), value, StringAttr(), UnitAttr());
}

int64_t bitsReadFor(Value array, Value value) {
  bool isVector = longAxes(array.getType()).size() < longAxes(value.getType()).size();
  return isVector ? 0 : bitsOf(array.getType());
}

bool holdsFragments(Operation *kernel) {
  bool uses = false;
  kernel->walk([&](Operation *op) {
    bool carries = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
    for (Type type : op->getResultTypes()) {
      size_t rank = isa<TensorType>(type) ? longAxes(type).size() : 0;
      uses |= rank >= 2 || (carries && rank > 0);
    }
    uses |= isa<graph::DotOp>(op) || (isa<graph::ScanOp, graph::ArgsortOp>(op) && isLong(op->getResult(0).getType()));
    // What is chosen by indices out of memory is read there, an element at a time; out of what is computed, in shared memory.
    if (auto gather = dyn_cast<graph::GatherOp>(op)) uses |= isLong(gather.getOperand().getType()) && !gather.getOperand().getDefiningOp<graph::LoadOp>();
  });
  return uses;
}

}  // namespace tessera::transforms
