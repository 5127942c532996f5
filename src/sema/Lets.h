// What a variable stands for.
#pragma once
#include "sema/Checked.h"

namespace tessera::sema {

/// The value that a `let` in the block, or in a block inside of it, gives the variable; null if there is none.
const Expr *letOf(const Block &block, const Var *var);

}  // namespace tessera::sema
