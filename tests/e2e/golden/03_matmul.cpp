// C++ for 03_matmul.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matmul, small_matmul (declared in 03_matmul.h).
#include "tessera/device/copy.h"
#include "tessera/device/cpu/operands.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 128, n = 256, k = 64
//   no stages = 4: a CPU reads memory ahead by itself
//   no warps = 8: a thread of a CPU computes a whole tile
//   no swizzle = xor: a CPU's cache has no banks
static void
matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
              tsr::View<tsr::bf16, 2> result, int64_t M, int64_t N, int64_t K) {
  constexpr int BM = 128, BN = 256, BK = 64;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 03_matmul.tsr:10
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN); ++group) {
    tsr::LeftRows<float, BM, BK> A_tile;  // :16
    tsr::RightPanels<float, BK, BN> B_tile;
    const int64_t m = group / tsr::ceil_div(N, BN) * BM;  // :13
    const int64_t n = group % tsr::ceil_div(N, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);  // :14
    for (int64_t k = 0; k < K; k += BK) {  // :15
      tsr::copy_tile<1>(A_tile, A, m, k);  // :16
      tsr::copy_tile<1>(B_tile, B, k, n);
      tsr::dot(acc, A_tile, B_tile);
    }
    tsr::Fragment<tsr::bf16, BM, BN, Grid> acc_bf16;  // :17
    for (int i = 0; i < acc_bf16.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < acc_bf16.cols; ++j) {
        acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
      }
    }
    tsr::store_fragment(result, acc_bf16, m, n);
  }
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 64, n = 64, k = 64
//   no stages = 4: a CPU reads memory ahead by itself
//   no warps = 4: a thread of a CPU computes a whole tile
//   no swizzle = xor: a CPU's cache has no banks
static void
small_matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
                    tsr::View<tsr::bf16, 2> result, int64_t M, int64_t N, int64_t K) {
  constexpr int BM = 64, BN = 64, BK = 64;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 03_matmul.tsr:10
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN); ++group) {
    tsr::LeftRows<float, BM, BK> A_tile;  // :16
    tsr::RightPanels<float, BK, BN> B_tile;
    const int64_t m = group / tsr::ceil_div(N, BN) * BM;  // :13
    const int64_t n = group % tsr::ceil_div(N, BN) * BN;
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);  // :14
    for (int64_t k = 0; k < K; k += BK) {  // :15
      tsr::copy_tile<1>(A_tile, A, m, k);  // :16
      tsr::copy_tile<1>(B_tile, B, k, n);
      tsr::dot(acc, A_tile, B_tile);
    }
    tsr::Fragment<tsr::bf16, BM, BN, Grid> acc_bf16;  // :17
    for (int i = 0; i < acc_bf16.rows; ++i) {
      #pragma omp simd
      for (int j = 0; j < acc_bf16.cols; ++j) {
        acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
      }
    }
    tsr::store_fragment(result, acc_bf16, m, n);
  }
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                             TessStream stream) {
  tsr::Call call("matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  matmul_kernel(tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
      tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
      tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, M, N, K);
  return call.finish();
}
extern "C" TessStatus matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(matmul, "matmul", args, count, stream);
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus small_matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                                   TessStream stream) {
  tsr::Call call("small_matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  small_matmul_kernel(tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
      tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
      tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, M, N, K);
  return call.finish();
}
extern "C" TessStatus small_matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(small_matmul, "small_matmul", args, count, stream);
}
