// Where in the tree a message points.
#pragma once
#include "frontend/AST.h"
#include "support/Span.h"
#include <string>
#include <vector>

namespace tessera::sema {

struct Place {
  const ast::FuncDef *function = nullptr;  // the innermost one around it
  const ast::Stmt *statement = nullptr;    // the innermost one around it
  std::vector<const ast::Expr *> around;   // the expressions around it, from the innermost out
  bool inKernel = false;

  const ast::Expr *expr() const { return around.empty() ? nullptr : around.front(); }
  /// The innermost expression around it that is of this kind.
  template <class T> const T *innermost() const {
    for (const ast::Expr *e : around)
      if (auto *found = ast::as<T>(e)) return found;
    return nullptr;
  }
  /// The value that the function last gave this name before the place; null if it is not that simple.
  const ast::Expr *valueOf(const std::string &name) const;
};
Place placeOf(const ast::Module &module, Span span);
/// The operands of what stands there: of `a + b`, of `dot(a, b)`, of `a.matmul(b)`.
std::vector<const ast::Expr *> operandsAt(const Place &place);

}  // namespace tessera::sema
