// Scans of tiles: the device headers do them, on GPUs through shared memory.
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

LogicalResult KernelEmitter::emitScan(tile::ScanOp op) {
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  Location place = op.getLoc();
  ExprRef source = materialised(op.getValue());
  if (!source) return failure();
  Indices arguments = {filled(op.getResult()), source->operands[0]};
  if (!isCpu()) arguments.push_back(elementScratch(type, type.getElementType(), op.getValue().getLoc()));
  std::vector<Attribute> templates = {StringAttr::get(context_, reductionName(op.getReduction())),
                                      IntegerAttr::get(builder_.getI64Type(), op.getAxis())};
  statement(call("tsr::scan", arguments, none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
