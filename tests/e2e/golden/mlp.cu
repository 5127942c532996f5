// CUDA for mlp.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: mlp (declared in mlp.h).
#include "tessera/device/blocked.h"
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/fragment.h"
#include "tessera/device/math.h"
#include "tessera/device/platform.h"
#include "tessera/device/raster.h"
#include "tessera/device/shared.h"
#include "tessera/device/view.h"
#include "tessera/entry.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def mlp[M, D, H](x: Tensor[M, D, f32], w1: Tensor[D, H, f32], b1: Tensor[H, f32], w2: Tensor[H,
//   D, f32], b2: Tensor[D, f32]) -> Tensor[M, D, f32]
//   schedule  m = 128, n = 128, k = 32, stages = 3, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with b1 is done
//     on the sums, before they are stored
//   no mma: the machine has no instruction for products of f32 added up in f32; it has one for
//     tf32, if the operands are (line 7)
template <int Align>
static __global__ void __launch_bounds__(256)
mlp_kernel(tsr::View<const float, 2> x, tsr::View<const float, 2> w1, tsr::View<const float, 1> b1,
           tsr::View<float, 2> result, int64_t H, int64_t D) {
  constexpr int BM = 128, BN = 128, BK = 32, Stages = 3, Threads = 256;
  using Blocks = tsr::BlockedGrid<4, 2, 1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<float, BM, BK, tsr::Xor> x_tile[Stages];
    alignas(128) tsr::SharedTile<float, BK, BN> w1_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  // mlp.tsr:7
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN;
  tsr::Fragment<float, BM, BN, Blocks> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.x_tile[stage], x, m, stage_product);  // :6
    tsr::copy_tile_async<Threads, Align>(shared.w1_tile[stage], w1, stage_product, n);
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < D; k += BK) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::dot(acc, shared.x_tile[stage], shared.w1_tile[stage]);
    const int64_t ahead = k + (Stages - 1) * BK;
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    tsr::copy_tile_async<Threads, Align>(shared.x_tile[free], x, m, ahead);  // :6
    tsr::copy_tile_async<Threads, Align>(shared.w1_tile[free], w1, ahead, n);
    tsr::async_commit();  // :7
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  tsr::ColVector<float, BN, Blocks> b1_tile;  // :6
  tsr::load_fragment(b1_tile, b1, n);
  tsr::Fragment<float, BM, BN, Blocks> x_times_x;  // :7
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
//   schedule  m = 128, n = 128, k = 32, stages = 3, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; long sums in parts, which
//     give all processors work
//   split_k: a group adds up one part of K; the next kernel adds up the parts, in order
//   no mma: the machine has no instruction for products of f32 added up in f32; it has one for
//     tf32, if the operands are (line 7)
template <int Align>
static __global__ void __launch_bounds__(256)
mlp_kernel_split_parts_kernel(tsr::View<const float, 2> x, tsr::View<const float, 2> w1,
                              tsr::View<float, 3> parts, int64_t H, int64_t M, int64_t D,
                              int64_t Parts) {
  constexpr int BM = 128, BN = 128, BK = 32, Stages = 3, Threads = 256;
  using Blocks = tsr::BlockedGrid<4, 2, 1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<float, BM, BK, tsr::Xor> x_tile[Stages];
    alignas(128) tsr::SharedTile<float, BK, BN> w1_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const int64_t m = tsr::group_remainder(  // mlp.tsr:7
      tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(H, BN)), tsr::ceil_div(M, BM)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(H, BN)) * BN;
  const int64_t part = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(H, BN) * tsr::ceil_div(M, BM));
  const int64_t from = part * (tsr::ceil_div(D, Parts * BK) * BK);
  const int64_t to = tsr::min(from + tsr::ceil_div(D, Parts * BK) * BK, D);
  tsr::Fragment<float, BM, BN, Blocks> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t from_plus_stage = from + stage * BK;
    if (from_plus_stage < to) {
      tsr::copy_tile_async<Threads>(shared.x_tile[stage], x, m, from_plus_stage);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.w1_tile[stage], w1, from_plus_stage, n);
    }
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = from; k < to; k += BK) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::dot(acc, shared.x_tile[stage], shared.w1_tile[stage]);
    const int64_t ahead = k + (Stages - 1) * BK;
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    if (ahead < to) {
      tsr::copy_tile_async<Threads>(shared.x_tile[free], x, m, ahead);  // :6
      tsr::copy_tile_async<Threads, Align>(shared.w1_tile[free], w1, ahead, n);
    }
    tsr::async_commit();  // :7
    stage = stage == Stages - 1 ? 0 : stage + 1;
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
//   schedule  m = 128, n = 128, k = 32, stages = 3, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with x and b2 is
//     done on the sums, before they are stored
//   no mma: the machine has no instruction for products of f32 added up in f32; it has one for
//     tf32, if the operands are (line 7)
template <int Align>
static __global__ void __launch_bounds__(256)
mlp_kernel_1(tsr::View<const float, 2> x, tsr::View<const float, 2> temporary,
             tsr::View<const float, 2> w2, tsr::View<const float, 1> b2, tsr::View<float, 2> result,
             int64_t D, int64_t H) {
  constexpr int BM = 128, BN = 128, BK = 32, Stages = 3, Threads = 256;
  using Blocks = tsr::BlockedGrid<4, 2, 1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<float, BM, BK, tsr::Xor> temporary_tile[Stages];
    alignas(128) tsr::SharedTile<float, BK, BN> w2_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  // mlp.tsr:7
  const int64_t m = tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN;
  tsr::Fragment<float, BM, BN, Blocks> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.temporary_tile[stage], temporary, m, stage_product);
    tsr::copy_tile_async<Threads, Align>(shared.w2_tile[stage], w2, stage_product, n);  // :6
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < H; k += BK) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::dot(acc, shared.temporary_tile[stage], shared.w2_tile[stage]);
    const int64_t ahead = k + (Stages - 1) * BK;
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    tsr::copy_tile_async<Threads, Align>(shared.temporary_tile[free], temporary, m, ahead);
    tsr::copy_tile_async<Threads, Align>(shared.w2_tile[free], w2, ahead, n);  // :6
    tsr::async_commit();  // :7
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  tsr::Fragment<float, BM, BN, Blocks> x_tile;  // :6
  tsr::load_fragment(x_tile, x, m, n);
  tsr::ColVector<float, BN, Blocks> b2_tile;
  tsr::load_fragment(b2_tile, b2, n);
  tsr::Fragment<float, BM, BN, Blocks> sum;  // :7
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
//   schedule  m = 128, n = 128, k = 32, stages = 3, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; long sums in parts, which
//     give all processors work
//   split_k: a group adds up one part of K; the next kernel adds up the parts, in order
//   no mma: the machine has no instruction for products of f32 added up in f32; it has one for
//     tf32, if the operands are (line 7)
template <int Align>
static __global__ void __launch_bounds__(256)
mlp_kernel_1_split_parts_kernel(tsr::View<const float, 2> temporary, tsr::View<const float, 2> w2,
                                tsr::View<float, 3> parts, int64_t D, int64_t M, int64_t H,
                                int64_t Parts) {
  constexpr int BM = 128, BN = 128, BK = 32, Stages = 3, Threads = 256;
  using Blocks = tsr::BlockedGrid<4, 2, 1, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<float, BM, BK, tsr::Xor> temporary_tile[Stages];
    alignas(128) tsr::SharedTile<float, BK, BN> w2_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const int64_t m = tsr::group_remainder(  // mlp.tsr:7
      tsr::group_quotient(int64_t(blockIdx.x), tsr::ceil_div(D, BN)), tsr::ceil_div(M, BM)) * BM;
  const int64_t n = tsr::group_remainder(int64_t(blockIdx.x), tsr::ceil_div(D, BN)) * BN;
  const int64_t part = tsr::group_quotient(int64_t(blockIdx.x),
      tsr::ceil_div(D, BN) * tsr::ceil_div(M, BM));
  const int64_t from = part * (tsr::ceil_div(H, Parts * BK) * BK);
  const int64_t to = tsr::min(from + tsr::ceil_div(H, Parts * BK) * BK, H);
  tsr::Fragment<float, BM, BN, Blocks> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t from_plus_stage = from + stage * BK;
    if (from_plus_stage < to) {
      tsr::copy_tile_async<Threads>(shared.temporary_tile[stage], temporary, m, from_plus_stage);
      tsr::copy_tile_async<Threads, Align>(shared.w2_tile[stage], w2, from_plus_stage, n);  // :6
    }
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = from; k < to; k += BK) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::dot(acc, shared.temporary_tile[stage], shared.w2_tile[stage]);
    const int64_t ahead = k + (Stages - 1) * BK;
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    if (ahead < to) {
      tsr::copy_tile_async<Threads>(shared.temporary_tile[free], temporary, m, ahead);
      tsr::copy_tile_async<Threads, Align>(shared.w2_tile[free], w2, ahead, n);  // :6
    }
    tsr::async_commit();  // :7
    stage = stage == Stages - 1 ? 0 : stage + 1;
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
      tsr::floordiv<int64_t>(216,
      tsr::max<int64_t>(tsr::ceil_div(H, 128) * tsr::ceil_div(M, 128), 3)), D / 96);
  const int64_t part_count2 = tsr::min<int64_t>(
      tsr::floordiv<int64_t>(216,
      tsr::max<int64_t>(tsr::ceil_div(D, 128) * tsr::ceil_div(M, 128), 3)), H / 96);
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
      const bool rows_aligned = call.aligned(16, w1) && H % 4 == 0;
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
            tsr::View<const float, 2>{call.data<const float>(w1), {D, H}},
            tsr::View<float, 3>{parts, {part_count, M, H}}, H, M, D, part_count);
      };
      start(rows_aligned ? mlp_kernel_split_parts_kernel<16> : mlp_kernel_split_parts_kernel<1>, 98304);
      if (call.failed()) return call.status();
    }
    if (const unsigned groups = call.groups(tsr::ceil_div(H, BN) * tsr::ceil_div(M, 8))) {
      mlp_kernel_split<<<groups, Threads, 0, call.stream()>>>(
          tsr::View<const float, 1>{call.data<const float>(b1), {H}},
          tsr::View<float, 2>{temporary, {M, H}},
          tsr::View<const float, 3>{parts, {part_count, M, H}}, H, part_count);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(H, BN))) {
      const bool rows_aligned = call.aligned(16, x, w1) && D % 4 == 0 && H % 4 == 0;
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
            tsr::View<const float, 2>{call.data<const float>(w1), {D, H}},
            tsr::View<const float, 1>{call.data<const float>(b1), {H}},
            tsr::View<float, 2>{temporary, {M, H}}, H, D);
      };
      start(rows_aligned ? mlp_kernel<16> : mlp_kernel<1>, 98304);
      if (call.failed()) return call.status();
    }
  }
  if (2 <= part_count2) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(D, BN) *
        part_count2)) {
      const bool rows_aligned = call.aligned(16, w2) && D % 4 == 0;
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const float, 2>{temporary, {M, H}},
            tsr::View<const float, 2>{call.data<const float>(w2), {H, D}},
            tsr::View<float, 3>{parts_2, {part_count2, M, D}}, D, M, H, part_count2);
      };
      start(rows_aligned ? mlp_kernel_1_split_parts_kernel<16> : mlp_kernel_1_split_parts_kernel<1>, 98304);
      if (call.failed()) return call.status();
    }
    if (const unsigned groups = call.groups(tsr::ceil_div(D, BN) * tsr::ceil_div(M, 8))) {
      mlp_kernel_1_split<<<groups, Threads, 0, call.stream()>>>(
          tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
          tsr::View<const float, 1>{call.data<const float>(b2), {D}},
          tsr::View<float, 2>{call.data<float>(result), {M, D}},
          tsr::View<const float, 3>{parts_2, {part_count2, M, D}}, D, part_count2);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(D, BN))) {
      const bool rows_aligned = call.aligned(16, w2) && H % 4 == 0 && D % 4 == 0;
      const auto start = [&](auto *kernel, int shared_bytes) {
        call.allow_shared(kernel, shared_bytes);
        if (call.failed()) return;
        kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
            tsr::View<const float, 2>{call.data<const float>(x), {M, D}},
            tsr::View<const float, 2>{temporary, {M, H}},
            tsr::View<const float, 2>{call.data<const float>(w2), {H, D}},
            tsr::View<const float, 1>{call.data<const float>(b2), {D}},
            tsr::View<float, 2>{call.data<float>(result), {M, D}}, D, H);
      };
      start(rows_aligned ? mlp_kernel_1<16> : mlp_kernel_1<1>, 98304);
      if (call.failed()) return call.status();
    }
  }
  return call.finish();
}
extern "C" TessStatus mlp_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(mlp, "mlp", args, count, stream);
}
