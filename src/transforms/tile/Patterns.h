// What an operation is, for passes that look for a form of several.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/LeavesNarrow.h"
#include <cmath>

namespace tessera::transforms {

/// The operation with this name that makes the value; null if another one does.
inline ir::tile::ElementwiseOp elementwiseOf(mlir::Value value, llvm::StringRef mnemonic) {
  auto op = value.getDefiningOp<ir::tile::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic ? op : ir::tile::ElementwiseOp();
}

/// Whether the lanes of a group take the loop's turns one after the other: from local_id, in steps of group_size.
inline bool isByGroup(mlir::scf::ForOp loop) {
  auto first = loop.getLowerBound().getDefiningOp<ir::tile::QueryOp>(), step = loop.getStep().getDefiningOp<ir::tile::QueryOp>();
  return first && step && first.getQuery() == "local_id" && step.getQuery() == "group_size";
}

inline bool isMinusInfinity(mlir::Value value) {
  std::optional<double> number = constantOf(value);
  return number && std::isinf(*number) && *number < 0;
}

/// `largest > -inf ? largest : other`: differences from it are never those of infinities that are alike.
struct FiniteShift {
  mlir::Value largest, other;
};
inline std::optional<FiniteShift> finiteShift(mlir::Value value) {
  ir::tile::ElementwiseOp choice = elementwiseOf(value, "select");
  ir::tile::ElementwiseOp test = choice ? elementwiseOf(choice.getArgs()[0], "gt") : ir::tile::ElementwiseOp();
  if (!test || test.getArgs()[0] != choice.getArgs()[1] || !isMinusInfinity(test.getArgs()[1])) return std::nullopt;
  return FiniteShift{choice.getArgs()[1], choice.getArgs()[2]};
}

}  // namespace tessera::transforms
