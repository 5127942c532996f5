#include "irgen/Variables.h"

namespace tessera::irgen {
using namespace sema;

void collectBound(const Block &block, VarSet &vars) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) vars.insert(stmt->var);
    collectBound(stmt->body, vars);
    collectBound(stmt->otherwise, vars);
  }
}

void collectAlwaysBound(const Block &block, VarSet &vars) {
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
  if (expr->kind == ExprKind::VarRef) ++reads[expr->var];
  for (const ExprPtr &arg : expr->args) countReads(arg, reads);
  countReads(expr->access, reads);
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
void countReads(const Block &block, VarCounts &reads) {
  for (const auto &stmt : block) countReads(*stmt, reads);
}

}  // namespace tessera::irgen
