// Products by the matrix instructions of a wave (MFMA of CDNA, WMMA of RDNA 3).
//
//   WaveGrid<Rows, Cols>     the layout of the accumulators (fragment.h says what a layout is)
//   dot(acc, a, b)           acc += a * b, `acc` a Fragment in that layout; `a` and `b` are SharedTiles or transposed() ones
//   row_reduce, col_reduce   as in reduce.h
//
// One text serves waves of 64 and of 32 lanes: 64 lanes, one wave or two, do a block of 32 x 16 elements, eight a lane. Where an
// element of an operand or accumulator is: AMD CDNA 3 and RDNA 3 instruction set guides, "Matrix Arithmetic Instructions" and
// "WMMA". A machine without an instruction for the operands multiplies element by element.
#pragma once
#include "tessera/device/dot.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"

#if defined(TSR_HIP)
namespace tsr {
inline namespace TSR_TARGET {

#if defined(__GFX9__)
constexpr int kWaveLanes = 64;
#else
constexpr int kWaveLanes = 32;
#endif

/// Rows x Cols units of 64 lanes cover 32 * Rows rows and 16 * Cols columns in one step.
template <int Rows, int Cols> struct WaveGrid {
  static constexpr int size = 64 * Rows * Cols, row_step = 32 * Rows, col_step = 16 * Cols;
  static TSR_DEVICE int unit_row() { return Rows == 1 ? 0 : lane() / 64 / Cols; }
  static TSR_DEVICE int unit_col() { return Cols == 1 ? 0 : lane() / 64 % Cols; }
  static constexpr TSR_INLINE int rows_held(int height) { return (height + row_step - 1) / row_step * 8; }
  static constexpr TSR_INLINE int cols_held(int width) { return (width + col_step - 1) / col_step; }
  static TSR_DEVICE int row_at(int i) {
    const int block = i / 8 * row_step + unit_row() * 32;
    if constexpr (kWaveLanes == 64) return block + i / 4 % 2 * 16 + lane() % 64 / 16 * 4 + i % 4;
    return block + lane() / 32 % 2 * 16 + i % 8 * 2 + lane() % 32 / 16;
  }
  static TSR_DEVICE int col_at(int j) { return j * col_step + unit_col() * 16 + lane() % 16; }
  static constexpr int together = 1;
  static constexpr TSR_INLINE int row_scratch(int height) { return Cols == 1 ? 1 : Cols * height; }
  static constexpr TSR_INLINE int col_scratch(int width) { return 2 * Rows * width; }
  static TSR_DEVICE bool owns_rows() { return lane() % 16 == 0 && unit_col() == 0; }
  static TSR_DEVICE bool owns_cols() { return lane() % 64 < 16 && unit_row() == 0; }
  // For reductions: neighbours that share a row, and which part of a row or column the 32 lanes around this one have.
  static constexpr int row_lanes = 16, row_bits = 15, row_parts = Cols, col_parts = 2 * Rows;
  static TSR_DEVICE int row_part() { return unit_col(); }
  static TSR_DEVICE int col_part() { return unit_row() * 2 + lane() / 32 % 2; }
};

namespace detail {

/// What the instruction for 16 x 16 sums of operands of type E is on the machine that is compiled for: elements along k, the
/// registers of an operand, and `run(sums, a, b)`. `depth` 0: it has none.
template <class E, class T> struct WaveProduct {
  static constexpr int depth = 0;
};

#define TSR_WAVE_VECTOR(type, count, name) typedef type name __attribute__((vector_size(sizeof(type) * count)))
TSR_WAVE_VECTOR(float, 4, Floats4);
TSR_WAVE_VECTOR(float, 8, Floats8);
TSR_WAVE_VECTOR(int, 4, Ints4);
TSR_WAVE_VECTOR(int, 8, Ints8);
TSR_WAVE_VECTOR(short, 4, Shorts4);
TSR_WAVE_VECTOR(short, 16, Shorts16);
TSR_WAVE_VECTOR(_Float16, 4, Halves4);
TSR_WAVE_VECTOR(_Float16, 16, Halves16);
#undef TSR_WAVE_VECTOR

#define TSR_WAVE_PRODUCT(E, T, Depth, In, Out, call)                     \
  template <> struct WaveProduct<E, T> {                                 \
    static constexpr int depth = Depth;                                  \
    using Operand = In;                                                  \
    using Sums = Out;                                                    \
    static TSR_DEVICE Out run(const In &a, const In &b, const Out &c) { return call; } \
  }
#if defined(__gfx90a__) || defined(__gfx942__)
TSR_WAVE_PRODUCT(bf16, float, 16, Shorts4, Floats4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0));
TSR_WAVE_PRODUCT(f16, float, 16, Halves4, Floats4, __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0));
TSR_WAVE_PRODUCT(float, float, 4, float, Floats4, __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0));
#if defined(__gfx942__)
TSR_WAVE_PRODUCT(int8_t, int32_t, 32, long, Ints4, __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0));
#else
TSR_WAVE_PRODUCT(int8_t, int32_t, 16, int, Ints4, __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0));
#endif
#elif defined(__GFX11__)
TSR_WAVE_PRODUCT(bf16, float, 16, Shorts16, Floats8, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c));
TSR_WAVE_PRODUCT(f16, float, 16, Halves16, Floats8, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c));
TSR_WAVE_PRODUCT(int8_t, int32_t, 16, Ints4, Ints8, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false));
TSR_WAVE_PRODUCT(uint8_t, int32_t, 16, Ints4, Ints8, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(false, a, false, b, c, false));
#endif
#undef TSR_WAVE_PRODUCT

/// Whether neighbours along the second index are neighbours in memory, in chunks of 16 bytes at least.
template <class Tile> struct RunsAlongRows {
  static constexpr bool value = Tile::cols * sizeof(typename Tile::Element) % 16 == 0;
};
template <class Tile> struct RunsAlongRows<Transposed<Tile>> {
  static constexpr bool value = false;
};

/// The elements of a row from column k0 on that one lane passes to the instruction.
template <class Operand, class Tile> TSR_DEVICE Operand wave_operand(const Tile &tile, int row, int k0) {
  using E = typename Tile::Element;
  constexpr int count = static_cast<int>(sizeof(Operand) / sizeof(E)), bytes = sizeof(Operand) < 16 ? static_cast<int>(sizeof(Operand)) : 16;
  Operand operand;
  if constexpr (RunsAlongRows<Tile>::value) {
    TSR_UNROLL
    for (int k = 0; k < count; k += bytes / static_cast<int>(sizeof(E)))
      memcpy(reinterpret_cast<char *>(&operand) + k * static_cast<int>(sizeof(E)), __builtin_assume_aligned(&tile(row, k0 + k), bytes), bytes);
  } else {
    E part[count];
    TSR_UNROLL
    for (int k = 0; k < count; ++k) part[k] = tile(row, k0 + k);
    memcpy(&operand, part, sizeof operand);
  }
  return operand;
}

/// The same matrix with rows and columns exchanged.
template <class Tile> TSR_DEVICE Transposed<Tile> turned(const Tile &tile) { return {tile}; }
template <class Tile> TSR_DEVICE const Tile &turned(const Transposed<Tile> &tile) { return tile.tile; }

/// By instructions: of `a` a lane passes elements of row l % 16, of `b` of column l % 16. A wave of 64 lanes deals out k to its
/// quarters; both halves of a wave of 32 pass all of it.
template <class E, class T, int M, int N, int Rows, int Cols, class A, class B>
TSR_DEVICE void dot_by_waves(Fragment<T, M, N, WaveGrid<Rows, Cols>> &acc, const A &a, const B &b) {
  using Grid = WaveGrid<Rows, Cols>;
  using Product = WaveProduct<E, T>;
  using Operand = typename Product::Operand;
  using Sums = typename Product::Sums;
  constexpr int held = static_cast<int>(sizeof(Sums) / sizeof(T)), blocks = 8 / held;  // sums of a lane in one, instructions for 32 rows
  constexpr int down = M / Grid::row_step * blocks, across = N / Grid::col_step;
  const int first = blocks == 2 ? lane() % 64 / 16 * static_cast<int>(sizeof(Operand) / sizeof(E)) : 0;
  const int row = Grid::unit_row() * 32 + (blocks == 1 ? lane() / 32 % 2 * 16 : 0) + lane() % 16, col = Grid::unit_col() * 16 + lane() % 16;
  TSR_UNROLL
  for (int k0 = 0; k0 < A::cols; k0 += Product::depth) {
    Operand right[across];
    TSR_UNROLL
    for (int j = 0; j < across; ++j)
      right[j] = wave_operand<Operand>(turned(b), col + j * Grid::col_step, k0 + first);
    TSR_UNROLL
    for (int i = 0; i < down; ++i) {
      const int at = row + i / blocks * Grid::row_step + i % blocks * 16;
      const Operand left = wave_operand<Operand>(a, at, k0 + first);
      TSR_UNROLL
      for (int j = 0; j < across; ++j) {
        Sums sums;
        TSR_UNROLL
        for (int v = 0; v < held; ++v) sums[v] = acc(i * held + v, j);
        sums = Product::run(left, right[j], sums);
        TSR_UNROLL
        for (int v = 0; v < held; ++v) acc(i * held + v, j) = sums[v];
      }
    }
  }
}

}  // namespace detail

/// acc (M x N) += a (M x K) * b (K x N), k ascending. All lanes of the group take part.
template <class T, int M, int N, int Rows, int Cols, class A, class B>
TSR_DEVICE void dot(Fragment<T, M, N, WaveGrid<Rows, Cols>> &acc, const A &a, const B &b) {
  using Grid = WaveGrid<Rows, Cols>;
  using E = typename A::Element;
  static_assert(std::is_same<E, typename B::Element>::value, "operands of one type");
  static_assert(A::rows == M && B::cols == N && A::cols == B::rows, "acc is M x N, a is M x K, b is K x N");
  static_assert(M % Grid::row_step == 0 && N % Grid::col_step == 0, "whole blocks");
  if constexpr (detail::WaveProduct<E, T>::depth > 0) {
    static_assert(A::cols % detail::WaveProduct<E, T>::depth == 0, "whole instructions");
    detail::dot_by_waves<E>(acc, a, b);
  } else {
    detail::dot_by_lanes(acc, a, b);
  }
}

/// For each row of the tile, the combination of its elements; `scratch` as reduce_rows_of_warps has it.
template <class Op, class T, int M, int N, int Rows, int Cols>
TSR_DEVICE RowVector<T, M, WaveGrid<Rows, Cols>> row_reduce(const Fragment<T, M, N, WaveGrid<Rows, Cols>> &tile, T *scratch = nullptr) {
  return detail::reduce_rows_of_warps<Op>(tile, scratch);
}
/// For each column of the tile, the combination of its elements; `scratch` as reduce_cols_of_warps has it.
template <class Op, class T, int M, int N, int Rows, int Cols>
TSR_DEVICE ColVector<T, N, WaveGrid<Rows, Cols>> col_reduce(const Fragment<T, M, N, WaveGrid<Rows, Cols>> &tile, T *scratch) {
  return detail::reduce_cols_of_warps<Op>(tile, scratch);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
