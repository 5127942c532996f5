#include "transforms/tile/Layouts.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Layouts::Layouts(schedule::KernelOp kernel) {
  fragments_ =
      kernel.getRows().empty() && kernel.getGrid().getKind() != GridKind::Lanes && holdsFragments(kernel);
  if (!fragments_) return;
  bool hasTiles = false;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) hasTiles |= isa<TensorType>(type) && longAxes(type).size() >= 2;
  });
  auto height = kernel.getSizes().getAs<IntegerAttr>("m");
  chooseGrid(kernel.getGroup(), !hasTiles ? 1 : height ? height.getInt() : kernel.getGroup());
  placeVectors(kernel);
}

/// As square as the group allows, wider than high, as neighbours of a warp read neighbouring columns, and no higher than the tiles.
void Layouts::chooseGrid(int64_t group, int64_t height) {
  rows_ = 1;
  for (int64_t candidate = 1; candidate * candidate <= group && candidate <= height; ++candidate)
    if (group % candidate == 0) rows_ = candidate;
  cols_ = group / rows_;
}

Value Layouts::root(Value value) const {
  auto found = parent_.find(value);
  if (found == parent_.end() || found->second == value) return value;
  Value top = root(found->second);
  parent_[value] = top;
  return top;
}

void Layouts::join(Value a, Value b) {
  if (longAxes(a.getType()).size() != 1 || longAxes(b.getType()).size() != 1) return;
  Value top = root(a), other = root(b);
  if (top == other) return;
  parent_[other] = top;
  if (auto found = wanted_.find(other); found != wanted_.end() && !wanted_.count(top))
    wanted_[top] = found->second;
}

void Layouts::want(Value vector, int64_t sliceAxis) {
  Value top = root(vector);
  if (!wanted_.count(top)) wanted_[top] = sliceAxis;
}

int64_t Layouts::sliceAxis(Value vector) const {
  auto found = wanted_.find(root(vector));
  return found == wanted_.end() ? 0 : found->second;
}

/// Vectors that meet must lie alike; a vector that is spread over a tile, or left of one, lies along the
/// tile's axis.
void Layouts::constrain(Operation *op) {
  if (isa<graph::ElementwiseOp, graph::CastOp, graph::ReshapeOp>(op)) {
    for (Value operand : op->getOperands()) join(op->getResult(0), operand);
  } else if (auto atomic = dyn_cast<graph::AtomicOp>(op)) {
    for (Value index : atomic.getIndices()) join(atomic.getValue(), index);
  } else if (auto scan = dyn_cast<graph::ScanOp>(op)) {
    join(scan.getResult(), scan.getOperand());
  } else if (auto argsort = dyn_cast<graph::ArgsortOp>(op)) {
    join(argsort.getResult(), argsort.getOperand());
  } else if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    SmallVector<int64_t> axes = longAxes(gather.getPlaces().getType());
    if (axes.size() == 1 && longAxes(gather.getType()).size() == 2)  // spread over a tile
      want(gather.getPlaces(), 1 - longPosition(gather.getType(), gather.getAxes()[axes[0]]));
    else join(gather.getResult(), gather.getPlaces());
  } else if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    join(transpose.getResult(), transpose.getOperand());
  } else if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    SmallVector<int64_t> axes = longAxes(broadcast.getOperand().getType());
    if (axes.size() != 1) return;
    int64_t position = longPosition(broadcast.getType(), broadcast.getAxes()[axes[0]]);
    if (longAxes(broadcast.getType()).size() == 2) want(broadcast.getOperand(), 1 - position);
    else join(broadcast.getResult(), broadcast.getOperand());
  } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    SmallVector<int64_t> from = longAxes(reduce.getOperand().getType());
    if (from.size() == 2 && isa<TensorType>(reduce.getType()) && longAxes(reduce.getType()).size() == 1)
      for (int64_t axis : reduce.getAxes())
        if (int64_t position = longPosition(reduce.getOperand().getType(), axis); position >= 0)
          want(reduce.getResult(), position);
    if (from.size() == 1 && isa<TensorType>(reduce.getType())) join(reduce.getResult(), reduce.getOperand());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto *yield = loop.getBody()->getTerminator();
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      join(loop.getResult(i), loop.getRegionIterArg(i));
      join(loop.getResult(i), loop.getInitArgs()[i]);
      join(loop.getResult(i), yield->getOperand(i));
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (unsigned i = 0; i < branch.getNumResults(); ++i) {
      join(branch.getResult(i), branch.thenYield()->getOperand(i));
      join(branch.getResult(i), branch.elseYield()->getOperand(i));
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (unsigned i = 0; i < loop.getInits().size(); ++i) {
      join(loop.getBeforeArguments()[i], loop.getInits()[i]);
      join(loop.getBeforeArguments()[i], loop.getYieldOp().getOperand(i));
    }
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      join(loop.getResult(i), loop.getConditionOp().getArgs()[i]);
      join(loop.getResult(i), loop.getAfterArguments()[i]);
    }
  }
}

void Layouts::placeVectors(schedule::KernelOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { constrain(op); });
}

}  // namespace tessera::transforms
