// CUDA for mlp_halves.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: mlp (declared in mlp_halves.h).
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

// def mlp[B](x: Tensor[B, 768, bf16 @accum(f32)], w1: Tensor[768, 1024, bf16], b1: Tensor[1024,
//   bf16], w2: Tensor[1024, 768, bf16 @accum(f32)], b2: Tensor[768, bf16]) -> Tensor[B, 768, bf16]
//   schedule  m = 128, n = 128, k = 64, stages = 3, 128 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with b1 is done
//     on the sums, before they are stored
//   no masks on w1, b1: every tile lies inside of its tensor
//   products by matrix instructions, warps in 2 rows and 2 columns
//   what follows the sums is done in parts of 32 columns, as their registers are few
template <int Align>
static __global__ void __launch_bounds__(128, 1)
mlp_kernel(tsr::View<const tsr::bf16, 2> x, tsr::View<const tsr::bf16, 2> w1,
           tsr::View<const tsr::bf16, 1> b1, tsr::View<tsr::bf16, 2> result, int64_t B) {
  constexpr int BM = 128, BN = 128, BK = 64, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<2, 2>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> x_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> w1_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const auto tile = tsr::banded_tile<8>(int64_t(blockIdx.x), tsr::ceil_div(B, BM),
      tsr::ceil_div(1024, BN));  // mlp_halves.tsr:7
  const int64_t m = tile.row * BM;
  const int64_t n = tile.col * BN;
  tsr::Fragment<float, BM, BN, Warps> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.x_tile[stage], x, m, stage_product);  // :6
    tsr::copy_tile_async<Threads, Align>(shared.w1_tile[stage], w1, stage_product, n);
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < 768; k += BK) {
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
  #pragma unroll
  for (int64_t part = 0; part < BN; part += 32) {
    const tsr::Fragment<float, BM, 32, Warps> acc_part = tsr::columns<32>(acc, part);
    tsr::ColVector<tsr::bf16, 32, Warps> b1_tile;  // :6
    tsr::load_whole_fragment(b1_tile, b1, n + part);
    tsr::Fragment<tsr::bf16, BM, 32, Warps> as_bf16;  // :7
    #pragma unroll
    for (int i = 0; i < acc_part.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc_part.cols; ++j) {
        const float x0 = acc_part(i, j) + tsr::to<float>(b1_tile(j));
        as_bf16(i, j) = tsr::to<tsr::bf16>(0.5f * x0 * tsr::short_erfc(x0 * -0.70710677f));
      }
    }
    tsr::store_fragment(result, as_bf16, m, n + part);
  }
}

// def mlp[B](x: Tensor[B, 768, bf16 @accum(f32)], w1: Tensor[768, 1024, bf16], b1: Tensor[1024,
//   bf16], w2: Tensor[1024, 768, bf16 @accum(f32)], b2: Tensor[768, bf16]) -> Tensor[B, 768, bf16]
//   schedule  m = 128, n = 128, k = 64, stages = 3, 128 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with x and b2 is
//     done on the sums, before they are stored
//   no masks on w2, b2: every tile lies inside of its tensor
//   products by matrix instructions, warps in 2 rows and 2 columns
//   what follows the sums is done in parts of 32 columns, as their registers are few
template <int Align>
static __global__ void __launch_bounds__(128, 1)
mlp_kernel_1(tsr::View<const tsr::bf16, 2> x, tsr::View<const tsr::bf16, 2> temporary,
             tsr::View<const tsr::bf16, 2> w2, tsr::View<const tsr::bf16, 1> b2,
             tsr::View<tsr::bf16, 2> result, int64_t B) {
  constexpr int BM = 128, BN = 128, BK = 64, Stages = 3, Threads = 128;
  using Warps = tsr::MmaGrid<2, 2>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> temporary_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> w2_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const auto tile = tsr::banded_tile<8>(int64_t(blockIdx.x), tsr::ceil_div(B, BM),
      tsr::ceil_div(768, BN));  // mlp_halves.tsr:7
  const int64_t m = tile.row * BM;
  const int64_t n = tile.col * BN;
  tsr::Fragment<float, BM, BN, Warps> acc(0.0f);
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.temporary_tile[stage], temporary, m, stage_product);
    tsr::copy_tile_async<Threads, Align>(shared.w2_tile[stage], w2, stage_product, n);  // :6
    tsr::async_commit();  // :7
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < 1024; k += BK) {
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
  #pragma unroll
  for (int64_t part = 0; part < BN; part += 32) {
    const tsr::Fragment<float, BM, 32, Warps> acc_part = tsr::columns<32>(acc, part);
    tsr::Fragment<tsr::bf16, BM, 32, Warps> x_tile;  // :6
    tsr::load_fragment(x_tile, x, m, n + part);
    tsr::ColVector<tsr::bf16, 32, Warps> b2_tile;
    tsr::load_whole_fragment(b2_tile, b2, n + part);
    tsr::Fragment<tsr::bf16, BM, 32, Warps> as_bf16;  // :7
    #pragma unroll
    for (int i = 0; i < as_bf16.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < as_bf16.cols; ++j) {
        as_bf16(i, j) = tsr::to<tsr::bf16>(
            tsr::to<float>(x_tile(i, j)) + (acc_part(i, j) + tsr::to<float>(b2_tile(j))));
      }
    }
    tsr::store_fragment(result, as_bf16, m, n + part);
  }
}

// def mlp[B](x: Tensor[B, 768, bf16 @accum(f32)], w1: Tensor[768, 1024, bf16], b1: Tensor[1024,
//   bf16], w2: Tensor[1024, 768, bf16 @accum(f32)], b2: Tensor[768, bf16]) -> Tensor[B, 768, bf16]
extern "C" TessStatus mlp(const TessTensor *x, const TessTensor *w1, const TessTensor *b1,
                          const TessTensor *w2, const TessTensor *b2, TessTensor *result,
                          TessStream stream) {
  constexpr int BM = 128, BN = 128, Threads = 128;
  tsr::Call call("mlp", stream);
  tsr::Dim B("B");
  call.input<tsr::bf16>("x", x, {B, 768});
  call.input<tsr::bf16>("w1", w1, {768, 1024});
  call.input<tsr::bf16>("b1", b1, {1024});
  call.input<tsr::bf16>("w2", w2, {1024, 768});
  call.input<tsr::bf16>("b2", b2, {768});
  call.output<tsr::bf16>("result", result, {B, 768});
  if (call.done()) return call.status();
  tsr::bf16 *temporary = call.temporary<tsr::bf16>("temporary", 1024 * B);
  if (call.failed()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(B, BM) * ((BN + 1023) / BN))) {
    const bool rows_aligned = call.aligned(16, x, w1);
    const auto start = [&](auto *kernel, int shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (call.failed()) return;
      kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(x), {B, 768}},
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(w1), {768, 1024}},
          tsr::View<const tsr::bf16, 1>{call.data<const tsr::bf16>(b1), {1024}},
          tsr::View<tsr::bf16, 2>{temporary, {B, 1024}}, B);
    };
    start(rows_aligned ? mlp_kernel<16> : mlp_kernel<1>, 98304);
    if (call.failed()) return call.status();
  }
  if (const unsigned groups = call.groups(tsr::ceil_div(B, BM) * ((BN + 767) / BN))) {
    const bool rows_aligned = call.aligned(16, w2);
    const auto start = [&](auto *kernel, int shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (call.failed()) return;
      kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(x), {B, 768}},
          tsr::View<const tsr::bf16, 2>{temporary, {B, 1024}},
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(w2), {1024, 768}},
          tsr::View<const tsr::bf16, 1>{call.data<const tsr::bf16>(b2), {768}},
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {B, 768}}, B);
    };
    start(rows_aligned ? mlp_kernel_1<16> : mlp_kernel_1<1>, 98304);
    if (call.failed()) return call.status();
  }
  return call.finish();
}
extern "C" TessStatus mlp_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(mlp, "mlp", args, count, stream);
}
