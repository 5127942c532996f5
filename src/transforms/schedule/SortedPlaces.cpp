// On GPUs, sums of floats at places go through them in their order: a stable sort of the places says where the updates of each lie side by
// side, and what several sums need of the same places is sorted once.
//
//   scatter_add(updates at places)      keys = places, those outside of the axis behind all others
//                                       order = argsort(keys)
//                                       scatter_add(updates[order] at keys[order]) {sorted}
//
// Updates are brought into the order where they come from: of rows that indices name, only the indices are.
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/Machine.h"
#include "transforms/schedule/RadixSort.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Values whose elements along an axis are brought into an order.
class Reordering {
public:
  Reordering(OpBuilder &builder, Value order, Location line) : builder_(builder), order_(order), line_(line) {}

  /// What is made of many arrays is computed as it lies, and its rows are brought into the order: one array is read in another order, not each
  /// of them, and what other kernels need of it, too, stays one value.
  Value inOrder(Value value, int64_t axis) {
    llvm::SmallDenseSet<Value> seen;
    return countUnder(value, seen) > kMostArrays ? gathered(value, axis) : of(value, axis);
  }
  Value of(Value value, int64_t axis) {
    Value done = done_.lookup({value, axis});
    if (!done) done_[{value, axis}] = done = made(value, axis);
    return done;
  }

private:
  static constexpr size_t kMostArrays = 8;

  /// How many values that are not made element by element it is made of, as far as one more than kMostArrays.
  static size_t countUnder(Value value, llvm::SmallDenseSet<Value> &seen) {
    if (!seen.insert(value).second) return 0;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<graph::FullOp, graph::ConstantOp>(op)) return 0;
    if (!isa_and_nonnull<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::TransposeOp>(op)) return 1;
    size_t count = 0;
    for (Value operand : op->getOperands())
      if (isa<TensorType>(operand.getType()) && count <= kMostArrays) count += countUnder(operand, seen);
    return count;
  }
  Value gathered(Value value, int64_t axis) {
    auto gather = builder_.create<graph::GatherOp>(named(nameHint(value), line_), value.getType(), axis, value, order_, builder_.getDenseI64ArrayAttr(axis));
    gather->setAttr(kInside, builder_.getUnitAttr());
    return gather;
  }
  Value made(Value value, int64_t axis) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<graph::FullOp, graph::ConstantOp>(op)) return value;
    if (isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(op)) return again(op, [&](Value operand) { return of(operand, axis); });
    if (auto broadcast = dyn_cast_or_null<graph::BroadcastOp>(op)) {
      const auto *from = llvm::find(broadcast.getAxes(), axis);
      if (from == broadcast.getAxes().end()) return value;
      const int64_t inner = from - broadcast.getAxes().begin();
      if (broadcast.getOperand().getType().getShape()[inner] != broadcast.getType().getShape()[axis]) return value;  // one for all
      return again(op, [&](Value operand) { return of(operand, inner); });
    }
    if (auto gather = dyn_cast_or_null<graph::GatherOp>(op)) {
      const auto *along = llvm::find(gather.getAxes(), axis);
      if (along != gather.getAxes().end()) {
        Value places = of(gather.getPlaces(), along - gather.getAxes().begin());
        return again(op, [&](Value operand) { return operand == gather.getPlaces() ? places : operand; });
      }
    }
    if (auto iota = dyn_cast_or_null<graph::IotaOp>(op); iota && static_cast<int64_t>(iota.getAxis()) != axis) return value;
    if (auto slice = dyn_cast_or_null<graph::SliceOp>(op))
      if (std::optional<int64_t> whole = wholeAxis(slice, axis)) return again(op, [&](Value base) { return of(base, *whole); });
    if (auto turn = dyn_cast_or_null<graph::TransposeOp>(op)) return again(op, [&](Value operand) { return of(operand, turn.getPerm()[axis]); });
    return gathered(value, axis);
  }
  /// The axis of the base that the slice has as it is.
  static std::optional<int64_t> wholeAxis(graph::SliceOp slice, int64_t axis) {
    for (auto [of, isPoint] : llvm::enumerate(slice.getPoints()))
      if (!isPoint && axis-- == 0)
        return slice.getSizes().getDims()[of] == slice.getBase().getType().getShape()[of] && slice.getSteps()[of] == 1 ? std::optional(static_cast<int64_t>(of)) : std::nullopt;
    return std::nullopt;
  }
  Value again(Operation *op, llvm::function_ref<Value(Value)> operandOf) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) operands.push_back(isa<TensorType>(operand.getType()) ? operandOf(operand) : operand);
    Operation *copy = builder_.clone(*op);
    copy->setOperands(operands);
    return copy->getResult(0);
  }

  OpBuilder &builder_;
  Value order_;
  Location line_;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> done_;
};

struct Sorted {
  Value order, places;
};

/// What a loop counts is a dimension in it, and none of the function.
bool isCounted(Operation *op) {
  auto dim = dyn_cast<graph::DimOp>(op);
  std::set<std::string> names;
  if (dim) dim.getDim().getDim().collectVars(names);
  auto dims = op->getParentOfType<graph::FuncOp>().getDims().getAsValueRange<StringAttr>();
  return llvm::any_of(names, [&](const std::string &name) { return !llvm::is_contained(dims, name); });
}

/// Whether a value is the same in each turn of a loop: made of what stands in front of it. `made`: its operations in the loop, in order.
bool isSameInTurns(Value value, Operation *loop, llvm::SetVector<Operation *> &made) {
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(value.getParentRegion()->getParentOp())) return true;
  if (!op || op->getNumRegions() != 0 || !isPure(op) || isCounted(op)) return false;
  if (made.contains(op)) return true;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isSameInTurns(operand, loop, made); })) return false;
  made.insert(op);
  return true;
}

/// In front of what the order is first needed for; of loops that do not change the places, in front of those.
Operation *placeOfSort(graph::ScatterAddOp scatter) {
  Operation *place = scatter;
  while (isa<scf::ForOp, scf::WhileOp>(place->getParentOp())) {
    Operation *loop = place->getParentOp();
    llvm::SetVector<Operation *> made;
    if (!isSameInTurns(scatter.getPlaces(), loop, made)) break;
    for (Operation *op : made) op->moveBefore(loop);
    place = loop;
  }
  return place;
}

Sorted sortPlaces(graph::ScatterAddOp scatter, Operation *place) {
  OpBuilder builder(place);
  Location line = unnamed(scatter.getLoc());
  MLIRContext *context = scatter.getContext();
  const Dim extent = scatter.getType().getShape()[scatter.getAxis()].getDim();
  ArrayRef<DimAttr> shape = scatter.getPlaces().getType().getShape();
  Type i64 = builder.getI64Type(), type = TensorType::get(context, shape, i64), truths = TensorType::get(context, shape, builder.getI1Type());
  auto cast = [&](Value value, Type to) { return value.getType() == to ? value : builder.create<graph::CastOp>(line, to, value, StringAttr(), UnitAttr()).getResult(); };
  auto everywhere = [&](Value number) { return builder.create<graph::FullOp>(line, type, number).getResult(); };
  auto elementwise = [&](Type of, StringRef name, ValueRange operands) { return builder.create<graph::ElementwiseOp>(line, of, name, operands).getResult(); };
  Value zero = everywhere(builder.create<graph::ConstantOp>(line, i64, builder.getI64IntegerAttr(0)));
  Value end = everywhere(extent.isConstant() ? builder.create<graph::ConstantOp>(line, i64, builder.getI64IntegerAttr(extent.constant())).getResult()
                                             : cast(builder.create<graph::DimOp>(line, builder.getIndexType(), DimAttr::get(context, extent)), i64));
  Value places = cast(scatter.getPlaces(), type);
  Value isInside = elementwise(truths, "and", {elementwise(truths, "ge", {places, zero}), elementwise(truths, "lt", {places, end})});
  Value keys = elementwise(type, "select", {isInside, places, end});
  keys.setLoc(named("keys", line));
  auto order = builder.create<graph::ArgsortOp>(named("order", line), type, keys, UnitAttr());
  order->setAttr(kBound, DimAttr::get(context, extent + Dim(1)));
  return {order, Reordering(builder, order, line).of(keys, 0)};
}

}  // namespace

bool goesInOrder(graph::ScatterAddOp scatter) {
  const Machine *machine = machineOf(scatter);
  return machine && machine->family != Target::Cpu && !addsByAtomics(scatter) && scatter.getAxes().size() == 1;
}

void sortPlaces(graph::FuncOp function) {
  std::map<std::tuple<const void *, const void *, std::string>, Sorted> known;  // by places, block and extent
  SmallVector<graph::ScatterAddOp> scatters;
  function.walk([&](graph::ScatterAddOp scatter) {
    if (goesInOrder(scatter)) scatters.push_back(scatter);
  });
  for (graph::ScatterAddOp scatter : scatters) {
    Operation *place = placeOfSort(scatter);
    const Dim extent = scatter.getType().getShape()[scatter.getAxis()].getDim();
    auto [entry, isNew] = known.try_emplace({scatter.getPlaces().getAsOpaquePointer(), place->getBlock(), extent.str()});
    if (isNew) entry->second = sortPlaces(scatter, place);
    OpBuilder builder(scatter);
    scatter.getUpdatesMutable().assign(Reordering(builder, entry->second.order, unnamed(scatter.getLoc())).inOrder(scatter.getUpdates(), static_cast<int64_t>(scatter.getAxis())));
    scatter.getPlacesMutable().assign(entry->second.places);
    scatter.setSorted(true);
  }
}

}  // namespace tessera::transforms
