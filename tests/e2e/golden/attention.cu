// CUDA for attention.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: attend (declared in attention.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/mma.h"
#include "tessera/device/platform.h"
#include "tessera/device/raster.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 64, n = 64, stages = 3, 128 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored
//   groups with the longest loops go first
//   products by matrix instructions, warps in 4 rows and 1 column
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
template <int Align>
static __global__ void __launch_bounds__(128, 1)
attend_kernel(tsr::View<const tsr::bf16, 3> q, tsr::View<const tsr::bf16, 3> k,
              tsr::View<const tsr::bf16, 3> v, tsr::View<tsr::bf16, 3> result, int64_t S, int64_t H,
              int64_t T) {
  constexpr int BM = 64, BN = 64, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, 64, tsr::Xor> q_tile;
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> k_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> v_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  // attention.tsr:9
  const int64_t h0 = tsr::longest_first_of<16>(int64_t(blockIdx.x), tsr::ceil_div(S, BM), H);
  const int64_t m = tsr::longest_first_row<16>(int64_t(blockIdx.x), tsr::ceil_div(S, BM), H) * BM;
  tsr::copy_tile<Threads>(shared.q_tile, q[h0], m, 0);  // :6
  tsr::RowVector<float, BM, Warps> largest(-INFINITY);  // :9
  tsr::RowVector<float, BM, Warps> row_sum(0.0f);
  tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
  const int64_t end = tsr::min(T, m + (T + BM - S));
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t stage_product = stage * BN;
    tsr::copy_tile_async<Threads, Align>(shared.k_tile[stage], k[h0], stage_product, 0);  // :6
    tsr::copy_tile_async<Threads, Align>(shared.v_tile[stage], v[h0], stage_product, 0);  // :7
    tsr::async_commit();  // :9
  }
  int64_t stage = 0;
  for (int64_t n = 0; n < end; n += BN) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::Fragment<float, BM, BN, Warps> s(0.0f);  // :8
    tsr::dot(s, shared.q_tile, tsr::transposed(shared.k_tile[stage]));
    const int64_t ahead = n + (Stages - 1) * BN;  // :9
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    tsr::copy_tile_async<Threads, Align>(shared.k_tile[free], k[h0], ahead, 0);  // :6
    tsr::copy_tile_async<Threads, Align>(shared.v_tile[free], v[h0], ahead, 0);  // :7
    tsr::async_commit();  // :9
    const int32_t k0 = 0;  // :8
    const int32_t as_i32 = int32_t(T - S);
    if (as_i32 + int32_t(m) + 1 < int32_t(n) + int32_t(BN)) {
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          const int32_t query = as_i32 + (int32_t(m) + s.row(i));
          const int32_t key = k0 + (int32_t(n) + s.col(j));
          s(i, j) = key <= query ? s(i, j) : -INFINITY;
        }
      }
    }
    const int32_t n_i32 = int32_t(T - n);  // :9
    if (n_i32 < int32_t(BN)) {  // :8
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          s(i, j) = s.col(j) < n_i32 ? s(i, j) : -INFINITY;
        }
      }
    }
    const tsr::RowVector<float, BM, Warps> s_max = tsr::row_reduce<tsr::Max>(s);  // :9
    tsr::RowVector<float, BM, Warps> largest_new;
    tsr::RowVector<float, BM, Warps> rescale;
    tsr::RowVector<float, BM, Warps> shift_log2;
    #pragma unroll
    for (int i = 0; i < largest_new.rows; ++i) {
      largest_new(i) = tsr::max(largest(i), s_max(i) * 0.125f);
      const float shift = largest_new(i) > -INFINITY ? largest_new(i) : 0.0f;
      rescale(i) = tsr::exp(largest(i) - shift);
      shift_log2(i) = shift * 1.442695f;
    }
    tsr::Fragment<float, BM, BN, Warps> e;
    #pragma unroll
    for (int i = 0; i < e.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e.cols; ++j) {
        e(i, j) = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -shift_log2(i)));
      }
    }
    const tsr::RowVector<float, BM, Warps> e_sum = tsr::row_reduce<tsr::Sum>(e);
    #pragma unroll
    for (int i = 0; i < row_sum.rows; ++i) {
      row_sum(i) = rescale(i) * row_sum(i) + e_sum(i);
    }
    tsr::Fragment<tsr::bf16, BM, BN, Warps> e_bf16;
    #pragma unroll
    for (int i = 0; i < e_bf16.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e_bf16.cols; ++j) {
        e_bf16(i, j) = tsr::to<tsr::bf16>(e(i, j));
      }
    }
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc.cols; ++j) {
        acc(i, j) = rescale(i) * acc(i, j);
      }
    }
    tsr::dot(acc, e_bf16, shared.v_tile[stage]);
    largest = largest_new;
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  tsr::RowVector<float, BM, Warps> reciprocal;
  #pragma unroll
  for (int i = 0; i < reciprocal.rows; ++i) {
    reciprocal(i) = 1.0f / tsr::max(row_sum(i), 0.5f);
  }
  tsr::Fragment<tsr::bf16, BM, 64, Warps> as_bf16;
  #pragma unroll
  for (int i = 0; i < as_bf16.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < as_bf16.cols; ++j) {
      as_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j) * reciprocal(i));
    }
  }
  tsr::store_fragment(result[h0], as_bf16, m, 0);
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 64, n = 64, stages = 3, 128 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored; there are few rows:
//     groups go over parts of the keys, and the kernel after this one puts together what they found
//   products by matrix instructions, warps in 4 rows and 1 column
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
template <int Align>
static __global__ void __launch_bounds__(128, 1)
attend_kernel_2(tsr::View<const tsr::bf16, 3> q, tsr::View<const tsr::bf16, 3> k,
                tsr::View<const tsr::bf16, 3> v, tsr::View<float, 3> part_largest,
                tsr::View<float, 3> part_sum, tsr::View<float, 4> part_acc, int64_t H, int64_t S,
                int64_t T) {
  constexpr int BM = 64, BN = 64, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, 64, tsr::Xor> q_tile;
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> k_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> v_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const int64_t part = tsr::group_remainder(int64_t(blockIdx.x),  // attention.tsr:9
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16)));
  const int64_t h0 = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(tsr::min<int64_t>(64, S), BM) *
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16)));
  const int64_t m = tsr::group_remainder(
      tsr::group_quotient(int64_t(blockIdx.x),
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16))),
      tsr::ceil_div(tsr::min<int64_t>(64, S), BM)) * BM;
  const int64_t each = tsr::ceil_div(tsr::ceil_div(T, BN),
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16))) * BN;
  const int64_t from = part * each;
  tsr::copy_tile<Threads>(shared.q_tile, q[h0], m, 0);  // :6
  tsr::RowVector<float, BM, Warps> largest(-INFINITY);  // :9
  tsr::RowVector<float, BM, Warps> row_sum(0.0f);
  tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
  const int64_t end = tsr::min(T, m + (T + BM - S));
  const int64_t to = tsr::min(end, from + each);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t from_plus_stage = from + stage * BN;
    if (from_plus_stage < to) {
      tsr::copy_tile_async<Threads, Align>(shared.k_tile[stage], k[h0], from_plus_stage, 0);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.v_tile[stage], v[h0], from_plus_stage, 0);  // :7
    }
    tsr::async_commit();  // :9
  }
  int64_t stage = 0;
  for (int64_t n = from; n < to; n += BN) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::Fragment<float, BM, BN, Warps> s(0.0f);  // :8
    tsr::dot(s, shared.q_tile, tsr::transposed(shared.k_tile[stage]));
    const int64_t ahead = n + (Stages - 1) * BN;  // :9
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    if (ahead < to) {
      tsr::copy_tile_async<Threads, Align>(shared.k_tile[free], k[h0], ahead, 0);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.v_tile[free], v[h0], ahead, 0);  // :7
    }
    tsr::async_commit();  // :9
    const int32_t k0 = 0;  // :8
    const int32_t as_i32 = int32_t(T - S);
    if (as_i32 + int32_t(m) + 1 < int32_t(n) + int32_t(BN)) {
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          const int32_t query = as_i32 + (int32_t(m) + s.row(i));
          const int32_t key = k0 + (int32_t(n) + s.col(j));
          s(i, j) = key <= query ? s(i, j) : -INFINITY;
        }
      }
    }
    const int32_t n_i32 = int32_t(T - n);  // :9
    if (n_i32 < int32_t(BN)) {  // :8
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          s(i, j) = s.col(j) < n_i32 ? s(i, j) : -INFINITY;
        }
      }
    }
    const tsr::RowVector<float, BM, Warps> s_max = tsr::row_reduce<tsr::Max>(s);  // :9
    tsr::RowVector<float, BM, Warps> largest_new;
    tsr::RowVector<float, BM, Warps> rescale;
    tsr::RowVector<float, BM, Warps> shift_log2;
    #pragma unroll
    for (int i = 0; i < largest_new.rows; ++i) {
      largest_new(i) = tsr::max(largest(i), s_max(i) * 0.125f);
      const float shift = largest_new(i) > -INFINITY ? largest_new(i) : 0.0f;
      rescale(i) = tsr::exp(largest(i) - shift);
      shift_log2(i) = shift * 1.442695f;
    }
    tsr::Fragment<float, BM, BN, Warps> e;
    #pragma unroll
    for (int i = 0; i < e.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e.cols; ++j) {
        e(i, j) = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -shift_log2(i)));
      }
    }
    const tsr::RowVector<float, BM, Warps> e_sum = tsr::row_reduce<tsr::Sum>(e);
    #pragma unroll
    for (int i = 0; i < row_sum.rows; ++i) {
      row_sum(i) = rescale(i) * row_sum(i) + e_sum(i);
    }
    tsr::Fragment<tsr::bf16, BM, BN, Warps> e_bf16;
    #pragma unroll
    for (int i = 0; i < e_bf16.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e_bf16.cols; ++j) {
        e_bf16(i, j) = tsr::to<tsr::bf16>(e(i, j));
      }
    }
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc.cols; ++j) {
        acc(i, j) = rescale(i) * acc(i, j);
      }
    }
    tsr::dot(acc, e_bf16, shared.v_tile[stage]);
    largest = largest_new;
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  #pragma unroll
  for (int i = 0; i < acc.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      if (acc.holds(i, j) && m + int64_t(acc.row(i)) < tsr::min<int64_t>(64, S)) {
        part_acc(h0, m + int64_t(acc.row(i)), part, int64_t(acc.col(j))) = acc(i, j);
      }
    }
  }
  #pragma unroll
  for (int i = 0; i < largest.rows; ++i) {
    if (largest.owner() && largest.holds(i) &&
        m + int64_t(largest.row(i)) < tsr::min<int64_t>(64, S)) {
      part_largest(h0, m + int64_t(largest.row(i)), part) = largest(i);
    }
  }
  #pragma unroll
  for (int i = 0; i < row_sum.rows; ++i) {
    if (row_sum.owner() && row_sum.holds(i) &&
        m + int64_t(row_sum.row(i)) < tsr::min<int64_t>(64, S)) {
      part_sum(h0, m + int64_t(row_sum.row(i)), part) = row_sum(i);
    }
  }
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 1, n = 1, 128 threads a group
//   chain: what each part of the keys has found of a row is put together, in order, in proportion
//     to the largest score of all
//   no masks on result: every tile lies inside of its tensor
static __global__ void __launch_bounds__(128)
attend_kernel_3(tsr::View<const float, 3> part_largest, tsr::View<const float, 3> part_sum,
                tsr::View<const float, 4> part_acc, tsr::View<tsr::bf16, 3> result, int64_t S) {
  constexpr int Threads = 128;
  using Grid = tsr::ThreadGrid<1, 128>;
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];  // attention.tsr:9
  __shared__ float scratch_2[tsr::col_reduce_scratch<tsr::Fragment<float, 16, 64, Grid>>];
  const int64_t h0 = tsr::group_quotient(int64_t(blockIdx.x), S);
  const int64_t s0 = tsr::group_remainder(int64_t(blockIdx.x), S);
  tsr::RowVector<float, 16, Grid> part_largest_2;
  tsr::load_fragment(part_largest_2, part_largest[h0][s0], 0, -INFINITY);
  tsr::RowVector<float, 16, Grid> part_row_sum;
  tsr::load_fragment(part_row_sum, part_sum[h0][s0], 0, 0.0f);
  tsr::Fragment<float, 16, 64, Grid> part_acc_2;
  tsr::load_fragment(part_acc_2, part_acc[h0][s0], 0, 0, 0.0f);
  const float largest = tsr::vector_reduce<tsr::Max>(part_largest_2, scratch);
  const float shift = largest > -INFINITY ? largest : 0.0f;
  tsr::RowVector<float, 16, Grid> weight;
  tsr::RowVector<float, 16, Grid> product;
  #pragma unroll
  for (int i = 0; i < weight.rows; ++i) {
    weight(i) = tsr::exp(part_largest_2(i) - shift);
    product(i) = weight(i) * part_row_sum(i);
  }
  const float row_sum = tsr::vector_reduce<tsr::Sum>(product, scratch);
  tsr::Fragment<float, 16, 64, Grid> product_2;
  #pragma unroll
  for (int i = 0; i < product_2.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < product_2.cols; ++j) {
      product_2(i, j) = weight(i) * part_acc_2(i, j);
    }
  }
  const tsr::ColVector<float, 64, Grid> acc = tsr::col_reduce<tsr::Sum>(product_2, scratch_2);
  tsr::ColVector<tsr::bf16, 64, Grid> as_bf16;
  #pragma unroll
  for (int j = 0; j < as_bf16.cols; ++j) {
    as_bf16(j) = tsr::to<tsr::bf16>(acc(j) / tsr::max(row_sum, 0.5f));
  }
  tsr::store_whole_fragment(result[h0][s0], as_bf16, 0);
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 16, n = 64, stages = 3, 128 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored; there are few rows:
//     groups go over parts of the keys, and the kernel after this one puts together what they found
//   products by matrix instructions, warps in 1 rows and 4 columns
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
template <int Align>
static __global__ void __launch_bounds__(128, 1)
attend_kernel_4(tsr::View<const tsr::bf16, 3> q, tsr::View<const tsr::bf16, 3> k,
                tsr::View<const tsr::bf16, 3> v, tsr::View<float, 3> part_largest,
                tsr::View<float, 3> part_sum, tsr::View<float, 4> part_acc, int64_t H, int64_t S,
                int64_t T) {
  constexpr int BM = 16, BN = 64, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, 64, tsr::Xor> q_tile;
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> k_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> v_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BN, tsr::Xor> e_tile;
    alignas(128) float scratch[tsr::row_reduce_scratch<tsr::Fragment<float, BM, BN, Warps>>];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const int64_t part = tsr::group_remainder(int64_t(blockIdx.x),  // attention.tsr:9
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16)));
  const int64_t h0 = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(tsr::min<int64_t>(16, S), BM) *
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16)));
  const int64_t m = tsr::group_remainder(
      tsr::group_quotient(int64_t(blockIdx.x),
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16))),
      tsr::ceil_div(tsr::min<int64_t>(16, S), BM)) * BM;
  const int64_t each = tsr::ceil_div(tsr::ceil_div(T, BN),
      tsr::max<int64_t>(1, tsr::min<int64_t>(108 / tsr::max<int64_t>(1, H), 16))) * BN;
  const int64_t from = part * each;
  tsr::copy_tile<Threads>(shared.q_tile, q[h0], m, 0);  // :6
  tsr::RowVector<float, BM, Warps> largest(-INFINITY);  // :9
  tsr::RowVector<float, BM, Warps> row_sum(0.0f);
  tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
  const int64_t end = tsr::min(T, m + (T + BM - S));
  const int64_t to = tsr::min(end, from + each);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t from_plus_stage = from + stage * BN;
    if (from_plus_stage < to) {
      tsr::copy_tile_async<Threads, Align>(shared.k_tile[stage], k[h0], from_plus_stage, 0);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.v_tile[stage], v[h0], from_plus_stage, 0);  // :7
    }
    tsr::async_commit();  // :9
  }
  int64_t stage = 0;
  for (int64_t n = from; n < to; n += BN) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::Fragment<float, BM, BN, Warps> s(0.0f);  // :8
    tsr::dot(s, shared.q_tile, tsr::transposed(shared.k_tile[stage]));
    const int64_t ahead = n + (Stages - 1) * BN;  // :9
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    if (ahead < to) {
      tsr::copy_tile_async<Threads, Align>(shared.k_tile[free], k[h0], ahead, 0);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.v_tile[free], v[h0], ahead, 0);  // :7
    }
    tsr::async_commit();  // :9
    const int32_t k0 = 0;  // :8
    const int32_t as_i32 = int32_t(T - S);
    if (as_i32 + int32_t(m) + 1 < int32_t(n) + int32_t(BN)) {
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          const int32_t query = as_i32 + (int32_t(m) + s.row(i));
          const int32_t key = k0 + (int32_t(n) + s.col(j));
          s(i, j) = key <= query ? s(i, j) : -INFINITY;
        }
      }
    }
    const int32_t n_i32 = int32_t(T - n);  // :9
    if (n_i32 < int32_t(BN)) {  // :8
      #pragma unroll
      for (int i = 0; i < s.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < s.cols; ++j) {
          s(i, j) = s.col(j) < n_i32 ? s(i, j) : -INFINITY;
        }
      }
    }
    // :9
    const tsr::RowVector<float, BM, Warps> s_max = tsr::row_reduce<tsr::Max>(s, shared.scratch);
    tsr::RowVector<float, BM, Warps> largest_new;
    tsr::RowVector<float, BM, Warps> rescale;
    tsr::RowVector<float, BM, Warps> shift_log2;
    #pragma unroll
    for (int i = 0; i < largest_new.rows; ++i) {
      largest_new(i) = tsr::max(largest(i), s_max(i) * 0.125f);
      const float shift = largest_new(i) > -INFINITY ? largest_new(i) : 0.0f;
      rescale(i) = tsr::exp(largest(i) - shift);
      shift_log2(i) = shift * 1.442695f;
    }
    tsr::Fragment<float, BM, BN, Warps> e;
    #pragma unroll
    for (int i = 0; i < e.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e.cols; ++j) {
        e(i, j) = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -shift_log2(i)));
      }
    }
    const tsr::RowVector<float, BM, Warps> e_sum = tsr::row_reduce<tsr::Sum>(e, shared.scratch);
    #pragma unroll
    for (int i = 0; i < row_sum.rows; ++i) {
      row_sum(i) = rescale(i) * row_sum(i) + e_sum(i);
    }
    tsr::Fragment<tsr::bf16, BM, BN, Warps> e_bf16;
    #pragma unroll
    for (int i = 0; i < e_bf16.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < e_bf16.cols; ++j) {
        e_bf16(i, j) = tsr::to<tsr::bf16>(e(i, j));
      }
    }
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc.cols; ++j) {
        acc(i, j) = rescale(i) * acc(i, j);
      }
    }
    tsr::write_shared(shared.e_tile, e_bf16);
    tsr::group_barrier();
    tsr::dot(acc, shared.e_tile, shared.v_tile[stage]);
    largest = largest_new;
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  #pragma unroll
  for (int i = 0; i < acc.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      if (acc.holds(i, j) && m + int64_t(acc.row(i)) < tsr::min<int64_t>(16, S)) {
        part_acc(h0, m + int64_t(acc.row(i)), part, int64_t(acc.col(j))) = acc(i, j);
      }
    }
  }
  #pragma unroll
  for (int i = 0; i < largest.rows; ++i) {
    if (largest.owner() && largest.holds(i) &&
        m + int64_t(largest.row(i)) < tsr::min<int64_t>(16, S)) {
      part_largest(h0, m + int64_t(largest.row(i)), part) = largest(i);
    }
  }
  #pragma unroll
  for (int i = 0; i < row_sum.rows; ++i) {
    if (row_sum.owner() && row_sum.holds(i) &&
        m + int64_t(row_sum.row(i)) < tsr::min<int64_t>(16, S)) {
      part_sum(h0, m + int64_t(row_sum.row(i)), part) = row_sum(i);
    }
  }
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
extern "C" TessStatus attend(const TessTensor *q, const TessTensor *k, const TessTensor *v,
                             TessTensor *result, TessStream stream) {
  constexpr int BM = 64, Threads = 128;
  tsr::Call call("attend", stream);
  tsr::Dim H("H"), S("S"), T("T");
  call.input<tsr::bf16>("q", q, {H, S, 64});
  call.input<tsr::bf16>("k", k, {H, T, 64});
  call.input<tsr::bf16>("v", v, {H, T, 64});
  call.output<tsr::bf16>("result", result, {H, S, 64});
  if (call.done()) return call.status();
  const int64_t size = tsr::min<int64_t>(tsr::floordiv<int64_t>(108, tsr::max<int64_t>(1, H)), 16);
  // All temporaries, at most, in one piece.
  call.reserve(tsr::max<int64_t>(264 * H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(16, S),
      264 * H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(64, S)), 6);
  float *part_largest = call.temporary<float>("part_largest", S <= 64 &&
      tsr::max<int64_t>(1, size) >= 2 && S > 16
      ? int64_t(H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(64, S)) : 0);
  float *part_sum = call.temporary<float>("part_sum", S <= 64 && tsr::max<int64_t>(1, size) >= 2 &&
      S > 16 ? int64_t(H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(64, S)) : 0);
  float *part_acc = call.temporary<float>("part_acc", S <= 64 && tsr::max<int64_t>(1, size) >= 2 &&
      S > 16 ? int64_t(64 * H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(64, S)) : 0);
  float *part_largest_2 = call.temporary<float>("part_largest_2", S <= 64 &&
      tsr::max<int64_t>(1, size) >= 2 && S <= 16
      ? int64_t(H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(16, S)) : 0);
  float *part_sum_2 = call.temporary<float>("part_sum_2", S <= 64 &&
      tsr::max<int64_t>(1, size) >= 2 && S <= 16
      ? int64_t(H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(16, S)) : 0);
  float *part_acc_2 = call.temporary<float>("part_acc_2", S <= 64 &&
      tsr::max<int64_t>(1, size) >= 2 && S <= 16
      ? int64_t(64 * H * tsr::max<int64_t>(1, size) * tsr::min<int64_t>(16, S)) : 0);
  if (call.failed()) return call.status();

  if (S > 64) {
    if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * H)) {
      const bool rows_aligned = call.aligned(16, k, v);
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
            tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, S, H, T);
      };
      start(rows_aligned ? attend_kernel<16> : attend_kernel<1>, 57344);
      if (call.failed()) return call.status();
    }
  } else if (tsr::max<int64_t>(1, size) < 2) {
    if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * H)) {
      const bool rows_aligned = call.aligned(16, k, v);
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
            tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, S, H, T);
      };
      start(rows_aligned ? attend_kernel<16> : attend_kernel<1>, 57344);
      if (call.failed()) return call.status();
    }
  } else if (S > 16) {
    if (const unsigned groups = call.groups(tsr::ceil_div(tsr::min<int64_t>(64, S), BM) * H *
        tsr::max<int64_t>(1, size))) {
      const bool rows_aligned = call.aligned(16, k, v);
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
            tsr::View<float, 3>{part_largest, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 3>{part_sum, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 4>{part_acc, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size), 64}},
            H, S, T);
      };
      start(rows_aligned ? attend_kernel_2<16> : attend_kernel_2<1>, 57344);
      if (call.failed()) return call.status();
    }
    if (const unsigned groups = call.groups(H * S)) {
      attend_kernel_3<<<groups, Threads, 0, call.stream()>>>(
          tsr::View<const float, 3>{part_largest, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
          tsr::View<const float, 3>{part_sum, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
          tsr::View<const float, 4>{part_acc, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size), 64}},
          tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, S);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(tsr::min<int64_t>(16, S), 16) * H *
        tsr::max<int64_t>(1, size))) {
      const bool rows_aligned = call.aligned(16, k, v);
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
            tsr::View<float, 3>{part_largest_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 3>{part_sum_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 4>{part_acc_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size), 64}},
            H, S, T);
      };
      start(rows_aligned ? attend_kernel_4<16> : attend_kernel_4<1>, 53504);
      if (call.failed()) return call.status();
    }
    if (const unsigned groups = call.groups(H * S)) {
      attend_kernel_3<<<groups, Threads, 0, call.stream()>>>(
          tsr::View<const float, 3>{part_largest_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
          tsr::View<const float, 3>{part_sum_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
          tsr::View<const float, 4>{part_acc_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size), 64}},
          tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, S);
    }
  }
  return call.finish();
}
extern "C" TessStatus attend_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(attend, "attend", args, count, stream);
}
