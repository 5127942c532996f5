// Results of products that are stored rounded as well, and where.
//
// The derivatives by q, k and v are added up in f32 and multiplied rounded, put together as the rows of one matrix. The kernels that
// compute them store them rounded, each into its columns of that matrix, so that nothing is left to put together.
#include "transforms/schedule/MovedProducts.h"
#include "ir/common/BitCasts.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// What a sweep's kernel stores beside a value: itself in fewer bits, where both are asked for.
SmallVector<FunctionScheduler::Stored> FunctionScheduler::roundedBeside(Value root) {
  SmallVector<Stored> stored;
  for (Operation *user : root.getUsers())
    if (auto cast = dyn_cast<graph::CastOp>(user); cast && cast.getRounding() != kBits && cast->getBlock() == root.getParentBlock() && isToStore(cast.getResult())) {
      Value memory = memoryInJoined(cast.getResult());
      stored.push_back({cast.getResult(), memory ? memory : memoryFor(cast.getResult())});
    }
  return stored;
}

/// Every part is the rounded result of a sweep, which stores it into its place, and each place is a part that copies reach.
bool FunctionScheduler::isStoredInPlace(graph::ConcatOp concat) {
  bool isOne = hasSumsOfTiles(function_) && concat->getBlock() == &function_.entry();
  for (auto [i, operand] : llvm::enumerate(concat.getOperands())) {
    Value made = memoryUnder(operand);
    auto cast = made.getDefiningOp<graph::CastOp>();
    Operation *product = cast ? productUnder(cast.getOperand()) : nullptr;
    if (!isOne || !product || !joinedAs(made)) return false;
    auto found = chains_.find(product);
    if (found == chains_.end() || found->second.largest || found->second.reduce || storedFor(found->second.outer) != cast.getOperand()) return false;
    if (!isToStore(made) && !placed_.count(made)) return false;
    SmallVector<ChainForm> forms = chainForms(found->second);
    std::optional<Part> place = placeIn(concat, i, made, sameDims());
    isOne = forms.size() == 1 && !splitTile(found->second, forms) && place && place->strides.back() == Dim(1);
  }
  return isOne;
}

/// The memory of what is put together of this value and others, and its place there; null if it has memory of its own.
Value FunctionScheduler::memoryInJoined(Value rounded) {
  OpOperand *use = joinedAs(rounded);
  auto concat = use ? cast<graph::ConcatOp>(use->getOwner()) : graph::ConcatOp();
  if (!concat || results_.count(concat.getResult()) || !isStoredInPlace(concat)) return {};
  Value &memory = joined_[concat];
  if (!memory) memory = memoryFor(concat.getResult());
  placed_.try_emplace(rounded, *placeIn(concat, use->getOperandNumber(), rounded, sameDims()));
  return memory;
}

/// A kernel has stored it. The last of the parts: then all of what is put together is there.
void FunctionScheduler::isHeldInPlace(Value rounded) {
  if (!placed_.count(rounded)) return;
  auto concat = cast<graph::ConcatOp>(joinedAs(rounded)->getOwner());
  auto isThere = [&](Value operand) { return leaves_.count(memoryUnder(operand)) != 0; };
  if (llvm::all_of(concat.getOperands(), isThere)) isHeld({concat.getResult(), joined_.lookup(concat)});
}

}  // namespace tessera::transforms
