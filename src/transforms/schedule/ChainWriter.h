// What the kernels of a chain do: the loop over tiles of the right operands and what it keeps of each row, for all of them or for
// a part; and how such parts are put together.
#pragma once
#include "transforms/schedule/ScoreTiles.h"

namespace tessera::transforms {

class ChainWriter : ScoreTiles {
public:
  using ScoreTiles::ScoreTiles;

  /// The tile of the outer product is known to the privatiser then. False after a diagnostic.
  bool run();
  /// For keys from `from` to `to` alone: of each row the largest score, the sums, and the result before it is divided by them.
  /// Nothing after a diagnostic.
  std::optional<llvm::SmallVector<mlir::Value>> runPart(mlir::Value from, mlir::Value to);
  /// From parts, at most `most`, as `runPart` gave them and as they lie in memory, for one row. As `run`.
  bool merge(int64_t most, llvm::ArrayRef<mlir::Value> parts);

private:
  llvm::SmallVector<mlir::Value> starts();
  mlir::scf::ForOp goOverKeys();
  bool turn(mlir::scf::ForOp loop, const Index &keys);
  mlir::Value weightsOf(const Indices &tile);
  /// What the exponentials of a row are in proportion to, where its largest score so far is this; null after a diagnostic.
  mlir::Value pivotAt(mlir::Value largest);
  /// Of what is kept, in proportion to exp(-before).
  mlir::Value rescaled(mlir::Value before, mlir::Value pivot, llvm::StringRef name);
  bool finish(mlir::ValueRange found);
  mlir::Value loadParts(int64_t most, llvm::ArrayRef<mlir::Value> parts, size_t i, llvm::ArrayRef<mlir::Value> start);
  mlir::Value together(llvm::StringRef mnemonic, mlir::Value parts, mlir::Value like);
  mlir::Value alongParts(mlir::Value row, mlir::Type type);
  mlir::Value noNumber(const Dim &keys);
  mlir::Value spread(mlir::Value row);
  mlir::Value isChosen(mlir::Value largest);
  mlir::Value guarded(mlir::Value largest);
};

}  // namespace tessera::transforms
