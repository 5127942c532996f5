// Barriers between the lanes that write a buffer and the lanes that read it.
//
// Tracked for every shared buffer that the compiler manages, and for every view that a kernel both reads and
// writes as tiles: whether it was written, or read, since the last barrier. A read after a write and a write
// after a read get a barrier before them; a loop's body starts in what the code before it and its own end
// leave behind.
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Beside.h"
#include "transforms/tile/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

struct State {
  llvm::SmallDenseSet<Value> written, read;
  void merge(const State &other) {
    written.insert(other.written.begin(), other.written.end());
    read.insert(other.read.begin(), other.read.end());
  }
  bool operator==(const State &other) const { return written == other.written && read == other.read; }
};

class Barriers {
public:
  explicit Barriers(tile::KernelOp kernel) : kernel_(kernel) {}
  void run() {
    State state;
    visit(kernel_.getBody().front(), state, /*insert=*/true);
  }

private:
  /// The buffer or view behind a value, if it is one to track.
  Value tracked(Value base) {
    while (auto part = base.getDefiningOp<tile::SelectBufferOp>()) base = part.getBase();
    if (auto alloc = base.getDefiningOp<tile::AllocSharedOp>()) return alloc.getManual() ? Value() : base;
    return isa<ViewType>(base.getType()) ? base : Value();
  }

  void accesses(Operation *op, SmallVectorImpl<Value> &reads, SmallVectorImpl<Value> &writes) {
    auto add = [&](SmallVectorImpl<Value> &list, Value base) {
      if (Value buffer = tracked(base)) list.push_back(buffer);
    };
    if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) add(reads, load.getBase());
    if (auto load = dyn_cast<tile::LoadAtOp>(op)) add(reads, load.getBase());
    if (auto copy = dyn_cast<tile::CopyRowsOp>(op)) add(reads, copy.getBase()), add(reads, copy.getPlaces()), add(writes, copy.getTarget());
    if (auto read = dyn_cast<tile::ReadSharedOp>(op)) add(reads, read.getBase());
    if (auto read = dyn_cast<tile::ReadPairsOfRowsOp>(op)) add(reads, read.getBase());
    if (auto copy = dyn_cast<tile::CopyOp>(op)) add(reads, copy.getBase()), add(writes, copy.getTarget());
    if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) add(writes, store.getBase());
    if (auto store = dyn_cast<tile::StoreColumnSumsOp>(op)) add(writes, store.getBase());
    if (auto atomic = dyn_cast<tile::AtomicOp>(op); atomic && isa<tile::FragmentType>(atomic.getValue().getType()))
      add(writes, atomic.getBase());
    if (auto sort = dyn_cast<tile::ArgsortRowOp>(op)) add(reads, sort.getKeys()), add(writes, sort.getBase());
    if (auto sort = dyn_cast<tile::ArgsortRowOp>(op); sort && sort.getNamed()) add(reads, sort.getNamed());
    if (auto write = dyn_cast<tile::WriteSharedOp>(op)) add(writes, write.getBase());
    if (auto dot = dyn_cast<tile::DotOp>(op)) add(reads, dot.getA()), add(reads, dot.getB());
  }

  void visit(Block &block, State &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block)) visit(&op, state, insert);
  }

  void visit(Operation *op, State &state, bool insert) {
    if (isa<tile::BarrierOp>(op)) state = State();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State other = state;
      visit(branch.getThenRegion().front(), state, insert);
      if (!branch.getElseRegion().empty()) visit(branch.getElseRegion().front(), other, insert);
      state.merge(other);
      return;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op)) return visitLoop(op, state, insert);
    SmallVector<Value> reads, writes;
    accesses(op, reads, writes);
    bool conflict = llvm::any_of(reads, [&](Value buffer) { return state.written.contains(buffer); }) ||
                    llvm::any_of(writes, [&](Value buffer) {
                      // Lanes write different elements of a view; of a shared buffer perhaps the same, spread
                      // otherwise.
                      bool isView = isa<ViewType>(buffer.getType());
                      const bool beside = op->hasAttr(kBeside);  // what was written there before lies elsewhere
                      return state.read.contains(buffer) || (!isView && !beside && state.written.contains(buffer));
                    });
    if (conflict) {
      if (insert) OpBuilder(op).create<tile::BarrierOp>(op->getLoc());
      state = State();
    }
    state.read.insert(reads.begin(), reads.end());
    state.written.insert(writes.begin(), writes.end());
  }

  void visitLoop(Operation *op, State &state, bool insert) {
    auto body = [&](State &inside, bool really) {
      for (Region &region : op->getRegions()) visit(region.front(), inside, really);
    };
    State entry = state;
    while (true) {  // grows, and there are finitely many buffers
      State end = entry;
      body(end, false);
      end.merge(entry);
      if (end == entry) break;
      entry = end;
    }
    State end = entry;
    body(end, insert);
    state.merge(end);
  }

  tile::KernelOp kernel_;
};

struct InsertBarriers : PassWrapper<InsertBarriers, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertBarriers)
  StringRef getArgument() const override { return "tile-insert-barriers"; }
  StringRef getDescription() const override {
    return "barriers around shared buffers that the compiler manages";
  }
  void runOnOperation() override { Barriers(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createInsertBarriersPass() { return std::make_unique<InsertBarriers>(); }

}  // namespace tessera::transforms
