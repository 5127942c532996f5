// A producer and consumers: the branch between them, their loops over the launch's groups, rings of stages, copies to
// rings and stores by the copy engine (include/tessera/device/cuda).
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/KernelScope.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Roles.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A panel begins at a multiple of eight of its rows.
constexpr int64_t kPanelAlignment = 8 * kPanelBytes;

static bool fillsRing(tile::CopyOp copy) {
  auto part = copy.getTarget().getDefiningOp<tile::SelectBufferOp>();
  return part && part.getIndex().getDefiningOp<tile::RingAcquireOp>();
}

/// The group has a producer more than the lanes over which tiles are spread.
void KernelEmitter::planRoles() {
  kernel_.getBody().walk([&](tile::RolesOp op) { roles_ = op; });
  if (!roles_) return;
  out_.setGroup(roles_.getTeams() * kernel_.getGroup() + kWarpgroupLanes);
  out_.setSharedAlignment(kPanelAlignment);
  info_.persistent = true;
}

/// The dimension along which the rows of a stored tile lie; the columns are the last.
static int64_t rowAxis(tile::StoreFragmentOp store) {
  return llvm::find(store.getPoints(), false) - store.getPoints().begin();
}

/// The rows of the tiles in which the copy engine moves a tensor; nothing where it does not.
std::optional<KernelEmitter::TileRows> KernelEmitter::tileRows(Value parameter) {
  for (Operation *user : parameter.getUsers()) {
    if (auto copy = dyn_cast<tile::CopyOp>(user); copy && fillsRing(copy))
      return TileRows{Extents(kernel_).values(cast<ir::SharedType>(copy.getTarget().getType()).getShape()[0]).front(),
                      static_cast<int64_t>(copy.getOffsets().size()) - 2};
    if (auto store = dyn_cast<tile::StoreFragmentOp>(user); store && store.getBulk()) return TileRows{kStoredRows, rowAxis(store)};
  }
  return std::nullopt;
}

LogicalResult KernelEmitter::emitRoles(tile::RolesOp op) {
  Location place = ir::unnamed(kernel_.getLoc());
  ExprRef consumers = name(constants_.at("T.Consumers"), intType());
  if (hasTeams()) consumers = binary("*", name(constants_.at("T.Teams"), intType()), consumers);
  const std::string allConsumers = hasTeams() ? constants_.at("T.Teams") + " * " + constants_.at("T.Consumers") : constants_.at("T.Consumers");
  auto sizesFor = [&](const std::string &lanes) { return std::vector<Attribute>{StringAttr::get(context_, alignment_), StringAttr::get(context_, lanes)}; };
  for (tile::RingOp ring : rings_)  // a stage is read by one team
    statement(call("tsr::start_ring", {bound_.lookup(ring.getResult())}, none(), sizesFor(constants_.at("T.Consumers"))), place);
  statement(call("tsr::group_barrier", {}, none()), place);
  Dim total(1);
  for (const Dim &count : groupCounts_) total = total * count;
  ExprRef groups = read(declare(names_.fresh("groups"), indexType(), "copy", {dim(total)}, true, place));
  ExprRef produces = compare(">=", call("tsr::lane", {}, intType()), consumers);
  builder_.create<out::CommentOp>(place, "The producer: one warpgroup more, which keeps the ring full.");
  auto branch = builder_.create<out::IfOp>(place, write(builder_, place, produces));
  {
    Scope scope(*this);
    scope.enter(branch.getThenBody());
    statement(call("tsr::give_registers", {}, none(), {builder_.getI64IntegerAttr(op.getProducerRegisters())}), place);
    ExprRef idle = unary("!", call("tsr::fills_ring", {}, IntegerType::get(context_, 1), sizesFor(allConsumers)));
    auto leave = builder_.create<out::IfOp>(place, write(builder_, place, idle));
    {
      OpBuilder::InsertionGuard guard(builder_);
      builder_.createBlock(&leave.getThenBody());
      builder_.create<out::ReturnOp>(place, ValueRange());
    }
    if (failed(emitRole(op.getProducer().front(), groups, true))) return failure();
  }
  Scope scope(*this);
  scope.enter(branch.getElseBody());
  statement(call("tsr::take_registers", {}, none(), {builder_.getI64IntegerAttr(op.getConsumerRegisters())}), place);
  bool byTurns = op.getConsumers().walk([](tile::TakeTurnOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (byTurns) {
    auto type = out::NamedType::get(context_, "tsr::Turns<" + allConsumers + ">");
    turns_ = declare(names_.fresh("turns"), type, "direct", {}, false, place);
  }
  op.getConsumers().walk([&](tile::StoreFragmentOp store) {
    if (store.getBulk()) declarePanels(store.getValue().getType().getElementType());
  });
  if (failed(emitRole(op.getConsumers().front(), groups, false))) return failure();
  if (!storePanels_.empty()) statement(call("tsr::finish_stores", {}, none()), place);
  return success();
}

/// The role's place in each ring, and its loop over the groups of the launch.
LogicalResult KernelEmitter::emitRole(Block &body, const ExprRef &groups, bool produces) {
  Location place = ir::unnamed(kernel_.getLoc());
  for (tile::RingOp ring : rings_) {
    std::string stages = typeExtent(ring.getResult().getType().getStages().getDim());
    std::string type = produces ? "tsr::RingWriter<" + alignment_ + ", " + stages + ">" : "tsr::RingReader<" + stages + ">";
    ExprRef shared = bound_.lookup(ring.getResult());
    cursors_[ring.getResult()] = declare(names_.fresh(produces ? "to_fill" : "filled"), out::NamedType::get(context_, type), "direct",
                                         {shared}, false, place);
  }
  auto count = [&](const char *word) { return castTo(indexType(), name(word, IntegerType::get(context_, 32, IntegerType::Unsigned))); };
  ExprRef first = count("blockIdx.x"), step = count("gridDim.x");
  if (hasTeams() && !produces) {
    ExprRef team = call("tsr::team", {}, indexType(), {StringAttr::get(context_, constants_.at("T.Consumers"))});
    first = binary("+", first, binary("*", team, step));
    step = binary("*", name(constants_.at("T.Teams"), indexType()), step);
  }
  Value from = write(builder_, place, first), to = write(builder_, place, groups), by = write(builder_, place, step);
  Scope scope(*this);
  auto loop = builder_.create<out::ForOp>(place, names_.fresh("group"), from, to, by, IntegerAttr(), false, false);
  Block *inside = scope.enter(loop.getBody());
  ExprRef around = group_;
  group_ = valueOf(inside->addArgument(indexType(), place));
  LogicalResult emitted = emitBlock(body);
  group_ = around;
  return emitted;
}

LogicalResult KernelEmitter::emitRing(Operation &op) {
  if (auto ring = dyn_cast<tile::RingOp>(op)) {
    rings_.push_back(ring);
    Dim stages = ring.getResult().getType().getStages().getDim();
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(declarations_);
    auto type = out::NamedType::get(context_, "tsr::Ring<" + typeExtent(stages) + ">");
    auto shared = builder_.create<out::SharedOp>(op.getLoc(), out::LValueType::get(context_, type), names_.declare(ir::nameHint(ring.getResult())));
    bound_[ring.getResult()] = valueOf(shared.getPlace());
    shared_.push_back({{stages}, 2 * 8, "ring", op.getLoc()});  // a barrier of 8 bytes for full, one for empty
    return success();
  }
  ExprRef cursor = cursors_.lookup(op.getOperand(0));
  if (auto seek = dyn_cast<tile::RingSeekOp>(op)) {  // the group's number of this launch, and the stages of all tiles before it
    ExprRef step = castTo(indexType(), name("gridDim.x", IntegerType::get(context_, 32, IntegerType::Unsigned)));
    ExprRef turn = binary("*", binary("/", group_, step), dim(*Dim::parse(seek.getTurns().str())));
    statement(method(cursor, "seek", {turn}, none()), op.getLoc());
    return success();
  }
  auto release = dyn_cast<tile::RingReleaseOp>(op);
  bool isLate = release && release.getLate(), drains = isa<tile::RingDrainOp>(op);
  if (isLate || drains) statement(call(drains ? "tsr::finish_products" : "tsr::finish_earlier_products", {}, none()), op.getLoc());
  if (release || drains || isa<tile::RingPublishOp>(op)) {
    const char *step = drains ? "release_latest" : isLate ? "release_earlier" : release ? "release" : "publish";
    statement(method(cursor, step, {}, none()), op.getLoc());
    return success();
  }
  ExprRef stage = method(cursor, isa<tile::RingAcquireOp>(op) ? "acquire" : "wait", {}, intType());
  bound_[op.getResult(0)] = read(declare(names_.declare("stage"), intType(), "copy", {stage}, true, op.getLoc()));
  return success();
}

/// The product after which a turn was passed and that is waited for behind `op`, the passing or the last load that comes meanwhile.
tile::DotOp KernelEmitter::productUnderWay(Operation &op) {
  Operation *first = &op;
  while (isa_and_nonnull<tile::LoadFragmentOp>(first)) first = first->getPrevNode();
  if (!isa_and_nonnull<tile::PassTurnOp>(first) || isa_and_nonnull<tile::LoadFragmentOp>(op.getNextNode())) return {};
  return dyn_cast_or_null<tile::DotOp>(first->getPrevNode());
}

LogicalResult KernelEmitter::emitTurn(Operation &op) {
  statement(method(turns_, isa<tile::TakeTurnOp>(op) ? "take" : "pass", {}, none()), op.getLoc());
  return success();
}

LogicalResult KernelEmitter::emitCopyToRing(tile::CopyOp op) {
  auto part = op.getTarget().getDefiningOp<tile::SelectBufferOp>();
  auto acquired = part.getIndex().getDefiningOp<tile::RingAcquireOp>();
  Indices arguments = {cursors_.lookup(acquired.getRing()), bound_.lookup(op.getTarget()), bound_.lookup(op.getBase())};
  for (Value offset : op.getOffsets()) arguments.push_back(scalar(offset));
  statement(call("tsr::copy_to_ring", arguments, none()), op.getLoc());
  return success();
}

/// Shared memory through which the consumers store tiles of a dtype, and where they are in it; for all stores of the dtype.
void KernelEmitter::declarePanels(Type element) {
  ExprRef &writer = storePanels_[element];
  if (writer) return;
  const int64_t warpgroups = static_cast<int64_t>(roles_.getTeams() * kernel_.getGroup()) / kWarpgroupLanes;
  std::string arguments = "<" + dtypeText(element) + ", " + std::to_string(warpgroups) + ">";
  ExprRef shared;
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(declarations_);
    auto type = out::LValueType::get(context_, out::NamedType::get(context_, "tsr::StorePanels" + arguments));
    shared = valueOf(builder_.create<out::SharedOp>(kernel_.getLoc(), type, names_.fresh("panels")).getPlace());
  }
  shared_.push_back({{}, storePanelBytes(warpgroups), "panels", kernel_.getLoc()});
  writer = declare(names_.fresh("to_store"), out::NamedType::get(context_, "tsr::PanelWriter" + arguments), "direct", {shared}, false,
                   ir::unnamed(kernel_.getLoc()));
}

LogicalResult KernelEmitter::emitBulkStore(tile::StoreFragmentOp op) {
  ExprRef value = materialised(op.getValue());
  if (!value) return failure();
  Indices arguments = {bound_.lookup(op.getBase()), storePanels_.lookup(op.getValue().getType().getElementType()), value->operands[0]};
  for (Value offset : op.getOffsets()) arguments.push_back(scalar(offset));
  std::vector<Attribute> how = {StringAttr::get(context_, alignment_)};
  const auto rank = static_cast<int64_t>(op.getOffsets().size());
  if (rowAxis(op) != rank - 2) how.push_back(builder_.getI64IntegerAttr(rowAxis(op)));
  statement(call("tsr::store_tile", arguments, none(), how), op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
