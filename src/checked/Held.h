// What a kernel holds whole, found before it is lowered.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

struct HeldTile {
  std::string dimension;  // an extent of it that has no greatest value
  Span span;
};
/// A tile that each group of the kernel holds in registers or shared memory, and that may be of any size: no target compiles
/// it. A row that is only read and reduced is not held. Nothing where there is none.
std::optional<HeldTile> unboundedTile(const Function &kernel);

}  // namespace tessera::checked
