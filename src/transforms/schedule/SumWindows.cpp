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
// from where its terms come (AccessMap.h). Where windows lie apart, elements a step apart see the same places of the weights. With s elements
// a step, element s * q + f adds up the places s * t + f of what lies at q - t: the windows are the same for all f, which are columns of
// one product. Where s does not divide the places there is a product for each remainder, of so many as it sees; the results are put side by side.
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
  std::optional<size_t> window = std::nullopt;  // axis of the map that moves with the value
  std::optional<size_t> place = std::nullopt;   // axis of the map that is added up
  int64_t dilation = 1;
  int64_t before = 0, after = 0;  // zeros around it
  int64_t apart = 1;              // elements of the value that see the same places of the weights
  int64_t constant = 0;           // of their index
  int64_t first = 0;              // of these places
  bool isRemainder = false;       // the columns of all remainders of an axis, which no array has
  std::optional<size_t> besides = std::nullopt;  // of the axis with places: that one
};

/// Windows went to the end of what was under them: how many elements more there may be before there would be one more window.
std::optional<int64_t> behindOf(const AccessMap &map, const ArrayAxis &axis) {
  const int64_t apart = axis.apart, places = map.axes[*axis.place].extent.constant();
  const Dim &extent = map.axes[*axis.window].extent, size = axis.extent.getDim();
  for (int64_t behind = 0; behind < places + apart; ++behind)
    if (Dim::floorDiv(extent + Dim(axis.constant + behind - places), Dim(apart)) + Dim(1) == size) return behind;
  return std::nullopt;
}

/// What each `apart`-th element adds up, from the one at `from` on: places of the weights as far apart, and a window of so many.
struct Remainder {
  Dim windows;
  int64_t first, places, before, after;
};
std::optional<Remainder> remainderOf(const AccessMap &map, const ArrayAxis &axis, int64_t from) {
  const int64_t apart = axis.apart, places = map.axes[*axis.place].extent.constant(), constant = axis.constant;
  std::optional<int64_t> behind = constant >= 0 ? behindOf(map, axis) : std::nullopt;
  const int64_t first = (from + constant) % apart, ahead = (from + constant - first) / apart;
  if (!behind || first >= places) return std::nullopt;
  const int64_t more = std::max<int64_t>(0, (places - 1 - constant - *behind + apart - 1) / apart);  // windows of the remainder behind the last
  const int64_t count = (places - first + apart - 1) / apart;
  Remainder made{axis.extent.getDim() + Dim(more), first, count, count - 1 - ahead, more + ahead};
  return made.before >= 0 && made.after >= 0 ? std::optional(made) : std::nullopt;
}

/// All remainders of an axis as columns of one product: places of the weights that each of them sees, and windows, the first of which has the
/// element at `start`.
struct Columns {
  Dim windows;
  int64_t places, before, after, start;
};
std::optional<Columns> columnsOf(const AccessMap &map, const ArrayAxis &axis) {
  const int64_t apart = axis.apart, places = map.axes[*axis.place].extent.constant(), constant = axis.constant;
  std::optional<int64_t> behind = constant >= 0 ? behindOf(map, axis) : std::nullopt;
  const int64_t count = places / apart, skipped = constant / apart;
  if (!behind || skipped >= count) return std::nullopt;
  const Dim size = axis.extent.getDim(), over = map.axes[*axis.window].extent + Dim(constant) - size * Dim(apart);
  const int64_t most = over.isConstant() ? over.constant() : places - 1 - *behind;  // elements behind those of the last window's first place
  const int64_t more = std::max<int64_t>(0, (most + apart - 1) / apart);
  return Columns{size + Dim(more - skipped), count, count - 1 - skipped, more, constant - skipped * apart};
}

/// What a value adds up of a product.
struct WindowSum {
  Value value;
  AccessMap map;
  SmallVector<ArrayAxis> axes;
  unsigned weights = 0;  // operand
  bool inGroups = false;  // they are others for each place in the last axis of the batch
};

/// Whether all remainders are columns of one product: they see as many places. Zeros of the weights would be multiplied with elements that a
/// remainder does not see, which may be infinite.
bool haveColumns(const WindowSum &found) {
  bool isApart = false;
  for (const ArrayAxis &axis : found.axes) {
    if (axis.apart == 1) continue;
    if (found.map.axes[*axis.place].extent.constant() % axis.apart != 0 || !columnsOf(found.map, axis)) return false;
    isApart = true;
  }
  return isApart;
}

/// A matrix that all of a batch share, repeated for it, turned or not; null if it is none. `inGroups`: all that have the same place in the last
/// axis of the batch.
Value matrixOf(Value operand, bool &isTurned, bool inGroups = false) {
  isTurned = false;
  int64_t rank = static_cast<int64_t>(shapeOf(operand.getType()).size());
  if (auto turned = operand.getDefiningOp<graph::TransposeOp>(); turned && rank > 2) {
    SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(swapped[rank - 2], swapped[rank - 1]);
    if (turned.getPerm() != ArrayRef<int64_t>(swapped)) return {};
    isTurned = true;
    operand = turned.getOperand();
  }
  return inGroups ? rank > 2 ? sharedInGroups(operand) : Value() : sharedMatrix(operand);
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
      ArrayAxis each{shapeOf(found.map.array.getType())[axis], (*of)[axis]};
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
      if (!isPlace && !llvm::is_contained(found.map.digits[axis.axis], term)) continue;  // it was cut
      bool isOfWeights = llvm::any_of(found.axes, [&, term = term](const ArrayAxis &each) { return each.place == term && each.of == ofWeights; });
      if (isPlace ? !ofPlaces.contains(term) || !isOfWeights : !here.contains(term)) return false;
    }
    // Elements of a remainder stand alone along an axis of the value.
    for (const ArrayAxis &each : found.axes)
      if (each.apart > 1 && found.map.digits[found.map.axes[*each.window].axis].size() != 1) return false;
    constexpr int64_t kMostApart = 4;  // products, along an axis
    if (!haveColumns(found))
      for (const ArrayAxis &each : found.axes) {
        if (each.apart > kMostApart) return false;
        for (int64_t from = 0; each.apart > 1 && from < each.apart; ++from)
          if (!remainderOf(found.map, each, from)) return false;
      }
    bool isTurned = false;
    const Value weights = dot_->getOperand(found.weights);
    found.inGroups = !matrixOf(weights, isTurned);
    return !found.inGroups || matrixOf(weights, isTurned, /*inGroups=*/true);
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
    if (axis.apart > 1) return axis.dilation == 1;
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
    std::stable_partition(outer_.begin(), outer_.end(), [&](size_t axis) { return found_.axes[axis].isRemainder; });  // what is stored side by side stays so
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
    Value matrix = matrixOf(dot_->getOperand(found_.weights), isTurned, found_.inGroups);
    Type element = elementTypeOf(matrix.getType());
    const bool hasRowsFirst = (found_.weights == 0) != isTurned;
    constexpr size_t kDepth = SIZE_MAX, kGroups = SIZE_MAX - 1;
    SmallVector<Dim> apart;
    SmallVector<size_t> axes;  // of the array, in their order
    for (auto [axis, each] : llvm::enumerate(found_.axes))
      if (each.of == ofWeights() && !each.isRemainder) axes.push_back(axis);
    axes.insert(hasRowsFirst ? axes.end() : axes.begin(), kDepth);
    if (found_.inGroups) axes.insert(axes.begin(), kGroups);
    for (size_t axis : axes) apart.push_back(axis == kDepth ? depth() : axis == kGroups ? batch().back() : extent(axis));
    Value cut = found_.inGroups ? Value() : inTheirOrder(matrix, apart, axes);
    if (!cut) cut = reshapedTo(builder_, matrix, typeOf(apart, element));
    auto positionOf = [&](size_t axis) { return llvm::find(axes, axis) - axes.begin(); };
    bool areNeighbours = true;  // these are taken as one axis, which is read where it lies
    for (size_t i = 1; i < places_.size(); ++i) areNeighbours &= positionOf(places_[i]) == positionOf(places_[0]) + static_cast<int64_t>(i);
    if (areNeighbours) {
      cut = backwards(cut, positionOf(places_[0]), places_);
    } else {
      for (size_t axis : places_) cut = backwards(cut, positionOf(axis), axis);
    }
    for (size_t axis : places_)
      if (std::optional<size_t> besides = found_.axes[axis].besides) axes.insert(axes.begin() + positionOf(axis) + 1, *besides);
    auto counted = [&](size_t axis) { return axis == kDepth ? depth() : axis == kGroups ? batch().back() : found_.axes[axis].place ? found_.map.axes[*found_.axes[axis].place].extent : extent(axis); };
    cut = reshapedTo(builder_, cut, typeOf(llvm::map_to_vector(axes, counted), element));
    SmallVector<int64_t> order = llvm::map_to_vector(outer_, positionOf);
    SmallVector<int64_t> inner = llvm::map_to_vector(places_, positionOf);
    inner.push_back(positionOf(kDepth));
    order.insert(found_.weights == 0 ? order.end() : order.begin(), inner.begin(), inner.end());
    Dim sums = placeCount() * depth();
    SmallVector<Dim> flat = found_.weights == 0 ? SmallVector<Dim>{count(outer_), sums} : SmallVector<Dim>{sums, count(outer_)};
    if (found_.inGroups) order.insert(order.begin(), positionOf(kGroups)), flat.insert(flat.begin(), batch().back());
    Value ordered = reshapedTo(builder_, transposedTo(builder_, cut, order), typeOf(flat, element));
    SmallVector<Dim> all = batch();
    if (all.size() + 2 == flat.size()) return ordered;
    if (found_.inGroups) all.pop_back();
    SmallVector<int64_t> behind = llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(all.size()), static_cast<int64_t>(all.size() + flat.size())));
    all.append(flat);
    return builder_.create<graph::BroadcastOp>(loc_, typeOf(all, element), ordered, behind);
  }

  /// The weights as they lie in memory, cut into the same axes, which are put into that order: they are moved once. Null if they are no
  /// transpose of what lies there.
  Value inTheirOrder(Value matrix, ArrayRef<Dim> apart, SmallVector<size_t> &axes) {
    std::optional<AccessMap> map = accessMapOf(matrix, dot_->getParentOfType<graph::FuncOp>());
    if (!map || !isWholeArray(*map)) return {};
    SmallVector<size_t> counted, there;  // axes of the map as the matrix has them, and those of the product as the memory has them
    for (const auto &digits : map->digits) counted.append(digits);
    if (counted.size() != axes.size()) return {};
    for (auto [axis, extent] : llvm::zip(counted, apart))
      if (!(map->axes[axis].extent == extent)) return {};
    SmallVector<Dim> shape;
    for (const AccessIndex &index : map->indices) {
      if (index.terms.empty()) continue;  // of one element
      there.push_back(axes[llvm::find(counted, index.terms[0].first) - counted.begin()]);
      shape.push_back(map->axes[index.terms[0].first].extent);
    }
    axes = there;
    return reshapedTo(builder_, map->array, typeOf(shape, elementTypeOf(map->array.getType())));
  }

  /// The places of axes of the weights from the last to the first; those of the remainder, or of all, which are beside each other.
  Value backwards(Value value, int64_t axis, ArrayRef<size_t> ofWeights) {
    SmallVector<DimAttr> shape(shapeOf(value.getType()));
    Type element = elementTypeOf(value.getType());
    int64_t held = 1, taken = 1;  // places in all
    for (size_t each : ofWeights) held *= *found_.axes[each].extent.getConstant(), taken *= takenAlong(each);
    shape.erase(shape.begin() + axis + 1, shape.begin() + axis + static_cast<int64_t>(ofWeights.size()));
    shape[axis] = attr(Dim(held));
    value = reshapedTo(builder_, value, TensorType::get(builder_.getContext(), shape, element));
    shape[axis] = attr(Dim(taken));
    numbers_ = TensorType::get(builder_.getContext(), {shape[axis]}, builder_.getI64Type());
    Value counted = builder_.create<graph::IotaOp>(loc_, numbers_, 0), at;
    const bool areTurned = llvm::all_of(ofWeights, [&](size_t each) { return isTurned(each); });
    if (areTurned) at = both("sub", all(held - 1), counted);
    for (size_t i = 0; i < ofWeights.size() && !areTurned; ++i) {
      int64_t behind = 1;
      for (size_t other : ofWeights.drop_front(i + 1)) behind *= takenAlong(other);
      Value number = behind == 1 ? counted : both("floordiv", counted, all(behind));
      if (i > 0) number = both("mod", number, all(takenAlong(ofWeights[i])));
      Value place = placeOf(ofWeights[i], number);
      at = at ? both("add", both("mul", at, all(*found_.axes[ofWeights[i]].extent.getConstant())), place) : place;
    }
    return builder_.create<graph::GatherOp>(loc_, TensorType::get(builder_.getContext(), shape, element), axis, value, at, ArrayRef<int64_t>{axis});
  }
  const ArrayAxis &windowAt(size_t ofWeights) {
    return found_.axes[*llvm::find_if(others_, [&](size_t other) { return found_.axes[other].place == found_.axes[ofWeights].place; })];
  }
  int64_t placesAlong(size_t ofWeights) { return found_.map.axes[*found_.axes[ofWeights].place].extent.constant(); }
  int64_t takenAlong(size_t ofWeights) { return placesAlong(ofWeights) * (found_.axes[ofWeights].besides ? windowAt(ofWeights).apart : 1); }
  bool isTurned(size_t ofWeights) { return windowAt(ofWeights).apart == 1; }
  /// Of a place or, of all remainders, a place and a remainder.
  Value placeOf(size_t ofWeights, Value number) {
    const ArrayAxis &over = windowAt(ofWeights);
    Value from = all(over.first + over.apart * (placesAlong(ofWeights) - 1));
    if (!found_.axes[ofWeights].besides) return both("sub", from, over.apart > 1 ? both("mul", number, all(over.apart)) : number);
    Value remainder = both("mod", number, all(over.apart));  // it counts on in each step
    return both("add", both("sub", from, both("sub", number, remainder)), remainder);
  }
  Value all(int64_t number) {
    Value constant = builder_.create<graph::ConstantOp>(loc_, builder_.getI64Type(), builder_.getI64IntegerAttr(number));
    return builder_.create<graph::FullOp>(loc_, numbers_, constant);
  }
  Value both(StringRef what, Value a, Value b) { return builder_.create<graph::ElementwiseOp>(loc_, numbers_, what, ValueRange{a, b}); }

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
    // Remainders beside their windows, as one axis: elements that are neighbours stay so until all axes are in their order.
    SmallVector<SmallVector<size_t, 2>> units;  // axes of the map
    SmallVector<int64_t> beside;
    SmallVector<Dim> shape;
    auto positionOf = [&](size_t digit) { return llvm::find_if(made, [&](size_t axis) { return found_.axes[axis].window == digit; }) - made.begin(); };
    SmallVector<size_t> whole(batch_);  // as products that read windows make it (ReadWindows.cpp)
    whole.append(others_);
    whole.append(outer_);
    for (size_t axis : whole) {
      if (found_.axes[axis].isRemainder || !found_.axes[axis].window) continue;
      units.push_back({*found_.axes[axis].window});
      for (const auto &digits : found_.map.digits)
        for (size_t i = 0; i + 1 < digits.size(); ++i)
          if (digits[i] == units.back()[0] && found_.axes[made[positionOf(digits[i + 1])]].isRemainder) units.back().push_back(digits[i + 1]);
      shape.push_back(Dim(1));
      for (size_t digit : units.back()) beside.push_back(positionOf(digit)), shape.back() = shape.back() * found_.map.axes[digit].extent;
    }
    cut = reshapedTo(builder_, transposedTo(builder_, cut, beside), typeOf(shape, element));
    SmallVector<int64_t> order;
    for (const auto &digits : found_.map.digits)
      for (size_t digit : digits)
        if (auto unit = llvm::find_if(units, [&](const auto &unit) { return unit[0] == digit; }); unit != units.end()) order.push_back(unit - units.begin());
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
  Type numbers_;  // of places
  SmallVector<size_t> batch_, outer_, places_, others_;  // axes of the array: those of the weights without places, its places, the other operand's
};

/// So many elements along an axis, from one on.
Value partFrom(OpBuilder &builder, Value all, int64_t axis, int64_t first, const Dim &extent, Location loc) {
  SmallVector<DimAttr> shape(shapeOf(all.getType()));
  if (shape[axis].getDim() == extent) return all;
  Indices taken(shape.size());
  shape[axis] = DimAttr::get(builder.getContext(), extent);
  taken[axis] = Index(builder.create<graph::ConstantOp>(loc, builder.getIndexType(), builder.getIndexAttr(first)), shape[axis]);
  PartAccess at(builder, shapeOf(all.getType()), taken, loc);
  auto inside = builder.getDenseBoolArrayAttr(SmallVector<bool>(shape.size(), true));
  auto type = TensorType::get(builder.getContext(), shape, elementTypeOf(all.getType()));
  return builder.create<graph::SliceOp>(loc, type, all, at.offsets, at.points, at.sizes, at.steps, inside);
}

/// The value as one product that has the remainders of places as columns: the windows are the same for all of them.
Value withColumns(graph::DotOp dot, const WindowSum &found, Operation *next) {
  WindowSum made = found;
  OpBuilder builder(next);
  struct Cut {
    int64_t axis, first;
    Dim extent;
  };
  SmallVector<Cut> cuts;
  const size_t count = found.axes.size(), ofWeights = static_cast<size_t>(dot.getType().getRank()) - (found.weights == 0 ? 2 : 1);
  for (size_t axis = 0; axis < count; ++axis) {
    const ArrayAxis each = found.axes[axis];
    if (each.apart == 1) continue;
    const Columns columns = *columnsOf(found.map, each);
    const AccessAxis whole = found.map.axes[*each.window];
    cuts.push_back({static_cast<int64_t>(whole.axis), columns.start, whole.extent});
    const size_t number = made.map.axes.size();  // of the remainder, as the value has it
    made.map.axes.push_back({Dim(each.apart), whole.axis});
    auto &digits = made.map.digits[whole.axis];
    digits.insert(llvm::find(digits, *each.window) + 1, number);
    made.map.axes[*each.window].extent = columns.windows;
    made.map.axes[*each.place].extent = Dim(columns.places);
    made.axes[axis].before = columns.before;
    made.axes[axis].after = columns.after;
    for (ArrayAxis &other : made.axes)
      if (other.of == ofWeights && other.place == each.place) other.besides = made.axes.size();
    ArrayAxis remainder{DimAttr::get(builder.getContext(), Dim(each.apart)), ofWeights, number};
    remainder.isRemainder = true;
    made.axes.push_back(remainder);
  }
  Value all = Rewriter(dot, made, next).run();
  for (const Cut &cut : cuts) all = partFrom(builder, all, cut.axis, cut.first, cut.extent, unnamed(dot.getLoc()));
  return all;
}

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
    return partFrom(builder_, builder_.create<graph::ReshapeOp>(loc, typeOf(shape), all), axis, 0, extent, loc);
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
      if (!found || !areEnough(dot, found->inGroups)) continue;
      Value value = found->value;
      Operation *next = value.getDefiningOp()->getNextNode();
      Value made = haveColumns(*found) ? withColumns(dot, *found, next) : ByRemainders(dot, *found, next).run(*found);
      value.replaceAllUsesWith(made);
      isChanged = true;
    }
    if (isChanged) eraseUnused(getOperation());
  }

private:
  /// Channels of what the windows see: few would be multiplied with zeros, and their windows stored (ReadWindows.cpp).
  static bool areEnough(graph::DotOp dot, bool inGroups) {
    std::optional<int64_t> channels = shapeOf(dot.getLhs().getType()).back().getConstant();
    return inGroups ? channels && fillPanels(*channels) : !channels || hasPanels(*channels);
  }
};

}  // namespace

std::unique_ptr<Pass> createSumWindowsPass() { return std::make_unique<SumWindows>(); }

}  // namespace tessera::transforms
