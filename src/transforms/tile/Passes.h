// From Schedule IR to Tile IR.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Places every value of every kernel: scalars, streamed rows, fragments, operands in shared memory.
std::unique_ptr<mlir::Pass> createScheduleToTilePass();
/// Accesses that lie inside of their tensors in the sizes that were chosen are marked, and lose their masks.
std::unique_ptr<mlir::Pass> createProveBoundsPass();
/// Barriers between accesses of different lanes to one shared buffer, for buffers that the compiler manages.
std::unique_ptr<mlir::Pass> createInsertBarriersPass();
void registerTileTransforms();

}  // namespace tessera::transforms
