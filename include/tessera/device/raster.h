// The order in which the groups of a launch go over the tiles of a matrix.
//
// Groups that run at the same time share the rows and columns that they read in the L2 cache. In the plain order, row by
// row, they cover few rows and all columns; in bands of `Band` rows, column by column, they cover a nearly square part.
#pragma once
#include "tessera/device/platform.h"

namespace tsr {
inline namespace TSR_TARGET {

/// The row of tiles of group number `group`, of rows x cols tiles.
template <int Band> TSR_INLINE int64_t banded_row(int64_t group, int64_t rows, int64_t cols) {
  const unsigned band = static_cast<unsigned>(group) / static_cast<unsigned>(Band * cols);
  const unsigned left = static_cast<unsigned>(rows) - band * Band, height = left < Band ? left : Band;
  return band * Band + static_cast<unsigned>(group) % static_cast<unsigned>(Band * cols) % height;
}
/// Its column.
template <int Band> TSR_INLINE int64_t banded_col(int64_t group, int64_t rows, int64_t cols) {
  const unsigned band = static_cast<unsigned>(group) / static_cast<unsigned>(Band * cols);
  const unsigned left = static_cast<unsigned>(rows) - band * Band, height = left < Band ? left : Band;
  return static_cast<unsigned>(group) % static_cast<unsigned>(Band * cols) / height;
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
