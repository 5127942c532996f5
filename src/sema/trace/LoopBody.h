// The body of a loop that runs, checked until what it does to the names around it changes nothing more.
#pragma once
#include "sema/Context.h"
#include <functional>
#include <optional>

namespace tessera::sema {

struct Turns;

/// `body` is the block whose names the loop rebinds, and what is checked, unless `check` does something else. `cause`: what makes lanes
/// turn differently often. `prepare` binds what a turn begins with, and says which turn it is, where that is known.
void loopBody(Context &cx, Stmt *loop, const ast::Block &body, std::optional<Span> cause,
              const std::function<std::optional<Turns>()> &prepare, const std::function<void()> &check = {});

/// A value of this type for a variable that gets another one before it is read.
ExprPtr anyValue(Context &cx, const Type &type, Span span);
/// Names that the loop from `start` up to `stop` binds, and that are read behind it, keep what the last turn gave them, if there is one:
/// host code looks when it runs. A loop that counts down goes up from its end.
void keepLastTurn(Context &cx, Stmt &loop, const ast::ForStmt &stmt, const Value &start, const Value &stop);
/// A `return` in loops that run, of host code and of functions of tensors. False if it stands in none.
bool returnFromLoop(Context &cx, const ast::ReturnStmt &stmt);
/// Behind a loop that begins at this place of the block: what it returned leaves the loops around it, or the function.
/// `endless`: nothing else leaves it. `otherwise`: its `else`, `broke`: whether a `break` left the loop, where one may. Whether that was checked.
bool returnedInLoop(Context &cx, size_t before, const ast::Block &otherwise, Var *broke, bool endless);
/// The same of another loop of host code; it notes whether a turn was done, unless that is sure.
void keepLastTurn(Context &cx, Stmt &loop, const ast::Block &body, bool isSure, Span span, Span condition);

/// `[f(x[i]) for i in range(n)]` and `[f(row) for row in x]` of a tensor function, where sizes decide how many items there are: the items
/// as one tensor, with an axis in front; in structs and tuples each tensor of them. A loop of run time writes them.
Value stackedComprehension(Context &cx, const ast::ComprehensionExpr &expr, const Value &iterable);
/// Lists of the function's own without items, to which each turn of a loop of a function of tensors appends once: with `count` turns,
/// which sizes decide.
std::vector<std::string> listsOfTurns(Context &cx, const ast::Block &body, const Dim &count);
/// `list.append(item)` in such a loop. False if it is none of them.
bool appendToTurns(Context &cx, const std::string &list, const ast::Expr &written);
/// Behind that loop each of them is a tensor with a row for each turn, as a comprehension is; `turn`: which one, in the loop.
void stackTurns(Context &cx, const std::vector<std::string> &lists, const Dim &turn, const Dim &count, Stmt &loop);
/// Whether a block, or one below it, has a `continue`.
bool goesOn(const ast::Block &block);

}  // namespace tessera::sema
