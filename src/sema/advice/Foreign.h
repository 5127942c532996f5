// What people know by another name from Python's libraries, C, CUDA and Triton.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::sema {

/// Our name of what NumPy or PyTorch call like this; empty if there is no such one.
std::string_view nameHere(std::string_view name);
/// Our names of an argument that functions of others call like this ("num_classes" is "classes"), where ours has one of
/// them.
std::vector<std::string_view> argumentsHere(std::string_view keyword);
/// Our argument with its value for theirs (`side="right"` is `right=True`); empty if that is not known.
std::string_view argumentWithValue(std::string_view keyword, std::string_view value);
/// Whether an argument of our function says what holds here without it (`sorted=True`).
bool saysNothing(std::string_view function, std::string_view keyword, std::string_view value);
/// What is written instead of an argument that has no like here; empty if that is not known.
std::string_view wordsForKeyword(std::string_view keyword);
/// The one known name that has all words of `name` and another one, `clip_by_global_norm` for `clip_by_norm`; empty without one.
std::string nameOfMoreWords(std::string_view name, const std::vector<std::string_view> &known);
/// One of these names, where a word of another name is what others call a word of it: "cosine_lr" is "cosine_rate".
std::string nameInWords(std::string_view name, const std::vector<std::string_view> &known);
/// Our dtype that others call like this ("double" is f64); empty if there is none.
std::string_view dtypeHere(std::string_view name);

/// What to write in place of a method that tensors have elsewhere; empty if that is not known.
std::string_view memberInstead(std::string_view name);

/// Why an argument that functions elsewhere take is left out here; empty if it is none of these.
std::string_view keywordInstead(std::string_view keyword);

/// Our name of a decorator of others ("triton.jit" is "kernel"); empty if there is none.
std::string_view decoratorHere(std::string_view name);
/// Our field of a schedule that Triton calls like this ("num_warps" is "warps"); empty if there is no such one.
std::string_view fieldHere(std::string_view field);
/// Our option of `@kernel` that CUDA calls like this ("blocks" is "grid"); empty if there is no such one.
std::string_view optionHere(std::string_view option);
/// Our function of `tile` that CUDA or Triton call like this; empty if there is no such one.
std::string_view tileNameHere(std::string_view name);

/// A name of another language.
struct Foreign {
  std::string_view here;         // what it is written as; empty: not one name
  std::string_view why;          // a sentence for the message
  bool oncePerFunction = false;  // one of several that come together: the first says it for all
};
/// Null if the name is not known to be one.
const Foreign *foreignName(std::string_view name);
/// As foreignName(), of a module of Python in front of a `.`: as a plain name it may be anything.
const Foreign *foreignModule(std::string_view name);
/// As foreignName(), of the sizes of tiles as kernels elsewhere call them ("BM", "BLOCK_M").
const Foreign *foreignSize(std::string_view name);
/// Which size of `tile.context()` such a name stands for ("m"); empty if it is none.
std::string_view sizeHere(std::string_view name);
/// Whether it is a package whose functions have their like here without a prefix ("numpy", "math").
bool foreignPackage(std::string_view name);

// ---- Recipes.cpp, WordsInstead.cpp
/// What stands for the random numbers of other libraries.
inline constexpr std::string_view kRandomNumbers =
    "random numbers come from a stream that a function takes: `rng: Rng`, and `rng.normal(shape)` or `rng.uniform(shape)`";
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
