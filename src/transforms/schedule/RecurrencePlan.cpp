// Which loops one kernel runs, and what its lanes are numbered by. Axes of values that have to agree are of one class: an element of
// a sum is one of each operand at the same place. A class along which elements meet, as a reduction's or a shifted slice's, is mixed.
#include "ir/common/Names.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Recurrence.h"
#include "transforms/schedule/Shapes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isInside(Value value, Operation *loop) { return value.getParentBlock()->getParentOp() == loop; }

class RecurrenceFinder {
public:
  RecurrenceFinder(scf::ForOp loop) : loop_(loop) { plan_.loop = loop; }

  std::optional<Recurrence> run() {
    if (!isCounted() || !findCarried() || !follow()) return std::nullopt;
    if (!number()) return std::nullopt;
    for (const Recurrence::Part &part : plan_.updates)
      if (!readsUpdated_ && writesAll(part.update)) plan_.written.insert(part.number);
    return std::move(plan_);
  }

private:
  using Axis = std::pair<void *, int64_t>;

  // ---- what the loop is

  /// Turns that sizes count, with nothing that the entry function carries along, and without loops and branches inside.
  bool isCounted() {
    auto words = loop_->getAttrOfType<ArrayAttr>(kLoop);
    if (!words || loop_->hasAttr(kCountOfData) || cast<StringAttr>(words[0]).getValue() != "for") return false;
    counter_ = cast<StringAttr>(words[1]).str();
    if (!cast<ArrayAttr>(words[words.size() - 1]).empty()) return false;
    return llvm::all_of(*loop_.getBody(), [](Operation &op) { return op.getNumRegions() == 0 || isa<graph::DotOp>(op); });
  }

  bool findCarried() {
    for (auto [i, result] : llvm::enumerate(loop_.getResults())) {
      if (result.getType().isIndex()) return false;
      plan_.carried.push_back({static_cast<unsigned>(i), isListed(loop_, kInPlace, static_cast<int64_t>(i))});
    }
    for (const Recurrence::Carried &one : plan_.carried) {
      Value value = yielded(one);
      while (one.inPlace && value != argument(one)) {
        std::optional<Update> update = updateBy(value.getDefiningOp());
        if (!update) return false;
        plan_.updates.push_back({value.getDefiningOp(), *update, one.number});
        value = update->old;
      }
    }
    llvm::sort(plan_.updates, [](const Recurrence::Part &a, const Recurrence::Part &b) { return a.op->isBeforeInBlock(b.op); });
    return !plan_.carried.empty();
  }

  // ---- axes that agree

  Value argument(const Recurrence::Carried &one) { return loop_.getRegionIterArgs()[one.number]; }
  Value yielded(const Recurrence::Carried &one) { return loop_.getYieldedValues()[one.number]; }

  bool follow() {
    for (const Recurrence::Carried &one : plan_.carried) {
      joinAll(argument(one), yielded(one));
      if (!one.inPlace) next_.push_back(yielded(one));
    }
    for (auto &[op, update, number] : plan_.updates) {
      joinAll(op->getResult(0), update.old);
      for (size_t axis = 0; axis < update.sizes.size(); ++axis) {
        bool isPoint = update.starts[axis] && update.sizes[axis] == Dim(1);
        bool isWhole = !update.starts[axis] && update.sizes[axis] == shapeOf(update.old.getType())[axis].getDim();
        if (!isPoint && !isWhole) return false;
        if (isPoint) placed_.push_back(node(update.old, axis));
        if (isPoint) next_.push_back(update.starts[axis]);
        join(update.value, axis, update.old, axis);
      }
      next_.push_back(update.value);
    }
    llvm::DenseSet<Value> seen;
    while (!next_.empty()) {
      Value value = next_.pop_back_val();
      if (!seen.insert(value).second) continue;
      if (isInside(value, loop_)) values_.push_back(value);
      Operation *op = value.getDefiningOp();
      if (!op || !isInside(value, loop_) || op->hasAttr(kInPlace)) continue;
      if (!through(op)) return false;
      llvm::append_range(next_, op->getOperands());
    }
    // Of what is written in place, a turn reads the elements that it writes, and no others.
    for (const Recurrence::Carried &one : plan_.carried)
      if (one.inPlace && !isReadAtItsPlace(argument(one))) return false;
    for (auto &[op, update, number] : plan_.updates)
      if (!isReadAtItsPlace(op->getResult(0))) return false;
    return true;
  }

  /// By its update, element by element by what this writes, and at the same point elsewhere.
  bool isReadAtItsPlace(Value array) {
    return llvm::all_of(array.getUsers(), [&](Operation *user) {
      bool isRead = !user->hasAttr(kInPlace) && !isa<scf::YieldOp>(user);
      readsUpdated_ |= isRead;
      if (isa<scf::YieldOp>(user)) return llvm::count(user->getOperands(), array) == 1 && isOwnYield(array);
      return !isRead || isa<graph::SliceOp>(user) || (isa<graph::ElementwiseOp, graph::CastOp>(user) && leadsToUpdate(user->getResult(0), array));
    });
  }
  /// Not what another array becomes.
  bool isOwnYield(Value array) {
    return llvm::any_of(plan_.carried, [&](const Recurrence::Carried &one) {
      return one.inPlace && yielded(one) == array &&
             llvm::any_of(plan_.updates, [&](const Recurrence::Part &part) { return part.number == one.number && part.op->getResult(0) == array; });
    });
  }
  bool leadsToUpdate(Value value, Value array) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (user->hasAttr(kInPlace)) return user->getOperand(2) == array;
      return isa<graph::ElementwiseOp, graph::CastOp>(user) && leadsToUpdate(user->getResult(0), array);
    });
  }

  /// What an operation says of the axes of its operands and result. False: one kernel of points cannot do it.
  bool through(Operation *op) {
    Value result = op->getResult(0);
    if (isa<graph::ConstantOp, graph::DimOp, graph::FullOp, graph::IotaOp>(op)) return true;
    if (isa<graph::ElementwiseOp, graph::CastOp>(op)) {
      for (Value operand : op->getOperands()) joinAll(operand, result);
      return true;
    }
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
      for (auto [axis, to] : llvm::enumerate(broadcast.getAxes())) join(broadcast.getOperand(), axis, result, to);
      return true;
    }
    if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
      for (auto [axis, from] : llvm::enumerate(transpose.getPerm())) join(transpose.getOperand(), from, result, axis);
      return true;
    }
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      int64_t kept = 0;
      for (size_t axis = 0; axis < shapeOf(reduce.getOperand().getType()).size(); ++axis)
        if (llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis))) mixed_.push_back(node(reduce.getOperand(), axis));
        else join(reduce.getOperand(), axis, result, kept++);
      return true;
    }
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {  // axes of one element come and go
      SmallVector<int64_t> from = longAxes(reshape.getOperand().getType()), to = longAxes(reshape.getType());
      if (longShape(reshape.getOperand().getType()) != longShape(reshape.getType())) return false;
      for (auto [axis, other] : llvm::zip(from, to)) join(reshape.getOperand(), axis, result, other);
      return true;
    }
    if (auto slice = dyn_cast<graph::SliceOp>(op)) return throughSlice(slice);
    return false;
  }

  /// An array that lies in memory, and that turns update.
  bool isUpdated(Value array) {
    return llvm::any_of(plan_.updates, [&](const Recurrence::Part &part) { return part.op->getResult(0) == array || part.update.old == array; });
  }

  /// Of an array from before the loop any part may be read; of what a turn makes, whole axes.
  bool throughSlice(graph::SliceOp slice) {
    if (!isInside(slice.getBase(), loop_)) return true;
    bool isInMemory = isUpdated(slice.getBase());
    int64_t kept = 0;
    for (size_t axis = 0; axis < slice.getOffsets().size(); ++axis) {
      if (slice.getPoints()[axis] && !isInMemory) return false;
      if (slice.getPoints()[axis]) {
        placed_.push_back(node(slice.getBase(), axis));
        continue;
      }
      auto offset = slice.getOffsets()[axis].getDefiningOp<graph::ConstantOp>();
      bool isFirst = offset && cast<IntegerAttr>(offset.getValue()).getValue().isZero();
      bool isAll = isFirst && slice.getSteps()[axis] == 1 && slice.getSizes().getDims()[axis] == shapeOf(slice.getBase().getType())[axis];
      if (!isAll) return false;
      join(slice.getBase(), axis, slice.getResult(), kept++);
    }
    return true;
  }

  Axis node(Value value, size_t axis) {
    Axis made(value.getAsOpaquePointer(), static_cast<int64_t>(axis));
    classes_.insert(made);
    return made;
  }
  void join(Value a, size_t axis, Value b, size_t other) {
    if (!isUnit(shapeOf(a.getType())[axis]) && !isUnit(shapeOf(b.getType())[other])) classes_.unionSets(node(a, axis), node(b, other));
  }
  void joinAll(Value a, Value b) {
    if (!isa<TensorType>(a.getType()) || !isa<TensorType>(b.getType())) return;
    for (size_t axis = 0; axis < shapeOf(a.getType()).size(); ++axis) join(a, axis, b, axis);
  }
  Axis leader(Value value, size_t axis) { return classes_.getLeaderValue(node(value, axis)); }

  // ---- the points

  bool number() {
    std::set<Axis> mixed, placed;
    for (const Axis &axis : mixed_) mixed.insert(classes_.getLeaderValue(axis));
    for (const Axis &axis : placed_) placed.insert(classes_.getLeaderValue(axis));
    for (const Recurrence::Carried &one : plan_.carried) values_.push_back(argument(one));
    for (const Recurrence::Part &part : plan_.updates) values_.push_back(part.update.old);  // what one update leaves, the next one changes
    for (Value value : values_) {  // an element and its mirror image
      std::set<Axis> own;
      for (int64_t axis : longAxes(value.getType()))
        if (!own.insert(leader(value, axis)).second) mixed.insert(leader(value, axis));
    }
    for (const Axis &axis : placed)
      if (mixed.count(axis)) return false;
    // The value with the most of them has them all, in its order.
    SmallVector<Axis> points;
    for (const Recurrence::Carried &one : plan_.carried) {
      SmallVector<Axis> own;
      SmallVector<DimAttr> extents;
      for (int64_t axis : longAxes(argument(one).getType())) {
        Axis found = leader(argument(one), axis);
        if (mixed.count(found)) continue;
        if (placed.count(found)) {
          if (!one.inPlace) return false;
          continue;
        }
        own.push_back(found);
        extents.push_back(shapeOf(argument(one).getType())[axis]);
      }
      if (own.size() > points.size()) points = own, plan_.points = extents;
    }
    if (points.empty() || speaksOfCounter()) return false;
    for (Value value : values_) {
      SmallVector<int64_t> numbers;
      size_t rank = isa<TensorType>(value.getType()) ? shapeOf(value.getType()).size() : 0;
      for (size_t axis = 0; axis < rank; ++axis) {
        bool isFirst = isUnit(shapeOf(value.getType())[axis]) || placed.count(leader(value, axis));
        auto found = llvm::find(points, leader(value, axis));
        numbers.push_back(isFirst ? Recurrence::kFirst : found == points.end() ? Recurrence::kWhole : found - points.begin());
      }
      plan_.axes[value] = std::move(numbers);
    }
    return isStoredByAll(points.size()) && fits() && !(plan_.holdsRows && readsUpdated_);
  }

  /// What is stored has all points, so that no two lanes store one element.
  bool isStoredByAll(size_t points) {
    return llvm::all_of(plan_.carried, [&](const Recurrence::Carried &one) {
      if (!one.inPlace && loop_.getResult(one.number).use_empty()) return true;
      llvm::ArrayRef<int64_t> numbers = plan_.axes[argument(one)];
      return llvm::all_of(llvm::seq<int64_t>(0, points), [&](int64_t point) { return llvm::is_contained(numbers, point); });
    });
  }

  /// What is held of every value at a point has few elements; where run time says how many, if it says so.
  bool fits() {
    constexpr int64_t kMostHeld = 1024;
    for (Value value : values_) {
      int64_t count = 1;
      for (auto [axis, number] : llvm::enumerate(plan_.axes[value])) {
        if (number != Recurrence::kWhole) continue;
        DimAttr extent = shapeOf(value.getType())[axis];
        plan_.holdsRows = true;
        if (!extent.getConstant()) {
          if (!extent.getDim().isVar()) return false;
          plan_.bounded.insert(extent.getDim().varName());
        }
        count *= extent.getConstant().value_or(Recurrence::kMostOfDimension);
        if (count > kMostHeld) return false;
      }
      plan_.held = std::max(plan_.held, count);
    }
    return true;
  }

  /// One place of one axis in each turn, from the first to the last or back, and the others whole.
  bool writesAll(const Update &update) {
    auto words = loop_->getAttrOfType<ArrayAttr>(kLoop);
    auto dimAt = [&](size_t word) { return cast<DimAttr>(words[word]).getDim(); };
    Dim first = dimAt(2), end = dimAt(kStopWord), step = dimAt(4);
    int64_t placed = 0;
    for (size_t axis = 0; axis < update.sizes.size(); ++axis) {
      if (!update.starts[axis]) continue;
      std::optional<Dim> place = dimOf(update.starts[axis], loop_->getParentOfType<graph::FuncOp>());
      if (!place || ++placed > 1 || !(step == Dim(1))) return false;
      auto at = [&](const Dim &turn) { return place->substitute({{counter_, turn}}); };
      Dim extent = shapeOf(update.old.getType())[axis].getDim();
      bool forward = at(first) == Dim(0) && at(end) == extent, back = at(first) == extent - Dim(1) && at(end) == Dim(-1);
      if (!forward && !back) return false;
    }
    return placed == 1;
  }

  bool speaksOfCounter() {
    return llvm::any_of(values_, [&](Value value) {
      if (!isa<TensorType>(value.getType())) return false;
      std::set<std::string> names;
      for (DimAttr extent : shapeOf(value.getType())) extent.getDim().collectVars(names);
      return names.count(counter_) != 0;
    });
  }

  scf::ForOp loop_;
  std::string counter_;
  Recurrence plan_;
  SmallVector<Value> next_;
  std::vector<Value> values_;  // in the loop, those that are needed
  llvm::EquivalenceClasses<Axis> classes_;
  std::vector<Axis> mixed_, placed_;
  bool readsUpdated_ = false;  // a group's lanes would have to wait for each other
};

}  // namespace

std::optional<Recurrence> recurrenceOf(scf::ForOp loop, graph::FuncOp function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return std::nullopt;  // its loops go along rows, many elements at once
  return RecurrenceFinder(loop).run();
}

}  // namespace tessera::transforms
