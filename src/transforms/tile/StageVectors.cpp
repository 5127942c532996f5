// What is known of each row of the tiles of a loop comes through the ring with these tiles.
//
// The derivative of attention by keys and values reads, for each tile of queries, their logarithms of sums and one number more of
// each. A lane needs what lies along its columns, and would load these numbers one by one, with an address for each, and wait. The
// producer brings them with the tile, as one row of shared memory:
//
//   for n:                                for n:
//     copy q[b, n] to s                     copy q[b, n] to s;  copy l[b, n] to t
//     x = k * s                     ->      x = k * s
//     v = load l[b, n]                      v = read t
//
// Only where the producer brings a tile that lies at the same places, so that it knows where the vector lies.
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kMoved = 4;  // elements of 32 bits that a copy moves at least

/// Elements in a row along the last axis of an input that nothing else reads, as many as whole copies take.
bool canBeRow(tile::LoadFragmentOp load, Extents &extents) {
  tile::FragmentType type = load.getResult().getType();
  auto base = dyn_cast<BlockArgument>(load.getBase());
  size_t rank = load.getOffsets().size();
  if (type.getRank() != 1 || !type.getElementType().isF32() || load.getOther() || !base || !base.hasOneUse() || rank < 2) return false;
  auto view = cast<ViewType>(base.getType());
  if (view.getPlaces()) return false;  // rows that lie apart
  for (size_t axis = 0; axis < rank; ++axis)
    if (load.getPoints()[axis] != (axis + 1 < rank) || load.getSteps()[axis] != 1) return false;
  std::vector<int64_t> values = extents.values(type.getShape()[0]);
  return values.size() == 1 && values[0] % kMoved == 0;
}

/// Whether a copy of the load's block, in a loop, takes its tile from the same places.
bool comesWithTile(tile::LoadFragmentOp load) {
  if (!isa<scf::ForOp>(load->getParentOp())) return false;
  auto isThere = [&](tile::CopyOp copy) {
    return copy.getOffsets().size() > load.getOffsets().size() && llvm::equal(copy.getOffsets().take_front(load.getOffsets().size()), load.getOffsets());
  };
  return llvm::any_of(load->getBlock()->getOps<tile::CopyOp>(), isThere);
}

void stageRow(tile::LoadFragmentOp load) {
  tile::KernelOp kernel = load->getParentOfType<tile::KernelOp>();
  OpBuilder builder(load);
  Location loc = unnamed(load.getLoc());
  DimAttr one = DimAttr::get(builder.getContext(), Dim(1)), extent = load.getResult().getType().getShape()[0];
  auto shared = SharedType::get(builder.getContext(), {one, extent}, builder.getF32Type(), "");
  Block &top = kernel.getBody().front();
  builder.setInsertionPointToStart(&top);
  StringRef base = nameHint(load.getBase());
  Value buffer = builder.create<tile::AllocSharedOp>(named(base.empty() ? "vector_tile" : (base + "_tile").str(), loc), shared, false);
  Value zero = builder.create<tile::ConstantOp>(loc, builder.getIndexType(), builder.getIndexAttr(0));  // the read moves in its loop
  builder.setInsertionPoint(load);
  SmallVector<bool> points(load.getPoints());
  points[points.size() - 2] = false;  // a row of the last two axes
  builder.create<tile::CopyOp>(loc, load.getBase(), load.getOffsets(), builder.getDenseBoolArrayAttr(points), load.getSizesAttr(), load.getStepsAttr(),
                               load.getInBoundsAttr(), buffer, UnitAttr());
  auto read = builder.create<tile::ReadSharedOp>(load.getLoc(), load.getResult().getType(), buffer, ValueRange{zero, zero}, builder.getDenseBoolArrayAttr({true, false}),
                                                 DimsAttr::get(builder.getContext(), {one, extent}), builder.getDenseI64ArrayAttr({1, 1}),
                                                 builder.getDenseBoolArrayAttr({true, true}), Value(), UnitAttr());
  load.getResult().replaceAllUsesWith(read.getResult());
  load.erase();
}

struct StageVectors : PassWrapper<StageVectors, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageVectors)
  StringRef getArgument() const override { return "tile-stage-vectors"; }
  StringRef getDescription() const override { return "vectors along the columns of a loop's tiles, through shared memory with these"; }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!hasPanels(kernel)) return;
    Extents extents(kernel);
    SmallVector<tile::LoadFragmentOp> loads;
    kernel.getBody().walk([&](tile::LoadFragmentOp load) {
      if (canBeRow(load, extents) && comesWithTile(load)) loads.push_back(load);
    });
    for (tile::LoadFragmentOp load : loads) stageRow(load);
  }
};

}  // namespace

std::unique_ptr<Pass> createStageVectorsPass() { return std::make_unique<StageVectors>(); }

}  // namespace tessera::transforms
