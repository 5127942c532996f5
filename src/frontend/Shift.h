// Trees that stand somewhere else: text was put in or taken out in front of them.
#pragma once
#include "frontend/AST.h"

namespace tessera::ast {

/// Moves all places in a statement by so many bytes.
void shift(Stmt &stmt, int64_t bytes);

}  // namespace tessera::ast
