// Loops over lanes and groups, on the CPU.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct RowsOfLanes {
  std::optional<Dim> width;
  ExprRef height;
  llvm::SmallVector<mlir::Value> rows, cols;
  bool turned = false;  // something is read along the columns
};

/// Matrices that are read across the rows that are written.
struct Matrices {
  llvm::SmallVector<mlir::Value> at;  // the number of a matrix, an index an axis
  mlir::Value row, col;
  llvm::SmallVector<ir::DimAttr> shape;
  llvm::SmallVector<ir::tile::StoreElementOp> stores;
  llvm::SmallVector<ir::tile::LoadElementOp> loads;
};

// ---- Loops.cpp
/// Lanes that share nothing are the turns of one loop.
bool isPlainLoop(Emission &em);
/// The number that the op counts with, if it is a dimension or a constant.
std::optional<Dim> countOf(mlir::Value value);
/// Whether the condition says that the lane is one of the grid.
bool isBelowLanes(Emission &em, mlir::Value condition);
/// The loop over the lanes runs below the extent: a test for it says nothing new.
bool isLoopBound(Emission &em, mlir::Value condition);
/// Opens a loop in the block where things are written; its body is where they are written next.
mlir::Value openLoop(Emission &em, const std::string &counter, ExprRef from, ExprRef to, int64_t step, bool parallel,
                     bool simd, int64_t collapse);
/// Where the loop over the lanes stores.
mlir::Block &lanesBlock(Emission &em);
constexpr int64_t kPiece = 4096;  // elements: work enough for a task
/// The end of a piece that begins at `from`: the extent ends the last one.
ExprRef endOf(Emission &em, ExprRef from, int64_t step, ExprRef extent);
/// Opens a loop over pieces of a row, and gives the limits of the one over their elements.
std::pair<ExprRef, ExprRef> openPieces(Emission &em, llvm::ArrayRef<ir::tile::StoreElementOp> stores,
                                       const std::string &counter, ExprRef width, bool parallel = false);
/// Lanes in parallel.
mlir::LogicalResult emitPlainLoop(Emission &em);
/// Groups in parallel.
mlir::LogicalResult emitGroupLoop(Emission &em);

// ---- RowsOfLanes.cpp
/// Whether the value is one of these, or computed of one.
bool dependsOn(mlir::Value value, llvm::ArrayRef<mlir::Value> sources);
/// Lanes that are only asked for their row and their column in an array: i / C and i % C, C its last extent.
std::optional<RowsOfLanes> rowsOfLanes(Emission &em);
/// Rows in parallel, each in pieces, so that few rows are shared out as well. Where what is read lies across the rows that
/// are written, blocks of rows and columns, whose lines stay in the cache.
mlir::LogicalResult emitRowsOfLanes(Emission &em, const RowsOfLanes &lanes);

// ---- Columns.cpp
/// The loop over rows of lanes that reduce a column each; null for other lanes.
mlir::scf::ForOp columnsOfLanes(Emission &em);
/// Blocks of columns in parallel, each row by row. `counter`: the name of a column.
mlir::LogicalResult emitColumns(Emission &em, mlir::scf::ForOp loop, const std::string &counter, const ExprRef &columns);

// ---- VectorLoops.cpp
/// What cannot become vector instructions has no mark for them: compilers warn of it.
void keepVectorLoops(Emission &em);
/// How a loop of the compiler's own that does nothing but combine values does so, for each of them; empty for other loops.
llvm::SmallVector<llvm::StringRef> combiners(Emission &em, mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);
/// Such a loop, if it combines all in one way, does so in each lane of a vector. The order is
/// then the vector's; a program's own loops, and what is declared deterministic on all machines, keep theirs.
void combineInVectors(Emission &em, ir::target::ForOp loop, mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);

// ---- Matrices.cpp
/// Lanes that are the elements of matrices, all of which read some other array across its rows.
std::optional<Matrices> matricesOfLanes(Emission &em);
/// Matrices and blocks of them in parallel, as those of one matrix (openBlocks).
mlir::LogicalResult emitMatrices(Emission &em, const Matrices &matrices);

}  // namespace tessera::transforms::totarget
