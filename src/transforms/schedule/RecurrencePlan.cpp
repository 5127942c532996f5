// Which loops one kernel runs, and what its lanes are numbered by. Axes of values that have to agree are of one class: an element of
// a sum is one of each operand at the same place. A class along which elements meet, as a reduction's or a shifted slice's, is mixed.
#include "ir/common/Names.h"
#include "support/Machine.h"
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
  RecurrenceFinder(scf::ForOp loop) : loop_(loop), sums_(loop) { plan_.loop = loop; }

  std::optional<Recurrence> run() {
    std::optional<Recurrence> found = find();
    if (found) found->scratch = sums_.made;
    else eraseScratch(sums_.made);
    return found;
  }

private:
  std::optional<Recurrence> find() {
    if (!isCounted() || !findCarried()) return std::nullopt;
    for (const Recurrence::Carried &one : plan_.carried) findAdded(one);
    for (size_t i = 0; i < plan_.updates.size(); ++i) findAdded(i);
    if (!follow()) return std::nullopt;
    for (const Recurrence::Part &part : plan_.updates)
      if (!readsUpdated_ && writesAll(part.update)) plan_.written.insert(part.number);
    // To hold two axes whole is worse than to store terms.
    std::optional<Recurrence> cheap = numbered(Apart::Cheap);
    if (cheap && cheap->wholes <= 1) return cheap;
    for (Apart apart : {Apart::AllButLast, Apart::All})
      if (std::optional<Recurrence> stored = numbered(apart)) return stored;
    return cheap;
  }

  using Axis = std::pair<void *, int64_t>;
  /// Which sums are added up behind the loop: those that turns add to a value, and those that they store where as much is read in each turn;
  /// also the others, but for sums along the last axis; all of them.
  enum class Apart : uint8_t { Cheap, AllButLast, All };

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
      Value argument = loop_.getRegionIterArgs()[i];
      if (argument.hasOneUse() && loop_.getYieldedValues()[i] == argument && result.use_empty()) continue;  // nothing is left of it
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

  // ---- sums that may be added up behind the loop

  bool offer(Value value, unsigned number, int64_t update, std::optional<ArrayRef<DimAttr>> shape = {}) {
    auto before = sums_.parts;
    std::optional<SumWriter::Sums> sums = sums_.sumsOf(value);
    if (sums && shape) sums = sums_.withShape(std::move(*sums), *shape);
    if (!sums) return sums_.parts = std::move(before), false;
    for (graph::ReduceOp reduce : *sums) candidates_.push_back({number, update, value, reduce});
    return true;
  }

  /// To a value that turns add to, or take from, and do nothing else with.
  void findAdded(const Recurrence::Carried &one) {
    Value sum = argument(one);
    auto added = yielded(one).getDefiningOp<graph::ElementwiseOp>();
    if (one.inPlace || loop_.getResult(one.number).use_empty() || !added || !added->hasOneUse() || !sum.hasOneUse() || *sum.user_begin() != added.getOperation()) return;
    if (added.getMnemonic() != "add" && (added.getMnemonic() != "sub" || added->getOperand(0) != sum)) return;
    Value all = added->getOperand(added->getOperand(0) == sum ? 1 : 0);
    auto joined = all.hasOneUse() ? all.getDefiningOp<graph::ConcatOp>() : graph::ConcatOp();
    if (!joined) return static_cast<void>(offer(all, one.number, -1));
    size_t before = candidates_.size();
    auto parts = sums_.parts;
    if (llvm::all_of(joined.getOperands(), [&](Value part) { return offer(part, one.number, -1); })) joined_.insert(one.number);
    else candidates_.erase(candidates_.begin() + before, candidates_.end()), sums_.parts = std::move(parts);
  }
  /// To a part that a turn stores.
  void findAdded(size_t update) {
    const Recurrence::Part &part = plan_.updates[update];
    bool isOnly = llvm::count_if(plan_.updates, [&](const Recurrence::Part &other) { return other.number == part.number; }) == 1;
    Value stored = sourceOf(part.update.value);
    for (auto cast = stored.getDefiningOp<graph::CastOp>(); cast && stored.hasOneUse() && !cast.getRoundingAttr() && !cast.getSaturate();
         cast = stored.getDefiningOp<graph::CastOp>())
      stored = cast.getOperand();
    SmallVector<DimAttr> shape;  // without the axes along which it is placed
    for (auto [axis, extent] : llvm::enumerate(shapeOf(part.update.old.getType())))
      if (!part.update.starts[axis]) shape.push_back(extent);
    if (isOnly && longShape(stored.getType()) == SmallVector<DimAttr>(llvm::make_filter_range(shape, [](DimAttr extent) { return !isUnit(extent); })))
      offer(stored, part.number, static_cast<int64_t>(update), ArrayRef(shape));
  }

  bool isCandidate(graph::ReduceOp reduce) {
    return llvm::any_of(candidates_, [&](const Recurrence::Sum &sum) { return sum.reduce == reduce; });
  }

  // ---- axes that agree

  Value argument(const Recurrence::Carried &one) { return loop_.getRegionIterArgs()[one.number]; }
  Value yielded(const Recurrence::Carried &one) { return loop_.getYieldedValues()[one.number]; }

  bool follow() {
    for (const Recurrence::Carried &one : plan_.carried) {
      joinAll(argument(one), yielded(one));
      if (!one.inPlace && !joined_.count(one.number)) next_.push_back(yielded(one));
    }
    for (auto &[op, update, number, isSummed] : plan_.updates) {
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
    for (const Recurrence::Sum &sum : candidates_) next_.push_back(graph::ReduceOp(sum.reduce).getResult());
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
    for (auto &[op, update, number, isSummed] : plan_.updates)
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
        if (!llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis))) join(reduce.getOperand(), axis, result, kept++);
        else if (!isCandidate(reduce) && !sums_.parts.contains(reduce)) mixed_.push_back(node(reduce.getOperand(), axis));
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

  std::optional<Recurrence> numbered(Apart apart) {
    Recurrence before = plan_;
    bool isPlan = number(apart);
    std::optional<Recurrence> made = isPlan ? std::optional(std::move(plan_)) : std::nullopt;
    plan_ = std::move(before);
    return made;
  }

  /// Whether the axis of a sum's operand is held whole, and added up here and now.
  bool isHere(const Recurrence::Sum &sum, int64_t axis, Apart apart) {
    if (sum.update < 0 || apart == Apart::All || !llvm::is_contained(sum.axes(), axis)) return false;
    return apart == Apart::Cheap ? !readsAsMuch(sum.operand()) : axis == longAxes(sum.operand().getType()).back();
  }
  /// As the terms of a turn have elements.
  bool readsAsMuch(Value terms) {
    return llvm::any_of(values_, [&](Value value) { return value.getDefiningOp<graph::SliceOp>() && countOf(value.getType()) == countOf(terms.getType()); });
  }

  bool number(Apart apart) {
    std::set<Axis> mixed, placed;
    for (const Axis &axis : mixed_) mixed.insert(classes_.getLeaderValue(axis));
    for (const Axis &axis : placed_) placed.insert(classes_.getLeaderValue(axis));
    std::vector<Value> all = values_;
    for (const Recurrence::Carried &one : plan_.carried) all.push_back(argument(one));
    for (Value value : all) {  // an element and its mirror image
      std::set<Axis> own;
      for (int64_t axis : longAxes(value.getType()))
        if (!own.insert(leader(value, axis)).second) mixed.insert(leader(value, axis));
    }
    for (const Recurrence::Sum &sum : candidates_)
      for (int64_t axis : longAxes(sum.operand().getType()))
        if (isHere(sum, axis, apart)) mixed.insert(leader(sum.operand(), axis));
    for (const Axis &axis : placed)
      if (mixed.count(axis)) return false;
    takeApart(mixed);
    std::vector<Value> values = values_;  // those that lanes have
    for (const Recurrence::Carried &one : plan_.carried)
      if (!one.isSummed) values.push_back(argument(one));
    for (const Recurrence::Part &part : plan_.updates)
      if (!part.isSummed) values.push_back(part.update.old);  // what one update leaves, the next one changes
    // The value with the most of them has them all, in its order.
    SmallVector<Axis> points;
    auto offer = [&](Value value, bool inPlace) {
      SmallVector<Axis> own;
      SmallVector<DimAttr> extents;
      for (int64_t axis : longAxes(value.getType())) {
        Axis found = leader(value, axis);
        if (mixed.count(found)) continue;
        if (placed.count(found)) {
          if (!inPlace) return false;
          continue;
        }
        own.push_back(found);
        extents.push_back(shapeOf(value.getType())[axis]);
      }
      if (own.size() > points.size()) points = own, plan_.points = extents;
      return true;
    };
    for (const Recurrence::Carried &one : plan_.carried)
      if (!one.isSummed && !offer(argument(one), one.inPlace)) return false;
    for (const Recurrence::Sum &sum : plan_.sums)
      if (!offer(sum.operand(), false)) return false;
    if (points.empty() || speaksOfCounter()) return false;
    std::set<Axis> wholes;
    for (Value value : values) {
      SmallVector<int64_t> numbers;
      size_t rank = isa<TensorType>(value.getType()) ? shapeOf(value.getType()).size() : 0;
      for (size_t axis = 0; axis < rank; ++axis) {
        bool isFirst = isUnit(shapeOf(value.getType())[axis]) || placed.count(leader(value, axis));
        auto found = llvm::find(points, leader(value, axis));
        numbers.push_back(isFirst ? Recurrence::kFirst : found == points.end() ? Recurrence::kWhole : found - points.begin());
        if (numbers.back() == Recurrence::kWhole) wholes.insert(leader(value, axis));
      }
      plan_.axes[value] = std::move(numbers);
    }
    plan_.wholes = static_cast<int64_t>(wholes.size());
    return isStoredByAll(points.size()) && fits(values) && !(plan_.holdsRows && readsUpdated_);
  }

  /// The sums that go over points are added up behind the loop.
  void takeApart(const std::set<Axis> &mixed) {
    for (const Recurrence::Sum &sum : candidates_) {
      Value operand = sum.operand();
      bool isWhole = llvm::all_of(sum.axes(), [&](int64_t axis) {
        return isUnit(shapeOf(operand.getType())[axis]) || mixed.count(leader(operand, axis));
      });
      if (!isWhole || joined_.count(sum.number)) plan_.sums.push_back(sum);
    }
    auto isMadeOfThem = [&](unsigned number) {
      return llvm::any_of(plan_.sums, [&](const Recurrence::Sum &sum) { return sum.number == number; });
    };
    for (const Recurrence::Sum &sum : candidates_)  // those beside it in what they are added up to, too
      if (isMadeOfThem(sum.number) && llvm::none_of(plan_.sums, [&](const Recurrence::Sum &other) { return other.reduce == sum.reduce; })) plan_.sums.push_back(sum);
    for (Recurrence::Carried &one : plan_.carried) one.isSummed = isMadeOfThem(one.number);
    for (Recurrence::Part &part : plan_.updates) part.isSummed = isMadeOfThem(part.number);
  }

  /// What is stored has all points, so that no two lanes store one element.
  bool isStoredByAll(size_t points) {
    auto hasAll = [&](Value value) {
      llvm::ArrayRef<int64_t> numbers = plan_.axes[value];
      return llvm::all_of(llvm::seq<int64_t>(0, points), [&](int64_t point) { return llvm::is_contained(numbers, point); });
    };
    bool areStored = llvm::all_of(plan_.carried, [&](const Recurrence::Carried &one) {
      if (one.isSummed) return !one.inPlace || plan_.written.count(one.number) != 0;
      return (!one.inPlace && loop_.getResult(one.number).use_empty()) || hasAll(argument(one));
    });
    return areStored && llvm::all_of(plan_.sums, [&](const Recurrence::Sum &sum) { return hasAll(sum.operand()); });
  }

  /// What is held of every value at a point has few elements; where run time says how many, if it says so.
  bool fits(ArrayRef<Value> values) {
    constexpr int64_t kMostHeld = 1024;
    for (Value value : values) {
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
  SumWriter sums_;
  std::string counter_;
  Recurrence plan_;
  SmallVector<Value> next_;
  std::vector<Value> values_;  // in the loop, those that are needed
  llvm::EquivalenceClasses<Axis> classes_;
  std::vector<Axis> mixed_, placed_;
  std::vector<Recurrence::Sum> candidates_;
  std::set<unsigned> joined_;  // results that turns add joined arrays of sums to
  bool readsUpdated_ = false;  // a group's lanes would have to wait for each other
};

}  // namespace

std::optional<Recurrence> recurrenceOf(scf::ForOp loop, graph::FuncOp function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return std::nullopt;  // its loops go along rows, many elements at once
  return RecurrenceFinder(loop).run();
}

}  // namespace tessera::transforms
