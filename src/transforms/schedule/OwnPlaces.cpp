// Arrays of which each turn of a loop changes a place of its own. What a turn reads there before is what the array began with: the derivative
// by an array of which turns read parts adds each part to zeros, and what a turn has taken of a cotangent it makes zeros, which nobody reads.
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Known.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/Updates.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class OwnPlaces {
public:
  OwnPlaces(scf::ForOp loop, graph::FuncOp function) : loop_(loop), function_(function) {}

  /// Whether something is read from before the loop now.
  bool run() {
    auto words = loop_->getAttrOfType<ArrayAttr>(kLoop);
    if (!words || cast<StringAttr>(words[0]).getValue() != "for") return false;
    counter_ = cast<StringAttr>(words[1]).str();
    bool any = false;
    for (unsigned number = 0; number < loop_.getNumResults(); ++number) any |= readBefore(number);
    return any;
  }

private:
  bool readBefore(unsigned number) {
    Value array = loop_.getRegionIterArgs()[number], init = loop_.getInitArgs()[number], yielded = loop_.getYieldedValues()[number];
    if (!isa<TensorType>(array.getType())) return false;
    llvm::DenseSet<Operation *> updates;  // of a turn
    SmallVector<std::pair<size_t, Dim>> places;  // along which axes, and where, all updates of a turn are
    for (Value value = yielded; value != array;) {
      std::optional<Update> update = value.getDefiningOp() && value.getDefiningOp()->getBlock() == loop_.getBody() ? updateBy(value.getDefiningOp()) : std::nullopt;
      if (!update) return false;
      SmallVector<std::pair<size_t, Dim>> own = ownPlaces(*update);
      if (updates.empty()) places = own;
      llvm::erase_if(places, [&](const auto &place) { return !llvm::is_contained(own, place); });
      updates.insert(value.getDefiningOp());
      value = update->old;
    }
    if (places.empty()) return false;
    bool any = forward(number);
    updates.clear();
    for (Value value = yielded; value != array; value = updateBy(value.getDefiningOp())->old) updates.insert(value.getDefiningOp());
    SmallVector<graph::SliceOp> reads;
    bool isAll = true;  // what reads it
    for (Operation *user : array.getUsers()) {
      auto slice = dyn_cast<graph::SliceOp>(user);
      if (slice && llvm::any_of(places, [&](const auto &place) { return isAt(slice, place.first, place.second); })) reads.push_back(slice);
      else isAll &= updates.contains(user) && user->getOperand(1) != array;
    }
    bool isDropped = isAll && loop_.getResult(number).use_empty() && llvm::all_of(updates, [&](Operation *op) { return isOnlyUpdated(op, updates); });
    if (!isDropped && !startsFromNumber(init)) return any;  // else turns go on in its memory
    for (graph::SliceOp slice : reads) {
      slice.getBaseMutable().assign(init);
      if (isZeros(init)) dropZeros(slice);
    }
    if (isDropped) loop_.getBody()->getTerminator()->setOperand(number, array);
    return any || isDropped || !reads.empty();
  }

  /// What a turn stores at a place and reads there again is at hand; the second update writes over the first one.
  bool forward(unsigned number) {
    Value array = loop_.getRegionIterArgs()[number];
    bool any = false;
    for (Value value = loop_.getYieldedValues()[number]; value != array;) {
      Operation *last = value.getDefiningOp();
      Update late = *updateBy(last);
      std::optional<Update> early = late.old == array ? std::nullopt : updateBy(late.old.getDefiningOp());
      value = late.old;
      if (!early || !isSameBlock(late, *early)) continue;
      for (Operation *user : llvm::make_early_inc_range(late.old.getUsers())) {
        auto slice = dyn_cast<graph::SliceOp>(user);
        Value stored = sourceOf(early->value);
        if (!slice || slice.getType() != stored.getType() || !isBlock(slice, *early)) continue;
        slice.replaceAllUsesWith(stored);
        slice->erase();
        any = true;
      }
      if (!late.old.hasOneUse()) continue;
      last->setOperand(2, early->old);
      value = early->old;
      any = true;
      if (value != array) value = last->getResult(0);  // there may be one more before
    }
    return any;
  }

  bool isSame(Value a, Value b) {
    if (!a || !b) return a == b;
    std::optional<Dim> one = dimOf(a, function_), other = dimOf(b, function_);
    return one && other && *one == *other;
  }
  /// At a place along some axes, and all along the others.
  bool isSameBlock(const Update &a, const Update &b) {
    for (size_t axis = 0; axis < a.sizes.size(); ++axis) {
      bool isWhole = !a.starts[axis] && a.sizes[axis] == shapeOf(a.old.getType())[axis].getDim();
      if (!isSame(a.starts[axis], b.starts[axis]) || !(a.sizes[axis] == b.sizes[axis]) || !(isWhole || a.sizes[axis] == Dim(1))) return false;
    }
    return true;
  }
  bool isBlock(graph::SliceOp slice, const Update &update) {
    for (size_t axis = 0; axis < update.sizes.size(); ++axis) {
      if (static_cast<bool>(slice.getPoints()[axis]) != static_cast<bool>(update.starts[axis])) return false;
      std::optional<Dim> from = dimOf(slice.getOffsets()[axis], function_);
      if (update.starts[axis] ? !isSame(slice.getOffsets()[axis], update.starts[axis])
                              : !from || !(*from == Dim(0)) || slice.getSteps()[axis] != 1 || !(slice.getSizes().getDims()[axis] == shapeOf(update.old.getType())[axis])) return false;
    }
    return true;
  }

  static bool startsFromNumber(Value init) {
    auto full = init.getDefiningOp<graph::FullOp>();
    return full && full.getOperand().getDefiningOp<graph::ConstantOp>();
  }

  static bool isOnlyUpdated(Operation *update, const llvm::DenseSet<Operation *> &updates) {
    return llvm::all_of(update->getUsers(), [&](Operation *user) {
      return isa<scf::YieldOp>(user) ? llvm::count(user->getOperands(), update->getResult(0)) == 1 : updates.contains(user) && user->getOperand(1) != update->getResult(0);
    });
  }

  /// The axes along which the update is at one place, another one in each turn.
  SmallVector<std::pair<size_t, Dim>> ownPlaces(const Update &update) {
    SmallVector<std::pair<size_t, Dim>> own;
    for (size_t axis = 0; axis < update.sizes.size(); ++axis) {
      if (!update.starts[axis] || !(update.sizes[axis] == Dim(1))) continue;
      std::optional<Dim> place = dimOf(update.starts[axis], function_);
      if (place && isCounted(*place)) own.emplace_back(axis, *place);
    }
    return own;
  }

  /// A sum of a multiple of the counter and of what is the same in all turns.
  bool isCounted(const Dim &place) {
    Dim first = place.substitute({{counter_, Dim(0)}}), step = place.substitute({{counter_, Dim(1)}}) - first;
    std::set<std::string> names;
    first.collectVars(names);
    return step.isConstant() && step.constant() != 0 && place == first + step * Dim::var(counter_) && !names.count(counter_);
  }

  bool isAt(graph::SliceOp slice, size_t axis, const Dim &place) {
    if (slice->getBlock() != loop_.getBody() || !slice.getPoints()[axis]) return false;
    std::optional<Dim> at = dimOf(slice.getOffsets()[axis], function_);
    return at && *at == place;
  }

  /// Where zeros are added, the other operand is the sum.
  static void dropZeros(graph::SliceOp zeros) {
    for (Operation *user : llvm::make_early_inc_range(zeros->getUsers())) {
      auto sum = dyn_cast<graph::ElementwiseOp>(user);
      if (!sum || sum.getMnemonic() != "add") continue;
      Value other = sum->getOperand(sum->getOperand(0) == zeros.getResult() ? 1 : 0);
      if (other != zeros.getResult() && other.getType() == sum.getType()) sum.replaceAllUsesWith(other);
    }
  }

  scf::ForOp loop_;
  graph::FuncOp function_;
  std::string counter_;
};

}  // namespace

void readOwnPlaces(graph::FuncOp function) {
  bool any = false;
  function.walk([&](scf::ForOp loop) { any |= OwnPlaces(loop, function).run(); });
  if (any) eraseUnused(function);
}

}  // namespace tessera::transforms
