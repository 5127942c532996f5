// Shapes: broadcasting, axes, and the operations that move elements.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using shape::Verdict;

bool Checker::sameDim(const Dim &a, const Dim &b, Span span, const std::string &why) {
  return a == b || claim({a, Relation::Eq, b}, why, span);
}

bool Checker::broadcastShapes(const std::vector<Value> &args, std::vector<Dim> &shape, Span span) {
  size_t rank = 0;
  for (const Value &v : args) rank = std::max(rank, v.isArray() ? v.type.shape.size() : 0);
  shape.assign(rank, Dim(1));
  for (const Value &v : args) {
    if (!v.isArray()) continue;
    size_t lead = rank - v.type.shape.size();
    for (size_t a = 0; a < v.type.shape.size(); ++a) {
      Dim &have = shape[lead + a];
      const Dim &want = v.type.shape[a];
      if (want == Dim(1) || have == want) continue;
      if (have == Dim(1)) {
        have = want;
        continue;
      }
      shape::Formula equal(have, Relation::Eq, want);
      Verdict verdict = facts_.decide(equal);
      if (verdict == Verdict::Proved) continue;
      if (fresh(Id::broadcastFails, span)) {
        std::vector<std::string> texts;
        for (const Value &o : args)
          if (o.isArray()) texts.push_back(shapeText(o.type.shape));
        auto builder = report(Id::broadcastFails, span, texts.front(), texts.back());
        builder.label(show(have) + " here, " + show(want) + " there");
        builder.help("counted from the last, extents must be equal, or one of them 1");
        auto any = shape::Formula::any({equal, {have, Relation::Eq, Dim(1)}, {want, Relation::Eq, Dim(1)}});
        explainClaim(builder, equal, &any);
      }
      return false;
    }
  }
  return true;
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
    const Dim &from = value.type.shape[i], &to = shape[shape.size() - rank + i];
    if (from == Dim(1) || sameDim(from, to, span, "")) continue;
    broken = shape::Formula(from, Relation::Eq, to);
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

Value Checker::transpose(Value value, std::vector<int> axes, Span span) {
  size_t rank = value.type.shape.size();
  if (axes.empty())
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int>(rank - 1 - i));
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits(rank);
  for (size_t i = 0; i < rank; ++i) {
    shape.push_back(value.type.shape[axes[i]]);
    if (const Limit *l = value.limit(axes[i])) limits[i] = *l;
  }
  Type type = value.type;
  ExprPtr arg = take(value);
  Type result = arg->type;
  result.shape = shape;
  ExprPtr e = makeExpr(ExprKind::Transpose, result, span);
  e->axes = std::move(axes);
  e->args.push_back(std::move(arg));
  return finish(std::move(e), type, std::move(limits), span);
}

Value Checker::reshape(Value value, std::vector<Dim> shape, int inferred, Span span) {
  Dim from(1), to(1);
  for (const Dim &d : value.type.shape) from = from * d;
  for (size_t i = 0; i < shape.size(); ++i)
    if (static_cast<int>(i) != inferred) to = to * shape[i];
  auto fail = [&](const std::string &why, const shape::Formula &claim) {
    if (fresh(Id::badReshape, span)) {
      std::vector<Dim> wanted = shape;
      if (inferred >= 0) wanted[static_cast<size_t>(inferred)] = Dim(-1);
      auto builder = report(Id::badReshape, span, shapeText(value.type.shape), shapeText(wanted));
      builder.label(why);
      explainClaim(builder, claim);
    }
    return Value::poison();
  };
  for (size_t a = 0; a < value.limits.size(); ++a)
    if (value.limit(a))
      return unsupported("reshaping a tile that may reach over the edge of its tensor", span);
  if (inferred >= 0) {
    auto quotient = shape::divideExactly(from, to);
    if (!quotient && (quotient = shape::divideExactly(facts_.simplify(from), facts_.simplify(to))))
      quotient = facts_.external(*quotient);
    if (quotient) shape[inferred] = *quotient;
    else if (to == Dim(0)) return fail("-1 stands for nothing here", {to, Relation::Ne, Dim(0)});
    else {
      shape[static_cast<size_t>(inferred)] = facts_.external(Dim::floorDiv(from, to));
      shape::Formula multiple(Dim::mod(from, to), Relation::Eq, Dim(0));
      if (!claim(multiple, "for this reshape, " + show(from) + " must be a multiple of " + show(to), span))
        return fail(show(from) + " is not always a multiple of " + show(to), multiple);
    }
  } else {
    shape::Formula equal(from, Relation::Eq, to);
    if (!claim(equal, "for this reshape, " + show(from) + " must be " + show(to), span))
      return fail(show(from) + " elements are not " + show(to), equal);
  }
  Type type = value.type;
  ExprPtr arg = take(value);
  Type result = arg->type;
  result.shape = shape;
  result.kind = TypeKind::Tensor;
  ExprPtr e = makeExpr(ExprKind::Reshape, result, span);
  e->args.push_back(std::move(arg));
  return finish(std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span);
}

Value Checker::insertAxis(Value value, int axis, Span span) {
  Type type = value.type;
  std::vector<std::optional<Limit>> limits = value.limits;
  limits.resize(type.shape.size());
  limits.insert(limits.begin() + axis, std::nullopt);
  ExprPtr arg = take(value);
  Type result = arg->type;
  result.kind = TypeKind::Tensor;
  result.shape = type.shape;
  result.shape.insert(result.shape.begin() + axis, Dim(1));
  if (type.kind == TypeKind::Scalar) {
    ExprPtr full = makeExpr(ExprKind::Full, result, span);
    full->args.push_back(std::move(arg));
    return finish(std::move(full), type, std::move(limits), span);
  }
  if (arg->kind == ExprKind::Broadcast) {
    for (int &a : arg->axes) a += a >= axis;
    arg->type = result;
    return finish(std::move(arg), type, std::move(limits), span);
  }
  ExprPtr e = makeExpr(ExprKind::Broadcast, result, span);
  for (int i = 0; i < static_cast<int>(type.shape.size()); ++i) e->axes.push_back(i < axis ? i : i + 1);
  e->args.push_back(std::move(arg));
  return finish(std::move(e), type, std::move(limits), span);
}

Value Checker::removeAxis(Value value, int axis, Span span) {
  const Dim &extent = value.type.shape[static_cast<size_t>(axis)];
  shape::Formula single(extent, Relation::Eq, Dim(1));
  if (!claim(single, "", span)) {
    if (!fresh(Id::badReshape, span)) return Value::poison();
    auto builder = report(Id::badReshape, span, shapeText(value.type.shape), "one dimension less");
    builder.label("axis " + std::to_string(axis) + " has " + show(extent) + " elements, not 1");
    explainClaim(builder, single);
    return Value::poison();
  }
  Type type = value.type;
  std::vector<std::optional<Limit>> limits = value.limits;
  limits.resize(type.shape.size());
  limits.erase(limits.begin() + axis);
  ExprPtr arg = take(value);
  Type result = arg->type;
  result.shape.erase(result.shape.begin() + axis);
  if (result.shape.empty()) {
    result.kind = TypeKind::Scalar;
    ExprPtr e = makeExpr(ExprKind::Slice, result, span);
    IndexPart part;
    part.isPoint = true;
    part.offset = makeIndex(0, span);
    part.inBounds = true;
    e->access.parts.push_back(std::move(part));
    e->args.push_back(std::move(arg));
    return finish(std::move(e), type, {}, span);
  }
  ExprPtr e = makeExpr(ExprKind::Reshape, result, span);
  e->args.push_back(std::move(arg));
  return finish(std::move(e), type, std::move(limits), span);
}

Value Checker::concat(std::vector<Value> values, int axis, Span span) {
  Type type = scalarType(DType::F32);
  if (!promote(values, type, span, "concat")) return Value::poison();
  std::vector<Dim> shape = values[0].type.shape;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i].type.shape.size() != shape.size()) {
      report(Id::rankMismatch, span, std::to_string(shape.size()),
             std::to_string(values[i].type.shape.size()));
      return Value::poison();
    }
    for (size_t a = 0; a < shape.size(); ++a) {
      const Dim &d = values[i].type.shape[a];
      if (static_cast<int>(a) == axis) shape[a] = shape[a] + d;
      else if (!sameDim(shape[a], d, span, "concat needs " + show(shape[a]) + " == " + show(d))) {
        if (!fresh(Id::shapeMismatch, span)) return Value::poison();
        auto builder =
            report(Id::shapeMismatch, span, shapeText(values[0].type.shape), shapeText(values[i].type.shape));
        builder.help("the parts may differ only along axis " + std::to_string(axis));
        explainClaim(builder, {shape[a], Relation::Eq, d});
        return Value::poison();
      }
    }
  }
  DType in = values.size() == 1 ? type.dtype : carriedIn(type);
  bool allStored = true;
  for (const Value &v : values) allStored &= v.expr->type.dtype == type.dtype;
  if (allStored) in = type.dtype;
  ExprPtr e = makeExpr(ExprKind::Concat, sema::tensorType(in, shape, type.numerics), span);
  e->axes = {axis};
  for (const Value &v : values) {
    for (size_t a = 0; a < v.limits.size(); ++a)
      if (v.limit(a))
        return unsupported("concatenating tiles that may reach over the edge of their tensor", span);
    e->args.push_back(carried(v, in, span));
  }
  return finish(std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span);
}

Value Checker::split(Value value, int parts, int axis, Span span) {
  const Dim whole = value.type.shape[axis];
  auto exact = shape::divideExactly(whole, Dim(parts));
  Dim size = exact ? *exact : Dim::floorDiv(whole, Dim(parts));
  shape::Formula multiple(Dim::mod(whole, Dim(parts)), Relation::Eq, Dim(0));
  if (!exact && !claim(multiple, "to split it in " + std::to_string(parts) + ", " + show(whole) +
                                     " must be a multiple of " + std::to_string(parts), span)) {
    if (!fresh(Id::badReshape, span)) return Value::poison();
    auto builder =
        report(Id::badReshape, span, shapeText(value.type.shape), std::to_string(parts) + " equal parts");
    builder.label(show(whole) + " is not always a multiple of " + std::to_string(parts));
    explainClaim(builder, multiple);
    return Value::poison();
  }
  value = cheap(value, "parts", span);
  std::vector<Value> out;
  for (int p = 0; p < parts; ++p) {
    Type result = value.expr->type;
    result.shape[axis] = size;
    ExprPtr e = makeExpr(ExprKind::Slice, result, span);
    for (size_t a = 0; a < result.shape.size(); ++a) {
      IndexPart part;
      part.size = result.shape[a];
      part.inBounds = true;
      if (static_cast<int>(a) == axis && p > 0) part.offset = dimExpr(Dim(p) * size, span);
      e->access.parts.push_back(std::move(part));
    }
    e->args.push_back(clone(*value.expr));
    out.push_back(
        finish(std::move(e), value.type, std::vector<std::optional<Limit>>(result.shape.size()), span));
  }
  return Value::tuple(std::move(out));
}

}  // namespace tessera::sema
