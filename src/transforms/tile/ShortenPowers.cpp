// Weights of a softmax as powers of two: exp(s * c - m) is exp2(s * (c log2(e)) - m log2(e)), a fused multiply-add and the
// machine's power of two an element, where exp alone takes six instructions.
//
// Allowed where nothing can tell (docs/spec/numerics.md, R9): the weights leave only as floats of 16 bits, and in sums.
// What is done to a tile s of scores:
//
//   s = dot * c                          s = dot
//   s = select(mask, s, -inf)            s = select(mask, s, -inf)
//   m = max(m, row_max(s))          ->   m = max(m, row_max(s) * c)
//   p = exp(s - m)                       p = exp2(s * (c log2(e)) - m * log2(e)), contracted
//
// Single elements are not in tiles of scores, and their differences stay (R15): exp(x) is exp2(x * log2(e)). So is that of a sigmoid.
//
// The scale moves below the masks and the maximum unchanged: rounding a product with 0 < c <= 1 keeps the order of its
// results, and -inf stays -inf.
#include "ir/common/ContractAttr.h"
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"
#include "transforms/tile/Reasons.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr double kLog2OfE = 1.4426950408889634;

void eraseUnused(Operation *op) {
  if (!op || !op->use_empty()) return;
  SmallVector<Operation *> makers;
  for (Value operand : op->getOperands()) makers.push_back(operand.getDefiningOp());
  op->erase();
  for (Operation *maker : llvm::SmallSetVector<Operation *, 4>(makers.begin(), makers.end()))
    if (isa_and_nonnull<tile::FillOp, tile::ConstantOp, tile::BroadcastOp>(maker)) eraseUnused(maker);
}

/// Powers exp(s - m) of scores, m one number for each row.
struct Weights {
  tile::ElementwiseOp power, difference;
  Value scores() { return difference.getArgs()[0]; }
  tile::BroadcastOp rows() { return difference.getArgs()[1].getDefiningOp<tile::BroadcastOp>(); }
};

std::optional<Weights> weightsOf(tile::ElementwiseOp power) {
  auto type = dyn_cast<tile::FragmentType>(power.getResult().getType());
  if (power.getMnemonic() != "exp" || !type || type.getRank() != 2 || !type.getElementType().isF32()) return std::nullopt;
  Weights weights{power, elementwiseOf(power.getArgs()[0], "sub")};
  if (!weights.difference || !weights.rows() || !leavesNarrow(power.getResult())) return std::nullopt;
  return weights;
}

/// What a scale of scores reaches before their powers: masks of -inf, maxima, differences in powers.
class Scaled {
public:
  explicit Scaled(tile::ElementwiseOp scale) : scale_(scale) { holds_ = isFactor(scale.getArgs()[1]) && follow(scale.getResult()) && masksHold(); }

  bool holds() const { return holds_; }
  Value factor() { return scale_.getArgs()[1].getDefiningOp<tile::FillOp>().getValue(); }
  bool reaches(Value value) const { return values_.contains(value); }

  /// The scores go on without the scale; their maxima have it.
  void remove() {
    OpBuilder builder(scale_);
    for (tile::ReduceOp maximum : maxima_) {
      builder.setInsertionPointAfter(maximum);
      Value rows = maximum.getResult();
      Value filled = builder.create<tile::FillOp>(unnamed(maximum.getLoc()), rows.getType(), factor());
      auto scaled = builder.create<tile::ElementwiseOp>(unnamed(maximum.getLoc()), rows.getType(), builder.getStringAttr("mul"), ValueRange{rows, filled});
      rows.replaceAllUsesExcept(scaled.getResult(), scaled);
    }
    Value scores = scale_.getArgs()[0];
    if (scores.hasOneUse()) scores.setLoc(scale_.getLoc());  // and have its name
    scale_.getResult().replaceAllUsesWith(scores);
    eraseUnused(scale_);
  }

private:
  /// A number in (0, 1], which overflows nothing and keeps the order.
  static bool isFactor(Value value) {
    auto fill = value.getDefiningOp<tile::FillOp>();
    std::optional<double> number = constantOf(value);
    return fill && number && *number > 0 && *number <= 1;
  }
  bool follow(Value value) {
    if (!values_.insert(value)) return true;
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return follow(use); });
  }
  bool follow(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()); branch && isa<scf::YieldOp>(op)) return follow(branch.getResult(use.getOperandNumber()));
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      maxima_.push_back(reduce);
      return reduce.getReduction() == "max";
    }
    auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
    if (!elementwise) return false;
    if (elementwise.getMnemonic() == "select") return use.getOperandNumber() != 0 && follow(elementwise.getResult());
    return elementwise.getMnemonic() == "sub" && use.getOperandNumber() == 0 && isOfWeights(elementwise);
  }
  static bool isOfWeights(tile::ElementwiseOp difference) {
    return llvm::all_of(difference.getResult().getUsers(), [&](Operation *user) {
      auto power = dyn_cast<tile::ElementwiseOp>(user);
      return power && weightsOf(power).has_value();
    });
  }
  /// Each mask and each branch chooses between scores that have the scale and -inf.
  bool masksHold() {
    auto isScaled = [&](Value value) { return values_.contains(value) || isMinusInfinity(value); };
    return llvm::all_of(values_, [&](Value value) {
      if (auto select = elementwiseOf(value, "select")) return isScaled(select.getArgs()[1]) && isScaled(select.getArgs()[2]);
      auto branch = value.getDefiningOp<scf::IfOp>();
      if (!branch) return true;
      unsigned number = cast<OpResult>(value).getResultNumber();
      return isScaled(branch.thenYield().getOperand(number)) && isScaled(branch.elseYield().getOperand(number));
    });
  }

  tile::ElementwiseOp scale_;
  llvm::SetVector<Value> values_;
  SmallVector<tile::ReduceOp> maxima_;
  bool holds_ = false;
};

/// The power of a row's number: exp(s * factor - m) = 2^(s * (factor log2(e)) - m log2(e)).
void shorten(Weights weights, double factor) {
  OpBuilder builder(weights.power);
  Location loc = unnamed(weights.power.getLoc());
  auto make = [&](StringRef what, Value a, Value b) { return builder.create<tile::ElementwiseOp>(loc, a.getType(), builder.getStringAttr(what), ValueRange{a, b}); };
  auto filled = [&](double number, Type type) -> Value {
    Value constant = builder.create<tile::ConstantOp>(loc, builder.getF32Type(), builder.getF32FloatAttr(static_cast<float>(number)));
    return builder.create<tile::FillOp>(loc, type, constant);
  };
  Value rows = weights.rows().getValue(), scores = weights.scores();
  tile::ElementwiseOp rowPowers = make("mul", rows, filled(kLog2OfE, rows.getType()));
  StringRef name = nameHint(rows);
  rowPowers.getResult().setLoc(named(((name.empty() ? "row" : name) + "_log2").str(), loc));
  Value each = builder.create<tile::BroadcastOp>(loc, scores.getType(), rowPowers.getResult());
  tile::ElementwiseOp power = make("sub", make("mul", scores, filled(factor * kLog2OfE, scores.getType())).getResult(), each);
  markContracted(power);
  weights.power.setMnemonicAttr(builder.getStringAttr("exp2"));
  weights.power->setOperand(0, power.getResult());
  eraseUnused(weights.difference);
}

/// Nothing is written where `load` reads before it has read, but to memory that it has read already: its own element, or in a later loop.
bool isReadFirst(tile::LoadElementOp load) {
  Operation *loop = load->getParentOp();
  return llvm::all_of(load.getBase().getUsers(), [&](Operation *user) {
    if (isa<tile::LoadElementOp>(user)) return true;
    auto store = dyn_cast<tile::StoreElementOp>(user);
    Operation *other = store ? store->getParentOp() : nullptr;
    if (other == loop) return llvm::equal(store.getIndices(), load.getIndices()) && load->isBeforeInBlock(store);
    return other && other->getBlock() == loop->getBlock() && loop->isBeforeInBlock(other);
  });
}

/// The same element of two loops over one row, cast alike.
bool isSameElement(Value one, Value other) {
  Operation *a = one.getDefiningOp(), *b = other.getDefiningOp();
  if (isa_and_nonnull<tile::CastOp>(a) && isa_and_nonnull<tile::CastOp>(b))
    return a->getAttrDictionary() == b->getAttrDictionary() && one.getType() == other.getType() && isSameElement(a->getOperand(0), b->getOperand(0));
  auto load = one.getDefiningOp<tile::LoadElementOp>(), again = other.getDefiningOp<tile::LoadElementOp>();
  if (!load || !again || load.getBase() != again.getBase() || !isReadFirst(again)) return false;
  if (load.getOther() || load->getAttrDictionary() != again->getAttrDictionary()) return false;
  auto isCounter = [](Value index, tile::LoadElementOp of) {
    auto loop = dyn_cast<scf::ForOp>(of->getParentOp());
    return loop && index == loop.getInductionVar();
  };
  return llvm::all_of(llvm::zip_equal(load.getIndices(), again.getIndices()), [&](auto pair) {
    auto [left, right] = pair;
    return left == right || (isCounter(left, load) && isCounter(right, again));
  });
}

/// `x - max(x)` of a row, or x where the row has no number that is greater than -inf.
bool isAtMostZero(Value difference) {
  tile::ElementwiseOp op = elementwiseOf(difference, "sub");
  if (!op) return false;
  std::optional<FiniteShift> shift = finiteShift(op.getArgs()[1]);
  auto reduce = (shift ? shift->largest : op.getArgs()[1]).getDefiningOp<tile::GroupReduceOp>();
  auto loop = reduce && reduce.getReduction() == "max" ? reduce.getValue().getDefiningOp<scf::ForOp>() : scf::ForOp();
  if (!loop) return false;
  tile::ElementwiseOp grows = elementwiseOf(loop.getYieldedValues()[cast<OpResult>(reduce.getValue()).getResultNumber()], "max");
  return grows && llvm::any_of(grows.getArgs(), [&](Value arg) { return isSameElement(arg, op.getArgs()[0]); });
}

/// An exponential of one f32 that leaves in 16 bits, in a loop over many.
bool mayShorten(tile::ElementwiseOp power) {
  return power.getMnemonic() == "exp" && power.getResult().getType().isF32() && isa<scf::ForOp>(power->getParentOp()) &&
         leavesNarrow(power.getResult(), isAtMostZero(power.getArgs()[0]));
}

/// A sigmoid of f32, at most 1, that leaves in 16 bits.
bool isNarrowSigmoid(tile::ElementwiseOp op) {
  return op.getMnemonic() == "sigmoid" && elementTypeOf(op.getResult().getType()).isF32() && leavesNarrow(op.getResult(), /*isAtMostOne=*/true);
}

void shorten(tile::ElementwiseOp power) {
  OpBuilder builder(power);
  Location loc = unnamed(power.getLoc());
  Value log2OfE = builder.create<tile::ConstantOp>(loc, builder.getF32Type(), builder.getF32FloatAttr(static_cast<float>(kLog2OfE)));
  Value exponent = builder.create<tile::ElementwiseOp>(loc, log2OfE.getType(), "mul", ValueRange{power.getArgs()[0], log2OfE});
  power.setMnemonicAttr(builder.getStringAttr("exp2"));
  power->setOperand(0, exponent);
}

struct ShortenPowers : PassWrapper<ShortenPowers, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShortenPowers)
  StringRef getArgument() const override { return "tile-shorten-powers"; }
  StringRef getDescription() const override { return "weights that leave in 16 bits as powers of two, with their scale"; }
  void runOnOperation() override {
    SmallVector<Weights> all;
    SmallVector<tile::ElementwiseOp> scales, single;
    getOperation().getBody().walk([&](tile::ElementwiseOp op) {
      if (auto weights = weightsOf(op)) all.push_back(*weights);
      if (mayShorten(op)) single.push_back(op);
      if (isNarrowSigmoid(op)) markShortened(op);
      if (op.getMnemonic() == "mul") scales.push_back(op);
    });
    for (tile::ElementwiseOp op : single) shorten(op);
    if (all.empty()) return;
    SmallVector<std::pair<Weights, double>> factors;
    for (const Weights &weights : all) factors.emplace_back(weights, 1.0);
    for (tile::ElementwiseOp op : scales) {
      Scaled scaled(op);
      if (!scaled.holds()) continue;
      double number = *constantOf(op.getArgs()[1]);
      for (auto &[weights, factor] : factors)
        if (scaled.reaches(weights.scores())) factor *= number;
      scaled.remove();
    }
    for (auto &[weights, factor] : factors) shorten(weights, factor);
    addReason(getOperation(), "weights that leave in 16 bits as powers of two, with the scale of their scores (R9)");
  }
};

}  // namespace

std::unique_ptr<Pass> createShortenPowersPass() { return std::make_unique<ShortenPowers>(); }

}  // namespace tessera::transforms
