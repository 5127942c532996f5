// The strategy `sweep`: scores, the products of small tiles' rows, that several results are made of - the largest score and
// the sums of each row, the derivatives of a softmax's operands - are not stored. Each result has a kernel that goes over
// them again, tile by tile (SweepPlan.cpp, SweepKernel.cpp; decision 23).
#pragma once
#include "ir/graph/Graph.h"
#include "transforms/schedule/Chain.h"

namespace tessera::transforms {

/// On products and reductions whose left operand, or operand, a kernel computes tile by tile from products.
inline constexpr llvm::StringLiteral kSweep = "tsr.sweep";

/// On products of a softmax and a matrix, the softmax's rows being needed by sweeps: a chain that stores what it knows of them.
inline constexpr llvm::StringLiteral kKeepsRows = "tsr.keeps_rows";

/// Marks what is made of scores that need not be stored; scores that a product reads as columns are computed turned, so that
/// it reads them as rows.
void planSweeps(ir::graph::FuncOp function);
/// The dimensions without a bound that would have to be short, as those of heads are, for scores to be gone over again.
llvm::SmallVector<ir::DimAttr> depthsOfSweeps(ir::graph::FuncOp function);
/// What the kernel of a marked operation goes over.
Chain sweepOf(mlir::Operation *marked);

/// The loop of a kernel that goes over scores (SweepKernel.cpp): the tile of what it adds up or compares is known to the
/// privatiser then. `product`: where it lies, of a reduction with a point behind it. False after a diagnostic.
bool writeSweep(mlir::OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, ir::DimAttr depth);
/// Whether a lane has registers for the scores of a tile of `keys` columns, what is known of these and the sums of `cols`, where a
/// warp has 16 rows: half an element a column of each.
bool sweepFits(const Machine &machine, Chain &chain, int64_t keys, int64_t cols);
/// The sentence over the kernel.
std::string sweepReason(Chain &chain);

}  // namespace tessera::transforms
