// Reductions and scans of tiles: the device headers do them, on GPUs through shared memory.
#include "transforms/target/Elementwise.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

/// Shared memory for a reduction of a tile: as much as its layout needs for the elements that are left.
static ExprRef tileScratch(Emission &em, tile::ReduceOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  int64_t width = 8;
  if (type.getElementType().isIntOrFloat()) width = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  tile::Layout layout = type.getTileLayout();
  const int64_t step = op.getAxis() == 1 ? layout.getRowStep() : layout.getColStep();  // of the lanes, who need it in whole steps
  const int64_t each = llvm::divideCeil(std::max<int64_t>(layout.getScratch(op.getAxis(), step), 1), step);
  std::string extent = std::string(op.getAxis() == 1 ? "tsr::row_reduce_scratch<" : "tsr::col_reduce_scratch<") +
                       fragmentType(em, type, op.getValue().getLoc()) + ">";
  const Dim left = type.getShape()[1 - op.getAxis()].getDim();
  return scratch(em, type.getElementType(), extent, width * each, {Dim::ceilDiv(left, Dim(step)) * Dim(step)});
}

LogicalResult emitReduce(Emission &em, tile::ReduceOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  const std::optional<Picked> picked = pickedOf(op);
  ExprRef source = materialised(em, picked ? picked->vector : op.getValue());
  if (!source) return failure();
  if (picked) {
    Indices arguments = {source->operands[0], number(em.intType(), picked->place)};
    if (!em.isCpu()) arguments.push_back(groupScratch(em, type.getElementType()));
    define(em, op.getResult(), call("tsr::vector_element", arguments, type.getElementType(), {}));
    return success();
  }
  std::vector<Attribute> templates = {StringAttr::get(em.context, reductionName(op.getReduction()))};
  if (type.getRank() == 1) {
    Indices arguments = {source->operands[0]};
    if (!em.isCpu()) arguments.push_back(groupScratch(em, type.getElementType()));
    define(em, op.getResult(), call("tsr::vector_reduce", arguments, type.getElementType(), templates));
    return success();
  }
  Type result = placeType(em, op.getResult().getType(), op.getLoc());
  bool alongRows = op.getAxis() == 1;
  Indices arguments = {source->operands[0]};
  // Where lanes of several warps, or of several rows of the grid, meet, they do so in shared memory.
  if (!em.isCpu() && !op.getByLane() && (!alongRows || type.getTileLayout().getScratch(op.getAxis(), 1) > 0))
    arguments.push_back(tileScratch(em, op));
  keep(em, op.getResult(),
       call(op.getByLane() ? "tsr::reduce_by_lane"
            : alongRows    ? "tsr::row_reduce"
                           : "tsr::col_reduce",
            arguments, result, templates));
  return success();
}

LogicalResult emitCombineLanes(Emission &em, tile::CombineLanesOp op) {
  ExprRef own = materialised(em, op.getValue());
  if (!own) return failure();
  keep(em, op.getResult(),
       call("tsr::combine_lanes", {own->operands[0]}, placeType(em, op.getResult().getType(), op.getLoc()),
            {StringAttr::get(em.context, reductionName(op.getReduction()))}));
  return success();
}

LogicalResult emitScan(Emission &em, tile::ScanOp op) {
  auto type = cast<tile::FragmentType>(op.getResult().getType());
  Location place = op.getLoc();
  ExprRef source = materialised(em, op.getValue());
  if (!source) return failure();
  Indices arguments = {filled(em, op.getResult()), source->operands[0]};
  if (!em.isCpu()) arguments.push_back(elementScratch(em, type, type.getElementType(), op.getValue().getLoc()));
  std::vector<Attribute> templates = {StringAttr::get(em.context, reductionName(op.getReduction())),
                                      IntegerAttr::get(em.builder.getI64Type(), op.getAxis())};
  statement(em, call("tsr::scan", arguments, em.none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
