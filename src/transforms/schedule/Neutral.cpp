// Operations that change nothing: reductions along axes of one element, casts there and back.
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

static bool addsNothingUp(graph::ReduceOp reduce) {
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  return llvm::is_contained({"sum", "prod", "min", "max"}, reduce.getMnemonic()) && isa<TensorType>(reduce.getType()) &&
         elementTypeOf(reduce.getType()) == reduce.getOperand().getType().getElementType() &&
         llvm::all_of(reduce.getAxes(), [&](int64_t axis) { return isUnit(shape[axis]); });
}

/// f32 holds every bf16 and f16, and f64 every f32.
static bool goesBack(graph::CastOp cast) {
  auto before = cast.getOperand().getDefiningOp<graph::CastOp>();
  if (!before || before.getOperand().getType() != cast.getType() || cast.getRoundingAttr() || before.getRoundingAttr()) return false;
  Type narrow = elementTypeOf(cast.getType()), wide = elementTypeOf(before.getType());
  return ((narrow.isBF16() || narrow.isF16()) && (wide.isF32() || wide.isF64())) || (narrow.isF32() && wide.isF64());
}

void dropWhatChangesNothing(graph::FuncOp function) {
  SmallVector<graph::ReduceOp> reductions;
  SmallVector<graph::CastOp> casts;
  function.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op); reduce && addsNothingUp(reduce)) reductions.push_back(reduce);
    if (auto cast = dyn_cast<graph::CastOp>(op); cast && goesBack(cast)) casts.push_back(cast);
  });
  for (graph::ReduceOp reduce : reductions) {
    OpBuilder builder(reduce);
    reduce.replaceAllUsesWith(builder.create<graph::ReshapeOp>(reduce.getLoc(), reduce.getType(), reduce.getOperand()).getResult());
    reduce.erase();
  }
  for (graph::CastOp cast : casts) {
    auto before = cast.getOperand().getDefiningOp<graph::CastOp>();
    cast.replaceAllUsesWith(before.getOperand());
    cast.erase();
    if (before->use_empty()) before.erase();
  }
}

}  // namespace tessera::transforms
