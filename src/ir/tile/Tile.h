// The dialect `tile`: who holds what, where, and when. See Tile.td.
#pragma once
#include "ir/common/OpRules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/tile/TileDialect.h.inc"

#include "ir/tile/TileAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/tile/TileOps.h.inc"

namespace tessera::ir::tile {
/// On a loop: written out by the compiler of the emitted text.
constexpr llvm::StringLiteral kUnrolled = "tsr.unrolled";
/// On a loop that the compiler made of reductions, in an order of its own: which one, or a list of them.
constexpr llvm::StringLiteral kReduces = "tsr.reduces";
/// By what each result of such a loop is reduced; nothing of another loop.
llvm::SmallVector<llvm::StringRef> reductionsOf(mlir::Operation *loop);
/// On a module: by the name of a kernel that is gone the symbol of the equal one that is launched in its place.
constexpr llvm::StringLiteral kShared = "tsr.shared_kernels";
/// The variants of a kernel are dictionaries of the sizes and conditions that there are.
mlir::LogicalResult verifyVariants(KernelOp kernel);
}  // namespace tessera::ir::tile
