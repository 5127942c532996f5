// A number that nobody can foresee, for names of files beside others. (`std::random_device` does as much: its header takes compilers
// half a second to read.)
#pragma once
#include <chrono>
#include <cstdint>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/random.h>
#include <unistd.h>
#endif

namespace tsr {

inline uint64_t unforeseen() {
  uint64_t bits = 0;
#if defined(__unix__) || defined(__APPLE__)
  if (getentropy(&bits, sizeof bits) == 0) return bits;
#endif
  // A kernel without it: what differs from process to process.
  const auto now = static_cast<uint64_t>(std::chrono::high_resolution_clock::now().time_since_epoch().count());
  return (now ^ reinterpret_cast<uintptr_t>(&bits)) * 0x9e3779b97f4a7c15u;
}

}  // namespace tsr
