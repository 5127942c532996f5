// HIP for mlp.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: mlp (declared in mlp.h).
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/fragment.h"
#include "tessera/device/hip/waves.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/raster.h"
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
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BM;  // :7
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN;
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
//   contract: a group adds up a tile of the product in its registers; long sums in parts, which
//     give all processors work
//   split_k: a group adds up one part of K; the next kernel adds up the parts, in order
//   products by matrix instructions, units of 64 lanes in 2 rows and 2 columns
static __global__ void __launch_bounds__(256)
mlp_kernel_split_parts_kernel(tsr::View<const float, 2> x, tsr::View<const float, 2> w1,
                              tsr::View<float, 3> parts, int64_t H, int64_t M, int64_t D,
                              int64_t Parts) {
  constexpr int BM = 128, BN = 128, BK = 32, Threads = 256;
  using Waves = tsr::WaveGrid<2, 2>;
  __shared__ tsr::SharedTile<float, BM, BK, tsr::Xor> x_tile;  // mlp.tsr:6
  __shared__ tsr::SharedTile<float, BK, BN, tsr::Xor> w1_tile;
  const int64_t m = tsr::group_remainder(  // :7
      tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)), tsr::ceil_div(M, BM)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN;
  const int64_t part = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(H, BN) * tsr::ceil_div(M, BM));
  const int64_t from = part * (tsr::ceil_div(D, Parts * BK) * BK);
  const int64_t to = tsr::min(from + tsr::ceil_div(D, Parts * BK) * BK, D);
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);
  for (int64_t k = from; k < to; k += BK) {
    tsr::group_barrier();  // :6
    tsr::copy_tile<Threads>(x_tile, x, m, k);
    tsr::copy_tile<Threads>(w1_tile, w1, k, n);
    tsr::group_barrier();  // :7
    tsr::dot(acc, x_tile, w1_tile);
  }
  tsr::store_fragment(parts[part], acc, m, n);
}

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
//   schedule  m = 8, n = 128, k = 32, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with b1 is done
//     on the sums, before they are stored; long sums in parts, which give all processors work
//   split_k: adds up the parts of K that the kernel before it stored
static __global__ void __launch_bounds__(256)
mlp_kernel_split(tsr::View<const float, 1> b1, tsr::View<float, 2> result,
                 tsr::View<const float, 3> parts, int64_t H, int64_t Parts) {
  constexpr int BM = 8, BN = 128;
  using Grid = tsr::ThreadGrid<8, 32>;
  // mlp.tsr:7
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN;
  tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
  #pragma unroll 4
  for (int64_t part = 0; part < Parts; ++part) {
    tsr::Fragment<float, BM, BN, Grid> parts_part;
    tsr::load_fragment(parts_part, parts[part],
        tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BM,
        tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN);
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc.cols; ++j) {
        acc(i, j) += parts_part(i, j);
      }
    }
  }
  tsr::ColVector<float, BN, Grid> b1_tile;  // :6
  tsr::load_fragment(b1_tile, b1, n);
  tsr::Fragment<float, BM, BN, Grid> x_times_x;  // :7
  #pragma unroll
  for (int i = 0; i < acc.rows; ++i) {
    #pragma unroll
    for (int j = 0; j < acc.cols; ++j) {
      const float x = acc(i, j) + b1_tile(j);
      x_times_x(i, j) = 0.5f * x * tsr::erfc(x * -0.70710677f);
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
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BM;  // :7
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN;
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
//   schedule  m = 128, n = 128, k = 32, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; long sums in parts, which
//     give all processors work
//   split_k: a group adds up one part of K; the next kernel adds up the parts, in order
//   products by matrix instructions, units of 64 lanes in 2 rows and 2 columns
static __global__ void __launch_bounds__(256)
mlp_kernel_1_split_parts_kernel(tsr::View<const float, 2> temporary, tsr::View<const float, 2> w2,
                                tsr::View<float, 3> parts, int64_t D, int64_t M, int64_t H,
                                int64_t Parts) {
  constexpr int BM = 128, BN = 128, BK = 32, Threads = 256;
  using Waves = tsr::WaveGrid<2, 2>;
  __shared__ tsr::SharedTile<float, BM, BK, tsr::Xor> temporary_tile;  // mlp.tsr:7
  __shared__ tsr::SharedTile<float, BK, BN, tsr::Xor> w2_tile;  // :6
  const int64_t m = tsr::group_remainder(  // :7
      tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)), tsr::ceil_div(M, BM)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN;
  const int64_t part = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(D, BN) * tsr::ceil_div(M, BM));
  const int64_t from = part * (tsr::ceil_div(H, Parts * BK) * BK);
  const int64_t to = tsr::min(from + tsr::ceil_div(H, Parts * BK) * BK, H);
  tsr::Fragment<float, BM, BN, Waves> acc(0.0f);
  for (int64_t k = from; k < to; k += BK) {
    tsr::group_barrier();
    tsr::copy_tile<Threads>(temporary_tile, temporary, m, k);
    tsr::copy_tile<Threads>(w2_tile, w2, k, n);  // :6
    tsr::group_barrier();  // :7
    tsr::dot(acc, temporary_tile, w2_tile);
  }
  tsr::store_fragment(parts[part], acc, m, n);
}

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
//   schedule  m = 8, n = 128, k = 32, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with x and b2 is
//     done on the sums, before they are stored; long sums in parts, which give all processors work
//   split_k: adds up the parts of K that the kernel before it stored
static __global__ void __launch_bounds__(256)
mlp_kernel_1_split(tsr::View<const float, 2> x, tsr::View<const float, 1> b2,
                   tsr::View<float, 2> result, tsr::View<const float, 3> parts, int64_t D,
                   int64_t Parts) {
  constexpr int BM = 8, BN = 128;
  using Grid = tsr::ThreadGrid<8, 32>;
  // mlp.tsr:7
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN;
  tsr::Fragment<float, BM, BN, Grid> acc(0.0f);
  #pragma unroll 4
  for (int64_t part = 0; part < Parts; ++part) {
    tsr::Fragment<float, BM, BN, Grid> parts_part;
    tsr::load_fragment(parts_part, parts[part],
        tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BM,
        tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN);
    #pragma unroll
    for (int i = 0; i < acc.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc.cols; ++j) {
        acc(i, j) += parts_part(i, j);
      }
    }
  }
  tsr::Fragment<float, BM, BN, Grid> x_tile;  // :6
  tsr::load_fragment(x_tile, x, m, n);
  tsr::ColVector<float, BN, Grid> b2_tile;
  tsr::load_fragment(b2_tile, b2, n);
  tsr::Fragment<float, BM, BN, Grid> sum;  // :7
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
  const int64_t part_count = tsr::min<int64_t>(
      tsr::floordiv<int64_t>(220,
      tsr::max<int64_t>(tsr::ceil_div(H, 128) * tsr::ceil_div(M, 128), 3)), D / 224);
  const int64_t part_count2 = tsr::min<int64_t>(
      tsr::floordiv<int64_t>(220,
      tsr::max<int64_t>(tsr::ceil_div(D, 128) * tsr::ceil_div(M, 128), 3)), H / 224);
  // All temporaries, at most, in one piece.
  call.reserve(4 * D * M * part_count2 + 4 * H * M + 4 * H * M * part_count, 3);
  float *temporary = call.temporary<float>("temporary", H * M);
  float *parts = call.temporary<float>("parts", 2 <= part_count ? int64_t(H * M * part_count) : 0);
  float *parts_2 = call.temporary<float>("parts_2", 2 <= part_count2 ? int64_t(D * M * part_count2)
      : 0);
  if (call.failed()) return call.status();

  if (2 <= part_count) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(H, BN) *
        part_count)) {
      hipLaunchKernelGGL(mlp_kernel_split_parts_kernel, dim3(groups), dim3(Threads), 0,
          call.stream(), tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
          tsr::View<const float, 2>{call.data<const float>(w1), {D, H}},
          tsr::View<float, 3>{parts, {part_count, M, H}}, H, M, D, part_count);
    }
    if (const unsigned groups = call.groups(tsr::ceil_div(H, BN) * tsr::ceil_div(M, 8))) {
      hipLaunchKernelGGL(mlp_kernel_split, dim3(groups), dim3(Threads), 0, call.stream(),
          tsr::View<const float, 1>{call.data<const float>(b1), {H}},
          tsr::View<float, 2>{temporary, {M, H}},
          tsr::View<const float, 3>{parts, {part_count, M, H}}, H, part_count);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(H, BN))) {
      hipLaunchKernelGGL(mlp_kernel, dim3(groups), dim3(Threads), 0, call.stream(),
          tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
          tsr::View<const float, 2>{call.data<const float>(w1), {D, H}},
          tsr::View<const float, 1>{call.data<const float>(b1), {H}},
          tsr::View<float, 2>{temporary, {M, H}}, H, D);
    }
  }
  if (2 <= part_count2) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(D, BN) *
        part_count2)) {
      hipLaunchKernelGGL(mlp_kernel_1_split_parts_kernel, dim3(groups), dim3(Threads), 0,
          call.stream(), tsr::View<const float, 2>{temporary, {M, H}},
          tsr::View<const float, 2>{call.data<const float>(w2), {H, D}},
          tsr::View<float, 3>{parts_2, {part_count2, M, D}}, D, M, H, part_count2);
    }
    if (const unsigned groups = call.groups(tsr::ceil_div(D, BN) * tsr::ceil_div(M, 8))) {
      hipLaunchKernelGGL(mlp_kernel_1_split, dim3(groups), dim3(Threads), 0, call.stream(),
          tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
          tsr::View<const float, 1>{call.data<const float>(b2), {D}},
          tsr::View<float, 2>{call.data<float>(result), {M, D}},
          tsr::View<const float, 3>{parts_2, {part_count2, M, D}}, D, part_count2);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(D, BN))) {
      hipLaunchKernelGGL(mlp_kernel_1, dim3(groups), dim3(Threads), 0, call.stream(),
          tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
          tsr::View<const float, 2>{temporary, {M, H}},
          tsr::View<const float, 2>{call.data<const float>(w2), {H, D}},
          tsr::View<const float, 1>{call.data<const float>(b2), {D}},
          tsr::View<float, 2>{call.data<float>(result), {M, D}}, D, H);
    }
  }
  return call.finish();
}
extern "C" TessStatus mlp_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(mlp, "mlp", args, count, stream);
}
