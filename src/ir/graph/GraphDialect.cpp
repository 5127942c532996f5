#include "ir/graph/HostCalls.h"
#include "ir/graph/GraphDialect.cpp.inc"
#include "mlir/Interfaces/FunctionImplementation.h"

#define GET_OP_CLASSES
#include "ir/graph/GraphOps.cpp.inc"

namespace tessera::ir::graph {

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/graph/GraphOps.cpp.inc"
      >();
  addOperations<HostCallOp>();
}

bool isBodyOp(mlir::Operation *op) {
  return mlir::isa_and_nonnull<GraphDialect>(op->getDialect()) &&
         !mlir::isa<FuncOp, HostFuncOp, KernelOp, CallOp, ReturnOp, KernelEndOp, LoadNpyOp, HostCallOp,
                    SaveNpyOp, PrintOp, StringOp, FormatOp, HostShapeOp, HostRankOp, HostItemOp, AssertOp>(op);
}

}  // namespace tessera::ir::graph
