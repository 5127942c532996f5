// What a kernel holds whole, found before it is lowered.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

struct HeldTile {
  std::string dimension;  // an extent of it that has no greatest value
  Span span;
};
/// A tile that each group of the kernel holds in registers or shared memory, that may be of any size, and that cannot be taken in
/// pieces (transforms/schedule/RowsInPieces.cpp): no target compiles it. Nothing where there is none.
std::optional<HeldTile> unboundedTile(const Function &kernel);

}  // namespace tessera::checked
