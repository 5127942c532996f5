// acc += a * b for tiles in shared memory, by the group's lanes with ordinary arithmetic; on the CPU by blocks in the
// registers of its vector unit.
#pragma once
#include "tessera/device/cpu/dot.h"
#include "tessera/device/math.h"
#include "tessera/device/shared.h"

namespace tsr {
inline namespace TSR_TARGET {

#if !defined(TSR_CPU)
namespace detail {
/// How many neighbours along k one load gives of a tile that lies in shared memory along k, in the type of the sums.
template <class T, class Tile> constexpr int steps_at_once = 1;
template <class T, int M, int K, class Swizzle>
constexpr int steps_at_once<T, SharedTile<T, M, K, Swizzle>> = sizeof(T) < 16 && K % (16 / sizeof(T)) == 0 ? 16 / sizeof(T) : 1;

/// Whether `Count` neighbours along the second index of a tile are read at once, as they are.
template <class T, int Count, class Tile> constexpr bool reads_at_once = false;
template <class T, int Count, int M, int N, class Swizzle>
constexpr bool reads_at_once<T, Count, SharedTile<T, M, N, Swizzle>> = Count * sizeof(T) <= 16 && N % (16 / sizeof(T)) == 0;

/// to[n] = tile(i, j + n)
template <class T, int Count, class Tile> TSR_DEVICE void read_neighbours(T (&to_neighbours)[Count], const Tile &tile, int i, int j) {
  if constexpr (Count > 1 && reads_at_once<T, Count, Tile>) {  // a chunk keeps its elements together, wherever it lies
    const auto chunk = *reinterpret_cast<const Chunk<T, Count * static_cast<int>(sizeof(T))> *>(&tile(i, j));
    TSR_UNROLL
    for (int n = 0; n < Count; ++n) to_neighbours[n] = chunk.element[n];
  } else {
    TSR_UNROLL
    for (int n = 0; n < Count; ++n) to_neighbours[n] = to<T>(tile(i, j + n));
  }
}
/// A right operand as its columns, which lie along k if the tile is a transposed one.
template <class Tile> TSR_DEVICE Transposed<Tile> columns_of(const Tile &tile) { return {tile}; }
template <class Tile> TSR_DEVICE const Tile &columns_of(const Transposed<Tile> &tile) { return tile.tile; }

/// Steps k .. k + Steps - 1 of a product whose right operand is given as its columns.
template <int Steps, class T, int M, int N, class Grid, class A, class Columns>
TSR_DEVICE void dot_steps(Fragment<T, M, N, Grid> &acc, const A &a, const Columns &columns, int k) {
  constexpr int rows = Fragment<T, M, N, Grid>::rows, cols = Fragment<T, M, N, Grid>::cols;
  T column[rows][Steps] = {}, line[cols][Steps] = {};
  TSR_UNROLL
  for (int i = 0; i < rows; ++i)
    if (M % Grid::row_step == 0 || acc.row(i) < M) read_neighbours(column[i], a, acc.row(i), k);
  TSR_UNROLL
  for (int j = 0; j < cols; ++j)
    if (N % Grid::col_step == 0 || acc.col(j) < N) read_neighbours(line[j], columns, acc.col(j), k);
  TSR_UNROLL
  for (int s = 0; s < Steps; ++s) {
    TSR_UNROLL
    for (int i = 0; i < rows; ++i) {
      TSR_UNROLL
      for (int j = 0; j < cols; ++j) acc(i, j) = fma(column[i][s], line[j][s], acc(i, j));
    }
  }
}

/// Each lane its own elements, in any layout.
template <class T, int M, int N, class Grid, class A, class B>
TSR_DEVICE void dot_by_lanes(Fragment<T, M, N, Grid> &acc, const A &a, const B &b) {
  constexpr int K = A::cols;
  const auto &columns = columns_of(b);
  constexpr int along_a = steps_at_once<T, A>, along_b = steps_at_once<T, typename std::decay<decltype(columns)>::type>;
  constexpr int Steps = along_a > along_b ? along_a : along_b;
  if constexpr (Steps == 1) {
    TSR_UNROLL_4
    for (int k = 0; k < K; ++k) dot_steps<1>(acc, a, columns, k);
  } else {  // more steps at once would take more registers than a lane has
    TSR_NO_UNROLL
    for (int k = 0; k < K; k += Steps) dot_steps<Steps>(acc, a, columns, k);
  }
}
}  // namespace detail
#endif

/// acc (M x N, in registers) += a (M x K) * b (K x N). Products and sums are in the accumulator's type, k ascending.
/// `a` and `b` are SharedTiles or transposed() ones.
template <class T, int M, int N, class Grid, class A, class B>
TSR_DEVICE void dot(Fragment<T, M, N, Grid> &acc, const A &a, const B &b) {
  static_assert(A::rows == M && B::cols == N && A::cols == B::rows, "acc is M x N, a is M x K, b is K x N");
#if defined(TSR_CPU)
  cpu::dot(acc, a, b);
#else
  detail::dot_by_lanes(acc, a, b);
#endif
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
