// Sums over rows, with what all rows share outside of them.
#pragma once
#include "autodiff/Builder.h"

namespace tessera::autodiff {

/// The sum of `value` over `axes`. Where the last axis is not among them, factors that are the same for all that is added up are
/// multiplied with the sums: the same but for rounding.
Term addUpRows(const Term &value, std::vector<int> axes, Builder &builder);

}  // namespace tessera::autodiff
