// CUDA for served_products.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: int4_tiles, fast (declared in served_products.h).
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

// def int4_tiles[M, N, G](x: Tensor[M, 256 * G, bf16 @accum(f32)], w: Tensor[N, 128 * G, u8],
//   scale: Tensor[2 * G, N, f32], offset: Tensor[2 * G, N, f32], sums: Tensor[2 * G, 16, f32]) ->
//   Tensor[M, N, bf16] where M <= 16
//   schedule  m = 16, n = 64, stages = 4, warps = 4, 128 threads a group
//   no masks on sums: every tile lies inside of its tensor
//   turned: the tile is computed as its transpose, as it has fewer rows than a warpgroup's
//     instructions
//   products by warpgroups, which read their operands from shared memory
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   operands that one group alone reads are not kept in the L2 cache
//   sums with a product that leave in 16 bits as one instruction (R17)
static __global__ void __launch_bounds__(256, 1)
int4_tiles_kernel(const __grid_constant__ tsr::TiledView<const tsr::bf16, 2> x,
                  const __grid_constant__ tsr::TiledView<const uint8_t, 2> w,
                  tsr::View<const float, 2> scale, tsr::View<const float, 2> offset,
                  tsr::View<const float, 2> sums, tsr::View<tsr::bf16, 2> result, int64_t M,
                  int64_t N, int64_t G) {
  constexpr int BM = 16, BN = 64, Stages = 4, Consumers = 128;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    tsr::SharedTile<uint8_t, BN, 128, tsr::Panels> w_tile[Stages];
    tsr::SharedTile<tsr::bf16, BM, 128, tsr::Panels> x_tile[Stages];
    tsr::SharedTile<tsr::bf16, BM, 128, tsr::Panels> x_tile_2[Stages];
    tsr::SharedTile<float, 1, BN> scale_tile[Stages];
    tsr::SharedTile<float, 1, BN> scale_tile_2[Stages];
    tsr::SharedTile<float, 1, BM> sums_tile[Stages];
    tsr::SharedTile<float, 1, BN> offset_tile[Stages];
    tsr::SharedTile<float, 1, BM> sums_tile_2[Stages];
    tsr::SharedTile<float, 1, BN> offset_tile_2[Stages];
    tsr::Ring<Stages> ring;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // served_products.tsr:14
  tsr::group_barrier();
  const int64_t groups = tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN);
  // The producer: one warpgroup more, which keeps the ring full.
  if (tsr::lane() >= Consumers) {
    tsr::give_registers<40>();
    if (!tsr::warp_fills_ring<Consumers>()) {
      return;
    }
    tsr::RingWriter<Stages> to_fill(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      // :20
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      for (int64_t g = 0; g < G; ++g) {  // :22
        const int64_t h = g + G;  // :23
        const int32_t stage = to_fill.acquire();
        tsr::copy_once_to_ring(to_fill, shared.w_tile[stage], w, n, 128 * g);
        tsr::copy_to_ring(to_fill, shared.x_tile[stage], x, m, 128 * g);  // :24
        tsr::copy_to_ring(to_fill, shared.x_tile_2[stage], x, m, 128 * h);  // :25
        tsr::copy_to_ring(to_fill, shared.scale_tile[stage], scale, g, n);  // :26
        tsr::copy_to_ring(to_fill, shared.scale_tile_2[stage], scale, h, n);
        tsr::copy_to_ring(to_fill, shared.sums_tile[stage], sums, g, m);  // :27
        tsr::copy_to_ring(to_fill, shared.offset_tile[stage], offset, g, n);
        tsr::copy_to_ring(to_fill, shared.sums_tile_2[stage], sums, h, m);  // :28
        tsr::copy_to_ring(to_fill, shared.offset_tile_2[stage], offset, h, n);
        to_fill.publish();  // :23
      }
    }
  } else {
    tsr::take_registers<240>();  // :14
    tsr::RingReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      // :20
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BN, BM, Warps> acc(0.0f);  // :21
      for (int64_t g = 0; g < G; ++g) {  // :22
        const int32_t stage = filled.wait();  // :23
        tsr::Fragment<uint8_t, BN, 128, Warps> w_read;
        tsr::read_shared(w_read, shared.w_tile[stage]);
        tsr::Fragment<tsr::bf16, BN, 128, Warps> w_read_bf16;  // :24
        tsr::convert_lower_halves(w_read_bf16, w_read);
        tsr::Fragment<float, BN, BM, Warps> low;
        tsr::Fragment<tsr::bf16, BN, 128, Warps> w_read_bf16_2;  // :25
        tsr::convert_upper_halves(w_read_bf16_2, w_read);
        tsr::Fragment<float, BN, BM, Warps> high;
        tsr::begin_product(low, w_read_bf16, tsr::transposed(shared.x_tile[stage]));  // :24
        tsr::product(high, w_read_bf16_2, tsr::transposed(shared.x_tile_2[stage]));  // :25
        tsr::RowVector<float, BN, Warps> scale_part;  // :26
        tsr::read_shared(scale_part, shared.scale_tile[stage]);
        tsr::RowVector<float, BN, Warps> scale_part_2;
        tsr::read_shared(scale_part_2, shared.scale_tile_2[stage]);
        tsr::Fragment<float, BN, BM, Warps> scaled;
        #pragma unroll
        for (int i = 0; i < scaled.rows; ++i) {
          #pragma unroll
          for (int j = 0; j < scaled.cols; ++j) {
            scaled(i, j) = tsr::fma(low(i, j), scale_part(i), high(i, j) * scale_part_2(i));
          }
        }
        tsr::ColVector<float, BM, Warps> sums_part;  // :27
        tsr::read_shared(sums_part, shared.sums_tile[stage]);
        tsr::RowVector<float, BN, Warps> offset_part;
        tsr::read_shared(offset_part, shared.offset_tile[stage]);
        tsr::ColVector<float, BM, Warps> sums_part_2;  // :28
        tsr::read_shared(sums_part_2, shared.sums_tile_2[stage]);
        tsr::RowVector<float, BN, Warps> offset_part_2;
        tsr::read_shared(offset_part_2, shared.offset_tile_2[stage]);
        filled.release();  // :23
        #pragma unroll
        for (int i = 0; i < acc.rows; ++i) {  // :27
          #pragma unroll
          for (int j = 0; j < acc.cols; ++j) {
            const float moved = tsr::fma(sums_part(j), offset_part(i),
                sums_part_2(j) * offset_part_2(i));
            acc(i, j) += scaled(i, j) + moved;  // :29
          }
        }
      }
      tsr::Fragment<tsr::bf16, BN, BM, Warps> acc_bf16;  // :30
      #pragma unroll
      for (int i = 0; i < acc_bf16.rows; ++i) {
        #pragma unroll
        for (int j = 0; j < acc_bf16.cols; ++j) {
          acc_bf16(i, j) = tsr::to<tsr::bf16>(acc(i, j));
        }
      }
      tsr::store_transposed_fragment(result, acc_bf16, m, n);
    }
  }
}

// def fast[M, N, K](x: Tensor[M, K, f8e4m3 @accum(f32) @fast_sums], w: Tensor[N, K, f8e4m3
//   @accum(f32)]) -> Tensor[M, N, f32]
//   schedule  m = 128, n = 256, k = 128, stages = 4, 256 threads a group
//   or m = 128, n = 192, k = 128, stages = 4, 256 threads a group: narrow tiles, where they give
//     all processors even work
//   or m = 128, n = 128, k = 128, stages = 6, 256 threads a group: small tiles, so that few of them
//     give all processors work
//   contract: a group adds up a tile of the product in its registers
//   products by warpgroups, which read their operands from shared memory
//   `@fast_sums`: the tensor cores keep the sums, with about 14 bits
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
//   two groups with tiles one below the other may share a cluster, and bring half of what both read
//     each: where rows begin within cache lines
template <int BN, int Stages>
static __global__ void __launch_bounds__(384, 1)
fast_kernel(const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> x,
            const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> w,
            const __grid_constant__ tsr::TiledView<float, 2> result, int64_t M, int64_t N,
            int64_t K) {
  constexpr int BM = 128, BK = 128, Consumers = 256;
  using Warps = tsr::MmaGrid<8, 1>;
  struct Shared {
    tsr::SharedTile<tsr::f8e4m3, BM, BK, tsr::Panels> x_tile[Stages];
    tsr::SharedTile<tsr::f8e4m3, BN, BK, tsr::Panels> w_tile[Stages];
    tsr::ClusterRing<Stages> ring;
    tsr::StorePanels<float, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // served_products.tsr:61
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
        const int32_t stage = to_fill.acquire();  // :59
        tsr::copy_to_ring(to_fill, shared.x_tile[stage], x, m, k);
        tsr::copy_to_cluster(to_fill, shared.w_tile[stage], w, n, k);  // :60
        to_fill.publish();  // :59
      }
    }
  } else {
    tsr::take_registers<232>();  // :61
    tsr::PanelWriter<float, 2> to_store(shared.panels);
    tsr::ClusterReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x); group < groups; group += int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tile_rows, tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BM, BN, Warps> acc(0.0f);
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = filled.wait();  // :59
        // :61
        tsr::dot(acc, shared.x_tile[stage], tsr::transposed(shared.w_tile[stage]), tsr::FastSums());
        filled.release();  // :59
      }
      tsr::store_tile(result, to_store, acc, m, n);  // :61
    }
    tsr::finish_stores();
    // The other group of the cluster may still tell this one that it has left a stage.
    tsr::cluster_barrier();
  }
}

// def fast[M, N, K](x: Tensor[M, K, f8e4m3 @accum(f32) @fast_sums], w: Tensor[N, K, f8e4m3
//   @accum(f32)]) -> Tensor[M, N, f32]
//   schedule  m = 64, n = 128, k = 128, stages = 6, 128 threads a group
//   or  m = 64, n = 64, k = 256, stages = 6, 128 threads a group
//   contract: a group adds up a tile of the product in its registers; small tiles, so that few of
//     them give all processors work
//   products by warpgroups, which read their operands from shared memory
//   `@fast_sums`: the tensor cores keep the sums, with about 14 bits
//   two teams of one warpgroup, on tiles of their own: one multiplies while the other finishes its
//     tile
//   one warpgroup more fills a ring of stages by bulk copies, one group a processor
template <int BN, int BK>
static __global__ void __launch_bounds__(384, 1)
fast_kernel_fewer(const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> x,
                  const __grid_constant__ tsr::TiledView<const tsr::f8e4m3, 2> w,
                  const __grid_constant__ tsr::TiledView<float, 2> result, int64_t M, int64_t N,
                  int64_t K) {
  constexpr int BM = 64, Stages = 6, Consumers = 128, Teams = 2;
  using Warps = tsr::MmaGrid<4, 1>;
  struct Shared {
    tsr::SharedTile<tsr::f8e4m3, BM, BK, tsr::Panels> x_tile[Stages];
    tsr::SharedTile<tsr::f8e4m3, BN, BK, tsr::Panels> w_tile[Stages];
    tsr::Ring<Stages> ring;
    tsr::StorePanels<float, 2> panels;
  };
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  Shared &shared = *reinterpret_cast<Shared *>(shared_bytes);
  tsr::start_ring<Consumers>(shared.ring);  // served_products.tsr:61
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
        const int32_t stage = to_fill.acquire();  // :59
        tsr::copy_to_ring(to_fill, shared.x_tile[stage], x, m, k);
        tsr::copy_to_ring(to_fill, shared.w_tile[stage], w, n, k);  // :60
        to_fill.publish();  // :59
      }
    }
  } else {
    tsr::take_registers<232>();  // :61
    tsr::Turns<Teams * Consumers> turns;
    tsr::PanelWriter<float, 2> to_store(shared.panels);
    tsr::RingReader<Stages> filled(shared.ring);
    for (int64_t group = int64_t(blockIdx.x) + tsr::team<Consumers>() * int64_t(gridDim.x); group <
        groups; group += Teams * int64_t(gridDim.x)) {
      const auto tile = tsr::banded_tile<8>(group, tsr::ceil_div(M, BM), tsr::ceil_div(N, BN));
      const int64_t m = tile.row * BM;
      const int64_t n = tile.col * BN;
      tsr::Fragment<float, BM, BN, Warps> acc(0.0f);
      filled.seek(group / int64_t(gridDim.x) * tsr::ceil_div(K, BK));
      turns.take();
      #pragma unroll 1
      for (int64_t k = 0; k < K; k += BK) {
        const int32_t stage = filled.wait();  // :59
        tsr::begin_dot(acc, shared.x_tile[stage], tsr::transposed(shared.w_tile[stage]),  // :61
            tsr::FastSums());
        tsr::finish_earlier_products();  // :59
        filled.release_earlier();
      }
      turns.pass();  // :61
      tsr::finish_products();
      filled.release_latest();
      tsr::store_tile(result, to_store, acc, m, n);
    }
    tsr::finish_stores();
  }
}

// def int4_tiles[M, N, G](x: Tensor[M, 256 * G, bf16 @accum(f32)], w: Tensor[N, 128 * G, u8],
//   scale: Tensor[2 * G, N, f32], offset: Tensor[2 * G, N, f32], sums: Tensor[2 * G, 16, f32]) ->
//   Tensor[M, N, bf16] where M <= 16
extern "C" TessStatus int4_tiles(const TessTensor *x, const TessTensor *w, const TessTensor *scale,
                                 const TessTensor *offset, const TessTensor *sums,
                                 TessTensor *result, TessStream stream) {
  constexpr int BM = 16, BN = 64, Threads = 256;
  tsr::Call call("int4_tiles", stream);
  tsr::Dim M("M"), N("N"), G("G");
  call.input<tsr::bf16>("x", x, {M, tsr::Extent::later()});
  call.input<uint8_t>("w", w, {N, tsr::Extent::later()});
  call.input<float>("scale", scale, {tsr::Extent::later(), N});
  call.input<float>("offset", offset, {tsr::Extent::later(), N});
  call.input<float>("sums", sums, {tsr::Extent::later(), 16});
  call.output<tsr::bf16>("result", result, {M, N});
  call.solve(G, x, 1, 256, 0);
  call.extent("x", x, 1, 256 * G, "256*G");
  call.extent("w", w, 1, 128 * G, "128*G");
  call.extent("scale", scale, 0, 2 * G, "2*G");
  call.extent("offset", offset, 0, 2 * G, "2*G");
  call.extent("sums", sums, 0, 2 * G, "2*G");
  call.require(M <= 16, "M <= 16", M, 16, "M");
  if (call.done()) return call.status();

  if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
    const auto x_tiles = tsr::tiled(call,
        tsr::View<const tsr::bf16, 2>{call.data<const tsr::bf16>(x), {M, 256 * G}}, 16);
    const auto w_tiles = tsr::tiled(call,
        tsr::View<const uint8_t, 2>{call.data<const uint8_t>(w), {N, 128 * G}}, 64);
    call.allow_shared(int4_tiles_kernel, 71808);
    if (call.failed()) return call.status();
    int4_tiles_kernel<<<tsr::resident_groups(groups), Threads, 71808, call.stream()>>>(x_tiles,
        w_tiles, tsr::View<const float, 2>{call.data<const float>(scale), {2 * G, N}},
        tsr::View<const float, 2>{call.data<const float>(offset), {2 * G, N}},
        tsr::View<const float, 2>{call.data<const float>(sums), {2 * G, 16}},
        tsr::View<tsr::bf16, 2>{call.data<tsr::bf16>(result), {M, N}}, M, N, G);
  }
  return call.finish();
}
extern "C" TessStatus int4_tiles_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(int4_tiles, "int4_tiles", args, count, stream);
}

// def fast[M, N, K](x: Tensor[M, K, f8e4m3 @accum(f32) @fast_sums], w: Tensor[N, K, f8e4m3
//   @accum(f32)]) -> Tensor[M, N, f32]
extern "C" TessStatus fast(const TessTensor *x, const TessTensor *w, TessTensor *result,
                           TessStream stream) {
  constexpr int BM = 64, BN = 64, Threads = 384;
  tsr::Call call("fast", stream);
  tsr::Dim M("M"), K("K"), N("N");
  call.input<tsr::f8e4m3>("x", x, {M, K});
  call.input<tsr::f8e4m3>("w", w, {N, K});
  call.output<float>("result", result, {M, N});
  if (call.done()) return call.status();

  if (tsr::ceil_div(M, 64) * tsr::ceil_div(N, 128) <= 66) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, BN))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(x), {M, K}}, 64);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(w), {N, K}}, 64);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<float, 2>{call.data<float>(result), {M, N}}, 64);
      call.allow_shared(fast_kernel_fewer<64, 256>, 230400);
      if (call.failed()) return call.status();
      call.start_early(fast_kernel_fewer<64, 256>, tsr::resident_groups(groups), Threads, 230400,
          x_tiles, w_tiles, result_tiles, M, N, K);
    }
  } else if (tsr::ceil_div(M, 128) * tsr::ceil_div(N, 128) <= 66) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, BM) * tsr::ceil_div(N, 128))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(x), {M, K}}, 64);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(w), {N, K}}, 128);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<float, 2>{call.data<float>(result), {M, N}}, 64);
      call.allow_shared(fast_kernel_fewer<128, 128>, 181248);
      if (call.failed()) return call.status();
      call.start_early(fast_kernel_fewer<128, 128>, tsr::resident_groups(groups), Threads, 181248,
          x_tiles, w_tiles, result_tiles, M, N, K);
    }
  } else if (2 * tsr::ceil_div(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 128), 132) <=
      3 * tsr::ceil_div(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 256), 132)) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 128))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(x), {M, K}}, 128);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(w), {N, K}}, 64);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<float, 2>{call.data<float>(result), {M, N}}, 64);
      const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, 128), x_tiles,
          w_tiles);
      call.allow_shared(fast_kernel<128, 6>, 230400);
      if (call.failed()) return call.status();
      call.start_early(fast_kernel<128, 6>, clusters, Threads, 230400, x_tiles, w_tiles,
          result_tiles, M, N, K);
    }
  } else if (5 * tsr::ceil_div(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 192), 132) <=
      6 * tsr::ceil_div(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 256), 132)) {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 192))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(x), {M, K}}, 128);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(w), {N, K}}, 96);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<float, 2>{call.data<float>(result), {M, N}}, 64);
      const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, 128), x_tiles,
          w_tiles);
      call.allow_shared(fast_kernel<192, 4>, 197632);
      if (call.failed()) return call.status();
      call.start_early(fast_kernel<192, 4>, clusters, Threads, 197632, x_tiles, w_tiles,
          result_tiles, M, N, K);
    }
  } else {
    if (const unsigned groups = call.groups(tsr::ceil_div(M, 128) * tsr::ceil_div(N, 256))) {
      const auto x_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(x), {M, K}}, 128);
      const auto w_tiles = tsr::tiled(call,
          tsr::View<const tsr::f8e4m3, 2>{call.data<const tsr::f8e4m3>(w), {N, K}}, 128);
      const auto result_tiles = tsr::tiled_result(call,
          tsr::View<float, 2>{call.data<float>(result), {M, N}}, 64);
      const tsr::Clusters clusters = tsr::resident_clusters(groups, tsr::ceil_div(M, 128), x_tiles,
          w_tiles);
      call.allow_shared(fast_kernel<256, 4>, 230400);
      if (call.failed()) return call.status();
      call.start_early(fast_kernel<256, 4>, clusters, Threads, 230400, x_tiles, w_tiles,
          result_tiles, M, N, K);
    }
  }
  return call.finish();
}
extern "C" TessStatus fast_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(fast, "fast", args, count, stream);
}
