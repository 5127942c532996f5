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

  /// The tile of the outer product, or of the reduction, is known to the privatiser then. False after a diagnostic.
  bool run() {
    if ((depth_ && !holdLeft()) || !holdRows()) return false;
    isMax_ = chain_.reduce && chain_.reduce.getMnemonic() == "max";
    Value result = chain_.last()->getResult(0);
    Value start = full(chain_.outer ? sumType_ : rowType_, neutral(), chain_.outer ? "acc" : nameOf(result, isMax_ ? "largest" : "row_sum"));
    scf::ForOp loop = goOver(start, [&](scf::ForOp loop, const Index &keys) { return turn(loop.getRegionIterArg(0), keys); });
    if (loop) privatiser_.give(result, loop.getResult(0));
    return static_cast<bool>(loop);
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

  bool turn(BlockArgument carried, const Index &keys) {
    Indices tile = tileOf(keys);
    Value weights = multiply(tile) ? privatiser_.part(chain_.weights(), tile) : Value();
    if (!weights) return false;
    weights = whereInside(weights, keys, neutral());
    Value added;
    if (chain_.outer) {
      Value right = privatiser_.operandTile(chain_.outer, 1, product_, keys);
      if (!right) return false;
      added = builder_.create<graph::DotOp>(line_, sumType_, weights, right);
    } else {
      added = reduced(chain_.reduce.getMnemonic(), weights);
    }
    builder_.create<scf::YieldOp>(line_, elementwise(isMax_ ? "max" : "add", {carried, added}, nameHint(carried)));
    return true;
  }

  bool isMax_ = false;
};

}  // namespace

bool writeSweep(OpBuilder &builder, Privatiser &privatiser, Chain &chain, const Indices &product, DimAttr depth) {
  return SweepWriter(builder, privatiser, chain, product, depth).run();
}

int64_t sweepRegisters(Chain &chain, int64_t keys, int64_t cols) {
  auto rank = static_cast<int64_t>(shapeOf(chain.weights().getType()).size());
  llvm::DenseSet<Value> vectors;  // a lane has two of eight columns
  for (Operation *op : chain.body)
    for (Value operand : op->getOperands())
      if (auto spread = operand.getDefiningOp<graph::BroadcastOp>())
        if (llvm::is_contained(spread.getAxes(), rank - 1) && !llvm::is_contained(spread.getAxes(), rank - 2)) vectors.insert(spread.getOperand());
  auto inner = static_cast<int64_t>(chain.inner.size()), columns = static_cast<int64_t>(vectors.size());
  return inner * keys / 2 + columns * keys / 4 + (chain.outer ? cols / 2 : 0);
}

std::string sweepReason(Chain &chain) {
  std::string keys = shapeOf(chain.weights().getType()).back().getText().str();
  std::string what = chain.inner.size() > 1 ? "the products that it is made of" : "the product that it is made of";
  std::string made = chain.outer ? "adds up its product" : chain.reduce.getMnemonic() == "max" ? "keeps the largest of each row" : "adds up each row";
  return "sweep: a group goes over " + keys + " in tiles, computes " + what + " again for each, and " + made + "; nothing of their size is stored";
}

}  // namespace tessera::transforms
