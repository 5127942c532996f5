// Products that need nothing of each other one after the other.
//
// A warpgroup that waits for a product before it begins the next leaves the tensor cores idle for as long as a small product takes.
// So in the loops of consumers, what a product needs moves before an earlier product that it does not depend on, and the product
// behind it: both are begun, and there is one wait (the emitter begins a product that another follows). What is loaded from tensors
// moves before the first product, so that it comes while the tensor cores work.
//
//   de = dO * v   ds = f(de, s)         load n
//   n  = load     s = q * k       ->    s = q * k   de = dO * v
//   ...                                 ...
//   acc += ds * q                       p = g(s, n)
//   p = g(s, n)   dv += p * dO          acc += ds * q   dv += p * dO
#include "ir/common/Common.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// What `op` needs of the statements of its block behind `from`, in their order; nothing where something of it cannot move.
class Needed {
public:
  Needed(Operation *op, Operation *from) : from_(from) { holds_ = addOperands(op); }

  bool canMove() const { return holds_; }
  void moveBefore(Operation *place) {
    SmallVector<Operation *> all(found_.begin(), found_.end());
    llvm::sort(all, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : all) op->moveBefore(place);
  }

private:
  bool addOperands(Operation *op) {
    bool all = llvm::all_of(op->getOperands(), [&](Value value) { return add(value); });
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value value : inner->getOperands()) all = all && (region.isAncestor(value.getParentRegion()) || add(value));
      });
    return all;
  }
  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != from_->getBlock() || op->isBeforeInBlock(from_) || found_.contains(op)) return true;
    if (op == from_ || isa<tile::DotOp>(op) || !isMemoryEffectFree(op)) return false;
    found_.insert(op);
    return addOperands(op);
  }

  Operation *from_;
  llvm::SetVector<Operation *> found_;
  bool holds_ = false;
};

/// Loads of tensors that the kernel only reads.
bool isOfInput(tile::LoadFragmentOp load) {
  auto base = dyn_cast<BlockArgument>(load.getBase());
  return base && isa<ViewType>(base.getType()) && llvm::all_of(base.getUsers(), [](Operation *user) { return isa<tile::LoadFragmentOp, tile::LoadElementOp>(user); });
}

void loadEarly(Block &block) {
  auto products = block.getOps<tile::DotOp>();
  if (products.empty()) return;
  Operation *first = *products.begin();
  for (Operation &op : block)
    if (isa<tile::RingWaitOp>(op) && op.isBeforeInBlock(first)) {
      first = &op;
      break;
    }
  SmallVector<tile::LoadFragmentOp> loads(block.getOps<tile::LoadFragmentOp>());
  for (tile::LoadFragmentOp load : loads) {
    if (load->isBeforeInBlock(first) || !isOfInput(load)) continue;
    Needed needed(load, first);
    if (!needed.canMove()) continue;
    needed.moveBefore(first);
    load->moveBefore(first);
  }
}

void group(Block &block) {
  SmallVector<tile::DotOp> products(block.getOps<tile::DotOp>());
  if (products.size() < 2) return;
  Operation *first = products.front(), *last = first;
  for (tile::DotOp product : ArrayRef(products).drop_front()) {
    Needed needed(product, first);
    if (!needed.canMove()) {
      first = last = product;
      continue;
    }
    needed.moveBefore(first);
    product->moveAfter(last);
    last = product;
  }
}

struct GroupProducts : PassWrapper<GroupProducts, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GroupProducts)
  StringRef getArgument() const override { return "tile-group-products"; }
  StringRef getDescription() const override { return "products that need nothing of each other are begun together"; }
  void runOnOperation() override {
    getOperation().getBody().walk([](tile::RolesOp roles) {
      roles.getConsumers().walk([](scf::ForOp loop) {
        loadEarly(*loop.getBody());
        group(*loop.getBody());
      });
    });
  }
};

}  // namespace

std::unique_ptr<Pass> createGroupProductsPass() { return std::make_unique<GroupProducts>(); }

}  // namespace tessera::transforms
