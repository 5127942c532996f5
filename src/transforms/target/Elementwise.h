// The elementwise operations of support/Ops.def and casts as expressions of the C-family languages.
#pragma once
#include "ir/tile/Tile.h"
#include "transforms/target/Expr.h"

namespace tessera::transforms::totarget {

/// Null if there is no such operation on these operands. `asInC`: integers divide as in C, because none is below 0 and the
/// divisor is not 0. `wraps`: integers that do not fit wrap around.
ExprRef elementwise(llvm::StringRef mnemonic, const std::vector<ExprRef> &operands, mlir::Type result,
                    bool asInC, bool wraps = true);
/// The sum or difference `op` of a product of a and b, and of c, as one instruction.
ExprRef fusedSum(ir::tile::ElementwiseOp op, const ExprRef &a, const ExprRef &b, const ExprRef &c, mlir::Type type);
/// The helper for an operation that is shortened (ContractAttr.h).
std::string shortName(ir::tile::ElementwiseOp op);
/// Whether an operation adds up positions in tensors and numbers alone: what they are cast to holds them, and their sums.
bool countsOnly(ir::tile::ElementwiseOp op);
ExprRef convert(const ExprRef &value, mlir::Type type, llvm::StringRef rounding = "", bool saturate = false);
/// Whether the CPU's compilers turn a call of this function into vector instructions: it is no call of the C
/// library.
bool hasVectorForm(llvm::StringRef callee, mlir::Type type);
/// tsr::Max for "max".
std::string reductionName(llvm::StringRef reduction);

}  // namespace tessera::transforms::totarget
