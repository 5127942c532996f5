// The CPU: a loop over all lanes where they are independent, else a parallel loop over groups.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// Lanes that share nothing are the turns of one loop.
bool KernelEmitter::isPlainLoop() {
  if (kernel_.getGrid().getKind() != ir::GridKind::Lanes) return false;
  bool shares = false;
  kernel_.getBody().walk([&](Operation *op) {
    shares |= isa<tile::AllocSharedOp, tile::BarrierOp, tile::GroupReduceOp, tile::OnceOp, tile::CopyOp>(op);
    for (Type type : op->getResultTypes()) shares |= isa<tile::FragmentType>(type);
    auto query = dyn_cast<tile::QueryOp>(op);
    shares |= query && query.getQuery() != "linear_id";
  });
  return !shares;
}

/// The user's name of where a lane or group stands, for the counter of the loop over them.
static std::string standingName(tile::KernelOp kernel, StringRef query, int64_t axis) {
  std::string name;
  kernel.getBody().walk([&](tile::QueryOp op) {
    StringRef hint = ir::nameHint(op.getResult());
    if (name.empty() && op.getQuery() == query && static_cast<int64_t>(op.getAxis()) == axis &&
        !hint.empty() && hint != "_")
      name = hint.str();
  });
  return name;
}

/// The number of lanes: where it is the number of a tensor's elements, the product of its extents.
ExprRef KernelEmitter::lanes() {
  for (Type type : llvm::reverse(kernel_.getArgumentTypes())) {
    if (!isa<ir::ViewType>(type)) continue;
    Dim count(1);
    ExprRef product = typed(1);
    for (ir::DimAttr extent : ir::shapeOf(type)) {
      count = count * extent.getDim();
      product = binary("*", product, dim(extent.getDim()));
    }
    if (count == grid_[0]) return product;
  }
  return dim(grid_[0]);
}

LogicalResult KernelEmitter::emitPlainLoop() {
  Location place = kernel_.getLoc();
  std::string counter = standingName(kernel_, "linear_id", 0);
  Value from = write(builder_, place, typed(0)), to = write(builder_, place, lanes());
  Value by = write(builder_, place, typed(1));
  Scope scope(*this);
  counter = counter.empty() ? names_.fresh("i") : names_.declare(counter);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                          /*simd=*/true);
  Block *body = scope.enter(loop.getBody());
  laneLoop_ = valueOf(body->addArgument(indexType(), place));
  return emitBlock(kernel_.getBody().front());
}

/// A store that may change what the loop counts with, for all that a compiler can see of a parallel loop: to
/// 64-bit integers, which its bounds are, or to bytes, which may be part of anything.
static bool mayMoveBounds(Operation *op) {
  if (!isa<out::AssignOp, out::CompoundAssignOp>(op)) return false;
  Value target = op->getOperand(0);
  if (target.getDefiningOp<out::VariableOp>()) return false;
  auto integer = dyn_cast<IntegerType>(cast<out::LValueType>(target.getType()).getValue());
  return integer && !integer.isInteger(1) && (integer.getWidth() == 64 || integer.getWidth() <= 8);
}

/// A loop or branch in the body, a call of the C library, or a division whose divisor only run time knows.
static bool isScalar(Operation *op) {
  if (isa<out::ForOp, out::WhileOp, out::IfOp>(op)) return true;
  auto call = dyn_cast<out::CallOp>(op);
  if (!call) return false;
  bool divides = call.getCallee() == "tsr::floordiv" || call.getCallee() == "tsr::mod";
  if (divides && !isa<FloatType>(call.getType()))
    return !isa_and_nonnull<out::LiteralOp>(call->getOperand(1).getDefiningOp());
  return !hasVectorForm(call.getCallee(), call.getType());
}

static bool isLoadedOrChosen(Value index) {
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<out::SubscriptOp, out::ElementOp, out::ConditionalOp>(op)) return true;
  return op && llvm::any_of(op->getOperands(), isLoadedOrChosen);
}
/// Elements at indices that stand in memory themselves, or are one of two: nobody can tell which of them a
/// store may change.
static bool readsAnywhere(Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), isLoadedOrChosen);
}

static bool isCounted(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? llvm::any_of(op->getOperands(), isCounted) : isa<BlockArgument>(value);
}
/// An index that falls while the loop counts up: behind a condition, that is nothing that every compiler makes
/// vectors of.
static bool fallsBack(Value index) {
  auto binary = index.getDefiningOp<out::BinaryOp>();
  if (binary && binary.getOp() == "-" && isCounted(binary.getRight())) return true;
  Operation *op = index.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), fallsBack);
}
static bool readsBackwards(Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), fallsBack);
}

/// What cannot become vector instructions has no mark for them: compilers warn of it.
void KernelEmitter::keepVectorLoops() {
  out_.walk([](out::ForOp loop) {
    if (!loop.getSimd()) return;
    WalkResult found = loop.getBody().walk([](Operation *op) {
      bool scalar = isScalar(op) || mayMoveBounds(op) || readsAnywhere(op) || readsBackwards(op);
      return scalar ? WalkResult::interrupt() : WalkResult::advance();
    });
    loop.setSimd(!found.wasInterrupted());
  });
}

LogicalResult KernelEmitter::emitGroupLoop() {
  Location place = kernel_.getLoc();
  Dim groups(1);
  int64_t axis = -1, axes = 0;
  for (auto [i, count] : llvm::enumerate(groupCounts_)) {
    groups = groups * count;
    if (!(count == Dim(1))) axis = i, ++axes;
  }
  auto body = [&] {
    OpBuilder::InsertionGuard guard(builder_);
    declarations_->moveBefore(builder_.getInsertionBlock(), builder_.getInsertionBlock()->end());
    return lanesMatter() ? emitLanes(kernel_.getBody().front()) : emitBlock(kernel_.getBody().front());
  };
  if (groups == Dim(1)) {
    group_ = typed(0);
    return body();
  }
  std::string counter;
  if (axes == 1) {
    bool single = kernel_.getGrid().getKind() == ir::GridKind::Output && grid_[axis] == Dim(1);
    if (single) counter = standingName(kernel_, "origin", axis);
    if (counter.empty()) counter = standingName(kernel_, "group_id", axis);
  }
  Value from = write(builder_, place, typed(0)), to = write(builder_, place, dim(groups)),
        by = write(builder_, place, typed(1));
  Scope scope(*this);
  counter = counter.empty() ? names_.fresh("group") : names_.declare(counter);
  auto loop = builder_.create<out::ForOp>(place, counter, from, to, by, IntegerAttr(), /*parallel=*/true,
                                          /*simd=*/false);
  Block *block = scope.enter(loop.getBody());
  group_ = valueOf(block->addArgument(indexType(), place));
  return body();
}

}  // namespace tessera::transforms::totarget
