// Where in the tree a message points.
#pragma once
#include "frontend/AST.h"
#include "frontend/Walk.h"
#include "sema/advice/NamesOfFunction.h"
#include "support/Span.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::sema {

struct Place {
  const ast::Module *module = nullptr;
  const ast::Stmt *outermost = nullptr;    // the statement of the module around it
  const ast::FuncDef *function = nullptr;  // the innermost one around it
  const ast::Stmt *statement = nullptr;    // the innermost one around it
  std::vector<const ast::Expr *> around;   // the expressions around it, from the innermost out
  bool inKernel = false;
  const std::map<std::string, NameUse> *names = nullptr;  // of the function; null outside of one

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
/// Finds places in a module: what stands in a statement is collected once.
class Places {
public:
  explicit Places(const ast::Module &module);
  Place at(Span span);

private:
  const ast::Children &childrenOf(const ast::Stmt &stmt);
  void descend(const ast::Stmt &stmt, Span span, Place &place);

  const ast::Module &module_;
  std::vector<const ast::Stmt *> body_;
  std::unordered_map<const ast::Stmt *, ast::Children> children_;
  std::unordered_map<const ast::FuncDef *, std::map<std::string, NameUse>> names_;
};
/// The operands of what stands there: of `a + b`, of `dot(a, b)`, of `a.matmul(b)`.
std::vector<const ast::Expr *> operandsAt(const Place &place);

}  // namespace tessera::sema
