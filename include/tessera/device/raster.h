// The order in which the groups of a launch go over the tiles of a matrix.
//
// Groups that run at the same time share the rows and columns that they read in the L2 cache. In the plain order, row by
// row, they cover few rows and all columns; in bands of `Band` rows, column by column, they cover a nearly square part.
//
// Where rows of tiles differ in work, as under a causal mask, the longest go first, so that none is left for the end. Groups that stay
// and take every so-manieth tile take them in pairs, one of the longest with one of the shortest of the same matrix: all pairs are the
// same work, and those that run at the same time read few matrices. What is left for the last one or two pairs of each group goes by
// length, in rounds from both ends of the groups. (Simulated for 132 groups: the group with the most work has mostly 1 to 4 % more than
// the mean, and what is read is 1.6 to 2.5 times the matrices; with all matrices longest first 3.5 to 8 times.)
#pragma once
#include "tessera/device/platform.h"

namespace tsr {
inline namespace TSR_TARGET {

/// What the number of a group says of where it stands, by how many groups differ in something else alone. A launch has less than 2^31
/// groups (Call::groups), and divisions of 32 bits take a quarter of the instructions.
TSR_INLINE int64_t group_quotient(int64_t group, int64_t by) { return static_cast<unsigned>(group) / static_cast<unsigned>(by); }
TSR_INLINE int64_t group_remainder(int64_t group, int64_t by) { return static_cast<unsigned>(group) % static_cast<unsigned>(by); }

/// A tile of a matrix, counted in tiles.
struct TileAt {
  int64_t row, col;
};

/// The tile of group number `group`, of rows x cols tiles.
template <int Band> TSR_INLINE TileAt banded_tile(int64_t group, int64_t rows, int64_t cols) {
  const unsigned of_band = static_cast<unsigned>(Band * cols), band = static_cast<unsigned>(group) / of_band;
  const unsigned left = static_cast<unsigned>(rows) - band * Band, height = left < Band ? left : Band;
  const unsigned in_band = static_cast<unsigned>(group) % of_band;
  return {band * Band + in_band % height, in_band / height};
}

namespace detail {

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

/// Of `matrices` matrices with so many rows each, for groups that are started one after the other: `together` matrices at a time,
/// the longest rows first.
TSR_INLINE TileOf longest_in_bands(unsigned group, unsigned rows, unsigned matrices, unsigned together) {
  const unsigned band = group / (together * rows), left = matrices - band * together, width = left < together ? left : together;
  const unsigned in_band = group % (together * rows);
  return {band * together + in_band % width, rows - 1 - in_band / width};
}

/// The tile of number `number` of those that `at_once` groups take in turn: group g takes g, g + at_once and so on. Pair p is the
/// row p % half of matrix p / half and the row as far from the other end; a middle row has no other.
TSR_INLINE TileOf longest_in_pairs(unsigned number, unsigned rows, unsigned matrices, unsigned at_once) {
  const unsigned half = rows / 2, pairs = matrices * half, rounds = pairs / at_once;
  const unsigned first = rounds > 1 ? (rounds - 1) * at_once : 0;  // of the pairs that are left for the end
  if (number < 2 * first) {
    const unsigned step = number / at_once, pair = step / 2 * at_once + number % at_once;
    return {pair / half, step % 2 == 0 ? rows - 1 - pair % half : pair % half};
  }
  const unsigned left = pairs - first, middle = rows % 2 == 0 ? 0 : matrices;
  const unsigned at = from_both_ends(number - 2 * first, 2 * left + middle, at_once);
  if (at >= left && at < left + middle) return {at - left, half};
  // The longer halves of the pairs in order of their length, then the shorter ones back. Of the first matrix some have gone.
  const bool longer = at < left;
  const unsigned rank = longer ? at : 2 * left + middle - 1 - at;
  const unsigned matrix = first / half, gone = first % half, whole = matrices - matrix - (gone > 0), before = gone * whole;
  const unsigned row = rank < before ? rank / whole : gone + (rank - before) / (matrices - matrix);
  const unsigned of = rank < before ? matrix + 1 + rank % whole : matrix + (rank - before) % (matrices - matrix);
  return {of, longer ? rows - 1 - row : row};
}

template <int Together> TSR_INLINE TileOf longest_first(int64_t group, int64_t rows, int64_t matrices) {
  const auto number = static_cast<unsigned>(group), height = static_cast<unsigned>(rows), count = static_cast<unsigned>(matrices);
#if defined(__CUDA_ARCH__)
  if (gridDim.x < height * count) return longest_in_pairs(number, height, count, gridDim.x);
#endif
  return longest_in_bands(number, height, count, Together);
}

}  // namespace detail

/// The row of tiles of group number `group`, of `matrices` matrices with so many rows, the last of which has the most work.
/// Groups that run at the same time share what they read: `Together` matrices are gone over at a time.
template <int Together> TSR_INLINE int64_t longest_first_row(int64_t group, int64_t rows, int64_t matrices) {
  return detail::longest_first<Together>(group, rows, matrices).row;
}
/// Its matrix.
template <int Together> TSR_INLINE int64_t longest_first_of(int64_t group, int64_t rows, int64_t matrices) {
  return detail::longest_first<Together>(group, rows, matrices).matrix;
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
