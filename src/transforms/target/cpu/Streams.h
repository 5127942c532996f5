// What is written in lines, rows that are kept and combined in parts, on the CPU.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

constexpr int64_t kTurnedRows = 256, kTurnedCols = 128;  // of a block of the result that is read across its rows

struct Streams {
  bool readsAhead = false;
  ExprRef streaming;                                  // of the loops over lines that are emitted
  mlir::Value array;                                  // that it is declared for
  llvm::DenseMap<mlir::Operation *, ExprRef> lines;   // what a store writes to in the place of its array
  llvm::DenseMap<mlir::Operation *, ExprRef> turned;  // the block that a load reads
};

// ---- Parts.cpp
/// Declares parts for what a loop over a row combines, where the row is worth it: one whose elements take long and are kept.
/// A vector alone would wait for itself in each turn.
ExprRef declareParts(Emission &em, mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);
/// Opens a loop over as many elements of a row as there are parts, and gives the limits of the one over each. The next group's
/// row is asked for where an element takes long: memory is idle there.
std::pair<ExprRef, ExprRef> openParts(Emission &em, mlir::scf::ForOp op, const std::string &counter, ExprRef count);

// ---- Streams.cpp
/// A tensor whose elements lie one behind the other, in bytes of their own: a pointer in the emitted text.
bool isPlainArray(Emission &em, mlir::Value base);
/// Stores of a loop's block whose places follow each other as it counts: nothing else is done with their arrays. `isFixed`:
/// what is known before the loop. Elements that take a loop each are work enough for a task: they are not put together.
llvm::SmallVector<ir::tile::StoreElementOp> storesInLines(Emission &em, mlir::Block &block,
                                                          llvm::function_ref<bool(mlir::Value)> isCounter,
                                                          llvm::function_ref<bool(mlir::Value)> isFixed);
/// Says whether the arrays are streamed, before loops over lines of them: the first decides for all.
void declareStreaming(Emission &em, ir::tile::StoreElementOp first);
/// Declares the lines, of at least so many elements, that the stores go to in a loop that begins at `from`, and gives the
/// limits of the loop. `count`: how many elements a row has.
std::pair<ExprRef, ExprRef> declareLines(Emission &em, llvm::ArrayRef<ir::tile::StoreElementOp> stores,
                                         int64_t elements, ExprRef count, ExprRef from);
/// A loop of the lanes of a group, here one, over a row.
bool isWholeRow(Emission &em, mlir::scf::ForOp loop);
/// Such stores of a loop over a row.
llvm::SmallVector<ir::tile::StoreElementOp> storesOfRow(Emission &em, mlir::scf::ForOp loop);
/// The next group's rows are asked for from where the loop over lines is on, once: a group begins with what it waits for.
void readAhead(Emission &em, ExprRef from, int64_t elements);
/// Opens a loop from line to line of a row, for one over the elements of each, and gives the limits of that. What is streamed was declared
/// before it.
std::pair<ExprRef, ExprRef> openLines(Emission &em, llvm::ArrayRef<ir::tile::StoreElementOp> stores,
                                      const std::string &counter, ExprRef count);
/// Elements x[.., col, row] of arrays that a loop over the rows and columns of matrices reads: blocks of them are turned first.
/// `matrices`: indices of axes before the last two.
llvm::SmallVector<ir::tile::LoadElementOp> turnedLoads(Emission &em, llvm::ArrayRef<mlir::Value> rows,
                                                       llvm::ArrayRef<mlir::Value> cols,
                                                       llvm::ArrayRef<mlir::Value> matrices);
/// `row`, `col`: of the result, from where on.
void declareTurned(Emission &em, llvm::ArrayRef<ir::tile::LoadElementOp> loads, ExprRef row, ExprRef col);

// ---- KeptRows.cpp
/// What a group keeps of a row between its loops over it.
mlir::LogicalResult emitKeptRow(Emission &em, mlir::Operation &op);

}  // namespace tessera::transforms::totarget
