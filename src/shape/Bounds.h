// What facts say of the greatest value of one dimension, for who has to make room for it.
#pragma once
#include "shape/Claim.h"

namespace tessera::shape {

/// The greatest value that this fact alone leaves the dimension, `D <= 256`; nothing where it says none.
std::optional<int64_t> greatestBy(const Claim &fact, const std::string &dimension);
/// Why a tile with this extent is not compiled: said where the checked program shows it, and where sizes are chosen.
std::string needsGreatest(const std::string &dimension);

}  // namespace tessera::shape
