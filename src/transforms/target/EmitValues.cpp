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

Type KernelEmitter::placeType(Type type) {
  auto fragment = dyn_cast<tile::FragmentType>(type);
  return fragment ? Type(out::NamedType::get(context_, fragmentType(fragment))) : type;
}

ExprRef KernelEmitter::declare(StringRef name, Type type, StringRef form, Indices init, bool isConst, Location place) {
  lastLoop_ = nullptr;
  SmallVector<Value> operands;
  for (const ExprRef &expr : init) operands.push_back(write(builder_, place, expr));
  auto variable = builder_.create<out::VariableOp>(place, out::LValueType::get(context_, type), name, form, operands, isConst);
  return valueOf(variable.getPlace());
}

void KernelEmitter::declareStorage(Storage &storage, ExprRef init, Location place) {
  std::string base = storage.hint.empty() ? "value" : storage.hint;
  std::string name = storage.hint.empty() ? names_.fresh(base) : names_.declare(base);
  bool isFragment = isa<tile::FragmentType>(storage.type);
  Indices operands;
  if (init) operands.push_back(init);
  bool sameType = init && isFragment && isa<out::NamedType>(init->type);
  storage.place = declare(name, placeType(storage.type), isFragment && !sameType ? "direct" : "copy", operands, false, place);
}

void KernelEmitter::assign(const ExprRef &target, const ExprRef &value, Location place) {
  // x = x op y is x op= y.
  static const char *const compound[] = {"+", "-", "*", "/", "&", "|", "^"};
  bool shortens = value->kind == Expr::Kind::Binary && value->operands[0]->kind == Expr::Kind::Read &&
                  same(value->operands[0]->operands[0], target) && llvm::is_contained(compound, StringRef(value->text));
  Value to = write(builder_, place, target);
  Value what = write(builder_, place, shortens ? value->operands[1] : value);
  if (shortens)
    builder_.create<out::CompoundAssignOp>(place, value->text + "=", to, what);
  else
    builder_.create<out::AssignOp>(place, to, what);
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

std::string KernelEmitter::nameFor(Value value) {
  StringRef hint = ir::nameHint(value);
  Operation *op = value.getDefiningOp();
  auto element = dyn_cast_or_null<tile::LoadElementOp>(op);
  bool ofTensor = element && hint == ir::nameHint(element.getBase());  // an element of x that is called x, too
  if (!hint.empty() && hint != "_" && !ofTensor) return names_.declare(hint);
  auto suffixed = [&](Value of, StringRef suffix, StringRef otherwise) {
    StringRef base = of ? ir::nameHint(of) : StringRef();
    if (Storage *storage = of ? plan_.storage(of) : nullptr; base.empty() && storage) base = storage->hint;
    return names_.fresh(base.empty() ? otherwise.str() : (base + "_" + suffix).str());
  };
  if (auto reduce = dyn_cast_or_null<tile::GroupReduceOp>(op)) return names_.fresh(("group_" + reduce.getReduction()).str());
  if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(op))
    return suffixed(reduce.getValue(), reduce.getReduction(), reduce.getReduction());
  if (auto cast = dyn_cast_or_null<tile::CastOp>(op)) {
    std::string type = dtypeText(ir::elementTypeOf(cast.getType()));
    if (StringRef(type).starts_with("tsr::")) type = type.substr(5);
    return suffixed(cast.getValue(), type, "as_" + type);
  }
  if (auto load = dyn_cast_or_null<tile::LoadElementOp>(op)) return suffixed(load.getBase(), "value", "loaded");
  if (auto load = dyn_cast_or_null<tile::LoadFragmentOp>(op)) return suffixed(load.getBase(), "part", "part");
  if (auto load = dyn_cast_or_null<tile::ReadSharedOp>(op)) return suffixed(load.getBase(), "part", "part");
  if (auto query = dyn_cast_or_null<tile::QueryOp>(op)) {
    ir::GridAttr grid = kernel_.getGrid();
    if (query.getQuery() == "linear_id") return names_.fresh("i");
    if (query.getQuery() != "origin" || grid.getKind() != ir::GridKind::Output) return names_.fresh(query.getQuery());
    // After the dimension that it runs along: m0 along M.
    std::string extent = ir::shapeOf(kernel_.getArgumentTypes()[grid.getParam()])[query.getAxis()].getText().str();
    bool plain = extent.size() == 1 && llvm::isAlpha(extent[0]);
    return names_.fresh(plain ? StringRef(extent).lower() + "0" : "origin");
  }
  return names_.fresh("t");
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
  } else if (ir::nameHint(value).empty() && isTrivial(expr) && !isa_and_nonnull<tile::QueryOp>(value.getDefiningOp())) {
    bound_[value] = std::move(expr);
  } else {
    std::string name = nameFor(value);
    bound_[value] = read(declare(name, placeType(value.getType()), "copy", {std::move(expr)}, true, place));
  }
}

ExprRef KernelEmitter::scalar(Value value) {
  if (Storage *storage = plan_.storage(value); storage && storage->place) return read(placeIn(*storage));
  if (ExprRef array = perLane_.lookup(value)) return read(subscript(array, {lane_}, value.getType()));
  // Where a lane stands is read off the loop over lanes that is being emitted.
  if (auto where = value.getDefiningOp<tile::QueryOp>(); where && lane_ && where.isVarying()) return query(where);
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
