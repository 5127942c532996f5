// Lists that host code makes turn by turn of what run time has: comprehensions, and the keys by which a list is sorted.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {
/// What a loop goes over, item by item.
struct Iterated {
  std::vector<Value> parts;  // tensors, texts and lists that run side by side
  bool isZip = false, isEnumerate = false;
  const Value *range = nullptr;
};

std::optional<Iterated> iteratedOf(const Value &iterable) {
  Iterated over;
  const Value &inner = iterable.kind == ValueKind::Enumerate ? iterable.items[0] : iterable;
  over.isEnumerate = iterable.kind == ValueKind::Enumerate;
  over.isZip = inner.kind == ValueKind::Zip;
  if (inner.kind == ValueKind::Range && !over.isEnumerate && inner.items.size() == 3) return over.range = &inner, over;
  over.parts = over.isZip ? inner.items : std::vector<Value>{inner};
  const bool fits = std::all_of(over.parts.begin(), over.parts.end(), [](const Value &part) { return part.kind == ValueKind::HostTensor || part.kind == ValueKind::String; });
  return fits ? std::optional(std::move(over)) : std::nullopt;
}

ExprPtr lengthOf(Context &cx, const Value &part, Span span) {
  if (part.kind == ValueKind::String) return indexExpr(cx, hostTextCall(cx, "text_length", part, span), span);
  ExprPtr extent = makeExpr(ExprKind::HostShape, indexType(), span);
  extent->args.push_back(clone(*part.expr));
  return extent;
}
ExprPtr turnsOf(Context &cx, const Iterated &over, Span span) {
  if (over.range) {
    const Value &start = over.range->items[0], &stop = over.range->items[1], &step = over.range->items[2];
    Value room = intElementwise(cx, ElementwiseOp::Sub, {stop, start}, span, "range");
    if (!(step.isKnownInt() && step.sym == Dim(1))) {
      const Value one = Value::integer(Dim(1));
      room = intElementwise(cx, ElementwiseOp::Sub, {intElementwise(cx, ElementwiseOp::Add, {room, step}, span, "range"), one}, span, "range");
      room = intElementwise(cx, ElementwiseOp::FloorDiv, {room, step}, span, "range");
    }
    return indexExpr(cx, intElementwise(cx, ElementwiseOp::Max, {room, Value::integer(Dim(0))}, span, "range"), span);
  }
  ExprPtr turns;
  for (const Value &part : over.parts) {  // as many as the shortest has
    std::vector<ExprPtr> both;
    if (turns) both.push_back(std::move(turns));
    both.push_back(lengthOf(cx, part, span));
    turns = both.size() == 1 ? std::move(both[0]) : makeElementwise(ElementwiseOp::Min, indexType(), span, std::move(both));
  }
  return turns;
}
Value itemAt(Context &cx, const Iterated &over, const Value &turn, Span span) {
  if (over.range) {
    const Value &start = over.range->items[0], &step = over.range->items[2];
    return intElementwise(cx, ElementwiseOp::Add, {start, intElementwise(cx, ElementwiseOp::Mul, {turn, step}, span, "range")}, span, "range");
  }
  Value row = Value::of(ValueKind::Tuple);
  for (const Value &part : over.parts) row.items.push_back(part.kind == ValueKind::String ? characterAt(cx, part, turn, span) : hostItem(cx, part, &turn, span));
  Value item = over.isZip ? std::move(row) : std::move(row.items[0]);
  return over.isEnumerate ? Value::tuple({turn, std::move(item)}) : item;
}

/// A list that gets what `visit` appends to the name that it is given, for each item.
Value madeByTurns(Context &cx, Iterated over, Span span, const std::function<void(const std::string &name, Value item)> &visit) {
  auto saved = cx.function.frame->names;
  const std::string name = "%items" + std::to_string(span.begin) + "." + std::to_string(span.end);
  for (Value &part : over.parts)
    part = part.kind == ValueKind::String ? asVariable(cx, part, "text", span) : reusable(cx, std::move(part), "items", span);
  ExprPtr turns = turnsOf(cx, over, span);
  if (!turns || !bindEmptyList(cx, name, span)) return Value::poison();
  Stmt &loop = emit(cx, StmtKind::For, span);
  loop.start = makeIndex(0, span);
  loop.stop = std::move(turns);
  loop.step = makeIndex(1, span);
  static const ast::Block noNames;
  Value item;
  cx.function.frame->loops.push_back({});
  loopBody(
      cx, &loop, noNames, std::nullopt,
      [&] {
        Var *var = loop.var = newVar(cx, "row", indexType(), span);
        Value turn = Value::of(ValueKind::Int);
        turn.type = indexType();
        turn = cx.function.varValues[var] = valueOfVar(var, turn, span);
        item = itemAt(cx, over, turn, span);
        return std::optional<Turns>();
      },
      [&] {
        if (!item.isPoison()) visit(name, item);
      });
  cx.function.frame->loops.pop_back();
  auto bound = cx.function.frame->names.find(name);
  Value list = bound == cx.function.frame->names.end() || !bound->second.isBound() ? Value::poison() : readBinding(cx, name, bound->second, span);
  cx.function.frame->names = std::move(saved);
  return list;
}

/// What stands under a condition of run time.
void under(Context &cx, ExprPtr condition, Span span, const std::function<void()> &body) {
  Stmt &asked = emit(cx, StmtKind::If, span);
  asked.condition = std::move(condition);
  Block *outer = std::exchange(cx.function.block, &asked.body);
  const int outerId = std::exchange(cx.blockId, ++cx.nextBlockId);
  ++cx.function.conditionDepth;
  body();
  --cx.function.conditionDepth;
  cx.blockId = outerId;
  cx.function.block = outer;
}

bool isKnownKey(const Value &key) {
  if (key.isSequence()) return std::all_of(key.items.begin(), key.items.end(), isKnownKey);
  return !key.expr && (key.kind == ValueKind::Float || key.kind == ValueKind::Bool || key.kind == ValueKind::String || key.isKnownInt());
}
int comparedKeys(const Value &a, const Value &b) {
  if (a.isSequence() && b.isSequence()) {
    for (size_t i = 0; i < a.items.size() && i < b.items.size(); ++i)
      if (int order = comparedKeys(a.items[i], b.items[i])) return order;
    return a.items.size() < b.items.size() ? -1 : a.items.size() > b.items.size() ? 1 : 0;
  }
  if (a.kind == ValueKind::String && b.kind == ValueKind::String) return a.text.compare(b.text);
  auto number = [](const Value &v) { return v.kind == ValueKind::Float ? v.number : v.kind == ValueKind::Bool ? static_cast<double>(v.truth) : v.isKnownInt() ? static_cast<double>(v.sym.constant()) : 0.0; };
  return number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0;
}
}  // namespace

Value heldComprehension(Context &cx, const ast::ComprehensionExpr &expr, const ast::ComprehensionFor &clause, const Value &iterable) {
  auto over = iteratedOf(iterable);
  if (!over) {
    report(cx, Id::notIterable, clause.iterable->span, describe(cx, iterable));
    return Value::poison();
  }
  std::function<void(const std::string &, size_t)> rest = [&](const std::string &name, size_t next) {
    if (next == clause.conditions.size()) {
      Value key = expr.key ? checkExpr(cx, *expr.key) : Value::of(ValueKind::Absent), item = checkExpr(cx, *expr.element);
      if (expr.key) item = key.isPoison() || item.isPoison() ? Value::poison() : Value::tuple({std::move(key), std::move(item)});
      appendToHeld(cx, name, std::move(item), *expr.element);
      return;
    }
    const ast::Expr &written = *clause.conditions[next];
    const Value condition = checkExpr(cx, written);
    if (condition.isPoison()) return;
    if (auto known = knownCondition(condition)) return *known ? rest(name, next + 1) : void();
    ExprPtr holds = conditionExpr(cx, condition, written.span);
    if (holds) under(cx, std::move(holds), written.span, [&] { rest(name, next + 1); });
  };
  return madeByTurns(cx, std::move(*over), expr.span, [&](const std::string &name, Value item) {
    comprehensionTarget(cx, *clause.target, item);
    rest(name, 0);
  });
}

Value chosenAtRunTime(Context &cx, const ast::ComprehensionExpr &expr, const ast::ComprehensionFor &clause, const Value &iterable, const std::vector<Value> &items, Span condition) {
  if (iterable.kind == ValueKind::Range) return heldComprehension(cx, expr, clause, iterable);
  Value all = Value::of(ValueKind::List);
  all.items = items;
  auto rows = asHeldRows(cx, all, expr.span);
  if (!rows) return unsupported(cx, "a condition of run time in a list of such items", condition);
  return heldComprehension(cx, expr, clause, reusable(cx, asGrownList(cx, std::move(*rows), expr.span), "items", expr.span));
}

Value listOfIterated(Context &cx, const Value &iterable, Span span) {
  const bool runs = iterable.kind == ValueKind::Zip || iterable.kind == ValueKind::Enumerate || (iterable.kind == ValueKind::String && iterable.expr);
  auto over = runs && inHost(cx) ? iteratedOf(iterable) : std::nullopt;
  if (!over) return iterable;
  return madeByTurns(cx, std::move(*over), span, [&](const std::string &name, Value item) {
    ast::NameExpr written(ast::ExprKind::Name, span);
    appendToHeld(cx, name, std::move(item), written);
  });
}

/// What an item is sorted by. `counts.get` gives the value of a key that is there.
static Value keyOf(Context &cx, const Value &key, Value item, Span span) {
  const bool ofDict = key.kind == ValueKind::Method && key.text == "get" && !key.items.empty() && (isHeldDict(key.items[0]) || key.items[0].kind == ValueKind::Dict);
  if (ofDict) return readDict(cx, key.items[0], std::move(item), span);
  GivenList args;
  args.push_back({"", std::move(item), span, {}, nullptr});
  return callValue(cx, key, std::move(args), span, "key");
}

/// The items in the order that their keys have, where the compiler knows them.
static std::optional<Value> sortedByKnown(Context &cx, const Value &list, const Value &key, bool reverse, Span span) {
  if (!list.isSequence()) return std::nullopt;
  std::vector<std::pair<Value, Value>> items;
  for (const Value &item : list.items) {
    Value by = item;
    if (key.given()) {
      by = keyOf(cx, key, item, span);
      if (by.isPoison()) return by;
    }
    if (!isKnownKey(by)) return std::nullopt;
    items.emplace_back(std::move(by), item);
  }
  std::vector<size_t> places(items.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    const int order = comparedKeys(items[a].first, items[b].first);
    return order == 0 ? a < b : reverse ? order > 0 : order < 0;
  });
  Value sorted = Value::of(ValueKind::List);
  for (size_t place : places) sorted.items.push_back(items[place].second);
  return sorted;
}

Value sortedList(Context &cx, const Value &list, const Value &key, const Value &reverse, Span span) {
  if (list.isPoison() || key.isPoison() || reverse.isPoison()) return Value::poison();
  const auto turned = reverse.given() ? knownCondition(reverse) : std::optional(false);
  if (turned)
    if (auto sorted = sortedByKnown(cx, list, key, *turned, span)) return *sorted;
  auto rows = inHost(cx) ? asHeldRows(cx, listOfIterated(cx, list, span), span) : std::nullopt;
  if (!rows) {
    report(cx, Id::wrongArgument, span, "`sorted`", "known numbers, a tensor of one axis, or in host code a list of numbers, texts and tuples", describe(cx, list));
    return Value::poison();
  }
  *rows = reusable(cx, std::move(*rows), "items", span);
  std::optional<Value> keys = rows;
  if (key.given()) {
    Value made = madeByTurns(cx, *iteratedOf(*rows), span, [&](const std::string &name, Value item) {
      Value by = keyOf(cx, key, std::move(item), span);
      ast::NameExpr written(ast::ExprKind::Name, span);
      appendToHeld(cx, name, std::move(by), written);
    });
    if (made.isPoison()) return made;
    keys = asHeldRows(cx, made, span);
    if (!keys) return unsupported(cx, "this key of a list that run time sorts", span, "a number, a text, or a tuple of them");
  }
  ExprPtr falling = reverse.given() ? conditionExpr(cx, reverse, span) : makeBool(false, span);
  if (!falling) return Value::poison();
  std::vector<ExprPtr> args;
  args.push_back(takeExpr(*keys));
  args.push_back(std::move(falling));
  Value order = hostCall(cx, "rows_order", std::move(args), span);
  args.clear();
  args.push_back(clone(*rows->expr));
  args.push_back(takeExpr(order));
  return asGrownList(cx, rowsWithSchema(hostCall(cx, "rows_by", std::move(args), span), schemaOfRows(*rows)), span);
}

bool sortInPlace(Context &cx, const ast::ExprStmt &stmt) {
  auto *call = as<ast::CallExpr>(stmt.value);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *name = method && method->attribute.text == "sort" ? as<ast::NameExpr>(method->object) : nullptr;
  if (!name || !cx.function.frame) return false;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end() || !bound->second.isBound()) return false;
  const Value &held = bound->second.value;
  if (held.kind != ValueKind::List && !(held.kind == ValueKind::HostTensor && (held.text == kHeldList || isHeldRows(held)))) return false;
  Value key = Value::of(ValueKind::Absent), reverse = key;
  for (const ast::Argument &arg : call->arguments) {
    const bool isKey = arg.keyword && arg.keyword->text == "key";
    if (!isKey && !(arg.keyword && arg.keyword->text == "reverse")) return false;
    (isKey ? key : reverse) = checkExpr(cx, *arg.value);
  }
  assignName(cx, name->name, sortedList(cx, readBinding(cx, name->name, bound->second, name->span), key, reverse, stmt.span), name->span);
  return true;
}

}  // namespace tessera::sema
