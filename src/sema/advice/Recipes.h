// How calls of NumPy, PyTorch, JAX and Triton are written here, where one name for another is not enough.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::sema {

/// What a constant or an index of others is written as ("newaxis" is "None", "pi" is its digits); empty if it is none.
std::string_view constantHere(std::string_view name);

/// An argument of a call as it is written; an empty keyword: by its place.
struct WrittenArgument {
  std::string keyword, text;
  bool primary = true;  // it may stand before `.` and `[`
};
/// The call in our words: another formula, or the same arguments under our names, the likeliest first.
std::vector<std::string> callsHere(std::string_view name, std::vector<WrittenArgument> arguments);

/// `arange(start, stop, step)` as it is counted here, `arange(n) * step + start`; empty if that is not known.
std::string countedHere(const std::vector<WrittenArgument> &arguments);

/// What stands for the reading of a number by its bits.
inline constexpr std::string_view kBits =
    "`bitcast(x, i32)` reads the bits of a number as those of another dtype; `cast(x, i32)` converts its value";
}  // namespace tessera::sema
