// Counters of which the lanes of a warp take numbers in their order: what makes a placement by counters stable.
#pragma once
#include "tessera/device/warp.h"

namespace tsr {
inline namespace TSR_TARGET {

#if !defined(TSR_CPU)
namespace detail {
TSR_DEVICE int bits_set(uint32_t bits) {
#if defined(TSR_CUDA)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}
}  // namespace detail

/// What is in the counter, which grows by 1: for the lanes of a warp that come with one counter it is as if they did so one after the
/// other. `which`: its number, of `Bits` bits; lanes with the same number bring the same counter. All lanes of the group take part.
template <int Bits, class T> TSR_DEVICE T take_in_order(T &counter, int64_t which) {
  uint32_t same = 0xffffffffu;  // lanes with this counter
  TSR_UNROLL
  for (int bit = 0; bit < Bits; ++bit) {
    const bool own = (which >> bit & 1) != 0;
    const uint32_t set = warp_ballot(own);
    same &= own ? set : ~set;
  }
  const uint32_t lower = (1u << (lane() % kRowLanes)) - 1;
  const int before = detail::bits_set(same & lower), first = detail::bits_set((same & (~same + 1)) - 1);
  T taken = 0;
  if (before == 0) taken = static_cast<T>(atomicAdd(&counter, static_cast<T>(detail::bits_set(same))));  // seen by who takes next
  return warp_shuffle(taken, first) + static_cast<T>(before);
}
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr
