// Which values of a kernel become variables of the emitted text, which share one, and which are folded into
// the expression that uses them. Decided before anything is emitted.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/target/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <optional>

namespace tessera::transforms::totarget {

/// A variable that several values share one after the other: what a loop carries, what the branches of an if
/// give.
struct Storage {
  std::string hint;
  mlir::Type type;
  llvm::SmallVector<mlir::Value> members;
  ExprRef place;           // once declared
  bool reduction = false;  // what a loop of the compiler's own combines values in
  bool perLane = false;    // an array with an element for each lane
};

class Plan {
public:
  explicit Plan(mlir::Region &body);
  /// Folded into its use (or uses, where it is free to write again).
  bool isInline(mlir::Value value) const { return inline_.contains(value); }
  /// The shared variable of a value, or null.
  Storage *storage(mlir::Value value) const;
  /// The statement in which the value's expression ends up.
  mlir::Operation *statementOf(mlir::Operation *op) const;

private:
  void decideInline(mlir::Block &block);
  bool foldsFragment(mlir::Operation &op) const;
  bool foldsScalar(mlir::Operation &op) const;
  void share(mlir::Block &block);
  void shareLoop(mlir::Operation &loop, mlir::ValueRange inits, mlir::ValueRange arguments,
                 mlir::ValueRange yields, mlir::ValueRange results);
  void shareIf(mlir::scf::IfOp op);
  void shareDot(ir::tile::DotOp dot);
  Storage *startOf(mlir::Operation &loop, mlir::Value init, mlir::Value result);
  void place(mlir::Value value, Storage *storage);
  void placeYields(mlir::ValueRange yields, mlir::ValueRange arguments);
  void placeYielded(mlir::Value value, Storage *storage);
  bool usedAfter(mlir::Value value, mlir::Operation *point) const;
  bool neededBehind(mlir::Value value, mlir::Operation *statement, mlir::Block *outermost) const;
  bool readsFrom(mlir::Value value, Storage *variable) const;
  bool holds(mlir::Value member, mlir::Operation *point) const;
  bool overwritten(Storage *storage, mlir::Operation *point, mlir::Value value) const;
  bool free(Storage *storage, mlir::Operation *point, mlir::Value value) const;
  Storage *create(llvm::StringRef hint, mlir::Type type);

  llvm::DenseSet<mlir::Value> inline_;
  llvm::DenseMap<mlir::Value, Storage *> storages_;
  std::deque<Storage> all_;
};

/// The one element of a vector that a sum is made of: all others are replaced by 0.
struct Picked {
  mlir::Value vector;
  int64_t place;
};
std::optional<Picked> pickedOf(ir::tile::ReduceOp op);

/// Element by element and without effect: can stand in the loop of another such op.
bool isElementwiseFragment(mlir::Operation *op);
/// Writes memory, or says nothing of what it does there, as what waits for somebody who writes.
bool writesMemory(mlir::Operation *op);
/// Whether an op writes this memory, as the effects of its users say.
bool isWritten(mlir::Value memory);

}  // namespace tessera::transforms::totarget
