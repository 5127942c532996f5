// Lists of host code that statements change where they lie: `rows[i][j] = x`, `xs.insert(0, x)`, `del xs[i]`. A name stands for another list behind it.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Methods that stand as statements, besides `append`, `sort` and `pop`.
bool changesList(std::string_view method);
/// `rows[i] = x`, `rows[i][j] = x`, `d[key][i] = x`. False if it is no item of a list that needs this: one of numbers is a tensor's element.
bool storeToItem(Context &cx, const ast::SubscriptExpr &syntax, const Value &value, Span span, Span valueSpan);
/// `xs.extend(ys)`, `xs.pop()` as a statement, `d.update(e)`. False if it is none.
bool changeList(Context &cx, const ast::ExprStmt &stmt);
/// `del xs[i]`, `del d[key]`. False if it is none.
bool deleteItem(Context &cx, const ast::SubscriptExpr &place);

// ---- Comprehensions.cpp
/// `a and b`, `a or b`, where what `b` asks the host runtime for, behind `from`, is asked only where `a` leaves it open.
ExprPtr askedBehind(Context &cx, ExprPtr before, ExprPtr behind, bool isAnd, size_t from, Span span);

// ---- GrowingLists.cpp
/// The list of this name as run time holds it, if the compiler has it and the name may stand for something else here.
void holdList(Context &cx, const std::string &name);
/// What a variable holds from now on; a loop that it was held in front of is checked anew.
void noteRows(Context &cx, Var *var, const Value &rows);
/// The list as one of rows. Of equally many numbers that stand in lists or tuples, `rows.append([1, 2])`, with an item that is one of its own length or kind.
std::optional<Value> asRows(Context &cx, const Value &list, const Value &item, Span span);
// ---- GrowingDicts.cpp
/// The value of a key, of a dict of either kind; and the dict without the key, or with an entry.
Value dictValue(Context &cx, const Value &dict, const Value &key, Span span);
std::optional<Value> withDictItem(Context &cx, const Value &dict, const Value &key, const Value &value, Span span);
Value withoutKey(Context &cx, const Value &dict, const Value &key, Span span);

}  // namespace tessera::sema
