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
/// Each lane its own elements, in any layout.
template <class T, int M, int N, class Grid, class A, class B>
TSR_DEVICE void dot_by_lanes(Fragment<T, M, N, Grid> &acc, const A &a, const B &b) {
  constexpr int K = A::cols;
  constexpr int rows = Fragment<T, M, N, Grid>::rows, cols = Fragment<T, M, N, Grid>::cols;
  TSR_UNROLL_4
  for (int k = 0; k < K; ++k) {
    T column[rows], line[cols];
    TSR_UNROLL
    for (int i = 0; i < rows; ++i) column[i] = M % Grid::row_step == 0 || acc.row(i) < M ? to<T>(a(acc.row(i), k)) : T{};
    TSR_UNROLL
    for (int j = 0; j < cols; ++j) line[j] = N % Grid::col_step == 0 || acc.col(j) < N ? to<T>(b(k, acc.col(j))) : T{};
    TSR_UNROLL
    for (int i = 0; i < rows; ++i) {
      TSR_UNROLL
      for (int j = 0; j < cols; ++j) acc(i, j) = fma(column[i], line[j], acc(i, j));
    }
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
