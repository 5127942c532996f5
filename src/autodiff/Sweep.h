// Removes what was written for a derivative and is read by nothing.
#pragma once
#include "checked/Checked.h"

namespace tessera::autodiff {

/// Removes the bindings of variables from the number `first` on that nothing needs, and the loops and branches that are empty
/// then. A variable that is assigned in the block and bound outside of it is needed.
void sweep(checked::Block &block, size_t first);

}  // namespace tessera::autodiff
