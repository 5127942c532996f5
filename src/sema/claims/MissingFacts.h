// Facts that a message offers for `where`.
#pragma once
#include "shape/Facts.h"

namespace tessera::sema {

/// After the message: what would prove the claim is taken for granted in what follows, so that one missing fact is
/// said once.
void assumeMissing(shape::Facts &facts, const shape::Formula &claim);

}  // namespace tessera::sema
