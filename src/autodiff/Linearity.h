// Whether a function is linear in some of its parameters.
#pragma once
#include "autodiff/Trace.h"

namespace tessera::autodiff {

/// What is not linear, and where.
struct Nonlinear {
  Span span;
  std::string what;  // "`exp`", "a product of two"
};

/// What in the body of a function is not linear in the parameters that are `tangents`; nothing if all is.
std::optional<Nonlinear> nonlinearIn(const checked::Function &function, const std::vector<bool> &tangents, Reporter &reporter, Rules rules);

}  // namespace tessera::autodiff
