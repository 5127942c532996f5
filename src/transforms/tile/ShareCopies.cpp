// Copies that two groups of a launch share.
//
// Groups of a product whose tiles lie one below the other read the same tile of the right operand at the same time. In a cluster of
// two, each brings half of it into the shared memory of both (PTX ISA, "cp.async.bulk.tensor", multicast): the L2 cache answers two
// thirds of the requests. That decides where rows begin within cache lines, as each request then takes more of them; elsewhere it
// gains nothing, so the launch decides whether groups stand in clusters or alone (tsr::resident_clusters).
//
// Both groups go through the stages of the ring in step: all that stands around the copies is the same for both, and a stage is free
// when the consumers of both have left it.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class ShareCopies {
public:
  ShareCopies(tile::KernelOp kernel, tile::RolesOp roles) : kernel_(kernel), roles_(roles), extents_(kernel) {}

  void run() {
    if (!hasRowsAndColumns() || !isWanted() || !goInStep() || !staysInside()) return;
    bool some = false;
    roles_.getProducer().walk([&](tile::CopyOp copy) {
      tile::RingOp ring = ringOf(copy);
      if (!ring || dependsOnRow(copy.getOffsets()) || !hasHalves(copy)) return;
      copy.setCluster(true);
      ring.setCluster(true);
      some = true;
    });
    if (!some) return;
    roles_.setClusters(true);
    addReason(kernel_, "two groups with tiles one below the other may share a cluster, and bring half of what both read each: where rows begin within cache lines");
  }

private:
  /// A grid of tiles, as products have: several rows and columns of them, which neighbouring groups go over column by column.
  bool hasRowsAndColumns() {
    GridAttr grid = kernel_.getGrid();
    if (grid.getKind() != GridKind::Output || kernel_.getLongestFirst()) return false;
    ArrayRef<DimAttr> shape = shapeOf(kernel_.getArgumentTypes()[grid.getParam()]), tile = grid.getDims();
    const size_t rank = tile.size();
    return rank >= 2 && llvm::all_of(llvm::seq(rank - 2, rank), [&](size_t axis) { return tile[axis] != shape[axis] && tile[axis].getConstant() != 1; });
  }

  /// Small tiles are for products with few of them, where a group that waits for another loses more than copies cost (64 x 128 and 64 x 64:
  /// 2 to 50 % more time, measured on one H200). Convolutions were not measured. The schedule can ask for groups alone.
  bool isWanted() {
    auto given = kernel_.getSizes().getAs<IntegerAttr>("cluster_m");
    if (roles_.getProducer().walk([](tile::CopyOp copy) { return readsWindows(copy) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted())
      return false;
    return kernel_.getGroup() >= 2 * kWarpgroupLanes && roles_.getTeams() == 1 && (!given || given.getInt() == 2);
  }

  /// Whether the tile's row, which is all in which the two groups differ, is needed for one of the values.
  bool dependsOnRow(ValueRange values) {
    return llvm::any_of(values, [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op) return false;  // a counter of a loop, whose bounds goInStep() looks at, or a parameter
      if (auto query = dyn_cast<tile::QueryOp>(op))
        return query.getQuery() != "group_count" && static_cast<int64_t>(query.getAxis()) == static_cast<int64_t>(kernel_.getGrid().getDims().size()) - 2;
      return dependsOnRow(op->getOperands());
    });
  }

  /// Loops and branches around the copies are the same for both groups. Nobody asks how many groups there are, as there may be one row of
  /// tiles more.
  bool goInStep() {
    if (roles_->walk([](tile::QueryOp query) { return query.getQuery() == "group_count" ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted()) return false;
    return !roles_.getProducer().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && dependsOnRow({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})) return WalkResult::interrupt();
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && dependsOnRow(branch.getCondition())) return WalkResult::interrupt();
      return isa<scf::WhileOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    }).wasInterrupted();
  }

  /// Of an odd number of rows of tiles there is one more, outside of the tensors. Copies and bulk stores end where these do, and so do
  /// accesses with a mask.
  bool staysInside() {
    const size_t axis = kernel_.getGrid().getDims().size() - 2;
    DimAttr extent = shapeOf(kernel_.getArgumentTypes()[kernel_.getGrid().getParam()])[axis];
    std::optional<int64_t> rows = extent.getConstant(), tile = extents_.greatestCount({kernel_.getGrid().getDims()[axis]});
    if (rows && tile && (*rows + *tile - 1) / *tile % 2 == 0) return true;
    auto isMasked = [&](ValueRange offsets, ArrayRef<bool> inBounds) {
      return llvm::all_of(llvm::zip(offsets, inBounds), [&](auto each) { return !std::get<1>(each) || !dependsOnRow(std::get<0>(each)); });
    };
    return !roles_->walk([&](Operation *op) {
      bool stays = true;
      if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) stays = isMasked(load.getOffsets(), load.getInBounds());
      else if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) stays = store.getBulk() || isMasked(store.getOffsets(), store.getInBounds());
      else if (!isa<tile::CopyOp>(op) && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ViewType>)) stays = !dependsOnRow(op->getOperands());
      return stays ? WalkResult::advance() : WalkResult::interrupt();
    }).wasInterrupted();
  }

  /// Panels, or an even number of eight rows of one.
  bool hasHalves(tile::CopyOp copy) {
    SharedType type = copy.getTarget().getType();
    if (type.getSwizzle() != "panels") return false;
    const int64_t panel = kPanelBytes / storedBytes(type.getElementType());
    std::vector<int64_t> rows = extents_.values(type.getShape()[0]), cols = extents_.values(type.getShape()[1]);
    return rows.size() == 1 && cols.size() == 1 && (cols[0] / panel % 2 == 0 || rows[0] % 16 == 0);
  }

  tile::KernelOp kernel_;
  tile::RolesOp roles_;
  Extents extents_;
};

struct ShareCopiesPass : PassWrapper<ShareCopiesPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareCopiesPass)
  StringRef getArgument() const override { return "tile-share-copies"; }
  StringRef getDescription() const override { return "copies that two groups of a cluster share"; }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    kernel.getBody().walk([&](tile::RolesOp roles) { ShareCopies(kernel, roles).run(); });
  }
};

}  // namespace

std::unique_ptr<Pass> createShareCopiesPass() { return std::make_unique<ShareCopiesPass>(); }

}  // namespace tessera::transforms
