// What scores are made of besides products comes with the tiles of these.
//
// A bias of attention, or a mask, has a number for each score. Loaded to registers it is asked for element by element, waits for memory
// in each turn, and is held while the product runs. The producer brings it instead, in the stage of the keys, and lanes read it when
// they need it:
//
//   for n:                                for n:
//     copy k[n] to s                        copy k[n] to s;  copy b[m, n] to t
//     r = load b[m, n]              ->      x = q * s
//     x = q * s                             r = read t
//     y = x + r                             y = x + r
//
// A tile that the products read turned is read turned, too. Only where two stages of all that a turn copies have room.
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/StagedLoads.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kStagesOfTurns = 2;     // one is filled while the other is used
constexpr int64_t kBarrierBytes = 1024;  // of the rings

/// Tiles that one loop reads in each of its turns.
class Stager {
public:
  Stager(tile::KernelOp kernel, const Machine &machine) : kernel_(kernel), machine_(machine), extents_(kernel) {}

  void run() {
    SmallVector<tile::LoadFragmentOp> loads;
    kernel_.getBody().walk([&](tile::LoadFragmentOp load) {
      if (canComeWithTiles(load)) loads.push_back(load);
    });
    for (tile::LoadFragmentOp load : loads)
      if (haveRoomFor(load)) stageWhereUsed(load);
  }

private:
  bool canComeWithTiles(tile::LoadFragmentOp load) {
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    if (!loop || load->getBlock()->getOps<tile::CopyOp>().empty() || load->getBlock()->getOps<tile::DotOp>().empty()) return false;
    tile::FragmentType type = load.getResult().getType();
    bool fits = canBeStaged(load, extents_) && fitsBox(type.getShape()[load.getTransposed() ? 1 : 0]) && load.getOffsets().size() <= 5;
    return fits && load.getBase().hasOneUse() && !load.use_empty() && !cast<ViewType>(load.getBase().getType()).getPlaces() &&
           llvm::all_of(load.getOffsets(), [&](Value offset) { return producerKnows(kernel_, offset); });
  }
  bool fitsBox(DimAttr rows) {
    std::vector<int64_t> values = extents_.values(rows);
    return values.size() == 1 && values[0] <= kBoxRows;
  }

  int64_t bytesOf(ArrayRef<DimAttr> shape, Type element) {
    return extents_.greatestCount(shape).value_or(machine_.sharedBytes) * storedBytes(element);
  }
  /// Beside two stages of what the loops copy, what is copied once, and the way of results.
  bool haveRoomFor(tile::LoadFragmentOp load) {
    int64_t inLoops = bytesOf(load.getResult().getType().getShape(), load.getResult().getType().getElementType()), outside = 0;
    kernel_.getBody().walk([&](tile::CopyOp copy) {
      SharedType type = copy.getTarget().getType();
      (copy->getParentOfType<scf::ForOp>() ? inLoops : outside) += bytesOf(type.getShape(), type.getElementType());
    });
    llvm::SmallDenseSet<Type> stored;
    kernel_.getBody().walk([&](tile::StoreFragmentOp store) {
      if (store.getValue().getType().getRank() == 2) stored.insert(store.getValue().getType().getElementType());
    });
    const int64_t panels = static_cast<int64_t>(stored.size()) * storePanelBytes(kernel_.getGroup() / kWarpgroupLanes);
    return kStagesOfTurns * inLoops + outside + panels + kBarrierBytes <= machine_.sharedBytes;
  }

  /// The copy stands where the load did, the read where its first user is.
  void stageWhereUsed(tile::LoadFragmentOp load) {
    Block *block = load->getBlock();
    Operation *first = nullptr;
    for (Operation *user : load->getUsers()) {
      Operation *inside = block->findAncestorOpInBlock(*user);
      if (!first || inside->isBeforeInBlock(first)) first = inside;
    }
    stage(load, "panels")->moveBefore(first);
  }

  tile::KernelOp kernel_;
  const Machine &machine_;
  Extents extents_;
};

struct StageBeside : PassWrapper<StageBeside, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageBeside)
  StringRef getArgument() const override { return "tile-stage-beside"; }
  StringRef getDescription() const override { return "tiles that are combined with a loop's products, through shared memory with its operands"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    if (hasPanels(getOperation())) Stager(getOperation(), *machine).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createStageBesidePass() { return std::make_unique<StageBeside>(); }

}  // namespace tessera::transforms
