// Tiles of sums from registers to tensors by the copy engine of Hopper, through shared memory (NVIDIA GPUs from sm_90).
//
//   StorePanels<T, Warpgroups>    shared memory for it: two panels of 64 rows and 128 bytes for each warpgroup
//   PanelWriter<T, Warpgroups>    a warpgroup's place in it: which of its panels is filled next
//   store_tile(...)               begins the copies of a tile; the next tile may be computed meanwhile
//   finish_stores()               before the kernel ends
#pragma once
#include "tessera/device/cuda/ring.h"
#include "tessera/device/mma.h"

#if defined(TSR_CUDA)
namespace tsr {

/// T may differ from the tile's type in name alone: its size counts.
template <class T, int Warpgroups> struct StorePanels {
  static constexpr int count = 2;
  SharedTile<T, 64, 128 / static_cast<int>(sizeof(T)), Panels> panel[Warpgroups][count];
};

namespace detail {

/// The lanes of one warpgroup wait for each other; what they wrote to shared memory before is then visible.
TSR_DEVICE void warpgroup_barrier(int number) {
  asm volatile("bar.sync %0, 128;" ::"r"(number + 2) : "memory");  // 0 and 1 are all lanes, and all consumers
}
/// The copy engine reads at most the `Pending` latest stores of this lane from shared memory.
template <int Pending> TSR_DEVICE void stores_read() {
#if defined(TSR_BULK_COPY)
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
#endif
}
TSR_DEVICE void bulk_store_commit() {
#if defined(TSR_BULK_COPY)
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}
template <class At> TSR_DEVICE void bulk_store_panel(const TensorMap &map, const void *from, const At &at) {
#if defined(TSR_BULK_COPY)
  const unsigned source = shared_address(from);
  const auto where = reinterpret_cast<uint64_t>(&map);
  if constexpr (At::rank == 2)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], [%0];" ::"r"(source), "l"(where),
                 "r"(at.number[0]), "r"(at.number[1]) : "memory");
  else if constexpr (At::rank == 3)
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(source), "l"(where),
                 "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]) : "memory");
  else if constexpr (At::rank == 4)
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%1, {%2, %3, %4, %5}], [%0];" ::"r"(source), "l"(where),
                 "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]) : "memory");
  else if constexpr (At::rank == 5)
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];" ::"r"(source),
                 "l"(where), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]), "r"(at.number[4])
                 : "memory");
#endif
}

/// Four 8 x 8 matrices of 16-bit elements: lane l gives the address of row l % 8 of matrix l / 8.
TSR_DEVICE void store_matrices(void *row, const uint32_t (&from)[4]) {
#if defined(TSR_BULK_COPY)
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
#endif
}

/// Columns `first` to those that a panel has, of block `block` of 64 rows, into the panel.
template <class T, class Panel, class Tile> TSR_DEVICE void fill_panel(Panel &panel, const Tile &from, int block, int first) {
  const int row = static_cast<int>(threadIdx.x) / kRowLanes % 4 * 16, at = static_cast<int>(threadIdx.x) % kRowLanes;
  TSR_UNROLL
  for (int col = 0; col < Panel::cols; col += 16) {
    const int j = (first + col) / 4;  // of the elements of a lane
    if constexpr (sizeof(T) == 2) {
      uint32_t part[4];
      TSR_UNROLL
      for (int q = 0; q < 4; ++q)
        part[q] = packed<T>([&](int e) { return from(2 * block + q % 2, j + q / 2 * 2 + e); });
      store_matrices(&panel(row + at % 16, col + at / 16 * 8), part);
    } else {
      TSR_UNROLL
      for (int q = 0; q < 4; ++q) {
        Chunk<T, 2 * static_cast<int>(sizeof(T))> pair;
        pair.element[0] = from(2 * block + q % 2, j + q / 2 * 2);
        pair.element[1] = from(2 * block + q % 2, j + q / 2 * 2 + 1);
        *reinterpret_cast<decltype(pair) *>(&panel(row + q % 2 * 8 + at / 4, col + q / 2 * 8 + at % 4 * 2)) = pair;
      }
    }
  }
}

}  // namespace detail

/// Panels are filled in turn, from one tile to the next: the engine may still read the one that was filled last.
template <class T, int Warpgroups> class PanelWriter {
public:
  using Panel = SharedTile<T, 64, 128 / static_cast<int>(sizeof(T)), Panels>;
  explicit TSR_DEVICE PanelWriter(StorePanels<T, Warpgroups> &panels) : panels_(panels) {}

  /// The next panel of this lane's warpgroup, when the engine has read what was in it.
  TSR_DEVICE Panel &next() {
    using Shared = StorePanels<T, Warpgroups>;
    const int group = static_cast<int>(threadIdx.x) / 128;
    if (threadIdx.x % 128 == 0) detail::stores_read<Shared::count - 1>();
    detail::warpgroup_barrier(group);
    Panel &panel = panels_.panel[group][turn_];
    turn_ = turn_ + 1 == Shared::count ? 0 : turn_ + 1;
    return panel;
  }

private:
  StorePanels<T, Warpgroups> &panels_;
  int turn_ = 0;
};

/// Stores the tile whose first element is at `first`, an index for each dimension of the tensor; its columns lie along the
/// last, its rows along RowAxis, the last but one unless it is given. What is outside of the tensor is not written. All
/// lanes of the consumers take part.
template <int RowAxis = -1, class V, int Rank, class Layout, class T, int M, int N, int WarpRows, int Warpgroups, class... First>
TSR_DEVICE void store_tile(const TiledView<V, Rank, Layout> &to, PanelWriter<T, Warpgroups> &panels,
                           const Fragment<T, M, N, MmaGrid<WarpRows, 1>> &from, First... first) {
  static_assert(sizeof...(First) == Rank, "one index for each dimension");
  constexpr int Rows = RowAxis < 0 ? Rank - 2 : RowAxis;
  const int64_t at[] = {static_cast<int64_t>(first)...};
  using Panel = typename PanelWriter<T, Warpgroups>::Panel;
  const int group = static_cast<int>(threadIdx.x) / 128;
  TSR_UNROLL
  for (int block = 0; block < M / (16 * WarpRows); ++block) {
    TSR_UNROLL
    for (int col = 0; col < N; col += Panel::cols) {
      Panel &panel = panels.next();
      detail::fill_panel<T>(panel, from, block, col);
      detail::fence_async_proxy();
      detail::warpgroup_barrier(group);
      if (threadIdx.x % 128 == 0) {
        auto where = detail::coordinates_of(at);
        where.number[0] += col;
        where.number[Rank - 1 - Rows] += (block * (WarpRows / 4) + group % (WarpRows / 4)) * 64;
        detail::bulk_store_panel(to.map, panel.element, where);
        detail::bulk_store_commit();
      }
    }
  }
}

/// The stores of this lane have been read from shared memory.
TSR_DEVICE void finish_stores() { detail::stores_read<0>(); }

}  // namespace tsr
#endif
