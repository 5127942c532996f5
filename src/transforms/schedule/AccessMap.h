// Where the elements of a value lie that is only moved: each axis of an array in memory as a sum over the axes of the value, which
// reshapes cut into several. What lies outside of the array is 0 where zeros were put around it.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// The axis of the value of what is added up in it: none.
inline constexpr size_t kAddedUp = SIZE_MAX;

/// A part of an axis of the value: 3 of `9*C`. Or what is added up in each of its elements.
struct AccessAxis {
  Dim extent;
  size_t axis;  // of the value, or kAddedUp
};
/// The index along an axis of the array: the sum of the axes times their factors, and a number.
struct AccessIndex {
  llvm::SmallVector<std::pair<size_t, Dim>> terms;  // an axis, a factor
  Dim constant;
  bool isGuarded = false;      // outside of the array it is 0
  std::optional<int64_t> after = 0;  // zeros behind the array
  int64_t divisor = 1;  // of the sum, and where it does not divide it there is 0: elements lie so far apart, and zeros between them
};
struct AccessMap {
  mlir::Value array;
  llvm::SmallVector<AccessIndex> indices;  // one for each axis of the array
  llvm::SmallVector<AccessAxis> axes;      // used by the indices
  llvm::SmallVector<llvm::SmallVector<size_t>> digits;  // of each axis of the value, the outermost first
  bool slides = false;                     // windows are on the way
};

/// From the value back to what no movement makes any more, or one that is no such sum: a pixel that is repeated.
std::optional<AccessMap> accessMapOf(mlir::Value value, ir::graph::FuncOp function);

/// All of the array and nothing more, its axes cut and in another order.
bool isWholeArray(const AccessMap &map);

/// The same of a value that adds up what windows took from an array: for each place in them, the element that lay there. The array is that
/// of a product under its last shape, as the axes of its operands are there. With "max": of a value that is the greatest of them, where what lies
/// outside of the array is left out.
std::optional<AccessMap> addedUpMapOf(mlir::Value value, ir::graph::FuncOp function, llvm::StringRef combining = "sum");

/// From a map on, to what its array, or what is as long along each axis, is made of without arithmetic: also by casts that change no number,
/// and by repetition.
std::optional<AccessMap> mapUnder(const AccessMap &map, mlir::Value array, ir::graph::FuncOp function, llvm::StringRef combining = "sum");

}  // namespace tessera::transforms
