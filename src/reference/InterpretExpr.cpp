#include "reference/Elementwise.h"
#include "reference/Interpreter.h"
#include "support/MeshDims.h"
#include <algorithm>
#include <cstdlib>
#include <set>

namespace tessera::reference {

using checked::Expr;
using checked::ExprKind;
using checked::TypeKind;
namespace node = checked::node;

namespace {
constexpr int64_t kMostElements = int64_t(1) << 31;  // 16 GiB of doubles
}

std::nullptr_t Interpreter::fail(Span span, std::string message, int64_t kind) {
  if (!error_) error_ = RunError{span, std::move(message), kind};
  return nullptr;
}

/// The checker writes the value of a local variable in a dimension as "%" and the variable's id, and a query
/// as "%q:", its number, ":" and its axis.
std::optional<int64_t> Interpreter::valueInDim(const std::string &name) const {
  if (name.empty() || name[0] != '%') {
    auto it = dims_.find(name);
    return it == dims_.end() ? meshNumberAlone(name) : std::optional<int64_t>(it->second);
  }
  if (name.rfind("%q:", 0) == 0) {
    char *end = nullptr;
    auto query = static_cast<checked::Query>(std::strtol(name.c_str() + 3, &end, 10));
    return groupQuery(query, static_cast<size_t>(std::strtol(end + 1, nullptr, 10)));
  }
  auto id = static_cast<size_t>(std::strtoul(name.c_str() + 1, nullptr, 10));
  const Ref &value = id < values_.size() ? values_[id] : nullptr;
  bool usable = value && value->isScalar() && !value->isFloat() && value->lanes == 0;
  return usable ? std::optional<int64_t>(value->ints[0]) : std::nullopt;
}

std::optional<int64_t> Interpreter::dim(const Dim &dim, Span span) {
  auto known = dimCache_.find(&dim);
  if (known != dimCache_.end() && known->second) return known->second;
  auto value = dim.evaluate([this](const std::string &name) { return valueInDim(name); });
  if (!value) fail(span, "the size " + dim.str() + " has no value here");
  if (!value || known != dimCache_.end()) return value;
  std::set<std::string> names;
  dim.collectVars(names);
  bool fixed = std::none_of(names.begin(), names.end(), [](const std::string &n) { return n[0] == '%'; });
  dimCache_[&dim] = fixed ? value : std::nullopt;
  return value;
}

const Shape *Interpreter::shape(const checked::Type &type, Span span) {
  if (auto it = shapeCache_.find(&type); it != shapeCache_.end()) return &it->second;
  Shape extents;
  bool fixed = true;
  int64_t count = 1;
  for (const Dim &d : type.shape) {
    auto extent = dim(d, span);
    if (!extent) return nullptr;
    if (*extent < 0)
      return fail(span,
                  "the size " + d.str() + " is " + std::to_string(*extent) + ", and no array is that large");
    extents.push_back(*extent);
    if (__builtin_mul_overflow(count, *extent, &count) || count > kMostElements)
      return fail(span, "an array of shape " + shapeText(extents) + " is larger than I can hold");
    fixed &= dimCache_[&d].has_value();
  }
  Shape &slot = fixed ? shapeCache_[&type] : changingShapes_[&type];
  slot = std::move(extents);
  return &slot;
}

/// Appends the values of those that `values` does not have yet.
bool Interpreter::evalAll(const std::vector<checked::ExprPtr> &exprs, std::vector<Ref> &values) {
  values.reserve(exprs.size());
  while (values.size() < exprs.size()) {
    Ref value = eval(*exprs[values.size()]);
    if (!value) return false;
    values.push_back(std::move(value));
  }
  return true;
}

std::optional<int64_t> Interpreter::evalInt(const Expr &expr) {
  Ref value = eval(expr);
  if (!value) return std::nullopt;
  if (value->kind != Datum::Kind::Number || value->isFloat() || !value->shape.empty() || value->lanes != 0) {
    fail(expr.span, "I expected one whole number for the whole group");
    return std::nullopt;
  }
  return value->ints[0];
}

Ref Interpreter::eval(const Expr &expr) {
  if (!options_.traceNaN) return evalPlain(expr);
  origins_.enter();
  Ref value = evalPlain(expr);
  origins_.leave(expr, value, mask_);
  return value;
}

Ref Interpreter::evalPlain(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Constant: return constant(expr);
  case ExprKind::String: return makeText(expr.as<node::String>().text);
  case ExprKind::DimValue: {
    auto value = dim(expr.as<node::DimValue>().dim, expr.span);
    return value ? makeInt(expr.type.kind == TypeKind::Scalar ? expr.type.dtype : DType::I64, *value)
                 : nullptr;
  }
  case ExprKind::VarRef: {
    const checked::Var &var = *expr.as<node::VarRef>().var;
    if (var.id < values_.size() && values_[var.id]) return values_[var.id];
    return fail(expr.span, "'" + var.name + "' has no value here");
  }
  case ExprKind::Derivative: return fail(expr.span, "derivatives cannot be computed yet");
  case ExprKind::Vmap: return fail(expr.span, "a map over an axis cannot be computed yet");
  case ExprKind::After: return eval(*expr.args[0]);
  case ExprKind::Load: return load(expr.as<node::Load>().access, expr.span);
  case ExprKind::Query: return query(expr);
  case ExprKind::Call:
  case ExprKind::TupleItem:
  case ExprKind::HostShape:
  case ExprKind::HostRank:
  case ExprKind::HostItem:
  case ExprKind::LoadNpy:
  case ExprKind::HostCall:
  case ExprKind::Format: return evalHost(expr);
  default: return evalArray(expr);
  }
}

Ref Interpreter::constant(const Expr &expr) {
  const auto &value = expr.as<node::Constant>().value;
  DType dtype = expr.type.kind == TypeKind::Index ? DType::I64 : expr.type.dtype;
  Rounder round(dtype, {});
  Ref out = makeDatum(dtype, {});
  double number = 0;
  int64_t integer = 0;
  bool isNumber = std::holds_alternative<double>(value);
  if (isNumber) number = std::get<double>(value);
  else if (auto *i = std::get_if<int64_t>(&value)) integer = *i;
  else if (auto *b = std::get_if<bool>(&value)) integer = *b;
  else if (expr.type.kind == TypeKind::None) return makeNone();
  else return fail(expr.span, "a constant without a value");
  if (out->isFloat()) out->floats[0] = isNumber ? round(number) : round.ofInt(integer);
  else out->ints[0] = isNumber ? round.toInt(number) : round.wrap(integer);
  return out;
}

namespace {
/// What computes only the operands that its first one asks for: `B > 0 and A % B == 0`, `A // B if B > 0 else 0`.
bool decidesByItsFirst(const Expr &expr) {
  if (expr.kind != ExprKind::Elementwise) return false;
  const ElementwiseOp op = expr.as<node::Elementwise>().op;
  bool isTruth = expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool;
  return (isTruth && (op == ElementwiseOp::And || op == ElementwiseOp::Or)) ||
         (expr.type.kind == TypeKind::Index && op == ElementwiseOp::Select);
}
/// An integer of host code: in kernels the quotient is 0, because nothing can stop there.
bool dividesByZero(ElementwiseOp op, const Datum &divisor) {
  bool divides = op == ElementwiseOp::FloorDiv || op == ElementwiseOp::Mod;
  return divides && divisor.isScalar() && !divisor.isFloat() && divisor.ints[0] == 0;
}
/// Null: the first operand is the value.
const Expr *chosenBy(const Expr &expr, bool first) {
  if (expr.as<node::Elementwise>().op == ElementwiseOp::Select) return expr.args[first ? 1 : 2].get();
  return first == (expr.as<node::Elementwise>().op == ElementwiseOp::Or) ? nullptr : expr.args[1].get();
}
}  // namespace

Ref Interpreter::evalArray(const Expr &expr) {
  if (expr.kind == ExprKind::Slice) return evalSlice(expr);
  std::vector<Ref> args;
  if (decidesByItsFirst(expr)) {
    Ref first = eval(*expr.args[0]);
    if (!first) return nullptr;
    if (first->lanes == 0) {
      const Expr *chosen = chosenBy(expr, first->ints[0] != 0);
      return chosen ? eval(*chosen) : first;
    }
    args.push_back(std::move(first));
  }
  static const Shape kScalar;
  const Shape *target = expr.type.kind == TypeKind::Tensor ? shape(expr.type, expr.span) : &kScalar;
  if (!target) return nullptr;
  if (expr.kind == ExprKind::Iota) return iota(expr.type.dtype, *target, expr.as<node::Iota>().axis);
  if (!evalAll(expr.args, args)) return nullptr;
  std::string error;
  Ref out;
  DType dtype = expr.type.kind == TypeKind::Index ? DType::I64 : expr.type.dtype;
  switch (expr.kind) {
  case ExprKind::Elementwise:
    if (function_.kind == checked::FunctionKind::Host && dividesByZero(expr.as<node::Elementwise>().op, *args.back()))
      return fail(expr.span, "a division by zero", tsr::host::kZeroDivisionError);
    out = elementwise(expr.as<node::Elementwise>().op, dtype, args, error);
    break;
  case ExprKind::Cast:
    out = expr.as<node::Cast>().ofBits ? castBits(args[0], dtype) : cast(args[0], dtype, expr.type.numerics, error);
    break;
  case ExprKind::Broadcast: out = broadcast(args[0], *target, expr.as<node::Broadcast>().axes); break;
  case ExprKind::Reshape:
    if (elementCount(*target) != args[0]->perLane())
      return fail(expr.span, "an array of shape " + shapeText(args[0]->shape) + " cannot be reshaped to " +
                                 shapeText(*target));
    out = reshape(args[0], *target);
    break;
  case ExprKind::Transpose: out = transpose(args[0], expr.as<node::Transpose>().axes); break;
  case ExprKind::Reduce: {
    const auto &[op, axes] = expr.as<node::Reduce>();
    out = reduce(args[0], op, axes, dtype);
    break;
  }
  case ExprKind::Scan: out = scan(args[0], expr.as<node::Scan>().op, expr.as<node::Scan>().axis); break;
  case ExprKind::Warp: return warp(expr, args);
  case ExprKind::Dot: out = dot(args[0], args[1], dtype); break;
  case ExprKind::Full: out = full(args[0], *target, dtype); break;
  case ExprKind::Window: {
    const auto &[axis, stride, dilation] = expr.as<node::Window>();
    out = window(args[0], axis, stride, dilation, *target);
    break;
  }
  case ExprKind::Gather: {
    const auto &[axis, along] = expr.as<node::Gather>();
    out = gatherAlong(args[0], args[1], axis, along, *target);
    break;
  }
  case ExprKind::ScatterAdd: {
    const auto &[axis, along] = expr.as<node::ScatterAdd>();
    out = scatterAdd(args[0], args[1], axis, along, *target);
    break;
  }
  case ExprKind::Exchange: out = args[0]; break;  // the reference is one device, alone in its mesh
  case ExprKind::Argsort: out = argsort(args[0], expr.as<node::Argsort>().descending); break;
  case ExprKind::Concat: out = concat(args, expr.as<node::Concat>().axis); break;
  case ExprKind::Table: out = table(args, *target, dtype); break;
  default: TSR_UNREACHABLE("expression kind");
  }
  if (!out) return fail(expr.span, error);
  // The checker's shape is a claim about the value; a claim that fails is a mistake in the compiler.
  TSR_CHECK(expr.type.kind != TypeKind::Tensor || out->shape == *target,
            "a value of shape " + shapeText(out->shape) + " where the checker says " + shapeText(*target));
  return out;
}

Ref Interpreter::evalSlice(const Expr &expr) {
  Ref value = eval(*expr.args[0]);
  if (!value) return nullptr;
  const auto &parts = expr.as<node::Slice>().access.parts;
  TSR_CHECK(parts.size() == value->shape.size(), "parts of a slice");
  bool varies = value->lanes != 0;
  std::vector<Ref> offsets(parts.size());
  for (size_t d = 0; d < parts.size(); ++d)
    if (parts[d].offset) {
      if (!(offsets[d] = eval(*parts[d].offset))) return nullptr;
      varies |= offsets[d]->lanes != 0;
    }
  Region where;
  where.base = value;
  std::vector<SlicePart> plain;
  for (size_t d = 0; d < parts.size(); ++d) {
    auto size = parts[d].isPoint ? std::optional<int64_t>(1) : dim(parts[d].size, expr.span);
    if (!size) return nullptr;
    where.parts.push_back(
        {parts[d].isPoint, true, *size, parts[d].step, offsets[d] ? offsets[d]->ints : Shape{0}});
    plain.push_back({where.parts[d].offset[0], *size, parts[d].step, parts[d].isPoint});
    if (where.parts[d].offset.size() > 1) where.lanes = groupSize_;
  }
  if (breaksBounds(where, mask_))
    return fail(expr.span, "this slice lies outside its array of shape " + shapeText(value->shape));
  if (!varies || where.lanes == 0) return slice(value, plain);
  if (value->lanes != 0)
    return fail(
        expr.span,
        "a slice at an offset that differs between lanes, of an array that does, too, is not supported");
  return loadRegion(where, nullptr, mask_);
}

// ---------------------------------------------------------------- accesses

bool Interpreter::region(const checked::Access &access, Span span, Region &region) {
  const checked::Var &var = *access.base;
  if (var.id >= values_.size() || !values_[var.id])
    return fails(span, "'" + var.name + "' has no value here");
  region.base = values_[var.id];
  TSR_CHECK(access.parts.size() == region.base->shape.size(), "parts of an access to " + var.name);
  for (const checked::IndexPart &part : access.parts) {
    RegionPart &out = region.parts.emplace_back();
    out.isPoint = part.isPoint;
    out.inBounds = part.inBounds;
    out.step = part.step;
    if (!part.isPoint) {
      auto size = dim(part.size, span);
      if (!size) return false;
      out.size = std::max<int64_t>(*size, 0);
    }
    if (!part.offset) {
      out.offset = {0};
      continue;
    }
    Ref offset = eval(*part.offset);
    if (!offset) return false;
    TSR_CHECK(offset->shape.empty() && !offset->isFloat(), "the offset of an access to " + var.name);
    if (offset->lanes != 0) region.lanes = offset->lanes;
    out.offset = offset->ints;
  }
  if (!breaksBounds(region, mask_)) return true;
  return fails(span, "this access to '" + var.name + "' of shape " + shapeText(region.base->shape) +
                         " lies outside, and the checker says that it cannot");
}

Ref Interpreter::load(const checked::Access &access, Span span) {
  Region where;
  if (!region(access, span, where)) return nullptr;
  Ref other;
  if (access.other && !(other = eval(*access.other))) return nullptr;
  bool isShared = access.base->type.kind == TypeKind::Shared;
  if (isShared && !reportRace(races_.read(access.base->name, where, mask_), span)) return nullptr;
  if (!isShared && !reportTensorRace(races_.readTensor(access.base->name, where, mask_), span)) return nullptr;
  origins_.reads(where.base);
  return loadRegion(where, other, mask_);
}

}  // namespace tessera::reference
