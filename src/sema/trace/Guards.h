// What the conditions around an access of a tensor say of its indices.
#pragma once
#include "sema/Context.h"
#include <vector>

namespace tessera::sema {

/// `if r < C and c < R:` around `y[r, c]`: the conditions there keep an index of a kernel inside of another axis than its own.
bool guardedElsewhere(Context &cx, const Dim &index, const std::vector<Dim> &extents, size_t axis, Span span);

}  // namespace tessera::sema
