// Which accesses need no mask.
//
// The checker proves what holds for every choice of sizes. Once they are chosen, more can be proved: a tile of 128 rows
// at an origin that is a multiple of 128 lies inside of M rows if `M % 128 == 0`. Every index of every access is looked
// at with the facts that hold where it stands; a comparison that hides what lies outside of a tensor
// (`iota < M - m`) is replaced by its truth.
#include "ir/common/ReasonText.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/KernelFacts.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;
using shape::Formula;
using shape::Relation;

namespace {

class Bounds {
public:
  explicit Bounds(tile::KernelOp kernel) : kernel_(kernel), facts_(kernel) {}
  void run() {
    visit(kernel_.getBody().front());
    explain();
  }

private:
  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) visit(&op);
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) return visitBranches(branch);
    if (auto select = dyn_cast<tile::ElementwiseOp>(op)) return dropMask(select);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      KernelFacts::Scope scope(facts_);
      facts_.enter(loop);
      return visit(*loop.getBody());
    }
    for (Region &region : op->getRegions())
      if (!region.empty()) visit(region.front());
    if (auto access = dyn_cast<tile::LoadElementOp>(op)) proveElement(access);
    if (auto access = dyn_cast<tile::StoreElementOp>(op)) proveElement(access);
    if (auto access = dyn_cast<tile::AtomicOp>(op); access && isScalar(access.getValue().getType())) proveElement(access);
    if (auto access = dyn_cast<tile::LoadAtOp>(op)) masked_.insert(access.getBase());  // data say where its elements are
    if (auto access = dyn_cast<tile::CopyRowsOp>(op)) masked_.insert(access.getBase());
    if (auto access = dyn_cast<tile::LoadFragmentOp>(op)) proveTile(access);
    if (auto access = dyn_cast<tile::StoreFragmentOp>(op)) proveTile(access);
    if (auto access = dyn_cast<tile::ReadSharedOp>(op)) proveTile(access);
    if (auto access = dyn_cast<tile::WriteSharedOp>(op)) proveTile(access);
    if (auto access = dyn_cast<tile::CopyOp>(op)) proveTile(access);
  }

  void visitBranches(scf::IfOp branch) {
    std::optional<Formula> holds = facts_.condition(branch.getCondition());
    for (bool taken : {true, false}) {
      Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
      if (region.empty()) continue;
      KernelFacts::Scope scope(facts_);
      if (holds) facts_.assume(taken ? *holds : holds->negated());
      visit(region.front());
    }
  }

  /// `size` elements from `offset` on, `step` apart, lie in 0 .. extent.
  bool inside(Value offset, const Dim &size, int64_t step, DimAttr extent) {
    Dim first = facts_.of(offset), last = first + Dim(step) * (facts_.withSizes(size) - Dim(1));
    return facts_.proves(Formula(first, Relation::Ge, Dim(0))) &&
           facts_.proves(Formula(last, Relation::Lt, facts_.withSizes(extent.getDim())));
  }

  /// The sentence over the kernel: which tensors lost their masks here.
  void explain() {
    std::string list;
    for (BlockArgument argument : kernel_.getBody().getArguments())
      if (proved_.contains(argument) && !masked_.contains(argument))
        list += (list.empty() ? "" : ", ") + inReason(argument.getArgNumber());
    if (list.empty()) return;
    addReason(kernel_, "no masks on " + list + ": every tile lies inside of its tensor");
  }
  void note(Value base, ArrayRef<bool> before, ArrayRef<bool> now) {
    if (llvm::is_contained(now, false)) masked_.insert(base);
    else if (llvm::is_contained(before, false)) proved_.insert(base);
  }

  template <class Op> void proveElement(Op op) {
    ArrayRef<DimAttr> shape = shapeOf(op.getBase().getType());
    SmallVector<bool> before, proved;
    for (auto [i, index] : llvm::enumerate(op.getIndices())) {
      before.push_back(op.isInBounds(i));
      proved.push_back(before.back() || inside(index, Dim(1), 1, shape[i]));
    }
    if (llvm::is_contained(proved, true)) op.setInBounds(ArrayRef<bool>(proved));
    note(op.getBase(), before, proved);
  }

  template <class Op> void proveTile(Op op) {
    ArrayRef<DimAttr> shape = shapeOf(op.getBase().getType());
    SmallVector<bool> proved;
    for (auto [i, offset] : llvm::enumerate(op.getOffsets())) {
      Dim size = op.getPoints()[i] ? Dim(1) : op.getSizes().getDims()[i].getDim();
      proved.push_back(op.getInBounds()[i] || inside(offset, size, op.getSteps()[i], shape[i]));
    }
    note(op.getBase(), op.getInBounds(), proved);
    op.setInBounds(ArrayRef<bool>(proved));
  }

  /// select(iota < valid, x, y) is x where `valid` is no less than the tile's extent.
  void dropMask(tile::ElementwiseOp select) {
    if (select.getMnemonic() != "select") return;
    auto less = select.getArgs()[0].getDefiningOp<tile::ElementwiseOp>();
    if (!less || less.getMnemonic() != "lt") return;
    auto position = less.getArgs()[0].getDefiningOp<tile::IotaOp>();
    auto limit = less.getArgs()[1].getDefiningOp<tile::FillOp>();
    auto valid = limit ? limit.getValue().getDefiningOp<tile::CastOp>() : tile::CastOp();
    if (!position || !valid || !isa<IndexType>(valid.getValue().getType())) return;
    auto type = cast<tile::FragmentType>(position.getType());
    Dim extent = facts_.withSizes(type.getShape()[position.getAxis()].getDim());
    if (!facts_.proves(Formula(facts_.of(valid.getValue()), Relation::Ge, extent))) return;
    // A fragment may be wider than its tile; what is beyond the tile must stay hidden.
    if (!fills(type)) return;
    select.getResult().replaceAllUsesWith(select.getArgs()[1]);
    erase(select);
  }

  /// Every position of the fragment is an element of its tile.
  bool fills(tile::FragmentType type) {
    for (auto [axis, dim] : llvm::enumerate(type.getShape())) {
      Dim extent = facts_.withSizes(dim.getDim());
      if (!extent.isConstant() || extent.constant() % type.getStep(axis) != 0) return false;
    }
    return true;
  }

  /// Removes the operation and what only it used.
  void erase(Operation *op) {
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (Operation *maker = operand.getDefiningOp(); maker && maker->use_empty() && isPure(maker)) erase(maker);
  }

  tile::KernelOp kernel_;
  KernelFacts facts_;
  llvm::SmallDenseSet<Value> proved_, masked_;  // bases of which an access was proved here; of which one was not
};

struct ProveBounds : PassWrapper<ProveBounds, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProveBounds)
  StringRef getArgument() const override { return "tile-prove-bounds"; }
  StringRef getDescription() const override { return "accesses that lie inside of their tensors need no masks"; }
  void runOnOperation() override { Bounds(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createProveBoundsPass() { return std::make_unique<ProveBounds>(); }

}  // namespace tessera::transforms
