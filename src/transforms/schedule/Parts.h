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

/// Whether two extents are the same, by what is known of dimensions.
using SameDims = llvm::function_ref<bool(const Dim &, const Dim &)>;

/// Nothing where the value is something else than a part of one array in memory, or where only run time knows where it lies.
std::optional<Part> partOf(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isStored, ir::graph::FuncOp function, SameDims same);

/// Where a part of what is put together lies in it, under the shape that `made` had before a reshape. Nothing where its elements lie
/// otherwise.
std::optional<Part> placeIn(ir::graph::ConcatOp concat, unsigned operand, mlir::Value made, SameDims same);

}  // namespace tessera::transforms
