// Blocks that are given to a device function as a lambda.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::ir::target {

/// On a `target.block`: what stands before it, to be closed behind it: "tsr::with_edges<Cluster>(at, [&](const auto &inside)".
inline constexpr llvm::StringLiteral kGivenTo = "given_to";

}  // namespace tessera::ir::target
