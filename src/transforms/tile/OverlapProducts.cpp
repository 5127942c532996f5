// A product and what comes after it at the same time.
//
// In attention the weights of a tile are computed from its scores and multiplied with its values. While a warpgroup computes them the
// tensor cores have nothing of it to do. So the scores of the next tile are begun before the product with the weights of this one, and
// while that product runs the weights of the next tile are computed (Shah et al., FlashAttention-3, section 3.2):
//
//   for ...:                            s = q * k     p = f(s)
//     s = q * k                         for all further tiles:
//     p = f(s)                 ->         s = q * k   acc += p * v     both begun, in one turn
//     acc = r * acc + p * v               (s is done)   p' = f(s)
//                                         (acc is done)   acc = r * acc   p = p'
//                                       acc += p * v
//
// The registers of p are read while the product runs: they are written when it is done. Sums of the rows of p are kept by each lane for
// its part and combined at the end, as nothing in the loop asks for them. Where the loop may not turn at all, a branch stands around it.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/RowScale.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/LeavesNarrow.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/Turns.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The parts of a loop that multiplies, computes with the sums, and multiplies what it computed.
struct Parts {
  scf::ForOp loop;
  tile::DotOp scores, outer;
  tile::CastOp weights;          // the left operand of `outer`
  tile::ElementwiseOp scale;     // of the rows of what `outer` adds to; or null
  unsigned sums = 0;             // which of the loop's values that is
  tile::RingWaitOp filled;       // the stage of the right operand of `outer`,
  tile::SelectBufferOp buffer;   // its tile there,
  tile::RingReleaseOp released;  // and the end of its use
  llvm::SetVector<Operation *> later;  // all of these: what is done one turn later

  Block &body() { return *loop.getBody(); }
};

/// The ring of the right operand of `outer`, which nothing else of the loop reads.
bool findStage(Parts &parts) {
  parts.buffer = parts.outer.getB().getDefiningOp<tile::SelectBufferOp>();
  if (!parts.buffer || !parts.buffer->hasOneUse()) return false;
  parts.filled = parts.buffer.getIndex().getDefiningOp<tile::RingWaitOp>();
  if (!parts.filled || !parts.filled->hasOneUse() || parts.filled->getBlock() != &parts.body()) return false;
  for (tile::RingReleaseOp release : parts.body().getOps<tile::RingReleaseOp>())
    if (release.getRing() == parts.filled.getRing() && !release.getLate()) parts.released = release;
  return parts.released != nullptr;
}

/// What `outer` adds to: a value that the loop carries for it alone, maybe with its rows scaled.
bool findSums(Parts &parts) {
  parts.scale = rowScaleOf(parts.outer);
  Value from = parts.outer.getAcc();
  if (parts.scale) from = parts.scale.getArgs()[parts.scale.getArgs()[0].getDefiningOp<tile::BroadcastOp>() ? 1 : 0];
  auto carried = dyn_cast<BlockArgument>(from);
  if (!carried || carried.getOwner() != &parts.body() || carried == parts.loop.getInductionVar() || !carried.hasOneUse()) return false;
  parts.sums = carried.getArgNumber() - 1;
  Value result = parts.outer.getResult();
  return result.hasOneUse() && parts.body().getTerminator()->getOperand(parts.sums) == result && constantOf(parts.loop.getInitArgs()[parts.sums]) == 0.0;
}

std::optional<Parts> partsOf(scf::ForOp loop) {
  SmallVector<tile::DotOp> products(loop.getBody()->getOps<tile::DotOp>());
  if (products.size() != 2) return std::nullopt;
  Parts parts;
  parts.loop = loop;
  parts.scores = products[0];
  parts.outer = products[1];
  parts.weights = parts.outer.getA().getDefiningOp<tile::CastOp>();
  auto start = parts.scores.getAcc().getDefiningOp<tile::FillOp>();
  bool fits = parts.weights && parts.weights->hasOneUse() && parts.weights->getBlock() == &parts.body() && comesFromDot(parts.weights.getValue(), &parts.body()) &&
              isa<SharedType>(parts.scores.getA().getType()) && start && constantOf(start.getResult()) == 0.0;
  if (!fits || !findStage(parts) || !findSums(parts) || !runsByItself(loop)) return std::nullopt;
  for (Operation *op : {parts.outer.getOperation(), parts.weights.getOperation(), parts.filled.getOperation(), parts.buffer.getOperation(),
                        parts.released.getOperation(), parts.scale.getOperation()})
    if (op) parts.later.insert(op);
  return parts;
}

class Overlap {
public:
  explicit Overlap(Parts parts) : parts_(std::move(parts)), builder_(parts_.loop), loc_(unnamed(parts_.loop.getLoc())) {}

  void run() {
    scf::ForOp loop = parts_.loop;
    sumByLane();
    Value begins = builder_.create<tile::ElementwiseOp>(loc_, builder_.getI1Type(), builder_.getStringAttr("lt"), ValueRange{loop.getLowerBound(), loop.getUpperBound()});
    auto branch = builder_.create<scf::IfOp>(loc_, loop.getResultTypes(), begins, /*withElseRegion=*/true);
    builder_.setInsertionPointToStart(branch.elseBlock());
    builder_.create<scf::YieldOp>(loc_, loop.getInitArgs());
    builder_.setInsertionPointToStart(branch.thenBlock());
    builder_.create<scf::YieldOp>(loc_, fill());
    for (auto [from, to] : llvm::zip(loop.getResults(), branch.getResults())) {
      to.setLoc(from.getLoc());
      from.replaceAllUsesWith(to);
    }
    combine(branch);
    loop.erase();
  }

private:
  /// Sums of rows that the loop only scales and adds to.
  void sumByLane() {
    Operation *yield = parts_.body().getTerminator();
    for (auto [i, argument] : llvm::enumerate(parts_.loop.getRegionIterArgs())) {
      auto sum = yield->getOperand(i).getDefiningOp<tile::ElementwiseOp>();
      if (!sum || sum.getMnemonic() != "add" || !argument.hasOneUse() || constantOf(parts_.loop.getInitArgs()[i]) != 0.0) continue;
      tile::ReduceOp own;
      tile::ElementwiseOp before;
      for (Value term : sum.getArgs()) {
        if (auto reduce = term.getDefiningOp<tile::ReduceOp>()) own = reduce;
        if (auto scaled = term.getDefiningOp<tile::ElementwiseOp>()) before = scaled;
      }
      bool scales = before && before.getMnemonic() == "mul" && before->hasOneUse() && llvm::is_contained(before.getArgs(), argument);
      if (!own || own.getReduction() != "sum" || !own->hasOneUse() || !sum->hasOneUse() || !scales) continue;
      own.setByLane(true);
      byLane_.push_back(i);
    }
  }
  void combine(scf::IfOp branch) {
    builder_.setInsertionPointAfter(branch);
    for (unsigned i : byLane_) {
      Value own = branch.getResult(i);
      auto all = builder_.create<tile::CombineLanesOp>(ir::named("total", loc_), own.getType(), "sum", own);
      own.replaceAllUsesExcept(all.getResult(), all);
    }
  }

  Value named(Value value, StringRef name) {
    value.setLoc(ir::named(name, loc_));
    return value;
  }

  /// The statements of a turn but for those that are done one turn later, from `from` up to `to`.
  void copy(Block::iterator from, Block::iterator to, IRMapping &values) {
    for (Operation &op : llvm::make_range(from, to))
      if (!parts_.later.contains(&op)) builder_.clone(op, values);
  }
  Value stage(IRMapping &values) {
    builder_.clone(*parts_.filled, values);
    return builder_.clone(*parts_.buffer, values)->getResult(0);
  }
  tile::DotOp multiply(Value sums, Value weights, Value right) {
    auto product = cast<tile::DotOp>(builder_.clone(*parts_.outer));
    product->setOperands({sums, weights, right});
    return product;
  }

  /// The first scores, the loop over all further tiles, the last product; what the loop carried in the end.
  SmallVector<Value> fill() {
    scf::ForOp loop = parts_.loop;
    Block &body = parts_.body();
    Operation *yield = body.getTerminator();
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    first.map(loop.getRegionIterArgs(), loop.getInitArgs());
    copy(body.begin(), yield->getIterator(), first);
    SmallVector<Value> carried;
    for (auto [i, value] : llvm::enumerate(yield->getOperands())) carried.push_back(i == parts_.sums ? loop.getInitArgs()[i] : first.lookupOrDefault(value));
    carried.push_back(named(builder_.clone(*parts_.weights, first)->getResult(0), "weights"));
    Value second = builder_.create<tile::ElementwiseOp>(loc_, builder_.getIndexType(), builder_.getStringAttr("add"), ValueRange{loop.getLowerBound(), loop.getStep()});
    auto rest = builder_.create<scf::ForOp>(loop.getLoc(), second, loop.getUpperBound(), loop.getStep(), carried);
    rest.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    {
      OpBuilder::InsertionGuard restore(builder_);
      builder_.setInsertionPointToStart(rest.getBody());
      turn(rest);
    }
    IRMapping last;
    SmallVector<Value> results(rest.getResults().drop_back());
    results[parts_.sums] = multiply(results[parts_.sums], rest.getResults().back(), stage(last)).getResult();
    builder_.clone(*parts_.released, last);
    return results;
  }

  void turn(scf::ForOp rest) {
    Block &body = parts_.body();
    Operation *yield = body.getTerminator();
    IRMapping values, before;
    values.map(parts_.loop.getInductionVar(), rest.getInductionVar());
    for (auto [from, to] : llvm::zip(parts_.loop.getRegionIterArgs(), rest.getRegionIterArgs())) {
      values.map(from, to);
      to.setLoc(from.getLoc());
    }
    Value weights = named(rest.getRegionIterArgs().back(), "weights"), right = stage(before);
    copy(body.begin(), parts_.scores->getIterator(), values);
    builder_.create<tile::TakeTurnOp>(loc_);
    builder_.clone(*parts_.scores, values);
    tile::DotOp product = multiply(rest.getRegionIterArgs()[parts_.sums], weights, right);
    product.setRunsOn(true);
    if (parts_.scale) product.getResult().setLoc(loc_);  // it is in the variable of what is scaled
    builder_.create<tile::PassTurnOp>(loc_);
    copy(std::next(parts_.scores->getIterator()), yield->getIterator(), values);
    builder_.create<tile::FinishProductsOp>(loc_);
    builder_.clone(*parts_.released, before);
    Value sums = product.getResult(), next = builder_.clone(*parts_.weights, values)->getResult(0);
    if (parts_.scale) {
      Operation *scale = builder_.clone(*parts_.scale, values);
      scale->setOperand(parts_.scale.getArgs()[0].getDefiningOp<tile::BroadcastOp>() ? 1 : 0, sums);
      markRowScale(scale);
      sums = scale->getResult(0);
    }
    SmallVector<Value> carried;
    for (auto [i, value] : llvm::enumerate(yield->getOperands())) carried.push_back(i == parts_.sums ? sums : values.lookupOrDefault(value));
    carried.push_back(next);
    builder_.create<scf::YieldOp>(loc_, carried);
  }

  Parts parts_;
  OpBuilder builder_;
  Location loc_;
  SmallVector<unsigned> byLane_;  // of the loop's values: each lane's part of sums of rows
};

struct OverlapProducts : PassWrapper<OverlapProducts, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapProducts)
  StringRef getArgument() const override { return "tile-overlap-products"; }
  StringRef getDescription() const override { return "the scores of a tile are begun before the product of the one before"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!takesTurns(kernel)) return;  // a single warpgroup is for few rows, whose keys and values it waits for
    SmallVector<scf::ForOp> loops;
    kernel.getBody().walk([&](tile::RolesOp roles) {
      for (scf::ForOp loop : roles.getConsumers().front().getOps<scf::ForOp>()) loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      std::optional<Parts> parts = partsOf(loop);
      if (!parts) continue;
      Overlap(std::move(*parts)).run();
      addReason(kernel, "the next tile's scores and this one's product are begun together, warpgroups by turns; weights are computed meanwhile");
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createOverlapProductsPass() { return std::make_unique<OverlapProducts>(); }

}  // namespace tessera::transforms
