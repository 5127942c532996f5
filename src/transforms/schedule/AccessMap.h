// Where the elements of a value lie that is only moved: each axis of an array in memory as a sum over the axes of the value, which
// reshapes cut into several. What lies outside of the array is 0 where zeros were put around it.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// A part of an axis of the value: 3 of `9*C`.
struct AccessAxis {
  Dim extent;
  size_t axis;  // of the value
};
/// The index along an axis of the array: the sum of the axes times their factors, and a number.
struct AccessIndex {
  llvm::SmallVector<std::pair<size_t, Dim>> terms;  // an axis, a factor
  Dim constant;
  bool isGuarded = false;      // outside of the array it is 0
  std::optional<int64_t> after = 0;  // zeros behind the array
};
struct AccessMap {
  mlir::Value array;
  llvm::SmallVector<AccessIndex> indices;  // one for each axis of the array
  llvm::SmallVector<AccessAxis> axes;      // used by the indices
  llvm::SmallVector<llvm::SmallVector<size_t>> digits;  // of each axis of the value, the outermost first
  bool slides = false;                     // windows are on the way
};

/// From the value back to what no movement makes any more; nothing where an index is no such sum.
std::optional<AccessMap> accessMapOf(mlir::Value value, ir::graph::FuncOp function);

}  // namespace tessera::transforms
