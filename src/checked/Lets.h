// What a variable stands for.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

/// The value that a `let` in the block, or in a block inside of it, gives the variable; null if there is none.
const Expr *letOf(const Block &block, const Var *var);

}  // namespace tessera::checked
