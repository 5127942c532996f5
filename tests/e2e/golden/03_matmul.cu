// CUDA for 03_matmul.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matmul, small_matmul (declared in 03_matmul.h).
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

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 128, n = 256, k = 64, stages = 3, warps = 8, 256 threads a group
//   products by matrix instructions, warps in 2 rows and 4 columns
//   stages = 3 of 4: a stage takes 49152 bytes of shared memory
//   what follows the sums is done in parts of 64 columns, as their registers are few
template <int Align>
static __global__ void __launch_bounds__(256, 1)
matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
              tsr::View<tsr::bf16, 2> result, int64_t M, int64_t N, int64_t K) {
  constexpr int BM = 128, BN = 256, BK = 64, Stages = 3, Threads = 256;
  using Warps = tsr::MmaGrid<2, 4>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> B_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const auto tile = tsr::banded_tile<8>(int64_t(blockIdx.x), tsr::ceil_div(M, BM),
      tsr::ceil_div(N, BN));  // 03_matmul.tsr:13
  const int64_t m = tile.row * BM;
  const int64_t n = tile.col * BN;
  tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :14
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {  // :15
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.A_tile[stage], A, m, stage_product);  // :16
    tsr::copy_tile_async<Threads, Align>(shared.B_tile[stage], B, stage_product, n);
    tsr::async_commit();  // :15
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < K; k += BK) {
    tsr::async_wait<1>();
    tsr::group_barrier();
    tsr::dot(acc, shared.A_tile[stage], shared.B_tile[stage]);  // :16
    const int64_t ahead = k + (Stages - 1) * BK;  // :15
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    tsr::copy_tile_async<Threads, Align>(shared.A_tile[free], A, m, ahead);  // :16
    tsr::copy_tile_async<Threads, Align>(shared.B_tile[free], B, ahead, n);
    tsr::async_commit();  // :15
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  #pragma unroll
  for (int64_t part = 0; part < BN; part += 64) {  // :17
    const tsr::Fragment<float, BM, 64, Warps> acc_part = tsr::columns<64>(acc, part);
    tsr::Fragment<tsr::bf16, BM, 64, Warps> acc_part_bf16;
    #pragma unroll
    for (int i = 0; i < acc_part_bf16.rows; ++i) {
      #pragma unroll
      for (int j = 0; j < acc_part_bf16.cols; ++j) {
        acc_part_bf16(i, j) = tsr::to<tsr::bf16>(acc_part(i, j));
      }
    }
    tsr::store_fragment(result, acc_part_bf16, m, n + part);
  }
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 64, n = 64, k = 64, stages = 4, warps = 4, 128 threads a group
//   products by matrix instructions, warps in 2 rows and 2 columns
template <int Align>
static __global__ void __launch_bounds__(128, 1)
small_matmul_kernel(tsr::View<const tsr::bf16, 2> A, tsr::View<const tsr::bf16, 2> B,
                    tsr::View<tsr::bf16, 2> result, int64_t M, int64_t N, int64_t K) {
  constexpr int BM = 64, BN = 64, BK = 64, Stages = 4, Threads = 128;
  using Warps = tsr::MmaGrid<2, 2>;
  struct Shared {
    alignas(128) tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile[Stages];
    alignas(128) tsr::SharedTile<tsr::bf16, BK, BN, tsr::Xor> B_tile[Stages];
  };
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  const auto tile = tsr::banded_tile<8>(int64_t(blockIdx.x), tsr::ceil_div(M, BM),
      tsr::ceil_div(N, BN));  // 03_matmul.tsr:13
  const int64_t m = tile.row * BM;
  const int64_t n = tile.col * BN;
  tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :14
  for (int64_t stage = 0; stage < Stages - 1; ++stage) {  // :15
    const int64_t stage_product = stage * BK;
    tsr::copy_tile_async<Threads, Align>(shared.A_tile[stage], A, m, stage_product);  // :16
    tsr::copy_tile_async<Threads, Align>(shared.B_tile[stage], B, stage_product, n);
    tsr::async_commit();  // :15
  }
  int64_t stage = 0;
  for (int64_t k = 0; k < K; k += BK) {
    tsr::async_wait<2>();
    tsr::group_barrier();
    tsr::dot(acc, shared.A_tile[stage], shared.B_tile[stage]);  // :16
    const int64_t ahead = k + (Stages - 1) * BK;  // :15
    const int64_t free = stage == 0 ? Stages - 1 : stage - 1;
    tsr::copy_tile_async<Threads, Align>(shared.A_tile[free], A, m, ahead);  // :16
    tsr::copy_tile_async<Threads, Align>(shared.B_tile[free], B, ahead, n);
    tsr::async_commit();  // :15
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
  tsr::Fragment<tsr::bf16, BM, BN, Warps> acc_bf16;  // :17
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
    const bool rows_aligned = call.aligned(16, A, B) && K % 8 == 0 && N % 8 == 0;
    const auto start = [&](auto *kernel, int shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (call.failed()) return;
      kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, M, N, K);
    };
    start(rows_aligned ? matmul_kernel<16> : matmul_kernel<1>, 147456);
    if (call.failed()) return call.status();
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
    const bool rows_aligned = call.aligned(16, A, B) && K % 8 == 0 && N % 8 == 0;
    const auto start = [&](auto *kernel, int shared_bytes) {
      call.allow_shared(kernel, shared_bytes);
      if (call.failed()) return;
      kernel<<<groups, Threads, shared_bytes, call.stream()>>>(
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}},
          tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}},
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, M, N, K);
    };
    start(rows_aligned ? small_matmul_kernel<16> : small_matmul_kernel<1>, 65536);
    if (call.failed()) return call.status();
  }
  return call.finish();
}
extern "C" TessStatus small_matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(small_matmul, "small_matmul", args, count, stream);
}
