// Products by the matrix instructions of a warp (mma.sync and ldmatrix, NVIDIA GPUs from sm_80).
//
//   MmaGrid<WarpRows, WarpCols>   the layout of the accumulators of m16n8 instructions (fragment.h says what a layout is)
//   dot(acc, a, b)                acc += a * b, `acc` a Fragment in that layout; `a` and `b` are SharedTiles or
//                                 transposed() ones, `a` may also be a Fragment in the layout of one column of warps
//   row_reduce, col_reduce        as in reduce.h
//   columns<Width>(tile, first)   some columns of a Fragment in that layout
//
// Where an element of an operand or accumulator is: PTX ISA, "Matrix Fragments for mma.m16n8k16" and its siblings. All
// of them read 32 bytes of a row of `a` along k: 16 elements of bf16 and f16, 8 of tf32, 32 of 8-bit types.
#pragma once
#include "tessera/device/dot.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"

#if defined(TSR_CUDA)
namespace tsr {
inline namespace TSR_TARGET {

/// WarpRows x WarpCols warps cover 16 * WarpRows rows and 16 * WarpCols columns in one step; a lane holds 2 x 4 of
/// those elements, the columns in neighbouring pairs.
template <int WarpRows, int WarpCols> struct MmaGrid {
  static constexpr int warp_rows = WarpRows, warp_cols = WarpCols, size = kRowLanes * WarpRows * WarpCols;
  static constexpr int row_step = 16 * WarpRows, col_step = 16 * WarpCols;
  // A grid of one warpgroup is that of each warpgroup of a group: teams have tiles of their own (cuda/ring.h).
  static constexpr bool ofWarpgroup = WarpRows == 4 && WarpCols == 1;
  static TSR_DEVICE int warp_row() {
    return WarpRows == 1 ? 0 : ofWarpgroup ? lane() / kRowLanes % 4 : lane() / kRowLanes / WarpCols;
  }
  static TSR_DEVICE int warp_col() { return WarpCols == 1 ? 0 : lane() / kRowLanes % WarpCols; }
  static constexpr TSR_INLINE int rows_held(int height) { return (height + row_step - 1) / row_step * 2; }
  static constexpr TSR_INLINE int cols_held(int width) { return (width + col_step - 1) / col_step * 4; }
  static TSR_DEVICE int row_at(int i) {
    return i / 2 * row_step + warp_row() * 16 + i % 2 * 8 + lane() % kRowLanes / 4;
  }
  static TSR_DEVICE int col_at(int j) {
    return j / 4 * col_step + warp_col() * 16 + j / 2 % 2 * 8 + lane() % 4 * 2 + j % 2;
  }
  static constexpr int together = 2;
  static constexpr TSR_INLINE int row_scratch(int height) { return WarpCols == 1 ? 1 : WarpCols * height; }
  static constexpr TSR_INLINE int col_scratch(int width) { return WarpRows == 1 ? 1 : WarpRows * width; }
  static TSR_DEVICE bool owns_rows() { return lane() % 4 == 0 && warp_col() == 0; }
  static TSR_DEVICE bool owns_cols() { return lane() % kRowLanes < 4 && warp_row() == 0; }
  // For reductions: neighbours that share a row, and which part of a row or column the warp has.
  static constexpr int row_lanes = 4, row_bits = 3, row_parts = WarpCols, col_parts = WarpRows;
  static TSR_DEVICE int row_part() { return warp_col(); }
  static TSR_DEVICE int col_part() { return warp_row(); }
};

namespace detail {

/// Four 8 x 8 matrices of 16-bit elements (8 rows of 16 bytes): lane l gives the address of row l % 8 of matrix l / 8.
/// Transposed: the lanes get the elements as if rows and columns of each matrix were exchanged.
template <bool Transpose> TSR_DEVICE void load_matrices(uint32_t (&to)[4], const void *row) {
#if __CUDA_ARCH__ >= 750
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (Transpose)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
#endif
}

#define TSR_MMA(shape, types, sums, sum)                                                                               \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "           \
               "{%0, %1, %2, %3};"                                                                                     \
               : sums(c0), sums(c1), sums(c2), sums(c3)                                                                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

/// One instruction: (c0 c1; c2 c3) += a * b for operands of type E.
template <class E> TSR_DEVICE void mma(float &c0, float &c1, float &c2, float &c3, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same<E, bf16>::value) TSR_MMA("m16n8k16", "f32.bf16.bf16.f32", "+f", );
  else if constexpr (std::is_same<E, f16>::value) TSR_MMA("m16n8k16", "f32.f16.f16.f32", "+f", );
  else if constexpr (std::is_same<E, tf32>::value) TSR_MMA("m16n8k8", "f32.tf32.tf32.f32", "+f", );
#if __CUDA_ARCH__ >= 890
  else {  // the tensor cores keep only about 14 bits of sums of 8-bit floats: what was there before is added in f32
    const float before[4] = {c0, c1, c2, c3};
    c0 = c1 = c2 = c3 = 0.0f;
    if constexpr (std::is_same<E, f8e4m3>::value) TSR_MMA("m16n8k32", "f32.e4m3.e4m3.f32", "+f", );
    else if constexpr (std::is_same<E, f8e5m2>::value) TSR_MMA("m16n8k32", "f32.e5m2.e5m2.f32", "+f", );
    c0 += before[0], c1 += before[1], c2 += before[2], c3 += before[3];
  }
#endif
#endif
}
template <class E> TSR_DEVICE void mma(int32_t &c0, int32_t &c1, int32_t &c2, int32_t &c3, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  static_assert(std::is_same<E, int8_t>::value || std::is_same<E, uint8_t>::value, "sums in i32 are of products of bytes");
  if constexpr (std::is_same<E, int8_t>::value) TSR_MMA("m16n8k32", "s32.s8.s8.s32", "+r", );
  else TSR_MMA("m16n8k32", "s32.u8.u8.s32", "+r", );
#endif
}
#undef TSR_MMA

/// `4 / sizeof(E)` neighbours in one register; `at(i)` is the i-th.
template <class E, class At> TSR_DEVICE uint32_t packed(const At &at) {
  constexpr int count = 4 / static_cast<int>(sizeof(E));
  E part[count];
  TSR_UNROLL
  for (int i = 0; i < count; ++i) part[i] = at(i);
  uint32_t word;
  memcpy(&word, part, 4);
  return word;
}

template <class Tile> struct IsTransposed {
  static constexpr bool value = false;
};
template <class Tile> struct IsTransposed<Transposed<Tile>> {
  static constexpr bool value = true;
};

/// The elements of one instruction along k.
template <class E> constexpr int kMmaDepth = 32 / static_cast<int>(sizeof(E));

/// Rows row0 .. row0 + 15 of `a`, kMmaDepth elements from k0 on, as the instruction takes them.
template <class A> TSR_DEVICE void load_left(uint32_t (&to)[4], const A &a, int row0, int k0) {
  using E = typename A::Element;
  constexpr int half = kMmaDepth<E> / 2, pack = 4 / static_cast<int>(sizeof(E));
  const int at = lane() % kRowLanes;
  if constexpr (!IsTransposed<A>::value && A::cols * sizeof(E) % 16 == 0) {
    load_matrices<false>(to, &a(row0 + at % 16, k0 + at / 16 * half));
  } else if constexpr (IsTransposed<A>::value && sizeof(E) == 2 && A::rows % 8 == 0) {
    load_matrices<true>(to, &a(row0 + at / 8 % 2 * 8, k0 + at / 16 * 8 + at % 8));
  } else {
    TSR_UNROLL
    for (int r = 0; r < 4; ++r)
      to[r] = packed<E>([&](int i) { return a(row0 + at / 4 + r % 2 * 8, k0 + r / 2 * half + at % 4 * pack + i); });
  }
}

/// Columns col0 .. col0 + 15 of `b`, kMmaDepth elements from k0 on: two registers for each eight columns.
template <class B> TSR_DEVICE void load_right(uint32_t (&to)[4], const B &b, int col0, int k0) {
  using E = typename B::Element;
  constexpr int half = kMmaDepth<E> / 2, pack = 4 / static_cast<int>(sizeof(E));
  const int at = lane() % kRowLanes;
  if constexpr (IsTransposed<B>::value && B::rows * sizeof(E) % 16 == 0) {
    load_matrices<false>(to, &b(k0 + at / 8 % 2 * half, col0 + at / 16 * 8 + at % 8));
  } else if constexpr (!IsTransposed<B>::value && sizeof(E) == 2 && B::cols % 8 == 0) {
    load_matrices<true>(to, &b(k0 + at % 16, col0 + at / 16 * 8));
  } else {
    TSR_UNROLL
    for (int r = 0; r < 4; ++r)
      to[r] = packed<E>([&](int i) { return b(k0 + r % 2 * half + at % 4 * pack + i, col0 + r / 2 * 8 + at / 4); });
  }
}

/// `a` in registers: the accumulator of one product is laid out as the left operand of the next, but for the type.
template <class E, int M, int K, int WarpRows>
TSR_DEVICE void load_left(uint32_t (&to)[4], const Fragment<E, M, K, MmaGrid<WarpRows, 1>> &a, int i, int k) {
  static_assert(sizeof(E) == 2, "operands of 16 bits");
  TSR_UNROLL
  for (int r = 0; r < 4; ++r) memcpy(&to[r], &a.element[2 * i + r % 2][4 * k + r / 2 * 2], sizeof to[r]);  // two neighbours
}

template <class A> struct InRegisters {
  static constexpr bool value = false;
  static constexpr int height = A::rows, depth = A::cols;
};
template <class E, int M, int K, class Grid> struct InRegisters<Fragment<E, M, K, Grid>> {
  static constexpr bool value = true;
  static constexpr int height = M, depth = K;
};

}  // namespace detail

/// acc (M x N) += a (M x K) * b (K x N), k ascending in steps of one instruction. All lanes of the group take part.
template <class T, int M, int N, int WarpRows, int WarpCols, class A, class B>
TSR_DEVICE void dot(Fragment<T, M, N, MmaGrid<WarpRows, WarpCols>> &acc, const A &a, const B &b) {
  using Grid = MmaGrid<WarpRows, WarpCols>;
  using E = typename A::Element;
  using Left = detail::InRegisters<A>;
  constexpr int K = Left::depth, depth = detail::kMmaDepth<E>, steps = K / depth;
  constexpr int down = M / Grid::row_step, across = N / Grid::col_step;  // 16 x 16 blocks of a warp
  static_assert(std::is_same<E, typename B::Element>::value, "operands of one type");
  static_assert(Left::height == M && B::cols == N && B::rows == K, "acc is M x N, a is M x K, b is K x N");
  static_assert(M % Grid::row_step == 0 && N % Grid::col_step == 0 && K % depth == 0, "whole instructions");
  uint32_t left[2][down][4], right[2][across][4];
  const auto load = [&](int step) {
    TSR_UNROLL
    for (int i = 0; i < down; ++i) {
      if constexpr (Left::value) detail::load_left(left[step % 2][i], a, i, step);
      else detail::load_left(left[step % 2][i], a, i * Grid::row_step + Grid::warp_row() * 16, step * depth);
    }
    TSR_UNROLL
    for (int j = 0; j < across; ++j)
      detail::load_right(right[step % 2][j], b, j * Grid::col_step + Grid::warp_col() * 16, step * depth);
  };
  load(0);
  TSR_UNROLL
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) load(step + 1);  // while the instructions of this step run
    TSR_UNROLL
    for (int i = 0; i < down; ++i) {
      TSR_UNROLL
      for (int n = 0; n < 2 * across; ++n) {
        const uint32_t(&columns)[4] = right[step % 2][n / 2];
        detail::mma<E>(acc(2 * i, 2 * n), acc(2 * i, 2 * n + 1), acc(2 * i + 1, 2 * n), acc(2 * i + 1, 2 * n + 1),
                       left[step % 2][i], columns[n % 2 * 2], columns[n % 2 * 2 + 1]);
      }
    }
  }
}

/// Columns first .. first + Width - 1, a whole number of steps of the layout: no element changes lanes. `first` is known when
/// compiled, as in an unrolled loop.
template <int Width, class T, int M, int N, int WarpRows, int WarpCols>
TSR_DEVICE Fragment<T, M, Width, MmaGrid<WarpRows, WarpCols>> columns(const Fragment<T, M, N, MmaGrid<WarpRows, WarpCols>> &from, int64_t first) {
  using Grid = MmaGrid<WarpRows, WarpCols>;
  static_assert(Width % Grid::col_step == 0 && N % Grid::col_step == 0, "whole steps");
  Fragment<T, M, Width, Grid> part;
  TSR_UNROLL
  for (int i = 0; i < part.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < part.cols; ++j) part.element[i][j] = from.element[i][first / Grid::col_step * 4 + j];
  }
  return part;
}

/// For each row of the tile, the combination of its elements; `scratch` as reduce_rows_of_warps has it.
template <class Op, class T, int M, int N, int WarpRows, int WarpCols>
TSR_DEVICE RowVector<T, M, MmaGrid<WarpRows, WarpCols>>
row_reduce(const Fragment<T, M, N, MmaGrid<WarpRows, WarpCols>> &tile, T *scratch = nullptr) {
  return detail::reduce_rows_of_warps<Op>(tile, scratch);
}
/// For each column of the tile, the combination of its elements; `scratch` as reduce_cols_of_warps has it.
template <class Op, class T, int M, int N, int WarpRows, int WarpCols>
TSR_DEVICE ColVector<T, N, MmaGrid<WarpRows, WarpCols>>
col_reduce(const Fragment<T, M, N, MmaGrid<WarpRows, WarpCols>> &tile, T *scratch) {
  return detail::reduce_cols_of_warps<Op>(tile, scratch);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
