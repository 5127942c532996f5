// HIP for matmul.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matmul (declared in matmul.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/dtype.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// matmul(A: bf16[M, K], B: bf16[K, N]) -> bf16[M, N]
//   schedule  block 64 x 64, k 32, 256 lanes
static __global__ void __launch_bounds__(256)
matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
              tsr::View<tsr::bf16, 2> result, int64_t N, int64_t K) {
  constexpr int BM = 64, BN = 64, BK = 32;
  using Grid = tsr::ThreadGrid<16, 16>;
  __shared__ tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile;  // matmul.mlir:20
  __shared__ tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> B_tile;  // :21
  const int64_t tiles = tsr::ceil_div(N, BN);  // matmul.tsr:6
  const int64_t group = int64_t(blockIdx.x);
  const int64_t m = group / tiles * BM;
  const int64_t n = group % tiles * BN;
  tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
  for (int64_t k = 0; k < K; k += BK) {  // :7
    tsr::copy_tile<Grid::size>(A_tile, A, m, k);  // :8
    tsr::copy_tile<Grid::size>(B_tile, B, k, n);
    tsr::group_barrier();
    tsr::dot(acc, A_tile, B_tile);
    // the next copies overwrite what was read
    tsr::group_barrier();
  }
  tsr::Fragment<tsr::bf16, BM, BN, Grid> rounded;  // :9
  #pragma unroll
  for (int i = 0; i < acc.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      rounded(i, j) = tsr::to<tsr::bf16>(acc(i, j));
    }
  }
  tsr::store_fragment(result, rounded, m, n);
}

// matmul(A: bf16[M, K], B: bf16[K, N]) -> bf16[M, N]
extern "C" TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                             TessStream stream) {
  constexpr int BM = 64, BN = 64;
  tsr::Call call("matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    hipLaunchKernelGGL(matmul_kernel, dim3(groups), dim3(256), 0, call.stream(),
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, N, K);
  }
  return call.finish();
}
extern "C" TessStatus matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(matmul, "matmul", args, count, stream);
}
