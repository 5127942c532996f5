// The shape and dtype rules of values. A rule that is not met is an error, never a guess.
#include "ir/common/Conversions.h"
#include "ir/common/BitCasts.h"
#include "ir/common/OrderShape.h"
#include "ir/common/ProductNotes.h"
#include "ir/graph/Graph.h"

namespace tessera::ir::graph {
using namespace mlir;

static LogicalResult sameElements(Operation *op, Type from, Type to) {
  if (elementTypeOf(from) == elementTypeOf(to)) return success();
  return op->emitOpError() << "changes the element type from " << elementTypeOf(from) << " to "
                           << elementTypeOf(to);
}

LogicalResult ConstantOp::verify() {
  if (isa<BoolAttr, IntegerAttr, FloatAttr>(getValue())) return success();
  return emitOpError() << "value " << getValue() << " is not a number or truth value";
}
OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ElementwiseOp::verify() {
  return verifyElementwise(*this, getMnemonic(), getOperandTypes(), getType());
}

Rounding CastOp::roundingMode() {
  return getRounding() ? *symbolizeRounding(*getRounding()) : Rounding::NearestEven;
}
LogicalResult CastOp::verify() {
  if (getRounding() == kBits) return verifyBits(*this, getOperand().getType(), getType());
  if (getRounding() && !symbolizeRounding(*getRounding()))
    return emitOpError() << "unknown rounding mode '" << *getRounding() << "'";
  return verifyCast(*this, getOperand().getType(), getType(), roundingMode(), getSaturate());
}
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  return {};
}

LogicalResult BroadcastOp::verify() {
  auto from = getOperand().getType(), to = getType();
  if (failed(sameElements(*this, from, to))) return failure();
  if (getAxes().size() != from.getRank())
    return emitOpError() << "names " << getAxes().size() << " axes for an operand with " << from.getRank();
  int64_t last = -1;
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    if (axis <= last || axis >= static_cast<int64_t>(to.getRank()))
      return emitOpError("axes must ascend and lie in the result");
    last = axis;
    DimAttr extent = from.getShape()[i], wanted = to.getShape()[axis];
    if (extent != wanted && extent.getConstant() != 1)
      return emitOpError() << "axis " << i << " has extent " << extent.getText()
                           << ", which is neither 1 nor " << wanted.getText();
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (failed(sameElements(*this, getOperand().getType(), getType()))) return failure();
  Dim before(1), after(1);
  for (DimAttr dim : getOperand().getType().getShape()) before = before * dim.getDim();
  for (DimAttr dim : getType().getShape()) after = after * dim.getDim();
  if (before.isConstant() && after.isConstant() && !(before == after))
    return emitOpError() << "has " << before.str() << " elements before and " << after.str() << " after";
  return success();
}

LogicalResult TransposeOp::verify() {
  auto from = getOperand().getType(), to = getType();
  if (failed(sameElements(*this, from, to))) return failure();
  SmallVector<bool> used(from.getRank(), false);
  if (getPerm().size() != from.getRank() || to.getRank() != from.getRank())
    return emitOpError("perm must name each axis once");
  for (auto [i, axis] : llvm::enumerate(getPerm())) {
    if (axis < 0 || axis >= static_cast<int64_t>(from.getRank()) || used[axis])
      return emitOpError("perm must name each axis once");
    used[axis] = true;
    if (to.getShape()[i] != from.getShape()[axis])
      return emitOpError() << "result axis " << i << " has extent " << to.getShape()[i].getText()
                           << ", expected " << from.getShape()[axis].getText();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  auto from = getOperand().getType();
  if (failed(verifyReduction(*this, getMnemonic(), from, getType()))) return failure();
  SmallVector<bool> removed(from.getRank(), false);
  if (getAxes().empty()) return emitOpError("names no axis");
  for (int64_t axis : getAxes()) {
    if (axis < 0 || axis >= static_cast<int64_t>(from.getRank()) || removed[axis])
      return emitOpError() << "axis " << axis << " is not an axis of the operand or stands there twice";
    removed[axis] = true;
  }
  SmallVector<DimAttr> left;
  for (auto [i, dim] : llvm::enumerate(from.getShape()))
    if (!removed[i]) left.push_back(dim);
  if (shapeOf(getType()) != ArrayRef(left))
    return emitOpError() << "result has shape " << text(shapeOf(getType())) << ", expected " << text(left);
  return success();
}

LogicalResult ScanOp::verify() { return verifyScan(*this, getMnemonic(), getAxis(), static_cast<int64_t>(getType().getShape().size()), getType()); }

/// What is made of each pair of elements, if it is not their product.
static LogicalResult verifyTerm(DotOp dot, Type element) {
  if (!dot.hasTerm())
    return dot.getCombine() || dot.getCount() || !dot.getScalars().empty() ? dot.emitOpError("combines, counts or takes scalars without a term")
                                                                           : success();
  StringRef combining = dot.combining();
  if (combining != "sum" && combining != "min" && combining != "max") return dot.emitOpError() << "does not combine terms by " << combining;
  Block &block = dot.getTerm().front();
  SmallVector<Type> expected{element, element};
  llvm::append_range(expected, dot.getScalars().getTypes());
  if (!dot.getTerm().hasOneBlock() || block.getArgumentTypes() != TypeRange(expected))
    return dot.emitOpError() << "has a term whose arguments are not two elements in " << element << " and the scalars";
  for (Operation &op : block) {
    if (!isa<ElementwiseOp, CastOp, ConstantOp, TermOp>(op)) return op.emitOpError("stands in a term, which has arithmetic alone");
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &block) return op.emitOpError("takes a value from outside of its term");
  }
  auto end = dyn_cast<TermOp>(block.back());
  if (!end || end.getValue().getType() != element) return dot.emitOpError() << "has a term that does not end in a value in " << element;
  return success();
}

LogicalResult DotOp::verify() {
  auto a = getLhs().getType().getShape(), b = getRhs().getType().getShape(), c = getType().getShape();
  size_t rank = a.size();
  if (rank < 2 || b.size() != rank || c.size() != rank)
    return emitOpError("multiplies arrays of one rank, at least 2, into that rank");
  for (size_t i = 0; i + 2 < rank; ++i)
    if (a[i] != b[i] || a[i] != c[i])
      return emitOpError() << "batch axis " << i << " differs: " << a[i].getText() << ", " << b[i].getText()
                           << " and " << c[i].getText();
  if (std::optional<int64_t> blocks = blocksOf(*this)) {
    if (rank != 2 || !(a[1].getDim() * Dim(*blocks) == b[0].getDim() * b[1].getDim()))
      return emitOpError() << "adds up " << a[rank - 1].getText() << " in blocks of " << *blocks << " and " << b[rank - 2].getText() << " rows of " << b[rank - 1].getText();
  } else if (a[rank - 1] != b[rank - 2])
    return emitOpError() << "contracts " << a[rank - 1].getText() << " with " << b[rank - 2].getText();
  if (std::optional<int64_t> panels = panelsOf(*this)) {
    if (c[rank - 2] != a[rank - 2] || b[rank - 1] != a[rank - 2] || c[rank - 1].getConstant() != panels)
      return emitOpError() << "multiplies panels of " << *panels << " rows and columns into " << text(c);
  } else if (c[rank - 2] != a[rank - 2] || c[rank - 1] != b[rank - 1])
    return emitOpError() << "result has shape " << text(c) << ", expected it to end in ["
                         << a[rank - 2].getText() << ", " << b[rank - 1].getText() << "]";
  Type element = elementTypeOf(getType());
  for (Type operand : {elementTypeOf(getLhs().getType()), elementTypeOf(getRhs().getType())})
    if (!isSameOrWider(operand, element) || element.isInteger(1))
      return emitOpError() << "adds products of " << operand << " up in " << element
                           << ", which does not hold them";
  return verifyTerm(*this, element);
}

LogicalResult FullOp::verify() { return sameElements(*this, getOperand().getType(), getType()); }

LogicalResult ExtractOp::verify() {
  if (getOperand().getType().getRank() != 0)
    return emitOpError() << "takes the only element of an array with shape "
                         << text(getOperand().getType().getShape());
  return sameElements(*this, getOperand().getType(), getType());
}

LogicalResult IotaOp::verify() {
  if (getAxis() >= getType().getRank())
    return emitOpError() << "counts along axis " << getAxis() << " of " << getType();
  Type element = getType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64) && !element.isIndex())
    return emitOpError() << "counts in i32, i64 or index, not in " << element;
  return success();
}

LogicalResult TableOp::verify() { return verifyTable(*this, getValues(), getType()); }

LogicalResult ConcatOp::verify() {
  size_t axis = getAxis();
  auto shape = getType().getShape();
  if (getOperands().empty()) return emitOpError("has no operands");
  if (axis >= shape.size()) return emitOpError() << "joins along axis " << getAxis() << " of " << getType();
  Dim total(0);
  for (Value operand : getOperands()) {
    auto part = shapeOf(operand.getType());
    if (failed(sameElements(*this, operand.getType(), getType()))) return failure();
    if (part.size() != shape.size()) return emitOpError("joins arrays of different ranks");
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != axis && part[i] != shape[i])
        return emitOpError() << "joins extents " << part[i].getText() << " and " << shape[i].getText()
                             << " on axis " << i;
    total = total + part[axis].getDim();
  }
  if (!(total == shape[axis].getDim()))
    return emitOpError() << "result has extent " << shape[axis].getText() << ", the parts have "
                         << total.str();
  return success();
}

LogicalResult WindowsOp::verify() {
  ArrayRef<DimAttr> from = getOperand().getType().getShape(), to = getType().getShape();
  WindowsAttr windows = getWindows();
  if (failed(sameElements(*this, getOperand().getType(), getType()))) return failure();
  if (from.size() != windows.axes() + 2 || from.drop_back() != windows.getSize())
    return emitOpError() << "has windows over another tensor than " << getOperand().getType();
  Dim count = from[0].getDim();
  int64_t places = 1;
  for (auto [along, size] : llvm::zip(windows.getCount(), windows.getPlaces())) {
    count = count * along.getDim();
    places *= size;
  }
  bool fits = to.size() == 3 && to[0].getDim() == count && to[1].getConstant() == places && to[2] == from.back();
  return fits ? success() : emitOpError() << "are no " << getType();
}

/// The tensor has the axes of the windows and channels, and the sums are of a float that holds them.
static LogicalResult verifySlide(Operation *op, TensorType from, WindowsAttr windows, TensorType result) {
  ArrayRef<DimAttr> shape = from.getShape();
  if (shape.size() != windows.axes() + 2 || shape.drop_back() != windows.getSize()) return op->emitOpError() << "has windows over another tensor than " << from;
  if (!isa<FloatType>(from.getElementType()) || !isa<FloatType>(result.getElementType())) return op->emitOpError() << "makes " << result << " of " << from << ", but both are floats";
  return success();
}

static int64_t placesIn(WindowsAttr windows) {
  int64_t places = 1;
  for (int64_t along : windows.getPlaces()) places *= along;
  return places;
}

/// [images, windows along each axis, channels]
static bool isOfWindows(TensorType type, WindowsAttr windows, DimAttr channels) {
  ArrayRef<DimAttr> shape = type.getShape();
  return shape.size() == windows.axes() + 2 && shape.front() == windows.getSize().front() && shape.drop_front().drop_back() == windows.getCount() && shape.back() == channels;
}

LogicalResult SlideOp::verify() {
  if (failed(verifySlide(*this, getOperand().getType(), getWindows(), getType()))) return failure();
  const bool isSum = getMnemonic() == "sum";
  if (!isSum && getMnemonic() != "max") return emitOpError() << "does not combine by " << getMnemonic();
  if (isSum && !getType().getElementType().isF32() && !getType().getElementType().isF64()) return emitOpError() << "adds up in " << getType().getElementType();
  DimAttr channels = getOperand().getType().getShape().back();
  if (!isOfWindows(getType(), getWindows(), channels)) return emitOpError() << "gives no " << getType();
  if (getApart() && (!isSum || getApart()->size() != getWindows().axes() || llvm::any_of(*getApart(), [](int64_t by) { return by < 1; })))
    return emitOpError("has elements that lie apart along each axis, for a sum");
  if (getMarks() && (!getHere() || shapeOf(getMarks().getType()) != getOperand().getType().getShape())) return emitOpError("has marks, which are as long as its tensor and compared with a number of each window");
  if (getHere()) {
    Type compared = elementTypeOf(getMarks() ? getMarks().getType() : getOperand().getType());
    if (!isSum || getWeights() || shapeOf(getHere().getType()) != getType().getShape() || elementTypeOf(getHere().getType()) != compared)
      return emitOpError() << "compares " << compared << " with " << getHere().getType();
  }
  if (!getWeights()) return success();
  ArrayRef<DimAttr> weights = shapeOf(getWeights().getType());
  bool fits = isSum && weights.size() == 2 && weights[0].getConstant() == placesIn(getWindows()) && weights[1] == channels;
  return fits ? success() : emitOpError() << "has no use for weights in " << getWeights().getType();
}

LogicalResult SlideTogetherOp::verify() {
  if (failed(verifySlide(*this, getOperand().getType(), getWindows(), getType()))) return failure();
  if (!getType().getElementType().isF32() && !getType().getElementType().isF64()) return emitOpError() << "adds up in " << getType().getElementType();
  DimAttr channels = getOperand().getType().getShape().back();
  if (!isOfWindows(getNumbers().getType(), getWindows(), channels)) return emitOpError() << "has no windows for " << getNumbers().getType();
  ArrayRef<DimAttr> shape = getType().getShape();
  bool fits = shape.size() == 3 && shape[1].getConstant() == placesIn(getWindows()) && shape[2] == channels;
  return fits ? success() : emitOpError() << "gives no " << getType();
}

LogicalResult WindowOp::verify() {
  auto from = getOperand().getType().getShape(), to = getType().getShape();
  int64_t rank = static_cast<int64_t>(from.size()), axis = getAxis();
  int64_t step = getStep(), dilation = getDilation();
  if (failed(sameElements(*this, getOperand().getType(), getType()))) return failure();
  if (axis < 0 || axis >= rank || to.size() != from.size() + 1)
    return emitOpError() << "slides along axis " << axis << " of " << getOperand().getType() << " into "
                         << getType();
  if (step < 1 || dilation < 1) return emitOpError("has a step and a dilation of at least 1");
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && from[i] != to[i < axis ? i : i + 1])
      return emitOpError() << "has extent " << to[i < axis ? i : i + 1].getText() << " where the operand has "
                           << from[i].getText();
  std::optional<int64_t> size = to[axis].getConstant(), count = to[axis + 1].getConstant(),
                         extent = from[axis].getConstant();
  if (!size || *size < 1) return emitOpError() << "has windows of " << to[axis].getText() << " elements";
  if (count && extent && *count > 0 && (*count - 1) * step + (*size - 1) * dilation >= *extent)
    return emitOpError() << "reaches beyond the " << *extent << " elements of its axis";
  return success();
}

/// What gather and its transpose share: `chosen` has a place for each element along `axis` where `base` has `axis` itself.
static LogicalResult verifyPlaces(Operation *op, TensorType base, TensorType places, TensorType chosen, int64_t axis,
                                  ArrayRef<int64_t> axes) {
  auto from = base.getShape(), shape = chosen.getShape();
  int64_t rank = static_cast<int64_t>(shape.size());
  if (failed(sameElements(op, base, chosen))) return failure();
  if (!places.getElementType().isInteger(64))
    return op->emitOpError() << "counts places in i64, not in " << places.getElementType();
  if (from.size() != shape.size() || axis < 0 || axis >= rank)
    return op->emitOpError() << "chooses along axis " << axis << " of " << base << " for " << chosen;
  if (axes.size() != places.getRank() || !llvm::is_contained(axes, axis))
    return op->emitOpError("axes must name an axis of what has places for each axis of the places, and the chosen one");
  int64_t last = -1;
  for (auto [i, to] : llvm::enumerate(axes)) {
    if (to <= last || to >= rank) return op->emitOpError("axes must rise and be axes of what has places");
    last = to;
    if (places.getShape()[i] != shape[to])
      return op->emitOpError() << "places have extent " << places.getShape()[i].getText() << " along axis " << to
                               << ", which has " << shape[to].getText();
  }
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && from[i] != shape[i])
      return op->emitOpError() << "axis " << i << " has extent " << shape[i].getText() << ", expected " << from[i].getText();
  return success();
}

LogicalResult GatherOp::verify() {
  return verifyPlaces(*this, getOperand().getType(), getPlaces().getType(), getType(), getAxis(), getAxes());
}

LogicalResult ScatterAddOp::verify() {
  if (getSorted() && getAxes() != ArrayRef(static_cast<int64_t>(getAxis()))) return emitOpError("has places that are 'sorted' along other axes than its own");
  return verifyPlaces(*this, getType(), getPlaces().getType(), getUpdates().getType(), getAxis(), getAxes());
}

LogicalResult ArgsortOp::verify() {
  auto from = getOperand().getType(), to = getType();
  if (from.getShape().empty()) return emitOpError("sorts along the last axis: a scalar has none");
  if (!holdsOrderOf(from.getShape(), to.getShape()))
    return emitOpError() << "has the shape of " << to << ", but sorts " << from;
  if (isa<ComplexType>(from.getElementType())) return emitOpError("sorts complex numbers, which have no order");
  if (!to.getElementType().isInteger(64))
    return emitOpError() << "counts places in i64, not in " << to.getElementType();
  return success();
}

LogicalResult ExchangeOp::verify() {
  if (failed(verifyExchange(*this, getKind(), getOver()))) return failure();
  TensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType() || from.getRank() != to.getRank())
    return emitOpError() << "makes " << to << " of " << from << ": an exchange keeps the axes and the dtype";
  const int64_t first = getKind() == "all_reduce" ? 0 : 1;
  if (static_cast<int64_t>(from.getRank()) < first) return emitOpError("shares out the first axis: a scalar has none");
  if (from.getShape().drop_front(first) != to.getShape().drop_front(first))
    return emitOpError() << "makes " << to << " of " << from << ": only the first axis differs";
  return success();
}

LogicalResult SliceOp::verify() {
  if (failed(verifyAccess(*this, getBase().getType(), getOffsets().size(), getPoints(), getSizes().getDims(),
                          getSteps(), getInBounds())))
    return failure();
  if (!llvm::all_of(getInBounds(), [](bool inside) { return inside; }))
    return emitOpError("is not proved to lie in bounds");
  Type expected = accessedType(getBase().getType(), getPoints(), getSizes().getDims());
  if (getType() != expected)
    return emitOpError() << "result has type " << getType() << ", expected " << expected;
  return success();
}

}  // namespace tessera::ir::graph
