// Values are rounded before they are moved.
//
// A product that becomes heads, `cast(transpose(reshape(x @ w)))`, is rounded where it is made and stored in as few bits; whoever
// reads heads finds them there. The same for the parts of a value, q, k and v of one product, if all of them are rounded alike; and
// for products that are put together, the derivatives by q, k and v. Sums over their rows stay as exact as they are (SumParts.cpp):
// where tiles are in registers as f32, their sums come from there. What windows see, with zeros around it, is rounded before they look: once,
// and not in each place of a window.
#include "ir/graph/Graph.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Known.h"
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isMovement(Operation *op) { return isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp, graph::SliceOp>(op); }

bool isNarrowing(graph::CastOp cast) {
  return isa<TensorType>(cast.getType()) && bitsOf(cast.getType()) < bitsOf(cast.getOperand().getType());
}

bool roundAlike(graph::CastOp one, graph::CastOp other) {
  return one->getAttrs() == other->getAttrs() && elementTypeOf(one.getType()) == elementTypeOf(other.getType());
}

/// The casts of all that is read of the operand of a movement, if each is rounded by one and all alike; otherwise none. It may be rounded
/// unmoved, too. Sums over the rows of a product do not count.
SmallVector<graph::CastOp> castsOf(Value moved) {
  SmallVector<graph::CastOp> casts;
  for (Operation *user : moved.getUsers()) {
    if (isSumOfTiles(user)) continue;
    auto cast = dyn_cast<graph::CastOp>(isMovement(user) && user->hasOneUse() ? *user->user_begin() : user);
    bool fits = cast && isNarrowing(cast) && cast->getBlock() == moved.getParentBlock() && (casts.empty() || roundAlike(cast, casts[0]));
    if (!fits) return {};
    casts.push_back(cast);
  }
  return casts;
}

/// Windows of a value, moved or not.
bool seesWindows(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<graph::WindowOp>(op)) return true;
  return isMovement(op) && seesWindows(op->getOperand(0));
}

/// What the cast makes of the value, rounded under windows, under what moves it and under what is put around it.
Value roundedUnder(graph::CastOp cast, Value value) {
  Operation *op = value.getDefiningOp();
  Type type = withElementType(value.getType(), elementTypeOf(cast.getType()));
  if (auto widened = dyn_cast_or_null<graph::CastOp>(op); widened && widened.getOperand().getType() == type && isa_and_nonnull<graph::FullOp>(widened.getOperand().getDefiningOp()))
    return widened.getOperand();  // zeros
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  if (isZeros(value)) {
    Type element = elementTypeOf(type);
    return builder.create<graph::FullOp>(value.getLoc(), type, builder.create<graph::ConstantOp>(value.getLoc(), element, builder.getZeroAttr(element)));
  }
  if (!isMovement(op) && !isa_and_nonnull<graph::WindowOp, graph::ConcatOp>(op)) return castHere(builder, value, type, value.getLoc());
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : operands)
    if (isa<TensorType>(operand.getType())) operand = roundedUnder(cast, operand);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

struct RoundEarly : PassWrapper<RoundEarly, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundEarly)
  StringRef getArgument() const override { return "graph-round-early"; }
  StringRef getDescription() const override { return "casts to fewer bits before transposes, reshapes, slices and windows"; }
  void runOnOperation() override {
    SmallVector<graph::CastOp> ofWindows;
    getOperation().walk([&](graph::CastOp cast) {
      if (isNarrowing(cast) && !cast.getRoundingAttr() && !cast.getSaturate() && seesWindows(cast.getOperand())) ofWindows.push_back(cast);
    });
    for (graph::CastOp cast : ofWindows) {
      cast.getResult().replaceAllUsesWith(roundedUnder(cast, cast.getOperand()));
      cast.erase();
    }
    if (!ofWindows.empty()) eraseUnused(getOperation());
    llvm::SetVector<Operation *> next;
    getOperation().walk([&](graph::CastOp cast) { next.insert(cast); });
    while (!next.empty()) {
      auto cast = ::llvm::cast<graph::CastOp>(next.pop_back_val());
      Operation *movement = cast.getOperand().getDefiningOp();
      if (isNarrowing(cast) && isRoundedAlone(movement)) {
        for (graph::CastOp each : apart(cast, cast_or_null<graph::ConcatOp>(movement))) next.insert(each);
        continue;
      }
      if (!isNarrowing(cast) || !isMovement(movement)) continue;
      Value moved = movement->getOperand(0);
      SmallVector<graph::CastOp> casts = moved.getDefiningOp() ? castsOf(moved) : SmallVector<graph::CastOp>();
      if (casts.empty()) continue;  // memory of the caller is read as it lies
      for (graph::CastOp each : casts) next.remove(each);
      next.insert(hoist(moved, casts));
    }
  }

private:
  /// Products that are put together, maybe in several steps, and read rounded alone: each is rounded by itself.
  static bool isRoundedAlone(Operation *op) {
    auto concat = dyn_cast_or_null<graph::ConcatOp>(op);
    if (!concat || !concat->hasOneUse()) return false;
    return llvm::all_of(concat.getOperands(), [](Value part) {
      while (isMovement(part.getDefiningOp()) && part.hasOneUse()) part = part.getDefiningOp()->getOperand(0);
      return isMovedProduct(part) || isRoundedAlone(part.getDefiningOp());
    });
  }
  static SmallVector<graph::CastOp> apart(graph::CastOp cast, graph::ConcatOp concat) {
    OpBuilder builder(cast);
    SmallVector<graph::CastOp> casts;
    SmallVector<Value> parts;
    for (Value operand : concat.getOperands()) {
      auto rounded = ::llvm::cast<graph::CastOp>(builder.clone(*cast.getOperation()));
      rounded->setOperand(0, operand);
      rounded->getResult(0).setType(withElementType(operand.getType(), elementTypeOf(cast.getType())));
      rounded->setLoc(operand.getLoc());
      casts.push_back(rounded);
      parts.push_back(rounded.getResult());
    }
    auto joined = ::llvm::cast<graph::ConcatOp>(builder.clone(*concat.getOperation()));
    joined->setOperands(parts);
    joined->getResult(0).setType(cast.getType());
    cast.getResult().replaceAllUsesWith(joined.getResult());
    cast.erase();
    concat.erase();
    return casts;
  }

  /// One cast of what is moved, in the place of those behind the movements.
  static graph::CastOp hoist(Value moved, MutableArrayRef<graph::CastOp> casts) {
    OpBuilder builder(moved.getContext());
    builder.setInsertionPointAfterValue(moved);
    Type element = elementTypeOf(casts[0].getType());
    auto rounded = cast<graph::CastOp>(builder.clone(*casts[0].getOperation()));
    rounded->setOperand(0, moved);
    rounded->getResult(0).setType(withElementType(moved.getType(), element));
    for (graph::CastOp each : casts) {
      if (each.getOperand() == moved) {
        each.getResult().replaceAllUsesWith(rounded);
        each->erase();
        continue;
      }
      Operation *movement = each.getOperand().getDefiningOp();
      builder.setInsertionPoint(each);
      Operation *copy = builder.clone(*movement);
      copy->setOperand(0, rounded);
      copy->getResult(0).setType(each.getType());
      copy->setLoc(each.getLoc());  // the name of what is rounded
      each.getResult().replaceAllUsesWith(copy->getResult(0));
      each->erase();
      movement->erase();
    }
    return rounded;
  }
};

}  // namespace

std::unique_ptr<Pass> createRoundEarlyPass() { return std::make_unique<RoundEarly>(); }

}  // namespace tessera::transforms
