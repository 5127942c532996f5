#include "autodiff/Builder.h"
#include "checked/ExprBuild.h"
#include <algorithm>
#include <cmath>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Type;
using checked::TypeKind;
namespace node = checked::node;

DType tangentDType(DType dtype) { return info(dtype).accumulate; }

Type tangentType(const Type &type) {
  Type tangent = checked::withDType(type, tangentDType(type.dtype));
  tangent.numerics = {};
  return tangent;
}

std::optional<double> constantOf(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Constant:
    if (auto *real = std::get_if<double>(&expr.as<node::Constant>().value)) return *real;
    if (auto *whole = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return static_cast<double>(*whole);
    if (auto *truth = std::get_if<bool>(&expr.as<node::Constant>().value)) return *truth;
    return std::nullopt;
  case ExprKind::Full:
  case ExprKind::Broadcast: return constantOf(*expr.args[0]);
  default: return std::nullopt;
  }
}

std::optional<Dim> dimOf(const Expr &expr) {
  if (expr.type.kind != TypeKind::Index) return std::nullopt;
  switch (expr.kind) {
  case ExprKind::Constant:
    if (auto *whole = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return Dim(*whole);
    return std::nullopt;
  case ExprKind::DimValue: return expr.as<node::DimValue>().dim;
  case ExprKind::VarRef: {
    const checked::Var &var = *expr.as<node::VarRef>().var;
    if (!var.type.shape.empty()) return var.type.shape[0];  // `heads: Const[H]` is H
    return Dim::var("%" + std::to_string(var.id));
  }
  case ExprKind::Elementwise: break;
  default: return std::nullopt;
  }
  if (expr.args.size() != 2) return std::nullopt;
  auto a = dimOf(*expr.args[0]), b = dimOf(*expr.args[1]);
  if (!a || !b) return std::nullopt;
  switch (expr.as<node::Elementwise>().op) {
  case ElementwiseOp::Add: return *a + *b;
  case ElementwiseOp::Sub: return *a - *b;
  case ElementwiseOp::Mul: return *a * *b;
  case ElementwiseOp::FloorDiv: return Dim::floorDiv(*a, *b);
  case ElementwiseOp::Mod: return Dim::mod(*a, *b);
  case ElementwiseOp::Min: return Dim::min(*a, *b);
  case ElementwiseOp::Max: return Dim::max(*a, *b);
  default: return std::nullopt;
  }
}

bool isOfRunTime(const Dim &dim) {
  std::set<std::string> names;
  dim.collectVars(names);
  return std::any_of(names.begin(), names.end(), [](const std::string &name) { return name[0] == '%'; });
}

bool sameVariable(const Term &a, const Term &b) {
  return a && b && checked::varOf(*a) && checked::varOf(*a) == checked::varOf(*b);
}

namespace {
/// What may be written at every use: it costs nothing where it stands.
bool isPlain(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::VarRef:
  case ExprKind::Constant:
  case ExprKind::DimValue: return true;
  case ExprKind::Full: return expr.args[0]->kind == ExprKind::Constant || expr.args[0]->kind == ExprKind::DimValue;
  default: return expr.type.kind == TypeKind::Index;
  }
}
}  // namespace

// ---------------------------------------------------------------- names

checked::Var *Builder::fresh(const std::string &name, Type type) {
  auto var = std::make_unique<checked::Var>();
  var->id = static_cast<uint32_t>(function_.vars.size());
  var->name = name;
  var->type = std::move(type);
  var->span = here;
  function_.vars.push_back(std::move(var));
  return function_.vars.back().get();
}

Term Builder::bind(ExprPtr value, const std::string &name) {
  if (isPlain(*value)) return Term(std::move(value));
  checked::Var *var = fresh(name, value->type);
  auto let = std::make_unique<checked::Stmt>();
  let->kind = checked::StmtKind::Let;
  let->span = here;
  let->var = var;
  definitions_[var] = value.get();
  let->value = std::move(value);
  block_->push_back(std::move(let));
  return ref(var);
}

void Builder::let(checked::Var *var, const Term &value) {
  auto let = std::make_unique<checked::Stmt>();
  let->kind = checked::StmtKind::Let;
  let->span = here;
  let->var = var;
  let->value = checked::clone(*value);
  block_->push_back(std::move(let));
}

void Builder::assign(checked::Var *var, const Term &value) {
  let(var, value);
  block_->back()->kind = checked::StmtKind::Assign;
}

Term Builder::ref(checked::Var *var) { return Term(checked::makeRef(var, here)); }

void Builder::name(const Term &term, const std::string &name) {
  checked::Var *var = term ? checked::varOf(*term) : nullptr;
  if (var && var->name.empty()) var->name = name;
}

bool Builder::rewrite(const Term &variable, const Term &value) {
  checked::Var *var = variable ? checked::varOf(*variable) : nullptr;
  auto isIts = [&](const auto &stmt) { return stmt->kind == checked::StmtKind::Let && stmt->var == var; };
  auto let = std::find_if(block_->rbegin(), block_->rend(), isIts);
  if (!var || let == block_->rend()) return false;
  definitions_.erase(var);
  (*let)->value = checked::clone(*value);
  return true;
}

const Expr *Builder::definition(const Term &term) const {
  if (!term || term->kind != ExprKind::VarRef) return nullptr;
  auto found = definitions_.find(checked::varOf(*term));
  return found == definitions_.end() ? nullptr : found->second;
}

// ---------------------------------------------------------------- elements

Term Builder::number(double value, const Type &like) {
  if (like.kind == TypeKind::Index) return index(Dim(static_cast<int64_t>(value)));
  ExprPtr constant = checked::makeConstant(like.dtype, value, here);
  if (like.kind != TypeKind::Tensor) return Term(std::move(constant));
  ExprPtr full = checked::makeExpr(ExprKind::Full, checked::tensorType(like.dtype, like.shape), here);
  full->args.push_back(std::move(constant));
  return Term(std::move(full));
}

Term Builder::index(const Dim &dim) {
  if (dim.isConstant()) return Term(checked::makeIndex(dim.constant(), here));
  ExprPtr value = checked::makeExpr(ExprKind::DimValue, checked::indexType(), here);
  value->as<node::DimValue>().dim = dim;
  return Term(std::move(value));
}

/// What an operation is without computing it; null if it has to be.
Term Builder::folded(ElementwiseOp op, const std::vector<Term> &args, const Type &type) {
  std::vector<std::optional<double>> known;
  for (const Term &arg : args) known.push_back(constantOf(*arg));
  auto is = [&](size_t i, double value) { return known[i] && *known[i] == value; };
  switch (op) {
  case ElementwiseOp::Mul:
    if (known[0] && known[1]) return number(*known[0] * *known[1], type);
    if (is(0, 1)) return args[1];
    if (is(1, 1)) return args[0];
    if (is(0, -1)) return apply(ElementwiseOp::Neg, {args[1]});
    if (is(1, -1)) return apply(ElementwiseOp::Neg, {args[0]});
    return nullptr;
  case ElementwiseOp::Add:
    if (known[0] && known[1]) return number(*known[0] + *known[1], type);
    if (is(0, 0)) return args[1];
    if (is(1, 0)) return args[0];
    if (sameVariable(args[0], args[1])) return apply(ElementwiseOp::Mul, {number(2, type), args[0]});
    return nullptr;
  case ElementwiseOp::Sub:
    if (known[0] && known[1]) return number(*known[0] - *known[1], type);
    if (is(1, 0)) return args[0];
    if (is(0, 0)) return apply(ElementwiseOp::Neg, {args[1]});
    return nullptr;
  case ElementwiseOp::Div:
    if (known[0] && known[1]) return number(*known[0] / *known[1], type);
    return is(1, 1) ? args[0] : nullptr;
  case ElementwiseOp::Neg: return known[0] ? number(-*known[0], type) : nullptr;
  case ElementwiseOp::Pow:
    if (is(1, 1)) return args[0];
    if (is(1, 2)) return apply(ElementwiseOp::Mul, {args[0], args[0]});
    return is(1, 0) ? number(1, type) : nullptr;
  case ElementwiseOp::Eq: return known[0] && known[1] ? number(*known[0] == *known[1], type) : nullptr;
  case ElementwiseOp::Select: return known[0] ? args[*known[0] != 0 ? 1 : 2] : nullptr;
  default: return nullptr;
  }
}

Term Builder::apply(ElementwiseOp op, std::vector<Term> args) {
  Type type = args.back()->type;
  for (const Term &arg : args)
    if (arg->type.kind == TypeKind::Tensor) type.kind = TypeKind::Tensor, type.shape = arg->type.shape;
  type.numerics = {};
  if (info(op).resultIsBool) type.dtype = DType::Bool;
  for (Term &arg : args)
    if (type.kind == TypeKind::Tensor && arg->type.kind != TypeKind::Tensor) {
      Type filled = checked::tensorType(arg->type.dtype, type.shape);
      arg = fill(arg, filled);
    }
  if (Term simple = folded(op, args, type)) return simple;
  std::vector<ExprPtr> operands;
  for (const Term &arg : args) operands.push_back(checked::clone(*arg));
  return bind(checked::makeElementwise(op, std::move(type), here, std::move(operands)));
}

Term Builder::cast(const Term &value, DType dtype) {
  if (value->type.dtype == dtype && value->type.kind != TypeKind::Index) return value;
  if (auto known = constantOf(*value); known && isFloat(dtype) && value->type.kind != TypeKind::Index)
    return number(*known, checked::withDType(value->type, dtype));
  return bind(checked::makeCast(checked::clone(*value), dtype, {}));
}

Term Builder::fill(const Term &scalar, const Type &type) {
  if (type.kind != TypeKind::Tensor || scalar->type.kind == TypeKind::Tensor) return scalar;
  ExprPtr full = checked::makeExpr(ExprKind::Full, checked::tensorType(scalar->type.dtype, type.shape), here);
  full->args.push_back(checked::clone(*scalar));
  return bind(std::move(full));
}

// ---------------------------------------------------------------- arrays

Term Builder::reduce(ReduceOp op, const Term &value, std::vector<int> axes) {
  if (axes.empty()) return value;
  Type type = value->type;
  type.numerics = {};
  type.shape.clear();
  for (size_t i = 0; i < value->type.shape.size(); ++i)
    if (std::find(axes.begin(), axes.end(), static_cast<int>(i)) == axes.end())
      type.shape.push_back(value->type.shape[i]);
  if (type.shape.empty()) type.kind = TypeKind::Scalar;
  ExprPtr e = checked::makeExpr(ExprKind::Reduce, std::move(type), here);
  e->as<node::Reduce>().op = op;
  e->as<node::Reduce>().axes = std::move(axes);
  e->args.push_back(checked::clone(*value));
  return bind(std::move(e));
}

Term Builder::broadcast(const Term &value, std::vector<Dim> shape, std::vector<int> axes) {
  Type type = checked::tensorType(value->type.dtype, std::move(shape));
  if (value->type.kind != TypeKind::Tensor) return fill(value, type);
  if (auto known = constantOf(*value)) return number(*known, type);
  ExprPtr e = checked::makeExpr(ExprKind::Broadcast, std::move(type), here);
  e->as<node::Broadcast>().axes = std::move(axes);
  e->args.push_back(checked::clone(*value));
  return bind(std::move(e));
}

Term Builder::reshape(const Term &value, const Type &like) {
  if (value->type.kind != TypeKind::Tensor) return fill(value, like);
  if (like.kind == TypeKind::Tensor && value->type.shape == like.shape) return value;
  if (auto known = constantOf(*value)) return number(*known, checked::withDType(like, value->type.dtype));
  Type type = checked::withDType(like, value->type.dtype);
  type.numerics = {};
  if (like.kind != TypeKind::Tensor) {  // one element: its sum
    std::vector<int> axes;
    for (size_t i = 0; i < value->type.shape.size(); ++i) axes.push_back(static_cast<int>(i));
    return reduce(value->type.dtype == DType::Bool ? ReduceOp::Any : ReduceOp::Sum, value, std::move(axes));
  }
  ExprPtr e = checked::makeExpr(ExprKind::Reshape, std::move(type), here);
  e->args.push_back(checked::clone(*value));
  return bind(std::move(e));
}

Term Builder::transpose(const Term &value, std::vector<int> axes) {
  if (std::is_sorted(axes.begin(), axes.end())) return value;
  Type type = value->type;
  type.numerics = {};
  for (size_t i = 0; i < axes.size(); ++i) type.shape[i] = value->type.shape[static_cast<size_t>(axes[i])];
  if (auto known = constantOf(*value)) return number(*known, type);
  ExprPtr e = checked::makeExpr(ExprKind::Transpose, std::move(type), here);
  e->as<node::Transpose>().axes = std::move(axes);
  e->args.push_back(checked::clone(*value));
  return bind(std::move(e));
}

Term Builder::flip(const Term &value) {
  std::vector<int> axes;
  int rank = static_cast<int>(value->type.shape.size());
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  std::swap(axes[static_cast<size_t>(rank) - 2], axes[static_cast<size_t>(rank) - 1]);
  const Expr *made = definition(value);
  auto *turned = made ? made->get<node::Transpose>() : nullptr;
  if (turned && turned->axes == axes) return Term(checked::clone(*made->args[0]));
  return transpose(value, std::move(axes));
}

Term Builder::dot(const Term &a, const Term &b, DType dtype) {
  Type type = checked::tensorType(dtype, a->type.shape);
  type.shape.back() = b->type.shape.back();
  ExprPtr e = checked::makeExpr(ExprKind::Dot, std::move(type), here);
  e->args.push_back(checked::clone(*a));
  e->args.push_back(checked::clone(*b));
  return bind(std::move(e));
}

Term Builder::concat(const std::vector<Term> &parts, int axis) {
  if (parts.size() == 1) return parts[0];
  Type type = parts[0]->type;
  type.numerics = {};
  Dim extent;
  for (const Term &part : parts) extent = extent + part->type.shape[static_cast<size_t>(axis)];
  type.shape[static_cast<size_t>(axis)] = extent;
  ExprPtr e = checked::makeExpr(ExprKind::Concat, std::move(type), here);
  e->as<node::Concat>().axis = axis;
  for (const Term &part : parts) e->args.push_back(checked::clone(*part));
  return bind(std::move(e));
}

Term Builder::iota(std::vector<Dim> shape, int axis) {
  ExprPtr e = checked::makeExpr(ExprKind::Iota, checked::tensorType(DType::I32, std::move(shape)), here);
  e->as<node::Iota>().axis = axis;
  return bind(std::move(e));
}

Term Builder::gather(const Term &from, const Term &places, const Type &type, node::Gather node) {
  ExprPtr e = checked::makeExpr(ExprKind::Gather, type, here);
  e->as<node::Gather>() = std::move(node);
  e->args.push_back(checked::clone(*from));
  e->args.push_back(checked::clone(*places));
  return bind(std::move(e));
}

Term Builder::scatterAdd(const Term &values, const Term &places, const Dim &extent, node::ScatterAdd node) {
  Type type = values->type;
  type.numerics = {};
  type.shape[static_cast<size_t>(node.axis)] = extent;
  ExprPtr e = checked::makeExpr(ExprKind::ScatterAdd, std::move(type), here);
  e->as<node::ScatterAdd>() = std::move(node);
  e->args.push_back(checked::clone(*values));
  e->args.push_back(checked::clone(*places));
  return bind(std::move(e));
}

Term Builder::slice(const Term &from, const Places &places) {
  Type type = from->type;
  type.numerics = {};
  type.shape.clear();
  ExprPtr e = checked::makeExpr(ExprKind::Slice, type, here);
  for (size_t axis = 0; axis < places.size(); ++axis) {
    checked::IndexPart part;
    part.inBounds = true;
    part.isPoint = places[axis].isPoint();
    if (places[axis].at) part.offset = checked::clone(*places[axis].at);
    if (!part.isPoint) {
      part.size = places[axis].at ? places[axis].size : from->type.shape[axis];
      e->type.shape.push_back(part.size);
    }
    e->as<node::Slice>().access.parts.push_back(std::move(part));
  }
  if (e->type.shape.empty()) e->type.kind = TypeKind::Scalar;
  e->args.push_back(checked::clone(*from));
  return bind(std::move(e));
}

/// Whether the elements of an axis are at the place: as many truth values as the axis has elements. Null: all are.
Term Builder::isAt(const AxisPlace &place, const Dim &extent) {
  ExprPtr count = checked::makeExpr(ExprKind::Iota, checked::tensorType(DType::I64, {extent}), here);
  count->as<node::Iota>().axis = 0;
  Term counted = bind(std::move(count));
  auto compared = [&](ElementwiseOp op, const Term &with) { return apply(op, {counted, fill(cast(with, DType::I64), counted->type)}); };
  if (place.isPoint()) return compared(ElementwiseOp::Eq, place.at);
  auto start = dimOf(*place.at);
  bool fromFirst = start && *start == Dim(0), toLast = start && *start + place.size == extent;
  Term from = fromFirst ? nullptr : compared(ElementwiseOp::Ge, place.at);
  if (toLast) return from;
  Term end = fromFirst ? index(place.size) : apply(ElementwiseOp::Add, {place.at, index(place.size)});
  Term to = compared(ElementwiseOp::Lt, end);
  return from ? apply(ElementwiseOp::And, {from, to}) : to;
}

Term Builder::update(const Term &value, const Places &places, const Term &part) {
  const std::vector<Dim> &shape = value->type.shape;
  Term chosen, moved = part;
  std::vector<int> kept;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    const AxisPlace &place = places[axis];
    if (!place.isPoint()) kept.push_back(static_cast<int>(axis));
    Term holds = place.at ? isAt(place, shape[axis]) : nullptr;
    if (holds && shape.size() > 1) holds = broadcast(holds, shape, {static_cast<int>(axis)});
    if (holds) chosen = chosen ? apply(ElementwiseOp::And, {chosen, holds}) : holds;
    if (!holds || !place.isRange()) continue;
    const int along = static_cast<int>(kept.size()) - 1;  // of the part: element j of the axis is element j - start of the part
    Term numbers = cast(iota({shape[axis]}, 0), DType::I64);
    auto start = dimOf(*place.at);
    if (!start || !(*start == Dim(0))) numbers = apply(ElementwiseOp::Sub, {numbers, fill(cast(place.at, DType::I64), numbers->type)});
    Type type = moved->type;
    type.shape[static_cast<size_t>(along)] = shape[axis];
    moved = gather(moved, numbers, type, {along, {along}});
  }
  if (!chosen) return moved;
  std::vector<ExprPtr> operands;
  for (const Term &operand : {chosen, broadcast(moved, shape, std::move(kept)), value}) operands.push_back(checked::clone(*operand));
  Type type = value->type;
  type.numerics = {};
  ExprPtr e = checked::makeElementwise(ElementwiseOp::Select, std::move(type), here, std::move(operands));
  e->as<node::Elementwise>().inPlace = true;
  return bind(std::move(e));
}

}  // namespace tessera::autodiff
