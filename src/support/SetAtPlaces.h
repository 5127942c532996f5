// How a store of a tile at places that data name stands among the updates of memory in one step.
#pragma once
#include "support/Ops.h"

namespace tessera {

/// What was there is not combined with the value, but replaced by it: of old and new, the new one is selected. It is no update that lanes
/// do by themselves, and has that form for every dtype.
inline constexpr ElementwiseOp kSetAtPlaces = ElementwiseOp::Select;
/// What it is called in Graph and Tile IR.
inline constexpr const char *kSetMnemonic = "set";

}  // namespace tessera
