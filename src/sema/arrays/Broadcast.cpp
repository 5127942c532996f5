// Shapes: broadcasting and axes.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

bool sameDim(Context &cx, const Dim &a, const Dim &b, Span span, const std::string &why) {
  return a == b || claim(cx, {a, Relation::Eq, b}, why, span);
}

static bool spreadsOne(Context &cx, Value &value, size_t axis, const Dim &extent, Span span);

bool broadcastShapes(Context &cx, std::vector<Value> &args, std::vector<Dim> &shape, Span span, size_t apart) {
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
      if (cx.function.facts.same(have, want) || cx.function.facts.same(want, Dim(1))) continue;
      if (cx.function.facts.same(have, Dim(1))) {
        have = want;
        continue;
      }
      shape::Formula equal(have, Relation::Eq, want);
      if (claim(cx, equal, show(cx, equal), span)) continue;
      if (fresh(cx, Id::broadcastFails, span)) {
        std::vector<std::string> texts;
        for (const Value &o : args)
          if (o.isArray()) texts.push_back(shapeText(cx, {o.type.shape.begin(), o.type.shape.end() - apart}));
        auto builder = report(cx, Id::broadcastFails, span, texts.front(), texts.back());
        builder.label(show(cx, have) + " here, " + show(cx, want) + " there");
        builder.help("counted from the last, extents must be equal, or one of them 1");
        auto any = shape::Formula::any({equal, {have, Relation::Eq, Dim(1)}, {want, Relation::Eq, Dim(1)}});
        explainClaim(cx, builder, equal, &any);
      }
      return false;
    }
  }
  for (Value &v : args)
    for (size_t a = 0; a < axesOf(v); ++a)
      if (!spreadsOne(cx, v, a, shape[rank - axesOf(v) + a], span)) return false;
  return true;
}

/// Before an axis gets this extent: where that means to spread its one element, its own becomes the number 1.
static bool spreadsOne(Context &cx, Value &value, size_t axis, const Dim &extent, Span span) {
  const Dim &own = value.type.shape[axis];
  if (own == Dim(1) || own == extent || cx.function.facts.same(own, extent)) return true;
  value = sliceAxis(cx, std::move(value), axis, Dim(0), Dim(1), 1, span);
  return !value.isPoison();
}

ExprPtr broadcastTo(ExprPtr expr, const std::vector<Dim> &shape) {
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
    for (int &axis : expr->as<node::Broadcast>().axes) axis = axes[axis];
    expr->type = type;
    return expr;
  }
  ExprPtr e = makeExpr(ExprKind::Broadcast, type, span);
  e->as<node::Broadcast>().axes = std::move(axes);
  e->args.push_back(std::move(expr));
  return e;
}

Value broadcastValue(Context &cx, Value value, const std::vector<Dim> &shape, Span span) {
  value = toArray(cx, value, DType::F32, span);
  if (value.kind != ValueKind::Array) return Value::poison();
  size_t rank = value.type.shape.size();
  std::optional<shape::Formula> broken;
  for (size_t i = 0; rank <= shape.size() && !broken && i < rank; ++i) {
    const Dim from = value.type.shape[i], &to = shape[shape.size() - rank + i];
    if (from == Dim(1) || cx.function.facts.same(from, to)) continue;
    if (cx.function.facts.same(from, Dim(1))) {
      if (!spreadsOne(cx, value, i, to, span)) return Value::poison();
    } else if (shape::Formula equal(from, Relation::Eq, to); !claim(cx, equal, show(cx, equal), span)) {
      broken = std::move(equal);
    }
  }
  if (broken || rank > shape.size()) {
    if (!fresh(cx, Id::broadcastFails, span)) return Value::poison();
    auto builder = report(cx, Id::broadcastFails, span, shapeText(cx, value.type.shape), shapeText(cx, shape));
    if (!broken) builder.label("the value has more dimensions than " + shapeText(cx, shape));
    else explainClaim(cx, builder, *broken);
    return Value::poison();
  }
  std::vector<std::optional<Limit>> limits(shape.size());
  for (size_t i = 0; i < rank; ++i)
    if (value.limit(i)) limits[shape.size() - rank + i] = *value.limit(i);
  Type type = value.type;
  return arrayValue(cx, broadcastTo(takeExpr(value), shape), type, std::move(limits), span);
}

/// `shown`: what the thing with these axes is called.
template <class Shown> static std::optional<int> axisIn(Context &cx, const Value &value, size_t rank, Span span, Shown shown) {
  auto axis = knownInt(cx, value, span, "an axis");
  if (!axis) return std::nullopt;
  int64_t r = static_cast<int64_t>(rank);
  if (*axis < -r || *axis >= r) {
    if (fresh(cx, Id::badAxis, span))
      report(cx, Id::badAxis, span, std::to_string(*axis), shown())
          .help("it has " + std::to_string(rank) + " dimensions, counted from 0, or from the end with -1");
    return std::nullopt;
  }
  return static_cast<int>(*axis < 0 ? *axis + r : *axis);
}

std::optional<int> axisOf(Context &cx, const Value &value, size_t rank, Span span, const std::string &shown) {
  return axisIn(cx, value, rank, span, [&] { return shown; });
}
std::optional<int> axisOf(Context &cx, const Value &value, const Value &of, Span span) {
  return axisIn(cx, value, of.type.shape.size(), span, [&] { return describe(cx, of); });
}

bool axesOf(Context &cx, const Value &axis, const Value &of, Span span, std::vector<int> &axes) {
  if (!axis.given() || axis.kind == ValueKind::None) {
    for (size_t i = 0; i < of.type.shape.size(); ++i) axes.push_back(static_cast<int>(i));
    return true;
  }
  std::vector<Value> items = axis.isSequence() ? axis.items : std::vector<Value>{axis};
  for (const Value &item : items) {
    auto one = axisOf(cx, item, of, span);
    if (!one) return false;
    axes.push_back(*one);
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) == axes.end()) return true;
  report(cx, Id::badConstant, span, "an axis occurs twice");
  return false;
}

}  // namespace tessera::sema
