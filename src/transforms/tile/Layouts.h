// Where the values of a kernel live: streamed or in fragments, over which thread grid, vectors along which
// axis.
#pragma once
#include "ir/schedule/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace tessera::transforms {

class Layouts {
public:
  explicit Layouts(ir::schedule::KernelOp kernel);

  /// Arrays are fragments; else they are streamed.
  bool fragments() const { return fragments_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  /// A vector's place: the axis that its slice lacks (1: it runs along the rows).
  int64_t sliceAxis(mlir::Value vector) const;

private:
  void chooseGrid(int64_t group, int64_t height);
  void placeVectors(ir::schedule::KernelOp kernel);
  mlir::Value root(mlir::Value value) const;
  void join(mlir::Value a, mlir::Value b);
  void want(mlir::Value vector, int64_t sliceAxis);
  void constrain(mlir::Operation *op);

  bool fragments_ = false;
  int64_t rows_ = 1, cols_ = 1;
  mutable llvm::DenseMap<mlir::Value, mlir::Value> parent_;  // union-find over vectors that must agree
  llvm::DenseMap<mlir::Value, int64_t> wanted_;
};

}  // namespace tessera::transforms
