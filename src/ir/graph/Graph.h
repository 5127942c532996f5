// The dialect `graph`: what is computed.
#pragma once
#include "ir/common/OpRules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/graph/GraphDialect.h.inc"
#define GET_OP_CLASSES
#include "ir/graph/GraphOps.h.inc"

namespace tessera::ir::graph {

/// A value op or kernel-body op: those that also make the bodies of schedule kernels.
bool isBodyOp(mlir::Operation *op);

}  // namespace tessera::ir::graph
