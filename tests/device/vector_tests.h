// Extremes of vectors of 16 bits (extremes.h), tiles that are turned (shared.h), single elements of vectors (reduce.h), division in short (math.h).
#pragma once
#include "harness.h"
#include "tessera/device/extremes.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"

namespace vector_tests {
using namespace harness;

/// A row of `extent` elements that begins `before` elements behind a multiple of the vector: out[0] its smallest, out[1] its largest.
template <class T, int Count, int Edges> KERNEL smallest_and_largest(const T *x, int64_t before, int64_t extent, float *out) {
  tsr::Extreme<tsr::Min, T> least;
  tsr::Extreme<tsr::Max, T> most;
  for (int64_t c = -before; c < extent; c += Count) {
    const tsr::Inside<Edges, Count> inside(c, extent);
    const tsr::Vector<T, Count> v = tsr::load_vector<Count>(x + before + c);
    least.take(v, inside);
    most.take(v, inside);
  }
  out[0] = least.value();
  out[1] = most.value();
}

template <class T, int Count, int Edges> void extremes(int64_t before, int64_t extent, bool has_nan) {
  Buffer<T> x(static_cast<size_t>((before + extent + Count) / Count * Count));
  float least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t c = static_cast<int64_t>(i) - before;
    const float value = c < 0 || c >= extent ? (i % 2 ? 1e4f : -1e4f) : static_cast<float>(c * 37 % 101) - 70.0f;  // others' elements do not count
    x[i] = tsr::to<T>(has_nan && c == extent / 2 ? NAN : value);
    if (c >= 0 && c < extent) least = std::fmin(least, value), most = std::fmax(most, value);
  }
  Buffer<float> out(2);
  LAUNCH(1, (smallest_and_largest<T, Count, Edges>), x.device(), before, extent, out.device());
  out.back();
  if (has_nan) expect(out[0] != out[0] && out[1] != out[1], "extremes with a NaN", extent);
  else expect(out[0] == least && out[1] == most, "extremes", extent);
}

template <class T, int Count, int Edge> KERNEL turn(const T *x, T *y) {
  constexpr int Threads = kGpu ? 64 : 1;
  SHARED tsr::SharedTile<T, Edge, Edge, tsr::XorChunks> tile;
  for (int64_t e = tsr::lane() * Count; e < Edge * Edge; e += Threads * Count) tsr::put_vector(tile, e / Edge, e % Edge, tsr::load_vector<Count>(x + e));
  tsr::group_barrier();
  for (int64_t e = tsr::lane(); e < Edge * Edge; e += Threads) y[e] = tile(static_cast<int>(e % Edge), static_cast<int>(e / Edge));
}
template <class T, int Count, int Edge> void turned() {
  Buffer<T> x(Edge * Edge), y(Edge * Edge);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 251);
  LAUNCH(kGpu ? 64 : 1, (turn<T, Count, Edge>), x.device(), y.device());
  y.back();
  bool good = true;
  for (size_t i = 0; i < x.size(); ++i) good = good && y[i] == x[i % Edge * Edge + i / Edge];
  expect(good, "a tile that is turned", Count);
}

template <int N, class Grid> KERNEL element_of(const float *x, int place, float *out) {
  SHARED float scratch[1];
  tsr::ColVector<float, N, Grid> vector;
  tsr::load_fragment(vector, tsr::View<const float, 1>{x, {N}}, 0);
  const float found = tsr::vector_element(vector, place, scratch);
  out[Grid::size == 1 ? 0 : tsr::lane()] = found;
}
template <int N, class Grid> void elements() {
  Buffer<float> x(N), out(Grid::size);
  for (size_t i = 0; i < N; ++i) x[i] = static_cast<float>(i);
  for (int place : {0, 1, N / 2, N - 1}) {
    LAUNCH(Grid::size, (element_of<N, Grid>), x.device(), place, out.device());
    out.back();
    for (int i = 0; i < Grid::size; ++i) expect(out[static_cast<size_t>(i)] == static_cast<float>(place), "an element of a vector", place);
  }
}

#if !defined(TSR_CPU)
KERNEL divided(const float *a, const float *b, float *out) { out[tsr::lane()] = tsr::short_div(a[tsr::lane()], b[tsr::lane()]); }
KERNEL shared_out(const float *a, const float *n, float *out) { out[tsr::lane()] = tsr::div_by(a[tsr::lane()], n[tsr::lane()]); }
/// By numbers of elements: what a division gives, also of what is infinite or no number.
inline void divisions_by_extents() {
  constexpr int count = 256;
  Buffer<float> a(count), n(count), out(count);
  const float special[] = {0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1.8p-140f, 0x1.fffffep127f, -0x1.fffffep127f};
  for (int64_t extent : {1, 2, 3, 7, 1000, 4095, 4096, 50257, 131071, 16777213, 1 << 30}) {
    for (size_t i = 0; i < count; ++i) {
      a[i] = i < 8 ? special[i] : std::ldexp(1.0f + static_cast<float>(i * 2654435761u % 8388608) / 8388608, static_cast<int>(i % 200) - 100);
      n[i] = static_cast<float>(extent + static_cast<int64_t>(i % 3));
    }
    LAUNCH(count, shared_out, a.device(), n.device(), out.device());
    out.back();
    for (size_t i = 0; i < count; ++i) {
      const float right = a[i] / n[i];
      expect(out[i] == right || (right != right && out[i] != out[i]), "a division by a number of elements", static_cast<int64_t>(i));
    }
  }
}
inline void divisions() {
  constexpr int count = 64;
  Buffer<float> a(count), b(count), out(count);
  for (size_t i = 0; i < count; ++i) a[i] = std::ldexp(1.0f + static_cast<float>(i) / 97, static_cast<int>(i) * 2 - 64), b[i] = std::ldexp(1.5f - static_cast<float>(i) / 131, 127 - static_cast<int>(i) * 3);
  LAUNCH(count, divided, a.device(), b.device(), out.device());
  out.back();
  for (size_t i = 0; i < count; ++i) {
    const double right = static_cast<double>(a[i]) / static_cast<double>(b[i]);
    expect(std::fabs(out[i] - right) <= std::ldexp(right, -22) + 0x1p-149, "a division in short", static_cast<int64_t>(i));
  }
}
#endif

inline void all() {
  for (int64_t extent : {1, 7, 8, 9, 31, 100, 257})
    for (bool has_nan : {false, true}) {
      for (int64_t before : {0, 1, 5, 7}) {
        extremes<tsr::bf16, 8, 1>(before, extent, has_nan);
        extremes<tsr::f16, 8, 1>(before, extent, has_nan);
      }
      extremes<tsr::bf16, 8, 0>(0, extent * 8, has_nan);
      extremes<tsr::f16, 2, 0>(0, extent * 2, has_nan);
      extremes<tsr::bf16, 1, 0>(0, extent, has_nan);
    }
  turned<float, 4, 32>();
  turned<float, 1, 32>();
  turned<double, 2, 32>();
  turned<int16_t, 8, 64>();
  turned<uint8_t, 16, 64>();
  elements<1024, Lanes<1, 128>>();
  elements<100, Lanes<1, 64>>();
#if !defined(TSR_CPU)
  divisions();
  divisions_by_extents();
#endif
}

}  // namespace vector_tests
