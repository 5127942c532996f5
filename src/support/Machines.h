// What the machines of a target have in common, for passes that know the target alone.
#pragma once
#include "support/Machine.h"

namespace tessera {

/// The most shared memory, in bytes, that a group can ask for: that of the target's default machine.
inline int64_t greatestSharedBytes(Target target) { return defaultMachine(target).sharedBytes; }

}  // namespace tessera
