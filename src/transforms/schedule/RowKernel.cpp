// Strategy "rows": a group has whole rows, and every reduction inside sees the same row in all its lanes.
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Every reduction under `value` sees the same elements in all lanes when the axes of `value` are so.
bool FunctionScheduler::isUniform(Value value, const AxisKinds &kinds, Met &met) {
  if (isStored(value) || !met.isNew(value, kinds)) return true;  // where one is not uniform, the walk ends
  Operation *op = value.getDefiningOp();
  bool whole = llvm::is_contained(kinds, AxisKind::Whole);
  if (isa<graph::ReduceOp>(op) && whole) return false;
  if (isa<graph::DotOp>(op)) return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<TensorType>(operand.getType())) {
      if (!isUniform(operand, {}, met)) return false;
      continue;
    }
    std::optional<AxisKinds> inner = operandAxes(op, i, kinds);
    if (!inner || !isUniform(operand, *inner, met)) return false;
  }
  return true;
}

/// The reductions nearest to `value`.
void FunctionScheduler::topReductions(Value value, llvm::SetVector<Value> &found) {
  walkBack(value, [&](Value each) {
    if (isStored(each)) return false;
    if (!each.getDefiningOp<graph::ReduceOp>()) return true;
    found.insert(each);
    return false;
  });
}

static std::optional<int64_t> constantCount(ArrayRef<DimAttr> shape, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes) {
    std::optional<int64_t> extent = shape[axis].getConstant();
    if (!extent) return std::nullopt;
    count *= *extent;
  }
  return count;
}

constexpr int64_t kFewElements = 32;  // that a lane adds up as it goes

bool isLong(graph::ReduceOp reduce) {
  std::optional<int64_t> count = constantCount(reduce.getOperand().getType().getShape(), reduce.getAxes());
  return !count || *count > kFewElements;
}

static bool isDot(Operation *op) { return isa<graph::DotOp>(op); }
static bool isAlongRow(Operation *op) { return isa<graph::ReduceOp>(op) && !isForLanes(cast<graph::ReduceOp>(op)); }

/// A number for each row: it is made of sums along rows, and has fewer axes than what they add up.
bool FunctionScheduler::isForRows(Value value) {
  llvm::SetVector<Value> sums;
  if (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp>(value.getDefiningOp())) return false;
  topReductions(value, sums);
  bool any = false;
  for (Value sum : sums) {
    auto reduce = sum.getDefiningOp<graph::ReduceOp>();
    if (!isAlongRow(reduce)) continue;
    any = true;
    if (longAxes(value.getType()).size() >= longAxes(reduce.getOperand().getType()).size()) return false;
  }
  return any;
}

/// The numbers for each row from which the elements of a value are computed: those nearest to it.
SmallVector<Value> FunctionScheduler::rowsUnder(Value value) {
  llvm::SetVector<Value> found;
  walkBack(value, [&](Value each) {
    if (isStored(each)) return false;
    bool isNumber = !isa<TensorType>(each.getType()) && !each.getDefiningOp<graph::ReduceOp>();
    if (!isNumber && isForRows(each)) found.insert(each);
    return !found.contains(each);
  });
  return found.takeVector();
}

/// Stores what `value` needs of rows: by one kernel that goes over the rows once, where all of it is of the same rows.
LogicalResult FunctionScheduler::makeRows(Value value) {
  SmallVector<Value> rows = rowsUnder(value);
  llvm::sort(rows, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  Value last = rows.back();
  std::optional<size_t> fixed = axesOfRows(last);
  auto isBeside = [&](Value each) {
    return each.getParentBlock() == last.getParentBlock() && axesOfRows(each) == fixed && !holds(each, isDot) &&
           shapeOf(each.getType()).take_front(*fixed) == shapeOf(last.getType()).take_front(*fixed);
  };
  if (!fixed || *fixed == 0 || !llvm::all_of(rows, isBeside)) {
    for (Value each : rows)
      if (!leaves_.count(each) && failed(makeRoot(each))) return failure();
    return success();
  }
  Value target = memoryFor(last);
  if (failed(rowKernel(last, *fixed, target, ArrayRef(rows).drop_back()))) return failure();
  isHeld({last, target});
  return success();
}

/// The leading axes that a group fixes, so that every reduction under the value sees the same row in all lanes.
std::optional<size_t> FunctionScheduler::axesOfRows(Value value) {
  size_t rank = shapeOf(value.getType()).size();
  for (size_t fixed = 0; fixed <= rank; ++fixed) {
    AxisKinds kinds(rank, AxisKind::Whole);
    std::fill_n(kinds.begin(), fixed, AxisKind::Private);
    Met met;
    if (isUniform(value, kinds, met)) return fixed;
  }
  return std::nullopt;
}

bool isForLanes(graph::ReduceOp reduce) {
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last > 0 && isUnit(shape[last])) --last;
  bool overLast = llvm::is_contained(reduce.getAxes(), last);
  bool isScalar = longAxes(reduce.getType()).empty();
  return !isScalar && (!overLast || !isLong(reduce));
}

LogicalResult FunctionScheduler::rowKernel(Value root, size_t fixed, Value target, ArrayRef<Value> siblings) {
  SmallVector<Stored> others = memoryForAll(siblings);
  Location loc = root.getLoc();
  MLIRContext *context = builder_.getContext();
  ArrayRef<DimAttr> shape = shapeOf(root.getType());
  DimAttr one = DimAttr::get(context, Dim(1));
  SmallVector<DimAttr> tile(shape);
  std::fill_n(tile.begin(), fixed, one);
  GridAttr grid = shape.empty() ? GridAttr::get(context, GridKind::Explicit, one, -1)
                                : GridAttr::get(context, GridKind::Output, tile, 0);
  std::set<std::string> rows;
  llvm::SetVector<Value> reductions;
  topReductions(root, reductions);
  for (Value sibling : siblings) topReductions(sibling, reductions);
  for (Value value : reductions) {
    auto reduce = value.getDefiningOp<graph::ReduceOp>();
    for (int64_t axis : reduce.getAxes())
      rows.insert(reduce.getOperand().getType().getShape()[axis].getText().str());
  }
  std::vector<std::string> list(rows.begin(), rows.end());
  std::string reason = longAxes(root.getType()).empty() ? "one group reduces everything" : "one group a row";
  if (!siblings.empty()) reason += "; it stores all that is needed of the row";
  Kernel kernel = beginKernel(root, grid, target, {reason}, false, list, schedule::KernelOp::getOperationName(), {}, others);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices(shape.size());
  for (size_t axis = 0; axis < fixed; ++axis)
    indices[axis] =
        isUnit(shape[axis])
            ? privatiser.constantIndex(0, loc)
            : builder.create<graph::QueryOp>(loc, builder.getIndexType(), "origin", axis).getResult();
  auto indicesOf = [&](Value sibling) {
    Indices at(indices.begin(), indices.begin() + fixed);
    at.resize(shapeOf(sibling.getType()).size());
    return at;
  };
  SmallVector<Value> pieces;
  for (Value sibling : siblings)
    if (!pieces.emplace_back(privatiser.part(sibling, indicesOf(sibling)))) return failure();
  Value piece = privatiser.part(root, indices);
  if (!piece) return failure();
  for (auto [i, sibling] : llvm::enumerate(siblings)) {
    store(builder, pieces[i], kernel.others[i], indicesOf(sibling), /*byLane=*/false, sibling.getLoc());
    isHeld(others[i]);
  }
  store(builder, piece, kernel.target, indices, /*byLane=*/false, loc);
  builder.create<schedule::KernelEndOp>(loc);
  return success();
}

}  // namespace tessera::transforms
