// Operations that rename axes: transpose, reshape, axes of one element.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

Value transpose(Context &cx, Value value, std::vector<int> axes, Span span) {
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
  ExprPtr arg = takeExpr(value);
  Type result = arg->type;
  result.shape = shape;
  ExprPtr e = makeExpr(ExprKind::Transpose, result, span);
  e->as<node::Transpose>().axes = std::move(axes);
  e->args.push_back(std::move(arg));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

/// Without the axes that stand on both sides: which numbers are left, and which of them does not divide what there is.
static void explainLeft(Context &cx, diag::Builder &builder, const std::vector<Dim> &from, std::vector<Dim> to) {
  int64_t have = 1, want = 1;
  for (const Dim &extent : from) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const Dim &one) { return cx.function.facts.same(one, extent); });
    if (same != to.end()) to.erase(same);
    else if (!extent.isConstant() || extent.constant() < 1 || have > (1 << 20)) return;
    else have *= extent.constant();
  }
  std::string product, near;
  for (const Dim &extent : to) {
    if (!extent.isConstant() || extent.constant() < 1 || want > (1 << 20)) return;
    want *= extent.constant();
    product += (product.empty() ? "" : " * ") + std::to_string(extent.constant());
    if (!near.empty() || extent.constant() > have || have % extent.constant() == 0) continue;
    int64_t less = extent.constant(), more = less;
    while (have % less != 0) --less;
    while (have % more != 0) ++more;
    near = ", and " + std::to_string(extent.constant()) + " does not divide " + std::to_string(have) + ", as " + std::to_string(less) + " and " + std::to_string(more) + " do";
  }
  if (to.empty() || have == want || have == 1) return;
  builder.help("beside the axes that stay there are " + std::to_string(have) + " elements, and `" + product + "`" + (to.size() > 1 ? " is " + std::to_string(want) : " are wanted") + near);
}

static Value cannotReshape(Context &cx, const Value &value, std::vector<Dim> shape, int inferred,
                           const std::string &why, const shape::Formula &claim, Span span) {
  if (!fresh(cx, Id::badReshape, span)) return Value::poison();
  if (inferred >= 0) shape[static_cast<size_t>(inferred)] = Dim(-1);
  auto builder = report(cx, Id::badReshape, span, shapeText(cx, value.type.shape), shapeText(cx, shape));
  builder.label(why);
  explainClaim(cx, builder, claim);
  if (inferred < 0) explainLeft(cx, builder, value.type.shape, shape);
  return Value::poison();
}

/// The extent that -1 stands for: the elements divided by the other extents. Where one of those is 0 it could be any,
/// so that they are at least 1 is proved, or checked at the entry. Nothing after a message.
static std::optional<Dim> inferredExtent(Context &cx, const Value &value, const std::vector<Dim> &shape, int inferred,
                                         Span span) {
  Dim from(1), to(1);
  for (const Dim &d : value.type.shape) from = from * d;
  for (size_t i = 0; i < shape.size(); ++i)
    if (static_cast<int>(i) != inferred) to = to * shape[i];
  if (to == Dim(0)) {
    cannotReshape(cx, value, shape, inferred, "-1 stands for nothing here", {to, Relation::Ne, Dim(0)}, span);
    return std::nullopt;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    shape::Formula some(shape[i], Relation::Ge, Dim(1));
    if (static_cast<int>(i) == inferred ||
        claim(cx, some, "for the -1 of this reshape, " + show(cx, shape[i]) + " must be at least 1", span))
      continue;
    cannotReshape(cx, value, shape, inferred, "where " + show(cx, shape[i]) + " is 0, -1 could stand for any number",
                  some, span);
    return std::nullopt;
  }
  auto quotient = shape::divideExactly(from, to);
  if (!quotient && (quotient = shape::divideExactly(cx.function.facts.simplify(from), cx.function.facts.simplify(to))))
    quotient = cx.function.facts.external(*quotient);
  if (quotient) return quotient;
  shape::Formula multiple(Dim::mod(from, to), Relation::Eq, Dim(0));
  if (claim(cx, multiple, "for this reshape, " + show(cx, from) + " must be a multiple of " + show(cx, to), span))
    return cx.function.facts.external(Dim::floorDiv(from, to));
  cannotReshape(cx, value, shape, inferred, show(cx, from) + " is not always a multiple of " + show(cx, to), multiple,
                span);
  return std::nullopt;
}

/// What lies outside of a tensor in a tile of this shape, of a value in whose tile axes stand alone or are merged: where the first of
/// them ends, the merged one ends. Nothing if the edge would lie elsewhere.
static std::optional<std::vector<std::optional<Limit>>> reshapedLimits(Context &cx, const Value &value, const std::vector<Dim> &shape) {
  const std::vector<Dim> &from = value.type.shape;
  std::vector<std::optional<Limit>> out(shape.size());
  size_t at = 0;
  for (size_t to = 0; to < shape.size() && at < from.size(); ++to) {
    const size_t first = at;
    Dim product = from[at++];
    while (at < from.size() && !cx.function.facts.same(product, shape[to])) product = product * from[at++];
    const bool isMerged = cx.function.facts.same(product, shape[to]);
    for (size_t a = first; a < at; ++a)
      if (value.limit(a) && (!isMerged || a != first)) return std::nullopt;
    if (!isMerged) return out;  // and no axis behind it has an edge
    Dim behind(1);
    for (size_t a = first + 1; a < at; ++a) behind = behind * from[a];
    if (const Limit *limit = value.limit(first)) out[to] = Limit{limit->end * behind, limit->zeroOutside};
  }
  for (size_t a = at; a < from.size(); ++a)
    if (value.limit(a)) return std::nullopt;
  return out;
}

Value reshape(Context &cx, Value value, std::vector<Dim> shape, int inferred, Span span) {
  if (inferred >= 0) {
    auto extent = inferredExtent(cx, value, shape, inferred, span);
    if (!extent) return Value::poison();
    shape[static_cast<size_t>(inferred)] = std::move(*extent);
  } else {
    Dim from(1), to(1);
    for (const Dim &d : value.type.shape) from = from * d;
    for (const Dim &d : shape) to = to * d;
    shape::Formula equal(from, Relation::Eq, to);
    if (!claim(cx, equal, "for this reshape, " + show(cx, from) + " must be " + show(cx, to), span))
      return cannotReshape(cx, value, shape, inferred, show(cx, from) + " elements are not " + show(cx, to), equal,
                           span);
  }
  auto limits = reshapedLimits(cx, value, shape);
  if (!limits) return unsupported(cx, "reshaping a tile that may reach over the edge of its tensor, so that the edge is that of no axis", span);
  Type type = value.type;
  ExprPtr arg = takeExpr(value);
  Type result = arg->type;
  result.shape = shape;
  result.kind = TypeKind::Tensor;
  ExprPtr e = makeExpr(ExprKind::Reshape, result, span);
  e->args.push_back(std::move(arg));
  return arrayValue(cx, std::move(e), type, std::move(*limits), span);
}

Value insertAxis(Context &cx, Value value, int axis, Span span) {
  Type type = value.type;
  std::vector<std::optional<Limit>> limits = value.limits;
  limits.resize(type.shape.size());
  limits.insert(limits.begin() + axis, std::nullopt);
  ExprPtr arg = takeExpr(value);
  Type result = arg->type;
  result.kind = TypeKind::Tensor;
  result.shape = type.shape;
  result.shape.insert(result.shape.begin() + axis, Dim(1));
  if (type.kind == TypeKind::Scalar) {
    ExprPtr full = makeExpr(ExprKind::Full, result, span);
    full->args.push_back(std::move(arg));
    return arrayValue(cx, std::move(full), type, std::move(limits), span);
  }
  if (auto *broadcast = arg->get<node::Broadcast>()) {
    for (int &a : broadcast->axes) a += a >= axis;
    arg->type = result;
    return arrayValue(cx, std::move(arg), type, std::move(limits), span);
  }
  ExprPtr e = makeExpr(ExprKind::Broadcast, result, span);
  for (int i = 0; i < static_cast<int>(type.shape.size()); ++i)
    e->as<node::Broadcast>().axes.push_back(i < axis ? i : i + 1);
  e->args.push_back(std::move(arg));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

Value removeAxis(Context &cx, Value value, int axis, Span span) {
  const Dim &extent = value.type.shape[static_cast<size_t>(axis)];
  shape::Formula single(extent, Relation::Eq, Dim(1));
  if (!claim(cx, single, "", span)) {
    if (!fresh(cx, Id::badReshape, span)) return Value::poison();
    auto builder = report(cx, Id::badReshape, span, shapeText(cx, value.type.shape), "one dimension less");
    builder.label("axis " + std::to_string(axis) + " has " + show(cx, extent) + " elements, not 1");
    explainClaim(cx, builder, single);
    return Value::poison();
  }
  Type type = value.type;
  std::vector<std::optional<Limit>> limits = value.limits;
  limits.resize(type.shape.size());
  limits.erase(limits.begin() + axis);
  ExprPtr arg = takeExpr(value);
  Type result = arg->type;
  result.shape.erase(result.shape.begin() + axis);
  if (result.shape.empty()) {
    result.kind = TypeKind::Scalar;
    ExprPtr e = makeExpr(ExprKind::Slice, result, span);
    IndexPart part;
    part.isPoint = true;
    part.offset = makeIndex(0, span);
    part.inBounds = true;
    e->as<node::Slice>().access.parts.push_back(std::move(part));
    e->args.push_back(std::move(arg));
    return arrayValue(cx, std::move(e), type, {}, span);
  }
  ExprPtr e = makeExpr(ExprKind::Reshape, result, span);
  e->args.push_back(std::move(arg));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

}  // namespace tessera::sema
