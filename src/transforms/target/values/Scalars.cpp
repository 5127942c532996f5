// Scalars: constants, arithmetic, what the lanes of a group and of a warp learn of each other.
#include "ir/common/ContractAttr.h"
#include "ir/common/Names.h"
#include "ir/tile/Divisors.h"
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Scalars.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

LogicalResult emitScalar(Emission &em, Operation &op) {
  Value result = op.getResult(0);
  if (em.values->counters.contains(result)) return success();
  ExprRef value;
  if (auto constantOp = dyn_cast<tile::ConstantOp>(op)) {
    value = literal(constantOp.getValue(), constantOp.getValue().getType());
    auto integer = dyn_cast<IntegerAttr>(constantOp.getValue());
    if (integer && isa<IndexType>(integer.getType())) value = size(em, Dim(integer.getInt()), op.getLoc());
  } else if (auto dimOp = dyn_cast<tile::DimOp>(op); dimOp && tile::isDivisor(dimOp)) {
    value = divisor(em, *Dim::parse(dimOp.getDim().str()));
  } else if (dimOp && tile::givenName(dimOp)) {
    em.values->bound[result] = given(em, *Dim::parse(dimOp.getDim().str()), *tile::givenName(dimOp));
    return success();
  } else if (dimOp) {
    value = size(em, *Dim::parse(dimOp.getDim().str()), op.getLoc());
  } else if (auto queryOp = dyn_cast<tile::QueryOp>(op)) {
    value = query(em, queryOp);
    // Asked for twice, it is computed once; what the first place is called says enough.
    bool again = !em.grid->lane && !queryOp.isVarying() && op.getBlock() == &em.kernel.getBody().front() &&
                 value->kind != Expr::Kind::Value && value->kind != Expr::Kind::Literal &&
                 value->kind != Expr::Kind::Name;
    if (again) {
      ExprRef &known = em.values->ofGroup[queryOp.getAxis() * 16 + queryOp.getQuery().size()];
      if (!known) {
        define(em, result, value);
        if (!em.values->plan.isInline(result)) known = em.values->bound[result];
        return success();
      }
      value = known;
      if (ir::nameHint(result).empty()) {
        em.values->bound[result] = known;
        return success();
      }
    }
    // The counter of the loop over lanes or groups has the user's name already.
    if (em.grid->lane && queryOp.isVarying()) return success();
    if (value->kind == Expr::Kind::Value) {
      em.values->bound[result] = value;
      return success();
    }
  } else if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
    value = loadElement(em, load);
  } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
    value = convert(scalar(em, cast.getValue()), result.getType(), cast.getRounding().value_or(""), cast.getSaturate());
    if (!value) return unsupported(op, "a cast that rounds '" + *cast.getRounding() + "' is not emitted yet");
  } else {
    auto elementwiseOp = cast_or_null<tile::ElementwiseOp>(&op);
    std::vector<ExprRef> operands;
    bool asInC =
        em.facts.mayDivide(elementwiseOp.getArgs().back());  // if it divides: of signs and divisors that C knows
    for (Value operand : elementwiseOp.getArgs()) {
      operands.push_back(scalar(em, operand));
      asInC &= em.facts.isNonNegative(operand);
    }
    auto divisor = elementwiseOp.getArgs().back().getDefiningOp<tile::DimOp>();
    asInC |= divisor && tile::isDivisor(divisor);  // prepared where that was known, and it divides in no other way
    auto product = elementwiseOp.getArgs()[0].getDefiningOp<tile::ElementwiseOp>();
    if (ir::isContracted(elementwiseOp) && product && em.values->plan.isInline(product.getResult()))
      value = fusedSum(elementwiseOp, scalar(em, product.getArgs()[0]), scalar(em, product.getArgs()[1]), operands[1], result.getType());
    else if (elementwiseOp->hasAttr(ir::kByExtent)) value = call("tsr::div_by", operands, result.getType());
    else if (ir::isShortened(elementwiseOp)) value = call(shortName(elementwiseOp), operands, result.getType());
    else value = elementwise(elementwiseOp.getMnemonic(), operands, result.getType(), asInC, !countsOnly(elementwiseOp));
    if (!value)
      return unsupported(op, "'" + elementwiseOp.getMnemonic() + "' has no form on " + ir::text(result.getType()));
  }
  define(em, result, value);
  return success();
}

/// "tsr::warp_reduce", with the reduction among the templates.
static std::string calleeOf(tile::WarpOp op, std::vector<Attribute> &templates) {
  const StringRef what = op.getWhat();
  if (op.getLane() || what == "ballot") return "tsr::warp_" + what.str();
  templates.push_back(StringAttr::get(op.getContext(), reductionName(what)));
  return "tsr::warp_reduce";
}

LogicalResult emitWarp(Emission &em, tile::WarpOp op) {
  TSR_CHECK(!em.isCpu(), "on the CPU the lanes of a warp are in loops");
  std::vector<Attribute> templates;
  const std::string callee = calleeOf(op, templates);
  Indices arguments = {scalar(em, op.getValue())};
  if (op.getLane()) arguments.push_back(scalar(em, op.getLane()));
  define(em, op.getResult(), call(callee, arguments, op.getType(), templates));
  return success();
}

LogicalResult emitLaneWarp(Emission &em, tile::WarpOp op) {
  Location place = op.getLoc();
  std::vector<Attribute> templates;
  const std::string callee = calleeOf(op, templates);
  ExprRef values = lanesWith(em, op.getValue(), "lane_values", place), lanes;
  if (!values) return failure();
  if (op.getLane()) {
    lanes = varies(em, op.getLane()) ? lanesWith(em, op.getLane(), "lane_numbers", place) : scalar(em, op.getLane());
    if (!lanes) return failure();
  }
  ExprRef results;
  if (Storage *storage = em.values->plan.storage(op.getResult())) {
    if (!storage->place) declareLaneArray(em, *storage, place);
    TSR_CHECK(storage->perLane, "what the lanes of a warp get is kept for each of them");
    results = storage->place;
  } else {
    results = em.values->perLane[op.getResult()] = laneArray(em, nameFor(em, op.getResult()), op.getType(), place);
  }
  Indices arguments = {results, values};
  if (lanes) arguments.push_back(lanes);
  statement(em, call(callee, arguments, em.none(), templates), place);
  return success();
}

}  // namespace tessera::transforms::totarget
