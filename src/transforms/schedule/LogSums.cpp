#include "transforms/schedule/LogSums.h"
#include "ir/common/Names.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isElementwise(Operation *op, StringRef mnemonic) {
  auto element = dyn_cast_or_null<graph::ElementwiseOp>(op);
  return element && element.getMnemonic() == mnemonic;
}

/// The operation that gives a number of each row, which `value` repeats along the last axis; null if it is none.
graph::BroadcastOp spreadRows(Value value) {
  auto spread = value.getDefiningOp<graph::BroadcastOp>();
  if (!spread || longShape(spread.getOperand().getType()).empty()) return {};
  int64_t last = static_cast<int64_t>(shapeOf(spread.getType()).size()) - 1;
  for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(spread.getOperand().getType())))
    if (axis == last && !isUnit(extent)) return {};
  return spread;
}

Value withoutShape(Value value) {
  while (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp>(value.getDefiningOp())) value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<double> numberIn(Value value) {
  auto full = withoutShape(value).getDefiningOp<graph::FullOp>();
  auto constant = full ? full.getOperand().getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// Rows that are spread in the block of `value`: what is made of both stands behind the later one.
bool areSpreadBeside(Value value, Value spread) { return spreadRows(spread) && spread.getParentBlock() == value.getParentBlock(); }

/// exp(x - a), a of each row.
bool isPower(Value value) {
  Operation *op = value.getDefiningOp(), *difference = isElementwise(op, "exp") ? op->getOperand(0).getDefiningOp() : nullptr;
  return isElementwise(difference, "sub") && areSpreadBeside(value, difference->getOperand(1));
}

/// Whether sums of these powers have a logarithm: at least a number is chosen, or one of the powers is 1, as a is the largest x.
/// Rows of -INF alone have the sum 0, which divides nothing else than 0.
bool havePositiveSums(Value power, Value sums) {
  Value numbers = withoutShape(sums);
  if (isElementwise(numbers.getDefiningOp(), "max"))
    return llvm::any_of(numbers.getDefiningOp()->getOperands(), [](Value operand) { return numberIn(operand).value_or(0) > 0; });
  auto reduce = numbers.getDefiningOp<graph::ReduceOp>();
  if (!reduce || reduce.getMnemonic() != "sum" || reduce.getOperand() != power) return false;
  Operation *difference = power.getDefiningOp()->getOperand(0).getDefiningOp();
  Value pivot = withoutShape(difference->getOperand(1));
  if (isElementwise(pivot.getDefiningOp(), "select")) pivot = withoutShape(pivot.getDefiningOp()->getOperand(1));
  auto largest = pivot.getDefiningOp<graph::ReduceOp>();
  return largest && largest.getMnemonic() == "max" && largest.getOperand() == difference->getOperand(0);
}

/// What all powers of a value are divided by somewhere: the sums, spread along the rows.
Value sumsOf(Value power) {
  for (Operation *user : power.getUsers())
    if (isElementwise(user, "div") && user->getOperand(0) == power && areSpreadBeside(power, user->getOperand(1)) && havePositiveSums(power, user->getOperand(1)))
      return user->getOperand(1);
  return {};
}

bool areSame(Value sums, Value other) {
  graph::BroadcastOp one = spreadRows(sums), two = spreadRows(other);
  return sums == other || (one && two && one.getOperand() == two.getOperand() && one.getAxes() == two.getAxes());
}

/// The later of two operations of a block.
Operation *later(Value one, Value two) {
  Operation *first = one.getDefiningOp(), *second = two.getDefiningOp();
  return first->isBeforeInBlock(second) ? second : first;
}

}  // namespace

Value LogSums::rewritten(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(op)) return value;
  if (auto found = known_.find(value); found != known_.end()) return found->second;
  Value result = made(op);
  return known_[value] = result;
}

Value LogSums::made(Operation *op) {
  if (isElementwise(op, "div"))
    if (Value weights = divided(op->getOperand(0), op->getOperand(1))) return weights;
  if (isElementwise(op, "mul"))
    for (unsigned power : {1U, 0U}) {
      Value sums = isPower(op->getOperand(power)) ? sumsOf(op->getOperand(power)) : Value();
      builder_.setInsertionPointAfter(op);
      if (Value terms = sums ? timesSums(op->getOperand(1 - power), sums) : Value())
        return elementwise("mul", {terms, weightOf(op->getOperand(power), sums)}, op->getLoc());
    }
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return rewritten(operand); });
  if (llvm::equal(operands, op->getOperands())) return op->getResult(0);
  builder_.setInsertionPointAfter(op);
  Operation *copy = builder_.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(0);
}

/// exp(x - a) over its sums.
Value LogSums::weightOf(Value power, Value sums) {
  Value &known = weights_[power];
  if (known) return known;
  Operation *difference = power.getDefiningOp()->getOperand(0).getDefiningOp();
  Value pivots = difference->getOperand(1);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointAfter(later(later(pivots, sums)->getResult(0), power));
  Location line = unnamed(power.getLoc());
  Rows a = rowsOf(pivots), d = rowsOf(sums);
  Value log = elementwise("log", d.value, line);
  Value all = elementwise("add", {a.value, log}, named("log_sum", line));
  Value each = elementwise("sub", {difference->getOperand(0), spread({all, a.axes}, power, line)}, unnamed(difference->getLoc()));
  return known = elementwise("exp", each, power.getLoc());
}

/// A value over sums, where it is powers, or chosen or negative ones; null elsewhere.
Value LogSums::divided(Value value, Value sums) {
  if (isPower(value)) return sumsOf(value) && areSame(sumsOf(value), sums) ? weightOf(value, sums) : Value();
  Operation *op = value.getDefiningOp();
  if (!isElementwise(op, "neg")) return {};
  Value inner = divided(op->getOperand(0), sums);
  builder_.setInsertionPointAfter(later(op->getResult(0), sums));
  return inner ? elementwise("neg", inner, op->getLoc()) : Value();
}

/// Terms times sums, where that takes no more work for each element than the terms alone; null elsewhere. Made where the builder stands.
Value LogSums::timesSums(Value terms, Value sums) {
  if (spreadRows(terms)) {
    Rows each = rowsOf(terms), all = rowsOf(sums);
    if (each.axes != all.axes) return {};
    return spread({elementwise("mul", {each.value, all.value}, named(nameHint(each.value), unnamed(terms.getLoc()))), each.axes}, terms, unnamed(terms.getLoc()));
  }
  Operation *op = terms.getDefiningOp();
  auto element = dyn_cast_or_null<graph::ElementwiseOp>(op);
  if (!element) return {};
  StringRef what = element.getMnemonic();
  if (what == "div") return areSame(op->getOperand(1), sums) ? rewritten(op->getOperand(0)) : Value();
  if (what != "add" && what != "sub" && what != "neg") return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!operands.emplace_back(timesSums(operand, sums))) return {};
  return elementwise(what, operands, op->getLoc());
}

/// Without axes of one element.
LogSums::Rows LogSums::rowsOf(Value value) {
  graph::BroadcastOp spread = spreadRows(value);
  Value rows = spread.getOperand();
  SmallVector<int64_t> axes;
  for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(rows.getType())))
    if (!isUnit(extent)) axes.push_back(axis);
  Type type = TensorType::get(builder_.getContext(), longShape(rows.getType()), elementTypeOf(rows.getType()));
  if (type != rows.getType()) rows = builder_.create<graph::ReshapeOp>(rows.getLoc(), type, rows);
  return {rows, axes};
}

Value LogSums::spread(const Rows &rows, Value whole, Location loc) {
  Type type = TensorType::get(builder_.getContext(), shapeOf(whole.getType()), elementTypeOf(rows.value.getType()));
  return builder_.create<graph::BroadcastOp>(loc, type, rows.value, rows.axes);
}

Value LogSums::elementwise(StringRef mnemonic, ValueRange operands, Location loc) {
  return builder_.create<graph::ElementwiseOp>(loc, operands.front().getType(), mnemonic, operands);
}

}  // namespace tessera::transforms
