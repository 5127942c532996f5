// From the checked program to Graph IR.
#pragma once
#include "diag/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sema/Checked.h"
#include "support/Sources.h"

namespace mlir {
class DialectRegistry;
}

namespace tessera::irgen {

/// The dialects that generate() makes operations of.
void registerDialects(mlir::DialectRegistry &registry);

/// One graph function for each function of the program, verified. What Graph IR cannot say is reported, and
/// its function is left out; ask `diagnostics.hasErrors()`.
mlir::OwningOpRef<mlir::ModuleOp> generate(const sema::Program &program, const Sources &sources,
                                           mlir::MLIRContext &context, diag::Engine &diagnostics);

}  // namespace tessera::irgen
