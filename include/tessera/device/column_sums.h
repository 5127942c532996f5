// Sums of columns from tiles in the layout of matrix instructions, for kernels that compute a tile and need of it no more
// than its rounded elements and, elsewhere, the sums of its columns:
//
//   store_column_sums(sums, tile, row0, col0, rows)               adds up each 16 neighbouring rows, those that one warp holds
//   store_transposed_column_sums(sums, tile, row0, col0, rows)    likewise of a tile that is held transposed
//
// Row r of `sums` gets what the rows 16 r to 16 r + 15 of the whole matrix have in it. `rows` of that matrix count; the
// tile begins at (row0, col0), and row0 is a multiple of 16. The order of additions is that of the layout alone.
#pragma once
#include "tessera/device/mma.h"
#include "tessera/device/reduce.h"

#if defined(TSR_CUDA)
namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// Adds up `Count` values of each lane over the eight lanes that are 4, 8 and 16 apart. Of eight sums each lane keeps one,
/// that with the number in its bits 4, 3 and 2: seven exchanges, where all sums in all lanes would take 24.
template <int Count> TSR_DEVICE float sum_of_eight_lanes(const float (&values)[Count]) {
  if constexpr (Count == 1) {
    return values[0];
  } else {
    constexpr int half = Count / 2, apart = 4 * half;
    const bool upper = lane() & apart;
    float kept[half];
    TSR_UNROLL
    for (int k = 0; k < half; ++k) {
      const float low = values[k], high = values[k + half];
      kept[k] = (upper ? high : low) + shuffle_xor(upper ? low : high, apart);
    }
    return sum_of_eight_lanes(kept);
  }
}

}  // namespace detail

template <int M, int N, int WarpRows, int WarpCols>
TSR_DEVICE void store_column_sums(const View<float, 2> &to, const Fragment<float, M, N, MmaGrid<WarpRows, WarpCols>> &from,
                                  int64_t row0, int64_t col0, int64_t rows) {
  static_assert(M % (16 * WarpRows) == 0 && N % (32 * WarpCols) == 0, "each warp holds 16 rows and 32 columns at least");
  const int rows_left = static_cast<int>(rows - row0 < M ? rows - row0 : M);
  const int cols_left = static_cast<int>(to.extent[1] - col0 < N ? to.extent[1] - col0 : N);
  TSR_UNROLL
  for (int i = 0; i < from.rows; i += 2) {  // rows of a lane are 8 apart
    const int row = from.row(i);
    TSR_UNROLL
    for (int first = 0; first < from.cols; first += 8) {
      float sums[8];
      TSR_UNROLL
      for (int k = 0; k < 8; ++k)
        sums[k] = (row < rows_left ? from(i, first + k) : 0.0f) + (row + 8 < rows_left ? from(i + 1, first + k) : 0.0f);
      const float sum = detail::sum_of_eight_lanes(sums);
      const int col = from.col(first + lane() / 4 % 8);
      if (row / 16 * 16 < rows_left && col < cols_left) to((row0 + row) / 16, col0 + col) = sum;
    }
  }
}

template <int N, int M, int WarpRows>
TSR_DEVICE void store_transposed_column_sums(const View<float, 2> &to, const Fragment<float, N, M, MmaGrid<WarpRows, 1>> &from,
                                             int64_t row0, int64_t col0, int64_t rows) {
  static_assert(M % 16 == 0, "a lane holds four elements of each 16");
  const int rows_left = static_cast<int>(rows - row0 < M ? rows - row0 : M);
  const int cols_left = static_cast<int>(to.extent[1] - col0 < N ? to.extent[1] - col0 : N);
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int first = 0; first < from.cols; first += 4) {
      float sum = 0.0f;
      TSR_UNROLL
      for (int k = 0; k < 4; ++k) sum += from.col(first + k) < rows_left ? from(i, first + k) : 0.0f;
      sum += shuffle_xor(sum, 1);
      sum += shuffle_xor(sum, 2);
      const int row = from.col(first), col = from.row(i);
      if (lane() % 4 == 0 && row < rows_left && col < cols_left) to((row0 + row) / 16, col0 + col) = sum;
    }
  }
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
