// Choices that an `if` around them has made already.
#pragma once
#include "mlir/IR/Operation.h"

namespace tessera::transforms::totarget {

/// `if (i < N) y[i] = i < N ? x[i] : 0;` is written without the second condition, where nothing between may change what
/// it speaks of, and so is `i < N ? (i < N ? x[i] : 0) : 1`.
void foldImpliedConditions(mlir::Operation *kernel);
/// Stores one behind the other that ask the same stand in one `if`.
void joinEqualBranches(mlir::Operation *kernel);

}  // namespace tessera::transforms::totarget
