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
// So do the scales that a weight of few bits has for each row and group of columns. Only where the producer brings a tile in the same
// turn, and knows where the vector lies.
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

/// Elements in a row along the last axis of an input, as many as whole copies take.
bool canBeRow(tile::LoadFragmentOp load, Extents &extents) {
  tile::FragmentType type = load.getResult().getType();
  auto base = dyn_cast<BlockArgument>(load.getBase());
  size_t rank = load.getOffsets().size();
  if (type.getRank() != 1 || !type.getElementType().isF32() || load.getOther() || !base || rank < 2) return false;
  auto view = cast<ViewType>(base.getType());
  if (view.getPlaces()) return false;  // rows that lie apart
  for (size_t axis = 0; axis < rank; ++axis)
    if (load.getPoints()[axis] != (axis + 1 < rank) || load.getSteps()[axis] != 1) return false;
  std::vector<int64_t> values = extents.values(type.getShape()[0]);
  return values.size() == 1 && values[0] % kMoved == 0;
}

bool dependsOn(Value value, Value counter) {
  if (value == counter) return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, counter); });
}

/// Whether the producer copies a tile in the load's turn of a loop, and knows where the vector of this turn lies.
bool comesWithTile(tile::KernelOp kernel, tile::LoadFragmentOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || load->getBlock()->getOps<tile::CopyOp>().empty()) return false;
  return llvm::all_of(load.getOffsets(), [&](Value offset) { return producerKnows(kernel, offset); }) &&
         llvm::any_of(load.getOffsets(), [&](Value offset) { return dependsOn(offset, loop.getInductionVar()); });
}

/// The loads of an input, if all that reads it can be brought.
SmallVector<tile::LoadFragmentOp> loadsOf(tile::KernelOp kernel, Value base, Extents &extents) {
  SmallVector<tile::LoadFragmentOp> loads;
  for (Operation *user : base.getUsers()) {
    auto load = dyn_cast<tile::LoadFragmentOp>(user);
    if (!load || !canBeRow(load, extents) || !comesWithTile(kernel, load)) return {};
    loads.push_back(load);
  }
  std::reverse(loads.begin(), loads.end());  // users are listed from the last on
  return loads;
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
  Location line = nameHint(load.getResult()).empty() && !base.empty() ? named((base + "_part").str(), load.getLoc()) : load.getLoc();
  auto read = builder.create<tile::ReadSharedOp>(line, load.getResult().getType(), buffer, ValueRange{zero, zero}, builder.getDenseBoolArrayAttr({true, false}),
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
    for (BlockArgument base : kernel.getBody().getArguments())
      for (tile::LoadFragmentOp load : loadsOf(kernel, base, extents)) stageRow(load);
  }
};

}  // namespace

std::unique_ptr<Pass> createStageVectorsPass() { return std::make_unique<StageVectors>(); }

}  // namespace tessera::transforms
