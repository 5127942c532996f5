// Strategy "scan": running sums along an axis, read and written once. Where there are too few rows for all processors, each is gone over
// in parts, for which two kernels find what comes before them:
//
//   totals[r, p] = sum of part p          a group each; not of the last part
//   before[r, p] = running sum of totals  a group a row
//   y[r, i] = before[r, p - 1] + running sum of part p up to i
//
// Parts have one length, so results have the same bits on every machine. Along the last axis the lanes
// of a group scan a tile at a time (tile.scan); along another one each lane has a column. Source of the three steps: Dotsenko and others,
// "Fast scan algorithms on graphics processors", 2008.
#include "support/Machine.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kTile = 2048;           // elements of a row that the lanes of a group scan at a time
constexpr int64_t kPart = 16 * kTile;     // elements of a part of a row: longer rows are read once more, for the totals of their parts
constexpr int64_t kColumns = 256;         // columns of a group
constexpr int64_t kPartOfColumn = 1024;   // elements of a part of a column
constexpr int64_t kRowsAtOnce = 4;        // of them: a lane asks for so many before it adds them up

/// How the axes of a tensor are gone over: a group has a tile along the last one, and is the product of the others, which count parts
/// along the scanned one.
struct ScanPlan {
  ScanPlan(ArrayRef<DimAttr> shape, size_t axis) : axis(axis), alongRows(axis + 1 == shape.size()), extent(shape[axis].getDim()) {
    for (auto [i, dim] : llvm::enumerate(shape)) {
      bool isTiled = i + 1 == shape.size() && !alongRows;
      counts.push_back(i == axis ? Dim(1) : isTiled ? Dim::ceilDiv(dim.getDim(), Dim(kColumns)) : dim.getDim());
    }
    length = Dim(alongRows ? kPart : kPartOfColumn);
    parts = Dim::ceilDiv(extent, length);
    totals = Dim::floorDiv(Dim::max(Dim(1), extent) - Dim(1), length);
  }
  /// Of groups, for so many parts.
  Dim groups(const Dim &ofParts) const {
    Dim all(1);
    for (auto [i, count] : llvm::enumerate(counts)) all = all * (i == axis ? ofParts : count);
    return all;
  }

  size_t axis;
  bool alongRows;
  Dim extent, length, parts;
  Dim totals;  // of all parts but the last
  SmallVector<Dim> counts;  // of groups along each axis
};

/// The body of a group.
class ScanWriter {
public:
  using Read = llvm::function_ref<Value(const Indices &)>;
  ScanWriter(OpBuilder &builder, Privatiser &privatiser, const ScanPlan &plan, Type element, Location line, bool asksAhead)
      : builder_(builder), privatiser_(privatiser), plan_(plan), element_(element), line_(line), asksAhead_(asksAhead) {}

  /// Where the group is, along each axis; the number of its part along the scanned one.
  Indices place(const Dim &parts) {
    Value group = builder_.create<graph::QueryOp>(named("group", line_), builder_.getIndexType(), "group_id", 0);
    SmallVector<DimAttr> extents;
    for (auto [i, count] : llvm::enumerate(plan_.counts)) extents.push_back(attr(i == plan_.axis ? parts : count));
    Indices at = privatiser_.delinearize(group, extents, line_, /*naming=*/true);
    at[plan_.axis].at.setLoc(named("part", line_));
    if (!plan_.alongRows)
      at.back() = Index(privatiser_.arithmetic("mul", at.back().at, privatiser_.constantIndex(kColumns, line_), named("col", line_)), attr(Dim(kColumns)));
    return at;
  }
  /// What a part comes after; 0 before the first one.
  Value before(Value totals, Indices at) {
    Value one = privatiser_.constantIndex(1, line_);
    at[plan_.axis] = Index(privatiser_.arithmetic("sub", at[plan_.axis].at, one, line_));
    return privatiser_.loaded(totals, at, line_, static_cast<int64_t>(plan_.axis));
  }
  Value nothing() {
    if (plan_.alongRows) return zero();
    return builder_.create<graph::FullOp>(line_, TensorType::get(builder_.getContext(), {attr(Dim(kColumns))}, element_), zero());
  }
  using Write = llvm::function_ref<void(Value, const Indices &)>;
  /// Goes over the part from `first` on and writes running sums. False after a diagnostic.
  bool run(const Indices &at, Value first, Value end, Value carried, Read read, Write write) {
    if (plan_.alongRows)
      return overTiles(at, first, end, carried, read, [&](Value part, Value before, const Indices &where) { return alongRow(part, where, before, write); }) != nullptr;
    // Several rows of a column at once, as a lane waits for memory otherwise; then those that are left.
    Value rows = privatiser_.arithmetic("sub", end, first, line_), step = privatiser_.constantIndex(kRowsAtOnce, line_);
    Value whole = privatiser_.arithmetic("mul", privatiser_.arithmetic("floordiv", rows, step, line_), step, line_);
    Value last = privatiser_.arithmetic("add", first, whole, named("last", line_));
    Value sums = loop(first, last, kRowsAtOnce, carried, [&](Value r, Value before) { return downColumns(r, kRowsAtOnce, at, before, read, write); });
    return sums && loop(last, end, 1, sums, [&](Value r, Value before) { return downColumns(r, 1, at, before, read, write); });
  }
  /// What the part adds up to. Null after a diagnostic.
  Value total(const Indices &at, Value first, Value end, Read read) {
    DimAttr size = attr(Dim(plan_.alongRows ? kTile : kColumns));
    TensorType type = TensorType::get(builder_.getContext(), {size}, element_);
    Value zeros = builder_.create<graph::FullOp>(line_, type, zero());
    if (plan_.alongRows) {
      Value sums = overTiles(at, first, end, zeros, read, [&](Value part, Value before, const Indices &) { return add(before, part, "sums"); });
      return sums ? reduced(sums) : sums;
    }
    return loop(first, end, 1, zeros, [&](Value next, Value before) -> Value {
      Indices where(at);
      where[plan_.axis] = Index(next);
      Value part = read(where);
      return part ? add(before, part, "sums") : Value();
    });
  }

private:
  DimAttr attr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Value add(Value a, Value b, StringRef name) {
    return builder_.create<graph::ElementwiseOp>(named(name, line_), a.getType(), "add", ValueRange{a, b});
  }
  Value zero() { return builder_.create<graph::ConstantOp>(line_, element_, builder_.getZeroAttr(element_)); }
  Value reduced(Value of) { return builder_.create<graph::ReduceOp>(line_, element_, "sum", of, builder_.getDenseI64ArrayAttr(0)); }
  Value loop(Value first, Value end, int64_t step, Value carried, llvm::function_ref<Value(Value, Value)> body) {
    return loop(first, end, step, ValueRange{carried}, [&](scf::ForOp made) -> SmallVector<Value> { return {body(made.getInductionVar(), made.getRegionIterArg(0))}; });
  }
  /// `body` gives what the loop carries on, the sums first; no value of it after a diagnostic.
  Value loop(Value first, Value end, int64_t step, ValueRange carried, llvm::function_ref<SmallVector<Value>(scf::ForOp)> body) {
    auto made = builder_.create<scf::ForOp>(line_, first, end, privatiser_.constantIndex(step, line_), carried);
    made.getInductionVar().setLoc(named(plan_.alongRows ? "c" : "r", line_));
    made.getRegionIterArg(0).setLoc(named("carried", line_));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(made.getBody());
    privatiser_.enter();
    SmallVector<Value> next = body(made);
    privatiser_.leave();
    if (!llvm::all_of(next, [](Value value) { return static_cast<bool>(value); })) return {};
    builder_.create<scf::YieldOp>(line_, next);
    return made.getResult(0);
  }
  using EachTile = llvm::function_ref<Value(Value part, Value before, const Indices &where)>;
  /// Tile by tile along rows; on GPUs the next one is asked for before the lanes of a group meet for this one, as memory would wait for them.
  Value overTiles(const Indices &at, Value first, Value end, Value carried, Read read, EachTile body) {
    auto tileAt = [&](Value c) {
      Indices where(at);
      where[plan_.axis] = Index(c, attr(Dim(kTile)));
      return where;
    };
    if (!asksAhead_)
      return loop(first, end, kTile, carried, [&](Value c, Value before) -> Value {
        Value part = read(tileAt(c));
        return part ? body(part, before, tileAt(c)) : Value();
      });
    Value begin = read(tileAt(first));
    if (!begin) return {};
    return loop(first, end, kTile, ValueRange{carried, begin}, [&](scf::ForOp made) -> SmallVector<Value> {
      Value c = made.getInductionVar(), part = made.getRegionIterArg(1);
      part.setLoc(named("tile", line_));
      Value next = privatiser_.arithmetic("add", c, privatiser_.constantIndex(kTile, line_), named("next", line_));
      Value isThere = privatiser_.arithmetic("lt", next, end, line_);
      Value ahead = privatiser_.branch(made, part.getType(), isThere, [&] { return read(tileAt(next)); }, [&] { return part; });
      if (!ahead) return {ahead};
      ahead.setLoc(named("ahead", line_));
      return {body(part, made.getRegionIterArg(0), tileAt(c)), ahead};
    });
  }
  Value downColumns(Value first, int64_t count, const Indices &at, Value carried, Read read, Write write) {
    SmallVector<Indices> where(count, at);
    SmallVector<Value> parts, sums;
    for (int64_t i = 0; i < count; ++i) {
      where[i][plan_.axis] = Index(privatiser_.arithmetic("add", first, privatiser_.constantIndex(i, line_), line_));
      parts.push_back(read(where[i]));
      if (!parts.back()) return {};
    }
    for (Value part : parts) sums.push_back(carried = add(carried, part, "sums"));
    for (auto [sum, place] : llvm::zip(sums, where)) write(sum, place);
    return carried;
  }
  /// What is carried on is the last running sum itself, so that sums of what is not negative never fall.
  Value alongRow(Value part, const Indices &where, Value carried, Write write) {
    auto type = cast<TensorType>(part.getType());
    Value before = builder_.create<graph::FullOp>(line_, type, carried);
    Value scanned = builder_.create<graph::ScanOp>(named("scanned", line_), type, "sum", 0, part);
    Value sums = add(before, scanned, "sums");
    write(sums, where);
    Type index = builder_.getI32Type(), truth = builder_.getI1Type();
    Value places = builder_.create<graph::IotaOp>(line_, TensorType::get(builder_.getContext(), type.getShape(), index), 0);
    Value last = builder_.create<graph::ConstantOp>(line_, index, builder_.getI32IntegerAttr(kTile - 1));
    Value isLast = builder_.create<graph::ElementwiseOp>(line_, TensorType::get(builder_.getContext(), type.getShape(), truth), "eq",
                                                         ValueRange{places, builder_.create<graph::FullOp>(line_, places.getType(), last)});
    Value zeros = builder_.create<graph::FullOp>(line_, type, zero());
    return reduced(builder_.create<graph::ElementwiseOp>(named("last", line_), type, "select", ValueRange{isLast, sums, zeros}));
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  const ScanPlan &plan_;
  Type element_;
  Location line_;
  bool asksAhead_;
};

}  // namespace

/// A kernel over `parts` parts of each row, from `from` (null: the operand of the scan) to `target`: running sums, or the parts' totals.
LogicalResult FunctionScheduler::partsOfScan(graph::ScanOp op, const ScanStep &step) {
  ScanPlan plan(op.getType().getShape(), op.getAxis());
  if (step.from) plan = ScanPlan(shapeOf(step.from.getType()), op.getAxis()), plan.length = plan.extent, plan.parts = Dim(1);  // few
  Location line = unnamed(op.getLoc());
  Type element = op.getType().getElementType();
  const Dim &parts = step.totals ? plan.totals : plan.parts;
  GridAttr grid = GridAttr::get(builder_.getContext(), GridKind::Explicit, DimAttr::get(builder_.getContext(), plan.groups(parts)), -1);
  SmallVector<Value> held;
  if (step.from) held.push_back(step.from);
  if (step.before) held.push_back(step.before);
  std::optional<ValueRange> reads;
  if (step.from) reads = ValueRange();
  Kernel kernel = beginKernel(op.getResult(), grid, step.target, {step.reason.str()}, false, {}, schedule::KernelOp::getOperationName(), reads, {},
                              {held, /*asHeld=*/step.from || step.totals});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  const Machine *machine = machineOf(op);
  ScanWriter writer(builder, privatiser, plan, element, line, /*asksAhead=*/machine && machine->family != Target::Cpu);
  Indices at = writer.place(parts);
  Value part = at[plan.axis].at, length = privatiser.dim(plan.length, line), extent = privatiser.dim(plan.extent, line);
  bool isOne = parts.isConstant() && parts.constant() == 1;
  Value first = isOne ? privatiser.constantIndex(0, line) : privatiser.arithmetic("mul", part, length, named("first", line));
  Value end = isOne ? extent : privatiser.arithmetic("min", privatiser.arithmetic("add", first, length, line), extent, named("end", line));
  auto read = [&](const Indices &where) { return step.from ? privatiser.loaded(kernel.beside.front(), where, line) : privatiser.part(op.getOperand(), where); };
  auto write = [&](Value sums, const Indices &where) { store(builder, sums, kernel.target, where, /*byLane=*/false, line); };
  if (step.totals) {
    Value total = writer.total(at, first, end, read);
    if (!total) return failure();
    store(builder, total, kernel.target, at, /*byLane=*/false, line);
  } else if (!writer.run(at, first, end, step.before ? writer.before(kernel.beside.back(), at) : writer.nothing(), read, write)) {
    return failure();
  }
  builder.create<schedule::KernelEndOp>(line);
  return success();
}

LogicalResult FunctionScheduler::scanKernel(graph::ScanOp op, Value target) {
  if (roots_.count(op.getOperand()) && !leaves_.count(op.getOperand()) && failed(makeRoot(op.getOperand()))) return failure();
  ScanPlan plan(op.getType().getShape(), op.getAxis());
  const char *whole = plan.alongRows ? "scan: a group goes over its part of a row once, a tile at a time" : "scan: a lane goes down its part of a column once";
  if (plan.totals.isConstant() && plan.totals.constant() == 0) return partsOfScan(op, {{}, {}, target, false, whole});
  SmallVector<DimAttr> shape(op.getType().getShape());
  shape[op.getAxis()] = DimAttr::get(builder_.getContext(), plan.totals);
  Type type = ViewType::get(builder_.getContext(), shape, op.getType().getElementType());
  auto temporary = [&](StringRef name) -> Value { return launchOp<schedule::TempOp>(named(name, op.getLoc()), type); };
  Value totals = temporary("totals"), before = temporary("before");
  if (failed(partsOfScan(op, {{}, {}, totals, true, "scan: a group adds up its part; not the last part of a row, behind which there is none"})) ||
      failed(partsOfScan(op, {totals, {}, before, false, "scan: what comes before each part but the first"})))
    return failure();
  return partsOfScan(op, {{}, before, target, false, whole});
}

}  // namespace tessera::transforms
