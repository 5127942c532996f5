#include "transforms/schedule/SinkTransposes.h"
#include "ir/common/Names.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Unused.h"
#include "llvm/ADT/SetVector.h"

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

/// Axes that a reshape makes of others, which hold as many elements: those of more than one, from and to.
struct AxesOfReshape {
  SmallVector<int64_t, 2> from, to;
};

/// The smallest groups, in their order; nothing where the extents do not say them.
std::optional<SmallVector<AxesOfReshape>> groupsOf(Type from, Type to) {
  SmallVector<int64_t> before = longAxes(from), after = longAxes(to);
  SmallVector<AxesOfReshape> groups;
  size_t i = 0, j = 0;
  while (i < before.size() && j < after.size()) {
    AxesOfReshape group{{before[i]}, {after[j]}};
    Dim held = shapeOf(from)[before[i++]].getDim(), made = shapeOf(to)[after[j++]].getDim();
    for (; i < before.size() && !(held == made); group.from.push_back(before[i++])) held = held * shapeOf(from)[before[i]].getDim();
    if (!(held == made)) {  // one axis, cut
      i -= group.from.size() - 1;
      group.from.truncate(1);
      held = shapeOf(from)[group.from[0]].getDim();
      for (; j < after.size() && !(held == made); group.to.push_back(after[j++])) made = made * shapeOf(to)[after[j]].getDim();
      if (!(held == made)) return std::nullopt;
    }
    groups.push_back(group);
  }
  return i == before.size() && j == after.size() ? std::optional(groups) : std::nullopt;
}

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

Value reshapedBefore(OpBuilder &builder, graph::TransposeOp turn, Type type) {
  std::optional<SmallVector<AxesOfReshape>> groups = groupsOf(turn.getType(), type);
  if (!groups || llvm::all_of(*groups, [](const AxesOfReshape &group) { return group.from.size() == 1 && group.to.size() == 1; })) return {};
  ArrayRef<int64_t> perm = turn.getPerm();
  SmallVector<int64_t> lie = longAxes(turn.getOperand().getType());
  auto placeOf = [&](int64_t axis) { return llvm::find(lie, perm[axis]) - lie.begin(); };  // of an axis of the transposed value
  for (const AxesOfReshape &group : *groups)
    for (size_t i = 1; i < group.from.size(); ++i)
      if (placeOf(group.from[i]) != placeOf(group.from[i - 1]) + 1) return {};
  SmallVector<size_t> inMemory = llvm::to_vector(llvm::seq<size_t>(0, groups->size()));
  llvm::sort(inMemory, [&](size_t a, size_t b) { return placeOf((*groups)[a].from[0]) < placeOf((*groups)[b].from[0]); });
  SmallVector<DimAttr> shape;
  SmallVector<int64_t> first(groups->size());
  for (size_t group : inMemory) {
    first[group] = static_cast<int64_t>(shape.size());
    for (int64_t axis : (*groups)[group].to) shape.push_back(shapeOf(type)[axis]);
  }
  SmallVector<int64_t> order;
  for (auto [group, axes] : llvm::enumerate(*groups))
    for (size_t i = 0; i < axes.to.size(); ++i) order.push_back(first[group] + static_cast<int64_t>(i));
  Value apart = reshapedTo(builder, turn.getOperand(), TensorType::get(builder.getContext(), shape, elementTypeOf(type)));
  return reshapedTo(builder, transposedTo(builder, apart, order), type);
}

Value transposedLast(OpBuilder &builder, Value value) {
  Value base = value;
  while (base.getDefiningOp<graph::ReshapeOp>()) base = base.getDefiningOp()->getOperand(0);
  auto turn = base.getDefiningOp<graph::TransposeOp>();
  Value made = turn ? reshapedBefore(builder, turn, value.getType()) : Value();
  return made ? made : value;
}

/// Axes of values, cut or not, in another order.
static SmallVector<graph::TransposeOp> transposesOf(ArrayRef<Value> of) {
  SmallVector<Value> values(of);
  SmallVector<graph::TransposeOp> found;
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto turn = dyn_cast<graph::TransposeOp>(user)) found.push_back(turn);
      else if (isa<graph::ReshapeOp, graph::CastOp>(user)) values.push_back(user->getResult(0));
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

/// Of what is made of the values: axes are cut and joined before they are put into another order, where they stay side by side.
static bool reshapeBeforeTransposes(ArrayRef<Value> of) {
  llvm::SetVector<Value> values(of.begin(), of.end());
  bool isChanged = false;
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : llvm::make_early_inc_range(values[i].getUsers())) {
      auto reshape = dyn_cast<graph::ReshapeOp>(user);
      auto turn = reshape ? reshape.getOperand().getDefiningOp<graph::TransposeOp>() : graph::TransposeOp();
      OpBuilder builder(user);
      if (Value made = turn ? reshapedBefore(builder, turn, reshape.getType()) : Value()) {
        reshape.getResult().replaceAllUsesWith(made);
        reshape.erase();
        values.insert(made);
        isChanged = true;
      } else if (isa<graph::ReshapeOp, graph::TransposeOp, graph::ElementwiseOp, graph::CastOp>(user)) {
        values.insert(user->getResult(0));
      }
    }
  return isChanged;
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

static void sinkOnce(graph::FuncOp function, ArrayRef<Value> values) {
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

/// A cast between two shapes of a product is done in the last of them.
static void castInLastShape(ArrayRef<Value> values) {
  for (Value value : values)
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      auto cut = dyn_cast<graph::ReshapeOp>(user);
      auto cast = cut && cut->hasOneUse() ? dyn_cast<graph::CastOp>(*cut->user_begin()) : graph::CastOp();
      auto reshape = cast && cast->hasOneUse() ? dyn_cast<graph::ReshapeOp>(*cast->user_begin()) : graph::ReshapeOp();
      if (!reshape) continue;
      OpBuilder builder(cast);
      cast.getOperandMutable().assign(reshapedTo(builder, value, withElementType(reshape.getType(), elementTypeOf(value.getType()))));
      cast.getResult().setType(reshape.getType());
      reshape.getResult().replaceAllUsesWith(cast.getResult());
      reshape.erase();
    }
}

void sinkTransposes(graph::FuncOp function, ArrayRef<Value> values) {
  constexpr int kMostTimes = 4;  // what went before the transposes may let others go
  sinkOnce(function, values);
  for (int time = 0; time < kMostTimes && reshapeBeforeTransposes(values); ++time) sinkOnce(function, values);
  eraseUnused(function);
  castInLastShape(values);
}

}  // namespace tessera::transforms
