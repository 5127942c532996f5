// From the checked program to Graph IR.
#pragma once
#include "diag/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "checked/Checked.h"
#include "support/Sources.h"

namespace mlir {
class DialectRegistry;
}

namespace tessera::irgen {

/// The dialects that generate() makes operations of.
void registerDialects(mlir::DialectRegistry &registry);

/// One graph function for each function of the program, verified. What Graph IR cannot say is reported, and
/// its function is left out; ask `diagnostics.hasErrors()`.
mlir::OwningOpRef<mlir::ModuleOp> generate(const checked::Program &program, const Sources &sources,
                                           mlir::MLIRContext &context, diag::Engine &diagnostics);
/// The same with an engine for each function; null: the function is left out without a message. `complete` says whether
/// all are there; else calls of the module may name functions that are not, and it is not verified.
mlir::OwningOpRef<mlir::ModuleOp> generate(const checked::Program &program, const Sources &sources, mlir::MLIRContext &context,
                                           llvm::function_ref<diag::Engine *(const checked::Function &)> engineOf, bool &complete);

}  // namespace tessera::irgen
