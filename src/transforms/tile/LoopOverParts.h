// A reduction whose parts are in memory (SplitReductions.cpp, SumBesideRows.cpp).
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tessera::transforms {

/// A loop over parts that may be split once more.
constexpr llvm::StringLiteral kAddsParts = "tsr.adds_parts";
constexpr int64_t kFewParts = 64;  // that a lane adds up in little time
constexpr int64_t kAtOnce = 16;    // parts that are on their way at once: each takes as long as memory does

/// Puts a loop over `count` parts in the place of a reduction. `memory`: of the parts of each of its results; `behind`: what follows
/// the number of the part there. What only the old loop needed is erased.
mlir::scf::ForOp loopOverParts(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::ValueRange memory, mlir::ValueRange behind, mlir::Value count);

}  // namespace tessera::transforms
