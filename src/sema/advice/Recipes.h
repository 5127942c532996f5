// How calls of NumPy, PyTorch, JAX and Triton are written here, where one name for another is not enough.
#pragma once
#include <functional>
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

/// What stands for the random numbers of other libraries.
inline constexpr std::string_view kRandomNumbers =
    "random numbers come from a stream that a function takes: `rng: Rng`, and `rng.normal(shape)` or `rng.uniform(shape)`";
/// What stands for the reading of a number by its bits.
inline constexpr std::string_view kBits =
    "`bitcast(x, i32)` reads the bits of a number as those of another dtype; `cast(x, i32)` converts its value";
/// "`add(a, b)` is written `a + b`", whatever the arguments are; empty if no formula is known.
std::string formulaInWords(std::string_view name);

/// A sentence about what is written instead of such a function or class; empty if none is known.
std::string_view wordsInstead(std::string_view name);
/// As wordsInstead(), of a method of tensors, also of one that changes its tensor (`x.div_(y)`).
std::string wordsOfMethod(std::string_view name);

/// The parameters of the function that a program has under this name, alone or in `tile`, as text; nothing if there is none.
using SignatureOf = std::function<std::optional<std::string>(std::string_view name, bool ofTiles)>;
/// A sentence about what does here what `np.name` does there, whatever its arguments are; empty if nothing is known.
std::string wordsOfPackage(std::string_view name, bool inKernel, const SignatureOf &signatureOf);

}  // namespace tessera::sema
