// What lanes of a group may do to each other: operations of the whole group that some lanes miss, races in shared
// memory, asynchronous copies that are not waited for. Rules: docs/spec/effects.md.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "sema/Checked.h"
#include "support/Sources.h"

namespace tessera::sema::races {

/// Looks at a kernel without mistakes and reports what is wrong with it; at most one error. Returns the effects that it has
/// because of what its lanes and groups may do to each other.
Effects checkKernelSafety(const Function &kernel, const ast::FuncDef &def, const Sources &sources,
                       diag::Engine &diagnostics);

}  // namespace tessera::sema::races
