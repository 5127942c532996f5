// CUDA for attention.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: attend (declared in attention.h).
#include "tessera/device/copy.h"
#include "tessera/device/cuda/order.h"
#include "tessera/device/cuda/ring.h"
#include "tessera/device/cuda/store.h"
#include "tessera/device/cuda/tiled_view.h"
#include "tessera/device/cuda/turns.h"
#include "tessera/device/cuda/wgmma.h"
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
#include "tessera/tensor_map.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 128, n = 192, stages = 3, 256 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored
//   groups with the longest loops go first
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   warpgroups by turns: one multiplies while another computes
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
static __global__ void __launch_bounds__(384, 1)
attend_kernel(const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> q,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> k,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> v,
              const __grid_constant__ tsr::TiledView<tsr::bf16, 3> result, int64_t S, int64_t H,
              int64_t T) {
  constexpr int BM = 128, BN = 192, Stages = 3, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> q_tile[2];
    tsr::Ring<2> ring;
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> k_tile[Stages];
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> v_tile[Stages];
    tsr::Ring<Stages> ring2;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // attention.tsr:9
  tsr::start_ring<Consumers>(shared.ring2);
  tsr::group_barrier();
  tsr::after_previous_kernel();
  const int64_t groups = tsr::ceil_div(S, BM) * H;
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<2> to_fill(shared.ring);
    tsr::RingWriter<Stages> to_fill_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(S, BM), H);
      const int64_t m = tsr::longest_first_row<16>(group, tsr::ceil_div(S, BM), H) * BM;
      const int32_t stage = to_fill.acquire();  // :6
      tsr::copy_to_ring(to_fill, shared.q_tile[stage], q, h0, m, 0);
      to_fill.publish();
      const int64_t end = tsr::min(T, m + (T + BM - S));  // :9
      for (int64_t n = 0; n < end; n += BN) {
        const int32_t stage_2 = to_fill_2.acquire();  // :6
        tsr::copy_to_ring(to_fill_2, shared.k_tile[stage_2], k, h0, n, 0);
        tsr::copy_to_ring(to_fill_2, shared.v_tile[stage_2], v, h0, n, 0);  // :7
        to_fill_2.publish();  // :6
      }
    }
  } else {
    tsr::take_registers<232>();  // :9
    tsr::Turns<Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<2> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t m = tsr::longest_first_row<16>(group, tsr::ceil_div(S, BM), H) * BM;
      tsr::RowVector<float, BM, Warps> largest(-INFINITY);
      tsr::RowVector<float, BM, Warps> row_sum(0.0f);
      tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
      const int64_t end = tsr::min(T, m + (T + BM - S));
      const int32_t stage = filled.wait();  // :6
      turns.take();  // :9
      for (int64_t n = 0; n < end; n += BN) {
        tsr::Fragment<float, BM, BN, Warps> s;  // :8
        const int32_t stage_2 = filled_2.wait();  // :6
        tsr::begin_product(s, shared.q_tile[stage], tsr::transposed(shared.k_tile[stage_2]));  // :8
        turns.pass();
        tsr::finish_products();
        const int32_t k0 = 0;
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
        tsr::scale_rows(acc, rescale);
        turns.take();
        tsr::dot(acc, e_bf16, shared.v_tile[stage_2]);
        filled_2.release();  // :6
        largest = largest_new;  // :9
      }
      turns.pass();
      filled.release();  // :6
      tsr::RowVector<float, BM, Warps> reciprocal;  // :9
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
      tsr::store_tile(result, to_store, as_bf16,
          tsr::longest_first_of<16>(group, tsr::ceil_div(S, BM), H), m, 0);
    }
    tsr::finish_stores();
  }
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 64, n = 192, stages = 4, 128 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored; there are few rows:
//     groups go over parts of the keys, and the kernel after this one puts together what they found
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   operands that one group alone reads are not kept in the L2 cache
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
static __global__ void __launch_bounds__(256, 1)
attend_kernel_2(const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> q,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> k,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> v,
                tsr::View<float, 3> part_largest, tsr::View<float, 3> part_sum,
                const __grid_constant__ tsr::TiledView<float, 4> part_acc, int64_t S, int64_t H,
                int64_t T) {
  constexpr int BM = 64, BN = 192, Stages = 4, Consumers = 128;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> q_tile[2];
    tsr::Ring<2> ring;
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> k_tile[Stages];
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> v_tile[Stages];
    tsr::Ring<Stages> ring2;
    tsr::StorePanels<float, 1> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // attention.tsr:9
  tsr::start_ring<Consumers>(shared.ring2);
  tsr::group_barrier();
  tsr::after_previous_kernel();
  const int64_t groups = tsr::ceil_div(tsr::min<int64_t>(64, S), BM) * H *
      tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16));
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<2> to_fill(shared.ring);
    tsr::RingWriter<Stages> to_fill_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t part = tsr::group_remainder(group,
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
      const int64_t h0 = tsr::group_quotient(group,
          tsr::ceil_div(tsr::min<int64_t>(64, S), BM) *
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
      const int64_t m = tsr::group_remainder(
          tsr::group_quotient(group,
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))),
          tsr::ceil_div(tsr::min<int64_t>(64, S), BM)) * BM;
      const int64_t each = tsr::ceil_div(tsr::ceil_div(T, BN),
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))) * BN;
      const int64_t from = part * each;
      const int32_t stage = to_fill.acquire();  // :6
      tsr::copy_to_ring(to_fill, shared.q_tile[stage], q, h0, m, 0);
      to_fill.publish();
      const int64_t end = tsr::min(T, m + (T + BM - S));  // :9
      const int64_t to = tsr::min(end, from + each);
      for (int64_t n = from; n < to; n += BN) {
        const int32_t stage_2 = to_fill_2.acquire();  // :6
        tsr::copy_once_to_ring(to_fill_2, shared.k_tile[stage_2], k, h0, n, 0);
        tsr::copy_once_to_ring(to_fill_2, shared.v_tile[stage_2], v, h0, n, 0);  // :7
        to_fill_2.publish();  // :6
      }
    }
  } else {
    tsr::take_registers<240>();  // :9
    tsr::PanelWriter<float, 1> to_store(shared.panels);
    tsr::RingReader<2> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t part = tsr::group_remainder(group,
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
      const int64_t h0 = tsr::group_quotient(group,
          tsr::ceil_div(tsr::min<int64_t>(64, S), BM) *
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
      const int64_t m = tsr::group_remainder(
          tsr::group_quotient(group,
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))),
          tsr::ceil_div(tsr::min<int64_t>(64, S), BM)) * BM;
      const int64_t each = tsr::ceil_div(tsr::ceil_div(T, BN),
          tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))) * BN;
      const int64_t from = part * each;
      tsr::RowVector<float, BM, Warps> largest(-INFINITY);
      tsr::RowVector<float, BM, Warps> row_sum(0.0f);
      tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
      const int64_t end = tsr::min(T, m + (T + BM - S));
      const int64_t to = tsr::min(end, from + each);
      const int32_t stage = filled.wait();  // :6
      for (int64_t n = from; n < to; n += BN) {  // :9
        tsr::Fragment<float, BM, BN, Warps> s;  // :8
        const int32_t stage_2 = filled_2.wait();  // :6
        tsr::product(s, shared.q_tile[stage], tsr::transposed(shared.k_tile[stage_2]));  // :8
        const int32_t k0 = 0;
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
        tsr::dot(acc, e_bf16, shared.v_tile[stage_2]);
        filled_2.release();  // :6
        largest = largest_new;  // :9
      }
      filled.release();  // :6
      tsr::store_tile<1>(part_acc, to_store, acc, h0, m, part, 0);  // :9
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
    tsr::finish_stores();
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
  tsr::after_previous_kernel();  // attention.tsr:9
  __shared__ float scratch[tsr::group_reduce_scratch(Threads)];
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
//   schedule  m = 16, n = 192, stages = 3, 128 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored; there are few rows:
//     groups go over parts of the keys, and the kernel after this one puts together what they found
//   products by matrix instructions, warps in 1 rows and 4 columns
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
//   no wgmma: the product is 16 x 192 with k = 64; 1 warpgroups take a multiple of 64 rows, of 16
//     columns and of 16 along k (line 8)
template <int Align>
static __global__ void __launch_bounds__(128, 1)
attend_kernel_4(tsr::View<const tsr::bf16, 3> q, tsr::View<const tsr::bf16, 3> k,
                tsr::View<const tsr::bf16, 3> v, tsr::View<float, 3> part_largest,
                tsr::View<float, 3> part_sum, tsr::View<float, 4> part_acc, int64_t H, int64_t S,
                int64_t T) {
  constexpr int BM = 16, BN = 192, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, 64, tsr::Xor> q_tile;
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> k_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BN, 64, tsr::Xor> v_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BN, tsr::Xor> e_tile;
    alignas(128) float scratch[tsr::row_reduce_scratch<tsr::Fragment<float, BM, BN, Warps>>];
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::after_previous_kernel();  // attention.tsr:9
  const int64_t part = tsr::group_remainder(int64_t(blockIdx.x),
      tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
  const int64_t h0 = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(tsr::min<int64_t>(16, S), BM) *
      tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16)));
  const int64_t m = tsr::group_remainder(
      tsr::group_quotient(int64_t(blockIdx.x),
      tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))),
      tsr::ceil_div(tsr::min<int64_t>(16, S), BM)) * BM;
  const int64_t each = tsr::ceil_div(tsr::ceil_div(T, BN),
      tsr::max<int64_t>(1, tsr::min<int64_t>(132 / tsr::max<int64_t>(1, H), 16))) * BN;
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
  constexpr int BM = 128, Threads = 384;
  tsr::Call call("attend", stream);
  tsr::Dim H("H"), S("S"), T("T");
  call.input<tsr::bf16>("q", q, {H, S, 64});
  call.input<tsr::bf16>("k", k, {H, T, 64});
  call.input<tsr::bf16>("v", v, {H, T, 64});
  call.output<tsr::bf16>("result", result, {H, S, 64});
  if (call.done()) return call.status();
  const int64_t size = tsr::min<int64_t>(tsr::floordiv<int64_t>(132, tsr::max<int64_t>(1, H)), 16);
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
      const auto q_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 128);
      const auto k_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 192);
      const auto v_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 192);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, 64);
      call.allow_shared(attend_kernel, 215040);
      if (call.failed()) return call.status();
      call.start_early(attend_kernel, tsr::resident_groups(groups), Threads, 215040, q_tiles,
          k_tiles, v_tiles, result_tiles, S, H, T);
    }
  } else if (tsr::max<int64_t>(1, size) < 2) {
    if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * H)) {
      const auto q_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 128);
      const auto k_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 192);
      const auto v_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 192);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, 64);
      call.allow_shared(attend_kernel, 215040);
      if (call.failed()) return call.status();
      call.start_early(attend_kernel, tsr::resident_groups(groups), Threads, 215040, q_tiles,
          k_tiles, v_tiles, result_tiles, S, H, T);
    }
  } else if (S > 16) {
    if (const unsigned groups = call.groups(tsr::ceil_div(tsr::min<int64_t>(64, S), 64) * H *
        tsr::max<int64_t>(1, size))) {
      const auto q_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 64);
      const auto k_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 192);
      const auto v_tiles = tsr::tiled(call,
          tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 192);
      const auto part_acc_tiles = tsr::tiled_result(call,
          tsr::View<float, 4>{part_acc, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size), 64}},
          64, 1);
      call.allow_shared(attend_kernel_2, 231424);
      if (call.failed()) return call.status();
      call.start_early(attend_kernel_2, tsr::resident_groups(groups), 256, 231424, q_tiles, k_tiles,
          v_tiles,
          tsr::View<float, 3>{part_largest, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
          tsr::View<float, 3>{part_sum, {H, tsr::min<int64_t>(64, S), tsr::max<int64_t>(1, size)}},
          part_acc_tiles, S, H, T);
    }
    if (const unsigned groups = call.groups(H * S)) {
      call.start_early(attend_kernel_3, groups, 128, 0,
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
        call.start_early(kernel, groups, 128, shared_bytes,
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
            tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
            tsr::View<float, 3>{part_largest_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 3>{part_sum_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size)}},
            tsr::View<float, 4>{part_acc_2, {H, tsr::min<int64_t>(16, S), tsr::max<int64_t>(1, size), 64}},
            H, S, T);
      };
      start(rows_aligned ? attend_kernel_4<16> : attend_kernel_4<1>, 155904);
      if (call.failed()) return call.status();
    }
    if (const unsigned groups = call.groups(H * S)) {
      call.start_early(attend_kernel_3, groups, 128, 0,
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
