// The elements of a view or shared buffer that a tile covers.
#include "ir/common/Common.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/Reach.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"
#include <set>

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

bool Reach::liesInside(ArrayRef<ir::DimAttr> tile) const {
  std::set<std::string> names;
  for (ir::DimAttr extent : tile) extent.getDim().collectVars(names);
  return llvm::all_of(inBounds, [](bool proved) { return proved; }) &&
         llvm::all_of(names, [](const std::string &name) { return name.rfind("T.", 0) == 0; });
}

void Reach::maskCapacities(ArrayRef<ir::DimAttr> tile) {
  for (auto [axis, extent] : llvm::zip(free, tile)) {
    std::set<std::string> names;
    extent.getDim().collectVars(names);
    if (llvm::any_of(names, [](const std::string &name) { return name.rfind("T.", 0) != 0; })) inBounds[axis] = false;
  }
}

ExprRef reachElement(Emission &em, const Reach &reach, const ExprRef &row, const ExprRef &col, ExprRef *inside) {
  Indices indices;
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(reach.base.getType());
  size_t seen = 0;
  for (auto [i, offset] : llvm::enumerate(reach.offsets)) {
    ExprRef index = scalar(em, offset);
    if (llvm::is_contained(reach.free, i)) {
      ExprRef within = castTo(em.indexType(), reach.free.size() == 1 ? (row ? row : col) : seen == 0 ? row : col);
      ++seen;
      index = binary("+", index, binary("*", within, em.typed(reach.steps[i])));
    }
    indices.push_back(index);
    if (reach.inBounds[i] || !inside) continue;
    ExprRef part = compare("<", index, dim(em, shape[i].getDim()));
    if (!em.facts.isNonNegative(offset)) part = binary("&&", compare(">=", index, em.typed(0)), part);
    *inside = *inside ? binary("&&", *inside, part) : part;
  }
  return elementPlace(em, reach.base, indices);
}

ExprRef zeroOf(Type type, const std::string &text) {
  return isa<FloatType, IntegerType, IndexType>(type) ? number(type, 0) : call(text, {}, type);
}

std::pair<ExprRef, std::vector<ExprRef>> fixLeading(ExprRef base, const std::vector<ExprRef> &offsets, size_t free) {
  Type held = base->type;
  if (auto lvalue = dyn_cast<out::LValueType>(held)) held = lvalue.getValue();
  std::vector<ExprRef> points(offsets.begin(), offsets.end() - free), rest(offsets.end() - free, offsets.end());
  if (points.empty()) return {base, rest};
  auto view = cast<out::ViewType>(held);
  auto left = out::ViewType::get(held.getContext(), free, view.getElement(), view.getReadOnly(), view.getStrided(), /*windows=*/0);
  return {subscript(base, points, left), rest};
}

}  // namespace tessera::transforms::totarget
