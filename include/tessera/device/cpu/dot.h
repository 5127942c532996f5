// acc += a * b on the CPU, of operands that were packed when they were copied, or of any other tiles, which are packed here.
#pragma once
#include "tessera/device/cpu/operands.h"

#if defined(TSR_CPU)
namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

/// The left operand of a product in the accumulator's type T, read in place where the tile allows it.
template <class T, class Tile> class LeftOf {
  TaskMemory memory_{Tile::rows * Tile::cols * sizeof(T)};

public:
  Left<T, false> value;
  explicit LeftOf(const Tile &tile) {
    T *const data = static_cast<T *>(memory_.data());
    for (int i = 0; i < Tile::rows; ++i)
      for (int k = 0; k < Tile::cols; ++k) data[i * Tile::cols + k] = to<T>(tile(i, k));
    value = {data, Tile::cols, Tile::rows, Tile::cols};
  }
};
template <class T, int M, int K> struct LeftOf<T, SharedTile<T, M, K, Linear>> {
  Left<T, false> value;
  explicit LeftOf(const SharedTile<T, M, K, Linear> &tile) : value{tile.element, K, M, K} {}
};
template <class T, int M, int K> struct LeftOf<T, Transposed<SharedTile<T, K, M, Linear>>> {
  Left<T, true> value;
  explicit LeftOf(const Transposed<SharedTile<T, K, M, Linear>> &a) : value{a.tile.element, M, M, K} {}
};
template <class T, int M, int K> struct LeftOf<T, LeftInPlace<T, M, K>> {
  Left<T, false> value;
  explicit LeftOf(const LeftInPlace<T, M, K> &tile) : value{tile.data, tile.stride, tile.height, tile.width} {}
};
template <class T, int M, int K> struct LeftOf<T, LeftRows<T, M, K>> {
  Left<T, false> value;
  explicit LeftOf(const LeftRows<T, M, K> &tile) : value{tile.data, tile.stride, tile.height, tile.width} {}
};
template <class T, int M, int K> struct LeftOf<T, Transposed<LeftRows<T, K, M>>> {
  Left<T, true> value;
  explicit LeftOf(const Transposed<LeftRows<T, K, M>> &a)
      : value{a.tile.data, a.tile.stride, a.tile.width, a.tile.height} {}
};

/// The right operand of a product in panels of the accumulator's type T.
template <class T, class Tile> class RightOf {
  static constexpr int K = Tile::rows, N = Tile::cols, panels = (N + panel_width<T> - 1) / panel_width<T>;
  TaskMemory memory_{panels * panel_width<T> * K * sizeof(T)};
  T *const data_ = static_cast<T *>(memory_.data());

  template <class E> void pack(const SharedTile<E, K, N, Linear> &tile) {
    pack_panels(data_, K, K, N, [&](int k) { return tile.element + k * N; });
  }
  template <class E> void pack(const Transposed<SharedTile<E, N, K, Linear>> &b) {
    pack_transposed(data_, K, K, N, [&](int j) { return b.tile.element + j * K; });
  }
  template <class Any> void pack(const Any &tile) {
    typename Tile::Element line[N];
    pack_panels(data_, K, K, N, [&](int k) {
      for (int j = 0; j < N; ++j) line[j] = tile(k, j);
      return &line[0];
    });
  }

public:
  Right<T> value{data_, K, N, K};
  explicit RightOf(const Tile &tile) { pack(tile); }
};
template <class T, int K, int N> struct RightOf<T, RightPanels<T, K, N>> {
  Right<T> value;
  explicit RightOf(const RightPanels<T, K, N> &tile) : value{tile.data, K, tile.width, tile.height} {}
};

/// What the machine's vectors hold; products of other types are done element by element.
template <class T> constexpr bool has_vectors = std::is_arithmetic<T>::value && !std::is_same<T, bool>::value;

template <class T, int M, int N, class Grid, class A, class B>
inline void dot(Fragment<T, M, N, Grid> &acc, const A &a, const B &b) {
  static_assert(Grid::size == 1, "on the CPU a group has one lane");
  if constexpr (has_vectors<T>) {
    const LeftOf<T, A> left(a);
    const RightOf<T, B> right(b);
    multiply<N>(&acc.element[0][0], N, left.value, right.value);
  } else {
    for (int i = 0; i < M; ++i)
      for (int k = 0; k < A::cols; ++k) {
        const T factor = to<T>(a(i, k));
        for (int j = 0; j < N; ++j) acc.element[i][j] += factor * to<T>(b(k, j));
      }
  }
}

}  // namespace cpu
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
