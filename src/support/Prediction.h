// How long a launch of a kernel should take: from what it does, what the machine gives, and what kernels of ours have reached of it.
#pragma once
#include "support/Amount.h"
#include "support/Machine.h"

namespace tessera {

/// What one launch of a kernel does. Operations and bytes count tiles as if they divided the sizes.
struct Work {
  std::map<DType, Amount> products;    // multiplications and additions of products, by the dtype of the left operand
  std::map<DType, Amount> arithmetic;  // other operations that give a float, each element of them as one
  Amount readBytes, writtenBytes;      // of each tensor no more than it has
  Amount groups;
  std::map<DType, Amount> groupProducts;  // of a group of whole tiles, each weighed by what its tile costs
  Amount instructions;                    // of a lane, for all else than products
  Amount besideProducts;                  // likewise, in the loops of products, which run meanwhile
};

/// Nanoseconds that each part of a machine works for a launch.
struct Prediction {
  Amount launch;      // to start it, and to end it
  Amount memory;      // bytes by what a copy reaches
  Amount rounds;      // of groups over the processors, where there are products
  Amount products;    // rounds of groups, the last one as long as the others, and what they do not hide of instructions
  Amount arithmetic;  // other instructions

  /// What the kernel should take: the longest part, and of two that run together something of the shorter one.
  Amount nanoseconds() const;
  /// The same, of the names of the parts.
  std::string formula() const;
  /// For sizes: "memory", "products", "waves" (products, most processors idle in the last round), "arithmetic", "launch".
  std::string limitedBy(const Work &work, const Machine &machine, const std::map<std::string, int64_t> &sizes = {}) const;
};

/// What kernels reach of a machine's data sheet, in percent, and what starting them costs (Reached.def).
struct Reached {
  std::string_view machine;
  int64_t copy, products, instructions;
  int64_t launchNanoseconds, roundNanoseconds;
};
const Reached &reachedOn(const Machine &machine);

/// `matrixInstructions`: products are done by them.
Prediction predict(const Work &work, const Machine &machine, bool matrixInstructions);

}  // namespace tessera
