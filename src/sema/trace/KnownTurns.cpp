// Which loops over known numbers are written out: those that make a list of the compiler longer, or take its items by their number.
#include "sema/trace/KnownTurns.h"
#include "frontend/Walk.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
// A longer text is no longer readable, and slow to compile. What host code could run as well is short.
constexpr int64_t kMostTurns = 64, kMostBesideHost = 16;

/// How many turns there are; nothing if only run time knows.
std::optional<int64_t> turnsOf(const Value &range) {
  int64_t numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    if (!range.items[i].isKnownInt() || range.items[i].expr) return std::nullopt;
    numbers[i] = range.items[i].sym.constant();
  }
  const auto [start, stop, step] = numbers;
  if (step == 0) return std::nullopt;
  return step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
}

/// Whether a statement leaves a turn early: under a condition that only run time knows, no written out turn can be left.
bool leavesTurns(const ast::Block &body) {
  return std::any_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
    using K = ast::StmtKind;
    if (stmt->kind == K::Break || stmt->kind == K::Continue) return true;
    if (stmt->kind == K::FuncDef || stmt->kind == K::For || stmt->kind == K::While) return false;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *block) { return leavesTurns(*block); });
  });
}

/// A list of which run time can take no item by its number. Host code makes a tensor of numbers.
bool isOfCompiler(Context &cx, const ast::NameExpr &name) {
  const Value list = lookupName(cx, name.name, name.span, true);
  if (!list.isSequence() || list.items.empty()) return false;
  auto isNumber = [](const Value &item) {
    return item.kind == ValueKind::Float || item.kind == ValueKind::Int || item.isScalar() || (item.kind == ValueKind::HostTensor && item.madeOf && item.rank == 0);
  };
  auto isRow = [&](const Value &item) {
    return item.isSequence() && item.items.size() == list.items[0].items.size() && std::all_of(item.items.begin(), item.items.end(), isNumber);
  };
  return !inHost(cx) || !(std::all_of(list.items.begin(), list.items.end(), isNumber) || std::all_of(list.items.begin(), list.items.end(), isRow));
}

/// `w[i]`, `w[i + 1][0]`, `w[k][i]` of such a list, where `i` is the counter.
bool takesItem(Context &cx, const ast::Expr &e, const std::string &counter) {
  if (e.kind == ast::ExprKind::Subscript) {
    bool counted = false;
    const ast::Expr *object = &e;
    for (auto *part = as<ast::SubscriptExpr>(object); part; part = as<ast::SubscriptExpr>(object)) {
      counted |= part->items.size() == 1 && part->items[0].value->kind != ast::ExprKind::Slice && mentions(*part->items[0].value, counter);
      object = part->object.get();
    }
    auto *name = as<ast::NameExpr>(object);
    if (counted && name && isOfCompiler(cx, *name)) return true;
  }
  const ast::Children below = ast::childrenOf(e);
  return std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *part) { return takesItem(cx, *part, counter); });
}
bool takesItem(Context &cx, const ast::Block &body, const std::string &counter) {
  return std::any_of(body.begin(), body.end(), [&](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    const ast::Children below = ast::childrenOf(*stmt);
    if (std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *e) { return takesItem(cx, *e, counter); })) return true;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *block) { return takesItem(cx, *block, counter); });
  });
}
}  // namespace

bool needsKnownTurns(Context &cx, const ast::ForStmt &stmt, const Value &range) {
  auto *counter = as<ast::NameExpr>(stmt.target);
  if (!counter || !cx.function.frame || range.unrolled || range.items.size() != 3) return false;
  const auto turns = turnsOf(range);
  if (!turns || *turns < 1 || *turns > (cx.function.arrayWork ? kMostBesideHost : kMostTurns) || leavesTurns(stmt.body)) return false;
  return (!inHost(cx) && appendsToNames(stmt.body)) || takesItem(cx, stmt.body, counter->name);
}

}  // namespace tessera::sema
