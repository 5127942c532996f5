// Variables: declared once, const where nothing is written again, under the user's name.
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

ExprRef declare(Emission &em, StringRef name, Type type, StringRef form, Indices init, bool isConst, Location place) {
  em.lastLoop = nullptr;
  SmallVector<Value> operands;
  for (const ExprRef &expr : init) operands.push_back(write(em.builder, place, expr));
  auto variable =
      em.builder.create<out::VariableOp>(place, out::LValueType::get(em.context, type), name, form, operands, isConst);
  return valueOf(variable.getPlace());
}

Location sizedPlace(const Storage &storage, Location place) {
  for (Value member : storage.members)
    if (!ir::sizesOf(member.getLoc()).empty()) return member.getLoc();
  return place;
}

void declareStorage(Emission &em, Storage &storage, ExprRef init, Location place) {
  bool handedOn = !em.isCpu() && llvm::any_of(storage.members, [](Value member) {
    return llvm::any_of(member.getUsers(), llvm::IsaPred<tile::GroupReduceOp>);
  });
  std::string name;
  if (storage.hint.empty())
    name = em.names.fresh(isa<IndexType>(storage.type) ? "index" : storage.type.isInteger(1) ? "flag" : "value");
  else if (storage.reduction)
    name = em.names.fresh((handedOn ? "lane_" : "") + storage.hint);  // the group's gets the plain name
  else name = em.names.declare(storage.hint);
  bool isFragment = isa<tile::FragmentType>(storage.type);
  Indices operands;
  if (init) operands.push_back(init);
  bool sameType = init && isFragment && isa<out::NamedType>(init->type);
  storage.place = declare(em, name, placeType(em, storage.type, sizedPlace(storage, place)),
                          isFragment && !sameType ? "direct" : "copy", operands, false, place);
}

void assign(Emission &em, const ExprRef &target, const ExprRef &value, Location place) {
  totarget::assign(em.builder, target, value, place);
}

void statement(Emission &em, const ExprRef &call, Location place) {
  em.lastLoop = nullptr;
  em.builder.create<out::ExpressionOp>(place, write(em.builder, place, call));
}

static ExprRef placeIn(Emission &em, const Storage &storage) {
  return storage.perLane ? subscript(storage.place, {em.grid->lane ? em.grid->lane : em.typed(0)}, storage.type)
                         : storage.place;
}

void store(Emission &em, Storage &storage, ExprRef expr, Location place) {
  if (!storage.place) return declareStorage(em, storage, std::move(expr), place);
  if (expr->kind == Expr::Kind::Read && same(expr->operands[0], placeIn(em, storage))) return;
  em.lastLoop = nullptr;
  assign(em, placeIn(em, storage), expr, place);
}

void define(Emission &em, Value value, ExprRef expr) {
  Location place = value.getLoc();
  if (Storage *storage = em.values->plan.storage(value)) {
    store(em, *storage, std::move(expr), place);
  } else if (ExprRef array = em.values->perLane.lookup(value)) {
    assign(em, subscript(array, {em.grid->lane}, value.getType()), expr, place);
  } else if (em.values->plan.isInline(value) || value.use_empty()) {
    em.values->bound[value] = std::move(expr);
  } else if (ir::nameHint(value).empty() && isTrivial(expr) && !isa_and_nonnull<tile::QueryOp>(value.getDefiningOp())) {
    em.values->bound[value] = std::move(expr);
  } else {
    std::string name = nameFor(em, value);
    em.values->bound[value] =
        read(declare(em, name, placeType(em, value.getType(), place), "copy", {std::move(expr)}, true, place));
  }
}

ExprRef scalar(Emission &em, Value value) {
  if (Storage *storage = em.values->plan.storage(value); storage && storage->place) return read(placeIn(em, *storage));
  if (ExprRef array = em.values->perLane.lookup(value)) return read(subscript(array, {em.grid->lane}, value.getType()));
  // Where a lane stands is read off the loop over lanes that is being emitted.
  if (auto where = value.getDefiningOp<tile::QueryOp>(); where && em.grid->lane && where.isVarying())
    return query(em, where);
  ExprRef bound = em.values->bound.lookup(value);
  TSR_CHECK(bound, "a scalar is used before it is emitted");
  return bound;
}

ExprRef placeOf(Emission &em, Value value) {
  if (Storage *storage = em.values->plan.storage(value); storage && storage->place) return storage->place;
  ExprRef bound = em.values->bound.lookup(value);
  TSR_CHECK(bound, "a value without a place in the emitted text");
  return bound;
}

ExprRef filled(Emission &em, Value result) {
  if (Storage *storage = em.values->plan.storage(result)) {
    if (!storage->place) declareStorage(em, *storage, nullptr, result.getLoc());
    return em.values->bound[result] = storage->place;
  }
  auto type = cast<tile::FragmentType>(result.getType());
  return em.values->bound[result] = declare(em, nameFor(em, result), placeType(em, type, result.getLoc()), "direct", {},
                                            false, result.getLoc());
}

void keep(Emission &em, Value result, const ExprRef &value) {
  Storage *storage = em.values->plan.storage(result);
  if (storage) store(em, *storage, value, result.getLoc());
  else em.values->bound[result] = declare(em, nameFor(em, result), value->type, "copy", {value}, true, result.getLoc());
}

}  // namespace tessera::transforms::totarget
