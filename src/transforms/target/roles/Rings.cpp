// Rings of stages, turns, and copies to rings and stores by the copy engine (include/tessera/device/cuda).
#include "ir/common/Names.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult emitRing(Emission &em, Operation &op) {
  if (auto ring = dyn_cast<tile::RingOp>(op)) {
    em.roles->rings.push_back(ring);
    Dim stages = ring.getResult().getType().getStages().getDim();
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.setInsertionPoint(em.declarations);
    auto type = out::NamedType::get(em.context, (ring.getCluster() ? "tsr::ClusterRing<" : "tsr::Ring<") + typeExtent(em, stages) + ">");
    auto shared = em.builder.create<out::SharedOp>(op.getLoc(), out::LValueType::get(em.context, type),
                                                   em.names.declare(ir::nameHint(ring.getResult())));
    em.values->bound[ring.getResult()] = valueOf(shared.getPlace());
    em.shared->buffers.push_back(
        {{stages}, 2 * 8, "ring", op.getLoc()});  // a barrier of 8 bytes for full, one for empty
    return success();
  }
  ExprRef cursor = em.roles->cursors.lookup(op.getOperand(0));
  if (auto seek =
          dyn_cast<tile::RingSeekOp>(op)) {  // the group's number of this launch, and the stages of all tiles before it
    ExprRef step = castTo(em.indexType(), name("gridDim.x", IntegerType::get(em.context, 32, IntegerType::Unsigned)));
    ExprRef turn = binary("*", binary("/", em.grid->group, step), dim(em, *Dim::parse(seek.getTurns().str())));
    statement(em, method(cursor, "seek", {turn}, em.none()), op.getLoc());
    return success();
  }
  auto release = dyn_cast<tile::RingReleaseOp>(op);
  bool isLate = release && release.getLate(), drains = isa<tile::RingDrainOp>(op);
  if (isLate || drains)
    statement(em, call(drains ? "tsr::finish_products" : "tsr::finish_earlier_products", {}, em.none()), op.getLoc());
  if (release || drains || isa<tile::RingPublishOp>(op)) {
    const char *step = drains ? "release_latest" : isLate ? "release_earlier" : release ? "release" : "publish";
    statement(em, method(cursor, step, {}, em.none()), op.getLoc());
    return success();
  }
  ExprRef stage = method(cursor, isa<tile::RingAcquireOp>(op) ? "acquire" : "wait", {}, em.intType());
  em.values->bound[op.getResult(0)] =
      read(declare(em, em.names.declare("stage"), em.intType(), "copy", {stage}, true, op.getLoc()));
  return success();
}

tile::DotOp productUnderWay(Operation &op) {
  Operation *first = &op;
  while (isa_and_nonnull<tile::LoadFragmentOp>(first)) first = first->getPrevNode();
  if (!isa_and_nonnull<tile::PassTurnOp>(first) || isa_and_nonnull<tile::LoadFragmentOp>(op.getNextNode())) return {};
  return dyn_cast_or_null<tile::DotOp>(first->getPrevNode());
}

LogicalResult emitTurn(Emission &em, Operation &op) {
  statement(em, method(em.roles->turns, isa<tile::TakeTurnOp>(op) ? "take" : "pass", {}, em.none()), op.getLoc());
  return success();
}

LogicalResult emitCopyToRing(Emission &em, tile::CopyOp op) {
  auto part = op.getTarget().getDefiningOp<tile::SelectBufferOp>();
  auto acquired = part.getIndex().getDefiningOp<tile::RingAcquireOp>();
  Indices arguments = {em.roles->cursors.lookup(acquired.getRing()), em.values->bound.lookup(op.getTarget()),
                       em.values->bound.lookup(op.getBase())};
  for (Value offset : op.getOffsets()) arguments.push_back(scalar(em, offset));
  statement(em, call(op.getCluster() ? "tsr::copy_to_cluster" : op.getOnce() ? "tsr::copy_once_to_ring" : "tsr::copy_to_ring", arguments, em.none()), op.getLoc());
  return success();
}

LogicalResult emitBulkStore(Emission &em, tile::StoreFragmentOp op) {
  ExprRef value = materialised(em, op.getValue());
  if (!value) return failure();
  Indices arguments = {em.values->bound.lookup(op.getBase()),
                       em.roles->panels.lookup(op.getValue().getType().getElementType()), value->operands[0]};
  for (Value offset : op.getOffsets()) arguments.push_back(scalar(em, offset));
  std::vector<Attribute> how;
  const auto rank = static_cast<int64_t>(op.getOffsets().size());
  if (rowAxis(op) != rank - 2) how.push_back(em.builder.getI64IntegerAttr(rowAxis(op)));
  statement(em, call("tsr::store_tile", arguments, em.none(), how), op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
