// A kernel for all indices of an axis (`vmap`): the axis is one more of its grid, and in front of what is mapped.
#pragma once
#include "checked/Checked.h"
#include <string>

namespace tessera::autodiff {

/// Which arguments of a call of the kernel have the axis in front, of those that are `mapped`: what the kernel writes has it, too.
std::vector<bool> mappedInKernel(const checked::Function &kernel, std::vector<bool> mapped);

/// The kernel for all indices of the dimension `axis`, which is in front of the parameters that are `mapped` (one for each argument of a
/// call, by mappedInKernel) and of all results.
std::unique_ptr<checked::Function> batchedKernel(const checked::Function &kernel, const std::vector<bool> &mapped, const std::string &axis,
                                                 const std::string &name);

/// Why the kernel cannot be one for all indices; empty if it can.
std::string whyNotBatched(const checked::Function &kernel);

}  // namespace tessera::autodiff
