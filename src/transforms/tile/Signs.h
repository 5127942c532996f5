// Which integers of a kernel are not below 0, by how they are computed.
#pragma once
#include "ir/tile/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace tessera::transforms {

class Signs {
public:
  /// `proves`: that a dimension is not below 0.
  explicit Signs(std::function<bool(const Dim &)> proves) : proves_(std::move(proves)) {}
  /// False where it is not known.
  bool isNonNegative(mlir::Value value);
  /// Whether an integer is not 0 where it divides: it is at least 1, or made of sizes alone, which the entry function asks
  /// for (docs/spec/shapes.md, S11).
  bool mayDivide(mlir::Value divisor);

private:
  bool isPositive(mlir::Value value);
  bool findPositive(mlir::Value value);
  bool find(mlir::Value value);
  bool ofArgument(mlir::BlockArgument argument);
  bool ofCast(ir::tile::CastOp cast);
  std::function<bool(const Dim &)> proves_;
  llvm::DenseMap<mlir::Value, bool> known_, positive_;
};

}  // namespace tessera::transforms
