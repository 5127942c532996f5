// Elements at places that only run time knows: table[ids[r], d] is there for all elements of a vector, or for none.
//
//   table[place, d]  or 0            ->      place >= 0 && place < V ? table[place, d] : 0
//
// Behind such a condition the elements lie inside, so they are loaded at once.
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// Whether what may lie outside does so for all elements of a vector.
bool VectorForm::masksAlike(tile::LoadElementOp load) {
  auto view = dyn_cast<ViewType>(load.getBase().getType());
  std::optional<ArrayRef<bool>> inside = load.getInBounds();
  if (!view || view.getPlaces() || !isa<FloatType, IntegerType>(load.getType()) || !inside || inside->size() < 2 || !inside->back() || !llvm::is_contained(*inside, false)) return false;
  return classOf(load.getIndices().back()).kind == Kind::Step &&
         llvm::all_of(load.getIndices().drop_back(), [&](Value index) { return classOf(index).kind == Kind::Same; });
}

void VectorForm::branchOverMasks(Region &region) {
  SmallVector<tile::LoadElementOp> loads;
  region.walk([&](tile::LoadElementOp load) {
    if (masksAlike(load)) loads.push_back(load);
  });
  for (tile::LoadElementOp load : loads) {
    builder_.setInsertionPoint(load);
    Location loc = load.getLoc();
    Value condition;
    for (auto [i, index] : llvm::enumerate(load.getIndices())) {
      if (load.isInBounds(static_cast<unsigned>(i))) continue;
      Value extent = dim(shapeOf(load.getBase().getType())[i].getDim(), loc);
      auto test = [&](StringRef what, Value bound) -> Value {
        return builder_.create<tile::ElementwiseOp>(loc, builder_.getI1Type(), what, ValueRange{index, bound});
      };
      for (Value holds : {test("ge", number(0, loc)), test("lt", extent)})
        condition = condition ? Value(builder_.create<tile::ElementwiseOp>(loc, builder_.getI1Type(), "and", ValueRange{condition, holds})) : holds;
    }
    auto branch = builder_.create<scf::IfOp>(loc, TypeRange(load.getType()), condition, /*withElseRegion=*/true);
    auto yield = [&](Block *block, function_ref<Value()> value) {
      if (!block->empty()) block->back().erase();
      builder_.setInsertionPointToEnd(block);
      builder_.create<scf::YieldOp>(loc, value());
    };
    yield(branch.thenBlock(), [&]() -> Value {
      SmallVector<bool> all(load.getIndices().size(), true);
      return builder_.create<tile::LoadElementOp>(loc, load.getType(), load.getBase(), load.getIndices(), Value(), builder_.getDenseBoolArrayAttr(all));
    });
    yield(branch.elseBlock(), [&]() -> Value {
      if (Value other = load.getOther()) return other;
      return builder_.create<tile::ConstantOp>(loc, load.getType(), cast<TypedAttr>(builder_.getZeroAttr(load.getType())));
    });
    load.getResult().replaceAllUsesWith(branch.getResult(0));
    load.erase();
  }
}

}  // namespace tessera::transforms
