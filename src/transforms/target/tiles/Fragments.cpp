// Fragments: variables of each lane. Which function emits an op of them, and those that have a form of their own.
#include "ir/tile/RowScale.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

static LogicalResult emitColumns(Emission &em, tile::ColumnsOp op);
static LogicalResult emitPairsOfRows(Emission &em, tile::ReadPairsOfRowsOp op);
static LogicalResult emitOrderRows(Emission &em, tile::OrderRowsOp op);

LogicalResult emitFragment(Emission &em, Operation &op) {
  if (isElementwiseFragment(&op)) {
    if (em.values->plan.isInline(op.getResult(0))) return success();  // in the loop of its user
    if (ir::isRowScale(&op) && emitRowScale(em, cast<tile::ElementwiseOp>(op))) return success();
    if (auto fill = dyn_cast<tile::FillOp>(op)) {
      Storage *storage = em.values->plan.storage(op.getResult(0));
      Type type = placeType(em, fill.getType(), op.getLoc());
      if (!storage) {
        em.values->bound[fill.getResult()] = declare(em, nameFor(em, fill.getResult()), type, "direct",
                                                     {scalar(em, fill.getValue())}, false, op.getLoc());
        return success();
      }
      if (!storage->place) {
        declareStorage(em, *storage, startsProduct(fill) ? ExprRef() : scalar(em, fill.getValue()), op.getLoc());
        return success();
      }
    }
    return emitElementwiseLoop(em, op);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) return emitReduce(em, reduce);
  if (auto combine = dyn_cast<tile::CombineLanesOp>(op)) return emitCombineLanes(em, combine);
  if (auto columns = dyn_cast<tile::ColumnsOp>(op)) return emitColumns(em, columns);
  if (auto read = dyn_cast<tile::ReadPairsOfRowsOp>(op)) return emitPairsOfRows(em, read);
  if (auto order = dyn_cast<tile::OrderRowsOp>(op)) return emitOrderRows(em, order);
  if (auto scan = dyn_cast<tile::ScanOp>(op)) return emitScan(em, scan);
  if (auto argsort = dyn_cast<tile::ArgsortOp>(op)) return emitArgsort(em, argsort);
  if (auto gather = dyn_cast<tile::GatherOp>(op)) return emitGather(em, gather);
  if (auto dot = dyn_cast<tile::DotOp>(op)) return emitDot(em, dot);
  if (auto load = dyn_cast<tile::LoadAtOp>(op)) return emitLoadAt(em, load);
  if (auto copy = dyn_cast<tile::CopyRowsOp>(op)) return emitCopyRows(em, copy);
  if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) return emitLoad(em, load);
  if (auto load = dyn_cast<tile::ReadSharedOp>(op)) return emitLoad(em, load);
  if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) return emitStore(em, store);
  if (auto store = dyn_cast<tile::StoreColumnSumsOp>(op)) return emitColumnSums(em, store);
  if (auto store = dyn_cast<tile::WriteSharedOp>(op)) return emitStore(em, store);
  if (auto copy = dyn_cast<tile::CopyOp>(op)) return emitCopy(em, copy);
  if (auto select = dyn_cast<tile::SelectBufferOp>(op)) {
    ExprRef base = em.values->bound.lookup(select.getBase());
    auto array = dyn_cast<out::ArrayType>(cast<out::LValueType>(base->type).getValue());
    if (!array) return success();  // a row of one tile: whoever uses it names tile and row (elementPlace, lineOf)
    if (array.getExtents().size() != 1) return unsupported(op, "a buffer is chosen by one index");
    ExprRef index = scalar(em, select.getIndex());
    em.values->bound[select.getResult()] = subscript(base, {index}, array.getElement());
    return success();
  }
  return unsupported(op, "'" + op.getName().getStringRef() + "' has no form in emitted code");
}

static LogicalResult emitColumns(Emission &em, tile::ColumnsOp op) {
  ExprRef source = materialised(em, op.getValue());
  if (!source) return failure();
  std::vector<Attribute> count = {em.builder.getI64IntegerAttr(*op.getResult().getType().getShape()[1].getConstant())};
  ExprRef columns = call("tsr::columns", {source->operands[0], scalar(em, op.getFirst())},
                         placeType(em, op.getResult().getType(), op.getLoc()), count);
  em.values->bound[op.getResult()] =
      declare(em, nameFor(em, op.getResult()), columns->type, "copy", {columns}, true, op.getLoc());
  return success();
}

static LogicalResult emitPairsOfRows(Emission &em, tile::ReadPairsOfRowsOp op) {
  Type type = placeType(em, op.getResult().getType(), op.getLoc());
  ExprRef place = declare(em, nameFor(em, op.getResult()), type, "direct", {}, false, op.getLoc());
  ExprRef turned = call("tsr::transposed", {em.values->bound.lookup(op.getBase())}, out::NamedType::get(em.context, "auto"));
  statement(em, call("tsr::read_pairs_of_rows", {place, turned}, em.none()), op.getLoc());
  em.values->bound[op.getResult()] = place;
  return success();
}

/// In place: nothing else reads the operand.
static LogicalResult emitOrderRows(Emission &em, tile::OrderRowsOp op) {
  ExprRef sums = materialised(em, op.getValue());
  if (!sums) return failure();
  ExprRef place = sums->operands[0];
  statement(em, call("tsr::order_rows", {place}, em.none()), op.getLoc());
  em.values->bound[op.getResult()] = place;
  return success();
}

}  // namespace tessera::transforms::totarget
