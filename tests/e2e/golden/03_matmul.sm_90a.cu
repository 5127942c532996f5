// CUDA for 03_matmul.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: matmul, small_matmul (declared in 03_matmul.h).
#include "tessera/device/cuda/cluster.h"
#include "tessera/device/cuda/ring.h"
#include "tessera/device/cuda/store.h"
#include "tessera/device/cuda/tiled_view.h"
#include "tessera/device/cuda/turns.h"
#include "tessera/device/cuda/wgmma.h"
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
#include "tessera/tensor_map.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 128, n = 256, k = 64, stages = 4, warps = 8, 256 threads a group
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   two groups with tiles one below the other may share a cluster, and bring half of what both read
//     each: where rows begin within cache lines
static __global__ void __launch_bounds__(384, 1)
matmul_kernel(const __grid_constant__ tsr::TiledView<const tsr::bf16, 2> A,
              const __grid_constant__ tsr::TiledView<const tsr::bf16, 2> B,
              const __grid_constant__ tsr::TiledView<tsr::bf16, 2> result, int64_t M, int64_t N,
              int64_t K) {
  constexpr int BM = 128, BN = 256, BK = 64, Stages = 4, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, BK, tsr::Panels> A_tile[Stages];
    tsr::SharedTile<tsr::bf16, BK, BN, tsr::Panels> B_tile[Stages];
    tsr::ClusterRing<Stages> ring;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // 03_matmul.tsr:10
  tsr::cluster_barrier();
  const int64_t tile_rows = tsr::whole_clusters(tsr::ceil_div(M, BM));
  const int64_t groups = tsr::ceil_div(N, BN) * tile_rows;
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<Stages> to_fill(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));  // :13
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t k = 0; k < K; k += BK) {  // :15
        const int32_t stage = to_fill.acquire();  // :16
        tsr::copy_to_ring(to_fill, shared.A_tile[stage], A, m, k);
        tsr::copy_to_cluster(to_fill, shared.B_tile[stage], B, k, n);
        to_fill.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :10
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::ClusterReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));  // :13
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :14
      for (int64_t k = 0; k < K; k += BK) {  // :15
        const int32_t stage = filled.wait();  // :16
        tsr::dot(acc, shared.A_tile[stage], shared.B_tile[stage]);
        filled.release();
      }
      tsr::Fragment<tsr::bf16, BM, BN, Warps> acc_bf16;  // :17
      #pragma unroll
      for (int i = 0; i < acc_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < acc_bf16.cols; ++j) {
          acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
        }
      }
      tsr::store_tile(result, to_store, acc_bf16, m, n);
    }
    tsr::finish_stores();  // :10
    // The other group of the cluster may still tell this one that it has left a stage.
    tsr::cluster_barrier();
  }
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 64, n = 64, k = 64, stages = 4, warps = 4, 128 threads a group
//   products by warpgroups, which read their operands from shared memory
//   two teams of one warpgroup, on tiles of their own: one multiplies while the other finishes its
//     tile
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
static __global__ void __launch_bounds__(384, 1)
small_matmul_kernel(const __grid_constant__ tsr::TiledView<const tsr::bf16, 2> A,
                    const __grid_constant__ tsr::TiledView<const tsr::bf16, 2> B,
                    const __grid_constant__ tsr::TiledView<tsr::bf16, 2> result, int64_t M,
                    int64_t N, int64_t K) {
  constexpr int BM = 64, BN = 64, BK = 64, Stages = 4, Consumers = 128, Teams = 2;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    tsr::SharedTile<tsr::bf16, BM, BK, tsr::Panels> A_tile[Stages];
    tsr::SharedTile<tsr::bf16, BK, BN, tsr::Panels> B_tile[Stages];
    tsr::Ring<Stages> ring;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // 03_matmul.tsr:10
  tsr::group_barrier();
  const int64_t groups = tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN);
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Teams * Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Teams * Consumers>()) {
      return;
    }
    tsr::RingWriter<Stages> to_fill(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      // :13
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t k = 0; k < K; k += BK) {  // :15
        const int32_t stage = to_fill.acquire();  // :16
        tsr::copy_to_ring(to_fill, shared.A_tile[stage], A, m, k);
        tsr::copy_to_ring(to_fill, shared.B_tile[stage], B, k, n);
        to_fill.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :10
    tsr::Turns<Teams * Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x) + tsr::team<Consumers>() * int64_t(gridDim.x); group <
        groups; group += Teams * int64_t(gridDim.x)) {
      // :13
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :14
      filled.seek(group / int64_t(gridDim.x) * tsr::ceil_div(K, BK));  // :15
      turns.take();
      #pragma unroll 1
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = filled.wait();  // :16
        tsr::begin_dot(acc, shared.A_tile[stage], shared.B_tile[stage]);
        tsr::finish_earlier_products();
        filled.release_earlier();
      }
      turns.pass();  // :15
      tsr::finish_products();
      filled.release_latest();
      tsr::Fragment<tsr::bf16, BM, BN, Warps> acc_bf16;  // :17
      #pragma unroll
      for (int i = 0; i < acc_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < acc_bf16.cols; ++j) {
          acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
        }
      }
      tsr::store_tile(result, to_store, acc_bf16, m, n);
    }
    tsr::finish_stores();  // :10
  }
}

// def matmul[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[K, N, bf16 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus matmul(const TessTensor *A, const TessTensor *B, TessTensor *result,
                             TessStream stream) {
  constexpr int BM = 128, BN = 256, Threads = 384;
  tsr::Call call("matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    const auto A_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}}, 128);
    const auto B_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}}, 64);
    const auto result_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
    const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, BM), A_tiles,
        B_tiles);
    call.allow_shared(matmul_kernel, 230400);
    if (call.failed()) return call.status();
    call.start(matmul_kernel, clusters, Threads, 230400, A_tiles, B_tiles, result_tiles, M, N, K);
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
  constexpr int BM = 64, BN = 64, Threads = 384;
  tsr::Call call("small_matmul", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::bf16>("A", A, {M, K});
  call.input<tsr::bf16>("B", B, {K, N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    const auto A_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(A), {M, K}}, 64);
    const auto B_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(B), {K, N}}, 64);
    const auto result_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
    call.allow_shared(small_matmul_kernel, 99328);
    if (call.failed()) return call.status();
    small_matmul_kernel<<<tsr::resident_groups(groups), Threads, 99328, call.stream()>>>(A_tiles,
        B_tiles, result_tiles, M, N, K);
  }
  return call.finish();
}
extern "C" TessStatus small_matmul_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(small_matmul, "small_matmul", args, count, stream);
}
