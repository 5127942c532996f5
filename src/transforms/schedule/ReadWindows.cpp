// Products read what windows see from the tensor under the windows.
//
// A convolution is written as windows of its tensor, with zeros around it, and a product with the weights. Stored, the windows are as
// many times the tensor as a window has places. But each element of that operand is one of the tensor, found by sums over the axes (AccessMap.h),
// or 0. Where the machine's copy engine reads tiles so, the product becomes one of pixels:
//
//   graph.windows %x   [images * places of the window, places in a window, channels]
//   the weights        [places in a window, channels, outputs]
//   their product      [images * places of the window, outputs], added up over places and channels
//
// With channels in groups, which a batch counts, it is one product of all channels: its columns are in blocks (kBlocks), the weights
// [places in a window, channels of a group, outputs of all groups].
//
// Nothing asks where the windows come from: pooling by a product, a hand-written neighbourhood and a convolution have the same maps.
// The axes of the result are put in their order behind the product, and what follows element by element is done before that.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "ir/common/ProductNotes.h"
#include "ir/graph/Terms.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/schedule/AccessMap.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/SinkTransposes.h"
#include "transforms/schedule/Sliding.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class Rewriter {
public:
  Rewriter(graph::DotOp dot, unsigned side, Sliding sliding) : dot_(dot), side_(side), found_(std::move(sliding)), builder_(dot) {}

  graph::DotOp run(Value weights) {
    Location loc = dot_.getLoc();
    const Dim channels = found_.channelCount() * groups();
    Value windows = builder_.create<graph::WindowsOp>(loc, typeOf({found_.windowCount(), Dim(found_.placeCount()), channels}), arrangedUnder(builder_, found_), found_.windows);
    Dim depth = Dim(found_.placeCount()) * channels, outputs = outputsOf(weights) * groups();
    Value left = builder_.create<graph::ReshapeOp>(loc, typeOf({found_.windowCount(), depth}), windows);
    Value right = arranged(weights);
    Type sums = tensorOf(builder_.getContext(), {found_.windowCount(), outputs}, dot_.getType().getElementType());
    auto product = addedUpAs(dot_, builder_.create<graph::DotOp>(loc, sums, left, right));
    if (found_.group) product->setAttr(kBlocks, builder_.getI64IntegerAttr(found_.channelCount().constant()));
    dot_.getResult().replaceAllUsesWith(inOrder(product, outputs));
    dot_.erase();
    return product;
  }

private:
  Type typeOf(ArrayRef<Dim> dims) { return tensorOf(builder_.getContext(), dims, elementTypeOf(dot_.getLhs().getType())); }
  Dim groups() { return found_.group ? found_.extentOf(*found_.group) : Dim(1); }
  /// Of a group.
  Dim outputsOf(Value weights) {
    ArrayRef<DimAttr> shape = shapeOf(weights.getType());
    return shape[shape.size() - (side_ == 0 ? 1 : 2)].getDim();
  }

  /// The weights as [places * channels, outputs]: as they lie, or brought there by one kernel, as they are small. Those of a group stand
  /// side by side with those of all groups.
  Value arranged(Value weights) {
    auto turned = found_.group ? graph::TransposeOp() : weights.getDefiningOp<graph::TransposeOp>();
    const bool outputsFirst = (side_ == 1) != static_cast<bool>(turned);
    Dim outputs = outputsOf(weights);
    SmallVector<Dim> digits;
    SmallVector<size_t> summed(found_.map.digits[found_.map.digits.size() - (side_ == 0 ? 1 : 2)]);  // as the weights have them
    for (size_t axis : summed) digits.push_back(found_.extentOf(axis));
    digits.insert(outputsFirst ? digits.begin() : digits.end(), outputs);
    const int64_t first = found_.group ? 1 : 0;
    if (found_.group) digits.insert(digits.begin(), groups());
    Value apart = reshapedTo(builder_, turned ? turned.getOperand() : weights, typeOf(digits));
    if (found_.group) apart = transposedLast(builder_, apart);
    auto axisOf = [&](size_t axis) { return first + (llvm::find(summed, axis) - summed.begin()) + (outputsFirst ? 1 : 0); };
    SmallVector<int64_t> depth;
    for (size_t place : found_.inner)
      if (place != SIZE_MAX) depth.push_back(axisOf(place));
    depth.push_back(axisOf(found_.channel));
    if (found_.group) depth.push_back(0);
    depth.push_back(first + (outputsFirst ? 0 : static_cast<int64_t>(summed.size())));
    Type type = typeOf({Dim(found_.placeCount()) * found_.channelCount(), outputs * groups()});
    Value made = reshapedTo(builder_, transposedTo(builder_, apart, depth), type);
    return found_.group ? transposedLast(builder_, made) : made;
  }

  /// The product [windows, outputs] with the axes of the one whose place it takes.
  Value inOrder(Value product, const Dim &outputs) {
    SmallVector<Dim> apart = llvm::map_to_vector(found_.outer, [&](size_t axis) { return found_.extentOf(axis); });
    if (found_.group) apart.push_back(groups());
    apart.push_back(found_.group ? found_.channelCount() : outputs);
    Type sums = tensorOf(builder_.getContext(), apart, dot_.getType().getElementType());
    Value cut = reshapedTo(builder_, product, sums);
    SmallVector<int64_t> order;
    size_t rank = dot_.getType().getRank();
    int64_t last = static_cast<int64_t>(apart.size()) - 1;
    auto add = [&](size_t axis) {  // of the operand; behind the windows come the groups
      for (size_t digit : found_.map.digits[axis]) order.push_back(llvm::find(found_.outer, digit) - found_.outer.begin());
    };
    for (size_t axis = 0; axis + 2 < rank; ++axis) add(axis);
    if (side_ == 0) add(rank - 2);
    order.push_back(last);
    if (side_ == 1) add(rank - 1);
    return reshapedTo(builder_, transposedTo(builder_, cut, order), dot_.getType());
  }

  graph::DotOp dot_;
  unsigned side_;
  Sliding found_;
  OpBuilder builder_;
};

struct ReadWindows : PassWrapper<ReadWindows, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadWindows)
  StringRef getArgument() const override { return "graph-read-windows"; }
  StringRef getDescription() const override { return "products that read windows from the tensor under them"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine || !machine->warpgroupProducts) return;
    SmallVector<graph::DotOp> dots;
    getOperation().walk([&](graph::DotOp dot) { dots.push_back(dot); });
    SmallVector<Value> made;
    for (graph::DotOp dot : dots)
      if (graph::DotOp product = rewritten(dot, *machine)) made.push_back(product.getResult());
    if (made.empty()) return;
    eraseUnused(getOperation());  // the windows, and the zeros around them
    sinkTransposes(getOperation(), made);
    eraseUnused(getOperation());
  }

  graph::DotOp rewritten(graph::DotOp dot, const Machine &machine) {
    Type element = elementTypeOf(dot.getLhs().getType());
    if (!hasWarpgroupProduct(machine, dot) || element.getIntOrFloatBitWidth() != 16 || elementTypeOf(dot.getRhs().getType()) != element) return {};
    for (unsigned side : {0, 1}) {
      Value weights = sharedMatrix(dot->getOperand(1 - side));
      std::optional<Sliding> sliding = weights ? slidingOperand(dot, side, getOperation()) : std::nullopt;
      if (!sliding || !isWorthwhile(*sliding, weights, side)) continue;
      return Rewriter(dot, side, std::move(*sliding)).run(weights);
    }
    for (unsigned side : {0, 1})
      if (Value weights = sharedInGroups(dot->getOperand(1 - side)))
        if (std::optional<Sliding> sliding = slidingOperand(dot, side, getOperation(), /*isTurned=*/false, /*inGroups=*/true); sliding && haveBlocks(dot, *sliding, side))
          return Rewriter(dot, side, std::move(*sliding)).run(weights);
    return addedUpOverWindows(dot, getOperation());
  }

  /// Groups have as many outputs as channels and are counted by the last axis of the batch.
  static bool haveBlocks(graph::DotOp dot, const Sliding &sliding, unsigned side) {
    const AccessAxis &channel = sliding.map.axes[sliding.channel], &group = sliding.map.axes[*sliding.group];
    ArrayRef<DimAttr> shape = dot.getType().getShape();
    if (!channel.extent.isConstant() || !fillPanels(channel.extent.constant())) return false;
    const bool isAlike = shape[shape.size() - (side == 0 ? 1 : 2)].getDim() == channel.extent;
    return isAlike && group.axis + 3 == shape.size() && sliding.map.digits[group.axis].size() == 1;
  }

  /// And tiles have rows and columns.
  bool isWorthwhile(const Sliding &sliding, Value weights, unsigned side) {
    std::optional<int64_t> channels = DimAttr::get(&getContext(), sliding.map.axes[sliding.channel].extent).getConstant();
    if (channels && !hasPanels(*channels)) return false;
    if (isUnit(shapeOf(weights.getType())[side == 0 ? 1 : 0])) return false;
    return llvm::any_of(sliding.outer, [&](size_t axis) { return !(sliding.map.axes[axis].extent == Dim(1)); });
  }
};

}  // namespace

Value sharedMatrix(Value operand) {
  if (cast<TensorType>(operand.getType()).getRank() == 2) return operand;
  auto repeated = operand.getDefiningOp<graph::BroadcastOp>();
  if (!repeated || repeated.getOperand().getType().getRank() != 2) return {};
  ArrayRef<DimAttr> extents = repeated.getOperand().getType().getShape();
  int64_t rank = static_cast<int64_t>(shapeOf(operand.getType()).size());
  bool isWhole = repeated.getAxes()[0] == rank - 2 && repeated.getAxes()[1] == rank - 1 && extents == shapeOf(operand.getType()).take_back(2);
  return isWhole ? repeated.getOperand() : Value();
}

Value sharedInGroups(Value operand) {
  const size_t rank = static_cast<size_t>(cast<TensorType>(operand.getType()).getRank());
  auto repeated = operand.getDefiningOp<graph::BroadcastOp>();
  Value base = repeated ? repeated.getOperand() : operand;
  ArrayRef<DimAttr> from = shapeOf(base.getType()), to = shapeOf(operand.getType());
  if (from.size() < 3) return {};
  for (size_t i = 1; i <= from.size(); ++i) {
    if (repeated && repeated.getAxes()[from.size() - i] != static_cast<int64_t>(rank - i)) return {};
    if (i <= 3 ? from[from.size() - i] != to[rank - i] : !isUnit(from[from.size() - i])) return {};
  }
  return base;
}

void separatePlaces(graph::FuncOp function) {
  function.walk([](graph::DotOp dot) {
    auto read = dot.getLhs().getDefiningOp<graph::ReshapeOp>();
    auto windows = read ? read.getOperand().getDefiningOp<graph::WindowsOp>() : graph::WindowsOp();
    if (!windows) return;
    OpBuilder builder(dot);
    ArrayRef<DimAttr> seen = windows.getType().getShape();
    DimAttr outputs = dot.getType().getShape()[1];
    auto typeOf = [&](ArrayRef<DimAttr> shape) { return TensorType::get(builder.getContext(), shape, windows.getType().getElementType()); };
    std::optional<int64_t> blocks = blocksOf(dot);
    Value apart = reshapedTo(builder, dot.getRhs(), typeOf({seen[1], blocks ? DimAttr::get(builder.getContext(), Dim(*blocks)) : seen[2], outputs}));
    dot.getRhsMutable().assign(builder.create<graph::ReshapeOp>(unnamed(dot.getLoc()), dot.getRhs().getType(), apart));
  });
}

std::unique_ptr<Pass> createReadWindowsPass() { return std::make_unique<ReadWindows>(); }

}  // namespace tessera::transforms
