// What a loop carries in f32, although every turn rounds it to 16 bits, is carried in 16 bits: half as much is stored and read again,
// and the product of the next turn takes it as it lies. An accumulator, which is not rounded, stays as exact as it is.
#include "ir/common/BitCasts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// One carried value of a loop, and the narrower dtype whose numbers alone it has.
class NarrowCarry {
public:
  NarrowCarry(scf::ForOp loop, unsigned number) : loop_(loop), number_(number), argument_(loop.getRegionIterArgs()[number]) {}

  /// Whether there is one, and the loop carries it now.
  bool run() {
    auto wide = dyn_cast<TensorType>(argument_.getType());
    if (!wide || !wide.getElementType().isF32() || wide.getRank() == 0 || isReadWhereUpdated()) return false;
    Value init = loop_.getInitArgs()[number_], yielded = loop_.getYieldedValues()[number_], result = loop_.getResult(number_);
    if (!isRounded(yielded) || !narrow_ || !isRounded(init)) return false;
    Type narrow = withElementType(wide, narrow_);
    auto widened = [&](OpBuilder &builder, Value value) {
      auto cast = builder.create<graph::CastOp>(value.getLoc(), wide, value, StringAttr(), UnitAttr());
      value.replaceAllUsesExcept(cast.getResult(), cast);
      value.setType(narrow);
    };
    OpBuilder inside = OpBuilder::atBlockBegin(loop_.getBody()), after(loop_->getContext());
    after.setInsertionPointAfter(loop_);
    widened(inside, argument_);
    widened(after, result);
    loop_.getInitArgsMutable()[number_].set(narrowed(init));
    loop_.getBody()->getTerminator()->setOperand(number_, narrowed(loop_.getYieldedValues()[number_]));
    return true;
  }

private:
  /// An array whose elements are read while turns update it: they are read where it lies, and not through a cast of the whole.
  bool isReadWhereUpdated() {
    bool isUpdated = llvm::any_of(argument_.getUsers(), [](Operation *user) { return user->hasAttr(kUpdate); });
    return isUpdated && !argument_.hasOneUse();
  }

  /// `value` in the narrower dtype, without rounding it again.
  Value narrowed(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast<graph::CastOp>(op); cast && elementTypeOf(cast.getOperand().getType()) == narrow_) return cast.getOperand();
    OpBuilder builder(op);
    Type type = withElementType(value.getType(), narrow_);
    bool isUpdate = op->hasAttr(kUpdate);
    if (!isUpdate && !isa<graph::BroadcastOp, graph::ReshapeOp>(op)) {
      builder.setInsertionPointAfter(op);
      return builder.create<graph::CastOp>(value.getLoc(), type, value, StringAttr(), UnitAttr());
    }
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : llvm::drop_begin(operands, isUpdate ? 1 : 0)) operand = narrowed(operand);
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  /// Every element is a number of the narrower dtype, which the first cast names.
  bool isRounded(Value value) {
    if (value == argument_) return true;
    Operation *op = value.getDefiningOp();
    if (!op) return false;
    if (auto known = known_.find(value); known != known_.end()) return known->second;
    return known_[value] = isRoundedBy(op);
  }
  bool isRoundedBy(Operation *op) {
    if (auto cast = dyn_cast<graph::CastOp>(op)) {
      Type from = elementTypeOf(cast.getOperand().getType());
      if ((!from.isBF16() && !from.isF16()) || cast.getRounding() == kBits) return false;
      if (!narrow_) narrow_ = from;
      return narrow_ == from;
    }
    if (auto full = dyn_cast<graph::FullOp>(op)) {
      auto constant = full.getOperand().getDefiningOp<graph::ConstantOp>();
      auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
      return number && (number.getValue().isPosZero() || number.getValueAsDouble() == 1.0);
    }
    if (isa<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp>(op)) return isRounded(op->getOperand(0));
    auto element = dyn_cast<graph::ElementwiseOp>(op);
    if (!element) return false;
    if (element.getMnemonic() == "select") return isRounded(op->getOperand(1)) && isRounded(op->getOperand(2));
    return llvm::is_contained({"max", "min", "neg", "abs"}, element.getMnemonic()) && llvm::all_of(op->getOperands(), [&](Value operand) { return isRounded(operand); });
  }

  scf::ForOp loop_;
  unsigned number_;
  Value argument_;
  Type narrow_;
  llvm::DenseMap<Value, bool> known_;
};

}  // namespace

void narrowCarries(graph::FuncOp function) {
  bool any = false;
  function.walk([&](scf::ForOp loop) {
    for (unsigned number = 0; number < loop.getNumResults(); ++number) any |= NarrowCarry(loop, number).run();
  });
  if (any) eraseUnused(function);
}

}  // namespace tessera::transforms
