// Products that add up over windows read them from the tensor under them.
//
// The derivative of a convolution by its weights adds up, over all windows of all images, what a window sees at a place times the
// cotangents of the window. With the places as a batch it is one product for each place:
//
//   graph.windows %x, turned    [places in a window, channels, images * windows]
//   the cotangents              [images * windows, outputs], for all places alike
//   their product               [places in a window, channels, outputs]
//
// What images gave by themselves is no longer stored and added up.
//
// Of channels in groups, which a batch counts, panels of whole groups are multiplied with the same panels of the outputs, and of their product
// what is of one group is taken.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/common/ProductNotes.h"
#include "ir/graph/Terms.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/SinkTransposes.h"
#include "transforms/schedule/Sliding.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class OverWindows {
public:
  OverWindows(graph::DotOp dot, unsigned side, graph::FuncOp function)
      : dot_(dot), side_(side), function_(function), builder_(dot), rank_(static_cast<size_t>(dot.getType().getRank())) {}

  graph::DotOp run() {
    std::optional<Sliding> sliding = slidingOperand(dot_, side_, function_, /*isTurned=*/true);
    if (!sliding && rank_ > 2) sliding = slidingOperand(dot_, side_, function_, /*isTurned=*/true, /*inGroups=*/true);
    if (!sliding) return {};
    found_ = std::move(*sliding);
    if (!findSum() || !isInOrder() || !isWorthwhile()) return {};
    builder_.setInsertionPointAfterValue(replaced_);
    Location loc = dot_.getLoc();
    const Dim places(found_.placeCount()), windows = found_.windowCount();
    auto seenOf = [&](Dim channels) -> Value {
      return builder_.create<graph::WindowsOp>(loc, typeOf({windows, places, channels}), arrangedUnder(builder_, found_), found_.windows);
    };
    Type element = elementTypeOf(dot_.getType());
    if (found_.group) {
      const Dim all = found_.channelCount() * groups();
      Value left = builder_.create<graph::TransposeOp>(loc, typeOf({places, all, windows}), seenOf(all), ArrayRef<int64_t>{1, 2, 0});
      Value right = builder_.create<graph::BroadcastOp>(loc, typeOf({places, windows, all}), cotangents(windows), ArrayRef<int64_t>{1, 2});
      auto product = addedUpAs(dot_, builder_.create<graph::DotOp>(loc, withElementType(typeOf({places, all, Dim(kPanel)}), element), left, right));
      product->setAttr(kPanels, builder_.getI64IntegerAttr(kPanel));
      replaced_.replaceAllUsesWith(inOrder(ofOneGroup(product)));
      return product;
    }
    Value left = builder_.create<graph::TransposeOp>(loc, typeOf({places, found_.channelCount(), windows}), seenOf(found_.channelCount()), ArrayRef<int64_t>{1, 2, 0});
    Value right = builder_.create<graph::BroadcastOp>(loc, typeOf({places, windows, outputs()}), cotangents(windows), ArrayRef<int64_t>{1, 2});
    Type sums = withElementType(typeOf({places, found_.channelCount(), outputs()}), element);
    auto product = addedUpAs(dot_, builder_.create<graph::DotOp>(loc, sums, left, right));
    replaced_.replaceAllUsesWith(inOrder(product));
    return product;
  }

private:
  static constexpr int64_t kPanel = 64;  // channels of whole groups

  Dim groups() { return found_.group ? found_.extentOf(*found_.group) : Dim(1); }
  size_t batchAxes() { return rank_ - (found_.group ? 3 : 2); }  // that are added up, too

  /// Of a product [places, channels, outputs of their panels], that of the channels and outputs of each group: [places * groups, channels, outputs].
  Value ofOneGroup(Value product) {
    Location loc = dot_.getLoc();
    const Dim channels = found_.channelCount(), each(kPanel / channels.constant());
    ArrayRef<DimAttr> shape = shapeOf(product.getType());
    auto typed = [&](ArrayRef<Dim> dims, Type element) { return tensorOf(builder_.getContext(), dims, element); };
    const Dim panels(shape[1].getDim().constant() / kPanel);
    SmallVector<Dim> apart{shape[0].getDim(), panels, each, channels, each, channels};
    Type element = elementTypeOf(product.getType());
    Value cut = builder_.create<graph::ReshapeOp>(loc, typed(apart, element), product);
    Value own = builder_.create<graph::IotaOp>(loc, typed({each, Dim(1)}, builder_.getI64Type()), 0);
    apart[4] = Dim(1);
    Value taken = builder_.create<graph::GatherOp>(loc, typed(apart, element), 4, cut, own, ArrayRef<int64_t>{2, 4});
    return builder_.create<graph::ReshapeOp>(loc, typed({shape[0].getDim() * panels * each, channels, channels}, element), taken);
  }

  size_t innerAxis() const { return side_ == 0 ? rank_ - 2 : rank_ - 1; }
  size_t depthAxis() const { return side_ == 0 ? rank_ - 1 : rank_ - 2; }  // of the operand
  Value other() { return dot_->getOperand(1 - side_); }
  Dim outputs() { return shapeOf(other().getType())[side_ == 0 ? rank_ - 1 : rank_ - 2].getDim(); }
  Type typeOf(ArrayRef<Dim> dims) {
    return tensorOf(builder_.getContext(), dims, elementTypeOf(dot_.getLhs().getType()));
  }

  /// All of the batch is added up, by the one who reads the product, turned or not.
  bool findSum() {
    replaced_ = dot_.getResult();
    if (batchAxes() == 0) return true;
    Operation *reader = dot_->hasOneUse() ? *dot_->user_begin() : nullptr;
    if (auto turned = dyn_cast_or_null<graph::TransposeOp>(reader)) {
      SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(rank_)));
      std::swap(swapped[rank_ - 2], swapped[rank_ - 1]);
      if (turned.getPerm() != ArrayRef<int64_t>(swapped) || !turned->hasOneUse()) return false;
      isTurned_ = true;
      reader = *turned->user_begin();
    }
    auto sum = dyn_cast_or_null<graph::ReduceOp>(reader);
    if (!sum || sum.getMnemonic() != "sum" || sum->getBlock() != dot_->getBlock()) return false;
    if (sum.getAxes() != ArrayRef<int64_t>(llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(batchAxes()))))) return false;
    replaced_ = sum.getResult();
    return true;
  }

  /// Windows are counted as the batch and the other operand's rows are.
  bool isInOrder() {
    SmallVector<size_t> counted;
    for (size_t axis = 0; axis < batchAxes(); ++axis) counted.append(found_.map.digits[axis]);
    counted.append(found_.map.digits[depthAxis()]);
    return ArrayRef(counted) == ArrayRef(found_.outer);
  }

  bool isWorthwhile() {
    if (found_.group) {
      const Dim channels = found_.channelCount(), all = channels * groups();
      const AccessAxis &group = found_.map.axes[*found_.group];
      const bool isLast = group.axis + 3 == rank_ && found_.map.digits[group.axis].size() == 1;
      return isLast && all.isConstant() && channels.isConstant() && all.constant() % kPanel == 0 && fillPanels(channels.constant()) && outputs() == channels &&
             !(found_.windowCount() == Dim(1));
    }
    std::optional<int64_t> number = DimAttr::get(builder_.getContext(), found_.channelCount()).getConstant();
    return (!number || hasPanels(*number)) && !(outputs() == Dim(1)) && !(found_.windowCount() == Dim(1));
  }

  /// The other operand as [images * windows, outputs]: of what lies in memory under transposes and reshapes, one transpose or none.
  Value cotangents(const Dim &windows) {
    const size_t outputAxis = side_ == 0 ? rank_ - 1 : rank_ - 2, rows = side_ == 0 ? rank_ - 2 : rank_ - 1;
    Value from = other();
    SmallVector<int64_t> order;
    if (found_.group) {  // of all groups, side by side
      for (size_t axis = 0; axis < batchAxes(); ++axis) order.push_back(static_cast<int64_t>(axis));
      order.append({static_cast<int64_t>(rows), static_cast<int64_t>(rank_) - 3, static_cast<int64_t>(outputAxis)});
      return reshapedTo(builder_, transposedTo(builder_, transposedLast(builder_, from), order), typeOf({windows, outputs() * groups()}));
    }
    if (std::optional<AccessMap> map = accessMapOf(from, function_); map && isWholeArray(*map)) {
      SmallVector<size_t> axes;  // of the map, as they are counted here
      for (size_t axis = 0; axis + 2 < rank_; ++axis) axes.append(map->digits[axis]);
      axes.append(map->digits[rows]);
      axes.append(map->digits[outputAxis]);
      for (size_t axis : axes)
        order.push_back(llvm::find_if(map->indices, [&](const AccessIndex &index) { return !index.terms.empty() && index.terms[0].first == axis; }) - map->indices.begin());
      for (auto [axis, index] : llvm::enumerate(map->indices))  // of one element
        if (index.terms.empty()) order.insert(order.begin(), static_cast<int64_t>(axis));
      from = map->array;
    } else {
      for (size_t axis = 0; axis + 2 < rank_; ++axis) order.push_back(static_cast<int64_t>(axis));
      order.append({static_cast<int64_t>(rows), static_cast<int64_t>(outputAxis)});
    }
    return reshapedTo(builder_, transposedTo(builder_, from, order), typeOf({windows, outputs()}));
  }

  /// The product [places, channels, outputs] as the value in whose place it stands.
  Value inOrder(Value product) {
    SmallVector<size_t> made;  // axes of the map
    for (size_t place : found_.inner)
      if (place != SIZE_MAX) made.push_back(place);
    if (found_.group) made.push_back(*found_.group);
    made.push_back(found_.channel);
    SmallVector<Dim> apart = llvm::map_to_vector(made, [&](size_t axis) { return found_.extentOf(axis); });
    apart.push_back(outputs());
    Value cut = reshapedTo(builder_, product, withElementType(typeOf(apart), elementTypeOf(product.getType())));
    SmallVector<int64_t> order;
    const auto first = found_.group ? 1 : 0;
    if (found_.group) order.push_back(llvm::find(made, *found_.group) - made.begin());
    for (size_t digit : found_.map.digits[innerAxis()]) order.push_back(llvm::find(made, digit) - made.begin());
    const auto last = static_cast<int64_t>(made.size());
    order.insert((side_ == 0) != isTurned_ ? order.end() : order.begin() + first, last);
    return reshapedTo(builder_, transposedTo(builder_, cut, order), replaced_.getType());
  }

  graph::DotOp dot_;
  unsigned side_;
  graph::FuncOp function_;
  OpBuilder builder_;
  size_t rank_;
  Sliding found_;
  Value replaced_;
  bool isTurned_ = false;  // the sum has the product's columns first
};

}  // namespace

graph::DotOp addedUpOverWindows(graph::DotOp dot, graph::FuncOp function) {
  for (unsigned side : {0, 1})
    if (graph::DotOp product = OverWindows(dot, side, function).run()) return product;
  return {};
}

}  // namespace tessera::transforms
