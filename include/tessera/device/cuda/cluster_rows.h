// Rows that the groups of a cluster share (NVIDIA GPUs from sm_90): for those that are too long for one group to hold.
//
//   const int64_t lane = row_lane<Cluster>();                                // of Lanes, those of all groups
//   const HeldRow<bf16, 8, kInShared, Lanes, 0, 0, Cluster> row(x, r, R, C); // each group holds what its lanes take
//   __shared__ float scratch[2][group_reduce_scratch(Lanes)];
//   cluster_reduce<Lanes, Cluster, Max, Sum>(scratch, largest, sum);         // every lane of all groups gets them
//
// With Cluster = 1 all of these are what a group by itself does.
#pragma once
#include "tessera/device/copy.h"
#include "tessera/device/cuda/cluster.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"

#if defined(TSR_CUDA)
namespace tsr {
inline namespace TSR_TARGET {

/// A lane's number among those of all groups of its cluster.
template <int Cluster> TSR_DEVICE int64_t row_lane() {
  if constexpr (Cluster == 1) return lane();
  else return cluster_rank() * static_cast<int>(blockDim.x) + lane();
}

/// Each group has its lanes' vectors in dynamic shared memory. When the first of such rows is there, all groups of the cluster have begun, so that
/// they may write to each other's shared memory.
template <class T, int Count, int Lanes, int Number, int Edges, int Cluster> struct HeldRow<T, Count, kInShared, Lanes, Number, Edges, Cluster, detail::kHeldInCluster> {
  using Part = Vector<T, Count>;
  static constexpr int lanes = Lanes / Cluster;  // of this group
  static_assert(Lanes % (Cluster * kRowLanes) == 0 && sizeof(Part) <= kSharedVector, "groups of whole warps, and vectors of what one instruction moves");

  /// The row is the one with this number, from 0, of those that the kernel holds; all have one extent.
  TSR_DEVICE HeldRow(const T *from, int64_t extent) {
#if defined(TSR_BULK_COPY)
    if constexpr (Number == 0) asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
#endif
    const int64_t before = detail::before_row<Edges, Count>(from), first = row_lane<Cluster>() * Count, turns = row_turns<Count, kInShared, Lanes>(extent + before);
    extern __shared__ __align__(16) unsigned char held_rows[];
    own_ = held_rows + (Number * turns * lanes + lane()) * kSharedVector;
#pragma unroll 4
    for (int64_t k = 0; k < turns; ++k)
      if (k * (Lanes * Count) + first < extent + before)
        detail::copy_chunk<sizeof(Part), true>(reinterpret_cast<T *>(own_ + k * (lanes * kSharedVector)), from - before + (k * (Lanes * Count) + first), Count);
    async_commit();
    async_wait<0>();
#if defined(TSR_BULK_COPY)
    if constexpr (Number == 0) asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
  }
  TSR_DEVICE HeldRow(const T *base, int64_t number, int64_t /*rows*/, int64_t extent) : HeldRow(base + number * extent, extent) {}
  TSR_DEVICE Part operator()(int64_t k) const { return *reinterpret_cast<const Part *>(own_ + k * (lanes * kSharedVector)); }

private:
  unsigned char *own_;  // this lane's first vector
};

namespace detail {

/// To an address in the shared memory of one of the cluster's groups.
template <class T> TSR_DEVICE void store_in_cluster(unsigned address, T value) {
#if defined(TSR_BULK_COPY)
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(address), "r"(bit_cast<uint32_t>(value)) : "memory");
#endif
}

template <int Lanes, int Cluster, class... Ops, class T, int Parts, size_t... I, class... Values>
TSR_DEVICE void cluster_reduce(T (&scratch)[sizeof...(Ops)][Parts], std::index_sequence<I...>, Values &...values) {
  static_assert(sizeof(T) == 4 && Cluster <= kRowLanes, "a lane of each warp for each group, and words");
  constexpr int warps = Lanes / Cluster / kRowLanes;  // of a group
  ((values = reduce_neighbours<Ops, kRowLanes>(values)), ...);
#if defined(TSR_BULK_COPY)
  if (const int to = lane() % kRowLanes; to < Cluster) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&scratch[0][cluster_rank() * warps + lane() / kRowLanes])), "r"(to));
    (store_in_cluster(there + static_cast<unsigned>(I * Parts * sizeof(T)), values), ...);
  }
#endif
  cluster_barrier();
  ((values = combine_parts<Ops, Parts>(scratch[I])), ...);
}

}  // namespace detail

/// reduce_together over the lanes of all groups of a cluster: each warp writes what it has to the shared memory of all groups, which meet once.
template <int Lanes, int Cluster, class... Ops, class T, class... Values>
TSR_DEVICE void cluster_reduce(T (&scratch)[sizeof...(Ops)][group_reduce_scratch(Lanes)], Values &...values) {
  if constexpr (Cluster == 1) reduce_together<Lanes, Ops...>(scratch, values...);
  else detail::cluster_reduce<Lanes, Cluster, Ops...>(scratch, std::index_sequence_for<Values...>(), values...);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
