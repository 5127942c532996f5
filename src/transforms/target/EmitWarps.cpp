// What the lanes of a warp learn of each other: calls of the device headers, by each lane on GPUs, for arrays of all lanes on the CPU.
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

/// "tsr::warp_reduce", with the reduction among the templates.
static std::string calleeOf(tile::WarpOp op, std::vector<Attribute> &templates) {
  const StringRef what = op.getWhat();
  if (op.getLane() || what == "ballot") return "tsr::warp_" + what.str();
  templates.push_back(StringAttr::get(op.getContext(), reductionName(what)));
  return "tsr::warp_reduce";
}

LogicalResult KernelEmitter::emitWarp(tile::WarpOp op) {
  TSR_CHECK(!isCpu(), "on the CPU the lanes of a warp are in loops");
  std::vector<Attribute> templates;
  const std::string callee = calleeOf(op, templates);
  Indices arguments = {scalar(op.getValue())};
  if (op.getLane()) arguments.push_back(scalar(op.getLane()));
  define(op.getResult(), call(callee, arguments, op.getType(), templates));
  return success();
}

/// Between two loops over lanes: what the first one left in an array becomes what the second one finds in another.
LogicalResult KernelEmitter::emitLaneWarp(tile::WarpOp op) {
  Location place = op.getLoc();
  std::vector<Attribute> templates;
  const std::string callee = calleeOf(op, templates);
  ExprRef values = lanesWith(op.getValue(), "lane_values", place), lanes;
  if (!values) return failure();
  if (op.getLane()) {
    lanes = varies(op.getLane()) ? lanesWith(op.getLane(), "lane_numbers", place) : scalar(op.getLane());
    if (!lanes) return failure();
  }
  ExprRef results;
  if (Storage *storage = plan_.storage(op.getResult())) {
    if (!storage->place) declareLaneArray(*storage, place);
    TSR_CHECK(storage->perLane, "what the lanes of a warp get is kept for each of them");
    results = storage->place;
  } else {
    results = perLane_[op.getResult()] = laneArray(nameFor(op.getResult()), op.getType(), place);
  }
  Indices arguments = {results, values};
  if (lanes) arguments.push_back(lanes);
  statement(call(callee, arguments, none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
