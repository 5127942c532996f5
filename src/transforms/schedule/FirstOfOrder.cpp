// Of an order of which only the first places are read, as `topk` does, only those are found.
#include "ir/graph/Graph.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

// More of them are found as fast by a sort.
constexpr int64_t kMostFirst = 128;

bool isZeroIndex(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number && number.getValue().isZero();
}

/// Of the elements along an axis of what `slice` is a part of, it has the first ones, so many; 0 where that is not so.
int64_t firstAlong(graph::SliceOp slice, size_t axis) {
  const Dim &size = slice.getSizes().getDims()[axis].getDim();
  bool isFirst = isZeroIndex(slice.getOffsets()[axis]) && slice.getSteps()[axis] == 1 && size.isConstant();
  return isFirst ? size.constant() : 0;
}

/// What is read of an order: parts of it, or of it with its axes in another order.
struct Readers {
  SmallVector<std::pair<graph::SliceOp, size_t>> slices;  // and the sorted axis
  SmallVector<std::pair<graph::TransposeOp, size_t>> turned;
  int64_t most = 0;
};

/// False: something reads more than the first places.
bool collect(Value order, size_t axis, Readers &readers) {
  for (Operation *user : order.getUsers()) {
    if (auto slice = dyn_cast<graph::SliceOp>(user)) {
      int64_t first = firstAlong(slice, axis);
      if (first == 0) return false;
      readers.most = std::max(readers.most, first);
      readers.slices.emplace_back(slice, axis);
    } else if (auto turn = dyn_cast<graph::TransposeOp>(user)) {
      size_t to = llvm::find(turn.getPerm(), static_cast<int64_t>(axis)) - turn.getPerm().begin();
      readers.turned.emplace_back(turn, to);
      if (!collect(turn.getResult(), to, readers)) return false;
    } else {
      return false;
    }
  }
  return true;
}

void shorten(Value value, size_t axis, int64_t extent) {
  auto type = cast<TensorType>(value.getType());
  SmallVector<DimAttr> shape(type.getShape());
  shape[axis] = DimAttr::get(value.getContext(), Dim(extent));
  value.setType(TensorType::get(value.getContext(), shape, type.getElementType()));
}

}  // namespace

void findFirstOnly(Operation *function) {
  function->walk([](graph::ArgsortOp sort) {
    size_t last = sort.getType().getRank() - 1;
    Readers readers;
    if (!collect(sort.getResult(), last, readers) || readers.most == 0 || readers.most > kMostFirst) return;
    shorten(sort.getResult(), last, readers.most);
    for (auto [turn, axis] : readers.turned) shorten(turn.getResult(), axis, readers.most);
    for (auto [slice, axis] : readers.slices) {
      bool isAll = slice.getType() == slice.getBase().getType() && llvm::all_of(slice.getOffsets(), isZeroIndex);
      if (isAll) slice.getResult().replaceAllUsesWith(slice.getBase());
    }
  });
}

}  // namespace tessera::transforms
