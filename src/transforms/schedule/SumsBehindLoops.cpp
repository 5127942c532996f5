// Products that the turns of a loop add up are one product behind it. The derivative by a recurrence's weights is the sum of `h[t].T @ dz[t]`
// over all t, each of few rows; all h and dz lie in memory when the loop has ended, and their rows are those of two matrices.
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Known.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// An array whose part at each turn is a matrix of the turn, which is then rounded or turned.
struct Stacked {
  Value array;
  SmallVector<Operation *> behind;  // casts and transposes of a turn's matrix, the last one first
  bool isBack = false;              // turns take the parts from the last to the first
};

class SumBehindLoop {
public:
  SumBehindLoop(scf::ForOp loop, graph::FuncOp function) : loop_(loop), function_(function) {}

  /// Whether a sum stands behind the loop now.
  bool run() {
    auto first = dimOf(loop_.getLowerBound(), function_), step = dimOf(loop_.getStep(), function_);
    turns_ = dimOf(loop_.getUpperBound(), function_);
    if (!first || !(*first == Dim(0)) || !step || !(*step == Dim(1)) || !turns_) return false;
    bool any = false;
    for (unsigned number = 0; number < loop_.getNumResults(); ++number) any |= move(number);
    return any;
  }

private:
  bool move(unsigned number) {
    Value sum = loop_.getRegionIterArgs()[number];
    auto added = loop_.getYieldedValues()[number].getDefiningOp<graph::ElementwiseOp>();
    if (!sum.hasOneUse() || !added || added.getMnemonic() != "add" || *sum.user_begin() != added.getOperation() || !added->hasOneUse()) return false;
    auto dot = added->getOperand(added->getOperand(0) == sum ? 1 : 0).getDefiningOp<graph::DotOp>();
    if (!dot || !dot->hasOneUse() || dot->getBlock() != loop_.getBody() || dot.getType().getRank() != 2 || dot.hasTerm()) return false;
    std::optional<Stacked> left = stackedOf(dot.getLhs()), right = stackedOf(dot.getRhs());
    if (!left || !right || left->isBack != right->isBack || !isTurned(*left) || isTurned(*right)) return false;
    OpBuilder after(loop_->getContext());
    after.setInsertionPointAfter(loop_);
    Value rows = rowsOf(after, *left), others = rowsOf(after, *right);
    SmallVector<DimAttr> turned(llvm::reverse(shapeOf(rows.getType())));
    Type type = TensorType::get(loop_->getContext(), turned, elementTypeOf(rows.getType()));
    Value lhs = after.create<graph::TransposeOp>(dot.getLoc(), type, rows, SmallVector<int64_t>{1, 0});
    Value all = addedUpAs(dot, after.create<graph::DotOp>(dot.getLoc(), dot.getType(), lhs, others)).getResult();
    if (!isZeros(loop_.getInitArgs()[number])) all = after.create<graph::ElementwiseOp>(added.getLoc(), all.getType(), "add", ValueRange{loop_.getInitArgs()[number], all});
    loop_.getResult(number).replaceAllUsesWith(all);
    loop_.getBody()->getTerminator()->setOperand(number, sum);
    return true;
  }

  static bool isTurned(const Stacked &stacked) {
    return llvm::count_if(stacked.behind, [](Operation *op) { return isa<graph::TransposeOp>(op); }) % 2 == 1;
  }

  std::optional<Stacked> stackedOf(Value value) {
    Stacked stacked;
    while (Operation *op = value.getDefiningOp()) {
      auto cast = dyn_cast<graph::CastOp>(op);
      if (op->getBlock() != loop_.getBody() || !(isa<graph::TransposeOp>(op) || (cast && !cast.getRoundingAttr() && !cast.getSaturate()))) break;
      if (storedBy(value, stacked.isBack)) break;
      stacked.behind.push_back(op);
      value = op->getOperand(0);
    }
    if (shapeOf(value.getType()).size() != 2) return std::nullopt;
    stacked.array = partOf(value.getDefiningOp<graph::SliceOp>(), stacked.isBack);
    if (!stacked.array) stacked.array = storedBy(value, stacked.isBack);
    return stacked.array ? std::optional(std::move(stacked)) : std::nullopt;
  }

  /// The array from before the loop of which the slice is the part of the turn.
  Value partOf(graph::SliceOp slice, bool &isBack) {
    if (!slice || slice->getBlock() != loop_.getBody() || slice.getBase().getParentBlock() == loop_.getBody()) return {};
    ArrayRef<DimAttr> shape = shapeOf(slice.getBase().getType());
    if (shape.size() != 3 || !(shape[0].getDim() == *turns_)) return {};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == 0 ? !slice.getPoints()[axis] : slice.getPoints()[axis]) return {};
      auto from = dimOf(slice.getOffsets()[axis], function_);
      if (axis > 0 && (!from || !(*from == Dim(0)) || slice.getSteps()[axis] != 1 || !(slice.getSizes().getDims()[axis] == shape[axis]))) return {};
    }
    return isTurn(slice.getOffsets()[0], isBack) ? slice.getBase() : Value();
  }

  /// The result of the loop in whose part of the turn the value is stored: alone, or added to the zeros that are there.
  Value storedBy(Value value, bool &isBack) {
    for (Operation &op : *loop_.getBody()) {
      std::optional<Update> update = updateBy(&op);
      if (!update || update->starts.size() != 3 || !update->starts[0] || update->starts[1] || update->starts[2]) continue;
      for (unsigned number = 0; number < loop_.getNumResults(); ++number) {
        Value old = loop_.getRegionIterArgs()[number];
        if (update->old != old || loop_.getYieldedValues()[number] != op.getResult(0)) continue;
        bool isWhole = update->sizes[1] == shapeOf(old.getType())[1].getDim() && update->sizes[2] == shapeOf(old.getType())[2].getDim();
        if (isWhole && shapeOf(old.getType())[0].getDim() == *turns_ && isTurn(update->starts[0], isBack) && stores(*update, value, number)) return loop_.getResult(number);
      }
    }
    return {};
  }
  bool stores(const Update &update, Value value, unsigned number) {
    Value stored = sourceOf(update.value);
    if (stored == value) return true;
    auto sum = stored.getDefiningOp<graph::ElementwiseOp>();
    if (!sum || sum.getMnemonic() != "add" || !isZeros(loop_.getInitArgs()[number])) return false;
    for (unsigned i : {0, 1}) {
      auto before = sum->getOperand(i).getDefiningOp<graph::SliceOp>();
      if (sum->getOperand(1 - i) == value && before && before.getBase() == update.old && before.getPoints()[0] && before.getOffsets()[0] == update.starts[0]) return true;
    }
    return false;
  }

  /// The number of the turn, or of the turns that are left behind it.
  bool isTurn(Value index, bool &isBack) {
    while (auto cast = index.getDefiningOp<graph::CastOp>()) index = cast.getOperand();
    isBack = index != loop_.getInductionVar();
    if (!isBack) return true;
    auto difference = index.getDefiningOp<graph::ElementwiseOp>();
    if (!difference || difference.getMnemonic() != "sub" || difference->getOperand(1) != loop_.getInductionVar()) return false;
    auto last = dimOf(difference->getOperand(0), function_);
    return last && *last == *turns_ - Dim(1);
  }

  /// The rows of all turns, one behind the other, rounded as those of a turn are.
  Value rowsOf(OpBuilder &after, const Stacked &stacked) {
    Value all = stacked.array;
    for (Operation *op : llvm::reverse(stacked.behind)) {
      auto cast = dyn_cast<graph::CastOp>(op);
      if (!cast) continue;
      Type type = withElementType(all.getType(), elementTypeOf(cast.getType()));
      all = castHere(after, all, type, unnamed(op->getLoc()));
    }
    ArrayRef<DimAttr> shape = shapeOf(all.getType());
    SmallVector<DimAttr> rows{DimAttr::get(loop_->getContext(), shape[0].getDim() * shape[1].getDim()), shape[2]};
    return after.create<graph::ReshapeOp>(unnamed(loop_->getLoc()), TensorType::get(loop_->getContext(), rows, elementTypeOf(all.getType())), all);
  }
  scf::ForOp loop_;
  graph::FuncOp function_;
  std::optional<Dim> turns_;
};

}  // namespace

void sumBehindLoops(graph::FuncOp function) {
  bool any = false;
  function.walk([&](scf::ForOp loop) { any |= SumBehindLoop(loop, function).run(); });
  if (any) eraseUnused(function);
}

}  // namespace tessera::transforms
