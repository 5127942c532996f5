// Fragments that hang together: what is computed from a tile element by element, reduced, broadcast, or carried by loops,
// lies as it does. A product joins its sums alone; its operands are components of their own.
#pragma once
#include "ir/tile/Tile.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::transforms {

class Components {
public:
  explicit Components(ir::tile::KernelOp kernel);
  /// Those with a product, each with its values in the order of the program.
  llvm::MapVector<void *, llvm::SmallVector<mlir::Value>> withProducts(ir::tile::KernelOp kernel);
  /// The values that lie as `value` does, itself among them.
  llvm::SmallVector<mlir::Value> of(ir::tile::KernelOp kernel, mlir::Value value);
  void *leader(mlir::Value value) { return classes_.getOrInsertLeaderValue(value.getAsOpaquePointer()); }

private:
  void join(mlir::Value a, mlir::Value b);
  template <class As, class Bs> void joinAll(As as, Bs bs) {
    for (auto [a, b] : llvm::zip(as, bs)) join(a, b);
  }
  void visit(mlir::Operation *op);
  llvm::EquivalenceClasses<void *> classes_;
};

}  // namespace tessera::transforms
