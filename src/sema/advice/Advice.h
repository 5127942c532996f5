// Fixes for mistakes of meaning. The checker knows what is wrong; what was forgotten (a transpose, `keepdim=True`, an
// axis, an accumulate type) is found by trying: the edits that people would make are made in memory, the module is
// checked again, and an edit is offered only if the message is gone then and no other has come.
#pragma once
#include "sema/Check.h"

namespace tessera::sema {

/// Adds fixes, and notes about the origin of operands, to the messages behind the first `from` ones that are about
/// `module`. The work is bounded by the size of the module: large ones get fewer trials.
void advise(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
            diag::Engine &diagnostics, size_t from, const CheckOptions &options);

}  // namespace tessera::sema
