// How two integers compare.
#pragma once
#include <cstdint>

namespace tessera::shape {

enum class Relation : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

}  // namespace tessera::shape
