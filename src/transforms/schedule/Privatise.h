// Part of a tensor function's value inside one kernel: along each axis one element, a tile's range, or all of it.
#pragma once
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include <map>
#include <set>
#include <vector>

namespace tessera::transforms {

/// Where a part lies along one axis: the whole axis (the default), the element at an index, or a tile's range: `size`
/// elements from `at` on. A range may reach over the end of its axis: what lies outside is 0 where it is read from memory,
/// and never stored.
struct Index {
  mlir::Value at;    // null: the whole axis
  ir::DimAttr size;  // null: a point
  Index() = default;
  Index(mlir::Value at) : at(at) {}
  Index(mlir::Value at, ir::DimAttr size) : at(at), size(size) {}
  bool isWhole() const { return !at; }
  bool isPoint() const { return at && !size; }
  bool isRange() const { return static_cast<bool>(size); }
  /// A range that is a whole axis of so many elements.
  bool covers(ir::DimAttr extent) const;
};
using Indices = llvm::SmallVector<Index>;
bool hasWhole(const Indices &indices);
bool hasRange(const Indices &indices);
/// The axis of the part that axis `axis` of the value becomes: points are no axes of it.
int64_t positionOf(const Indices &indices, int64_t axis);

/// An access to the part of an array at these indices.
struct PartAccess {
  PartAccess(mlir::OpBuilder &builder, llvm::ArrayRef<ir::DimAttr> extents, const Indices &indices,
             mlir::Location loc);
  llvm::SmallVector<mlir::Value> offsets;
  mlir::DenseBoolArrayAttr points, inBounds;
  ir::DimsAttr sizes;
  mlir::DenseI64ArrayAttr steps;
};

/// Clones the producers of a value into a kernel, so that each computes just the part that is asked for.
class Privatiser {
public:
  /// `leaves` maps values of the function to what holds them in the kernel: views for arrays, scalars for
  /// scalars.
  Privatiser(mlir::OpBuilder &builder, const llvm::DenseMap<mlir::Value, mlir::Value> &leaves)
      : builder_(builder), leaves_(leaves), scopes_(1) {}
  /// The part: a scalar if every axis is a point, else an array of the other axes. Null after a diagnostic.
  mlir::Value part(mlir::Value value, const Indices &indices);
  /// The same tile of products that add up as many elements, all in one loop over steps of `T.k`. False after a diagnostic.
  bool addUp(llvm::ArrayRef<ir::graph::DotOp> dots, const Indices &indices);
  /// The tile of a product's operand (0: left, 1: right) whose inner axis lies at `depth`, where the product's lies at
  /// `indices`. What lies outside along the inner axis is 0. Null after a diagnostic.
  mlir::Value operandTile(ir::graph::DotOp dot, unsigned operand, const Indices &indices, const Index &depth);
  std::pair<mlir::Value, mlir::Value> windowTiles(struct SummedWindows sum, const Indices &indices, mlir::Value turn, mlir::Value steps);
  /// What is computed and given from here on is forgotten at `leave`: a loop's body, or a branch.
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  /// Likewise for `body` alone, which writes from the start of a block on.
  bool within(mlir::Block *block, llvm::function_ref<bool()> body) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(block);
    enter();
    bool done = body();
    leave();
    return done;
  }
  /// The part of `value` that this kernel asks for, whatever its indices, is `piece`.
  void give(mlir::Value value, mlir::Value piece) { scopes_.back().given[value] = piece; }
  /// What a view holds there; 0 where it lies outside along axis `masked`.
  mlir::Value loaded(mlir::Value view, const Indices &indices, mlir::Location loc, int64_t masked = -1);
  /// The type of a part: a tensor of the axes that are no points, or the element type.
  mlir::Type partType(mlir::Type type, const Indices &indices);
  mlir::Value zeroOf(mlir::Type type, mlir::Location loc);
  mlir::Value constantIndex(int64_t value, mlir::Location loc);
  mlir::Value dim(const Dim &dim, mlir::Location loc);
  mlir::Value arithmetic(llvm::StringRef mnemonic, mlir::Value a, mlir::Value b, mlir::Location loc);
  /// `naming`: each index is called after its dimension, r along R, or after its axis: row and col, i0, i1, i2.
  Indices delinearize(mlir::Value linear, llvm::ArrayRef<ir::DimAttr> extents, mlir::Location loc,
                      bool naming = false);
  /// One of two parts, by a condition that all elements share.
  mlir::Value branch(mlir::Operation *op, mlir::Type type, mlir::Value condition, llvm::function_ref<mlir::Value()> yes,
                     llvm::function_ref<mlir::Value()> no);

private:
  mlir::Value compute(mlir::Value value, const Indices &indices);
  mlir::Value chosen(ir::graph::ElementwiseOp op, mlir::Value condition, const Indices &indices);
  bool isMadeOf(mlir::Value value, mlir::Value other);
  mlir::Value scalar(mlir::Value value) { return part(value, {}); }
  mlir::Value broadcast(ir::graph::BroadcastOp op, const Indices &indices);
  mlir::Value reshape(ir::graph::ReshapeOp op, const Indices &indices);
  mlir::Value transpose(ir::graph::TransposeOp op, const Indices &indices);
  mlir::Value reduce(ir::graph::ReduceOp op, const Indices &indices);
  mlir::Value dot(ir::graph::DotOp op, const Indices &indices);
  mlir::Value termOfRow(ir::graph::DotOp dot, mlir::Value a, mlir::Value b);
  mlir::Value dotOperand(mlir::Value value, const Indices &indices, size_t axis, mlir::Location loc, bool hidesOutside = true);
  mlir::Value termsOf(ir::graph::DotOp dot, mlir::Type type, mlir::Value a, mlir::Value b, mlir::scf::ForOp loop);
  using Places = std::set<std::pair<const void *, int64_t>>;  // values, with an axis of each
  bool isZeroOutside(mlir::Value value, int64_t axis);
  bool isZeroOutside(mlir::Value value, int64_t axis, Places &met);
  mlir::Value concat(ir::graph::ConcatOp op, const Indices &indices, size_t first, size_t last);
  mlir::Value window(ir::graph::WindowOp op, const Indices &indices);
  mlir::Value gather(ir::graph::GatherOp op, const Indices &indices);
  mlir::Value slice(ir::graph::SliceOp op, const Indices &indices);
  /// Of a part in which axes are whole that are not asked for whole: what lies at their indices.
  mlir::Value picked(mlir::Value value, const Indices &opened, const Indices &indices, mlir::Location loc);
  mlir::Value failedAt(mlir::Operation *op, const llvm::Twine &why);

  mlir::OpBuilder &builder_;
  const llvm::DenseMap<mlir::Value, mlir::Value> &leaves_;
  using Key = std::pair<void *, std::vector<void *>>;
  static Key keyOf(mlir::Value value, const Indices &indices);
  struct Scope {
    std::map<Key, mlir::Value> done;
    llvm::DenseMap<mlir::Value, mlir::Value> given;
  };
  std::vector<Scope> scopes_;  // innermost branch last
};

/// Whether a slice ends along an axis of its base where the base ends: then nothing of the base lies behind it.
bool endsWithBase(ir::graph::SliceOp slice, size_t axis);

/// How the axes of a value relate to a kernel's groups, as in `Index`; for planning, without building anything.
enum class AxisKind : uint8_t { Private, Range, Whole };
using AxisKinds = llvm::SmallVector<AxisKind>;
/// The operand's axes when the result's are so; nothing if the op cannot be taken apart that way. A tile (some axis is a
/// range) is made of tiles alone: an operation that would need a whole axis for it has no answer.
std::optional<AxisKinds> operandAxes(mlir::Operation *op, unsigned operand, const AxisKinds &result);
/// Elements of a whole axis come from several rows of the operands: finding each costs a division or branch.
bool mixesRows(mlir::Operation *op, const AxisKinds &result);

}  // namespace tessera::transforms
