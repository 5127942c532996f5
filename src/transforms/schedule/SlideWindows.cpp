// What windows see of each channel alone is read from the array under them.
//
// A depthwise convolution is a product of windows with weights that its places and channels share, and a sum over the places. Its
// derivative by the tensor adds up the same product over the windows that see an element; by the weights, over all windows of all images.
// A pool is a sum, or the greatest, without weights. All are one reduction of an array that is read at indices that are sums over axes
// (AccessMap.h), so none is asked for by its name:
//
//   y[n, x, c]  = sum_p x[n, x * stride + p * dilation - before, c] * w[p, c]      graph.slide "sum", and "max" without w
//   dw[p, c]    = sum_(n, x) x[n, x * stride + p * dilation - before, c] * dy[n, x, c]      graph.slide_together
//
// with images, axes under the window and channels in this order: arrays that lie otherwise are brought into it, where windows have so many
// places that it is worth a pass over the array. What comes outside of the array is 0, or left out; no zeros are stored around it.
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/AccessMap.h"
#include "transforms/schedule/Known.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/SinkTransposes.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/Windows.h"
#include "llvm/ADT/SmallSet.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr size_t kMostMoves = 16;        // from a sum to what is only moved of it
constexpr int64_t kMostPlaces = 1024;    // in a window
constexpr int64_t kLeastChannels = 8;    // of fewer, lanes side by side would not read side by side
constexpr int64_t kLeastToTurn = 16;     // places in windows over an array whose channels do not lie side by side

/// A reduction of what windows see.
struct Slides {
  Value value;         // in whose place it comes
  AccessMap base;      // from the value to what it combines
  AccessMap seen;      // the array under the windows
  AccessMap other;     // weights, or numbers of the windows; no array: none
  AccessMap marks, here;    // what is compared: under the windows, and numbers of theirs; no array: nothing
  bool isTogether = false;  // windows are added up, and places stay
  StringRef combining;
  SmallVector<int64_t> images, over;  // axes of the array
  int64_t channels = -1;
  SmallVector<size_t> imageAxes, windowAxes, placeAxes;  // of the maps; SIZE_MAX: one place
  size_t channelAxis = SIZE_MAX;
  SmallVector<int64_t> places, strides, dilations, before, apart;
  bool isReversed = false;

  int64_t placeCount() const {
    int64_t count = 1;
    for (int64_t along : places) count *= along;
    return count;
  }
  /// Axes of the maps, where there is more than one place along them.
  SmallVector<size_t> placeTerms() const { return SmallVector<size_t>(llvm::make_filter_range(placeAxes, [](size_t axis) { return axis != SIZE_MAX; })); }
};

/// The axis of a map's array along which it is read as another is along `axis`; -1: none.
int64_t axisLike(const AccessMap &map, const AccessMap &other, size_t axis) {
  const AccessIndex &wanted = other.indices[axis];
  for (auto [i, index] : llvm::enumerate(map.indices))
    if (index.terms == wanted.terms && index.constant == wanted.constant && index.divisor == wanted.divisor &&
        shapeOf(map.array.getType())[i] == shapeOf(other.array.getType())[axis])
      return static_cast<int64_t>(i);
  return -1;
}

class SlidesFinder {
public:
  SlidesFinder(graph::ReduceOp reduce, graph::FuncOp function) : reduce_(reduce), function_(function) {}

  std::optional<Slides> run() {
    Type element = elementTypeOf(reduce_.getType());
    const bool isSum = reduce_.getMnemonic() == "sum" && (element.isF32() || element.isF64());
    if (!isa<TensorType>(reduce_.getType()) || (!isSum && !(reduce_.getMnemonic() == "max" && isa<FloatType>(element)))) return std::nullopt;
    SmallVector<Value> candidates{reduce_.getResult()};
    while (candidates.size() < kMostMoves && candidates.back().hasOneUse()) {
      Value value = candidates.back();
      Operation *user = *value.user_begin();
      bool isOne = user->getNumResults() == 1 && user->getOperand(0) == value && user->getBlock() == reduce_->getBlock() &&
                   isa<graph::TransposeOp, graph::ReshapeOp, graph::SliceOp, graph::GatherOp, graph::ReduceOp>(user);
      if (!isOne || !isa<TensorType>(user->getResult(0).getType())) break;
      candidates.push_back(user->getResult(0));
    }
    if (candidates.back().use_empty()) return std::nullopt;
    for (Value value : llvm::reverse(candidates))
      if (std::optional<Slides> found = slidesIn(value)) return found;
    return std::nullopt;
  }

private:
  std::optional<Slides> slidesIn(Value value) {
    std::optional<AccessMap> base = addedUpMapOf(value, function_, reduce_.getMnemonic());
    if (!base || llvm::none_of(base->axes, [](const AccessAxis &axis) { return axis.axis == kAddedUp; })) return std::nullopt;
    auto product = base->array.getDefiningOp<graph::ElementwiseOp>();
    Slides found;
    found.value = value;
    found.base = *base;
    found.combining = reduce_.getMnemonic();
    if (product && product.getMnemonic() == "mul" && found.combining == "sum")
      for (unsigned seen : {0, 1})
        for (bool isTogether : {false, true}) {
          Slides pair = found;
          pair.isTogether = isTogether;
          if (read(pair.seen, pair, product->getOperand(seen)) && read(pair.other, pair, product->getOperand(1 - seen)) && classify(pair)) return pair;
        }
    if (product && product.getMnemonic() == "select" && found.combining == "sum")
      for (unsigned seen : {0, 1})
        if (Slides equal = found; readEqual(equal, product, seen) && classify(equal)) return equal;
    return read(found.seen, found, base->array) && classify(found) ? std::optional(found) : std::nullopt;
  }

  /// Of `where(a == b, c, 0)`: c, or a where c is 1 everywhere.
  bool readEqual(Slides &found, graph::ElementwiseOp select, unsigned seen) {
    auto equal = select->getOperand(0).getDefiningOp<graph::ElementwiseOp>();
    if (!equal || equal.getMnemonic() != "eq" || !isZeros(select->getOperand(2)) || elementTypeOf(select.getType()) != elementTypeOf(reduce_.getType())) return false;
    Value compared = equal->getOperand(seen), with = equal->getOperand(1 - seen), taken = select->getOperand(1);
    if (!read(found.here, found, with, "max")) return false;
    if (isOnes(taken)) return read(found.seen, found, compared, "max") && elementTypeOf(found.seen.array.getType()) == elementTypeOf(found.here.array.getType());
    return read(found.seen, found, taken) && read(found.marks, found, compared, "max") && elementTypeOf(found.marks.array.getType()) == elementTypeOf(found.here.array.getType());
  }
  static bool isOnes(Value value) {
    auto full = value.getDefiningOp<graph::FullOp>();
    auto constant = full ? full.getOperand().getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
    auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    return number && number.getValueAsDouble() == 1.0;
  }

  /// What an operand is read from, with the axes of the whole as they are. What is compared is no sum: the lowest number around it is left out.
  bool read(AccessMap &map, const Slides &found, Value operand, StringRef combining = "") {
    std::optional<AccessMap> under = mapUnder(found.base, operand, function_, combining.empty() ? found.combining : combining);
    if (!under || under->axes.size() != found.base.axes.size() || !isa<FloatType>(elementTypeOf(under->array.getType()))) return false;
    map = std::move(*under);
    return true;
  }

  static bool isAddedUp(const Slides &found, size_t axis) { return found.base.axes[axis].axis == kAddedUp; }

  /// An axis of the array that is one of the map's, whole.
  static std::optional<size_t> plainAxis(const AccessMap &map, size_t axis) {
    const AccessIndex &index = map.indices[axis];
    bool isPlain = index.terms.size() == 1 && index.terms[0].second == Dim(1) && index.divisor == 1 && index.constant == Dim(0) &&
                   map.axes[index.terms[0].first].extent == shapeOf(map.array.getType())[axis].getDim();
    return isPlain ? std::optional(index.terms[0].first) : std::nullopt;
  }
  static bool isOnlyElement(const AccessMap &map, size_t axis) {
    const AccessIndex &index = map.indices[axis];
    return isUnit(shapeOf(map.array.getType())[axis]) && index.terms.empty() && index.constant == Dim(0);
  }

  bool classify(Slides &found) {
    llvm::SmallSet<size_t, 8> used;
    SmallVector<int64_t> plain;
    for (auto [axis, index] : llvm::enumerate(found.seen.indices)) {
      if (isOnlyElement(found.seen, axis)) continue;
      for (auto [term, factor] : index.terms)
        if (!used.insert(term).second) return false;
      if (plainAxis(found.seen, axis)) plain.push_back(static_cast<int64_t>(axis));
      else if (!addWindow(found, static_cast<int64_t>(axis), index)) return false;
    }
    if (used.size() != found.base.axes.size() || found.over.empty() || found.over.size() > 2) return false;
    if (llvm::all_of(found.apart, [](int64_t by) { return by == 1; })) found.apart.clear();
    return keepsGuards(found) && findChannels(found, plain) && (!found.other.array || isBeside(found)) && (!found.here.array || isHere(found)) &&
           (!found.marks.array || isMarked(found)) && isWorthwhile(found);
  }

  /// What was 0 outside of what was combined is 0 in the array that windows see.
  static bool keepsGuards(const Slides &found) {
    return llvm::all_of(found.base.indices, [&](const AccessIndex &index) {
      return !index.isGuarded || llvm::any_of(found.seen.indices, [&](const AccessIndex &other) { return other.isGuarded && other.divisor == index.divisor && other.terms == index.terms; });
    });
  }

  bool addWindow(Slides &found, int64_t axis, const AccessIndex &index) {
    std::optional<std::pair<size_t, int64_t>> window, place;
    for (auto [term, factor] : index.terms) {
      if (!factor.isConstant()) return false;
      auto &to = isAddedUp(found, term) == found.isTogether ? window : place;
      if (to) return false;
      to = {term, factor.constant()};
    }
    if (!window || window->second < 1 || !index.constant.isConstant()) return false;
    int64_t places = 1, dilation = 1, before = -index.constant.constant();
    if (place) {
      const Dim &extent = found.base.axes[place->first].extent;
      if (!extent.isConstant() || place->second == 0 || (place->second < 0 && found.isTogether)) return false;
      const bool isReversed = place->second < 0;
      if (isReversed != found.isReversed && llvm::any_of(found.places, [](int64_t count) { return count > 1; })) return false;
      found.isReversed = isReversed;
      places = extent.constant();
      dilation = std::abs(place->second);
      if (isReversed) before += dilation * (places - 1);
    }
    constexpr int64_t kMostApart = 4;
    if (before < 0 || index.divisor > kMostApart) return false;
    if (index.divisor > 1 && (found.isTogether || found.combining != "sum" || dilation != 1 || window->second != 1)) return false;
    found.apart.push_back(index.divisor);
    found.over.push_back(axis);
    found.windowAxes.push_back(window->first);
    found.placeAxes.push_back(place ? place->first : SIZE_MAX);
    found.places.push_back(places);
    found.strides.push_back(window->second);
    found.dilations.push_back(dilation);
    found.before.push_back(before);
    return true;
  }

  /// Of the axes that no window is over: that of the weights, or that which lies innermost; the others are images.
  static bool findChannels(Slides &found, ArrayRef<int64_t> plain) {
    auto axisOf = [&](int64_t axis) { return *plainAxis(found.seen, axis); };
    for (int64_t axis : plain) {
      const size_t term = axisOf(axis);
      if (!found.isTogether && isAddedUp(found, term)) return false;  // channels are added up, too
      const bool isChannel = found.isTogether ? !isAddedUp(found, term) : found.other.array && reads(found.other, term);
      if (isChannel && found.channels >= 0) return false;
      if (isChannel) found.channels = axis;
    }
    if (found.channels < 0 && found.isTogether) return false;
    for (int64_t axis : plain)
      if (found.channels < 0 && axisOf(axis) == innermost(found)) found.channels = axis;
    if (found.channels < 0) return false;
    found.channelAxis = axisOf(found.channels);
    for (int64_t axis : plain) {
      if (axis == found.channels) continue;
      found.images.push_back(axis);
      found.imageAxes.push_back(axisOf(axis));
    }
    return true;
  }
  static bool reads(const AccessMap &map, size_t term) {
    return llvm::any_of(map.indices, [&](const AccessIndex &index) { return llvm::any_of(index.terms, [&](auto &each) { return each.first == term; }); });
  }
  /// What lies side by side: of the marks, where there are some, as what is taken with them is often computed.
  static size_t innermost(const Slides &found) {
    const AccessMap &map = found.marks.array ? found.marks : found.seen;
    SmallVector<int64_t> axes = longAxes(map.array.getType());
    return axes.empty() ? SIZE_MAX : plainAxis(map, static_cast<size_t>(axes.back())).value_or(SIZE_MAX);
  }

  /// A number of each window.
  static bool isHere(const Slides &found) {
    llvm::SmallSet<size_t, 8> read;
    for (size_t axis = 0; axis < found.here.indices.size(); ++axis) {
      if (isOnlyElement(found.here, axis)) continue;
      std::optional<size_t> term = plainAxis(found.here, axis);
      if (!term || isAddedUp(found, *term) || !read.insert(*term).second) return false;
    }
    size_t own = llvm::count_if(found.base.axes, [](const AccessAxis &axis) { return axis.axis != kAddedUp; });
    return read.size() == own;
  }

  /// Windows are over the marks as over what is taken with them.
  static bool isMarked(const Slides &found) {
    size_t count = 0;
    for (size_t axis = 0; axis < found.seen.indices.size(); ++axis) {
      if (isOnlyElement(found.seen, axis)) continue;
      ++count;
      if (axisLike(found.marks, found.seen, axis) < 0) return false;
    }
    return count == longAxes(found.marks.array.getType()).size();
  }

  /// Weights have all places, and channels or none; numbers of windows have images, windows and channels.
  static bool isBeside(const Slides &found) {
    llvm::SmallSet<size_t, 8> wanted, read;
    if (found.isTogether) {
      for (size_t axis : found.imageAxes) wanted.insert(axis);
      for (size_t axis : found.windowAxes) wanted.insert(axis);
      wanted.insert(found.channelAxis);
    } else {
      for (size_t axis : found.placeTerms()) wanted.insert(axis);
    }
    for (size_t axis = 0; axis < found.other.indices.size(); ++axis) {
      if (isOnlyElement(found.other, axis)) continue;
      std::optional<size_t> term = plainAxis(found.other, axis);
      if (!term || !read.insert(*term).second) return false;
      if (!wanted.contains(*term) && *term != found.channelAxis) return false;
    }
    return llvm::all_of(wanted, [&](size_t axis) { return read.contains(axis); });
  }

  static bool isWorthwhile(const Slides &found) {
    const int64_t places = found.placeCount();
    bool overlap = false;
    for (size_t axis = 0; axis < found.places.size(); ++axis) overlap |= (found.places[axis] - 1) * found.dilations[axis] + 1 > found.strides[axis];
    const Dim &channels = found.base.axes[found.channelAxis].extent;
    if (places < 2 || places > kMostPlaces || (channels.isConstant() && channels.constant() < kLeastChannels)) return false;
    if (found.isTogether && found.places.back() > kPlacesAtOnce) return false;
    if (!found.apart.empty() && found.places.back() > kPlacesAtOnce * found.apart.back()) return false;
    if (found.channelAxis != innermost(found) && places < kLeastToTurn) return false;
    // What is computed where it is read is stored for windows that see it several times.
    Operation *made = memoryUnder(found.seen.array).getDefiningOp();
    return overlap || !made || isa<graph::DotOp, graph::ReduceOp, graph::SlideOp, graph::ScanOp, graph::ScatterAddOp>(made);
  }

  /// Under whatever shape.
  static Value memoryUnder(Value value) {
    while (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) value = reshape.getOperand();
    return value;
  }

  graph::ReduceOp reduce_;
  graph::FuncOp function_;
};

class SlideRewriter {
public:
  explicit SlideRewriter(Slides found) : found_(std::move(found)), builder_(found_.value.getContext()), loc_(found_.value.getLoc()) {
    builder_.setInsertionPointAfterValue(found_.value);
  }

  /// Before the axes are in the order of the value.
  Value run() {
    ArrayRef<DimAttr> shape = shapeOf(found_.seen.array.getType());
    SmallVector<DimAttr> size{attr(count(found_.imageAxes))}, windows;
    for (auto [axis, window] : llvm::zip(found_.over, found_.windowAxes)) {
      size.push_back(shape[axis]);
      windows.push_back(attr(extent(window)));
    }
    windows_ = WindowsAttr::get(builder_.getContext(), size, windows, found_.places, found_.strides, found_.dilations, found_.before);
    SmallVector<DimAttr> under(size);
    under.push_back(attr(extent(found_.channelAxis)));
    SmallVector<int64_t> order(found_.images);
    order.append(found_.over);
    order.push_back(found_.channels);
    Value array = arranged(found_.seen.array, order, under);
    return found_.isTogether ? sumOfWindows(array) : windowsOf(array);
  }

private:
  DimAttr attr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Dim extent(size_t axis) { return found_.base.axes[axis].extent; }
  Dim count(ArrayRef<size_t> axes) {
    Dim product(1);
    for (size_t axis : axes) product = product * extent(axis);
    return product;
  }
  Type typeOf(ArrayRef<DimAttr> shape, Type element) { return TensorType::get(builder_.getContext(), shape, element); }

  /// An array with these axes in this order, and its axes of one element gone.
  Value arranged(Value array, ArrayRef<int64_t> axes, ArrayRef<DimAttr> shape) {
    SmallVector<int64_t> order(axes);
    for (int64_t axis = static_cast<int64_t>(shapeOf(array.getType()).size()); axis-- > 0;)
      if (!llvm::is_contained(axes, axis)) order.insert(order.begin(), axis);
    return reshapedTo(builder_, transposedTo(builder_, array, order), typeOf(shape, elementTypeOf(array.getType())));
  }

  /// The axes of an array that are these of the maps.
  static SmallVector<int64_t> axesOf(const AccessMap &map, ArrayRef<size_t> terms) {
    SmallVector<int64_t> axes;
    for (size_t term : terms)
      for (auto [axis, index] : llvm::enumerate(map.indices))
        if (!index.terms.empty() && index.terms[0].first == term) axes.push_back(static_cast<int64_t>(axis));
    return axes;
  }

  SmallVector<DimAttr> shapeOfWindows() {
    SmallVector<DimAttr> shape{windows_.getSize().front()};
    llvm::append_range(shape, windows_.getCount());
    shape.push_back(attr(extent(found_.channelAxis)));
    return shape;
  }

  Value windowsOf(Value array) {
    Value weights;
    if (found_.other.array) {
      SmallVector<DimAttr> shape{attr(Dim(found_.placeCount()))};
      SmallVector<int64_t> axes = axesOf(found_.other, found_.placeTerms()), channels = axesOf(found_.other, found_.channelAxis);
      axes.append(channels);
      if (!channels.empty()) shape.push_back(attr(extent(found_.channelAxis)));
      weights = arranged(found_.other.array, axes, shape);
      if (channels.empty()) {
        shape.push_back(attr(extent(found_.channelAxis)));
        weights = builder_.create<graph::BroadcastOp>(loc_, typeOf(shape, elementTypeOf(weights.getType())), weights, ArrayRef<int64_t>{0});
      }
    }
    SmallVector<size_t> axes(found_.imageAxes);
    axes.append(found_.windowAxes);
    Value marks, here;
    if (found_.marks.array) {
      SmallVector<int64_t> order;
      for (ArrayRef<int64_t> of : {ArrayRef(found_.images), ArrayRef(found_.over), ArrayRef(found_.channels)})
        for (int64_t axis : of) order.push_back(axisLike(found_.marks, found_.seen, static_cast<size_t>(axis)));
      marks = arranged(found_.marks.array, order, shapeOf(array.getType()));
    }
    if (found_.here.array) {
      SmallVector<size_t> terms(axes);
      terms.push_back(found_.channelAxis);
      here = arranged(found_.here.array, axesOf(found_.here, terms), shapeOfWindows());
    }
    Type type = typeOf(shapeOfWindows(), elementTypeOf(found_.value.getType()));
    DenseI64ArrayAttr apart = found_.apart.empty() ? DenseI64ArrayAttr() : builder_.getDenseI64ArrayAttr(found_.apart);
    Value made = builder_.create<graph::SlideOp>(loc_, type, found_.combining, array, weights, marks, here, windows_, apart, weights && found_.isReversed);
    return inOrder(made, axes);
  }

  Value sumOfWindows(Value array) {
    SmallVector<size_t> terms(found_.imageAxes);
    terms.append(found_.windowAxes);
    terms.push_back(found_.channelAxis);
    Value numbers = arranged(found_.other.array, axesOf(found_.other, terms), shapeOfWindows());
    const Dim channels = extent(found_.channelAxis), parts = Dim::ceilDiv(blocksOfWindows(windows_), blocksOfPart(windows_, channels));
    Type element = elementTypeOf(found_.value.getType());
    SmallVector<DimAttr> shape{attr(parts), attr(Dim(found_.placeCount())), attr(channels)};
    Value made = builder_.create<graph::SlideTogetherOp>(loc_, typeOf(shape, element), array, numbers, windows_);
    Value sum = builder_.create<graph::ReduceOp>(loc_, typeOf(ArrayRef(shape).drop_front(), element), "sum", made, ArrayRef<int64_t>{0});
    return inOrder(sum, found_.placeTerms()), made;
  }

  /// What has these axes of the maps, and channels, with the axes of the value in whose place it stands.
  Value inOrder(Value made, SmallVector<size_t> axes) {
    axes.push_back(found_.channelAxis);
    SmallVector<DimAttr> apart = llvm::map_to_vector(axes, [&](size_t axis) { return attr(extent(axis)); });
    Value cut = reshapedTo(builder_, made, typeOf(apart, elementTypeOf(made.getType())));
    SmallVector<int64_t> order;
    for (const auto &digits : found_.base.digits)
      for (size_t digit : digits) order.push_back(llvm::find(axes, digit) - axes.begin());
    Value placed = reshapedTo(builder_, transposedTo(builder_, cut, order), found_.value.getType());
    found_.value.replaceAllUsesWith(placed);
    return made;
  }

  Slides found_;
  OpBuilder builder_;
  Location loc_;
  WindowsAttr windows_;
};

struct SlideWindows : PassWrapper<SlideWindows, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SlideWindows)
  StringRef getArgument() const override { return "graph-slide-windows"; }
  StringRef getDescription() const override { return "what windows see of each channel alone, read from the array under them"; }
  void runOnOperation() override {
    SmallVector<graph::ReduceOp> reductions;
    getOperation().walk([&](graph::ReduceOp reduce) { reductions.push_back(reduce); });
    SmallVector<Value> made;
    for (graph::ReduceOp reduce : reductions)
      if (std::optional<Slides> found = SlidesFinder(reduce, getOperation()).run()) made.push_back(SlideRewriter(std::move(*found)).run());
    if (made.empty()) return;
    eraseUnused(getOperation());
    sinkTransposes(getOperation(), made);
    eraseUnused(getOperation());
  }
};

}  // namespace

std::unique_ptr<Pass> createSlideWindowsPass() { return std::make_unique<SlideWindows>(); }

}  // namespace tessera::transforms
