// A producer and consumers.
//
// Where the products of a kernel read their operands from shared memory by themselves (wgmma), the lanes that compute need
// not load: one warpgroup more does, with few registers, by the machine's copy engine. Between the two are rings of
// stages: the producer waits until a stage is free, the consumers until it is full, and nobody waits for the whole group.
//
//   producer:  the loops and branches around the copies, without what is computed;
//              for each turn: acquire a stage, begin the copies of that turn, publish
//   consumers: the body as it was, but for the copies: wait, the products, release after the last of them
//
// Copies of one block share a ring, but for those that are used a turn later (Roles.h). Both roles go over all tiles of the launch that their group has, so the loads of
// the next tile begin while this one is stored; stores go through shared memory, for the copy engine, too.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"
#include "transforms/tile/Stages.h"
#include "transforms/tile/Teams.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {


/// Registers of a lane in each role: their sum over all warpgroups is what the group starts with (65536 registers of the
/// processor, shared evenly in steps of 8). setmaxnreg takes multiples of 8; a producer that computes where its tiles
/// are needs 40.
struct Registers {
  int64_t producer, consumer;
};
Registers registersFor(int64_t consumers, bool sharesProcessor) {
  if (sharesProcessor) return {40, 208};
  if (consumers == 1) return {40, 240};
  return consumers == 2 ? Registers{40, 232} : Registers{32, 160};
}

class SpecialiseRoles {
public:
  SpecialiseRoles(tile::KernelOp kernel, RolePlan plan, const Machine &machine)
      : kernel_(kernel), machine_(machine), plan_(std::move(plan)), builder_(kernel->getContext()), extents_(kernel) {}

  void run() {
    loopOfTeams_ = loopOfTeams(kernel_, plan_);
    chooseStages();
    Block &body = kernel_.getBody().front();
    builder_.setInsertionPointToStart(&body);
    for (auto &copies : plan_.rings) addRing(copies);
    Registers registers = registersFor(warpgroups(), sharesRegisters_);
    roles_ = builder_.create<tile::RolesOp>(unnamed(kernel_.getLoc()), registers.producer, registers.consumer, /*teams=*/1);
    Block *consumers = builder_.createBlock(&roles_.getConsumers());
    consumers->getOperations().splice(consumers->end(), body.getOperations(), std::next(roles_->getIterator()),
                                      std::prev(body.end()));
    shareQueries(*consumers);
    consumers->walk([&](tile::CopyOp copy) { needFor(copy); });
    builder_.createBlock(&roles_.getProducer());
    IRMapping values;
    produce(*consumers, values);
    SmallVector<bool> inLoop = llvm::map_to_vector(rings_, [](const Ring &ring) { return isInLoop(ring.copies.front()); });
    for (Ring &ring : rings_) consume(ring);
    if (loopOfTeams_) giveTeams(inLoop);
    storeInBulk();
    explain();
  }

private:
  struct Ring {
    Value value;
    SmallVector<tile::CopyOp> copies;
    SmallVector<Value> buffers;  // of all stages
  };

  // ---- rings

  static bool isInLoop(tile::CopyOp copy) { return copy->getParentOfType<scf::ForOp>() != nullptr; }

  int64_t bytes(SharedType type) {
    return extents_.greatestCount(type.getShape()).value_or(0) * storedBytes(type.getElementType());
  }

  /// Products of few rows read their weights once and compute little: with half of a processor's memory and registers each, the group
  /// of the next such kernel is there, its barriers ready, while this one's last stages come.
  bool hasRowsUpTo(int64_t few) {
    bool found = false;
    for (auto &copies : plan_.rings)
      for (tile::CopyOp copy : copies) {
        SharedType type = copy.getTarget().getType();
        found |= !isOneRow(type) && extents_.greatestCount(type.getShape().take_front()).value_or(few + 1) <= few;
      }
    return found && kernel_.getGroup() == kWarpgroupLanes && !loopOfTeams_ && !givenStages(kernel_);
  }

  /// What the schedule says, or the usual number, as far as shared memory goes. Copies outside of loops have two stages,
  /// so that the next tile's come while this one is computed, or one where the loops would be left with less than two.
  void chooseStages() {
    int64_t staged = 0, outside = 0, others = kReserved;
    for (auto &copies : plan_.rings)
      for (tile::CopyOp copy : copies) {
        (isInLoop(copy) ? staged : outside) += bytes(copy.getTarget().getType());
        if (isOneRow(copy.getTarget().getType())) others += 2 * kPanelAlignment;  // what lies behind a vector, or a ring, begins at a multiple of it
      }
    llvm::SmallDenseSet<Type> stored;  // stores of one dtype share their panels
    kernel_.getBody().walk([&](tile::StoreFragmentOp store) {
      if (canBeBulk(store) && stored.insert(store.getValue().getType().getElementType()).second) others += panelBytes();
    });
    int64_t wanted = givenStages(kernel_).value_or(kMostStages);
    const int64_t half = machine_.sharedBytes / 2 - kReserved;  // the machine keeps some of a group's for itself
    // With more rows, half of the memory has too few stages for 64 groups to read as fast as all; two forms of a kernel share a text all the same.
    constexpr int64_t kFewRows = 16, kMoreRows = 32;
    sharesRegisters_ = hasRowsUpTo(kMoreRows) && others + 2 * outside + kFewestStages * staged <= half;
    sharesProcessor_ = sharesRegisters_ && hasRowsUpTo(kFewRows);
    const int64_t room = sharesProcessor_ ? half : machine_.sharedBytes;
    if (loopOfTeams_ && others + kTeams * outside + 2 * staged > machine_.sharedBytes) loopOfTeams_ = {};  // each team has a stage
    stagesOutside_ = loopOfTeams_ ? kTeams : room - others - 2 * outside >= std::min<int64_t>(wanted, 2) * staged ? 2 : 1;
    others += stagesOutside_ * outside;
    stages_ = std::clamp<int64_t>(staged ? (room - others) / staged : wanted, 1, wanted);
    explainStages(kernel_, stages_, staged);
    setStages(kernel_, stages_);
  }

  void addRing(ArrayRef<tile::CopyOp> copies) {
    Ring ring;
    ring.copies.assign(copies.begin(), copies.end());
    Dim stages = isInLoop(copies.front()) ? Dim::var("T.stages") : Dim(stagesOutside_);
    Location loc = named(rings_.empty() ? "ring" : "ring" + std::to_string(rings_.size() + 1), kernel_.getLoc());
    DimAttr count = DimAttr::get(kernel_->getContext(), stages);
    for (tile::CopyOp copy : copies) {
      auto alloc = copy.getTarget().getDefiningOp<tile::AllocSharedOp>();
      SharedType type = alloc.getType();
      SmallVector<DimAttr> shape = {count};
      shape.append(type.getShape().begin(), type.getShape().end());
      SmallVector<Dim> sizes = sizesOf(alloc.getLoc());
      Location place = alloc.getLoc();
      if (!sizes.empty()) {
        sizes.insert(sizes.begin(), stages);
        place = withSizes(sizes, place);
      }
      auto staged = SharedType::get(type.getContext(), shape, type.getElementType(), type.getSwizzle());
      ring.buffers.push_back(builder_.create<tile::AllocSharedOp>(place, staged, /*manual=*/true));
    }
    ring.value = builder_.create<tile::RingOp>(loc, tile::RingType::get(kernel_->getContext(), count));
    rings_.push_back(std::move(ring));
  }

  Value stageOf(Value buffer, Value stage, Location loc) {
    auto type = cast<SharedType>(buffer.getType());
    auto part = SharedType::get(type.getContext(), type.getShape().drop_front(), type.getElementType(), type.getSwizzle());
    return builder_.create<tile::SelectBufferOp>(loc, part, buffer, stage);
  }

  // ---- the producer

  /// Where the group stands is said once, under the program's name for it.
  static void shareQueries(Block &body) {
    SmallVector<tile::QueryOp> queries(body.getOps<tile::QueryOp>());
    for (auto [i, later] : llvm::enumerate(queries))
      for (tile::QueryOp before : ArrayRef(queries).take_front(i))
        if (before.getQuery() == later.getQuery() && before.getAxis() == later.getAxis()) {
          later.getResult().replaceAllUsesWith(before.getResult());
          later.erase();
          break;
        }
  }

  /// What the producer computes: offsets of copies, and bounds and conditions of what stands around them.
  void needFor(tile::CopyOp copy) {
    for (Value offset : copy.getOffsets()) need(offset);
    for (Operation *around = copy->getParentOp(); around != roles_; around = around->getParentOp())
      for (Value operand : isa<scf::ForOp>(around) ? ValueRange(around->getOperands()).take_front(3) : ValueRange(around->getOperands()))
        need(operand);
  }
  void need(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !roles_->isAncestor(op) || !needed_.insert(op).second) return;
    for (Value operand : op->getOperands()) need(operand);
  }

  /// The copies of `from` and of the blocks in it, with the statements around them and what those need.
  void produce(Block &from, IRMapping &values) {
    for (Operation &op : from) {
      if (needed_.contains(&op)) {
        builder_.clone(op, values);
      } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
        for (Ring &ring : rings_)
          if (ring.copies.back() == copy) fill(ring, values);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (copiesIn(loop)) produceLoop(loop, values);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        if (copiesIn(branch)) produceBranch(branch, values);
      }
    }
  }
  static bool copiesIn(Operation *op) {
    return op->walk([](tile::CopyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  void produceLoop(scf::ForOp loop, IRMapping &values) {
    auto made = builder_.create<scf::ForOp>(loop.getLoc(), values.lookupOrDefault(loop.getLowerBound()),
                                            values.lookupOrDefault(loop.getUpperBound()), values.lookupOrDefault(loop.getStep()));
    made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    OpBuilder::InsertionGuard restore(builder_);
    builder_.setInsertionPointToStart(made.getBody());
    IRMapping inner = values;
    inner.map(loop.getInductionVar(), made.getInductionVar());
    produce(*loop.getBody(), inner);
  }

  void produceBranch(scf::IfOp branch, IRMapping &values) {
    bool otherwise = branch.elseBlock() && copiesIn(branch.elseBlock()->getParentOp()) && !branch.elseBlock()->empty();
    auto made = builder_.create<scf::IfOp>(branch.getLoc(), TypeRange(), values.lookupOrDefault(branch.getCondition()), otherwise);
    for (auto [from, to] : {std::pair(branch.thenBlock(), made.thenBlock()), std::pair(branch.elseBlock(), made.elseBlock())}) {
      if (!from || !to) continue;
      OpBuilder::InsertionGuard restore(builder_);
      builder_.setInsertionPointToStart(to);
      IRMapping inner = values;
      produce(*from, inner);
    }
  }

  void fill(Ring &ring, IRMapping &values) {
    Location loc = unnamed(ring.copies.front().getLoc());
    Value stage = builder_.create<tile::RingAcquireOp>(named("stage", loc), builder_.getIndexType(), ring.value);
    for (auto [copy, buffer] : llvm::zip(ring.copies, ring.buffers)) {
      IRMapping inner = values;
      inner.map(copy.getTarget(), stageOf(buffer, stage, unnamed(copy.getLoc())));
      auto made = cast<tile::CopyOp>(builder_.clone(*copy, inner));
      made.setAsync(true);
    }
    builder_.create<tile::RingPublishOp>(loc, ring.value);
  }

  // ---- the consumers

  void consume(Ring &ring) {
    tile::CopyOp first = ring.copies.front();
    Block *block = first->getBlock();
    Location loc = unnamed(first.getLoc());
    Operation *last = ring.copies.back();
    for (tile::CopyOp copy : ring.copies)
      for (Operation *user : copy.getTarget().getUsers())
        if (Operation *inside = block->findAncestorOpInBlock(*user); last->isBeforeInBlock(inside)) last = inside;
    builder_.setInsertionPointAfter(last);
    builder_.create<tile::RingReleaseOp>(loc, ring.value);
    builder_.setInsertionPoint(ring.copies.front());
    Operation *at = firstUse(ring, block);
    builder_.setInsertionPoint(at);
    Value stage = builder_.create<tile::RingWaitOp>(named("stage", loc), builder_.getIndexType(), ring.value);
    for (auto [copy, buffer] : llvm::zip(ring.copies, ring.buffers)) {
      auto alloc = copy.getTarget().getDefiningOp<tile::AllocSharedOp>();
      eraseWithOperands(copy, roles_);
      alloc.getResult().replaceAllUsesWith(stageOf(buffer, stage, unnamed(alloc.getLoc())));
      alloc.erase();
    }
  }

  /// The first statement of the block that reads a buffer of the ring; a ring that nothing reads is left at once.
  Operation *firstUse(Ring &ring, Block *block) {
    Operation *first = nullptr;
    for (tile::CopyOp copy : ring.copies)
      for (Operation *user : copy.getTarget().getUsers()) {
        Operation *inside = block->findAncestorOpInBlock(*user);
        if (user != copy && (!first || inside->isBeforeInBlock(first))) first = inside;
      }
    return first ? first : ring.copies.back()->getNextNode();
  }

  void giveTeams(ArrayRef<bool> inLoop) {
    Value staged;
    SmallVector<Value> outside;
    for (auto [ring, isInLoop] : llvm::zip(rings_, inLoop)) {
      if (isInLoop) staged = ring.value;
      else outside.push_back(ring.value);
    }
    formTeams(roles_, loopOfTeams_, staged, outside);
  }

  // ---- stores

  int64_t warpgroups() { return kernel_.getGroup() / kWarpgroupLanes * (loopOfTeams_ ? kTeams : 1); }
  int64_t panelBytes() { return storePanelBytes(warpgroups()); }

  /// Sums in the layout of the instruction, whole panels, to a tensor that nothing else touches. Columns lie along its last
  /// dimension, rows along any other.
  bool canBeBulk(tile::StoreFragmentOp store) {
    tile::FragmentType type = store.getValue().getType();
    auto layout = dyn_cast<tile::MmaAttr>(type.getLayout());
    auto base = dyn_cast<BlockArgument>(store.getBase());
    Type element = type.getElementType();
    size_t rank = store.getOffsets().size();
    bool moves = element.isBF16() || element.isF16() || element.isF32() || element.isSignlessInteger(32);
    if (store.getTransposed()) return false;
    if (!layout || layout.getCols() != 1 || !base || !base.hasOneUse() || rank < 2 || rank > 5 || !moves) return false;
    if (store.getPoints().back() || llvm::count(store.getPoints(), false) != 2 || !llvm::all_equal(store.getSteps()) || store.getSteps()[0] != 1)
      return false;
    int64_t panel = kPanelBytes / storedBytes(element);
    std::vector<int64_t> rows = extents_.values(type.getShape()[0]), cols = extents_.values(type.getShape()[1]);
    auto whole = [](ArrayRef<int64_t> values, int64_t of) {
      return !values.empty() && llvm::all_of(values, [&](int64_t value) { return value % of == 0; });
    };
    return whole(rows, layout.getRowStep()) && whole(cols, panel) && !store->getParentOfType<scf::WhileOp>();
  }
  void storeInBulk() {
    roles_.walk([&](tile::StoreFragmentOp store) { store.setBulk(canBeBulk(store)); });
  }

  // ---- the comment over the kernel

  void explain() {
    addReason(kernel_, sharesProcessor_ ? "one warpgroup more fills a ring of stages by bulk copies; a processor has room for two groups, of this kernel or the next"
                                        : "one warpgroup more fills a ring of stages by bulk copies, one group a processor");
  }

  static constexpr int64_t kReserved = 1024;           // barriers of rings
  static constexpr int64_t kPanelAlignment = 1024;
  static constexpr int64_t kFewestStages = 3;          // with fewer, too little is on its way
  tile::KernelOp kernel_;
  const Machine &machine_;
  RolePlan plan_;
  OpBuilder builder_;
  Extents extents_;
  tile::RolesOp roles_;
  scf::ForOp loopOfTeams_;  // null where all consumers work on one tile
  SmallVector<Ring> rings_;
  llvm::SmallDenseSet<Operation *> needed_;
  int64_t stagesOutside_ = 1;  // of copies outside of loops
  int64_t stages_ = 1;
  bool sharesProcessor_ = false, sharesRegisters_ = false;
};

struct SpecialiseRolesPass : PassWrapper<SpecialiseRolesPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpecialiseRolesPass)
  StringRef getArgument() const override { return "tile-specialise-roles"; }
  StringRef getDescription() const override { return "a producer and consumers for products of warpgroups"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<scf::SCFDialect>(); }
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (!hasPanels(kernel)) return;
    std::variant<RolePlan, Refusal> plan = planRoles(kernel);
    if (auto *refusal = std::get_if<Refusal>(&plan)) {
      kernel.emitError("operands lie in panels, but no producer can fill them: " + refusal->why);
      return signalPassFailure();
    }
    const Machine *machine = machineOf(kernel);
    if (!machine) return signalPassFailure();
    SpecialiseRoles(kernel, std::get<RolePlan>(std::move(plan)), *machine).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createSpecialiseRolesPass() { return std::make_unique<SpecialiseRolesPass>(); }

}  // namespace tessera::transforms
