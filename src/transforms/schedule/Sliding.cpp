#include "transforms/schedule/Sliding.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/SinkTransposes.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr size_t kMostAxes = 3;  // of a map, beside images and channels

/// The dot reads it as operand `side`. Places and channels are parts of its axis `inner`: that which is added up, or the other one.
class SlidingFinder {
public:
  SlidingFinder(graph::DotOp dot, unsigned side, graph::FuncOp function, size_t inner, bool inGroups)
      : dot_(dot), side_(side), function_(function), inner_(inner), inGroups_(inGroups) {}

  std::optional<Sliding> run() {
    Value operand = dot_->getOperand(side_);
    if (dot_.getType().getRank() < 2) return std::nullopt;
    std::optional<AccessMap> map = accessMapOf(operand, function_);
    if (!map || !map->slides) return std::nullopt;
    found_.map = std::move(*map);
    for (auto [axis, index] : llvm::enumerate(found_.map.indices))
      if (!isUnit(shapeOf(found_.map.array.getType())[axis]) && !sort(axis, index)) return std::nullopt;
    // Every axis of the operand is one of the array's, or a place of a window.
    size_t digits = 0;
    for (const auto &each : found_.map.digits) digits += each.size();
    if (found_.channels < 0 || found_.over.empty() || found_.over.size() > kMostAxes || used_.size() != digits || inGroups_ != found_.group.has_value()) return std::nullopt;
    return describe() ? std::optional(std::move(found_)) : std::nullopt;
  }

private:
  /// All channels, as an axis of the batch and one of what is added up.
  bool sortGroups(size_t axis, const AccessIndex &index) {
    if (!inGroups_ || found_.channels >= 0 || index.terms.size() != 2 || index.isGuarded || !(index.constant == Dim(0))) return false;
    for (unsigned of : {0, 1}) {
      auto [group, by] = index.terms[of];
      auto [channel, one] = index.terms[1 - of];
      const AccessAxis &counts = found_.map.axes[group], &within = found_.map.axes[channel];
      bool isBoth = isInner(channel) && counts.axis + 2 < static_cast<size_t>(dot_.getType().getRank()) && one == Dim(1) && by == within.extent;
      if (!isBoth || !(counts.extent * within.extent == shapeOf(found_.map.array.getType())[axis].getDim())) continue;
      found_.channels = static_cast<int64_t>(axis);
      found_.channel = channel;
      found_.group = group;
      return true;
    }
    return false;
  }
  bool isInner(size_t axis) const { return found_.map.axes[axis].axis == inner_; }

  /// Images, an axis under the window, or channels.
  bool sort(size_t axis, const AccessIndex &index) {
    for (auto [term, factor] : index.terms)
      if (!used_.insert(term).second) return false;
    if (sortGroups(axis, index)) return true;
    DimAttr extent = shapeOf(found_.map.array.getType())[axis];
    bool isPlain = index.terms.size() == 1 && index.terms[0].second == Dim(1) && !index.isGuarded && index.constant == Dim(0);
    bool isAll = isPlain && found_.map.axes[index.terms[0].first].extent == extent.getDim();
    if (isAll && isInner(index.terms[0].first)) {
      if (found_.channels >= 0) return false;
      found_.channels = static_cast<int64_t>(axis);
      found_.channel = index.terms[0].first;
      return true;
    }
    if (isAll && found_.images < 0) {
      found_.images = static_cast<int64_t>(axis);
      found_.outer.insert(found_.outer.begin(), index.terms[0].first);
      return true;
    }
    found_.over.push_back(static_cast<int64_t>(axis));
    return true;
  }

  bool describe() {
    ArrayRef<DimAttr> shape = shapeOf(found_.map.array.getType());
    MLIRContext *context = dot_.getContext();
    SmallVector<DimAttr> size{found_.images < 0 ? DimAttr::get(context, Dim(1)) : shape[found_.images]}, count;
    SmallVector<int64_t> places, strides, dilations, before;
    for (int64_t axis : found_.over) {
      const AccessIndex &index = found_.map.indices[axis];
      std::optional<std::pair<size_t, int64_t>> window, place;
      for (auto [term, factor] : index.terms) {
        auto &to = isInner(term) ? place : window;
        if (to || !factor.isConstant()) return false;
        to = {term, factor.constant()};
      }
      std::optional<int64_t> inWindow = place ? DimAttr::get(context, found_.map.axes[place->first].extent).getConstant() : 1;
      if (!window || !inWindow || !index.constant.isConstant() || !index.after) return false;
      found_.outer.push_back(window->first);
      found_.inner.push_back(place ? place->first : SIZE_MAX);
      size.push_back(shape[axis]);
      count.push_back(DimAttr::get(context, found_.map.axes[window->first].extent));
      places.push_back(*inWindow);
      strides.push_back(window->second);
      dilations.push_back(place ? place->second : 1);
      before.push_back(-index.constant.constant());
      WindowAxis along{places.back(), strides.back(), dilations.back(), before.back(), *index.after};
      if (!fitsMap(along, found_.over.size()) || !reachesEnd(along, shape[axis].getDim(), count.back().getDim())) return false;
    }
    found_.windows = WindowsAttr::get(context, size, count, places, strides, dilations, before);
    return true;
  }

  graph::DotOp dot_;
  unsigned side_;
  graph::FuncOp function_;
  size_t inner_;
  bool inGroups_;
  Sliding found_;
  llvm::SmallDenseSet<size_t> used_;
};

}  // namespace

Dim Sliding::windowCount() const {
  Dim count(1);
  for (size_t axis : outer) count = count * extentOf(axis);
  return count;
}

int64_t Sliding::placeCount() const {
  int64_t count = 1;
  for (int64_t along : windows.getPlaces()) count *= along;
  return count;
}

Value arrangedUnder(OpBuilder &builder, const Sliding &sliding) {
  Value array = sliding.map.array;
  ArrayRef<DimAttr> extents = shapeOf(array.getType());
  SmallVector<int64_t> order;
  if (sliding.images >= 0) order.push_back(sliding.images);
  llvm::append_range(order, sliding.over);
  order.push_back(sliding.channels);
  SmallVector<DimAttr> shape{sliding.windows.getSize()[0]};
  for (int64_t axis : ArrayRef(order).drop_front(sliding.images >= 0)) shape.push_back(extents[axis]);
  for (auto [axis, extent] : llvm::enumerate(extents))  // of one element
    if (!llvm::is_contained(order, static_cast<int64_t>(axis))) order.insert(order.begin(), static_cast<int64_t>(axis));
  return reshapedTo(builder, transposedTo(builder, array, order), TensorType::get(builder.getContext(), shape, elementTypeOf(array.getType())));
}

std::optional<Sliding> slidingOperand(graph::DotOp dot, unsigned side, graph::FuncOp function, bool isTurned, bool inGroups) {
  size_t rank = shapeOf(dot->getOperand(side).getType()).size();
  return SlidingFinder(dot, side, function, (side == 0) != isTurned ? rank - 1 : rank - 2, inGroups).run();
}

}  // namespace tessera::transforms
