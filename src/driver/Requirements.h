// Whether functions keep to what `@require` allows them.
#pragma once
#include "checked/Checked.h"
#include "diag/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Sources.h"

namespace tessera::driver {

/// Looks at the functions that `target`, a module of the target level, has. False after a message for each claim that does not hold.
bool keepToRequirements(const checked::Program &program, mlir::ModuleOp target, const Sources &sources, diag::Engine &diagnostics);
/// The claims that can be decided before anything is compiled: those about operations.
void keepToWork(const checked::Program &program, const Sources &sources, diag::Engine &diagnostics);

}  // namespace tessera::driver
