#include "transforms/tile/Signs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// The same value, or the same size or number.
static bool isSameExtent(Value one, Value other) {
  if (one == other) return true;
  auto size = one.getDefiningOp<tile::DimOp>(), otherSize = other.getDefiningOp<tile::DimOp>();
  if (size && otherSize) return size.getDim() == otherSize.getDim();
  auto number = one.getDefiningOp<tile::ConstantOp>(), otherNumber = other.getDefiningOp<tile::ConstantOp>();
  return number && otherNumber && number.getValue() == otherNumber.getValue();
}

/// x - x / d * d, as places of axes are written whose quotients are known.
static bool isRemainder(Signs &signs, tile::ElementwiseOp difference) {
  auto product = difference.getArgs()[1].getDefiningOp<tile::ElementwiseOp>();
  if (!product || product.getMnemonic() != "mul" || !signs.isNonNegative(difference.getArgs()[0])) return false;
  for (unsigned i : {0, 1}) {
    auto quotient = product.getArgs()[i].getDefiningOp<tile::ElementwiseOp>();
    Value divisor = product.getArgs()[1 - i];
    if (quotient && quotient.getMnemonic() == "floordiv" && quotient.getArgs()[0] == difference.getArgs()[0] && isSameExtent(quotient.getArgs()[1], divisor))
      return signs.mayDivide(divisor) && signs.isNonNegative(divisor);
  }
  return false;
}

bool Signs::isNonNegative(Value value) {
  // A loop keeps what its start has, unless shown otherwise.
  auto [known, isNew] = known_.try_emplace(value, true);
  if (!isNew) return known->second;
  bool result = find(value);
  if (!result && isa<BlockArgument>(value)) {  // what was concluded from the assumption falls with it
    SmallVector<Value> assumed;
    for (auto [concluded, holds] : known_)
      if (holds) assumed.push_back(concluded);
    for (Value concluded : assumed) known_.erase(concluded);
  }
  known_[value] = result;
  return result;
}

/// A loop's counter is never below its start; what a loop carries has the sign of its start if each turn
/// keeps it.
bool Signs::ofArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar()) return isNonNegative(loop.getLowerBound());
    unsigned i = argument.getArgNumber() - 1;
    return isNonNegative(loop.getInitArgs()[i]) && isNonNegative(loop.getYieldedValues()[i]);
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop) return false;
  unsigned i = argument.getArgNumber();
  if (argument.getOwner() == loop.getAfterBody()) return isNonNegative(loop.getConditionOp().getArgs()[i]);
  return isNonNegative(loop.getInits()[i]) && isNonNegative(loop.getYieldOp().getOperand(i));
}

/// To 64 bits: what has no sign, or none in the type that it has.
bool Signs::ofCast(tile::CastOp cast) {
  Type from = cast.getValue().getType(), to = cast.getResult().getType();
  bool fits = isa<IndexType>(to) || to.isInteger(64);
  if (!fits || !isa<IntegerType, IndexType>(from)) return false;
  return from.isUnsignedInteger() || from.isInteger(1) || isNonNegative(cast.getValue());
}

bool Signs::find(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) return ofArgument(argument);
  Operation *op = value.getDefiningOp();
  if (isa<tile::QueryOp>(op)) return true;
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    auto parsed = Dim::parse(dim.getDim().str());
    return parsed && proves_(*parsed);
  }
  if (auto constant = dyn_cast<tile::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer && !integer.getValue().isNegative();
  }
  if (auto cast = dyn_cast<tile::CastOp>(op)) return ofCast(cast);
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  if (!elementwise) return false;
  auto known = [&](Value operand) { return isNonNegative(operand); };
  if (elementwise.getMnemonic() == "max") return llvm::any_of(elementwise.getArgs(), known);
  if (elementwise.getMnemonic() == "select") return llvm::all_of(elementwise.getArgs().drop_front(), known);
  if (elementwise.getMnemonic() == "sub") return isRemainder(*this, elementwise);
  // Sums and products of data wrap around.
  if (llvm::is_contained({"add", "mul"}, elementwise.getMnemonic()) && !isa<IndexType>(elementwise.getType())) return false;
  return llvm::is_contained({"add", "mul", "floordiv", "mod", "min", "shr"}, elementwise.getMnemonic()) &&
         llvm::all_of(elementwise.getArgs(), known);
}

namespace {
bool isOfSizes(Value root) {
  llvm::SetVector<Value> values;  // each once, however often it is used
  values.insert(root);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (op && isa<tile::DimOp, tile::ConstantOp>(op)) continue;
    if (!op || !isa<tile::CastOp, tile::ElementwiseOp>(op)) return false;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}
}  // namespace

bool Signs::mayDivide(Value divisor) { return isOfSizes(divisor) || isPositive(divisor); }

bool Signs::isPositive(Value value) {
  if (auto known = positive_.find(value); known != positive_.end()) return known->second;
  bool result = findPositive(value);
  positive_[value] = result;
  return result;
}

bool Signs::findPositive(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto query = dyn_cast_or_null<tile::QueryOp>(op)) return query.getQuery() == "group_size" || query.getQuery() == "group_count";
  if (auto dim = dyn_cast_or_null<tile::DimOp>(op)) {
    auto parsed = Dim::parse(dim.getDim().str());
    return parsed && proves_(*parsed - Dim(1));
  }
  if (auto constant = dyn_cast_or_null<tile::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer && integer.getValue().isStrictlyPositive();
  }
  if (auto cast = dyn_cast_or_null<tile::CastOp>(op)) {  // to 64 bits: it keeps its value
    Type from = cast.getValue().getType(), to = cast.getResult().getType();
    return isa<IntegerType>(from) && !from.isInteger(1) && (isa<IndexType>(to) || to.isInteger(64)) && isPositive(cast.getValue());
  }
  auto made = dyn_cast_or_null<tile::ElementwiseOp>(op);
  if (!made) return false;
  auto positive = [&](Value operand) { return isPositive(operand); };
  StringRef name = made.getMnemonic();
  if ((name == "mul" || name == "add") && !isa<IndexType>(made.getType())) return false;  // they wrap around
  if (name == "mul" || name == "min") return llvm::all_of(made.getArgs(), positive);
  if (name == "max") return llvm::any_of(made.getArgs(), positive);
  return name == "add" && llvm::any_of(made.getArgs(), positive) &&
         llvm::all_of(made.getArgs(), [&](Value operand) { return isNonNegative(operand); });
}

}  // namespace tessera::transforms
