// Kernels: their grid and schedule, built-in functions of kernels, and what their stores reach.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

// ---- CheckKernel.cpp
/// "kernel.schedule" of `@ts.kernel.schedule(tuned)`; empty if it is no name.
std::string decoratorName(Context &cx, const ast::Expr &expr);
/// What stands above a function: `@kernel(...)`, `@kernel.schedule(...)`, `@deterministic` and others.
void checkDecorators(Context &cx, const ast::FuncDef &def);
/// The grid of a kernel, from its decorator or its results.
void startKernel(Context &cx, const ast::FuncDef &def);
/// `tile.group_id(axis)` and its kin as an integer that run time knows.
Value gridQuery(Context &cx, Query which, int axis, Span span);
/// `tile.origin()`: where this group's tile begins in the output.
Value tileOrigin(Context &cx, Span span);
/// `if i < n:` around everything says how many lanes there are.
void noteLaneGuard(Context &cx, const std::vector<Dim> &implies, Span span);
/// `return` of a kernel: the tiles are stored to the results.
void returnFromKernel(Context &cx, const ast::ReturnStmt &stmt);
/// What has to hold of a kernel after its body: results are written, stores have places.
void finishKernel(Context &cx, const ast::FuncDef &def);
/// What lanes do to each other. A kernel with optional parameters is looked at once for each entry point of it.
void checkRaces(Context &cx, const ast::FuncDef &def);

// ---- KernelSchedule.cpp
/// `@kernel.schedule(tuned)`: beside what a tuner above it is told.
void scheduleDecorator(Context &cx, const ast::Decorator &decorator);
/// `@kernel.autotune(space=..., metric=...)`.
void autotuneOption(Context &cx, const ast::CallExpr &call);
/// A kernel that states its grid, its lanes or its group has those already.
void scheduleOfGrid(Context &cx, const ast::FuncDef &def);
/// `order="n, m"`, or "nm", names axes of the grid and loops, each at most once.
void scheduleOrder(Context &cx, const ast::FuncDef &def);

// ---- BuiltinKernel.cpp
/// A built-in function of kernels; Absent if `row` is none.
Value callKernelBuiltin(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);

/// Says so if not every lane gets here. `what`: "barrier".
bool underDivergence(Context &cx, const char *what, Span span);

// ---- Vectors.cpp
/// `tile.load_vector(x[4 * i:4 * i + 4])`, `tile.store_vector(x[4 * i:4 * i + 4], v)`: slices that are aligned and fit into one access.
Value kernelLoadVector(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);
Value kernelStoreVector(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);
/// `tile.alloc_register(shape, dtype)`: zeros of a tile that the registers of a group can hold.
Value kernelAllocRegister(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);

// ---- Warps.cpp
/// `tile.shuffle`, `shuffle_xor`, `vote` and `reduce_warp`: what the lanes of a warp learn of each other.
Value kernelWarp(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);

// ---- Atomics.cpp
/// `tile.atomic_add(x[i], value)` and its kin: memory is combined with a value in one step.
Value kernelAtomic(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span);
/// Updates whose result depends on what is not defined: sums of floats, and what is done once a group where nothing says how many
/// groups there are.
void checkAtomics(Context &cx, const ast::FuncDef &def);

// ---- Coverage.cpp
/// Offers to let each group begin where the one before it ends, if all is reached then.
bool suggestStride(Context &cx, diag::Builder &builder, const Stmt &store, size_t axis);
/// Of a store under `if i < N:`, along an axis of N elements: whether its lanes are fewer, for sizes that can be named. A message then.
bool checkLanesReach(Context &cx, const Var &target, const Dim &index, const Dim &extent, size_t axis, Span span);
/// What a kernel writes and never reads is written as a whole, as far as its one store tells.
void checkCoverage(Context &cx);

// ---- Overlap.cpp
/// The order of groups is not defined: what a kernel writes, one group writes.
void checkOverlap(Context &cx);

// ---- GridAxes.cpp
/// Groups along an axis of the grid differ by their number along it.
void checkGridAxes(Context &cx, const ast::FuncDef &def);
/// Warns of products in loops over tiles with an operand that is the same part in each turn. (PartsOfTurns.cpp)
void checkPartsOfTurns(Context &cx, const ast::FuncDef &def);

// ---- Elements of memory that tiles of integers name, in the place of a store or of an update.
/// `access` says what may be reached, `places` which element along each axis.
struct NamedPlaces {
  Access access;
  std::vector<Value> places;                 // Absent: `access` says it
  std::vector<std::optional<Limit>> limits;  // of the ranges of `access`
  std::vector<Dim> shape;                    // empty: one element
  Value mask = Value::of(ValueKind::Absent);  // a condition for each element; those where it does not hold are left out
  bool isNamed() const;                      // by a tile, along some axis
};

/// What `object[...]` names; false after a message.
bool placesNamed(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, NamedPlaces &out);
/// Of an access that was looked at already: its shape, with the tiles of indices broadcast to it. `newAxes`: of `None`.
bool shapeOfPlaces(Context &cx, const std::vector<int> &newAxes, Span span, NamedPlaces &out);
/// The index of each element of `value` along each axis; -1, which is outside, where the value comes from outside of the tensor that
/// it was read from. False after a message.
bool indexTiles(Context &cx, NamedPlaces &target, const Value &value, Span span, std::vector<ExprPtr> &out);
/// `tile.store(out[a:b], value, mask=m)`.
void storeWhere(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, const Value &value, Value mask, Span valueSpan, Span maskSpan, Span span);
/// `out[rows, a:b] = value`: each element takes the place of what was there; those outside are left out (S25).
void storeAtPlaces(Context &cx, const Value &object, NamedPlaces target, ExprPtr value, const Value &from, Span span);

}  // namespace tessera::sema
