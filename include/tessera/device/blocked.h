// Products that lanes add up by themselves, with sums in blocks of neighbours.
//
//   BlockedGrid<Rows, Cols, High, Wide>   the layout of the sums (fragment.h says what a layout is)
//   dot(acc, a, b)                        acc += a * b; `a` and `b` are SharedTiles or transposed() ones
//   row_reduce, col_reduce                as in reduce.h
//
// A multiplication and a sum is one instruction, and so is a read of 16 bytes of shared memory: what lanes do besides is what takes time. A
// lane reads neighbours at once: along k, of an operand that lies so, and else along the rows or columns of its blocks.
#pragma once
#include "tessera/device/dot.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"

#if !defined(TSR_CPU)
namespace tsr {
inline namespace TSR_TARGET {

/// Rows x Cols warps of 4 x 8 lanes, each with blocks of High x Wide neighbours. A half of a warp that reads 16 bytes a lane does it in one go if
/// each address is that of two neighbouring lanes: these stand below each other.
template <int Rows, int Cols, int High, int Wide> struct BlockedGrid {
  static constexpr int size = kRowLanes * Rows * Cols, row_step = 4 * High * Rows, col_step = 8 * Wide * Cols;
  static constexpr int high = High, wide = Wide;
  static TSR_DEVICE int warp_row() { return Rows == 1 ? 0 : lane() / kRowLanes / Cols; }
  static TSR_DEVICE int warp_col() { return Cols == 1 ? 0 : lane() / kRowLanes % Cols; }
  static constexpr TSR_INLINE int rows_held(int height) { return (height + row_step - 1) / row_step * High; }
  static constexpr TSR_INLINE int cols_held(int width) { return (width + col_step - 1) / col_step * Wide; }
  static TSR_DEVICE int row_at(int i) { return (warp_row() * 4 + lane() / 16 % 2 * 2 + lane() % 2) * High + i / High * row_step + i % High; }
  static TSR_DEVICE int col_at(int j) { return (warp_col() * 8 + lane() / 2 % 8) * Wide + j / Wide * col_step + j % Wide; }
  static constexpr int together = Wide;
  static constexpr TSR_INLINE int row_scratch(int height) { return Cols == 1 ? 1 : Cols * height; }
  static constexpr TSR_INLINE int col_scratch(int width) { return Rows == 1 ? 1 : Rows * width; }
  static TSR_DEVICE bool owns_rows() { return (lane() & row_bits) == 0 && warp_col() == 0; }
  static TSR_DEVICE bool owns_cols() { return (lane() % kRowLanes & ~row_bits) == 0 && warp_row() == 0; }
  // For reductions: the bits of a lane's number in which lanes of one row differ, and which part of a row or column the warp has.
  static constexpr int row_bits = 14, row_parts = Cols, col_parts = Rows;
  static TSR_DEVICE int row_part() { return warp_col(); }
  static TSR_DEVICE int col_part() { return warp_row(); }
};

namespace detail {

/// The elements of an operand in `Steps` steps along k that a lane has: `lines` says where its rows, or columns, are, and `operand` has them
/// along the first index. Those that lie along k are read so, else in blocks of neighbours.
template <int Block, bool Whole, int Steps, class T, int Held, class Lines, class Tile>
TSR_DEVICE void read_operand(T (&values)[Held][Steps], const Tile &operand, Lines lines, int extent, int k) {
  TSR_UNROLL
  for (int i = 0; i < Held; ++i)
    if (Whole || lines(i) < extent) read_neighbours(values[i], operand, lines(i), k);
}
template <int Block, bool Whole, int Steps, class T, int Held, class Lines, class Tile>
TSR_DEVICE void read_operand(T (&values)[Held][Steps], const Transposed<Tile> &operand, Lines lines, int extent, int k) {
  TSR_UNROLL
  for (int s = 0; s < Steps; ++s) {
    TSR_UNROLL
    for (int i = 0; i < Held; i += Block) {
      T block[Block] = {};
      if (Whole || lines(i) < extent) read_neighbours(block, operand.tile, k + s, lines(i));
      TSR_UNROLL
      for (int n = 0; n < Block; ++n) values[i + n][s] = block[n];
    }
  }
}

/// The n-th of `count` in turn `turn`: forwards in one, backwards in the next. Neighbouring multiplications share an operand then, which the
/// machine keeps: three operands of one bank of registers take a cycle more.
TSR_DEVICE constexpr int there_and_back(int turn, int n, int count) { return turn % 2 == 0 ? n : count - 1 - n; }

/// Steps k .. k + Steps - 1 in the order of k. The left operand's elements are held for all of them; of the right one those of one column, if
/// it lies along k, or of one step: more would take the registers of a second group.
template <int Steps, bool ByColumns, class T, int M, int N, class Grid, class A, class Columns>
TSR_DEVICE void dot_blocks(Fragment<T, M, N, Grid> &acc, const A &a, const Columns &columns, int k) {
  using Sums = Fragment<T, M, N, Grid>;
  constexpr bool wholeRows = M % Grid::row_step == 0, wholeCols = N % Grid::col_step == 0;
  T left[Sums::rows][Steps] = {};
  read_operand<Grid::high, wholeRows>(left, a, [](int i) { return Grid::row_at(i); }, M, k);
  if constexpr (ByColumns) {
    TSR_UNROLL
    for (int j = 0; j < Sums::cols; ++j) {
      T right[1][Steps] = {};
      read_operand<1, wholeCols>(right, columns, [&](int) { return Grid::col_at(j); }, N, k);
      TSR_UNROLL
      for (int s = 0; s < Steps; ++s) {
        TSR_UNROLL
        for (int n = 0; n < Sums::rows; ++n) {
          const int i = there_and_back(s, n, Sums::rows);
          acc(i, j) = fma(left[i][s], right[0][s], acc(i, j));
        }
      }
    }
  } else {
    TSR_UNROLL
    for (int s = 0; s < Steps; ++s) {
      T right[Sums::cols][1] = {};
      read_operand<Grid::wide, wholeCols>(right, columns, [](int j) { return Grid::col_at(j); }, N, k + s);
      TSR_UNROLL
      for (int i = 0; i < Sums::rows; ++i) {
        TSR_UNROLL
        for (int n = 0; n < Sums::cols; ++n) {
          const int j = there_and_back(i, n, Sums::cols);
          acc(i, j) = fma(left[i][s], right[j][0], acc(i, j));
        }
      }
    }
  }
}

}  // namespace detail

/// acc (M x N, in registers) += a (M x K) * b (K x N). Products and sums are in the accumulator's type, k ascending.
template <class T, int M, int N, int Rows, int Cols, int High, int Wide, class A, class B>
TSR_DEVICE void dot(Fragment<T, M, N, BlockedGrid<Rows, Cols, High, Wide>> &acc, const A &a, const B &b) {
  static_assert(A::rows == M && B::cols == N && A::cols == B::rows, "acc is M x N, a is M x K, b is K x N");
  static_assert(M % High == 0 && N % Wide == 0, "a block lies inside, or outside");
  const auto &columns = detail::columns_of(b);
  constexpr int K = A::cols, left = detail::steps_at_once<T, A>, right = detail::steps_at_once<T, typename std::decay<decltype(columns)>::type>;
  constexpr int Steps = left > right ? left : right;
  if constexpr (Steps == 1) {
    TSR_UNROLL_4
    for (int k = 0; k < K; ++k) detail::dot_blocks<1, false>(acc, a, columns, k);
  } else {
    TSR_NO_UNROLL
    for (int k = 0; k < K; k += Steps) detail::dot_blocks<Steps, (right > 1)>(acc, a, columns, k);
  }
}

/// For each row of the tile, the combination of its elements; `scratch` as reduce_rows_of_warps has it.
template <class Op, class T, int M, int N, int Rows, int Cols, int High, int Wide>
TSR_DEVICE auto row_reduce(const Fragment<T, M, N, BlockedGrid<Rows, Cols, High, Wide>> &tile, T *scratch = nullptr) {
  return detail::reduce_rows_of_warps<Op>(tile, scratch);
}
/// For each column of the tile, the combination of its elements; `scratch` as reduce_cols_of_warps has it.
template <class Op, class T, int M, int N, int Rows, int Cols, int High, int Wide>
TSR_DEVICE auto col_reduce(const Fragment<T, M, N, BlockedGrid<Rows, Cols, High, Wide>> &tile, T *scratch = nullptr) {
  return detail::reduce_cols_of_warps<Op>(tile, scratch);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
