// From Tile IR to Target IR.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Writes every kernel, entry function and host function in the words of the C-family language of the module's machine.
std::unique_ptr<mlir::Pass> createTileToTargetPass();
void registerTargetTransforms();

}  // namespace tessera::transforms
