// What functions do beside computing results: effects, streams of random numbers, state objects, collectives.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// A state object that a traced call was given.
struct PassedState {
  std::string parameter, root;
  int handle = 0;
};
/// A cache that a call moves on: the argument, and what the caller has after the call.
struct MovedState {
  Value before;
  std::string parameter;
  Span span;  // of the argument
  Value after;
};
/// A loop: the number of a turn, in the turn, and how many there are.
struct Turns {
  Dim turn, count;
};
/// What each turn of a loop adds to a cache, by its name: so many rows in the turns `of`.
struct RowsOfTurn {
  Dim rows;
  Turns of;
};
using RowsPerTurn = std::map<std::string, RowsOfTurn>;
/// An item of `effects[...]`.
struct DeclaredEffect {
  EffectKind kind;
  std::string of;  // empty: any
  Span span;
};

class Draw;

/// The number of a new value that is used up (Value::handle).
inline int newHandle(Context &cx) { return ++cx.lastHandle; }

// ---- InferEffects.cpp
/// The function being checked has this effect.
void noteEffect(Context &cx, Effect effect);
/// The effects that calls of built-in functions have by themselves.
void noteBuiltinEffect(Context &cx, const BuiltinRow &row, Span span);
/// `traced`: what the callee does was looked at where it does it.
void takeOverEffects(Context &cx, const Effects &effects, const std::string &callee, bool traced, Span span);
/// `@fast(nondet)`: the function may give other bits each time it runs.
void fastDecorator(Context &cx, const ast::FuncDef &def);
/// A function has no other effects than it declares and keeps what `@deterministic` promises.
void checkEffects(Context &cx, const Callable &callable, const Effects &inferred);

// ---- LinearValues.cpp
/// True, with a message, if the value was used up before.
bool isUsedUp(Context &cx, const Value &value, Span span);
/// Uses a value up. False, with a message, if it was used up before.
bool useUp(Context &cx, const Value &value, const std::string &by, Span span);
/// After a condition that was taken one way with `thenSpent` and the other way with `cx.spent`: what either way uses
/// up is used up, and a name that one way renews stands for something new.
void mergeUsedUp(Context &cx, const std::map<std::string, Binding> &before,
                 const std::map<std::string, Binding> &thenNames, const SpentValues &thenSpent,
                 const std::map<std::string, Binding> &elseNames, Span condition);
/// A loop uses up in its second turn what it used up in its first. `names`: those from before the loop.
void usedUpInLoop(Context &cx, const SpentValues &before, const std::map<std::string, Binding> &names);

// ---- Cache.cpp
/// KVCache[B, H, S_max, D, bf16]
bool readStateType(Context &cx, const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims);
/// `KVCache[...] @rolling_window`. False, with a message, for what is no state object.
bool rollingWindow(Context &cx, Type &type, Span span);
/// A property or a method of a state object.
Value memberOfState(Context &cx, const Value &object, const std::string &name, Span span,
                    std::vector<std::string> &known);
/// `cache.append(k, v)` and `cache.reset()`: the state after it.
Value advanceState(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// `KVCache(...)`: a new state object.
Value newState(Context &cx, Bound &args, Span span);
/// A state object as the argument of a traced function.
bool matchState(Context &cx, const Value &value, const ast::SubscriptExpr &annotation, bool rolling,
                const std::string &name, Span span, Value &out);
/// A cache as the argument of an entry point, which moves it on: its parts. False after a message.
bool cacheArgument(Context &cx, const Value &value, const Type &type, const Callable &callable, Span span,
                   std::vector<Value> &parts, std::vector<Span> &places);
/// The cache behind a call of an entry point, which counted what it appended. `parts`: the arguments of the call.
std::optional<Value> cacheBehind(Context &cx, const Value &before, const Dim &count, const Function &callee,
                                 const std::vector<Value> &parts, std::map<std::string, Dim> dims, Span span);
/// Behind a call, the names of caches stand for what it left.
bool movedOn(Context &cx, const std::vector<MovedState> &moved, const Callable &callable);
/// A cache that both branches give a name to, in variables in front of the condition.
Binding mergeCaches(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b);
/// Behind a condition a cache has as many rows as on both ways.
void mergeCounts(Context &cx, const Names &before, const Names &thenNames, const Names &elseNames, Span span);
/// Asks the entry for the room that all turns of a loop need together.
void roomForTurns(Context &cx, const Names &before, const RowsPerTurn &rows, Span span);
/// In a turn, a cache has what the turns before it added.
void startTurn(Context &cx, const Names &before, const std::optional<Turns> &turns, const RowsPerTurn &rows);
/// What a turn added to each cache. False if it was assumed otherwise: the turn has to be checked again.
bool countRows(Context &cx, const Names &before, const std::optional<Turns> &turns, const ast::Block &body,
               RowsPerTurn &rows, Span span);
/// Behind a loop, a cache has what all turns added.
void endTurns(Context &cx, const RowsPerTurn &rows);

// ---- Collectives.cpp
/// `axis_index("tp")` and `rank()` differ between devices; `axis_size("tp")` is a dimension.
Value meshQuery(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// True, with a message, if not all devices get to a collective, or to a call of a function that does one.
bool divergentCollective(Context &cx, const std::string &what, const std::string &axis, Span span);
/// `break` and `continue` under a condition that differs between devices: what follows in this iteration, and after
/// the loop, only some of them do.
void leavesIteration(Context &cx, bool loop);
/// After a loop whose body did the collectives from number `first` on.
void leftByBreak(Context &cx, size_t first);
/// all_reduce and its kin: what is exchanged, and that all devices get there.
Value collective(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- State.cpp
/// What stands in front of the brackets: `KVCache`.
bool isStateType(const Value &named);
/// `root`: the parameter that holds it, or empty.
Value stateValue(Context &cx, const Type &type, const std::string &root, Span span);
/// An update whose result nobody takes.
bool droppedState(Context &cx, const Value &value, const ast::Expr &expr);
/// A function that is traced later, or several times, cannot own the only state there is.
bool capturedState(Context &cx, const Value &value, const std::string &name, Span span);
/// The state objects among the arguments of the function whose frame this is; from here on they bear its names.
std::vector<PassedState> enterStates(Context &cx);
/// After a traced call, in the caller's frame: what the callee left in its parameters is what the caller has.
void leaveStates(Context &cx, const std::vector<PassedState> &passed, Frame &callee, const std::string &name,
                 Value &result, Span span);
/// All names of the caller for the state `before` stand for `after` from now on. False, with a message, if it has
/// none.
bool leaveState(Context &cx, int before, const Value &after, const std::string &callee, Span span, bool returned = false);
/// `s.m = value` of a struct that is a state, also of a struct inside of it: the name stands for the new state.
void assignPart(Context &cx, const ast::Expr &place, Value value, Span span);
/// Whether this is a field of a struct that is a state and has a name here; also of a struct inside of it.
bool isPartOfState(Context &cx, const ast::Expr &place);
/// What the function leaves in the parameters that are states: results in the same memory. False after a message.
bool stateResults(Context &cx, std::vector<ExprPtr> &out, Span span);
/// Branches must leave a state object alike: both move it on, or neither.
void statesDiffer(Context &cx, const std::string &name, const Value &old, const Value &a, const Value &b, Span span);

// ---- Streams.cpp
/// Something that the checker understands and later phases do not.
void notCompiledYet(Context &cx, const std::string &what, Span span);
/// A stream is a variable that holds its key.
Value streamValue(Context &cx, ExprPtr key, const std::string &name);
/// What is written down several times gets a variable.
ExprPtr inNamedVariable(Context &cx, ExprPtr expr, const std::string &name);
/// Random numbers in [0, 1) for a draw.
ExprPtr uniform(const Draw &draw, DType dtype);
/// Absent if `row` is neither about streams nor about collectives.
Value callEffectBuiltin(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- With.cpp
/// `prefetch(x, into="smem", overlap="compute")`: a wish about speed, which changes no result.
Value prefetch(Context &cx, Bound &args, Span span);
/// `with effects.suspend(...)`, `with prefetch(...)`.
void withStmt(Context &cx, const ast::WithStmt &stmt);

}  // namespace tessera::sema
