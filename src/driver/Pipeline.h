// The passes between the levels, in one list, and what driving MLIR needs. Only this part of the driver sees MLIR.
#pragma once
#include "diag/Diagnostic.h"
#include "driver/Compiler.h"
#include "driver/Work.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/DType.h"
#include "support/Sources.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tessera::driver {

/// A context with all our dialects, on one thread: a compilation is short, and messages keep their order.
std::unique_ptr<mlir::MLIRContext> makeContext();
/// Lowers a module from the level above to `level`, for the machine that it names. False if a pass failed; its messages
/// are in the context's handler.
bool lowerOneLevel(mlir::ModuleOp module, Level level);
/// A copy with only these functions and what they call or launch. `missing` (if not null) gets the names that are called
/// and are not in the module.
mlir::OwningOpRef<mlir::ModuleOp> onlyFunctions(mlir::ModuleOp module, const std::vector<std::string> &names,
                                                std::set<std::string> *missing = nullptr);

/// What a call of an entry function launches, counted in a module of the schedule level; nothing where that has no such function.
std::optional<std::vector<KernelWork>> countWork(mlir::ModuleOp module, const std::string &function, const Sizes &sizes);
/// Keeps on each launch, as formulas of the function's dimensions, what it does (ir/common/WorkNotes.h): of a module of the schedule level.
void noteWork(mlir::ModuleOp module);
/// By which instructions the kernels do their products, and why not by others, of a module of the tile level.
void addInstructions(mlir::ModuleOp module, std::vector<KernelWork> &rows);

/// While it lives, errors of passes and verifiers become messages of ours, at the place of the user's text.
class MessageForwarder {
public:
  MessageForwarder(mlir::MLIRContext &context, const Sources &sources, diag::Engine &diagnostics);

private:
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace tessera::driver
