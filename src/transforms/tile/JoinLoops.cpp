// Loops over one row, or column, that need nothing of each other are one loop: it is read once for all of them.
//
//   for (c = local_id; c < C; c += group_size) least = min(least, x[c])
//   for (c = local_id; c < C; c += group_size) sum += x[c]                ->   one loop that carries both
//
// The reductions between the lanes of a group stand together behind the loop: they are one exchange.
//
// So it is with columns that a lane reduces. What the later loop needs and stands between the two moves in front of the first, where
// nothing of it comes of the first loop; so do elements that nothing between writes.
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"
#include "transforms/tile/VectorForm.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::IgnoreLocations);
}

/// The same value, or computed alike from nothing: sizes, constants, what a lane asks about itself.
bool isSame(Value a, Value b) {
  if (a == b) return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && isa<tile::DimOp, tile::ConstantOp, tile::QueryOp>(left) && isEqual(left, right);
}

/// A loop by which the lanes of a group take the elements of a row in turn, or by which a lane reduces a column by itself.
bool isRowLoop(scf::ForOp loop) {
  bool isByLane = loop.getLowerBound().getDefiningOp<tile::ConstantOp>() && !tile::reductionsOf(loop).empty();
  if (loop->hasAttr(kSplit) || (!isByGroup(loop) && !isByLane)) return false;
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && (isPure(&op) || isa<tile::LoadElementOp, tile::StoreElementOp>(op));
  });
}

/// What a loop reads or writes in memory, and where.
struct Access {
  Value base;
  ValueRange indices;
  bool isStore;
};
SmallVector<Access> accessesOf(scf::ForOp loop) {
  SmallVector<Access> accesses;
  for (Operation &op : *loop.getBody()) {
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) accesses.push_back({load.getBase(), load.getIndices(), false});
    if (auto store = dyn_cast<tile::StoreElementOp>(op)) accesses.push_back({store.getBase(), store.getIndices(), true});
  }
  return accesses;
}

/// The same place of each turn of two loops: their counters, or both with the same number added to them.
bool isSamePlace(Value left, Value right, scf::ForOp first, scf::ForOp later) {
  if (left == first.getInductionVar()) return right == later.getInductionVar();
  auto a = left.getDefiningOp<tile::ElementwiseOp>(), b = right.getDefiningOp<tile::ElementwiseOp>();
  if (!a || !b || a.getMnemonic() != "add" || b.getMnemonic() != "add") return false;
  Value offset = a.getArgs()[0], counter = a.getArgs()[1], otherOffset = b.getArgs()[0], otherCounter = b.getArgs()[1];
  return (isSame(offset, otherOffset) && isSamePlace(counter, otherCounter, first, later)) ||
         (isSame(counter, otherCounter) && isSamePlace(offset, otherOffset, first, later));
}

/// A turn of `later` may come before the next turns of `first`: it reads nothing that `first` writes, and writes, of what `first` reads,
/// only the element that the lane has read in the same turn.
bool mayAlternate(scf::ForOp first, scf::ForOp later) {
  auto isSameElement = [&](const Access &a, const Access &b) {
    bool isInTurn = false;
    for (auto [left, right] : llvm::zip_equal(a.indices, b.indices)) {
      bool isTurn = isSamePlace(left, right, first, later);
      if (!isTurn && !isSame(left, right)) return false;
      isInTurn |= isTurn;
    }
    return isInTurn;
  };
  for (const Access &a : accessesOf(first))
    for (const Access &b : accessesOf(later))
      if (a.base == b.base && (a.isStore || (b.isStore && !isSameElement(a, b)))) return false;
  return true;
}

/// Neither of them writes what the other touches.
bool areApart(scf::ForOp a, scf::ForOp b) {
  for (const Access &left : accessesOf(a))
    for (const Access &right : accessesOf(b))
      if (left.base == right.base && (left.isStore || right.isStore)) return false;
  return true;
}

bool stores(Operation *op, Value base) {
  return op->walk([&](tile::StoreElementOp store) { return store.getBase() == base ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted();
}

/// An element that is read behind a loop is the same in front of it: nothing from the loop on writes there.
bool mayStandBefore(scf::ForOp first, Operation *op) {
  auto load = dyn_cast<tile::LoadElementOp>(op);
  if (!load) return false;
  for (Operation *at = first; at != op; at = at->getNextNode())
    if (stores(at, load.getBase())) return false;
  return true;
}

class Join {
public:
  explicit Join(Block &block) : block_(block) {}
  void run() {
    SmallVector<scf::ForOp> loops;
    for (auto loop : block_.getOps<scf::ForOp>())
      if (isRowLoop(loop)) loops.push_back(loop);
    while (loops.size() > 1) {
      scf::ForOp first = loops.front();
      SmallVector<scf::ForOp> joined = {first}, others;
      for (scf::ForOp later : ArrayRef(loops).drop_front()) (canJoin(first, later) ? joined : others).push_back(later);
      if (joined.size() > 1) merge(joined);
      loops = others;
    }
    standTogether();
  }

private:
  /// What `later` needs that stands behind `first`, in order; nothing where part of it cannot stand in front.
  std::optional<llvm::SetVector<Operation *>> between(scf::ForOp first, scf::ForOp later) {
    llvm::SetVector<Operation *> needed;
    SmallVector<Value> pending(later->getOperands());
    later.getBody()->walk([&](Operation *op) { llvm::append_range(pending, op->getOperands()); });
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != &block_ || op->isBeforeInBlock(first)) continue;
      if (op == first || !(isPure(op) || mayStandBefore(first, op)) || op->getNumRegions() != 0) return std::nullopt;
      if (needed.insert(op)) llvm::append_range(pending, op->getOperands());
    }
    return needed;
  }

  bool canJoin(scf::ForOp first, scf::ForOp later) {
    if (!isSame(first.getLowerBound(), later.getLowerBound()) || !isSame(first.getUpperBound(), later.getUpperBound()) ||
        !isSame(first.getStep(), later.getStep()))
      return false;
    for (Operation *op = first->getNextNode(); op != later; op = op->getNextNode()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      auto load = dyn_cast<tile::LoadElementOp>(op);
      bool isPassed = loop && isRowLoop(loop) ? areApart(loop, later)  // a loop that stays
                      : load                  ? !stores(later, load.getBase())
                                              : isPure(op) || isa<tile::GroupReduceOp>(op);
      if (!isPassed) return false;
    }
    if (!mayAlternate(first, later)) return false;
    return between(first, later).has_value();
  }

  void merge(ArrayRef<scf::ForOp> loops) {
    scf::ForOp first = loops.front();
    SmallVector<Value> inits;
    for (scf::ForOp loop : loops) {
      SmallVector<Operation *> needed = between(first, loop)->takeVector();
      llvm::sort(needed, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      for (Operation *op : needed) op->moveBefore(first);
      llvm::append_range(inits, loop.getInitArgs());
    }
    OpBuilder builder(first);
    auto joined = builder.create<scf::ForOp>(first.getLoc(), first.getLowerBound(), first.getUpperBound(), first.getStep(), inits);
    joined.getInductionVar().setLoc(first.getInductionVar().getLoc());
    Block *body = joined.getBody();
    if (!body->empty()) body->back().erase();
    builder.setInsertionPointToEnd(body);
    SmallVector<Attribute> reductions;
    for (scf::ForOp loop : loops)
      for (StringRef reduction : tile::reductionsOf(loop)) reductions.push_back(builder.getStringAttr(reduction));
    for (NamedAttribute each : first->getAttrs())
      if (llvm::all_of(loops, [&](scf::ForOp loop) { return loop->getAttr(each.getName()) == each.getValue(); })) joined->setAttr(each.getName(), each.getValue());
    if (reductions.size() == inits.size() && !inits.empty()) joined->setAttr(tile::kReduces, builder.getArrayAttr(reductions));
    SmallVector<Value> yielded;
    size_t next = 0;  // of what the joined loop carries
    for (scf::ForOp loop : loops) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), joined.getInductionVar());
      for (BlockArgument argument : loop.getRegionIterArgs()) {
        BlockArgument carried = joined.getRegionIterArg(next++);
        carried.setLoc(argument.getLoc());
        mapping.map(argument, carried);
      }
      for (Operation &op : loop.getBody()->without_terminator()) add(&op, mapping, builder);
      for (Value value : loop.getYieldedValues()) yielded.push_back(mapping.lookupOrDefault(value));
    }
    builder.create<scf::YieldOp>(first.getLoc(), yielded);
    next = 0;
    for (scf::ForOp loop : loops)
      for (OpResult result : loop.getResults()) result.replaceAllUsesWith(joined.getResult(next++));
    for (scf::ForOp loop : loops) loop.erase();
  }

  /// What the lanes of a group have of a loop is reduced behind it, so that they meet once for all of it.
  void standTogether() {
    tile::GroupReduceOp last;
    for (auto reduce : llvm::make_early_inc_range(block_.getOps<tile::GroupReduceOp>())) {
      Operation *value = reduce.getValue().getDefiningOp();
      const bool isThere = !value || value->getBlock() != &block_ || (last && value->isBeforeInBlock(last));
      if (last && isThere && reduce.getType() == last.getType()) reduce->moveAfter(last);
      last = reduce;
    }
  }

  /// Clones an operation into the joined loop; what it computes already is not computed again.
  static void add(Operation *op, IRMapping &mapping, OpBuilder &builder) {
    Operation *made = builder.clone(*op, mapping);
    if (op->getNumResults() == 0) return;
    for (Operation &known : *made->getBlock()) {
      if (&known == made) return;
      if (!isEqual(&known, made)) continue;
      for (auto [from, to] : llvm::zip(op->getResults(), known.getResults())) mapping.map(from, to);
      made->erase();
      return;
    }
  }

  Block &block_;
};

struct JoinLoops : PassWrapper<JoinLoops, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinLoops)
  StringRef getArgument() const override { return "tile-join-loops"; }
  StringRef getDescription() const override { return "loops over a row that need nothing of each other are one"; }
  void runOnOperation() override {
    getOperation().getBody().walk([](Block *block) { Join(*block).run(); });
  }
};

}  // namespace

std::unique_ptr<Pass> createJoinLoopsPass() { return std::make_unique<JoinLoops>(); }

}  // namespace tessera::transforms
