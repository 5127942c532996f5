// The kernel of a sweep: what is known of each row lies in memory, so that a tile of scores is computed, used, and forgotten.
#include "transforms/schedule/ScoreTiles.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class SweepWriter : ScoreTiles {
public:
  using ScoreTiles::ScoreTiles;

  /// The tiles of the outer products, or of the reduction, are known to the privatiser then. False after a diagnostic.
  bool run() {
    if ((depth_ && !holdLeft()) || !holdRows()) return false;
    isMax_ = chain_.reduce && chain_.reduce.getMnemonic() == "max";
    SmallVector<Value> results{chain_.last()->getResult(0)}, starts;
    for (graph::DotOp other : chain_.beside) results.push_back(other.getResult());
    for (Value result : results)
      starts.push_back(full(chain_.outer ? sumType_ : rowType_, neutral(), chain_.outer ? nameOf(result, "acc") : nameOf(result, isMax_ ? "largest" : "row_sum")));
    scf::ForOp loop = goOver(starts, [&](scf::ForOp loop, const Index &keys) { return turn(loop.getRegionIterArgs(), keys); });
    if (!loop) return false;
    for (auto [result, sum] : llvm::zip(results, loop.getResults())) privatiser_.give(result, sum);
    return true;
  }

private:
  double neutral() const { return isMax_ ? -std::numeric_limits<double>::infinity() : 0; }

  /// What is known of the group's own rows is the same in all turns.
  bool holdRows() {
    for (Operation *op : chain_.body)
      for (Value operand : op->getOperands()) {
        auto spread = operand.getDefiningOp<graph::BroadcastOp>();
        if (!spread || llvm::is_contained(spread.getAxes(), static_cast<int64_t>(rank_) - 1)) continue;
        Indices at;
        for (int64_t axis : spread.getAxes()) at.push_back(product_[axis]);
        if (!privatiser_.part(spread.getOperand(), at)) return false;
      }
    return true;
  }

  bool turn(ValueRange carried, const Index &keys) {
    Indices tile = tileOf(keys);
    if (!multiply(tile)) return false;
    SmallVector<Value> sums;
    auto add = [&](Operation *last) {
      Value weights = privatiser_.part(last->getOperand(0), tile);
      Value sum = carried[sums.size()], added = weights ? addedBy(last, whereInside(weights, keys, neutral()), keys) : Value();
      if (added) sums.push_back(elementwise(isMax_ ? "max" : "add", {sum, added}, nameHint(sum)));
      return static_cast<bool>(added);
    };
    if (!add(chain_.last()) || !llvm::all_of(chain_.beside, add)) return false;
    builder_.create<scf::YieldOp>(line_, sums);
    return true;
  }

  /// What a tile of weights adds to the result. Null after a diagnostic.
  Value addedBy(Operation *last, Value weights, const Index &keys) {
    auto product = dyn_cast<graph::DotOp>(last);
    if (!product) return reduced(chain_.reduce.getMnemonic(), weights);
    Value right = privatiser_.operandTile(product, 1, product_, keys);
    return right ? builder_.create<graph::DotOp>(line_, sumType_, weights, right).getResult() : Value();
  }

  bool isMax_ = false;
};

/// A tile of a sum over batches: the scores of each at the same rows and columns, one after the other.
class BatchWriter : ScoreTiles {
public:
  using ScoreTiles::ScoreTiles;

  /// The tile of the sum is known to the privatiser then. False after a diagnostic.
  bool run() {
    if (!holdShared()) return false;
    Type sums = TensorType::get(builder_.getContext(), {product_[rank_ - 2].size, product_.back().size}, type_);
    Value sum = goOverBatches(chain_.reduce.getAxes(), full(sums, 0.0, nameOf(chain_.reduce.getResult(), "acc")));
    if (sum) privatiser_.give(chain_.reduce.getResult(), sum);
    return sum != nullptr;
  }

private:
  bool isBatch(int64_t axis) { return llvm::is_contained(chain_.reduce.getAxes(), axis); }

  /// What all batches share, a bias, is read once.
  bool holdShared() {
    for (Operation *op : chain_.body)
      for (Value operand : op->getOperands()) {
        auto spread = operand.getDefiningOp<graph::BroadcastOp>();
        if (!spread || shapeOf(spread.getType()).size() != rank_ || longAxes(spread.getOperand().getType()).empty()) continue;
        Indices at;
        bool isShared = true;
        for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(spread.getOperand().getType()))) {
          isShared &= isUnit(extent) || !isBatch(axis);
          at.push_back(isUnit(extent) ? Index(privatiser_.constantIndex(0, line_)) : product_[axis]);
        }
        if (isShared && !privatiser_.part(spread.getOperand(), at)) return false;
      }
    return true;
  }

  /// `start` and what the batches along these axes add to it. Null after a diagnostic.
  Value goOverBatches(ArrayRef<int64_t> axes, Value start) {
    if (axes.empty()) return addedTo(start);
    Dim count = shapeOf(chain_.weights().getType())[axes.front()].getDim();
    Value zero = privatiser_.constantIndex(0, line_), one = privatiser_.constantIndex(1, line_);
    auto loop = builder_.create<scf::ForOp>(line_, zero, privatiser_.dim(count, line_), one, ValueRange{start});
    loop.getInductionVar().setLoc(named("batch", line_));
    loop.getRegionIterArg(0).setLoc(start.getLoc());
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    privatiser_.enter();
    product_[axes.front()] = Index(loop.getInductionVar());
    Value sum = goOverBatches(axes.drop_front(), loop.getRegionIterArg(0));
    if (sum) builder_.create<scf::YieldOp>(line_, ValueRange{sum});
    privatiser_.leave();
    return sum ? loop.getResult(0) : Value();
  }

  Value addedTo(Value sum) {
    left_.clear();
    if ((depth_ && !holdLeft()) || !multiply(product_)) return {};
    Value weights = privatiser_.part(chain_.weights(), product_);
    return weights ? elementwise("add", {sum, weights}, nameHint(sum)) : Value();
  }
};

/// Where the scores of a sum over batches lie, whose tile lies there: the batch itself is not known yet.
Indices withBatches(Privatiser &privatiser, Chain &chain, const Indices &sum) {
  Indices all;
  size_t next = 0;
  for (size_t axis = 0; axis < shapeOf(chain.weights().getType()).size(); ++axis)
    all.push_back(llvm::is_contained(chain.reduce.getAxes(), static_cast<int64_t>(axis)) ? Index(privatiser.constantIndex(0, unnamed(chain.reduce.getLoc()))) : sum[next++]);
  return all;
}

}  // namespace

bool writeSweep(OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, DimAttr depth) {
  if (chain.addsBatches) return BatchWriter(builder, privatiser, chain, withBatches(privatiser, chain, product), depth).run();
  return SweepWriter(builder, privatiser, chain, product, depth).run();
}

bool sweepFits(const Machine &machine, Chain &chain, int64_t keys, int64_t cols) {
  constexpr int64_t kMost = 240;
  auto rank = static_cast<int64_t>(shapeOf(chain.weights().getType()).size());
  llvm::DenseSet<Value> vectors;
  for (Operation *op : chain.body)
    for (Value operand : op->getOperands())
      if (auto spread = operand.getDefiningOp<graph::BroadcastOp>())
        if (llvm::is_contained(spread.getAxes(), rank - 1) && !llvm::is_contained(spread.getAxes(), rank - 2)) vectors.insert(spread.getOperand());
  auto inner = static_cast<int64_t>(chain.inner.size()), columns = static_cast<int64_t>(vectors.size());
  auto products = static_cast<int64_t>(chain.beside.size()) + (chain.outer ? 1 : 0);
  // A lane has two of eight columns; vectors that come through shared memory, half of them at a time. What is made of the scores, in
  // half of the bits, takes half as many registers as they do; sums lie still meanwhile.
  const int64_t held = columns * keys / (machine.warpgroupProducts ? 8 : 4);
  // Sums over batches, and a bias that all batches share; of others a lane reads what it needs.
  const int64_t added = chain.addsBatches ? keys : products * cols / 2;
  return inner * keys * 3 / 4 + held + added <= kMost;
}

std::string sweepReason(Chain &chain) {
  std::string keys = shapeOf(chain.weights().getType()).back().getText().str();
  if (chain.addsBatches) return "sweep: a group goes over the batches, computes their products again, and adds up a tile of what is made of them; nothing of their size is stored";
  std::string what = chain.inner.size() > 1 ? "the products that it is made of" : "the product that it is made of";
  std::string made = !chain.beside.empty() ? "adds up its products" : chain.outer ? "adds up its product" : chain.reduce.getMnemonic() == "max" ? "keeps the largest of each row" : "adds up each row";
  return "sweep: a group goes over " + keys + " in tiles, computes " + what + " again for each, and " + made + "; nothing of their size is stored";
}

}  // namespace tessera::transforms
