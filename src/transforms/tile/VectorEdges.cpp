// Rows whose number of elements no vector divides: each begins within a vector, and its vectors are those of memory.
//
//   for (c = lane; c < C; c += lanes)          for (each vector of the row, from the one in which it begins)
//     s = s + x[r, c]                   ->       for (v ...)
//                                                  if (element v belongs to the row) s = s + vector[v]
//
// The vectors at both ends have elements of other rows: they are read, as a multiple of the vector are in the array as a whole, and not
// used. What is stored lies as the rows do; vectors along the columns, as a norm's weights, are loaded from any address.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "support/Machine.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

static bool isMatrix(Value base) {
  return llvm::any_of(shapeOf(base.getType()).drop_back(), [](DimAttr extent) { return extent.getConstant() != 1; });
}

/// A row that begins where those do of which the edges are known.
bool VectorForm::isEdgeRow(Value base, ValueRange indices) {
  auto alike = [&](Value a, Value b) { return a == b || (dimOf(a) && dimOf(a) == dimOf(b)); };
  return shapeOf(base.getType()) == shapeOf(edgeBase_.getType()) && llvm::all_of(llvm::zip(indices.drop_back(), edgeLeading_), [&](auto pair) {
           return alike(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Whether the loop does nothing but compute with elements of its row and of vectors along it.
bool VectorForm::edgesFit(scf::ForOp loop) {
  const std::optional<Dim> extent = extentOf(loop);
  auto isRow = [&](Operation *op, Value base, ValueRange indices) {
    if (!moves_.count(op) || indices.back() != loop.getInductionVar() || shapeOf(base.getType()).back().getDim() != *extent) return false;
    for (Value index : indices.drop_back())
      if (Operation *made = index.getDefiningOp(); made && !dimOf(index) && (made->getBlock() != rows_.front()->getBlock() || !made->isBeforeInBlock(rows_.front())))
        return false;
    if (!edgeBase_ && isMatrix(base)) edgeBase_ = base, edgeLeading_ = Values(indices.drop_back());
    return true;
  };
  for (Operation &op : *loop.getBody()) {
    if (isa<scf::YieldOp, tile::ConstantOp, tile::DimOp>(op)) continue;
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
      if (!dependsOnCounter(load.getResult()) || isRow(load, load.getBase(), load.getIndices())) continue;
      return false;
    }
    if (auto store = dyn_cast<tile::StoreElementOp>(op)) {
      if (isRow(store, store.getBase(), store.getIndices()) && isMatrix(store.getBase()) && isEdgeRow(store.getBase(), store.getIndices())) continue;
      return false;
    }
    if (!isa<tile::ElementwiseOp, tile::CastOp>(op)) return false;
    // What would be the same for a vector that lies on one side of a bound.
    if (dependsOnCounter(op.getResult(0)) && classOf(op.getResult(0)).kind == Kind::Same) return false;
  }
  return true;
}

/// Whether the rows may begin within vectors; not where their extent is known to be whole vectors.
void VectorForm::findEdges() {
  const Machine *machine = machineOf(kernel_);
  mayHaveEdges_ = false;
  const std::optional<Dim> extent = extentOf(rows_.front());
  if (!machine || machine->family == Target::Cpu || takesTurns() || kernel_.getSizes().contains("warps")) return;
  for (scf::ForOp loop : rows_)
    if (loop->hasAttr(kSplit) || extentOf(loop) != extent || !isa_and_nonnull<tile::QueryOp>(loop.getLowerBound().getDefiningOp()) || !edgesFit(loop)) return;
  if (!edgeBase_) return;
  // Held rows are those of the same array or of others that lie alike.
  for (scf::ForOp loop : rows_)
    for (auto load : loop.getBody()->getOps<tile::LoadElementOp>())
      if (dependsOnCounter(load.getResult()) && load.getIndices().size() > 1 && !isEdgeRow(load.getBase(), load.getIndices())) return;
  mayHaveEdges_ = true;
}

/// What `body` computes for an element of the row, and `otherwise` for one that a vector has besides.
VectorForm::Values VectorForm::whereInside(ValueRange otherwise, Location loc, function_ref<Values()> body) {
  // The same for both bounds as the condition of the vector: -c <= v and v < C - c.
  Value column = arithmetic("sub", number(0, loc), counterBase_, loc), left = arithmetic("sub", dim(*rowExtent_, loc), counterBase_, loc);
  Value holds = arithmetic("and", arithmetic("le", column, index_, loc), arithmetic("lt", index_, left, loc), loc);
  auto branch = builder_.create<scf::IfOp>(loc, otherwise.getTypes(), holds, /*withElse=*/true);
  branch->setAttr(tile::kInside, builder_.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder_);
  auto fill = [&](Block *block, function_ref<Values()> values) {
    if (!block->empty()) block->back().erase();
    builder_.setInsertionPointToEnd(block);
    values_.push_back(values_.back());
    Values made = values();
    builder_.setInsertionPointToEnd(block);
    builder_.create<scf::YieldOp>(loc, made);
    values_.pop_back();
  };
  fill(branch.thenBlock(), body);
  fill(branch.elseBlock(), [&] { return Values(otherwise); });
  return Values(branch.getResults());
}

}  // namespace tessera::transforms
