// Why a kernel does not use an instruction that its machine has: kept on the kernel down to the manifest.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera::ir {

/// On a kernel of the tile or the target dialect: a dictionary of sentences by instruction, "wgmma" or "mma".
inline constexpr llvm::StringLiteral kWhyNot = "tsr.why_not";

/// The first reason for an instruction stays.
inline void keepWhyNot(mlir::Operation *kernel, llvm::StringRef instruction, llvm::StringRef why) {
  mlir::NamedAttrList list(kernel->getAttrOfType<mlir::DictionaryAttr>(kWhyNot));
  if (!list.get(instruction)) list.set(instruction, mlir::StringAttr::get(kernel->getContext(), why));
  kernel->setAttr(kWhyNot, list.getDictionary(kernel->getContext()));
}

}  // namespace tessera::ir
