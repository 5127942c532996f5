// What the headers of include/tessera/device promise, on whichever machine this is compiled for.
#include <algorithm>
#include "harness.h"
#include "divisor_tests.h"
#include "philox_tests.h"
#include "atomic_tests.h"
#include "sort_tests.h"
#include "tiled_tests.h"
#include "warp_tests.h"
#include "vector_tests.h"
#include "window_tests.h"
#if defined(TSR_CUDA)
#include "mma_tests.h"
#elif defined(TSR_HIP)
#include "wave_tests.h"
#endif
#if !defined(TSR_CPU)
#include "blocked_tests.h"
#endif

using harness::Buffer;
using harness::expect;

// ---------------------------------------------------------------- numbers

template <class T> struct Software;  // the format as the headers' own arithmetic has it
template <> struct Software<tsr::bf16> : tsr::detail::FormatBf16 {};
template <> struct Software<tsr::f16> : tsr::detail::FormatF16 {};
template <> struct Software<tsr::f8e4m3> : tsr::f8e4m3::format {};
template <> struct Software<tsr::f8e5m2> : tsr::f8e5m2::format {};
template <> struct Software<tsr::f6e2m3> : tsr::f6e2m3::format {};
template <> struct Software<tsr::f4e2m1> : tsr::f4e2m1::format {};

template <class T, class Bits> KERNEL convert_all(const float *from, Bits *to, float *back, int count) {
  for (int i = tsr::lane(); i < count; i += kGpu ? 64 : 1) {
    const T value = tsr::to<T>(from[i]);
    to[i] = tsr::bit_cast<Bits>(value);
    const float there_and_back = tsr::to<float>(value), at_once = tsr::rounded<T>(from[i]);
    const bool are_same = there_and_back == at_once || (there_and_back != there_and_back && at_once != at_once);
    back[i] = are_same ? at_once : 1e30f;  // no number that is there
  }
}

template <class T, class Bits> void conversions(const char *name) {
  std::vector<float> values = {0.0f, -0.0f, 1.0f, 1.00390625f, 1.01171875f, 65504.0f, 65520.0f, 448.0f, 464.0f, 480.0f, 3.0e38f, 3.4e38f, 57344.0f, 61440.0f,
                               1e-8f, 6.0e-8f, 2.98e-8f, 1e-40f, -1e-45f, 0.001953125f, 0.0009765625f, 0.00146484375f, 6.0f, 5.0f, 7.25f, 7.5f, INFINITY, -INFINITY, NAN};
  unsigned state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(tsr::bit_cast<float>(state));
  }
  Buffer<float> from(values.size()), back(values.size());
  Buffer<Bits> bits(values.size());
  for (size_t i = 0; i < values.size(); ++i) from[i] = values[i];
  LAUNCH(64, (convert_all<T, Bits>), from.device(), bits.device(), back.device(), static_cast<int>(values.size()));
  bits.back();
  back.back();
  using F = Software<T>;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t wanted = tsr::detail::encode<F>(values[i], tsr::Round::NearestEven, false);
    const float value = tsr::detail::decode<F>(wanted);
    if (value != value) expect(back[i] != back[i], name, static_cast<long long>(i));
    else expect(bits[i] == wanted && back[i] == value, name, static_cast<long long>(i));
  }
}

/// Between two neighbouring codes, everything up to the middle goes to the lower one, and the middle to the even one.
template <class F> void nearest(const char *name) {
  const auto encode = [](float value) { return tsr::detail::encode<F>(value, tsr::Round::NearestEven, false); };
  for (uint32_t code = 0; code < F::maxCode; ++code) {
    const float low = tsr::detail::decode<F>(code), high = tsr::detail::decode<F>(code + 1);
    const float middle = low + (high - low) / 2;
    bool right = encode(low) == code && encode(-low) == (code | F::signBit) && encode(middle) == code + (code & 1);
    if (low != middle) {
      right = right && encode(std::nextafter(middle, 0.0f)) == code && encode(std::nextafter(middle, INFINITY)) == code + 1;
    }
    if (!right) expect(false, name, code);
  }
  expect(encode(INFINITY) == F::infinityCode && encode(NAN) == F::nanCode, name);
  expect(encode(tsr::detail::decode<F>(F::maxCode) * 1.25f) == F::infinityCode, name);
}

KERNEL scalar_results(float *f, int64_t *n) {
  if (tsr::lane() != 0) return;
  const float nan = NAN;
  f[0] = tsr::max(nan, 1.0f);
  f[1] = tsr::max(1.0f, nan);
  f[2] = tsr::min(nan, 1.0f);
  f[3] = tsr::min(1.0f, nan);
  f[4] = tsr::max(2.0f, 1.0f);
  f[5] = tsr::mod(-7.0f, 3.0f);
  f[6] = tsr::floordiv(-7.0f, 2.0f);
  f[7] = tsr::round(2.5f);
  f[8] = tsr::round(3.5f);
  f[9] = tsr::exp(0.0f);
  f[10] = tsr::exp(-INFINITY);
  f[11] = tsr::exp(100.0f);
  f[12] = tsr::sigmoid(0.0f);
  f[13] = tsr::to<float>(tsr::to<tsr::bf16>(int64_t{(1ll << 40) + (1ll << 32) + 1}));  // two roundings would give 2^40
  n[0] = tsr::floordiv<int64_t>(-7, 2);
  n[1] = tsr::mod<int64_t>(-7, 3);
  n[2] = tsr::mod<int64_t>(7, -3);
  n[3] = tsr::floordiv<int64_t>(7, 0);
  n[4] = tsr::pow<int64_t>(3, 5);
  n[5] = tsr::to<int8_t>(300.0f);
  n[6] = tsr::to<int8_t>(-3.9f);
  n[7] = tsr::to<int32_t>(nan);
  n[8] = tsr::to<tsr::i4>(9).value;
  n[9] = tsr::to<uint8_t>(-1);
  n[10] = tsr::to<int64_t>(1e30f);
  n[11] = tsr::to<int8_t, tsr::Round::NearestEven, true>(300);
  n[12] = tsr::ceil_div(65, 64);
}

static void scalars() {
  Buffer<float> f(14);
  Buffer<int64_t> n(13);
  LAUNCH(1, scalar_results, f.device(), n.device());
  f.back();
  n.back();
  for (size_t i = 0; i < 4; ++i) expect(f[i] != f[i], "NaN wins", static_cast<long long>(i));
  const float reals[] = {2.0f, 2.0f, -4.0f, 2.0f, 4.0f, 1.0f, 0.0f, INFINITY, 0.5f};
  for (size_t i = 4; i < 13; ++i) expect(f[i] == reals[i - 4], "f32 mathematics", static_cast<long long>(i));
  expect(f[13] == 1099511627776.0f + 8589934592.0f, "a large integer is rounded once");
  const int64_t integers[] = {-4, 2, -2, 0, 243, 127, -3, 0, -7, 255, INT64_MAX, 127, 2};
  for (size_t i = 0; i < 13; ++i) expect(n[i] == integers[i], "integers", static_cast<long long>(i));
}

KERNEL exponentials(const float *x, float *y, int count) {
  for (int i = tsr::lane(); i < count; i += kGpu ? 64 : 1) y[i] = tsr::exp(x[i]);
}
static void exp_accuracy() {
  Buffer<float> x(20001), y(20001), ends(4), of_ends(4);
  for (size_t i = 0; i < x.size(); ++i) x[i] = -104.0f + static_cast<float>(i) * 0.00965f;
  LAUNCH(64, exponentials, x.device(), y.device(), static_cast<int>(x.size()));
  y.back();
  for (size_t i = 0; i < x.size(); ++i) {
    const double right = std::exp(static_cast<double>(x[i]));
    const double step = std::fmax(std::ldexp(1.0, std::ilogb(std::fmax(right, 1e-45)) - 23), std::ldexp(1.0, -149));
    const bool overflow = right > 3.4028235e38;
#if defined(TSR_CUDA)  // include/tessera/device/gpu/math.h
    const double bound = (8 + std::fabs(static_cast<double>(x[i])) / 20) * 0x1p-24 * right + 0x1p-126;
#else
    const double bound = 2.0 * step;
#endif
    expect(overflow ? std::isinf(y[i]) : std::fabs(static_cast<double>(y[i]) - right) <= bound, "exp", static_cast<long long>(i));
  }
  const float given[] = {-INFINITY, INFINITY, NAN, 0.0f};
  for (size_t i = 0; i < 4; ++i) ends[i] = given[i];
  LAUNCH(64, exponentials, ends.device(), of_ends.device(), 4);
  of_ends.back();
  expect(of_ends[0] == 0.0f && std::isinf(of_ends[1]) && of_ends[1] > 0 && of_ends[2] != of_ends[2] && of_ends[3] == 1.0f, "exp of the ends");
}

/// Each tile once; groups that follow each other stay in a band until it is full.
static void banded() {
  for (int64_t rows : {1, 2, 7, 8, 9, 16, 17, 131})
    for (int64_t cols : {1, 2, 5, 8, 127}) {
      std::vector<int> seen(static_cast<size_t>(rows * cols));
      for (int64_t group = 0; group < rows * cols; ++group) {
        const tsr::TileAt tile = tsr::banded_tile<8>(group, rows, cols);
        const bool inside = tile.row >= 0 && tile.row < rows && tile.col >= 0 && tile.col < cols;
        expect(inside && ++seen[static_cast<size_t>(tile.row * cols + tile.col)] == 1, "a tile of its own", group);
        expect(tile.row / 8 == group / (8 * cols), "a band after the other", group);
      }
    }
}

/// Every row of every matrix once, and of those that are gone over at last the last rows first.
static void longest_first() {
  for (int64_t rows : {1, 2, 7, 32, 300})
    for (int64_t matrices : {1, 3, 16, 17, 40, 300}) {
      std::vector<int> seen(static_cast<size_t>(rows * matrices));
      int64_t before = -1;
      for (int64_t group = rows * matrices; group-- > 0;) {
        const int64_t row = tsr::longest_first_row<16>(group, rows, matrices), matrix = tsr::longest_first_of<16>(group, rows, matrices);
        const bool inside = row >= 0 && row < rows && matrix >= 0 && matrix < matrices;
        expect(inside && ++seen[static_cast<size_t>(matrix * rows + row)] == 1, "a group of its own", group);
        const bool isLastBand = rows * matrices - group <= rows;  // it has a matrix at least
        expect(!isLastBand || row >= before, "the longest first", group);
        before = row;
      }
    }
}

/// Each tile once.
static void rounds_from_both_ends() {
  for (unsigned total : {1U, 2U, 131U, 132U, 133U, 264U, 1000U})
    for (unsigned at_once : {1U, 2U, 7U, 132U}) {
      std::vector<int> seen(total);
      const unsigned groups = at_once < total ? at_once : total;
      for (unsigned group = 0; group < total; ++group) {
        const unsigned tile = tsr::detail::from_both_ends(group, total, groups);
        expect(tile < total && tile / groups == group / groups && ++seen[tile] == 1, "a tile of its own", group);
      }
    }
}

/// Each tile of each matrix once; and groups that take them in turn have nearly the same work, if that of a tile grows with its row.
static void longest_in_pairs() {
  for (unsigned rows : {1U, 2U, 3U, 7U, 8U, 33U, 64U})
    for (unsigned matrices : {1U, 2U, 5U, 33U, 97U})
      for (unsigned at_once : {1U, 2U, 13U, 132U}) {
        std::vector<int> seen(rows * matrices);
        for (unsigned number = 0; number < rows * matrices; ++number) {
          const auto [matrix, row] = tsr::detail::longest_in_pairs(number, rows, matrices, at_once);
          const bool inside = row < rows && matrix < matrices;
          expect(inside && ++seen[matrix * rows + row] == 1, "a tile of its own", number);
        }
      }
  const unsigned shapes[][2] = {{4, 96}, {8, 96}, {8, 256}, {8, 384}, {9, 96}, {16, 16}, {16, 64}, {17, 63}, {32, 32}, {64, 32}, {128, 16}};
  constexpr unsigned kGroups = 132;
  for (const auto &[rows, matrices] : shapes) {
    std::vector<double> work(kGroups);
    double all = 0;
    for (unsigned number = 0; number < rows * matrices; ++number) {
      const double turns = tsr::detail::longest_in_pairs(number, rows, matrices, kGroups).row + 1.6;  // and what each tile costs besides
      work[number % kGroups] += turns;
      all += turns;
    }
    expect(*std::max_element(work.begin(), work.end()) <= 1.1 * all / kGroups, "even work", rows);
  }
}

KERNEL complements(const float *x, float *y, int count) {
  for (int i = tsr::lane(); i < count; i += kGpu ? 64 : 1) {
    y[2 * i] = tsr::erfc(x[i]);
    y[2 * i + 1] = tsr::sigmoid(x[i]);
  }
}
/// Within the bounds that docs/spec/numerics.md states, on the machine's own approximations.
static void erfc_accuracy() {
  Buffer<float> x(24001), y(48002);
  for (size_t i = 0; i < x.size(); ++i) x[i] = i < 24000 ? -12.0f + static_cast<float>(i) * 0.001f : NAN;
  LAUNCH(64, complements, x.device(), y.device(), static_cast<int>(x.size()));
  y.back();
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    const double right = std::erfc(static_cast<double>(x[i])), share = 1 / (1 + std::exp(-static_cast<double>(x[i])));
    expect(std::fabs(static_cast<double>(y[2 * i]) - right) <= 16 * 0x1p-24 * right + 0x1p-126, "erfc", static_cast<long long>(i));
    expect(std::fabs(static_cast<double>(y[2 * i + 1]) - share) <= 16 * 0x1p-24 * share, "sigmoid", static_cast<long long>(i));
  }
  expect(y[48000] != y[48000] && y[48001] != y[48001], "a NaN stays one");
}

// ---------------------------------------------------------------- tiles

template <class T, class Swizzle, bool Async, int M, int N>
KERNEL copy_back(tsr::View<const T, 2> from, T *to, int64_t row0, int64_t col0, bool inside) {
  SHARED tsr::SharedTile<T, M, N, Swizzle> tile;
  constexpr int lanes = kGpu ? 64 : 1;
  if constexpr (Async) {
    if (inside) tsr::copy_whole_tile_async<lanes>(tile, from, row0, col0);
    else tsr::copy_tile_async<lanes>(tile, from, row0, col0);
    tsr::async_commit();
    tsr::async_wait<0>();
  } else {
    if (inside) tsr::copy_whole_tile<lanes>(tile, from, row0, col0);
    else tsr::copy_tile<lanes>(tile, from, row0, col0);
  }
  tsr::group_barrier();
  for (int at = tsr::lane(); at < M * N; at += lanes) to[at] = tile(at / N, at % N);
}

/// Every alignment of the tensor's address and rows, tiles inside, across each edge and wholly outside.
template <class T, class Swizzle, bool Async, int M, int N> void copies(const char *name) {
  for (int64_t width : {40, 64, 41, 42}) {
    for (size_t shift : {0, 1, 4}) {
      const int64_t height = 37;
      Buffer<T> from(static_cast<size_t>(height * width), shift), to(M * N);
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i % 251 + 1);
      const T *device = from.device();
      struct Corner {
        int64_t row, col;
      };
      for (const Corner &corner : {Corner{0, 0}, {16, 8}, {30, 32}, {36, 40}, {100, 0}, {3, 100}}) {
        const int64_t row0 = corner.row, col0 = corner.col;
        const tsr::View<const T, 2> view{device, {height, width}};
        for (const bool inside : {false, true}) {
          if (inside && (row0 + M > height || col0 + N > width)) continue;
          LAUNCH(64, (copy_back<T, Swizzle, Async, M, N>), view, to.device(), row0, col0, inside);
          to.back();
          bool right = true;
          for (int64_t i = 0; i < M; ++i)
            for (int64_t j = 0; j < N; ++j) {
              const bool in = row0 + i < height && col0 + j < width;
              const T wanted = in ? from[static_cast<size_t>((row0 + i) * width + col0 + j)] : T{};
              right = right && to[static_cast<size_t>(i * N + j)] == wanted;
            }
          expect(right, name, static_cast<long long>(width * 1000 + row0));
        }
      }
    }
  }
}

template <class T, class Swizzle, bool Async, int M, int N>
KERNEL rows_back(tsr::View<const T, 3> from, const int64_t *places, T *to, int64_t head, int64_t col0) {
  SHARED tsr::SharedTile<T, M, N, Swizzle> tile, merged;
  constexpr int lanes = kGpu ? 64 : 1;
  if constexpr (Async) {
    tsr::copy_rows_async<lanes>(tile, from, places, 0, head, col0);
    tsr::copy_rows_async<lanes, 1, 1>(merged, from, places, 0, 0, col0);
    tsr::async_commit();
    tsr::async_wait<0>();
  } else {
    tsr::copy_rows<lanes>(tile, from, places, 0, head, col0);
    tsr::copy_rows<lanes, 1, 1>(merged, from, places, 0, 0, col0);
  }
  tsr::group_barrier();
  for (int at = tsr::lane(); at < M * N; at += lanes) to[at] = tile(at / N, at % N), to[M * N + at] = merged(at / N, at % N);
}

KERNEL parts(tsr::View<const float, 2> from, float *to) {
  if (tsr::lane() != 0) return;
  for (int64_t i = -2; i < 5; ++i) {
    const auto row = tsr::part(from, i);
    to[2 * (i + 2)] = static_cast<float>(row.extent[0]);
    to[2 * (i + 2) + 1] = row.at(1);
  }
}
/// An index outside leaves nothing.
static void parts_of_views() {
  Buffer<float> from(6), to(14);
  for (size_t i = 0; i < 6; ++i) from[i] = static_cast<float>(i + 1);
  const tsr::View<const float, 2> view{from.device(), {3, 2}};
  LAUNCH(64, parts, view, to.device());
  to.back();
  for (int i = -2; i < 5; ++i) {
    const bool inside = i >= 0 && i < 3;
    expect(to[static_cast<size_t>(2 * (i + 2))] == (inside ? 2.0f : 0.0f) && to[static_cast<size_t>(2 * (i + 2) + 1)] == (inside ? static_cast<float>(2 * i + 2) : 0.0f), "parts of views", i);
  }
}

/// Rows of one head by their numbers, and of all heads; places outside, and columns behind the end.
template <class T, class Swizzle, bool Async, int M, int N> void rows(const char *name) {
  const int64_t height = 11, heads = 3;
  for (int64_t width : {40, 64, 41}) {
    Buffer<T> from(static_cast<size_t>(height * heads * width)), to(2 * M * N);
    Buffer<int64_t> places(M);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i % 251 + 1);
    for (int i = 0; i < M; ++i) places[static_cast<size_t>(i)] = i * 7 % 37 - 2;
    const tsr::View<const T, 3> view{from.device(), {height, heads, width}};
    for (int64_t col0 : {0, 8, 39, 64}) {
      LAUNCH(64, (rows_back<T, Swizzle, Async, M, N>), view, places.device(), to.device(), int64_t{2}, col0);
      to.back();
      bool right = true;
      for (int64_t i = 0; i < M; ++i)
        for (int64_t j = 0; j < N; ++j) {
          const int64_t place = places[static_cast<size_t>(i)];
          const bool in = place >= 0 && col0 + j < width;
          const T row = in && place < height ? from[static_cast<size_t>((place * heads + 2) * width + col0 + j)] : T{};
          const T merged = in && place < height * heads ? from[static_cast<size_t>(place * width + col0 + j)] : T{};
          right = right && to[static_cast<size_t>(i * N + j)] == row && to[static_cast<size_t>(M * N + i * N + j)] == merged;
        }
      expect(right, name, static_cast<long long>(width * 1000 + col0));
    }
  }
}

template <class T, int M, int N, int K, class Grid, bool TransposeA, bool TransposeB>
KERNEL product(tsr::View<const T, 2> a, tsr::View<const T, 2> b, tsr::View<float, 2> c) {
  SHARED tsr::SharedTile<T, TransposeA ? K : M, TransposeA ? M : K, tsr::Xor> a_tile;
  SHARED tsr::SharedTile<T, TransposeB ? N : K, TransposeB ? K : N, tsr::Xor> b_tile;
  tsr::copy_tile<Grid::size>(a_tile, a, 0, 0);
  tsr::copy_tile<Grid::size>(b_tile, b, 0, 0);
  tsr::group_barrier();
  tsr::Fragment<float, M, N, Grid> acc(1.0f);
  if constexpr (TransposeA && TransposeB) tsr::dot(acc, tsr::transposed(a_tile), tsr::transposed(b_tile));
  else if constexpr (TransposeA) tsr::dot(acc, tsr::transposed(a_tile), b_tile);
  else if constexpr (TransposeB) tsr::dot(acc, a_tile, tsr::transposed(b_tile));
  else tsr::dot(acc, a_tile, b_tile);
  tsr::store_fragment(c, acc, 0, 0);
}

template <class T, int M, int N, int K, class Grid, bool TransposeA, bool TransposeB> void products(const char *name) {
  Buffer<T> a(M * K), b(K * N);
  Buffer<float> c(M * N);
  for (size_t i = 0; i < a.size(); ++i) a[i] = tsr::to<T>(static_cast<float>(i * 7 % 11) - 5.0f);
  for (size_t i = 0; i < b.size(); ++i) b[i] = tsr::to<T>(static_cast<float>(i * 5 % 13) - 6.0f);
  const tsr::View<const T, 2> av{a.device(), {TransposeA ? K : M, TransposeA ? M : K}}, bv{b.device(), {TransposeB ? N : K, TransposeB ? K : N}};
  const tsr::View<float, 2> cv{c.device(), {M, N}};
  LAUNCH(Grid::size, (product<T, M, N, K, Grid, TransposeA, TransposeB>), av, bv, cv);
  c.back();
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 1.0f;
      for (int k = 0; k < K; ++k)
        sum += tsr::to<float>(a[static_cast<size_t>(TransposeA ? k * M + m : m * K + k)]) * tsr::to<float>(b[static_cast<size_t>(TransposeB ? n * K + k : k * N + n)]);
      expect(c[static_cast<size_t>(m * N + n)] == sum, name, m * N + n);
    }
}

template <int M, int N, class Grid> KERNEL reductions(tsr::View<const float, 2> x, tsr::View<float, 1> rowMax, tsr::View<float, 1> colSum, tsr::View<float, 2> shifted, float *totals) {
  using Tile = tsr::Fragment<float, M, N, Grid>;
  SHARED float scratch[tsr::col_reduce_scratch<Tile>];
  SHARED tsr::SharedTile<float, M, N> stage;
  Tile tile;
  tsr::load_fragment(tile, x, 0, 0, -5.0f);
  const auto most = tsr::row_reduce<tsr::Max>(tile);
  const auto sums = tsr::col_reduce<tsr::Sum>(tile, scratch);
  tsr::store_fragment(rowMax, most, 0);
  tsr::store_fragment(colSum, sums, 0);
  SHARED float meeting[tsr::group_reduce_scratch(Grid::size)];
  const int mine = Grid::size == 1 ? 0 : tsr::lane();
  totals[2 * mine] = tsr::vector_reduce<tsr::Max>(most, meeting);
  totals[2 * mine + 1] = tsr::vector_reduce<tsr::Sum>(sums, meeting);
  tsr::RowVector<float, M, Grid> reread;
  tsr::load_fragment(reread, tsr::View<const float, 1>{rowMax.data, {0}}, 0, 2.0f);  // outside of the tensor: 2
  for (int i = 0; i < tile.rows; ++i)
    for (int j = 0; j < tile.cols; ++j) tile(i, j) = (tile(i, j) - most(i)) * reread(i);
  tsr::write_shared(stage, tile);
  tsr::group_barrier();
  Tile again;
  tsr::read_shared(again, stage);
  tsr::store_fragment(shifted, again, 0, 0);
}

template <int M, int N, class Grid> void reduced(const char *name) {
  const int64_t height = M - 2, width = N - 3;  // the tile is larger than the tensor
  Buffer<float> x(static_cast<size_t>(height * width)), rows(M), cols(N), shifted(static_cast<size_t>(height * width)), totals(2 * Grid::size);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) - 50.0f;
  LAUNCH(Grid::size, (reductions<M, N, Grid>), (tsr::View<const float, 2>{x.device(), {height, width}}), (tsr::View<float, 1>{rows.device(), {M}}),
         (tsr::View<float, 1>{cols.device(), {N}}), (tsr::View<float, 2>{shifted.device(), {height, width}}), totals.device());
  rows.back();
  cols.back();
  shifted.back();
  totals.back();
  auto at = [&](int64_t m, int64_t n) { return m < height && n < width ? x[static_cast<size_t>(m * width + n)] : -5.0f; };
  for (int64_t m = 0; m < M; ++m) {
    float most = -INFINITY;
    for (int64_t n = 0; n < N; ++n) most = std::fmax(most, at(m, n));
    expect(rows[static_cast<size_t>(m)] == most, name, m);
    for (int64_t n = 0; m < height && n < width; ++n) expect(shifted[static_cast<size_t>(m * width + n)] == 2.0f * (at(m, n) - most), name, m * width + n);
  }
  for (int64_t n = 0; n < N; ++n) {
    float sum = 0;
    for (int64_t m = 0; m < M; ++m) sum += at(m, n);
    expect(cols[static_cast<size_t>(n)] == sum, name, n);
  }
  float most = -INFINITY, sum = 0;  // whole numbers: their sum is exact in any order
  for (int64_t i = 0; i < M * N; ++i) most = std::fmax(most, at(i / N, i % N)), sum += at(i / N, i % N);
  for (int i = 0; i < Grid::size; ++i)
    expect(totals[static_cast<size_t>(2 * i)] == most && totals[static_cast<size_t>(2 * i + 1)] == sum, "vector_reduce", i);
}

#if !defined(TSR_CPU)
template <int Count> KERNEL group_sums(const float *x, float *sum, float *most, bool *any) {
  SHARED float scratch[tsr::group_reduce_scratch(Count)];
  SHARED bool flags[tsr::group_reduce_scratch(Count)];
  const int at = tsr::lane();
  sum[at] = tsr::group_reduce<tsr::Sum, Count>(x[at], scratch);
  most[at] = tsr::group_reduce<tsr::Max, Count>(x[at], scratch);
  any[at] = tsr::group_reduce<tsr::Any, Count>(x[at] == x[Count - 1], flags);
}
/// Both at once, twice: the second time in other memory, since nobody waits behind the first.
template <int Count> KERNEL group_sums_together(const float *x, float *sum, float *most, float *last) {
  SHARED float scratch[2][tsr::group_reduce_scratch(Count)], more[1][tsr::group_reduce_scratch(Count)];
  const int at = tsr::lane();
  float total = x[at], largest = x[at];
  tsr::reduce_together<Count, tsr::Sum, tsr::Max>(scratch, total, largest);
  float least = largest - x[at];
  tsr::reduce_together<Count, tsr::Min>(more, least);
  sum[at] = total;
  most[at] = largest;
  last[at] = least;
}
#endif
/// The GPU's result in every lane, and the CPU's of an array, are the same bits.
template <int Count> void group_reductions() {
  float values[Count];
  for (int i = 0; i < Count; ++i) values[i] = 1.0f / static_cast<float>(i + 3);
  const float sum = tsr::group_reduce<tsr::Sum, Count>(values), most = tsr::group_reduce<tsr::Max, Count>(values);
  double right = 0;
  for (float value : values) right += value;
  expect(std::fabs(sum - right) < 1e-5 && most == values[0], "group_reduce of an array", Count);
#if !defined(TSR_CPU)
  Buffer<float> x(Count), sums(Count), mosts(Count);
  Buffer<unsigned char> any(Count);
  for (size_t i = 0; i < Count; ++i) x[i] = values[i];
  LAUNCH(Count, (group_sums<Count>), x.device(), sums.device(), mosts.device(), reinterpret_cast<bool *>(any.device()));
  sums.back();
  mosts.back();
  any.back();
  for (size_t i = 0; i < Count; ++i) expect(sums[i] == sum && mosts[i] == most && any[i] == 1, "group_reduce", Count);
  Buffer<float> lasts(Count);
  for (size_t i = 0; i < Count; ++i) sums[i] = mosts[i] = lasts[i] = -1.0f;
  LAUNCH(Count, (group_sums_together<Count>), x.device(), sums.device(), mosts.device(), lasts.device());
  sums.back();
  mosts.back();
  lasts.back();
  for (size_t i = 0; i < Count; ++i) expect(sums[i] == sum && mosts[i] == most && lasts[i] == 0.0f, "reduce_together", Count);
#endif
}

template <class T, int Count, int Held, int Group> KERNEL move_row(const T *x, T *y, float *total, int64_t extent) {
  constexpr int Threads = kGpu ? Group : 1;
  SHARED float scratch[tsr::group_reduce_scratch(Threads)];
  const tsr::HeldRow<T, Count, Held, Threads> row(x, extent);
  float sum = 0;
  for (int64_t k = 0; k < tsr::row_turns<Count, Held, Threads>(extent); ++k) {
    const int64_t c = tsr::HeldRow<T, Count, Held, Threads>::first(k);
    if (c >= extent) continue;
    tsr::Vector<T, Count> v = row(k);
    for (int i = 0; i < Count; ++i) {
      sum += tsr::to<float>(v(i));
      v(i) = tsr::to<T>(tsr::to<float>(v(i)) + 1.0f);
    }
    tsr::store_vector(y, c, v);
  }
  total[tsr::lane()] = tsr::group_reduce<tsr::Sum, Threads>(sum, scratch);
}
/// Each element is moved once, none beside the row, whether it is held or not.
template <class T, int Count, int Held, int Group> void rows_of_vectors(int64_t extent) {
  Buffer<T> x(static_cast<size_t>(extent + Count)), y(static_cast<size_t>(extent + Count));
  Buffer<float> totals(Group);
  float sum = 0;
  for (int64_t i = 0; i < extent + Count; ++i) {
    x[static_cast<size_t>(i)] = tsr::to<T>(static_cast<float>(i % 7));
    y[static_cast<size_t>(i)] = tsr::to<T>(-1.0f);
    if (i < extent) sum += static_cast<float>(i % 7);
  }
  const int64_t turns = (extent + Count * Group - 1) / (Count * Group), shared = Held < -1 && turns > -Held ? -Held : turns;
  (void)shared;
  LAUNCH_SHARED(Group, static_cast<unsigned>(Held < 0 ? 16 * Group * shared : 0), (move_row<T, Count, kGpu ? Held : 0, Group>), x.device(),
                y.device(), totals.device(), extent);
  y.back();
  totals.back();
  for (int64_t i = 0; i < extent + Count; ++i)
    expect(tsr::to<float>(y[static_cast<size_t>(i)]) == (i < extent ? static_cast<float>(i % 7 + 1) : -1.0f), "a row in vectors", i);
  expect(totals[0] == sum, "the sum of a row in vectors", extent);
}
void vectors() {
  rows_of_vectors<tsr::bf16, 8, 4, 32>(1024);
  rows_of_vectors<tsr::bf16, 8, 4, 32>(8);
  rows_of_vectors<tsr::bf16, 8, 4, 64>(808);
  rows_of_vectors<tsr::bf16, 8, 0, 64>(8 * 1031);
  rows_of_vectors<tsr::bf16, 1, 3, 64>(131);
  rows_of_vectors<float, 4, 2, 256>(1028);
  rows_of_vectors<float, 8, 2, 32>(488);  // two instructions a vector
  rows_of_vectors<float, 1, 0, 32>(101);
  rows_of_vectors<float, 4, 1, 32>(0);
  rows_of_vectors<tsr::bf16, 8, -1, 64>(8 * 257);  // in shared memory
  rows_of_vectors<tsr::bf16, 8, -2, 64>(8 * 257);  // two turns of them
  rows_of_vectors<float, 4, -3, 32>(4 * 31);
}

/// Running sums of whole numbers, which no order of additions changes.
template <class T, int Count, int Group> KERNEL scan_row(const T *x, T *y) {
  using Row = tsr::ColVector<T, Count, Lanes<1, Group>>;
  SHARED T scratch[tsr::tile_elements<Row>];
  Row row, sums;
  for (int i = 0; i < row.cols; ++i)
    if (row.holds(i)) row(i) = x[row.col(i)];
  tsr::scan<tsr::Sum, 0>(sums, row, scratch);
  for (int i = 0; i < sums.cols; ++i)
    if (sums.owner() && sums.holds(i)) y[sums.col(i)] = sums(i);
}
template <class T, int Count, int Group> void scans() {
  Buffer<T> x(Count), y(Count);
  for (size_t i = 0; i < Count; ++i) x[i] = static_cast<T>(static_cast<int>(i * 7 % 11) - 4), y[i] = static_cast<T>(-1);
  LAUNCH(Group, (scan_row<T, Count, Group>), x.device(), y.device());
  y.back();
  T sum = 0;
  for (size_t i = 0; i < Count; ++i) {
    sum += x[i];
    expect(y[i] == sum, "a running sum", static_cast<long long>(i));
  }
}

KERNEL slices(tsr::View<float, 3> x) {
  if (tsr::lane() != 0) return;
  x[1][2][0] = 7.0f;
  x(0, 1, 1) = 8.0f;
  x.put(9.0f, 5, 0, 0);   // outside: nothing happens
  x.put(9.0f, -1, 0, 0);
  x(0, 0, 0) = x.at_or(-1.0f, 0, 3, 0) + x.at(2, 0, 0) + x[1].at(2, 0);
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what ends the program early takes nothing along that was said
  if (!harness::has_device()) {
    std::printf("there is no device to run on\n");
    return 77;
  }
  conversions<tsr::bf16, uint16_t>("bf16");
  conversions<tsr::f16, uint16_t>("f16");
  conversions<tsr::f8e4m3, uint8_t>("f8e4m3");
  conversions<tsr::f8e5m2, uint8_t>("f8e5m2");
  conversions<tsr::f6e2m3, uint8_t>("f6e2m3");
  conversions<tsr::f4e2m1, uint8_t>("f4e2m1");
  nearest<tsr::detail::FormatBf16>("nearest bf16");
  nearest<tsr::detail::FormatF16>("nearest f16");
  nearest<tsr::f8e5m2::format>("nearest f8e5m2");
  scalars();
  exp_accuracy();
  banded();
  longest_first();
  rounds_from_both_ends();
  longest_in_pairs();
  erfc_accuracy();
  parts_of_views();
  rows<float, tsr::Linear, false, 32, 16>("rows by their places");
  rows<uint16_t, tsr::Xor, true, 64, 32>("rows by their places, swizzled, later");
  rows<uint8_t, tsr::Linear, true, 16, 32>("rows of bytes by their places");
  copies<float, tsr::Linear, false, 32, 32>("copy of f32");
  copies<uint16_t, tsr::Xor, false, 16, 64>("copy of 16 bits, swizzled");
  copies<uint16_t, tsr::Xor, true, 32, 32>("asynchronous copy of 16 bits, swizzled");
  copies<uint8_t, tsr::Linear, true, 16, 24>("asynchronous copy of bytes");
  copies<float, tsr::Xor, true, 9, 20>("asynchronous copy of f32 with odd sizes");
  products<tsr::bf16, 32, 64, 32, Lanes<8, 16>, false, false>("dot");
  products<tsr::bf16, 32, 32, 16, Lanes<8, 8>, true, false>("dot, a transposed");
  products<float, 16, 48, 64, Lanes<4, 32>, false, true>("dot, b transposed");
  products<tsr::f16, 19, 21, 10, Lanes<8, 16>, true, true>("dot, odd sizes, both transposed");
  reduced<32, 64, Lanes<8, 16>>("reductions");
  reduced<19, 37, Lanes<8, 32>>("reductions, odd sizes");
  reduced<5, 7, Lanes<64, 1>>("reductions, more lanes than rows");
  group_reductions<1>();
  group_reductions<8>();
  group_reductions<32>();
  group_reductions<48>();
  group_reductions<96>();
  group_reductions<256>();
  vectors();
  scans<float, 2048, 256>();
  scans<int32_t, 64, 32>();
  scans<double, 512, 128>();
  scans<float, 96, 64>();
  divisor_tests::all();
  philox_tests::all();
  sort_tests::all();
  atomic_tests::all();
  warp_tests::all();
  tiled_tests::all();
  vector_tests::all();
  window_tests::all();
  Buffer<float> x(2 * 3 * 2);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0;
  LAUNCH(1, slices, (tsr::View<float, 3>{x.device(), {2, 3, 2}}));
  x.back();
  expect(x[10] == 7.0f && x[3] == 8.0f && x[0] == 6.0f, "views");
#if !defined(TSR_CPU)
  blocked_tests::all();
#endif
#if defined(TSR_CUDA)
  mma_tests::all();
#elif defined(TSR_HIP)
  wave_tests::all();
#endif
  std::printf("%d passed, %d failed\n", harness::passed, harness::failed);
  return harness::failed ? 1 : 0;
}
