#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/ChosenLoad.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

int64_t bitsOf(Type type) {
  Type element = elementTypeOf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Value inDType(OpBuilder &builder, Location loc, Value value, Type element) {
  if (elementTypeOf(value.getType()) == element) return value;
  return builder.create<graph::CastOp>(loc, withElementType(value.getType(), element), value, StringAttr(), UnitAttr());
}

int64_t bitsReadFor(Value array, Value value) {
  bool isVector = longAxes(array.getType()).size() < longAxes(value.getType()).size();
  return isVector ? 0 : bitsOf(array.getType());
}

std::optional<ChosenLoad> chosenLoad(graph::GatherOp gather) {
  Value array = gather.getOperand();
  auto merged = array.getDefiningOp<graph::ReshapeOp>();
  if (merged) array = merged.getOperand();
  auto load = array.getDefiningOp<graph::LoadOp>();
  if (!load || !isa<ViewType>(load.getBase().getType()) || load.getOther()) return std::nullopt;
  SmallVector<size_t> ranges;  // the dimensions of the tensor that are the array's axes
  for (size_t i = 0; i < load.getPoints().size(); ++i)
    if (!load.getPoints()[i]) ranges.push_back(i);
  const size_t axis = gather.getAxis();
  size_t count = 1;
  if (merged) {
    ArrayRef<DimAttr> from = shapeOf(array.getType()), to = merged.getType().getShape();
    if (to.size() > from.size()) return std::nullopt;
    count = from.size() - to.size() + 1;
    if (from.take_front(axis) != to.take_front(axis) || from.drop_front(axis + count) != to.drop_front(axis + 1)) return std::nullopt;
  }
  for (size_t i = axis; i < axis + count; ++i) {
    const bool isWhole = load.getSteps()[ranges[i]] == 1 && load.getSizes().getDims()[ranges[i]] == shapeOf(load.getBase().getType())[ranges[i]];
    if (!isWhole || ranges[i] != ranges[axis] + (i - axis)) return std::nullopt;
  }
  return ChosenLoad{load, ranges[axis], ranges[axis] + count - 1};
}

bool isOnlyChosenFrom(Operation *op) {
  if (!isa_and_nonnull<graph::LoadOp, graph::ReshapeOp>(op) || op->use_empty()) return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    if (auto merged = dyn_cast<graph::ReshapeOp>(use.getOwner()); merged && isa<graph::LoadOp>(op)) return isOnlyChosenFrom(merged);
    auto gather = dyn_cast<graph::GatherOp>(use.getOwner());
    return gather && use.getOperandNumber() == 0 && chosenLoad(gather).has_value();
  });
}

bool holdsFragments(Operation *kernel) {
  bool uses = false;
  kernel->walk([&](Operation *op) {
    bool carries = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
    for (Type type : op->getResultTypes()) {
      size_t rank = isa<TensorType>(type) ? longAxes(type).size() : 0;
      uses |= rank >= 2 || (carries && rank > 0);
    }
    uses |= isa<graph::DotOp>(op) || (isa<graph::ScanOp, graph::ArgsortOp>(op) && isLong(op->getResult(0).getType()));
    // What is chosen by indices out of memory is read there, an element at a time; out of what is computed, in shared memory.
    if (auto gather = dyn_cast<graph::GatherOp>(op)) uses |= isLong(gather.getOperand().getType()) && !gather.getOperand().getDefiningOp<graph::LoadOp>();
  });
  return uses;
}

}  // namespace tessera::transforms
