// Operations that change nothing: reductions along axes of one element, casts there and back. And roots of numbers that are
// known: a scale of scores, `rsqrt(f32(64))`, is a number to what comes after.
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"
#include <cmath>

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

/// Of a scalar in f32 or f64, rounded to nearest; nothing where it is not known.
static FloatAttr knownRoot(graph::ElementwiseOp op) {
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  bool isRoot = op.getMnemonic() == "sqrt" || op.getMnemonic() == "rsqrt";
  auto constant = isRoot && type && (type.isF32() || type.isF64()) ? op->getOperand(0).getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  auto of = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  if (!of || !(of.getValueAsDouble() > 0) || std::isinf(of.getValueAsDouble())) return {};
  double root = std::sqrt(of.getValueAsDouble());
  return FloatAttr::get(type, op.getMnemonic() == "sqrt" ? root : 1 / root);
}

void dropWhatChangesNothing(graph::FuncOp function) {
  SmallVector<graph::ReduceOp> reductions;
  SmallVector<graph::CastOp> casts;
  SmallVector<std::pair<graph::ElementwiseOp, FloatAttr>> roots;
  function.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op); reduce && addsNothingUp(reduce)) reductions.push_back(reduce);
    if (auto cast = dyn_cast<graph::CastOp>(op); cast && goesBack(cast)) casts.push_back(cast);
    if (auto element = dyn_cast<graph::ElementwiseOp>(op))
      if (FloatAttr root = knownRoot(element)) roots.push_back({element, root});
  });
  for (auto [op, root] : roots) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(builder.create<graph::ConstantOp>(op->getLoc(), root.getType(), root));
    op->erase();
  }
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
