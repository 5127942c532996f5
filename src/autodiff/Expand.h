// Derivatives of the checked program written out: behind this no phase meets one (docs/decisions/0012).
#pragma once
#include "diag/Diagnostic.h"
#include "checked/Checked.h"
#include "support/Sources.h"

namespace tessera::autodiff {

/// Replaces every Derivative of the program by the statements that compute it. False after a message.
bool expand(checked::Program &program, const Sources &sources, diag::Engine &diagnostics);

}  // namespace tessera::autodiff
