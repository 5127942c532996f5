// CUDA for attention_slopes.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: slopes (declared in attention_slopes.h).
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
#include "tessera/device/vector.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
#include "tessera/tensor_map.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// slopes = vjp(attend, wrt=("q", "k", "v"))
//   schedule  m = 128, n = 192, stages = 4, 256 threads a group
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; what it knows of rows is stored, too; s
//     is not stored
//   groups with the longest loops go first
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   warpgroups by turns: one multiplies while another computes
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
static __global__ void __launch_bounds__(384, 1)
slopes_kernel(tsr::View<const tsr::bf16, 3> dresult,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> q,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> k,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> v,
              tsr::View<float, 2> largest, tsr::View<float, 2> row_sum, tsr::View<float, 2> result,
              int64_t S, int64_t H, int64_t T) {
  constexpr int BM = 128, BN = 192, Stages = 4, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> q_tile[2];
    tsr::Ring<2> ring;
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> k_tile[Stages];
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> v_tile[Stages];
    tsr::Ring<Stages> ring2;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // attention_slopes.tsr:8
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
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(S, BM), H);  // :9
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
    tsr::take_registers<232>();  // :8
    tsr::Turns<Consumers> turns;
    tsr::RingReader<2> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(S, BM), H);  // :9
      const int64_t m = tsr::longest_first_row<16>(group, tsr::ceil_div(S, BM), H) * BM;
      tsr::RowVector<float, BM, Warps> largest_2(-INFINITY);
      tsr::RowVector<float, BM, Warps> row_sum_2(0.0f);
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
        tsr::RowVector<float, BM, Warps> largest_log2;
        #pragma unroll
        for (int i = 0; i < largest_new.rows; ++i) {
          largest_new(i) = tsr::max(largest_2(i), s_max(i) * 0.125f);
          const float largest_3 = largest_new(i) > -INFINITY ? largest_new(i) : 0.0f;
          rescale(i) = tsr::exp(largest_2(i) - largest_3);
          largest_log2(i) = largest_3 * 1.442695f;
        }
        tsr::Fragment<float, BM, BN, Warps> e;
        #pragma unroll
        for (int i = 0; i < e.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < e.cols; ++j) {
            e(i, j) = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -largest_log2(i)));
          }
        }
        const tsr::RowVector<float, BM, Warps> e_sum = tsr::row_reduce<tsr::Sum>(e);
        #pragma unroll
        for (int i = 0; i < row_sum_2.rows; ++i) {
          row_sum_2(i) = rescale(i) * row_sum_2(i) + e_sum(i);
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
        largest_2 = largest_new;  // :9
      }
      turns.pass();
      filled.release();  // :6
      tsr::RowVector<float, BM, Warps> reciprocal;  // :9
      #pragma unroll
      for (int i = 0; i < reciprocal.rows; ++i) {
        reciprocal(i) = 1.0f / tsr::max(row_sum_2(i), 0.5f);
      }
      tsr::Fragment<tsr::bf16, BM, 64, Warps> dresult_tile;  // :12
      tsr::load_fragment(dresult_tile, dresult[h0], m, 0);
      tsr::Fragment<float, BM, 64, Warps> product;  // :8
      #pragma unroll
      for (int i = 0; i < product.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < product.cols; ++j) {
          product(i, j) = tsr::to<float>(dresult_tile(i, j)) * (acc(i, j) * reciprocal(i));
        }
      }
      const tsr::RowVector<float, BM, Warps> row_sum_3 = tsr::row_reduce<tsr::Sum>(product);
      tsr::store_fragment(result[h0], row_sum_3, m);
      tsr::store_fragment(largest[h0], largest_2, m);  // :9
      tsr::store_fragment(row_sum[h0], row_sum_2, m);
    }
  }
}

// slopes = vjp(attend, wrt=("q", "k", "v"))
//   schedule  256 threads a group
//   map: a lane loads, computes and stores Vector neighbouring elements at once
template <int Vector>
static __global__ void __launch_bounds__(256)
slopes_log_sum_kernel(const float *__restrict__ largest, const float *__restrict__ row_sum,
                      float *__restrict__ log_sum, int64_t H, int64_t S) {
  constexpr int Threads = 256;
  tsr::after_previous_kernel();  // attention_slopes.tsr:9
  const int64_t i = (int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x)) * Vector;
  if (i < H * S) {
    tsr::Vector<float, Vector> log_sum_vector;
    const tsr::Vector<float, Vector> largest_vector = tsr::load_vector<Vector>(largest + i);
    const tsr::Vector<float, Vector> row_sum_vector = tsr::load_vector<Vector>(row_sum + i);
    #pragma unroll
    for (int64_t v = 0; v < Vector; ++v) {
      const float largest_vector_v = largest_vector(v);
      const float largest_2 = largest_vector_v > -INFINITY ? largest_vector_v : 0.0f;
      const float log_sum_2 = largest_2 + tsr::log(tsr::max(row_sum_vector(v), 0.5f));
      log_sum_vector(v) = log_sum_2;
    }
    tsr::store_vector(log_sum, i, log_sum_vector);
  }
}

// slopes = vjp(attend, wrt=("q", "k", "v"))
//   schedule  256 threads a group
//   map: a lane loads, computes and stores Vector neighbouring elements at once
template <int Vector>
static __global__ void __launch_bounds__(256)
slopes_row_sum_kernel(const float *__restrict__ row_sum, const float *__restrict__ temporary,
                      float *__restrict__ row_sum_1, int64_t H, int64_t S) {
  constexpr int Threads = 256;
  tsr::after_previous_kernel();  // attention_slopes.tsr:8
  const int64_t i = (int64_t(blockIdx.x) * Threads + int64_t(threadIdx.x)) * Vector;
  if (i < H * S) {
    tsr::Vector<float, Vector> row_sum_1_vector;
    const tsr::Vector<float, Vector> row_sum_vector = tsr::load_vector<Vector>(row_sum + i);  // :9
    // :8
    const tsr::Vector<float, Vector> temporary_vector = tsr::load_vector<Vector>(temporary + i);
    #pragma unroll
    for (int64_t v = 0; v < Vector; ++v) {
      const float row_sum_vector_max = tsr::max(row_sum_vector(v), 0.5f);  // :9
      const float row_sum_2 = (row_sum_vector_max > 0.5f ? -temporary_vector(v) / row_sum_vector_max
          : 0.0f) * row_sum_vector_max;  // :8
      row_sum_1_vector(v) = row_sum_2;
    }
    tsr::store_vector(row_sum_1, i, row_sum_1_vector);
  }
}

// slopes = vjp(attend, wrt=("q", "k", "v"))
//   schedule  m = 128, n = 64, stages = 6, 256 threads a group
//   sweep: a group goes over S in tiles, computes the products that it is made of again for each,
//     and adds up its products; nothing of their size is stored
//   groups with the longest loops go first
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   warpgroups by turns: one multiplies while another computes
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
static __global__ void __launch_bounds__(384, 1)
slopes_kernel_1(const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> v,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> dresult,
                tsr::View<const float, 2> row_sum,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> k,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> q,
                tsr::View<const float, 2> log_sum,
                const __grid_constant__ tsr::TiledView<tsr::bf16, 3> result_2,
                const __grid_constant__ tsr::TiledView<tsr::bf16, 3> result_1, int64_t T, int64_t H,
                int64_t S) {
  constexpr int BM = 128, BN = 64, Stages = 6, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> v_tile[2];
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> k_tile[2];
    tsr::Ring<2> ring;
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> dresult_tile[Stages];
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> q_tile[Stages];
    tsr::SharedTile<float, 1, BN> row_sum_tile[Stages];
    tsr::SharedTile<float, 1, BN> log_sum_tile[Stages];
    tsr::Ring<Stages> ring2;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // attention_slopes.tsr:8
  tsr::start_ring<Consumers>(shared.ring2);
  tsr::group_barrier();
  tsr::after_previous_kernel();
  const int64_t groups = tsr::ceil_div(T, BM) * H;
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::warp_fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<2> to_fill(shared.ring);
    tsr::RingWriter<Stages> to_fill_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(T, BM), H);
      const int64_t m = (tsr::ceil_div(T, BM) - 1 -
          tsr::longest_first_row<16>(group, tsr::ceil_div(T, BM), H)) * BM;
      const int32_t stage = to_fill.acquire();  // :7
      tsr::copy_to_ring(to_fill, shared.v_tile[stage], v, h0, m, 0);
      tsr::copy_to_ring(to_fill, shared.k_tile[stage], k, h0, m, 0);  // :6
      to_fill.publish();  // :7
      const int64_t first = tsr::max<int64_t>(m + (S - T), 0) / BN * BN;  // :8
      for (int64_t n = first; n < S; n += BN) {
        const int32_t stage_2 = to_fill_2.acquire();  // :12
        tsr::copy_to_ring(to_fill_2, shared.dresult_tile[stage_2], dresult, h0, n, 0);
        tsr::copy_to_ring(to_fill_2, shared.q_tile[stage_2], q, h0, n, 0);  // :6
        tsr::copy_to_ring(to_fill_2, shared.row_sum_tile[stage_2], row_sum, h0, n);  // :8
        tsr::copy_to_ring(to_fill_2, shared.log_sum_tile[stage_2], log_sum, h0, n);  // :9
        to_fill_2.publish();  // :12
      }
    }
  } else {
    tsr::take_registers<232>();  // :8
    tsr::Turns<Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<2> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(T, BM), H);
      const int64_t m = (tsr::ceil_div(T, BM) - 1 -
          tsr::longest_first_row<16>(group, tsr::ceil_div(T, BM), H)) * BM;
      tsr::Fragment<float, BM, 64, Warps> acc(0.0f);
      tsr::Fragment<float, BM, 64, Warps> dv(0.0f);
      const int64_t first = tsr::max<int64_t>(m + (S - T), 0) / BN * BN;
      const int32_t stage = filled.wait();  // :7
      turns.take();  // :8
      for (int64_t n = first; n < S; n += BN) {
        tsr::Fragment<float, BM, BN, Warps> de;  // :9
        const int32_t stage_2 = filled_2.wait();  // :12
        tsr::Fragment<float, BM, BN, Warps> s;  // :8
        // :9
        tsr::begin_product(de, shared.v_tile[stage], tsr::transposed(shared.dresult_tile[stage_2]));
        tsr::begin_product(s, shared.k_tile[stage], tsr::transposed(shared.q_tile[stage_2]));  // :8
        turns.pass();
        tsr::finish_products();
        const int32_t k0 = 0;
        const int32_t as_i32 = int32_t(T - S);
        tsr::ColVector<float, BN, Warps> row_sum_tile_2;
        tsr::read_shared(row_sum_tile_2, shared.row_sum_tile[stage_2]);
        #pragma unroll
        for (int i = 0; i < de.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < de.cols; ++j) {
            de(i, j) += row_sum_tile_2(j);
          }
        }
        if (as_i32 + int32_t(n) + 1 < int32_t(m) + int32_t(BM)) {
          #pragma unroll
          for (int i = 0; i < s.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < s.cols; ++j) {
              const int32_t query = as_i32 + (int32_t(n) + s.col(j));
              const int32_t key = k0 + (int32_t(m) + s.row(i));
              s(i, j) = key <= query ? s(i, j) : -INFINITY;
            }
          }
        }
        tsr::ColVector<float, BN, Warps> log_sum_tile_2;  // :9
        tsr::read_shared(log_sum_tile_2, shared.log_sum_tile[stage_2]);
        tsr::ColVector<float, BN, Warps> log_sum_tile_log2;
        #pragma unroll
        for (int j = 0; j < log_sum_tile_log2.cols; ++j) {
          log_sum_tile_log2(j) = log_sum_tile_2(j) * 1.442695f;
        }
        tsr::Fragment<float, BM, BN, Warps> e;
        tsr::Fragment<float, BM, BN, Warps> value;  // :8
        #pragma unroll
        for (int i = 0; i < e.rows; ++i) {  // :9
          #pragma unroll
          for (int j = 0; j < e.cols; ++j) {
            e(i, j) = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -log_sum_tile_log2(j)));
            const float ds = de(i, j) * e(i, j);  // :8
            value(i, j) = ds * 0.125f;
          }
        }
        if (as_i32 + int32_t(n) + 1 < int32_t(m) + int32_t(BM)) {
          #pragma unroll
          for (int i = 0; i < value.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < value.cols; ++j) {
              const int32_t query = as_i32 + (int32_t(n) + value.col(j));
              const int32_t key = k0 + (int32_t(m) + value.row(i));
              value(i, j) = key <= query ? value(i, j) : 0.0f;
            }
          }
        }
        tsr::Fragment<tsr::bf16, BM, BN, Warps> value_2;
        #pragma unroll
        for (int i = 0; i < value_2.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < value_2.cols; ++j) {
            value_2(i, j) = tsr::to<tsr::bf16>(value(i, j));
          }
        }
        const int32_t n_i32 = int32_t(S - n);
        if (n_i32 < int32_t(BN)) {
          #pragma unroll
          for (int i = 0; i < value_2.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < value_2.cols; ++j) {
              value_2(i, j) = value_2.col(j) < n_i32 ? value_2(i, j) : tsr::to<tsr::bf16>(0.0f);
            }
          }
        }
        tsr::Fragment<tsr::bf16, BM, BN, Warps> value_3;  // :9
        #pragma unroll
        for (int i = 0; i < value_3.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < value_3.cols; ++j) {
            value_3(i, j) = tsr::to<tsr::bf16>(e(i, j));
          }
        }
        const int32_t n_i32_2 = int32_t(S - n);  // :8
        if (n_i32_2 < int32_t(BN)) {  // :9
          #pragma unroll
          for (int i = 0; i < value_3.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < value_3.cols; ++j) {
              value_3(i, j) = value_3.col(j) < n_i32_2 ? value_3(i, j) : tsr::to<tsr::bf16>(0.0f);
            }
          }
        }
        turns.take();  // :8
        tsr::begin_dot(acc, value_2, shared.q_tile[stage_2]);
        tsr::dot(dv, value_3, shared.dresult_tile[stage_2]);
        filled_2.release();  // :12
      }
      turns.pass();  // :8
      filled.release();  // :7
      tsr::Fragment<tsr::bf16, BM, 64, Warps> dk;  // :8
      tsr::Fragment<tsr::bf16, BM, 64, Warps> dv_2;  // :9
      #pragma unroll
      for (int i = 0; i < dk.rows; ++i) {  // :8
        #pragma unroll
        for (int j = 0; j < dk.cols; ++j) {
          dk(i, j) = tsr::to<tsr::bf16>(acc(i, j));
          dv_2(i, j) = tsr::to<tsr::bf16>(dv(i, j));  // :9
        }
      }
      tsr::store_tile(result_1, to_store, dk, h0, m, 0);  // :8
      tsr::store_tile(result_2, to_store, dv_2, h0, m, 0);  // :9
    }
    tsr::finish_stores();  // :8
  }
}

// slopes = vjp(attend, wrt=("q", "k", "v"))
//   schedule  m = 128, n = 128, stages = 4, 256 threads a group
//   sweep: a group goes over T in tiles, computes the products that it is made of again for each,
//     and adds up its product; nothing of their size is stored
//   groups with the longest loops go first
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   warpgroups by turns: one multiplies while another computes
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
static __global__ void __launch_bounds__(384, 1)
slopes_kernel_2(const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> dresult,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> v,
                tsr::View<const float, 2> row_sum,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> q,
                const __grid_constant__ tsr::TiledView<const tsr::bf16, 3> k,
                tsr::View<const float, 2> log_sum,
                const __grid_constant__ tsr::TiledView<tsr::bf16, 3> result_0, int64_t S, int64_t H,
                int64_t T) {
  constexpr int BM = 128, BN = 128, Stages = 4, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> dresult_tile[2];
    tsr::SharedTile<tsr::bf16, BM, 64, tsr::Panels> q_tile[2];
    tsr::Ring<2> ring;
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> v_tile[Stages];
    tsr::SharedTile<tsr::bf16, BN, 64, tsr::Panels> k_tile[Stages];
    tsr::Ring<Stages> ring2;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // attention_slopes.tsr:8
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
      const int32_t stage = to_fill.acquire();  // :12
      tsr::copy_to_ring(to_fill, shared.dresult_tile[stage], dresult, h0, m, 0);
      tsr::copy_to_ring(to_fill, shared.q_tile[stage], q, h0, m, 0);  // :6
      to_fill.publish();  // :12
      const int64_t end = tsr::min(T, m + (T + BM - S));  // :8
      for (int64_t n = 0; n < end; n += BN) {
        const int32_t stage_2 = to_fill_2.acquire();  // :7
        tsr::copy_to_ring(to_fill_2, shared.v_tile[stage_2], v, h0, n, 0);
        tsr::copy_to_ring(to_fill_2, shared.k_tile[stage_2], k, h0, n, 0);  // :6
        to_fill_2.publish();  // :7
      }
    }
  } else {
    tsr::take_registers<232>();  // :8
    tsr::Turns<Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<2> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t h0 = tsr::longest_first_of<16>(group, tsr::ceil_div(S, BM), H);
      const int64_t m = tsr::longest_first_row<16>(group, tsr::ceil_div(S, BM), H) * BM;
      tsr::RowVector<float, BM, Warps> row_sum_tile;
      tsr::load_fragment(row_sum_tile, row_sum[h0], m);
      tsr::RowVector<float, BM, Warps> log_sum_tile;  // :9
      tsr::load_fragment(log_sum_tile, log_sum[h0], m);
      tsr::Fragment<float, BM, 64, Warps> dq(0.0f);  // :8
      const int64_t end = tsr::min(T, m + (T + BM - S));
      const int32_t stage = filled.wait();  // :12
      turns.take();  // :8
      for (int64_t n = 0; n < end; n += BN) {
        tsr::Fragment<float, BM, BN, Warps> de;  // :9
        const int32_t stage_2 = filled_2.wait();  // :7
        tsr::Fragment<float, BM, BN, Warps> s;  // :8
        // :9
        tsr::begin_product(de, shared.dresult_tile[stage], tsr::transposed(shared.v_tile[stage_2]));
        tsr::begin_product(s, shared.q_tile[stage], tsr::transposed(shared.k_tile[stage_2]));  // :8
        turns.pass();
        tsr::finish_products();
        const int32_t k0 = 0;
        const int32_t as_i32 = int32_t(T - S);
        #pragma unroll
        for (int i = 0; i < de.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < de.cols; ++j) {
            de(i, j) += row_sum_tile(i);
          }
        }
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
        tsr::RowVector<float, BM, Warps> log_sum_tile_log2;  // :9
        #pragma unroll
        for (int i = 0; i < log_sum_tile_log2.rows; ++i) {
          log_sum_tile_log2(i) = log_sum_tile(i) * 1.442695f;
        }
        tsr::Fragment<float, BM, BN, Warps> value;  // :8
        #pragma unroll
        for (int i = 0; i < s.rows; ++i) {  // :9
          #pragma unroll
          for (int j = 0; j < s.cols; ++j) {
            const float e = tsr::exp2(tsr::fma(s(i, j), 0.18033688f, -log_sum_tile_log2(i)));
            const float ds = de(i, j) * e;  // :8
            value(i, j) = ds * 0.125f;
          }
        }
        if (as_i32 + int32_t(m) + 1 < int32_t(n) + int32_t(BN)) {
          #pragma unroll
          for (int i = 0; i < value.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < value.cols; ++j) {
              const int32_t query = as_i32 + (int32_t(m) + value.row(i));
              const int32_t key = k0 + (int32_t(n) + value.col(j));
              value(i, j) = key <= query ? value(i, j) : 0.0f;
            }
          }
        }
        tsr::Fragment<tsr::bf16, BM, BN, Warps> value_2;
        #pragma unroll
        for (int i = 0; i < value_2.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < value_2.cols; ++j) {
            value_2(i, j) = tsr::to<tsr::bf16>(value(i, j));
          }
        }
        const int32_t n_i32 = int32_t(T - n);
        if (n_i32 < int32_t(BN)) {
          #pragma unroll
          for (int i = 0; i < value_2.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < value_2.cols; ++j) {
              value_2(i, j) = value_2.col(j) < n_i32 ? value_2(i, j) : tsr::to<tsr::bf16>(0.0f);
            }
          }
        }
        turns.take();
        tsr::dot(dq, value_2, shared.k_tile[stage_2]);
        filled_2.release();  // :7
      }
      turns.pass();  // :8
      filled.release();  // :12
      tsr::Fragment<tsr::bf16, BM, 64, Warps> dq_2;  // :8
      #pragma unroll
      for (int i = 0; i < dq_2.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < dq_2.cols; ++j) {
          dq_2(i, j) = tsr::to<tsr::bf16>(dq(i, j));
        }
      }
      tsr::store_tile(result_0, to_store, dq_2, h0, m, 0);
    }
    tsr::finish_stores();
  }
}

// slopes = vjp(attend, wrt=("q", "k", "v"))
extern "C" TessStatus slopes(const TessTensor *q, const TessTensor *k, const TessTensor *v,
                             const TessTensor *dresult, TessTensor *result_0, TessTensor *result_1,
                             TessTensor *result_2, TessStream stream) {
  constexpr int BM = 128, Threads = 384;
  tsr::Call call("slopes", stream);
  tsr::Dim H("H"), S("S"), T("T");
  call.input<tsr::bf16>("q", q, {H, S, 64});
  call.input<tsr::bf16>("k", k, {H, T, 64});
  call.input<tsr::bf16>("v", v, {H, T, 64});
  call.input<tsr::bf16>("dresult", dresult, {H, S, 64});
  call.output<tsr::bf16>("result_0", result_0, {H, S, 64});
  call.output<tsr::bf16>("result_1", result_1, {H, T, 64});
  call.output<tsr::bf16>("result_2", result_2, {H, T, 64});
  if (call.done()) return call.status();
  // All temporaries, at most, in one piece.
  call.reserve(16 * H * S, 4);
  float *temporary = call.temporary<float>("temporary", H * S);
  float *memory = call.temporary<float>("memory", H * S);
  float *row_sum = call.temporary<float>("row_sum", H * S);
  float *log_sum = call.temporary<float>("log_sum", H * S);
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * H)) {
    const auto q_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 128);
    const auto k_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 192);
    const auto v_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 192);
    call.allow_shared(slopes_kernel, 230528);
    if (call.failed()) return call.status();
    call.start_early(slopes_kernel, tsr::resident_groups(groups), Threads, 230528,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(dresult), {H, S, 64}}, q_tiles,
        k_tiles, v_tiles, tsr::View<float, 2>{memory, {H, S}}, tsr::View<float, 2>{row_sum, {H, S}},
        tsr::View<float, 2>{temporary, {H, S}}, S, H, T);
  }
  {
    const auto start = [&](auto *kernel, int64_t count) {
      if (const unsigned groups = call.groups(count))
        call.start_early(kernel, groups, 256, 0, memory, row_sum, log_sum, H, S);
    };
    if (H * S % 4 == 0)
      start(slopes_log_sum_kernel<4>, tsr::ceil_div(tsr::ceil_div(H * S, 4), 256));
    else
      start(slopes_log_sum_kernel<1>, tsr::ceil_div(H * S, 256));
  }
  {
    const auto start = [&](auto *kernel, int64_t count) {
      if (const unsigned groups = call.groups(count))
        call.start_early(kernel, groups, 256, 0, row_sum, temporary, memory, H, S);
    };
    if (H * S % 4 == 0)
      start(slopes_row_sum_kernel<4>, tsr::ceil_div(tsr::ceil_div(H * S, 4), 256));
    else
      start(slopes_row_sum_kernel<1>, tsr::ceil_div(H * S, 256));
  }
  if (const unsigned groups = call.groups(tsr::ceil_div(T, BM) * H)) {
    const auto v_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 128);
    const auto dresult_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(dresult), {H, S, 64}}, 64);
    const auto k_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 128);
    const auto q_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 64);
    const auto result_2_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result_2), {H, T, 64}}, 64);
    const auto result_1_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result_1), {H, T, 64}}, 64);
    call.allow_shared(slopes_kernel_1, 202752);
    if (call.failed()) return call.status();
    call.start_early(slopes_kernel_1, tsr::resident_groups(groups), Threads, 202752, v_tiles,
        dresult_tiles, tsr::View<const float, 2>{memory, {H, S}}, k_tiles, q_tiles,
        tsr::View<const float, 2>{log_sum, {H, S}}, result_2_tiles, result_1_tiles, T, H, S);
  }
  if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * H)) {
    const auto dresult_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(dresult), {H, S, 64}}, 128);
    const auto v_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}}, 128);
    const auto q_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}}, 128);
    const auto k_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}}, 128);
    const auto result_0_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result_0), {H, S, 64}}, 64);
    call.allow_shared(slopes_kernel_2, 231424);
    if (call.failed()) return call.status();
    call.start_early(slopes_kernel_2, tsr::resident_groups(groups), Threads, 231424, dresult_tiles,
        v_tiles, tsr::View<const float, 2>{memory, {H, S}}, q_tiles, k_tiles,
        tsr::View<const float, 2>{log_sum, {H, S}}, result_0_tiles, S, H, T);
  }
  return call.finish();
}
extern "C" TessStatus slopes_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(slopes, "slopes", args, count, stream);
}
