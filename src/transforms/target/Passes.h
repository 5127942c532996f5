// From Tile IR to Target IR.
#pragma once
#include "support/DType.h"
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Writes every kernel, entry function and host function in the words of one C-family language.
/// As a pass of tessera-opt: `--tile-to-target=target=cuda|hip|cpu`.
std::unique_ptr<mlir::Pass> createTileToTargetPass(Target target);
void registerTargetTransforms();

}  // namespace tessera::transforms
