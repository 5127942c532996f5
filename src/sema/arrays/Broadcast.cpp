// Shapes: broadcasting and axes.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {


bool Checker::sameDim(const Dim &a, const Dim &b, Span span, const std::string &why) {
  return a == b || claim({a, Relation::Eq, b}, why, span);
}

/// The shape that all of them have after broadcasting, without the last axes that stand `apart`. Extents that the facts
/// prove to be 1 become the number 1 where they are spread.
bool Checker::broadcastShapes(std::vector<Value> &args, std::vector<Dim> &shape, Span span, size_t apart) {
  auto axesOf = [&](const Value &v) { return v.isArray() ? v.type.shape.size() - apart : 0; };
  size_t rank = 0;
  for (const Value &v : args) rank = std::max(rank, axesOf(v));
  shape.assign(rank, Dim(1));
  for (const Value &v : args) {
    for (size_t a = 0; a < axesOf(v); ++a) {
      Dim &have = shape[rank - axesOf(v) + a];
      const Dim &want = v.type.shape[a];
      if (want == Dim(1) || have == want) continue;
      if (have == Dim(1)) {
        have = want;
        continue;
      }
      if (facts_.same(have, want) || facts_.same(want, Dim(1))) continue;
      if (facts_.same(have, Dim(1))) {
        have = want;
        continue;
      }
      shape::Formula equal(have, Relation::Eq, want);
      if (claim(equal, show(equal), span)) continue;
      if (fresh(Id::broadcastFails, span)) {
        std::vector<std::string> texts;
        for (const Value &o : args)
          if (o.isArray()) texts.push_back(shapeText({o.type.shape.begin(), o.type.shape.end() - apart}));
        auto builder = report(Id::broadcastFails, span, texts.front(), texts.back());
        builder.label(show(have) + " here, " + show(want) + " there");
        builder.help("counted from the last, extents must be equal, or one of them 1");
        auto any = shape::Formula::any({equal, {have, Relation::Eq, Dim(1)}, {want, Relation::Eq, Dim(1)}});
        explainClaim(builder, equal, &any);
      }
      return false;
    }
  }
  for (Value &v : args)
    for (size_t a = 0; a < axesOf(v); ++a)
      if (!spreadsOne(v, a, shape[rank - axesOf(v) + a], span)) return false;
  return true;
}

/// Before an axis gets this extent: where that means to spread its one element, its own becomes the number 1.
bool Checker::spreadsOne(Value &value, size_t axis, const Dim &extent, Span span) {
  const Dim &own = value.type.shape[axis];
  if (own == Dim(1) || own == extent || facts_.same(own, extent)) return true;
  value = sliceAxis(std::move(value), axis, Dim(0), Dim(1), 1, span);
  return !value.isPoison();
}

ExprPtr Checker::broadcastTo(ExprPtr expr, const std::vector<Dim> &shape) {
  Type type = expr->type;
  Span span = expr->span;
  bool scalar = type.kind != TypeKind::Tensor;
  if (!scalar && type.shape.size() == shape.size()) {
    bool same = true;
    for (size_t i = 0; i < shape.size(); ++i) same &= type.shape[i] == shape[i] || !(type.shape[i] == Dim(1));
    if (same) return expr;
  }
  std::vector<Dim> old = type.shape;
  type.kind = TypeKind::Tensor;
  type.shape = shape;
  if (scalar || expr->kind == ExprKind::Full) {
    if (!scalar) {
      expr->type = type;
      return expr;
    }
    ExprPtr full = makeExpr(ExprKind::Full, type, span);
    full->args.push_back(std::move(expr));
    return full;
  }
  std::vector<int> axes;
  for (size_t i = 0; i < old.size(); ++i) axes.push_back(static_cast<int>(shape.size() - old.size() + i));
  if (expr->kind == ExprKind::Broadcast) {  // one broadcast does the work of two
    for (int &axis : expr->axes) axis = axes[axis];
    expr->type = type;
    return expr;
  }
  ExprPtr e = makeExpr(ExprKind::Broadcast, type, span);
  e->axes = std::move(axes);
  e->args.push_back(std::move(expr));
  return e;
}

Value Checker::broadcastValue(Value value, const std::vector<Dim> &shape, Span span) {
  value = toArray(value, DType::F32, span);
  if (value.kind != ValueKind::Array) return Value::poison();
  size_t rank = value.type.shape.size();
  std::optional<shape::Formula> broken;
  for (size_t i = 0; rank <= shape.size() && !broken && i < rank; ++i) {
    const Dim from = value.type.shape[i], &to = shape[shape.size() - rank + i];
    if (from == Dim(1) || facts_.same(from, to)) continue;
    if (facts_.same(from, Dim(1))) {
      if (!spreadsOne(value, i, to, span)) return Value::poison();
    } else if (shape::Formula equal(from, Relation::Eq, to); !claim(equal, show(equal), span)) {
      broken = std::move(equal);
    }
  }
  if (broken || rank > shape.size()) {
    if (!fresh(Id::broadcastFails, span)) return Value::poison();
    auto builder = report(Id::broadcastFails, span, shapeText(value.type.shape), shapeText(shape));
    if (!broken) builder.label("the value has more dimensions than " + shapeText(shape));
    else explainClaim(builder, *broken);
    return Value::poison();
  }
  std::vector<std::optional<Limit>> limits(shape.size());
  for (size_t i = 0; i < rank; ++i)
    if (value.limit(i)) limits[shape.size() - rank + i] = *value.limit(i);
  Type type = value.type;
  return finish(broadcastTo(take(value), shape), type, std::move(limits), span);
}

std::optional<int> Checker::axisOf(const Value &value, size_t rank, Span span, const std::string &shown) {
  auto axis = knownInt(value, span, "an axis");
  if (!axis) return std::nullopt;
  int64_t r = static_cast<int64_t>(rank);
  if (*axis < -r || *axis >= r) {
    if (fresh(Id::badAxis, span))
      report(Id::badAxis, span, std::to_string(*axis), shown)
          .help("it has " + std::to_string(rank) + " dimensions, counted from 0, or from the end with -1");
    return std::nullopt;
  }
  return static_cast<int>(*axis < 0 ? *axis + r : *axis);
}

bool Checker::axesOf(const Value &axis, size_t rank, Span span, std::vector<int> &axes,
                     const std::string &shown) {
  if (!axis.given() || axis.kind == ValueKind::None) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int>(i));
    return true;
  }
  std::vector<Value> items = axis.isSequence() ? axis.items : std::vector<Value>{axis};
  for (const Value &item : items) {
    auto one = axisOf(item, rank, span, shown);
    if (!one) return false;
    axes.push_back(*one);
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) == axes.end()) return true;
  report(Id::badConstant, span, "an axis occurs twice");
  return false;
}

}  // namespace tessera::sema
