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

/// Whether an expression is made of names, whole numbers and operators alone.
bool isOfNumbers(const ast::Expr &e) {
  using K = ast::ExprKind;
  if (e.kind != K::Name && e.kind != K::Int && e.kind != K::Binary && e.kind != K::Unary && e.kind != K::Compare) return false;
  const ast::Children below = ast::childrenOf(e);
  return std::all_of(below.exprs.begin(), below.exprs.end(), [](const ast::Expr *part) { return isOfNumbers(*part); });
}
void collectNumberNames(const ast::Expr &e, std::set<std::string> &names) {
  if (auto *name = as<ast::NameExpr>(&e)) names.insert(name->name);
  for (const ast::Expr *part : ast::childrenOf(e).exprs) collectNumberNames(*part, names);
}
bool mentionsOneOf(const ast::Expr &e, const std::set<std::string> &names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return mentions(e, name); });
}

/// `x[:d]`, `zeros((d,))`, `x.reshape(d, -1)`: what has such a number in its shape.
bool isShapedBy(const ast::Expr &e, const std::set<std::string> &names) {
  static const std::set<std::string> shaping = {"zeros", "ones", "full", "arange", "iota", "eye", "reshape", "split", "pad", "broadcast_to", "expand", "range"};
  if (auto *slice = as<ast::SliceExpr>(&e)) {  // of both, as in `x[i:i + 8]`: a part that run time may give
    auto asks = [&](const ast::ExprPtr &end) { return end && mentionsOneOf(*end, names); };
    if (asks(slice->start) != asks(slice->stop)) return true;
  }
  if (auto *call = as<ast::CallExpr>(&e)) {
    auto *name = as<ast::NameExpr>(call->callee);
    auto *method = as<ast::AttributeExpr>(call->callee);
    const bool shapes = shaping.count(name ? name->name : method ? method->attribute.text : "") != 0;
    if (shapes && std::any_of(call->arguments.begin(), call->arguments.end(), [&](const ast::Argument &argument) { return mentionsOneOf(*argument.value, names); })) return true;
  }
  const ast::Children below = ast::childrenOf(e);
  return std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *part) { return isShapedBy(*part, names); });
}
bool isShapedBy(const ast::Block &body, const std::set<std::string> &names) {
  return std::any_of(body.begin(), body.end(), [&](const ast::StmtPtr &stmt) {
    const ast::Children below = ast::childrenOf(*stmt);
    if (std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *e) { return isShapedBy(*e, names); })) return true;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *block) { return isShapedBy(*block, names); });
  });
}

/// A statement of the body that gives a name another number, and what it is made of.
struct NumberChange {
  std::string name;
  const ast::Expr *value = nullptr;
};
std::optional<NumberChange> numberChangeOf(const ast::Stmt &stmt) {
  auto *assign = as<ast::AssignStmt>(&stmt);
  auto *more = as<ast::AugAssignStmt>(&stmt);
  const ast::Expr *target = assign && assign->targets.size() == 1 ? assign->targets[0].get() : more ? more->target.get() : nullptr;
  const ast::Expr *value = assign ? assign->value.get() : more ? more->value.get() : nullptr;
  auto *name = target ? as<ast::NameExpr>(target) : nullptr;
  return name && isOfNumbers(*value) ? std::optional(NumberChange{name->name, value}) : std::nullopt;
}

/// The statements that decide how often the loop turns, in their order; `names` begins with those that the condition asks. Nothing if others change them.
std::optional<ast::Block> numberChanges(const ast::Block &body, std::set<std::string> &names) {
  for (size_t before = 0; before != names.size();) {
    before = names.size();
    std::set<std::string> more;
    for (const ast::StmtPtr &stmt : body)
      if (auto count = numberChangeOf(*stmt); count && names.count(count->name)) collectNumberNames(*count->value, more);
    names.insert(more.begin(), more.end());
  }
  ast::Block counts;
  for (const ast::StmtPtr &stmt : body) {
    auto count = numberChangeOf(*stmt);
    std::set<std::string> changed;
    collectAssigned({stmt}, changed);
    if (count && names.count(count->name)) counts.push_back(stmt);
    else if (std::any_of(changed.begin(), changed.end(), [&](const std::string &name) { return names.count(name) != 0; })) return std::nullopt;
  }
  return counts;
}
}  // namespace

std::optional<int64_t> knownTurnsOf(Context &cx, const ast::WhileStmt &stmt) {
  if (inHost(cx) || inKernel(cx) || !cx.function.frame || !isOfNumbers(*stmt.condition) || leavesTurns(stmt.body)) return std::nullopt;
  std::set<std::string> names;
  collectNumberNames(*stmt.condition, names);
  const auto counts = numberChanges(stmt.body, names);
  if (!counts || counts->empty()) return std::nullopt;
  std::set<std::string> changed;
  collectAssigned(*counts, changed);
  auto isNumber = [&](const std::string &name) {
    auto bound = cx.function.frame->names.find(name);
    return bound == cx.function.frame->names.end() || !bound->second.isBound() || (bound->second.value.isKnownInt() && !bound->second.value.expr);
  };
  if (!std::all_of(changed.begin(), changed.end(), isNumber) || !isShapedBy(stmt.body, changed)) return std::nullopt;
  const auto saved = cx.function.frame->names;
  const size_t emitted = cx.function.block->size();
  int64_t turns = 0;
  std::optional<bool> goesOn;
  while (turns <= kMostTurns) {
    Value condition = checkExpr(cx, *stmt.condition);
    goesOn = condition.isPoison() ? std::nullopt : knownCondition(condition);
    if (!goesOn.value_or(false) || !std::all_of(changed.begin(), changed.end(), isNumber)) break;
    ++turns;
    checkBlock(cx, *counts);
  }
  cx.function.frame->names = saved;
  const bool isKnown = goesOn == false && cx.function.block->size() == emitted && turns > 0;
  cx.function.block->resize(emitted);
  return isKnown ? std::optional(turns) : std::nullopt;
}

bool needsKnownTurns(Context &cx, const ast::ForStmt &stmt, const Value &range) {
  auto *counter = as<ast::NameExpr>(stmt.target);
  if (!counter || !cx.function.frame || range.unrolled || range.items.size() != 3) return false;
  const auto turns = turnsOf(range);
  if (!turns || *turns < 1 || *turns > (cx.function.arrayWork ? kMostBesideHost : kMostTurns) || leavesTurns(stmt.body)) return false;
  return (!inHost(cx) && appendsToNames(stmt.body)) || takesItem(cx, stmt.body, counter->name);
}

}  // namespace tessera::sema
