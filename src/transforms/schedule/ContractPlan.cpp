// Which values have to be in memory so that every product of a function is one kernel: what its operands read, what its
// sums become before they are stored, and what that reads.
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool hasTiles(graph::DotOp dot) {
  auto isNumber = [](Value value) {
    Type element = elementTypeOf(value.getType());
    return isa<FloatType>(element) || (isa<IntegerType>(element) && !element.isInteger(1));
  };
  return isNumber(dot.getLhs()) && isNumber(dot.getRhs()) && isNumber(dot.getResult());
}

namespace {

/// A tile of the product: a point along the leading axes.
AxisKinds tileKinds(Value product) {
  AxisKinds kinds(shapeOf(product.getType()).size(), AxisKind::Private);
  kinds.back() = kinds[kinds.size() - 2] = AxisKind::Range;
  return kinds;
}

/// Only finds elements elsewhere.
bool isMovement(Operation *op) {
  return isa<graph::TransposeOp, graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp>(op);
}

/// A few instructions of the machine an element. An operand's element is computed once for each tile across.
bool isCheap(Operation *op) {
  if (isa<graph::CastOp, graph::FullOp, graph::ConstantOp, graph::DimOp, graph::IotaOp, graph::ExtractOp>(op) || isMovement(op)) return true;
  auto elementwise = dyn_cast<graph::ElementwiseOp>(op);
  return elementwise &&
         llvm::is_contained({"add", "sub", "mul", "neg", "abs", "min", "max", "select", "lt", "le", "gt", "ge", "eq", "ne",
                             "and", "or", "not", "xor", "shl", "shr"},
                            elementwise.getMnemonic());
}

int64_t bitsOf(Type type) {
  Type element = elementTypeOf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

bool isElementByElement(Operation *op, Type shape) {
  return isa<graph::ElementwiseOp, graph::CastOp>(op) && shapeOf(op->getResult(0).getType()) == shapeOf(shape);
}

}  // namespace

// ---------------------------------------------------------------- operands

/// The work on an operand costs less than a kernel of its own would, which writes it and has it read again. `read`: the
/// bits read for an element of it.
bool FunctionScheduler::isPrologue(Value value, const AxisKinds &kinds, size_t rank, int64_t &read) {
  if (isStored(value)) {
    if (longAxes(value.getType()).size() >= rank) read += bitsOf(value.getType());
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!isCheap(op)) return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isArray = isa<TensorType>(operand.getType());
    std::optional<AxisKinds> inner = isArray ? operandAxes(op, i, kinds) : AxisKinds();
    if (!inner || !isPrologue(operand, *inner, rank, read)) return false;
  }
  return true;
}

void FunctionScheduler::prepareOperands(graph::DotOp dot) {
  for (unsigned i : {0, 1}) prepareOperand(dot->getOperand(i), *operandAxes(dot, i, tileKinds(dot)));
}

void FunctionScheduler::prepareOperand(Value value, const AxisKinds &kinds) {
  if (isStored(value)) return;
  Operation *op = value.getDefiningOp();
  if (isMovement(op))
    if (std::optional<AxisKinds> inner = operandAxes(op, 0, kinds))
      return prepareOperand(op->getOperand(0), *inner);
  int64_t read = 0, written = bitsOf(value.getType());
  bool isFused = value.hasOneUse() && isPrologue(value, kinds, longAxes(value.getType()).size(), read) &&
                 10 * read <= 11 * written;
  markIf(!isFused, value);
}

// ---------------------------------------------------------------- what follows a product

/// The last value through which all uses of a product go, element by element: it is stored instead of the sums.
Value FunctionScheduler::storedFor(graph::DotOp dot) {
  Value best = dot.getResult();
  llvm::DenseMap<Value, size_t> open;  // what is made of the product: uses that are not reached yet
  auto usesOf = [](Value value) { return static_cast<size_t>(std::distance(value.use_begin(), value.use_end())); };
  open[best] = usesOf(best);
  for (Operation *op = dot->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::any_of(open, [&](auto &entry) { return isStored(entry.first); })) return best;
    bool uses = llvm::any_of(op->getOperands(), [&](Value operand) { return open.count(operand); });
    if (!uses) continue;
    if (!isElementByElement(op, dot.getType())) return best;
    for (Value operand : op->getOperands())
      if (auto entry = open.find(operand); entry != open.end() && --entry->second == 0) open.erase(entry);
    open[op->getResult(0)] = usesOf(op->getResult(0));
    if (open.size() == 1) best = op->getResult(0);
  }
  return best;
}

/// What a tile of `value` needs is in memory, or can be computed for the tile; `dot` is added up in the kernel itself.
void FunctionScheduler::prepareTile(Value value, const AxisKinds &kinds, Value dot) {
  if (value == dot || isStored(value)) return;
  Operation *op = value.getDefiningOp();
  if (isa<graph::ConstantOp, graph::DimOp, graph::IotaOp>(op)) return;
  SmallVector<AxisKinds> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isArray = isa<TensorType>(operand.getType());
    std::optional<AxisKinds> inner = isArray ? operandAxes(op, i, kinds) : AxisKinds();
    if (!inner || llvm::is_contained(*inner, AxisKind::Whole) || isa<graph::DotOp, graph::ReduceOp>(op))
      return markIf(true, value);
    operands.push_back(*inner);
  }
  for (auto [operand, inner] : llvm::zip(op->getOperands(), operands)) prepareTile(operand, inner, dot);
}

void FunctionScheduler::planProducts(Block &block) {
  for (auto dot : block.getOps<graph::DotOp>()) {
    if (dot->use_empty()) continue;
    if (!hasTiles(dot)) {
      markIf(!dot->hasOneUse(), dot.getResult());
      continue;
    }
    Value stored = storedFor(dot);
    markIf(true, stored);
    roots_.erase(stored);
    prepareTile(stored, tileKinds(stored), dot.getResult());
    markIf(true, stored);
  }
}

/// The product whose tiles a root is made of; null if it is no such root.
graph::DotOp FunctionScheduler::productOf(Value root) {
  if (auto dot = root.getDefiningOp<graph::DotOp>()) return hasTiles(dot) ? dot : graph::DotOp();
  Operation *op = root.getDefiningOp();
  if (!op || !isElementByElement(op, root.getType())) return {};
  for (Value operand : op->getOperands())
    if (!isStored(operand))
      if (graph::DotOp dot = productOf(operand)) return dot;
  return {};
}

}  // namespace tessera::transforms
