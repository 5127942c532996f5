// Elements of tiles at other places: the order of rows, and what is chosen by indices. The device headers do it, on GPUs through
// shared memory.
#include "ir/common/Common.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

/// Shared memory for all elements of a tile, of its own dtype or another.
ExprRef KernelEmitter::elementScratch(tile::FragmentType type, Type element, Location location) {
  const int64_t bytes = element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : sizeof(int64_t);
  std::vector<Dim> extents;
  for (ir::DimAttr extent : type.getShape()) extents.push_back(extent.getDim());
  return scratch(element, "tsr::tile_elements<" + fragmentType(type, location) + ">", bytes, std::move(extents));
}

/// The variable that a function of the device headers fills.
ExprRef KernelEmitter::filled(Value result) {
  if (Storage *storage = plan_.storage(result)) {
    if (!storage->place) declareStorage(*storage, nullptr, result.getLoc());
    return bound_[result] = storage->place;
  }
  auto type = cast<tile::FragmentType>(result.getType());
  return bound_[result] = declare(nameFor(result), placeType(type, result.getLoc()), "direct", {}, false, result.getLoc());
}

LogicalResult KernelEmitter::emitArgsort(tile::ArgsortOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  Location place = op.getLoc(), from = op.getValue().getLoc();
  ExprRef source = materialised(op.getValue());
  if (!source) return failure();
  Indices arguments = {filled(op.getResult()), source->operands[0], dim(type.getShape().back().getDim())};
  if (!isCpu()) {
    arguments.push_back(elementScratch(type, type.getElementType(), from));
    // Named after the order, so that it is not the memory of keys of 32 bits.
    arguments.push_back(elementScratch(op.getResult().getType(), builder_.getI32Type(), from));
  }
  std::vector<Attribute> templates = {StringAttr::get(context_, op.getDescending() ? "tsr::Descending" : "tsr::Ascending")};
  statement(call("tsr::argsort", arguments, none(), templates), place);
  return success();
}

LogicalResult KernelEmitter::emitGather(tile::GatherOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  Location place = op.getLoc();
  ExprRef source = materialised(op.getValue());
  if (!source) return failure();
  const bool isNumber = !isa<tile::FragmentType>(op.getResult().getType());
  ExprRef places = isNumber ? scalar(op.getPlaces()) : materialised(op.getPlaces());
  if (!places) return failure();
  if (!isNumber) places = places->operands[0];
  Indices arguments = {source->operands[0], places, dim(type.getShape()[op.getAxis()].getDim())};
  if (!isCpu()) arguments.push_back(elementScratch(type, type.getElementType(), op.getValue().getLoc()));
  std::vector<Attribute> templates;
  if (type.getRank() == 2) templates.push_back(builder_.getI64IntegerAttr(op.getAxis()));
  if (isNumber) {
    define(op.getResult(), call("tsr::gather", arguments, op.getResult().getType(), templates));
    return success();
  }
  arguments.insert(arguments.begin(), filled(op.getResult()));
  statement(call("tsr::gather", arguments, none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
