// Masks of tiles, once and only where a tile needs them.
//
// A mask is `select(condition, x, constant)` with a condition that compares positions: `column < S - k0` hides what lies
// beyond a tensor, `key <= query` what a query may not see. Three things are done with them:
//
// 1. What is read after a mask of a tensor's extent (isExtentMask) is read from the masked tile: elements beyond the end
//    hold anything, so the tile with its mask serves every later use as well.
// 2. A mask that finds its own constant already there is dropped: exp(s - max) of a tile that was hidden by -inf is 0
//    where it was hidden. (If the maximum of a row is -inf itself the difference is NaN, there and in the elements
//    that count: the row is NaN with the mask or without it.)
// 3. A mask that hides nothing in most tiles is put under a condition that the whole group shares: the interval of
//    positions of the tile decides (it is a comparison of scalars), and only tiles that cross the edge pay for the mask.
#include "ir/common/MaskAttr.h"
#include "ir/common/BitCasts.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "ir/common/Names.h"
#include "transforms/tile/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/tile/Patterns.h"
#include <cmath>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The same computation on the same values: what no operation between them can have changed.
bool isSame(Value a, Value b) {
  if (a == b) return true;
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  if (!one || !other || one->getName() != other->getName() || a.getType() != b.getType()) return false;
  bool comparable = isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp, tile::FillOp,
                        tile::IotaOp, tile::BroadcastOp>(one);
  if (!comparable || one->getNumOperands() != other->getNumOperands()) return false;
  if (one->getPropertiesAsAttribute() != other->getPropertiesAsAttribute()) return false;
  return llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                      [](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
}

/// The number that a fragment is filled with.
std::optional<double> filledWith(Value value) {
  auto fill = value.getDefiningOp<tile::FillOp>();
  Value scalar = fill ? fill.getValue() : value;
  for (auto cast = scalar.getDefiningOp<tile::CastOp>(); cast && cast.getRounding() != kBits; cast = scalar.getDefiningOp<tile::CastOp>()) scalar = cast.getValue();
  auto constant = scalar.getDefiningOp<tile::ConstantOp>();
  if (!constant) return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) return static_cast<double>(number.getInt());
  return std::nullopt;
}

class Masks {
public:
  explicit Masks(tile::KernelOp kernel) : kernel_(kernel), dominance_(kernel) {}

  void run() {
    SmallVector<tile::ElementwiseOp> masks;
    kernel_.getBody().walk([&](tile::ElementwiseOp op) {
      auto type = dyn_cast<tile::FragmentType>(op.getResult().getType());
      if (op.getMnemonic() == "select" && type && filledWith(op.getArgs()[2])) masks.push_back(op);
    });
    kernel_.getBody().walk([&](tile::GatherOp) { moves_ = true; });
    for (tile::ElementwiseOp mask : masks) {
      std::optional<double> held = hidden(mask.getArgs()[1], mask.getArgs()[0]);
      if (held && *held == *filledWith(mask.getArgs()[2])) {
        mask.getResult().replaceAllUsesWith(mask.getArgs()[1]);
        continue;
      }
      readMasked(mask);
      kept_.push_back(mask);
    }
    for (tile::ElementwiseOp mask : kept_) guard(mask);
    removeUnused(kernel_.getBody().front());
  }

private:
  /// 1: later uses of what is masked.
  void readMasked(tile::ElementwiseOp mask) {
    if (!isExtentMask(mask)) return;  // a program's own: hides elements that other uses may see
    if (moves_) return;               // what is chosen by indices may come from beyond the end, where it is 0
    mask.getArgs()[1].replaceUsesWithIf(mask.getResult(), [&](OpOperand &use) {
      return use.getOwner() != mask && dominance_.properlyDominates(mask.getOperation(), use.getOwner()) &&
             use.getOwner()->getParentRegion() == mask->getParentRegion();
    });
  }

  // ---- 2: what is known of hidden positions

  /// The number that `value` has wherever `condition` is false.
  std::optional<double> hidden(Value value, Value condition) {
    Operation *op = value.getDefiningOp();
    if (auto cast = dyn_cast_or_null<tile::CastOp>(op)) {
      std::optional<double> held = hidden(cast.getValue(), condition);
      return held && cast.getRounding() != kBits && (*held == 0 || std::isinf(*held)) ? held : std::nullopt;
    }
    auto elementwise = dyn_cast_or_null<tile::ElementwiseOp>(op);
    if (!elementwise) return std::nullopt;
    StringRef what = elementwise.getMnemonic();
    OperandRange args = elementwise.getArgs();
    if (what == "select" && isSame(args[0], condition)) return filledWith(args[2]);
    if (what == "exp" || what == "exp2") {
      std::optional<double> power = hidden(args[0], condition);
      return power && std::isinf(*power) && *power < 0 ? std::optional(0.0) : std::nullopt;
    }
    if (what == "sub" && isMaximumOf(args[1], args[0])) {
      std::optional<double> held = hidden(args[0], condition);
      return held && std::isinf(*held) && *held < 0 ? held : std::nullopt;
    }
    return std::nullopt;
  }

  /// `value` is a broadcast row maximum to which the elements of `tile` contributed.
  bool isMaximumOf(Value value, Value tile) {
    if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>()) return isMaximumOf(broadcast.getValue(), tile);
    if (auto larger = elementwiseOf(value, "max"))
      return llvm::any_of(larger.getArgs(), [&](Value operand) { return isMaximumOf(operand, tile); });
    auto reduce = value.getDefiningOp<tile::ReduceOp>();
    return reduce && reduce.getReduction() == "max" && reduce.getValue() == tile;
  }

  // ---- 3: tiles that no mask touches

  /// The least element of a tile of positions, and the greatest or what comes after it (`beyond`).
  struct Interval {
    Value low, high;
    bool beyond = false;
  };
  /// The interval as scalars, made before `builder`'s place.
  std::optional<Interval> interval(Value value, OpBuilder &builder, Location loc) {
    if (auto fill = value.getDefiningOp<tile::FillOp>()) return Interval{fill.getValue(), fill.getValue()};
    if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>()) return interval(broadcast.getValue(), builder, loc);
    if (auto iota = value.getDefiningOp<tile::IotaOp>()) return positions(iota, builder, loc);
    if (auto rest = elementwiseOf(value, "mod")) return periodic(rest, builder, loc);
    auto sum = elementwiseOf(value, "add");
    if (!sum) return std::nullopt;
    std::optional<Interval> a = interval(sum.getArgs()[0], builder, loc), b = a ? interval(sum.getArgs()[1], builder, loc) : a;
    if (!b || (a->beyond && b->beyond)) return std::nullopt;
    return Interval{arithmetic(builder, "add", a->low, b->low, loc), arithmetic(builder, "add", a->high, b->high, loc),
                    a->beyond || b->beyond};
  }

  /// Nothing where the tile is as wide as the sizes that it is compiled for, which may be more than the extent.
  std::optional<Interval> positions(tile::IotaOp iota, OpBuilder &builder, Location loc) {
    auto type = cast<tile::FragmentType>(iota.getResult().getType());
    Type integer = type.getElementType();
    DimAttr extent = type.getShape()[iota.getAxis()];
    if (variesAtRunTime(extent)) return std::nullopt;
    SmallVector<Dim> names = sizesOf(iota.getLoc());  // the extent as the program writes it
    llvm::erase_if(names, [](const Dim &size) { return size == Dim(1); });
    Location place = names.size() == type.getRank() && names[iota.getAxis()] == extent.getDim()
                         ? withSizes({names[iota.getAxis()]}, loc)
                         : loc;
    Value zero = builder.create<tile::ConstantOp>(loc, integer, builder.getIntegerAttr(integer, 0));
    Value end = builder.create<tile::DimOp>(place, builder.getIndexType(), extent.getText());
    return Interval{zero, builder.create<tile::CastOp>(loc, integer, end, StringAttr(), UnitAttr()), true};
  }

  /// Places that begin anew after each period, `(m + row) % T`: those of the tile where no period ends inside it, else all.
  std::optional<Interval> periodic(tile::ElementwiseOp rest, OpBuilder &builder, Location loc) {
    auto by = rest.getArgs()[1].getDefiningOp<tile::FillOp>();
    auto sum = elementwiseOf(rest.getArgs()[0], "add");
    tile::IotaOp iota;
    tile::FillOp start;
    for (Value part : sum ? SmallVector<Value>(sum.getArgs()) : SmallVector<Value>{rest.getArgs()[0]}) {
      if (auto found = part.getDefiningOp<tile::IotaOp>()) iota = found;
      if (auto found = part.getDefiningOp<tile::FillOp>()) start = found;
    }
    if (!by || !iota || static_cast<bool>(start) != static_cast<bool>(sum)) return std::nullopt;
    std::optional<Interval> all = positions(iota, builder, loc);
    if (!all) return std::nullopt;
    auto scalar = [&](StringRef what, ValueRange args, Type type) -> Value {
      return builder.create<tile::ElementwiseOp>(loc, type, builder.getStringAttr(what), args);
    };
    Value period = by.getValue();
    Type integer = period.getType();
    Value first = start ? scalar("mod", {start.getValue(), period}, integer) : all->low, end = arithmetic(builder, "add", first, all->high, loc);
    Value ends = scalar("lt", {period, end}, builder.getI1Type());
    return Interval{scalar("select", {ends, all->low, first}, integer), scalar("min", {end, period}, integer), true};
  }

  static bool isZero(Value value) {
    auto constant = value.getDefiningOp<tile::ConstantOp>();
    auto integer = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    return integer && integer.getInt() == 0;
  }
  static Value arithmetic(OpBuilder &builder, StringRef what, Value a, Value b, Location loc) {
    if (what == "add" && isZero(a)) return b;
    if (what == "add" && isZero(b)) return a;
    bool compares = what != "add";
    Type type = compares ? Type(builder.getI1Type()) : a.getType();
    return builder.create<tile::ElementwiseOp>(loc, type, builder.getStringAttr(what), ValueRange{a, b});
  }

  /// A scalar that is true where some position of the tile is hidden; null if that cannot be said by intervals.
  Value touches(tile::ElementwiseOp comparison, OpBuilder &builder, Location loc) {
    StringRef what = comparison.getMnemonic();
    if (comparison.getArgs().size() != 2) return {};  // the negation of a mask
    Value left = comparison.getArgs()[0], right = comparison.getArgs()[1];
    if (what == "gt" || what == "ge") {
      std::swap(left, right);
      what = what == "gt" ? "lt" : "le";
    }
    if (what != "lt" && what != "le") return {};
    auto type = dyn_cast<tile::FragmentType>(left.getType());
    if (!type || !type.getElementType().isSignlessInteger()) return {};
    std::optional<Interval> a = interval(left, builder, loc), b = a ? interval(right, builder, loc) : a;
    if (!b) return {};
    // All of a < b if the greatest of a is below the least of b; that is the one before a->high where that is beyond.
    bool orEqual = what == "le";
    Value least = b->low;
    if (a->beyond && orEqual) {
      Type integer = least.getType();
      least = arithmetic(builder, "add", least, builder.create<tile::ConstantOp>(loc, integer, builder.getIntegerAttr(integer, 1)), loc);
    }
    return arithmetic(builder, a->beyond || orEqual ? "lt" : "le", least, a->high, loc);
  }

  void guard(tile::ElementwiseOp mask) {
    auto comparison = mask.getArgs()[0].getDefiningOp<tile::ElementwiseOp>();
    auto type = cast<tile::FragmentType>(mask.getResult().getType());
    if (!comparison || type.getRank() != 2) return;
    Location loc = mask.getLoc();
    OpBuilder builder(mask);
    Value touched = touches(comparison, builder, unnamed(loc));
    if (!touched) return;
    auto branch = builder.create<scf::IfOp>(loc, TypeRange(type), touched, /*withElse=*/true);
    mask.getResult().replaceAllUsesWith(branch.getResult(0));
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->front().empty()) region->front().back().erase();
    mask->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    // What only the mask reads is computed with it; positions that several masks compare, in each of them: a tile of them
    // would take more registers than it saves instructions.
    OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
    if (!comparison->hasOneUse()) mask->setOperand(0, positionsAgain(comparison.getResult(), inside));
    sink(mask->getOperands(), branch.thenBlock());
    OpBuilder::atBlockEnd(branch.thenBlock()).create<scf::YieldOp>(unnamed(loc), mask.getResult());
    OpBuilder::atBlockEnd(branch.elseBlock()).create<scf::YieldOp>(unnamed(loc), mask.getArgs()[1]);
  }

  /// A copy of what is made of positions alone.
  static Value positionsAgain(Value value, OpBuilder &builder) {
    Operation *op = value.getDefiningOp();
    auto type = dyn_cast<tile::FragmentType>(value.getType());
    bool isOfPositions = op && type && type.getElementType().isSignlessInteger() &&
                         isa<tile::ElementwiseOp, tile::IotaOp, tile::FillOp, tile::BroadcastOp, tile::CastOp>(op);
    if (!isOfPositions) return value;
    IRMapping copies;
    for (Value operand : op->getOperands()) copies.map(operand, positionsAgain(operand, builder));
    return builder.clone(*op, copies)->getResult(0);
  }

  void sink(ValueRange operands, Block *block) {
    for (Value operand : operands) {
      Operation *op = operand.getDefiningOp();
      bool position = op && isa<tile::ElementwiseOp, tile::IotaOp, tile::FillOp, tile::BroadcastOp, tile::CastOp>(op) &&
                      isa<tile::FragmentType>(operand.getType()) && operand != cast<tile::ElementwiseOp>(block->back()).getArgs()[1];
      if (!position || !llvm::all_of(op->getUsers(), [&](Operation *user) { return user->getBlock() == block; })) continue;
      op->moveBefore(&block->front());
      sink(op->getOperands(), block);
    }
  }

  void removeUnused(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &region : op.getRegions())
        for (Block &inner : region) removeUnused(inner);
      if (isOpTriviallyDead(&op)) op.erase();
    }
  }

  tile::KernelOp kernel_;
  bool moves_ = false;  // elements go to other positions
  DominanceInfo dominance_;
  SmallVector<tile::ElementwiseOp> kept_;
};

struct SimplifyMasks : PassWrapper<SimplifyMasks, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyMasks)
  StringRef getArgument() const override { return "tile-simplify-masks"; }
  StringRef getDescription() const override { return "masks of tiles once, and only where a tile crosses an edge"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override { Masks(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createSimplifyMasksPass() { return std::make_unique<SimplifyMasks>(); }

}  // namespace tessera::transforms
