// Updates of arrays, `out[t] = h`: a choice of the new value in a block of places, which lies inside of the array, and of the old
// value elsewhere. A loop that carries the array writes the block in place.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// On a choice that is an update.
inline constexpr llvm::StringLiteral kUpdate = "tsr.update";
/// On an update: written into the memory of the old array. On a loop: the numbers of the results for which that is so.
inline constexpr llvm::StringLiteral kInPlace = "tsr.in_place";
/// On a loop: those of them that go on in the memory of what they start from.
inline constexpr llvm::StringLiteral kTakesOver = "tsr.takes_over";
bool isListed(mlir::Operation *loop, llvm::StringRef attribute, int64_t result);

/// Some elements of an array have a new value, the others the old one.
struct Update {
  mlir::Value old, value;
  /// For each axis where the block begins (null: at 0) and how many places it has.
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<Dim> sizes;
};
/// What an operation updates; nothing if it does something else, or if sizes and integers do not say which block it is.
std::optional<Update> updateBy(mlir::Operation *op);
/// Whether elements are gathered from places that begin at `start` (null: 0) and follow each other along the axis of the result.
bool movesTo(ir::graph::GatherOp gather, mlir::Value start, ir::graph::FuncOp function);
/// What a new value is a repetition or another place of.
mlir::Value sourceOf(mlir::Value value);

/// Marks the updates that are done in place, and the loops. Fails, with a message, if a parameter that is a state would have to be
/// copied.
mlir::LogicalResult planUpdates(ir::graph::FuncOp function);

}  // namespace tessera::transforms
