#include "transforms/tile/Components.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isFragment(Value value) { return isa<tile::FragmentType>(value.getType()); }

/// The fragments of a kernel in the order of the program.
void forEachFragment(tile::KernelOp kernel, llvm::function_ref<void(Value)> visit) {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value value : op->getResults())
      if (isFragment(value)) visit(value);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (isFragment(argument)) visit(argument);
  });
}

}  // namespace

Components::Components(tile::KernelOp kernel) {
  kernel.getBody().walk([&](Operation *op) { visit(op); });
}

llvm::MapVector<void *, SmallVector<Value>> Components::withProducts(tile::KernelOp kernel) {
  llvm::SmallDenseSet<void *> wanted;
  kernel.getBody().walk([&](tile::DotOp dot) { wanted.insert(leader(dot.getResult())); });
  llvm::MapVector<void *, SmallVector<Value>> result;
  forEachFragment(kernel, [&](Value value) {
    if (wanted.contains(leader(value))) result[leader(value)].push_back(value);
  });
  return result;
}

SmallVector<Value> Components::of(tile::KernelOp kernel, Value value) {
  SmallVector<Value> result;
  forEachFragment(kernel, [&](Value other) {
    if (leader(other) == leader(value)) result.push_back(other);
  });
  return result;
}

void Components::join(Value a, Value b) {
  if (isFragment(a) && isFragment(b)) classes_.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

void Components::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    joinAll(loop.getInitArgs(), loop.getResults());
    joinAll(loop.getRegionIterArgs(), loop.getResults());
    joinAll(loop.getYieldedValues(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty()) joinAll(region.front().getTerminator()->getOperands(), branch.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    joinAll(loop.getInits(), loop.getBeforeArguments());
    joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    joinAll(loop.getAfterArguments(), loop.getResults());
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    join(dot.getAcc(), dot.getResult());
  } else if (op->getNumResults() == 1 && isFragment(op->getResult(0))) {
    for (Value operand : op->getOperands()) join(operand, op->getResult(0));
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    for (Value index : atomic.getIndices()) join(atomic.getValue(), index);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) join(reduce.getValue(), reduce.getResult());
}

}  // namespace tessera::transforms
