// Strategy "scatter": sums of what has the same place of an axis. Who owns an element of the result goes through all
// places in their order and adds what belongs to it: no atomics, the same bits always. On GPUs that is so where places differ along several
// axes; others are sorted first (SortedPlaces.cpp).
#include "ir/tile/Tile.h"
#include "support/Check.h"
#include "support/Machine.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

// Places of numbers, without columns, for each of which a group goes through all updates.
constexpr int64_t kFewPlaces = 16;
// Places of a row that a lane of a GPU reads at once, and passes by where it owns none: each takes as long as a cache does.
constexpr int64_t kPassedAtOnce = 16;
// Parts of the axis on a CPU, each of which goes through all places: some for each core, fewer where adding is cheap.
constexpr int64_t kPartsOnCpu = 64, kPartsOfNumbers = 16;

/// How the result is divided: lanes own a range of `owned` elements along the axis, and along the axes of `looped` everything.
struct Division {
  std::optional<Dim> owned;    // none: a lane has an index of its own along the axis
  SmallVector<DimAttr> lanes;  // for each axis of the result; along the axis: its ranges, the last ones may lie outside
  SmallVector<int64_t> looped;
};

Division divide(graph::ScatterAddOp scatter, bool onCpu) {
  MLIRContext *context = scatter.getContext();
  int64_t axis = scatter.getAxis();
  Division out;
  out.lanes.assign(scatter.getType().getShape().begin(), scatter.getType().getShape().end());
  Dim extent = out.lanes[axis].getDim();
  if (onCpu) {
    for (int64_t i = 0; i < static_cast<int64_t>(out.lanes.size()); ++i)
      if (!llvm::is_contained(scatter.getAxes(), i) && !isUnit(out.lanes[i])) out.looped.push_back(i);
    int64_t parts = out.looped.empty() ? kPartsOfNumbers : kPartsOnCpu;
    for (int64_t i : out.looped) out.lanes[i] = DimAttr::get(context, Dim(1));
    out.owned = Dim::ceilDiv(extent, Dim(parts));
    out.lanes[axis] = DimAttr::get(context, Dim(parts));
  }
  return out;
}

Value zeroOf(Type type, OpBuilder &builder, Location loc) {
  TypedAttr zero = builder.getZeroAttr(type);
  TSR_CHECK(zero, "a dtype of sums without a 0");
  return builder.create<graph::ConstantOp>(loc, type, zero);
}

/// Writes the body of one lane.
class ScatterWriter {
public:
  ScatterWriter(OpBuilder &builder, Privatiser &privatiser, graph::ScatterAddOp scatter, const Division &division, Value target)
      : builder_(builder), privatiser_(privatiser), scatter_(scatter), division_(division), target_(target), line_(unnamed(scatter.getLoc())) {}

  bool write(Indices lane) {
    at_ = std::move(lane);
    size_t axis = scatter_.getAxis();
    Dim extent = scatter_.getType().getShape()[axis].getDim();
    if (!division_.owned) {
      Value place = at_[axis].at;
      zero(place);
      return pass([&](Value found) { return privatiser_.arithmetic("eq", found, place, line_); });
    }
    Value owned = privatiser_.dim(*division_.owned, line_);
    Value first = privatiser_.arithmetic("mul", at_[axis].at, owned, named("first", line_));
    Value reached = privatiser_.arithmetic("add", first, owned, line_);
    Value end = privatiser_.arithmetic("min", reached, privatiser_.dim(extent, line_), named("end", line_));
    loop(first, end, "r", [&](Value place) { return zero(place); });
    auto isOwned = [&](Value found) { return isBetween(found, first, end); };
    return pass(isOwned);
  }

private:
  using Body = llvm::function_ref<bool(Value)>;
  bool loop(Value begin, Value end, StringRef name, Body body) {
    auto loop = builder_.create<scf::ForOp>(line_, begin, end, privatiser_.constantIndex(1, line_));
    loop.getInductionVar().setLoc(named(name, line_));
    return privatiser_.within(loop.getBody(), [&] { return body(loop.getInductionVar()); });
  }
  /// What the lane owns at a place: an element, or all along the axes that it loops over.
  bool elements(Value place, llvm::function_ref<bool(const Indices &)> body, size_t next = 0) {
    if (next == division_.looped.size()) {
      Indices indices(at_);
      indices[scatter_.getAxis()] = place;
      return body(indices);
    }
    int64_t axis = division_.looped[next];
    Value extent = privatiser_.dim(scatter_.getType().getShape()[axis].getDim(), line_);
    std::string name = division_.looped.size() == 1 ? "col" : "i" + std::to_string(axis);
    return loop(privatiser_.constantIndex(0, line_), extent, name, [&](Value index) {
      at_[axis] = index;
      return elements(place, body, next + 1);
    });
  }
  bool zero(Value place) {
    return elements(place, [&](const Indices &indices) {
      store(zeroOf(elementTypeOf(target_.getType()), builder_, line_), indices);
      return true;
    });
  }
  using Owned = llvm::function_ref<Value(Value)>;
  Value isBetween(Value found, Value first, Value end) {
    Value notBefore = privatiser_.arithmetic("ge", found, first, line_), notBehind = privatiser_.arithmetic("lt", found, end, line_);
    return privatiser_.arithmetic("and", notBefore, notBehind, line_);
  }
  /// Goes through the places, and adds where `isOwned` says that the lane owns them.
  bool pass(Owned isOwned) {
    Value count = privatiser_.dim(scatter_.getUpdates().getType().getShape()[scatter_.getAxis()].getDim(), line_);
    Value zero = privatiser_.constantIndex(0, line_);
    if (division_.owned) return addOwned(zero, count, isOwned);
    auto loop = builder_.create<scf::ForOp>(line_, zero, count, privatiser_.constantIndex(kPassedAtOnce, line_));
    loop.getInductionVar().setLoc(named("next", line_));
    return privatiser_.within(loop.getBody(), [&] {
      Value next = loop.getInductionVar(), behind = privatiser_.arithmetic("add", next, privatiser_.constantIndex(kPassedAtOnce, line_), line_);
      Value last = privatiser_.arithmetic("min", behind, count, named("last", line_));
      Value any = ownsAny(next, last, isOwned);
      if (!any) return false;
      auto found = builder_.create<scf::IfOp>(line_, any, /*withElse=*/false);
      return privatiser_.within(found.thenBlock(), [&] { return addOwned(next, last, isOwned); });
    });
  }
  /// The place to which update `p` goes.
  Value placeOf(Value p) {
    Indices where;
    for (int64_t along : scatter_.getAxes()) where.push_back(along == static_cast<int64_t>(scatter_.getAxis()) ? Index(p) : at_[along]);
    Value found = privatiser_.part(scatter_.getPlaces(), where);
    return found ? builder_.create<graph::CastOp>(named("place", line_), builder_.getIndexType(), found, StringAttr(), UnitAttr()) : Value();
  }
  /// Whether a place from `first` to `last` is owned. Nothing is written meanwhile: they are read together.
  Value ownsAny(Value first, Value last, Owned isOwned) {
    Value none = builder_.create<graph::ConstantOp>(line_, builder_.getI1Type(), builder_.getBoolAttr(false));
    auto loop = builder_.create<scf::ForOp>(line_, first, last, privatiser_.constantIndex(1, line_), ValueRange{none});
    loop.getInductionVar().setLoc(named("p", line_));
    loop.getRegionIterArg(0).setLoc(named("any", line_));
    loop->setAttr(tile::kUnrolled, builder_.getI64IntegerAttr(kPassedAtOnce));
    bool done = privatiser_.within(loop.getBody(), [&] {
      Value place = placeOf(loop.getInductionVar());
      if (!place) return false;
      Value any = builder_.create<graph::ElementwiseOp>(line_, none.getType(), "or", ValueRange{loop.getRegionIterArg(0), isOwned(place)});
      builder_.create<scf::YieldOp>(line_, any);
      return true;
    });
    return done ? loop.getResult(0) : Value();
  }
  bool addOwned(Value first, Value last, Owned isOwned) {
    return loop(first, last, "p", [&](Value p) { return addAt(p, isOwned); });
  }
  bool addAt(Value p, Owned isOwned) {
    Value place = placeOf(p);
    if (!place) return false;
    auto owned = builder_.create<scf::IfOp>(line_, isOwned(place), /*withElse=*/false);
    return privatiser_.within(owned.thenBlock(), [&] { return elements(place, [&](const Indices &to) { return add(p, to); }); });
  }
  bool add(Value p, const Indices &to) {
    Indices from(to);
    from[scatter_.getAxis()] = p;
    Value update = privatiser_.part(scatter_.getUpdates(), from);
    if (!update) return false;
    PartAccess at(builder_, shapeOf(target_.getType()), to, line_);
    Value sum = builder_.create<graph::LoadOp>(line_, update.getType(), target_, at.offsets, at.points, at.sizes, at.steps, at.inBounds, Value());
    store(builder_.create<graph::ElementwiseOp>(line_, update.getType(), "add", ValueRange{sum, update}), to);
    return true;
  }
  void store(Value value, const Indices &indices) {
    PartAccess at(builder_, shapeOf(target_.getType()), indices, line_);
    builder_.create<graph::StoreOp>(line_, value, target_, at.offsets, at.points, at.sizes, at.steps, at.inBounds, /*once=*/false);
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  graph::ScatterAddOp scatter_;
  const Division &division_;
  Value target_;
  Location line_;
  Indices at_;
};

}  // namespace

LogicalResult FunctionScheduler::scatterKernel(graph::ScatterAddOp scatter, Value target) {
  if (addsByAtomics(scatter)) return atomicScatterKernel(scatter, target);
  if (scatter.getSorted()) return sumsOfRuns(scatter, target);
  Location loc = scatter.getLoc(), place = unnamed(loc);
  const Machine *machine = machineOf(function_);
  bool onCpu = !machine || machine->family == Target::Cpu;
  Division division = divide(scatter, onCpu);
  Dim count(1);
  for (DimAttr lanes : division.lanes) count = count * lanes.getDim();
  GridAttr grid = GridAttr::get(builder_.getContext(), GridKind::Lanes, DimAttr::get(builder_.getContext(), count), -1);
  std::string owned = division.owned && division.owned->isConstant() ? division.owned->str() + " places" : "a range";
  std::string reason = division.owned ? "a lane owns " + owned + " of the axis, and goes through all places in order"
                                      : "one lane an element of the result; it goes through all places in order";
  Kernel kernel = beginKernel(scatter.getResult(), grid, target, {reason}, true, {});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Value i = builder.create<graph::QueryOp>(named("i", place), builder.getIndexType(), "linear_id", 0);
  Privatiser privatiser(builder, kernel.leaves);
  if (!onCpu) {  // groups of lanes reach over the end; turns of a loop do not
    Value isInside = privatiser.arithmetic("lt", i, privatiser.dim(count, place), place);
    builder.setInsertionPointToStart(builder.create<scf::IfOp>(place, isInside, /*withElse=*/false).thenBlock());
  }
  Indices lane = privatiser.delinearize(i, division.lanes, place, /*naming=*/true);
  if (!ScatterWriter(builder, privatiser, scatter, division, kernel.target).write(std::move(lane))) return failure();
  builder.setInsertionPointToEnd(&kernel.op->getRegion(0).front());
  builder.create<schedule::KernelEndOp>(place);
  return success();
}

/// sum over p of select(places[p] == v, updates[p], 0), which many lanes add up for each v.
void expandVectorScatters(Operation *function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return;
  SmallVector<graph::ScatterAddOp> scatters;
  function->walk([&](graph::ScatterAddOp scatter) {
    SmallVector<int64_t> along = longAxes(scatter.getUpdates().getType());
    auto places = scatter.getType().getShape()[scatter.getAxis()].getConstant();
    if (goesInOrder(scatter) && !(places && *places <= kFewPlaces)) return;
    if (!addsByAtomics(scatter) && llvm::all_of(along, [&](int64_t axis) { return axis == static_cast<int64_t>(scatter.getAxis()); }))
      scatters.push_back(scatter);
  });
  for (graph::ScatterAddOp scatter : scatters) {
    OpBuilder builder(scatter);
    Location line = unnamed(scatter.getLoc());
    MLIRContext *context = scatter.getContext();
    size_t axis = scatter.getAxis();
    DimAttr extent = scatter.getType().getShape()[axis], count = scatter.getUpdates().getType().getShape()[axis];
    Type element = scatter.getType().getElementType(), i64 = builder.getI64Type();
    auto array = [&](ArrayRef<DimAttr> shape, Type of) { return TensorType::get(context, shape, of); };
    auto flat = [&](Value value) { return builder.create<graph::ReshapeOp>(line, array(count, elementTypeOf(value.getType())), value).getResult(); };
    auto spread = [&](Value value) {
      Type type = array({extent, count}, elementTypeOf(value.getType()));
      return builder.create<graph::BroadcastOp>(line, type, value, builder.getDenseI64ArrayAttr(1)).getResult();
    };
    Value places = spread(flat(scatter.getPlaces())), updates = spread(flat(scatter.getUpdates()));
    Value numbers = builder.create<graph::IotaOp>(line, array({extent, count}, i64), 0);
    Value isHere = builder.create<graph::ElementwiseOp>(line, array({extent, count}, builder.getI1Type()), "eq", ValueRange{places, numbers});
    Value zero = builder.create<graph::FullOp>(line, updates.getType(), zeroOf(element, builder, line));
    Value chosen = builder.create<graph::ElementwiseOp>(line, updates.getType(), "select", ValueRange{isHere, updates, zero});
    Value sums = builder.create<graph::ReduceOp>(scatter.getLoc(), array(extent, element), "sum", chosen, builder.getDenseI64ArrayAttr(1));
    if (sums.getType() != scatter.getType()) sums = builder.create<graph::ReshapeOp>(scatter.getLoc(), scatter.getType(), sums);
    scatter.replaceAllUsesWith(sums);
    scatter.erase();
  }
}

}  // namespace tessera::transforms
