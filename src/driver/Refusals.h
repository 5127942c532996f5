// Why products of compiled functions are not done by instructions that the machine has.
#pragma once
#include <string>
#include <vector>

namespace tessera::driver {

struct Refusal {
  std::string function, instruction, why;  // "mlp", "wgmma", "operands are of f32, ... (line 14)"
};
/// As the manifest of a compile has them, kernel by kernel.
std::vector<Refusal> refusalsOf(const std::string &manifest);

}  // namespace tessera::driver
