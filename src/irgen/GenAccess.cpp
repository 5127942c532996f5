// Reading and writing parts of views, shared buffers and array values.
#include "ir/common/VectorAttr.h"
#include "irgen/FunctionGen.h"
#include "support/Check.h"
#include "support/SetAtPlaces.h"

namespace tessera::irgen {
using namespace mlir;
namespace node = checked::node;

FunctionGen::Groups FunctionGen::genGroups(const checked::Access &access) {
  Groups groups;
  for (const checked::IndexPart &part : access.parts) {
    groups.offsets.push_back(part.offset ? genExpr(*part.offset) : genIndex(0));
    groups.points.push_back(part.isPoint);
    groups.inBounds.push_back(part.inBounds);
    groups.steps.push_back(part.isPoint ? 1 : part.step);
    groups.sizes.push_back(ir::DimAttr::get(builder_.getContext(), part.isPoint ? Dim(1) : part.size));
  }
  return groups;
}

static Value baseOf(const std::map<const checked::Var *, SmallVector<Value, 1>, ById> &values,
                    const checked::Access &access) {
  TSR_CHECK(access.base, "an access to nothing");
  auto found = values.find(access.base);
  TSR_CHECK(found != values.end(), "'" + access.base->name + "' has no memory");
  return found->second[0];
}

/// The access of a part of what another access loads, along the axes that it takes ranges of: `stages[k % 2][i, j]` is an element,
/// not a tile of which one is taken.
void FunctionGen::takePart(Groups &groups, const checked::Access &part, Location location) {
  Groups inner = genGroups(part);
  Type index = builder_.getIndexType();
  auto combine = [&](StringRef name, Value a, Value b) -> Value { return builder_.create<graph::ElementwiseOp>(location, index, name, ValueRange{a, b}); };
  auto isZero = [](Value value) {
    auto number = value.getDefiningOp<graph::ConstantOp>();
    return number && isa<IntegerAttr>(number.getValue()) && cast<IntegerAttr>(number.getValue()).getInt() == 0;
  };
  size_t next = 0;
  for (size_t i = 0; i < groups.offsets.size(); ++i) {
    if (groups.points[i]) continue;
    Value offset = inner.offsets[next];
    if (groups.steps[i] != 1) offset = combine("mul", offset, genIndex(groups.steps[i]));
    groups.offsets[i] = isZero(groups.offsets[i]) ? offset : isZero(offset) ? groups.offsets[i] : combine("add", groups.offsets[i], offset);
    groups.points[i] = inner.points[next];
    groups.steps[i] = inner.points[next] ? 1 : groups.steps[i] * inner.steps[next];
    groups.sizes[i] = inner.sizes[next++];
  }
}

Value FunctionGen::genLoad(const checked::Expr &expr, Location location, const checked::Access *part) {
  const checked::Access &access = expr.as<node::Load>().access;
  Value base = baseOf(values_, access);
  Groups groups = genGroups(access);
  if (part) takePart(groups, *part, location);
  MLIRContext *context = builder_.getContext();
  Value other = access.other ? genExpr(*access.other) : Value();
  Type loaded = ir::accessedType(base.getType(), groups.points, groups.sizes);
  auto load = builder_.create<graph::LoadOp>(
      location, loaded, base, groups.offsets, builder_.getDenseBoolArrayAttr(groups.points),
      groups.dims(context), builder_.getDenseI64ArrayAttr(groups.steps),
      builder_.getDenseBoolArrayAttr(groups.inBounds), other);
  if (access.vector) load->setAttr(ir::kVector, builder_.getI64IntegerAttr(access.vector));
  return part ? load.getResult() : fit(load.getResult(), typeOf(expr.type), location);
}

Value FunctionGen::genSlice(const checked::Expr &expr, Location location) {
  if (auto *load = expr.args[0]->get<node::Load>(); load && load->access.vector == 0)
    return fit(genLoad(*expr.args[0], location, &expr.as<node::Slice>().access), typeOf(expr.type), location);
  Value base = genExpr(*expr.args[0]);
  Groups groups = genGroups(expr.as<node::Slice>().access);
  groups.inBounds.assign(groups.inBounds.size(), true);  // the checker proved it, or it would be a guard
  Type sliced = ir::accessedType(base.getType(), groups.points, groups.sizes);
  Value value = builder_.create<graph::SliceOp>(
      location, sliced, base, groups.offsets, builder_.getDenseBoolArrayAttr(groups.points),
      groups.dims(builder_.getContext()), builder_.getDenseI64ArrayAttr(groups.steps),
      builder_.getDenseBoolArrayAttr(groups.inBounds));
  return fit(value, typeOf(expr.type), location);
}

void FunctionGen::genStore(const checked::Stmt &stmt) {
  Location location = place(stmt.span);
  Value base = baseOf(values_, stmt.access);
  Value value = genExpr(*stmt.value);
  Groups groups = genGroups(stmt.access);
  value = fit(value, ir::accessedType(base.getType(), groups.points, groups.sizes), location);
  auto store = builder_.create<graph::StoreOp>(
      location, value, base, groups.offsets, builder_.getDenseBoolArrayAttr(groups.points),
      groups.dims(builder_.getContext()), builder_.getDenseI64ArrayAttr(groups.steps),
      builder_.getDenseBoolArrayAttr(groups.inBounds), stmt.oncePerGroup);
  if (stmt.access.vector) store->setAttr(ir::kVector, builder_.getI64IntegerAttr(stmt.access.vector));
}

void FunctionGen::genAtomic(const checked::Stmt &stmt) {
  Location location = place(stmt.span, stmt.var ? stmt.var->name : "");
  Value base = baseOf(values_, stmt.access), value = genExpr(*stmt.value);
  SmallVector<Value> indices;
  SmallVector<bool> inBounds;
  for (const checked::IndexPart &part : stmt.access.parts) {
    inBounds.push_back(part.inBounds);
    if (stmt.values.empty()) indices.push_back(part.offset ? genExpr(*part.offset) : genIndex(0));
  }
  for (const checked::ExprPtr &index : stmt.values) indices.push_back(genExpr(*index));
  auto atomic = builder_.create<graph::AtomicOp>(location, stmt.var ? TypeRange(value.getType()) : TypeRange(),
                                                 stmt.combine == kSetAtPlaces ? StringRef(kSetMnemonic) : StringRef(info(stmt.combine).mnemonic.data(), info(stmt.combine).mnemonic.size()),
                                                 value, base, indices, builder_.getDenseBoolArrayAttr(inBounds), stmt.oncePerGroup);
  if (stmt.var) values_[stmt.var] = {atomic.getOld()};
}

void FunctionGen::genAsyncCopy(const checked::Stmt &stmt) {
  MLIRContext *context = builder_.getContext();
  Value source = baseOf(values_, stmt.source), target = baseOf(values_, stmt.access);
  Groups from = genGroups(stmt.source), to = genGroups(stmt.access);
  builder_.create<graph::AsyncCopyOp>(
      place(stmt.span), source, from.offsets, builder_.getDenseBoolArrayAttr(from.points), from.dims(context),
      builder_.getDenseI64ArrayAttr(from.steps), builder_.getDenseBoolArrayAttr(from.inBounds), target,
      to.offsets, builder_.getDenseBoolArrayAttr(to.points), to.dims(context),
      builder_.getDenseI64ArrayAttr(to.steps), builder_.getDenseBoolArrayAttr(to.inBounds));
}

}  // namespace tessera::irgen
