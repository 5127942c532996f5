#pragma once
#include "ir/target/Target.h"

namespace tessera::transforms::totarget {

/// Variables of loops over elements in the place of tiles that no statement outside of its loop reads.
void keepElementsInLoops(ir::target::KernelOp kernel);

}  // namespace tessera::transforms::totarget
