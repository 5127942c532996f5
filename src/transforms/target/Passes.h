// From Tile IR to Target IR.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// One kernel for those that are equal but for names.
std::unique_ptr<mlir::Pass> createShareKernelsPass();
/// One kernel for those that differ in the part that they read or the stream that they draw.
std::unique_ptr<mlir::Pass> createShareIndicesPass();
/// Kernels that make memory free run as soon as they can.
std::unique_ptr<mlir::Pass> createOrderLaunchesPass();
/// Memory that no later launch reads is used again.
std::unique_ptr<mlir::Pass> createShareTemporariesPass();
/// Writes every kernel, entry function and host function in the words of the C-family language of the module's machine.
std::unique_ptr<mlir::Pass> createTileToTargetPass();
/// Kernels of one function start while the one before them ends.
std::unique_ptr<mlir::Pass> createStartEarlyPass();
/// One template for kernels that differ in the sizes of their tiles.
std::unique_ptr<mlir::Pass> createShareFormsPass();
/// One function for launches that are equal but for what they pass.
std::unique_ptr<mlir::Pass> createShareLaunchesPass();
void registerTargetTransforms();

}  // namespace tessera::transforms
