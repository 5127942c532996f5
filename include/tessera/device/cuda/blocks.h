// Products in blocks, by the matrix instructions of a warp (mma.sync), of tiles that bulk copies brought: convolutions of channels in groups.
//
//   dot_of_blocks(acc, a, b)   column n of acc += the sum over c < B of column n / B * B + c of `a` times row c of `b`: [M, N] and [B, N].
//
// No warpgroup's instruction has so few terms: with zeros beside a block, what it does not see would be multiplied with them, and need
// not be finite. Each warp has its rows of the sums, in the layout of MmaGrid, and goes on when its own product is done.
#pragma once
#include "tessera/device/cuda/panels.h"
#include "tessera/device/mma.h"

#if defined(TSR_CUDA)
namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// One instruction with eight terms: (c0 c1; c2 c3) += a * b.
template <class E> TSR_DEVICE void mma_of_eight(float &c0, float &c1, float &c2, float &c3, uint32_t a0, uint32_t a1, uint32_t b) {
#if __CUDA_ARCH__ >= 800
#define TSR_MMA_OF_EIGHT(types)                                                                                        \
  asm volatile("mma.sync.aligned.m16n8k8.row.col." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"        \
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)                                                                \
               : "r"(a0), "r"(a1), "r"(b))
  if constexpr (std::is_same<E, bf16>::value) TSR_MMA_OF_EIGHT("f32.bf16.bf16.f32");
  else TSR_MMA_OF_EIGHT("f32.f16.f16.f32");
#undef TSR_MMA_OF_EIGHT
#endif
}

}  // namespace detail

template <class E, int M, int N, int B, int WarpRows>
TSR_DEVICE void dot_of_blocks(Fragment<float, M, N, MmaGrid<WarpRows, 1>> &acc, const SharedTile<E, M, N, Panels> &a,
                              const SharedTile<E, B, N, Panels> &b) {
  using Grid = MmaGrid<WarpRows, 1>;
  static_assert(sizeof(E) == 2 && M % Grid::row_step == 0 && N % 32 == 0 && (B == 8 || B % 16 == 0) && N % B == 0, "whole instructions");
  constexpr int down = M / Grid::row_step, across = N / 16;  // 16 x 16 parts of a warp's rows of `a`
  constexpr int steps = B == 8 ? 1 : B / 16;                 // instructions that a sum takes
  const int at = lane() % kRowLanes;
  uint32_t left[2][across][4], right[across * steps][4];
  const auto load = [&](int i) {
    TSR_UNROLL
    for (int j = 0; j < across; ++j) detail::load_left(left[i % 2][j], a, i * Grid::row_step + Grid::warp_row() * 16, 16 * j);
  };
  load(0);
  if constexpr (B == 8) {  // four blocks at once
    TSR_UNROLL
    for (int j = 0; j < N / 32; ++j) detail::load_matrices<true>(right[j], &b(at % 8, 32 * j + at / 8 * 8));
  } else {
    TSR_UNROLL
    for (int j = 0; j < across; ++j) {
      TSR_UNROLL
      for (int step = 0; step < steps; ++step) detail::load_right(right[j * steps + step], b, 16 * j, 16 * step);
    }
  }
  TSR_UNROLL
  for (int i = 0; i < down; ++i) {
    if (i + 1 < down) load(i + 1);  // while the instructions of these rows run
    TSR_UNROLL
    for (int n = 0; n < N / 8; ++n) {
      float &c0 = acc(2 * i, 2 * n), &c1 = acc(2 * i, 2 * n + 1), &c2 = acc(2 * i + 1, 2 * n), &c3 = acc(2 * i + 1, 2 * n + 1);
      if constexpr (B == 8) {
        const uint32_t(&terms)[4] = left[i % 2][n / 2];
        detail::mma_of_eight<E>(c0, c1, c2, c3, terms[n % 2 * 2], terms[n % 2 * 2 + 1], right[n / 4][n % 4]);
      } else {
        TSR_UNROLL
        for (int step = 0; step < steps; ++step) {
          const uint32_t(&columns)[4] = right[n / 2 * steps + step];
          detail::mma<E>(c0, c1, c2, c3, left[i % 2][n * 8 / B * steps + step], columns[n % 2 * 2], columns[n % 2 * 2 + 1]);
        }
      }
    }
  }
}

}  // namespace TSR_TARGET
}  // namespace tsr
#endif
