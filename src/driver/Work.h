// What a call of a function does for given sizes, launch by launch: operations and bytes, counted in the kernels.
#pragma once
#include "support/Prediction.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// Sizes of dimensions by their names.
using Sizes = std::map<std::string, int64_t>;

/// A kernel that a call launches. Counts are of all its launches together; tiles count as if they divided the sizes, so that
/// what is added at the edges is left out.
struct KernelWork {
  std::string kernel;
  double launches = 0;
  std::map<DType, double> products;   // multiplications and additions of products, by the dtype of the left operand
  std::map<DType, double> arithmetic;  // other operations that give a float, each element of them as one
  double readBytes = 0, writtenBytes = 0;  // of each tensor no more than it has
  bool matrixInstructions = false;         // all its products are done by them
  std::map<std::string, std::string> whyNot;  // by instruction, where a product does without one that the machine has
  std::vector<std::string> uncounted;         // what has no number here; it is counted as done once
  std::vector<std::pair<double, Work>> each;  // launches and what each of them does
};

}  // namespace tessera::driver
