// Strategy "recurrence": a lane has a point and runs all turns of a loop for it. What turns leave to each other stays in registers, and
// is read from memory and stored once.
#include "ir/schedule/OneElement.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Recurrence.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kRecurrenceGroup = 128, kFewestPoints = 8;  // lanes, where a group has points together
constexpr int64_t kRecurrenceLanes = 64;  // where each has a point: a few thousand of them are to find all processors

class RecurrenceWriter {
public:
  RecurrenceWriter(OpBuilder &builder, Privatiser &privatiser, const Recurrence &plan, Indices points)
      : builder_(builder), privatiser_(privatiser), plan_(plan), points_(std::move(points)), loop_(plan.loop), line_(unnamed(plan.loop->getLoc())) {}

  /// `write` stores an element of a loop's result. Null after a diagnostic.
  scf::ForOp run(llvm::function_ref<void(unsigned result, Value piece, const Indices &at)> write) {
    SmallVector<Value> starts, bounds;
    for (const Slot &slot : slots())
      if (!starts.emplace_back(startOf(slot))) return {};
    for (Value bound : {loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep()})
      if (!bounds.emplace_back(privatiser_.part(bound, {}))) return {};
    if (!readBefore()) return {};
    auto made = builder_.create<scf::ForOp>(line_, bounds[0], bounds[1], bounds[2], starts);
    made.getInductionVar().setLoc(named(cast<StringAttr>(words()[1]).getValue(), line_));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(made.getBody());
    privatiser_.enter();
    SmallVector<Value> next;
    bool isWritten = giveTurn(made) && readInTurn() && writeUpdates(write);
    for (auto [i, slot] : llvm::enumerate(slots()))
      if (isWritten) isWritten = static_cast<bool>(next.emplace_back(nextOf(slot, made.getRegionIterArg(i))));
    privatiser_.leave();
    if (!isWritten) return {};
    if (!next.empty()) builder_.create<scf::YieldOp>(line_, next);
    builder_.setInsertionPointAfter(made);
    for (auto [slot, left] : llvm::zip(slots(), made.getResults())) {
      if (slot.sum) writeTerms(*slot.sum, left, {}, write);
      else write(slot.carried->number, left, at(argument(*slot.carried)));
    }
    return made;
  }

  /// Where an element of a value in the loop is, for this lane's point; 0 along what updates place.
  Indices at(Value value) {
    Indices indices;
    auto found = plan_.axes.find(value);
    if (found == plan_.axes.end()) return indices;
    for (int64_t point : found->second)
      indices.push_back(point == Recurrence::kWhole ? Index() : point == Recurrence::kFirst ? Index(privatiser_.constantIndex(0, line_)) : points_[point]);
    return indices;
  }

private:
  using Write = llvm::function_ref<void(unsigned, Value, const Indices &)>;
  /// What the kernel's loop carries: a value, or the terms of a sum.
  struct Slot {
    const Recurrence::Carried *carried;
    const Recurrence::Sum *sum;
  };
  SmallVector<Slot> slots() {
    SmallVector<Slot> slots;
    for (const Recurrence::Carried &one : plan_.carried) {
      if (one.inPlace) continue;
      if (!one.isSummed) slots.push_back({&one, nullptr});
      for (const Recurrence::Sum &sum : plan_.sums)
        if (sum.number == one.number) slots.push_back({&one, &sum});
    }
    return slots;
  }
  Value startOf(const Slot &slot) {
    if (!slot.sum) return privatiser_.part(loop_.getInitArgs()[slot.carried->number], at(argument(*slot.carried)));
    Value operand = slot.sum->operand();
    Type type = privatiser_.partType(operand.getType(), at(operand));
    Value zero = privatiser_.zeroOf(elementTypeOf(type), line_);
    return isa<TensorType>(type) ? builder_.create<graph::FullOp>(line_, type, zero).getResult() : zero;
  }
  Value nextOf(const Slot &slot, Value now) {
    if (!slot.sum) return privatiser_.part(loop_.getYieldedValues()[slot.carried->number], at(argument(*slot.carried)));
    Value operand = slot.sum->operand(), term = privatiser_.part(operand, at(operand));
    return term ? builder_.create<graph::ElementwiseOp>(slot.sum->line(), term.getType(), "add", ValueRange{now, term}).getResult() : Value();
  }

  /// The terms of a sum at this lane's point, or of its group's, which adds up along what it holds whole. `starts`: where updates place them.
  void writeTerms(const Recurrence::Sum &sum, Value piece, ArrayRef<Value> starts, Write write) {
    Value operand = sum.operand();
    Indices own = at(operand), indices;
    SmallVector<int64_t> here;
    SmallVector<DimAttr> left;
    for (size_t axis = 0; axis < own.size(); ++axis) {
      bool isHere = own[axis].isWhole() && llvm::is_contained(sum.axes(), static_cast<int64_t>(axis));
      if (isHere) here.push_back(positionOf(own, axis));
      else if (!own[axis].isPoint()) left.push_back(shapeOf(piece.getType())[positionOf(own, axis)]);
    }
    if (!here.empty()) {
      Type type = elementTypeOf(piece.getType());
      if (!left.empty()) type = TensorType::get(builder_.getContext(), left, type);
      piece = builder_.create<graph::ReduceOp>(sum.line(), type, "sum", piece, here);
    }
    Terms terms = termsOf(plan_, sum);
    const Value *start = starts.begin();
    for (int64_t from : terms.from) indices.push_back(from < 0 ? Index(*start++) : own[from]);
    write(loop_.getNumResults() + (&sum - plan_.sums.data()), piece, indices);
  }

  ArrayAttr words() { return loop_->getAttrOfType<ArrayAttr>(kLoop); }
  Value argument(const Recurrence::Carried &one) { return loop_.getRegionIterArgs()[one.number]; }

  /// What is the same in all turns: elements of arrays from before the loop that are read at this lane's point.
  bool readBefore() {
    bool isRight = true;
    loop_.getBody()->walk([&](Operation *op) {
      if (!isa<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp>(op) || !plan_.axes.count(op->getResult(0))) return;
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        bool isOlder = isa<TensorType>(operand.getType()) && operand.getParentBlock() != loop_.getBody();
        if (!isRight || !isOlder) continue;
        Indices indices, own = at(op->getResult(0));
        auto broadcast = dyn_cast<graph::BroadcastOp>(op);
        for (auto [axis, extent] : llvm::enumerate(shapeOf(operand.getType())))
          indices.push_back(isUnit(extent) ? Index(privatiser_.constantIndex(0, line_)) : own[broadcast ? broadcast.getAxes()[axis] : axis]);
        bool isPlaced = !broadcast && llvm::is_contained(plan_.axes.lookup(op->getResult(0)), Recurrence::kFirst);  // by updates, maybe
        if (!isPlaced) isRight = static_cast<bool>(privatiser_.part(operand, indices));
      }
    });
    return isRight;
  }

  /// What a turn reads of arrays from before the loop is asked for first: the turn then waits for memory once.
  bool readInTurn() {
    return llvm::all_of(loop_.getBody()->getOps<graph::SliceOp>(), [&](graph::SliceOp slice) {
      bool isOlder = slice.getBase().getParentBlock() != loop_.getBody();
      return !isOlder || !plan_.axes.count(slice) || privatiser_.part(slice, at(slice));
    });
  }

  /// In the turn, the counter is the kernel's, and what was carried is at hand.
  bool giveTurn(scf::ForOp made) {
    for (auto [slot, carried] : llvm::zip(slots(), made.getRegionIterArgs())) {
      carried.setLoc(argument(*slot.carried).getLoc());
      if (!slot.sum) privatiser_.give(argument(*slot.carried), carried);
    }
    const std::string counter = cast<StringAttr>(words()[1]).str();
    for (auto dim : loop_.getBody()->getOps<graph::DimOp>()) {
      std::set<std::string> names;
      dim.getDim().getDim().collectVars(names);
      if (!names.count(counter)) continue;
      Value value = counted(dim, counter, made.getInductionVar());
      if (!value) return false;
      privatiser_.give(dim.getResult(), value);
    }
    return true;
  }

  /// What sizes and the counter add up to. Null after a diagnostic.
  Value counted(graph::DimOp op, const std::string &counter, Value now) {
    Dim dim = op.getDim().getDim(), first = dim.substitute({{counter, Dim(0)}}), step = dim.substitute({{counter, Dim(1)}}) - first;
    if (!step.isConstant() || !(dim == first + step * Dim::var(counter))) return op.emitError("a place that the turns of a loop do not count evenly"), Value();
    Value moved = step.constant() == 1 ? now : privatiser_.arithmetic("mul", now, privatiser_.constantIndex(step.constant(), line_), line_);
    return first == Dim(0) ? moved : privatiser_.arithmetic("add", privatiser_.dim(first, line_), moved, line_);
  }

  bool writeUpdates(Write write) {
    for (auto [place, part] : llvm::enumerate(plan_.updates)) {
      const Update &update = part.update;
      for (Operation *user : update.old.getUsers())  // what was there before
        if (isa<graph::SliceOp>(user) && plan_.axes.count(user->getResult(0)) && !privatiser_.part(user->getResult(0), at(user->getResult(0)))) return false;
      Indices indices = at(update.old);
      SmallVector<Value> starts;
      for (auto [axis, start] : llvm::enumerate(update.starts)) {
        Value from = start ? privatiser_.part(start, {}) : Value();
        if (from && !from.getType().isIndex()) from = builder_.create<graph::CastOp>(line_, builder_.getIndexType(), from, StringAttr(), UnitAttr());
        if (start && !from) return false;
        if (from) starts.push_back(from);
        if (from && !part.isSummed) indices[axis].at = from;
      }
      for (const Recurrence::Sum &sum : plan_.sums) {
        if (sum.update != static_cast<int64_t>(place)) continue;
        Value terms = privatiser_.part(sum.operand(), at(sum.operand()));
        if (!terms) return false;
        writeTerms(sum, terms, starts, write);
      }
      if (part.isSummed) continue;
      Value piece = privatiser_.part(update.value, indices);
      if (!piece) return false;
      write(part.number, piece, indices);
    }
    return true;
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  const Recurrence &plan_;
  Indices points_;
  scf::ForOp loop_;
  Location line_;
};

}  // namespace

/// The memory of what the loop leaves, by the number of its result.
FailureOr<FunctionScheduler::ByResult> FunctionScheduler::memoryOfRecurrence(const Recurrence &plan) {
  scf::ForOp loop = plan.loop;
  ByResult memory;
  for (const Recurrence::Carried &one : plan.carried) {
    Value result = loop.getResult(one.number), init = loop.getInitArgs()[one.number];
    bool takesOver = one.inPlace && isListed(loop, kTakesOver, one.number);
    if (takesOver && failed(settle(init, loop))) return failure();
    if (!one.inPlace && result.use_empty()) continue;
    StringRef hint = nameHint(loop.getRegionIterArgs()[one.number]);
    bool isBuffer = one.inPlace && !results_.count(result);
    memory.emplace_back(one.number, takesOver ? leaves_.lookup(init) : isBuffer ? bufferFor(result.getType(), hint.empty() ? "carried" : hint, loop->getLoc()) : memoryFor(result));
  }
  return memory;
}

/// Whether facts say that a dimension which is held whole is small enough.
static bool isKnownToFit(const std::string &name, graph::FuncOp function) {
  std::optional<int64_t> greatest = greatestOf(name, function.getRequirements());
  return greatest && *greatest <= Recurrence::kMostOfDimension;
}

/// One kernel, where the dimensions that it holds whole are small enough; else the entry function runs the loop.
LogicalResult FunctionScheduler::launchRecurrence(const Recurrence &plan) {
  scf::ForOp loop = plan.loop;
  FailureOr<ByResult> memory = memoryOfRecurrence(plan);
  if (failed(memory)) return failure();
  if (memory->empty()) return eraseScratch(plan.scratch), success();  // nothing that it makes is used
  MLIRContext *context = builder_.getContext();
  SmallVector<Attribute> facts, asked;
  for (const std::string &name : plan.bounded) {
    DimAttr most = DimAttr::get(context, Dim(Recurrence::kMostOfDimension));
    facts.push_back(RequirementAttr::get(context, DimAttr::get(context, Dim::var(name)), Relation::Le, most, ""));
    if (!isKnownToFit(name, function_)) asked.push_back(facts.back());
  }
  Attribute fits = asked.empty() ? Attribute() : asked.front();
  if (asked.size() > 1) {
    asked.insert(asked.begin(), builder_.getStringAttr("and"));
    fits = builder_.getArrayAttr(asked);
  }
  // What one of them computes, the other and what follows do not have.
  auto leaves = leaves_;
  auto roots = roots_;
  if (fits) when_.push_back(fits);
  const ByResult written = memoryWithTerms(plan, *memory);
  if (failed(recurrenceKernel(plan, written, facts)) || failed(addUpTerms(plan, *memory, written))) return failure();
  eraseScratch(plan.scratch);
  leaves_ = leaves;
  roots_ = roots;
  if (fits) {
    when_.back() = negated(fits);
    for (auto [number, held] : *memory)
      if (!isListed(loop, kTakesOver, number)) results_[loop.getResult(number)] = held;
    if (failed(launchLoop(loop))) return failure();
    for (auto [number, held] : *memory)
      if (leaves_.lookup(loop.getResult(number)) != held && failed(laneKernel(loop.getResult(number), held, false))) return failure();
    when_.pop_back();
    for (auto [number, held] : *memory) results_.erase(loop.getResult(number));
    leaves_ = std::move(leaves);
    roots_ = std::move(roots);
  }
  for (auto [number, held] : *memory) isHeld({loop.getResult(number), held});
  return success();
}

/// What turns are made of: what the kernel reads.
static SmallVector<Value> readByTurns(const Recurrence &plan) {
  scf::ForOp loop = plan.loop;
  SmallVector<Value> reads{loop.getLowerBound(), loop.getUpperBound()};
  for (const Recurrence::Carried &one : plan.carried)
    if (!one.inPlace && !one.isSummed) reads.append({loop.getInitArgs()[one.number], loop.getYieldedValues()[one.number]});
  for (const Recurrence::Sum &sum : plan.sums) reads.push_back(sum.operand());
  for (const Recurrence::Part &part : plan.updates) {
    if (!part.isSummed) reads.push_back(part.update.value);
    llvm::copy_if(part.update.starts, std::back_inserter(reads), [](Value start) { return static_cast<bool>(start); });
  }
  return reads;
}

namespace {

/// How the points are shared out: one a lane, or several together a group.
struct PointsOfKernel {
  explicit PointsOfKernel(const Recurrence &plan) : byLane(!plan.holdsRows), counts(plan.points) {
    if (!byLane) together = std::max<int64_t>(kFewestPoints, kRecurrenceGroup / static_cast<int64_t>(llvm::PowerOf2Ceil(plan.held)));
    counts.back() = DimAttr::get(counts.back().getContext(), Dim::ceilDiv(counts.back().getDim(), Dim(together)));
    for (DimAttr each : counts) count = count * each.getDim();
  }
  GridAttr grid() const {
    MLIRContext *context = counts.back().getContext();
    return GridAttr::get(context, byLane ? GridKind::Lanes : GridKind::Explicit, DimAttr::get(context, count), -1);
  }
  const char *reason() const {
    return byLane ? "recurrence: a lane runs all turns of the loop for an element; what they leave to each other stays in registers"
                  : "recurrence: a group runs all turns of the loop for its rows; what they leave to each other stays in registers";
  }

  bool byLane;
  int64_t together = 1;
  SmallVector<DimAttr> counts;  // of lanes or groups along each axis of the points
  Dim count = Dim(1);
};

}  // namespace

/// The kernel without a body; `facts`: about dimensions that it holds whole.
FunctionScheduler::Kernel FunctionScheduler::beginRecurrence(const Recurrence &plan, const ByResult &memory, ArrayRef<Attribute> facts) {
  scf::ForOp loop = plan.loop;
  const PointsOfKernel points(plan);
  SmallVector<Stored> others;
  auto resultOf = [&](unsigned number) { return loop.getResult(number < loop.getNumResults() ? number : plan.sums[number - loop.getNumResults()].number); };
  for (auto [number, held] : ArrayRef(memory).drop_back()) others.emplace_back(resultOf(number), held);
  auto [last, target] = memory.back();
  Kernel kernel = beginKernel(resultOf(last), points.grid(), target, {points.reason()}, points.byLane, {}, schedule::KernelOp::getOperationName(),
                              readByTurns(plan), others, {{}, /*asHeld=*/true});
  if (points.byLane) markOneElement(kernel.op);
  kernel.op->setAttr("group", builder_.getI64IntegerAttr(points.byLane ? kRecurrenceLanes : kRecurrenceGroup));
  NamedAttrList capacity;
  for (const std::string &name : plan.bounded) capacity.set(name, builder_.getDenseI64ArrayAttr({16, Recurrence::kMostOfDimension}));
  if (!capacity.empty()) kernel.op->setAttr("capacity", capacity.getDictionary(builder_.getContext()));
  SmallVector<Attribute> requirements(function_.getRequirementsAttr().begin(), function_.getRequirementsAttr().end());
  requirements.append(facts.begin(), facts.end());
  kernel.op->setAttr("requirements", builder_.getArrayAttr(requirements));
  return kernel;
}

LogicalResult FunctionScheduler::recurrenceKernel(const Recurrence &plan, const ByResult &memory, ArrayRef<Attribute> facts) {
  scf::ForOp loop = plan.loop;
  for (auto [number, held] : memory) {
    if (number >= loop.getNumResults()) continue;  // terms of a sum
    bool inPlace = isListed(loop, kInPlace, number);
    bool starts = inPlace && !isListed(loop, kTakesOver, number) && !plan.written.count(number);
    if (starts && failed(startFrom(loop.getInitArgs()[number], held))) return failure();
    if (inPlace) leaves_[loop.getRegionIterArgs()[number]] = held;
  }
  for (const Recurrence::Part &part : plan.updates)
    if (!part.isSummed) leaves_[part.op->getResult(0)] = leaves_.lookup(part.update.old);
  Kernel kernel = beginRecurrence(plan, memory, facts);
  llvm::DenseMap<unsigned, Value> views{{memory.back().first, kernel.target}};
  for (auto [held, view] : llvm::zip(ArrayRef(memory).drop_back(), kernel.others)) views[held.first] = view;

  const PointsOfKernel shared(plan);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Location place = unnamed(loop->getLoc());
  Value i = builder.create<graph::QueryOp>(named(shared.byLane ? "i" : "point", place), builder.getIndexType(), shared.byLane ? "linear_id" : "group_id", 0);
  scf::IfOp guard;
  if (shared.byLane) {
    Privatiser outer(builder, kernel.leaves);
    guard = builder.create<scf::IfOp>(place, outer.arithmetic("lt", i, outer.dim(shared.count, place), place), /*withElse=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  Privatiser privatiser(builder, kernel.leaves);
  Indices points = privatiser.delinearize(i, shared.counts, place, /*naming=*/true);
  if (!shared.byLane) {
    Value first = privatiser.arithmetic("mul", points.back().at, privatiser.constantIndex(shared.together, place), named("first", place));
    points.back() = Index(first, DimAttr::get(builder_.getContext(), Dim(shared.together)));
  }
  RecurrenceWriter writer(builder, privatiser, plan, points);
  auto write = [&](unsigned result, Value piece, const Indices &at) {
    if (views.count(result)) store(builder, piece, views.lookup(result), at, shared.byLane, place);
  };
  if (!writer.run(write)) return failure();
  if (guard) builder.setInsertionPointAfter(guard);
  builder.create<schedule::KernelEndOp>(place);
  return success();
}

/// Whether one kernel runs the loop for all sizes. What that reads from before the loop lies in memory, where it is not made element by
/// element of what does.
bool FunctionScheduler::findRecurrence(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<Recurrence> found = loop ? recurrenceOf(loop, function_) : std::nullopt;
  if (!found) return false;
  const Recurrence &plan = recurrences_.try_emplace(op, std::move(*found)).first->second;
  auto mark = [&](Value value) {
    if (!isa<TensorType>(value.getType()) || value.getParentBlock() == loop.getBody()) return;
    markIf(readsMemory(value) && (!isMadeByElements(value) || holds(value, isDear)), value);
  };
  for (const Recurrence::Carried &one : plan.carried) {
    Value init = loop.getInitArgs()[one.number];
    if (one.inPlace) markIf(!init.hasOneUse() && init.getDefiningOp() && readsMemory(init), init);
    else mark(init);
  }
  loop.getBody()->walk([&](Operation *each) { llvm::for_each(each->getOperands(), mark); });
  for (Value result : loop.getResults())
    if (isa<TensorType>(result.getType())) roots_.insert(result);
  return llvm::all_of(plan.bounded, [&](const std::string &name) { return isKnownToFit(name, function_); });
}

}  // namespace tessera::transforms
