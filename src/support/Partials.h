// What support/Partials.def says of each elementwise operation.
#pragma once
#include "support/Ops.h"

namespace tessera {

/// "1/b; -y/b", or one of the words of the table.
std::string_view partialsOf(ElementwiseOp op);

}  // namespace tessera
