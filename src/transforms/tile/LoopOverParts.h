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

/// What combines two results of a reduction: "add" for "sum".
llvm::StringRef combinationOf(llvm::StringRef reduction);

/// Lets the lanes of a group share the parts that each lane of a column goes over; false, and nothing is changed, where that cannot be.
bool shareParts(ir::tile::KernelOp kernel, mlir::scf::IfOp guard, mlir::scf::ForOp loop, mlir::Value counter);

}  // namespace tessera::transforms
