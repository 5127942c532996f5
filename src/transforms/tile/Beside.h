// Writes to parts of one buffer that do not overlap.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::transforms {

/// On a write to shared memory: the one before it to that buffer wrote other elements, so that nobody has to wait between them.
inline constexpr llvm::StringLiteral kBeside = "tsr.beside";

}  // namespace tessera::transforms
