// `return`: at the end of a function, or under conditions that run time decides. What follows such a condition belongs to
// the ways through it that do not return; each way gives the result, and the function returns it once, behind them.
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Branches.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
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

/// Whether this function may return under the conditions of run time around this place: not in loops, and not in kernels
/// themselves; a function that a kernel calls may.
static bool returnsOnWays(const Context &cx) {
  return (!inKernel(cx) || cx.function.frame->inlined) && cx.function.frame->loops.empty() &&
         cx.function.conditionDepth - cx.function.frame->conditionDepth == cx.function.frame->ways;
}
bool returnsOnSomeWay(const Context &cx, const ast::IfStmt &stmt) {
  return returnsOnWays(cx) && (returnsBelow(stmt.then) || returnsBelow(stmt.otherwise));
}

static void returnInside(Context &cx, const ast::ReturnStmt &stmt) {
  if (cx.options.keepUnsupported) ++cx.failures;
  else if (fresh(cx, Id::cannotReturnInside, stmt.span))
    report(cx, Id::cannotReturnInside, stmt.span)
        .label("only run time knows whether this is reached")
        .help(!cx.function.frame->loops.empty() && !inKernel(cx)
                  ? "keep what is to be returned under a name, leave the loop with `break`, and return behind it"
              : stmt.value ? "return once, at the end: `where(condition, a, b)`, or a variable that each branch assigns"
                           : "put what must not happen then under the opposite condition");
}

Value onThisWay(Context &cx, Value value, const std::string &name, bool fields, Span span) {
  const bool named = fields && value.kind == ValueKind::Struct;
  for (size_t i = 0; i < value.items.size(); ++i)
    value.items[i] = onThisWay(cx, std::move(value.items[i]), named ? name + "_" + value.instance->info->fields[i].name : name, fields, span);
  bool number = value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.kind == ValueKind::Bool;
  if (number || (value.expr && value.kind == ValueKind::Array)) return asVariable(cx, value, name, span);
  if (inHost(cx) && value.kind == ValueKind::String && !value.expr) return asVariable(cx, value, name, span);  // the other way may give another one
  bool host = value.kind == ValueKind::HostTensor || value.kind == ValueKind::String;
  return value.expr && host ? bindTemp(cx, value, name, span) : value;
}

/// The result of one way through the function.
static void endWay(Context &cx, Value value, Span span) {
  if (!value.isPoison()) value = onThisWay(cx, std::move(value), "result", false, span);
  Binding binding;
  binding.var =
      value.expr && value.expr->kind == ExprKind::VarRef && value.kind != ValueKind::Rng ? value.expr->as<node::VarRef>().var : nullptr;
  binding.value = std::move(value);
  binding.block = cx.blockId;
  binding.span = span;
  cx.function.frame->names[kResult] = std::move(binding);
  cx.function.frame->returned = true;
}

/// What follows the statement that is being checked, up to the end of the function.
static void checkRest(Context &cx) {
  const std::vector<Continuation> rest = cx.function.frame->rest;
  while (!cx.function.frame->rest.empty() && !cx.function.frame->returned) {
    const Continuation at = cx.function.frame->rest.back();
    cx.function.frame->rest.pop_back();
    checkFrom(cx, at);
  }
  cx.function.frame->rest = rest;
}

void endBranch(Context &cx, Span span) {
  if (!cx.function.frame->returned) checkRest(cx);
  if (!cx.function.frame->returned) endWay(cx, Value::of(ValueKind::None), span);
}

void collectAssignedInRest(const Context &cx, std::set<std::string> &names) {
  for (const Continuation &at : cx.function.frame->rest)
    for (size_t i = at.next; i < at.block->size(); ++i) collectAssigned(*(*at.block)[i], names);
}

static void deliver(Context &cx, Value value, const ast::ReturnStmt &stmt);

void returnMerged(Context &cx) {
  auto found = cx.function.frame->names.find(kResult);
  cx.function.frame->returned = true;
  if (found == cx.function.frame->names.end() || cx.function.conditionDepth > cx.function.frame->conditionDepth) return;
  Binding result = std::move(found->second);
  cx.function.frame->names.erase(found);
  const ast::ReturnStmt *last = cx.function.frame->lastReturn;
  TSR_CHECK(last, "a condition with a `return` below it");
  deliver(cx, std::move(result.value), *last);
}

void keepResultOnly(const Names &before, Names &names) {
  for (auto it = names.begin(); it != names.end();)
    it = it->first != kResult && !before.count(it->first) ? names.erase(it) : std::next(it);
}

Binding mergeTrees(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  Binding merged = a;
  merged.var = nullptr;
  for (size_t i = 0; i < a.value.items.size(); ++i) {
    auto part = [&](const Binding &whole) {
      Binding one = whole;
      one.value = whole.value.items[i];
      one.var = one.value.expr && one.value.expr->kind == ExprKind::VarRef && one.value.kind != ValueKind::Rng
                    ? one.value.expr->as<node::VarRef>().var
                    : nullptr;
      return one;
    };
    merged.value.items[i] = mergeName(cx, stmt, name, part(a), part(b)).value;
    if (merged.value.items[i].isPoison()) {
      merged.value = Value::poison();
      return merged;
    }
  }
  return merged;
}

void returnStmt(Context &cx, const ast::ReturnStmt &stmt) {
  bool onWay = cx.function.conditionDepth > cx.function.frame->conditionDepth;
  cx.function.frame->lastReturn = &stmt;
  if (onWay && !returnsOnWays(cx) && returnFromLoop(cx, stmt)) return;
  if (onWay && !returnsOnWays(cx)) {
    returnInside(cx, stmt);
    cx.function.frame->returned = true;
    return;
  }
  if (!onWay && !cx.function.frame->inlined && inKernel(cx)) {
    returnFromKernel(cx, stmt);
    cx.function.frame->returned = true;
    return;
  }
  Value value = stmt.value ? checkExpr(cx, *stmt.value) : Value::of(ValueKind::None);
  value = asReturned(cx, std::move(value), stmt.span);
  if (onWay) return endWay(cx, std::move(value), stmt.span);
  deliver(cx, std::move(value), stmt);
}

/// The result of the function.
static void deliver(Context &cx, Value value, const ast::ReturnStmt &stmt) {
  cx.function.frame->returned = true;
  if (cx.function.frame->inlined) {
    cx.function.frame->results = {std::move(value)};
    return;
  }
  TSR_CHECK(!value.isPoison() || cx.failures > 0 || cx.diagnostics.hasErrors(), "a mistake without a message");
  if (!value.isPoison()) returnResults(cx, value, stmt);
}

}  // namespace tessera::sema
