// Reshapes taken apart, and how the axes of an operation's operands follow from those of its result.
#include "transforms/schedule/Privatise.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// The long axes of two shapes of the same number of elements: a common head and tail, and a middle that
/// differs.
struct Middle {
  SmallVector<int64_t> from, to;  // long axes
  size_t head = 0, tail = 0;
  Middle(Type operand, Type result) : from(longAxes(operand)), to(longAxes(result)) {
    auto a = longShape(operand), b = longShape(result);
    while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
    while (tail < a.size() - head && tail < b.size() - head &&
           a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
      ++tail;
  }
  ArrayRef<int64_t> fromMiddle() const { return ArrayRef(from).slice(head, from.size() - head - tail); }
  ArrayRef<int64_t> toMiddle() const { return ArrayRef(to).slice(head, to.size() - head - tail); }
  /// Two spellings of one extent.
  bool isRespelled() const { return fromMiddle().size() == 1 && toMiddle().size() == 1; }
};

}  // namespace

Value Privatiser::reshape(graph::ReshapeOp op, const Indices &indices) {
  Location loc = op.getLoc();
  Type operandType = op.getOperand().getType();
  ArrayRef<DimAttr> fromShape = shapeOf(operandType), toShape = shapeOf(op.getType());
  Middle middle(operandType, op.getType());
  Indices inner(fromShape.size());
  for (size_t axis = 0; axis < fromShape.size(); ++axis)
    if (isUnit(fromShape[axis])) inner[axis] = constantIndex(0, loc);
  for (size_t i = 0; i < middle.head; ++i) inner[middle.from[i]] = indices[middle.to[i]];
  for (size_t i = 1; i <= middle.tail; ++i)
    inner[middle.from[middle.from.size() - i]] = indices[middle.to[middle.to.size() - i]];
  ArrayRef<int64_t> from = middle.fromMiddle(), to = middle.toMiddle();
  size_t whole = llvm::count_if(to, [&](int64_t axis) { return !indices[axis]; });
  if (middle.isRespelled()) {
    inner[from[0]] = indices[to[0]];
  } else if (!from.empty() && whole == 0) {
    Value linear;
    for (int64_t axis : to) {
      if (linear) linear = arithmetic("mul", linear, dim(toShape[axis].getDim(), loc), loc);
      linear = linear ? arithmetic("add", linear, indices[axis], loc) : indices[axis];
    }
    SmallVector<DimAttr> extents;
    for (int64_t axis : from) extents.push_back(fromShape[axis]);
    Indices split = delinearize(linear ? linear : constantIndex(0, loc), extents, loc);
    for (auto [axis, index] : llvm::zip(from, split)) inner[axis] = index;
  } else if (whole != to.size()) {
    return failedAt(op, "this reshape mixes rows of a kernel with what is inside them");
  }
  Value piece = part(op.getOperand(), inner);
  Type type = partType(op.getType(), indices);
  if (!piece || piece.getType() == type) return piece;
  if (!isa<TensorType>(piece.getType())) return builder_.create<graph::FullOp>(loc, type, piece);
  return builder_.create<graph::ReshapeOp>(loc, type, piece);
}

static std::optional<AxisKinds> reshapeAxes(graph::ReshapeOp op, const AxisKinds &result) {
  Middle middle(op.getOperand().getType(), op.getType());
  AxisKinds kinds(op.getOperand().getType().getRank(), AxisKind::Private);
  for (size_t i = 0; i < middle.head; ++i) kinds[middle.from[i]] = result[middle.to[i]];
  for (size_t i = 1; i <= middle.tail; ++i)
    kinds[middle.from[middle.from.size() - i]] = result[middle.to[middle.to.size() - i]];
  size_t whole =
      llvm::count_if(middle.toMiddle(), [&](int64_t axis) { return result[axis] == AxisKind::Whole; });
  if (whole != 0 && whole != middle.toMiddle().size()) return std::nullopt;
  if (middle.toMiddle().empty() && !middle.fromMiddle().empty()) return std::nullopt;
  for (int64_t axis : middle.fromMiddle()) kinds[axis] = whole ? AxisKind::Whole : AxisKind::Private;
  return kinds;
}

std::optional<AxisKinds> operandAxes(Operation *op, unsigned operand, const AxisKinds &result) {
  if (isa<graph::ElementwiseOp, graph::CastOp>(op)) return result;
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    AxisKinds kinds;
    for (auto [axis, extent] : llvm::zip(broadcast.getAxes(), broadcast.getOperand().getType().getShape()))
      kinds.push_back(isUnit(extent) ? AxisKind::Private : result[axis]);
    return kinds;
  }
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    AxisKinds kinds(result.size());
    for (auto [i, axis] : llvm::enumerate(transpose.getPerm())) kinds[axis] = result[i];
    return kinds;
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) return reshapeAxes(reshape, result);
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    AxisKinds kinds;
    auto kept = result.begin();
    for (size_t axis = 0; axis < reduce.getOperand().getType().getRank(); ++axis)
      kinds.push_back(llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis)) ? AxisKind::Whole
                                                                                       : *kept++);
    return kinds;
  }
  if (auto dot = dyn_cast<graph::DotOp>(op)) {
    AxisKinds kinds(result);
    kinds[result.size() - (operand == 0 ? 1 : 2)] = AxisKind::Whole;
    return kinds;
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    bool mixed = result[concat.getAxis()] == AxisKind::Private && llvm::is_contained(result, AxisKind::Whole);
    return mixed ? std::nullopt : std::optional<AxisKinds>(result);
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    if (operand != 0) return AxisKinds();
    AxisKinds kinds;
    auto next = result.begin();
    for (bool point : slice.getPoints()) kinds.push_back(point ? AxisKind::Private : *next++);
    return kinds;
  }
  if (isa<graph::ExtractOp>(op)) return AxisKinds();
  if (isa<graph::FullOp>(op)) return AxisKinds();
  return std::nullopt;
}

}  // namespace tessera::transforms
