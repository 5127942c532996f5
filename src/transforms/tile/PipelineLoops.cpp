// Copies that run ahead of the loop which uses them.
//
// A loop that copies tiles of tensors to shared memory and multiplies them waits for memory in each turn. Here the
// buffers get several stages: before the loop the first stages - 1 copies are begun, and each turn begins the one that
// is needed stages - 1 turns later, then uses what came in. One barrier a turn is enough: it says both that this turn's
// tiles are there and that nobody reads any more what the copy of this turn will overwrite.
//
//   for s in 0 .. stages - 1: copy turn s into stage s; commit
//   for k:  wait until at most stages - 2 copies are open; barrier
//           the body up to its first product, on stage `stage`
//           copy turn k + stages - 1 into the stage that the turn before has used; commit
//           the rest of the body
//
// The copies are begun after the first product of a turn: the matrix instructions are under way while their addresses
// are computed. With two stages there would be nothing left of the turn to hide them, so they come first.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Stages.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kUsualStages = 3;  // one in use, one that came in, one on its way

/// A tile, or rows of a tensor, to a shared buffer.
struct Copy {
  Operation *op;
  Value target() const {
    auto rows = dyn_cast<tile::CopyRowsOp>(op);
    return rows ? rows.getTarget() : cast<tile::CopyOp>(op).getTarget();
  }
  Value base() const {
    auto rows = dyn_cast<tile::CopyRowsOp>(op);
    return rows ? rows.getBase() : cast<tile::CopyOp>(op).getBase();
  }
  OperandRange offsets() const {
    auto rows = dyn_cast<tile::CopyRowsOp>(op);
    return rows ? rows.getIndices() : cast<tile::CopyOp>(op).getOffsets();
  }
  bool isAsync() const {
    auto rows = dyn_cast<tile::CopyRowsOp>(op);
    return rows ? rows.getAsync() : cast<tile::CopyOp>(op).getAsync();
  }
};

class PipelineLoop {
public:
  PipelineLoop(tile::KernelOp kernel, scf::ForOp loop) : kernel_(kernel), loop_(loop), builder_(loop) {}

  /// The copies that can run ahead, in order.
  SmallVector<Copy> candidates() {
    SmallVector<Copy> found;
    for (Operation &op : *loop_.getBody())
      if (isa<tile::CopyOp, tile::CopyRowsOp>(op) && canRunAhead({&op})) found.push_back({&op});
    return found;
  }

  void run(ArrayRef<Copy> copies, int64_t stages) {
    copies_.assign(copies.begin(), copies.end());
    stages_ = stages;
    Location loc = unnamed(loop_.getLoc());
    for (const Copy &copy : copies_) buffers_.push_back(withStages(copy));
    builder_.setInsertionPoint(loop_);
    if (isa<scf::ForOp, scf::WhileOp>(loop_->getParentOp()))
      builder_.create<tile::BarrierOp>(loc);  // the turn before of the loop around may still read
    begin(loc);
    carryStage(loc);
    fillAhead(loc);
  }

private:
  // ---- what may be moved

  bool canRunAhead(const Copy &copy) {
    auto alloc = copy.target().getDefiningOp<tile::AllocSharedOp>();
    if (!alloc || alloc.getManual() || copy.isAsync()) return false;
    for (Operation *user : copy.base().getUsers())
      if (isa<tile::StoreFragmentOp, tile::StoreElementOp, tile::AtomicOp>(user)) return false;  // what it reads may change
    for (Operation *user : alloc->getUsers()) {
      if (user == copy.op) continue;
      Operation *inside = loop_.getBody()->findAncestorOpInBlock(*user);
      if (!inside || !copy.op->isBeforeInBlock(inside) || !isa<tile::DotOp, tile::ReadSharedOp>(user)) return false;
    }
    if (auto rows = dyn_cast<tile::CopyRowsOp>(copy.op); rows && !areThereBefore(rows.getPlaces())) return false;
    return llvm::all_of(copy.offsets(), [&](Value offset) { return followsCounter(offset); });
  }

  /// The places of rows are written before the loop, once.
  bool areThereBefore(Value places) {
    return llvm::all_of(places.getUsers(), [&](Operation *user) { return !isa<tile::WriteSharedOp>(user) || !loop_->isAncestor(user); });
  }

  /// Made of the loop's counter and of what does not change in the loop, without reading memory.
  bool followsCounter(Value value) {
    if (value == loop_.getInductionVar()) return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) return argument.getOwner() != loop_.getBody();
    Operation *op = value.getDefiningOp();
    if (!loop_->isAncestor(op)) return true;
    return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp>(op) &&
           op->getBlock() == loop_.getBody() &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return followsCounter(operand); });
  }

  // ---- the parts of the new loop

  Value constant(int64_t number, Location loc) {
    return builder_.create<tile::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(number)).getResult();
  }
  Value stageCount(int64_t less, Location loc) {
    Dim count = Dim::var("T.stages") - Dim(less);
    return builder_.create<tile::DimOp>(loc, builder_.getIndexType(), builder_.getStringAttr(count.str()));
  }
  Value arithmetic(StringRef what, Value a, Value b, Location loc) {
    Type type = what == "eq" || what == "lt" ? Type(builder_.getI1Type()) : a.getType();
    return builder_.create<tile::ElementwiseOp>(loc, type, builder_.getStringAttr(what), ValueRange{a, b});
  }
  /// A choice, where a remainder by a number that is no power of two would cost tens of instructions in each turn.
  Value choose(Value condition, Value a, Value b, Location loc) {
    return builder_.create<tile::ElementwiseOp>(loc, a.getType(), builder_.getStringAttr("select"), ValueRange{condition, a, b});
  }

  /// The buffer with a leading dimension of stages, in the place of the one that it had.
  Value withStages(const Copy &copy) {
    auto alloc = copy.target().getDefiningOp<tile::AllocSharedOp>();
    auto type = cast<SharedType>(alloc.getType());
    SmallVector<DimAttr> shape = {DimAttr::get(type.getContext(), Dim::var("T.stages"))};
    shape.append(type.getShape().begin(), type.getShape().end());
    builder_.setInsertionPoint(alloc);
    SmallVector<Dim> sizes = sizesOf(alloc.getLoc());
    Location loc = alloc.getLoc();
    if (!sizes.empty()) {
      sizes.insert(sizes.begin(), Dim::var("T.stages"));
      loc = withSizes(sizes, loc);
    }
    auto staged = SharedType::get(type.getContext(), shape, type.getElementType(), type.getSwizzle());
    return builder_.create<tile::AllocSharedOp>(loc, staged, /*manual=*/true);
  }

  Value select(Value buffer, Value stage, Location loc) {
    auto type = cast<SharedType>(buffer.getType());
    auto part = SharedType::get(type.getContext(), type.getShape().drop_front(), type.getElementType(), type.getSwizzle());
    return builder_.create<tile::SelectBufferOp>(loc, part, buffer, stage);
  }

  /// A loop over a part of K, or of the keys: what lies behind its end is another part, and would be copied for nothing.
  bool isOverPart() {
    Operation *end = loop_.getUpperBound().getDefiningOp();
    return !isZero(loop_.getLowerBound()) && (!end || !isa<tile::DimOp, tile::ConstantOp>(end));
  }

  /// The copies of the turn in which the counter is `counter`, into one stage.
  void copyTurn(Value counter, Value stage, Location loc) {
    if (!isOverPart()) return copyTurn(counter, stage, /*isTurn=*/false);
    auto guard = builder_.create<scf::IfOp>(loc, arithmetic("lt", counter, loop_.getUpperBound(), loc), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder_);
    builder_.setInsertionPointToStart(guard.thenBlock());
    copyTurn(counter, stage, /*isTurn=*/true);
  }
  void copyTurn(Value counter, Value stage, bool isTurn) {
    IRMapping values;
    values.map(loop_.getInductionVar(), counter);
    for (auto [copy, buffer] : llvm::zip(copies_, buffers_)) {
      for (Value offset : copy.offsets()) cloneInto(offset, values);
      values.map(copy.target(), select(buffer, stage, unnamed(copy.op->getLoc())));
      Operation *made = builder_.clone(*copy.op, values);
      if (auto rows = dyn_cast<tile::CopyRowsOp>(made)) {  // asks for the end of its rows in any case
        rows.setAsync(true);
        continue;
      }
      auto ahead = cast<tile::CopyOp>(made);
      ahead.setAsync(true);
      if (!isTurn) ahead.setInBounds(ArrayRef<bool>(maskedAhead(cast<tile::CopyOp>(copy.op))));
    }
  }
  /// Elsewhere there is no condition around the copies, so that a turn is one stretch of code: what lies beyond the last turn is
  /// masked, also along axes on which no turn of the loop needs a mask.
  SmallVector<bool> maskedAhead(tile::CopyOp copy) {
    SmallVector<bool> inBounds(copy.getInBounds());
    for (auto [i, offset] : llvm::enumerate(copy.getOffsets()))
      if (!isInvariant(offset)) inBounds[i] = false;
    return inBounds;
  }
  bool isInvariant(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) return argument.getOwner() != loop_.getBody();
    Operation *op = value.getDefiningOp();
    return !loop_->isAncestor(op) || llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  }
  void cloneInto(Value value, IRMapping &values) {
    Operation *op = value.getDefiningOp();
    if (values.contains(value) || !op || op->getBlock() != loop_.getBody()) return;
    for (Value operand : op->getOperands()) cloneInto(operand, values);
    Operation *copy = builder_.clone(*op, values);
    copy->setLoc(unnamed(copy->getLoc()));
  }

  /// The first stages - 1 turns.
  void begin(Location loc) {
    Value zero = constant(0, loc), one = constant(1, loc);
    auto fill = builder_.create<scf::ForOp>(loc, zero, stageCount(1, loc), one);
    fill.getInductionVar().setLoc(named("stage", loc));
    OpBuilder::InsertionGuard restore(builder_);
    builder_.setInsertionPointToStart(fill.getBody());
    Value stage = fill.getInductionVar();
    Value counter = arithmetic("mul", stage, loop_.getStep(), loc);
    if (!isZero(loop_.getLowerBound())) counter = arithmetic("add", loop_.getLowerBound(), counter, loc);
    copyTurn(counter, stage, loc);
    builder_.create<tile::CommitGroupOp>(loc);
  }
  static bool isZero(Value value) {
    auto constant = value.getDefiningOp<tile::ConstantOp>();
    auto integer = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    return integer && integer.getInt() == 0;
  }

  /// One more value of the loop: the stage that a turn uses.
  void carryStage(Location loc) {
    builder_.setInsertionPoint(loop_);
    SmallVector<Value> inits(loop_.getInitArgs());
    inits.push_back(constant(0, loc));
    auto wider = builder_.create<scf::ForOp>(loop_.getLoc(), loop_.getLowerBound(), loop_.getUpperBound(),
                                             loop_.getStep(), inits);
    Block *from = loop_.getBody(), *to = wider.getBody();
    if (!to->empty()) to->back().erase();
    for (auto [before, after] : llvm::zip(from->getArguments(), to->getArguments())) {
      after.setLoc(before.getLoc());
      before.replaceAllUsesWith(after);
    }
    to->getArguments().back().setLoc(named("stage", loc));
    to->getOperations().splice(to->end(), from->getOperations());
    auto yield = cast<scf::YieldOp>(to->getTerminator());
    builder_.setInsertionPoint(yield);
    Value stage = to->getArguments().back(), after = arithmetic("add", stage, constant(1, loc), loc);
    Value next = choose(arithmetic("eq", stage, stageCount(1, loc), loc), constant(0, loc), after, loc);
    yield.getResultsMutable().append(next);
    loop_.replaceAllUsesWith(wider.getResults().drop_back());
    loop_.erase();
    loop_ = wider;
  }

  /// Where the copies of a later turn begin: after the first product that the body does itself, if something is left
  /// to hide them.
  Operation *placeOfCopies(Operation *barrier) {
    auto dots = llvm::make_filter_range(*loop_.getBody(), [](Operation &op) { return isa<tile::DotOp>(op); });
    if (dots.empty()) return barrier;
    bool hidden = stages_ > 2 || std::distance(dots.begin(), dots.end()) > 1;
    return hidden ? &*dots.begin() : barrier;
  }

  /// At the start of the body: what this turn needs has come, and the copies of a later turn begin.
  void fillAhead(Location loc) {
    Value stage = loop_.getRegionIterArgs().back();
    builder_.setInsertionPointToStart(loop_.getBody());
    builder_.create<tile::WaitGroupOp>(loc, builder_.getI64IntegerAttr(stages_ - 2));
    Operation *barrier = builder_.create<tile::BarrierOp>(loc);
    builder_.setInsertionPointAfter(placeOfCopies(barrier));
    Value distance = arithmetic("mul", stageCount(1, loc), loop_.getStep(), loc);
    Value ahead = arithmetic("add", loop_.getInductionVar(), distance, named("ahead", loc));
    Value before = arithmetic("sub", stage, constant(1, loc), loc);
    Value free = choose(arithmetic("eq", stage, constant(0, loc), loc), stageCount(1, loc), before, named("free", loc));
    copyTurn(ahead, free, loc);
    builder_.create<tile::CommitGroupOp>(loc);
    for (auto [copy, buffer] : llvm::zip(copies_, buffers_)) {
      auto alloc = copy.target().getDefiningOp<tile::AllocSharedOp>();
      eraseWithOperands(copy.op, loop_);
      builder_.setInsertionPointAfter(barrier);
      alloc.getResult().replaceAllUsesWith(select(buffer, stage, unnamed(alloc.getLoc())));
      alloc.erase();
    }
  }

  tile::KernelOp kernel_;
  scf::ForOp loop_;
  OpBuilder builder_;
  SmallVector<Copy> copies_;
  SmallVector<Value> buffers_;
  int64_t stages_ = 1;
};

struct PipelineLoops : PassWrapper<PipelineLoops, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelineLoops)
  StringRef getArgument() const override { return "tile-pipeline-loops"; }
  StringRef getDescription() const override { return "copies to shared memory that run ahead of their loops"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    const Machine *machine = machineOf(kernel);
    if (!machine) return signalPassFailure();
    SmallVector<std::pair<scf::ForOp, SmallVector<Copy>>> work;
    kernel.getBody().walk([&](scf::ForOp loop) {
      if (auto copies = PipelineLoop(kernel, loop).candidates(); !copies.empty()) work.emplace_back(loop, std::move(copies));
    });
    if (work.empty()) return;
    int64_t staged = 0;
    for (auto &[loop, copies] : work)
      for (const Copy &copy : copies) staged += bytes(kernel, cast<SharedType>(copy.target().getType()));
    int64_t stages = chooseStages(kernel, staged, *machine);
    explainStages(kernel, stages, staged);
    if (stages < 2) return;
    setStages(kernel, stages);
    for (auto &[loop, copies] : work) PipelineLoop(kernel, loop).run(copies, stages);
  }

  static int64_t bytes(tile::KernelOp kernel, SharedType type) {
    return Extents(kernel).greatestCount(type.getShape()).value_or(0) * storedBytes(type.getElementType());
  }

  /// What the schedule says, or the usual number, as far as the machine's shared memory goes. `staged`: bytes of one stage.
  int64_t chooseStages(tile::KernelOp kernel, int64_t staged, const Machine &machine) {
    int64_t wanted = givenStages(kernel).value_or(kUsualStages), others = -staged;
    kernel.getBody().walk([&](tile::AllocSharedOp alloc) { others += bytes(kernel, alloc.getType()); });
    int64_t room = std::max<int64_t>(machine.sharedBytes - others - kScratchBytes, 0);
    return std::min(wanted, staged ? room / staged : wanted);
  }

  static constexpr int64_t kScratchBytes = 2048;  // of reductions, and the alignment of buffers
};

}  // namespace

std::unique_ptr<Pass> createPipelineLoopsPass() { return std::make_unique<PipelineLoops>(); }

}  // namespace tessera::transforms
