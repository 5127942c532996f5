// For functions that call the code of one of several targets: where the arguments of a call are.
#pragma once
#include "tessera/error.h"
#include <cstdio>
#include <initializer_list>

namespace tsr {
namespace detail {

/// TESS_CPU, TESS_CUDA or TESS_ROCM: whose code works on such memory. Pinned memory of the host is every device's.
inline int32_t code_for(int32_t deviceType) {
  switch (deviceType) {
  case TESS_CUDA:
  case TESS_CUDA_MANAGED: return TESS_CUDA;
  case TESS_ROCM: return TESS_ROCM;
  default: return TESS_CPU;
  }
}

}  // namespace detail

/// Whose code a call is for: that of the GPU on which one of its tensors is, else the CPU's. `none`: without tensors.
inline int32_t code_for(std::initializer_list<const TessTensor *> tensors, int32_t none) {
  int32_t found = none;
  bool first = true;
  for (const TessTensor *tensor : tensors) {
    if (!tensor) continue;  // the function that is called says so
    const int32_t one = detail::code_for(tensor->device.type);
    if (first || one != TESS_CPU) found = one;
    if (one != TESS_CPU) return found;
    first = false;
  }
  return found;
}
inline int32_t code_for(const TessValue *arguments, int32_t count, int32_t none) {
  int32_t found = none;
  bool first = true;
  for (int32_t i = 0; arguments && i < count; ++i) {
    if (arguments[i].kind != TESS_VALUE_TENSOR || !arguments[i].as.tensor) continue;
    const int32_t one = code_for({arguments[i].as.tensor}, none);
    if (first || one != TESS_CPU) found = one;
    if (one != TESS_CPU) return found;
    first = false;
  }
  return found;
}

/// The status of a call whose arguments are where there is no code for them.
inline TessStatus no_code_for(const char *function, int32_t device, const char *targets) {
  const char *place = device == TESS_CUDA ? "on a CUDA device" : device == TESS_ROCM ? "on a ROCm device" : "in the host's memory";
  std::snprintf(error_text().text, sizeof(ErrorText), "%s: its arguments are %s, but this program has its code for %s only", function,
                place, targets);
  return TESS_ERROR_DEVICE;
}

}  // namespace tsr
