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

/// The reductions inside of another one, but those over so few elements that a lane does them as it goes.
SmallVector<Value> FunctionScheduler::longReductionsUnder(Value reduction) {
  llvm::SetVector<Value> found;
  topReductions(reduction.getDefiningOp<graph::ReduceOp>().getOperand(), found);
  return llvm::to_vector(llvm::make_filter_range(found, [](Value each) { return !isForLanes(each.getDefiningOp<graph::ReduceOp>()); }));
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

bool isForLanes(graph::ReduceOp reduce) {
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last > 0 && isUnit(shape[last])) --last;
  bool overLast = llvm::is_contained(reduce.getAxes(), last);
  std::optional<int64_t> count = constantCount(shape, reduce.getAxes());
  bool isScalar = longAxes(reduce.getType()).empty();
  return !isScalar && (!overLast || (count && *count <= 32));
}

LogicalResult FunctionScheduler::rowKernel(Value root, size_t fixed, Value target) {
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
  for (Value value : reductions) {
    auto reduce = value.getDefiningOp<graph::ReduceOp>();
    for (int64_t axis : reduce.getAxes())
      rows.insert(reduce.getOperand().getType().getShape()[axis].getText().str());
  }
  std::vector<std::string> list(rows.begin(), rows.end());
  std::string reason = longAxes(root.getType()).empty() ? "one group reduces everything" : "one group a row";
  Kernel kernel = beginKernel(root, grid, target, {reason}, false, list);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  Indices indices(shape.size());
  for (size_t axis = 0; axis < fixed; ++axis)
    indices[axis] =
        isUnit(shape[axis])
            ? privatiser.constantIndex(0, loc)
            : builder.create<graph::QueryOp>(loc, builder.getIndexType(), "origin", axis).getResult();
  Value piece = privatiser.part(root, indices);
  if (!piece) return failure();
  store(builder, piece, kernel.target, indices, /*byLane=*/false, loc);
  builder.create<schedule::KernelEndOp>(loc);
  return success();
}

}  // namespace tessera::transforms
