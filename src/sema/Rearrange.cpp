// Operations that rename axes: transpose, reshape, axes of one element.
#include "sema/Checker.h"

namespace tessera::sema {

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

}  // namespace tessera::sema
