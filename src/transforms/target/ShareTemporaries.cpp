// Temporaries that no later launch reads make place for others: a model's layers, and the steps through them, live in the
// memory of a few. The largest get memory first. Each that follows lies in memory that is there, behind or before what is
// needed at the same time, where that is large enough whatever the sizes are; else it gets memory of its own. What is there under a
// condition shares with what is alike and there under the same one: the parts of long sums of all layers.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/target/Lives.h"
#include "transforms/target/Passes.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kAlignment = 256;  // of what an allocation gives, in bytes

/// The launches between which a temporary holds something, in the order of the function.
struct Life {
  tile::TempOp temp;
  Dim bytes;
  double typical = 0;
  size_t first = SIZE_MAX, last = 0;
  bool isBeside(const Life &other) const { return last < other.first || other.last < first; }
  Attribute condition() const { return temp->getAttr(kWhen); }
};

/// A temporary at a place of memory.
struct Placed {
  Life life;
  Dim begin, end;
  double typicalBegin, typicalEnd;
  Placed(Life life, const Dim &begin)
      : life(life), begin(begin), end(begin + life.bytes), typicalBegin(typicalSize(begin)), typicalEnd(typicalSize(end)) {}
};

/// Whether isAtMost() may hold of what typically has these values (0: it has none): comparing numbers is a thousand times quicker.
bool mayBeAtMost(double a, double b) { return a <= b || b == 0; }

/// What lies in the memory of a temporary: first the one that it was made for.
using Memory = std::vector<Placed>;

/// Each term of it is so many times the alignment.
bool isAligned(const Dim &offset) {
  if (offset.isConstant()) return offset.constant() % kAlignment == 0;
  return llvm::all_of(offset.terms(), [](const Dim::Term &term) { return term.coefficient % kAlignment == 0; });
}

/// The first place at which nothing lies that is needed at the same time.
std::optional<Dim> placeIn(const Memory &memory, const Life &life) {
  tile::TempOp whole = memory.front().life.temp, temp = life.temp;
  if (memory.front().life.condition() != life.condition()) return std::nullopt;
  if (life.condition() && whole.getType() != temp.getType()) return std::nullopt;  // no part of what may not be there
  std::vector<Dim> candidates{Dim(0)};
  for (const Placed &other : memory)
    if (!other.life.isBeside(life) && isAligned(other.end)) candidates.push_back(other.end);
  std::optional<Placed> best;
  for (const Dim &begin : candidates) {
    Placed placed(life, begin);
    if (best && placed.typicalBegin >= best->typicalBegin) continue;
    auto isBefore = [](const Placed &one, const Placed &next) {
      return mayBeAtMost(one.typicalEnd, next.typicalBegin) && isAtMost(one.end, next.begin);
    };
    bool isFree = mayBeAtMost(placed.typicalEnd, memory.front().typicalEnd) && isAtMost(placed.end, memory.front().end) &&
                  llvm::all_of(memory, [&](const Placed &other) {
                    return other.life.isBeside(life) || isBefore(placed, other) || isBefore(other, placed);
                  });
    if (isFree) best = placed;
  }
  return best ? std::optional(best->begin) : std::nullopt;
}

struct ShareTemporaries : PassWrapper<ShareTemporaries, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareTemporaries)
  StringRef getArgument() const override { return "tile-share-temporaries"; }
  StringRef getDescription() const override { return "memory that nobody reads any more is used again"; }
  void runOnOperation() override {
    for (tile::FuncOp function : getOperation().getOps<tile::FuncOp>()) share(function);
  }

private:
  void share(tile::FuncOp function) {
    std::vector<Memory> all;
    for (Life &life : livesOf(function)) {
      // The smallest memory with a place; of several that are as large the one that was needed last: it is the likeliest to be
      // in a cache.
      Memory *best = nullptr;
      std::optional<Dim> begin;
      auto goesBefore = [&](const Memory &memory) {
        if (!best) return true;
        const Life &mine = memory.front().life, &other = best->front().life;
        return std::pair(-mine.typical, lastBefore(memory, life)) > std::pair(-other.typical, lastBefore(*best, life));
      };
      for (Memory &memory : all)
        if (goesBefore(memory))
          if (std::optional<Dim> place = placeIn(memory, life)) best = &memory, begin = place;
      if (!best) all.push_back({Placed(life, Dim(0))});
      else best->push_back(Placed(life, *begin));
    }
    for (Memory &memory : all) settle(memory);
  }

  /// The last launch before a life that needed something there.
  static int64_t lastBefore(const Memory &memory, const Life &life) {
    int64_t last = -1;
    for (const Placed &placed : memory)
      if (placed.life.last < life.first) last = std::max(last, static_cast<int64_t>(placed.life.last));
    return last;
  }

  /// From the largest to the smallest; of as many bytes, as they come. What loops have to do with keeps its memory.
  static std::vector<Life> livesOf(tile::FuncOp function) {
    llvm::DenseMap<Operation *, size_t> places;
    for (Operation &op : function.getBody().front()) places.try_emplace(&op, places.size());
    std::vector<Life> lives;
    for (tile::TempOp temp : function.getBody().front().getOps<tile::TempOp>()) {
      Life life{temp, bytesOf(temp)};
      life.typical = typicalSize(life.bytes);
      bool simple = !temp->hasAttr(kBuffer);
      for (Operation *user : temp.getResult().getUsers()) {
        simple &= isa<tile::LaunchOp, tile::ExchangeOp>(user) && !isInLoop(user);
        life.first = std::min(life.first, places[user]);
        life.last = std::max(life.last, places[user]);
      }
      if (simple && !temp.getResult().use_empty()) lives.push_back(life);
    }
    llvm::sort(lives, [&](const Life &a, const Life &b) {
      return std::tuple(-a.typical, a.first, places[a.temp]) < std::tuple(-b.typical, b.first, places[b.temp]);
    });
    return lives;
  }

  /// One value for all that have a place, a type and a size in common.
  static void settle(Memory &memory) {
    tile::TempOp whole = memory.front().life.temp;
    for (Placed &placed : llvm::drop_begin(memory))
      if (placed.life.temp->isBeforeInBlock(whole)) whole->moveBefore(placed.life.temp);
    OpBuilder builder(whole.getContext());
    Operation *last = whole;
    auto keyOf = [](Placed &placed) {
      Type type = placed.life.temp.getType();
      return std::tuple(placed.begin.str(), elementTypeOf(type).getAsOpaquePointer(), countOf(type).str());
    };
    std::map<decltype(keyOf(memory.front())), Value> held{{keyOf(memory.front()), whole.getResult()}};
    for (Placed &placed : llvm::drop_begin(memory)) {
      tile::TempOp temp = placed.life.temp;
      Value &value = held[keyOf(placed)];
      if (!value) {
        auto offset = DimAttr::get(temp.getContext(), placed.begin);
        builder.setInsertionPointAfter(last);
        last = builder.create<tile::TempWithinOp>(temp.getLoc(), temp.getType(), whole.getResult(), offset);
        value = last->getResult(0);
      } else if (nameHint(value) != nameHint(temp.getResult())) {
        value.setLoc(named("memory", unnamed(value.getLoc())));
      }
      temp.getResult().replaceAllUsesWith(value);
      temp.erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createShareTemporariesPass() { return std::make_unique<ShareTemporaries>(); }

}  // namespace tessera::transforms
