#include "transforms/schedule/Shapes.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool holdsFragments(Operation *kernel) {
  bool uses = false;
  kernel->walk([&](Operation *op) {
    bool carries = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
    for (Type type : op->getResultTypes()) {
      size_t rank = isa<TensorType>(type) ? longAxes(type).size() : 0;
      uses |= rank >= 2 || (carries && rank > 0);
    }
    uses |= isa<graph::DotOp>(op);
  });
  return uses;
}

}  // namespace tessera::transforms
