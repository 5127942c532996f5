// Operations that put parts together or take them out: concat, stack, split, slices, repetitions.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

Value concat(Context &cx, std::vector<Value> values, int axis, Span span) {
  Type type = scalarType(DType::F32);
  if (!promote(cx, values, type, span, "concat")) return Value::poison();
  std::vector<Dim> shape = values[0].type.shape;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i].type.shape.size() != shape.size()) {
      report(cx, Id::rankMismatch, span, diag::counted(shape.size(), "dimension"),
             diag::counted(values[i].type.shape.size(), "dimension"))
          .label("part 0 has the shape " + shapeText(cx, values[0].type.shape) + ", part " + std::to_string(i) + " " +
                 shapeText(cx, values[i].type.shape))
          .help("a new dimension is made by `x[None, :]`, or by `stack`");
      return Value::poison();
    }
    for (size_t a = 0; a < shape.size(); ++a) {
      const Dim &d = values[i].type.shape[a];
      if (static_cast<int>(a) == axis) shape[a] = shape[a] + d;
      else if (!sameDim(cx, shape[a], d, span, "concat needs " + show(cx, shape[a]) + " == " + show(cx, d))) {
        if (!fresh(cx, Id::shapeMismatch, span)) return Value::poison();
        auto builder = report(cx, Id::shapeMismatch, span, shapeText(cx, values[0].type.shape),
                              shapeText(cx, values[i].type.shape));
        builder.help("the parts may differ only along axis " + std::to_string(axis));
        explainClaim(cx, builder, {shape[a], Relation::Eq, d});
        return Value::poison();
      }
    }
  }
  auto isEmpty = [&](const Value &v) { return v.type.shape[static_cast<size_t>(axis)] == Dim(0); };
  if (!std::all_of(values.begin(), values.end(), isEmpty)) std::erase_if(values, isEmpty);
  if (values.size() == 1 && values[0].type.dtype == type.dtype) return values[0];
  DType in = values.size() == 1 ? type.dtype : carryTypeOf(type);
  bool allStored = true;
  for (const Value &v : values) allStored &= v.expr->type.dtype == type.dtype;
  if (allStored) in = type.dtype;
  ExprPtr e = makeExpr(ExprKind::Concat, sema::tensorType(in, shape, type.numerics), span);
  e->as<node::Concat>().axis = axis;
  std::vector<std::optional<Limit>> limits(shape.size());
  for (Value &v : values) {
    // Of a stack whose axes will be merged: what lies outside is 0 in the parts, so that no product has to ask once more.
    if (const Limit *edge = axis > 0 ? v.limit(static_cast<size_t>(axis) - 1) : nullptr; edge && !edge->zeroOutside)
      v = maskAxis(cx, std::move(v), static_cast<size_t>(axis) - 1, 0, span);
    for (size_t a = 0; a < shape.size(); ++a) {
      const Limit *limit = v.limit(a), *others = values[0].limit(a);
      const bool alike = static_cast<int>(a) != axis && limit && others && cx.function.facts.same(limit->end, others->end);
      if (limit ? !alike : others != nullptr) return unsupported(cx, "concatenating tiles that may reach over the edge of their tensor, each in another place", span);
      if (limit) limits[a] = Limit{limit->end, limit->zeroOutside && (!limits[a] || limits[a]->zeroOutside)};
    }
    e->args.push_back(inCarryType(cx, v, in, span));
  }
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

Value sliceAxis(Context &cx, Value value, size_t axis, const Dim &start, const Dim &size, int64_t step, Span span) {
  if (start == Dim(0) && step == 1 && size == value.type.shape[axis]) return value;
  Type type = value.type;
  std::vector<std::optional<Limit>> limits = value.limits;
  limits.resize(type.shape.size());
  limits[axis].reset();
  ExprPtr arg = takeExpr(value);
  Type result = arg->type;
  result.shape[axis] = size;
  ExprPtr e = makeExpr(ExprKind::Slice, result, span);
  for (size_t a = 0; a < result.shape.size(); ++a) {
    IndexPart part;
    part.size = result.shape[a];
    part.inBounds = true;
    if (a == axis) {
      part.step = step;
      if (!(start == Dim(0))) part.offset = dimExpr(cx, start, span);
    }
    e->as<node::Slice>().access.parts.push_back(std::move(part));
  }
  e->args.push_back(std::move(arg));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

/// One value for each size, from the beginning of the axis to its end.
static Value splitSizes(Context &cx, Value value, const std::vector<Dim> &sizes, int axis, Span span) {
  size_t at = static_cast<size_t>(axis);
  if (value.limit(at)) return unsupported(cx, "splitting a tile that may reach over the edge of its tensor", span);
  value = reusable(cx, value, "parts", span);
  std::vector<Value> out;
  Dim start;
  for (const Dim &size : sizes) {
    out.push_back(sliceAxis(cx, value, at, start, size, 1, span));
    start = start + size;
  }
  return Value::tuple(std::move(out));
}

Value split(Context &cx, Value value, int parts, int axis, Span span) {
  const Dim whole = value.type.shape[static_cast<size_t>(axis)];
  auto exact = shape::divideExactly(whole, Dim(parts));
  Dim size = exact ? *exact : Dim::floorDiv(whole, Dim(parts));
  shape::Formula multiple(Dim::mod(whole, Dim(parts)), Relation::Eq, Dim(0));
  std::string why = "to split it in " + std::to_string(parts) + ", " + show(cx, whole) + " must be a multiple of " +
                    std::to_string(parts);
  if (!exact && !claim(cx, multiple, why, span)) {
    if (!fresh(cx, Id::splitSizes, span)) return Value::poison();
    auto builder = report(cx, Id::splitSizes, span, std::to_string(axis), show(cx, whole));
    builder.label(show(cx, whole) + " is not always a multiple of " + std::to_string(parts));
    explainClaim(cx, builder, multiple);
    return Value::poison();
  }
  return splitSizes(cx, std::move(value), std::vector<Dim>(static_cast<size_t>(parts), size), axis, span);
}

Value splitInto(Context &cx, Value value, const std::vector<Dim> &sizes, int axis, Span span) {
  const Dim whole = value.type.shape[static_cast<size_t>(axis)];
  Dim sum;
  std::vector<shape::Formula> claims;
  for (const Dim &size : sizes) {
    sum = sum + size;
    claims.push_back({size, Relation::Ge, Dim(0)});
  }
  claims.insert(claims.begin(), {sum, Relation::Eq, whole});
  for (const shape::Formula &one : claims) {
    if (claim(cx, one, "the sizes of the parts must be those of the axis: " + show(cx, one), span)) continue;
    if (!fresh(cx, Id::splitSizes, span)) return Value::poison();
    auto builder = report(cx, Id::splitSizes, span, std::to_string(axis), show(cx, whole));
    bool ofSum = &one == &claims.front();
    builder.label(ofSum ? "together they have " + show(cx, sum) : "this may be below 0: " + show(cx, one.claim.left));
    explainClaim(cx, builder, one);
    return Value::poison();
  }
  return splitSizes(cx, std::move(value), sizes, axis, span);
}

Value stack(Context &cx, std::vector<Value> values, int axis, Span span) {
  for (Value &v : values) v = insertAxis(cx, std::move(v), axis, span);
  return concat(cx, std::move(values), axis, span);
}

Value mergeAxes(Context &cx, Value value, size_t first, size_t count, Span span) {
  std::vector<Dim> shape = value.type.shape;
  Dim product(1);
  for (size_t i = 0; i < count; ++i) product = product * shape[first + i];
  auto begin = shape.begin() + static_cast<std::ptrdiff_t>(first);
  shape.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(first), product);
  return reshape(cx, std::move(value), std::move(shape), -1, span);
}

Value repeat(Context &cx, Value value, const Dim &times, int axis, bool whole, Span span) {
  shape::Formula some(times, Relation::Ge, Dim(0));
  if (!claim(cx, some, "a repetition needs " + show(cx, some), span)) {
    if (!fresh(cx, Id::badReshape, span)) return Value::poison();
    auto builder = report(cx, Id::badReshape, span, shapeText(cx, value.type.shape), show(cx, times) + " repetitions");
    explainClaim(cx, builder, some);
    return Value::poison();
  }
  std::vector<Dim> shape = value.type.shape;
  int added = whole ? axis : axis + 1;
  shape.insert(shape.begin() + added, times);
  value = broadcastValue(cx, insertAxis(cx, std::move(value), added, span), shape, span);
  return value.isPoison() ? value : mergeAxes(cx, std::move(value), static_cast<size_t>(axis), 2, span);
}

/// `value` everywhere in this shape, of the dtype of `like`.
static Value filled(Context &cx, const std::vector<Dim> &shape, double value, const Value &like, Span span) {
  Type type = scalarType(like.type.dtype, like.type.numerics);
  ExprPtr e = broadcastTo(makeConstant(type.dtype, value, span), shape);
  return arrayValue(cx, std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span);
}

Value padAxis(Context &cx, Value value, size_t axis, int64_t amount, double fill, Span span, bool both) {
  if (amount == 0) return value;
  std::vector<Dim> shape = value.type.shape;
  shape[axis] = Dim(amount);
  Value edge = filled(cx, shape, fill, value, span);
  std::vector<Value> parts = {std::move(value), edge};
  if (both) parts.insert(parts.begin(), edge);
  return concat(cx, std::move(parts), static_cast<int>(axis), span);
}

}  // namespace tessera::sema
