// Sums of what windows take from a product are a product of windows.
//
// The derivative of a convolution by its tensor multiplies the cotangents by the weights of all places of a window, and each element
// adds up what the windows over it gave:
//
//   P[k, c, w] = sum_o W[k, c, o] * dy[o, w]          as many times the tensor as a window has places, in f32
//   dx[c, x]   = sum_k P[k, c, x - k]                 each read once, far apart
//
// Both sums are one, over places and channels, of what windows see of dy with zeros around it, the places from the last to the first:
//
//   dx[c, x]   = sum_(k', o) W[K - 1 - k', c, o] * dy[o, x + k' - (K - 1)]
//
// That is a convolution again, which ReadWindows.cpp reads from dy as it lies. Nothing asks for a convolution: the map of the sum says
// from where its terms come (AccessMap.h). Where windows lie apart, elements a step apart see the same places of the weights: a product for
// each remainder, put side by side.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/schedule/AccessMap.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Privatise.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/SinkTransposes.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/Windows.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr size_t kMostSteps = 16;  // from a product to a sum of its elements

/// An axis of the product's array: of its batch, of the operand with the weights or of the other.
struct ArrayAxis {
  DimAttr extent;
  size_t of;                     // axis of the product
  std::optional<size_t> window;  // axis of the map that moves with the value
  std::optional<size_t> place;   // axis of the map that is added up
  int64_t dilation = 1;
  int64_t before = 0, after = 0;  // zeros around it
  int64_t apart = 1;              // elements of the value that see the same places of the weights
  int64_t constant = 0;           // of their index
  int64_t first = 0;              // of these places
};

/// What each `apart`-th element adds up, from the one at `from` on: places of the weights as far apart, and a window of so many.
struct Remainder {
  Dim windows;
  int64_t first, places, before, after;
};
std::optional<Remainder> remainderOf(const AccessMap &map, const ArrayAxis &axis, int64_t from) {
  const int64_t apart = axis.apart, places = map.axes[*axis.place].extent.constant(), constant = axis.constant;
  const Dim &extent = map.axes[*axis.window].extent, size = axis.extent.getDim();
  if (constant < 0) return std::nullopt;
  // Windows went to the end of what was under them: that many elements, and at most `more` windows of the remainder behind the last.
  std::optional<int64_t> more;
  for (int64_t behind = 0; behind < places + apart && !more; ++behind)
    if (Dim::floorDiv(extent + Dim(constant + behind - places), Dim(apart)) + Dim(1) == size) more = std::max<int64_t>(0, (places - 1 - constant - behind + apart - 1) / apart);
  const int64_t first = (from + constant) % apart, ahead = (from + constant - first) / apart;
  if (!more || first >= places) return std::nullopt;
  const int64_t count = (places - first + apart - 1) / apart;
  Remainder made{size + Dim(*more), first, count, count - 1 - ahead, *more + ahead};
  return made.before >= 0 && made.after >= 0 ? std::optional(made) : std::nullopt;
}

/// What a value adds up of a product.
struct WindowSum {
  Value value;
  AccessMap map;
  SmallVector<ArrayAxis> axes;
  unsigned weights = 0;  // operand
};

/// A matrix that all of a batch share, repeated for it, turned or not; null if it is none.
Value matrixOf(Value operand, bool &isTurned) {
  isTurned = false;
  int64_t rank = static_cast<int64_t>(shapeOf(operand.getType()).size());
  if (auto turned = operand.getDefiningOp<graph::TransposeOp>(); turned && rank > 2) {
    SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(swapped[rank - 2], swapped[rank - 1]);
    if (turned.getPerm() != ArrayRef<int64_t>(swapped)) return {};
    isTurned = true;
    operand = turned.getOperand();
  }
  return sharedMatrix(operand);
}

class Finder {
public:
  Finder(graph::DotOp dot, graph::FuncOp function) : dot_(dot), function_(function) {}

  std::optional<WindowSum> run() {
    SmallVector<Value> candidates;
    for (Value value = dot_.getResult(); candidates.size() < kMostSteps && value.hasOneUse();) {
      Operation *user = *value.user_begin();
      bool isOne = user->getNumResults() == 1 && user->getOperand(0) == value && user->getBlock() == dot_->getBlock() &&
                   isa<graph::TransposeOp, graph::ReshapeOp, graph::SliceOp, graph::GatherOp, graph::ReduceOp>(user);
      if (!isOne || !isa<TensorType>(user->getResult(0).getType())) break;
      value = user->getResult(0);
      candidates.push_back(value);
    }
    for (Value value : llvm::reverse(candidates))
      if (std::optional<WindowSum> found = sumIn(value)) return found;
    return std::nullopt;
  }

private:
  std::optional<WindowSum> sumIn(Value value) {
    std::optional<AccessMap> map = addedUpMapOf(value, function_);
    if (!map || llvm::none_of(map->axes, [](const AccessAxis &axis) { return axis.axis == kAddedUp; })) return std::nullopt;
    auto reshape = map->array.getDefiningOp<graph::ReshapeOp>();
    if (map->array != dot_.getResult() && !(reshape && reshape.getOperand() == dot_.getResult())) return std::nullopt;
    for (unsigned weights : {0, 1}) {
      WindowSum found{value, *map, {}, weights};
      if (classify(found)) return found;
    }
    return std::nullopt;
  }

  /// Which axis of the product each axis of the array is a part of; nothing if a reshape joins axes.
  std::optional<SmallVector<size_t>> partsOfProduct(Value array) {
    ArrayRef<DimAttr> whole = dot_.getType().getShape(), parts = shapeOf(array.getType());
    SmallVector<size_t> of;
    size_t axis = 0;
    Dim held(1);
    for (DimAttr part : parts) {
      if (axis == whole.size()) {
        if (!isUnit(part)) return std::nullopt;
        of.push_back(whole.size() - 1);
        continue;
      }
      of.push_back(axis);
      held = held * part.getDim();
      while (axis < whole.size() && held == whole[axis].getDim()) held = Dim(1), ++axis;
    }
    return axis == whole.size() ? std::optional(of) : std::nullopt;
  }

  bool classify(WindowSum &found) {
    std::optional<SmallVector<size_t>> of = partsOfProduct(found.map.array);
    if (!of) return false;
    size_t rank = dot_.getType().getRank(), ofWeights = found.weights == 0 ? rank - 2 : rank - 1;
    llvm::SmallDenseSet<size_t> here, ofPlaces;
    for (auto [axis, index] : llvm::enumerate(found.map.indices)) {
      ArrayAxis each{shapeOf(found.map.array.getType())[axis], (*of)[axis], std::nullopt, std::nullopt};
      bool isPlain = index.terms.size() <= 1 && index.constant == Dim(0) && !index.isGuarded;
      if (isPlain && !index.terms.empty()) {
        size_t term = index.terms[0].first;
        bool isWhole = index.terms[0].second == Dim(1) && found.map.axes[term].extent == each.extent.getDim();
        if (!isWhole) return false;
        (found.map.axes[term].axis == kAddedUp ? each.place : each.window) = term;
        if (each.place && each.of != ofWeights) return false;
      } else if (!isPlain && (each.of == ofWeights || each.of + 2 < rank || !readWindow(found.map, index, each))) {
        return false;
      }
      if (each.window && !here.insert(*each.window).second) return false;
      if (each.place && each.of != ofWeights && !ofPlaces.insert(*each.place).second) return false;
      found.axes.push_back(each);
    }
    // Each axis of the value is one of the array's, each place one of the weights' and of a window.
    for (auto [term, axis] : llvm::enumerate(found.map.axes)) {
      bool isPlace = axis.axis == kAddedUp;
      bool isOfWeights = llvm::any_of(found.axes, [&, term = term](const ArrayAxis &each) { return each.place == term && each.of == ofWeights; });
      if (isPlace ? !ofPlaces.contains(term) || !isOfWeights : !here.contains(term)) return false;
    }
    for (const ArrayAxis &each : found.axes)
      for (int64_t from = 0; each.apart > 1 && from < each.apart; ++from)
        if (!remainderOf(found.map, each, from)) return false;
    bool isTurned = false;
    return matrixOf(dot_->getOperand(found.weights), isTurned) != Value();
  }

  /// The index x - k * dilation + c, or a part of (x - k + c) where that is divided: of a window, the places from the last to the first.
  static bool readWindow(const AccessMap &map, const AccessIndex &index, ArrayAxis &axis) {
    for (auto [term, factor] : index.terms) {
      if (!factor.isConstant()) return false;
      bool isPlace = map.axes[term].axis == kAddedUp;
      auto &to = isPlace ? axis.place : axis.window;
      if (to || (isPlace ? factor.constant() >= 0 : factor.constant() != 1)) return false;
      to = term;
      if (isPlace) axis.dilation = -factor.constant();
    }
    if (!axis.window || !axis.place || !index.constant.isConstant() || !map.axes[*axis.place].extent.isConstant()) return false;
    axis.apart = index.divisor;
    axis.constant = index.constant.constant();
    constexpr int64_t kMostApart = 4;
    if (axis.apart > 1) return axis.dilation == 1 && axis.apart <= kMostApart;
    const int64_t reach = (map.axes[*axis.place].extent.constant() - 1) * axis.dilation;
    axis.before = reach - index.constant.constant();
    Dim after = map.axes[*axis.window].extent + Dim(reach - axis.before) - axis.extent.getDim();
    if (!after.isConstant()) return false;
    axis.after = after.constant();
    return axis.before >= 0 && axis.after >= 0;
  }

  graph::DotOp dot_;
  graph::FuncOp function_;
};

class Rewriter {
public:
  /// Writes before `next`.
  Rewriter(graph::DotOp dot, WindowSum found, Operation *next) : dot_(dot), found_(std::move(found)), builder_(next), loc_(dot.getLoc()) {
    for (auto [axis, each] : llvm::enumerate(found_.axes)) {
      if (each.of + 2 < static_cast<size_t>(dot_.getType().getRank())) batch_.push_back(axis);
      else if (each.of != ofWeights()) others_.push_back(axis);
      else if (each.place) places_.push_back(axis);
      else outer_.push_back(axis);
    }
  }

  /// In the order of the value.
  Value run() {
    Value weights = arrangedWeights(), windows = arrangedWindows();
    SmallVector<Dim> shape = batch();
    shape.push_back(found_.weights == 0 ? count(outer_) : windowCount());
    shape.push_back(found_.weights == 0 ? windowCount() : count(outer_));
    Type sums = typeOf(shape, elementTypeOf(dot_.getType()));
    Value left = found_.weights == 0 ? weights : windows, right = found_.weights == 0 ? windows : weights;
    return inOrder(addedUpAs(dot_, builder_.create<graph::DotOp>(loc_, sums, left, right)));
  }

private:
  size_t ofWeights() { return static_cast<size_t>(dot_.getType().getRank()) - (found_.weights == 0 ? 2 : 1); }
  DimAttr attr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Type typeOf(ArrayRef<Dim> dims, Type element) { return tensorOf(builder_.getContext(), dims, element); }
  Dim extent(size_t axis) { return found_.axes[axis].extent.getDim(); }
  Dim count(ArrayRef<size_t> axes) {
    Dim product(1);
    for (size_t axis : axes) product = product * extent(axis);
    return product;
  }
  Dim windowsAlong(size_t axis) { return found_.axes[axis].window ? found_.map.axes[*found_.axes[axis].window].extent : Dim(1); }
  Dim placeCount() {
    Dim product(1);
    for (size_t axis : places_) product = product * found_.map.axes[*found_.axes[axis].place].extent;
    return product;
  }
  Dim windowCount() {
    Dim product(1);
    for (size_t axis : others_) product = product * windowsAlong(axis);
    return product;
  }
  SmallVector<Dim> batch() { return llvm::map_to_vector(shapeOf(dot_.getType()).drop_back(2), [](DimAttr dim) { return dim.getDim(); }); }
  Dim depth() { return shapeOf(dot_.getLhs().getType()).back().getDim(); }

  /// The matrix [rows, depth], its places from the last to the first, as one with places and depth along its sums; for the whole batch.
  Value arrangedWeights() {
    bool isTurned = false;
    Value matrix = matrixOf(dot_->getOperand(found_.weights), isTurned);
    Type element = elementTypeOf(matrix.getType());
    const bool hasRowsFirst = (found_.weights == 0) != isTurned;
    SmallVector<Dim> apart;
    SmallVector<size_t> rows;  // axes of the array, in their order
    for (auto [axis, each] : llvm::enumerate(found_.axes))
      if (each.of == ofWeights()) rows.push_back(axis);
    for (size_t axis : rows) apart.push_back(extent(axis));
    apart.insert(hasRowsFirst ? apart.end() : apart.begin(), depth());
    Value cut = reshapedTo(builder_, matrix, typeOf(apart, element));
    auto positionOf = [&](size_t axis) { return llvm::find(rows, axis) - rows.begin() + (hasRowsFirst ? 0 : 1); };
    for (size_t axis : places_) cut = backwards(cut, positionOf(axis), axis);
    SmallVector<int64_t> order;
    for (size_t axis : outer_) order.push_back(positionOf(axis));
    SmallVector<int64_t> inner;
    for (size_t axis : places_) inner.push_back(positionOf(axis));
    inner.push_back(hasRowsFirst ? static_cast<int64_t>(rows.size()) : 0);
    order.insert(found_.weights == 0 ? order.end() : order.begin(), inner.begin(), inner.end());
    Dim sums = placeCount() * depth();
    SmallVector<Dim> flat = found_.weights == 0 ? SmallVector<Dim>{count(outer_), sums} : SmallVector<Dim>{sums, count(outer_)};
    Value ordered = reshapedTo(builder_, transposedTo(builder_, cut, order), typeOf(flat, element));
    SmallVector<Dim> all = batch();
    if (all.empty()) return ordered;
    const auto last = static_cast<int64_t>(all.size());
    all.append(flat);
    return builder_.create<graph::BroadcastOp>(loc_, typeOf(all, element), ordered, builder_.getDenseI64ArrayAttr({last, last + 1}));
  }

  /// The places from the last to the first; those of the remainder.
  Value backwards(Value value, int64_t axis, size_t ofWeights) {
    auto axisOver = llvm::find_if(others_, [&](size_t other) { return found_.axes[other].place == found_.axes[ofWeights].place; });
    const ArrayAxis &over = found_.axes[*axisOver];
    DimAttr count = attr(found_.map.axes[*over.place].extent);
    SmallVector<DimAttr> shape(shapeOf(value.getType()));
    shape[axis] = count;
    Type places = TensorType::get(builder_.getContext(), {count}, builder_.getI64Type()), type = TensorType::get(builder_.getContext(), shape, elementTypeOf(value.getType()));
    auto all = [&](int64_t number) -> Value {
      Value constant = builder_.create<graph::ConstantOp>(loc_, builder_.getI64Type(), builder_.getI64IntegerAttr(number));
      return builder_.create<graph::FullOp>(loc_, places, constant);
    };
    Value from = all(over.first + over.apart * (*count.getConstant() - 1)), counted = builder_.create<graph::IotaOp>(loc_, places, 0);
    if (over.apart > 1) counted = builder_.create<graph::ElementwiseOp>(loc_, places, "mul", ValueRange{counted, all(over.apart)});
    Value at = builder_.create<graph::ElementwiseOp>(loc_, places, "sub", ValueRange{from, counted});
    return builder_.create<graph::GatherOp>(loc_, type, axis, value, at, ArrayRef<int64_t>{axis});
  }

  /// The other operand with zeros around it, as windows: its places and depth along the sums.
  Value arrangedWindows() {
    Value operand = dot_->getOperand(1 - found_.weights);
    Type element = elementTypeOf(operand.getType());
    // Rounded where it lies, behind the movements that are made here (RoundEarly.cpp).
    auto rounded = operand.getDefiningOp<graph::CastOp>();
    const bool isLate = rounded && !rounded.getRoundingAttr() && !rounded.getSaturate();
    Value seen = isLate ? rounded.getOperand() : operand;
    Type carried = elementTypeOf(seen.getType());
    const size_t depthAxis = batch_.size() + (found_.weights == 0 ? 0 : others_.size());
    SmallVector<Dim> apart;
    for (size_t axis : batch_) apart.push_back(extent(axis));
    for (size_t axis : others_) apart.push_back(extent(axis));
    apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(depthAxis), depth());
    Value cut = reshapedTo(builder_, seen, typeOf(apart, carried));
    SmallVector<int64_t> places, windows;
    auto next = static_cast<int64_t>(batch_.size() + (found_.weights == 0 ? 1 : 0));
    for (size_t axis : others_) {
      const ArrayAxis &each = found_.axes[axis];
      if (each.place) {
        cut = windowsOf(cut, next, each);
        places.push_back(next++);
      }
      windows.push_back(next++);
    }
    const int64_t depthAt = found_.weights == 0 ? static_cast<int64_t>(batch_.size()) : next;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(batch_.size())));
    SmallVector<int64_t> summed = inOrderOfWeights(places);
    summed.push_back(depthAt);
    order.append(found_.weights == 0 ? summed : windows);
    order.append(found_.weights == 0 ? windows : summed);
    SmallVector<Dim> flat = batch();
    Dim sums = placeCount() * depth();
    flat.push_back(found_.weights == 0 ? sums : windowCount());
    flat.push_back(found_.weights == 0 ? windowCount() : sums);
    Value all = reshapedTo(builder_, transposedTo(builder_, cut, order), typeOf(flat, carried));
    return isLate ? builder_.create<graph::CastOp>(rounded.getLoc(), typeOf(flat, element), all, StringAttr(), UnitAttr()) : all;
  }

  /// Axes of places, which are in the order of the windows, in that in which the weights have them.
  SmallVector<int64_t> inOrderOfWeights(ArrayRef<int64_t> places) {
    SmallVector<int64_t> order;
    for (size_t mine : places_) {
      size_t position = 0;
      for (size_t axis : others_) {
        if (!found_.axes[axis].place) continue;
        if (found_.axes[axis].place == found_.axes[mine].place) order.push_back(places[position]);
        ++position;
      }
    }
    return order;
  }

  Value windowsOf(Value value, int64_t axis, const ArrayAxis &each) {
    auto type = cast<TensorType>(value.getType());
    auto zeros = [&](int64_t number) -> Value {
      SmallVector<DimAttr> shape(type.getShape());
      shape[axis] = attr(Dim(number));
      Value zero = builder_.create<graph::ConstantOp>(loc_, type.getElementType(), builder_.getZeroAttr(type.getElementType()));
      return builder_.create<graph::FullOp>(loc_, TensorType::get(builder_.getContext(), shape, type.getElementType()), zero);
    };
    SmallVector<Value> parts;
    if (each.before > 0) parts.push_back(zeros(each.before));
    parts.push_back(value);
    if (each.after > 0) parts.push_back(zeros(each.after));
    SmallVector<DimAttr> shape(type.getShape());
    shape[axis] = attr(shape[axis].getDim() + Dim(each.before + each.after));
    if (parts.size() > 1) value = builder_.create<graph::ConcatOp>(loc_, TensorType::get(builder_.getContext(), shape, type.getElementType()), axis, parts);
    shape[axis] = attr(found_.map.axes[*each.window].extent);
    shape.insert(shape.begin() + axis, attr(found_.map.axes[*each.place].extent));
    return builder_.create<graph::WindowOp>(loc_, TensorType::get(builder_.getContext(), shape, type.getElementType()), axis, value, 1, each.dilation);
  }

  /// The product with the axes of the value in whose place it stands.
  Value inOrder(graph::DotOp product) {
    SmallVector<size_t> made(batch_);  // axes of the array, as the product has them
    made.append(found_.weights == 0 ? outer_ : others_);
    made.append(found_.weights == 0 ? others_ : outer_);
    llvm::erase_if(made, [&](size_t axis) { return !found_.axes[axis].window; });
    Type element = elementTypeOf(product.getType());
    Value cut = reshapedTo(builder_, product, typeOf(llvm::map_to_vector(made, [&](size_t axis) { return windowsAlong(axis); }), element));
    SmallVector<int64_t> order;
    for (const auto &digits : found_.map.digits)
      for (size_t digit : digits)
        order.push_back(llvm::find_if(made, [&](size_t axis) { return found_.axes[axis].window == digit; }) - made.begin());
    return reshapedTo(builder_, transposedTo(builder_, cut, order), valueType());
  }
  /// Of a remainder: with as many elements as that has.
  Type valueType() {
    if (llvm::none_of(found_.axes, [](const ArrayAxis &axis) { return axis.apart > 1; })) return found_.value.getType();
    SmallVector<Dim> shape;
    for (const auto &digits : found_.map.digits) {
      Dim product(1);
      for (size_t digit : digits) product = product * found_.map.axes[digit].extent;
      shape.push_back(product);
    }
    return typeOf(shape, elementTypeOf(found_.value.getType()));
  }

  graph::DotOp dot_;
  WindowSum found_;
  OpBuilder builder_;
  Location loc_;
  SmallVector<size_t> batch_, outer_, places_, others_;  // axes of the array: those of the weights without places, its places, the other operand's
};

/// The value as one product for each remainder of places, put side by side: elements that are a step apart see the same places of the
/// weights, and no zeros between those of the other operand.
class ByRemainders {
public:
  ByRemainders(graph::DotOp dot, const WindowSum &found, Operation *next) : dot_(dot), next_(next), builder_(next) {
    for (auto [axis, each] : llvm::enumerate(found.axes))
      if (each.apart > 1) axes_.push_back(axis);
  }

  Value run(const WindowSum &found, size_t number = 0) {
    if (number == axes_.size()) return Rewriter(dot_, found, next_).run();
    const size_t axis = axes_[number];
    const ArrayAxis each = found.axes[axis];
    SmallVector<Value> parts;
    for (int64_t from = 0; from < each.apart; ++from) {
      Remainder part = *remainderOf(found.map, each, from);
      WindowSum of = found;
      of.axes[axis].before = part.before;
      of.axes[axis].after = part.after;
      of.axes[axis].first = part.first;
      of.map.axes[*each.window].extent = part.windows;
      of.map.axes[*each.place].extent = Dim(part.places);
      parts.push_back(run(of, number + 1));
    }
    return sideBySide(parts, static_cast<int64_t>(found.map.axes[*each.window].axis), found.map.axes[*each.window].extent);
  }

private:
  /// Elements of the parts in turn, so many along the axis.
  Value sideBySide(ArrayRef<Value> parts, int64_t axis, const Dim &extent) {
    Location loc = unnamed(dot_.getLoc());
    SmallVector<DimAttr> shape(shapeOf(parts[0].getType()));
    Type element = elementTypeOf(parts[0].getType());
    auto attr = [&](const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); };
    auto typeOf = [&](ArrayRef<DimAttr> of) { return TensorType::get(builder_.getContext(), of, element); };
    SmallVector<DimAttr> apart(shape);
    apart.insert(apart.begin() + axis + 1, attr(Dim(1)));
    SmallVector<Value> cut = llvm::map_to_vector(parts, [&](Value part) { return Value(builder_.create<graph::ReshapeOp>(loc, typeOf(apart), part)); });
    apart[axis + 1] = attr(Dim(static_cast<int64_t>(parts.size())));
    Value all = builder_.create<graph::ConcatOp>(loc, typeOf(apart), axis + 1, cut);
    shape[axis] = attr(shape[axis].getDim() * Dim(static_cast<int64_t>(parts.size())));
    all = builder_.create<graph::ReshapeOp>(loc, typeOf(shape), all);
    if (shape[axis].getDim() == extent) return all;
    Indices taken(shape.size());
    shape[axis] = attr(extent);
    taken[axis] = Index(builder_.create<graph::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(0)), shape[axis]);
    PartAccess at(builder_, shapeOf(all.getType()), taken, loc);
    auto inside = builder_.getDenseBoolArrayAttr(SmallVector<bool>(shape.size(), true));
    return builder_.create<graph::SliceOp>(loc, typeOf(shape), all, at.offsets, at.points, at.sizes, at.steps, inside);
  }

  graph::DotOp dot_;
  Operation *next_;
  OpBuilder builder_;
  SmallVector<size_t> axes_;  // of the array
};

struct SumWindows : PassWrapper<SumWindows, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SumWindows)
  StringRef getArgument() const override { return "graph-sum-windows"; }
  StringRef getDescription() const override { return "sums of what windows take from products as products of windows"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine || !machine->warpgroupProducts) return;  // windows of what others multiply are stored as well
    SmallVector<graph::DotOp> dots;
    getOperation().walk([&](graph::DotOp dot) { dots.push_back(dot); });
    bool isChanged = false;
    for (graph::DotOp dot : dots) {
      Type element = elementTypeOf(dot.getLhs().getType());
      if (!hasWarpgroupProduct(*machine, dot) || element.getIntOrFloatBitWidth() != 16 || elementTypeOf(dot.getRhs().getType()) != element) continue;
      std::optional<WindowSum> found = Finder(dot, getOperation()).run();
      if (!found || !areEnough(dot)) continue;
      Value value = found->value;
      Operation *next = value.getDefiningOp()->getNextNode();
      Value made = ByRemainders(dot, *found, next).run(*found);
      value.replaceAllUsesWith(made);
      isChanged = true;
    }
    if (isChanged) eraseUnused(getOperation());
  }

private:
  /// Channels of what the windows see: few would be multiplied with zeros, and their windows stored (ReadWindows.cpp).
  static bool areEnough(graph::DotOp dot) {
    std::optional<int64_t> channels = shapeOf(dot.getLhs().getType()).back().getConstant();
    return !channels || hasPanels(*channels);
  }
};

}  // namespace

std::unique_ptr<Pass> createSumWindowsPass() { return std::make_unique<SumWindows>(); }

}  // namespace tessera::transforms
