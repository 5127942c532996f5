// Vectors of one lane, and rows that are held.
#include "ir/target/GivenTo.h"
#include "ir/tile/HeldRows.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

void declareInside(Emission &em, Value condition, Location place) {
  auto less = condition.getDefiningOp<tile::ElementwiseOp>();  // c < C
  const bool splits = em.sizes->constants.count("T.cluster") != 0;
  std::string type = (splits ? "tsr::VectorAt<" : "tsr::Inside<") + em.sizes->constants.at("T.edges") + ", " + em.sizes->constants.at("T.vector") + ">";
  Indices arguments = {scalar(em, less.getArgs()[0]), scalar(em, less.getArgs()[1])};
  em.rows->inside = declare(em, em.names.fresh(splits ? "at" : "inside"), out::NamedType::get(em.context, type), "direct", arguments, true, place);
}

std::string turnType(const Emission &em) {
  auto cluster = em.sizes->constants.find("T.cluster"), edges = em.sizes->constants.find("T.edges");
  if (cluster == em.sizes->constants.end()) return "";
  return "tsr::RowTurn<" + (edges == em.sizes->constants.end() ? "0" : edges->second) + ", " + cluster->second + ">";
}

out::BlockOp withEdges(Emission &em, Location place) {
  auto at = em.rows->inside->value.getDefiningOp<out::VariableOp>();
  const std::string inside = em.names.fresh("inside"), cluster = em.sizes->constants.at("T.cluster");
  auto block = em.builder.create<out::BlockOp>(place);
  block->setAttr(out::kGivenTo, em.builder.getStringAttr("tsr::with_edges<" + cluster + ">(" + at.getName().str() + ", [&](const auto &" + inside + ")"));
  em.rows->inside = name(inside, em.rows->inside->type);
  return block;
}

LogicalResult emitVector(Emission &em, Operation &op) {
  if (em.isCpu()) return emitKeptRow(em, op);
  Location place = op.getLoc();
  std::string vector = em.sizes->constants.at("T.vector");
  if (isa<tile::NewVectorOp, tile::NewRowOp>(op)) {
    Value made = op.getResult(0);
    em.values->bound[made] = declare(em, nameFor(em, made), vectorType(em, made.getType()), "copy", {}, false, place);
  } else if (auto keep = dyn_cast<tile::KeepOp>(op)) {
    statement(em,
              method(em.values->bound.lookup(keep.getRow()), "keep",
                     {scalar(em, keep.getTurn()), scalar(em, keep.getIndex()), scalar(em, keep.getValue())}, em.none()),
              place);
  } else if (auto recall = dyn_cast<tile::RecallOp>(op)) {
    define(em, recall.getResult(),
           read(element(em.values->bound.lookup(recall.getRow()),
                        {scalar(em, recall.getTurn()), scalar(em, recall.getIndex())}, recall.getType())));
  } else if (auto load = dyn_cast<tile::LoadVectorOp>(op)) {
    Indices arguments = {pointerTo(em, load.getBase(), load.getIndices(), load.getFlat())};
    if (load->hasAttr(tile::kEdges)) arguments.push_back(em.rows->inside);
    ExprRef value = call("tsr::load_vector", arguments, vectorType(em, load.getType()), {StringAttr::get(em.context, vector)});
    em.values->bound[load.getResult()] =
        declare(em, nameFor(em, load.getResult()), vectorType(em, load.getType()), "copy", {value}, true, place);
  } else if (auto store = dyn_cast<tile::StoreVectorOp>(op)) {
    ExprRef at = positionOf(em, store.getBase(), store.getIndices(), store.getFlat());
    Indices arguments = {em.values->bound.lookup(store.getBase()), at, em.values->bound.lookup(store.getValue())};
    if (store->hasAttr(tile::kEdges)) arguments.push_back(em.rows->inside);
    statement(em, call("tsr::store_vector", arguments, em.none()), place);
  } else if (auto put = dyn_cast<tile::PutVectorOp>(op)) {
    statement(em, call("tsr::put_vector", {em.values->bound.lookup(put.getTile()), scalar(em, put.getRow()), scalar(em, put.getCol()), em.values->bound.lookup(put.getValue())}, em.none()), place);
  } else if (auto none = dyn_cast<tile::NewExtremesOp>(op)) {
    std::string type = "tsr::Extreme<" + reductionName(none.getReduction()) + ", " + dtypeText(em, none.getType().getElementType()) + ">";
    em.values->bound[none.getResult()] = declare(em, nameFor(em, none.getResult()), out::NamedType::get(em.context, type), "copy", {}, false, place);
  } else if (auto take = dyn_cast<tile::TakeExtremesOp>(op)) {
    Indices arguments = {em.values->bound.lookup(take.getVector())};
    if (take->hasAttr(tile::kEdges)) arguments.push_back(em.rows->inside);
    statement(em, method(em.values->bound.lookup(take.getExtremes()), "take", arguments, em.none()), place);
  } else if (auto extreme = dyn_cast<tile::ExtremeOp>(op)) {
    define(em, extreme.getResult(), method(em.values->bound.lookup(extreme.getExtremes()), "value", {}, extreme.getType()));
  } else if (auto sum = dyn_cast<tile::AddColumnOp>(op)) {
    statement(em,
              method(em.rows->ownSums.lookup(sum.getBase()), "add",
                     {scalar(em, sum.getIndices()[0]), scalar(em, sum.getIndices()[1]), scalar(em, sum.getValue())},
                     em.none()),
              place);
  } else if (auto row = dyn_cast<tile::HoldRowOp>(op); row && em.rows->ahead.count(row)) {
    Type type = heldRowType(em, row.getType(), 0);
    em.values->bound[row.getResult()] =
        declare(em, nameFor(em, row.getResult()), type, "copy",
                {method(em.rows->ahead[row], "take", {em.rows->nextGroup}, type)}, true, place);
  } else if (auto row = dyn_cast<tile::HoldRowOp>(op)) {
    Indices arguments = {pointerTo(em, row.getBase(), row.getIndices(), false), scalar(em, row.getExtent())};
    if (em.rows->takesNext)
      arguments = {em.values->bound.lookup(row.getBase()), scalar(em, row.getIndices()[0]),
                   dim(em, ir::shapeOf(row.getBase().getType())[0].getDim()), scalar(em, row.getExtent())};
    em.values->bound[row.getResult()] =
        declare(em, nameFor(em, row.getResult()), vectorType(em, row.getType()), "direct", arguments, true, place);
    ++em.rows->held;
  } else if (auto part = dyn_cast<tile::RowVectorOp>(op)) {
    ExprRef held = em.values->bound.lookup(part.getRow());
    ExprRef value = read(element(held, {scalar(em, part.getTurn())}, vectorType(em, part.getType())));
    em.values->bound[part.getResult()] =
        declare(em, nameFor(em, part.getResult()), vectorType(em, part.getType()), "copy", {value}, true, place);
  } else {
    auto turns = cast<tile::RowTurnsOp>(op);
    std::string held = em.sizes->constants.count("T.held") ? em.sizes->constants["T.held"] : "0";
    std::vector<Attribute> templates;
    for (const std::string &text : {vector, held, em.sizes->constants.at("T.Threads")})
      templates.push_back(StringAttr::get(em.context, text));
    if (const std::string type = turnType(em); !type.empty()) templates.push_back(StringAttr::get(em.context, type));
    define(em, turns.getResult(), call("tsr::row_turns", {scalar(em, turns.getExtent())}, em.indexType(), templates));
  }
  return success();
}

}  // namespace tessera::transforms::totarget
