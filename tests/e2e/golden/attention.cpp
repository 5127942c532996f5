// C++ for attention.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: attend (declared in attention.h).
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

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
//   schedule  m = 64, n = 64
//   chain: a group goes over T in tiles and keeps of each row the largest score, the sum and the
//     result so far, rescaled where a larger score comes; s is not stored
static void
attend_kernel(tsr::View<const tsr::bf16, 3> q, tsr::View<const tsr::bf16, 3> k,
              tsr::View<const tsr::bf16, 3> v, tsr::View<tsr::bf16, 3> result, int64_t S, int64_t H,
              int64_t T) {
  constexpr int BM = 64, BN = 64;
  using Grid = tsr::ThreadGrid<1, 1>;
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(S, BM) * H; ++group) {  // attention.tsr:9
    tsr::LeftRows<float, BM, 64> q_tile;  // :6
    tsr::RightPanels<float, 64, BN> k_tile;
    tsr::RightPanels<float, BN, 64> v_tile;  // :7
    alignas(64) tsr::SharedTile<tsr::bf16, BM, BN> e_tile;  // :9
    const int64_t h0 = group / tsr::ceil_div(S, BM);
    const int64_t m = group % tsr::ceil_div(S, BM) * BM;
    tsr::copy_tile<1>(q_tile, q[h0], m, 0);  // :6
    tsr::RowVector<float, BM, Grid> largest(-INFINITY);  // :9
    tsr::RowVector<float, BM, Grid> row_sum(0.0f);
    tsr::Fragment<float, BM, 64, Grid> acc(0.0f);
    const int64_t end = tsr::min(T, m + (T + BM - S));
    for (int64_t n = 0; n < end; n += BN) {
      tsr::copy_transposed_tile<1>(k_tile, k[h0], n, 0);  // :6
      tsr::Fragment<float, BM, BN, Grid> s(0.0f);  // :8
      tsr::dot(s, q_tile, k_tile);
      const int32_t k0 = 0;
      const int32_t as_i32 = int32_t(T - S);
      for (int i = 0; i < s.rows; ++i) {
        #pragma omp simd
        for (int j = 0; j < s.cols; ++j) {
          s(i, j) *= 0.125f;
        }
      }
      if (as_i32 + int32_t(m) + 1 < int32_t(n) + int32_t(BN)) {
        for (int i = 0; i < s.rows; ++i) {
          #pragma omp simd
          for (int j = 0; j < s.cols; ++j) {
            const int32_t query = as_i32 + (int32_t(m) + s.row(i));
            const int32_t key = k0 + (int32_t(n) + s.col(j));
            s(i, j) = key <= query ? s(i, j) : -INFINITY;
          }
        }
      }
      const int32_t n_i32 = int32_t(T - n);  // :9
      if (n_i32 < int32_t(BN)) {  // :8
        for (int i = 0; i < s.rows; ++i) {
          #pragma omp simd
          for (int j = 0; j < s.cols; ++j) {
            s(i, j) = s.col(j) < n_i32 ? s(i, j) : -INFINITY;
          }
        }
      }
      const tsr::RowVector<float, BM, Grid> s_max = tsr::row_reduce<tsr::Max>(s);  // :9
      tsr::RowVector<float, BM, Grid> largest_new;
      tsr::RowVector<float, BM, Grid> shift;
      tsr::RowVector<float, BM, Grid> rescale;
      #pragma omp simd
      for (int i = 0; i < largest_new.rows; ++i) {
        largest_new(i) = tsr::max(largest(i), s_max(i));
        shift(i) = largest_new(i) > -INFINITY ? largest_new(i) : 0.0f;
        rescale(i) = tsr::exp(largest(i) - shift(i));
      }
      tsr::Fragment<float, BM, BN, Grid> e;
      for (int i = 0; i < e.rows; ++i) {
        #pragma omp simd
        for (int j = 0; j < e.cols; ++j) {
          e(i, j) = tsr::exp(s(i, j) - shift(i));
        }
      }
      const tsr::RowVector<float, BM, Grid> e_sum = tsr::row_reduce<tsr::Sum>(e);
      #pragma omp simd
      for (int i = 0; i < row_sum.rows; ++i) {
        row_sum(i) = rescale(i) * row_sum(i) + e_sum(i);
      }
      tsr::Fragment<tsr::bf16, BM, BN, Grid> e_bf16;
      for (int i = 0; i < e_bf16.rows; ++i) {
        #pragma omp simd
        for (int j = 0; j < e_bf16.cols; ++j) {
          e_bf16(i, j) = tsr::to<tsr::bf16>(e(i, j));
        }
      }
      tsr::copy_tile<1>(v_tile, v[h0], n, 0);  // :7
      for (int i = 0; i < acc.rows; ++i) {  // :9
        #pragma omp simd
        for (int j = 0; j < acc.cols; ++j) {
          acc(i, j) = rescale(i) * acc(i, j);
        }
      }
      tsr::write_shared(e_tile, e_bf16);
      tsr::dot(acc, e_tile, v_tile);
      largest = largest_new;
    }
    tsr::RowVector<float, BM, Grid> reciprocal;
    #pragma omp simd
    for (int i = 0; i < reciprocal.rows; ++i) {
      reciprocal(i) = 1.0f / tsr::max(row_sum(i), 0.5f);
    }
    tsr::Fragment<tsr::bf16, BM, 64, Grid> as_bf16;
    for (int i = 0; i < as_bf16.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < as_bf16.cols; ++j) {
        as_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j) * reciprocal(i));
      }
    }
    tsr::store_fragment(result[h0], as_bf16, m, 0);
  }
}

// def attend[H, S, T](q: Tensor[H, S, 64, bf16 @accum(f32)], k: Tensor[H, T, 64, bf16 @accum(f32)],
//   v: Tensor[H, T, 64, bf16 @accum(f32)]) -> Tensor[H, S, 64, bf16]
extern "C" TessStatus attend(const TessTensor *q, const TessTensor *k, const TessTensor *v,
                             TessTensor *result, TessStream stream) {
  tsr::Call call("attend", stream);
  tsr::Dim H("H"), S("S"), T("T");
  call.input<tsr::bf16>("q", q, {H, S, 64});
  call.input<tsr::bf16>("k", k, {H, T, 64});
  call.input<tsr::bf16>("v", v, {H, T, 64});
  call.output<tsr::bf16>("result", result, {H, S, 64});
  if (call.done()) return call.status();

  attend_kernel(tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(q), {H, S, 64}},
      tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(k), {H, T, 64}},
      tsr::View<const tsr::bf16, 3>{call.data<const tsr::bf16>(v), {H, T, 64}},
      tsr::View<tsr::bf16, 3>{call.data<tsr::bf16>(result), {H, S, 64}}, S, H, T);
  return call.finish();
}
extern "C" TessStatus attend_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(attend, "attend", args, count, stream);
}
