// Long rows are sorted by their digits (RadixSort.cpp).
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// On an order: its elements are integers from 0 to below this `#tsr.dim`, and rise. Only the digits that there are then count.
inline constexpr llvm::StringLiteral kBound = "tsr.bound";

/// On a gather: its places are those of an order, which lie inside.
inline constexpr llvm::StringLiteral kInside = "tsr.inside";

/// Rows that are no longer are sorted by one group each. For a row alone all other groups would wait, and integers with a bound have fewer digits.
inline constexpr int64_t kRowOfGroup = 8192, kRowAlone = 4096, kRowOfPlaces = 1024;

}  // namespace tessera::transforms
