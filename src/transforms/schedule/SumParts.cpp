// Sums over the rows of products that were put together, or moved, are sums over the rows of the products.
//
//   sum over rows of concat(a, b) along the columns      concat(sum over rows of a, sum over rows of b)
//   sum over rows of reshape(x), which keeps the rows    reshape(sum over rows of x)
//
// The derivative by the bias of q, k and v. What is left to be put together in f32 is then nothing: all else reads it rounded.
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The same sum of another value, whose axes up to the last of the sum are those of the first.
graph::ReduceOp sumOf(OpBuilder &builder, graph::ReduceOp sum, Value value) {
  SmallVector<DimAttr> shape;
  for (auto [axis, extent] : llvm::enumerate(shapeOf(value.getType())))
    if (!llvm::is_contained(sum.getAxes(), static_cast<int64_t>(axis))) shape.push_back(extent);
  Type type = TensorType::get(builder.getContext(), shape, elementTypeOf(sum.getType()));
  auto made = cast<graph::ReduceOp>(builder.clone(*sum.getOperation()));
  made.getOperandMutable().assign(value);
  made.getResult().setType(type);
  return made;
}

/// Other readers of what was put together round it.
bool isRoundedElsewhere(graph::ConcatOp concat, graph::ReduceOp sum) {
  return llvm::all_of(concat->getUsers(), [&](Operation *user) {
    auto cast = dyn_cast<graph::CastOp>(user);
    return user == sum || (cast && bitsOf(cast.getType()) < bitsOf(concat.getType()));
  });
}

/// The sum from those of the parts; null where it stays.
Value fromParts(OpBuilder &builder, graph::ReduceOp sum, graph::ConcatOp concat, SmallVectorImpl<graph::ReduceOp> &made) {
  const auto axis = static_cast<int64_t>(concat.getAxis());
  bool isOverRows = axis == static_cast<int64_t>(shapeOf(concat.getType()).size()) - 1 && !llvm::is_contained(sum.getAxes(), axis);
  if (!isOverRows || !isRoundedElsewhere(concat, sum) || !llvm::all_of(concat.getOperands(), isMovedProduct)) return {};
  SmallVector<Value> parts;
  for (Value operand : concat.getOperands()) {
    made.push_back(sumOf(builder, sum, operand));
    parts.push_back(made.back().getResult());
  }
  const auto last = static_cast<int64_t>(shapeOf(sum.getType()).size()) - 1;
  return builder.create<graph::ConcatOp>(sum.getLoc(), sum.getType(), last, parts);
}

/// The sum from one before the reshape; null where that has other rows.
Value beforeReshape(OpBuilder &builder, graph::ReduceOp sum, graph::ReshapeOp reshape, SmallVectorImpl<graph::ReduceOp> &made) {
  ArrayRef<DimAttr> from = shapeOf(reshape.getOperand().getType()), to = shapeOf(reshape.getType());
  const size_t rows = static_cast<size_t>(*llvm::max_element(sum.getAxes())) + 1;
  if (from.size() < rows || from.take_front(rows) != to.take_front(rows) || !isMovedProduct(reshape.getOperand())) return {};
  made.push_back(sumOf(builder, sum, reshape.getOperand()));
  // Behind other sums: one kernel adds up those that are put together.
  Operation *first = sum;
  for (Operation *user : sum->getUsers())
    if (user->getBlock() == sum->getBlock() && (first == sum || user->isBeforeInBlock(first))) first = user;
  builder.setInsertionPoint(first);
  return builder.create<graph::ReshapeOp>(sum.getLoc(), sum.getType(), made.back().getResult());
}

struct SumParts : PassWrapper<SumParts, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SumParts)
  StringRef getArgument() const override { return "graph-sum-parts"; }
  StringRef getDescription() const override { return "sums over rows of products before they are put together"; }
  void runOnOperation() override {
    if (!hasSumsOfTiles(getOperation())) return;
    SmallVector<graph::ReduceOp> next;
    getOperation().walk([&](graph::ReduceOp sum) {
      if (sum.getMnemonic() == "sum" && isa<TensorType>(sum.getType())) next.push_back(sum);
    });
    while (!next.empty()) {
      graph::ReduceOp sum = next.pop_back_val();
      Operation *op = sum.getOperand().getDefiningOp();
      OpBuilder builder(sum);
      Value result;
      if (auto concat = dyn_cast_or_null<graph::ConcatOp>(op)) result = fromParts(builder, sum, concat, next);
      else if (auto reshape = dyn_cast_or_null<graph::ReshapeOp>(op)) result = beforeReshape(builder, sum, reshape, next);
      if (!result) continue;
      sum.getResult().replaceAllUsesWith(result);
      sum.erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createSumPartsPass() { return std::make_unique<SumParts>(); }

}  // namespace tessera::transforms
