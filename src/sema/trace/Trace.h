// Statements and expressions in the order in which they run: values, and what is appended to the function being built.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "sema/Arguments.h"
#include "sema/Context.h"
#include "sema/Value.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::sema {

/// Stands for the result in a way through a function; no user can give a name like this.
inline const char *const kResult = "the result";

/// Whether this entry point has had all its steps (CheckOptions::mostSteps).
inline bool exhausted(const Context &cx) { return cx.steps > cx.options.mostSteps; }

// ---- CheckStmt.cpp
/// Statements in order; what follows a jump is reported and skipped.
void checkBlock(Context &cx, const ast::Block &block);
void checkFrom(Context &cx, Continuation at);
/// `valueSpan`: the words of the value, if they stand apart (not in `y[i] += x`).
void assignTo(Context &cx, const ast::Expr &target, Value value, Span span, Span valueSpan = {});

// ---- Stores.cpp
/// One struct of a stack on the way to a place, `layers[i]` of `model.layers[i].w`.
struct StackRow {
  Value index;
  Span span;
};
/// where(here, part, old), in the dtype that memory has: nothing is computed.
Value chosenAsStored(Context &cx, Value here, Value part, const Value &old, Span span);
/// What is stored to a tensor in memory; or `out[t] = h` of a tensor function: the name gets a new value, the old one
/// with a part chosen anew. What the caller passed stays as it is.
void storeTo(Context &cx, const Value &target, const ast::SubscriptExpr &syntax, Value value, Span span,
             Span valueSpan = {}, const std::vector<StackRow> &rows = {});
/// What the place `model.layers[i].w` is a row of: `model.layers.w`, and which row. Anything else is its own value.
Value placeOf(Context &cx, const ast::Expr &expr, std::vector<StackRow> &rows);
/// The arrays of a stack with those of `one` in these rows. `ofState`: of memory that changes in place. Poison after a message.
Value withRow(Context &cx, const Value &whole, const std::vector<StackRow> &rows, const Value &one, bool ofState, Span span);
/// `layers[i] = layer`.
void assignRow(Context &cx, const ast::SubscriptExpr &syntax, const Value &stack, std::vector<StackRow> rows, Value value,
               Span span);

// ---- CheckExpr.cpp
/// The value of an expression; what has to run is appended to the block being built. Poison after a message.
Value checkExpr(Context &cx, const ast::Expr &expr);
/// What a name stands for now; a message where not every way that leads here binds it.
Value readBinding(Context &cx, const std::string &name, const Binding &binding, Span span);
/// What a name stands for, from the innermost frame to the prelude. `quiet`: without a message if nothing.
Value lookupName(Context &cx, const std::string &name, Span span, bool quiet);
/// Reports a name that nothing defines, with the nearest that is.
void reportUndefined(Context &cx, const std::string &name, Span span);
/// Whether this unknown name was not reported in this function before: to use it several times is one mistake.
bool firstUnknown(Context &cx, const std::string &name);
/// Types are made of the names of dtypes, so nothing else may have one.
bool reservedName(Context &cx, const std::string &name, const std::string &what, Span span);
bool reservedName(Context &cx, const std::string &name, const Value &value, Span span);
/// `a op b` of two values: known numbers are computed, the others become an expression.
Value binaryValues(Context &cx, ast::BinaryOp op, Value a, Value b, Span span);
/// The operands of `a op b`, in the order in which they stand (Addends.cpp).
std::pair<Value, Value> checkOperands(Context &cx, const ast::BinaryExpr &expr);
/// Binds the names of `for target in ...` to one item.
void comprehensionTarget(Context &cx, const ast::Expr &target, const Value &value);

// ---- CheckControl.cpp
/// The names that a block assigns, with those of the blocks in it.
void collectAssigned(const ast::Block &block, std::set<std::string> &names);
/// The names that a block assigns, with those of the blocks in it.
void collectAssigned(const ast::Stmt &stmt, std::set<std::string> &names);
/// One variable, declared before the condition, in place of the two that the branches bind.
Binding mergeBindings(Context &cx, Stmt &stmt, const Binding &a, const Binding &b);
/// What a name stands for behind a condition whose branches bind it to a and to b.
Binding mergeName(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
/// What is known when the program is compiled chooses a side; dimensions and run time make a branch.
void ifStmt(Context &cx, const ast::IfStmt &stmt);
/// What follows is not done by every lane, or device: they disagree about `cause`.
void enterVarying(Context &cx, bool varying, Span cause);
void leaveVarying(Context &cx, bool varying);
/// `break` and `continue`: of a loop that is written out where the compiler knows that they are reached.
void jumpStmt(Context &cx, const ast::Stmt &stmt);
void whileStmt(Context &cx, const ast::WhileStmt &stmt);
void forStmt(Context &cx, const ast::ForStmt &stmt);
/// Whether a function of tensors goes over the first axis of this: of a tensor, or of several side by side, with their numbers.
bool hasRows(const Context &cx, const Value &value);
/// What a turn has of a tensor, a stack, `zip` and `enumerate` of them; and how many of these there are.
Value rowAt(Context &cx, const Value &rows, const Value &index, Span span);
Value countOfRows(Context &cx, const Value &rows, Span span);

// ---- Bindings.cpp
/// What a value is now: it stays that when the variables that it reads are rebound.
Value snapshot(Context &cx, Value value, const std::string &name, Span span);
/// A known number as a variable that can be rebound.
Value asVariable(Context &cx, const Value &value, const std::string &name, Span span);
/// A tensor in the dtype that memory has it in, not in the one that it is computed in.
Value asStored(Context &cx, Value value, const std::string &name, Span span);
/// The parts of a binding as they are now: what their variables hold may have gained limits since.
Value partsNow(Context &cx, Value value, Span span);
/// Binds a name, or gives its variable a new value where run time rebinds it.
void assignName(Context &cx, const std::string &name, Value value, Span span);
/// Names that run-time control flow rebinds get a variable first.
void prepareRebinding(Context &cx, std::set<std::string> names, Span span);

// ---- Emit.cpp
/// A variable of the function being built.
Var *newVar(Context &cx, const std::string &name, Type type, Span span);
/// Appends a statement to the block being built.
Stmt &emit(Context &cx, StmtKind kind, Span span);
/// The expression of a run-time value; the value has none after it.
ExprPtr takeExpr(Value &value);
/// A variable as a value, of the language type of `like`.
Value valueOfVar(Var *var, const Value &like, Span span);
/// The value in a variable of its own.
Value bindTemp(Context &cx, const Value &value, const std::string &name, Span span, Var **made = nullptr);
/// The value in a form that may be used several times: a constant or a variable.
Value reusable(Context &cx, Value value, const std::string &name, Span span);
/// A dimension as an expression of the checked program.
ExprPtr dimExpr(Context &cx, const Dim &dim, Span span);
/// An integer as an Index expression.
ExprPtr indexExpr(Context &cx, const Value &value, Span span);
/// An Index that only run time knows, in a variable that dimensions can name.
Value indexValue(Context &cx, ExprPtr expr, const std::string &name, Span span);
/// Whether a condition holds, if that is known when the program is compiled.
std::optional<bool> knownCondition(const Value &value);
/// A condition as a bool expression; a message if it is none.
ExprPtr conditionExpr(Context &cx, const Value &value, Span span);
/// Whether lanes of a group, or devices, may disagree about the value.
bool isVarying(const Access &access);
/// Whether lanes of a group, or devices, may disagree about the value.
bool isVarying(const Expr &expr);
/// Whether it reads a variable that may get another value.
bool mentionsRebound(const Context &cx, const Dim &dim);
/// Whether an integer is made of elements of tensors.
bool isOfData(const Context &cx, const Dim &dim);

// ---- CheckAttribute.cpp
/// The built-in `name` of `tile` or of another space; Poison, without a message, if there is none.
Value builtinMember(Context &cx, const std::string &space, const std::string &name);
/// What a module defines or passes on under this name; Poison, without a message, if nothing.
/// What Python's `math` calls so: a constant, or what has that name here.
Value memberOfMath(Context &cx, const std::string &name);
Value moduleMember(const ModuleScope &scope, const std::string &name);
/// `object.name`: a member of a module or a struct, a property, or a method with its object.
Value checkAttribute(Context &cx, const ast::AttributeExpr &expr);
/// A method with its object: of a built-in row, or of a struct's function.
/// `x.copy()`: a value does not change, and a name that is stored to gets elements of its own.
inline constexpr std::string_view kCopy = "copy";
Value methodOf(const Value &object, const std::string &name, const BuiltinRow *row, const Callable *callable);

// ---- CheckCompare.cpp
/// `a op b` of two values, for each comparison.
Value compareValues(Context &cx, ast::CompareOp op, Value a, Value b, Span span);
/// A chain of comparisons: `a < b < c` holds where all of them do.
Value checkCompare(Context &cx, const ast::CompareExpr &expr);

// ---- CompileTime.cpp
/// Arithmetic on integers: numbers, dimensions, and what only run time knows.
Value intBinary(Context &cx, ast::BinaryOp op, const Value &a, const Value &b, Span span);
/// Arithmetic on numbers that are known.
Value floatBinary(Context &cx, ast::BinaryOp op, double a, double b, Span span);
/// The integer, if it is known when the program is compiled; else a message that `what` must be.
std::optional<int64_t> knownInt(Context &cx, const Value &value, Span span, const char *what);
/// The truth value, if it is known when the program is compiled; else a message that `what` must be.
std::optional<bool> knownBool(Context &cx, const Value &value, Span span, const char *what);
/// Sets one field of a schedule. False after a message.
bool scheduleField(Context &cx, Schedule &schedule, const std::string &field, const Value &value, Span span);
/// `Schedule(m=64, n=64, ...)`.
Value scheduleCall(Context &cx, const GivenList &args, Span span);
/// tuned.with_block(64, 64), and the chained form Schedule().block(m=64, n=64).warps(4).
Value scheduleMethod(Context &cx, const Value &schedule, const std::string &name, const GivenList &args, Span span);

// ---- WorkLimits.cpp
/// Counts an expression of this entry point. False if it has had all its steps (CheckOptions::mostSteps).
bool countStep(Context &cx, Span span);
/// The value, if it is not larger than what the compiler keeps.
Value withinLimits(Context &cx, Value value, Span span);
/// Names in a number are for the emitted text, and nobody reads a long formula of them there.
Dim withShortNames(Dim number);
/// Whether a product of these would have too many terms. True after a message.
bool growsTooFar(Context &cx, const Dim &a, const Dim &b, Span span);
/// Whether a formula has become too long to go on with. True after a message.
bool isTooLarge(Context &cx, const Dim &dim, Span span);
/// The integers of a range that the compiler runs over itself. Nothing, and a message, if it cannot.
std::optional<std::vector<Value>> knownRange(Context &cx, const Value &range, Span span, const char *what);

// ---- UselessStatements.cpp
/// Reports statements after a jump, and loops over numbers that run out at once.
void strayStatements(Context &cx, const ast::Block &block);
/// A value that is computed and dropped. Values do not change in place, so a name for it was forgotten.
void unusedValue(Context &cx, const ast::ExprStmt &stmt, const Value &value, size_t emitted);
/// `N = 3` where N is a dimension of the function: its tensors would still have the other size.
bool dimensionAssigned(Context &cx, const std::string &name, Span span);

// ---- Trying.cpp
/// `try` of host code, or a part of one that the checker made.
void tryStmt(Context &cx, const ast::TryStmt &stmt);
/// `raise ValueError(text)`, `raise`, and `raise SystemExit(code)` of host code.
void raiseInHost(Context &cx, const ast::RaiseStmt &stmt);

// ---- Suspicions.cpp
/// `while n > 0:` where the body neither changes n nor leaves the loop. True after a message.
bool neverEnds(Context &cx, const ast::WhileStmt &loop);
/// Whether a block has a `break`, `return` or `raise`.
bool leaves(const ast::Block &block);
/// `acc = dot(...)` in a loop, where `acc` has a value from before and is not looked at in the loop: what all turns
/// but the last compute is dropped. Host code may repeat something for its own sake.
void lastTurnOnly(Context &cx, const ast::ForStmt &loop);
/// `x[k:k + T.k]` in a loop over `range(0, K)`: each turn takes T.k elements, and goes on by one.
void overlappingSlices(Context &cx, const Value &start, const Dim &length, Span span);
/// `for i in tile.range(tile.local_id(), N)`: each lane begins one element after the one before it, and goes over all
/// that follow. A body that has an index of the lane besides, a row of its own, may mean it so.
void lanesWalkTogether(Context &cx, const ast::ForStmt &loop, const Value &start, const Value &stop);
/// A sum, maximum or product over an axis of a tile whose size the schedule decides, once and not in a loop: another
/// schedule would give another result. True after a message.
bool dependsOnTile(Context &cx, const Dim &extent, const std::string &what, Span span);
/// One value for all: a result without dimensions of a kernel. True after a message.
bool lanesDisagree(Context &cx, const Value &value, Span span);
/// A parameter that is returned as the result and never written to.
void unwrittenResults(Context &cx, const ast::FuncDef &def, const std::set<Var *> &stored);
/// `x[h]` in a kernel, where h counts something else than this axis has. A number that is added or taken away means a
/// neighbour, which is masked at the edge. True after a message.
bool counterOutside(Context &cx, const Dim &number, const Dim &extent, Span span);
/// `count += 1` where `count` is a name of the module: it would be another, local one without a value.
bool addsToModule(Context &cx, const ast::AugAssignStmt &stmt);
/// `assert (condition, "text")` and `assert "text"` are always true.
bool assertsNothing(Context &cx, const ast::AssertStmt &stmt, const Value &condition);

// ---- DoubtfulOperands.cpp
/// Whether an operand is given an axis where it stands, `m[:, None]`.
bool addsAxis(const ast::Expr &e);
/// `x[1:] - x[1:]`, which is 0 everywhere: neighbours were meant.
void warnOfSameOperands(Context &cx, const ast::Expr &left, const ast::Expr &right, const std::string &shown);
/// `prediction - target` of [N, 1] and [N]: each is taken from each, in a function that makes no axes of extent 1 itself and
/// returns no pairs.
void warnOfPairs(Context &cx, const Value &a, const Value &b, const ast::BinaryExpr &expr, const std::string &shown);
/// `sum(x) // N`: a quotient of floats loses what stands behind its point.
void warnOfFloor(Context &cx, const Value &a, const Value &b, const ast::BinaryExpr &expr);
/// `x == NAN`, which holds for none. True after a message.
bool comparesWithNan(Context &cx, const Value &a, const Value &b, bool differs, Span left, Span right);

// ---- CheckReturn.cpp
bool returnsOnSomeWay(const Context &cx, const ast::IfStmt &stmt);
/// Behind a branch: the rest of the function, where it does not return by itself.
void endBranch(Context &cx, Span span);
/// The names that the rest of the function assigns, too.
void collectAssignedInRest(const Context &cx, std::set<std::string> &names);
/// Behind a condition all ways of which have ended: the result of the function, or of the way around it.
void returnMerged(Context &cx);
/// Of the two ways, only the result has a meaning behind them.
void keepResultOnly(const Names &before, Names &names);
/// The result, a tuple or struct that both ways make, part by part.
Binding mergeTrees(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
void returnStmt(Context &cx, const ast::ReturnStmt &stmt);

// ---- What is bound to nothing that is known: names of statements that were refused, names in other places than here.
/// After a message about a statement: the names that it would bind hold something unknown, and if it returns, so does
/// the function.
void bindUnknown(Frame &frame, const ast::Stmt &stmt, int block);

/// `self.w` for a name that is a field or method of the struct whose method is checked; empty if it is none.
std::string memberOfSelf(const Frame *frame, const std::string &name);

/// The type parameter of this name, of a function around or of the struct of a method; null if there is none.
const ast::TypeParameter *typeParameterNamed(const Frame *frame, const std::string &name);

/// Whether a name stands in the expression.
bool mentions(const ast::Expr &expr, const std::string &name);
/// Whether the type of a parameter names it.
bool inParameters(const ast::FuncDef &def, const std::string &name);

/// The parameters of the function that programs have under this name, alone or in `tile`: "x, axis".
std::optional<std::string> signatureHere(const Context &cx, std::string_view name, bool ofTiles);

/// Whether this is a parameter, `m: A | None`, that may be None.
bool isOptional(const Frame *frame, std::string_view name);

/// Whether there is an integer in the value, for `convertInt`, or a message about it was given.
bool mayBeInteger(const Value &value);

// ---- What the conditions around an access of a tensor say of its indices.
/// `if r < C and c < R:` around `y[r, c]`: the conditions there keep an index of a kernel inside of another axis than its own.
bool guardedElsewhere(Context &cx, const Dim &index, const std::vector<Dim> &extents, size_t axis, Span span);
/// `if i < N:` around `x[i + 1]` of `x: Tensor[N]`: the index goes on behind the end that a condition compares with, or in
/// front of the first element, for sizes that can be named.
bool goesBeyondGuard(Context &cx, const Dim &index, const Dim &extent, Span span);
/// `x[t + 1] if t + 1 < T else 0.0` in a function of tensors, which computes both sides: the index as it is where the choice holds, and
/// the nearest of the axis on the other side. Nothing if the choices around it do not say that it lies inside.
std::optional<Value> heldWhereChosen(Context &cx, const Value &index, const Dim &extent, Span span);
/// Whether something in the function is said about this index elsewhere, or in this line about another: it is wrong for the
/// same reason.
bool saidOutside(const Context &cx, const Dim &index, Span span);

// ---- The name of a row in a loop over the structs of a stack, where the loop's body assigns through it: `for c in cache.layers`
// with `c.k[i] = x` in its body. Such a name stands for the place of the row, and not for what it held before the turn.
struct RowPlace {
  const ast::Expr *stack;  // as the loop has it
  Value index;             // of the row
};

/// Of a name that is bound to a row of a state, and assigned through in the loop that bound it; of others nothing.
std::optional<RowPlace> rowPlace(Context &cx, const std::string &name, Span place);

// ---- What an `assert` says that fails when it is compiled.
/// The words of the author, at the condition.
inline void assertedText(diag::Builder builder, const ast::AssertStmt &stmt) {
  if (auto *text = ast::as<ast::StringExpr>(stmt.message)) builder.label(text->value);
}

}  // namespace tessera::sema
