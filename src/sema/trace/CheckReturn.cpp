// `return`: at the end of a function, or under conditions that run time decides. What follows such a condition belongs to
// the ways through it that do not return; each way gives the result, and the function returns it once, behind them.
#include "frontend/Walk.h"
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
bool returnsBelow(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::Return) return true;
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *inner) { return returnsBelow(*inner); });
  });
}
}  // namespace

/// Whether this function may return under the conditions of run time around this place: not in loops, and not in kernels.
bool Checker::returnsOnWays() const {
  return !inKernel() && frame_->loops.empty() && conditionDepth_ - frame_->conditionDepth == frame_->ways;
}
bool Checker::returnsOnSomeWay(const ast::IfStmt &stmt) const {
  return returnsOnWays() && (returnsBelow(stmt.then) || returnsBelow(stmt.otherwise));
}

void Checker::returnInside(const ast::ReturnStmt &stmt) {
  if (options_.keepUnsupported) ++failures_;
  else if (fresh(Id::cannotReturnInside, stmt.span))
    report(Id::cannotReturnInside, stmt.span)
        .label("only run time knows whether this is reached")
        .help(!frame_->loops.empty() && !inKernel() ? "keep what is to be returned under a name, leave the loop with `break`, and return behind it"
              : stmt.value                          ? "return once, at the end: `where(condition, a, b)`, or a variable that each branch assigns"
                                                    : "put what must not happen then under the opposite condition");
}

/// A part of a result in a variable of this way.
Value Checker::onThisWay(Value value, Span span) {
  for (Value &item : value.items) item = onThisWay(std::move(item), span);
  bool number = value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool;
  if (number || (value.expr && value.kind == ValueKind::Array)) return materialised(value, "result", span);
  bool host = value.kind == ValueKind::HostTensor || value.kind == ValueKind::String;
  return value.expr && host ? bindTemp(value, "result", span) : value;
}

/// The result of one way through the function.
void Checker::endWay(Value value, Span span) {
  if (!value.isPoison()) value = onThisWay(std::move(value), span);
  Binding binding;
  binding.var = value.expr && value.expr->kind == ExprKind::VarRef && value.kind != ValueKind::Rng ? value.expr->var : nullptr;
  binding.value = std::move(value);
  binding.block = blockId_;
  binding.span = span;
  frame_->names[kResult] = std::move(binding);
  frame_->returned = true;
}

/// What follows the statement that is being checked, up to the end of the function.
void Checker::checkRest() {
  const std::vector<Continuation> rest = frame_->rest;
  while (!frame_->rest.empty() && !frame_->returned) {
    const Continuation at = frame_->rest.back();
    frame_->rest.pop_back();
    checkFrom(at);
  }
  frame_->rest = rest;
}

/// Behind a branch: the rest of the function, where it does not return by itself.
void Checker::endBranch(Span span) {
  if (!frame_->returned) checkRest();
  if (!frame_->returned) endWay(Value::of(ValueKind::None), span);
}

/// The names that the rest of the function assigns, too.
void Checker::collectAssignedInRest(std::set<std::string> &names) const {
  for (const Continuation &at : frame_->rest)
    for (size_t i = at.next; i < at.block->size(); ++i) collectAssigned(*(*at.block)[i], names);
}

/// Behind a condition all ways of which have ended: the result of the function, or of the way around it.
void Checker::returnMerged() {
  auto found = frame_->names.find(kResult);
  frame_->returned = true;
  if (found == frame_->names.end() || conditionDepth_ > frame_->conditionDepth) return;
  Binding result = std::move(found->second);
  frame_->names.erase(found);
  const ast::ReturnStmt *last = frame_->lastReturn;
  TSR_CHECK(last, "a condition with a `return` below it");
  deliver(std::move(result.value), *last);
}

/// Of the two ways, only the result has a meaning behind them.
void Checker::keepResultOnly(const Names &before, Names &names) {
  for (auto it = names.begin(); it != names.end();)
    it = it->first != kResult && !before.count(it->first) ? names.erase(it) : std::next(it);
}

/// The result, a tuple or struct that both ways make, part by part.
Binding Checker::mergeTrees(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  Binding merged = a;
  merged.var = nullptr;
  for (size_t i = 0; i < a.value.items.size(); ++i) {
    auto part = [&](const Binding &whole) {
      Binding one = whole;
      one.value = whole.value.items[i];
      one.var = one.value.expr && one.value.expr->kind == ExprKind::VarRef && one.value.kind != ValueKind::Rng ? one.value.expr->var : nullptr;
      return one;
    };
    merged.value.items[i] = mergeName(stmt, name, part(a), part(b)).value;
    if (merged.value.items[i].isPoison()) {
      merged.value = Value::poison();
      return merged;
    }
  }
  return merged;
}

void Checker::returnStmt(const ast::ReturnStmt &stmt) {
  bool onWay = conditionDepth_ > frame_->conditionDepth;
  frame_->lastReturn = &stmt;
  if (onWay && !returnsOnWays()) {
    returnInside(stmt);
    frame_->returned = true;
    return;
  }
  if (!onWay && !frame_->inlined && inKernel()) {
    returnFromKernel(stmt);
    frame_->returned = true;
    return;
  }
  Value value = stmt.value ? checkExpr(*stmt.value) : Value::of(ValueKind::None);
  if (onWay) return endWay(std::move(value), stmt.span);
  deliver(std::move(value), stmt);
}

/// The result of the function.
void Checker::deliver(Value value, const ast::ReturnStmt &stmt) {
  frame_->returned = true;
  if (frame_->inlined) {
    frame_->results = {std::move(value)};
    return;
  }
  TSR_CHECK(!value.isPoison() || failures_ > 0 || diagnostics_.hasErrors(), "a mistake without a message");
  if (!value.isPoison()) returnResults(value, stmt);
}

}  // namespace tessera::sema
