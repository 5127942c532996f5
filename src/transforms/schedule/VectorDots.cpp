// Products of which an axis has one element - a matrix times a vector, two vectors - as multiplications and
// sums. What is left then are products that make tiles of both operands worth while.
#include "ir/common/Names.h"
#include "mlir/IR/BuiltinTypes.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Turn.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class Expander {
public:
  Expander(graph::DotOp dot)
      : dot_(dot), builder_(dot), loc_(dot.getLoc()), result_(cast<TensorType>(dot.getType())),
        rank_(result_.getShape().size()) {}

  Value run() {
    DimAttr m = result_.getShape()[rank_ - 2], n = result_.getShape()[rank_ - 1];
    DimAttr k = shapeOf(dot_.getLhs().getType())[rank_ - 1];
    Value a = carried(dot_.getLhs()), b = carried(dot_.getRhs());
    if (isUnit(k)) return multiplied(spread(a, m, n), spread(b, m, n), loc_);
    // A transposed matrix is added up as it lies.
    if (Value stored = isUnit(n) ? untransposed(dot_.getLhs()) : Value())
      return summed(multiplied(spread(b, k, m), carried(stored), dot_.getLhs().getLoc()), rank_ - 2);
    if (Value stored = isUnit(n) ? Value() : untransposed(dot_.getRhs()))
      return summed(multiplied(spread(a, n, k), carried(stored), dot_.getRhs().getLoc()), rank_ - 1);
    if (isUnit(n)) return summed(multiplied(a, spread(turned(b), m, k), dot_.getLhs().getLoc()), rank_ - 1);
    return summed(multiplied(spread(turned(a), k, n), b, dot_.getRhs().getLoc()), rank_ - 2);
  }

private:
  TensorType typeOf(DimAttr rows, DimAttr cols) {
    SmallVector<DimAttr> shape(result_.getShape());
    shape[rank_ - 2] = rows;
    shape[rank_ - 1] = cols;
    return TensorType::get(dot_.getContext(), shape, result_.getElementType());
  }
  /// In the dtype in which the products are added up.
  Value carried(Value value) { return inDType(builder_, loc_, value, result_.getElementType()); }
  Value turned(Value value) {
    SmallVector<int64_t> perm(rank_);
    for (size_t i = 0; i < rank_; ++i) perm[i] = static_cast<int64_t>(i);
    std::swap(perm[rank_ - 2], perm[rank_ - 1]);
    ArrayRef<DimAttr> shape = shapeOf(value.getType());
    return builder_.create<graph::TransposeOp>(loc_, typeOf(shape[rank_ - 1], shape[rank_ - 2]), value,
                                               builder_.getDenseI64ArrayAttr(perm));
  }
  /// The matrices whose rows and columns a transpose swaps; null if `value` is no such transpose.
  Value untransposed(Value value) {
    Operation *op = value.getDefiningOp();
    return isTurn(op) ? op->getOperand(0) : Value();
  }
  Value spread(Value value, DimAttr rows, DimAttr cols) {
    TensorType type = typeOf(rows, cols);
    if (value.getType() == type) return value;
    SmallVector<int64_t> axes(rank_);
    for (size_t i = 0; i < rank_; ++i) axes[i] = static_cast<int64_t>(i);
    return builder_.create<graph::BroadcastOp>(loc_, type, value, builder_.getDenseI64ArrayAttr(axes));
  }
  /// `like`: the location of a value of the products' shape.
  Value multiplied(Value a, Value b, Location like) {
    return builder_.create<graph::ElementwiseOp>(withSizesOf(like, loc_), a.getType(), "mul",
                                                 ValueRange{a, b});
  }
  Value summed(Value products, size_t axis) {
    SmallVector<DimAttr> shape(shapeOf(products.getType()));
    shape.erase(shape.begin() + axis);
    Type type = TensorType::get(dot_.getContext(), shape, result_.getElementType());
    Value sums = builder_.create<graph::ReduceOp>(loc_, type, "sum", products,
                                                  builder_.getDenseI64ArrayAttr(static_cast<int64_t>(axis)));
    return builder_.create<graph::ReshapeOp>(loc_, result_, sums);
  }

  graph::DotOp dot_;
  OpBuilder builder_;
  Location loc_;
  TensorType result_;
  size_t rank_;
};

}  // namespace

void expandVectorDots(Operation *function) {
  SmallVector<graph::DotOp> dots;
  function->walk([&](graph::DotOp dot) {
    ArrayRef<DimAttr> shape = shapeOf(dot.getType());
    bool thin = isUnit(shape[shape.size() - 2]) || isUnit(shape.back()) ||
                isUnit(shapeOf(dot.getLhs().getType()).back());
    if (thin && !dot.hasTerm()) dots.push_back(dot);
  });
  for (graph::DotOp dot : dots) {
    dot.replaceAllUsesWith(Expander(dot).run());
    dot.erase();
  }
}

}  // namespace tessera::transforms
