// By what the products of a kernel are done, once its tiles have their layouts.
#pragma once
#include "ir/tile/Tile.h"
#include <optional>

namespace tessera::ir::tile {

/// Whether instructions for matrices do all products of a kernel; nothing where it has none.
inline std::optional<bool> multipliesByMatrixInstructions(KernelOp kernel) {
  bool any = false, all = true;
  kernel.walk([&](DotOp dot) {
    any = true;
    all &= mlir::isa_and_nonnull<MmaAttr, WavesAttr>(dot.getResult().getType().getLayout());
  });
  return any ? std::optional(all) : std::nullopt;
}

}  // namespace tessera::ir::tile
