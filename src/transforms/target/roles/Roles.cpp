// A producer and consumers: the branch between them, and their loops over the launch's groups
// (include/tessera/device/cuda).
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Roles.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A panel begins at a multiple of eight of its rows.
constexpr int64_t kPanelAlignment = 8 * kPanelBytes;

bool hasTeams(Emission &em) { return em.roles->op && em.roles->op.getTeams() > 1; }

void planRoles(Emission &em) {
  em.kernel.getBody().walk([&](tile::RolesOp op) { em.roles->op = op; });
  if (!em.roles->op) return;
  em.out.setGroup(em.roles->op.getTeams() * em.kernel.getGroup() + kWarpgroupLanes);
  em.out.setSharedAlignment(kPanelAlignment);
  em.info.persistent = 1;
}

static bool fillsRing(tile::CopyOp copy) {
  auto part = copy.getTarget().getDefiningOp<tile::SelectBufferOp>();
  return part && part.getIndex().getDefiningOp<tile::RingAcquireOp>();
}

/// Rows of a tile that the copy engine brings at a time: each group of a cluster brings whole panels, or half of the rows of one.
static int64_t rowsAtOnce(Emission &em, tile::CopyOp copy) {
  ir::SharedType type = copy.getTarget().getType();
  Extents extents(em.kernel);
  const int64_t rows = extents.values(type.getShape()[0]).front();
  const bool isOdd = copy.getCluster() && extents.values(type.getShape()[1]).front() / (kPanelBytes / storedBytes(type.getElementType())) % 2 != 0;
  return isOdd ? rows / 2 : rows;
}

std::optional<TileRows> tileRows(Emission &em, Value parameter) {
  for (Operation *user : parameter.getUsers()) {
    if (auto copy = dyn_cast<tile::CopyOp>(user); copy && fillsRing(copy) && !isOneRow(copy.getTarget().getType()))
      return TileRows{rowsAtOnce(em, copy), static_cast<int64_t>(copy.getOffsets().size()) - 2};
    if (auto store = dyn_cast<tile::StoreFragmentOp>(user); store && store.getBulk())
      return TileRows{kStoredRows, rowAxis(store)};
  }
  return std::nullopt;
}

/// Shared memory through which the consumers store tiles of a dtype, and where they are in it; for all stores of the dtype.
static void declarePanels(Emission &em, Type element) {
  ExprRef &writer = em.roles->panels[element];
  if (writer) return;
  const int64_t warpgroups = static_cast<int64_t>(em.roles->op.getTeams() * em.kernel.getGroup()) / kWarpgroupLanes;
  std::string arguments = "<" + dtypeText(em, element) + ", " + std::to_string(warpgroups) + ">";
  ExprRef shared;
  {
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.setInsertionPoint(em.declarations);
    auto type = out::LValueType::get(em.context, out::NamedType::get(em.context, "tsr::StorePanels" + arguments));
    shared = valueOf(em.builder.create<out::SharedOp>(em.kernel.getLoc(), type, em.names.fresh("panels")).getPlace());
  }
  em.shared->buffers.push_back({{}, storePanelBytes(warpgroups), "panels", em.kernel.getLoc()});
  writer = declare(em, em.names.fresh("to_store"), out::NamedType::get(em.context, "tsr::PanelWriter" + arguments),
                   "direct", {shared}, false, ir::unnamed(em.kernel.getLoc()));
}

/// The role's place in each ring, and its loop over the groups of the launch.
static LogicalResult emitRole(Emission &em, Block &body, const ExprRef &groups, bool produces) {
  Location place = ir::unnamed(em.kernel.getLoc());
  for (tile::RingOp ring : em.roles->rings) {
    std::string stages = typeExtent(em, ring.getResult().getType().getStages().getDim());
    std::string type = (produces ? "tsr::RingWriter<" : ring.getCluster() ? "tsr::ClusterReader<" : "tsr::RingReader<") + stages + ">";
    ExprRef shared = em.values->bound.lookup(ring.getResult());
    em.roles->cursors[ring.getResult()] =
        declare(em, em.names.fresh(produces ? "to_fill" : "filled"), out::NamedType::get(em.context, type), "direct",
                {shared}, false, place);
  }
  auto count = [&](const char *word) {
    return castTo(em.indexType(), name(word, IntegerType::get(em.context, 32, IntegerType::Unsigned)));
  };
  ExprRef first = count("blockIdx.x"), step = count("gridDim.x");
  if (hasTeams(em) && !produces) {
    ExprRef team =
        call("tsr::team", {}, em.indexType(), {StringAttr::get(em.context, em.sizes->constants.at("T.Consumers"))});
    first = binary("+", first, binary("*", team, step));
    step = binary("*", name(em.sizes->constants.at("T.Teams"), em.indexType()), step);
  }
  Value from = write(em.builder, place, first), to = write(em.builder, place, groups),
        by = write(em.builder, place, step);
  Scope scope(em);
  auto loop = em.builder.create<out::ForOp>(place, em.names.fresh("group"), from, to, by, IntegerAttr(), false, false);
  Block *inside = scope.enter(loop.getBody());
  ExprRef around = em.grid->group;
  em.grid->group = valueOf(inside->addArgument(em.indexType(), place));
  LogicalResult emitted = emitBlock(em, body);
  em.grid->group = around;
  return emitted;
}

LogicalResult emitRoles(Emission &em, tile::RolesOp op) {
  Location place = ir::unnamed(em.kernel.getLoc());
  ExprRef consumers = name(em.sizes->constants.at("T.Consumers"), em.intType());
  if (hasTeams(em)) consumers = binary("*", name(em.sizes->constants.at("T.Teams"), em.intType()), consumers);
  const std::string allConsumers =
      hasTeams(em) ? em.sizes->constants.at("T.Teams") + " * " + em.sizes->constants.at("T.Consumers")
                   : em.sizes->constants.at("T.Consumers");
  auto sizesFor = [&](const std::string &lanes) {
    return std::vector<Attribute>{StringAttr::get(em.context, lanes)};
  };
  for (tile::RingOp ring : em.roles->rings)  // a stage is read by one team
    statement(em,
              call("tsr::start_ring", {em.values->bound.lookup(ring.getResult())}, em.none(),
                   sizesFor(em.sizes->constants.at("T.Consumers"))),
              place);
  statement(em, call(op.getClusters() ? "tsr::cluster_barrier" : "tsr::group_barrier", {}, em.none()), place);
  if (op.getClusters()) roundUpRows(em);
  Dim total(1);
  for (const Dim &count : em.grid->counts) total = total * count;
  ExprRef groups = read(declare(em, em.names.fresh("groups"), em.indexType(), "copy", {dim(em, total)}, true, place));
  ExprRef produces = compare(">=", call("tsr::lane", {}, em.intType()), consumers);
  em.builder.create<out::CommentOp>(place, "The producer: one warpgroup more, which keeps the ring full.");
  auto branch = em.builder.create<out::IfOp>(place, write(em.builder, place, produces));
  {
    Scope scope(em);
    scope.enter(branch.getThenBody());
    statement(em, call("tsr::give_registers", {}, em.none(), {em.builder.getI64IntegerAttr(op.getProducerRegisters())}),
              place);
    bool byWords = op.getProducer().walk([](tile::CopyOp copy) {
      return isOneRow(copy.getTarget().getType()) ? WalkResult::interrupt() : WalkResult::advance();
    }).wasInterrupted();
    ExprRef idle = unary("!", call(byWords ? "tsr::warp_fills_ring" : "tsr::fills_ring", {}, IntegerType::get(em.context, 1), sizesFor(allConsumers)));
    auto leave = em.builder.create<out::IfOp>(place, write(em.builder, place, idle));
    {
      OpBuilder::InsertionGuard guard(em.builder);
      em.builder.createBlock(&leave.getThenBody());
      em.builder.create<out::ReturnOp>(place, ValueRange());
    }
    if (failed(emitRole(em, op.getProducer().front(), groups, true))) return failure();
  }
  Scope scope(em);
  scope.enter(branch.getElseBody());
  statement(em, call("tsr::take_registers", {}, em.none(), {em.builder.getI64IntegerAttr(op.getConsumerRegisters())}),
            place);
  bool byTurns = op.getConsumers().walk([](tile::TakeTurnOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (byTurns) {
    auto type = out::NamedType::get(em.context, "tsr::Turns<" + allConsumers + ">");
    em.roles->turns = declare(em, em.names.fresh("turns"), type, "direct", {}, false, place);
  }
  op.getConsumers().walk([&](tile::StoreFragmentOp store) {
    if (store.getBulk()) declarePanels(em, store.getValue().getType().getElementType());
  });
  if (failed(emitRole(em, op.getConsumers().front(), groups, false))) return failure();
  if (!em.roles->panels.empty()) statement(em, call("tsr::finish_stores", {}, em.none()), place);
  if (op.getClusters()) {
    em.builder.create<out::CommentOp>(place, "The other group of the cluster may still tell this one that it has left a stage.");
    statement(em, call("tsr::cluster_barrier", {}, em.none()), place);
  }
  return success();
}

int64_t rowAxis(tile::StoreFragmentOp store) {
  return llvm::find(store.getPoints(), false) - store.getPoints().begin();
}

}  // namespace tessera::transforms::totarget
