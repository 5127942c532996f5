// Which loops the compiler of the text may make vector instructions of, on the CPU, and how they combine what they carry.
#include "transforms/target/Elementwise.h"
#include "transforms/target/Plan.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/sizes/Grid.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// A store that may change what the loop counts with, for all that a compiler can see of a parallel loop: to
/// 64-bit integers, which its bounds are, or to bytes, which may be part of anything.
static bool mayMoveBounds(Operation *op) {
  if (!isa<out::AssignOp, out::CompoundAssignOp>(op)) return false;
  Value target = op->getOperand(0);
  if (target.getDefiningOp<out::VariableOp>()) return false;
  auto integer = dyn_cast<IntegerType>(cast<out::LValueType>(target.getType()).getValue());
  return integer && !integer.isInteger(1) && (integer.getWidth() == 64 || integer.getWidth() <= 8);
}

/// A loop or branch in the body, an update of memory in one step, a call of the C library, or a division whose divisor only run time knows.
static bool isScalar(Operation *op) {
  if (isa<out::ForOp, out::WhileOp, out::IfOp>(op)) return true;
  auto call = dyn_cast<out::CallOp>(op);
  if (!call) return false;
  if (call.getCallee().starts_with("tsr::atomic_")) return true;
  bool divides = call.getCallee() == "tsr::floordiv" || call.getCallee() == "tsr::mod";
  if (divides && !isa<FloatType>(call.getType()))
    return !isa_and_nonnull<out::LiteralOp>(call->getOperand(1).getDefiningOp());
  return !hasVectorForm(call.getCallee(), call.getType());
}

static bool isLoadedOrChosen(Value index) {
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<out::SubscriptOp, out::ElementOp, out::ConditionalOp>(op)) return true;
  return op && llvm::any_of(op->getOperands(), isLoadedOrChosen);
}

/// Elements at indices that stand in memory themselves, or are one of two: nobody can tell which of them a
/// store may change.
static bool readsAnywhere(Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), isLoadedOrChosen);
}

/// Changes while the loop counts.
static bool isCounted(out::ForOp loop, Value value) {
  if (Operation *op = value.getDefiningOp()) return llvm::any_of(op->getOperands(), [&](Value operand) { return isCounted(loop, operand); });
  return loop.getBody().isAncestor(value.getParentRegion());
}

/// An index that falls while the loop counts up: behind a condition, that is nothing that every compiler makes
/// vectors of.
static bool fallsBack(out::ForOp loop, Value index) {
  auto binary = index.getDefiningOp<out::BinaryOp>();
  if (binary && binary.getOp() == "-" && isCounted(loop, binary.getRight())) return true;
  Operation *op = index.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return fallsBack(loop, operand); });
}

static bool readsBackwards(out::ForOp loop, Operation *op) {
  auto element = dyn_cast<out::SubscriptOp>(op);
  return element && llvm::any_of(element.getIndices(), [&](Value index) { return fallsBack(loop, index); });
}

/// Choices between values in a loop, of which clang makes copies of the loop for each that does not change in it, until it
/// gives up.
constexpr int64_t kMostChoices = 8;

static bool choosesOften(out::ForOp loop) {
  int64_t choices = 0;
  loop.getBody().walk([&](out::ConditionalOp) { ++choices; });
  return choices > kMostChoices;
}

void keepVectorLoops(Emission &em) {
  em.out.walk([](out::ForOp loop) {
    if (!loop.getSimd()) return;
    WalkResult found = loop.getBody().walk([&](Operation *op) {
      bool scalar = isScalar(op) || mayMoveBounds(op) || readsAnywhere(op) || readsBackwards(loop, op);
      return scalar ? WalkResult::interrupt() : WalkResult::advance();
    });
    loop.setSimd(!found.wasInterrupted() && !choosesOften(loop));
    if (!loop.getSimd()) loop.removeReductionAttr();
  });
}

/// How OpenMP combines what the lanes of a vector have; "" for what they cannot combine.
static StringRef combiner(StringRef mnemonic, Type type) {
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) && !type.isInteger(64)) return "";
  if (mnemonic == "add") return "+";
  if (mnemonic == "mul") return "*";
  if (mnemonic == "max") return "tsr::Max";  // OpenMP's own loses NaNs
  return mnemonic == "min" ? "tsr::Min" : "";
}

SmallVector<StringRef> combiners(Emission &em, scf::ForOp op, ArrayRef<Storage *> carried) {
  SmallVector<StringRef> found;
  if (!em.isCpu() || em.grid->lane || em.kernel.getDeterministic()) return {};
  for (auto [argument, yielded, storage] : llvm::zip(op.getRegionIterArgs(), op.getYieldedValues(), carried)) {
    auto combine = yielded.getDefiningOp<tile::ElementwiseOp>();
    if (!storage->reduction || storage->perLane || !combine || combine->getNumOperands() != 2 ||
        !argument.hasOneUse() || *argument.user_begin() != combine || !yielded.hasOneUse())
      return {};
    found.push_back(combiner(combine.getMnemonic(), storage->type));
    if (found.back().empty() || !storage->place->value.getDefiningOp<out::VariableOp>()) return {};
  }
  bool plain = true;
  op.getBody()->walk([&](Operation *inner) {
    plain = plain && inner->getNumRegions() == 0 &&
            (isMemoryEffectFree(inner) || isa<tile::LoadElementOp, tile::KeepOp, tile::RecallOp>(inner));
  });
  return plain ? found : SmallVector<StringRef>();
}

void combineInVectors(Emission &em, out::ForOp loop, scf::ForOp op, ArrayRef<Storage *> carried) {
  SmallVector<StringRef> with = combiners(em, op, carried);
  if (with.empty() || !llvm::all_equal(with)) return;
  std::string clause;
  for (Storage *storage : carried)
    clause += (clause.empty() ? with.front().str() + " : " : ", ") +
              storage->place->value.getDefiningOp<out::VariableOp>().getName().str();
  loop.setSimd(true);
  loop.setReduction(clause);
}

}  // namespace tessera::transforms::totarget
