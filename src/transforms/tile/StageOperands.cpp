// What left operands in registers are computed from, by way of shared memory.
//
// A left operand that is computed from tiles of tensors (a weight of 8 bits, in 16) can be multiplied from the registers in
// which it was computed. Its tiles are then loaded as those of other operands are, to shared memory, ahead of their use, and
// read from there in the layout of the product:
//
//   t = load w[n, k]; p = cast(t); acc += p * x      becomes      copy w[n, k] to s; t = read s; p = cast(t); acc += p * x
#include "ir/common/Names.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Components.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class StageOperands {
public:
  explicit StageOperands(tile::KernelOp kernel) : kernel_(kernel), extents_(kernel), builder_(kernel->getContext()) {}

  void run() {
    Components components(kernel_);
    llvm::DenseSet<void *> sums;
    SmallVector<Value> operands;
    kernel_.getBody().walk([&](tile::DotOp dot) {
      sums.insert(components.leader(dot.getResult()));
      if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot)) operands.push_back(write.getValue());
    });
    for (Value operand : operands) {
      if (sums.contains(components.leader(operand))) continue;
      for (Value value : components.of(kernel_, operand))
        if (auto load = value.getDefiningOp<tile::LoadFragmentOp>(); load && canBeStaged(load)) stage(load);
    }
  }

private:
  /// A tile that bulk copies can bring, in the loop of the product.
  bool canBeStaged(tile::LoadFragmentOp load) {
    tile::FragmentType type = load.getResult().getType();
    Type element = type.getElementType();
    bool known = element.isBF16() || element.isF16() || element.isF32() || (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 8);
    if (!known || type.getRank() != 2 || load.getOther() || !isa<BlockArgument>(load.getBase())) return false;
    size_t rank = load.getOffsets().size();
    for (size_t axis = 0; axis < rank; ++axis)
      if (load.getPoints()[axis] != (axis + 2 < rank) || load.getSteps()[axis] != 1) return false;
    int64_t panel = kPanelBytes / storedBytes(element);
    ArrayRef<DimAttr> shape = type.getShape();
    auto whole = [&](DimAttr extent, int64_t of) {
      std::vector<int64_t> values = extents_.values(extent);
      return !values.empty() && llvm::all_of(values, [&](int64_t value) { return value % of == 0; });
    };
    bool turned = load.getTransposed();
    return whole(shape[turned ? 1 : 0], 8) && whole(shape[turned ? 0 : 1], panel);
  }

  void stage(tile::LoadFragmentOp load) {
    tile::FragmentType type = load.getResult().getType();
    SmallVector<DimAttr> shape(type.getShape());
    if (load.getTransposed()) std::reverse(shape.begin(), shape.end());
    Location loc = unnamed(load.getLoc());
    Block &top = kernel_.getBody().front();
    auto place = top.begin();
    while (isa<tile::AllocSharedOp>(*place)) ++place;
    builder_.setInsertionPoint(&top, place);
    StringRef base = nameHint(load.getBase());
    auto shared = SharedType::get(builder_.getContext(), shape, type.getElementType(), "");
    Value buffer = builder_.create<tile::AllocSharedOp>(named(base.empty() ? "operand_tile" : (base + "_tile").str(), loc), shared, false);
    builder_.setInsertionPoint(load);
    builder_.create<tile::CopyOp>(loc, load.getBase(), load.getOffsets(), load.getPointsAttr(), load.getSizesAttr(), load.getStepsAttr(),
                                  load.getInBoundsAttr(), buffer, UnitAttr());
    Value zero = builder_.create<tile::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(0));
    auto read = builder_.create<tile::ReadSharedOp>(
        named(base.empty() ? "read" : (base + "_read").str(), load.getLoc()), type, buffer, ValueRange{zero, zero}, builder_.getDenseBoolArrayAttr({false, false}),
        DimsAttr::get(builder_.getContext(), shape), builder_.getDenseI64ArrayAttr({1, 1}), builder_.getDenseBoolArrayAttr({true, true}),
        Value(), load.getTransposedAttr());
    load.getResult().replaceAllUsesWith(read.getResult());
    load.erase();
  }

  tile::KernelOp kernel_;
  Extents extents_;
  OpBuilder builder_;
};

struct StageOperandsPass : PassWrapper<StageOperandsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageOperandsPass)
  StringRef getArgument() const override { return "tile-stage-operands"; }
  StringRef getDescription() const override { return "tiles of which left operands are computed, through shared memory"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    if (machine->warpgroupProducts && getOperation().getGroup() % kWarpgroupLanes == 0) StageOperands(getOperation()).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createStageOperandsPass() { return std::make_unique<StageOperandsPass>(); }

}  // namespace tessera::transforms
