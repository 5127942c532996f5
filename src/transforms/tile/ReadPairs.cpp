// Bytes that lie the other way, read two rows at a time.
//
// Weights of 8 bits as [K, N] are multiplied as a left operand of N rows, whose neighbours along K are in different rows of the panel: a
// lane would read byte by byte. ldmatrix turns matrices of two bytes at once: a lane then has two rows that lie side by side where the
// instruction has the rows g and g + 8. That changes which row of the sums a lane has and nothing else, so the sums are put in order once,
// behind the loop that adds them up:
//
//   t = read s, turned; p = cast(t); acc += p * x      becomes      p = read pairs of rows of s; acc += p * x;  ...  order rows of acc
//
// On one H200 it is 1.08 to 1.18 times as fast (decision 136).
#include "ir/common/Conversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class ReadPairs {
public:
  explicit ReadPairs(tile::KernelOp kernel) : extents_(kernel) {
    kernel.getBody().walk([&](tile::DotOp dot) { dots_.push_back(dot); });
  }

  void run() {
    for (tile::DotOp dot : dots_) {
      tile::CastOp operand = bytesInTurn(dot);
      scf::ForOp loop = operand ? loopOf(dot) : scf::ForOp();
      if (!loop) continue;
      auto read = operand.getValue().getDefiningOp<tile::ReadSharedOp>();
      OpBuilder builder(operand);
      Value pairs = builder.create<tile::ReadPairsOfRowsOp>(read.getLoc(), operand.getResult().getType(), read.getBase());
      operand.getResult().replaceAllUsesWith(pairs);
      operand.erase();
      read.erase();
      builder.setInsertionPointAfter(loop);
      Value sums = loop.getResult(0);
      auto ordered = builder.create<tile::OrderRowsOp>(loop.getLoc(), sums.getType(), sums);
      sums.replaceAllUsesExcept(ordered.getResult(), ordered);
    }
  }

private:
  /// The left operand, where it is i8 that lies the other way in whole panels, in bf16, and multiplied here alone.
  tile::CastOp bytesInTurn(tile::DotOp dot) {
    auto operand = dot.getA().getDefiningOp<tile::CastOp>();
    auto read = operand ? operand.getValue().getDefiningOp<tile::ReadSharedOp>() : tile::ReadSharedOp();
    if (!read || !read.getTransposed() || read.getOther() || !read->hasOneUse() || !operand->hasOneUse()) return {};
    SharedType from = read.getBase().getType();
    auto to = cast<tile::FragmentType>(operand.getResult().getType());
    auto layout = dyn_cast<tile::MmaAttr>(to.getLayout());
    const bool isWhole = from.getRank() == 2 && llvm::equal(llvm::reverse(from.getShape()), to.getShape());
    if (!isWhole || from.getSwizzle() != "panels" || !from.getElementType().isSignlessInteger(8) || dtypeOf(from.getElementType()) != DType::I8 ||
        !to.getElementType().isBF16() || operand.getRounding() || operand.getSaturate() || !layout || layout.getCols() != 1)
      return {};
    constexpr int64_t panel = 128, matrices = 32;  // bytes of a row of a panel, rows of what ldmatrix reads at once
    return extents_.isMultiple(to.getShape()[0], panel) && extents_.isMultiple(to.getShape()[1], matrices) ? operand : tile::CastOp();
  }

  /// The loop that adds up the products and nothing else, from what is the same in all rows; null for any other.
  static scf::ForOp loopOf(tile::DotOp dot) {
    auto carried = dyn_cast<BlockArgument>(dot.getAcc());
    auto loop = carried ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || loop.getNumRegionIterArgs() != 1 || carried != loop.getRegionIterArg(0) || !carried.hasOneUse()) return {};
    if (!dot->hasOneUse() || *dot->getUsers().begin() != loop.getBody()->getTerminator()) return {};
    const bool leaves = llvm::any_of(loop.getResult(0).getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
    return loop.getInitArgs()[0].getDefiningOp<tile::FillOp>() && !leaves ? loop : scf::ForOp();
  }

  Extents extents_;
  SmallVector<tile::DotOp> dots_;
};

struct ReadPairsPass : PassWrapper<ReadPairsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadPairsPass)
  StringRef getArgument() const override { return "tile-read-pairs"; }
  StringRef getDescription() const override { return "bytes that lie the other way, read two rows at a time"; }
  void runOnOperation() override { ReadPairs(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createReadPairsPass() { return std::make_unique<ReadPairsPass>(); }

}  // namespace tessera::transforms
