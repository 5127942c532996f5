// The order of kernels that are started early, before the one ahead of them in the stream has ended (sm_90): PTX ISA,
// "griddepcontrol".
#pragma once
#include "tessera/device/platform.h"

namespace tsr {
inline namespace TSR_TARGET {

/// Waits until the kernel before this one has ended and what it wrote can be read, then lets the next one be started. Every lane
/// comes here, before it reads or writes global memory. What stands before it costs no time: the other kernel still runs.
TSR_DEVICE void after_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace TSR_TARGET
}  // namespace tsr
