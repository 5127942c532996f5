// Which kernels are equal but for names.
#pragma once
#include "ir/tile/Tile.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace tessera::transforms {

bool areEqual(ir::tile::KernelOp a, ir::tile::KernelOp b);
/// Names the parameters of `kept` by what is common to them and to those of `other`.
void shareNames(ir::tile::KernelOp kept, ir::tile::KernelOp other);
/// Notes on the module by which kernels others were replaced, in this run and before.
void noteShared(mlir::ModuleOp module, const std::map<std::string, std::string> &replaced);
/// The signatures whose kernels are made of tensor functions: such a kernel may be that of another function, too. One that the user
/// wrote stands under the function's own name, and keeps it.
llvm::DenseSet<mlir::Attribute> signaturesOfFunctions(mlir::ModuleOp module);

}  // namespace tessera::transforms
