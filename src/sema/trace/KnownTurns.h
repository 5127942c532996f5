// Loops over known numbers whose body needs to know them when the program is compiled.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// `for i in range(9): parts.append(w[i] * x)`, where `parts` or `w` is a list of the compiler: nothing of run time could be its item
/// number i. The compiler writes such a loop out, as it does `static_range`.
bool needsKnownTurns(Context &cx, const ast::ForStmt &stmt, const Value &range);

}  // namespace tessera::sema
