// Which values have to be in memory so that every product of a function is one kernel: what its operands read, what its
// sums become before they are stored, and what that reads.
#include "ir/common/ProductNotes.h"
#include "support/Check.h"
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

constexpr size_t kMostProducts = 2;  // that one kernel adds up: each has sums in registers
constexpr size_t kMostBeside = 16;   // arrays that it reads for what becomes of the sums: a tile of each is held

/// A tile of the product: a point along the leading axes.
AxisKinds tileKinds(Value product) {
  AxisKinds kinds(shapeOf(product.getType()).size(), AxisKind::Private);
  kinds.back() = kinds[kinds.size() - 2] = AxisKind::Range;
  return kinds;
}

}  // namespace

/// Only finds elements elsewhere.
static bool isMovement(Operation *op) {
  return isa<graph::TransposeOp, graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp>(op);
}

bool isCheap(Operation *op) {
  if (isa<graph::CastOp, graph::FullOp, graph::ConstantOp, graph::DimOp, graph::IotaOp, graph::ExtractOp>(op) || isMovement(op)) return true;
  auto elementwise = dyn_cast<graph::ElementwiseOp>(op);
  return elementwise && isCheap(elementwise.getMnemonic());
}

bool isCheap(StringRef mnemonic) {
  return llvm::is_contained({"add", "sub", "mul", "neg", "abs", "min", "max", "select", "lt", "le", "gt", "ge", "eq", "ne",
                             "and", "or", "not", "xor", "shl", "shr"},
                            mnemonic);
}

namespace {

Dim depthOf(graph::DotOp dot) { return shapeOf(dot.getLhs().getType()).back().getDim(); }

/// Rows of a tile become columns: its elements change lanes, through shared memory of the size of the tile.
bool turnsTiles(Operation *op, const AxisKinds &kinds) {
  auto turned = dyn_cast<graph::TransposeOp>(op);
  if (!turned) return false;
  SmallVector<int64_t> from;
  for (auto [i, axis] : llvm::enumerate(turned.getPerm()))
    if (kinds[i] == AxisKind::Range) from.push_back(axis);
  return !llvm::is_sorted(from);
}

bool isElementByElement(Operation *op, Type shape) {
  return isa<graph::ElementwiseOp, graph::CastOp>(op) && shapeOf(op->getResult(0).getType()) == shapeOf(shape);
}

}  // namespace

// ---------------------------------------------------------------- operands

/// The work on an operand costs less than a kernel of its own would, which writes it and has it read again. `read`: what is
/// read for it.
bool FunctionScheduler::isPrologue(Value value, const AxisKinds &kinds, llvm::SetVector<Value> &read, Met &met) {
  if (liesInMemory(value)) {
    read.insert(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!met.isNew(value, kinds)) return true;
  if (!isCheap(op)) return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isArray = isa<TensorType>(operand.getType());
    std::optional<AxisKinds> inner = isArray ? operandAxes(op, i, kinds) : AxisKinds();
    if (!inner || !isPrologue(operand, *inner, read, met)) return false;
  }
  return true;
}

std::optional<SummedWindows> summedWindows(graph::DotOp dot) {
  auto left = dot.getLhs().getDefiningOp<graph::ReshapeOp>(), right = dot.getRhs().getDefiningOp<graph::ReshapeOp>();
  auto windows = left ? left.getOperand().getDefiningOp<graph::WindowsOp>() : graph::WindowsOp();
  if (!windows) return std::nullopt;
  TSR_CHECK(right && right.getOperand().getType().getRank() == 3, "windows are multiplied with weights that have their places apart");
  return SummedWindows{windows, right.getOperand(), blocksOf(dot)};
}

graph::WindowsOp turnedWindows(graph::DotOp dot) {
  auto turned = dot.getLhs().getDefiningOp<graph::TransposeOp>();
  return turned ? turned.getOperand().getDefiningOp<graph::WindowsOp>() : graph::WindowsOp();
}

void FunctionScheduler::prepareOperands(graph::DotOp dot) {
  if (std::optional<SummedWindows> sum = summedWindows(dot)) {
    takeWindows(sum->windows);
    return markIf(true, sum->weights);  // with their places apart
  }
  if (graph::WindowsOp windows = turnedWindows(dot)) takeWindows(windows);
  for (unsigned i : {0, 1})
    if (i == 1 || !chains_.count(dot)) {
      AxisKinds kinds = *operandAxes(dot, i, tileKinds(dot));
      takeParts(dot->getOperand(i), kinds);
      prepareOperand(dot->getOperand(i), kinds);
    }
}

void FunctionScheduler::prepareOperand(Value value, const AxisKinds &kinds) {
  if (liesInMemory(value)) return;
  Operation *op = value.getDefiningOp();
  if (isMovement(op))
    if (std::optional<AxisKinds> inner = operandAxes(op, 0, kinds))
      return prepareOperand(op->getOperand(0), *inner);
  llvm::SetVector<Value> read;
  Met met;
  bool isFused = value.hasOneUse() && isPrologue(value, kinds, read, met);
  int64_t bits = 0;  // read for an element
  for (Value array : read) bits += bitsReadFor(array, value);
  isFused &= 10 * bits <= 11 * bitsOf(value.getType());
  markIf(!isFused, value);
}

// ---------------------------------------------------------------- what follows a product

/// The last value through which all uses of a product go, element by element, and its axes in another order, if rows still
/// come before columns: it is stored instead of the sums.
Value FunctionScheduler::storedFor(graph::DotOp dot) {
  Value last = lastOf(dot);
  if (isStored(last)) return last;
  auto turned = last.hasOneUse() ? dyn_cast<graph::TransposeOp>(*last.user_begin()) : graph::TransposeOp();
  if (!turned || turned->getBlock() != dot->getBlock()) return narrowest(last);
  ArrayRef<int64_t> perm = turned.getPerm();
  int64_t cols = static_cast<int64_t>(perm.size()) - 1;
  return llvm::find(perm, cols - 1) < llvm::find(perm, cols) ? turned.getResult() : narrowest(last);
}

/// What has the fewest bits of the values from which this one follows by little work with vectors, such as a bias that is
/// added to a product in bf16: it is stored, and whoever reads it does that work.
Value FunctionScheduler::narrowest(Value value) {
  Value best = value;
  auto isVector = [&](Value operand) {
    bool isSmall = true;
    walkBack(operand, [&](Value each) {
      if (isStored(each)) isSmall &= longAxes(each.getType()).size() < longAxes(value.getType()).size();
      else isSmall &= isCheap(each.getDefiningOp());
      return isSmall && !isStored(each);
    });
    return isSmall;
  };
  while (Operation *op = isStored(value) ? nullptr : value.getDefiningOp()) {
    if (!isElementByElement(op, value.getType()) || !isCheap(op)) break;
    SmallVector<Value> arrays;
    for (Value operand : op->getOperands())
      if (!isVector(operand)) arrays.push_back(operand);
    if (arrays.size() != 1 || shapeOf(arrays[0].getType()) != shapeOf(value.getType())) break;
    value = arrays[0];
    if (!isStored(value) && bitsOf(value.getType()) < bitsOf(best.getType())) best = value;
  }
  return best;
}

Value FunctionScheduler::lastOf(graph::DotOp dot) {
  Value best = dot.getResult();
  llvm::DenseMap<Value, size_t> open;  // what is made of the product: uses that are not reached yet
  llvm::SetVector<Value> beside;
  auto readFor = [&](Value operand) {
    walkBack(operand, [&](Value each) {
      bool isRead = isStored(each) || each.getDefiningOp<graph::DotOp>();
      if (isRead && shapeOf(each.getType()) == shapeOf(dot.getType())) beside.insert(each);
      return !isRead;
    });
  };
  // What is added up at places behind the product: the operands would have to be kept until then. Where several values are made
  // of both, something is stored for them in any case: the product, then, as soon as it can be computed.
  auto comesLate = [&](Value read) {
    auto sums = read.getDefiningOp<graph::ScatterAddOp>();
    return sums && sums->getBlock() == dot->getBlock() && dot->isBeforeInBlock(sums);
  };
  auto usesOf = [](Value value) { return static_cast<size_t>(std::distance(value.use_begin(), value.use_end())); };
  open[best] = usesOf(best);
  for (Operation *op = dot->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::any_of(open, [&](auto &entry) { return isStored(entry.first); })) return best;
    bool uses = llvm::any_of(op->getOperands(), [&](Value operand) { return open.count(operand); });
    if (!uses) continue;
    if (!isElementByElement(op, dot.getType())) return best;
    for (Value operand : op->getOperands())
      if (!open.count(operand)) readFor(operand);
    if (!op->getResult(0).hasOneUse() && !isStored(op->getResult(0)) && llvm::any_of(beside, comesLate)) return best;
    if (beside.size() > kMostBeside) return best;
    for (Value operand : op->getOperands())
      if (auto entry = open.find(operand); entry != open.end() && --entry->second == 0) open.erase(entry);
    open[op->getResult(0)] = usesOf(op->getResult(0));
    if (open.size() == 1) best = op->getResult(0);
  }
  return best;
}

/// What a tile of `value` needs is in memory, or can be computed for the tile; `dots` are added up in the kernel itself.
void FunctionScheduler::prepareTile(Value value, const AxisKinds &kinds, SmallVector<graph::DotOp> &dots, Value root, Met &met) {
  if ((value != root && isStored(value)) || !met.isNew(value, kinds)) return;
  Operation *op = value.getDefiningOp();
  if (isa<graph::ConstantOp, graph::DimOp, graph::IotaOp>(op)) return;
  if (auto dot = dyn_cast<graph::DotOp>(op)) {
    if (llvm::is_contained(dots, dot)) return;
    bool joins = dots.size() < kMostProducts && hasTiles(dot) && !summedWindows(dot) && !summedWindows(dots[0]) && dot.getType().getShape() == dots[0].getType().getShape() &&
                 !chains_.count(dot) && !chains_.count(dots[0]) && depthOf(dot) == depthOf(dots[0]) && kinds == tileKinds(dot) && storedFor(dot) == root;
    if (joins) dots.push_back(dot);
    return markIf(!joins, value);
  }
  SmallVector<AxisKinds> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isArray = isa<TensorType>(operand.getType());
    std::optional<AxisKinds> inner = isArray ? operandAxes(op, i, kinds) : AxisKinds();
    if (!inner || llvm::is_contained(*inner, AxisKind::Whole) || isa<graph::ReduceOp>(op) || turnsTiles(op, kinds))
      return markIf(true, value);
    operands.push_back(*inner);
  }
  for (auto [operand, inner] : llvm::zip(op->getOperands(), operands)) prepareTile(operand, inner, dots, root, met);
}

void FunctionScheduler::planProducts(Block &block) {
  llvm::DenseSet<Operation *> joined;  // with an earlier one
  for (auto dot : block.getOps<graph::DotOp>()) {
    if (dot->use_empty() || joined.contains(dot) || chainOps_.contains(dot)) continue;
    if (!hasTiles(dot)) {
      markIf(!dot->hasOneUse(), dot.getResult());
      continue;
    }
    Value stored = storedFor(dot);
    markIf(true, stored);
    SmallVector<graph::DotOp> dots{dot};
    AxisKinds kinds = tileKinds(dot);
    if (auto turned = stored.getDefiningOp<graph::TransposeOp>())
      for (auto [i, axis] : llvm::enumerate(turned.getPerm())) kinds[i] = tileKinds(dot)[axis];
    Met met;
    prepareTile(stored, kinds, dots, stored, met);
    joined.insert(dots.begin(), dots.end());
  }
}

/// The products whose tiles a root is made of, in the order of the program; none if it is no such root.
SmallVector<graph::DotOp> FunctionScheduler::productsOf(Value root) {
  llvm::SetVector<Value> values;
  auto turned = root.getDefiningOp<graph::TransposeOp>();
  values.insert(turned ? turned.getOperand() : root);
  if (turned && isStored(turned.getOperand())) return {};
  SmallVector<graph::DotOp> dots;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    auto dot = dyn_cast_or_null<graph::DotOp>(op);
    if (dot && hasTiles(dot)) dots.push_back(dot);
    if (!op || !isElementByElement(op, values[0].getType())) continue;
    for (Value operand : op->getOperands())
      if (!isStored(operand)) values.insert(operand);
  }
  llvm::sort(dots, [](graph::DotOp a, graph::DotOp b) { return a->isBeforeInBlock(b); });
  return dots;
}

}  // namespace tessera::transforms
