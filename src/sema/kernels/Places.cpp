#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "support/SetAtPlaces.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

bool NamedPlaces::isNamed() const {
  return std::any_of(places.begin(), places.end(), [](const Value &v) { return v.given(); });
}

namespace {

ExprPtr wordOf(ExprPtr index) {
  Type type = index->type;
  return type.kind == TypeKind::Index ? makeCast(std::move(index), DType::I64, {}) : std::move(index);
}

/// The indices that a range names, as an array.
Value placesOf(Context &cx, const IndexPart &part, Span span) {
  ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I32, {part.size}), span);
  count->as<node::Iota>().axis = 0;
  const Type word = scalarType(DType::I64);
  Value places = arrayValue(cx, makeCast(std::move(count), DType::I64, {}), word, {std::nullopt}, span);
  if (part.step != 1) places = elementwise(cx, ElementwiseOp::Mul, {places, Value::integer(Dim(part.step))}, span, "*");
  if (!part.offset) return places;
  Value start = arrayValue(cx, wordOf(clone(*part.offset)), word, {}, span);
  return elementwise(cx, ElementwiseOp::Add, {std::move(start), std::move(places)}, span, "+");
}

/// `places` with -1, which is outside, where the value comes from outside of the tensor that it was read from.
Value withoutOutside(Context &cx, Value places, const Value &value, const std::vector<std::optional<Limit>> &known, IndexPart &part, Span span) {
  auto mask = [&](size_t axis) {
    places = maskAxis(cx, std::move(places), axis, -1, span);
    part.inBounds = false;
  };
  for (size_t axis = 0; axis < places.type.shape.size(); ++axis) {
    if (places.limit(axis)) mask(axis);
    const Limit *limit = value.limit(axis);
    if (!limit || (axis < known.size() && known[axis] && cx.function.facts.same(known[axis]->end, limit->end))) continue;
    if (const Limit *own = places.limit(axis); own && cx.function.facts.same(own->end, limit->end)) continue;
    places.limits.resize(places.type.shape.size());
    places.limits[axis] = *limit;
    mask(axis);
  }
  return places;
}

/// Along which axes of the result the one tile of indices lies that stands beside slices; 0 where there is none.
size_t axesOfTile(const NamedPlaces &target) {
  for (const Value &v : target.places)
    if (v.given()) return v.type.shape.size();
  return 0;
}

}  // namespace

bool placesNamed(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, NamedPlaces &out) {
  std::vector<int> newAxes;
  std::vector<SliceStart> starts;
  return accessOf(cx, object, syntax, out.access, out.shape, out.limits, newAxes, &starts, &out.places) &&
         shapeOfPlaces(cx, newAxes, syntax.span, out);
}

bool shapeOfPlaces(Context &cx, const std::vector<int> &newAxes, Span span, NamedPlaces &out) {
  std::vector<Value> tiles;
  for (const Value &v : out.places)
    if (v.given()) tiles.push_back(v);
  const bool mixed = !tiles.empty() && !out.shape.empty();
  if (!newAxes.empty() || (mixed && tiles.size() > 1)) {
    unsupported(cx, newAxes.empty() ? "a slice beside several tiles of indices" : "`None` in the place of an update", span,
                newAxes.empty() ? "name the elements of that axis by a tile, too: `tile.iota((n,))`" : "");
    return false;
  }
  if (endsAtData(out.limits)) {
    unsupported(cx, "an update of a tile in a loop that ends at data, where the last tile is cut", span, kByOne);
    return false;
  }
  if (tiles.empty()) return true;
  if (!mixed) {
    if (!broadcastShapes(cx, tiles, out.shape, span)) return false;
    auto next = tiles.begin();
    for (Value &v : out.places)
      if (v.given()) v = *next++;
    return true;
  }
  // The axes of the tile stand where its own does, those of slices around it.
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits;
  size_t range = 0;
  for (size_t axis = 0; axis < out.access.parts.size(); ++axis) {
    if (out.access.parts[axis].isPoint) continue;
    if (const Value &tile = out.places[axis]; tile.given()) {
      shape.insert(shape.end(), tile.type.shape.begin(), tile.type.shape.end());
      limits.resize(limits.size() + tile.type.shape.size());
      continue;
    }
    shape.push_back(out.shape[range]);
    limits.push_back(out.limits[range++]);
  }
  out.shape = std::move(shape);
  out.limits = std::move(limits);
  return true;
}

bool indexTiles(Context &cx, NamedPlaces &target, const Value &value, Span span, std::vector<ExprPtr> &out) {
  const size_t ofTile = axesOfTile(target);
  bool alone = ofTile != 0;  // no slices beside tiles, which were broadcast with each other
  for (size_t axis = 0; axis < target.places.size(); ++axis) alone &= target.access.parts[axis].isPoint || target.places[axis].given();
  bool first = true;
  size_t begin = 0;  // the axis of the result at which this one's begin
  for (size_t axis = 0; axis < target.access.parts.size(); ++axis) {
    IndexPart &part = target.access.parts[axis];
    Value places = target.places[axis];
    if (part.isPoint) {
      out.push_back(clone(*part.offset));
      continue;
    }
    const bool named = places.given();
    if (!named) places = placesOf(cx, part, span);
    if (!alone) {  // each axis, or tile, has axes of the result for itself
      const size_t count = named ? ofTile : 1;
      for (size_t i = begin + count; i < target.shape.size() && !places.isPoison(); ++i)
        places = insertAxis(cx, std::move(places), static_cast<int>(i - begin), span);
      begin += count;
    }
    if (places.isPoison() || (places = broadcastValue(cx, std::move(places), target.shape, span)).isPoison()) return false;
    places.limits.resize(target.shape.size());
    places = withoutOutside(cx, std::move(places), first ? value : Value::of(ValueKind::None),
                            alone ? std::vector<std::optional<Limit>>() : target.limits, part, span);
    if (first && target.mask.given() && !places.isPoison()) {
      places = elementwise(cx, ElementwiseOp::Select, {target.mask, std::move(places), Value::integer(Dim(-1))}, span, "tile.store");
      part.inBounds = false;
    }
    if (places.isPoison()) return false;
    out.push_back(wordOf(takeExpr(places)));
    first = false;
  }
  return true;
}

void storeAtPlaces(Context &cx, const Value &object, NamedPlaces target, ExprPtr value, const Value &from, Span span) {
  const Var &base = *object.var;
  if (base.type.kind != TypeKind::View) {
    unsupported(cx, "a store to shared memory at a tile of indices", span, "a loop over lanes stores single elements: `s[at] = value`");
    return;
  }
  Value stored = arrayValue(cx, std::move(value), base.type, from.isArray() ? from.limits : std::vector<std::optional<Limit>>(), span);
  stored.type.numerics = {};
  stored = broadcastValue(cx, std::move(stored), target.shape, span);
  std::vector<ExprPtr> indices;
  if (stored.isPoison() || !indexTiles(cx, target, stored, span, indices)) return;
  cx.function.stored.insert(object.var);
  Stmt &stmt = emit(cx, StmtKind::Atomic, span);
  stmt.combine = kSetAtPlaces;
  stmt.access = std::move(target.access);
  stmt.value = takeExpr(stored);
  stmt.values = std::move(indices);
}

/// The store under the condition that this is.
static void storeIf(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, const Value &value, const Value &mask, Span valueSpan, Span maskSpan, Span span) {
  ExprPtr condition = conditionExpr(cx, mask, maskSpan);
  if (!condition) return;
  if (cx.function.conditionDepth == 0) noteLaneGuard(cx, mask.implies, maskSpan);
  const bool varying = isVarying(*condition);
  Stmt &asked = emit(cx, StmtKind::If, span);
  asked.condition = std::move(condition);
  Block *outer = std::exchange(cx.function.block, &asked.body);
  const int outerId = std::exchange(cx.blockId, ++cx.nextBlockId);
  auto facts = cx.function.facts;
  if (mask.fact && !mentionsRebound(cx, *mask.fact)) cx.function.facts.add(*mask.fact);
  ++cx.function.conditionDepth;
  enterVarying(cx, varying, maskSpan);
  storeTo(cx, object, syntax, value, span, valueSpan);
  leaveVarying(cx, varying);
  --cx.function.conditionDepth;
  cx.function.facts = std::move(facts);
  cx.blockId = outerId;
  cx.function.block = outer;
}

void storeWhere(Context &cx, const Value &object, const ast::SubscriptExpr &syntax, const Value &value, Value mask, Span valueSpan, Span maskSpan, Span span) {
  if (value.isPoison() || mask.isPoison()) return;
  if (!mask.isArray()) return storeIf(cx, object, syntax, value, mask, valueSpan, maskSpan, span);
  NamedPlaces target;
  if (object.kind != ValueKind::View || mask.type.dtype != DType::Bool) {
    const bool place = object.kind != ValueKind::View;
    if (fresh(cx, Id::wrongArgument, place ? syntax.span : maskSpan))
      report(cx, Id::wrongArgument, place ? syntax.span : maskSpan, place ? "`tile.store` with a mask" : "`mask`",
             place ? "a slice of a tensor of the kernel's parameters" : "a condition for each element, such as `x > 0`", describe(cx, place ? object : mask));
    return;
  }
  if (!placesNamed(cx, object, syntax, target)) return;
  ExprPtr stored = castToPlace(cx, value, object.var->type, valueSpan, "`" + object.var->name + "`", true);
  target.mask = broadcastValue(cx, std::move(mask), target.shape, maskSpan);
  if (stored && !target.mask.isPoison()) storeAtPlaces(cx, object, std::move(target), std::move(stored), value, span);
}

}  // namespace tessera::sema
