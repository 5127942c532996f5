// Elements that a program reads or writes as a vector: `tile.load_vector`, `tile.store_vector`.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On a load or store of one element: it is one of so many neighbours of a row, whose first is a multiple of their number, as the
/// row's length is. Who drops it leaves elements that are accessed one by one.
constexpr llvm::StringLiteral kVector = "tsr.vector";

}  // namespace tessera::ir
