// A ring of stages in shared memory that one warpgroup fills and the others use (NVIDIA GPUs from sm_90).
//
//   Ring<Stages>          its barriers, in shared memory: a stage is full, a stage is empty
//   start_ring<...>       once, by all lanes, before any other use
//   RingWriter            the producer's place in it:   stage = writer.acquire(); copies; writer.publish();
//   RingReader            a consumer's place in it:     stage = reader.wait(); products; reader.release();
//   team<Lanes>()         of consumers in teams of so many lanes, each with tiles of its own: the number of this lane's
//
// Both go over the stages in the same order; a stage's barriers flip a phase bit each time round (PTX ISA, "mbarrier").
// One lane of the producer starts bulk copies, which the machine's copy engine does. It reads rows that begin at multiples of 16
// bytes; of others, the launch gives it a copy (tessera/tensor_map.h).
#pragma once
#include "tessera/device/copy.h"
#include "tessera/device/cuda/panels.h"
#include "tessera/device/cuda/tiled_view.h"

#if defined(TSR_CUDA)
namespace tsr {

namespace detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TSR_BULK_COPY 1
#endif

TSR_DEVICE unsigned shared_address(const void *at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

TSR_DEVICE void barrier_init(uint64_t &barrier, int arrivals) {
#if defined(TSR_BULK_COPY)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
#endif
}
TSR_DEVICE void barrier_arrive(uint64_t &barrier) {
#if defined(TSR_BULK_COPY)
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
#endif
}
/// Of the lanes that fill a ring, the one that begins bulk copies.
TSR_DEVICE bool begins_copies() { return lane() % kRowLanes == 0; }
/// The phase also waits for so many bytes.
TSR_DEVICE void barrier_expect(uint64_t &barrier, int bytes) {
#if defined(TSR_BULK_COPY)
  if (!begins_copies()) return;
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes) : "memory");
#endif
}
/// Waits for the end of the phase of this parity.
TSR_DEVICE void barrier_wait(uint64_t &barrier, unsigned parity) {
#if defined(TSR_BULK_COPY)
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, 10000000;\n"
               "@!done bra again;\n"
               "}" ::"r"(shared_address(&barrier)), "r"(parity)
               : "memory");
#endif
}
/// What this lane wrote to shared memory is seen by the tensor cores and the copy engine.
TSR_DEVICE void fence_async_proxy() {
#if defined(TSR_BULK_COPY)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace detail

template <int Stages> struct Ring {
  static constexpr int stages = Stages;
  uint64_t full[Stages], empty[Stages];

  /// By which a warp of the consumers says that it no more reads a stage.
  class Leaving {
  public:
    explicit TSR_DEVICE Leaving(Ring &ring) : ring_(ring) {}
    TSR_DEVICE void tell(int stage) {
      if (lane() % kRowLanes == 0) detail::barrier_arrive(ring_.empty[stage]);
    }

  private:
    Ring &ring_;
  };
};

/// One lane prepares the barriers; a group_barrier() must stand between this and the first use. Consumers of so many groups leave each
/// stage.
template <int Consumers, int Stages> TSR_DEVICE void start_ring(Ring<Stages> &ring, int groups = 1) {
#if defined(TSR_BULK_COPY)
  if (lane() != 0) return;
  TSR_UNROLL
  for (int stage = 0; stage < Stages; ++stage) {
    detail::barrier_init(ring.full[stage], 1);
    detail::barrier_init(ring.empty[stage], groups * (Consumers / kRowLanes));
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Registers go from the producer to the consumers (or come): all lanes of a warpgroup together.
template <int Count> TSR_DEVICE void give_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}
template <int Count> TSR_DEVICE void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}

/// True in the lane of the producer that starts the copies.
template <int Consumers> TSR_DEVICE bool fills_ring() { return lane() == Consumers; }
/// Likewise in the warp of the producer that does, where copies may be of words: then each lane copies some of them.
template <int Consumers> TSR_DEVICE bool warp_fills_ring() { return lane() / kRowLanes == Consumers / kRowLanes; }

template <int Stages> class RingWriter {
public:
  explicit TSR_DEVICE RingWriter(Ring<Stages> &ring) : ring_(ring) {}

  /// Waits until the consumers have left the next stage, and returns its number.
  TSR_DEVICE int acquire() {
    detail::barrier_wait(ring_.empty[stage_], phase_ ^ 1);
    return stage_;
  }
  /// Everything for this stage is under way.
  TSR_DEVICE void publish() {
    if (detail::begins_copies()) detail::barrier_arrive(ring_.full[stage_]);
    if (++stage_ == Stages) stage_ = 0, phase_ ^= 1;
  }
  /// Tells when this stage's copies have come.
  TSR_DEVICE uint64_t &barrier() { return ring_.full[stage_]; }

private:
  Ring<Stages> &ring_;
  int stage_ = 0;
  unsigned phase_ = 0;
};

template <int Stages, class Of = Ring<Stages>> class RingReader {
public:
  explicit TSR_DEVICE RingReader(Of &ring) : ring_(ring), leaving_(ring) {}

  /// Waits until the next stage is full, and returns its number.
  TSR_DEVICE int wait() {
    const int stage = stage_;
    ++holds_;
    detail::barrier_wait(ring_.full[stage], phase_);
    if (++stage_ == Stages) stage_ = 0, phase_ ^= 1;
    return stage;
  }
  /// This warp no more reads the earliest stage that it waited for and has not released.
  TSR_DEVICE void release() {
    __syncwarp();
    leaving_.tell(held_);
    if (++held_ == Stages) held_ = 0;
    --holds_;
  }

  // Teams of consumers that share a ring: each uses the stages of its own tiles.

  /// Goes to the stage that is filled as number `turn` of all; none is held. A barrier tells one phase from the next alone, so all
  /// those before the team's own tile have been waited for: the teams take turns (turns.h).
  TSR_DEVICE void seek(int64_t turn) {
    stage_ = held_ = static_cast<int>(turn % Stages);
    phase_ = static_cast<unsigned>(turn / Stages) & 1;
  }
  /// Releases the stage before the latest, whose products still run.
  TSR_DEVICE void release_earlier() {
    if (holds_ > 1) release();
  }
  /// Releases the latest, too.
  TSR_DEVICE void release_latest() {
    if (holds_ > 0) release();
  }

private:
  Of &ring_;
  typename Of::Leaving leaving_;
  int stage_ = 0, held_ = 0, holds_ = 0;
  unsigned phase_ = 0;
};

/// Of consumers in teams of so many lanes, whole warpgroups: the number of this lane's. All lanes of a warp agree.
template <int Lanes> TSR_DEVICE int team() { return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / Lanes, 0); }

namespace detail {

/// The instruction for a tensor of RANK dimensions, whose coordinates are the operands NUMBERS; HINT and POLICY say what the L2 cache keeps.
#define TSR_COPY_PANEL(RANK, NUMBERS, HINT, POLICY, ...)                                                                                        \
  asm volatile("cp.async.bulk.tensor." RANK "d.shared::cluster.global.mbarrier::complete_tx::bytes" HINT " [%0], [%1, {" NUMBERS "}], [%2]" POLICY ";" ::"r"(target), \
               "l"(where), "r"(when), "l"(policy), __VA_ARGS__                                                                                  \
               : "memory")
#define TSR_COPY_PANEL_OF(RANK, NUMBERS, ...)                                                   \
  do {                                                                                          \
    if constexpr (Once) TSR_COPY_PANEL(RANK, NUMBERS, ".L2::cache_hint", ", %3", __VA_ARGS__);  \
    else TSR_COPY_PANEL(RANK, NUMBERS, "", "", __VA_ARGS__);                                    \
  } while (false)

/// The panel of `map` whose first element is at the coordinates, innermost first. `Once`: nobody else reads it.
template <bool Once = false, class At>
TSR_DEVICE void bulk_copy_panel(void *to, const TensorMap &map, uint64_t &barrier, const At &at) {
#if defined(TSR_BULK_COPY)
  if (!begins_copies()) return;
  const unsigned target = shared_address(to), when = shared_address(&barrier);
  const auto where = reinterpret_cast<uint64_t>(&map);
  uint64_t policy = 0;
  if constexpr (Once) asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  if constexpr (At::rank == 2) TSR_COPY_PANEL_OF("2", "%4, %5", "r"(at.number[0]), "r"(at.number[1]));
  else if constexpr (At::rank == 3) TSR_COPY_PANEL_OF("3", "%4, %5, %6", "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]));
  else if constexpr (At::rank == 4)
    TSR_COPY_PANEL_OF("4", "%4, %5, %6, %7", "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]));
  else if constexpr (At::rank == 5)
    TSR_COPY_PANEL_OF("5", "%4, %5, %6, %7, %8", "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]), "r"(at.number[4]));
#endif
}
#undef TSR_COPY_PANEL_OF
#undef TSR_COPY_PANEL

template <int Rank> struct Coordinates {
  static constexpr int rank = Rank;
  int number[Rank];
};
/// Of the element with these indices, the first of which is outermost.
template <int Rank> TSR_DEVICE Coordinates<Rank> coordinates_of(const int64_t (&indices)[Rank]) {
  Coordinates<Rank> place;
  TSR_UNROLL
  for (int d = 0; d < Rank; ++d) place.number[d] = static_cast<int>(indices[Rank - 1 - d]);
  return place;
}

}  // namespace detail

namespace detail {

template <bool Once, int Stages, class T, int M, int N, class V, int Rank, class Layout>
TSR_DEVICE void copy_panels(RingWriter<Stages> &writer, SharedTile<T, M, N, Panels> &to, const TiledView<V, Rank, Layout> &from, const int64_t (&at)[Rank]) {
  using Tile = SharedTile<T, M, N, Panels>;
  barrier_expect(writer.barrier(), static_cast<int>(sizeof(Tile)));
  TSR_UNROLL
  for (int panel = 0; panel < Tile::panels; ++panel) {
    auto where = coordinates_of(at);
    where.number[0] += panel * Tile::panel_cols;
    bulk_copy_panel<Once>(to.element + panel * M * Tile::panel_cols, from.map, writer.barrier(), where);
  }
}

}  // namespace detail

/// The tile of `from` whose first element is at `first`, an index for each dimension, into one stage. The tile lies along
/// the last two dimensions; what is outside of the tensor becomes zero.
template <int Stages, class T, int M, int N, class V, int Rank, class Layout, class... First>
TSR_DEVICE void copy_to_ring(RingWriter<Stages> &writer, SharedTile<T, M, N, Panels> &to, const TiledView<V, Rank, Layout> &from, First... first) {
  static_assert(sizeof...(First) == Rank, "one index for each dimension");
  detail::copy_panels<false>(writer, to, from, {static_cast<int64_t>(first)...});
}
/// Likewise of a tile that no other group reads, nor this one again: the L2 cache keeps other things instead.
template <int Stages, class T, int M, int N, class V, int Rank, class Layout, class... First>
TSR_DEVICE void copy_once_to_ring(RingWriter<Stages> &writer, SharedTile<T, M, N, Panels> &to, const TiledView<V, Rank, Layout> &from, First... first) {
  static_assert(sizeof...(First) == Rank, "one index for each dimension");
  detail::copy_panels<true>(writer, to, from, {static_cast<int64_t>(first)...});
}

namespace detail {

/// Rows of a panel that are windows of an image and of the next ones: the first begins at `at` (innermost first), and each is read at the
/// place `shift`.
template <int Axes>
TSR_DEVICE void bulk_copy_windows(void *to, const TensorMap &map, uint64_t &barrier, const Coordinates<Axes + 2> &at, const uint16_t (&shift)[Axes]) {
#if defined(TSR_BULK_COPY)
  if (!begins_copies()) return;
  const unsigned target = shared_address(to), when = shared_address(&barrier);
  const auto where = reinterpret_cast<uint64_t>(&map);
  if constexpr (Axes == 1)
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(target),
                 "l"(where), "r"(when), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "h"(shift[0])
                 : "memory");
  else if constexpr (Axes == 3)
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(
                     target),
                 "l"(where), "r"(when), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]), "r"(at.number[4]), "h"(shift[0]), "h"(shift[1]),
                 "h"(shift[2])
                 : "memory");
  else
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(target),
                 "l"(where), "r"(when), "r"(at.number[0]), "r"(at.number[1]), "r"(at.number[2]), "r"(at.number[3]), "h"(shift[0]), "h"(shift[1])
                 : "memory");
#endif
}

}  // namespace detail

/// Likewise of a tensor that is read through a window: windows from `first` on, at one place of each, channels from `channel` on. What
/// lies behind the last window, the last place or the last channel becomes zero.
template <int Stages, class T, int M, int N, class V, int Axes>
TSR_DEVICE void copy_to_ring(RingWriter<Stages> &writer, SharedTile<T, M, N, Panels> &to, const TiledView<V, 3, Windows<Axes>> &from, int64_t first,
                             int64_t place, int64_t channel) {
  using Tile = SharedTile<T, M, N, Panels>;
  static_assert(Axes >= 1 && Axes <= 3, "windows slide over one to three axes");
  const auto shift = from.shift(place);
  const auto begin = from.origin(first);
  detail::Coordinates<Axes + 2> where;
  uint16_t behind[Axes];
  TSR_UNROLL
  for (int d = 0; d <= Axes; ++d) where.number[1 + d] = static_cast<int>(begin.begin[Axes - d]);
  TSR_UNROLL
  for (int d = 0; d < Axes; ++d) behind[d] = static_cast<uint16_t>(shift.by[Axes - 1 - d]);
  detail::barrier_expect(writer.barrier(), static_cast<int>(sizeof(Tile)));
  TSR_UNROLL
  for (int panel = 0; panel < Tile::panels; ++panel) {
    where.number[0] = static_cast<int>(channel) + panel * Tile::panel_cols;
    detail::bulk_copy_windows<Axes>(to.element + panel * M * Tile::panel_cols, from.map, writer.barrier(), where, behind);
  }
}

namespace detail {

/// `bytes` that are side by side, a multiple of 16, from a multiple of 16.
TSR_DEVICE void bulk_copy(void *to, const void *from, int bytes, uint64_t &barrier) {
#if defined(TSR_BULK_COPY)
  if (!begins_copies()) return;
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
#endif
}

/// The phase also waits for all words that this lane has begun to copy.
TSR_DEVICE void barrier_expect_words(uint64_t &barrier) {
#if defined(TSR_BULK_COPY)
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
#endif
}

}  // namespace detail

/// Likewise N elements of a row, from element (..., first) on, by all lanes of a warp; what is outside of the row becomes zero. One bulk
/// copy, unless the row begins or ends within it, or at no multiple of 16 bytes: then each lane copies some of the words.
template <int Stages, class T, int N, class V, int Rank, class Layout, class... First>
TSR_DEVICE void copy_to_ring(RingWriter<Stages> &writer, SharedTile<T, 1, N, Linear> &to, const View<V, Rank, Layout> &from, First... first) {
  static_assert(sizeof...(First) == Rank && sizeof(T) == 4 && N % 4 == 0, "one index for each dimension, of words that bulk copies can move");
  const int64_t at[] = {static_cast<int64_t>(first)...};
  int64_t base = 0;
  bool inside = true;
  TSR_UNROLL
  for (int d = 0; d < Rank - 1; ++d) {
    base += at[d] * from.stride(d);
    inside = inside && at[d] >= 0 && at[d] < from.extent[d];
  }
  const int64_t begin = at[Rank - 1], count = inside ? from.extent[Rank - 1] : 0;
  const V *const row = from.data + base;
  if (begin >= 0 && begin + N <= count && reinterpret_cast<uintptr_t>(row + begin) % 16 == 0) {
    detail::fence_async_proxy();  // behind words that were copied here before
    detail::barrier_expect(writer.barrier(), static_cast<int>(sizeof(T)) * N);
    detail::bulk_copy(to.element, row + begin, static_cast<int>(sizeof(T)) * N, writer.barrier());
    return;
  }
  TSR_UNROLL
  for (int e = lane() % kRowLanes; e < N; e += kRowLanes) {
    const bool some = begin + e >= 0 && begin + e < count;
#if defined(TSR_ASYNC_COPY)
    detail::copy_async<4>(&to.element[e], some ? row + begin + e : from.data, some ? 4 : 0);
#endif
  }
  detail::barrier_expect_words(writer.barrier());
  __syncwarp();  // the phase knows of all words before it may end
}

}  // namespace tsr
#endif
