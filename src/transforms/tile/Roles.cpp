#include "transforms/tile/Roles.h"
#include "ir/common/Names.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Turns.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

tile::WriteSharedOp onlyWriteOfLeftOperand(tile::DotOp dot) {
  auto alloc = dot.getA().getDefiningOp<tile::AllocSharedOp>();
  if (!alloc || alloc.getManual() || dot.getTransA()) return {};
  tile::WriteSharedOp write;
  for (Operation *user : alloc->getUsers()) {
    if (auto found = dyn_cast<tile::WriteSharedOp>(user); found && !write) write = found;
    else if (user != dot) return {};
  }
  Type element = write ? write.getValue().getType().getElementType() : Type();
  bool fits = element && element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 16 &&
              write->getBlock() == dot->getBlock() &&
              write.getValue().getType().getShape() == alloc.getType().getShape();
  return fits ? write : tile::WriteSharedOp();
}

bool producerKnows(tile::KernelOp kernel, Value value) {
  if (isa<tile::FragmentType>(value.getType())) return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return argument.getOwner()->getParentOp() == kernel || (loop && argument == loop.getInductionVar());
  }
  Operation *op = value.getDefiningOp();
  auto readOnly = [](Value base) {
    return llvm::all_of(base.getUsers(), [](Operation *user) { return !isa<tile::StoreFragmentOp, tile::StoreElementOp, tile::AtomicOp>(user); });
  };
  if (auto load = dyn_cast<tile::LoadElementOp>(op); load && !readOnly(load.getBase())) return false;
  return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp, tile::LoadElementOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isa<ViewType>(operand.getType()) || producerKnows(kernel, operand); });
}

namespace {

class Planner {
public:
  explicit Planner(tile::KernelOp kernel) : kernel_(kernel), extents_(kernel) {}

  std::variant<RolePlan, Refusal> run() {
    kernel_.getBody().walk([&](tile::DotOp dot) {
      if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot)) inRegisters_.insert(write);
    });
    llvm::MapVector<Block *, SmallVector<tile::CopyOp>> blocks;
    WalkResult walk = kernel_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto copy = dyn_cast<tile::CopyOp>(op)) blocks[op->getBlock()].push_back(copy);
      return hasForm(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walk.wasInterrupted() || !boxesAgree()) return refusal_;
    if (blocks.empty()) return Refusal{"nothing is loaded to shared memory", kernel_};
    RolePlan plan;
    for (auto &[block, copies] : blocks) {
      auto isLater = [&](tile::CopyOp copy) { return isUsedLater(copy); };
      bool some = isa<scf::ForOp>(block->getParentOp()) && kernel_.getGroup() >= 2 * kWarpgroupLanes && llvm::any_of(copies, isLater) && !llvm::all_of(copies, isLater);
      if (!some) {
        plan.rings.push_back(copies);
        continue;
      }
      for (bool later : {false, true}) plan.rings.push_back(llvm::to_vector(llvm::make_filter_range(copies, [&](tile::CopyOp copy) { return isLater(copy) == later; })));
    }
    return plan;
  }

private:
  bool refuse(Operation *at, const Twine &why) {
    if (refusal_.why.empty()) refusal_ = {why.str(), at};
    return false;
  }
  bool require(bool holds, Operation *at, const Twine &why) { return holds || refuse(at, why); }

  /// Consumers run everything that no other lane has to wait for; what needs all lanes of the group does not.
  bool hasForm(Operation *op) {
    if (auto copy = dyn_cast<tile::CopyOp>(op)) return producerCopies(copy);
    if (auto alloc = dyn_cast<tile::AllocSharedOp>(op)) return holdsOperand(alloc);
    if (auto write = dyn_cast<tile::WriteSharedOp>(op))
      return require(inRegisters_.contains(write), op, "an operand is computed on its way to shared memory, which bulk copies cannot do");
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return require(reduce.getValue().getType().getRank() == 2 && reduce.getAxis() == 1, op,
                     "a reduction over rows or over a vector needs all warps at a time");
    if (auto query = dyn_cast<tile::QueryOp>(op)) return require(isOfGroup(query), op, "the program asks for the number of a lane");
    if (auto load = dyn_cast<tile::LoadElementOp>(op))
      return require(isa<BlockArgument>(load.getBase()), op, "an element is read from shared memory");
    bool known = isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, tile::KernelEndOp, tile::ConstantOp, tile::DimOp,
                     tile::ElementwiseOp, tile::CastOp, tile::FillOp, tile::BroadcastOp, tile::IotaOp, tile::LoadFragmentOp,
                     tile::ReadSharedOp, tile::StoreFragmentOp, tile::DotOp>(op);
    return require(known, op, "a statement needs all lanes of the group at a time (" + op->getName().stripDialect() + ")");
  }
  static bool isOfGroup(tile::QueryOp query) {
    return query.getQuery() == "origin" || query.getQuery() == "group_id" || query.getQuery() == "group_count";
  }

  /// Whether all that reads a tile are products with what is computed from other products of the block: it has a ring of its own, so that
  /// the others of the next turn come before it is left (tile-overlap-products). Tiles of more rows leave no registers for two turns at once.
  bool isUsedLater(tile::CopyOp copy) {
    constexpr int64_t kMostRows = 128;
    std::vector<int64_t> rows = extents_.values(cast<SharedType>(copy.getTarget().getType()).getShape()[0]);
    bool later = !rows.empty() && rows.front() <= kMostRows;
    for (Operation *user : copy.getTarget().getUsers()) {
      if (user == copy) continue;
      auto dot = dyn_cast<tile::DotOp>(user);
      Value left = dot ? dot.getA() : Value();
      if (left && left.getDefiningOp<tile::AllocSharedOp>())
        if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot)) left = write.getValue();
      later = later && left && isa<tile::FragmentType>(left.getType()) && dot.getB() == copy.getTarget() && comesFromDot(left, copy->getBlock());
    }
    return later;
  }

  /// One copy, or one write that stays in registers; and what reads it after that in the same block.
  bool holdsOperand(tile::AllocSharedOp alloc) {
    if (alloc.getManual()) return refuse(alloc, "the program lays out its shared memory by itself");
    tile::CopyOp copy;
    for (Operation *user : alloc->getUsers()) {
      if (isa<tile::CopyRowsOp>(user)) return refuse(user, "rows that indices name are loaded one by one, which bulk copies cannot do");
      if (auto write = dyn_cast<tile::WriteSharedOp>(user)) return inRegisters_.contains(write) || hasForm(write);
      if (auto found = dyn_cast<tile::CopyOp>(user)) {
        if (copy) return refuse(found, "two loads fill one operand");
        copy = found;
      }
    }
    bool products = copy && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
                      if (user == copy) return true;
                      Operation *inside = copy->getBlock()->findAncestorOpInBlock(*user);
                      return isa<tile::DotOp, tile::ReadSharedOp>(user) && inside && copy->isBeforeInBlock(inside);
                    });
    return require(products, alloc, "what is loaded to shared memory is read by more than what comes after it in its block");
  }

  bool producerCopies(tile::CopyOp copy) {
    SharedType target = copy.getTarget().getType();
    auto base = dyn_cast<BlockArgument>(copy.getBase());
    if (!base || base.getOwner()->getParentOp() != kernel_ || !isa<ViewType>(base.getType()))
      return refuse(copy, "an operand is loaded from something else than a tensor");
    std::string name = "`" + nameHint(base).str() + "`";
    if (copy.getAsync()) return refuse(copy, "the program copies " + name + " asynchronously by itself");
    size_t rank = copy.getOffsets().size();
    if (rank < 2 || rank > 5 || target.getRank() != 2) return refuse(copy, name + " is not loaded in tiles of two axes");
    bool onlyRead = llvm::all_of(copy.getTarget().getUsers(), [](Operation *user) { return isa<tile::CopyOp, tile::ReadSharedOp>(user); });
    if (!canBeInPanels(target.getElementType()) && !(onlyRead && target.getElementType().isF32()))
      return refuse(copy, name + " is of a type that no product of warpgroups reads");
    const bool seesWindows = readsWindows(copy);  // their tiles are windows at one place, and channels
    for (size_t axis = 0; axis < rank; ++axis)
      if (copy.getPoints()[axis] != (seesWindows ? axis == 1 : axis + 2 < rank) || copy.getSteps()[axis] != 1)
        return refuse(copy, "the tile of " + name + " does not lie along the last two axes, without steps");
    std::vector<int64_t> rows = extents_.values(target.getShape()[0]), cols = extents_.values(target.getShape()[1]);
    bool isVector = isOneRow(target);  // tile-stage-vectors has asked for what it needs
    int64_t panel = kPanelBytes / storedBytes(target.getElementType());
    bool fits = isVector || (rows.size() == 1 && rows[0] % 8 == 0 && rows[0] <= kBoxRows && !cols.empty() &&
                llvm::all_of(cols, [&](int64_t value) { return value % panel == 0; }));
    if (!fits)
      return refuse(copy, "a tile of " + name + " is " + target.getShape()[0].getText() + " x " + target.getShape()[1].getText() +
                              "; bulk copies take a known multiple of 8 rows up to " + Twine(kBoxRows) + ", and a multiple of " +
                              Twine(panel) + " columns");
    bool alone = llvm::all_of(base.getUsers(), [](Operation *user) { return isa<tile::CopyOp>(user); });
    if (!alone) return refuse(copy, name + " is also read or written in another way");
    bool known = llvm::all_of(copy.getOffsets(), [&](Value offset) { return producerKnows(kernel_, offset); }) && producerReaches(copy);
    return require(known, copy, "where a tile of " + name + " begins, or whether it is loaded, depends on what the kernel computes");
  }

  static bool canBeInPanels(Type element) {
    return element.isBF16() || element.isF16() || element.isTF32() || (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 8);
  }

  /// The statements around the copy, up to the kernel.
  bool producerReaches(Operation *op) {
    for (Operation *around = op->getParentOp(); around != kernel_; around = around->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(around)) {
        if (!producerKnows(kernel_, loop.getLowerBound()) || !producerKnows(kernel_, loop.getUpperBound()) || !producerKnows(kernel_, loop.getStep()))
          return false;
      } else if (auto branch = dyn_cast<scf::IfOp>(around)) {
        if (!producerKnows(kernel_, branch.getCondition())) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  /// A tensor has one map, so its tiles have one number of rows.
  bool boxesAgree() {
    llvm::DenseMap<Value, DimAttr> rows;
    bool agree = true;
    kernel_.getBody().walk([&](tile::CopyOp copy) {
      DimAttr extent = cast<SharedType>(copy.getTarget().getType()).getShape()[0];
      bool same = rows.try_emplace(copy.getBase(), extent).first->second == extent;
      agree &= require(same, copy, "tiles of `" + nameHint(copy.getBase()) + "` have different numbers of rows");
    });
    return agree;
  }

  tile::KernelOp kernel_;
  Extents extents_;
  llvm::SmallDenseSet<Operation *> inRegisters_;
  Refusal refusal_;
};

}  // namespace

bool isOneRow(SharedType type) { return type.getSwizzle().empty() && type.getRank() == 2 && type.getShape()[0].getConstant() == 1; }

tile::RingOp ringOf(tile::CopyOp copy) {
  auto part = copy.getTarget().getDefiningOp<tile::SelectBufferOp>();
  auto stage = part ? part.getIndex().getDefiningOp<tile::RingAcquireOp>() : tile::RingAcquireOp();
  return stage ? stage.getRing().getDefiningOp<tile::RingOp>() : tile::RingOp();
}

bool readsWindows(tile::CopyOp copy) {
  PlacesAttr places = cast<ViewType>(copy.getBase().getType()).getPlaces();
  return places && places.getWindows();
}

bool readsStage(tile::ReadSharedOp read) {
  auto stage = read.getBase().getDefiningOp<tile::SelectBufferOp>();
  return stage && stage.getIndex().getDefiningOp<tile::RingWaitOp>();
}

bool hasPanels(tile::KernelOp kernel) {
  return kernel.getBody().walk([](tile::AllocSharedOp alloc) {
    return alloc.getType().getSwizzle() == "panels" ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}

std::variant<RolePlan, Refusal> planRoles(tile::KernelOp kernel) { return Planner(kernel).run(); }

}  // namespace tessera::transforms
