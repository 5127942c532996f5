// Division of dimensions that are sums of products.
#pragma once
#include "support/Dim.h"
#include <optional>

namespace tessera::transforms {

/// a / b where it is a sum of products again: B*C*H + 2*B*C by H + 2 is B*C.
std::optional<Dim> exactQuotient(const Dim &a, const Dim &b);

}  // namespace tessera::transforms
