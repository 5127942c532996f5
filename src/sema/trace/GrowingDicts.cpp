// Dicts of host code: known keys, and keys that run time finds (include/tessera/host/dict.h).
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/ChangedLists.h"
#include "sema/trace/Held.h"
#include "sema/trace/HeldEntries.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
/// The text of a dict that is held, with a letter for its keys and one for its values.
constexpr std::string_view kHeld = "dict:";
constexpr int64_t kEntryWords = 4;  // of a row: a key's kind and word, and its value's
constexpr char kNone = 'n', kWhole = 'w', kReal = 'r';  // none yet, integers alone, fractions too

char together(char a, char b) { return a == kNone ? b : b == kNone ? a : a == kWhole && b == kWhole ? kWhole : kReal; }
char keysOf(const Value &dict) { return dict.text[kHeld.size()]; }
char valuesOf(const Value &dict) { return dict.text[kHeld.size() + 1]; }
std::string heldText(char keys, char values) { return std::string(kHeld) + keys + values; }

/// A number as host code computes with it; anything else stays as it is.
Value asNumber(Context &cx, Value v, Span span) {
  return v.kind == ValueKind::HostTensor && v.madeOf && v.rank == 0 ? hostScalar(cx, v, span) : v;
}
/// Of which sort a number is; nothing if it is none.
std::optional<char> sortOf(const Value &v) {
  if (v.kind == ValueKind::Int || (v.isScalar() && isInt(v.type.dtype) && v.type.dtype != DType::Bool)) return kWhole;
  return v.kind == ValueKind::Float || (v.isScalar() && isFloat(v.type.dtype)) ? std::optional(kReal) : std::nullopt;
}
bool isKnown(const Value &key) {
  const bool number = key.kind == ValueKind::Float || key.kind == ValueKind::Bool || key.isKnownInt();
  return !key.expr && (number || key.kind == ValueKind::String || (key.isSequence() && std::all_of(key.items.begin(), key.items.end(), isKnown)));
}

/// A call of the host runtime that gives a number of this sort.
Value numberCall(Context &cx, char sort, std::string_view whole, std::string_view real, std::vector<ExprPtr> args, Span span) {
  return sort == kWhole ? convertInt(cx, wholeOfHost(cx, whole, std::move(args), span), span) : hostCall(cx, real, std::move(args), span);
}

/// Where a known key stands among the items, or behind them.
size_t placeOf(Context &cx, const Value &dict, const Value &key, Span span) {
  size_t i = 0;
  for (; i + 1 < dict.items.size(); i += 2) {
    const Value &mine = dict.items[i];
    auto isNumber = [](const Value &v) { return v.kind == ValueKind::Float || v.kind == ValueKind::Bool || v.isKnownInt(); };
    if (mine.kind != key.kind && !(isNumber(mine) && isNumber(key))) continue;
    if (knownCondition(compareValues(cx, ast::CompareOp::Eq, key, mine, span)).value_or(false)) break;
  }
  return i;
}

Binding *dictNamed(Context &cx, const ast::NameExpr *name) {
  if (!name || !inHost(cx) || !cx.function.frame) return nullptr;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end() || !bound->second.isBound()) return nullptr;
  const Value &value = bound->second.value;
  return value.kind == ValueKind::Dict || isHeldDict(value) ? &bound->second : nullptr;
}

/// `d[key].append(x)`, `d.setdefault(key, []).append(x)`, `d.setdefault(key, x)`, and `s.add(key)` of a set: whose entry it changes, and how.
struct EntryChange {
  const ast::NameExpr *name = nullptr;
  const ast::Expr *key = nullptr, *otherwise = nullptr, *item = nullptr;  // `item`: what is appended
  bool adds = false;  // of a set
};
const ast::CallExpr *callOf(const ast::Expr *e, const char *method, size_t arguments) {
  auto *call = as<ast::CallExpr>(e);
  auto *callee = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  return callee && callee->attribute.text == method && call->arguments.size() == arguments ? call : nullptr;
}
EntryChange entryChange(const ast::ExprStmt &stmt) {
  EntryChange change;
  const ast::Expr *entry = stmt.value.get();
  if (auto *add = callOf(entry, "add", 1)) {
    change.name = as<ast::NameExpr>(as<ast::AttributeExpr>(add->callee)->object);
    change.key = add->arguments[0].value.get(), change.adds = true;
    return change;
  }
  if (auto *append = callOf(entry, "append", 1)) {
    change.item = append->arguments[0].value.get();
    entry = as<ast::AttributeExpr>(append->callee)->object.get();
  }
  if (auto *call = callOf(entry, "setdefault", 2)) {
    change.name = as<ast::NameExpr>(as<ast::AttributeExpr>(call->callee)->object);
    change.key = call->arguments[0].value.get(), change.otherwise = call->arguments[1].value.get();
  } else if (auto *place = change.item ? as<ast::SubscriptExpr>(entry) : nullptr; place && place->items.size() == 1) {
    change.name = as<ast::NameExpr>(place->object);
    change.key = place->items[0].value.get();
  }
  return change;
}

void takenFrom(const ast::Expr &dict, std::set<std::string> &names, std::set<std::string> &open) {
  if (auto *name = as<ast::NameExpr>(&dict)) names.insert(name->name), open.insert(name->name);
}
/// `d.pop(key)`, `d.update(e)`.
void dictsPopped(const ast::Expr &e, std::set<std::string> &names, std::set<std::string> &open) {
  auto *call = as<ast::CallExpr>(&e);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  if (method && (method->attribute.text == "pop" || method->attribute.text == "update")) takenFrom(*method->object, names, open);
  for (const ast::Expr *part : ast::childrenOf(e).exprs) dictsPopped(*part, names, open);
}
/// `open`: those that get a key which does not stand there as it is.
void dictsStoredTo(const ast::Block &block, std::set<std::string> &names, std::set<std::string> &open) {
  using K = ast::ExprKind;
  auto target = [&](const ast::Expr *e) {
    auto *place = as<ast::SubscriptExpr>(e);
    while (place && place->object->kind == ast::ExprKind::Subscript) place = as<ast::SubscriptExpr>(place->object);
    auto *name = place ? as<ast::NameExpr>(place->object) : nullptr;
    if (!name) return;
    names.insert(name->name);
    const K key = place->items.empty() ? K::Slice : place->items[0].value->kind;
    if (key != K::String && key != K::Int && key != K::Float) open.insert(name->name);
  };
  for (const ast::StmtPtr &stmt : block) {
    if (stmt->kind == ast::StmtKind::FuncDef) continue;
    if (auto *alone = as<ast::ExprStmt>(stmt.get()))
      if (const EntryChange change = entryChange(*alone); change.name) names.insert(change.name->name), open.insert(change.name->name);
    if (auto *assign = as<ast::AssignStmt>(stmt.get()))
      for (const ast::ExprPtr &one : assign->targets) target(one.get());
    if (auto *assign = as<ast::AugAssignStmt>(stmt.get())) target(assign->target.get());
    if (auto *gone = as<ast::DelStmt>(stmt.get()))
      for (const ast::ExprPtr &one : gone->targets)
        if (auto *place = as<ast::SubscriptExpr>(one)) takenFrom(*place->object, names, open);
    for (const ast::Expr *part : ast::childrenOf(*stmt).exprs) dictsPopped(*part, names, open);
    for (const ast::Block *inner : ast::blocksOf(*stmt)) dictsStoredTo(*inner, names, open);
  }
}

/// The row of a key with this value, in the place of the one that there was, or behind the others.
Value withRow(Context &cx, const Value &dict, const Value &key, const Value &value, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  args.push_back(numberOfHost(cx, key, span));
  args.push_back(numberOfHost(cx, value, span));
  Value made = hostCall(cx, "store_key", std::move(args), span);
  made.rank = 2, made.madeOf = DType::I64;
  made.madeAs = {Dim::var(kAnyExtent), Dim(kEntryWords)};
  made.text = heldText(together(keysOf(dict), *sortOf(key)), together(valuesOf(dict), *sortOf(value)));
  return made;
}

bool hold(Context &cx, const std::string &name, Binding &binding) {
  auto held = asHeldDict(cx, readBinding(cx, name, binding, binding.span), binding.span);
  if (!held) return false;
  binding.value = bindTemp(cx, *held, name, binding.span, &binding.var);
  binding.block = cx.blockId;
  binding.parts = false;
  cx.function.rebindable.insert(binding.var);
  return true;
}

bool isOfOuterBlock(const Context &cx, const Binding &binding) {
  return binding.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth;
}

Value unknownKey(Context &cx, const ast::Expr &key, const Value &value) {
  return unsupported(cx, describe(cx, value) + " in a dict whose keys only run time knows, and that others do not go with,", key.span,
                     "run time holds keys and values that are numbers, texts, tuples and lists, all keys of one kind and all values");
}

/// A parameter is the caller's dict as well: there nothing would change.
bool isParameter(const Context &cx, const std::string &name) {
  const Callable *function = cx.function.frame->function;
  if (!function || !function->def || function->name == "main") return false;
  return std::any_of(function->def->parameters.begin(), function->def->parameters.end(), [&](const ast::Parameter &p) { return p.name.text == name; });
}
bool givesBack(const ast::Block &block, const std::string &name) {
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    auto *result = as<ast::ReturnStmt>(stmt.get());
    if (result && result->value && mentions(*result->value, name)) return true;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return givesBack(*inner, name); });
  });
}

/// Of a dict of the compiler: its items, with this one.
void storeKnown(Context &cx, const ast::NameExpr &written, Binding &bound, const Value &key, const Value &value, const std::string &shown, Span span) {
  const std::string &name = written.name;
  Value dict = readBinding(cx, name, bound, written.span);
  const size_t place = placeOf(cx, dict, key, span);
  if (place == dict.items.size() && isOfOuterBlock(cx, bound)) {
    unsupported(cx, "a key that is new to a dict under a condition, or in a loop, of run time", span,
                "give it its first value before: `" + shown + " = 0`");
    bound.value = Value::poison();
    return;
  }
  addToDict(cx, dict, key, value, span);
  assignName(cx, name, std::move(dict), written.span);
}
}  // namespace

bool isHeldDict(const Value &value) { return (value.kind == ValueKind::HostTensor && value.text.starts_with(kHeld)) || isHeldEntries(value); }

std::optional<Value> asHeldDict(Context &cx, Value dict, Span span) {
  if (dict.kind != ValueKind::Dict) return std::nullopt;
  if (dict.text == kSet) return asHeldEntries(cx, dict, span);
  for (Value &item : dict.items) {
    item = asNumber(cx, std::move(item), span);
    if (!sortOf(item)) return asHeldEntries(cx, dict, span);
  }
  const Value shape = Value::tuple({Value::integer(Dim(0)), Value::integer(Dim(kEntryWords))});
  Value held = hostFull(cx, shape, span, Value::integer(Dim(0)), scalarType(DType::I64), span);
  if (held.isPoison()) return std::nullopt;
  held.rank = 2, held.madeOf = DType::I64;
  held.madeAs = {Dim::var(kAnyExtent), Dim(kEntryWords)};
  held.text = heldText(kNone, kNone);
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) held = withRow(cx, held, dict.items[i], dict.items[i + 1], span);
  return held;
}

void holdGrowingDicts(Context &cx, const ast::Block &body) {
  if (!inHost(cx) || !cx.function.frame) return;
  std::set<std::string> names, open;
  dictsStoredTo(body, names, open);
  collectAssigned(body, names);  // `d = counted(d, x)`
  for (const std::string &name : names) {
    auto bound = cx.function.frame->names.find(name);
    if (bound == cx.function.frame->names.end() || !bound->second.isBound() || bound->second.value.kind != ValueKind::Dict) continue;
    const std::vector<Value> &items = bound->second.value.items;  // those whose texts are all known keep a variable for each value
    const bool numbers = std::all_of(items.begin(), items.end(), [](const Value &item) { return sortOf(item) || (item.kind == ValueKind::HostTensor && item.rank == 0); });
    if (!isOfOuterBlock(cx, bound->second) && (numbers || open.count(name))) hold(cx, name, bound->second);
  }
}

/// With an entry. An empty dict becomes one of texts and the like where the first is no number; nothing if it does not go with the others.
std::optional<Value> withDictItem(Context &cx, const Value &dict, const Value &key, const Value &value, Span span) {
  if (isHeldEntries(dict)) return withEntry(cx, dict, key, value, span);
  if (sortOf(key) && sortOf(value)) return withRow(cx, dict, key, value, span);
  if (keysOf(dict) != kNone) return std::nullopt;
  auto empty = asHeldEntries(cx, Value::of(ValueKind::Dict), span);
  empty->expr = dict.expr;
  return withEntry(cx, *empty, key, value, span);
}

Value dictValue(Context &cx, const Value &dict, const Value &key, Span span) {
  const size_t place = dict.kind == ValueKind::Dict && isKnown(key) ? placeOf(cx, dict, key, span) : dict.items.size();
  return dict.kind == ValueKind::Dict && place < dict.items.size() ? dict.items[place + 1] : readDict(cx, dict, key, span);
}

Value withoutKey(Context &cx, const Value &dict, const Value &key, Span span) {
  if (dict.kind == ValueKind::Dict && isKnown(key)) {
    const size_t place = placeOf(cx, dict, key, span);
    if (place == dict.items.size()) {
      report(cx, Id::wrongArgument, span, "a dict", "a key that it has", describe(cx, key));
      return Value::poison();
    }
    Value made = dict;
    made.items.erase(made.items.begin() + static_cast<std::ptrdiff_t>(place), made.items.begin() + static_cast<std::ptrdiff_t>(place) + 2);
    return made;
  }
  auto held = dict.kind == ValueKind::Dict ? asHeldDict(cx, dict, span) : std::optional(dict);
  if (!held) return unsupported(cx, "a key that only run time knows, of a dict that does not hold numbers alone,", span);
  const Value at = reusable(cx, std::move(*held), "dict", span);
  const Value number = asNumber(cx, key, span);
  if (number.isPoison()) return number;
  std::vector<ExprPtr> args;
  args.push_back(clone(*at.expr));
  args.push_back(isHeldEntries(at) ? wordsOf(cx, number, span) : sortOf(number) ? numberOfHost(cx, number, span) : nullptr);
  if (!args.back()) return unknownKey(cx, ast::NameExpr(ast::ExprKind::Name, span), number);
  Value place = convertInt(cx, wholeOfHost(cx, isHeldEntries(at) ? "entry_place" : "place_of_key", std::move(args), span), span);
  place = reusable(cx, std::move(place), "place", span);
  args.clear();
  args.push_back(clone(*at.expr));
  args.push_back(indexExpr(cx, place, span));
  Value fewer = hostCall(cx, "store_without", std::move(args), span);
  fewer.rank = at.rank, fewer.madeOf = at.madeOf, fewer.madeAs = at.madeAs, fewer.text = at.text;
  return fewer;
}

/// Whether a function may change the dict of this name; a message where it is the caller's.
static bool mayChange(Context &cx, const std::string &name, Span span) {
  if (!isParameter(cx, name) || givesBack(cx.function.frame->function->def->body, name)) return true;
  const std::string &function = cx.function.frame->function->name;
  if (fresh(cx, Id::immutableTensor, span))
    report(cx, Id::immutableTensor, span, "what `" + function + "` was called with")
        .label("`" + name + "` is a value: the caller's stays as it is")
        .help("return it, `return " + name + "`, and take it where it is called: `" + name + " = " + function + "(" + name + ", ...)`");
  return false;
}

/// The dict of this name with a value under a key. `place`: how the program names it.
static void storeEntry(Context &cx, const ast::NameExpr &syntax, Binding &bound, const ast::Expr &written, const Value &key, const Value &value, Span place, Span span) {
  const std::string &name = syntax.name;
  const Value number = asNumber(cx, value, span);
  if (key.isPoison() || number.isPoison() || !mayChange(cx, name, span)) return;
  if (bound.value.kind == ValueKind::Dict && isKnown(key)) return storeKnown(cx, syntax, bound, key, value, std::string(cx.sources.text(place)), span);
  if (bound.value.kind == ValueKind::Dict && (isOfOuterBlock(cx, bound) || !hold(cx, name, bound))) {
    unsupported(cx, "a dict with keys that only run time knows, beside keys or values that are no numbers,", span,
                "a list holds the values in their order: `values.append(x)`");
    bound.value = Value::poison();
    return;
  }
  auto with = withDictItem(cx, readBinding(cx, name, bound, syntax.span), key, number, span);
  if (!with) return void(unknownKey(cx, written, schemaOf(cx, key).empty() ? key : number));
  Value made = std::move(*with);
  if (bound.var && cx.function.varValues.count(bound.var)) cx.function.varValues[bound.var].text = made.text;
  assignName(cx, name, std::move(made), syntax.span);
}

bool storeToDict(Context &cx, const ast::SubscriptExpr &syntax, const Value &value, Span span) {
  auto *name = as<ast::NameExpr>(syntax.object);
  Binding *bound = dictNamed(cx, name);
  if (!bound || syntax.items.size() != 1) return false;
  const ast::Expr &written = *syntax.items[0].value;
  storeEntry(cx, *name, *bound, written, asNumber(cx, checkExpr(cx, written), written.span), value, syntax.span, span);
  return true;
}

/// A list with an item behind the others; of a dict that holds nothing yet, a list of this one.
static std::optional<Value> longer(Context &cx, const Value &list, Value item, Span span) {
  Value one = Value::of(ValueKind::List);
  one.items.push_back(std::move(item));
  if (!list.given()) return one;
  if (list.kind != ValueKind::List) return joinedLists(cx, list, one, span);
  Value all = list;
  all.items.push_back(std::move(one.items[0]));
  return all;
}

bool changeEntry(Context &cx, const ast::ExprStmt &stmt) {
  const EntryChange change = entryChange(stmt);
  Binding *bound = dictNamed(cx, change.name);
  if (!bound) return false;
  const Span span = stmt.span;
  if (change.adds && bound->value.text != kSet && !isHeldSet(bound->value)) return false;
  const Value key = asNumber(cx, checkExpr(cx, *change.key), change.key->span);
  if (change.adds) return storeEntry(cx, *change.name, *bound, *change.key, key, Value::boolean(true), change.key->span, span), true;
  Value entry = change.otherwise ? checkExpr(cx, *change.otherwise) : Value::of(ValueKind::Absent);
  Value item = change.item ? checkExpr(cx, *change.item) : Value::of(ValueKind::Absent);
  if (key.isPoison() || entry.isPoison() || item.isPoison()) return true;
  const Value dict = readBinding(cx, change.name->name, *bound, span);
  const bool known = dict.kind == ValueKind::Dict && isKnown(key), isNew = isHeldDict(dict) && (isHeldEntries(dict) ? holdsNothing(dict) : keysOf(dict) == kNone);
  if (change.otherwise && !isNew) entry = readDictOr(cx, dict, key, entry, span);
  else if (!change.otherwise && known) entry = placeOf(cx, dict, key, span) < dict.items.size() ? dict.items[placeOf(cx, dict, key, span) + 1] : readDict(cx, dict, key, span);
  else if (!change.otherwise && !isNew) entry = readDict(cx, dict, key, span);
  if (entry.isPoison()) return true;
  if (change.item) {
    auto more = longer(cx, entry, std::move(item), span);
    if (!more) return unknownKey(cx, *change.item, entry), true;
    entry = std::move(*more);
  }
  storeEntry(cx, *change.name, *bound, *change.key, key, entry, change.key->span, span);
  return true;
}

/// The arguments of a call of the host runtime that looks for a key. Nothing after a message.
static std::optional<std::vector<ExprPtr>> lookFor(Context &cx, const Value &dict, Value key, Span span) {
  key = asNumber(cx, std::move(key), span);
  if (key.isPoison()) return std::nullopt;
  if (!sortOf(key)) {
    report(cx, Id::wrongArgument, span, "a key of this dict", "a number", describe(cx, key));
    return std::nullopt;
  }
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  args.push_back(numberOfHost(cx, key, span));
  return args;
}

Value readDict(Context &cx, const Value &dict, Value key, Span span) {
  if (dict.kind == ValueKind::Dict) {
    auto held = asHeldDict(cx, dict, span);
    return held ? readDict(cx, *held, std::move(key), span)
                : unsupported(cx, "a key that only run time knows, of a dict that does not hold numbers alone,", span, "a list and an index do the same");
  }
  if (isHeldEntries(dict)) return entryOf(cx, dict, asNumber(cx, std::move(key), span), span);
  auto args = lookFor(cx, dict, std::move(key), span);
  return args ? numberCall(cx, valuesOf(dict), "whole_of_key", "real_of_key", std::move(*args), span) : Value::poison();
}

Value readDictOr(Context &cx, const Value &dict, const Value &key, const Value &other, Span span) {
  if (key.isPoison() || other.isPoison()) return Value::poison();
  if (dict.kind == ValueKind::Dict) {
    if (!isKnown(key)) {
      auto held = asHeldDict(cx, dict, span);
      return held ? readDictOr(cx, *held, key, other, span)
                  : unsupported(cx, "`get` with a key that only run time knows, of a dict that does not hold numbers alone,", span, "a list and an index do the same");
    }
    const size_t place = placeOf(cx, dict, key, span);
    if (place < dict.items.size()) return dict.items[place + 1];
    return other.given() ? other : Value::of(ValueKind::None);
  }
  const Value number = asNumber(cx, other, span), given = asNumber(cx, key, span);
  if (isHeldEntries(dict)) return entryOr(cx, dict, given, number, span);
  if (keysOf(dict) == kNone && number.given() && (!sortOf(given) || !sortOf(number)) && !schemaOf(cx, number).empty()) return number;  // nothing is known to be in it yet
  if (!number.given() || !sortOf(number)) {
    report(cx, Id::wrongArgument, span, quoted("get"), "the number that a key without a value stands for", other.given() ? describe(cx, other) : "none").help("for example `get(key, 0)`");
    return Value::poison();
  }
  auto args = lookFor(cx, dict, key, span);
  if (!args) return Value::poison();
  const char sort = together(valuesOf(dict), *sortOf(number));
  args->push_back(sort == kWhole ? numberOfHost(cx, number, span) : inCarryType(cx, number, DType::F64, span));
  return numberCall(cx, sort, "whole_or", "real_or", std::move(*args), span);
}

Value dictHolds(Context &cx, const Value &dict, const Value &key, Span span) {
  if (isHeldEntries(dict)) return hasEntry(cx, dict, asNumber(cx, key, span), span);
  if (dict.kind != ValueKind::Dict) {
    if (keysOf(dict) == kNone && !sortOf(asNumber(cx, key, span))) return Value::boolean(false);  // nothing is known to be in it yet
    auto args = lookFor(cx, dict, key, span);
    return args ? hostCall(cx, "has_key", std::move(*args), span) : Value::poison();
  }
  if (isKnown(key)) return Value::boolean(placeOf(cx, dict, key, span) < dict.items.size());
  return compareValues(cx, ast::CompareOp::In, key, keysOfDict(dict), span);
}

Value setOf(Context &cx, const Value &items, Span span) {
  Value made = Value::of(ValueKind::Dict);
  made.text = kSet;
  if (!items.given() || items.isPoison()) return items.isPoison() ? items : made;
  if (items.kind == ValueKind::Dict) return setOf(cx, keysOfDict(items), span);
  if (items.kind == ValueKind::String && !items.expr) {
    Value letters = Value::of(ValueKind::List);
    for (char c : items.text) letters.items.push_back(Value::string(std::string(1, c)));
    return setOf(cx, letters, span);
  }
  if (items.isSequence() && std::all_of(items.items.begin(), items.items.end(), isKnown)) {
    for (const Value &item : items.items) addToDict(cx, made, item, Value::boolean(true), span);
    return made;
  }
  auto rows = inHost(cx) ? asHeldRows(cx, isHeldDict(items) ? partsOfDict(cx, items, "keys", span) : listOfIterated(cx, items, span), span) : std::nullopt;
  if (rows) return heldSet(cx, *rows, span);
  report(cx, Id::wrongArgument, span, "`set`", "a list of numbers, texts or tuples", describe(cx, items));
  return Value::poison();
}

void addToDict(Context &cx, Value &dict, const Value &key, const Value &value, Span span) {
  const size_t place = placeOf(cx, dict, key, span);
  if (place == dict.items.size()) dict.items.push_back(key), dict.items.push_back(value);
  else dict.items[place + 1] = value;
}

Value keysOfDict(const Value &dict) {
  Value keys = Value::of(ValueKind::List);
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) keys.items.push_back(dict.items[i]);
  return keys;
}

Value partsOfDict(Context &cx, const Value &dict, const std::string &what, Span span) {
  const Value held = reusable(cx, dict, "dict", span);
  if (isHeldEntries(dict)) {
    if (what != "items") return listOfEntries(cx, held, what == "keys", span);
    Value both = Value::of(ValueKind::Zip);
    for (bool keys : {true, false}) both.items.push_back(reusable(cx, listOfEntries(cx, held, keys, span), keys ? "keys" : "values", span));
    return both;
  }
  auto column = [&](int64_t which) {
    std::vector<ExprPtr> args;
    args.push_back(clone(*held.expr));
    args.push_back(makeIndex(which, span));
    const bool whole = (which == 0 ? keysOf(dict) : valuesOf(dict)) == kWhole;
    Value made = hostCall(cx, whole ? "column_whole" : "column_real", std::move(args), span);
    made.rank = 1, made.madeOf = whole ? DType::I64 : DType::F64;
    return made;
  };
  if (what == "keys") return column(0);
  if (what == "values") return column(1);
  Value both = Value::of(ValueKind::Zip);
  for (int64_t which : {0, 1}) both.items.push_back(reusable(cx, column(which), which == 0 ? "keys" : "values", span));
  return both;
}

Value dictText(Context &cx, const Value &dict, Span span) {
  if (isHeldEntries(dict)) return entriesText(cx, dict, span);
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  return hostCall(cx, "dict_text", std::move(args), span);
}

}  // namespace tessera::sema
