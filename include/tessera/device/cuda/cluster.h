// Groups that stand in a cluster and share what they copy (NVIDIA GPUs from sm_90): PTX ISA, "cluster of cooperative thread arrays".
//
//   ClusterRing<Stages>    a ring that is filled together (ring.h): a stage is empty when the consumers of all groups have left it
//   ClusterReader<Stages>  a consumer's place in it; the producer's is a RingWriter, as of any ring
//   copy_to_cluster(...)   begins this group's part of a copy for all groups, which all of them begin
//   cluster_barrier()      all lanes of all groups; before the first use of the ring, and when the consumers have ended
//   whole_clusters(n)      the least multiple of the cluster's size from n on
//
// The launch decides how large clusters are. A group alone is a cluster, too, of which each of these does what is done for a group.
#pragma once
#include "tessera/device/cuda/ring.h"

#if defined(TSR_CUDA)
namespace tsr {

/// Groups in this group's cluster.
TSR_DEVICE int cluster_size() {
  unsigned size = 1;
#if defined(TSR_BULK_COPY)
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
#endif
  return static_cast<int>(size);
}
/// This group's number in it.
TSR_DEVICE int cluster_rank() {
  unsigned rank = 0;
#if defined(TSR_BULK_COPY)
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return static_cast<int>(rank);
}

TSR_DEVICE int64_t whole_clusters(int64_t count) {
  const int64_t size = cluster_size();
  return (count + size - 1) / size * size;
}

/// Lanes that have returned are not waited for.
TSR_DEVICE void cluster_barrier() {
#if defined(TSR_BULK_COPY)
  asm volatile("barrier.cluster.arrive.release;\n"
               "barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

template <int Stages> struct ClusterRing : Ring<Stages> {
  /// As of any ring; a lane for each group tells it.
  class Leaving {
  public:
    explicit TSR_DEVICE Leaving(ClusterRing &ring) : tells_(lane() % kRowLanes < cluster_size()) {
#if defined(TSR_BULK_COPY)
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there_) : "r"(detail::shared_address(ring.empty)), "r"(tells_ ? lane() % kRowLanes : 0));
#endif
    }
    TSR_DEVICE void tell(int stage) {
#if defined(TSR_BULK_COPY)
      const unsigned barrier = there_ + static_cast<unsigned>(sizeof(uint64_t)) * stage;
      if (tells_) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
    }

  private:
    bool tells_;
    unsigned there_ = 0;  // the first barrier of that group
  };
};
template <int Stages> using ClusterReader = RingReader<Stages, ClusterRing<Stages>>;

/// One lane prepares the barriers; a cluster_barrier() must stand between this and the first use.
template <int Consumers, int Stages> TSR_DEVICE void start_ring(ClusterRing<Stages> &ring) {
  start_ring<Consumers>(static_cast<Ring<Stages> &>(ring), cluster_size());
}

namespace detail {

/// The panel of `map` at the coordinates, innermost first, to the same place in the shared memory of the groups in `groups`, a bit each, and
/// the same barrier of each.
template <class At>
TSR_DEVICE void bulk_copy_panel_to(uint16_t groups, void *to, const TensorMap &map, uint64_t &barrier, const At &at) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)  // elsewhere these copies are slow, and no kernel has them
  if (!begins_copies()) return;
  const unsigned target = shared_address(to), when = shared_address(&barrier);
  const auto where = reinterpret_cast<uint64_t>(&map);
  if constexpr (At::rank == 2)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(target),
                 "l"(where), "r"(when), "h"(groups), "r"(at.number[0]), "r"(at.number[1])
                 : "memory");
  else if constexpr (At::rank == 3)
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6}], [%2], %3;" ::"r"(target),
                 "l"(where), "r"(when), "h"(groups), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2])
                 : "memory");
  else if constexpr (At::rank == 4)
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6, %7}], [%2], %3;" ::"r"(target),
                 "l"(where), "r"(when), "h"(groups), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3])
                 : "memory");
  else if constexpr (At::rank == 5)
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5, %6, %7, %8}], [%2], %3;" ::"r"(target),
                 "l"(where), "r"(when), "h"(groups), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]), "r"(at.number[4])
                 : "memory");
#endif
}

}  // namespace detail

/// The tile of `from` whose first element is at `first`, into one stage of all groups of the cluster, which all call this with the same
/// arguments: each brings every so-manieth panel. Of an odd number of panels, halves of their rows. What is outside of the tensor becomes zero.
template <int Stages, class T, int M, int N, class V, int Rank, class Layout, class... First>
TSR_DEVICE void copy_to_cluster(RingWriter<Stages> &writer, SharedTile<T, M, N, Panels> &to, const TiledView<V, Rank, Layout> &from,
                                First... first) {
  static_assert(sizeof...(First) == Rank, "one index for each dimension");
  using Tile = SharedTile<T, M, N, Panels>;
  constexpr int Parts = Tile::panels % 2 == 0 ? 1 : 2, Rows = M / Parts;  // of a panel
  static_assert(Rows % 8 == 0, "a part of a panel begins at a multiple of eight of its rows");
  const int64_t at[] = {static_cast<int64_t>(first)...};
  const auto where = [&](int part) {
    auto place = detail::coordinates_of(at);
    place.number[0] += part / Parts * Tile::panel_cols;
    place.number[1] += part % Parts * Rows;
    return place;
  };
  constexpr int count = Parts * Tile::panels, elements = Rows * Tile::panel_cols;
  detail::barrier_expect(writer.barrier(), static_cast<int>(sizeof(Tile)));
  const int size = cluster_size();
  if (size == 1) {
    TSR_UNROLL
    for (int part = 0; part < count; ++part) detail::bulk_copy_panel(to.element + part * elements, from.map, writer.barrier(), where(part));
    return;
  }
  const auto groups = static_cast<uint16_t>((1u << size) - 1);
  for (int part = cluster_rank(); part < count; part += size)
    detail::bulk_copy_panel_to(groups, to.element + part * elements, from.map, writer.barrier(), where(part));
}

}  // namespace tsr
#endif
