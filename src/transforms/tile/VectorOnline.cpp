// A row's sum of powers beside its largest element: both in one loop, with the largest element so far.
//
//   for (c ...) m = max(m, x[c])                       for (each vector of the row)
//   for (c ...) s += 2^((x[c] - m) a)            ->      n = max(m, the vector's elements)
//                                                        s = s 2^((m - n) a) + sum of 2^((x - n) a), m = n
//
// Each lane does so for what it takes of the row; at the end its sum is scaled to the largest of all. The row is read once, so a long
// one needs no place to stay. Source: Milakov and Gimelshein, Online normalizer calculation for softmax, 2018; allowed by R15. Where a
// later loop goes over the row again it has its place anyway, and two loops wait less for each other.
#include "ir/common/Names.h"
#include "ir/common/BitCasts.h"
#include "transforms/tile/Patterns.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// What a loop combines with the one value that it carries; null if it does something else.
static Value combinedBy(scf::ForOp loop, StringRef mnemonic, double identity) {
  if (loop.getNumResults() != 1 || constantOf(loop.getInitArgs()[0]) != identity) return {};
  auto op = elementwiseOf(loop.getYieldedValues()[0], mnemonic);
  if (!op || op->getBlock() != loop.getBody()) return {};
  Value carried = loop.getRegionIterArg(0);
  if (!carried.hasOneUse()) return {};
  if (op.getArgs()[0] == carried) return op.getArgs()[1];
  return op.getArgs()[1] == carried ? op.getArgs()[0] : Value();
}

static tile::GroupReduceOp reductionOf(scf::ForOp loop, StringRef reduction) {
  Value result = loop.getResult(0);
  auto reduce = result.hasOneUse() ? dyn_cast<tile::GroupReduceOp>(*result.user_begin()) : tile::GroupReduceOp();
  return reduce && reduce.getReduction() == reduction ? reduce : tile::GroupReduceOp();
}

/// The load of which the value is cast; null if it is more than that.
static tile::LoadElementOp loadUnder(Value value) {
  for (auto cast = value.getDefiningOp<tile::CastOp>(); cast && cast.getRounding() != kBits; cast = value.getDefiningOp<tile::CastOp>()) value = cast.getValue();
  return value.getDefiningOp<tile::LoadElementOp>();
}

static bool isFinite(Value shift) {
  std::optional<FiniteShift> choice = finiteShift(shift);
  std::optional<double> other = choice ? constantOf(choice->other) : std::nullopt;
  return other && std::isfinite(*other);
}

/// Whether the value is computed from `largest`, from constants and from nothing else.
static bool comesOf(Value value, Value largest) {
  if (value == largest) return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tile::ConstantOp>(op)) return true;
  return isa_and_nonnull<tile::ElementwiseOp, tile::CastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return comesOf(operand, largest); });
}

void VectorForm::findOnline() {
  if (rows_.size() != 2 || !heldExtent_ || takesTurns() || kernel_.getSizes().contains("warps")) return;
  OnlineSum online;
  online.maxima = rows_[0], online.sums = rows_[1];
  Value element = combinedBy(online.maxima, "max", -HUGE_VAL), power = combinedBy(online.sums, "add", 0);
  if (!element || !power || !power.hasOneUse()) return;
  online.largest = reductionOf(online.maxima, "max");
  online.power = elementwiseOf(power, "exp2");
  online.exponent = online.power ? elementwiseOf(online.power.getArgs()[0], "mul") : tile::ElementwiseOp();
  online.difference = online.exponent ? elementwiseOf(online.exponent.getArgs()[0], "sub") : tile::ElementwiseOp();
  if (!online.largest || !online.difference || !reductionOf(online.sums, "sum") || !constantOf(online.exponent.getArgs()[1])) return;
  if (!isFinite(online.shift()) || !comesOf(online.shift(), online.largest.getResult()) || !leavesNarrow(power)) return;
  std::string key = keyOf(element, online.maxima);
  if (key.empty() || key != keyOf(online.difference.getArgs()[0], online.sums)) return;
  online.inMaxima = loadUnder(element), online.inSums = loadUnder(online.difference.getArgs()[0]);
  if (online.inMaxima && online.inSums) online_ = online;
}

/// The shift for what is the largest element so far.
Value VectorForm::withLargest(Value value, Value largest) {
  if (value == online_->largest.getResult()) return largest;
  return cloneWith(value.getDefiningOp(), [&](Value operand) { return withLargest(operand, largest); })->getResult(0);
}

/// The power of a number in the place of an element.
Value VectorForm::powerOf(Value element, Value shift) {
  Location loc = unnamed(online_->power.getLoc());
  auto make = [&](tile::ElementwiseOp like, ValueRange args) -> Value {
    return builder_.create<tile::ElementwiseOp>(loc, like.getResult().getType(), like.getMnemonic(), args);
  };
  Value factor = cloneWith(online_->exponent.getArgs()[1].getDefiningOp(), [](Value operand) { return operand; })->getResult(0);
  return make(online_->power, make(online_->exponent, {make(online_->difference, {element, shift}), factor}));
}

void VectorForm::vectoriseOnline() {
  scf::ForOp maxima = online_->maxima, sums = online_->sums;
  Location loc = unnamed(maxima.getLoc());
  auto scaled = [&](Value sum, Value by, Location name) -> Value {
    return builder_.create<tile::ElementwiseOp>(name, sum.getType(), "mul", ValueRange{sum, by});
  };
  Value zero = cloneWith(sums.getInitArgs()[0].getDefiningOp(), [](Value operand) { return operand; })->getResult(0);
  zero.getDefiningOp()->moveBefore(maxima);
  Values results = overTurns(maxima, {maxima.getInitArgs()[0], zero}, [&](ValueRange carried) {
    Value before = carried[0], sum = carried[1];
    before.setLoc(maxima.getRegionIterArg(0).getLoc());
    sum.setLoc(named("lane_sum", loc));
    Value largest = computeAll(*maxima.getBody(), before, maxima.getRegionIterArgs(), maxima.getYieldedValues(), loc)[0];
    Value shift = withLargest(online_->shift(), largest);
    bases_.back()[online_->shift()] = shift;
    bases_.back()[online_->inSums.getResult()] = vectorOf(online_->inMaxima);
    Value rescaled = scaled(sum, powerOf(before, shift), sum.getLoc());
    Value next = computeAll(*sums.getBody(), rescaled, sums.getRegionIterArgs(), sums.getYieldedValues(), loc)[0];
    return Values{largest, next};
  });
  builder_.setInsertionPoint(sums);
  maxima.getResult(0).replaceAllUsesWith(results[0]);
  sums.getResult(0).replaceAllUsesWith(scaled(results[1], powerOf(results[0], online_->shift()), sums.getResult(0).getLoc()));
  forget(sums);
  forget(maxima);
}

}  // namespace tessera::transforms
