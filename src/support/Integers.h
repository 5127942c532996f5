// Division of integers as Python rounds it.
#pragma once
#include <cstdint>

namespace tessera {

/// a / b rounded down. b is not 0, and the quotient fits: not the smallest integer by -1.
inline int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// What floorDivide leaves: 0, or of the sign of b. b is not 0.
inline int64_t floorModulo(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace tessera
