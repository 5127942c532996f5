#include "transforms/tile/LoopOverParts.h"
#include "ir/common/Names.h"
#include "transforms/tile/EraseUnused.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

StringRef combinationOf(StringRef reduction) {
  static const std::map<StringRef, StringRef> combinations = {{"sum", "add"}, {"prod", "mul"}, {"min", "min"},
                                                              {"max", "max"}, {"any", "or"},   {"all", "and"}};
  return combinations.at(reduction);
}

scf::ForOp loopOverParts(OpBuilder &builder, scf::ForOp loop, ValueRange memory, ValueRange behind, Value count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  Location place = unnamed(loop.getLoc());
  auto made = builder.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), count, loop.getStep(), loop.getInitArgs());
  made->setAttrs(loop->getAttrs());
  made->setAttr(tile::kUnrolled, builder.getI64IntegerAttr(kAtOnce));
  made.getInductionVar().setLoc(named("part", place));
  for (auto [from, to] : llvm::zip(loop.getRegionIterArgs(), made.getRegionIterArgs())) to.setLoc(from.getLoc());
  if (!made.getBody()->empty()) made.getBody()->back().erase();
  builder.setInsertionPointToEnd(made.getBody());
  SmallVector<Value> at = {made.getInductionVar()}, next;
  llvm::append_range(at, behind);
  for (auto [held, sum, reduction] : llvm::zip(memory, made.getRegionIterArgs(), tile::reductionsOf(loop))) {
    Value part = builder.create<tile::LoadElementOp>(place, sum.getType(), held, at, Value(),
                                                     builder.getDenseBoolArrayAttr(SmallVector<bool>(at.size(), true)));
    next.push_back(builder.create<tile::ElementwiseOp>(loop.getLoc(), sum.getType(), combinationOf(reduction), ValueRange{sum, part}));
  }
  builder.create<scf::YieldOp>(place, next);
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  loop.replaceAllUsesWith(made.getResults());
  loop.erase();
  // Also reductions of the group: no lane comes to their barriers.
  eraseUnused(kernel, [](Operation *op) { return isa<tile::GroupReduceOp>(op) && op->use_empty(); });
  return made;
}

}  // namespace tessera::transforms
