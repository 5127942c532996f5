// What is checked and cannot be compiled yet, function by function.
#pragma once
#include "diag/Diagnostic.h"

namespace tessera::sema {
struct Function;

/// Says what the phases behind the checker cannot compile or run in the function. False if there is something.
bool refuseLater(const Function &function, diag::Engine &diagnostics);

}  // namespace tessera::sema
