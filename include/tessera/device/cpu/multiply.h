// Products of panels on the CPU: a block of c is kept in registers while k runs.
//
// The right operand lies in panels of panel_width<T> columns, k ascending within each, so that every step of k reads
// whole vectors one after the other. The left operand is read element by element, each times a whole row of a panel:
// 6 rows x 4 vectors of c (2 where there are 16 registers) leave registers for a row of the panel and one element.
#pragma once
#include "tessera/device/cpu/vector.h"

#if defined(TSR_CPU)
namespace tsr {
inline namespace TSR_TARGET {
namespace cpu {

// Vectors of a panel, and rows of c, that the registers hold together.
#if defined(__AVX512F__) || defined(__aarch64__)
[[maybe_unused]] constexpr int kPanelVectors = 4;
#else
[[maybe_unused]] constexpr int kPanelVectors = 2;
#endif
[[maybe_unused]] constexpr int kBlockRows = 6;

template <class T> [[maybe_unused]] constexpr int panel_width = kPanelVectors * lanes<T>;

/// The left operand: `rows` x `depth` elements; element (i, k) at i * stride + k, or at k * stride + i.
template <class T, bool DepthFirst> struct Left {
  const T *data;
  int64_t stride;
  int rows, depth;
};
/// The right operand: panel p begins at p * panel_depth * panel_width<T>. What its last panel has beyond `cols` are
/// zeros up to a whole vector.
template <class T> struct Right {
  const T *data;
  int panel_depth;  // rows that a panel has room for
  int cols, depth;
};

/// c (Rows x Vectors vectors) += a * b, k ascending for each element, every product and sum rounded as one where the
/// machine can.
template <class T, bool DepthFirst, int Rows, int Vectors>
TSR_VECTOR_CODE void multiply_block(int64_t depth, const T *__restrict a, int64_t a_stride, const T *__restrict b,
                                    T *__restrict c, int64_t c_stride) {
  TSR_CONTRACT
  constexpr int n = lanes<T>;
  Vector<T> sum[Rows][Vectors];
  TSR_UNROLL_ALL
  for (int i = 0; i < Rows; ++i) TSR_UNROLL_ALL
  for (int v = 0; v < Vectors; ++v) sum[i][v] = load(c + i * c_stride + v * n);
  TSR_UNROLLED(4)
  for (int64_t k = 0; k < depth; ++k) {
    Vector<T> line[Vectors];
    TSR_UNROLL_ALL
    for (int v = 0; v < Vectors; ++v) line[v] = load(b + k * panel_width<T> + v * n);
    TSR_UNROLL_ALL
    for (int i = 0; i < Rows; ++i) {
      const T factor = DepthFirst ? a[k * a_stride + i] : a[i * a_stride + k];
      TSR_UNROLL_ALL
      for (int v = 0; v < Vectors; ++v) sum[i][v] += factor * line[v];
    }
  }
  TSR_UNROLL_ALL
  for (int i = 0; i < Rows; ++i) TSR_UNROLL_ALL
  for (int v = 0; v < Vectors; ++v) store(c + i * c_stride + v * n, sum[i][v]);
}

/// All rows of the left operand times Vectors vectors of a panel.
template <int Vectors, class T, bool DepthFirst>
inline void multiply_rows(const Left<T, DepthFirst> &a, const T *b, T *c, int64_t c_stride, int depth) {
  const auto rows = [&](int i) { return a.data + (DepthFirst ? i : i * a.stride); };
  int i = 0;
  for (; i + kBlockRows <= a.rows; i += kBlockRows)
    multiply_block<T, DepthFirst, kBlockRows, Vectors>(depth, rows(i), a.stride, b, c + i * c_stride, c_stride);
  if (a.rows - i >= 4) {
    multiply_block<T, DepthFirst, 4, Vectors>(depth, rows(i), a.stride, b, c + i * c_stride, c_stride);
    i += 4;
  }
  if (a.rows - i >= 2) {
    multiply_block<T, DepthFirst, 2, Vectors>(depth, rows(i), a.stride, b, c + i * c_stride, c_stride);
    i += 2;
  }
  if (i < a.rows) multiply_block<T, DepthFirst, 1, Vectors>(depth, rows(i), a.stride, b, c + i * c_stride, c_stride);
}

template <int Width, class T, bool DepthFirst>
inline void multiply_panels(T *c, int64_t c_stride, const Left<T, DepthFirst> &a, const Right<T> &b) {
  constexpr int n = lanes<T>, panel = panel_width<T>;
  const int depth = a.depth < b.depth ? a.depth : b.depth;
  for (int j = 0; j < b.cols; j += n) {
    const T *const from = b.data + static_cast<int64_t>(j / panel * b.panel_depth) * panel + j % panel;
    if (j % panel == 0 && j + panel <= Width && j + panel - n < b.cols) {
      multiply_rows<kPanelVectors>(a, from, c + j, c_stride, depth);
      j += panel - n;
    } else if (j + n <= Width) {
      multiply_rows<1>(a, from, c + j, c_stride, depth);
    } else {
      // The row of c ends within the vector.
      for (int i = 0; i < a.rows; ++i) {
        T line[n] = {};
        for (int e = 0; j + e < Width; ++e) line[e] = c[i * c_stride + j + e];
        const Left<T, DepthFirst> row{a.data + (DepthFirst ? i : i * a.stride), a.stride, 1, a.depth};
        multiply_rows<1>(row, from, line, n, depth);
        for (int e = 0; j + e < Width; ++e) c[i * c_stride + j + e] = line[e];
      }
    }
  }
}

/// c += a * b. Rows of c have room for Width elements. Integers that do not fit wrap around.
template <int Width, class T, bool DepthFirst>
inline void multiply(T *c, int64_t c_stride, const Left<T, DepthFirst> &a, const Right<T> &b) {
  if constexpr (std::is_integral<T>::value && std::is_signed<T>::value) {
    using Bits = typename std::make_unsigned<T>::type;
    const Left<Bits, DepthFirst> left{reinterpret_cast<const Bits *>(a.data), a.stride, a.rows, a.depth};
    const Right<Bits> right{reinterpret_cast<const Bits *>(b.data), b.panel_depth, b.cols, b.depth};
    multiply_panels<Width>(reinterpret_cast<Bits *>(c), c_stride, left, right);
  } else {
    multiply_panels<Width>(c, c_stride, a, b);
  }
}

}  // namespace cpu
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
