// From a value to what it is computed from: each value once, however often it is used.
#pragma once
#include "transforms/schedule/Privatise.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <set>
#include <utility>

namespace tessera::transforms {

/// Visits values, each with what its op reads, depth first and in the order of the operands. `visit` says whether to go on to
/// the operands.
inline void walkBack(llvm::ArrayRef<mlir::Value> roots, llvm::function_ref<bool(mlir::Value)> visit) {
  llvm::SmallVector<mlir::Value> next(llvm::reverse(roots));
  llvm::DenseSet<mlir::Value> seen;
  while (!next.empty()) {
    mlir::Value value = next.pop_back_val();
    if (!seen.insert(value).second || !visit(value) || !value.getDefiningOp()) continue;
    for (mlir::Value operand : llvm::reverse(value.getDefiningOp()->getOperands())) next.push_back(operand);
  }
}

inline void walkBack(mlir::Value root, llvm::function_ref<bool(mlir::Value)> visit) { walkBack(llvm::ArrayRef(root), visit); }

/// What a recursion over values and the kinds of their axes has met.
class Met {
public:
  /// Whether it is met for the first time.
  bool isNew(mlir::Value value, const AxisKinds &kinds) { return met_.insert({value.getAsOpaquePointer(), kinds}).second; }

private:
  std::set<std::pair<const void *, AxisKinds>> met_;
};

}  // namespace tessera::transforms
