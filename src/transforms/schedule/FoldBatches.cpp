// Products, and what follows them element by element, in the shape in which they are tiles.
//
// A batch with one matrix for all of it, [B, S, D] times [D, F], is [B*S, D] times [D, F]: its tiles are filled by all rows
// of the batch. And a product that is seen under another shape, as a convolution's rows of pixels, stays in its own through
// what follows: the reshape moves behind it, as a transpose moves behind a cast of an operand. A reshape of what lies in memory costs nothing; where one would have to move
// elements, everything stays as it is.
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/WalkBack.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isByElement(Operation *op) { return isa<graph::ElementwiseOp, graph::CastOp>(op); }

/// Values of one shape with some neighbouring axes, `wide`, in the place of others of as many elements, `narrow`.
class AxisFolder {
public:
  AxisFolder(MLIRContext *context, size_t head, ArrayRef<DimAttr> wide, ArrayRef<DimAttr> narrow)
      : builder_(context), head_(head), wide_(wide), narrow_(narrow) {}

  /// Whether the value can be computed in the other shape without moving elements.
  bool canFold(Value value) {
    if (!hasWideAxes(value.getType())) return false;
    Operation *op = value.getDefiningOp();
    if (!op || isPushedThrough(value) || isa<graph::FullOp>(op)) return true;
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op))  // of what lies in memory, or will: another view of it
      return reshape.getOperand().getType() == foldedType(value.getType()) || isMadeByProduct(reshape.getOperand());
    if (auto repeated = dyn_cast<graph::BroadcastOp>(op)) return kindOf(repeated) != Repeated::Other;
    // Products that are put together lie in memory, for the product that reads them.
    if (auto joined = dyn_cast<graph::ConcatOp>(op)) return llvm::all_of(joined.getOperands(), isMadeByProduct);
    // What is moved is read in the place where it lies; the rest is in memory, or will be.
    return !isa<graph::TransposeOp, graph::SliceOp, graph::WindowOp, graph::IotaOp>(op);
  }

  /// The value in the other shape, made at `place`.
  Value folded(Value value, Operation *place) {
    builder_.setInsertionPoint(place);
    return folded(value);
  }

  /// What a value becomes element by element and in sums along its rows. With `all`, false if something that takes part in what
  /// it becomes element by element cannot be folded; other such work is left out.
  bool findFollowers(Value value, bool all) {
    llvm::DenseMap<Value, bool> made{{value, all}};  // whether all work that needs it has to follow
    auto isBefore = [](Operation *one, Operation *other) { return one->isBeforeInBlock(other); };
    std::set<Operation *, decltype(isBefore)> next(isBefore);  // users of what is made
    auto addUsers = [&](Value of) {
      for (Operation *user : of.getUsers())
        if (user->getBlock() == of.getParentBlock()) next.insert(user);
    };
    addUsers(value);
    while (!next.empty()) {
      Operation *op = *next.begin();
      next.erase(next.begin());
      bool hasToFollow = isByElement(op), folds = true;
      for (Value operand : op->getOperands())
        if (auto known = made.find(operand); known != made.end()) hasToFollow &= known->second;
      if (sumsWideAxes(op)) followers_.insert(op);
      if (!keepsWideAxes(op)) continue;
      for (Value operand : op->getOperands()) folds = folds && (made.contains(operand) || canFold(operand));
      if (!folds && hasToFollow) return false;
      if (!folds) continue;
      made[op->getResult(0)] = hasToFollow;
      followers_.insert(op);
      addUsers(op->getResult(0));
    }
    return true;
  }
  bool hasFollowers() const { return !followers_.empty(); }
  const llvm::SetVector<Operation *> &followers() const { return followers_; }

  /// `after` is `before` in the other shape: those that follow use it. The rest sees it as it was.
  void replace(Value before, Value after) {
    SmallVector<std::pair<Value, Value>> replaced{{before, after}};
    folded_[before] = after;
    for (Operation *op : followers_) {
      builder_.setInsertionPoint(op);
      auto repeated = dyn_cast<graph::BroadcastOp>(op);
      Value copy = repeated ? foldedBroadcast(repeated, foldedType(repeated.getType())) : foldedCopy(op);
      if (sumsWideAxes(op)) {
        op->getResult(0).replaceAllUsesWith(copy);
        continue;
      }
      folded_[op->getResult(0)] = copy;
      replaced.push_back({op->getResult(0), copy});
    }
    for (auto [old, made] : replaced) {
      for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
        if (isa<graph::ReshapeOp>(user) && user->getResult(0).getType() == made.getType())
          user->getResult(0).replaceAllUsesWith(made);
      builder_.setInsertionPointAfterValue(made);
      Value seen = builder_.create<graph::ReshapeOp>(unnamed(old.getLoc()), old.getType(), made);
      old.replaceUsesWithIf(seen, [&](OpOperand &use) { return !followers_.contains(use.getOwner()); });
    }
    for (Operation *op : llvm::reverse(followers_)) op->erase();
  }

private:
  /// What is done for each place of the wide axes by itself.
  bool keepsWideAxes(Operation *op) {
    if (isByElement(op)) return hasWideAxes(op->getResult(0).getType());
    if (auto reduce = dyn_cast<graph::ReduceOp>(op))
      return llvm::all_of(reduce.getAxes(), [&](int64_t axis) { return axis >= static_cast<int64_t>(head_ + wide_.size()); });
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op))  // of the other axes
      return hasWideAxes(reshape.getOperand().getType()) && hasWideAxes(reshape.getType());
    auto repeated = dyn_cast<graph::BroadcastOp>(op);
    return repeated && kindOf(repeated) == Repeated::Of;
  }
  /// The wide axes are gone in its result, all of them.
  bool sumsWideAxes(Operation *op) {
    auto reduce = dyn_cast<graph::ReduceOp>(op);
    return reduce && static_cast<size_t>(llvm::count_if(reduce.getAxes(), [&](int64_t axis) { return isWide(axis); })) == wide_.size();
  }
  bool hasWideAxes(Type type) {
    ArrayRef<DimAttr> shape = shapeOf(type);
    return shape.size() >= head_ + wide_.size() && shape.slice(head_, wide_.size()) == ArrayRef(wide_);
  }
  Type foldedType(Type type) {
    ArrayRef<DimAttr> shape = shapeOf(type);
    SmallVector<DimAttr> folded(shape.take_front(head_));
    llvm::append_range(folded, narrow_);
    llvm::append_range(folded, shape.drop_front(head_ + wide_.size()));
    return TensorType::get(type.getContext(), folded, elementTypeOf(type));
  }

  /// Work element by element with one use, or none to speak of: it is done in the other shape.
  bool isPushedThrough(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isByElement(op) || !(value.hasOneUse() || isa<graph::CastOp>(op))) return false;
    if (auto known = pushed_.find(value); known != pushed_.end()) return known->second;
    bool pushed = llvm::all_of(op->getOperands(), [&](Value operand) { return canFold(operand) && !holdsReduction(operand); });
    return pushed_[value] = pushed;
  }
  /// A product as it is stored: seen in another order or shape, and rounded.
  static bool isMadeByProduct(Value value) { return productUnder<graph::CastOp>(value) != nullptr; }
  static bool holdsReduction(Value value) {
    bool found = false;
    walkBack(value, [&](Value each) {
      Operation *op = each.getDefiningOp();
      found = found || isa_and_nonnull<graph::ReduceOp>(op);
      return !found && op && !isa<graph::DotOp>(op);
    });
    return found;
  }

  /// A broadcast along all the wide axes, or of what has them, in order.
  enum class Repeated { Along, Of, Other };
  Repeated kindOf(graph::BroadcastOp op) {
    size_t inside = 0;
    for (int64_t axis : op.getAxes()) inside += isWide(axis);
    if (inside == 0) return Repeated::Along;
    bool has = inside == wide_.size() && op.getAxes().size() >= head_ + inside;
    for (size_t i = 0; has && i < head_ + inside; ++i) has = op.getAxes()[i] == static_cast<int64_t>(i);
    return has && hasWideAxes(op.getOperand().getType()) ? Repeated::Of : Repeated::Other;
  }
  /// By how many places the axes behind the wide ones move.
  int64_t moved() const { return static_cast<int64_t>(narrow_.size()) - static_cast<int64_t>(wide_.size()); }
  bool isWide(int64_t axis) {
    return axis >= static_cast<int64_t>(head_) && axis < static_cast<int64_t>(head_ + wide_.size());
  }

  Value folded(Value value) {
    if (Value known = folded_.lookup(value)) return known;
    Operation *op = value.getDefiningOp();
    Type type = foldedType(value.getType());
    Location loc = value.getLoc();
    Value made;
    if (op && isPushedThrough(value)) made = foldedCopy(op);
    else if (auto full = dyn_cast_or_null<graph::FullOp>(op)) made = builder_.create<graph::FullOp>(loc, type, full.getOperand());
    else if (auto reshape = dyn_cast_or_null<graph::ReshapeOp>(op); reshape && reshape.getOperand().getType() == type)
      made = reshape.getOperand();
    else if (auto repeated = dyn_cast_or_null<graph::BroadcastOp>(op)) made = foldedBroadcast(repeated, type);
    else made = builder_.create<graph::ReshapeOp>(loc, type, value);
    return folded_[value] = made;
  }

  Value foldedBroadcast(graph::BroadcastOp op, Type type) {
    Value from = op.getOperand();
    SmallVector<int64_t> axes;
    for (int64_t axis : op.getAxes())
      if (!isWide(axis)) axes.push_back(axis < static_cast<int64_t>(head_) ? axis : axis + moved());
    if (kindOf(op) == Repeated::Of) {
      from = folded(from);
      for (size_t i = 0; i < narrow_.size(); ++i) axes.push_back(static_cast<int64_t>(head_ + i));
      llvm::sort(axes);
    }
    return builder_.create<graph::BroadcastOp>(op.getLoc(), type, from, axes);
  }

  Value foldedCopy(Operation *op) {
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    bool sums = sumsWideAxes(op);
    state.addTypes(sums ? op->getResult(0).getType() : foldedType(op->getResult(0).getType()));
    for (Value operand : op->getOperands()) state.addOperands(folded(operand));
    Operation *copy = builder_.create(state);
    if (auto reduce = dyn_cast<graph::ReduceOp>(copy)) {
      SmallVector<int64_t> axes;
      for (int64_t axis : reduce.getAxes())
        if (!isWide(axis)) axes.push_back(axis < static_cast<int64_t>(head_) ? axis : axis + moved());
      for (size_t i = 0; sums && i < narrow_.size(); ++i) axes.push_back(static_cast<int64_t>(head_ + i));
      llvm::sort(axes);
      reduce.setAxes(axes);
    }
    return copy->getResult(0);
  }

  OpBuilder builder_;
  size_t head_;
  SmallVector<DimAttr> wide_, narrow_;
  llvm::SetVector<Operation *> followers_;
  llvm::DenseMap<Value, Value> folded_;
  llvm::DenseMap<Value, bool> pushed_;  // what was found, as a value may be reached in many ways
};

/// The matrix that the right side repeats for the whole batch; null if it does not.
Value oneForAll(graph::DotOp dot) {
  auto repeated = dot.getRhs().getDefiningOp<graph::BroadcastOp>();
  if (!repeated || repeated.getOperand().getType().getRank() != 2) return {};
  ArrayRef<DimAttr> extents = repeated.getOperand().getType().getShape();
  bool isWhole = repeated.getAxes()[0] == static_cast<int64_t>(dot.getType().getRank()) - 2 &&
                 extents == shapeOf(dot.getRhs().getType()).take_back(2);
  return isWhole ? repeated.getOperand() : Value();
}

void foldBatch(graph::DotOp dot) {
  Value matrix = oneForAll(dot);
  if (!matrix) return;
  ArrayRef<DimAttr> shape = dot.getType().getShape();
  Dim count(1);
  for (DimAttr extent : shape.drop_back()) count = count * extent.getDim();
  DimAttr rows = DimAttr::get(dot.getContext(), count);
  AxisFolder folder(dot.getContext(), 0, shape.drop_back(), rows);
  if (!folder.canFold(dot.getLhs()) || !folder.findFollowers(dot.getResult(), /*all=*/true)) return;
  Type type = TensorType::get(dot.getContext(), {rows, shape.back()}, dot.getType().getElementType());
  Value left = folder.folded(dot.getLhs(), dot);
  Value product = addedUpAs(dot, OpBuilder(dot).create<graph::DotOp>(dot.getLoc(), type, left, matrix));
  folder.replace(dot.getResult(), product);
  dot.erase();
}

/// A transposed operand in another dtype is transposed last: the product reads tiles in either order.
void transposeLast(OpOperand &operand) {
  auto cast = operand.get().getDefiningOp<graph::CastOp>();
  auto transpose = cast ? cast.getOperand().getDefiningOp<graph::TransposeOp>() : graph::TransposeOp();
  if (!transpose) return;
  OpBuilder builder(cast);
  Type type = withElementType(transpose.getOperand().getType(), elementTypeOf(cast.getType()));
  Value inner = builder.create<graph::CastOp>(cast.getLoc(), type, transpose.getOperand(), cast.getRoundingAttr(),
                                              cast.getSaturateAttr());
  operand.set(builder.create<graph::TransposeOp>(transpose.getLoc(), cast.getType(), inner, transpose.getPermAttr()));
}

bool isOfProduct(Value value) {
  bool found = false;
  walkBack(value, [&](Value each) {
    Operation *op = each.getDefiningOp();
    if (auto dot = dyn_cast_or_null<graph::DotOp>(op)) {  // one that will be tiles, no sums of rows (VectorDots.cpp)
      ArrayRef<DimAttr> shape = dot.getType().getShape();
      found |= !isUnit(shape[shape.size() - 2]) && !isUnit(shape.back()) && !isUnit(shapeOf(dot.getLhs().getType()).back());
      return false;
    }
    return !found && op && isByElement(op);
  });
  return found;
}

/// A product under another shape: what follows it element by element comes before the reshape.
void sinkReshape(graph::ReshapeOp reshape, llvm::DenseSet<Operation *> &gone) {
  if (!isOfProduct(reshape.getOperand())) return;
  ArrayRef<DimAttr> narrow = shapeOf(reshape.getOperand().getType()), wide = shapeOf(reshape.getType());
  size_t head = 0, tail = 0, least = std::min(narrow.size(), wide.size());
  while (head < least && narrow[head] == wide[head]) ++head;
  while (tail < least - head && narrow[narrow.size() - 1 - tail] == wide[wide.size() - 1 - tail]) ++tail;
  AxisFolder folder(reshape.getContext(), head, wide.drop_front(head).drop_back(tail),
                    narrow.drop_front(head).drop_back(tail));
  if (!folder.findFollowers(reshape.getResult(), /*all=*/false) || !folder.hasFollowers()) return;
  gone.insert(folder.followers().begin(), folder.followers().end());
  folder.replace(reshape.getResult(), reshape.getOperand());
}

}  // namespace

void foldBatches(graph::FuncOp function) {
  SmallVector<graph::DotOp> dots;
  SmallVector<graph::ReshapeOp> reshapes;
  llvm::DenseSet<Operation *> chained;  // products of one kernel, which find each other by their axes
  function.walk([&](graph::DotOp dot) {
    std::optional<Chain> chain = chainOf(dot);
    if (!chain) return;
    chained.insert(dot);
    chained.insert(chain->body.begin(), chain->body.end());
  });
  function.walk([&](graph::DotOp dot) {
    if (dot.getType().getRank() > 2 && !chained.contains(dot)) dots.push_back(dot);
    for (OpOperand &operand : dot->getOpOperands()) transposeLast(operand);
  });
  for (graph::DotOp dot : dots) foldBatch(dot);
  function.walk([&](graph::ReshapeOp reshape) {
    while (auto inner = reshape.getOperand().getDefiningOp<graph::ReshapeOp>())
      reshape.getOperandMutable().assign(inner.getOperand());
    reshapes.push_back(reshape);
  });
  llvm::DenseSet<Operation *> gone;  // they followed another one
  for (graph::ReshapeOp reshape : reshapes)
    if (!gone.contains(reshape)) sinkReshape(reshape, gone);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);  // also what nobody uses any more
}

}  // namespace tessera::transforms
