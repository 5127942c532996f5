// Edits for the messages of a check that was made without them: an editor looks for them when nobody waits.
#pragma once
#include "sema/Check.h"

namespace tessera::sema {

/// Adds them to the messages about a module that reads. With `options.hurried` the search may leave off: then some are missing.
void adviseLater(const ast::Module &module, const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
                 const CheckOptions &options);

}  // namespace tessera::sema
