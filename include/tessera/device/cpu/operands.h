// Operands of products on the CPU, as the register blocks of multiply.h read them. They hold the accumulator's type: what
// is narrower in memory is converted once, where it is copied.
//
//   LeftInPlace<T, M, K>    the left operand where it lies in a tensor; nothing is moved
//   LeftRows<T, M, K>       its rows, converted
//   RightPanels<T, K, N>    the right operand, packed into panels
//
//   copy_tile<1>(operand, view, row0, col0)              the elements of `view` from (row0, col0) on
//   copy_transposed_tile<1>(operand, view, row0, col0)   likewise, rows and columns exchanged (RightPanels)
//
// An operand knows how many of its rows and columns lie inside of the tensor; a product skips the others, which are zero.
#pragma once
#include "tessera/device/cpu/memory.h"
#include "tessera/device/cpu/multiply.h"
#include "tessera/device/shared.h"

#if defined(TSR_CPU)
namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

/// The part of a tile at (row0, col0) that lies inside of a tensor.
template <class V> struct Part {
  using Value = typename std::remove_const<V>::type;
  const Value *from;
  int64_t stride;
  int height, width;

  template <class Layout>
  Part(const View<V, 2, Layout> &view, int64_t row0, int64_t col0, int rows, int cols)
      : stride(view.stride(0)), height(within(view.extent[0] - row0, rows)),
        width(within(view.extent[1] - col0, cols)) {
    if (height == 0 || width == 0) height = width = 0;
    from = height > 0 ? view.data + row0 * stride + col0 : view.data;
  }
  static int within(int64_t left, int extent) { return static_cast<int>(left < 0 ? 0 : left < extent ? left : extent); }
};

template <class T, class V>
TSR_ALWAYS_INLINE void convert_line(T *__restrict to_line, const V *__restrict from, int count) {
  TSR_SIMD
  for (int i = 0; i < count; ++i) to_line[i] = to<T>(from[i]);
}

/// Packs rows of `width` elements into panels; line(k) is row k.
template <class T, class Line>
inline void pack_panels(T *panels, int panel_depth, int depth, int width, const Line &line) {
  constexpr int panel = panel_width<T>;
  for (int k = 0; k < depth; ++k) {
    const auto *const from = line(k);
    T *target = panels + k * panel;
    int j = 0;
    for (; j + panel <= width; j += panel, target += panel_depth * panel) convert_line(target, from + j, panel);
    if (j == width) continue;
    convert_line(target, from + j, width - j);
    for (int rest = width - j; rest % lanes<T> != 0; ++rest) target[rest] = T{};
  }
}

/// Packs columns of `depth` elements into panels; column(j) is column j.
template <class T, class Column>
inline void pack_transposed(T *panels, int panel_depth, int depth, int width, const Column &column) {
  constexpr int n = lanes<T>, panel = panel_width<T>;
  for (int j = 0; j < width; j += n) {
    T *const target = panels + j / panel * panel_depth * panel + j % panel;
    const int cols = width - j < n ? width - j : n;
    for (int k = 0; k < depth; k += n) {
      const int rows = depth - k < n ? depth - k : n;
      Vector<T> square[n];
      TSR_UNROLL_ALL
      for (int i = 0; i < n; ++i) {
        T line[n] = {};
        if (i < cols) {
          if (rows == n) convert_line(line, column(j + i) + k, n);
          else convert_line(line, column(j + i) + k, rows);
        }
        square[i] = load(line);
      }
      transpose<T>(square);
      for (int i = 0; i < rows; ++i) store(target + (k + i) * panel, square[i]);
    }
  }
}

}  // namespace cpu

template <class T, int M, int K> struct LeftInPlace {
  static constexpr int rows = M, cols = K;
  const T *data;
  int64_t stride;
  int height, width;
};

template <class T, int M, int K> class LeftRows {
  cpu::TaskMemory memory_{M * K * sizeof(T)};

public:
  using Element = T;
  static constexpr int rows = M, cols = K;
  T *const data = static_cast<T *>(memory_.data());
  static constexpr int64_t stride = K;
  int height = 0, width = 0;
};

template <class T, int K, int M> TSR_INLINE Transposed<LeftRows<T, K, M>> transposed(const LeftRows<T, K, M> &tile) {
  return {tile};
}

template <class T, int K, int N> class RightPanels {
  static constexpr int panels = (N + cpu::panel_width<T> - 1) / cpu::panel_width<T>;
  cpu::TaskMemory memory_{panels * cpu::panel_width<T> * K * sizeof(T)};

public:
  static constexpr int rows = K, cols = N;
  T *const data = static_cast<T *>(memory_.data());
  int height = 0, width = 0;
};

template <int, class T, int M, int K, class V, class Layout>
inline void copy_tile(LeftInPlace<T, M, K> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  const cpu::Part<V> part(view, row0, col0, M, K);
  tile = {part.from, part.stride, part.height, part.width};
}
template <int, class T, int M, int K, class V, class Layout>
inline void copy_tile(LeftRows<T, M, K> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  const cpu::Part<V> part(view, row0, col0, M, K);
  tile.height = part.height, tile.width = part.width;
  for (int i = 0; i < part.height; ++i) cpu::convert_line(tile.data + i * K, part.from + i * part.stride, part.width);
}
template <int, class T, int K, int N, class V, class Layout>
inline void copy_tile(RightPanels<T, K, N> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  const cpu::Part<V> part(view, row0, col0, K, N);
  tile.height = part.height, tile.width = part.width;
  cpu::pack_panels(tile.data, K, part.height, part.width, [&](int k) { return part.from + k * part.stride; });
}
template <int, class T, int K, int N, class V, class Layout>
inline void copy_transposed_tile(RightPanels<T, K, N> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  const cpu::Part<V> part(view, row0, col0, N, K);
  tile.height = part.width, tile.width = part.height;
  cpu::pack_transposed(tile.data, K, part.width, part.height, [&](int j) { return part.from + j * part.stride; });
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
