// What each operation is on values with one more axis in front.
#include "autodiff/Batch.h"

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Type;
using checked::TypeKind;
namespace node = checked::node;

namespace {
std::vector<int> behindFirst(const std::vector<int> &axes) {
  std::vector<int> moved;
  for (int axis : axes) moved.push_back(axis + 1);
  return moved;
}
std::vector<int> withFirst(const std::vector<int> &axes) {
  std::vector<int> moved = behindFirst(axes);
  moved.insert(moved.begin(), 0);
  return moved;
}
/// All axes of an array, from `first` on.
std::vector<int> axesFrom(int first, size_t count) {
  std::vector<int> axes;
  for (size_t i = 0; i < count; ++i) axes.push_back(first + static_cast<int>(i));
  return axes;
}
}  // namespace

Type Batch::wide(const Type &type) const {
  Type out = type;
  out.kind = TypeKind::Tensor;
  out.shape.insert(out.shape.begin(), extent_);
  return out;
}

Term Batch::lifted(const Term &value) {
  if (isMapped(value)) return value;
  Type type = wide(value->type);
  std::vector<int> axes = axesFrom(1, value->type.shape.size());
  return mark(builder_.broadcast(value, type.shape, std::move(axes)));
}

/// Operands are numbers, or arrays of the result's shape: what is a number for each index is repeated to that.
ExprPtr Batch::mappedElementwise(ExprPtr out, std::vector<Term> args) {
  const std::vector<Dim> &shape = out->type.shape;
  for (size_t i = 0; i < args.size(); ++i) {
    Term arg = args[i];
    if (isMapped(arg) && arg->type.shape.size() != shape.size()) arg = builder_.broadcast(arg, shape, {0});
    else if (!isMapped(arg) && arg->type.kind == TypeKind::Tensor) arg = lifted(arg);
    out->args[i] = checked::clone(*arg);
  }
  return out;
}

/// Places of one axis in an array that all indices share are so many places more; else each index has its own places, in its own
/// part of the array.
ExprPtr Batch::mappedGather(ExprPtr out, Term from, Term places) {
  auto &gather = out->as<node::Gather>();
  auto set = [&](const Term &value, const Term &at, int axis, std::vector<int> along) {
    out->args[0] = checked::clone(*value);
    out->args[1] = checked::clone(*at);
    gather = {axis, std::move(along)};
  };
  if (!isMapped(places)) {
    set(from, places, gather.axis + 1, behindFirst(gather.along));
    return out;
  }
  if (isMapped(from) || gather.along.size() != 1 || gather.along[0] != gather.axis) {
    set(lifted(from), places, gather.axis + 1, withFirst(gather.along));
    return out;
  }
  auto axis = static_cast<size_t>(gather.axis);
  Dim count = places->type.shape[1];
  Term flat = builder_.reshape(places, checked::tensorType(places->type.dtype, {extent_ * count}));
  Type type = from->type;
  type.numerics = out->type.numerics;
  type.shape[axis] = extent_ * count;
  Term taken = builder_.gather(from, flat, type, {gather.axis, {gather.axis}});
  std::vector<Dim> apart = type.shape;
  apart[axis] = extent_;
  apart.insert(apart.begin() + gather.axis + 1, count);
  taken = builder_.reshape(taken, checked::tensorType(type.dtype, apart, type.numerics));
  std::vector<int> order = axesFrom(0, apart.size());
  order.erase(order.begin() + gather.axis);
  order.insert(order.begin(), gather.axis);
  return checked::clone(*builder_.transpose(taken, std::move(order)));
}

ExprPtr Batch::mappedScatter(ExprPtr out, Term updates, Term places) {
  auto &scatter = out->as<node::ScatterAdd>();
  out->args[0] = checked::clone(*lifted(updates));
  out->args[1] = checked::clone(*places);
  scatter = {scatter.axis + 1, isMapped(places) ? withFirst(scatter.along) : behindFirst(scatter.along)};
  return out;
}

/// Devices exchange along the first axis: the mapped one comes behind it, and in front of it again.
ExprPtr Batch::mappedExchange(ExprPtr out, Term from) {
  if (out->as<node::Exchange>().what == checked::ExchangeKind::AllReduce) return out;
  std::vector<int> order = axesFrom(0, from->type.shape.size());
  std::swap(order[0], order[1]);
  out->args[0] = checked::clone(*builder_.transpose(from, order));
  std::swap(out->type.shape[0], out->type.shape[1]);
  return checked::clone(*builder_.transpose(builder_.bind(std::move(out)), std::move(order)));
}

ExprPtr Batch::mappedOp(const Expr &expr, std::vector<Term> args) {
  size_t next = 0;
  ExprPtr out = moved(expr, [&](const Expr &) { return checked::clone(*args[next++]); });
  bool ofNumber = expr.args[0]->type.kind != TypeKind::Tensor;
  if (expr.kind == ExprKind::After) {  // what it waits for may be mapped, and it not
    if (isMapped(args[0])) out->type = args[0]->type;
    return out;
  }
  out->type = wide(out->type);
  switch (expr.kind) {
  case ExprKind::Elementwise:
  case ExprKind::Cast: return mappedElementwise(std::move(out), std::move(args));
  case ExprKind::Full: return checked::clone(*builder_.broadcast(args[0], out->type.shape, {0}));
  case ExprKind::Broadcast:
    if (ofNumber) return checked::clone(*builder_.broadcast(args[0], out->type.shape, {0}));
    out->as<node::Broadcast>().axes = withFirst(expr.as<node::Broadcast>().axes);
    return out;
  case ExprKind::Reshape: return out;
  case ExprKind::Transpose: out->as<node::Transpose>().axes = withFirst(expr.as<node::Transpose>().axes); return out;
  case ExprKind::Reduce: out->as<node::Reduce>().axes = behindFirst(expr.as<node::Reduce>().axes); return out;
  case ExprKind::Dot:
    for (size_t i : {0, 1}) out->args[i] = checked::clone(*lifted(args[i]));
    return out;
  case ExprKind::Concat:
    for (size_t i = 0; i < args.size(); ++i) out->args[i] = checked::clone(*lifted(args[i]));
    ++out->as<node::Concat>().axis;
    return out;
  case ExprKind::Window: ++out->as<node::Window>().axis; return out;
  case ExprKind::Scan: ++out->as<node::Scan>().axis; return out;
  case ExprKind::Gather: return mappedGather(std::move(out), args[0], args[1]);
  case ExprKind::ScatterAdd: return mappedScatter(std::move(out), args[0], args[1]);
  case ExprKind::Argsort: return out;
  case ExprKind::Exchange: return mappedExchange(std::move(out), args[0]);
  case ExprKind::Slice: {
    checked::IndexPart all;
    all.size = extent_;
    all.inBounds = true;
    auto &parts = out->as<node::Slice>().access.parts;
    parts.insert(parts.begin(), std::move(all));
    return out;
  }
  default: return nullptr;
  }
}

}  // namespace tessera::autodiff
