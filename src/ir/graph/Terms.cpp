#include "ir/graph/Terms.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::ir {
using namespace mlir;

graph::DotOp addedUpAs(graph::DotOp like, graph::DotOp product, bool turned) {
  addedUpAs(like.getOperation(), product);
  if (!like.hasTerm()) return product;
  product.getScalarsMutable().assign(like.getScalars());
  product.setCombineAttr(like.getCombineAttr());
  IRMapping mapping;
  like.getTerm().cloneInto(&product.getTerm(), mapping);
  Block &block = product.getTerm().front();
  if (!turned) return product;
  Value first = block.insertArgument(0u, block.getArgument(1).getType(), block.getArgument(1).getLoc());
  block.getArgument(2).replaceAllUsesWith(first);
  block.eraseArgument(2);
  return product;
}

Value termOfPair(OpBuilder &builder, graph::DotOp dot, ValueRange args, llvm::function_ref<Type(Type)> typed,
             llvm::function_ref<Value(Value)> spread) {
  IRMapping values;
  for (auto [argument, value] : llvm::zip(dot.getTerm().getArguments(), args)) values.map(argument, value);
  for (Operation &op : dot.getTerm().front()) {
    if (auto end = dyn_cast<graph::TermOp>(op)) return values.lookup(end.getValue());
    Operation *copy = builder.clone(op, values);
    if (isa<graph::ConstantOp>(op)) values.map(op.getResult(0), spread(copy->getResult(0)));
    else copy->getResult(0).setType(typed(op.getResult(0).getType()));
  }
  llvm_unreachable("a term ends in what it gives");
}

}  // namespace tessera::ir
