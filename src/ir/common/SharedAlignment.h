// Where a program asks for a buffer in shared memory to begin: `tile.alloc_shared(..., alignment=256)`.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// On an allocation in shared memory: bytes, a power of two, to a multiple of which it begins.
constexpr llvm::StringLiteral kSharedAlignment = "tsr.alignment";

}  // namespace tessera::ir
