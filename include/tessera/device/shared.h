// Tiles in the memory that the lanes of a group share (on the CPU: a local array of the task).
#pragma once
#include "tessera/device/fragment.h"

namespace tsr {
inline namespace TSR_TARGET {

/// Element (i, j) at i * N + j.
struct Linear {
  template <class T, int N> static TSR_INLINE constexpr int column(int, int j) { return j; }
};
/// The 16-byte chunks of a row change places with the row's number, so that lanes that read one column (or write one)
/// meet different banks. Needs a row length that is a power of two of chunks; other tiles stay linear.
struct Xor {
  template <class T, int N> static TSR_INLINE constexpr int column(int i, int j) {
    constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = chunk > 0 ? N / chunk : 0;
    if constexpr (chunks < 2 || chunks * chunk != N || (chunks & (chunks - 1)) != 0) {
      return j;
    } else {
      // Rows shorter than the 128 bytes of all banks share a line of banks: they change places together.
      constexpr int together = chunks < 8 ? 8 / chunks : 1, mask = chunks < 8 ? chunks - 1 : 7;
      return ((j / chunk) ^ ((i / together) & mask)) * chunk + j % chunk;
    }
  }
};

/// Likewise by the number of the chunk's length of rows in which the row lies: for tiles that are turned. Lanes write chunks of rows, which stay
/// chunks, and read columns of as many rows as a chunk has elements, each of them other rows: both meet different banks.
struct XorChunks {
  template <class T, int N> static TSR_INLINE constexpr int column(int i, int j) {
    constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = N / chunk;
    static_assert(chunk >= 1 && chunks * chunk == N && (chunks & (chunks - 1)) == 0, "rows are a power of two of chunks");
    return ((j / chunk) ^ ((i / chunk) & (chunks - 1))) * chunk + j % chunk;
  }
};

/// M x N elements; `s(i, j)` is one of them.
template <class T, int M, int N, class Swizzle = Linear> struct SharedTile {
  using Element = T;
  using Layout = Swizzle;
  static constexpr int rows = M, cols = N;
  alignas(16) T element[M * N];

  TSR_INLINE T &operator()(int i, int j) { return element[i * N + Swizzle::template column<T, N>(i, j)]; }
  TSR_INLINE const T &operator()(int i, int j) const { return element[i * N + Swizzle::template column<T, N>(i, j)]; }
  /// Row i, whose elements are neighbours.
  TSR_INLINE T *line(int i) {
    static_assert(std::is_same<Swizzle, Linear>::value, "chunks keep their places");
    return element + i * N;
  }
};

/// The same elements with rows and columns exchanged; moves nothing.
template <class Tile> struct Transposed {
  using Element = typename Tile::Element;
  static constexpr int rows = Tile::cols, cols = Tile::rows;
  const Tile &tile;
  TSR_INLINE const Element &operator()(int i, int j) const { return tile(j, i); }
};
template <class T, int M, int N, class Swizzle>
TSR_INLINE Transposed<SharedTile<T, M, N, Swizzle>> transposed(const SharedTile<T, M, N, Swizzle> &tile) {
  return {tile};
}

/// tile = from, each lane its elements. A barrier must stand before anyone else reads them.
template <class T, int M, int N, class Swizzle, class F, class Grid>
TSR_DEVICE void write_shared(SharedTile<T, M, N, Swizzle> &tile, const Fragment<F, M, N, Grid> &from) {
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_SIMD
    for (int j = 0; j < from.cols; ++j)
      if (from.holds(i, j)) tile(from.row(i), from.col(j)) = to<T>(from(i, j));
  }
}
/// to = tile, each lane its elements.
template <class F, int M, int N, class Grid, class T, class Swizzle>
TSR_DEVICE void read_shared(Fragment<F, M, N, Grid> &fragment, const SharedTile<T, M, N, Swizzle> &tile) {
  // Neighbours that a lane holds lie side by side in each layout, as they are within 16 bytes.
  constexpr int together = N % Grid::together == 0 && Grid::together * static_cast<int>(sizeof(T)) <= 16 ? Grid::together : 1;
  if constexpr (together > 1) {
    using Several = detail::Chunk<T, together * static_cast<int>(sizeof(T))>;
    TSR_UNROLL
    for (int i = 0; i < fragment.rows; ++i) {
      TSR_UNROLL
      for (int j = 0; j < fragment.cols; j += together) {
        if (!fragment.holds(i, j)) continue;
        const Several several = *reinterpret_cast<const Several *>(&tile(fragment.row(i), fragment.col(j)));
        TSR_UNROLL
        for (int n = 0; n < together; ++n) fragment(i, j + n) = to<F>(several.element[n]);
      }
    }
    return;
  }
  TSR_UNROLL
  for (int i = 0; i < fragment.rows; ++i) {
    TSR_SIMD
    for (int j = 0; j < fragment.cols; ++j)
      if (fragment.holds(i, j)) fragment(i, j) = to<F>(tile(fragment.row(i), fragment.col(j)));
  }
}
template <class F, int M, int N, class Grid, class Tile>
TSR_DEVICE void read_shared(Fragment<F, M, N, Grid> &fragment, const Transposed<Tile> &tile) {
  TSR_UNROLL
  for (int i = 0; i < fragment.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < fragment.cols; ++j)
      if (fragment.holds(i, j)) fragment(i, j) = to<F>(tile(fragment.row(i), fragment.col(j)));
  }
}

/// A RowVector or ColVector = a column, or a row, of a tile.
template <class Vector, class Tile> TSR_DEVICE void read_column(Vector &vector, const Tile &tile, int64_t column) {
  TSR_UNROLL
  for (int i = 0; i < vector.count; ++i)
    if (vector.holds(i)) vector(i) = to<typename Vector::Element>(tile(vector.position(i), static_cast<int>(column)));
}
template <class Vector, class Tile> TSR_DEVICE void read_row(Vector &vector, const Tile &tile, int64_t row) {
  TSR_UNROLL
  for (int j = 0; j < vector.count; ++j)
    if (vector.holds(j)) vector(j) = to<typename Vector::Element>(tile(static_cast<int>(row), vector.position(j)));
}

/// A RowVector or ColVector = a tile of one row. Lanes that hold pairs of neighbours read these at once.
template <class Vector, class T, int N, class Swizzle>
TSR_DEVICE void read_shared(Vector &vector, const SharedTile<T, 1, N, Swizzle> &tile) {
  constexpr int together = Vector::together;
  using Several = detail::Chunk<T, together * static_cast<int>(sizeof(T))>;
  TSR_UNROLL
  for (int i = 0; i < vector.count; i += together) {
    if (!vector.holds(i)) continue;
    const Several several = *reinterpret_cast<const Several *>(&tile(0, vector.position(i)));
    TSR_UNROLL
    for (int e = 0; e < together; ++e) vector(i + e) = several.element[e];
  }
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
