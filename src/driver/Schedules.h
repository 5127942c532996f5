// The sizes that compiled kernels have.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

struct KernelSchedule {
  std::string function, kernel;                            // "mlp", "mlp_kernel_2"
  std::vector<std::pair<std::string, std::string>> sizes;  // "m", "64": tiles first
  int64_t threads = 0;                                     // of a group; 0: known when it runs
};
/// As the manifest of a compile has them, launch by launch.
std::vector<KernelSchedule> schedulesOf(const std::string &manifest);

}  // namespace tessera::driver
