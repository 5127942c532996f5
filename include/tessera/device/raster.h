// The order in which the groups of a launch go over the tiles of a matrix.
//
// Groups that run at the same time share the rows and columns that they read in the L2 cache. In the plain order, row by
// row, they cover few rows and all columns; in bands of `Band` rows, column by column, they cover a nearly square part.
//
// Where rows of tiles differ in work, as under a causal mask, the longest go first, so that none is left for the end. A group that
// stays and takes every so-manieth tile gets long and short ones alike: rounds go over the groups from both ends by turns, and
// bands of matrices from both ends of their rows. (Simulated for 132 groups: the group with the most work has at most 9 % more than
// the mean from 512 to 16384 rows; in the plain order, bands of 16 matrices, 67 % more with 96 matrices of 1024 rows.)
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

namespace detail {

/// Tiles that are gone over longest first: several rounds of all processors.
constexpr unsigned kTilesOfBand = 1024;

/// The number of the tile that group number `group` takes, where `at_once` groups take `total` tiles in rounds: the last round goes
/// from the first group to the last, the one before it back, and so on.
TSR_INLINE unsigned from_both_ends(unsigned group, unsigned total, unsigned at_once) {
  const unsigned round = group / at_once, last = (total - 1) / at_once;
  return (last - round) % 2 == 0 ? group : (2 * round + 1) * at_once - 1 - group;
}

/// A tile of one of several matrices.
struct TileOf {
  unsigned matrix, row;
};
template <int Together> TSR_INLINE TileOf longest_first(int64_t group, int64_t rows, int64_t matrices) {
  auto at = static_cast<unsigned>(group);
  const auto height = static_cast<unsigned>(rows), count = static_cast<unsigned>(matrices);
#if defined(__CUDA_ARCH__)
  at = from_both_ends(at, height * count, gridDim.x);
#endif
  const unsigned wanted = (kTilesOfBand + height - 1) / height, together = wanted > Together ? wanted : Together;
  const unsigned band = at / (together * height), left = count - band * together, width = left < together ? left : together;
  const unsigned in_band = at % (together * height), turn = in_band / width, bands = (count + together - 1) / together;
  const bool shortest_first = (bands - 1 - band) % 2 == 1;
  return {band * together + in_band % width, shortest_first ? turn : height - 1 - turn};
}

}  // namespace detail

/// The row of tiles of group number `group`, of `matrices` matrices with so many rows, the last of which has the most work.
/// `Together` matrices at least are gone over at a time: groups that run at the same time still share what they read.
template <int Together> TSR_INLINE int64_t longest_first_row(int64_t group, int64_t rows, int64_t matrices) {
  return detail::longest_first<Together>(group, rows, matrices).row;
}
/// Its matrix.
template <int Together> TSR_INLINE int64_t longest_first_of(int64_t group, int64_t rows, int64_t matrices) {
  return detail::longest_first<Together>(group, rows, matrices).matrix;
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
