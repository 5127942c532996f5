// What follows a product, in parts.
//
// Behind a product come tiles as large as its sums: what is loaded, what is computed, each result in its dtype. Together
// they take more registers than a lane has. Element by element nothing needs the whole tile, so a loop goes over its
// columns, 64 at a time, or 32 where a lane would have more than 32 elements of a part and they are of 32 bits, or the
// products are those of warps, whose stores are no panels: it takes that part of the sums, loads, computes and stores what
// belongs to it.
//
//   acc = ...                                        acc = ...
//   r = load R[m, n .. n + T.n]                      for part = 0, 64, .. T.n:        unrolled
//   y = cast(gelu(acc + r))               ->           r = load R[m, n + part .. + 64]
//   store y, Y[m, n .. n + T.n]                        y = cast(gelu(columns(acc, part) + r))
//                                                      store y, Y[m, n + part .. + 64]
#include "ir/common/Names.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kColumns = 64;          // of a part: one panel of a bulk store in 16 bits, two in 32
constexpr int64_t kFewColumns = 32;       // a panel in 32 bits, or where there are no panels
constexpr int64_t kMostElements = 32;     // of a lane in a part: beside 128 sums there is no room for what is loaded and stored of more, in 32 bits
constexpr int64_t kManyRegisters = 128;   // of a lane for tiles: with indices and what is computed at once, more than there are

bool isTile(Value value) {
  auto type = dyn_cast<tile::FragmentType>(value.getType());
  return type && type.getRank() == 2;
}

/// The stores at the end of a block, and what they store, back to the sums that are there as a whole.
class StoreInParts {
public:
  StoreInParts(tile::KernelOp kernel, Block &block) : kernel_(kernel), block_(block), extents_(kernel), builder_(kernel->getContext()) {}

  bool run() {
    for (auto store : block_.getOps<tile::StoreFragmentOp>())
      if (isTile(store.getValue())) stores_.push_back(store);
    if (stores_.empty()) return false;
    type_ = stores_.front().getValue().getType();
    auto layout = dyn_cast<tile::MmaAttr>(type_.getLayout());
    if (!layout) return false;
    areOfWarps_ = layout.getCols() > 1;
    columns_ = columnsOfPart(layout.getColStep());
    std::vector<int64_t> columns = extents_.values(type_.getShape()[1]);
    auto isWhole = [this](int64_t count) { return count > columns_ && count % columns_ == 0; };
    if (columns_ % layout.getColStep() != 0 || columns.empty() || !llvm::all_of(columns, isWhole)) return false;
    if (!isOfSchedule(type_.getShape()[1])) {  // a dimension that is held whole: of its capacity
      if (columns.size() > 1) return false;
      held_ = columns.front();
    }
    for (tile::StoreFragmentOp store : stores_)
      if (!isOfShape(store.getValue()) || !gather(store)) return false;
    if (sums_.empty() || !isAlone() || !needsMany()) return false;
    write();
    addReason(kernel_, "what follows the sums is done in parts of " + Twine(columns_) + " columns, as their registers are few");
    return true;
  }

private:
  int64_t columnsOfPart(int64_t step) {
    const bool areWide = llvm::all_of(stores_, [](tile::StoreFragmentOp store) { return storedBytes(store.getValue().getType().getElementType()) == 4; });
    const int64_t rows = extents_.greatestCount(type_.getShape().take_front()).value_or(0), lanes = static_cast<int64_t>(kernel_.getGroup());
    const bool canBeFew = areWide || (areOfWarps_ && step <= kFewColumns);
    return canBeFew && rows * kColumns > kMostElements * lanes ? kFewColumns : kColumns;
  }

  /// A number, or a size of the schedule.
  static bool isOfSchedule(DimAttr extent) {
    std::set<std::string> names;
    extent.getDim().collectVars(names);
    return llvm::all_of(names, [](const std::string &name) { return name.rfind("T.", 0) == 0; });
  }

  bool isOfShape(Value value) {
    auto type = cast<tile::FragmentType>(value.getType());
    return type.getShape() == type_.getShape() && type.getLayout() == type_.getLayout();
  }

  /// An access that takes the tile's columns along its last dimension.
  template <class Access> static bool takesColumnsLast(Access access) {
    size_t rank = access.getOffsets().size();
    return rank > 0 && !access.getTransposed() && !access.getPoints()[rank - 1] && access.getSteps()[rank - 1] == 1;
  }

  /// What the operation needs of this block is done in the loop, or lies there as a whole: sums, vectors of rows, scalars.
  bool gather(Operation *op) {
    if (!followers_.insert(op)) return true;
    if (auto store = dyn_cast<tile::StoreFragmentOp>(op); store && !takesColumnsLast(store)) return false;
    if (auto load = dyn_cast<tile::LoadFragmentOp>(op); load && !takesColumnsLast(load)) return false;
    if (auto read = dyn_cast<tile::ReadSharedOp>(op); read && !takesColumnsLast(read)) return false;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<tile::FragmentType>(operand.getType());
      if (!type || (type.getRank() == 1 && type.getSliceAxis() == 1)) continue;
      Operation *from = operand.getDefiningOp();
      bool isInside = from && from->getBlock() == &block_;
      bool isByElement = isInside && isa<tile::ElementwiseOp, tile::CastOp, tile::FillOp, tile::IotaOp, tile::BroadcastOp, tile::LoadFragmentOp, tile::ReadSharedOp>(from);
      if (isByElement) {
        if (!gather(from)) return false;
      } else if (type.getRank() != 2 || !isOfShape(operand)) {
        return false;
      } else {
        sums_.insert(operand);
      }
    }
    return true;
  }

  /// Nobody but these statements needs a tile that they make; nothing else is done between the first and the last of them, but for
  /// stages that are left: that is as well done after them.
  bool isAlone() {
    Operation *first = nullptr;
    for (Operation *op : followers_) {
      if (!first || op->isBeforeInBlock(first)) first = op;
      for (Operation *user : op->getUsers())
        if (!followers_.contains(user)) return false;
    }
    for (Operation *at = first; at != stores_.back(); at = at->getNextNode())
      if (!followers_.contains(at) && !isPure(at)) {
        if (!isa<tile::RingReleaseOp>(at)) return false;
        left_.push_back(at);
      }
    return true;
  }

  /// Beside the sums there are two tiles or more, what is loaded or stored, and together they take many registers of a lane. Beside
  /// products of warps, whose operands lie in registers, too, it is enough that sums are not stored as they are.
  bool needsMany() {
    int64_t bytes = 0, others = 0;
    auto add = [&](Value value) {
      auto type = cast<tile::FragmentType>(value.getType());
      bytes += extents_.greatestCount(type.getShape()).value_or(0) * storedBytes(type.getElementType());
    };
    for (Value sum : sums_) add(sum);
    for (Operation *op : followers_) {
      auto store = dyn_cast<tile::StoreFragmentOp>(op);
      bool isLoaded = isa<tile::LoadFragmentOp, tile::ReadSharedOp>(op) && isTile(op->getResult(0));
      if (!store && !isLoaded) continue;
      add(store ? Value(store.getValue()) : op->getResult(0));
      ++others;
    }
    constexpr int64_t registerBytes = 4;
    return (others > 1 || (areOfWarps_ && followers_.size() > stores_.size())) && bytes >= kManyRegisters * registerBytes * static_cast<int64_t>(kernel_.getGroup());
  }

  // ---- the loop

  void write() {
    builder_.setInsertionPointAfter(stores_.back());
    Location line = unnamed(stores_.front().getLoc());
    auto number = [&](int64_t value) -> Value { return builder_.create<tile::ConstantOp>(line, builder_.getIndexType(), builder_.getIndexAttr(value)); };
    std::optional<int64_t> known = held_ ? held_ : type_.getShape()[1].getConstant();
    Value end = known ? number(*known) : builder_.create<tile::DimOp>(line, builder_.getIndexType(), type_.getShape()[1].getText());
    auto loop = builder_.create<scf::ForOp>(line, number(0), end, number(columns_));
    loop->setAttr(tile::kUnrolled, builder_.getUnitAttr());
    loop.getInductionVar().setLoc(named("part", line));
    builder_.setInsertionPointToStart(loop.getBody());
    part_ = loop.getInductionVar();
    IRMapping values;
    for (Value sum : sums_) {
      std::string name = (nameHint(sum).empty() ? "acc" : nameHint(sum).str()) + "_part";
      values.map(sum, builder_.create<tile::ColumnsOp>(named(name, line), ofPart(sum.getType()), sum, part_));
    }
    SmallVector<Operation *> inOrder;
    for (Operation &op : block_)
      if (followers_.contains(&op)) inOrder.push_back(&op);
    for (Operation *op : inOrder) {
      Operation *made = builder_.clone(*op, values);
      for (OpResult result : made->getResults()) result.setType(ofPart(result.getType()));
      if (auto store = dyn_cast<tile::StoreFragmentOp>(made)) moveColumns(store);
      else if (auto load = dyn_cast<tile::LoadFragmentOp>(made)) moveColumns(load);
      else if (auto read = dyn_cast<tile::ReadSharedOp>(made)) moveColumns(read);
      else if (auto iota = dyn_cast<tile::IotaOp>(made)) values.map(op->getResult(0), countedFrom(iota));
    }
    for (Operation *op : llvm::reverse(inOrder)) op->erase();
    for (Operation *op : llvm::reverse(left_)) op->moveAfter(loop);
  }

  DimAttr columns() { return DimAttr::get(builder_.getContext(), Dim(columns_)); }
  Type ofPart(Type type) {
    auto fragment = dyn_cast<tile::FragmentType>(type);
    if (!fragment || (fragment.getRank() == 1 && fragment.getSliceAxis() == 1)) return type;
    SmallVector<DimAttr> shape(fragment.getShape());
    shape.back() = columns();
    return tile::FragmentType::get(type.getContext(), shape, fragment.getElementType(), fragment.getLayout());
  }

  /// The access begins at this part's columns, and takes as many, where the fragment has columns at all.
  template <class Access> void moveColumns(Access access) {
    auto type = cast<tile::FragmentType>(isa<tile::StoreFragmentOp>(access) ? access->getOperand(0).getType() : access->getResult(0).getType());
    if (type.getRank() == 1 && type.getSliceAxis() == 1) return;
    OpBuilder::InsertionGuard restore(builder_);
    builder_.setInsertionPoint(access);
    size_t last = access.getOffsets().size() - 1;
    Value first = builder_.create<tile::ElementwiseOp>(unnamed(access.getLoc()), builder_.getIndexType(), "add", ValueRange{access.getOffsets()[last], part_});
    access.getOffsetsMutable()[last].set(first);
    SmallVector<DimAttr> sizes(access.getSizes().getDims());
    sizes.back() = columns();
    access.setSizesAttr(DimsAttr::get(builder_.getContext(), sizes));
  }

  /// Columns are counted from those of the part on.
  Value countedFrom(tile::IotaOp iota) {
    tile::FragmentType type = iota.getResult().getType();
    bool isOfColumns = type.getRank() == 2 ? iota.getAxis() == 1 : type.getSliceAxis() == 0;
    if (!isOfColumns) return iota;
    Location line = unnamed(iota.getLoc());
    Value first = builder_.create<tile::CastOp>(line, type.getElementType(), part_, StringAttr(), false);
    Value firsts = builder_.create<tile::FillOp>(line, type, first);
    return builder_.create<tile::ElementwiseOp>(line, type, "add", ValueRange{iota, firsts});
  }

  tile::KernelOp kernel_;
  Block &block_;
  Extents extents_;
  OpBuilder builder_;
  SmallVector<tile::StoreFragmentOp> stores_;
  tile::FragmentType type_;
  int64_t columns_ = kColumns;
  bool areOfWarps_ = false;  // the products: by instructions of each warp, which are in rows and columns
  llvm::SetVector<Operation *> followers_;
  SmallVector<Operation *> left_;  // stages, between them
  llvm::SetVector<Value> sums_;
  Value part_;
  std::optional<int64_t> held_;  // columns of a dimension that is held whole
};

struct StoreInPartsPass : PassWrapper<StoreInPartsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreInPartsPass)
  StringRef getArgument() const override { return "tile-store-in-parts"; }
  StringRef getDescription() const override { return "what follows a product in parts of its columns, where registers are few"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().getBody().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) StoreInParts(getOperation(), *block).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createStoreInPartsPass() { return std::make_unique<StoreInPartsPass>(); }

}  // namespace tessera::transforms
