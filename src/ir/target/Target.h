// The Target dialect (Target.td): emitted code as data, word for word.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#include "ir/target/TargetDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/target/TargetTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/target/TargetAttrs.h.inc"

namespace tessera::ir::target {

/// Whether the text is an identifier of a C-family language.
bool isIdentifier(llvm::StringRef text);

mlir::LogicalResult verifyOneUse(mlir::Operation *op);
template <class Concrete> class OneUse : public mlir::OpTrait::TraitBase<Concrete, OneUse> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyOneUse(op); }
};

}  // namespace tessera::ir::target

#define GET_OP_CLASSES
#include "ir/target/TargetOps.h.inc"
