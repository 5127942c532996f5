// Arguments of an entry function as arrays in memory: read from `--arg`, made by `--random`, and the results' places.
#pragma once
#include "checked/Checked.h"
#include "support/Npy.h"
#include "support/Result.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// What an entry function is called with: one array for each parameter, in order, then one for each result that is no
/// parameter. Scalars are arrays of rank 0.
struct BoundArguments {
  std::vector<NpyArray> arrays;
  std::vector<bool> isTensor;              // passed as a tensor (also of rank 0), not by value
  std::vector<size_t> results;             // for each result: which array holds it. A kernel that returns nothing:
                                           // the tensors that it writes
  std::vector<std::string> resultNames;
  std::map<std::string, int64_t> dims;     // values of the dimension variables
  uint64_t bytesMoved = 0;                 // inputs and results, each once: the least traffic of the function
};

/// Reads "x=x.npy" or "alpha=2.0" for a parameter. Tensors are read from files, scalars are numbers.
/// `casts`: arrays of another dtype are rounded to the parameter's.
Result<NpyArray> readArgument(const checked::Param &param, const std::string &text, bool casts);
/// What "x=model.safetensors" or "x=model.safetensors:name" is for a tensor; nothing for other texts.
std::optional<Result<NpyArray>> readTensorArgument(const checked::Param &param, const std::string &text);
/// All parts of a parameter that is a struct, "model=model.safetensors"; nothing if there is no such parameter or file.
std::optional<Result<std::map<std::string, NpyArray>>> readStructArgument(const checked::Function &function, const std::string &parameter,
                                                                          const std::string &path);
/// Brings named arguments in order, takes defaults, finds dimension variables and makes poisoned places for results.
Result<BoundArguments> bindArguments(const checked::Function &function, std::map<std::string, NpyArray> named,
                                     const std::map<std::string, int64_t> &dims = {});
/// Random inputs from the signature: floats uniform in [-1, 1), integers in [0, 100), for the given dimensions.
Result<std::map<std::string, NpyArray>> randomArguments(const checked::Function &function, const std::map<std::string, int64_t> &dims, uint64_t seed);

/// The parameter's type as an array's: a View or Tensor has a shape, a scalar or Index none.
bool isTensorParam(const checked::Param &param);
DType dtypeOf(const checked::Param &param);
/// "Tensor[M, K, bf16]" or "f32".
std::string describe(const checked::Param &param);

}  // namespace tessera::driver
