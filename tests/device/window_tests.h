// Tensors that are read through windows (windows.h); on sm_90a as the copy engine brings them, too (cuda/ring.h).
#pragma once
#include "harness.h"
#include "tessera/device/windows.h"
#if defined(TSR_TEST_SM90A)
#include "tessera/device/cuda/ring.h"
#include "tessera/tensor_map.h"
#endif

namespace window_tests {
using namespace harness;

/// Of a tensor [n, axes under the window, c]: the extents, the windows, and how many there are.
template <int Axes> struct Shape {
  int64_t n, size[Axes], c;
  int32_t places[Axes], stride[Axes], dilation[Axes], before[Axes];
  int32_t count(int axis) const {
    return (static_cast<int32_t>(size[axis]) + 2 * before[axis] - dilation[axis] * (places[axis] - 1) - 1) / stride[axis] + 1;
  }
  int64_t windows() const {
    int64_t all = n;
    for (int d = 0; d < Axes; ++d) all *= count(d);
    return all;
  }
  int64_t all_places() const {
    int64_t all = 1;
    for (int d = 0; d < Axes; ++d) all *= places[d];
    return all;
  }
  int64_t elements() const {
    int64_t all = n * c;
    for (int d = 0; d < Axes; ++d) all *= size[d];
    return all;
  }
  template <class T> tsr::WindowView<T, Axes> view(T *data) const {
    tsr::WindowView<T, Axes> made{data, {windows(), all_places(), c}, {n}, {}, {}, {}, {}, {}, {}};
    int64_t step = c;
    for (int d = Axes - 1; d >= 0; --d) {
      made.size[d + 1] = size[d], made.step[d + 1] = step, step *= size[d];
      made.count[d] = count(d), made.places[d] = places[d], made.stride[d] = stride[d], made.dilation[d] = dilation[d], made.before[d] = before[d];
    }
    made.step[0] = step;
    return made;
  }
  /// The number of the element at a place of a window; -1 for what lies outside.
  int64_t element(int64_t window, int64_t place, int64_t channel) const {
    if (window >= windows() || place >= all_places() || channel >= c) return -1;
    int64_t step = c, found = channel;
    for (int d = Axes - 1; d >= 0; --d) {
      const int64_t i = window % count(d) * stride[d] + place % places[d] * dilation[d] - before[d];
      if (i < 0 || i >= size[d]) return -1;
      found += i * step;
      step *= size[d], window /= count(d), place /= places[d];
    }
    return found + window * step;
  }
};

constexpr Shape<2> kShapes[] = {{2, {5, 7}, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}},  {1, {1, 1}, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                {3, {9, 8}, 40, {5, 2}, {2, 3}, {1, 2}, {2, 1}}, {1, {13, 6}, 72, {1, 1}, {2, 2}, {1, 1}, {0, 0}},
                                {2, {11, 12}, 64, {7, 7}, {2, 2}, {1, 1}, {3, 3}}, {2, {6, 6}, 3, {3, 3}, {1, 1}, {2, 2}, {2, 2}}};
constexpr Shape<1> kLines[] = {{2, {9}, 8, {3}, {1}, {1}, {1}}, {3, {30}, 40, {5}, {2}, {3}, {4}}};
constexpr Shape<3> kVolumes[] = {{2, {3, 5, 7}, 8, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {1, {1, 1, 1}, 8, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                                 {3, {6, 9, 8}, 40, {2, 5, 1}, {1, 2, 3}, {2, 1, 1}, {1, 2, 0}}, {2, {7, 6, 6}, 72, {3, 1, 3}, {2, 1, 2}, {1, 1, 2}, {1, 0, 2}}};

template <int Axes> void views(const Shape<Axes> &shape) {
  std::vector<float> data(static_cast<size_t>(shape.elements()));
  const auto view = shape.view(data.data());
  bool good = true;
  for (int64_t window = 0; window < shape.windows(); ++window)
    for (int64_t place = 0; place < shape.all_places(); ++place) {
      const float *found = view.at(view.origin(window), view.shift(place));
      const int64_t wanted = shape.element(window, place, 0);
      good = good && (wanted < 0 ? found == nullptr : found == data.data() + wanted);
    }
  expect(good, "windows of a view", shape.c);
}

#if defined(TSR_TEST_SM90A)
constexpr int kRows = 64, kCols = 64;

/// A tile of windows at each place, by a ring of one stage; one consumer warp writes it out.
template <int Axes>
KERNEL copied(const __grid_constant__ tsr::WindowTiledView<const tsr::bf16, Axes> x, float *out, int64_t first, int64_t channel) {
  __shared__ tsr::SharedTile<tsr::bf16, kRows, kCols, tsr::Panels> tile;
  __shared__ tsr::Ring<1> ring;
  constexpr int consumers = 128;
  tsr::start_ring<consumers>(ring);
  tsr::group_barrier();
  const int64_t places = x.extent[1] + 1;  // the last is none
  if (tsr::lane() >= consumers) {
    if (!tsr::fills_ring<consumers>()) return;
    tsr::RingWriter<1> to_fill(ring);
    for (int64_t place = 0; place < places; ++place) {
      to_fill.acquire();
      tsr::copy_to_ring(to_fill, tile, x, first, place, channel);
      to_fill.publish();
    }
    return;
  }
  tsr::RingReader<1> filled(ring);
  for (int64_t place = 0; place < places; ++place) {
    filled.wait();
    for (int e = tsr::lane(); e < kRows * kCols; e += consumers)
      out[place * kRows * kCols + e] = tsr::to<float>(tile(e / kCols, e % kCols));
    filled.release();
  }
}

template <int Axes> void copies(const Shape<Axes> &shape) {
  const int64_t elements = shape.elements(), places = shape.all_places();
  Buffer<tsr::bf16> x(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i) x[static_cast<size_t>(i)] = tsr::to<tsr::bf16>(static_cast<float>(i % 251 + 1));
  const tsr::bf16 *data = x.device();
  tsr::Call call("windows", nullptr);
  const auto view = tsr::tiled(call, shape.view(data), kRows);
  for (int64_t first = 0; first < shape.windows(); first += kRows)
    for (int64_t channel = 0; channel < shape.c; channel += kCols) {
      Buffer<float> out(static_cast<size_t>((places + 1) * kRows * kCols));
      LAUNCH(256, copied<Axes>, view, out.device(), first, channel);
      must(cudaDeviceSynchronize());
      out.back();
      bool good = !call.failed();
      for (int64_t e = 0; e < places * kRows * kCols; ++e) {
        const int64_t at = shape.element(first + e / kCols % kRows, e / (kRows * kCols), channel + e % kCols);
        good = good && out[static_cast<size_t>(e)] == (at < 0 ? 0.0f : tsr::to<float>(x[static_cast<size_t>(at)]));
      }
      expect(good, shape.c % 8 == 0 ? "windows by the copy engine" : "windows of a copy with padded rows", shape.c);
    }
}
#endif

inline void all() {
  const auto each = [](const auto &shapes) {
    for (const auto &shape : shapes) {
      views(shape);
#if defined(TSR_TEST_SM90A)
      copies(shape);
#endif
    }
  };
  each(kLines);
  each(kShapes);
  each(kVolumes);
}

}  // namespace window_tests
