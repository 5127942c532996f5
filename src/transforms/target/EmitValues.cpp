// Variables: declared once, const where nothing is written again, under the user's name.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/KernelEmitter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

Type KernelEmitter::placeType(Type type, Location location) {
  if (isa<tile::LaneVectorType, tile::HeldRowType, tile::KeptRowType>(type)) return vectorType(type);
  auto fragment = dyn_cast<tile::FragmentType>(type);
  return fragment ? Type(out::NamedType::get(context_, fragmentType(fragment, location))) : type;
}

ExprRef KernelEmitter::declare(StringRef name, Type type, StringRef form, Indices init, bool isConst,
                               Location place) {
  lastLoop_ = nullptr;
  SmallVector<Value> operands;
  for (const ExprRef &expr : init) operands.push_back(write(builder_, place, expr));
  auto variable = builder_.create<out::VariableOp>(place, out::LValueType::get(context_, type), name, form,
                                                   operands, isConst);
  return valueOf(variable.getPlace());
}

/// The location of the value in the variable that knows the names of its sizes.
Location KernelEmitter::sizedPlace(const Storage &storage, Location place) {
  for (Value member : storage.members)
    if (!ir::sizesOf(member.getLoc()).empty()) return member.getLoc();
  return place;
}

void KernelEmitter::declareStorage(Storage &storage, ExprRef init, Location place) {
  bool handedOn = !singleLane_ && llvm::any_of(storage.members, [](Value member) {
    return llvm::any_of(member.getUsers(), llvm::IsaPred<tile::GroupReduceOp>);
  });
  std::string name;
  if (storage.hint.empty())
    name = names_.fresh(isa<IndexType>(storage.type) ? "index"
                        : storage.type.isInteger(1)  ? "flag"
                                                     : "value");
  else if (storage.reduction)
    name = names_.fresh((handedOn ? "lane_" : "") + storage.hint);  // the group's gets the plain name
  else name = names_.declare(storage.hint);
  bool isFragment = isa<tile::FragmentType>(storage.type);
  Indices operands;
  if (init) operands.push_back(init);
  bool sameType = init && isFragment && isa<out::NamedType>(init->type);
  storage.place = declare(name, placeType(storage.type, sizedPlace(storage, place)),
                          isFragment && !sameType ? "direct" : "copy", operands, false, place);
}

void KernelEmitter::assign(const ExprRef &target, const ExprRef &value, Location place) {
  totarget::assign(builder_, target, value, place);
}

void KernelEmitter::statement(const ExprRef &call, Location place) {
  lastLoop_ = nullptr;
  builder_.create<out::ExpressionOp>(place, write(builder_, place, call));
}

ExprRef KernelEmitter::placeIn(const Storage &storage) {
  return storage.perLane ? subscript(storage.place, {lane_ ? lane_ : typed(0)}, storage.type) : storage.place;
}

void KernelEmitter::store(Storage &storage, ExprRef expr, Location place) {
  if (!storage.place) return declareStorage(storage, std::move(expr), place);
  if (expr->kind == Expr::Kind::Read && same(expr->operands[0], placeIn(storage))) return;
  lastLoop_ = nullptr;
  assign(placeIn(storage), expr, place);
}

/// A scalar has its value: in its variable, in one of its own, or in the expression that uses it.
void KernelEmitter::define(Value value, ExprRef expr) {
  Location place = value.getLoc();
  if (Storage *storage = plan_.storage(value)) {
    store(*storage, std::move(expr), place);
  } else if (ExprRef array = perLane_.lookup(value)) {
    assign(subscript(array, {lane_}, value.getType()), expr, place);
  } else if (plan_.isInline(value) || value.use_empty()) {
    bound_[value] = std::move(expr);
  } else if (ir::nameHint(value).empty() && isTrivial(expr) &&
             !isa_and_nonnull<tile::QueryOp>(value.getDefiningOp())) {
    bound_[value] = std::move(expr);
  } else {
    std::string name = nameFor(value);
    bound_[value] =
        read(declare(name, placeType(value.getType(), place), "copy", {std::move(expr)}, true, place));
  }
}

ExprRef KernelEmitter::scalar(Value value) {
  if (Storage *storage = plan_.storage(value); storage && storage->place) return read(placeIn(*storage));
  if (ExprRef array = perLane_.lookup(value)) return read(subscript(array, {lane_}, value.getType()));
  // Where a lane stands is read off the loop over lanes that is being emitted.
  if (auto where = value.getDefiningOp<tile::QueryOp>(); where && lane_ && where.isVarying())
    return query(where);
  ExprRef bound = bound_.lookup(value);
  TSR_CHECK(bound, "a scalar is used before it is emitted");
  return bound;
}

ExprRef KernelEmitter::placeOf(Value value) {
  if (Storage *storage = plan_.storage(value); storage && storage->place) return storage->place;
  ExprRef bound = bound_.lookup(value);
  TSR_CHECK(bound, "a value without a place in the emitted text");
  return bound;
}

}  // namespace tessera::transforms::totarget
