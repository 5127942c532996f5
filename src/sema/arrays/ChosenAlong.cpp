#include "sema/arrays/Arrays.h"
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

/// `x[n, iy, ix]`: what tensors of integers name along neighbouring axes, counted along all of them; -1 where one lies outside.
static Value placesTogether(Context &cx, std::vector<Value> tiles, const std::vector<Dim> &extents, Span span) {
  std::vector<Dim> shape;
  if (!broadcastShapes(cx, tiles, shape, span)) return Value::poison();
  Value together, inside;
  auto binary = [&](ElementwiseOp op, Value a, Value b) { return elementwise(cx, op, {std::move(a), std::move(b)}, span, "an index"); };
  for (size_t i = 0; i < tiles.size(); ++i) {
    Value tile = reusable(cx, std::move(tiles[i]), "place", span);
    if (tile.isPoison()) return tile;
    Value here = binary(ElementwiseOp::And, compareValues(cx, ast::CompareOp::Ge, tile, Value::integer(Dim(0)), span),
                        compareValues(cx, ast::CompareOp::Lt, tile, Value::integer(extents[i]), span));
    inside = i == 0 ? std::move(here) : binary(ElementwiseOp::And, std::move(inside), std::move(here));
    together = i == 0 ? std::move(tile) : binary(ElementwiseOp::Add, binary(ElementwiseOp::Mul, std::move(together), Value::integer(extents[i])), std::move(tile));
    if (inside.isPoison() || together.isPoison()) return Value::poison();
  }
  Value chosen = elementwise(cx, ElementwiseOp::Select, {std::move(inside), std::move(together), Value::integer(Dim(-1))}, span, "an index");
  return chosen.isPoison() ? chosen : reusable(cx, std::move(chosen), "place", span);
}

/// `arange(N)` for an axis of N: each of its rows in turn.
static bool isWholeAxis(const Context &cx, const Value &places, const Dim &extent) {
  const Expr *e = places.expr.get();
  while (e && e->kind == ExprKind::Cast) e = e->args[0].get();
  return e && e->kind == ExprKind::Iota && e->type.shape.size() == 1 && cx.function.facts.same(e->type.shape[0], extent);
}
static bool isOnePerRow(const Context &cx, const Value &places, const Dim &rows) {
  return places.type.shape.size() == 1 && cx.function.facts.same(places.type.shape[0], rows);
}

/// What stands in a subscript for an axis that is not left to `...`.
static Span indexOf(const ast::SubscriptExpr &expr, size_t axis, size_t rank) {
  std::vector<const ast::Expr *> items;
  for (const ast::Argument &item : expr.items)
    if (item.value->kind == ast::ExprKind::Tuple)
      for (const ast::ExprPtr &e : static_cast<const ast::SequenceExpr &>(*item.value).items) items.push_back(e.get());
    else items.push_back(item.value.get());
  size_t at = axis;
  for (size_t i = 0; i < items.size() && i <= axis; ++i)
    if (items[i]->kind == ast::ExprKind::Ellipsis) at = items.size() + axis - rank;
  return items[at]->span;
}

std::optional<Chosen> chosenAlong(Context &cx, const Value &base, Access &access, std::vector<Dim> &shape, std::vector<std::optional<Limit>> &limits,
                                  const std::vector<int> &newAxes, std::vector<SliceStart> *starts, std::vector<Value> &places,
                                  const ast::SubscriptExpr &expr) {
  Chosen out;
  int ranges = 0;
  size_t first = 0;
  std::vector<Value> tiles;
  std::vector<Dim> along;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    if (!places[axis].given()) {
      ranges += !access.parts[axis].isPoint;
      continue;
    }
    const bool isNeighbour = out.axis >= 0 && axis == first + tiles.size() && (inKernel(cx) ? base.kind == ValueKind::View : base.isArray());
    if (out.axis >= 0 && !isNeighbour) {  // beside another one it would have to be a number
      convertInt(cx, tiles.front(), indexOf(expr, first, places.size()));
      return std::nullopt;
    }
    if (!newAxes.empty()) {
      unsupported(cx, "`None` beside a tensor of integers in an index", expr.span, "`take(x, indices, axis)`, and `unsqueeze` for a new axis");
      return std::nullopt;
    }
    if (out.axis < 0) first = axis, out.axis = ranges;
    const Dim extent = base.var ? base.var->type.shape[axis] : base.type.shape[axis];
    if (dependsOnTile(cx, extent, "an index of data", expr.span)) return std::nullopt;
    tiles.push_back(std::move(places[axis]));
    along.push_back(extent);
    access.parts[axis].inBounds = true;
    shape.insert(shape.begin() + ranges, extent);
    limits.insert(limits.begin() + ranges, base.limit(axis) ? std::optional(*base.limit(axis)) : std::nullopt);
    if (starts) (*starts)[axis] = {};
    ++ranges;
  }
  if (tiles.size() == 1) out.places = std::move(tiles.front());
  if (tiles.size() == 2 && isWholeAxis(cx, tiles[0], along[0]) && isOnePerRow(cx, tiles[1], along[0])) {
    out.rows = true;
    out.places = std::move(tiles[1]);
  } else if (tiles.size() > 1) {
    out.merged = tiles.size();
    out.places = placesTogether(cx, std::move(tiles), along, expr.span);
    if (out.places.isPoison()) return std::nullopt;
  }
  return out;
}

}  // namespace tessera::sema
