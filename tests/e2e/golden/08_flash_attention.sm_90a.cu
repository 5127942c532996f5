// CUDA for 08_flash_attention.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: flash_attention (declared in 08_flash_attention.h).
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

// def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D,
//   bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) ->
//   Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256
//   schedule  m = 128, n = 64, stages = 2, warps = 8, 256 threads a group
//   no prefetch = k0=2: copies run ahead as far as `stages` says
//   T.m = 128, T.n = 64: the largest tile of the tuning space that fits
//   D varies at run time: compiled for up to 64, 128, 256, chosen at entry
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   the next tile's scores and this one's product are begun together, warpgroups by turns; weights
//     are computed meanwhile
//   weights that leave in 16 bits as powers of two, with the scale of their scores (R9)
template <int MaxD>
static __global__ void __launch_bounds__(384, 1)
flash_attention_kernel(const __grid_constant__ tsr::TiledView<const tsr::bf16, 4> Q,
                       const __grid_constant__ tsr::TiledView<const tsr::bf16, 4> K,
                       const __grid_constant__ tsr::TiledView<const tsr::bf16, 4> V, bool causal,
                       const __grid_constant__ tsr::TiledView<tsr::bf16, 4> result, int64_t S,
                       int64_t B, int64_t H, int64_t D) {
  constexpr int BM = 128, BN = 64, Stages = 2, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, MaxD, tsr::Panels> Q_tile[1];
    tsr::Ring<1> ring;
    tsr::SharedTile<tsr::bf16, BN, MaxD, tsr::Panels> K_tile[Stages];
    tsr::Ring<Stages> ring2;
    tsr::SharedTile<tsr::bf16, BN, MaxD, tsr::Panels> V_tile[Stages];
    tsr::Ring<Stages> ring3;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // 08_flash_attention.tsr:6
  tsr::start_ring<Consumers>(shared.ring2);
  tsr::start_ring<Consumers>(shared.ring3);
  tsr::group_barrier();
  const int64_t groups = tsr::ceil_div(S, BM) * B * H;
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<1> to_fill(shared.ring);
    tsr::RingWriter<Stages> to_fill_2(shared.ring2);
    tsr::RingWriter<Stages> to_fill_3(shared.ring3);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t b = tsr::group_quotient(group, tsr::ceil_div(S, BM) * H);  // :11
      const int64_t h = tsr::group_remainder(tsr::group_quotient(group, tsr::ceil_div(S, BM)), H);
      const int64_t q0 = tsr::group_remainder(group, tsr::ceil_div(S, BM)) * BM;
      const int32_t stage = to_fill.acquire();  // :12
      tsr::copy_to_ring(to_fill, shared.Q_tile[stage], Q, b, h, q0, 0);
      to_fill.publish();
      for (int64_t k0 = 0; k0 < S; k0 += BN) {  // :16
        const int32_t stage_2 = to_fill_2.acquire();  // :17
        tsr::copy_to_ring(to_fill_2, shared.K_tile[stage_2], K, b, h, k0, 0);
        to_fill_2.publish();
        const int32_t stage_3 = to_fill_3.acquire();  // :24
        tsr::copy_to_ring(to_fill_3, shared.V_tile[stage_3], V, b, h, k0, 0);
        to_fill_3.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :6
    tsr::Turns<Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<1> filled(shared.ring);
    tsr::RingReader<Stages> filled_2(shared.ring2);
    tsr::RingReader<Stages> filled_3(shared.ring3);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const int64_t b = tsr::group_quotient(group, tsr::ceil_div(S, BM) * H);  // :11
      const int64_t h = tsr::group_remainder(tsr::group_quotient(group, tsr::ceil_div(S, BM)), H);
      const int64_t q0 = tsr::group_remainder(group, tsr::ceil_div(S, BM)) * BM;
      tsr::Fragment<float, BM, MaxD, Warps> acc(0.0f);  // :13
      tsr::RowVector<float, BM, Warps> m_i(-INFINITY);  // :14
      tsr::RowVector<float, BM, Warps> l_i(0.0f);  // :15
      const int32_t stage = filled.wait();  // :12
      if (0 < S) {  // :16
        tsr::Fragment<float, BM, BN, Warps> s;  // :17
        const int32_t stage_2 = filled_2.wait();
        tsr::product(s, shared.Q_tile[stage], tsr::transposed(shared.K_tile[stage_2]));
        filled_2.release();
        #pragma unroll
        for (int i = 0; i < s.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < s.cols; ++j) {
            s(i, j) *= tsr::rsqrt(float(D));
          }
        }
        if (causal) {  // :18
          if (int32_t(q0) + 1 < 0 + int32_t(BN)) {  // :19
            #pragma unroll
            for (int i = 0; i < s.rows; ++i) {
              #pragma unroll
              for (int j = 0; j < s.cols; ++j) {
                const int32_t query = int32_t(q0) + s.row(i);
                const int32_t key = 0 + s.col(j);
                s(i, j) = key <= query ? s(i, j) : -INFINITY;
              }
            }
          }
        }
        if (int32_t(S) < int32_t(BN)) {  // :20
          #pragma unroll
          for (int i = 0; i < s.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < s.cols; ++j) {
              s(i, j) = s.col(j) < int32_t(S) ? s(i, j) : -INFINITY;
            }
          }
        }
        const tsr::RowVector<float, BM, Warps> s_max = tsr::row_reduce<tsr::Max>(s);
        tsr::RowVector<float, BM, Warps> m_new;
        tsr::RowVector<float, BM, Warps> alpha;  // :21
        tsr::RowVector<float, BM, Warps> m_new_log2;  // :22
        #pragma unroll
        for (int i = 0; i < m_new.rows; ++i) {  // :20
          m_new(i) = tsr::max(m_i(i), s_max(i));
          alpha(i) = tsr::exp(m_i(i) - m_new(i));  // :21
          m_new_log2(i) = m_new(i) * 1.442695f;  // :22
        }
        tsr::Fragment<float, BM, BN, Warps> p;
        #pragma unroll
        for (int i = 0; i < p.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < p.cols; ++j) {
            p(i, j) = tsr::exp2(tsr::fma(s(i, j), 1.442695f, -m_new_log2(i)));
          }
        }
        const tsr::RowVector<float, BM, Warps> p_sum = tsr::reduce_by_lane<tsr::Sum>(p);  // :23
        tsr::RowVector<float, BM, Warps> l_i_2;
        #pragma unroll
        for (int i = 0; i < l_i_2.rows; ++i) {
          l_i_2(i) = alpha(i) * l_i(i) + p_sum(i);
        }
        tsr::Fragment<tsr::bf16, BM, BN, Warps> weights;  // :16
        #pragma unroll
        for (int i = 0; i < weights.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < weights.cols; ++j) {
            weights(i, j) = tsr::to<tsr::bf16>(p(i, j));
          }
        }
        tsr::Fragment<float, BM, MaxD, Warps> acc_2 = acc;
        m_i = m_new;
        l_i = l_i_2;
        for (int64_t k0 = BN; k0 < S; k0 += BN) {
          const int32_t stage_3 = filled_3.wait();  // :24
          tsr::Fragment<float, BM, BN, Warps> s0;  // :17
          const int32_t stage_4 = filled_2.wait();
          turns.take();  // :16
          // :17
          tsr::begin_product(s0, shared.Q_tile[stage], tsr::transposed(shared.K_tile[stage_4]));
          tsr::begin_dot(acc_2, weights, shared.V_tile[stage_3]);  // :16
          turns.pass();
          tsr::finish_earlier_products();
          filled_2.release();  // :17
          #pragma unroll
          for (int i = 0; i < s0.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < s0.cols; ++j) {
              s0(i, j) *= tsr::rsqrt(float(D));
            }
          }
          if (causal) {  // :18
            if (int32_t(q0) + 1 < int32_t(k0) + int32_t(BN)) {  // :19
              #pragma unroll
              for (int i = 0; i < s0.rows; ++i) {
                #pragma unroll
                for (int j = 0; j < s0.cols; ++j) {
                  const int32_t query = int32_t(q0) + s0.row(i);
                  const int32_t key = int32_t(k0) + s0.col(j);
                  s0(i, j) = key <= query ? s0(i, j) : -INFINITY;
                }
              }
            }
          }
          const int32_t k0_i32 = int32_t(S - k0);  // :20
          if (k0_i32 < int32_t(BN)) {
            #pragma unroll
            for (int i = 0; i < s0.rows; ++i) {
              #pragma unroll
              for (int j = 0; j < s0.cols; ++j) {
                s0(i, j) = s0.col(j) < k0_i32 ? s0(i, j) : -INFINITY;
              }
            }
          }
          const tsr::RowVector<float, BM, Warps> s_max_2 = tsr::row_reduce<tsr::Max>(s0);
          tsr::RowVector<float, BM, Warps> m_new_2;
          tsr::RowVector<float, BM, Warps> alpha_2;  // :21
          tsr::RowVector<float, BM, Warps> m_new_log2_2;  // :22
          #pragma unroll
          for (int i = 0; i < m_new_2.rows; ++i) {  // :20
            m_new_2(i) = tsr::max(m_i(i), s_max_2(i));
            alpha_2(i) = tsr::exp(m_i(i) - m_new_2(i));  // :21
            m_new_log2_2(i) = m_new_2(i) * 1.442695f;  // :22
          }
          tsr::Fragment<float, BM, BN, Warps> p0;
          #pragma unroll
          for (int i = 0; i < p0.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < p0.cols; ++j) {
              p0(i, j) = tsr::exp2(tsr::fma(s0(i, j), 1.442695f, -m_new_log2_2(i)));
            }
          }
          // :23
          const tsr::RowVector<float, BM, Warps> p_sum_2 = tsr::reduce_by_lane<tsr::Sum>(p0);
          #pragma unroll
          for (int i = 0; i < l_i.rows; ++i) {
            l_i(i) = alpha_2(i) * l_i(i) + p_sum_2(i);
          }
          tsr::finish_products();  // :16
          filled_3.release();  // :24
          #pragma unroll
          for (int i = 0; i < weights.rows; ++i) {
            #pragma unroll
            for (int j = 0; j < weights.cols; ++j) {
              weights(i, j) = tsr::to<tsr::bf16>(p0(i, j));
            }
          }
          tsr::scale_rows(acc_2, alpha_2);
          m_i = m_new_2;  // :16
        }
        const int32_t stage_3 = filled_3.wait();  // :24
        acc = acc_2;
        tsr::dot(acc, weights, shared.V_tile[stage_3]);
        filled_3.release();
      }
      const tsr::RowVector<float, BM, Warps> total = tsr::combine_lanes<tsr::Sum>(l_i);  // :16
      filled.release();  // :12
      tsr::RowVector<float, BM, Warps> reciprocal;  // :26
      #pragma unroll
      for (int i = 0; i < reciprocal.rows; ++i) {
        reciprocal(i) = 1.0f / total(i);
      }
      tsr::Fragment<tsr::bf16, BM, MaxD, Warps> as_bf16;
      #pragma unroll
      for (int i = 0; i < as_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < as_bf16.cols; ++j) {
          as_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j) * reciprocal(i));
        }
      }
      tsr::store_tile(result, to_store, as_bf16, b, h, q0, 0);
    }
    tsr::finish_stores();  // :6
  }
}

// def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D,
//   bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) ->
//   Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256
extern "C" TessStatus flash_attention(const TessTensor *Q, const TessTensor *K, const TessTensor *V,
                                      bool causal, TessTensor *result, TessStream stream) {
  constexpr int BM = 128, Threads = 384;
  tsr::Call call("flash_attention", stream);
  tsr::Dim B("B"), H("H"), S("S"), D("D");
  call.input<tsr::bf16>("Q", Q, {B, H, S, D});
  call.input<tsr::bf16>("K", K, {B, H, S, D});
  call.input<tsr::bf16>("V", V, {B, H, S, D});
  call.output<tsr::bf16>("result", result, {B, H, S, D});
  call.require(D % 16 == 0, "D % 16 == 0", D % 16, 0, "D % 16");
  call.require(D <= 256, "D <= 256", D, 256, "D");
  call.capacity("D", D, 256);
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(S, BM) * B * H)) {
    const auto Q_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(Q), {B, H, S, D}}, 128);
    const auto K_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(K), {B, H, S, D}}, 64);
    const auto V_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(V), {B, H, S, D}}, 64);
    const auto result_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 4>{call.data<tsr::bf16>(result), {B, H, S, D}}, 64);
    const auto start = [&](auto *kernel, int shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (call.failed()) return;
      kernel<<<tsr::resident_groups(groups), Threads, shared_bytes, call.stream()>>>(Q_tiles,
          K_tiles, V_tiles, causal, result_tiles, S, B, H, D);
    };
    if (D <= 64) start(flash_attention_kernel<64>, 84992);
    else if (D <= 128) start(flash_attention_kernel<128>, 134144);
    else start(flash_attention_kernel<256>, 232448);
    if (call.failed()) return call.status();
  }
  return call.finish();
}
extern "C" TessStatus flash_attention_call(const TessValue *args, int32_t count,
                                           TessStream stream) {
  return tsr::call_with(flash_attention, "flash_attention", args, count, stream);
}
