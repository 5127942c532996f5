// Statements that the grammar allows anywhere, but that have a meaning only inside of loops or functions.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"

namespace tessera::frontend {

/// Says each `break` and `continue` outside of a loop and each `return` outside of a function.
void checkPlacement(const ast::Module &module, diag::Engine &diagnostics);

}  // namespace tessera::frontend
