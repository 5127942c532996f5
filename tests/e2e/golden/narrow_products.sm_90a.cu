// CUDA for narrow_products.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: rescaled, tiles (declared in narrow_products.h).
#include "tessera/device/cuda/cluster.h"
#include "tessera/device/cuda/order.h"
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

// def rescaled[M, N, K](x: Tensor[M, K, i8 @accum(i32)], w: Tensor[N, K, i8 @accum(i32)], rows:
//   Tensor[M, f32], cols: Tensor[N, f32]) -> Tensor[M, N, bf16]
//   schedule  m = 128, n = 128, k = 128, stages = 6, 256 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with rows and
//     cols is done on the sums, before they are stored
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   two groups with tiles one below the other may share a cluster, and bring half of what both read
//     each: where rows begin within cache lines
static __global__ void __launch_bounds__(384, 1)
rescaled_kernel(const __grid_constant__ tsr::TiledView<const int8_t, 2> x,
                const __grid_constant__ tsr::TiledView<const int8_t, 2> w,
                tsr::View<const float, 1> rows, tsr::View<const float, 1> cols,
                const __grid_constant__ tsr::TiledView<tsr::bf16, 2> result, int64_t M, int64_t N,
                int64_t K) {
  constexpr int BM = 128, BN = 128, BK = 128, Stages = 6, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<int8_t, BM, BK, tsr::Panels> x_tile[Stages];
    tsr::SharedTile<int8_t, BN, BK, tsr::Panels> w_tile[Stages];
    tsr::ClusterRing<Stages> ring;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // narrow_products.tsr:30
  tsr::cluster_barrier();
  tsr::after_previous_kernel();
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
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = to_fill.acquire();  // :28
        tsr::copy_to_ring(to_fill, shared.x_tile[stage], x, m, k);
        tsr::copy_to_cluster(to_fill, shared.w_tile[stage], w, n, k);
        to_fill.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :30
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::ClusterReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<int32_t, BM, BN, Warps> acc(0);
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = filled.wait();  // :28
        tsr::dot(acc, shared.x_tile[stage], tsr::transposed(shared.w_tile[stage]));  // :30
        filled.release();  // :28
      }
      tsr::RowVector<float, BM, Warps> rows_tile;
      tsr::load_fragment(rows_tile, rows, m);
      tsr::ColVector<float, BN, Warps> cols_tile;  // :29
      tsr::load_fragment(cols_tile, cols, n);
      tsr::Fragment<tsr::bf16, BM, BN, Warps> as_bf16;  // :30
      #pragma unroll
      for (int i = 0; i < as_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < as_bf16.cols; ++j) {
          as_bf16(i, j) = tsr::to<tsr::bf16>(float(acc(i, j)) * rows_tile(i) * cols_tile(j));
        }
      }
      tsr::store_tile(result, to_store, as_bf16, m, n);
    }
    tsr::finish_stores();
    // The other group of the cluster may still tell this one that it has left a stage.
    tsr::cluster_barrier();
  }
}

// def rescaled[M, N, K](x: Tensor[M, K, i8 @accum(i32)], w: Tensor[N, K, i8 @accum(i32)], rows:
//   Tensor[M, f32], cols: Tensor[N, f32]) -> Tensor[M, N, bf16]
//   schedule  m = 64, n = 128, k = 128, stages = 6, 128 threads a group
//   or  m = 64, n = 64, k = 256, stages = 6, 128 threads a group
//   contract: a group adds up a tile of the product in its registers; what follows with rows and
//     cols is done on the sums, before they are stored; small tiles, so that few of them give all
//     processors work
//   products by warpgroups, which read their operands from shared memory
//   two teams of one warpgroup, on tiles of their own: one multiplies while the other finishes its
//     tile
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
template <int BN, int BK>
static __global__ void __launch_bounds__(384, 1)
rescaled_kernel_few(const __grid_constant__ tsr::TiledView<const int8_t, 2> x,
                    const __grid_constant__ tsr::TiledView<const int8_t, 2> w,
                    tsr::View<const float, 1> rows, tsr::View<const float, 1> cols,
                    const __grid_constant__ tsr::TiledView<tsr::bf16, 2> result, int64_t M,
                    int64_t N, int64_t K) {
  constexpr int BM = 64, Stages = 6, Consumers = 128, Teams = 2;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    tsr::SharedTile<int8_t, BM, BK, tsr::Panels> x_tile[Stages];
    tsr::SharedTile<int8_t, BN, BK, tsr::Panels> w_tile[Stages];
    tsr::Ring<Stages> ring;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // narrow_products.tsr:30
  tsr::group_barrier();
  tsr::after_previous_kernel();
  const int64_t groups = tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN);
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Teams * Consumers) {
    tsr::give_registers<40>();
    if (!tsr::fills_ring<Teams * Consumers>()) {
      return;
    }
    tsr::RingWriter<Stages> to_fill(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = to_fill.acquire();  // :28
        tsr::copy_to_ring(to_fill, shared.x_tile[stage], x, m, k);
        tsr::copy_to_ring(to_fill, shared.w_tile[stage], w, n, k);
        to_fill.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :30
    tsr::Turns<Teams * Consumers> turns;
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::RingReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x) + tsr::team<Consumers>() * int64_t(gridDim.x); group <
        groups; group += Teams * int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<int32_t, BM, BN, Warps> acc(0);
      filled.seek(group / int64_t(gridDim.x) * tsr::ceil_div(K, BK));
      turns.take();
      #pragma unroll 1
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = filled.wait();  // :28
        tsr::begin_dot(acc, shared.x_tile[stage], tsr::transposed(shared.w_tile[stage]));  // :30
        tsr::finish_earlier_products();  // :28
        filled.release_earlier();
      }
      turns.pass();  // :30
      tsr::finish_products();
      filled.release_latest();
      tsr::RowVector<float, BM, Warps> rows_tile;  // :28
      tsr::load_fragment(rows_tile, rows, m);
      tsr::ColVector<float, BN, Warps> cols_tile;  // :29
      tsr::load_fragment(cols_tile, cols, n);
      tsr::Fragment<tsr::bf16, BM, BN, Warps> as_bf16;  // :30
      #pragma unroll
      for (int i = 0; i < as_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < as_bf16.cols; ++j) {
          as_bf16(i, j) = tsr::to<tsr::bf16>(float(acc(i, j)) * rows_tile(i) * cols_tile(j));
        }
      }
      tsr::store_tile(result, to_store, as_bf16, m, n);
    }
    tsr::finish_stores();
  }
}

// def tiles[M, N, K](A: Tensor[M, K, f8e4m3 @accum(f32)], B: Tensor[N, K, f8e4m3 @accum(f32)]) ->
//   Tensor[M, N, bf16]
//   schedule  m = 128, n = 128, k = 128, stages = 4, warps = 8, 256 threads a group
//   products by warpgroups, which read their operands from shared memory
//   floats of 8 bits: the tensor cores add up 128 products, which are then added in f32
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   two groups with tiles one below the other may share a cluster, and bring half of what both read
//     each: where rows begin within cache lines
static __global__ void __launch_bounds__(384, 1)
tiles_kernel(const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> A,
             const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> B,
             const __grid_constant__ tsr::TiledView<tsr::bf16, 2> result, int64_t M, int64_t N,
             int64_t K) {
  constexpr int BM = 128, BN = 128, BK = 128, Stages = 4, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::f8e4m3, BM, BK, tsr::Panels> A_tile[Stages];
    tsr::SharedTile<tsr::f8e4m3, BN, BK, tsr::Panels> B_tile[Stages];
    tsr::ClusterRing<Stages> ring;
    tsr::StorePanels<tsr::bf16, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // narrow_products.tsr:43
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
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));  // :45
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t k = 0; k < K; k += BK) {  // :47
        const int32_t stage = to_fill.acquire();  // :48
        tsr::copy_to_ring(to_fill, shared.A_tile[stage], A, m, k);
        tsr::copy_to_cluster(to_fill, shared.B_tile[stage], B, n, k);
        to_fill.publish();
      }
    }
  } else {
    tsr::take_registers<232>();  // :43
    tsr::PanelWriter<tsr::bf16, 2> to_store(shared.panels);
    tsr::ClusterReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));  // :45
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BM, BN, Warps> acc(0.0f);  // :46
      for (int64_t k = 0; k < K; k += BK) {  // :47
        const int32_t stage = filled.wait();  // :48
        tsr::dot(acc, shared.A_tile[stage], tsr::transposed(shared.B_tile[stage]));
        filled.release();
      }
      tsr::Fragment<tsr::bf16, BM, BN, Warps> acc_bf16;  // :49
      #pragma unroll
      for (int i = 0; i < acc_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < acc_bf16.cols; ++j) {
          acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
        }
      }
      tsr::store_tile(result, to_store, acc_bf16, m, n);
    }
    tsr::finish_stores();  // :43
    // The other group of the cluster may still tell this one that it has left a stage.
    tsr::cluster_barrier();
  }
}

// def rescaled[M, N, K](x: Tensor[M, K, i8 @accum(i32)], w: Tensor[N, K, i8 @accum(i32)], rows:
//   Tensor[M, f32], cols: Tensor[N, f32]) -> Tensor[M, N, bf16]
extern "C" TessStatus rescaled(const TessTensor *x, const TessTensor *w, const TessTensor *rows,
                               const TessTensor *cols, TessTensor *result, TessStream stream) {
  constexpr int BM = 64, BN = 64, Threads = 384;
  tsr::Call call("rescaled", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<int8_t>("x", x, {M, K});
  call.input<int8_t>("w", w, {N, K});
  call.input<float>("rows", rows, {M});
  call.input<float>("cols", cols, {N});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (tsr::ceil_div(M, 64) * tsr::ceil_div(N, 128) <= 66) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(x), {M, K}}, 64);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(w), {N, K}}, 64);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
      call.allow_shared(rescaled_kernel_few<64, 256>, 230400);
      if (call.failed()) return call.status();
      call.start_early(rescaled_kernel_few<64, 256>, tsr::resident_groups(groups), Threads, 230400,
          x_tiles, w_tiles, tsr::View<const float, 1>{call.data<const float>(rows), {M}},
          tsr::View<const float, 1>{call.data<const float>(cols), {N}}, result_tiles, M, N, K);
    }
  } else if (tsr::ceil_div(M, 128) * tsr::ceil_div(N, 128) <= 66) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, 128))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(x), {M, K}}, 64);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(w), {N, K}}, 128);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
      call.allow_shared(rescaled_kernel_few<128, 128>, 181248);
      if (call.failed()) return call.status();
      call.start_early(rescaled_kernel_few<128, 128>, tsr::resident_groups(groups), Threads, 181248,
          x_tiles, w_tiles, tsr::View<const float, 1>{call.data<const float>(rows), {M}},
          tsr::View<const float, 1>{call.data<const float>(cols), {N}}, result_tiles, M, N, K);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 128))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(x), {M, K}}, 128);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const int8_t, 2>{call.data<const int8_t>(w), {N, K}}, 64);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
      const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, 128), x_tiles,
          w_tiles);
      call.allow_shared(rescaled_kernel, 230400);
      if (call.failed()) return call.status();
      call.start_early(rescaled_kernel, clusters, Threads, 230400, x_tiles, w_tiles,
          tsr::View<const float, 1>{call.data<const float>(rows), {M}},
          tsr::View<const float, 1>{call.data<const float>(cols), {N}}, result_tiles, M, N, K);
    }
  }
  return call.finish();
}
extern "C" TessStatus rescaled_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(rescaled, "rescaled", args, count, stream);
}

// def tiles[M, N, K](A: Tensor[M, K, f8e4m3 @accum(f32)], B: Tensor[N, K, f8e4m3 @accum(f32)]) ->
//   Tensor[M, N, bf16]
extern "C" TessStatus tiles(const TessTensor *A, const TessTensor *B, TessTensor *result,
                            TessStream stream) {
  constexpr int BM = 128, BN = 128, Threads = 384;
  tsr::Call call("tiles", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::f8e4m3>("A", A, {M, K});
  call.input<tsr::f8e4m3>("B", B, {N, K});
  call.output<tsr::bf16>("result", result, {M, N});
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    const auto A_tiles = tsr::tiled(call,
        tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(A), {M, K}}, 128);
    const auto B_tiles = tsr::tiled(call,
        tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(B), {N, K}}, 64);
    const auto result_tiles = tsr::tiled_result(call,
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, 64);
    const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, BM), A_tiles,
        B_tiles);
    call.allow_shared(tiles_kernel, 164864);
    if (call.failed()) return call.status();
    call.start(tiles_kernel, clusters, Threads, 164864, A_tiles, B_tiles, result_tiles, M, N, K);
  }
  return call.finish();
}
extern "C" TessStatus tiles_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(tiles, "tiles", args, count, stream);
}
