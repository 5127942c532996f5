// Rows that the groups of a cluster share (NVIDIA GPUs from sm_90): for those that are too long for one group to hold.
//
//   __shared__ Meeting<float, 2, Lanes, Cluster> meeting;                    // for one exchange of two values
//   meeting.prepare();
//   const auto lane = row_lane<Cluster>();                                   // of Lanes, those of all groups
//   const HeldRow<bf16, 8, kInShared, Lanes, 0, 0, Cluster> row(x, r, R, C); // each group holds what its lanes take
//   cluster_reduce<Lanes, Cluster, Max, Sum>(meeting, largest, sum);         // every lane of all groups gets them
//
// With Cluster = 1 all of these are what a group by itself does. Groups send each other what they have and wait until they have all: a barrier of
// the cluster would also wait for the way back, and forget the L1 caches of its processors.
#pragma once
#include "tessera/device/copy.h"
#include "tessera/device/cuda/cluster.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"

#if defined(TSR_CUDA)
namespace tsr {
inline namespace TSR_TARGET {

/// What counts lanes and turns of a row. Groups of a cluster hold fewer elements than 32 bits count, and have loops over them: softmax of 8192 x 50304
/// 0.94 of a copy with 64 bits, 0.98 with 32 (bf16, one H200). Of rows that begin within vectors it had 0.84 and 0.67.
template <int Edges, int Cluster> using RowTurn = std::conditional_t<(Cluster > 1 && Edges == 0), int, int64_t>;

/// A lane's number among those of all groups of its cluster.
template <int Cluster> TSR_DEVICE int row_lane() {
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
    const int64_t before = detail::before_row<Edges, Count>(from), first = int64_t{row_lane<Cluster>()} * Count, turns = row_turns<Count, kInShared, Lanes>(extent + before);
    extern __shared__ __align__(128) unsigned char held_rows[];
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

/// Where all lanes of a row meet once, each with `Values` values: what each warp has of them.
template <class T, int Values, int Lanes, int Cluster> struct Meeting {
  static constexpr int parts = group_reduce_scratch(Lanes);
  static_assert(sizeof(T) == 4 && Cluster <= kRowLanes, "a lane of each warp for each group, and words");
  T part[Values][parts];
  uint64_t here;  // a barrier: all that this group waits for has come

  /// Before the first row is asked for, after which all groups know that the others have done this.
  TSR_DEVICE void prepare() {
#if defined(TSR_BULK_COPY)
    if (lane() != 0) return;
    detail::barrier_init(here, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    detail::barrier_expect(here, static_cast<int>(sizeof(part)));
    detail::barrier_arrive(here);
#endif
  }
  /// A word for each value, from one lane of this warp to the group `to`.
  template <class... Words> TSR_DEVICE void send(int to, Words... words) {
#if defined(TSR_BULK_COPY)
    const unsigned mine = detail::shared_address(&part[0][cluster_rank() * (parts / Cluster) + lane() / kRowLanes]);
    unsigned there, barrier;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(to));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier) : "r"(detail::shared_address(&here)), "r"(to));
    unsigned value = 0;
    ((send_word(there + static_cast<unsigned>(sizeof(part[0])) * value++, bit_cast<uint32_t>(words), barrier)), ...);
#endif
  }
  TSR_DEVICE void wait() { detail::barrier_wait(here, 0); }

private:
  static TSR_DEVICE void send_word(unsigned to, uint32_t word, unsigned barrier) {
#if defined(TSR_BULK_COPY)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(word), "r"(barrier) : "memory");
#endif
  }
};
template <class T, int Values, int Lanes> struct Meeting<T, Values, Lanes, 1> {
  T part[Values][group_reduce_scratch(Lanes)];
  TSR_DEVICE void prepare() {}
};

namespace detail {
template <int Cluster, class... Ops, class Meeting, size_t... I, class... Values>
TSR_DEVICE void cluster_reduce(Meeting &meeting, std::index_sequence<I...>, Values &...values) {
  ((values = reduce_neighbours<Ops, kRowLanes>(values)), ...);
  if (const int to = lane() % kRowLanes; to < Cluster) meeting.send(to, values...);
  meeting.wait();
  ((values = combine_parts<Ops, Meeting::parts>(meeting.part[I])), ...);
}
}  // namespace detail

/// reduce_together over the lanes of all groups of a cluster: each warp sends what it has to all groups. Once for a meeting, if there are several groups.
template <int Lanes, int Cluster, class... Ops, class T, int Count, class... Values>
TSR_DEVICE void cluster_reduce(Meeting<T, Count, Lanes, Cluster> &meeting, Values &...values) {
  static_assert(sizeof...(Ops) == Count && sizeof...(Values) == Count, "an Op for each value");
  if constexpr (Cluster == 1) reduce_together<Lanes, Ops...>(meeting.part, values...);
  else detail::cluster_reduce<Cluster, Ops...>(meeting, std::index_sequence_for<Values...>(), values...);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
