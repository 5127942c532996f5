#include "transforms/tile/LeavesNarrow.h"
#include "ir/common/BitCasts.h"
#include "ir/common/Common.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

std::optional<double> constantOf(Value value) {
  if (auto fill = value.getDefiningOp<tile::FillOp>()) value = fill.getValue();
  auto constant = value.getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

namespace {

bool isFloat(Value value) { return isa<FloatType>(elementTypeOf(value.getType())); }
bool isNarrowFloat(Value value) { return isFloat(value) && elementTypeOf(value.getType()).getIntOrFloatBitWidth() <= 16; }

/// What an operation on a region's results hands on: the result and, in a loop, the next iteration's argument.
SmallVector<Value> yieldedTo(OpOperand &use) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned index = use.getOperandNumber();
  SmallVector<Value> values = {parent->getResult(index)};
  if (auto loop = dyn_cast<scf::ForOp>(parent)) values.push_back(loop.getRegionIterArg(index));
  return values;
}

/// Whether a value is computed from powers and numbers that are not negative alone, so that sums of it cancel nothing.
class NotNegative {
public:
  bool holds(Value value) {
    if (!assumed_.insert(value).second) return true;  // around a loop
    if (std::optional<double> number = constantOf(value)) return *number >= 0;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      return init && holds(init->get()) && holds(loop.getTiedLoopYieldedValue(argument)->get());
    }
    Operation *op = value.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) return holds(loop.getRegionIterArg(cast<OpResult>(value).getResultNumber()));
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) return holds(broadcast.getValue());
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) return reduce.getReduction() == "sum" && holds(reduce.getValue());
    if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return reduce.getReduction() == "sum" && holds(reduce.getValue());
    auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
    if (!elementwise) return false;
    StringRef what = elementwise.getMnemonic();
    if (what == "exp" || what == "exp2") return true;
    return (what == "add" || what == "mul") && llvm::all_of(elementwise.getArgs(), [&](Value arg) { return holds(arg); });
  }

private:
  DenseSet<Value> assumed_;
};

/// A small relative error of what is under a logarithm is a small error of it.
bool isLogarithm(Operation *op) {
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  return elementwise && (elementwise.getMnemonic() == "log" || elementwise.getMnemonic() == "log2");
}

/// Whether a small relative error of weights stays one in all that they reach, until that is rounded to 16 bits or fewer.
/// Sums of them have no larger error than they and may leave as they are.
class LeavesNarrow {
public:
  LeavesNarrow(Value weights, bool areAtMostOne) : areAtMostOne_(areAtMostOne), holds_(follow(weights)) {}
  explicit operator bool() const { return holds_ && isRounded_; }

private:
  bool follow(Value value) {
    if (!seen_.insert(value).second) return true;  // around a loop
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return holds(use); });
  }
  bool holds(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto cast = dyn_cast<tile::CastOp>(op)) {
      Value result = cast.getResult();
      if (cast.getRounding() == kBits) return false;
      if (!isNarrowFloat(result)) return isFloat(result) && follow(result);
      return isRounded_ = true;
    }
    if (isa<scf::YieldOp>(op)) return llvm::all_of(yieldedTo(use), [&](Value next) { return follow(next); });
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) return follow(broadcast.getResult());
    if (areAtMostOne_ && isa<tile::StoreColumnSumsOp>(op)) return true;  // their errors add up as their roundings do
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) return keepsSum(reduce);
    if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return keepsSum(reduce);
    auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
    return elementwise && keeps(elementwise, use.getOperandNumber()) && follow(elementwise.getResult());
  }
  template <class Reduce> bool keepsSum(Reduce reduce) {
    if (reduce.getReduction() != "sum" || !NotNegative().holds(reduce.getValue())) return false;
    follow(reduce.getResult());  // what it scales may be rounded
    isRounded_ |= !reduce.getResult().use_empty() && llvm::all_of(reduce.getResult().getUsers(), isLogarithm);
    return true;
  }
  /// A result's relative error is at most the sum of its operands'.
  bool keeps(tile::ElementwiseOp op, unsigned operand) {
    StringRef what = op.getMnemonic();
    if (what == "select") return operand != 0;
    if (what == "mul" || what == "div") return true;
    if (areAtMostOne_ && (what == "add" || what == "sub")) return true;
    if (what == "add") return llvm::all_of(op.getArgs(), [](Value arg) { return NotNegative().holds(arg); });
    return (what == "max" || what == "min") && llvm::any_of(op.getArgs(), [](Value arg) { return constantOf(arg).has_value(); });
  }

  bool areAtMostOne_;
  DenseSet<Value> seen_;
  bool isRounded_ = false;  // some of it leaves in 16 bits, or as the logarithm of a sum
  bool holds_;
};

/// Whether a value leaves only in 16 bits or fewer, or in sums of columns, and no branch or comparison asks for it on the way.
class LeavesRounded {
public:
  /// `isSum`: over a row, whose terms are added up in an order of the machine's, so that more may become of it.
  bool follow(Value value, bool isSum = false) {
    if (!seen_.insert({value.getAsOpaquePointer(), isSum}).second) return true;  // around a loop
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return holds(use, isSum); });
  }
  bool isRounded() const { return isRounded_; }

private:
  bool holds(OpOperand &use, bool isSum) {
    Operation *op = use.getOwner();
    if (auto cast = dyn_cast<tile::CastOp>(op)) {
      Value result = cast.getResult();
      if (cast.getRounding() == kBits) return false;
      if (!isNarrowFloat(result)) return isFloat(result) && follow(result, isSum);
      return isRounded_ = true;
    }
    if (isa<scf::YieldOp>(op)) return llvm::all_of(yieldedTo(use), [&](Value next) { return follow(next, isSum); });
    if (isa<tile::StoreColumnSumsOp, tile::AddColumnOp>(op)) return true;  // their errors add up as their roundings do
    if (auto reduce = dyn_cast<tile::GroupReduceOp>(op)) return follow(reduce.getResult(), isSum || reduce.getReduction() == "sum");
    auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
    if (!elementwise) return false;
    StringRef what = elementwise.getMnemonic();
    const bool isKept = keeps(what, use.getOperandNumber()) || (isSum && (what == "div" || what == "sqrt" || what == "rsqrt"));
    return isKept && follow(elementwise.getResult(), isSum);
  }
  static bool keeps(StringRef what, unsigned operand) {
    if (what == "select") return operand != 0;
    if (what == "div") return operand == 0;
    return llvm::is_contained({"add", "sub", "mul", "neg", "abs", "max", "min", "exp", "exp2", "sigmoid", "tanh"}, what);
  }

  std::set<std::pair<void *, bool>> seen_;
  bool isRounded_ = false;
};

}  // namespace

bool leavesRounded(Value value) {
  LeavesRounded uses;
  return uses.follow(value) && uses.isRounded();
}

bool leavesNarrow(Value value, bool isAtMostOne) { return static_cast<bool>(LeavesNarrow(value, isAtMostOne)); }

}  // namespace tessera::transforms
