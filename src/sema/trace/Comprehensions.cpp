#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/ChangedLists.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {

/// What an item is made of, as arrays that the turn has computed. Poison after a message.
Value itemOf(Context &cx, Value item, Span span) {
  if (item.isPoison() || reportNone(cx, item, span)) return Value::poison();
  if (item.kind == ValueKind::Struct || item.isSequence()) {
    item.kind = item.kind == ValueKind::List ? ValueKind::Tuple : item.kind;
    for (Value &part : item.items) {
      part = itemOf(cx, std::move(part), span);
      if (part.isPoison()) return part;
    }
    return item;
  }
  item = toArray(cx, item, item.kind == ValueKind::Int ? DType::I64 : DType::F32, span);
  if (item.isPoison()) return item;
  if (item.kind != ValueKind::Array) {
    report(cx, Id::wrongArgument, span, "a list whose length sizes decide", "tensors and numbers, and structs and tuples of them,", describe(cx, item));
    return Value::poison();
  }
  return reusable(cx, item, "item", span);
}

/// Calls `visit` with each array of a value; false where that says so.
bool eachArray(Value &value, const std::function<bool(Value &)> &visit) {
  if (value.kind == ValueKind::Array) return visit(value);
  return std::all_of(value.items.begin(), value.items.end(), [&](Value &item) { return eachArray(item, visit); });
}

/// Sizes of an item that change from turn to turn.
bool isOneShape(Context &cx, const Value &array, Span span) {
  std::set<std::string> names;
  for (const Dim &extent : array.type.shape) extent.collectVars(names);
  if (std::all_of(names.begin(), names.end(), shape::isDimensionName)) return true;
  report(cx, Id::wrongArgument, span, "a list whose length sizes decide", "items of one shape,", "items whose sizes change from turn to turn, " + shapeText(cx, array.type.shape))
      .help("a loop can add up parts of different lengths");
  return false;
}

/// Memory for all items in front of the loop, and the name that has it.
Value wholeOf(Context &cx, const Value &one, const Dim &count, const Stmt &loop, Span span) {
  Type type = sema::tensorType(one.type.dtype, one.type.shape);
  type.shape.insert(type.shape.begin(), count);
  type.numerics = one.type.numerics;
  Var *var = newVar(cx, "items", type, span);
  var->reassigned = true;
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = span;
  let->var = var;
  let->value = makeExpr(ExprKind::Full, type, span);
  let->value->args.push_back(makeConstant(type.dtype, 0, span));
  Block &around = *cx.function.block;
  around.insert(std::find_if(around.begin(), around.end(), [&](const auto &stmt) { return stmt.get() == &loop; }), std::move(let));
  Value whole = one;
  whole.type = type;
  whole.type.numerics = one.type.numerics;
  whole.limits.assign(type.shape.size(), std::nullopt);
  return cx.function.varValues[var] = valueOfVar(var, whole, span);
}

}  // namespace

/// Whether a statement, or one below it, has the name.
static bool mentionsBelow(const ast::Stmt &stmt, const std::string &name) {
  const ast::Children below = ast::childrenOf(stmt);
  if (std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *e) { return mentions(*e, name); })) return true;
  const std::vector<const ast::Block *> blocks = ast::blocksOf(stmt);
  return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *block) {
    return std::any_of(block->begin(), block->end(), [&](const ast::StmtPtr &one) { return mentionsBelow(*one, name); });
  });
}

/// What each turn of a loop gives, as one tensor with a row for each turn, or as such tensors. Poison after a message.
static Value stackedItems(Context &cx, const Value &item, const Dim &turn, const Dim &count, Stmt &loop, Span span, Span itemSpan) {
  // Now that the types of the items are known: memory for all in front of the loop, and at its end each goes to its row.
  Value whole = item;
  if (!eachArray(whole, [&](Value &array) {
        if (!isOneShape(cx, array, itemSpan)) return false;
        array = wholeOf(cx, array, count, loop, span);
        return true;
      }))
    return Value::poison();
  whole = restacked(whole, count);
  shape::Facts facts = cx.function.facts;
  cx.function.facts.addNonNegative(turn);
  cx.function.facts.addNonNegative(count - Dim(1) - turn);
  Block *around = std::exchange(cx.function.block, &loop.body);
  Value written = withRow(cx, whole, {{Value::integer(turn), span}}, item, false, span);
  std::vector<Var *> vars;
  eachArray(whole, [&](Value &array) {
    vars.push_back(checked::varOf(*array.expr));
    return true;
  });
  size_t next = 0;
  bool isWritten = !written.isPoison() && eachArray(written, [&](Value &array) {
    Stmt &assign = emit(cx, StmtKind::Assign, span);
    assign.var = vars[next++];
    assign.value = asDType(cx, std::move(array), assign.var->type.dtype, assign.var->type.numerics, span);  // narrow floats are computed in wider ones
    return true;
  });
  cx.function.block = around;
  cx.function.facts = std::move(facts);
  if (whole.kind == ValueKind::Array) whole.text = kHeldList;
  return isWritten ? whole : Value::poison();
}

Value stackedComprehension(Context &cx, const ast::ComprehensionExpr &expr, const Value &iterable) {
  const ast::ComprehensionFor &clause = expr.clauses[0];
  const Span span = expr.span, at = clause.iterable->span;
  auto *target = as<ast::NameExpr>(clause.target);
  const bool isRange = iterable.kind == ValueKind::Range;
  const Value rows = isRange ? iterable : snapshot(cx, iterable, "rows", at);
  const Value start = isRange ? rows.items[0] : Value::integer(Dim(0)), step = isRange ? rows.items[2] : Value::integer(Dim(1));
  const Value stop = isRange ? rows.items[1] : countOfRows(cx, rows, at);
  if (isRange && !target) return unsupported(cx, "this target of a comprehension", clause.target->span);
  if (!clause.conditions.empty())
    return unsupported(cx, "a condition in a list whose length sizes decide", clause.conditions[0]->span, "`where(condition, a, b)` chooses in each item");
  if (!step.isKnownInt() || step.sym.constant() < 1)
    return unsupported(cx, "a step that is no number above 0 in a list whose length sizes decide", at, "count up, and compute the index in the item");
  Dim length = stop.sym - start.sym, count = step.sym == Dim(1) ? length : Dim::ceilDiv(length, step.sym);
  if (!cx.function.facts.nonNegative(length)) count = Dim::max(count, Dim(0));
  count = cx.function.facts.simplify(count);
  std::set<std::string> names;
  count.collectVars(names);
  if (!std::all_of(names.begin(), names.end(), shape::isDimensionName)) {
    report(cx, Id::notConstant, at, "how many items this list has")
        .label("data decide this, and a tensor has its sizes before anything runs")
        .help("a loop that adds up needs no list: `total += ...`; with a limit, `range(N)` and `where(i < n, ..., 0.0)` in each item");
    return Value::poison();
  }
  if (isTooLarge(cx, count, at)) return Value::poison();

  auto saved = cx.function.frame->names;
  Stmt &loop = emit(cx, StmtKind::For, span);
  loop.start = makeIndex(0, at);
  loop.stop = indexExpr(cx, Value::integer(count), at);
  loop.step = makeIndex(1, at);
  const bool counts = isRange && start.sym == Dim(0) && step.sym == Dim(1);
  const std::string called = target ? target->name : "row";
  Value item, turn;
  static const ast::Block noNames;
  cx.function.frame->loops.push_back({});
  loopBody(
      cx, &loop, noNames, std::nullopt,
      [&] {
        Var *var = loop.var = newVar(cx, counts ? called : called + "_turn", indexType(), clause.target->span);
        cx.function.counters.insert(symName(var));
        Value v = Value::of(ValueKind::Int);
        v.type = indexType();
        turn = cx.function.varValues[var] = valueOfVar(var, v, clause.target->span);
        cx.function.facts.addNonNegative(turn.sym);
        cx.function.facts.addNonNegative(count - Dim(1) - turn.sym);
        if (!isRange) {
          comprehensionTarget(cx, *clause.target, rowAt(cx, rows, turn, at));
          return std::optional(Turns{turn.sym, count});
        }
        Value index = counts ? turn : intElementwise(cx, ElementwiseOp::Add, {start, intElementwise(cx, ElementwiseOp::Mul, {turn, step}, at, "range")}, at, "range");
        comprehensionTarget(cx, *target, index);
        return std::optional(Turns{turn.sym, count});
      },
      [&] { item = itemOf(cx, checkExpr(cx, *expr.element), expr.element->span); });
  cx.function.frame->loops.pop_back();
  cx.function.frame->names = std::move(saved);
  if (item.isPoison()) return item;

  return stackedItems(cx, item, turn.sym, count, loop, span, expr.element->span);
}

static std::string nameOfItem(const std::string &list) { return "%item of " + list; }  // as no program has one

std::vector<std::string> listsOfTurns(Context &cx, const ast::Block &body, const Dim &count) {
  std::vector<std::string> lists;
  std::set<std::string> sizes;
  count.collectVars(sizes);
  if (inHost(cx) || inKernel(cx) || leaves(body) || goesOn(body) || !std::all_of(sizes.begin(), sizes.end(), shape::isDimensionName)) return lists;
  for (const ast::StmtPtr &stmt : body) {
    auto *alone = as<ast::ExprStmt>(stmt);
    auto *call = alone ? as<ast::CallExpr>(alone->value) : nullptr;
    auto *method = call && call->arguments.size() == 1 ? as<ast::AttributeExpr>(call->callee) : nullptr;
    auto *name = method && method->attribute.text == "append" ? as<ast::NameExpr>(method->object) : nullptr;
    auto bound = name ? cx.function.frame->names.find(name->name) : cx.function.frame->names.end();
    const bool isOwn = bound != cx.function.frame->names.end() && bound->second.isBound() && bound->second.block == cx.blockId &&
                       bound->second.value.kind == ValueKind::List && bound->second.value.items.empty();
    if (!isOwn) continue;
    auto others = [&](const ast::StmtPtr &other) { return other != stmt && mentionsBelow(*other, name->name); };
    if (mentions(*call->arguments[0].value, name->name) || std::any_of(body.begin(), body.end(), others)) continue;
    lists.push_back(name->name);
    Binding &item = cx.function.frame->names[nameOfItem(name->name)];
    item.value = Value::of(ValueKind::None);
    item.block = cx.blockId;
    item.span = stmt->span;
  }
  return lists;
}

bool appendToTurns(Context &cx, const std::string &list, const ast::Expr &written) {
  auto item = cx.function.frame->names.find(nameOfItem(list));
  if (item == cx.function.frame->names.end()) return false;
  Value value = itemOf(cx, checkExpr(cx, written), written.span);
  if (!value.isPoison()) value = snapshot(cx, std::move(value), "item", written.span);  // what it is now
  item->second.value = std::move(value);
  item->second.block = cx.blockId;
  item->second.span = written.span;
  return true;
}

void stackTurns(Context &cx, const std::vector<std::string> &lists, const Dim &turn, const Dim &count, Stmt &loop) {
  for (const std::string &list : lists) {
    auto found = cx.function.frame->names.find(nameOfItem(list));
    const Value item = found->second.value;
    const Span span = found->second.span;
    cx.function.frame->names.erase(found);
    Binding &bound = cx.function.frame->names[list];
    bound.var = nullptr;
    bound.value = item.isPoison() || item.kind == ValueKind::None ? Value::poison() : stackedItems(cx, item, turn, count, loop, loop.span, span);
  }
}

ExprPtr askedBehind(Context &cx, ExprPtr before, ExprPtr behind, bool isAnd, size_t from, Span span) {
  Block &around = *cx.function.block;
  Block asked(std::make_move_iterator(around.begin() + static_cast<ptrdiff_t>(from)), std::make_move_iterator(around.end()));
  around.resize(from);
  Stmt &choice = emit(cx, StmtKind::If, span);
  choice.condition = std::move(before);
  (isAnd ? choice.body : choice.otherwise) = std::move(asked);
  Binding sides[2];
  for (bool first : {true, false}) {
    cx.function.block = first ? &choice.body : &choice.otherwise;
    Binding &side = sides[first ? 0 : 1];
    side.span = span;
    side.value = asVariable(cx, arrayValue(cx, first == isAnd ? std::move(behind) : makeBool(!isAnd, span), scalarType(DType::Bool), {}, span), "holds", span);
    side.var = checked::varOf(*side.value.expr);
  }
  cx.function.block = &around;
  Value merged = mergeBindings(cx, choice, sides[0], sides[1]).value;
  return takeExpr(merged);
}

void comprehensionTarget(Context &cx, const ast::Expr &target, const Value &value) {
  if (auto *name = as<ast::NameExpr>(&target)) {
    Binding binding;
    binding.value = value;
    binding.span = target.span;
    binding.block = cx.blockId;
    cx.function.frame->names[name->name] = binding;
    noteBinding(cx, name->name, target.span);
    return;
  }
  bool several = target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List;
  if (several) {
    auto &items = static_cast<const ast::SequenceExpr &>(target).items;
    if (value.isSequence() && items.size() == value.items.size()) {
      for (size_t i = 0; i < items.size(); ++i) comprehensionTarget(cx, *items[i], value.items[i]);
      return;
    }
    if (value.isSequence() && fresh(cx, Id::unpackCount, target.span))
      report(cx, Id::unpackCount, target.span, diag::counted(items.size(), "name"),
             diag::counted(value.items.size(), "value"));
    bool whole = !value.isSequence() && !value.isPoison() && !reportNone(cx, value, target.span);
    if (whole && fresh(cx, Id::notIterable, target.span))
      report(cx, Id::notIterable, target.span, describe(cx, value)).label("these names take apart a tuple");
    for (const ast::ExprPtr &item : items)
      if (item->kind != ast::ExprKind::Starred) comprehensionTarget(cx, *item, Value::poison());
    return;
  }
  unsupported(cx, "this target of a comprehension", target.span);
}

}  // namespace tessera::sema
