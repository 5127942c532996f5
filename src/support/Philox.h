// Random numbers from a counter: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy
// as 1, 2, 3; SC 2011). The same key and counter give the same bits on every machine and in every order.
#pragma once
#include "support/DType.h"
#include <array>
#include <cstdint>

namespace tessera {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;
PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

/// One of the two values of `dtype` around `value`: the upper one with the probability that its share of the
/// gap says, so that the mean is `value`. `bits` are 64 random bits; the probability is exact in steps of
/// 2^-64. Values beyond the largest are rounded to nearest.
double roundByChance(DType dtype, double value, uint64_t bits, bool saturate = false);

}  // namespace tessera
