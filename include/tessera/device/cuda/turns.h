// Warpgroups that multiply by turns (NVIDIA GPUs from sm_90).
//
//   Turns<Consumers>   made by all of these lanes, once:   turns.take(); products; turns.pass();
//
// The tensor cores work for one warpgroup at a time, while the others compute. Warpgroup 0 begins, and each passes to the
// next; all of them take as many turns. It is done with the named barriers of a group (PTX ISA, "bar"): the warpgroup that
// waits and the one that passes meet at the barrier of the former, and only the former stops there.
#pragma once
#include "tessera/device/platform.h"

#if defined(TSR_CUDA)
namespace tsr {

template <int Consumers> class Turns {
  static constexpr int kWarpgroups = Consumers / 128, kMeeting = 256;
  static constexpr int kFirst = 8;  // of its barriers: those below are the group's, the consumers' and those of stores
  static_assert(Consumers % 128 == 0 && kWarpgroups >= 2 && kFirst + kWarpgroups <= 16, "two warpgroups or more, a barrier each");

public:
  TSR_DEVICE Turns() : own_(__shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0)) {
    if (own_ == kWarpgroups - 1) pass();
  }
  /// Waits until the warpgroup before this one has passed.
  TSR_DEVICE void take() { asm volatile("bar.sync %0, %1;" ::"r"(kFirst + own_), "n"(kMeeting) : "memory"); }
  TSR_DEVICE void pass() {
    const int next = own_ == kWarpgroups - 1 ? 0 : own_ + 1;
    asm volatile("bar.arrive %0, %1;" ::"r"(kFirst + next), "n"(kMeeting) : "memory");
  }

private:
  int own_;
};

}  // namespace tsr
#endif
