// What the language says of lanes, on every machine. What a machine has is in support/Machine.h.
#pragma once
#include <cstdint>

namespace tessera {

/// A warp of the language: `lane_id()` counts in it, `warps` of a schedule are as many lanes, and shuffles of emitted
/// code stay inside of it (`tsr::kRowLanes`), so that results have the same bits everywhere.
constexpr int64_t kWarpLanes = 32;
/// The most lanes that a group can have.
constexpr int64_t kMostGroupLanes = 1024;

}  // namespace tessera
