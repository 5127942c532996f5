// Updates of memory in one step.
#include "support/Check.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

LogicalResult KernelEmitter::emitAtomic(tile::AtomicOp op) {
  lastLoop_ = nullptr;
  if (isa<tile::FragmentType>(op.getValue().getType())) return emitAtomicTile(op);
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(index));
  Type type = op.getValue().getType();
  const bool asked = op.getOld() && !op.getOld().use_empty();
  ExprRef update = call("tsr::atomic_" + op.getMnemonic().str(), {elementPlace(op.getBase(), indices, op.getBase()), scalar(op.getValue())},
                        asked ? type : none());
  ExprRef inside = mask(op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (asked) {
    define(op.getOld(), inside ? conditional(inside, update, number(type, 0)) : update);
    return success();
  }
  if (!inside) {
    statement(update, op.getLoc());
    return success();
  }
  auto branch = builder_.create<out::IfOp>(op.getLoc(), write(builder_, op.getLoc(), inside));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&branch.getThenBody());
  statement(update, op.getLoc());
  return success();
}

/// Places in tiles, offsets that are none below 0, and sums and multiples of them.
static bool isNeverNegative(Value index, KernelFacts &facts) {
  if (!isa<tile::FragmentType>(index.getType())) return facts.isNonNegative(index);
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<tile::IotaOp>(op)) return true;
  auto sum = dyn_cast_or_null<tile::ElementwiseOp>(op);
  const bool grows = sum && (sum.getMnemonic() == "add" || sum.getMnemonic() == "mul");
  if (!grows && !isa_and_nonnull<tile::CastOp, tile::FillOp, tile::BroadcastOp>(op)) return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isNeverNegative(operand, facts); });
}

/// Each lane updates memory with the elements that it holds; of a vector that several lanes hold, one of them does.
LogicalResult KernelEmitter::emitAtomicTile(tile::AtomicOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  SmallVector<Value> fragments = {op.getValue()};
  for (Value index : op.getIndices())
    if (isa<tile::FragmentType>(index.getType())) fragments.push_back(index);
  auto *held = llvm::find_if(fragments, [&](Value value) { return !plan_.isInline(value); });
  ExprRef shape = materialised(held == fragments.end() ? fragments[0] : *held);
  if (!shape) return failure();
  shape = shape->operands[0];
  bool known = true;
  overElements(type, shape, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    const Type truth = IntegerType::get(context_, 1);
    ExprRef inside = method(shape, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, truth);
    if (!i || !j) inside = binary("&&", method(shape, "owner", {}, truth), inside);
    Indices indices;
    for (auto [axis, index] : llvm::enumerate(op.getIndices())) {
      const bool ofTile = isa<tile::FragmentType>(index.getType());
      ExprRef at = ofTile ? elementOf(index, i, j, shape) : scalar(index);
      known &= at != nullptr;
      if (!at) return;
      if (ofTile) at = read(declare(names_.fresh("at"), indexType(), "copy", {convert(at, indexType())}, true, op.getLoc()));
      indices.push_back(at);
      if (op.isInBounds(axis)) continue;
      if (!isNeverNegative(index, facts_)) inside = binary("&&", inside, compare(">=", at, typed(0)));
      inside = binary("&&", inside, compare("<", at, dim(ir::shapeOf(op.getBase().getType())[axis].getDim())));
    }
    ExprRef value = elementOf(op.getValue(), i, j, shape);
    known &= value != nullptr;
    if (!value) return;
    auto branch = builder_.create<out::IfOp>(op.getLoc(), write(builder_, op.getLoc(), inside));
    OpBuilder::InsertionGuard guard(builder_);
    builder_.createBlock(&branch.getThenBody());
    statement(call("tsr::atomic_" + op.getMnemonic().str(), {elementPlace(op.getBase(), indices, op.getBase()), value}, none()), op.getLoc());
  });
  lastLoop_ = nullptr;
  return known ? success() : unsupported(*op, "a value or an index of this update has no form here");
}

}  // namespace tessera::transforms::totarget
