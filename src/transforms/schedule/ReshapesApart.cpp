// Reshapes of several groups of axes that hold as many elements, maybe by a fact: one reshape for each group.
//
//   [B, H, W, C] to [B, H*W, 32, C // 32], C % 32 == 0     as     [B, H, W, C] to [B, H*W, C] to [B, H*W, 32, C // 32]
//   [B, H, 2, W, 2] to [B, 2*H, 2*W]                       as     [B, H, 2, W, 2] to [B, 2*H, W, 2] to [B, 2*H, 2*W]
//
// The place of an element is then found by the sizes of its own group. For all of them together it is a number that is divided by each
// extent: seven quotients for an element of a group norm.
#include "ir/common/Multiples.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class Splitter {
public:
  explicit Splitter(graph::FuncOp function) : facts_(function.getRequirements()) {}

  void run(graph::ReshapeOp reshape) {
    ArrayRef<DimAttr> from = shapeOf(reshape.getOperand().getType()), to = shapeOf(reshape.getType());
    std::optional<SmallVector<Group>> groups = groupsOf(from, to);
    if (!groups || llvm::count_if(*groups, [&](const Group &group) { return !group.isSame(from, to); }) < 2) return;
    OpBuilder builder(reshape);
    Value value = reshape.getOperand();
    SmallVector<DimAttr> done;
    for (const Group &group : *groups) {
      llvm::append_range(done, to.slice(group.to, group.toCount));
      SmallVector<DimAttr> shape(done);
      llvm::append_range(shape, from.drop_front(group.from + group.fromCount));
      if (group.isSame(from, to)) continue;
      value = builder.create<graph::ReshapeOp>(reshape.getLoc(), TensorType::get(builder.getContext(), shape, elementTypeOf(value.getType())), value);
    }
    reshape.getResult().replaceAllUsesWith(value);
    reshape.erase();
  }

private:
  struct Group {
    size_t from, fromCount, to, toCount;  // axes
    bool isSame(ArrayRef<DimAttr> operand, ArrayRef<DimAttr> result) const { return fromCount == 1 && toCount == 1 && operand[from] == result[to]; }
  };

  /// The fewest axes of both that hold as many elements, one group after the other.
  std::optional<SmallVector<Group>> groupsOf(ArrayRef<DimAttr> from, ArrayRef<DimAttr> to) {
    SmallVector<Group> groups;
    size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      std::optional<Group> found;
      for (size_t all = 2; !found && all <= from.size() - i + to.size() - j; ++all)
        for (size_t here = 1; here < all && here <= from.size() - i && !found; ++here)
          if (size_t there = all - here; there <= to.size() - j && count(from.slice(i, here)) == count(to.slice(j, there))) found = Group{i, here, j, there};
      if (!found) return std::nullopt;
      groups.push_back(*found);
      i += found->fromCount, j += found->toCount;
    }
    return i == from.size() && j == to.size() ? std::optional(groups) : std::nullopt;
  }
  Dim count(ArrayRef<DimAttr> extents) {
    Dim product(1);
    for (DimAttr extent : extents) product = product * inMultiples(extent.getDim(), facts_);
    return product;
  }

  ArrayAttr facts_;  // what the function says of its dimensions
};

}  // namespace

void splitReshapes(graph::FuncOp function) {
  SmallVector<graph::ReshapeOp> reshapes;
  function.walk([&](graph::ReshapeOp reshape) { reshapes.push_back(reshape); });
  Splitter splitter(function);
  for (graph::ReshapeOp reshape : reshapes) splitter.run(reshape);
}

}  // namespace tessera::transforms
