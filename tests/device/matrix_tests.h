// A product by matrix instructions and its reductions, against sums in double; for any layout of accumulators.
#pragma once
#include "harness.h"
#include "tessera/device/blocked.h"
#include "tessera/device/shared.h"

namespace matrix_tests {
using harness::Buffer;
using harness::expect;

/// What the lanes wrote to shared memory is there for the products that follow.
TSR_DEVICE void publish() {
#if defined(TSR_TEST_SM90A)
  tsr::detail::fence_async_proxy();
#endif
  tsr::group_barrier();
}

/// c = a * b from shared memory; `TransA`: a is stored [K, M]; `TransB`: b is stored [N, K].
template <class Swizzle, class E, class T, int M, int N, int K, class Grid, bool TransA, bool TransB>
KERNEL product(const E *a, const E *b, T *c, T *row_max, T *col_sum) {
  using ATile = tsr::SharedTile<E, TransA ? K : M, TransA ? M : K, Swizzle>;
  using BTile = tsr::SharedTile<E, TransB ? N : K, TransB ? K : N, Swizzle>;
  SHARED ATile a_tile;
  SHARED BTile b_tile;
  SHARED T scratch[Grid::row_scratch(M) + Grid::col_scratch(N)];
  for (int i = tsr::lane(); i < M * K; i += Grid::size) a_tile(i / ATile::cols, i % ATile::cols) = a[i];
  for (int i = tsr::lane(); i < K * N; i += Grid::size) b_tile(i / BTile::cols, i % BTile::cols) = b[i];
  publish();
  tsr::Fragment<T, M, N, Grid> acc(T(1));
  if constexpr (TransA && TransB) tsr::dot(acc, tsr::transposed(a_tile), tsr::transposed(b_tile));
  else if constexpr (TransA) tsr::dot(acc, tsr::transposed(a_tile), b_tile);
  else if constexpr (TransB) tsr::dot(acc, a_tile, tsr::transposed(b_tile));
  else tsr::dot(acc, a_tile, b_tile);
  tsr::store_fragment(tsr::View<T, 2>{c, {M, N}}, acc, int64_t(0), int64_t(0));
  tsr::store_fragment(tsr::View<T, 1>{row_max, {M}}, tsr::row_reduce<tsr::Max>(acc, scratch), int64_t(0));
  tsr::store_fragment(tsr::View<T, 1>{col_sum, {N}}, tsr::col_reduce<tsr::Sum>(acc, scratch), int64_t(0));
}

inline int next(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return static_cast<int>(state >> 24) % 17 - 8;  // small integers: every sum is exact
}

template <class E, class T, int M, int N, int K, class Grid, bool TransA, bool TransB, class Swizzle = tsr::Xor> void check(const char *name) {
  Buffer<E> a(M * K), b(K * N);
  Buffer<T> c(M * N), rows(M), cols(N);
  std::vector<double> left(M * K), right(K * N);
  unsigned state = 7;
  const int least = std::is_same<E, uint8_t>::value ? 8 : 0;  // nothing below 0
  for (int i = 0; i < M * K; ++i) left[i] = next(state) + least;
  for (int i = 0; i < K * N; ++i) right[i] = next(state) + least;
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k) a[TransA ? k * M + m : m * K + k] = tsr::to<E>(static_cast<float>(left[m * K + k]));
  for (int k = 0; k < K; ++k)
    for (int n = 0; n < N; ++n) b[TransB ? n * K + k : k * N + n] = tsr::to<E>(static_cast<float>(right[k * N + n]));
  LAUNCH(Grid::size, (product<Swizzle, E, T, M, N, K, Grid, TransA, TransB>), a.device(), b.device(), c.device(), rows.device(), cols.device());
  c.back(), rows.back(), cols.back();
  std::vector<double> sums(N, 0);
  for (int m = 0; m < M; ++m) {
    double greatest = -1e30;
    for (int n = 0; n < N; ++n) {
      double sum = 1;
      for (int k = 0; k < K; ++k) sum += left[m * K + k] * right[k * N + n];
      expect(static_cast<double>(c[m * N + n]) == sum, name, m * N + n);
      greatest = sum > greatest ? sum : greatest;
      sums[n] += sum;
    }
    expect(static_cast<double>(rows[m]) == greatest, name, m);
  }
  for (int n = 0; n < N; ++n) expect(static_cast<double>(cols[n]) == sums[n], name, n);
}

}  // namespace matrix_tests
