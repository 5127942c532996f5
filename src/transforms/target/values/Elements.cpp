// Single elements of memory.
#include "ir/common/Common.h"
#include "support/Check.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

ExprRef elementPlace(Emission &em, Value base, const Indices &indices) {
  ExprRef place = em.values->bound.lookup(base);
  if (auto line = base.getDefiningOp<tile::SelectBufferOp>(); line && !place) {  // a row of one tile (Fragments.cpp)
    Indices inTile = {scalar(em, line.getIndex())};
    inTile.insert(inTile.end(), indices.begin(), indices.end());
    return elementPlace(em, line.getBase(), inTile);
  }
  TSR_CHECK(place, "memory is used before it is emitted");
  Type type = ir::elementTypeOf(base.getType());
  Type held = place->type;
  if (auto lvalue = dyn_cast<out::LValueType>(held)) held = lvalue.getValue();
  if (isa<out::ViewType, out::NamedType>(held)) return element(place, indices, type);
  if (auto array = dyn_cast<out::ArrayType>(held)) {
    if (isa<out::NamedType>(array.getElement())) {  // several tiles: [stage](i, j)
      size_t leading = array.getExtents().size();
      ExprRef one = subscript(place, Indices(indices.begin(), indices.begin() + leading), array.getElement());
      return element(one, Indices(indices.begin() + leading, indices.end()), type);
    }
    return subscript(place, indices.empty() ? Indices{em.typed(0)} : Indices{bare(indices[0])}, type);
  }
  // A pointer: row-major.
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  ExprRef at = em.typed(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) at = binary("*", at, dim(em, shape[i].getDim()));
    at = binary("+", at, indices[i]);
  }
  return subscript(place, {bare(at)}, type);
}

ExprRef mask(Emission &em, Value base, ValueRange indices, llvm::function_ref<bool(unsigned)> inBounds) {
  ExprRef condition;
  auto require = [&](ExprRef part) {
    Type truth = IntegerType::get(em.context, 1);
    condition = condition ? binary("&&", condition, part) : part;
    TSR_CHECK(condition->type == truth, "a mask is a truth value");
  };
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (inBounds(i)) continue;
    if (!em.facts.isNonNegative(index)) require(compare(">=", scalar(em, index), em.typed(0)));
    require(compare("<", scalar(em, index), dim(em, shape[i].getDim())));
  }
  return condition;
}

ExprRef positionOf(Emission &em, Value base, ValueRange indices, bool flat) {
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  ExprRef at = em.typed(0);
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (i > 0) at = binary("*", at, dim(em, shape[i].getDim()));
    at = binary("+", at, scalar(em, index));
  }
  if (!flat && indices.size() + 1 == shape.size() && !indices.empty())
    at = binary("*", at, dim(em, shape.back().getDim()));
  return bare(at);
}

ExprRef pointerTo(Emission &em, Value base, ValueRange indices, bool flat) {
  ExprRef pointer = em.values->bound.lookup(base), at = positionOf(em, base, indices, flat);
  return asInteger(at) == 0 ? pointer : binary("+", pointer, at);
}

ExprRef loadElement(Emission &em, tile::LoadElementOp op) {
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(em, index));
  if (ExprRef block = em.streams->turned.lookup(op))
    return read(element(block, {indices.back(), indices[indices.size() - 2]}, op.getType()));
  ExprRef value = read(elementPlace(em, op.getBase(), indices));
  ExprRef inside = mask(em, op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (!inside) return value;
  ExprRef other = op.getOther() ? scalar(em, op.getOther()) : nullptr;
  if (!other)
    other = isa<FloatType, IntegerType, IndexType>(value->type) ? number(value->type, 0)
                                                                : call(dtypeText(em, value->type), {}, value->type);
  return conditional(inside, value, other);
}

LogicalResult emitStoreElement(Emission &em, tile::StoreElementOp op) {
  em.lastLoop = nullptr;
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(em, index));
  if (ExprRef line = em.streams->lines.lookup(op)) {
    assign(em, element(line, {indices.back()}, ir::elementTypeOf(op.getBase().getType())), scalar(em, op.getValue()),
           op.getLoc());
    return success();
  }
  ExprRef place = elementPlace(em, op.getBase(), indices);
  ExprRef inside = mask(em, op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (!inside) {
    assign(em, place, scalar(em, op.getValue()), op.getLoc());
    return success();
  }
  auto branch = em.builder.create<out::IfOp>(op.getLoc(), write(em.builder, op.getLoc(), inside));
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.createBlock(&branch.getThenBody());
  assign(em, place, scalar(em, op.getValue()), op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
