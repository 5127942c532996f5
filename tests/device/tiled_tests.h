// Tiles of tensors that the copy engine can read as they lie, and of those that it reads from a copy with padded rows.
#pragma once
#include "harness.h"
#if defined(TSR_TEST_SM90A)
#include "tessera/device/cuda/ring.h"
#include "tessera/tensor_map.h"
#endif

namespace tiled_tests {
using namespace harness;
#if defined(TSR_TEST_SM90A)
constexpr int kRows = 64, kCols = 64;

template <class T, int Rank, class Layout>
KERNEL copied(const __grid_constant__ tsr::TiledView<const T, Rank, Layout> x, float *out, int64_t matrix, int64_t row, int64_t col) {
  __shared__ tsr::SharedTile<T, kRows, kCols, tsr::Panels> tile;
  __shared__ tsr::Ring<1> ring;
  constexpr int consumers = 128;
  tsr::start_ring<consumers>(ring);
  tsr::group_barrier();
  if (tsr::lane() >= consumers) {
    if (!tsr::fills_ring<consumers>()) return;
    tsr::RingWriter<1> to_fill(ring);
    to_fill.acquire();
    const bool once = row / kRows % 2 == 1;  // what the cache keeps changes nothing else
    if constexpr (Rank == 2) once ? tsr::copy_once_to_ring(to_fill, tile, x, row, col) : tsr::copy_to_ring(to_fill, tile, x, row, col);
    else once ? tsr::copy_once_to_ring(to_fill, tile, x, matrix, row, col) : tsr::copy_to_ring(to_fill, tile, x, matrix, row, col);
    to_fill.publish();
    return;
  }
  tsr::RingReader<1> filled(ring);
  filled.wait();
  for (int e = tsr::lane(); e < kRows * kCols; e += consumers) out[e] = tsr::to<float>(tile(e / kCols, e % kCols));
  filled.release();
}

/// Every tile of a tensor [matrices, rows, cols] whose rows are `pitch` apart, and which begins `before` elements behind an aligned place.
template <class T, int Rank> void copies(int64_t matrices, int64_t rows, int64_t cols, int64_t pitch, int64_t before) {
  Buffer<T> x(static_cast<size_t>(before + matrices * rows * pitch));
  for (int64_t i = 0; i < before + matrices * rows * pitch; ++i) x[static_cast<size_t>(i)] = tsr::to<T>(static_cast<float>(i % 113 + 1));
  const T *data = x.device() + before;
  tsr::Call call("tiles", nullptr);
  const auto take = [&](const auto &view) {
    for (int64_t matrix = 0; matrix < matrices; ++matrix)
      for (int64_t row = 0; row < rows; row += kRows)
        for (int64_t col = 0; col < cols; col += kCols) {
          Buffer<float> out(static_cast<size_t>(kRows * kCols));
          LAUNCH(256, copied, view, out.device(), matrix, row, col);
          must(cudaDeviceSynchronize());
          out.back();
          bool good = !call.failed();
          for (int64_t e = 0; e < kRows * kCols; ++e) {
            const int64_t r = row + e / kCols, c = col + e % kCols;
            const float wanted = r < rows && c < cols ? static_cast<float>((before + (matrix * rows + r) * pitch + c) % 113 + 1) : 0.0f;
            good = good && out[static_cast<size_t>(e)] == wanted;
          }
          expect(good, "tiles of rows that begin anywhere", cols);
        }
  };
  if constexpr (Rank == 2) take(tsr::tiled(call, tsr::StridedView<const T, 2>{data, {rows, cols}, {pitch, 1}}, kRows));
  else take(tsr::tiled(call, tsr::StridedView<const T, 3>{data, {matrices, rows, cols}, {rows * pitch, pitch, 1}}, kRows));
}

inline void all() {
  copies<tsr::bf16, 2>(1, 70, 136, 136, 0);
  copies<tsr::bf16, 2>(1, 70, 129, 129, 0);
  copies<tsr::bf16, 2>(1, 65, 64, 64, 3);
  copies<tsr::bf16, 2>(1, 1, 5, 7, 1);
  copies<tsr::bf16, 2>(1, 67, 100, 131, 9);
  copies<tsr::bf16, 3>(3, 33, 57, 57, 0);
  copies<tsr::bf16, 3>(2, 66, 60, 61, 5);
}
#else
inline void all() {}
#endif
}  // namespace tiled_tests
