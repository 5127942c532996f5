// Scans of tiles: the device headers do them, on GPUs through shared memory.
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

LogicalResult KernelEmitter::emitScan(tile::ScanOp op) {
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  Location place = op.getLoc();
  ExprRef source = materialised(op.getValue()), result;
  if (!source) return failure();
  if (Storage *storage = plan_.storage(op.getResult())) {
    if (!storage->place) declareStorage(*storage, nullptr, place);
    result = storage->place;
  } else {
    result = declare(nameFor(op.getResult()), placeType(type, place), "direct", {}, false, place);
  }
  Indices arguments = {result, source->operands[0]};
  if (!isCpu()) {
    Type element = type.getElementType();
    const int64_t bytes = element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : sizeof(int64_t);
    std::vector<Dim> extents;
    for (ir::DimAttr extent : type.getShape()) extents.push_back(extent.getDim());
    arguments.push_back(scratch(element, "tsr::scan_scratch<" + fragmentType(type, op.getValue().getLoc()) + ">", bytes,
                                std::move(extents)));
  }
  std::vector<Attribute> templates = {StringAttr::get(context_, reductionName(op.getReduction())),
                                      IntegerAttr::get(builder_.getI64Type(), op.getAxis())};
  statement(call("tsr::scan", arguments, none(), templates), place);
  bound_[op.getResult()] = result;
  return success();
}

}  // namespace tessera::transforms::totarget
