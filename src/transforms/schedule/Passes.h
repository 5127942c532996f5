// From Graph IR to Schedule IR.
#pragma once
#include "support/DType.h"
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Decides which operations share a kernel and in what sizes: every user's kernel gets its sizes, group and
/// capacities, every tensor function becomes kernels over rows or elements.
/// `machine`: what the sizes must fit.
std::unique_ptr<mlir::Pass> createGraphToSchedulePass(Target machine);
void registerScheduleTransforms();

}  // namespace tessera::transforms
