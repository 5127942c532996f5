// Elements of tensors that indices choose: they are read where they lie, so that no tile of the tensor is held.
#pragma once
#include "ir/graph/Graph.h"
#include <optional>

namespace tessera::transforms {

/// Where a choice reads memory: the dimensions of the tensor, from `first` to `last`, whose rows its places count.
struct ChosenLoad {
  ir::graph::LoadOp load;
  size_t first, last;
};
/// Of elements that indices choose along a whole axis of a tensor, or along several that follow each other; nothing for another choice.
std::optional<ChosenLoad> chosenLoad(ir::graph::GatherOp gather);
/// A load of a tensor's whole axis, or its axes merged, of which only the elements are read that indices name.
bool isOnlyChosenFrom(mlir::Operation *op);

}  // namespace tessera::transforms
