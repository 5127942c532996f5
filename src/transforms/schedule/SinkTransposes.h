// Axes in another order, as late as can be.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// The value with its axes in this order; of a value that is transposed already, one transpose, or none.
mlir::Value transposedTo(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> order);
/// The value under another shape; of a value that is reshaped already, one reshape, or none.
mlir::Value reshapedTo(mlir::OpBuilder &builder, mlir::Value value, mlir::Type type);
/// What a reshape of a transposed value is, cut and joined before it is transposed; null where axes that it joins do not lie side by side,
/// and where it joins and cuts none.
mlir::Value reshapedBefore(mlir::OpBuilder &builder, ir::graph::TransposeOp turn, mlir::Type type);
/// A value under another shape than that in which it was transposed: likewise, or as it is.
mlir::Value transposedLast(mlir::OpBuilder &builder, mlir::Value value);
/// What follows transposes of these values element by element is done before them, and transposes of transposes are one.
void sinkTransposes(ir::graph::FuncOp function, llvm::ArrayRef<mlir::Value> values);

}  // namespace tessera::transforms
