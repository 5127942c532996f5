// The name of a row in a loop over the structs of a stack, where the loop's body assigns through it: `for c in cache.layers`
// with `c.k[i] = x` in its body. Such a name stands for the place of the row, and not for what it held before the turn.
#pragma once
#include "sema/Context.h"
#include <optional>

namespace tessera::sema {

struct RowPlace {
  const ast::Expr *stack;  // as the loop has it
  Value index;             // of the row
};

/// Of a name that is bound to a row of a state, and assigned through in the loop that bound it; of others nothing.
std::optional<RowPlace> rowPlace(Context &cx, const std::string &name, Span place);

}  // namespace tessera::sema
