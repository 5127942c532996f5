// Temporaries that no later launch reads make place for others of as many elements: a model's layers, and the steps through
// them, live in the memory of a few.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Loops.h"
#include "transforms/target/Passes.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The launches between which a temporary holds something, in the order of the function.
struct Life {
  tile::TempOp temp;
  size_t first = SIZE_MAX, last = 0;
};

bool isInLoop(Operation *op) {
  auto conditions = op->getAttrOfType<ArrayAttr>(kWhen);
  return conditions && llvm::any_of(conditions, [](Attribute condition) {
    auto words = dyn_cast<ArrayAttr>(condition);
    auto word = words && !words.empty() ? dyn_cast<StringAttr>(words[0]) : StringAttr();
    return word && (word.getValue() == "for" || word.getValue() == "while" || word.getValue() == "leave");
  });
}

/// How many elements, and of what: memory of one key is as large as that of another.
std::string keyOf(tile::TempOp temp) {
  Dim count(1);
  for (DimAttr extent : shapeOf(temp.getType())) count = count * extent.getDim();
  std::string type;
  llvm::raw_string_ostream(type) << elementTypeOf(temp.getType());
  return type + " " + count.str();
}

struct ShareTemporaries : PassWrapper<ShareTemporaries, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareTemporaries)
  StringRef getArgument() const override { return "tile-share-temporaries"; }
  StringRef getDescription() const override { return "memory that nobody reads any more is used again"; }
  void runOnOperation() override {
    for (tile::FuncOp function : getOperation().getOps<tile::FuncOp>()) share(function);
  }

private:
  /// Launches run in order. What loops or conditions have to do with keeps its memory.
  void share(tile::FuncOp function) {
    std::map<Operation *, size_t> places;
    size_t next = 0;
    for (Operation &op : function.getBody().front()) places[&op] = next++;
    std::vector<Life> lives;
    for (tile::TempOp temp : function.getBody().front().getOps<tile::TempOp>()) {
      Life life{temp};
      bool simple = !temp->hasAttr(kBuffer) && !temp->hasAttr(kWhen);
      for (Operation *user : temp.getResult().getUsers()) {
        simple &= isa<tile::LaunchOp>(user) && !isInLoop(user);
        life.first = std::min(life.first, places[user]);
        life.last = std::max(life.last, places[user]);
      }
      if (simple && !temp.getResult().use_empty()) lives.push_back(life);
    }
    llvm::sort(lives, [&](const Life &a, const Life &b) {
      return std::pair(a.first, places[a.temp]) < std::pair(b.first, places[b.temp]);
    });
    std::map<std::string, std::vector<Life>> held;  // by size: memory, and until when it is needed
    for (Life &life : lives) {
      std::vector<Life> &same = held[keyOf(life.temp)];
      // The one that was needed last: it is the likeliest to be in a cache.
      auto isFree = [&](const Life &other) { return other.last < life.first; };
      auto best = same.end();
      for (auto it = same.begin(); it != same.end(); ++it)
        if (isFree(*it) && (best == same.end() || it->last > best->last)) best = it;
      if (best == same.end()) {
        same.push_back(life);
        continue;
      }
      if (nameHint(best->temp.getResult()) != nameHint(life.temp.getResult()))
        best->temp.getResult().setLoc(named("memory", unnamed(best->temp.getLoc())));
      best->last = life.last;
      life.temp.getResult().replaceAllUsesWith(best->temp.getResult());
      life.temp.erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createShareTemporariesPass() { return std::make_unique<ShareTemporaries>(); }

}  // namespace tessera::transforms
