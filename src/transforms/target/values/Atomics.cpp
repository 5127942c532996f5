// Updates of memory in one step.
#include "ir/common/InOrder.h"
#include "support/SetAtPlaces.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/flow/Flow.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/Tiles.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

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

std::optional<Indices> placesOfElement(Emission &em, ValueRange names, llvm::function_ref<std::optional<Dim>(unsigned)> end, const ExprRef &i,
                                       const ExprRef &j, const ExprRef &shape, Location place, ExprRef &inside) {
  Indices indices;
  for (auto [axis, index] : llvm::enumerate(names)) {
    const bool ofTile = isa<tile::FragmentType>(index.getType());
    ExprRef at = ofTile ? elementOf(em, index, i, j, shape) : scalar(em, index);
    if (!at) return std::nullopt;
    if (ofTile) at = read(declare(em, em.names.fresh("at"), em.indexType(), "copy", {convert(at, em.indexType())}, true, place));
    indices.push_back(at);
    std::optional<Dim> last = end(axis);
    if (!last) continue;
    if (!isNeverNegative(index, em.facts)) inside = binary("&&", inside, compare(">=", at, em.typed(0)));
    inside = binary("&&", inside, compare("<", at, dim(em, *last)));
  }
  return indices;
}

/// Each lane updates memory with the elements that it holds; of a vector that several lanes hold, one of them does.
static LogicalResult emitAtomicTile(Emission &em, tile::AtomicOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  SmallVector<Value> fragments = {op.getValue()};
  for (Value index : op.getIndices())
    if (isa<tile::FragmentType>(index.getType())) fragments.push_back(index);
  auto *held = llvm::find_if(fragments, [&](Value value) { return !em.values->plan.isInline(value); });
  ExprRef shape = materialised(em, held == fragments.end() ? fragments[0] : *held);
  if (!shape) return failure();
  shape = shape->operands[0];
  bool known = true;
  overElements(em, type, shape, op.getLoc(), [&](const ExprRef &i, const ExprRef &j) {
    const Type truth = IntegerType::get(em.context, 1);
    ExprRef inside = method(shape, "holds", i && j ? Indices{i, j} : Indices{i ? i : j}, truth);
    if (!i || !j) inside = binary("&&", method(shape, "owner", {}, truth), inside);
    auto end = [&](unsigned axis) { return op.isInBounds(axis) ? std::nullopt : std::optional(ir::shapeOf(op.getBase().getType())[axis].getDim()); };
    auto indices = placesOfElement(em, op.getIndices(), end, i, j, shape, op.getLoc(), inside);
    const bool stored = held == fragments.end();  // for its shape: it is read from there, too
    const Indices at = type.getRank() == 2 ? Indices{i, j} : Indices{type.getSliceAxis() == 1 ? i : j};
    ExprRef value = !indices ? nullptr : stored ? read(element(shape, at, type.getElementType())) : elementOf(em, op.getValue(), i, j, shape);
    known &= value != nullptr;
    if (!value) return;
    auto branch = em.builder.create<out::IfOp>(op.getLoc(), write(em.builder, op.getLoc(), inside));
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.createBlock(&branch.getThenBody());
    ExprRef to = elementPlace(em, op.getBase(), *indices);
    if (op.getMnemonic() == kSetMnemonic) assign(em, to, value, op.getLoc());
    else statement(em, call("tsr::atomic_" + op.getMnemonic().str(), {to, value}, em.none()), op.getLoc());
  });
  em.lastLoop = nullptr;
  return known ? success() : unsupported(*op, "a value or an index of this update has no form here");
}

/// A number of a counter, as lanes of a warp take them in their order.
static LogicalResult emitInOrder(Emission &em, tile::AtomicOp op) {
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(em, index));
  auto counters = ir::shapeOf(op.getBase().getType()).front().getConstant();
  if (!counters || !op.getOld()) return unsupported(*op, "counters that are taken in order are a number, and someone takes");
  const auto bits = static_cast<int64_t>(llvm::Log2_64_Ceil(static_cast<uint64_t>(*counters)));
  define(em, op.getOld(), call("tsr::take_in_order", {elementPlace(em, op.getBase(), indices), indices.front()}, op.getValue().getType(), {em.builder.getI64IntegerAttr(bits)}));
  return success();
}

LogicalResult emitAtomic(Emission &em, tile::AtomicOp op) {
  em.lastLoop = nullptr;
  if (op->hasAttr(ir::kInOrder)) return emitInOrder(em, op);
  if (isa<tile::FragmentType>(op.getValue().getType())) return emitAtomicTile(em, op);
  Indices indices;
  for (Value index : op.getIndices()) indices.push_back(scalar(em, index));
  Type type = op.getValue().getType();
  const bool asked = op.getOld() && !op.getOld().use_empty();
  ExprRef update = call("tsr::atomic_" + op.getMnemonic().str(),
                        {elementPlace(em, op.getBase(), indices), scalar(em, op.getValue())}, asked ? type : em.none());
  ExprRef inside = mask(em, op.getBase(), op.getIndices(), [&](unsigned i) { return op.isInBounds(i); });
  if (asked) {
    define(em, op.getOld(), inside ? conditional(inside, update, number(type, 0)) : update);
    return success();
  }
  if (!inside) {
    statement(em, update, op.getLoc());
    return success();
  }
  auto branch = em.builder.create<out::IfOp>(op.getLoc(), write(em.builder, op.getLoc(), inside));
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.createBlock(&branch.getThenBody());
  statement(em, update, op.getLoc());
  return success();
}

}  // namespace tessera::transforms::totarget
