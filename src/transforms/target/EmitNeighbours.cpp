// Elements that the program reads or writes as a vector: one access on GPUs, where their address is aligned.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/common/VectorAttr.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelScope.h"

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

/// False where the elements are accessed one by one: on CPUs, whose compilers see that they are neighbours, and in shared memory.
bool KernelEmitter::emitNeighbours(Operation &op) {
  if (joined_.contains(&op)) return true;
  auto load = dyn_cast<tile::LoadElementOp>(op);
  auto store = dyn_cast<tile::StoreElementOp>(op);
  if ((!load && !store) || isCpu() || !op.hasAttr(ir::kVector)) return false;
  const Value base = baseOf(&op);
  ExprRef memory = bound_.lookup(base);
  if (!memory || !isa<out::PointerType>(memory->type)) return false;
  auto ready = storesHere_.find(&op);
  SmallVector<Operation *> all = ready != storesHere_.end() ? ready->second : neighboursOf(&op);
  if (all.empty()) return false;
  if (store && ready == storesHere_.end()) {  // the last one does it, when the values of all are there
    for (Operation *one : all) joined_.insert(one);
    joined_.erase(all.back());
    storesHere_[all.back()] = all;
    return true;
  }
  lastLoop_ = nullptr;
  const Location place = op.getLoc();
  const Type element = ir::elementTypeOf(base.getType());
  const Type vector =
      out::NamedType::get(context_, "tsr::Vector<" + dtypeText(element) + ", " + std::to_string(all.size()) + ">");
  const std::string name = names_.fresh((ir::nameHint(base).empty() ? "value" : ir::nameHint(base).str()) + "_vector");
  ExprRef pointer = pointerTo(base, indicesOf(all[0]), false);
  // Inside as a whole, or outside as a whole: the first element says it.
  ExprRef inside = mask(base, indicesOf(all[0]), [&](unsigned i) {
    auto first = dyn_cast<tile::LoadElementOp>(all[0]);
    return first ? first.isInBounds(i) : cast<tile::StoreElementOp>(all[0]).isInBounds(i);
  });
  if (load) {
    ExprRef read =
        call("tsr::load_neighbours", {pointer}, vector, {builder_.getI64IntegerAttr(static_cast<int64_t>(all.size()))});
    if (inside)
      read =
          conditional(inside, read,
                      call("tsr::Vector<" + dtypeText(element) + ", " + std::to_string(all.size()) + ">", {}, vector));
    ExprRef held = declare(name, vector, "copy", {read}, true, place);
    for (auto [i, one] : llvm::enumerate(all)) {
      Value result = one->getResult(0);
      ExprRef value = totarget::read(totarget::element(held, {typed(static_cast<int64_t>(i))}, element));
      if (plan_.storage(result) || !ir::nameHint(result).empty()) define(result, value);
      else bound_[result] = value;
      joined_.insert(one);
    }
    return true;
  }
  ExprRef held = declare(name, vector, "direct", {}, false, place);
  for (auto [i, one] : llvm::enumerate(all))
    assign(totarget::element(held, {typed(static_cast<int64_t>(i))}, element),
           scalar(cast<tile::StoreElementOp>(one).getValue()), place);
  ExprRef write = call("tsr::store_neighbours", {pointer, held}, none());
  if (!inside) {
    statement(write, place);
    return true;
  }
  auto branch = builder_.create<out::IfOp>(place, totarget::write(builder_, place, inside));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&branch.getThenBody());
  statement(write, place);
  return true;
}

}  // namespace tessera::transforms::totarget
