// After each conversion: nothing of the level above is left.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Functions are of `schedule`; operations of `graph` stand in its kernels and in host code only.
std::unique_ptr<mlir::Pass> createVerifySchedulePass();
/// Functions and kernels are of `tile`; operations of `graph` stand in host code only.
std::unique_ptr<mlir::Pass> createVerifyTilePass();
/// Everything is of `target`.
std::unique_ptr<mlir::Pass> createVerifyTargetPass();
void registerVerifyTransforms();

}  // namespace tessera::transforms
