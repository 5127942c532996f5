// Products the other way round: the transpose of a product is the product of the transposed operands, from the right.
//
// Instructions of warpgroups take 64 rows of the left operand, from shared memory or from registers, and 16 columns or more
// of the right one, from shared memory alone. Where a tile has few rows, or what is multiplied from the right is computed
// (a weight of 8 bits), a kernel holds the transpose of its sums:
//
//   acc[m, n] += x[m, k] * f(w)[k, n]      becomes      turned[n, m] += f(w)[n, k] * x[k, m]
//
// Every tile that hangs together with the sums is turned, vectors of columns become vectors of rows, and the tile is stored
// transposed. What is computed stays as it is, element for element, and is added up in the same order.
#include "ir/common/Conversions.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/tile/Components.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/Roles.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

tile::FragmentType turned(tile::FragmentType type) {
  MLIRContext *context = type.getContext();
  SmallVector<DimAttr> shape(llvm::reverse(type.getShape()));
  Attribute layout = type.getLayout();
  if (type.getRank() == 1) layout = tile::SliceAttr::get(context, 1 - type.getSliceAxis(), type.getTileLayout());
  return tile::FragmentType::get(context, shape, type.getElementType(), layout);
}

/// The one write of an operand that is computed for one product of the same block; null for any other operand.
tile::WriteSharedOp onlyWriteOf(tile::DotOp dot, Value buffer) {
  auto alloc = buffer.getDefiningOp<tile::AllocSharedOp>();
  if (!alloc || alloc.getManual()) return {};
  tile::WriteSharedOp write;
  for (Operation *user : alloc->getUsers()) {
    if (auto found = dyn_cast<tile::WriteSharedOp>(user); found && !write) write = found;
    else if (user != dot) return {};
  }
  return write && write->getBlock() == dot->getBlock() ? write : tile::WriteSharedOp();
}

class TurnProducts {
public:
  TurnProducts(tile::KernelOp kernel, const Machine &machine)
      : kernel_(kernel), machine_(machine), extents_(kernel), components_(kernel) {}

  void run() {
    kernel_.getBody().walk([&](tile::DotOp dot) { dots_.push_back(dot); });
    if (dots_.empty() || kernel_.getGroup() % kWarpgroupLanes != 0) return;
    bool few = llvm::all_of(dots_, [&](tile::DotOp dot) { return hasFewRows(dot); });
    bool computes = llvm::any_of(dots_, [&](tile::DotOp dot) { return computesRight(dot); });
    if ((!few && !computes) || !llvm::all_of(dots_, [&](tile::DotOp dot) { return canTurn(dot); })) return;
    for (Value value : values_) turn(value);
    for (tile::DotOp dot : dots_) turnOperands(dot);
    addReason(kernel_, few ? "turned: the tile is computed as its transpose, as it has fewer rows than a warpgroup's instructions"
                           : "turned: the tile is computed as its transpose, so that what is computed is multiplied from registers");
  }

private:
  int64_t instructionRows() { return kInstructionRows * (kernel_.getGroup() / kWarpgroupLanes); }

  /// Rows that fill no instructions, and columns that do.
  bool hasFewRows(tile::DotOp dot) {
    ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
    return !extents_.isMultiple(shape[0], instructionRows()) && extents_.isMultiple(shape[1], instructionRows());
  }
  static bool computesRight(tile::DotOp dot) { return onlyWriteOf(dot, dot.getB()) && !onlyWriteOf(dot, dot.getA()); }

  // ---- what can be turned

  bool canTurn(tile::DotOp dot) {
    if (isa<tile::FragmentType>(dot.getA().getType()) || onlyWriteOf(dot, dot.getA())) return false;
    ArrayRef<DimAttr> shape = dot.getResult().getType().getShape();
    if (!hasInstruction(dot) || !extents_.isMultiple(shape[1], instructionRows()) || !add(dot.getResult())) return false;
    tile::WriteSharedOp write = onlyWriteOf(dot, dot.getB());
    if (!write) return dot.getB().getDefiningOp<tile::AllocSharedOp>() != nullptr;
    return dot.getTransB() || add(write.getValue(), write);  // as [N, K] it is the left operand already
  }

  /// Warpgroups multiply the types, which they read along k alone where they are not of 16 bits.
  bool hasInstruction(tile::DotOp dot) {
    Type operand = dot.getB().getType().getElementType(), sum = dot.getResult().getType().getElementType();
    bool known = llvm::any_of(machine_.matrixInstructions(), [&](const MatrixInstruction &each) {
      return each.ofWarpgroup() && each.a == dtypeOf(operand) && each.acc == dtypeOf(sum);
    });
    return known && (storedBytes(operand) == 2 || (!dot.getTransA() && dot.getTransB()));
  }

  /// The values that lie as this one does, all of which can be turned. `last`: what takes them, which changes with them.
  bool add(Value from, Operation *last = nullptr) {
    if (values_.contains(from)) return true;
    for (Value value : components_.of(kernel_, from)) {
      Operation *op = value.getDefiningOp();
      bool made = !op || isa<tile::FillOp, tile::ElementwiseOp, tile::CastOp, tile::BroadcastOp, tile::IotaOp, tile::LoadFragmentOp,
                             tile::DotOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op);
      bool used = llvm::all_of(value.getUsers(), [&](Operation *user) {
        return user == last || isa<tile::ElementwiseOp, tile::CastOp, tile::BroadcastOp, tile::StoreFragmentOp, tile::DotOp, scf::ForOp, scf::IfOp,
                                   scf::WhileOp, scf::YieldOp, scf::ConditionOp>(user);
      });
      if (!made || !used || cast<tile::FragmentType>(value.getType()).getRank() > 2) return false;
      values_.insert(value);
    }
    return true;
  }

  // ---- turning

  void turn(Value value) {
    auto type = cast<tile::FragmentType>(value.getType());
    value.setType(turned(type));
    Operation *op = value.getDefiningOp();
    if (type.getRank() != 2) return;
    if (auto iota = dyn_cast_or_null<tile::IotaOp>(op)) iota.setAxis(1 - iota.getAxis());
    if (auto load = dyn_cast_or_null<tile::LoadFragmentOp>(op)) load.setTransposed(!load.getTransposed());
    for (Operation *user : value.getUsers())
      if (auto store = dyn_cast<tile::StoreFragmentOp>(user)) store.setTransposed(!store.getTransposed());
  }

  void turnOperands(tile::DotOp dot) {
    Value left = dot.getB(), right = dot.getA();
    bool transLeft = !dot.getTransB(), transRight = !dot.getTransA();
    if (tile::WriteSharedOp write = onlyWriteOf(dot, left); write && transLeft) {
      auto alloc = left.getDefiningOp<tile::AllocSharedOp>();
      SharedType type = alloc.getType();
      SmallVector<DimAttr> shape(llvm::reverse(type.getShape()));
      alloc.getResult().setType(SharedType::get(type.getContext(), shape, type.getElementType(), type.getSwizzle()));
      write.setSizesAttr(DimsAttr::get(type.getContext(), shape));
      transLeft = false;
    }
    dot.getAMutable().assign(left);
    dot.getBMutable().assign(right);
    dot.setTransA(transLeft);
    dot.setTransB(transRight);
  }

  static constexpr int64_t kInstructionRows = 64;
  tile::KernelOp kernel_;
  const Machine &machine_;
  Extents extents_;
  Components components_;
  SmallVector<tile::DotOp> dots_;
  llvm::SetVector<Value> values_;
};

struct TurnProductsPass : PassWrapper<TurnProductsPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TurnProductsPass)
  StringRef getArgument() const override { return "tile-turn-products"; }
  StringRef getDescription() const override { return "products of few rows, and of computed right operands, as their transposes"; }
  void runOnOperation() override {
    const Machine *machine = machineOf(getOperation());
    if (!machine) return signalPassFailure();
    if (machine->warpgroupProducts) TurnProducts(getOperation(), *machine).run();
  }
};

}  // namespace

std::unique_ptr<Pass> createTurnProductsPass() { return std::make_unique<TurnProductsPass>(); }

}  // namespace tessera::transforms
