// Parts that are many, of columns that are few: the lanes of a group share the parts of 32 columns, and meet in shared memory.
//
//   if (i < n) for part in P: sum += x[part, i]     ->    if (i < n) for (part = share; part < P; part += shares): sum += x[part, i]
//                                                         own[share, i % 32] = sum;  barrier
//                                                         if (share == 0 && i < n) for s in shares: sum += own[s, i % 32]
#include "ir/common/Names.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/Lanes.h"
#include "transforms/tile/LoopOverParts.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kLanes = 1024;  // of a group: there are few, and each turn of a lane takes as long as memory does

class Share {
public:
  Share(tile::KernelOp kernel, scf::IfOp guard, scf::ForOp loop, Value counter)
      : kernel_(kernel), guard_(guard), loop_(loop), counter_(counter), builder_(kernel->getContext()), place_(unnamed(loop.getLoc())),
        shares_(kLanes / kWarpLanes) {}

  bool run() {
    if (!isAlone()) return false;
    kernel_->setAttr("group", builder_.getI64IntegerAttr(kLanes));
    for (Operation &op : llvm::make_early_inc_range(*guard_.thenBlock())) {
      if (&op == loop_) break;
      op.moveBefore(guard_);
    }
    placeLanes();
    std::vector<Value> buffers = writeOwn();
    readAll(buffers);
    addReason(kernel_, "the lanes of a group share the parts of " + Twine(kWarpLanes) + " columns, and meet in shared memory");
    return true;
  }

private:
  /// Before the loop nothing is done that could not be done for all lanes, and behind it no other loop.
  bool isAlone() {
    bool isBehind = false;
    for (Operation &op : guard_.thenBlock()->without_terminator()) {
      if (&op == loop_) isBehind = true;
      else if (isBehind ? op.getNumRegions() != 0 : !isPure(&op) || op.getNumRegions() != 0) return false;
    }
    Operation *query = counter_.getDefiningOp();
    return isa_and_nonnull<tile::QueryOp>(query) && query->getBlock() == guard_->getBlock();
  }

  Value number(int64_t value) { return builder_.create<tile::ConstantOp>(place_, builder_.getIndexType(), builder_.getIndexAttr(value)); }
  Value index(StringRef mnemonic, Value a, Value b, StringRef name = "") {
    Type type = mnemonic == "lt" ? builder_.getI1Type() : Type(builder_.getIndexType());
    return builder_.create<tile::ElementwiseOp>(named(name, place_), type, mnemonic, ValueRange{a, b});
  }
  Value query(StringRef what) { return builder_.create<tile::QueryOp>(place_, builder_.getIndexType(), what, 0); }

  /// A group has 32 columns; lane l of it the column l % 32, and the parts l / 32, l / 32 + shares, ...
  void placeLanes() {
    builder_.setInsertionPoint(counter_.getDefiningOp());
    Value lane = query("local_id"), lanes = number(kWarpLanes);
    column_ = index("mod", lane, lanes, "own_column");
    share_ = index("floordiv", lane, lanes, "share");
    StringRef hint = nameHint(counter_);
    Value at = index("add", index("mul", query("group_id"), lanes), column_, hint.empty() ? StringRef("column") : hint);
    counter_.replaceAllUsesWith(at);
    counter_.getDefiningOp()->erase();
    const Dim count = kernel_.getGrid().getDims()[0].getDim();
    auto groups = DimAttr::get(builder_.getContext(), Dim::ceilDiv(count, Dim(kWarpLanes)));
    kernel_.setGridAttr(GridAttr::get(builder_.getContext(), GridKind::Explicit, groups, -1));
  }

  /// The lane's own sums, in shared memory.
  std::vector<Value> writeOwn() {
    builder_.setInsertionPoint(guard_);
    auto inside = builder_.create<scf::IfOp>(place_, loop_.getResultTypes(), guard_.getCondition(), /*withElseRegion=*/true);
    auto yield = [&](Block &block, ValueRange values) {
      builder_.setInsertionPointToEnd(&block);
      builder_.create<scf::YieldOp>(place_, values);
    };
    loop_->moveBefore(inside.thenBlock(), inside.thenBlock()->end());
    loop_.getLowerBoundMutable().assign(share_);
    loop_->removeAttr(kAddsParts);
    loop_->setAttr(kSplit, builder_.getUnitAttr());
    builder_.setInsertionPoint(loop_);
    loop_.getStepMutable().assign(number(shares_));
    for (auto [result, sum] : llvm::zip(loop_.getResults(), inside.getResults())) result.replaceAllUsesWith(sum);
    yield(*inside.thenBlock(), loop_.getResults());
    yield(*inside.elseBlock(), loop_.getInitArgs());
    sums_ = inside.getResults();
    std::vector<Value> buffers;
    auto extent = [&](int64_t value) { return DimAttr::get(builder_.getContext(), Dim(value)); };
    for (auto [sum, argument] : llvm::zip(sums_, loop_.getRegionIterArgs())) {
      builder_.setInsertionPointToStart(&kernel_.getBody().front());
      auto type = SharedType::get(builder_.getContext(), {extent(shares_), extent(kWarpLanes)}, sum.getType(), "");
      StringRef hint = nameHint(argument);
      buffers.push_back(builder_.create<tile::AllocSharedOp>(named("own_" + (hint.empty() ? "sums" : hint.str()), place_), type, /*manual=*/true));
      builder_.setInsertionPoint(guard_);
      builder_.create<tile::StoreElementOp>(place_, sum, buffers.back(), ValueRange{share_, column_}, builder_.getDenseBoolArrayAttr({true, true}));
    }
    builder_.create<tile::BarrierOp>(place_);
    return buffers;
  }

  /// The first lanes add up what all wrote, and go on.
  void readAll(ArrayRef<Value> buffers) {
    builder_.setInsertionPoint(guard_);
    Value isFirst = index("lt", share_, number(1));
    guard_.getConditionMutable().assign(builder_.create<tile::ElementwiseOp>(place_, builder_.getI1Type(), "and", ValueRange{isFirst, guard_.getCondition()}));
    builder_.setInsertionPointToStart(guard_.thenBlock());
    auto all = builder_.create<scf::ForOp>(loop_.getLoc(), number(0), number(shares_), number(1), loop_.getInitArgs());
    all->setAttr(tile::kUnrolled, builder_.getUnitAttr());
    all.getInductionVar().setLoc(named("from", place_));
    for (auto [from, to] : llvm::zip(loop_.getRegionIterArgs(), all.getRegionIterArgs())) to.setLoc(from.getLoc());
    for (auto [sum, total] : llvm::zip(sums_, all.getResults()))
      sum.replaceUsesWithIf(total, [&](OpOperand &use) { return guard_->isProperAncestor(use.getOwner()); });
    if (!all.getBody()->empty()) all.getBody()->back().erase();
    builder_.setInsertionPointToEnd(all.getBody());
    SmallVector<Value> next;
    for (auto [buffer, sum, reduction] : llvm::zip(buffers, all.getRegionIterArgs(), tile::reductionsOf(loop_))) {
      Value own = builder_.create<tile::LoadElementOp>(place_, sum.getType(), buffer, ValueRange{all.getInductionVar(), column_}, Value(),
                                                       builder_.getDenseBoolArrayAttr({true, true}));
      next.push_back(builder_.create<tile::ElementwiseOp>(loop_.getLoc(), sum.getType(), combinationOf(reduction), ValueRange{sum, own}));
    }
    builder_.create<scf::YieldOp>(place_, next);
  }

  tile::KernelOp kernel_;
  scf::IfOp guard_;
  scf::ForOp loop_;
  Value counter_, column_, share_;
  ValueRange sums_;
  OpBuilder builder_;
  Location place_;
  int64_t shares_;
};

}  // namespace

bool shareParts(tile::KernelOp kernel, scf::IfOp guard, scf::ForOp loop, Value counter) { return Share(kernel, guard, loop, counter).run(); }

}  // namespace tessera::transforms
