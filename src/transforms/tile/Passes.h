// From Schedule IR to Tile IR.
#pragma once
#include <memory>

namespace mlir {
class Pass;
}

namespace tessera::transforms {

/// Places every value of every kernel: scalars, streamed rows, fragments, operands in shared memory.
std::unique_ptr<mlir::Pass> createScheduleToTilePass();
/// Accesses that lie inside of their tensors in the sizes that were chosen are marked, and lose their masks.
std::unique_ptr<mlir::Pass> createProveBoundsPass();
/// Axes of a tensor that every access of a kernel takes together are one: tiles of a head lie along the last two axes.
std::unique_ptr<mlir::Pass> createMergeAxesPass();
/// Masks of tiles are applied once, and only in tiles that cross the edge that they hide.
std::unique_ptr<mlir::Pass> createSimplifyMasksPass();
std::unique_ptr<mlir::Pass> createOrderGroupsPass();
/// In the loops of consumers, products that need nothing of each other are begun together; where warpgroups multiply.
std::unique_ptr<mlir::Pass> createGroupProductsPass();
/// Of loops that multiply what they computed from a product, that product is begun a turn ahead; where warpgroups multiply.
std::unique_ptr<mlir::Pass> createOverlapProductsPass();
std::unique_ptr<mlir::Pass> createTakeTurnsPass();
/// Weights of a softmax that leave in 16 bits are powers of two, which take the scale of the scores in; for CUDA.
std::unique_ptr<mlir::Pass> createShortenPowersPass();
/// Sums with a product behind products of matrices are one instruction, where they leave in 16 bits.
std::unique_ptr<mlir::Pass> createContractSumsPass();
/// Single elements that leave in 16 bits in fewer instructions: sums with a product as one, short functions; for GPUs.
std::unique_ptr<mlir::Pass> createShortenElementsPass();
/// Rows divided by one number each, where quotients leave in 16 bits, are multiplied by its reciprocal; for GPUs.
std::unique_ptr<mlir::Pass> createDivideRowsPass();
/// Products of few rows, and those of computed right operands, are done as their transposes; where warpgroups multiply.
std::unique_ptr<mlir::Pass> createTurnProductsPass();
/// Tiles of which left operands are computed come through shared memory; where warpgroups multiply.
std::unique_ptr<mlir::Pass> createStageOperandsPass();
/// Products take the layouts of the machine's matrix instructions, where it has some for their types and extents.
std::unique_ptr<mlir::Pass> createMatrixLayoutsPass();
/// Copies to shared memory run ahead of the loops that use them, through several stages of their buffers.
std::unique_ptr<mlir::Pass> createPipelineLoopsPass();
/// Kernels whose products read shared memory by themselves get a producer, which loads, beside the lanes that compute.
std::unique_ptr<mlir::Pass> createSpecialiseRolesPass();
/// Groups of a launch whose tiles lie one below the other share the copies of the operand that both read; where a producer copies.
std::unique_ptr<mlir::Pass> createShareCopiesPass();
std::unique_ptr<mlir::Pass> createReadOncePass();
std::unique_ptr<mlir::Pass> createReadPairsPass();
/// Tiles of arrays that follow the sums of teams are brought by the producer; where products are those of warpgroups.
std::unique_ptr<mlir::Pass> createStageFollowersPass();
std::unique_ptr<mlir::Pass> createStageVectorsPass();
/// Brings what tiles of scores are made of besides products, by way of shared memory (StageBeside.cpp).
std::unique_ptr<mlir::Pass> createStageBesidePass();
/// What follows a product goes over its sums in parts of their columns, where whole tiles would take too many registers.
std::unique_ptr<mlir::Pass> createStoreInPartsPass();
/// Where a matrix is stored for sums of its columns alone, each 16 rows are added up and stored instead; for CUDA.
std::unique_ptr<mlir::Pass> createSumColumnsPass();
/// Sums of the columns of what a kernel over rows has at hand are added up by it, and its groups take rows in turn; for GPUs.
std::unique_ptr<mlir::Pass> createSumBesideRowsPass();
/// Barriers between accesses of different lanes to one shared buffer, for buffers that the compiler manages.
std::unique_ptr<mlir::Pass> createInsertBarriersPass();
std::unique_ptr<mlir::Pass> createOrderElementsPass();
/// Long reductions of whole tensors and of columns in parts, so that the whole machine takes part; for GPUs.
std::unique_ptr<mlir::Pass> createSplitReductionsPass();
/// Loops over one row that need nothing of each other are one loop, which reads the row once; for GPUs.
std::unique_ptr<mlir::Pass> createJoinLoopsPass();
/// Kernels whose lanes take single elements take vectors of 16 bytes; for GPUs.
std::unique_ptr<mlir::Pass> createVectorisePass();
/// Extents by which lanes divide are divisors, which multiply; quotients that are needed anyway are shared; for GPUs.
std::unique_ptr<mlir::Pass> createPrepareDivisorsPass();
std::unique_ptr<mlir::Pass> createTakeSeveralPass();
/// What one loop over a row computes at length is kept for those behind it; for the CPU.
std::unique_ptr<mlir::Pass> createKeepRowsPass();
void registerTileTransforms();

}  // namespace tessera::transforms
