// Rules of kernels, entry functions and launches.
#include "ir/common/OpRules.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

/// Every variable of an extent must be a size of the schedule or a dimension with capacities.
static LogicalResult checkExtents(KernelOp kernel, Operation *op, ArrayRef<DimAttr> extents) {
  for (DimAttr extent : extents) {
    std::set<std::string> names;
    extent.getDim().collectVars(names);
    for (StringRef name : names) {
      bool isSize = name.starts_with("T.") && kernel.getSizes().contains(name.drop_front(2));
      if (!isSize && !kernel.getCapacity().contains(name))
        return op->emitOpError() << "the extent " << extent.getText()
                                 << " of a fragment or shared buffer depends on " << name
                                 << ", which is neither in 'sizes' nor in 'capacity' of the kernel";
    }
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyArguments(*this)) ||
      failed(verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements(), getContext())))
    return failure();
  if (getGroup() == 0) return emitOpError("needs a decided 'group': the number of lanes of a group");
  for (NamedAttribute entry : getCapacity()) {
    auto values = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    if (!values || values.empty() || !llvm::is_sorted(values.asArrayRef()) || values[0] < 1)
      return emitOpError() << "the capacities of " << entry.getName() << " are not ascending numbers above 0";
  }
  if (std::optional<uint64_t> axis = getLongestFirst(); axis && *axis >= getGrid().getDims().size())
    return emitOpError() << "has no axis " << *axis << " to go along with the longest groups first";
  if (failed(verifyVariants(*this))) return failure();
  return verifyKernel(*this, getParams(), getOutputs(), getGrid(), getGroup());
}

LogicalResult KernelOp::verifyRegions() {
  auto checkType = [&](Operation *op, Type type) -> LogicalResult {
    if (auto fragment = dyn_cast<FragmentType>(type)) {
      int64_t lanes = fragment.getTileLayout().getLanes();
      if (lanes != int64_t(getGroup()))
        return op->emitOpError() << "a fragment over " << lanes << " lanes in a group of " << getGroup();
      return checkExtents(*this, op, fragment.getShape());
    }
    if (auto shared = dyn_cast<SharedType>(type)) return checkExtents(*this, op, shared.getShape());
    return success();
  };
  WalkResult walk = getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(op, type))) return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted()) return failure();
  if (!isa<KernelEndOp>(getBody().front().back())) return emitOpError("does not end in tile.kernel_end");
  return success();
}

/// Each role uses its own half of a ring, and each stage is begun and ended.
static LogicalResult checkRole(RolesOp roles, Region &body, bool produces) {
  llvm::DenseMap<Value, int64_t> begun;
  WalkResult walk = body.walk([&](Operation *op) {
    bool begins = isa<RingAcquireOp, RingWaitOp>(op), ends = isa<RingPublishOp, RingReleaseOp>(op);
    if (!begins && !ends) return WalkResult::advance();
    if (isa<RingAcquireOp, RingPublishOp>(op) != produces) {
      op->emitOpError() << "is no step of the " << (produces ? "producer" : "consumers");
      return WalkResult::interrupt();
    }
    begun[op->getOperand(0)] += begins ? 1 : -1;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted()) return failure();
  for (auto [ring, count] : begun)
    if (count != 0) return roles.emitOpError() << "begins and ends the stages of a ring in different numbers";
  return success();
}

/// Turns are the consumers', and every one that is taken is passed.
static LogicalResult checkTurns(RolesOp roles) {
  int64_t taken = 0;
  WalkResult walk = roles.walk([&](Operation *op) {
    if (!isa<TakeTurnOp, PassTurnOp>(op)) return WalkResult::advance();
    if (roles.getProducer().isAncestor(op->getParentRegion())) {
      op->emitOpError("is no step of the producer");
      return WalkResult::interrupt();
    }
    taken += isa<TakeTurnOp>(op) ? 1 : -1;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted()) return failure();
  return taken == 0 ? success() : roles.emitOpError("takes and passes turns in different numbers");
}

/// Teams go to the stages of their tiles, and only they do.
static LogicalResult checkTeams(RolesOp roles) {
  bool seeks = roles.getConsumers().walk([](RingSeekOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (roles.getTeams() < 1) return roles.emitOpError("has no team");
  if (seeks != (roles.getTeams() > 1)) return roles.emitOpError(seeks ? "seeks stages without teams" : "has teams that do not seek the stages of their tiles");
  return success();
}

/// What the groups of a cluster share goes through a ring that they share, and they go through it together.
static LogicalResult checkClusters(RolesOp roles) {
  WalkResult walk = roles.walk([&](CopyOp copy) {
    if (!copy.getCluster()) return WalkResult::advance();
    auto part = copy.getTarget().getDefiningOp<SelectBufferOp>();
    auto stage = part ? part.getIndex().getDefiningOp<RingAcquireOp>() : RingAcquireOp();
    auto ring = stage ? stage.getRing().getDefiningOp<RingOp>() : RingOp();
    if (roles.getClusters() && ring && ring.getCluster()) return WalkResult::advance();
    copy.emitOpError(roles.getClusters() ? "is for all groups of a cluster, and fills no stage of a ring with `cluster`"
                                         : "is for all groups of a cluster, in roles without `clusters`");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult RolesOp::verifyRegions() {
  if (failed(checkClusters(*this))) return failure();
  if (failed(checkTurns(*this)) || failed(checkTeams(*this))) return failure();
  return failure(failed(checkRole(*this, getProducer(), true)) || failed(checkRole(*this, getConsumers(), false)));
}

LogicalResult TempWithinOp::verify() {
  if (!getMemory().getDefiningOp<TempOp>()) return emitOpError("lies in the memory of a temporary");
  return success();
}

LogicalResult TableOp::verify() { return verifyTable(*this, getValues(), getType()); }

LogicalResult FuncOp::verify() {
  if (getNumResults() != 0) return emitOpError("returns values: results are written through views");
  if (failed(verifyArguments(*this))) return failure();
  for (Operation &op : getBody().front())
    if (!isa<TempOp, TempWithinOp, TableOp, LaunchOp, ExchangeOp, ReturnOp>(op))
      return op.emitOpError("may not stand in an entry function: it is a list of temporaries, tables, launches and exchanges");
  return verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements());
}

LogicalResult HostFuncOp::verify() {
  return verifyFunction(*this, getDims(), getParams(), getOutputs(), getRequirements());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) return emitOpError() << "launches @" << getKernel() << ", which is not a kernel";
  return verifyLaunch(*this, kernel, kernel.getDims(), getArgs().getTypes(), getDimsAttr());
}

LogicalResult ExchangeOp::verify() { return verifyExchange(*this, getKind(), getOver()); }

LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(getOperandTypes()) == TypeRange(function.getResultTypes())) return success();
  return emitOpError("returns values of other types than its function says");
}

llvm::SmallVector<StringRef> tessera::ir::tile::reductionsOf(Operation *loop) {
  Attribute reduces = loop->getAttr(kReduces);
  if (auto one = dyn_cast_or_null<StringAttr>(reduces)) return {one.getValue()};
  llvm::SmallVector<StringRef> all;
  if (auto list = dyn_cast_or_null<ArrayAttr>(reduces))
    for (auto each : list.getAsRange<StringAttr>()) all.push_back(each.getValue());
  return all;
}
