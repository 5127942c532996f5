// Products of tiles, and the sums that they add to.
#include "ir/common/Common.h"
#include "ir/common/ProductNotes.h"
#include "support/Check.h"
#include "transforms/target/cpu/Operands.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A product that the tensor cores do while its warpgroup goes on.
static bool isOfWarpgroups(tile::DotOp dot) {
  auto buffer = dyn_cast<ir::SharedType>(dot.getB().getType());
  return buffer && buffer.getSwizzle() == "panels";
}

bool startsProduct(tile::FillOp fill) {
  auto constant = fill.getValue().getDefiningOp<tile::ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  if (!number || !number.getValue().isPosZero() || !fill.getResult().hasOneUse()) return false;
  auto dot = dyn_cast<tile::DotOp>(*fill.getResult().user_begin());
  return dot && isOfWarpgroups(dot) && !ir::blocksOf(dot) && dot.getAcc() == fill.getResult() && dot->getBlock() == fill->getBlock();
}

LogicalResult emitDot(Emission &em, tile::DotOp op) {
  Storage *sum = em.values->plan.storage(op.getResult());
  TSR_CHECK(sum, "a product without a variable");
  if (em.values->plan.storage(op.getAcc()) != sum) {
    ExprRef start = materialised(em, op.getAcc());
    if (!start) return failure();
    store(em, *sum, start, op.getLoc());
  }
  auto operand = [&](Value buffer, bool transposed) {
    if (isa<tile::FragmentType>(buffer.getType())) return materialised(em, buffer)->operands[0];
    ExprRef place = em.values->bound.lookup(buffer);
    auto packed = em.operands->packed.find(buffer);
    if (packed != em.operands->packed.end() && !packed->second.isLeft) return place;  // transposed while it was packed
    return transposed ? call("tsr::transposed", {place}, out::NamedType::get(em.context, "auto")) : place;
  };
  if (ir::blocksOf(op)) {  // by each warp, which waits for it
    TSR_CHECK(isOfWarpgroups(op), "blocks are multiplied as the copy engine brings them");
    statement(em, call("tsr::dot_of_blocks", {sum->place, operand(op.getA(), false), operand(op.getB(), false)}, em.none()), op.getLoc());
    return success();
  }
  auto start = op.getAcc().getDefiningOp<tile::FillOp>();
  std::string what = start && startsProduct(start) ? "product" : "dot";
  bool passed = isa_and_nonnull<tile::PassTurnOp>(op->getNextNode());  // while the product is under way
  bool runsOn = llvm::any_of(op->getBlock()->getOps<tile::RingReleaseOp>(),
                             [](tile::RingReleaseOp release) { return release.getLate(); });
  auto next = dyn_cast_or_null<tile::DotOp>(op->getNextNode());  // begun before this one is done
  bool goesOn = next && isOfWarpgroups(op) && isOfWarpgroups(next) && next.getA() != op.getResult();
  std::vector<ExprRef> args{sum->place, operand(op.getA(), op.getTransA()), operand(op.getB(), op.getTransB())};
  if (ir::hasFastSums(op) && isOfWarpgroups(op)) args.push_back(call("tsr::FastSums", {}, out::NamedType::get(em.context, "tsr::FastSums")));
  statement(em, call((passed || runsOn || goesOn || op.getRunsOn() ? "tsr::begin_" : "tsr::") + what, args, em.none()), op.getLoc());
  return success();
}

bool emitRowScale(Emission &em, tile::ElementwiseOp op) {
  Storage *storage = em.values->plan.storage(op.getResult());
  unsigned scale = op.getArgs()[0].getDefiningOp<tile::BroadcastOp>() ? 0 : 1;
  if (!storage || !storage->place || em.values->plan.storage(op.getArgs()[1 - scale]) != storage) return false;
  ExprRef rows = materialised(em, op.getArgs()[scale].getDefiningOp<tile::BroadcastOp>().getValue());
  if (!rows) return false;
  statement(em, call("tsr::scale_rows", {storage->place, rows->operands[0]}, em.none()), op.getLoc());
  em.values->bound[op.getResult()] = storage->place;
  return true;
}

}  // namespace tessera::transforms::totarget
