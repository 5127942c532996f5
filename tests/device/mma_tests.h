// Products by matrix instructions against sums in double, for each operand type, orientation and arrangement of warps.
#pragma once
#include "tessera/device/column_sums.h"
#include "tessera/device/mma.h"
#if defined(TSR_TEST_SM90A)  // what only this machine has
#include "tessera/device/cuda/blocks.h"
#include "tessera/device/cuda/store.h"
#include "tessera/device/cuda/wgmma.h"
#endif
#include "matrix_tests.h"  // behind the products that it calls

namespace mma_tests {
using harness::Buffer;
using harness::expect;
using matrix_tests::check;
using matrix_tests::next;
using matrix_tests::publish;

/// c = (a * b as 16 bits) * b: the first product is the left operand of the second in registers.
template <class Swizzle, class E, int M, int N, int Rows> KERNEL chain(const E *a, const E *b, float *c) {
  using Grid = tsr::MmaGrid<Rows, 1>;
  SHARED tsr::SharedTile<E, M, N, Swizzle> a_tile;
  SHARED tsr::SharedTile<E, N, N, Swizzle> b_tile;
  for (int i = tsr::lane(); i < M * N; i += Grid::size) a_tile(i / N, i % N) = a[i];
  for (int i = tsr::lane(); i < N * N; i += Grid::size) b_tile(i / N, i % N) = b[i];
  publish();
  tsr::Fragment<float, M, N, Grid> first(0.0f), second(0.0f);
  tsr::dot(first, a_tile, b_tile);
  tsr::Fragment<E, M, N, Grid> narrow;
  TSR_UNROLL
  for (int i = 0; i < narrow.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < narrow.cols; ++j) narrow(i, j) = tsr::to<E>(first(i, j));
  }
  tsr::dot(second, narrow, b_tile);
  tsr::store_fragment(tsr::View<float, 2>{c, {M, N}}, second, int64_t(0), int64_t(0));
}

template <class E, class T, int K> void orientations(const char *name) {
  check<E, T, 32, 32, K, tsr::MmaGrid<1, 1>, false, false>(name);
  check<E, T, 64, 32, K, tsr::MmaGrid<2, 1>, true, false>(name);
  check<E, T, 32, 64, K, tsr::MmaGrid<1, 2>, false, true>(name);
  check<E, T, 64, 96, 2 * K, tsr::MmaGrid<2, 2>, true, true>(name);
  check<E, T, 128, 32, K, tsr::MmaGrid<4, 1>, false, true>(name);
}

template <class E, int N = 32, class Swizzle = tsr::Xor> void chained(const char *name) {
  constexpr int M = 64;
  Buffer<E> a(M * N), b(N * N);
  Buffer<float> c(M * N);
  std::vector<double> left(M * N), right(N * N), middle(M * N);
  unsigned state = 11;
  for (int i = 0; i < M * N; ++i) a[i] = tsr::to<E>(static_cast<float>(left[i] = next(state) % 2));
  for (int i = 0; i < N * N; ++i) b[i] = tsr::to<E>(static_cast<float>(right[i] = next(state) % 2));
  LAUNCH(32 * 4, (chain<Swizzle, E, M, N, 4>), a.device(), b.device(), c.device());
  c.back();
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < N; ++k) middle[m * N + n] += left[m * N + k] * right[k * N + n];
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < N; ++k) sum += middle[m * N + k] * right[k * N + n];
      expect(c[m * N + n] == sum, name, m * N + n);
    }
}

/// Sums of each 16 of `rows` rows of a, of which the group holds M x N at (row0, col0), as it is or transposed.
template <int M, int N, class Grid, bool Transposed> KERNEL column_sums(const float *a, float *sums, int width, int row0, int col0, int rows) {
  const tsr::View<float, 2> to{sums, {(rows + 15) / 16, width}};
  tsr::Fragment<float, Transposed ? N : M, Transposed ? M : N, Grid> tile;
  TSR_UNROLL
  for (int i = 0; i < tile.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < tile.cols; ++j) {
      const int row = row0 + (Transposed ? tile.col(j) : tile.row(i)), col = col0 + (Transposed ? tile.row(i) : tile.col(j));
      tile(i, j) = row < rows && col < width ? a[row * width + col] : 1e6f;  // what is outside counts as nothing
    }
  }
  if constexpr (Transposed) tsr::store_transposed_column_sums(to, tile, row0, col0, rows);
  else tsr::store_column_sums(to, tile, row0, col0, rows);
}

template <int M, int N, class Grid, bool Transposed> void check_column_sums(int rows, int width, int row0, int col0) {
  const int groups = (rows + 15) / 16;
  Buffer<float> a(rows * width), sums(groups * width);
  unsigned state = 5;
  for (int i = 0; i < rows * width; ++i) a[i] = static_cast<float>(next(state));
  for (int i = 0; i < groups * width; ++i) sums[i] = -7e6f;  // what no tile reaches stays as it is
  LAUNCH(Grid::size, (column_sums<M, N, Grid, Transposed>), a.device(), sums.device(), width, row0, col0, rows);
  sums.back();
  for (int group = 0; group < groups; ++group)
    for (int col = 0; col < width; ++col) {
      double sum = 0;
      for (int row = group * 16; row < rows && row < group * 16 + 16; ++row) sum += a[row * width + col];
      const bool reached = group * 16 >= row0 && group * 16 < row0 + M && col >= col0 && col < col0 + N;
      expect(sums[group * width + col] == (reached ? sum : -7e6f), "sums of columns", group * width + col);
    }
}

#if defined(TSR_TEST_SM90A)
/// How bytes become a left operand: element by element, two at a time, or two rows at a time while they are read.
enum class Computed { ByElement, InPairs, InPairsOfRows };

/// c = weights * b: bytes in panels, read in the layout of a left operand, which is computed in 16 bits; stored transposed.
template <class W, int M, int N, int K, int Rows, bool TransA, Computed How> KERNEL computed_left(const W *a, const tsr::bf16 *b, float *c) {
  using Grid = tsr::MmaGrid<Rows, 1>;
  using ATile = tsr::SharedTile<W, TransA ? K : M, TransA ? M : K, tsr::Panels>;
  SHARED ATile a_tile;
  SHARED tsr::SharedTile<tsr::bf16, N, K, tsr::Panels> b_tile;
  for (int i = tsr::lane(); i < M * K; i += Grid::size) a_tile(i / ATile::cols, i % ATile::cols) = a[i];
  for (int i = tsr::lane(); i < N * K; i += Grid::size) b_tile(i / K, i % K) = b[i];
  publish();
  tsr::Fragment<tsr::bf16, M, K, Grid> left;
  if constexpr (How == Computed::InPairsOfRows) {
    tsr::read_pairs_of_rows(left, tsr::transposed(a_tile));
  } else {
    tsr::Fragment<W, M, K, Grid> stored;
    if constexpr (TransA) tsr::read_shared(stored, tsr::transposed(a_tile));
    else tsr::read_shared(stored, a_tile);
    if constexpr (How == Computed::InPairs) {
      tsr::convert(left, stored);
    } else {
      TSR_UNROLL
      for (int i = 0; i < left.rows; ++i) {
        TSR_UNROLL
        for (int j = 0; j < left.cols; ++j) left(i, j) = tsr::to<tsr::bf16>(stored(i, j));
      }
    }
  }
  tsr::Fragment<float, M, N, Grid> acc(0.0f);
  tsr::dot(acc, left, tsr::transposed(b_tile));
  if constexpr (How == Computed::InPairsOfRows) tsr::order_rows(acc);
  tsr::store_transposed_fragment(tsr::View<float, 2>{c, {N, M}}, acc, int64_t(0), int64_t(0));
}
template <class W, int M, int N, int K, int Rows, bool TransA, Computed How = Computed::ByElement> void check_computed(const char *name) {
  Buffer<W> a(M * K);
  Buffer<tsr::bf16> b(N * K);
  Buffer<float> c(M * N);
  std::vector<double> left(M * K), right(N * K);
  unsigned state = 3;
  for (int i = 0; i < M * K; ++i) left[i] = std::min(next(state) * 16, 127);  // bytes of both signs, also the least and the greatest
  for (int i = 0; i < N * K; ++i) b[i] = tsr::to<tsr::bf16>(static_cast<float>(right[i] = next(state)));
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k) a[TransA ? k * M + m : m * K + k] = static_cast<W>(left[m * K + k]);
  LAUNCH(32 * Rows, (computed_left<W, M, N, K, Rows, TransA, How>), a.device(), b.device(), c.device());
  c.back();
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k) sum += left[m * K + k] * right[n * K + k];
      expect(c[n * M + m] == sum, name, m * N + n);
    }
}

/// Each orientation, widths that need several instructions, two warpgroups, several blocks of rows.
template <class E> void warpgroups(const char *name) {
  using tsr::Panels;
  check<E, float, 64, 64, 64, tsr::MmaGrid<4, 1>, false, false, Panels>(name);
  check<E, float, 64, 128, 64, tsr::MmaGrid<4, 1>, true, false, Panels>(name);
  check<E, float, 64, 16, 128, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, float, 64, 112, 64, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, float, 128, 192, 64, tsr::MmaGrid<8, 1>, true, true, Panels>(name);
  check<E, float, 128, 64, 64, tsr::MmaGrid<4, 1>, false, false, Panels>(name);
  check<E, float, 128, 128, 64, tsr::MmaGrid<8, 1>, true, false, Panels>(name);
  check<E, float, 64, 256, 64, tsr::MmaGrid<4, 1>, false, false, Panels>(name);
  chained<E, 64, Panels>(name);
  chained<E, 128, Panels>(name);
}

/// Operands that are read along k alone: every width of an instruction, one and several panels along k.
template <class E, class T> void along_k(const char *name) {
  using tsr::Panels;
  constexpr int panel = 128 / sizeof(E);
  check<E, T, 64, 16, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 64, 32, 2 * panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 64, 64, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 64, 112, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 128, 128, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 128, 128, panel, tsr::MmaGrid<8, 1>, false, true, Panels>(name);
  check<E, T, 64, 160, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 64, 192, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
  check<E, T, 64, 256, panel, tsr::MmaGrid<4, 1>, false, true, Panels>(name);
}

template <class E, int M, int B, int Warps> KERNEL in_blocks(const E *a, const E *b, float *c) {
  constexpr int N = 64;
  using Grid = tsr::MmaGrid<Warps, 1>;
  SHARED tsr::SharedTile<E, M, N, tsr::Panels> a_tile;
  SHARED tsr::SharedTile<E, B, N, tsr::Panels> b_tile;
  for (int i = tsr::lane(); i < M * N; i += Grid::size) a_tile(i / N, i % N) = a[i];
  for (int i = tsr::lane(); i < B * N; i += Grid::size) b_tile(i / N, i % N) = b[i];
  publish();
  tsr::Fragment<float, M, N, Grid> sums(0.0f);
  for (int time = 0; time < 2; ++time) tsr::dot_of_blocks(sums, a_tile, b_tile);
  tsr::store_fragment(tsr::View<float, 2>{c, {M, N}}, sums, int64_t(0), int64_t(0));
}

/// Columns in blocks of B, which see as many columns of `a`; an infinite one is seen by its own block alone.
template <class E, int M, int B, int Warps> void check_blocks(const char *name) {
  constexpr int N = 64, kInfinite = 19;
  Buffer<E> a(M * N), b(B * N);
  Buffer<float> c(M * N);
  std::vector<double> left(M * N), right(B * N);
  unsigned state = 5;
  for (int i = 0; i < M * N; ++i) a[i] = tsr::to<E>(static_cast<float>(left[i] = next(state)));
  for (int i = 0; i < B * N; ++i) b[i] = tsr::to<E>(static_cast<float>(right[i] = next(state)));
  a[kInfinite] = tsr::to<E>(INFINITY);
  LAUNCH(32 * Warps, (in_blocks<E, M, B, Warps>), a.device(), b.device(), c.device());
  c.back();
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < B; ++k) sum += 2 * left[m * N + n / B * B + k] * right[k * N + n];
      const bool seesInfinite = m == 0 && n / B == kInfinite / B;
      expect(seesInfinite ? !(c[m * N + n] - c[m * N + n] == 0) : c[m * N + n] == sum, name, m * N + n);
    }
}
template <class E> void blocks(const char *name) {
  check_blocks<E, 64, 8, 4>(name);
  check_blocks<E, 256, 8, 8>(name);
  check_blocks<E, 128, 16, 4>(name);
  check_blocks<E, 256, 32, 8>(name);
  check_blocks<E, 64, 64, 4>(name);
}

/// Sums of 8-bit floats that the accumulators of the tensor cores alone would round: 384 products of 256, and then a one.
template <class E, class Swizzle = tsr::Panels> void promoted(const char *name) {
  constexpr int M = 64, N = 16, K = 512;
  Buffer<E> a(M * K), b(K * N);
  Buffer<float> c(M * N), rows(M), cols(N);
  for (int k = 0; k < K; ++k) {
    const float value = k < K - 128 ? 16.0f : k == K - 1 ? 1.0f : 0.0f;
    for (int m = 0; m < M; ++m) a[m * K + k] = tsr::to<E>(value);
    for (int n = 0; n < N; ++n) b[n * K + k] = tsr::to<E>(value);
  }
  LAUNCH(128, (matrix_tests::product<Swizzle, E, float, M, N, K, tsr::MmaGrid<4, 1>, false, true>), a.device(), b.device(), c.device(), rows.device(), cols.device());
  c.back();
  for (int i = 0; i < M * N; ++i) expect(c[i] == 1 + (K - 128) * 256 + 1, name, i);
}
#endif

inline void all() {
#if defined(TSR_TEST_SM90A)
  blocks<tsr::bf16>("blocks of bf16");
  blocks<tsr::f16>("blocks of f16");
  warpgroups<tsr::bf16>("wgmma bf16");
  warpgroups<tsr::f16>("wgmma f16");
  along_k<tsr::tf32, float>("wgmma tf32");
  along_k<tsr::f8e4m3, float>("wgmma e4m3");
  along_k<tsr::f8e5m2, float>("wgmma e5m2");
  along_k<int8_t, int32_t>("wgmma i8");
  along_k<uint8_t, int32_t>("wgmma u8");
  check_computed<int8_t, 64, 16, 128, 4, false>("wgmma of computed bytes");
  check_computed<int8_t, 128, 32, 128, 8, true>("wgmma of computed bytes");
  check_computed<int8_t, 128, 16, 256, 4, false>("wgmma of computed bytes");
  check_computed<int8_t, 128, 16, 128, 4, false, Computed::InPairs>("wgmma of bytes in pairs");
  check_computed<int8_t, 128, 32, 128, 8, true, Computed::InPairs>("wgmma of bytes in pairs");
  check_computed<int8_t, 128, 16, 256, 4, true, Computed::InPairsOfRows>("wgmma of bytes in pairs of rows");
  check_computed<int8_t, 256, 32, 128, 8, true, Computed::InPairsOfRows>("wgmma of bytes in pairs of rows");
  promoted<tsr::f8e4m3>("wgmma e4m3 in parts");
  promoted<tsr::f8e5m2>("wgmma e5m2 in parts");
#endif
  orientations<tsr::bf16, float, 32>("mma bf16");
  orientations<tsr::f16, float, 32>("mma f16");
  orientations<tsr::tf32, float, 16>("mma tf32");
#if defined(TSR_TEST_SM90A)  // from sm_89
  orientations<tsr::f8e4m3, float, 64>("mma e4m3");
  orientations<tsr::f8e5m2, float, 64>("mma e5m2");
  promoted<tsr::f8e4m3, tsr::Xor>("mma e4m3 in parts");
#endif
  orientations<int8_t, int32_t, 64>("mma i8");
  check_column_sums<64, 64, tsr::MmaGrid<4, 1>, false>(64, 64, 0, 0);
  check_column_sums<128, 64, tsr::MmaGrid<4, 1>, false>(150, 100, 16, 64);
  check_column_sums<128, 128, tsr::MmaGrid<8, 1>, false>(131, 129, 0, 0);
  check_column_sums<64, 64, tsr::MmaGrid<2, 2>, false>(49, 67, 0, 0);
  check_column_sums<16, 64, tsr::MmaGrid<4, 1>, true>(16, 64, 0, 0);
  check_column_sums<32, 128, tsr::MmaGrid<4, 1>, true>(61, 130, 32, 0);
  chained<tsr::bf16>("mma chain bf16");
  chained<tsr::f16>("mma chain f16");
}

}  // namespace mma_tests
