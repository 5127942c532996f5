// Values with rows and columns, the last two axes, exchanged.
#pragma once
#include "ir/graph/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Builders.h"

namespace tessera::transforms {

/// A transpose by which rows become columns, and nothing else.
bool isTurn(mlir::Operation *op);
ir::TensorType turnedType(mlir::Type type);

/// Makes values turned, down to the operands of the products that they are made of: each once, before the builder's place.
class Turner {
public:
  explicit Turner(mlir::OpBuilder &builder) : builder_(builder) {}
  mlir::Value turned(mlir::Value value);
  /// Another view of the value.
  mlir::Value transposed(mlir::Value value);

private:
  mlir::Value make(mlir::Value value);
  mlir::Value spread(ir::graph::BroadcastOp op, mlir::Type type);

  mlir::OpBuilder &builder_;
  llvm::DenseMap<mlir::Value, mlir::Value> turned_;
};

}  // namespace tessera::transforms
