// Arrays that lie in another one: what slices, transposes and reshapes make of it, named by where the first element lies and by
// the distance between neighbours along each axis. Products take them as they lie: nothing is copied, and a tile ends where the
// part ends.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

struct Part {
  mlir::Value base;  // in memory, row-major
  Dim offset;        // in elements of it
  llvm::SmallVector<Dim> strides;
  ir::WindowsAttr windows = {};  // through which it is read; strides are then those of images and of the axes under the window
};

/// Nothing where the value is something else than a part of one array in memory, or where only run time knows where it lies.
std::optional<Part> partOf(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isStored, ir::graph::FuncOp function);

/// Where a part of what is put together lies in it, under the shape that `made` had before a reshape. Nothing where its elements lie
/// otherwise.
std::optional<Part> placeIn(ir::graph::ConcatOp concat, unsigned operand, mlir::Value made);

}  // namespace tessera::transforms
