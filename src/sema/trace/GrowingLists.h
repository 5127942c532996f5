// Lists of host code that a loop appends to: how many items they get is known when the program runs.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether a statement of it is `name.append(x)`.
bool appendsToNames(const ast::Block &block);
/// The lists that statements append to or take items from.
void collectChangedLists(const ast::Block &body, std::set<std::string> &names);
/// Before a loop with this body: lists of numbers, or of tuples of them, that it appends to or takes items from become tensors.
void holdGrowingLists(Context &cx, const ast::Block &body);
/// Behind a turn of the check: whether such a list turned out to hold other numbers than was known. `before` has them from then on.
bool foundItemsOfLists(Context &cx, Names &before);
/// Binds a name to a list without items that run time holds. False after a message.
bool bindEmptyList(Context &cx, const std::string &name, Span span);
/// Puts an item behind the others of such a list. `written`: as the program has it.
void appendToHeld(Context &cx, const std::string &name, Value item, const ast::Expr &written);
/// A list that gets the name of one that run time holds, as that one is held.
Value asHeldLike(Context &cx, const Binding &held, Value value, Span span);
/// `rows[i].append(x)`. False if this is no list of lists that has a name.
bool appendToItem(Context &cx, const ast::ExprStmt &stmt);
/// `losses.append(x)` of such a list. False if this is none.
bool appendToHeldList(Context &cx, const ast::ExprStmt &stmt);
/// `items.pop()`, `items.pop(0)` of such a list: the item, and the name stands for the others. Nothing if this is none.
std::optional<Value> popFromHeldList(Context &cx, const ast::CallExpr &expr);

/// Arrays of one shape as the rows of one more axis, behind one another. Nothing if one of them is no array whose dtype is known.
std::optional<Value> rowsOfHost(Context &cx, const std::vector<Value> &arrays, Span span);

}  // namespace tessera::sema
