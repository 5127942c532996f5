// Tiles in shared memory as the bulk copies of Hopper write them and its matrix instructions read them.
//
// A tile of M x N elements is cut into panels of 128 bytes a row. A panel has its M rows one after the other; the eight
// 16-byte chunks of row i change places by i % 8 (the 128-byte swizzle of PTX ISA, "Swizzling modes"). A panel begins at
// a multiple of 1024 bytes.
#pragma once
#include "tessera/device/shared.h"

namespace tsr {

struct Panels {};

template <class T, int M, int N> struct SharedTile<T, M, N, Panels> {
  using Element = T;
  using Layout = Panels;
  static constexpr int rows = M, cols = N, panel_cols = 128 / static_cast<int>(sizeof(T)), panels = N / panel_cols;
  static_assert(N % panel_cols == 0 && M % 8 == 0, "whole panels of whole groups of eight rows");
  alignas(1024) T element[M * N];

  static TSR_INLINE int place(int i, int j) {
    constexpr int chunk = 16 / static_cast<int>(sizeof(T));
    const int within = j % panel_cols;
    return j / panel_cols * (M * panel_cols) + i * panel_cols + ((within / chunk) ^ (i & 7)) * chunk + within % chunk;
  }
  TSR_INLINE T &operator()(int i, int j) { return element[place(i, j)]; }
  TSR_INLINE const T &operator()(int i, int j) const { return element[place(i, j)]; }
};

}  // namespace tsr
