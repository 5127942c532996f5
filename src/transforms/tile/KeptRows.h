// Rows that a group keeps between its loops over them (tile-keep-rows).
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::transforms {

/// On `tile.new_row`, of a group of one lane, which takes its whole row in one turn: how many elements that has, a DimAttr.
inline constexpr llvm::StringLiteral kRowExtent = "tsr.extent";

}  // namespace tessera::transforms
