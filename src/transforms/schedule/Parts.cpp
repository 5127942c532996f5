// Parts of arrays, and which of them the products of a function take as they lie in memory.
#include "transforms/schedule/Parts.h"
#include "support/Machine.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kLongRow = 64;  // bytes: two sectors of a GPU's memory. Rows that are shorter are copied side by side

Part wholeOf(Value value) {
  ArrayRef<DimAttr> shape = shapeOf(value.getType());
  Part part{value, Dim(0), SmallVector<Dim>(shape.size(), Dim(1))};
  for (size_t axis = shape.size(); axis-- > 1;) part.strides[axis - 1] = part.strides[axis] * shape[axis].getDim();
  return part;
}

std::optional<Part> sliced(Part part, graph::SliceOp slice, graph::FuncOp function) {
  SmallVector<Dim> strides;
  for (auto [axis, offset] : llvm::enumerate(slice.getOffsets())) {
    std::optional<Dim> from = dimOf(offset, function);
    if (!from) return std::nullopt;
    part.offset = part.offset + *from * part.strides[axis];
    if (!slice.getPoints()[axis]) strides.push_back(part.strides[axis] * Dim(slice.getSteps()[axis]));
  }
  part.strides = strides;
  return part;
}

/// The part under another shape. From the last axis to the first: axes that lie behind each other are one, which is divided
/// into the axes of the new shape; nothing where the two do not meet.
std::optional<Part> reshaped(Part part, ArrayRef<DimAttr> from, ArrayRef<DimAttr> to, SameDims same) {
  SmallVector<Dim> strides(to.size(), Dim(1));
  size_t left = to.size();
  for (size_t axis = from.size(); axis-- > 0;) {
    Dim stride = part.strides[axis], count = from[axis].getDim(), made(1);
    while (axis > 0 && (isUnit(from[axis - 1]) || same(part.strides[axis - 1], count * stride))) count = count * from[--axis].getDim();
    while (left > 0 && (!same(made, count) || isUnit(to[left - 1]))) {
      strides[--left] = made * stride;
      made = made * to[left].getDim();
    }
    if (!same(made, count)) return std::nullopt;
  }
  if (left > 0) return std::nullopt;
  part.strides = strides;
  return part;
}

/// Whether a tile of the slice, which lies along axes of this kind, can reach elements behind it.
bool endsEarly(graph::SliceOp slice, const AxisKinds &kinds) {
  size_t next = 0;
  for (size_t axis = 0; axis < slice.getOffsets().size(); ++axis) {
    if (slice.getPoints()[axis] || kinds[next++] != AxisKind::Range) continue;
    if (!endsWithBase(slice, axis)) return true;
  }
  return false;
}

}  // namespace

std::optional<Part> partOf(Value value, llvm::function_ref<bool(Value)> isStored, graph::FuncOp function, SameDims same) {
  if (isStored(value)) return wholeOf(value);
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<graph::SliceOp, graph::TransposeOp, graph::ReshapeOp>(op)) return std::nullopt;
  std::optional<Part> part = partOf(op->getOperand(0), isStored, function, same);
  if (!part) return std::nullopt;
  if (auto slice = dyn_cast<graph::SliceOp>(op)) return sliced(*part, slice, function);
  if (isa<graph::ReshapeOp>(op)) return reshaped(*part, shapeOf(op->getOperand(0).getType()), shapeOf(value.getType()), same);
  SmallVector<Dim> strides;
  for (int64_t axis : cast<graph::TransposeOp>(op).getPerm()) strides.push_back(part->strides[axis]);
  part->strides = strides;
  return part;
}

std::optional<Part> placeIn(graph::ConcatOp concat, unsigned operand, Value made, SameDims same) {
  Part part = wholeOf(concat.getResult());
  for (Value before : concat.getOperands().take_front(operand))
    part.offset = part.offset + shapeOf(before.getType())[concat.getAxis()].getDim() * part.strides[concat.getAxis()];
  return reshaped(part, shapeOf(concat.getOperands()[operand].getType()), shapeOf(made.getType()), same);
}

/// Marks in an operand of a product the parts of arrays that tiles take as they lie. `kinds`: of the operand's axes, for a tile.
/// `sideBySide`: rows that lie apart would be copied.
void FunctionScheduler::takeParts(Value value, const AxisKinds &kinds, bool sideBySide, Met &met) {
  Operation *op = value.getDefiningOp();
  if (isStored(value) || parts_.count(value) || !op || !met.isNew(value, kinds)) return;
  if (std::optional<Part> part = partOf(value, [&](Value each) { return isOrWillBeStored(each); }, function_, sameDims()); part && gains(*part, value, kinds, sideBySide)) {
    markIf(true, part->base);
    parts_.try_emplace(value, *part);
    return;
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isa<TensorType>(operand.getType()))
      if (std::optional<AxisKinds> inner = operandAxes(op, i, kinds)) takeParts(operand, *inner, sideBySide, met);
}

/// Memory holds the value, or what a product ends with, whose kernel is planned later.
bool FunctionScheduler::isOrWillBeStored(Value value) {
  if (isStored(value)) return true;
  bool found = false;
  if (isa<graph::ElementwiseOp, graph::CastOp, graph::DotOp>(value.getDefiningOp()))
    walkBack(value, [&](Value each) {
      auto dot = each.getDefiningOp<graph::DotOp>();
      found |= dot && hasTiles(dot) && !chainOps_.contains(dot) && shapeOf(dot.getType()) == shapeOf(value.getType()) && storedFor(dot) == value;
      return !dot && !isStored(each) && isa<graph::ElementwiseOp, graph::CastOp>(each.getDefiningOp());
    });
  return found;
}

/// A kernel's types speak of dimensions and of what loops count, not of integer parameters.
bool FunctionScheduler::speaksOfDims(const Part &part) {
  std::set<std::string> names;
  part.offset.collectVars(names);
  for (const Dim &stride : part.strides) stride.collectVars(names);
  auto arguments = function_.entry().getArguments().take_front(function_.getParams().size());  // behind them are tables
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (std::string name = function_.param(i).getName().str(); !isa<TensorType>(argument.getType()) && names.count(name) &&
        !llvm::is_contained(function_.getDims().getAsValueRange<StringAttr>(), name)) return false;
  return true;
}

/// Windows are read from the tensor under them, which may be a part of one, if its channels lie side by side.
void FunctionScheduler::takeWindows(graph::WindowsOp windows) {
  Value array = windows.getOperand();
  std::optional<Part> part = partOf(array, [&](Value each) { return isOrWillBeStored(each); }, function_, sameDims());
  if (!part || !(part->strides.back() == Dim(1)) || !speaksOfDims(*part)) part = wholeOf(array);
  markIf(true, part->base);
  part->strides.pop_back();
  part->windows = windows.getWindows();
  parts_.try_emplace(windows.getResult(), *part);
}

/// Tiles lie along the last two axes, the last of which is one of memory, and without taking the part it would be copied: it
/// ends before its array does, its rows lie apart, or no tile of it is one of the shapes that lead to it.
bool FunctionScheduler::gains(const Part &part, Value value, const AxisKinds &kinds, bool sideBySide) {
  size_t rank = kinds.size();
  if (rank < 2 || !(part.strides.back() == Dim(1)) || kinds[rank - 1] != AxisKind::Range || kinds[rank - 2] != AxisKind::Range) return false;
  if (!speaksOfDims(part)) return false;
  bool onGpu = machineOf(function_)->family != Target::Cpu;  // rows side by side are what caches of a CPU want
  bool areLong = onGpu && shapeOf(value.getType()).back().getConstant().value_or(kLongRow) * bitsOf(value.getType()) >= 8 * kLongRow;
  AxisKinds here(kinds);
  for (; !isOrWillBeStored(value); value = value.getDefiningOp()->getOperand(0)) {
    Operation *op = value.getDefiningOp();
    auto slice = dyn_cast<graph::SliceOp>(op);
    if (slice && endsEarly(slice, here)) return true;
    std::optional<AxisKinds> inner = operandAxes(op, 0, here);
    if (!inner) return areLong;
    here = *inner;
  }
  return sideBySide && areLong && llvm::is_contained(llvm::drop_begin(here, llvm::find(here, AxisKind::Range) - here.begin()), AxisKind::Private);
}

}  // namespace tessera::transforms
