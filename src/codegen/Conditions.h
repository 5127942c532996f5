// What conditions of launches say of each other.
#pragma once
#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"

namespace tessera::codegen {

/// A condition of `when`, or its contrary: a requirement, or words that are only compared.
struct Literal {
  mlir::Attribute part;
  bool holds = true;
};
/// Of ["not", condition] the condition, which does not hold.
Literal literalOf(mlir::Attribute part);
/// Whether `asked` holds wherever one of `known` does. False where nothing is known of that.
bool follows(llvm::ArrayRef<Literal> known, Literal asked);

}  // namespace tessera::codegen
