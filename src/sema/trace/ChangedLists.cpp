#include "sema/trace/ChangedLists.h"
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/HostParts.h"
#include "tessera/host/words.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;
using Places = std::vector<const ast::SubscriptExpr *>;

namespace {
bool isNumbers(const Value &v) { return v.kind == ValueKind::HostTensor && v.text == kHeldList && v.rank == 1; }

/// The name in front of `rows[i][j]`, and its places, the first one in front. Null for anything else.
const ast::NameExpr *nameAndPlaces(const ast::SubscriptExpr &syntax, Places &places) {
  auto *inner = as<ast::SubscriptExpr>(syntax.object);
  const ast::NameExpr *name = inner ? nameAndPlaces(*inner, places) : as<ast::NameExpr>(syntax.object);
  places.push_back(&syntax);
  return name;
}

Binding *boundHere(Context &cx, const std::string &name) {
  if (!inHost(cx) || !cx.function.frame) return nullptr;
  auto bound = cx.function.frame->names.find(name);
  return bound != cx.function.frame->names.end() && bound->second.isBound() ? &bound->second : nullptr;
}
/// Whether the compiler may let the name stand for another list: no run time decides about this place.
bool isOwnHere(const Context &cx, const Binding &bound) {
  return bound.block == cx.blockId || cx.function.conditionDepth <= cx.function.frame->conditionDepth;
}

std::optional<size_t> knownPlace(const Value &list, const Value &index) {
  if (list.kind != ValueKind::List || !index.isKnownInt()) return std::nullopt;
  const auto size = static_cast<int64_t>(list.items.size());
  const int64_t at = index.sym.constant() + (index.sym.constant() < 0 ? size : 0);
  return at >= 0 && at < size ? std::optional(static_cast<size_t>(at)) : std::nullopt;
}

Value rowsCall(Context &cx, std::string_view name, const Value &rows, const std::string &schema, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*rows.expr));
  return rowsWithSchema(hostCall(cx, name, std::move(args), span), schema);
}

Value listWithItem(Context &cx, const Value &list, const Value &index, const Value &item, Span span) {
  auto rows = asRows(cx, list, item, span);
  const std::string schema = rows ? schemaTogether(schemaOfRows(*rows), schemaOf(cx, item)) : std::string();
  ExprPtr words = schema.empty() ? nullptr : wordsOf(cx, item, span);
  if (!words)
    return item.isPoison() ? item : unsupported(cx, "an item of another kind (" + describe(cx, item) + ") in a list", span, "the items of a list that run time holds are of one kind");
  std::vector<ExprPtr> args;
  args.push_back(takeExpr(*rows));
  args.push_back(indexExpr(cx, index, span));
  args.push_back(std::move(words));
  return asGrownList(cx, rowsWithSchema(hostCall(cx, "store_words", std::move(args), span), schema), span);
}

/// What `whole` is with another value at the places from `next` on. Poison after a message.
Value withItemAt(Context &cx, const Value &whole, const Places &places, size_t next, const Value &value, Span span, Span valueSpan) {
  const ast::SubscriptExpr &place = *places[next];
  if (whole.kind != ValueKind::List && !isHeldRows(whole) && !isNumbers(whole)) {
    if (whole.kind != ValueKind::HostTensor || whole.rank == 0 || isHeldDict(whole))
      return unsupported(cx, "an assignment to a part of " + describe(cx, whole), place.span, "give it a name, change that, and store it again");
    std::vector<const ast::Expr *> items;
    for (; next < places.size(); ++next)
      for (const ast::Argument &item : places[next]->items) items.push_back(item.value.get());
    return withStored(cx, whole, items, place.span, value, span, valueSpan);
  }
  if (place.items.size() != 1 || place.items[0].value->kind == ast::ExprKind::Slice)
    return unsupported(cx, "several items of a list in the place of an assignment", place.span, "a loop stores one after the other; `xs[:i] + ys + xs[j:]` is another list");
  Value index = convertInt(cx, checkExpr(cx, *place.items[0].value), place.items[0].span);
  if (index.isPoison()) return index;
  if (!index.isKnownInt()) index = reusable(cx, std::move(index), "index", place.span);
  const bool last = next + 1 == places.size();
  if (auto at = knownPlace(whole, index)) {
    Value made = whole;
    made.items[*at] = last ? value : withItemAt(cx, whole.items[*at], places, next + 1, value, span, valueSpan);
    return made.items[*at].isPoison() ? Value::poison() : made;
  }
  Value held = whole;
  if (whole.kind == ValueKind::List) {
    auto rows = asHeldRows(cx, whole, span);
    if (!rows) return unsupported(cx, "a place that only run time knows, in a list of such items", place.span);
    held = reusable(cx, std::move(*rows), "items", span);
  }
  Value item = last ? value : withItemAt(cx, hostItem(cx, held, &index, place.span), places, next + 1, value, span, valueSpan);
  return item.isPoison() ? item : listWithItem(cx, held, index, item, span);
}

/// The name stands for another list from here on.
void renew(Context &cx, const std::string &name, Binding &bound, Value made, Span span) {
  if (bound.var && cx.function.varValues.count(bound.var) && !made.isPoison()) {
    if (isHeldRows(made)) noteRows(cx, bound.var, made);
    else if (isNumbers(made) && isNumbers(cx.function.varValues[bound.var])) cx.function.varValues[bound.var].madeOf = made.madeOf;
  }
  assignName(cx, name, std::move(made), span);
}

/// A number that goes where it is stored as it is.
bool fitsNumbers(const Context &cx, const Value &list, const Value &value) {
  const std::string schema = schemaOf(cx, value);
  if (!list.madeOf || schema.size() != 1) return false;
  if (*list.madeOf == DType::Bool) return schema == "b";
  return isFloat(*list.madeOf) ? schema == "r" || schema == "w" : schema == "w";
}

/// The list of a name as values of the compiler, or as run time holds it.
Value listNamed(Context &cx, const std::string &name, Binding *&bound, bool known, Span span) {
  if (!known && bound->value.kind == ValueKind::List) holdList(cx, name), bound = boundHere(cx, name);
  return readBinding(cx, name, *bound, span);
}
}  // namespace

bool isListOfHost(const Value &value) { return value.kind == ValueKind::List || isHeldRows(value) || isNumbers(value); }

bool changesList(std::string_view method) {
  return method == "extend" || method == "insert" || method == "remove" || method == "reverse" || method == "clear";
}

bool storeToItem(Context &cx, const ast::SubscriptExpr &syntax, const Value &value, Span span, Span valueSpan) {
  Places places;
  const ast::NameExpr *name = nameAndPlaces(syntax, places);
  Binding *bound = name ? boundHere(cx, name->name) : nullptr;
  if (!bound) return false;
  const Value held = bound->value;
  if (held.kind == ValueKind::Dict || isHeldDict(held)) {
    if (places.size() < 2) return false;
    Value entry = checkExpr(cx, *places[0]);
    Value made = entry.isPoison() || value.isPoison() ? Value::poison() : withItemAt(cx, entry, places, 1, value, span, valueSpan);
    return made.isPoison() || storeToDict(cx, *places[0], made, span);
  }
  if (!isListOfHost(held) && !(held.kind == ValueKind::HostTensor && held.text == kHeldList)) return false;
  if (value.isPoison()) return true;
  if (isLostStore(cx, name->name, syntax.span)) return true;
  Value list = readBinding(cx, name->name, *bound, name->span);
  if (list.kind == ValueKind::List) {
    Value first = places[0]->items.size() == 1 && places[0]->items[0].value->kind != ast::ExprKind::Slice ? convertInt(cx, checkExpr(cx, *places[0]->items[0].value), places[0]->items[0].span) : Value::of(ValueKind::Absent);
    if (first.isPoison()) return true;
    const bool known = knownPlace(list, first) && isOwnHere(cx, *bound);
    list = listNamed(cx, name->name, bound, known, name->span);
    if (list.kind == ValueKind::List && !isOwnHere(cx, *bound)) return false;
  }
  const bool element = list.kind == ValueKind::HostTensor && list.text == kHeldList && (!isNumbers(list) ? !value.isSequence() : places.size() == 1 && (fitsNumbers(cx, list, value) || value.kind == ValueKind::HostTensor));
  if (element) return false;  // of a tensor
  Value whole = list;
  if (list.kind == ValueKind::HostTensor && list.text == kHeldList && !isNumbers(list)) {  // tuples or lists of as many numbers
    auto rows = asRows(cx, list, value, span);
    if (!rows) return false;
    whole = std::move(*rows);
  }
  Value made = withItemAt(cx, whole, places, 0, value, span, valueSpan);
  if (made.kind == ValueKind::HostTensor) made.items = list.items;
  if (!made.isPoison()) renew(cx, name->name, *bound, std::move(made), span);
  return true;
}

/// The items of both, one behind the other.
static Value extended(Context &cx, const Value &list, const Value &more, Span span) {
  if (more.isPoison()) return more;
  if (list.kind == ValueKind::List && more.isSequence()) {
    Value all = list;
    all.items.insert(all.items.end(), more.items.begin(), more.items.end());
    return withinLimits(cx, std::move(all), span);
  }
  Value other = isHeldDict(more) ? partsOfDict(cx, more, "keys", span) : more.kind == ValueKind::Tuple || isHeldRows(more) ? more : listOfIterated(cx, more, span);
  auto rows = asHeldRows(cx, other, span), mine = asHeldRows(cx, list, span);
  auto joined = rows && mine ? joinedLists(cx, *mine, *rows, span) : std::nullopt;
  if (joined) return std::move(*joined);
  report(cx, Id::wrongArgument, span, "`extend`", "a list of items like those that are there", describe(cx, more));
  return Value::poison();
}

static Value inserted(Context &cx, const Value &list, const Value &index, const Value &item, Span span) {
  if (list.kind == ValueKind::List && index.isKnownInt()) {
    Value all = list;
    all.items.insert(all.items.begin() + static_cast<std::ptrdiff_t>(tsr::host::words::cut(index.sym.constant(), static_cast<int64_t>(list.items.size()))), item);
    return all;
  }
  auto rows = asHeldRows(cx, list, span);
  if (!rows) return unsupported(cx, "`insert` into a list of such items", span);
  const Value held = reusable(cx, std::move(*rows), "items", span), at = index.isKnownInt() ? index : reusable(cx, index, "index", span);
  auto part = [&](const Value &from, const Value &to) {
    std::vector<ExprPtr> args;
    args.push_back(clone(*held.expr));
    for (const Value *end : {&from, &to}) args.push_back(indexExpr(cx, *end, span));
    return rowsWithSchema(hostCall(cx, "rows_part", std::move(args), span), schemaOfRows(held));
  };
  Value one = Value::of(ValueKind::List);
  one.items.push_back(item);
  auto front = joinedLists(cx, part(Value::integer(Dim(0)), at), one, span);
  auto all = front ? asHeldRows(cx, *front, span) : std::nullopt;
  auto whole = all ? joinedLists(cx, *all, part(at, Value::integer(Dim(kPartToEnd))), span) : std::nullopt;
  return whole ? std::move(*whole) : unsupported(cx, "an item of another kind (" + describe(cx, item) + ") in a list", span);
}

static Value withoutItem(Context &cx, const Value &list, const Value &index, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  args.push_back(indexExpr(cx, index, span));
  Value fewer = hostCall(cx, "store_without", std::move(args), span);
  fewer.rank = list.rank, fewer.madeOf = list.madeOf, fewer.madeAs = list.madeAs, fewer.text = list.text, fewer.items = list.items;
  return fewer;
}

Value askList(Context &cx, const Value &list, const std::string &method, const GivenList &args, Span span) {
  if (args.size() != 1 || !args[0].keyword.empty()) {
    report(cx, Id::tooManyArguments, span, method, "one item", std::to_string(args.size()));
    return Value::poison();
  }
  if (args[0].value.isPoison()) return args[0].value;
  auto rows = inHost(cx) ? asHeldRows(cx, list, span) : std::nullopt;
  const std::string schema = schemaOf(cx, args[0].value);
  ExprPtr words = rows && !schema.empty() && !schemaTogether(schemaOfRows(*rows), schema).empty() ? wordsOf(cx, args[0].value, span) : nullptr;
  if (!words) {
    report(cx, Id::wrongArgument, args[0].span, quoted(method), "an item like those of the list", describe(cx, args[0].value));
    return Value::poison();
  }
  std::vector<ExprPtr> asked;
  asked.push_back(takeExpr(*rows));
  asked.push_back(std::move(words));
  return convertInt(cx, wholeOfHost(cx, method == "count" ? "rows_count" : "rows_place", std::move(asked), span), span);
}

Value turnedList(Context &cx, const Value &list, Span span) {
  auto rows = asHeldRows(cx, list, span);
  return rows ? asGrownList(cx, rowsCall(cx, "rows_turned", *rows, schemaOfRows(*rows), span), span) : Value::poison();
}

/// `d.update(e)`, of a dict that the compiler has.
static bool updateDict(Context &cx, const std::string &name, Binding &bound, const ast::CallExpr &call) {
  Value more = checkExpr(cx, *call.arguments[0].value);
  if (more.isPoison()) return true;
  Value made = readBinding(cx, name, bound, call.span);
  if (more.kind != ValueKind::Dict || more.text == kSet)
    return unsupported(cx, "`update` with a dict that only run time knows", call.span, "a loop stores its entries: `for key, value in other.items(): " + name + "[key] = value`"), true;
  for (size_t i = 0; i + 1 < more.items.size(); i += 2) {
    if (made.kind == ValueKind::Dict) {
      addToDict(cx, made, more.items[i], more.items[i + 1], call.span);
      continue;
    }
    auto with = withDictItem(cx, made, more.items[i], more.items[i + 1], call.span);
    if (!with) return unsupported(cx, "an entry of another kind in a dict", call.span), true;
    made = std::move(*with);
  }
  if (bound.var && cx.function.varValues.count(bound.var) && made.kind != ValueKind::Dict) cx.function.varValues[bound.var].text = made.text;
  assignName(cx, name, std::move(made), call.span);
  return true;
}

bool changeList(Context &cx, const ast::ExprStmt &stmt) {
  auto *call = as<ast::CallExpr>(stmt.value);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *name = method ? as<ast::NameExpr>(method->object) : nullptr;
  Binding *bound = name ? boundHere(cx, name->name) : nullptr;
  if (!bound) return false;
  const std::string &what = method->attribute.text;
  const size_t count = call->arguments.size();
  const bool named = std::any_of(call->arguments.begin(), call->arguments.end(), [](const ast::Argument &arg) { return bool(arg.keyword); });
  if (named) return false;
  if ((bound->value.kind == ValueKind::Dict || isHeldDict(bound->value)) && what == "update" && count == 1) return updateDict(cx, name->name, *bound, *call);
  if (!isListOfHost(bound->value)) {
    if (what != "pop" || !(bound->value.kind == ValueKind::Dict || isHeldDict(bound->value))) return false;
    return popped(cx, *call).has_value();
  }
  const bool pops = what == "pop" && count <= 1;
  if (!(pops || (changesList(what) && count == (what == "insert" ? 2u : what == "reverse" || what == "clear" ? 0u : 1u)))) return false;
  if (isLostStore(cx, name->name, stmt.span)) return true;
  std::vector<Value> args;
  for (const ast::Argument &arg : call->arguments) {
    args.push_back(checkExpr(cx, *arg.value));
    if (args.back().isPoison()) return true;
  }
  if (pops || what == "insert") {
    if (args.empty()) args.push_back(Value::integer(Dim(-1)));
    args[0] = convertInt(cx, args[0], stmt.span);
    if (args[0].isPoison()) return true;
  }
  const bool open = (what == "extend" && !args[0].isSequence()) || what == "remove" || (what == "insert" && !args[0].isKnownInt()) || (pops && !knownPlace(bound->value, args[0]));
  Value list = listNamed(cx, name->name, bound, isOwnHere(cx, *bound) && !open, name->span);
  if (list.isPoison()) return true;
  const bool known = list.kind == ValueKind::List;
  if (known && !isOwnHere(cx, *bound)) return false;
  Value made = list;
  if (what == "extend") made = extended(cx, list, args[0], stmt.span);
  else if (what == "insert") made = inserted(cx, list, args[0], args[1], stmt.span);
  else if (what == "reverse" && known) std::reverse(made.items.begin(), made.items.end());
  else if (what == "reverse") made = turnedList(cx, list, stmt.span);
  else if (what == "clear" && known) made.items.clear();
  else if (what == "clear") made = asHeldLike(cx, *bound, Value::of(ValueKind::List), stmt.span);
  else if (pops && known) made.items.erase(made.items.begin() + static_cast<std::ptrdiff_t>(*knownPlace(list, args[0])));
  else if (known) return unsupported(cx, "`" + what + "` of a list of such items", stmt.span), true;
  else {
    Value at = pops ? args[0] : askList(cx, list, "index", {Given{"", args[0], stmt.span, {}, nullptr}}, stmt.span);
    made = at.isPoison() ? at : withoutItem(cx, list, at.isKnownInt() ? at : reusable(cx, at, "index", stmt.span), stmt.span);
  }
  if (made.kind == ValueKind::HostTensor) made.items = list.items;
  if (!made.isPoison()) renew(cx, name->name, *bound, std::move(made), stmt.span);
  return true;
}

bool deleteItem(Context &cx, const ast::SubscriptExpr &place) {
  auto *name = as<ast::NameExpr>(place.object);
  Binding *bound = name ? boundHere(cx, name->name) : nullptr;
  if (!bound || place.items.size() != 1 || place.items[0].value->kind == ast::ExprKind::Slice) return false;
  const bool dict = bound->value.kind == ValueKind::Dict || isHeldDict(bound->value);
  if (!dict && !isListOfHost(bound->value)) return false;
  Value key = checkExpr(cx, *place.items[0].value);
  if (key.isPoison() || isLostStore(cx, name->name, place.span)) return true;
  if (dict) {
    Value made = withoutKey(cx, readBinding(cx, name->name, *bound, name->span), key, place.span);
    if (!made.isPoison()) assignName(cx, name->name, std::move(made), place.span);
    return true;
  }
  Value index = convertInt(cx, key, place.items[0].span);
  if (index.isPoison()) return true;
  const bool known = knownPlace(bound->value, index) && isOwnHere(cx, *bound);
  Value list = listNamed(cx, name->name, bound, known, name->span);
  if (list.kind == ValueKind::List) {
    if (!known) return false;
    list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(*knownPlace(list, index)));
  } else {
    list = withoutItem(cx, list, index.isKnownInt() ? index : reusable(cx, std::move(index), "index", place.span), place.span);
  }
  assignName(cx, name->name, std::move(list), place.span);
  return true;
}

std::optional<Value> popped(Context &cx, const ast::CallExpr &expr) {
  auto *method = as<ast::AttributeExpr>(expr.callee);
  auto *name = method && method->attribute.text == "pop" ? as<ast::NameExpr>(method->object) : nullptr;
  Binding *bound = name ? boundHere(cx, name->name) : nullptr;
  if (!bound) return std::nullopt;
  const size_t count = expr.arguments.size();
  const bool dict = bound->value.kind == ValueKind::Dict || isHeldDict(bound->value);
  if (dict ? count != 1 : bound->value.kind != ValueKind::List || count > 1 || !isOwnHere(cx, *bound)) return std::nullopt;
  Value key = count == 0 ? Value::integer(Dim(-1)) : checkExpr(cx, *expr.arguments[0].value);
  if (key.isPoison()) return key;
  Value whole = readBinding(cx, name->name, *bound, name->span);
  if (!dict) {
    auto at = knownPlace(whole, key);
    if (!at) return std::nullopt;
    Value item = whole.items[*at];
    whole.items.erase(whole.items.begin() + static_cast<std::ptrdiff_t>(*at));
    assignName(cx, name->name, std::move(whole), name->span);
    return item;
  }
  Value item = dictValue(cx, whole, key, expr.span);
  if (item.isPoison()) return item;
  if (item.expr) item = reusable(cx, std::move(item), "item", expr.span);
  Value made = withoutKey(cx, whole, key, expr.span);
  if (!made.isPoison()) assignName(cx, name->name, std::move(made), name->span);
  return item;
}

}  // namespace tessera::sema
