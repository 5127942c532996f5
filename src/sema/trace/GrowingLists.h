// Lists of host code that a loop appends to: how many items they get is known when the program runs.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// Whether a statement of it is `name.append(x)`.
bool appendsToNames(const ast::Block &block);
/// Before a loop with this body: lists of numbers that it appends to become tensors of one axis.
void holdGrowingLists(Context &cx, const ast::Block &body);
/// Behind a turn of the check: whether such a list turned out to hold other numbers than was known. `before` has them from then on.
bool foundItemsOfLists(Context &cx, Names &before);
/// `losses.append(x)` of such a list. False if this is none.
bool appendToHeldList(Context &cx, const ast::ExprStmt &stmt);

}  // namespace tessera::sema
