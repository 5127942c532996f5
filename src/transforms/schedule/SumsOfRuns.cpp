// Strategy "scatter" of floats on GPUs, where the places come in order (SortedPlaces.cpp): the updates of each place are a run. A lane adds up what
// is in 64 updates, of one column, and lanes beside each other the columns of the same updates, so that rows are read whole. A
// run that lies within them it stores; of those with which they begin and end, it leaves the sums to kernels that add up the sums of 32 such
// chunks in the same way, of 32 of those, and then of all, in order. So a place with a million updates takes as long as a million places, and nothing
// depends on how fast anyone is.
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kUpdates = 64;  // of a lane
constexpr int64_t kChunks = 32;   // of which a lane adds up the sums
constexpr int64_t kAtOnce = 4;    // updates that a lane asks for before it adds them up

/// What a kernel adds up.
struct Level {
  Dim count, length;  // of items in all, and for each lane
  Dim updates;        // in an item
  Value from;         // sums of items: their first runs and their last ones; null: items are updates
  Value to;           // likewise of lanes; null: one for all
};

Value dimTimes(Privatiser &privatiser, Value item, const Dim &dim, Location line) { return privatiser.arithmetic("mul", item, privatiser.dim(dim, line), line); }

/// The body of a lane.
class RunWriter {
public:
  RunWriter(OpBuilder &builder, Privatiser &privatiser, graph::ScatterAddOp scatter, const Level &level, Value target)
      : builder_(builder), privatiser_(privatiser), scatter_(scatter), level_(level), target_(target), element_(elementTypeOf(target.getType())),
        line_(unnamed(scatter.getLoc())) {}

  bool write(Indices lane) {
    at_ = std::move(lane);
    chunk_ = at_[scatter_.getAxis()].at;
    Value length = privatiser_.dim(level_.length, line_), count = privatiser_.dim(level_.count, line_);
    Value first = level_.to ? privatiser_.arithmetic("mul", chunk_, length, named("first", line_)) : privatiser_.constantIndex(0, line_);
    Value end = level_.to ? privatiser_.arithmetic("min", privatiser_.arithmetic("add", first, length, line_), count, named("end", line_)) : count;
    begins_ = placeOf(dimTimes(privatiser_, first, level_.updates, line_), "begins");
    if (!begins_) return false;
    const int64_t atOnce = level_.from ? kAtOnce / 2 : kAtOnce;
    Value step = privatiser_.constantIndex(atOnce, line_);
    Value whole = privatiser_.arithmetic("mul", privatiser_.arithmetic("floordiv", privatiser_.arithmetic("sub", end, first, line_), step, line_), step, line_);
    Value last = privatiser_.arithmetic("add", first, whole, named("last", line_));
    State state = loop(first, last, atOnce, {zero(), begins_});
    if (state.sum) state = loop(last, end, 1, state);
    return state.sum && finish(state);
  }

private:
  /// The sum so far of the run of a place.
  struct State {
    Value sum, place;
  };
  struct Item {
    Value place, value;
  };
  Value zero() { return builder_.create<graph::ConstantOp>(line_, element_, builder_.getZeroAttr(element_)); }

  /// `items` of them from i on: all are asked for first.
  State loop(Value first, Value end, int64_t items, State state) {
    auto made = builder_.create<scf::ForOp>(line_, first, end, privatiser_.constantIndex(items, line_), ValueRange{state.sum, state.place});
    made.getInductionVar().setLoc(named("i", line_));
    made.getRegionIterArg(0).setLoc(named("sum", line_));
    made.getRegionIterArg(1).setLoc(named("run", line_));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(made.getBody());
    privatiser_.enter();
    SmallVector<Item> read;
    bool done = true;
    for (int64_t k = 0; k < items && done; ++k)
      done = readItem(privatiser_.arithmetic("add", made.getInductionVar(), privatiser_.constantIndex(k, line_), line_), read);
    State now{made.getRegionIterArg(0), made.getRegionIterArg(1)};
    for (const Item &item : read) now = add(item, now);
    privatiser_.leave();
    if (!done) return {};
    builder_.create<scf::YieldOp>(line_, ValueRange{now.sum, now.place});
    return {made.getResult(0), made.getResult(1)};
  }
  Value placeOf(Value update, StringRef name) {
    Value found = privatiser_.part(scatter_.getPlaces(), {Index(update)});
    return found ? builder_.create<graph::CastOp>(named(name, line_), builder_.getIndexType(), found, StringAttr(), UnitAttr()).getResult() : Value();
  }
  bool readItem(Value i, SmallVectorImpl<Item> &read) {
    if (!level_.from) {
      Indices from(at_);
      from[scatter_.getAxis()] = Index(i);
      read.push_back({placeOf(i, "place"), privatiser_.part(scatter_.getUpdates(), from)});
      return read.back().place && read.back().value;
    }
    // The runs with which an item begins and ends; the sum of the latter is 0 where it is the first.
    Value updates = privatiser_.dim(scatter_.getUpdates().getType().getShape()[scatter_.getAxis()].getDim(), line_), one = privatiser_.constantIndex(1, line_);
    Value begin = dimTimes(privatiser_, i, level_.updates, line_);
    Value behind = privatiser_.arithmetic("min", privatiser_.arithmetic("add", begin, privatiser_.dim(level_.updates, line_), line_), updates, line_);
    Value firstSum = privatiser_.arithmetic("mul", i, privatiser_.constantIndex(2, line_), line_);
    for (auto [update, sum] : {std::pair(begin, firstSum), std::pair(privatiser_.arithmetic("sub", behind, one, line_), privatiser_.arithmetic("add", firstSum, one, line_))}) {
      Indices from(at_);
      from[scatter_.getAxis()] = Index(sum);
      read.push_back({placeOf(update, "place"), privatiser_.loaded(level_.from, from, line_)});
      if (!read.back().place) return false;
    }
    return true;
  }
  State add(const Item &item, State state) {
    Value isNext = privatiser_.arithmetic("ne", item.place, state.place, named("is_next", line_));
    inside(builder_.create<scf::IfOp>(line_, isNext, /*withElse=*/false).thenBlock(), [&] { keep(state); });
    Value before = builder_.create<graph::ElementwiseOp>(line_, element_, "select", ValueRange{isNext, zero(), state.sum});
    return {builder_.create<graph::ElementwiseOp>(named("sum", line_), element_, "add", ValueRange{before, item.value}), item.place};
  }
  void inside(Block *block, llvm::function_ref<void()> body) {
    privatiser_.within(block, [&] { return body(), true; });
  }
  void store(Value value, Value memory, Value place, bool isInside) {
    Indices indices(at_);
    indices[scatter_.getAxis()] = Index(place);
    PartAccess to(builder_, shapeOf(memory.getType()), indices, line_);
    SmallVector<bool> inBounds(to.inBounds.asArrayRef());
    inBounds[scatter_.getAxis()] = isInside;
    builder_.create<graph::StoreOp>(line_, value, memory, to.offsets, to.points, to.sizes, to.steps, builder_.getDenseBoolArrayAttr(inBounds), /*once=*/false);
  }
  Value sumOf(int64_t which) {
    Value first = privatiser_.arithmetic("mul", chunk_, privatiser_.constantIndex(2, line_), line_);
    return privatiser_.arithmetic("add", first, privatiser_.constantIndex(which, line_), line_);
  }
  /// Where another run follows: it is the first one, which may have begun before, or it lies within. Its place is inside, as one behind it is larger.
  void keep(const State &run) {
    if (!level_.to) return store(run.sum, target_, run.place, true);
    auto isFirst = builder_.create<scf::IfOp>(line_, privatiser_.arithmetic("eq", run.place, begins_, line_), /*withElse=*/true);
    inside(isFirst.thenBlock(), [&] { store(run.sum, level_.to, sumOf(0), true); });
    inside(isFirst.elseBlock(), [&] { store(run.sum, target_, run.place, true); });
  }
  bool finish(const State &run) {
    if (!level_.to) return store(run.sum, target_, run.place, false), true;
    auto isFirst = builder_.create<scf::IfOp>(line_, privatiser_.arithmetic("eq", run.place, begins_, line_), /*withElse=*/true);
    inside(isFirst.thenBlock(), [&] {
      store(run.sum, level_.to, sumOf(0), true);
      store(zero(), level_.to, sumOf(1), true);
    });
    inside(isFirst.elseBlock(), [&] { store(run.sum, level_.to, sumOf(1), true); });
    return true;
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  graph::ScatterAddOp scatter_;
  const Level &level_;
  Value target_;
  Type element_;
  Location line_;
  Indices at_;
  Value chunk_, begins_;
};

}  // namespace

/// Sums of runs, of one level. `zeros`: what the result is until then; `from` and `to`: of `Level`, as values of the function.
LogicalResult FunctionScheduler::runsKernel(graph::ScatterAddOp scatter, Value target, const RunLevel &runs) {
  MLIRContext *context = builder_.getContext();
  Location line = unnamed(scatter.getLoc());
  SmallVector<DimAttr> lanes(scatter.getType().getShape());
  Dim chunks = runs.to ? Dim::ceilDiv(runs.count, runs.length) : Dim::min(Dim(1), runs.count);
  lanes[scatter.getAxis()] = DimAttr::get(context, chunks);
  SmallVector<Value> reads{scatter.getPlaces(), runs.zeros};
  reads.push_back(runs.from ? runs.from : scatter.getUpdates());
  SmallVector<Stored> others;
  if (runs.to) others.push_back({runs.to, leaves_.lookup(runs.to)});
  std::string reason = !runs.from  ? "runs: a lane adds up what is in its updates, a place after the other; where it begins and ends, another kernel goes on"
                       : runs.to ? "runs: sums of the first and the last places of lanes, a place after the other"
                                 : "runs: what is left, in order";
  GridAttr grid = gridOfLanes(context, lanes);
  if (runs.to) leaves_.erase(runs.to);  // not read
  Kernel kernel = beginKernel(scatter.getResult(), grid, target, {reason}, true, {}, schedule::KernelOp::getOperationName(), ValueRange(reads), others);
  Lane own = beginLane(kernel, lanes, line, "lane");
  OpBuilder &builder = own.builder;
  Privatiser privatiser(builder, kernel.leaves);
  Indices lane = privatiser.delinearize(own.number, lanes, line, /*naming=*/true);
  if (Value chunk = lane[scatter.getAxis()].at; chunk != own.number) chunk.setLoc(named("chunk", line));
  Level level{runs.count, runs.length, runs.updates, runs.from ? kernel.leaves.lookup(runs.from) : Value(), runs.to ? kernel.others.front() : Value()};
  if (!RunWriter(builder, privatiser, scatter, level, kernel.target).write(std::move(lane))) return failure();
  endLane(kernel, line);
  return success();
}

LogicalResult FunctionScheduler::sumsOfRuns(graph::ScatterAddOp scatter, Value target) {
  MLIRContext *context = builder_.getContext();
  Location line = unnamed(scatter.getLoc());
  Type element = scatter.getType().getElementType();
  FailureOr<graph::FullOp> zeros = storeZeros(scatter, target);
  if (failed(zeros)) return failure();
  OpBuilder before(scatter);
  RunLevel level{scatter.getUpdates().getType().getShape()[scatter.getAxis()].getDim(), Dim(kUpdates), Dim(1), *zeros, {}, {}};
  for (int64_t length : {kUpdates, kChunks, kChunks}) {
    level.length = Dim(length);
    Dim chunks = Dim::ceilDiv(level.count, level.length);
    if (chunks.isConstant() && chunks.constant() <= 1) break;
    SmallVector<DimAttr> shape(scatter.getType().getShape());
    shape[scatter.getAxis()] = DimAttr::get(context, chunks * Dim(2));
    level.to = before.create<graph::FullOp>(named("ends", line), TensorType::get(context, shape, element), zeros->getOperand());
    Value memory = launchOp<schedule::TempOp>(named("ends", line), ViewType::get(context, shape, element));
    leaves_[level.to] = memory;
    if (failed(runsKernel(scatter, target, level))) return failure();
    leaves_[level.to] = memory;
    level = {chunks, Dim(1), level.updates * Dim(length), *zeros, level.to, {}};
  }
  level.to = {};
  return runsKernel(scatter, target, level);
}

}  // namespace tessera::transforms
