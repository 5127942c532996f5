// What the lanes of a group reduce between them, and those of the groups that share a row: where they meet, and how often.
#include "transforms/target/Elementwise.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

/// Whether it stands behind another that reduces the same type.
static bool joins(Operation *earlier, tile::GroupReduceOp op) {
  auto reduce = dyn_cast_or_null<tile::GroupReduceOp>(earlier);
  return reduce && op && reduce.getType() == op.getType();
}

/// How often the lanes of the kernel's groups meet, each time with the values of all reductions that stand together; 0 where they meet for each
/// value by itself: where each time has one, and no groups share a row.
static int64_t exchangesOf(Emission &em) {
  int64_t exchanges = 0;
  bool some = em.sizes->constants.count("T.cluster") != 0, isStraight = true;
  em.kernel.getBody().walk([&](tile::GroupReduceOp op) {
    isStraight &= op->getParentOp() == em.kernel;
    if (joins(op->getPrevNode(), op)) some = true;
    else ++exchanges;
  });
  return some && isStraight ? exchanges : 0;
}

/// The reductions from this one on that stand together, in one exchange.
static void emitTogether(Emission &em, tile::GroupReduceOp first, int64_t exchanges) {
  SmallVector<tile::GroupReduceOp> together = {first};
  while (joins(together.back(), dyn_cast_or_null<tile::GroupReduceOp>(together.back()->getNextNode())))
    together.push_back(cast<tile::GroupReduceOp>(together.back()->getNextNode()));
  std::vector<Attribute> templates = {StringAttr::get(em.context, "Threads")};
  auto cluster = em.sizes->constants.find("T.cluster");
  const bool inClusters = cluster != em.sizes->constants.end();
  if (inClusters) templates.push_back(StringAttr::get(em.context, cluster->second));
  Indices arguments = {exchangeScratch(em, first.getType(), static_cast<int64_t>(together.size()))};
  for (tile::GroupReduceOp op : together) {
    templates.push_back(StringAttr::get(em.context, reductionName(op.getReduction())));
    arguments.push_back(declare(em, nameFor(em, op.getResult()), op.getType(), "copy", {scalar(em, op.getValue())}, false, op.getLoc()));
  }
  statement(em, call(inClusters ? "tsr::cluster_reduce" : "tsr::reduce_together", arguments, em.none(), templates), first.getLoc());
  // Groups that come back with another row would write where some lanes still read; with two exchanges or more they meet between.
  if (exchanges == 1 && (em.rows->takesNext || !columnSums(em).empty())) statement(em, call("tsr::group_barrier", {}, em.none()), first.getLoc());
  for (auto [op, place] : llvm::zip(together, llvm::drop_begin(arguments))) {
    if (Storage *storage = em.values->plan.storage(op.getResult())) store(em, *storage, read(place), op.getLoc());
    else em.values->bound[op.getResult()] = read(place);
  }
}

LogicalResult emitGroupReduce(Emission &em, tile::GroupReduceOp op) {
  if (!em.isCpu())
    if (const int64_t exchanges = exchangesOf(em)) {
      if (!joins(op->getPrevNode(), op)) emitTogether(em, op, exchanges);
      return success();
    }
  ExprRef value = scalar(em, op.getValue());
  if (em.isCpu()) {  // one lane has combined everything
    define(em, op.getResult(), value);
    return success();
  }
  Type type = op.getType();
  std::string lanes = "Threads";
  ExprRef space = groupScratch(em, type);
  std::vector<Attribute> templates = {StringAttr::get(em.context, reductionName(op.getReduction())),
                                      StringAttr::get(em.context, lanes)};
  define(em, op.getResult(), call("tsr::group_reduce", {value, space}, type, templates));
  return success();
}

}  // namespace tessera::transforms::totarget
