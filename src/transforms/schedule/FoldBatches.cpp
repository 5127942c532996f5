// Products of a batch with one matrix for all of it: [B, S, D] times [D, F] is [B*S, D] times [D, F]. The leading axes are
// counted together, through what follows the product element by element, so that its tiles are filled by all rows of the
// batch. A reshape of what lies in memory costs nothing; where one would have to move elements, the product stays as it is.
#include "ir/common/Names.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class BatchFolder {
public:
  explicit BatchFolder(graph::DotOp dot)
      : dot_(dot), builder_(dot), shape_(dot.getType().getShape()), lead_(shape_.size() - 2) {}

  void run() {
    Value matrix = oneForAll();
    if (!matrix || !canFold(dot_.getLhs()) || !findFollowers()) return;
    Type result = TensorType::get(dot_.getContext(), {rows(), shape_.back()}, dot_.getType().getElementType());
    Value product = builder_.create<graph::DotOp>(dot_.getLoc(), result, folded(dot_.getLhs()), matrix);
    replaced_.push_back({dot_.getResult(), product});
    folded_[dot_.getResult()] = product;
    for (Operation *op : followers_) {
      builder_.setInsertionPoint(op);
      replaced_.push_back({op->getResult(0), folded_[op->getResult(0)] = foldedCopy(op)});
    }
    for (auto [before, after] : replaced_) {  // what else uses them sees the batch
      for (Operation *user : llvm::make_early_inc_range(before.getUsers()))
        if (isa<graph::ReshapeOp>(user) && user->getResult(0).getType() == after.getType())
          user->getResult(0).replaceAllUsesWith(after);
      builder_.setInsertionPointAfterValue(after);
      Value seen = builder_.create<graph::ReshapeOp>(unnamed(before.getLoc()), before.getType(), after);
      before.replaceUsesWithIf(seen, [&](OpOperand &use) { return !isReplaced(use.getOwner()); });
    }
    for (auto [before, after] : llvm::reverse(replaced_)) before.getDefiningOp()->erase();
  }

private:
  bool isReplaced(Operation *op) { return op == dot_ || followers_.contains(op); }

  /// The extent of the leading axes and the rows together.
  DimAttr rows() {
    Dim count(1);
    for (size_t axis = 0; axis <= lead_; ++axis) count = count * shape_[axis].getDim();
    return DimAttr::get(dot_.getContext(), count);
  }
  bool hasLeadingAxes(Type type) {
    ArrayRef<DimAttr> shape = shapeOf(type);
    return shape.size() > lead_ && shape.take_front(lead_ + 1) == shape_.take_front(lead_ + 1);
  }
  Type foldedType(Type type) {
    SmallVector<DimAttr> shape{rows()};
    llvm::append_range(shape, shapeOf(type).drop_front(lead_ + 1));
    return TensorType::get(dot_.getContext(), shape, elementTypeOf(type));
  }

  /// The matrix that the right side repeats for the whole batch; null if it does not.
  Value oneForAll() {
    auto repeated = dot_.getRhs().getDefiningOp<graph::BroadcastOp>();
    if (!repeated || repeated.getOperand().getType().getRank() != 2) return {};
    ArrayRef<int64_t> axes = repeated.getAxes();
    ArrayRef<DimAttr> extents = repeated.getOperand().getType().getShape();
    bool isWhole = axes[0] == static_cast<int64_t>(lead_) && extents == shapeOf(dot_.getRhs().getType()).take_back(2);
    return isWhole ? repeated.getOperand() : Value();
  }

  /// What the product becomes element by element, as far as all that takes part can be folded; false if something cannot.
  bool findFollowers() {
    llvm::DenseSet<Value> made{dot_.getResult()};
    for (Operation *op = dot_->getNextNode(); op; op = op->getNextNode()) {
      bool follows = isa<graph::ElementwiseOp, graph::CastOp>(op) && shapeOf(op->getResult(0).getType()) == shape_ &&
                     llvm::any_of(op->getOperands(), [&](Value operand) { return made.contains(operand); });
      if (!follows) continue;
      for (Value operand : op->getOperands())
        if (!made.contains(operand) && !canFold(operand)) return false;
      made.insert(op->getResult(0));
      followers_.insert(op);
    }
    return true;
  }

  /// Its one use is work element by element that is folded with it.
  bool isPushedThrough(Value value) {
    Operation *op = value.getDefiningOp();
    return op && value.hasOneUse() && isa<graph::ElementwiseOp, graph::CastOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return canFold(operand) && !holdsReduction(operand); });
  }
  static bool holdsReduction(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<graph::DotOp>(op)) return false;
    return isa<graph::ReduceOp>(op) || llvm::any_of(op->getOperands(), holdsReduction);
  }

  enum class Repeated { No, Without, With };
  /// A broadcast along the leading axes alone, or of what has all of them.
  Repeated kindOf(graph::BroadcastOp op) {
    ArrayRef<DimAttr> from = op.getOperand().getType().getShape();
    bool without = true;
    for (int64_t axis : op.getAxes()) without &= axis > static_cast<int64_t>(lead_);
    if (without) return Repeated::Without;
    bool with = hasLeadingAxes(op.getOperand().getType()) && from.size() > lead_;
    for (size_t i = 0; with && i <= lead_; ++i) with = op.getAxes()[i] == static_cast<int64_t>(i);
    return with ? Repeated::With : Repeated::No;
  }

  bool canFold(Value value) {
    if (!hasLeadingAxes(value.getType())) return false;
    Operation *op = value.getDefiningOp();
    if (!op || isPushedThrough(value) || isa<graph::FullOp>(op)) return true;
    if (auto repeated = dyn_cast<graph::BroadcastOp>(op)) return kindOf(repeated) != Repeated::No;
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) return reshape.getOperand().getType() == foldedType(value.getType());
    // What is moved is read in the place where it lies; the rest is in memory, or will be.
    return !isa<graph::TransposeOp, graph::SliceOp, graph::WindowOp, graph::IotaOp, graph::ConcatOp>(op);
  }

  Value folded(Value value) {
    Value &known = folded_[value];
    if (known) return known;
    Operation *op = value.getDefiningOp();
    Type type = foldedType(value.getType());
    Location loc = value.getLoc();
    if (op && isPushedThrough(value)) {
      Value copy = foldedCopy(op);
      return folded_[value] = copy;
    }
    if (auto full = value.getDefiningOp<graph::FullOp>())
      return known = builder_.create<graph::FullOp>(loc, type, full.getOperand());
    if (auto reshape = value.getDefiningOp<graph::ReshapeOp>(); reshape && reshape.getOperand().getType() == type)
      return known = reshape.getOperand();
    if (auto repeated = value.getDefiningOp<graph::BroadcastOp>()) {
      bool with = kindOf(repeated) == Repeated::With;
      SmallVector<int64_t> axes;
      if (with) axes.push_back(0);
      for (int64_t axis : repeated.getAxes().drop_front(with ? lead_ + 1 : 0)) axes.push_back(axis - static_cast<int64_t>(lead_));
      Value from = with ? builder_.create<graph::ReshapeOp>(unnamed(loc), foldedType(repeated.getOperand().getType()),
                                                            repeated.getOperand())
                              .getResult()
                        : Value(repeated.getOperand());
      return folded_[value] = builder_.create<graph::BroadcastOp>(loc, type, from, axes);
    }
    return known = builder_.create<graph::ReshapeOp>(loc, type, value);
  }

  Value foldedCopy(Operation *op) {
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    state.addTypes(foldedType(op->getResult(0).getType()));
    for (Value operand : op->getOperands()) state.addOperands(folded(operand));
    return builder_.create(state)->getResult(0);
  }

  graph::DotOp dot_;
  OpBuilder builder_;
  ArrayRef<DimAttr> shape_;
  size_t lead_;
  llvm::SetVector<Operation *> followers_;
  llvm::DenseMap<Value, Value> folded_;
  SmallVector<std::pair<Value, Value>> replaced_;
};

}  // namespace

void foldBatches(graph::FuncOp function) {
  SmallVector<graph::DotOp> dots;
  function.walk([&](graph::DotOp dot) {
    if (dot.getType().getRank() > 2) dots.push_back(dot);
  });
  for (graph::DotOp dot : dots) BatchFolder(dot).run();
  function.walk([](Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op)) op.erase();
  });
}

}  // namespace tessera::transforms
