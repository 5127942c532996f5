// The order in which the groups of a launch go over the tiles of a matrix.
//
// Groups that run at the same time share the rows and columns that they read in the L2 cache. In the plain order, row by
// row, they cover few rows and all columns; in bands of `Band` rows, column by column, they cover a nearly square part.
//
// Where rows of tiles differ in work, as under a causal mask, the longest go first, so that none is left for the end.
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

/// The row of tiles of group number `group`, of `matrices` matrices with so many rows, the last of which has the most work.
/// `Together` matrices are gone over at a time: groups that run at the same time still share what they read.
template <int Together> TSR_INLINE int64_t longest_first_row(int64_t group, int64_t rows, int64_t matrices) {
  return rows - 1 - banded_col<Together>(group, matrices, rows);
}
/// Its matrix.
template <int Together> TSR_INLINE int64_t longest_first_of(int64_t group, int64_t rows, int64_t matrices) {
  return banded_row<Together>(group, matrices, rows);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
