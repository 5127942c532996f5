// What follows from mistakes of reading text is not said: a program that is only half read is only half known.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "support/Sources.h"

namespace tessera::sema {

/// Forgets messages about meaning that stand in the same function (or other statement at module level) as a mistake of
/// reading text, and those about names that are unknown but occur in such a statement. Of an imported file that could
/// not be read right, no message about meaning is left, nor what the importing program says about its names.
void dropConsequences(const ast::Module &module, const Sources &sources, diag::Engine &diagnostics);

}  // namespace tessera::sema
