// Axes of a tensor that every access of a kernel takes together.
//
// Attention takes tiles of one head out of [B, T, H, D]: rows along T, columns along D, and the head's number between them.
// Such a tile does not lie along the last two axes, as bulk copies, vectors and the headers' tiles do. But where every
// access of the kernel takes one head and stays inside of its D elements, H and D are one axis of H * D elements, in which
// the tile begins at head * D. The tensor in memory is the same.
#include "ir/common/Names.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "transforms/tile/Passes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class Merger {
public:
  explicit Merger(tile::KernelOp kernel) : kernel_(kernel), builder_(kernel->getContext()) {}

  void run() {
    for (BlockArgument argument : kernel_.getBody().getArguments()) {
      auto view = dyn_cast<ViewType>(argument.getType());
      if (!view || view.getPlaces()) continue;
      bool givesGrid = kernel_.getGrid().getParam() == static_cast<int64_t>(argument.getArgNumber());
      if (givesGrid || kernel_.param(argument.getArgNumber()).getIsResult()) continue;  // its axes are those of the grid, or of a result beside
      while (std::optional<size_t> axis = mergedIn(argument)) merge(argument, *axis);
    }
    SmallVector<Type> types(kernel_.getBody().getArgumentTypes());
    kernel_.setFunctionType(builder_.getFunctionType(types, {}));
  }

private:
  /// Calls `f` with the access as the kind that it is; false if `op` is something else.
  template <class F> static bool withAccess(Operation *op, Value base, F f) {
    auto each = [&](auto access) {
      if (!access || access.getBase() != base) return false;
      f(access);
      return true;
    };
    return each(dyn_cast<tile::CopyOp>(op)) || each(dyn_cast<tile::LoadFragmentOp>(op)) ||
           each(dyn_cast<tile::StoreFragmentOp>(op)) || each(dyn_cast<tile::LoadElementOp>(op)) ||
           each(dyn_cast<tile::StoreElementOp>(op));
  }
  template <class Op> static constexpr bool isElement = std::is_same_v<Op, tile::LoadElementOp> || std::is_same_v<Op, tile::StoreElementOp>;

  /// An axis that becomes one with the axis after it: every access can take the two together, and some tile gains by it.
  std::optional<size_t> mergedIn(BlockArgument argument) {
    size_t rank = shapeOf(argument.getType()).size();
    for (size_t axis = 1; axis + 1 < rank; ++axis) {
      bool all = true, gains = false;
      for (Operation *user : argument.getUsers())
        all &= withAccess(user, argument, [&](auto access) {
          all &= takesTogether(access, axis);
          gains |= isBetween(access, axis);
        });
      if (all && gains) return axis;
    }
    return std::nullopt;
  }

  /// One index along the axis, and nothing beyond the end of the next one.
  template <class Op> bool takesTogether(Op op, size_t axis) {
    if constexpr (isElement<Op>) return op.isInBounds(axis) && op.isInBounds(axis + 1);
    else return op.getPoints()[axis] && op.getInBounds()[axis] && op.getInBounds()[axis + 1] && isExact(op.getSizes().getDims()[axis + 1]);
  }
  /// A tile with a capacity is wider than its extent: what is beyond it is zero because the tensor ends there.
  bool isExact(DimAttr size) {
    std::set<std::string> names;
    size.getDim().collectVars(names);
    return llvm::none_of(names, [&](const std::string &name) { return kernel_.getCapacity().contains(name); });
  }
  /// Axes of the tile lie on both sides.
  template <class Op> static bool isBetween(Op op, size_t axis) {
    if constexpr (isElement<Op>) return false;
    else return op.getPoints()[axis] && !op.getPoints()[axis + 1] && llvm::is_contained(op.getPoints().take_front(axis), false);
  }

  void merge(BlockArgument argument, size_t axis) {
    SmallVector<DimAttr> shape(shapeOf(argument.getType()));
    Dim extent = shape[axis + 1].getDim();
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      withAccess(user, argument, [&](auto access) { mergeIn(access, axis, extent); });
    shape[axis] = DimAttr::get(builder_.getContext(), shape[axis].getDim() * extent);
    shape.erase(shape.begin() + axis + 1);
    argument.setType(ViewType::get(builder_.getContext(), shape, elementTypeOf(argument.getType())));
  }

  template <class Op> void mergeIn(Op op, size_t axis, const Dim &extent) {
    builder_.setInsertionPoint(op);
    auto offsets = [&] {
      if constexpr (isElement<Op>) return op.getIndicesMutable();
      else return op.getOffsetsMutable();
    }();
    SmallVector<Value> places;
    for (OpOperand &offset : offsets) places.push_back(offset.get());
    places[axis] = sum(product(places[axis], extent, op.getLoc()), places[axis + 1], op.getLoc());
    places.erase(places.begin() + axis + 1);
    offsets.assign(places);
    auto without = [&](auto list, size_t at) {
      SmallVector<std::decay_t<decltype(list[0])>> rest(list.begin(), list.end());
      rest.erase(rest.begin() + at);
      return rest;
    };
    if constexpr (isElement<Op>) {
      op.setInBounds(ArrayRef<bool>(without(*op.getInBounds(), axis)));
    } else {
      op.setPoints(without(op.getPoints(), axis));
      op.setSizesAttr(DimsAttr::get(builder_.getContext(), without(op.getSizes().getDims(), axis)));
      op.setSteps(without(op.getSteps(), axis));
      op.setInBounds(without(op.getInBounds(), axis));
    }
  }

  static bool isZero(Value place) {
    auto constant = place.getDefiningOp<tile::ConstantOp>();
    auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    return number && number.getValue().isZero();
  }
  Value product(Value place, const Dim &extent, Location location) {
    Location loc = unnamed(location);
    if (isZero(place) || extent == Dim(1)) return place;
    Value count = extent.isConstant() ? builder_.create<tile::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(extent.constant())).getResult()
                                      : builder_.create<tile::DimOp>(loc, builder_.getIndexType(), extent.str()).getResult();
    return builder_.create<tile::ElementwiseOp>(loc, builder_.getIndexType(), "mul", ValueRange{place, count});
  }
  Value sum(Value a, Value b, Location location) {
    if (isZero(a)) return b;
    if (isZero(b)) return a;
    return builder_.create<tile::ElementwiseOp>(unnamed(location), builder_.getIndexType(), "add", ValueRange{a, b});
  }

  tile::KernelOp kernel_;
  OpBuilder builder_;
};

struct MergeAxes : PassWrapper<MergeAxes, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeAxes)
  StringRef getArgument() const override { return "tile-merge-axes"; }
  StringRef getDescription() const override { return "axes of a tensor that every access takes together are one"; }
  void runOnOperation() override { Merger(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createMergeAxesPass() { return std::make_unique<MergeAxes>(); }

}  // namespace tessera::transforms
