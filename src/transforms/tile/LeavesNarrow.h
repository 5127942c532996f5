// Where what a kernel computes leaves it only rounded to 16 bits or fewer.
#pragma once
#include "ir/tile/Tile.h"
#include <optional>

namespace tessera::transforms {

/// The number in a constant, or in a fragment that is filled with one.
std::optional<double> constantOf(mlir::Value value);

/// Whether a small relative error of `value` stays one in all that it reaches, until that is rounded to 16 bits or fewer, as
/// some of it is. Sums of it have no larger error and may leave as they are. A value that is at most one may also be added to others:
/// its error is that of a number of their size.
bool leavesNarrow(mlir::Value value, bool isAtMostOne = false);

/// Whether all that `value` reaches by arithmetic, and by functions whose results change as little as it does, is rounded to 16 bits
/// or fewer, or added up by columns: so one rounding less of it is seen nowhere else.
bool leavesRounded(mlir::Value value);

}  // namespace tessera::transforms
