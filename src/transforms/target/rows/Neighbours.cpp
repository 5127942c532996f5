// Elements that the program reads or writes as a vector: one access on GPUs, where their address is aligned.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/common/VectorAttr.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Elements.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

static Value baseOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadElementOp>(op)) return load.getBase();
  return cast<tile::StoreElementOp>(op).getBase();
}

static OperandRange indicesOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadElementOp>(op)) return load.getIndices();
  return cast<tile::StoreElementOp>(op).getIndices();
}

/// Whether an index is another one plus a number.
static bool isBehind(Value index, Value first, int64_t by) {
  auto sum = index.getDefiningOp<tile::ElementwiseOp>();
  if (!sum || sum.getMnemonic() != "add") return false;
  for (unsigned side : {0, 1}) {
    auto constant = sum.getArgs()[1 - side].getDefiningOp<tile::ConstantOp>();
    auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    if (sum.getArgs()[side] == first && number && number.getInt() == by) return true;
  }
  return false;
}

/// The neighbours of an element, from it on, as far as nothing comes between; empty if they are not as many as was said.
static SmallVector<Operation *> neighboursOf(Operation *first) {
  const auto count = static_cast<size_t>(cast<IntegerAttr>(first->getAttr(ir::kVector)).getInt());
  SmallVector<Operation *> found = {first};
  const OperandRange start = indicesOf(first);
  for (Operation *next = first->getNextNode(); next && found.size() < count; next = next->getNextNode()) {
    if (isMemoryEffectFree(next)) continue;
    if (next->getName() != first->getName() || next->getAttr(ir::kVector) != first->getAttr(ir::kVector) ||
        baseOf(next) != baseOf(first))
      break;
    const OperandRange indices = indicesOf(next);
    if (!llvm::equal(indices.drop_back(), start.drop_back()) ||
        !isBehind(indices.back(), start.back(), static_cast<int64_t>(found.size())))
      break;
    found.push_back(next);
  }
  if (found.size() < count) found.clear();
  return found;
}

bool emitNeighbours(Emission &em, Operation &op) {
  if (em.neighbours->joined.contains(&op)) return true;
  auto load = dyn_cast<tile::LoadElementOp>(op);
  auto store = dyn_cast<tile::StoreElementOp>(op);
  if ((!load && !store) || em.isCpu() || !op.hasAttr(ir::kVector)) return false;
  const Value base = baseOf(&op);
  ExprRef memory = em.values->bound.lookup(base);
  if (!memory || !isa<out::PointerType>(memory->type)) return false;
  auto ready = em.neighbours->stores.find(&op);
  SmallVector<Operation *> all = ready != em.neighbours->stores.end() ? ready->second : neighboursOf(&op);
  if (all.empty()) return false;
  if (store && ready == em.neighbours->stores.end()) {  // the last one does it, when the values of all are there
    for (Operation *one : all) em.neighbours->joined.insert(one);
    em.neighbours->joined.erase(all.back());
    em.neighbours->stores[all.back()] = all;
    return true;
  }
  em.lastLoop = nullptr;
  const Location place = op.getLoc();
  const Type element = ir::elementTypeOf(base.getType());
  const Type vector = out::NamedType::get(em.context, "tsr::Vector<" + dtypeText(em, element) + ", " +
                                                          std::to_string(all.size()) + ">");
  const std::string name =
      em.names.fresh((ir::nameHint(base).empty() ? "value" : ir::nameHint(base).str()) + "_vector");
  ExprRef pointer = pointerTo(em, base, indicesOf(all[0]), false);
  // Inside as a whole, or outside as a whole: the first element says it.
  ExprRef inside = mask(em, base, indicesOf(all[0]), [&](unsigned i) {
    auto first = dyn_cast<tile::LoadElementOp>(all[0]);
    return first ? first.isInBounds(i) : cast<tile::StoreElementOp>(all[0]).isInBounds(i);
  });
  if (load) {
    ExprRef read = call("tsr::load_neighbours", {pointer}, vector,
                        {em.builder.getI64IntegerAttr(static_cast<int64_t>(all.size()))});
    if (inside)
      read = conditional(
          inside, read,
          call("tsr::Vector<" + dtypeText(em, element) + ", " + std::to_string(all.size()) + ">", {}, vector));
    ExprRef held = declare(em, name, vector, "copy", {read}, true, place);
    for (auto [i, one] : llvm::enumerate(all)) {
      Value result = one->getResult(0);
      ExprRef value = totarget::read(totarget::element(held, {em.typed(static_cast<int64_t>(i))}, element));
      if (em.values->plan.storage(result) || !ir::nameHint(result).empty()) define(em, result, value);
      else em.values->bound[result] = value;
      em.neighbours->joined.insert(one);
    }
    return true;
  }
  ExprRef held = declare(em, name, vector, "direct", {}, false, place);
  for (auto [i, one] : llvm::enumerate(all))
    assign(em, totarget::element(held, {em.typed(static_cast<int64_t>(i))}, element),
           scalar(em, cast<tile::StoreElementOp>(one).getValue()), place);
  ExprRef write = call("tsr::store_neighbours", {pointer, held}, em.none());
  if (!inside) {
    statement(em, write, place);
    return true;
  }
  auto branch = em.builder.create<out::IfOp>(place, totarget::write(em.builder, place, inside));
  OpBuilder::InsertionGuard guard(em.builder);
  em.builder.createBlock(&branch.getThenBody());
  statement(em, write, place);
  return true;
}

}  // namespace tessera::transforms::totarget
