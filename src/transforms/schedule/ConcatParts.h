// In which operand of a `concat` an element is: a few are asked one after the other, many by halves, so that the text is not
// nested as deep as there are operands.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// Of the operands from `first` to `last`, at least two: those before the middle are on one side of the question.
inline size_t middleOf(size_t first, size_t last) {
  constexpr size_t kFew = 4;
  return last - first <= kFew ? first + 1 : first + (last - first) / 2;
}

/// Of the operands from `first` to `last`, along the axis.
inline Dim extentOf(ir::graph::ConcatOp concat, size_t first, size_t last) {
  Dim extent(0);
  for (size_t i = first; i < last; ++i)
    extent = extent + mlir::cast<ir::TensorType>(concat.getOperands()[i].getType()).getShape()[concat.getAxis()].getDim();
  return extent;
}

}  // namespace tessera::transforms
