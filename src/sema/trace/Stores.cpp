// Stores: `out[i] = x` of kernels, which write to memory, and of tensor functions, where the name stands for a new value
// behind it; places in the structs of a stack, `cache.layers[i].k[j] = x`.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/kernels/Coverage.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"

namespace tessera::sema {

using ast::as;

Value chosenAsStored(Context &cx, Value here, Value part, const Value &old, Span span) {
  std::vector<ExprPtr> args;
  for (Value *one : {&here, &part}) {
    *one = broadcastValue(cx, std::move(*one), old.type.shape, span);
    if (one->isPoison()) return *one;
    args.push_back(takeExpr(*one));
  }
  args.push_back(clone(*old.expr));
  Type type = sema::tensorType(old.type.dtype, old.type.shape);
  Value made = arrayValue(cx, makeElementwise(ElementwiseOp::Select, type, span, std::move(args)), old.type, {}, span);
  made.limits.resize(old.type.shape.size());
  return made;
}

namespace {
/// Which elements of a tensor are assigned to, and the shape that they have together.
struct Part {
  Access access;
  std::vector<Dim> shape;
  std::vector<SliceStart> starts;
  Value within = Value::of(ValueKind::Absent);  // whether places that data gives lie inside: else nothing is written (S25)
};

/// Whether the place belongs to the function that is being checked, and not to its caller.
bool isOwnPlace(Context &cx, const ast::Expr &place) {
  if (!cx.function.fn || inKernel(cx) || inHost(cx)) return false;
  if (isPartOfState(cx, place)) return true;
  if (auto *field = as<ast::AttributeExpr>(&place)) {  // whose struct it is, `assignField` asks
    const ast::Expr *front = field->object.get();
    while (auto *outer = as<ast::AttributeExpr>(front)) front = outer->object.get();
    auto *owner = as<ast::NameExpr>(front);
    auto bound = owner ? cx.function.frame->names.find(owner->name) : cx.function.frame->names.end();
    return bound != cx.function.frame->names.end() && bound->second.isBound() && bound->second.value.kind == ValueKind::Struct && !bound->second.value.isStack();
  }
  auto *name = as<ast::NameExpr>(&place);
  if (!name) return false;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end()) return false;
  auto isPassed = [&](const Param &param) {
    return !cx.function.frame->inlined && bound->second.span == param.var->span;
  };
  return std::none_of(cx.function.fn->params.begin(), cx.function.fn->params.end(), isPassed);
}

/// The tensor with this part chosen anew: where(here, value, target), which is stored in place where memory allows. `chosen`: which
/// elements of the part, if not all.
Value withPart(Context &cx, const Value &target, const Part &at, ExprPtr e, bool ofState, Span span, Value chosen = Value::of(ValueKind::Absent)) {
  Value part = arrayValue(cx, std::move(e), target.type, std::vector<std::optional<Limit>>(at.shape.size()), span), here;
  bool all = true;
  const std::vector<Dim> extents = target.type.shape;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const IndexPart &index = at.access.parts[axis];
    const Dim start = at.starts[axis].first, length = index.isPoint ? Dim(1) : Dim(index.step) * index.size;
    bool toEnd = cx.function.facts.same(start + length, extents[axis]);
    ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {extents[axis]}), span);
    count->as<node::Iota>().axis = 0;
    Value places = arrayValue(cx, std::move(count), scalarType(DType::I64), {std::nullopt}, span), inside;
    auto also = [&](ast::CompareOp op, Value a, Value b) {
      Value holds = compareValues(cx, op, std::move(a), std::move(b), span);
      for (size_t i = axis + 1; i < extents.size(); ++i)
        holds = insertAxis(cx, std::move(holds), static_cast<int>(i - axis), span);
      here = all ? std::move(holds) : elementwise(cx, ElementwiseOp::And, {here, std::move(holds)}, span, "=");
      all = false;
    };
    if (index.isPoint) {
      if (extents[axis] != Dim(1)) also(ast::CompareOp::Eq, places, Value::integer(start));
      if (part.isArray()) part = insertAxis(cx, std::move(part), static_cast<int>(axis), span);
      if (chosen.given()) chosen = insertAxis(cx, std::move(chosen), static_cast<int>(axis), span);
      continue;
    }
    if (start == Dim(0) && index.step == 1 && cx.function.facts.same(index.size, extents[axis])) continue;
    Value distance =
        start == Dim(0) ? places : elementwise(cx, ElementwiseOp::Sub, {places, Value::integer(start)}, span, "=");
    if (start != Dim(0)) also(ast::CompareOp::Ge, places, Value::integer(start));
    if (!toEnd) also(ast::CompareOp::Lt, places, Value::integer(start + length));
    if (index.step != 1) {
      Value step = Value::integer(Dim(index.step));
      also(ast::CompareOp::Eq, elementwise(cx, ElementwiseOp::Mod, {distance, step}, span, "="), Value::integer(Dim(0)));
      distance = elementwise(cx, ElementwiseOp::FloorDiv, {distance, step}, span, "=");
    }
    if (chosen.given()) {
      distance = reusable(cx, std::move(distance), "place", span);
      chosen = gathered(cx, std::move(chosen), distance, static_cast<int>(axis), {static_cast<int>(axis)}, span);
    }
    part = gathered(cx, std::move(part), std::move(distance), static_cast<int>(axis), {static_cast<int>(axis)}, span);
  }
  if (chosen.given()) here = all ? std::move(chosen) : elementwise(cx, ElementwiseOp::And, {std::move(here), std::move(chosen)}, span, "="), all = false;
  if (at.within.given()) here = all ? at.within : elementwise(cx, ElementwiseOp::And, {std::move(here), at.within}, span, "="), all = false;
  Value made = all       ? std::move(part)
               : ofState ? chosenAsStored(cx, std::move(here), std::move(part), target, span)
                         : elementwise(cx, ElementwiseOp::Select, {here, std::move(part), target}, span, "=");
  if (auto *op = made.expr ? made.expr->get<node::Elementwise>() : nullptr) op->inPlace = true;
  if (!made.isPoison() && !made.isArray()) made = broadcastValue(cx, std::move(made), extents, span);
  return made;
}

/// A value of a place's dtype and shape. Null after a message.
ExprPtr valueForPlace(Context &cx, ExprPtr e, const Type &type, const std::vector<Dim> &shape, bool isOwn,
                      Span placeSpan, Span span) {
  if (!shape.empty()) {
    Value stored = arrayValue(cx, std::move(e), type, {}, span);
    stored.type.numerics = {};
    if (stored.isArray() && stored.type.shape.size() > shape.size()) {
      report(cx, Id::shapeMismatch, span, shapeText(cx, shape), shapeText(cx, stored.type.shape))
          .note(placeSpan, "what is written to here has the shape " + shapeText(cx, shape));
      return nullptr;
    }
    stored = broadcastValue(cx, std::move(stored), shape, span);
    return stored.isPoison() ? nullptr : takeExpr(stored);
  }
  if (e->type.kind != TypeKind::Tensor || (isOwn && e->type.shape.empty())) return e;
  report(cx, Id::shapeMismatch, span, "[]", shapeText(cx, e->type.shape)).note(placeSpan, "one element is written to here");
  return nullptr;
}

/// The part of a tensor that the rows of stacks name, in front of what `at` says of the other axes.
void addRows(Context &cx, Part &at, const std::vector<StackRow> &rows) {
  for (size_t i = rows.size(); i-- > 0;) {
    IndexPart part;
    part.isPoint = true;
    part.size = Dim(1);
    part.offset = indexExpr(cx, rows[i].index, rows[i].span);
    at.access.parts.insert(at.access.parts.begin(), std::move(part));
    at.starts.insert(at.starts.begin(), SliceStart{rows[i].index.sym, false});
  }
}

/// A place that data gives is held inside of its axis, and asked whether it was there: one beyond either end is not written.
void holdPlacesOfData(Context &cx, const Value &target, Part &at, Span span) {
  for (size_t axis = 0; axis < at.starts.size(); ++axis) {
    IndexPart &part = at.access.parts[axis];
    const Dim &extent = target.type.shape[axis], start = at.starts[axis].first;
    const bool open = !part.inBounds && isOfData(cx, start) && !mentionsRebound(cx, start);
    if (!open || (!part.isPoint && part.step != 1)) continue;
    if (!part.isPoint) {  // each element of the axis asks whether it is one of them
      part.inBounds = true;
      continue;
    }
    if (cx.function.facts.nonNegative(start) && cx.function.facts.nonNegative(extent - Dim(1) - start)) continue;
    for (ast::CompareOp op : {ast::CompareOp::Ge, ast::CompareOp::Lt}) {
      Value holds = compareValues(cx, op, Value::integer(start), Value::integer(op == ast::CompareOp::Ge ? Dim(0) : extent), span);
      at.within = at.within.given() ? elementwise(cx, ElementwiseOp::And, {at.within, std::move(holds)}, span, "=") : std::move(holds);
    }
    const Dim place = Dim::min(Dim::max(start, Dim(0)), extent - Dim(1));
    part.offset = dimExpr(cx, place, span);
    part.inBounds = true;  // of an axis without elements nothing is within
    at.starts[axis].first = place;
  }
}

/// False, after a message, if a part may lie outside of a tensor of tensor code.
bool partIsInside(Context &cx, const Value &target, Part &at, Span span) {
  for (size_t axis = 0; axis < at.starts.size(); ++axis) {
    IndexPart &part = at.access.parts[axis];
    if (at.starts[axis].backwards) {
      unsupported(cx, "a step below 0 in the place of an assignment", span);
      return false;
    }
    bool counted = part.isPoint || cx.function.facts.nonNegative(part.size);
    if (!(part.inBounds && counted) && !requireInside(cx, target, axis, part, at.starts[axis], span)) return false;
  }
  return true;
}

/// The value as one for a part of this shape: what all of it gets, or each element its own. Null after a message.
ExprPtr valueOfPart(Context &cx, const Value &value, const Value &target, const std::vector<Dim> &shape, const ast::SubscriptExpr &syntax, Span at) {
  ExprPtr e = castToPlace(cx, value, target.type, at, "`" + std::string(cx.sources.text(syntax.object->span)) + "`", true);
  return e ? valueForPlace(cx, std::move(e), target.type, shape, true, syntax.span, at) : nullptr;
}

/// `y[mask] = v`: where(mask, v, y) of the axes that the mask has.
Value storedWhere(Context &cx, const Value &target, const Part &at, const Masked &masked, const Value &value, const ast::SubscriptExpr &syntax, bool ofState, Span span,
                  Span valueSpan) {
  ExprPtr e = valueOfPart(cx, value, target, at.shape, syntax, valueSpan);
  if (!e) return Value::poison();
  Value chosen = masked.mask;
  for (size_t last = chosen.type.shape.size(); last + masked.axis < at.shape.size(); ++last) chosen = insertAxis(cx, std::move(chosen), static_cast<int>(last), span);
  chosen = broadcastValue(cx, std::move(chosen), at.shape, span);
  return chosen.isPoison() ? chosen : withPart(cx, target, at, std::move(e), ofState, span, std::move(chosen));
}

/// `y[rows, columns] = v`: what the tensors of integers name together is assigned to, by the last of those that name the same element; one
/// outside is not written (S25).
Value storedAtPlaces(Context &cx, const Value &target, const Part &at, Chosen chosen, const Value &value, const ast::SubscriptExpr &syntax, bool ofState, Span span,
                     Span valueSpan) {
  const auto axis = static_cast<size_t>(chosen.axis);
  const auto first = at.shape.begin() + chosen.axis;
  auto counted = [&](const Dim &extent) {
    ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {extent}), span);
    count->as<node::Iota>().axis = 0;
    return arrayValue(cx, std::move(count), scalarType(DType::I64), {std::nullopt}, span);
  };
  auto behind = [&](Value one, size_t axes) {
    for (size_t i = 0; i < axes; ++i) {
      const int last = static_cast<int>(one.type.shape.size());
      one = insertAxis(cx, std::move(one), last, span);
    }
    return one;
  };
  std::vector<Dim> wanted(at.shape.begin(), first);
  if (chosen.rows) {  // each element of a row asks whether it is the one that is named
    wanted.push_back(*first);
    wanted.insert(wanted.end(), first + 2, at.shape.end());
    ExprPtr e = valueOfPart(cx, value, target, wanted, syntax, valueSpan);
    if (!e) return Value::poison();
    Value each = arrayValue(cx, std::move(e), target.type, {}, span);
    each.limits.resize(wanted.size());
    if (each.isArray()) each = insertAxis(cx, std::move(each), chosen.axis + 1, span);
    each = broadcastValue(cx, std::move(each), at.shape, span);
    Value here = compareValues(cx, ast::CompareOp::Eq, counted(first[1]), insertAxis(cx, std::move(chosen.places), 1, span), span);
    here = broadcastValue(cx, behind(std::move(here), at.shape.size() - axis - 2), at.shape, span);
    return each.isPoison() || here.isPoison() ? Value::poison() : withPart(cx, target, at, takeExpr(each), ofState, span, std::move(here));
  }
  const std::vector<Dim> named = chosen.places.type.shape, along(first, first + static_cast<ptrdiff_t>(chosen.merged));
  const std::vector<Dim> rest(first + static_cast<ptrdiff_t>(chosen.merged), at.shape.end());
  Dim extent(1);
  for (const Dim &one : along) extent = extent * one;
  wanted.insert(wanted.end(), named.begin(), named.end());
  wanted.insert(wanted.end(), rest.begin(), rest.end());
  const bool alike = !value.isArray() || value.type.shape.empty();  // the same for all: which of them is the last one does not matter
  ExprPtr e = valueOfPart(cx, value, target, alike ? at.shape : wanted, syntax, valueSpan);
  if (!e) return Value::poison();
  Value places = std::move(chosen.places);
  if (named.size() > 1) places = mergeAxes(cx, std::move(places), 0, named.size(), span);
  GivenList given;
  given.push_back({"", std::move(places), span, {}, nullptr});
  given.push_back({"", Value::integer(extent), span, {}, nullptr});
  Value found = libraryCall(cx, "tessera.arrays", alike ? "_is_named" : "_last_named", std::move(given), span);
  if (found.isPoison()) return found;
  Value part = arrayValue(cx, std::move(e), target.type, std::vector<std::optional<Limit>>(alike ? at.shape.size() : wanted.size()), span), here = found;
  if (!alike) {
    found = reusable(cx, std::move(found), "last", span);
    here = compareValues(cx, ast::CompareOp::Ge, found, Value::integer(Dim(0)), span);
    if (named.size() > 1) part = mergeAxes(cx, std::move(part), axis, named.size(), span);
    if (!part.isPoison()) part = gathered(cx, std::move(part), found, chosen.axis, {chosen.axis}, span);
    if (along.size() > 1 && !part.isPoison()) part = reshape(cx, std::move(part), at.shape, -1, span);
  }
  if (along.size() > 1) here = reshape(cx, std::move(here), along, -1, span);
  if (part.isPoison() || here.isPoison()) return Value::poison();
  here = broadcastValue(cx, behind(std::move(here), rest.size()), at.shape, span);
  return here.isPoison() ? here : withPart(cx, target, at, takeExpr(part), ofState, span, std::move(here));
}

void assignPlace(Context &cx, const ast::Expr &place, Value made, bool ofState, Span span) {
  if (ofState) return assignPart(cx, place, std::move(made), span);
  if (auto *name = as<ast::NameExpr>(&place)) assignName(cx, name->name, std::move(made), span);
  else assignTo(cx, place, std::move(made), span);
}
}  // namespace

Value placeOf(Context &cx, const ast::Expr &expr, std::vector<StackRow> &rows) {
  if (inKernel(cx)) return checkExpr(cx, expr);
  if (auto *name = as<ast::NameExpr>(&expr)) {
    auto row = rowPlace(cx, name->name, expr.span);
    if (!row) return checkExpr(cx, expr);
    Value stack = placeOf(cx, *row->stack, rows);
    rows.push_back({row->index, expr.span});
    return stack;
  }
  if (auto *member = as<ast::AttributeExpr>(&expr)) {
    std::vector<StackRow> inner;
    Value object = placeOf(cx, *member->object, inner);
    if (inner.empty()) return checkExpr(cx, expr);
    if (object.isPoison()) return object;
    rows = std::move(inner);
    return memberOfStruct(cx, object, member->attribute.text, member->attribute.span);
  }
  auto *index = as<ast::SubscriptExpr>(&expr);
  if (!index || index->items.size() != 1 || index->items[0].value->kind == ast::ExprKind::Slice) return checkExpr(cx, expr);
  std::vector<StackRow> inner;
  Value object = placeOf(cx, *index->object, inner);
  if (!object.isStack() || object.instance->stack.size() <= inner.size()) return object.isPoison() ? object : checkExpr(cx, expr);
  Value at = convertInt(cx, checkExpr(cx, *index->items[0].value), index->items[0].span);
  if (at.isPoison()) return at;
  if (at.isKnownInt() && !at.expr && at.sym.constant() < 0) at.sym = object.instance->stack[inner.size()] + at.sym;
  rows = std::move(inner);
  rows.push_back({std::move(at), index->items[0].span});
  return object;
}

Value withRow(Context &cx, const Value &whole, const std::vector<StackRow> &rows, const Value &one, bool ofState, Span span) {
  if (whole.kind != ValueKind::Array) {
    Value made = whole;
    bool alike = whole.kind == one.kind && whole.items.size() == one.items.size() &&
                 (!whole.instance || (whole.instance->info == one.instance->info &&
                                      whole.instance->stack.size() == one.instance->stack.size() + rows.size()));
    if (!alike) {
      report(cx, Id::wrongArgument, span, "the place", "a `" + (whole.instance ? whole.instance->info->name : "value like it") + "`",
             describe(cx, one));
      return Value::poison();
    }
    for (size_t i = 0; i < made.items.size(); ++i) {
      made.items[i] = withRow(cx, whole.items[i], rows, one.items[i], ofState, span);
      if (made.items[i].isPoison()) return made.items[i];
    }
    return made;
  }
  Part at;
  for (size_t axis = rows.size(); axis < whole.type.shape.size(); ++axis) {
    IndexPart part;
    part.size = whole.type.shape[axis];
    part.inBounds = true;
    at.shape.push_back(part.size);
    at.access.parts.push_back(std::move(part));
    at.starts.emplace_back();
  }
  addRows(cx, at, rows);
  if (one.isPoison() || !partIsInside(cx, whole, at, span)) return Value::poison();
  ExprPtr e = castToPlace(cx, one, whole.type, span, "the place", true);
  if (e) e = valueForPlace(cx, std::move(e), whole.type, at.shape, true, span, span);
  return e ? withPart(cx, whole, at, std::move(e), ofState, span) : Value::poison();
}

void assignRow(Context &cx, const ast::SubscriptExpr &syntax, const Value &stack, std::vector<StackRow> rows, Value value,
               Span span) {
  const bool ofState = isPartOfState(cx, *syntax.object);
  if (!isOwnPlace(cx, *syntax.object)) {
    if (fresh(cx, Id::immutableTensor, syntax.span))
      report(cx, Id::immutableTensor, syntax.span, describe(cx, stack))
          .help("give the stack a name of your own, and assign to a part of that; parts of a struct with `@state` change where they lie");
    return;
  }
  std::vector<StackRow> all;
  if (value.isPoison() || placeOf(cx, syntax, all).isPoison()) return;
  if (all.size() != rows.size() + 1) {
    unsupported(cx, "a slice of a stack in the place of an assignment", syntax.span, "a loop assigns to one struct after the other");
    return;
  }
  Value made = withRow(cx, stack, all, value, ofState, span);
  if (!made.isPoison()) assignPlace(cx, *syntax.object, std::move(made), ofState, span);
}

void storeTo(Context &cx, const Value &target, const ast::SubscriptExpr &syntax, Value value, Span span, Span valueSpan,
             const std::vector<StackRow> &rows) {
  auto *name = as<ast::NameExpr>(syntax.object);
  const bool isOwn = target.isArray() && isOwnPlace(cx, *syntax.object), ofState = isOwn && isPartOfState(cx, *syntax.object);
  if (target.kind != ValueKind::View && target.kind != ValueKind::Shared && !isOwn) {
    if (fresh(cx, Id::immutableTensor, syntax.span)) {
      auto builder = report(cx, Id::immutableTensor, syntax.span, describe(cx, target));
      builder.help(target.kind == ValueKind::Dict
                       ? "a dict is written whole, `{\"a\": x, \"b\": y}`; what a loop makes is a list, `[f(i) for i in range(n)]`"
                : !target.isArray() ? "only tensors of a kernel's parameters and shared buffers are written to"
                : inKernel(cx) || !name
                    ? "values do not change; build a new one, for example with `where` or `concat`"
                    : "what a function was called with does not change; give it a name of your own, and assign to a "
                      "part of that: `y = " +
                          name->name + "`");
    }
    if (name && target.kind == ValueKind::Dict && cx.function.frame)
      if (auto it = cx.function.frame->names.find(name->name); it != cx.function.frame->names.end())
        it->second.value = Value::poison();  // what it holds now is not known
    return;
  }
  Part at;
  std::vector<std::optional<Limit>> limits;
  std::vector<int> newAxes;
  Value one = target;
  if (!rows.empty()) one.type.shape.erase(one.type.shape.begin(), one.type.shape.begin() + static_cast<ptrdiff_t>(rows.size()));
  NamedPlaces named;
  Masked masked;
  std::vector<Value> places;  // of tensors of integers, in a function of tensors
  if (!accessOf(cx, one, syntax, at.access, at.shape, limits, newAxes, &at.starts, inKernel(cx) ? &named.places : isOwn ? &places : nullptr, isOwn ? &masked : nullptr) ||
      value.isPoison())
    return;
  const bool apart = valueSpan.valid();
  if (named.isNamed()) {
    named.access = std::move(at.access), named.shape = std::move(at.shape), named.limits = std::move(limits);
    ExprPtr e = castToPlace(cx, value, target.var->type, apart ? valueSpan : span, "`" + target.var->name + "`", apart);
    if (e && shapeOfPlaces(cx, newAxes, syntax.span, named)) storeAtPlaces(cx, target, std::move(named), std::move(e), value, span);
    return;
  }
  const bool byPlaces = std::any_of(places.begin(), places.end(), [](const Value &v) { return v.given(); });
  auto chosen = byPlaces ? chosenAlong(cx, one, at.access, at.shape, limits, newAxes, &at.starts, places, syntax) : std::optional(Chosen{});
  if (!chosen) return;
  if (byPlaces && masked.given()) {
    unsupported(cx, "a mask beside a tensor of integers in the place of a store", syntax.span, "`where(mask, value, x)` chooses first");
    return;
  }
  addRows(cx, at, rows);
  for (size_t axis = 0; target.kind == ValueKind::View && axis < at.starts.size(); ++axis) {  // lanes without a guard
    const Dim index = cx.function.facts.simplify(at.starts[axis].first);
    bool mayMiss =
        at.access.parts[axis].isPoint && !at.access.parts[axis].inBounds && countsLanes(index, cx.function.fn->kernel, cx.function.groupExtents, cx.function.facts);
    Span place = syntax.items.size() == at.starts.size() ? syntax.items[axis].span : syntax.span;
    if (mayMiss && counterOutside(cx, index, target.var->type.shape[axis], place)) return;
    if (at.access.parts[axis].isPoint) checkLanesReach(cx, *target.var, index, target.var->type.shape[axis], axis, place);
  }
  if (isOwn) holdPlacesOfData(cx, target, at, syntax.span);
  if (isOwn && !partIsInside(cx, target, at, syntax.span)) return;
  if (!newAxes.empty()) {
    unsupported(cx, "`None` in the place of a store", syntax.span);
    return;
  }
  if (endsAtData(limits)) {
    unsupported(cx, "a store of a tile in a loop that ends at data, where the last tile is cut", syntax.span, kByOne);
    return;
  }
  if (byPlaces || masked.given()) {
    Value made = byPlaces ? storedAtPlaces(cx, target, at, std::move(*chosen), value, syntax, ofState, span, apart ? valueSpan : span)
                          : storedWhere(cx, target, at, masked, value, syntax, ofState, span, apart ? valueSpan : span);
    if (!made.isPoison()) assignPlace(cx, *syntax.object, std::move(made), ofState, span);
    return;
  }
  Type type = isOwn ? target.type : target.var->type;
  const std::string called = isOwn ? std::string(cx.sources.text(syntax.object->span)) : target.var->name;
  ExprPtr e = castToPlace(cx, value, type, apart ? valueSpan : span, "`" + called + "`", apart);
  if (e) e = valueForPlace(cx, std::move(e), type, at.shape, isOwn, syntax.span, apart ? valueSpan : span);
  if (!e) return;
  if (isOwn)
    return assignPlace(cx, *syntax.object, withPart(cx, target, at, std::move(e), ofState, span), ofState, span);
  cx.function.stored.insert(target.var);
  // `y[0] += x` on behalf of the whole group must not happen once a lane.
  bool once = at.shape.empty() && cx.function.varyingDepth == 0 && !isVarying(at.access) && !isVarying(*e);
  Stmt &stmt = emit(cx, StmtKind::Store, span);
  stmt.access = std::move(at.access);
  stmt.value = std::move(e);
  stmt.oncePerGroup = once;
}

}  // namespace tessera::sema
