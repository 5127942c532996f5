// Values of a kernel with an axis of any length, a piece of the axis at a time.
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <string>
#include <vector>

namespace tessera::transforms {

/// An axis of a kernel's tiles that nothing bounds, and how much of it a piece has.
struct PieceAxis {
  ir::DimAttr extent, width;

  bool in(mlir::Type type) const;
  /// Of a tile with two such axes a piece would be a strip.
  bool isTwiceIn(mlir::Type type) const;
  /// The type of a piece of such a value; another type as it is.
  mlir::Type pieceOf(mlir::Type type) const;
};

/// Computes pieces of values anew where they are asked for, down to what is loaded. Loops whose results have the axis run
/// again for each piece.
class PieceMaker {
public:
  /// `at`: where the piece begins. Operations are made at the builder's place, at the end of the body of a loop over pieces.
  PieceMaker(mlir::OpBuilder builder, const PieceAxis &axis, mlir::Value at);
  /// Null where there is no such piece.
  mlir::Value piece(mlir::Value value);
  /// The loads that were repeated.
  llvm::ArrayRef<ir::graph::LoadOp> loads() const { return loads_.getArrayRef(); }

private:
  /// The kernel's body, or the region of an operation that is repeated.
  struct Scope {
    mlir::Operation *original, *made;
    mlir::OpBuilder builder;
    mlir::IRMapping pieces;
  };
  size_t scopeOf(mlir::Value value);
  mlir::Value known(mlir::Value value, size_t scope);
  mlir::Value make(mlir::OpResult value, size_t scope);
  mlir::Value repeated(mlir::OpResult value, size_t scope);
  mlir::Value again(mlir::Operation *op, size_t scope);
  mlir::Value counted(ir::graph::IotaOp op, size_t scope);
  mlir::Value loaded(ir::graph::LoadOp op, size_t scope);
  mlir::Value chosen(ir::graph::GatherOp op, size_t scope);
  bool repeatLoop(mlir::scf::ForOp loop, size_t scope);
  bool repeatBranch(mlir::scf::IfOp branch, size_t scope);
  bool piecesOf(mlir::ValueRange values, llvm::SmallVectorImpl<mlir::Value> &pieces);
  bool finish(mlir::Block *original, Scope scope);
  mlir::Operation *cloneWhole(mlir::Operation *op, size_t scope);

  const PieceAxis &axis_;
  mlir::Value at_;
  std::vector<Scope> scopes_;
  llvm::SetVector<ir::graph::LoadOp> loads_;
};

/// A loop or a branch out of which nothing comes but values.
bool isRepeatable(mlir::Operation *op);

/// Tiles that are whole rows of a dimension without a bound: a kernel without products takes a row a group, others take rows
/// in pieces (RowsInPieces.cpp). The kernel is as it was where that cannot be done. `reasons`: for the comment over it.
void takeRowsInPieces(ir::graph::KernelOp kernel, std::vector<std::string> &reasons);

}  // namespace tessera::transforms
