// Dicts of host code whose keys or values are texts, tuples or lists, as run time holds them: rows of a key's words and its value's.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

bool isHeldEntries(const Value &value);
/// Whether nothing that was stored to it says what its values are.
bool holdsNothing(const Value &dict);
/// Whether it is a set, whose keys alone count; and one of the items of a list.
bool isHeldSet(const Value &value);
Value heldSet(Context &cx, const Value &rows, Span span);
/// Of these keys and values; nothing if one of them is neither number, text, list nor tuple.
std::optional<Value> asHeldEntries(Context &cx, const Value &dict, Span span);
/// With an entry more, or another value; nothing if the key or value is of another kind than those that are there.
std::optional<Value> withEntry(Context &cx, const Value &dict, const Value &key, const Value &value, Span span);
/// `d[key]`, `d.get(key, other)` and `key in d`.
Value entryOf(Context &cx, const Value &dict, const Value &key, Span span);
Value entryOr(Context &cx, const Value &dict, const Value &key, const Value &other, Span span);
Value hasEntry(Context &cx, const Value &dict, const Value &key, Span span);
/// All keys or values, as a list.
Value listOfEntries(Context &cx, const Value &dict, bool keys, Span span);
Value entriesText(Context &cx, const Value &dict, Span span);

}  // namespace tessera::sema
