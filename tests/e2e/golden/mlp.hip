// HIP for mlp.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: mlp (declared in mlp.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/fragment.h"
#include "tessera/device/hip/waves.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
//   schedule  m = 128, n = 128, k = 32, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with b1 is done
//     on the sums, before they are stored
//   products by matrix instructions, units of 64 lanes in 2 rows and 2 columns
static __global__ void __launch_bounds__(256)
mlp_kernel(tsr::View<const float, 2> x, tsr::View<const float, 2> w1, tsr::View<const float, 1> b1,
           tsr::View<float, 2> result, int64_t H, int64_t D) {
  constexpr int BM = 128, BN = 128, BK = 32, Threads = 256;
  using Waves = tsr::WaveGrid<2, 2>;
  __shared__ tsr::SharedTile<float, BM, BK, tsr::Xor> x_tile;  // mlp.tsr:6
  __shared__ tsr::SharedTile<float, BK, BN, tsr::Xor> w1_tile;
  const int64_t m = int64_t(blockIdx.x) / tsr::ceil_div(H, BN) * BM;  // :7
  const int64_t n = int64_t(blockIdx.x) % tsr::ceil_div(H, BN) * BN;
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);
  for (int64_t k = 0; k < D; k += BK) {
    tsr::group_barrier();  // :6
    tsr::copy_tile<Threads>(x_tile, x, m, k);
    tsr::copy_tile<Threads>(w1_tile, w1, k, n);
    tsr::group_barrier();  // :7
    tsr::dot(acc, x_tile, w1_tile);
  }
  tsr::ColVector<float, BN, Waves> b1_tile;  // :6
  tsr::load_fragment(b1_tile, b1, n);
  tsr::Fragment<float, BM, BN, Waves> x_times_x;  // :7
  #pragma unroll
  for (int i = 0; i < acc.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      const float acc_plus_b1_tile = acc(i, j) + b1_tile(j);
      x_times_x(i, j) = 0.5f * acc_plus_b1_tile * tsr::erfc(acc_plus_b1_tile * -0.70710677f);
    }
  }
  tsr::store_fragment(result, x_times_x, m, n);
}

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
//   schedule  m = 128, n = 128, k = 32, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with x and b2 is
//     done on the sums, before they are stored
//   products by matrix instructions, units of 64 lanes in 2 rows and 2 columns
static __global__ void __launch_bounds__(256)
mlp_kernel_1(tsr::View<const float, 2> x, tsr::View<const float, 2> temporary,
             tsr::View<const float, 2> w2, tsr::View<const float, 1> b2, tsr::View<float, 2> result,
             int64_t D, int64_t H) {
  constexpr int BM = 128, BN = 128, BK = 32, Threads = 256;
  using Waves = tsr::WaveGrid<2, 2>;
  __shared__ tsr::SharedTile<float, BM, BK, tsr::Xor> temporary_tile;  // mlp.tsr:7
  __shared__ tsr::SharedTile<float, BK, BN, tsr::Xor> w2_tile;  // :6
  const int64_t m = int64_t(blockIdx.x) / tsr::ceil_div(D, BN) * BM;  // :7
  const int64_t n = int64_t(blockIdx.x) % tsr::ceil_div(D, BN) * BN;
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);
  for (int64_t k = 0; k < H; k += BK) {
    tsr::group_barrier();
    tsr::copy_tile<Threads>(temporary_tile, temporary, m, k);
    tsr::copy_tile<Threads>(w2_tile, w2, k, n);  // :6
    tsr::group_barrier();  // :7
    tsr::dot(acc, temporary_tile, w2_tile);
  }
  tsr::Fragment<float, BM, BN, Waves> x_tile;  // :6
  tsr::load_fragment(x_tile, x, m, n);
  tsr::ColVector<float, BN, Waves> b2_tile;
  tsr::load_fragment(b2_tile, b2, n);
  tsr::Fragment<float, BM, BN, Waves> sum;  // :7
  #pragma unroll
  for (int i = 0; i < sum.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < sum.cols; ++j) {
      sum(i, j) = x_tile(i, j) + (acc(i, j) + b2_tile(j));
    }
  }
  tsr::store_fragment(result, sum, m, n);
}

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
extern "C" TessStatus mlp(const TessTensor *x, const TessTensor *w1, const TessTensor *b1,
                          const TessTensor *w2, const TessTensor *b2, TessTensor *result,
                          TessStream stream) {
  constexpr int BM = 128, BN = 128, Threads = 256;
  tsr::Call call("mlp", stream);
  tsr::Dim M("M"), D("D"), H("H");
  call.input<float>("x", x, {M, D});
  call.input<float>("w1", w1, {D, H});
  call.input<float>("b1", b1, {H});
  call.input<float>("w2", w2, {H, D});
  call.input<float>("b2", b2, {D});
  call.output<float>("result", result, {M, D});
  if (call.done()) return call.status();
  float *temporary = call.temporary<float>("temporary", H * M);
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(H, BN))) {
    hipLaunchKernelGGL(mlp_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
        tsr::View<const float, 2>{call.data<const float>(w1), {D, H}},
        tsr::View<const float, 1>{call.data<const float>(b1), {H}},
        tsr::View<float, 2>{temporary, {M, H}}, H, D);
  }
  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(D, BN))) {
    hipLaunchKernelGGL(mlp_kernel_1, dim3(groups), dim3(Threads), 0, call.stream(),
        tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
        tsr::View<const float, 2>{temporary, {M, H}},
        tsr::View<const float, 2>{call.data<const float>(w2), {H, D}},
        tsr::View<const float, 1>{call.data<const float>(b2), {D}},
        tsr::View<float, 2>{call.data<float>(result), {M, D}}, D, H);
  }
  return call.finish();
}
extern "C" TessStatus mlp_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(mlp, "mlp", args, count, stream);
}
