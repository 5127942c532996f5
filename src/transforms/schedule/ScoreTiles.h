// What the kernels of chains and of sweeps are made of: tiles of the scores, and small operations on them.
#pragma once
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Chain.h"

namespace tessera::transforms {

/// The operations of one kernel. Values of the loop over tiles of the right operands are those of one tile.
class ScoreTiles {
public:
  /// `product`: where the group's tile of the outer product lies, or of what a reduction gives with a point behind it.
  /// `depth`: the axis along which the inner products add up, where it is held whole.
  ScoreTiles(mlir::OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, ir::DimAttr depth);

protected:
  /// The left operands of the inner products, which all turns share. False after a diagnostic.
  bool holdLeft();
  /// The tiles of the inner products, where the scores lie. False after a diagnostic.
  bool multiply(const Indices &tile);
  /// From the first tile of keys that the group sees to the last, `turn` after `turn`. Null after a diagnostic.
  mlir::scf::ForOp goOver(llvm::ArrayRef<mlir::Value> starts, llvm::function_ref<bool(mlir::scf::ForOp, const Index &)> turn);

  /// `goOver` visits keys from `from` to `to` alone; `from` is a multiple of the step.
  void goOnly(mlir::Value from, mlir::Value to) { from_ = from, to_ = to; }

  Dim keys() const;
  Index held() { return Index(privatiser_.constantIndex(0, line_), depth_); }
  /// Where the scores lie, of keys at an index.
  Indices tileOf(const Index &keys);
  mlir::Value full(mlir::Type type, double value, llvm::StringRef name);
  mlir::Value full(mlir::Type type, mlir::Value number);
  static llvm::StringRef nameOf(mlir::Value value, llvm::StringRef otherwise);
  mlir::Value elementwise(llvm::StringRef mnemonic, llvm::ArrayRef<mlir::Value> operands, llvm::StringRef name);
  mlir::Value reduced(llvm::StringRef mnemonic, mlir::Value tile);
  /// What lies behind the last key is `otherwise`.
  mlir::Value whereInside(mlir::Value tile, const Index &keys, double otherwise);

  mlir::OpBuilder &builder_;
  Privatiser &privatiser_;
  Chain &chain_;
  Indices product_, rows_;  // of the result's tile, of a value for each of its rows
  size_t rank_;
  ir::DimAttr depth_;
  mlir::Location line_;
  mlir::Type type_, rowType_, sumType_;  // `sumType_`: null for a reduction
  llvm::SmallVector<mlir::Value> left_;
  mlir::Value from_, to_;  // null: all keys
};

}  // namespace tessera::transforms
