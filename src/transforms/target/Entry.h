// Entry functions and host functions from Tile IR to Target IR.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "transforms/target/KernelInfo.h"
#include <map>

namespace tessera::transforms::totarget {

/// The function that a kernel becomes must not share its name with an entry function.
std::string kernelName(mlir::ModuleOp module, llvm::StringRef kernel);
mlir::LogicalResult emitEntry(ir::tile::FuncOp function, const std::map<std::string, KernelInfo> &kernels,
                              mlir::OpBuilder &builder);
mlir::LogicalResult emitHost(ir::tile::HostFuncOp function, mlir::OpBuilder &builder);

}  // namespace tessera::transforms::totarget
