// Dimensions that a kernel does not compute itself: the launch does.
#pragma once
#include "ir/tile/Tile.h"

namespace tessera::ir::tile {

/// On a `tile.dim` that only divides: the launch passes the multiplier by which quotients are products.
inline constexpr llvm::StringLiteral kDivides = "tsr.divides";

/// On a `tile.dim` of several terms that the launch computes: what the parameter is called.
inline constexpr llvm::StringLiteral kGiven = "tsr.given";

inline std::optional<llvm::StringRef> givenName(DimOp dim) {
  auto name = dim->getAttrOfType<mlir::StringAttr>(kGiven);
  return name ? std::optional(name.getValue()) : std::nullopt;
}
inline bool isDivisor(DimOp dim) { return dim->hasAttr(kDivides); }

}  // namespace tessera::ir::tile
