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
// Nothing asks where the windows come from: pooling by a product, a hand-written neighbourhood and a convolution have the same maps.
// The axes of the result are put in their order behind the product, and what follows element by element is done before that.
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
    Value windows = builder_.create<graph::WindowsOp>(loc, typeOf({found_.windowCount(), Dim(found_.placeCount()), found_.channelCount()}), arrangedUnder(builder_, found_), found_.windows);
    Dim depth = Dim(found_.placeCount()) * found_.channelCount(), outputs = outputsOf(weights);
    Value left = builder_.create<graph::ReshapeOp>(loc, typeOf({found_.windowCount(), depth}), windows);
    Value right = arranged(weights);
    Type sums = tensorOf(builder_.getContext(), {found_.windowCount(), outputs}, dot_.getType().getElementType());
    auto product = addedUpAs(dot_, builder_.create<graph::DotOp>(loc, sums, left, right));
    dot_.getResult().replaceAllUsesWith(inOrder(product, outputs));
    dot_.erase();
    return product;
  }

private:
  Type typeOf(ArrayRef<Dim> dims) { return tensorOf(builder_.getContext(), dims, elementTypeOf(dot_.getLhs().getType())); }
  Dim outputsOf(Value weights) { return shapeOf(weights.getType())[side_ == 0 ? 1 : 0].getDim(); }

  /// The weights as [places * channels, outputs]: as they lie, or brought there by one kernel, as they are small.
  Value arranged(Value weights) {
    auto turned = weights.getDefiningOp<graph::TransposeOp>();
    const bool outputsFirst = (side_ == 1) != static_cast<bool>(turned);
    Dim outputs = outputsOf(weights);
    SmallVector<Dim> digits;
    SmallVector<size_t> summed(found_.map.digits[found_.map.digits.size() - (side_ == 0 ? 1 : 2)]);  // as the weights have them
    for (size_t axis : summed) digits.push_back(found_.extentOf(axis));
    digits.insert(outputsFirst ? digits.begin() : digits.end(), outputs);
    Value apart = reshapedTo(builder_, turned ? turned.getOperand() : weights, typeOf(digits));
    auto axisOf = [&](size_t axis) { return llvm::find(summed, axis) - summed.begin() + (outputsFirst ? 1 : 0); };
    SmallVector<int64_t> depth;
    for (size_t place : found_.inner)
      if (place != SIZE_MAX) depth.push_back(axisOf(place));
    depth.push_back(axisOf(found_.channel));
    depth.push_back(outputsFirst ? 0 : static_cast<int64_t>(summed.size()));
    return reshapedTo(builder_, transposedTo(builder_, apart, depth), typeOf({Dim(found_.placeCount()) * found_.channelCount(), outputs}));
  }

  /// The product [windows, outputs] with the axes of the one whose place it takes.
  Value inOrder(Value product, const Dim &outputs) {
    SmallVector<Dim> apart = llvm::map_to_vector(found_.outer, [&](size_t axis) { return found_.extentOf(axis); });
    apart.push_back(outputs);
    Type sums = tensorOf(builder_.getContext(), apart, dot_.getType().getElementType());
    Value cut = reshapedTo(builder_, product, sums);
    SmallVector<int64_t> order;
    size_t rank = dot_.getType().getRank();
    int64_t last = static_cast<int64_t>(found_.outer.size());
    auto add = [&](size_t axis) {  // of the operand
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
    return addedUpOverWindows(dot, getOperation());
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

void separatePlaces(graph::FuncOp function) {
  function.walk([](graph::DotOp dot) {
    auto read = dot.getLhs().getDefiningOp<graph::ReshapeOp>();
    auto windows = read ? read.getOperand().getDefiningOp<graph::WindowsOp>() : graph::WindowsOp();
    if (!windows) return;
    OpBuilder builder(dot);
    ArrayRef<DimAttr> seen = windows.getType().getShape();
    DimAttr outputs = dot.getType().getShape()[1];
    auto typeOf = [&](ArrayRef<DimAttr> shape) { return TensorType::get(builder.getContext(), shape, windows.getType().getElementType()); };
    Value apart = reshapedTo(builder, dot.getRhs(), typeOf({seen[1], seen[2], outputs}));
    dot.getRhsMutable().assign(builder.create<graph::ReshapeOp>(unnamed(dot.getLoc()), dot.getRhs().getType(), apart));
  });
}

std::unique_ptr<Pass> createReadWindowsPass() { return std::make_unique<ReadWindows>(); }

}  // namespace tessera::transforms
