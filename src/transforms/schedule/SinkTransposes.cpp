#include "transforms/schedule/SinkTransposes.h"
#include "ir/common/Names.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Value transposedTo(OpBuilder &builder, Value value, ArrayRef<int64_t> order) {
  SmallVector<int64_t> perm(order);
  if (auto before = value.getDefiningOp<graph::TransposeOp>()) {
    for (int64_t &axis : perm) axis = before.getPerm()[axis];
    value = before.getOperand();
  }
  if (llvm::is_sorted(perm)) return value;
  SmallVector<DimAttr> shape;
  for (int64_t axis : perm) shape.push_back(shapeOf(value.getType())[axis]);
  Type type = TensorType::get(builder.getContext(), shape, elementTypeOf(value.getType()));
  return builder.create<graph::TransposeOp>(unnamed(value.getLoc()), type, value, perm);
}

Value reshapedTo(OpBuilder &builder, Value value, Type type) {
  while (value.getType() != type && value.getDefiningOp<graph::ReshapeOp>()) value = value.getDefiningOp()->getOperand(0);
  return value.getType() == type ? value : builder.create<graph::ReshapeOp>(unnamed(value.getLoc()), type, value).getResult();
}

namespace {

/// The axes of what is repeated before the transpose, if they are in their order; where not all are, without those of one element, as a bias
/// [channels, 1, 1] has them.
std::optional<SmallVector<int64_t>> axesBefore(graph::BroadcastOp repeated, graph::TransposeOp turn) {
  SmallVector<int64_t> all, longer;
  for (auto [axis, extent] : llvm::zip(repeated.getAxes(), shapeOf(repeated.getOperand().getType()))) {
    all.push_back(turn.getPerm()[axis]);
    if (!isUnit(extent)) longer.push_back(all.back());
  }
  if (llvm::is_sorted(all)) return all;
  return !longer.empty() && llvm::is_sorted(longer) ? std::optional(longer) : std::nullopt;
}

/// An operand of what is done on a transposed value, in the order before it; null where that cannot be had for nothing.
Value before(OpBuilder &builder, Value operand, graph::TransposeOp turn) {
  Type type = withElementType(turn.getOperand().getType(), elementTypeOf(operand.getType()));
  if (auto other = operand.getDefiningOp<graph::TransposeOp>())
    return other.getPerm() == turn.getPerm() ? other.getOperand() : Value();
  if (auto full = operand.getDefiningOp<graph::FullOp>()) return builder.create<graph::FullOp>(operand.getLoc(), type, full.getOperand());
  auto repeated = operand.getDefiningOp<graph::BroadcastOp>();
  std::optional<SmallVector<int64_t>> axes = repeated ? axesBefore(repeated, turn) : std::nullopt;
  if (!axes) return {};
  Value from = repeated.getOperand();
  if (axes->size() < repeated.getAxes().size()) {
    SmallVector<DimAttr> shape(llvm::make_filter_range(shapeOf(from.getType()), [](DimAttr extent) { return !isUnit(extent); }));
    from = builder.create<graph::ReshapeOp>(unnamed(operand.getLoc()), TensorType::get(builder.getContext(), shape, elementTypeOf(from.getType())), from);
  }
  return builder.create<graph::BroadcastOp>(operand.getLoc(), type, from, *axes);
}

bool isReady(Value operand, graph::TransposeOp turn) {
  if (auto other = operand.getDefiningOp<graph::TransposeOp>()) return other.getPerm() == turn.getPerm();
  if (operand.getDefiningOp<graph::FullOp>()) return true;
  auto repeated = operand.getDefiningOp<graph::BroadcastOp>();
  return repeated && axesBefore(repeated, turn);
}

/// The operation on what its operands are before the transpose, transposed; null if it cannot be.
Value doneBefore(Operation *op, graph::TransposeOp turn) {
  if (!isa<graph::ElementwiseOp, graph::CastOp>(op) || shapeOf(op->getResult(0).getType()) != shapeOf(turn.getType())) return {};
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isReady(operand, turn); })) return {};
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  state.addTypes(withElementType(turn.getOperand().getType(), elementTypeOf(op->getResult(0).getType())));
  for (Value operand : op->getOperands()) state.addOperands(before(builder, operand, turn));
  return builder.create<graph::TransposeOp>(unnamed(op->getLoc()), op->getResult(0).getType(), builder.create(state)->getResult(0), turn.getPermAttr());
}

}  // namespace

/// Axes of values, cut or not, in another order.
static SmallVector<graph::TransposeOp> transposesOf(ArrayRef<Value> of) {
  SmallVector<Value> values(of);
  SmallVector<graph::TransposeOp> found;
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto turn = dyn_cast<graph::TransposeOp>(user)) found.push_back(turn);
      else if (isa<graph::ReshapeOp>(user)) values.push_back(user->getResult(0));
    }
  return found;
}

static void joinReshapes(graph::FuncOp function) {
  function.walk([](graph::ReshapeOp reshape) {
    if (!reshape.getOperand().getDefiningOp<graph::ReshapeOp>() && reshape.getOperand().getType() != reshape.getType()) return;
    OpBuilder builder(reshape);
    reshape.getResult().replaceAllUsesWith(reshapedTo(builder, reshape.getOperand(), reshape.getType()));
    reshape.erase();
  });
}

/// What is done element by element under another shape of the value, in the shape of the value; null if it needs more than that.
static Value doneBefore(Operation *op, graph::ReshapeOp reshape) {
  if (!isa<graph::ElementwiseOp, graph::CastOp>(op) || shapeOf(op->getResult(0).getType()) != shapeOf(reshape.getType())) return {};
  auto isReady = [&](Value operand) { return operand == reshape.getResult() || operand.getDefiningOp<graph::FullOp>(); };
  if (!llvm::all_of(op->getOperands(), isReady)) return {};
  OpBuilder builder(op);
  auto typeOf = [&](Value value) { return withElementType(reshape.getOperand().getType(), elementTypeOf(value.getType())); };
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  state.addTypes(typeOf(op->getResult(0)));
  for (Value operand : op->getOperands()) {
    auto full = operand.getDefiningOp<graph::FullOp>();
    state.addOperands(full ? builder.create<graph::FullOp>(full.getLoc(), typeOf(full), full.getOperand()).getResult() : reshape.getOperand());
  }
  Value made = builder.create(state)->getResult(0);
  op->getResult(0).replaceAllUsesWith(builder.create<graph::ReshapeOp>(unnamed(op->getLoc()), op->getResult(0).getType(), made));
  op->erase();
  return made;
}

static void sinkReshapes(ArrayRef<graph::TransposeOp> turns) {
  SmallVector<Value> open = llvm::map_to_vector(turns, [](graph::TransposeOp turn) { return Value(turn.getResult()); });
  for (size_t i = 0; i < open.size(); ++i) {
    SmallVector<graph::ReshapeOp> reshapes;
    for (Operation *user : open[i].getUsers())
      if (auto reshape = dyn_cast<graph::ReshapeOp>(user)) reshapes.push_back(reshape);
    for (graph::ReshapeOp reshape : reshapes)
      for (Operation *user : llvm::make_early_inc_range(reshape->getUsers()))
        if (Value made = doneBefore(user, reshape)) open.push_back(made);
  }
}

void sinkTransposes(graph::FuncOp function, ArrayRef<Value> values) {
  joinReshapes(function);
  SmallVector<graph::TransposeOp> open = transposesOf(values);
  sinkReshapes(open);
  joinReshapes(function);
  llvm::DenseSet<Operation *> gone;
  for (size_t i = 0; i < open.size(); ++i) {
    graph::TransposeOp turn = open[i];
    if (gone.contains(turn)) continue;
    for (Operation *user : llvm::make_early_inc_range(turn->getUsers())) {
      if (user->getBlock() != turn->getBlock()) continue;
      OpBuilder builder(user);
      auto again = dyn_cast<graph::TransposeOp>(user);
      Value made = again ? transposedTo(builder, turn.getResult(), again.getPerm()) : doneBefore(user, turn);
      if (!made) continue;
      if (auto next = made.getDefiningOp<graph::TransposeOp>()) open.push_back(next);
      gone.insert(user);
      user->getResult(0).replaceAllUsesWith(made);
      user->erase();
    }
  }
  joinReshapes(function);
}

}  // namespace tessera::transforms
