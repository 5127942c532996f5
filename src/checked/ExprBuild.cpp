#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "support/FloatFormats.h"
#include <cmath>

namespace tessera::checked {

std::string_view name(ExchangeKind kind) {
  switch (kind) {
  case ExchangeKind::AllReduce: return "all_reduce";
  case ExchangeKind::AllGather: return "all_gather";
  case ExchangeKind::ReduceScatter: return "reduce_scatter";
  }
  TSR_UNREACHABLE("an exchange without a name");
}

Type indexType() {
  Type t;
  t.kind = TypeKind::Index;
  t.dtype = DType::I64;
  return t;
}
Type scalarType(DType dtype, Numerics numerics) {
  Type t;
  t.kind = TypeKind::Scalar;
  t.dtype = dtype;
  t.numerics = numerics;
  return t;
}
Type tensorType(DType dtype, std::vector<Dim> shape, Numerics numerics) {
  Type t = scalarType(dtype, numerics);
  t.kind = TypeKind::Tensor;
  t.shape = std::move(shape);
  return t;
}
Type withDType(Type type, DType dtype) {
  type.dtype = dtype;
  if (type.kind == TypeKind::Index) type.kind = TypeKind::Scalar;
  return type;
}

namespace {
template <size_t... I> node::Any emptyNode(size_t kind, std::index_sequence<I...>) {
  using Make = node::Any (*)();
  static constexpr Make makers[] = {+[] { return node::Any(std::in_place_index<I>); }...};
  return makers[kind]();
}
}  // namespace

Expr::Expr(ExprKind kind, Type type, Span span)
    : kind(kind), type(std::move(type)), span(span),
      node_(emptyNode(static_cast<size_t>(kind), std::make_index_sequence<std::variant_size_v<node::Any>>())) {}

ExprPtr makeExpr(ExprKind kind, Type type, Span span) {
  return std::make_unique<Expr>(kind, std::move(type), span);
}
ExprPtr textExpr(std::string text, Span span) {
  Type type;
  type.kind = TypeKind::String;
  ExprPtr e = makeExpr(ExprKind::String, type, span);
  e->as<node::String>().text = std::move(text);
  return e;
}

ExprPtr makeIndex(int64_t value, Span span) {
  ExprPtr e = makeExpr(ExprKind::Constant, indexType(), span);
  e->as<node::Constant>().value = value;
  return e;
}
/// The integer that a number becomes where it runs, too: cut off, at the ends of the dtype limited; NaN is 0.
static int64_t toInteger(DType dtype, double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(minInt(dtype))) return minInt(dtype);
  if (value >= static_cast<double>(maxInt(dtype))) return maxInt(dtype);
  return static_cast<int64_t>(value);
}

ExprPtr makeConstant(DType dtype, double value, Span span) {
  ExprPtr e = makeExpr(ExprKind::Constant, scalarType(dtype), span);
  auto &literal = e->as<node::Constant>().value;
  if (dtype == DType::Bool) literal = value != 0;
  else if (isInt(dtype)) literal = toInteger(dtype, value);
  else literal = value;
  return e;
}
ExprPtr makeBool(bool value, Span span) { return makeConstant(DType::Bool, value, span); }
ExprPtr makeRef(Var *var, Span span) {
  // The types of a tuple's items are the variable's alone: each of hundreds of results is an item of a reference of its own.
  Type type;
  if (var->type.kind == TypeKind::Tuple) type.kind = TypeKind::Tuple;
  else type = var->type;
  ExprPtr e = makeExpr(ExprKind::VarRef, std::move(type), span);
  e->as<node::VarRef>().var = var;
  return e;
}
ExprPtr makeElementwise(ElementwiseOp op, Type type, Span span, std::vector<ExprPtr> args) {
  ExprPtr e = makeExpr(ExprKind::Elementwise, std::move(type), span);
  e->as<node::Elementwise>().op = op;
  e->args = std::move(args);
  return e;
}
namespace {
/// A fraction that becomes an integer is cut off; another rounding is an operation of its own before the cast (P5).
ExprPtr wholeNumber(ExprPtr value, const Numerics &numerics) {
  if (!states(numerics, PolicyField::Round) || numerics.rounding == Rounding::TowardZero) return value;
  DType in = info(value->type.dtype).accumulate;
  if (value->type.dtype != in) value = makeCast(std::move(value), in, {});
  ElementwiseOp op = numerics.rounding == Rounding::Up     ? ElementwiseOp::Ceil
                     : numerics.rounding == Rounding::Down ? ElementwiseOp::Floor
                                                           : ElementwiseOp::Round;
  Type type = value->type;
  Span span = value->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  return makeElementwise(op, std::move(type), span, std::move(args));
}
}  // namespace

ExprPtr makeCast(ExprPtr value, DType dtype, const Numerics &numerics) {
  bool fromFloat = value->type.kind != TypeKind::Index && isFloat(value->type.dtype);
  if (fromFloat && isInt(dtype)) value = wholeNumber(std::move(value), numerics);
  Type type = withDType(value->type, dtype);
  type.numerics = numerics;
  Span span = value->span;
  ExprPtr e = makeExpr(ExprKind::Cast, std::move(type), span);
  e->args.push_back(std::move(value));
  return e;
}

IndexPart clone(const IndexPart &part) {
  IndexPart copy;
  copy.isPoint = part.isPoint;
  copy.offset = part.offset ? clone(*part.offset) : nullptr;
  copy.size = part.size;
  copy.step = part.step;
  copy.inBounds = part.inBounds;
  return copy;
}
Access clone(const Access &access) {
  Access copy;
  copy.base = access.base;
  for (const IndexPart &part : access.parts) copy.parts.push_back(clone(part));
  copy.other = access.other ? clone(*access.other) : nullptr;
  copy.vector = access.vector;
  return copy;
}
ExprPtr clone(const Expr &e) {
  ExprPtr copy = makeExpr(e.kind, e.type, e.span);
  for (const ExprPtr &arg : e.args) copy->args.push_back(clone(*arg));
  copy->node_ = std::visit(
      [](const auto &node) -> node::Any {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_copy_constructible_v<Node>) return node;
        else return Node{clone(node.access)};
      },
      e.node_);
  copy->nameHint = e.nameHint;
  return copy;
}

bool keepsInteger(const Expr &cast) {
  auto widthOf = [](const Type &type) { return type.kind == TypeKind::Index ? info(DType::I64).bits : info(type.dtype).bits; };
  auto isSigned = [](const Type &type) { return type.kind == TypeKind::Index || info(type.dtype).cls == DTypeClass::SignedInt; };
  const Type &from = cast.args[0]->type, &to = cast.type;
  bool areIntegers = true;
  for (const Type *type : {&from, &to}) areIntegers &= type->kind == TypeKind::Index || isInt(type->dtype);
  if (!areIntegers || (isSigned(from) && !isSigned(to))) return false;
  return isSigned(from) == isSigned(to) ? widthOf(to) >= widthOf(from) : widthOf(to) > widthOf(from);
}

}  // namespace tessera::checked
