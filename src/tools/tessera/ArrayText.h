// Arrays as text for people, in rows as NumPy prints them.
#pragma once
#include "support/Npy.h"
#include <string>

namespace tessera::tools {

/// "[[1, 2],\n [3, 4]]". Of a dimension with more than `most` elements, or more than six where the array has over a thousand, the
/// first and the last three.
std::string arrayText(const NpyArray &array, int64_t most = 12);

}  // namespace tessera::tools
