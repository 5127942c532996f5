#include "transforms/tile/Roles.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/tile/Extents.h"

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
  bool fits = write && write.getValue().getType().getElementType().getIntOrFloatBitWidth() == 16 &&
              write->getBlock() == dot->getBlock() &&
              write.getValue().getType().getShape() == alloc.getType().getShape();
  return fits ? write : tile::WriteSharedOp();
}

namespace {

class Planner {
public:
  explicit Planner(tile::KernelOp kernel) : kernel_(kernel), extents_(kernel) {}

  std::optional<RolePlan> run() {
    kernel_.getBody().walk([&](tile::DotOp dot) {
      if (tile::WriteSharedOp write = onlyWriteOfLeftOperand(dot)) inRegisters_.insert(write);
    });
    llvm::MapVector<Block *, SmallVector<tile::CopyOp>> blocks;
    bool all = true;
    kernel_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto copy = dyn_cast<tile::CopyOp>(op)) blocks[op->getBlock()].push_back(copy);
      all &= op == kernel_ || hasForm(op);
    });
    if (!all || blocks.empty() || !boxesAgree()) return std::nullopt;
    RolePlan plan;
    for (auto &[block, copies] : blocks) plan.rings.push_back(copies);
    return plan;
  }

private:
  /// Consumers run everything that no other lane has to wait for; what needs all lanes of the group does not.
  bool hasForm(Operation *op) {
    if (auto copy = dyn_cast<tile::CopyOp>(op)) return producerCopies(copy);
    if (auto alloc = dyn_cast<tile::AllocSharedOp>(op)) return holdsOperand(alloc);
    if (auto write = dyn_cast<tile::WriteSharedOp>(op)) return inRegisters_.contains(write);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) return reduce.getValue().getType().getRank() == 2 && reduce.getAxis() == 1;
    if (auto query = dyn_cast<tile::QueryOp>(op)) return isOfGroup(query);
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) return isa<BlockArgument>(load.getBase());
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, tile::KernelEndOp, tile::ConstantOp, tile::DimOp,
               tile::ElementwiseOp, tile::CastOp, tile::FillOp, tile::BroadcastOp, tile::IotaOp, tile::LoadFragmentOp,
               tile::StoreFragmentOp, tile::DotOp>(op);
  }
  static bool isOfGroup(tile::QueryOp query) {
    return query.getQuery() == "origin" || query.getQuery() == "group_id" || query.getQuery() == "group_count";
  }

  /// One copy, or one write that stays in registers; and products after it in the same block.
  bool holdsOperand(tile::AllocSharedOp alloc) {
    if (alloc.getManual()) return false;
    tile::CopyOp copy;
    for (Operation *user : alloc->getUsers()) {
      if (auto write = dyn_cast<tile::WriteSharedOp>(user)) return inRegisters_.contains(write);
      if (auto found = dyn_cast<tile::CopyOp>(user)) {
        if (copy) return false;
        copy = found;
      }
    }
    return copy && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
             if (user == copy) return true;
             Operation *inside = copy->getBlock()->findAncestorOpInBlock(*user);
             return isa<tile::DotOp>(user) && inside && copy->isBeforeInBlock(inside);
           });
  }

  bool producerCopies(tile::CopyOp copy) {
    SharedType target = copy.getTarget().getType();
    auto base = dyn_cast<BlockArgument>(copy.getBase());
    if (!base || base.getOwner()->getParentOp() != kernel_ || copy.getAsync() || !isa<ViewType>(base.getType())) return false;
    size_t rank = copy.getOffsets().size();
    if (rank < 2 || rank > 5 || target.getRank() != 2 || target.getElementType().getIntOrFloatBitWidth() != 16 ||
        !isa<FloatType>(target.getElementType()))
      return false;
    for (size_t axis = 0; axis < rank; ++axis)
      if (copy.getPoints()[axis] != (axis + 2 < rank) || copy.getSteps()[axis] != 1) return false;
    std::vector<int64_t> rows = extents_.values(target.getShape()[0]), cols = extents_.values(target.getShape()[1]);
    int64_t panel = kPanelBytes / storedBytes(target.getElementType());
    bool fits = rows.size() == 1 && rows[0] % 8 == 0 && rows[0] <= kBoxRows && !cols.empty() &&
                llvm::all_of(cols, [&](int64_t value) { return value % panel == 0; });
    bool alone = llvm::all_of(base.getUsers(), [](Operation *user) { return isa<tile::CopyOp>(user); });
    return fits && alone && llvm::all_of(copy.getOffsets(), [&](Value offset) { return producerKnows(offset); }) &&
           producerReaches(copy);
  }

  /// The statements around the copy, up to the kernel.
  bool producerReaches(Operation *op) {
    for (Operation *around = op->getParentOp(); around != kernel_; around = around->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(around)) {
        if (!producerKnows(loop.getLowerBound()) || !producerKnows(loop.getUpperBound()) || !producerKnows(loop.getStep()))
          return false;
      } else if (auto branch = dyn_cast<scf::IfOp>(around)) {
        if (!producerKnows(branch.getCondition())) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  /// Made of counters of loops, the group's place, and arguments that nothing in the kernel changes.
  bool producerKnows(Value value) {
    if (isa<tile::FragmentType>(value.getType())) return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return argument.getOwner()->getParentOp() == kernel_ || (loop && argument == loop.getInductionVar());
    }
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast<tile::LoadElementOp>(op); load && !readOnly(load.getBase())) return false;
    return isa<tile::ConstantOp, tile::DimOp, tile::QueryOp, tile::ElementwiseOp, tile::CastOp, tile::LoadElementOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isa<ViewType>(operand.getType()) || producerKnows(operand); });
  }
  static bool readOnly(Value base) {
    return llvm::all_of(base.getUsers(), [](Operation *user) { return !isa<tile::StoreFragmentOp, tile::StoreElementOp>(user); });
  }

  /// A tensor has one map, so its tiles have one number of rows.
  bool boxesAgree() {
    llvm::DenseMap<Value, DimAttr> rows;
    bool agree = true;
    kernel_.getBody().walk([&](tile::CopyOp copy) {
      DimAttr extent = cast<SharedType>(copy.getTarget().getType()).getShape()[0];
      agree &= rows.try_emplace(copy.getBase(), extent).first->second == extent;
    });
    return agree;
  }

  tile::KernelOp kernel_;
  Extents extents_;
  llvm::SmallDenseSet<Operation *> inRegisters_;
};

}  // namespace

std::optional<RolePlan> planRoles(tile::KernelOp kernel) { return Planner(kernel).run(); }

}  // namespace tessera::transforms
