// How calls of NumPy, PyTorch, JAX and Triton are written here, where one name for another is not enough.
#pragma once
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
/// The call in our words: another formula, or the same arguments under our names. Empty if it is the call of a function
/// that is called the same here and takes the same.
std::string callHere(std::string_view name, std::vector<WrittenArgument> arguments, const std::string &prefix);

/// What stands for the random numbers of other libraries.
inline constexpr std::string_view kRandomNumbers =
    "random numbers come from a stream that a function takes: `rng: Rng`, and `rng.normal(shape)` or `rng.uniform(shape)`";
/// A sentence about what is written instead of such a function or class; empty if none is known.
std::string_view wordsInstead(std::string_view name);

}  // namespace tessera::sema
