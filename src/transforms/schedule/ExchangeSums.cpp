// Sums of rows of a product with weights, where the product of the weights is there already.
//
//   sum_j w[i, j] * (sum_d g[i, d] * v[j, d])   is   sum_d g[i, d] * (sum_j w[i, j] * v[j, d])
//
// The derivative of a softmax asks for the left one, a pass over all columns j. The inner sum of the right one, o = w @ v, is
// what attention gave, so that each row is a sum of as many products as a head has elements (R12). FlashAttention-2 (Dao, 2023,
// section 3.1) calls it D = rowsum(dO * O). Where a program asks for derivatives alone, GPUs compute o for it.
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "support/Ops.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Turn.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kLongestRow = 512;  // of o, where the number of columns of w is known only at run time

int64_t lastAxis(Value value) { return static_cast<int64_t>(shapeOf(value.getType()).size()) - 1; }

/// What is one number for each row: its value without the last axis, made at `builder`, or null.
Value rowOf(OpBuilder &builder, Value value, Type rows) {
  if (auto full = value.getDefiningOp<graph::FullOp>()) return builder.create<graph::FullOp>(value.getLoc(), rows, full.getOperand());
  auto repeated = value.getDefiningOp<graph::BroadcastOp>();
  if (!repeated) return {};
  Value from = repeated.getOperand();
  ArrayRef<DimAttr> shape = shapeOf(from.getType()), wanted = shapeOf(rows);
  for (auto [i, axis] : llvm::enumerate(repeated.getAxes()))
    if (axis != static_cast<int64_t>(i)) return {};
  if (shape == wanted) return from;
  bool isColumn = shape.size() == wanted.size() + 1 && isUnit(shape.back()) && shape.drop_back() == wanted;
  return isColumn ? builder.create<graph::ReshapeOp>(value.getLoc(), rows, from) : Value();
}

/// What a value is multiplied by, or divided by, row by row.
struct Factor {
  Operation *op;  // neg, mul or div
  Value row;      // null for neg
};

/// A value that is another one, row by row times something.
struct Scaled {
  Value value;
  SmallVector<Factor> factors;
};

/// One step from a scaled value to what is scaled; false if there is none.
bool peel(OpBuilder &builder, Scaled &scaled, Type rows) {
  auto op = scaled.value.getDefiningOp<graph::ElementwiseOp>();
  if (!op || elementTypeOf(op.getType()) != elementTypeOf(rows)) return false;
  std::optional<ElementwiseOp> kind = elementwiseByMnemonic(op.getMnemonic());
  if (kind == ElementwiseOp::Neg) {
    scaled.factors.push_back({op, {}});
    scaled.value = op->getOperand(0);
    return true;
  }
  if (kind != ElementwiseOp::Mul && kind != ElementwiseOp::Div) return false;
  for (unsigned other : {1U, 0U}) {
    if (kind == ElementwiseOp::Div && other == 0) break;
    Value row = rowOf(builder, op->getOperand(other), rows);
    if (!row) continue;
    scaled.factors.push_back({op, row});
    scaled.value = op->getOperand(1 - other);
    return true;
  }
  return false;
}

/// A value of which the function goes on with the transpose alone is stored as that, and read from there.
Value inOrderOfMemory(OpBuilder &builder, Value value, llvm::function_ref<bool(Operation *)> isBefore) {
  auto transpose = value.hasOneUse() ? dyn_cast<graph::TransposeOp>(*value.user_begin()) : graph::TransposeOp();
  if (!transpose || !isBefore(transpose)) return value;
  SmallVector<int64_t> back(transpose.getPerm().size());
  for (auto [i, axis] : llvm::enumerate(transpose.getPerm())) back[axis] = static_cast<int64_t>(i);
  return builder.create<graph::TransposeOp>(value.getLoc(), value.getType(), transpose.getResult(), builder.getDenseI64ArrayAttr(back));
}

/// `w @ v`, in the dtype of v if that is what the function goes on with, where it is known at `place`; null if nobody asks for it.
Value productWith(OpBuilder &builder, Value weights, Value v, Operation *place) {
  auto isBefore = [&](Operation *op) { return op->getBlock() == place->getBlock() && op->isBeforeInBlock(place); };
  auto find = [&](Value left) -> Value {
    for (Operation *user : left.getUsers()) {
      auto dot = dyn_cast<graph::DotOp>(user);
      if (!dot || dot.getLhs() != left || dot.getRhs() != v || !isBefore(dot)) continue;
      for (Operation *rounded : dot->getUsers())
        if (isa<graph::CastOp>(rounded) && elementTypeOf(rounded->getResult(0).getType()) == elementTypeOf(v.getType()) && isBefore(rounded))
          return inOrderOfMemory(builder, rounded->getResult(0), isBefore);
      return inOrderOfMemory(builder, dot.getResult(), isBefore);
    }
    return {};
  };
  if (Value found = find(weights)) return found;
  for (Operation *user : weights.getUsers())
    if (auto cast = dyn_cast<graph::CastOp>(user))
      if (Value found = find(cast.getResult())) return found;
  return {};
}

/// `w @ v` for a softmax w that the program rounds to the dtype of v for another product, as the derivative of attention does, where a
/// chain adds it up (Chain.h): that goes over the scores once, and finds the largest score and the sum of each row on the way, for which
/// there would be two sweeps more. Null where it would cost more than the sum.
Value productOfSoftmax(OpBuilder &builder, Value weights, Value v, graph::DotOp like, Operation *place) {
  const Machine *machine = machineOf(place);
  if (!machine || machine->family == Target::Cpu) return {};  // scores are stored there
  for (Operation *user : weights.getUsers()) {
    auto rounded = dyn_cast<graph::CastOp>(user);
    if (!rounded || rounded->getBlock() != place->getBlock() || !rounded->isBeforeInBlock(place) || elementTypeOf(rounded.getType()) != elementTypeOf(v.getType())) continue;
    SmallVector<DimAttr> shape(shapeOf(weights.getType()));
    shape.back() = shapeOf(v.getType()).back();
    Type type = TensorType::get(builder.getContext(), shape, elementTypeOf(like.getType()));
    auto dot = builder.create<graph::DotOp>(unnamed(like.getLoc()), type, rounded.getResult(), v);
    std::optional<Chain> chain = chainOf(dot, /*open=*/true);
    bool isReturned = !chain || llvm::any_of(chain->body, [](Operation *op) {
      return llvm::any_of(op->getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
    });
    if (!isReturned) return dot.getResult();
    dot->erase();
  }
  return {};
}

/// Whether rows of the one are so much shorter than those of the other that a pass over them is worth it.
bool isShorter(graph::FuncOp function, DimAttr row, DimAttr other) {
  std::optional<int64_t> count = row.getConstant(), replaced = other.getConstant();
  if (!count && row.getDim().isVar()) count = greatestOf(row.getDim().varName(), function.getRequirements());
  return count && *count <= replaced.value_or(kLongestRow);
}

Value byElement(OpBuilder &builder, Operation *like, ValueRange operands) {
  OperationState state(like->getLoc(), like->getName(), operands, TypeRange{operands[0].getType()}, like->getAttrs());
  return builder.create(state)->getResult(0);
}

/// What `find` gives for a value, or for one that it is row by row times something; null where it finds nothing.
Value leftOf(OpBuilder &builder, Scaled &left, Type rows, llvm::function_ref<Value(Value)> find) {
  do
    if (Value found = find(left.value)) return found;
  while (peel(builder, left, rows));
  return {};
}

/// The sum over a row of the products of two values, of which `product` is one of matrices, maybe scaled; null if it stays.
Value exchanged(OpBuilder &builder, graph::ReduceOp sum, Value product, Value weights) {
  Type rows = sum.getType();
  Scaled right{product, {}}, left{weights, {}};
  while (!right.value.getDefiningOp<graph::DotOp>())
    if (!peel(builder, right, rows)) return {};
  auto dot = right.value.getDefiningOp<graph::DotOp>();
  Operation *turn = dot.getRhs().getDefiningOp();
  if (!isTurn(turn)) return {};
  Value v = turn->getOperand(0);
  if (!isShorter(sum->getParentOfType<graph::FuncOp>(), shapeOf(v.getType()).back(), shapeOf(dot.getType()).back())) return {};
  Value o = leftOf(builder, left, rows, [&](Value value) { return productWith(builder, value, v, sum); });
  if (!o) o = leftOf(builder, left = {weights, {}}, rows, [&](Value value) { return productOfSoftmax(builder, value, v, dot, sum); });
  if (!o) return {};
  Type carried = elementTypeOf(rows);
  Value read = inDType(builder, dot.getLhs().getLoc(), dot.getLhs(), carried), made = inDType(builder, o.getLoc(), o, carried);
  Value terms = builder.create<graph::ElementwiseOp>(sum.getLoc(), made.getType(), "mul", ValueRange{read, made});
  Value result = builder.create<graph::ReduceOp>(sum.getLoc(), rows, "sum", terms, builder.getDenseI64ArrayAttr({lastAxis(terms)}));
  for (const auto &factors : {left.factors, right.factors})
    for (const Factor &factor : llvm::reverse(factors))
      result = factor.row ? byElement(builder, factor.op, {result, factor.row}) : byElement(builder, factor.op, {result});
  return result;
}

struct ExchangeSums : PassWrapper<ExchangeSums, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExchangeSums)
  StringRef getArgument() const override { return "graph-exchange-sums"; }
  StringRef getDescription() const override { return "sums of rows of products from products that are there already"; }
  void runOnOperation() override {
    SmallVector<graph::ReduceOp> sums;
    getOperation().walk([&](graph::ReduceOp op) {
      if (op.getMnemonic() == "sum" && op.getAxes() == ArrayRef<int64_t>{lastAxis(op.getOperand())}) sums.push_back(op);
    });
    for (graph::ReduceOp sum : sums) {
      auto mul = sum.getOperand().getDefiningOp<graph::ElementwiseOp>();
      if (!mul || elementwiseByMnemonic(mul.getMnemonic()) != ElementwiseOp::Mul || !isa<TensorType>(sum.getType())) continue;
      OpBuilder builder(sum);
      Value made = exchanged(builder, sum, mul->getOperand(0), mul->getOperand(1));
      if (!made) made = exchanged(builder, sum, mul->getOperand(1), mul->getOperand(0));
      if (!made) continue;
      sum.getResult().replaceAllUsesWith(made);
    }
    if (!sums.empty()) eraseUnused(getOperation());  // passes ask who reads a product
  }
};

}  // namespace

std::unique_ptr<Pass> createExchangeSumsPass() { return std::make_unique<ExchangeSums>(); }

}  // namespace tessera::transforms
