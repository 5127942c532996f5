// Strategy "scatter" of integers on GPUs: their sums do not depend on the order, so that each update is read once and added by an
// atomic. Where the result is small, each group adds up one of its own in shared memory, and adds that to the result at the end.
#include "support/Machine.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

// Groups that a processor runs at once, and results that it has shared memory for.
constexpr int64_t kGroupsOfProcessor = 8;

/// Writes the body: lanes go over the updates together, side by side.
class AtomicSums {
public:
  /// `lanes`: as many as there are updates, but no more than this.
  AtomicSums(OpBuilder &builder, Privatiser &privatiser, graph::ScatterAddOp scatter, Value target, int64_t lanes)
      : builder_(builder), privatiser_(privatiser), scatter_(scatter), target_(target), lanes_(lanes), line_(unnamed(scatter.getLoc())) {}

  bool writeStraight() { return addAll(target_); }
  bool writeThroughShared() {
    ArrayRef<DimAttr> shape = scatter_.getType().getShape();
    Type element = elementTypeOf(target_.getType());
    Value sums = builder_.create<graph::AllocSharedOp>(named("sums", line_), SharedType::get(builder_.getContext(), shape, element, ""));
    Value zero = builder_.create<graph::ConstantOp>(line_, element, builder_.getZeroAttr(element));
    eachByGroup(shape, [&](const Indices &at) { store(zero, sums, at); });
    builder_.create<graph::BarrierOp>(line_);
    if (!addAll(sums)) return false;
    builder_.create<graph::BarrierOp>(line_);
    eachByGroup(shape, [&](const Indices &at) { add(privatiser_.loaded(sums, at, line_), target_, at, /*isInside=*/true); });
    return true;
  }

private:
  Value query(StringRef what, StringRef name) { return builder_.create<graph::QueryOp>(named(name, line_), builder_.getIndexType(), what, 0); }
  /// for (i = first; i < end; i += step)
  void loop(StringRef name, Value first, Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto loop = builder_.create<scf::ForOp>(line_, first, end, privatiser_.constantIndex(step, line_));
    loop.getInductionVar().setLoc(named(name, line_));
    privatiser_.within(loop.getBody(), [&] { return body(loop.getInductionVar()), true; });
  }
  /// Each element of a small array by a lane of the group.
  void eachByGroup(ArrayRef<DimAttr> shape, llvm::function_ref<void(const Indices &)> body) {
    Dim count(1);
    for (DimAttr dim : shape) count = count * dim.getDim();
    loop("i", query("local_id", "lane"), privatiser_.dim(count, line_), kLaneGroup,
         [&](Value i) { body(privatiser_.delinearize(i, shape, line_, /*naming=*/true)); });
  }
  /// Every update to its place in `sums`. False after a diagnostic.
  bool addAll(Value sums) {
    Value updates = scatter_.getUpdates();
    ArrayRef<DimAttr> shape = shapeOf(updates.getType());
    bool done = true;
    loop("i", query("linear_id", "first"), privatiser_.dim(countOf(updates.getType()), line_), lanes_, [&](Value i) {
      Indices from = privatiser_.delinearize(i, shape, line_, /*naming=*/true), where, to(from);
      for (int64_t along : scatter_.getAxes()) where.push_back(from[along]);
      Value place = privatiser_.part(scatter_.getPlaces(), where), update = place ? privatiser_.part(updates, from) : Value();
      if (!update) return void(done = false);
      to[scatter_.getAxis()] = Index(builder_.create<graph::CastOp>(line_, builder_.getIndexType(), place, StringAttr(), UnitAttr()));
      add(update, sums, to, /*isInside=*/false);
    });
    return done;
  }
  /// `isInside`: where it is not known, a place may lie outside of the axis, and gets nothing.
  void add(Value value, Value sums, const Indices &at, bool isInside) {
    SmallVector<Value> indices;
    SmallVector<bool> inBounds;
    for (auto [axis, index] : llvm::enumerate(at)) {
      indices.push_back(index.at);
      inBounds.push_back(isInside || axis != scatter_.getAxis());
    }
    builder_.create<graph::AtomicOp>(line_, TypeRange(), "add", value, sums, indices, builder_.getDenseBoolArrayAttr(inBounds), /*once=*/false);
  }
  void store(Value value, Value memory, const Indices &indices) {
    PartAccess at(builder_, shapeOf(memory.getType()), indices, line_);
    builder_.create<graph::StoreOp>(line_, value, memory, at.offsets, at.points, at.sizes, at.steps, at.inBounds, /*once=*/false);
  }

  OpBuilder &builder_;
  Privatiser &privatiser_;
  graph::ScatterAddOp scatter_;
  Value target_;
  int64_t lanes_;
  Location line_;
};

/// Whether each group has sums of its own: as many as a processor runs at once fit its shared memory.
bool fitsGroups(graph::ScatterAddOp scatter, const Machine &machine) {
  Dim count = countOf(scatter.getType());
  int64_t most = std::min(machine.processorSharedBytes / kGroupsOfProcessor, machine.staticSharedBytes);
  return count.isConstant() && count.constant() <= most / (bitsOf(scatter.getType()) / 8);
}

}  // namespace

bool addsByAtomics(graph::ScatterAddOp scatter) {
  const Machine *machine = machineOf(scatter);
  Type element = scatter.getType().getElementType();
  bool hasAtomics = element.isSignlessInteger(32) || element.isUnsignedInteger(32) || element.isSignlessInteger(64);
  return hasAtomics && machine && machine->family != Target::Cpu;
}

/// What updates are added to: zeros, which the target holds from here on.
FailureOr<graph::FullOp> FunctionScheduler::storeZeros(graph::ScatterAddOp scatter, Value target) {
  Type element = scatter.getType().getElementType();
  OpBuilder before(scatter);
  Value zero = before.create<graph::ConstantOp>(unnamed(scatter.getLoc()), element, before.getZeroAttr(element));
  auto zeros = before.create<graph::FullOp>(scatter.getLoc(), scatter.getType(), zero);
  if (failed(laneKernel(zeros, target, /*sequential=*/false))) return failure();
  leaves_[zeros] = target;
  return zeros;
}

LogicalResult FunctionScheduler::atomicScatterKernel(graph::ScatterAddOp scatter, Value target) {
  MLIRContext *context = builder_.getContext();
  Location line = unnamed(scatter.getLoc());
  FailureOr<graph::FullOp> zeros = storeZeros(scatter, target);
  if (failed(zeros)) return failure();

  const Machine &machine = *machineOf(function_);
  int64_t most = machine.processors * kGroupsOfProcessor * kLaneGroup;
  Dim lanes = Dim::min(countOf(scatter.getUpdates().getType()), Dim(most));
  GridAttr grid = GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, lanes), -1);
  bool throughShared = fitsGroups(scatter, machine);
  std::string reason = throughShared ? "a group adds up in shared memory what its lanes read, and then adds that to the result; sums of integers do not depend on the order"
                                     : "each update is added by an atomic; sums of integers do not depend on the order";
  Kernel kernel = beginKernel(scatter.getResult(), grid, target, {reason}, true, {}, schedule::KernelOp::getOperationName(),
                              ValueRange{scatter.getPlaces(), scatter.getUpdates(), *zeros});
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  AtomicSums sums(builder, privatiser, scatter, kernel.target, most);
  if (!(throughShared ? sums.writeThroughShared() : sums.writeStraight())) return failure();
  builder.create<schedule::KernelEndOp>(line);
  return success();
}

}  // namespace tessera::transforms
