// Lists of host code whose items are no numbers of one kind: lists of several lengths, texts, arrays, and tuples of such. Run time holds an item
// as a row of words, each value with its kind (include/tessera/host/words.h). What the items of a list are is its schema here: `w` an integer, `r`
// a number with a fraction, `b` a truth value, `t` a text, `[X]` a list, `(XYZ)` a tuple, `{f32 2}` arrays of that dtype and so many axes.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether it is such a list, as run time holds it, and how its items are read.
bool isHeldRows(const Value &value);
std::string schemaOfRows(const Value &rows);
/// How a value is read that is an item of such a list; empty if it cannot be one. `?`: items of a list that has none.
std::string schemaOf(const Context &cx, const Value &value);
/// What reads the items of both; empty if nothing does.
std::string schemaTogether(const std::string &a, const std::string &b);

/// The words of a value; null after a message.
ExprPtr wordsOf(Context &cx, const Value &value, Span span);
/// The value that words stand for.
Value valueOfWords(Context &cx, Value words, const std::string &schema, Span span);

/// A list as run time holds it, of these items or of a tensor of numbers. Nothing if an item is none.
std::optional<Value> asHeldRows(Context &cx, const Value &list, Span span);
/// The same as an expression alone, which needs nothing in front of it.
ExprPtr rowsOfItems(Context &cx, const std::vector<Value> &items, Span span);
Value rowsWithSchema(Value rows, const std::string &schema);
/// Of numbers: the tensor that a list of numbers is; else the list as it is.
Value asGrownList(Context &cx, Value rows, Span span);

/// `rows[i]`, `rows[a:b]`, `a + b` of lists, `x in rows`, and the text that `print` shows.
Value itemOfRows(Context &cx, const Value &rows, const Value &index, Span span);
std::optional<Value> subscriptOfRows(Context &cx, const Value &rows, const ast::SubscriptExpr &expr);
/// `a + b`, where one of them is a list that run time holds and the other one a list. Nothing if this is none.
std::optional<Value> joinedLists(Context &cx, const Value &a, const Value &b, Span span);
std::optional<Value> rowsHold(Context &cx, const Value &rows, const Value &item, Span span);
Value rowsText(Context &cx, const Value &rows, Span span);

/// What run time goes over side by side, or with numbers, as a list; anything else as it is.
Value listOfIterated(Context &cx, const Value &iterable, Span span);
/// Items in order, or in falling order; by what `key` gives for each, if there is one.
Value sortedList(Context &cx, const Value &list, const Value &key, const Value &reverse, Span span);
/// `items.sort(key=f, reverse=True)`. False if this is none.
bool sortInPlace(Context &cx, const ast::ExprStmt &stmt);

/// `[f(x) for x in items if g(x)]` over what run time has: a list that grows turn by turn.
Value heldComprehension(Context &cx, const ast::ComprehensionExpr &expr, const ast::ComprehensionFor &clause, const Value &iterable);

}  // namespace tessera::sema
