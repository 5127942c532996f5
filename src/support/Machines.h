// What the machines of a target give and lack, as far as the compiler decides by it.
#pragma once
#include "support/DType.h"
#include <cstdint>
#include <limits>

namespace tessera {

/// The most shared memory, in bytes, that a group can ask for on every machine that a target is compiled for.
/// CUDA: 163 KiB of sm_80 (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
/// sm_90 has 227 KiB). HIP: the 64 KiB LDS of gfx90a, gfx942 and gfx1100 (CDNA 3 and RDNA 3 ISA guides). A
/// CPU has no limit.
constexpr int64_t greatestSharedBytes(Target target) {
  switch (target) {
  case Target::Cuda: return 163 * 1024;
  case Target::Hip: return 64 * 1024;
  case Target::Cpu: break;
  }
  return std::numeric_limits<int64_t>::max();
}

/// Whether values of the dtype are kept in its exact format but computed on in a wider type by functions of
/// include/tessera/device/dtype.h, because emitted code has no arithmetic of the machine for it.
inline bool isEmulated(DType dtype, Target target) {
  if (dtype == DType::Complex64) return false;  // a pair of floats, everywhere
  bool vendors = target == Target::Cuda && (dtype == DType::BF16 || dtype == DType::F16);
  return !vendors && spelling(dtype, target).substr(0, 5) == "tsr::";
}

}  // namespace tessera
