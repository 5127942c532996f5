// Errors about what a machine does not give.
#pragma once
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tessera::ir {

/// An error at `op`: the program is right, and other machines may take it. Its message has a code of its own.
mlir::InFlightDiagnostic emitMachineLimit(mlir::Operation *op);
/// Whether the location of a diagnostic says that it was made so.
bool isMachineLimit(mlir::Location location);

}  // namespace tessera::ir
