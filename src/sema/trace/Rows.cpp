// Which names of loops over stacks are places of a state, and where the loop has the stack.
#include "frontend/Walk.h"
#include "sema/effects/Effects.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

using ast::as;

namespace {
/// What a target of this name goes through, of the targets and the iterable of a loop: `a` in `for i, x in enumerate(a)`. Null if
/// there is none.
const ast::Expr *stackOf(const Context &cx, const ast::Expr &target, const ast::Expr &iterable, const std::string &name) {
  auto *call = as<ast::CallExpr>(&iterable);
  const std::string_view callee = call ? cx.sources.text(call->callee->span) : std::string_view();
  if (auto *one = as<ast::NameExpr>(&target)) return one->name == name && !call ? &iterable : nullptr;
  const std::vector<const ast::Expr *> parts = ast::childrenOf(target).exprs;
  if (callee == "enumerate" && call->arguments.size() == 1 && parts.size() == 2)
    return stackOf(cx, *parts[1], *call->arguments[0].value, name);
  if (callee != "zip" || call->arguments.size() != parts.size()) return nullptr;
  for (size_t i = 0; i < parts.size(); ++i)
    if (auto *found = stackOf(cx, *parts[i], *call->arguments[i].value, name)) return found;
  return nullptr;
}

/// The innermost loop with a place in its body that has a target of this name; null if there is none.
const ast::ForStmt *loopOver(const Context &cx, const ast::Stmt &stmt, const std::string &name, Span place) {
  if (place.begin < stmt.span.begin || stmt.span.end < place.end) return nullptr;
  for (const ast::Stmt *inner : ast::childrenOf(stmt).stmts)
    if (const ast::ForStmt *loop = loopOver(cx, *inner, name, place)) return loop;
  auto *loop = as<ast::ForStmt>(&stmt);
  return loop && loop->iterable->span.end <= place.begin && stackOf(cx, *loop->target, *loop->iterable, name) ? loop : nullptr;
}
}  // namespace

std::optional<RowPlace> rowPlace(Context &cx, const std::string &name, Span place) {
  auto bound = cx.function.frame->names.find(name);
  const Callable *function = cx.function.frame->function;
  if (bound == cx.function.frame->names.end() || !function || !function->def) return std::nullopt;
  const Value &row = bound->second.value;
  if (row.kind != ValueKind::Struct || !row.inner) return std::nullopt;
  const ast::ForStmt *loop = loopOver(cx, *function->def, name, place);
  const Span at = bound->second.span;  // another name for it, or another value of the name, is bound elsewhere
  if (!loop || at.begin < loop->target->span.begin || loop->target->span.end < at.end) return std::nullopt;
  const ast::Expr *stack = stackOf(cx, *loop->target, *loop->iterable, name);
  std::set<std::string> assigned;
  collectAssigned(loop->body, assigned);
  if (!assigned.count(name) || !isPartOfState(cx, *stack)) return std::nullopt;
  return RowPlace{stack, *row.inner};
}

}  // namespace tessera::sema
