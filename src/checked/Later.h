// What is checked and cannot be compiled yet, function by function.
#pragma once
#include "diag/Diagnostic.h"

namespace tessera::checked {
struct Function;
struct Program;

/// Reports what the phases after the checker cannot compile or run in the function. False if there is something.
bool refuseLater(const Function &function, diag::Engine &diagnostics);
/// The same for all functions of a program; each place is reported once.
bool refuseLater(const Program &program, diag::Engine &diagnostics);

}  // namespace tessera::checked
