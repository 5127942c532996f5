// C++ for 07_double_buffered_gemm.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: double_buffered_gemm (declared in 07_double_buffered_gemm.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def double_buffered_gemm(A: ts.Tensor["M", "K", ts.bf16], B: ts.Tensor["K", "N", ts.bf16], C:
//   ts.Tensor["M", "N", ts.f32])
static void
double_buffered_gemm_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
                            tsr::View<float, 2> C, int64_t M, int64_t N, int64_t K) {
  constexpr int BM = 128, BN = 128, BK = 32;
  using Grid = tsr::ThreadGrid<1, 1>;
  // 07_double_buffered_gemm.tsr:9
  #pragma omp parallel for
  for (int64_t group = 0; group < tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN); ++group) {
    alignas(64) tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> smem_a[2];  // :12
    alignas(64) tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> smem_b[2];  // :13
    const int64_t m = group / tsr::ceil_div(N, BN) * BM;  // :14
    const int64_t n = group % tsr::ceil_div(N, BN) * BN;  // :15
    tsr::Fragment<float, BM, BN, Grid> acc(0.0f);  // :16
    tsr::copy_tile_async<1>(smem_a[0], A, m, 0);  // :18
    tsr::copy_tile_async<1>(smem_b[0], B, 0, n);  // :19
    int64_t stage = 0;  // :21
    for (int64_t k = 0; k < K; k += BK) {
      if (k + BK < K) {  // :22
        tsr::copy_tile_async<1>(smem_a[1 - stage], A, m, k + BK);  // :23
        tsr::copy_tile_async<1>(smem_b[1 - stage], B, k + BK, n);  // :24
      }
      tsr::dot(acc, smem_a[stage], smem_b[stage]);  // :28
      stage = 1 - stage;  // :30
    }
    tsr::store_fragment(C, acc, m, n);  // :31
  }
}

// def double_buffered_gemm(A: ts.Tensor["M", "K", ts.bf16], B: ts.Tensor["K", "N", ts.bf16], C:
//   ts.Tensor["M", "N", ts.f32])
extern "C" TessStatus double_buffered_gemm(const TessTensor *A, const TessTensor *B, TessTensor *C,
                                           TessStream stream) {
  tsr::Call call("double_buffered_gemm", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<float>("C", C, {M, N});
  if (call.done()) return call.status();

  double_buffered_gemm_kernel(tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
      tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
      tsr::View<float, 2>{call.data<float>(C), {M, N}}, M, N, K);
  return call.finish();
}
extern "C" TessStatus double_buffered_gemm_call(const TessValue *args, int32_t count,
                                                TessStream stream) {
  return tsr::call_with(double_buffered_gemm, "double_buffered_gemm", args, count, stream);
}
