// CUDA for 07_double_buffered_gemm.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: double_buffered_gemm (declared in 07_double_buffered_gemm.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/mma.h"
#include "tessera/device/platform.h"
#include "tessera/device/raster.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def double_buffered_gemm(A: ts.Tensor["M", "K", ts.bf16], B: ts.Tensor["K", "N", ts.bf16], C:
//   ts.Tensor["M", "N", ts.f32])
//   schedule  256 threads a group
//   products by matrix instructions, warps in 2 rows and 4 columns
template <int Align>
static __global__ void __launch_bounds__(256, 1)
double_buffered_gemm_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
                            tsr::View<float, 2> C, int64_t N, int64_t K) {
  constexpr int BM = 128, BN = 128, BK = 32, Threads = 256;
  using Warps = tsr::MmaGrid<2, 4>;
  // 07_double_buffered_gemm.tsr:12
  __shared__ tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> smem_a[2];
  __shared__ tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> smem_b[2];  // :13
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BM;  // :14
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(N, BN)) * BN;  // :15
  tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :16
  tsr::copy_tile_async<Threads, Align>(smem_a[0], A, m, 0);  // :18
  tsr::copy_tile_async<Threads, Align>(smem_b[0], B, 0, n);  // :19
  tsr::async_commit();  // :20
  int64_t stage = 0;  // :21
  for (int64_t k = 0; k < K; k += BK) {
    if (k + BK < K) {  // :22
      tsr::copy_tile_async<Threads, Align>(smem_a[1 - stage], A, m, k + BK);  // :23
      tsr::copy_tile_async<Threads, Align>(smem_b[1 - stage], B, k + BK, n);  // :24
    }
    tsr::async_commit();  // :25
    tsr::async_wait<1>();  // :26
    tsr::group_barrier();  // :27
    tsr::dot(acc, smem_a[stage], smem_b[stage]);  // :28
    tsr::group_barrier();  // :29
    stage = 1 - stage;  // :30
  }
  tsr::store_fragment(C, acc, m, n);  // :31
}

// def double_buffered_gemm(A: ts.Tensor["M", "K", ts.bf16], B: ts.Tensor["K", "N", ts.bf16], C:
//   ts.Tensor["M", "N", ts.f32])
extern "C" TessStatus double_buffered_gemm(const TessTensor *A, const TessTensor *B, TessTensor *C,
                                           TessStream stream) {
  constexpr int BM = 128, BN = 128, Threads = 256;
  tsr::Call call("double_buffered_gemm", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<float>("C", C, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    const bool rows_aligned = call.aligned(16, A, B) && K % 8 == 0 && N % 8 == 0;
    const auto start = [&](auto *kernel) {
      kernel<<<groups, Threads, 0, call.stream()>>>(
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
          tsr::View<float, 2>{call.data<float>(C), {M, N}}, N, K);
    };
    start(rows_aligned ? double_buffered_gemm_kernel<16> : double_buffered_gemm_kernel<1>);
  }
  return call.finish();
}
extern "C" TessStatus double_buffered_gemm_call(const TessValue *args, int32_t count,
                                                TessStream stream) {
  return tsr::call_with(double_buffered_gemm, "double_buffered_gemm", args, count, stream);
}
