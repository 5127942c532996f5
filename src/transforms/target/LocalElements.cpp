// Tiles that live from one statement of a loop over elements to another are single elements there.
//
// Operations on tiles, one after the other, share a loop over the elements that a lane holds. What only the statements behind
// it in the same loop read needs no tile: it is a variable of the loop. On CPUs, where a tile is an array on the stack, that
// is the difference between a register and a cache; on GPUs the text is shorter.
#include "ir/target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Builders.h"
#include "transforms/target/LocalElements.h"

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

/// A tile of which each element is written by one statement and read by those behind it.
struct LocalTile {
  out::VariableOp tile;
  out::AssignOp written;
  SmallVector<out::ElementOp> read;
  SmallVector<OpOperand *> asked;  // for what any tile of the layout knows: bounds of loops, the places of elements
};

out::ElementOp elementOf(Value place) { return place.getDefiningOp<out::ElementOp>(); }

std::optional<LocalTile> localTile(out::VariableOp variable) {
  if (!variable.getInit().empty() || variable.getForm() != "direct" || !variable.getStorage().empty()) return std::nullopt;
  LocalTile found{variable, {}, {}, {}};
  for (OpOperand &use : variable.getPlace().getUses()) {
    Operation *user = use.getOwner();
    if (isa<out::MemberOp, out::MethodOp>(user)) {
      found.asked.push_back(&use);
      continue;
    }
    auto element = dyn_cast<out::ElementOp>(user);
    if (!element || !element.getPlace().hasOneUse()) return std::nullopt;
    Operation *by = *element.getPlace().user_begin();
    if (isa<out::ReadOp>(by)) {
      found.read.push_back(element);
      continue;
    }
    auto assign = dyn_cast<out::AssignOp>(by);
    if (!assign || assign.getPlace() != element.getPlace() || found.written) return std::nullopt;
    found.written = assign;
  }
  if (!found.written) return std::nullopt;
  auto here = elementOf(found.written.getPlace());
  bool inLoop = isa<out::ForOp>(found.written->getParentOp()) && !here.getIndices().empty() &&
                llvm::all_of(here.getIndices(), [](Value index) { return isa<BlockArgument>(index); });
  bool readsHere = llvm::all_of(found.read, [&](out::ElementOp element) {
    return element->getBlock() == found.written->getBlock() && element.getIndices() == here.getIndices() &&
           found.written->isBeforeInBlock(element);
  });
  if (!inLoop || !readsHere) return std::nullopt;
  return found;
}

/// Another tile over whose elements the same loop goes, which is there before the loop begins.
Value likeIt(LocalTile &local, const llvm::SetVector<Operation *> &removed) {
  auto here = elementOf(local.written.getPlace());
  for (out::ElementOp other : here->getBlock()->getOps<out::ElementOp>()) {
    auto tile = other.getBase().getDefiningOp<out::VariableOp>();
    if (!tile || removed.contains(tile) || other.getIndices() != here.getIndices()) continue;
    bool isBefore = llvm::all_of(local.asked, [&](OpOperand *use) {
      Operation *at = tile->getBlock()->findAncestorOpInBlock(*use->getOwner());
      return at && tile->isBeforeInBlock(at);
    });
    if (isBefore) return other.getBase();
  }
  return {};
}

void replace(LocalTile &local, Value like) {
  for (OpOperand *use : local.asked) use->set(like);
  auto here = elementOf(local.written.getPlace());
  OpBuilder builder(local.written);
  auto element = builder.create<out::VariableOp>(local.written.getLoc(), here.getPlace().getType(), local.tile.getName(), "copy",
                                                 ValueRange{local.written.getValue()}, /*isConst=*/true);
  for (out::ElementOp read : local.read) {
    read.getPlace().replaceAllUsesWith(element.getPlace());
    read.erase();
  }
  local.written.erase();
  here.erase();
  local.tile.erase();
}

}  // namespace

void keepElementsInLoops(out::KernelOp kernel) {
  SmallVector<LocalTile> locals;
  llvm::SetVector<Operation *> removed;
  kernel.walk([&](out::VariableOp variable) {
    if (auto local = localTile(variable)) {
      removed.insert(variable);
      locals.push_back(std::move(*local));
    }
  });
  for (LocalTile &local : locals) {
    Value like = local.asked.empty() ? Value() : likeIt(local, removed);
    if (local.asked.empty() || like) replace(local, like);
    else removed.remove(local.tile);
  }
}

}  // namespace tessera::transforms::totarget
