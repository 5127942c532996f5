// Weights of a softmax from one number of each row: exp(x - a) / d is exp(x - (a + log(d))), and (y / d + r) exp(x - a), of which
// derivatives are made, is (y + r d) exp(x - (a + log(d))). What is left for each element is a difference and a power, and what a
// kernel reads of each row or column is one number for the weights and one for the derivative (rule R11 of docs/spec/numerics.md).
#pragma once
#include "ir/graph/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tessera::transforms {

/// Values that are made of weights, element by element, from logarithms of the rows' sums. What is shared stays shared.
class LogSums {
public:
  explicit LogSums(mlir::MLIRContext *context) : builder_(context) {}

  /// The value made that way; itself where it has no such weights. What it was made of stays for its other readers.
  mlir::Value rewritten(mlir::Value value);

private:
  /// A number of each row, and the axes of the whole along which it lies.
  struct Rows {
    mlir::Value value;
    llvm::SmallVector<int64_t> axes;
  };

  mlir::Value made(mlir::Operation *op);
  mlir::Value weightOf(mlir::Value power, mlir::Value sums);
  mlir::Value divided(mlir::Value value, mlir::Value sums);
  mlir::Value timesSums(mlir::Value terms, mlir::Value sums);
  Rows rowsOf(mlir::Value spread);
  mlir::Value spread(const Rows &rows, mlir::Value whole, mlir::Location loc);
  mlir::Value elementwise(llvm::StringRef mnemonic, mlir::ValueRange operands, mlir::Location loc);

  mlir::OpBuilder builder_;
  llvm::DenseMap<mlir::Value, mlir::Value> known_;
  llvm::DenseMap<mlir::Value, mlir::Value> weights_;  // by exp(x - a)
};

}  // namespace tessera::transforms
