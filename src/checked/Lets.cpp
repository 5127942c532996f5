#include "checked/Lets.h"

namespace tessera::checked {

const Expr *letOf(const Block &block, const Var *var) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let && stmt->var == var) return stmt->value.get();
    for (const Block *inner : {&stmt->body, &stmt->otherwise})
      if (const Expr *found = letOf(*inner, var)) return found;
  }
  return nullptr;
}

}  // namespace tessera::checked
