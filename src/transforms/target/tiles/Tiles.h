// Tiles: fragments of each lane, their loops, and calls of the device headers on them.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

// ---- Fragments.cpp
/// An op that makes or takes tiles.
mlir::LogicalResult emitFragment(Emission &em, mlir::Operation &op);

// ---- ElementLoops.cpp
/// The loops over a lane's elements; a loop over the same elements that has just ended takes the statement
/// in.
void overElements(Emission &em, ir::tile::FragmentType type, const ExprRef &place, mlir::Location location,
                  llvm::function_ref<void(const ExprRef &, const ExprRef &)> body);
/// The element that a lane holds at (i, j); `shape` is a place whose type has the maps of rows and columns.
ExprRef elementOf(Emission &em, mlir::Value value, const ExprRef &i, const ExprRef &j, const ExprRef &shape);
mlir::LogicalResult emitElementwiseLoop(Emission &em, mlir::Operation &op);
/// The variable of a fragment; one that is folded elsewhere gets a variable here.
ExprRef materialised(Emission &em, mlir::Value fragment);

// ---- Reductions.cpp
mlir::LogicalResult emitReduce(Emission &em, ir::tile::ReduceOp op);
mlir::LogicalResult emitCombineLanes(Emission &em, ir::tile::CombineLanesOp op);
mlir::LogicalResult emitScan(Emission &em, ir::tile::ScanOp op);

// ---- Products.cpp
/// Whether a product of warpgroups adds to nothing but this: it begins with its first step instead, and writes no zeros.
bool startsProduct(ir::tile::FillOp fill);
mlir::LogicalResult emitDot(Emission &em, ir::tile::DotOp op);
/// `acc(i, j) = scale(i) * acc(i, j)` in place, which warps skip where they can. False where it is no such statement.
bool emitRowScale(Emission &em, ir::tile::ElementwiseOp op);

// ---- Places.cpp
mlir::LogicalResult emitArgsort(Emission &em, ir::tile::ArgsortOp op);
mlir::LogicalResult emitGather(Emission &em, ir::tile::GatherOp op);
/// Elements of memory that tiles of indices name, into registers.
mlir::LogicalResult emitLoadAt(Emission &em, ir::tile::LoadAtOp op);
/// On GPUs the group sorts in shared memory, a chunk at a time: the elements, and their places beside them.
mlir::LogicalResult emitArgsortRow(Emission &em, ir::tile::ArgsortRowOp op);

// ---- Accesses.cpp
/// The headers read and write tiles that are the last dimensions of their base; anything else is a loop of its
/// own.
mlir::LogicalResult emitLoad(Emission &em, ir::tile::LoadFragmentOp op);
mlir::LogicalResult emitLoad(Emission &em, ir::tile::ReadSharedOp op);
mlir::LogicalResult emitStore(Emission &em, ir::tile::StoreFragmentOp op);
mlir::LogicalResult emitStore(Emission &em, ir::tile::WriteSharedOp op);
/// The sums of a tile's columns, each to its place.
mlir::LogicalResult emitColumnSums(Emission &em, ir::tile::StoreColumnSumsOp op);

// ---- Copies.cpp
/// From global to shared memory.
mlir::LogicalResult emitCopy(Emission &em, ir::tile::CopyOp op);
mlir::LogicalResult emitCopyRows(Emission &em, ir::tile::CopyRowsOp op);
/// Barriers, and waiting for copies.
mlir::LogicalResult emitTime(Emission &em, mlir::Operation &op);

}  // namespace tessera::transforms::totarget
