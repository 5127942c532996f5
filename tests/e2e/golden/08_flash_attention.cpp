// C++ for 08_flash_attention.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: flash_attention (declared in 08_flash_attention.h).
#include "tessera/device/copy.h"
#include "tessera/device/cpu/operands.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/reduce.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D,
//   bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) ->
//   Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256
//   schedule  m = 128, n = 128
//   no stages = 2: a CPU reads memory ahead by itself
//   no warps = 4: a thread of a CPU computes a whole tile
//   no prefetch = k0=2: a CPU reads memory ahead by itself
//   T.m = 128, T.n = 128: the largest tile of the tuning space that fits
//   D varies at run time: compiled for up to 64, 128, 256, chosen at entry
template <int MaxD>
static void
flash_attention_kernel(tsr::View<const tsr::bf16, 4> Q, tsr::View<const tsr::bf16, 4> K,
                       tsr::View<const tsr::bf16, 4> V, bool causal, tsr::View<tsr::bf16, 4> result,
                       int64_t S, int64_t B, int64_t H, int64_t D) {
  constexpr int BM = 128, BN = 128;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 08_flash_attention.tsr:6
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(S, BM) * B * H; ++group) {
    tsr::LeftRows<float, BM, MaxD> Q_tile;  // :12
    tsr::RightPanels<float, MaxD, BN> K_tile;  // :17
    tsr::RightPanels<float, BN, MaxD> V_tile;  // :24
    alignas(64) tsr::SharedTile<tsr::bf16, BM, BN> p_tile;
    const int64_t b = group / (tsr::ceil_div(S, BM) * H);  // :11
    const int64_t h = group / tsr::ceil_div(S, BM) % H;
    const int64_t q0 = group % tsr::ceil_div(S, BM) * BM;
    tsr::copy_tile<1>(Q_tile, Q[b][h], q0, 0);  // :12
    tsr::Fragment<float, BM, MaxD, Grid> acc(0.0f);  // :13
    tsr::RowVector<float, BM, Grid> m_i(-INFINITY);  // :14
    tsr::RowVector<float, BM, Grid> l_i(0.0f);  // :15
    for (int64_t k0 = 0; k0 < S; k0 += BN) {  // :16
      tsr::copy_transposed_tile<1>(K_tile, K[b][h], k0, 0);  // :17
      tsr::Fragment<float, BM, BN, Grid> s(0.0f);
      tsr::dot(s, Q_tile, K_tile);
      for (int i = 0; i < s.rows; ++i) {
        for (int j = 0; j < s.cols; ++j) {
          s(i, j) *= tsr::rsqrt(float(D));
        }
      }
      if (causal) {  // :18
        if (int32_t(q0) + 1 < int32_t(k0) + int32_t(BN)) {  // :19
          for (int i = 0; i < s.rows; ++i) {
            #pragma omp simd
            for (int j = 0; j < s.cols; ++j) {
              const int32_t query = int32_t(q0) + s.row(i);
              const int32_t key = int32_t(k0) + s.col(j);
              s(i, j) = key <= query ? s(i, j) : -INFINITY;
            }
          }
        }
      }
      const int32_t k0_i32 = int32_t(S - k0);  // :20
      if (k0_i32 < int32_t(BN)) {
        for (int i = 0; i < s.rows; ++i) {
          #pragma omp simd
          for (int j = 0; j < s.cols; ++j) {
            s(i, j) = s.col(j) < k0_i32 ? s(i, j) : -INFINITY;
          }
        }
      }
      const tsr::RowVector<float, BM, Grid> s_max = tsr::row_reduce<tsr::Max>(s);
      tsr::RowVector<float, BM, Grid> m_new;
      tsr::RowVector<float, BM, Grid> alpha;  // :21
      #pragma omp simd
      for (int i = 0; i < m_new.rows; ++i) {  // :20
        m_new(i) = tsr::max(m_i(i), s_max(i));
        alpha(i) = tsr::exp(m_i(i) - m_new(i));  // :21
      }
      tsr::Fragment<float, BM, BN, Grid> p;  // :22
      for (int i = 0; i < p.rows; ++i) {
        #pragma omp simd
        for (int j = 0; j < p.cols; ++j) {
          p(i, j) = tsr::exp(s(i, j) - m_new(i));
        }
      }
      const tsr::RowVector<float, BM, Grid> p_sum = tsr::row_reduce<tsr::Sum>(p);  // :23
      #pragma omp simd
      for (int i = 0; i < l_i.rows; ++i) {
        l_i(i) = alpha(i) * l_i(i) + p_sum(i);
      }
      for (int i = 0; i < acc.rows; ++i) {  // :24
        #pragma omp simd
        for (int j = 0; j < acc.cols; ++j) {
          acc(i, j) = alpha(i) * acc(i, j);
        }
      }
      tsr::Fragment<tsr::bf16, BM, BN, Grid> p_bf16;
      for (int i = 0; i < p_bf16.rows; ++i) {
        #pragma omp simd
        for (int j = 0; j < p_bf16.cols; ++j) {
          p_bf16(i, j) = tsr::to<tsr::bf16>(p(i, j));
        }
      }
      tsr::copy_tile<1>(V_tile, V[b][h], k0, 0);
      tsr::write_shared(p_tile, p_bf16);
      tsr::dot(acc, p_tile, V_tile);
      m_i = m_new;  // :16
    }
    tsr::RowVector<float, BM, Grid> reciprocal;  // :26
    #pragma omp simd
    for (int i = 0; i < reciprocal.rows; ++i) {
      reciprocal(i) = 1.0f / l_i(i);
    }
    tsr::Fragment<tsr::bf16, BM, MaxD, Grid> as_bf16;
    for (int i = 0; i < as_bf16.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < as_bf16.cols; ++j) {
        as_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j) * reciprocal(i));
      }
    }
    tsr::store_fragment(result[b][h], as_bf16, q0, 0);
  }
}

// def flash_attention[B, H, S, D](Q: Tensor[B, H, S, D, bf16 @accum(f32)], K: Tensor[B, H, S, D,
//   bf16 @accum(f32)], V: Tensor[B, H, S, D, bf16 @accum(f32)], *, causal: bool = True) ->
//   Tensor[B, H, S, D, bf16] where D % 16 == 0, D <= 256
extern "C" TessStatus flash_attention(const TessTensor *Q, const TessTensor *K, const TessTensor *V,
                                      bool causal, TessTensor *result, TessStream stream) {
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

  {
    const auto start = [&](auto *kernel) {
      kernel(tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(Q), {B, H, S, D}},
          tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(K), {B, H, S, D}},
          tsr::View<const tsr::bf16, 4>{call.data<const tsr::bf16>(V), {B, H, S, D}}, causal,
          tsr::View<tsr::bf16, 4>{call.data<tsr::bf16>(result), {B, H, S, D}}, S, B, H, D);
    };
    if (D <= 64) start(flash_attention_kernel<64>);
    else if (D <= 128) start(flash_attention_kernel<128>);
    else start(flash_attention_kernel<256>);
  }
  return call.finish();
}
extern "C" TessStatus flash_attention_call(const TessValue *args, int32_t count,
                                           TessStream stream) {
  return tsr::call_with(flash_attention, "flash_attention", args, count, stream);
}
