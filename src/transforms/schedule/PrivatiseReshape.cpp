// Reshapes taken apart, and how the axes of an operation's operands follow from those of its result.
#include "ir/common/Names.h"
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
  bool mixes(size_t whole) const { return whole != 0 && whole != toMiddle().size(); }
  /// Two spellings of one extent.
  bool isRespelled() const { return fromMiddle().size() == 1 && toMiddle().size() == 1; }
};

}  // namespace

Value Privatiser::reshape(graph::ReshapeOp op, const Indices &indices) {
  Location loc = op.getLoc(), line = unnamed(loc);
  Type operandType = op.getOperand().getType();
  ArrayRef<DimAttr> fromShape = shapeOf(operandType), toShape = shapeOf(op.getType());
  Middle middle(operandType, op.getType());
  size_t whole = llvm::count_if(middle.toMiddle(), [&](int64_t axis) { return indices[axis].isWhole(); });
  if (middle.mixes(whole)) {
    Indices opened(indices);
    for (int64_t axis : middle.toMiddle()) opened[axis] = {};
    return picked(op.getResult(), opened, indices, loc);
  }
  Indices inner(fromShape.size());
  for (size_t axis = 0; axis < fromShape.size(); ++axis)
    if (isUnit(fromShape[axis])) inner[axis] = constantIndex(0, line);
  for (size_t i = 0; i < middle.head; ++i) inner[middle.from[i]] = indices[middle.to[i]];
  for (size_t i = 1; i <= middle.tail; ++i)
    inner[middle.from[middle.from.size() - i]] = indices[middle.to[middle.to.size() - i]];
  ArrayRef<int64_t> from = middle.fromMiddle(), to = middle.toMiddle();
  if (middle.isRespelled()) {
    inner[from[0]] = indices[to[0]];
  } else if (!from.empty() && whole == 0) {
    SmallVector<Value> given, split;
    SmallVector<DimAttr> joined, extents;
    for (int64_t axis : to) given.push_back(indices[axis].at), joined.push_back(toShape[axis]);
    for (int64_t axis : from) extents.push_back(fromShape[axis]);
    // There and back is no way at all: the same indices are the same values, so that what is computed at them is computed
    // once. An index is inside of its axis, so its number in the common axis is only its own.
    auto known = [&](const Key &key) -> Value {
      for (auto &scope : llvm::reverse(scopes_))
        if (auto found = scope.done.find(key); found != scope.done.end()) return found->second;
      return {};
    };
    auto keyOfSplit = [](Value linear, ArrayRef<DimAttr> extents, size_t i) {
      Key key{linear.getAsOpaquePointer(), {reinterpret_cast<void *>(i)}};
      for (DimAttr extent : extents) key.second.push_back(const_cast<void *>(extent.getAsOpaquePointer()));
      return key;
    };
    auto keyOfJoined = [](ArrayRef<Value> parts, ArrayRef<DimAttr> extents) {
      Key key{nullptr, {}};
      for (auto [part, extent] : llvm::zip(parts, extents)) {
        key.second.push_back(part.getAsOpaquePointer());
        key.second.push_back(const_cast<void *>(extent.getAsOpaquePointer()));
      }
      return key;
    };
    auto remember = [&](Value linear, ArrayRef<Value> parts, ArrayRef<DimAttr> extents) {
      scopes_.back().done[keyOfJoined(parts, extents)] = linear;
      for (size_t i = 0; i < parts.size(); ++i) scopes_.back().done[keyOfSplit(linear, extents, i)] = parts[i];
    };
    Value linear = known(keyOfJoined(given, joined));
    if (!linear) {
      for (auto [index, extent] : llvm::zip(given, joined)) {
        if (linear) linear = arithmetic("mul", linear, dim(extent.getDim(), line), line);
        linear = linear ? arithmetic("add", linear, index, line) : index;
      }
      if (!linear) linear = constantIndex(0, line);
      remember(linear, given, joined);
    }
    for (size_t i = 0; i < extents.size(); ++i) split.push_back(known(keyOfSplit(linear, extents, i)));
    if (llvm::is_contained(split, Value())) {
      split.clear();
      for (const Index &index : delinearize(linear, extents, line)) split.push_back(index.at);
      remember(linear, split, extents);
    }
    for (auto [axis, index] : llvm::zip(from, split)) inner[axis] = index;
  }
  Value piece = part(op.getOperand(), inner);
  Type type = partType(op.getType(), indices);
  if (!piece || piece.getType() == type) return piece;
  if (!isa<TensorType>(piece.getType())) return builder_.create<graph::FullOp>(loc, type, piece);
  return builder_.create<graph::ReshapeOp>(loc, type, piece);
}

static size_t wholeInMiddle(const Middle &middle, const AxisKinds &result) {
  return llvm::count_if(middle.toMiddle(), [&](int64_t axis) { return result[axis] == AxisKind::Whole; });
}

static std::optional<AxisKinds> reshapeAxes(graph::ReshapeOp op, const AxisKinds &result) {
  Middle middle(op.getOperand().getType(), op.getType());
  AxisKinds kinds(op.getOperand().getType().getRank(), AxisKind::Private);
  for (size_t i = 0; i < middle.head; ++i) kinds[middle.from[i]] = result[middle.to[i]];
  for (size_t i = 1; i <= middle.tail; ++i)
    kinds[middle.from[middle.from.size() - i]] = result[middle.to[middle.to.size() - i]];
  auto isRange = [&](int64_t axis) { return result[axis] == AxisKind::Range; };
  if (llvm::any_of(middle.toMiddle(), isRange)) {
    if (!middle.isRespelled()) return std::nullopt;
    kinds[middle.fromMiddle()[0]] = AxisKind::Range;
    return kinds;
  }
  bool whole = wholeInMiddle(middle, result) != 0;
  for (int64_t axis : middle.fromMiddle()) kinds[axis] = whole ? AxisKind::Whole : AxisKind::Private;
  return kinds;
}

bool mixesRows(Operation *op, const AxisKinds &result) {
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return result[concat.getAxis()] == AxisKind::Private && llvm::is_contained(result, AxisKind::Whole);
  auto reshape = dyn_cast<graph::ReshapeOp>(op);
  if (!reshape) return false;
  Middle middle(reshape.getOperand().getType(), reshape.getType());
  return middle.fromMiddle().size() > 1 && middle.mixes(wholeInMiddle(middle, result));
}

/// Each element of the result is one element of each operand, found by its indices alone.
static bool movesOrMaps(Operation *op) {
  return isa<graph::ElementwiseOp, graph::CastOp, graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp,
             graph::SliceOp, graph::FullOp, graph::ExtractOp>(op);
}

std::optional<AxisKinds> operandAxes(Operation *op, unsigned operand, const AxisKinds &result) {
  bool isTile = llvm::is_contained(result, AxisKind::Range);
  if (isTile && !movesOrMaps(op) && !isa<graph::DotOp>(op)) return std::nullopt;
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
    AxisKinds kinds(result);  // a tile's rows and columns come in steps along the axis that is added up
    kinds[result.size() - (operand == 0 ? 1 : 2)] = isTile ? AxisKind::Range : AxisKind::Whole;
    return kinds;
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    AxisKinds kinds(result);
    if (mixesRows(op, result)) kinds[concat.getAxis()] = AxisKind::Whole;
    return kinds;
  }
  if (auto window = dyn_cast<graph::WindowOp>(op)) {
    AxisKinds kinds(result);
    int64_t axis = window.getAxis();
    bool whole = result[axis] == AxisKind::Whole || result[axis + 1] == AxisKind::Whole;
    kinds.erase(kinds.begin() + axis);
    kinds[axis] = whole ? AxisKind::Whole : AxisKind::Private;
    return kinds;
  }
  if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    AxisKinds kinds(result);
    kinds[gather.getAxis()] = AxisKind::Whole;
    if (operand == 0) return kinds;
    kinds.clear();
    bool differ = llvm::any_of(gather.getAxes(), [&](int64_t to) { return result[to] == AxisKind::Whole; });
    for (int64_t to : gather.getAxes())
      kinds.push_back(differ && to == static_cast<int64_t>(gather.getAxis()) ? AxisKind::Whole : result[to]);
    return kinds;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    if (operand != 0) return AxisKinds();
    AxisKinds kinds;
    auto next = result.begin();
    for (auto [i, point] : llvm::enumerate(slice.getPoints())) {
      kinds.push_back(point ? AxisKind::Private : *next++);
      if (kinds.back() == AxisKind::Range && slice.getSteps()[i] != 1) return std::nullopt;
    }
    return kinds;
  }
  if (isa<graph::ExtractOp>(op)) return AxisKinds();
  if (isa<graph::FullOp>(op)) return AxisKinds();
  return std::nullopt;
}

}  // namespace tessera::transforms
