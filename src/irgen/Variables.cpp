#include "irgen/Variables.h"

namespace tessera::irgen {
using namespace checked;
namespace node = checked::node;

void collectBound(Stmts block, VarSet &vars) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) vars.insert(stmt->var);
    collectBound(stmt->body, vars);
    collectBound(stmt->otherwise, vars);
  }
}

void collectAlwaysBound(Stmts block, VarSet &vars) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) vars.insert(stmt->var);
    if (stmt->kind != StmtKind::If) continue;
    VarSet then, otherwise;
    collectAlwaysBound(stmt->body, then);
    collectAlwaysBound(stmt->otherwise, otherwise);
    for (const Var *var : then)
      if (otherwise.count(var)) vars.insert(var);
  }
}

static void countReads(const ExprPtr &expr, VarCounts &reads);
static void countReads(const Access &access, VarCounts &reads) {
  for (const IndexPart &part : access.parts) countReads(part.offset, reads);
  countReads(access.other, reads);
}
static void countReads(const ExprPtr &expr, VarCounts &reads) {
  if (!expr) return;
  if (expr->kind == ExprKind::VarRef) ++reads[expr->as<node::VarRef>().var];
  for (const ExprPtr &arg : expr->args) countReads(arg, reads);
  if (const Access *access = checked::accessOf(*expr)) countReads(*access, reads);
}

void countReads(const Stmt &stmt, VarCounts &reads) {
  for (const ExprPtr *expr : {&stmt.value, &stmt.extra, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step})
    countReads(*expr, reads);
  for (const ExprPtr &value : stmt.values) countReads(value, reads);
  countReads(stmt.access, reads);
  countReads(stmt.source, reads);
  countReads(stmt.body, reads);
  countReads(stmt.otherwise, reads);
}
void countReads(Stmts block, VarCounts &reads) {
  for (const auto &stmt : block) countReads(*stmt, reads);
}

// Loops inside have their own exits.
static bool contains(const Stmt &stmt, bool breaksOnly) {
  if (stmt.kind == StmtKind::Break || (stmt.kind == StmtKind::Continue && !breaksOnly)) return true;
  if (stmt.kind != StmtKind::If) return false;
  auto inside = [&](const Block &block) {
    for (const auto &inner : block)
      if (contains(*inner, breaksOnly)) return true;
    return false;
  };
  return inside(stmt.body) || inside(stmt.otherwise);
}
bool mayExit(const Stmt &stmt) { return contains(stmt, false); }
bool mayExit(Stmts block) {
  for (const auto &stmt : block)
    if (contains(*stmt, false)) return true;
  return false;
}
bool asksIfLive(Stmts block) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (!mayExit(*block[i])) continue;
    return i + 1 < block.size() || asksIfLive(block[i]->body) || asksIfLive(block[i]->otherwise);
  }
  return false;
}
bool mayBreak(Stmts block) {
  for (const auto &stmt : block)
    if (contains(*stmt, true)) return true;
  return false;
}

}  // namespace tessera::irgen
