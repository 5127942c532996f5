// Dicts of host code. Those whose keys the compiler knows are its own, with a value for each key. Those that get keys while the program runs
// are held by it: a row for each key, with its value.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether it is a dict that run time holds.
bool isHeldDict(const Value &value);
/// A dict of numbers as run time holds it; nothing if it is no such.
std::optional<Value> asHeldDict(Context &cx, Value dict, Span span);
/// Before statements that run time may do or not, or several times: dicts of numbers that they store to are held by run time.
void holdGrowingDicts(Context &cx, const ast::Block &body);
/// `d[key] = value`. False if this is no dict that has a name.
bool storeToDict(Context &cx, const ast::SubscriptExpr &syntax, const Value &value, Span span);
/// `d[key].append(x)`, `d.setdefault(key, []).append(x)`, `d.setdefault(key, x)`. False if this is none of them.
bool changeEntry(Context &cx, const ast::ExprStmt &stmt);
/// `d[key]` of a dict that run time holds, `d.get(key, other)` of any, and `key in d`.
Value readDict(Context &cx, const Value &dict, Value key, Span span);
Value readDictOr(Context &cx, const Value &dict, const Value &key, const Value &other, Span span);
Value dictHolds(Context &cx, const Value &dict, const Value &key, Span span);
/// What `d.keys()`, `d.values()` and `d.items()` go over, of a dict that run time holds.
Value partsOfDict(Context &cx, const Value &dict, const std::string &what, Span span);
/// `set()`, `set(items)`: a dict whose values say nothing, known or held by run time.
Value setOf(Context &cx, const Value &items, Span span);
inline constexpr const char *kSet = "set";  // the text of a known one
/// A key of a dict of the compiler gets this value.
void addToDict(Context &cx, Value &dict, const Value &key, const Value &value, Span span);
/// The keys of a dict of the compiler, as a list.
Value keysOfDict(const Value &dict);
/// As Python shows it: `{3: 1.5}`.
Value dictText(Context &cx, const Value &dict, Span span);

}  // namespace tessera::sema
