// HIP for 03_matmul.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matmul, small_matmul (declared in 03_matmul.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/hip/waves.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/raster.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 128, n = 256, k = 64, warps = 8, 256 threads a group
//   no stages = 4: the machine has no copies that run ahead
//   products by matrix instructions, units of 64 lanes in 1 row and 4 columns
static __global__ void __launch_bounds__(256)
matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
              tsr::View<tsr::bf16, 2> result, int64_t N, int64_t K) {
  constexpr int BM = 128, BN = 256, BK = 64, Threads = 256;
  using Waves = tsr::WaveGrid<1, 4>;
  __shared__ tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile;  // 03_matmul.tsr:16
  __shared__ tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> B_tile;
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BM;  // :13
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BN;
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);  // :14
  for (int64_t k = 0; k < K; k += BK) {  // :15
    tsr::group_barrier();  // :16
    tsr::copy_tile<Threads>(A_tile, A, m, k);
    tsr::copy_tile<Threads>(B_tile, B, k, n);
    tsr::group_barrier();
    tsr::dot(acc, A_tile, B_tile);
  }
  tsr::Fragment<tsr::bf16, BM, BN, Waves> acc_bf16;  // :17
  #pragma unroll
  for (int i = 0; i < acc_bf16.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc_bf16.cols; ++j) {
      acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
    }
  }
  tsr::store_fragment(result, acc_bf16, m, n);
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 64, n = 64, k = 64, warps = 4, 128 threads a group
//   no stages = 4: the machine has no copies that run ahead
//   products by matrix instructions, units of 64 lanes in 1 row and 2 columns
static __global__ void __launch_bounds__(128)
small_matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
                    tsr::View<tsr::bf16, 2> result, int64_t N, int64_t K) {
  constexpr int BM = 64, BN = 64, BK = 64, Threads = 128;
  using Waves = tsr::WaveGrid<1, 2>;
  __shared__ tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile;  // 03_matmul.tsr:16
  __shared__ tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> B_tile;
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BM;  // :13
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BN;
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);  // :14
  for (int64_t k = 0; k < K; k += BK) {  // :15
    tsr::group_barrier();  // :16
    tsr::copy_tile<Threads>(A_tile, A, m, k);
    tsr::copy_tile<Threads>(B_tile, B, k, n);
    tsr::group_barrier();
    tsr::dot(acc, A_tile, B_tile);
  }
  tsr::Fragment<tsr::bf16, BM, BN, Waves> acc_bf16;  // :17
  #pragma unroll
  for (int i = 0; i < acc_bf16.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc_bf16.cols; ++j) {
      acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
    }
  }
  tsr::store_fragment(result, acc_bf16, m, n);
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                             TessStream stream) {
  constexpr int BM = 128, BN = 256, Threads = 256;
  tsr::Call call("matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    hipLaunchKernelGGL(matmul_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, N, K);
  }
  return call.finish();
}
extern "C" TessStatus matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(matmul, "matmul", args, count, stream);
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus small_matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                                   TessStream stream) {
  constexpr int BM = 64, BN = 64, Threads = 128;
  tsr::Call call("small_matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    hipLaunchKernelGGL(small_matmul_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, N, K);
  }
  return call.finish();
}
extern "C" TessStatus small_matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(small_matmul, "small_matmul", args, count, stream);
}
