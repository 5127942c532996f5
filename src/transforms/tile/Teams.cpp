// Two teams of consumers.
//
// Where all consumers work on one tile, the tensor cores wait while they do what follows its sums: a derivative of gelu on
// 128 x 128 sums takes longer than 768 products. So two warpgroups go over tiles of their own, every second one each (CUTLASS calls
// such kernels "pingpong"). The producer fills one ring for both, tile after tile:
//
//   consumers:  seek: to the stages of this team's next tile, of which every tile has as many
//               take turn
//               for ...:  wait; dot; release, a turn late: the products of one stage run while the next is waited for
//               pass turn
//               drain: wait for the products, release the last stage
//               what follows the sums
//
// The turn is more than order: a team that waited for a stage long before it is filled would take the phase before the last for its
// own. When it has the turn, the other has waited for all stages before. Of what is copied once for a tile each team has a stage.
#include "transforms/tile/Teams.h"
#include "ir/common/Names.h"
#include "mlir/IR/Builders.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kFewestSums = 32;  // of a lane: what has fewer waits for memory in any case

/// A number that all tiles share.
std::optional<Dim> dimOf(Value value) {
  if (auto dim = value.getDefiningOp<tile::DimOp>()) return Dim::parse(dim.getDim().str());
  if (auto constant = value.getDefiningOp<tile::ConstantOp>())
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) return Dim(number.getInt());
  return std::nullopt;
}

/// How often the loop turns, for every tile.
std::optional<Dim> turnsOf(scf::ForOp loop) {
  std::optional<Dim> from = dimOf(loop.getLowerBound()), to = dimOf(loop.getUpperBound()), by = dimOf(loop.getStep());
  if (!from || !to || !by || !(*from == Dim(0))) return std::nullopt;
  return Dim::ceilDiv(*to, *by);
}

/// Products of operands in shared memory and nothing else: they may still run when the next are begun.
bool onlyMultiplies(scf::ForOp loop) {
  bool multiplies = false;
  for (Operation &op : *loop.getBody()) {
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (!isa<SharedType>(dot.getA().getType())) return false;
      multiplies = true;
    } else if (!isa<tile::AllocSharedOp, tile::CopyOp, tile::ConstantOp, tile::DimOp, scf::YieldOp>(op)) {
      bool isIndex = isa<tile::ElementwiseOp>(op) && op.getResult(0).getType().isIndex();
      if (!isIndex) return false;
    }
  }
  return multiplies;
}

/// The loop is known to turn once: there is nothing to run on beside.
bool isOnce(tile::KernelOp kernel, scf::ForOp loop) {
  std::vector<int64_t> turns = Extents(kernel).values(DimAttr::get(kernel->getContext(), *turnsOf(loop)));
  return turns.size() == 1 && turns.front() <= 1;
}

/// Of a lane, of all products of the loop.
int64_t sumsOf(tile::KernelOp kernel, scf::ForOp loop) {
  Extents extents(kernel);
  int64_t sums = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    sums += extents.greatestCount(dot.getResult().getType().getShape()).value_or(0) / kWarpgroupLanes;
  return sums;
}

}  // namespace

scf::ForOp loopOfTeams(tile::KernelOp kernel, const RolePlan &plan) {
  if (kernel.getGroup() != kWarpgroupLanes) return {};
  scf::ForOp loop;
  for (const auto &copies : plan.rings) {
    Operation *around = copies.front()->getParentOp();
    if (around == kernel) continue;
    auto found = dyn_cast<scf::ForOp>(around);
    if (loop || !found || found->getParentOp() != kernel) return {};
    loop = found;
  }
  return loop && turnsOf(loop) && !isOnce(kernel, loop) && onlyMultiplies(loop) && sumsOf(kernel, loop) >= kFewestSums ? loop : scf::ForOp();
}

void formTeams(tile::RolesOp roles, scf::ForOp loop, Value ring, ArrayRef<Value> outside) {
  Location place = unnamed(loop.getLoc());
  Block &body = roles.getConsumers().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (Value each : outside) builder.create<tile::RingSeekOp>(place, each, "1");
  builder.setInsertionPoint(loop);
  builder.create<tile::RingSeekOp>(place, ring, turnsOf(loop)->str());
  builder.create<tile::TakeTurnOp>(place);
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  for (auto release : loop.getBody()->getOps<tile::RingReleaseOp>()) release.setLate(true);
  loop->setAttr(tile::kUnrolled, builder.getI64IntegerAttr(1));  // written out, ptxas would have each product wait for the one before
  builder.setInsertionPointAfter(loop);
  builder.create<tile::PassTurnOp>(place);
  builder.create<tile::RingDrainOp>(place, ring);
  roles.setTeams(kTeams);
  addReason(kernel, "two teams of one warpgroup, on tiles of their own: one multiplies while the other finishes its tile");
}

}  // namespace tessera::transforms
