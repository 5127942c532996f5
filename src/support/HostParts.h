// How calls of the host runtime say which elements of an axis they mean: begin, end and step.
#pragma once
#include <cstdint>

namespace tessera {

/// One index, and no part: begin is the index.
inline constexpr int64_t kPointStep = 0;
/// A part that ends where the axis ends.
inline constexpr int64_t kPartToEnd = INT64_MAX;

}  // namespace tessera
