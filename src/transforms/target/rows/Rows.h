// Vectors of a lane, rows that a group holds, and rows that groups take in turn.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Rows {
  int64_t held = 0;                                  // declared so far
  llvm::DenseMap<mlir::Operation *, ExprRef> ahead;  // where groups take rows in turn: what holds the next one
  llvm::DenseMap<mlir::Value, ExprRef> ownSums;      // and the group's sums of columns, by their parameter
  ExprRef nextGroup;
  ExprRef inside;          // which elements of the lane's vector belong to the row, where rows begin within vectors
  bool takesNext = false;  // a variant of the kernel copies a group's next row while it computes one
};

/// Declares it in the branch for a vector of which the condition says that it has elements of the row.
void declareInside(Emission &em, mlir::Value condition, mlir::Location place);
/// A block for the branch, where groups may share the row: it is one text for whole vectors and one for others (`tsr::with_edges`).
ir::target::BlockOp withEdges(Emission &em, mlir::Location place);

/// What counts the lanes and turns of a row that groups may share; "" where a group has its rows by itself.
std::string turnType(const Emission &em);

struct Neighbours {
  llvm::DenseSet<mlir::Operation *> joined;  // accesses that are part of one that is written elsewhere
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> stores;  // by the last of them
};

// ---- Vectors.cpp
mlir::LogicalResult emitVector(Emission &em, mlir::Operation &op);

// ---- Turns.cpp
/// The parameters to which the groups' sums of columns are written, in the order of the kernel.
llvm::SmallVector<mlir::Value> columnSums(Emission &em);
/// Groups take rows in turn, and keep sums of columns until all are through.
mlir::LogicalResult emitTurns(Emission &em, llvm::ArrayRef<mlir::Value> sums,
                              llvm::function_ref<mlir::LogicalResult()> body);

/// In variants whose groups copy the next row ahead of time they take rows in turn, from `first` on; in others each has one.
mlir::LogicalResult emitNextRows(Emission &em, ExprRef first, ExprRef rows, llvm::function_ref<mlir::LogicalResult()> body);

// ---- Neighbours.cpp
/// False where the elements are accessed one by one: on CPUs, whose compilers see that they are neighbours, and in shared memory.
bool emitNeighbours(Emission &em, mlir::Operation &op);

}  // namespace tessera::transforms::totarget
