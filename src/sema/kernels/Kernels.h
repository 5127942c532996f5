// Kernels: their grid and schedule, built-in functions of kernels, and what their stores reach.
#pragma once
#include "sema/Context.h"
#include "sema/calls/Arguments.h"

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
/// What a kernel writes and never reads is written as a whole, as far as its one store tells.
void checkCoverage(Context &cx);

// ---- Overlap.cpp
/// The order of groups is not defined: what a kernel writes, one group writes.
void checkOverlap(Context &cx);

// ---- GridAxes.cpp
/// Groups along an axis of the grid differ by their number along it.
void checkGridAxes(Context &cx, const ast::FuncDef &def);

}  // namespace tessera::sema
