// Updates in one step that the lanes of a warp make in their order.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On an `atomic` of a scalar in the shared memory of a group, whose first index is the number of a counter: the lanes of a warp that
/// name the same one add one after the other, in the order of the lanes, and `old` is what each found. All lanes of the group reach it, the indices of
/// each lie inside.
inline constexpr llvm::StringLiteral kInOrder = "tsr.in_order";

}  // namespace tessera::ir
