// Barriers around elements of tensors that a group reads and writes as a row, and by themselves.
//
// The lanes of a group take the elements of a row in turn, and all of them read a single element. Where a program does both to one
// tensor, one lane may be ahead of another:
//
//   first = x[r, 0]                                      first = x[r, 0]
//   for (c = local_id; ...) x[r, c] -= first      ->     barrier
//                                                        for (c = local_id; ...) x[r, c] -= first
//
// Accesses at the same places of the same loop are one lane's, and need none. In kernels that name lanes the program says where they meet.
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "support/SetAtPlaces.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Patterns.h"
#include <map>
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// A tensor, and where: at the places of a loop, which have a number, at one element, or in a tile (for two tiles: tile-insert-barriers).
using Place = std::pair<void *, int>;
constexpr int kTile = -1, kElement = 0;

struct Touched {
  std::set<Place> read, written;
  void merge(const Touched &other) {
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
  }
  bool operator==(const Touched &other) const { return read == other.read && written == other.written; }
};

/// Whether lanes stand for nothing but the elements of rows.
bool takesOnlyRows(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (isa<tile::WarpOp, tile::BarrierOp>(op)) return WalkResult::interrupt();
    auto query = dyn_cast<tile::QueryOp>(op);
    if (!query || !query.isVarying()) return WalkResult::advance();
    bool counts = llvm::all_of(query->getUsers(), [&](Operation *user) {
      auto loop = dyn_cast<scf::ForOp>(user);
      return loop && isByGroup(loop) && loop.getLowerBound() == query.getResult();
    });
    return counts ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

class Order {
public:
  explicit Order(tile::KernelOp kernel) : kernel_(kernel) {}
  void run() {
    Touched state;
    visit(kernel_.getBody().front(), state, /*insert=*/true);
  }

private:
  /// How an index is computed, with the loop's counter as `@`: the same text for the same places.
  std::string textOf(Value value, Value counter) {
    if (value == counter) return "@";
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isPure(op)) return std::to_string(reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()));
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << op->getName() << op->getAttrDictionary() << "(";
    for (Value operand : op->getOperands()) stream << textOf(operand, counter) << ",";
    stream << ")";
    return text;
  }

  int placeOf(ValueRange indices, scf::ForOp row) {
    if (!row) return kElement;
    std::string text;
    for (Value index : indices) text += textOf(index, row.getInductionVar()) + ";";
    if (text.find('@') == std::string::npos) return kElement;
    text += textOf(row.getUpperBound(), {});
    return places_.emplace(text, static_cast<int>(places_.size()) + 1).first->second;
  }

  /// What an operation touches, with all that it holds.
  Touched accessesOf(Operation *op) {
    Touched result;
    scf::ForOp row = isa<scf::ForOp>(op) ? cast<scf::ForOp>(op) : scf::ForOp();
    auto add = [](std::set<Place> &places, Value base, int place) {
      if (isa<ViewType>(base.getType())) places.insert({base.getAsOpaquePointer(), place});
    };
    op->walk([&](Operation *inner) {
      if (auto load = dyn_cast<tile::LoadElementOp>(inner)) add(result.read, load.getBase(), placeOf(load.getIndices(), row));
      if (auto store = dyn_cast<tile::StoreElementOp>(inner)) add(result.written, store.getBase(), placeOf(store.getIndices(), row));
      if (auto load = dyn_cast<tile::LoadFragmentOp>(inner)) add(result.read, load.getBase(), kTile);
      if (auto store = dyn_cast<tile::StoreFragmentOp>(inner)) add(result.written, store.getBase(), kTile);
      if (auto copy = dyn_cast<tile::CopyOp>(inner)) add(result.read, copy.getBase(), kTile);
      if (auto copy = dyn_cast<tile::CopyRowsOp>(inner)) add(result.read, copy.getBase(), kTile);
      if (auto load = dyn_cast<tile::LoadAtOp>(inner)) add(result.read, load.getBase(), kTile);
      if (auto set = dyn_cast<tile::AtomicOp>(inner); set && set.getMnemonic() == kSetMnemonic) add(result.written, set.getBase(), kTile);
    });
    return result;
  }

  /// Whether different lanes touch an element of `before` and of `now`. `oneLaneWrites`: single elements are those of one lane, in its order.
  static bool meet(const std::set<Place> &before, const std::set<Place> &now, bool oneLaneWrites) {
    for (const Place &place : now)
      for (auto it = before.lower_bound({place.first, kTile}); it != before.end() && it->first == place.first; ++it)
        if (it->second != place.second || (place.second == kElement && !oneLaneWrites)) return true;
    return false;
  }

  void visit(Block &block, Touched &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block)) visit(&op, state, insert);
  }

  void visit(Operation *op, Touched &state, bool insert) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Touched other = state;
      visit(branch.getThenRegion().front(), state, insert);
      if (!branch.getElseRegion().empty()) visit(branch.getElseRegion().front(), other, insert);
      return state.merge(other);
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (isa<scf::WhileOp>(op) || (loop && !isByGroup(loop))) return visitLoop(op, state, insert);
    if (isa<tile::GroupReduceOp>(op)) state.read.clear();  // all lanes have come so far
    Touched now = accessesOf(op);
    if (meet(state.written, now.read, false) || meet(state.read, now.written, false) || meet(state.written, now.written, true)) {
      if (insert) OpBuilder(op).create<tile::BarrierOp>(op->getLoc());
      state = Touched();
    }
    state.merge(now);
  }

  void visitLoop(Operation *op, Touched &state, bool insert) {
    auto body = [&](Touched &inside, bool really) {
      for (Region &region : op->getRegions()) visit(region.front(), inside, really);
    };
    Touched entry = state;
    while (true) {  // grows, and there are finitely many places
      Touched end = entry;
      body(end, false);
      end.merge(entry);
      if (end == entry) break;
      entry = end;
    }
    Touched end = entry;
    body(end, insert);
    state.merge(end);
  }

  tile::KernelOp kernel_;
  std::map<std::string, int> places_;
};

struct OrderElements : PassWrapper<OrderElements, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderElements)
  StringRef getArgument() const override { return "tile-order-elements"; }
  StringRef getDescription() const override { return "barriers around elements that a group reads and writes as a row and by themselves"; }
  void runOnOperation() override {
    if (takesOnlyRows(getOperation())) Order(getOperation()).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createOrderElementsPass() { return std::make_unique<OrderElements>(); }

}  // namespace tessera::transforms
