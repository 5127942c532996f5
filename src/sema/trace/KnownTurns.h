// Loops over known numbers whose body needs to know them when the program is compiled.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// `for i in range(9): parts.append(w[i] * x)`, where `parts` or `w` is a list of the compiler: nothing of run time could be its item
/// number i. The compiler writes such a loop out, as it does `static_range`.
bool needsKnownTurns(Context &cx, const ast::ForStmt &stmt, const Value &range);

/// `while d < 32: y[d:] ...; d *= 2`: how many turns there are, where known numbers count them and the body has them in shapes or slices, which run
/// time cannot give. Nothing if that is not so: run time counts.
std::optional<int64_t> knownTurnsOf(Context &cx, const ast::WhileStmt &stmt);

}  // namespace tessera::sema
