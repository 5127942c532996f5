#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/modules/Modules.h"
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

Value stackedComprehension(Context &cx, const ast::ComprehensionExpr &expr, const Value &range) {
  const ast::ComprehensionFor &clause = expr.clauses[0];
  const Span span = expr.span, at = clause.iterable->span;
  auto *target = as<ast::NameExpr>(clause.target);
  const Value &start = range.items[0], &stop = range.items[1], &step = range.items[2];
  if (!target) return unsupported(cx, "this target of a comprehension", clause.target->span);
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
  const bool counts = start.sym == Dim(0) && step.sym == Dim(1);
  Value item, turn;
  static const ast::Block noNames;
  cx.function.frame->loops.push_back({});
  loopBody(
      cx, &loop, noNames, std::nullopt,
      [&] {
        Var *var = loop.var = newVar(cx, counts ? target->name : target->name + "_turn", indexType(), target->span);
        cx.function.counters.insert(symName(var));
        Value v = Value::of(ValueKind::Int);
        v.type = indexType();
        turn = cx.function.varValues[var] = valueOfVar(var, v, target->span);
        cx.function.facts.addNonNegative(turn.sym);
        cx.function.facts.addNonNegative(count - Dim(1) - turn.sym);
        Value index = counts ? turn : intElementwise(cx, ElementwiseOp::Add, {start, intElementwise(cx, ElementwiseOp::Mul, {turn, step}, at, "range")}, at, "range");
        comprehensionTarget(cx, *target, index);
        return std::optional(Turns{turn.sym, count});
      },
      [&] { item = itemOf(cx, checkExpr(cx, *expr.element), expr.element->span); });
  cx.function.frame->loops.pop_back();
  cx.function.frame->names = std::move(saved);
  if (item.isPoison()) return item;

  // Now that the types of the items are known: memory for all in front of the loop, and at its end each goes to its row.
  Value whole = item;
  if (!eachArray(whole, [&](Value &array) {
        if (!isOneShape(cx, array, expr.element->span)) return false;
        array = wholeOf(cx, array, count, loop, span);
        return true;
      }))
    return Value::poison();
  whole = restacked(whole, count);
  shape::Facts facts = cx.function.facts;
  cx.function.facts.addNonNegative(turn.sym);
  cx.function.facts.addNonNegative(count - Dim(1) - turn.sym);
  Block *around = std::exchange(cx.function.block, &loop.body);
  Value written = withRow(cx, whole, {{turn, span}}, item, false, span);
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
  return isWritten ? whole : Value::poison();
}

}  // namespace tessera::sema
