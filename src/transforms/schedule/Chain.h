// The strategy `chain`: a product whose left operand is a softmax, or its kin, of the rows of another product. A group goes
// over the rows of the right operands in tiles and keeps, of each of its own rows, the largest score, the sums and what it
// has added up of the result. When a larger score comes, what is kept is rescaled: exp(x - b) is exp(x - a) * exp(a - b).
// Nothing of the size of the scores is stored (ChainPlan.cpp, ChainKernel.cpp; rule R8 of docs/spec/numerics.md).
#pragma once
#include "ir/graph/Graph.h"
#include "llvm/ADT/SetVector.h"
#include "support/Machine.h"
#include "transforms/schedule/Privatise.h"

namespace tessera::transforms {

constexpr size_t kMostInner = 2;  // products that scores are made of: each has sums in registers

/// A multiplication or division of all weights of a row by one number, which is only known after the last tile.
struct RowFactor {
  ir::graph::ElementwiseOp op;
  mlir::Value weights, row;
};

struct Chain {
  ir::graph::DotOp outer;                           // weights @ values
  llvm::SmallVector<ir::graph::DotOp> beside;       // of a sweep: other products of its scores that its kernel adds up, too
  ir::graph::ReduceOp reduce;                       // instead of a product, of a sweep (Sweep.h): along rows of the weights,
  bool addsBatches = false;                         // or along axes before rows and columns
  llvm::SmallVector<ir::graph::DotOp> inner;        // what the scores are made of
  ir::graph::ReduceOp largest;                      // score of each row; none of a sweep: its weights are known
  ir::graph::ElementwiseOp exponentials;            // exp(scores - largest)
  llvm::SmallVector<ir::graph::ReduceOp> sums;      // along rows of what is in proportion to the exponentials
  llvm::SmallVector<RowFactor> factors;             // the innermost first
  bool isGuarded = false;                           // a row of -INF alone has the exponentials 0
  bool multiplies = false;                          // the exponentials are multiplied by other things, too
  bool keepsRows = false;                           // the largest scores and the sums are stored, beside the result
  llvm::SetVector<mlir::Operation *> body;          // what depends on the inner products, but for the outer one

  mlir::Operation *last() const { return outer ? static_cast<mlir::Operation *>(outer) : reduce; }
  mlir::Value weights() const { return last()->getOperand(0); }
  mlir::Value scores() const { return largest->getOperand(0); }
  /// What is known of each row at the end: the largest score, and the sums.
  llvm::SmallVector<mlir::Value> rows() const {
    llvm::SmallVector<mlir::Value> rows{largest->getResult(0)};
    for (ir::graph::ReduceOp sum : sums) rows.push_back(sum->getResult(0));
    return rows;
  }
  /// The extent of what is added up for a row: columns of the right operand; nothing for a reduction.
  ir::DimAttr cols() const;
};
/// The chain that ends in this product, or nothing where it is none. `open`: other kernels may need the largest scores, the sums
/// and the scores, too.
std::optional<Chain> chainOf(ir::graph::DotOp outer, bool open = false);

/// Extents of a chain's tiles: rows of the result, rows of its right operands, and steps along the other two axes, where
/// those are not held whole.
struct ChainTile {
  int64_t m, n, k, cols, group;
};
/// `most`: the greatest extent of what is held whole; 0 if nothing is. Nothing where a group has no room for it.
std::optional<ChainTile> usualChainTile(const Machine &machine, Chain &chain, int64_t most);

/// Bytes that a score reads at its own row and column, as a bias; nothing for what is computed of places, or read of rows or columns.
int64_t bytesBeside(Chain &chain);

/// From where to where a tile of rows sees any of the right operands' rows, for any of the chain's products: masks by comparison of
/// places hide the others, of a sweep also where they were put on the scores.
/// A multiple of the step, and an end (ChainBounds.cpp).
std::pair<mlir::Value, mlir::Value> keysSeen(mlir::OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product,
                                             ir::DimAttr step);

}  // namespace tessera::transforms
