// Statements and control flow.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

// ---- Statements.cpp
/// Fails, with a message at the op.
mlir::LogicalResult unsupported(mlir::Operation &op, const llvm::Twine &why);
mlir::LogicalResult emitBlock(Emission &em, mlir::Block &block);
mlir::LogicalResult emitOp(Emission &em, mlir::Operation &op);
/// The variables that a loop carries are declared and hold what it starts from.
mlir::LogicalResult enterLoop(Emission &em, mlir::ValueRange inits, mlir::ValueRange arguments, mlir::Location place);
/// All targets get the values that were yielded, as if at once.
mlir::LogicalResult assignYields(Emission &em, mlir::ValueRange values, llvm::ArrayRef<Storage *> targets,
                                 mlir::Location place);

// ---- Branches.cpp
mlir::LogicalResult emitFor(Emission &em, mlir::scf::ForOp op);
mlir::LogicalResult emitIf(Emission &em, mlir::scf::IfOp op);
mlir::LogicalResult emitWhile(Emission &em, mlir::scf::WhileOp op);

// ---- Exchanges.cpp
mlir::LogicalResult emitGroupReduce(Emission &em, ir::tile::GroupReduceOp op);

}  // namespace tessera::transforms::totarget
