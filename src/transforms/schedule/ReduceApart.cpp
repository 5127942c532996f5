// Reductions over two lots of axes with others between, of which the last are short: a group norm with the channels last adds up pixels
// and a few channels of each. A kernel of rows would take single elements far apart; here the first axes are reduced for all columns side by
// side, and what is left of the short ones after that.
#include "support/Machine.h"
#include "ir/common/Names.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kFewColumns = 64;

/// A small number, or a part of a dimension: `C // 32` channels of each group.
bool isShort(const Dim &dim) {
  if (dim.isConstant()) return dim.constant() <= kFewColumns;
  std::vector<Dim::Term> terms = dim.terms();
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].atoms.size() != 1) return false;
  const auto &[atom, power] = terms[0].atoms[0];
  return atom.kind == AtomKind::FloorDiv && power == 1 && atom.right->isConstant() && atom.right->constant() >= 8;
}

/// Those of the reduced axes that stand before an axis that stays; none where the operation is not of that form.
SmallVector<int64_t> firstAxes(graph::ReduceOp reduce) {
  ArrayRef<DimAttr> shape = reduce.getOperand().getType().getShape();
  bool isKnown = llvm::is_contained({"sum", "max", "min"}, reduce.getMnemonic()) && isa<FloatType>(elementTypeOf(reduce.getType())) &&
                 elementTypeOf(reduce.getType()) == reduce.getOperand().getType().getElementType();
  int64_t kept = -1;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis)) && !isUnit(shape[axis])) kept = static_cast<int64_t>(axis);
  SmallVector<int64_t> first;
  Dim last(1);
  for (int64_t axis : reduce.getAxes())
    if (axis < kept) first.push_back(axis);
    else last = last * shape[axis].getDim();
  bool isLong = llvm::any_of(first, [&](int64_t axis) { return !isUnit(shape[axis]); });
  return isKnown && isLong && !(last == Dim(1)) && isShort(last) ? first : SmallVector<int64_t>();
}

}  // namespace

void reduceApart(graph::FuncOp function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return;
  SmallVector<std::pair<graph::ReduceOp, SmallVector<int64_t>>> reductions;
  function.walk([&](graph::ReduceOp reduce) {
    if (SmallVector<int64_t> first = firstAxes(reduce); !first.empty()) reductions.emplace_back(reduce, std::move(first));
  });
  for (auto &[reduce, first] : reductions) {
    SmallVector<int64_t> rest;
    SmallVector<DimAttr> shape;
    int64_t now = 0;
    for (auto [axis, extent] : llvm::enumerate(reduce.getOperand().getType().getShape())) {
      if (llvm::is_contained(first, static_cast<int64_t>(axis))) continue;
      shape.push_back(extent);
      if (llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis))) rest.push_back(now);
      ++now;
    }
    OpBuilder builder(reduce);
    Type columns = TensorType::get(reduce.getContext(), shape, reduce.getOperand().getType().getElementType());
    auto made = builder.create<graph::ReduceOp>(unnamed(reduce.getLoc()), columns, reduce.getMnemonic(), reduce.getOperand(), first);
    made->setAttr(kColumnsFirst, builder.getUnitAttr());
    Value all = builder.create<graph::ReduceOp>(reduce.getLoc(), reduce.getType(), reduce.getMnemonic(), made, rest);
    reduce.replaceAllUsesWith(all);
    reduce.erase();
  }
}

}  // namespace tessera::transforms
