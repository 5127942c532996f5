// The transposes of the linear operations: what is repeated is added up, what is added up is repeated, what is moved goes
// back, what is left out becomes 0, a product becomes a product.
#include "autodiff/Linear.h"
#include "autodiff/Places.h"
#include "autodiff/SumApart.h"
#include "checked/ExprBuild.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::Type;
using checked::TypeKind;
namespace node = checked::node;

namespace {

/// The same rearrangement of the value and of its mask.
template <class Move> Cotangent both(const Cotangent &cotangent, const Move &move) {
  return {move(cotangent.value), cotangent.mask ? move(cotangent.mask) : nullptr};
}

Term ofBroadcast(const Expr &op, const Term &value, Builder &builder) {
  const std::vector<int> &axes = op.as<node::Broadcast>().axes;
  const Type &from = op.args[0]->type;
  std::vector<int> added;
  for (size_t axis = 0; axis < op.type.shape.size(); ++axis) {
    auto at = std::find(axes.begin(), axes.end(), static_cast<int>(axis));
    bool repeats = at == axes.end() ||
                   (from.shape[static_cast<size_t>(at - axes.begin())] == Dim(1) && !(op.type.shape[axis] == Dim(1)));
    if (repeats) added.push_back(static_cast<int>(axis));
  }
  return builder.reshape(addUpRows(value, std::move(added), builder), from);
}

Term ofReduce(const Expr &op, const Term &value, Builder &builder) {
  const std::vector<int> &axes = op.as<node::Reduce>().axes;
  std::vector<int> kept;
  const std::vector<Dim> &shape = op.args[0]->type.shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end())
      kept.push_back(static_cast<int>(axis));
  return builder.broadcast(value, shape, std::move(kept));
}

Term ofTranspose(const Expr &op, const Term &value, Builder &builder) {
  const std::vector<int> &axes = op.as<node::Transpose>().axes;
  std::vector<int> back(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) back[static_cast<size_t>(axes[i])] = static_cast<int>(i);
  return builder.transpose(value, std::move(back));
}

// ---------------------------------------------------------------- products

/// [batch..., M, K] as [batch * M, K]: the batch is added up with the rows.
Term rowsOfBatch(const Term &value, Builder &builder) {
  const std::vector<Dim> &shape = value->type.shape;
  Dim rows(1);
  for (size_t i = 0; i + 1 < shape.size(); ++i) rows = rows * shape[i];
  return builder.reshape(value, checked::tensorType(value->type.dtype, {rows, shape.back()}));
}

/// The other factor with its last two axes exchanged; of a matrix that is repeated for a batch, the matrix.
Term flippedFactor(const Term &factor, Builder &builder) {
  const Expr *made = builder.definition(factor);
  int rank = static_cast<int>(factor->type.shape.size());
  bool repeats = made && made->kind == ExprKind::Broadcast && made->as<node::Broadcast>().axes == std::vector<int>{rank - 2, rank - 1} &&
                 made->args[0]->kind == ExprKind::VarRef;
  if (!repeats) return builder.flip(factor);
  std::vector<Dim> shape = factor->type.shape;
  std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  Term matrix = builder.flip(Term(checked::clone(*made->args[0])));
  return builder.broadcast(matrix, std::move(shape), {rank - 2, rank - 1});
}

/// Of C = A B: dA = dC B', dB = A' dC. The factors keep the dtype that the primal product has them in, and the products
/// are added up as there.
Term ofDot(const Edge &edge, const Term &value, Builder &builder) {
  const Expr &op = *edge.op;
  Term a(checked::clone(*op.args[0])), b(checked::clone(*op.args[1]));
  DType factors = edge.operand == 0 ? b->type.dtype : a->type.dtype;
  bool tiny = isFloat(factors) && info(factors).bits < 16;  // cotangents need the range of larger floats
  if (tiny) factors = DType::BF16;
  Term dC = builder.cast(value, factors);
  DType sums = tangentDType(op.type.dtype);
  if (edge.operand == 0) {
    Term right = builder.cast(flippedFactor(b, builder), factors);
    return builder.dot(dC, right, sums);
  }
  if (edge.repeated) {
    Term left = builder.flip(builder.cast(rowsOfBatch(a, builder), factors));
    return builder.dot(left, rowsOfBatch(dC, builder), sums);
  }
  return builder.dot(builder.cast(builder.flip(a), factors), dC, sums);
}

// ---------------------------------------------------------------- parts

/// Places counted in i64 along a new axis of this many elements.
Term placesOf(const Dim &extent, Builder &builder) {
  return builder.cast(builder.iota({extent}, 0), DType::I64);
}
Term whole(int64_t number, const Type &like, Builder &builder) {
  return builder.number(static_cast<double>(number), checked::withDType(like, DType::I64));
}

/// Along one axis: element k of `value` goes to `offset + k * step` among `extent`, zeros elsewhere.
Term spread(const Term &value, size_t axis, const Term &offset, int64_t step, const Dim &extent, Builder &builder) {
  const Dim size = value->type.shape[axis];
  std::optional<Dim> first = dimOf(*offset);
  if (first && !isOfRunTime(*first) && step == 1) {
    auto zeros = [&](const Dim &count) {
      Type type = value->type;
      type.shape[axis] = count;
      return builder.number(0, type);
    };
    std::vector<Term> parts;
    Dim after = extent - *first - size;
    if (!(*first == Dim(0))) parts.push_back(zeros(*first));
    parts.push_back(value);
    if (!(after == Dim(0))) parts.push_back(zeros(after));
    return builder.concat(parts, static_cast<int>(axis));
  }
  // Element j takes what stands at (j - offset) / step; outside of the axis there is 0.
  Term places = placesOf(extent, builder);
  Term start = builder.fill(builder.cast(offset, DType::I64), places->type);
  places = step > 0 ? builder.apply(ElementwiseOp::Sub, {places, start})
                    : builder.apply(ElementwiseOp::Sub, {start, places});
  if (int64_t apart = step > 0 ? step : -step; apart > 1) {
    Term number = whole(apart, places->type, builder);
    Term hits = builder.apply(ElementwiseOp::Eq, {builder.apply(ElementwiseOp::Mod, {places, number}),
                                                  whole(0, places->type, builder)});
    places = builder.select(hits, builder.apply(ElementwiseOp::FloorDiv, {places, number}),
                            whole(-1, places->type, builder));
  }
  Type type = value->type;
  type.shape[axis] = extent;
  int along = static_cast<int>(axis);
  return builder.gather(value, places, type, {along, {along}});
}

/// Of running sums: an element is in all from its own on. So the cotangents are added up from the end.
Term ofScan(const Expr &op, const Term &value, Builder &builder) {
  const int axis = op.as<node::Scan>().axis;
  const Dim &extent = value->type.shape[static_cast<size_t>(axis)];
  auto turned = [&](const Term &term) { return spread(term, static_cast<size_t>(axis), builder.index(extent - Dim(1)), -1, extent, builder); };
  checked::ExprPtr sums = checked::makeExpr(ExprKind::Scan, value->type, builder.here);
  sums->as<node::Scan>() = op.as<node::Scan>();
  sums->args.push_back(checked::clone(*turned(value)));
  return turned(builder.bind(std::move(sums)));
}

Term ofSlice(const Expr &op, Term value, Builder &builder) {
  const std::vector<Dim> &shape = op.args[0]->type.shape;
  const std::vector<checked::IndexPart> &parts = op.as<node::Slice>().access.parts;
  std::vector<Dim> sizes;
  for (const checked::IndexPart &part : parts) sizes.push_back(part.isPoint ? Dim(1) : part.size);
  value = builder.reshape(value, checked::tensorType(value->type.dtype, std::move(sizes)));
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    const checked::IndexPart &part = parts[axis];
    int64_t step = part.isPoint ? 1 : part.step;
    if (!part.offset && step == 1 && value->type.shape[axis] == shape[axis]) continue;
    Term offset = part.offset ? Term(checked::clone(*part.offset)) : builder.index(Dim(0));
    value = spread(value, axis, offset, step, shape[axis], builder);
  }
  return value;
}

Term ofConcat(const Edge &edge, const Term &value, Builder &builder) {
  const Expr &op = *edge.op;
  size_t axis = static_cast<size_t>(op.as<node::Concat>().axis);
  Dim start;
  for (size_t i = 0; i < edge.operand; ++i) start = start + op.args[i]->type.shape[axis];
  Type type = value->type;
  type.shape = op.args[edge.operand]->type.shape;
  checked::ExprPtr e = checked::makeExpr(ExprKind::Slice, type, builder.here);
  checked::Access &access = e->as<node::Slice>().access;
  e->args.push_back(checked::clone(*value));
  for (size_t i = 0; i < type.shape.size(); ++i) {
    checked::IndexPart part;
    part.size = i == axis ? type.shape[i] : value->type.shape[i];
    part.inBounds = true;
    if (i == axis && !(start == Dim(0))) part.offset = checked::clone(*builder.index(start));
    access.parts.push_back(std::move(part));
    e->type.shape[i] = access.parts.back().size;
  }
  return builder.bind(std::move(e));
}

/// Windows (k, i) at i * step + k * dilation: element j gets from each place k the window (j - k * dilation) / step.
Term ofWindow(const Expr &op, const Term &value, Builder &builder) {
  const auto &window = op.as<node::Window>();
  size_t axis = static_cast<size_t>(window.axis);
  int64_t step = window.stride, dilation = window.dilation;
  const Dim &extent = op.args[0]->type.shape[axis], &size = op.type.shape[axis];
  if (size == Dim(1) && step == 1 && op.type.shape[axis + 1] == extent) return builder.reshape(value, op.args[0]->type);  // each is a window
  Type type = value->type;
  type.shape[axis + 1] = extent;
  std::vector<Dim> pair = {size, extent};
  auto counted = [&](int along) { return builder.cast(builder.iota(pair, along), DType::I64); };
  Term k = counted(0);
  Term places = builder.apply(
      ElementwiseOp::Sub, {counted(1), builder.apply(ElementwiseOp::Mul, {k, whole(dilation, k->type, builder)})});
  if (step > 1) {
    Term number = whole(step, k->type, builder);
    Term hits = builder.apply(ElementwiseOp::Eq, {builder.apply(ElementwiseOp::Mod, {places, number}),
                                                  whole(0, k->type, builder)});
    places =
        builder.select(hits, builder.apply(ElementwiseOp::FloorDiv, {places, number}), whole(-1, k->type, builder));
  }
  int along = static_cast<int>(axis);
  return builder.reduce(ReduceOp::Sum, builder.gather(value, places, type, {along + 1, {along, along + 1}}), {along});
}

/// What is added up are the results of all devices: what one of them gives to the others comes back from all of them. So a
/// sum is its own transpose, and to put parts together is that of to share a sum out.
Term ofExchange(const Expr &op, const Term &value, Builder &builder) {
  const auto &[what, over] = op.as<node::Exchange>();
  checked::ExchangeKind back = checked::ExchangeKind::AllReduce;
  if (what == checked::ExchangeKind::AllGather) back = checked::ExchangeKind::ReduceScatter;
  if (what == checked::ExchangeKind::ReduceScatter) back = checked::ExchangeKind::AllGather;
  checked::ExprPtr e = checked::makeExpr(ExprKind::Exchange, checked::tensorType(value->type.dtype, op.args[0]->type.shape), builder.here);
  e->as<node::Exchange>() = {back, over};
  e->args.push_back(checked::clone(*value));
  return builder.bind(std::move(e));
}

// ---------------------------------------------------------------- what is chosen by indices

/// Whether place `v` of the axis is the one chosen, on the shape with the axis `v` put in front of the chosen one.
Term isChosen(const Expr &op, const std::vector<Dim> &shape, Builder &builder) {
  const auto &[axis, placesAlong] = op.as<node::Gather>();
  std::vector<int> along;
  for (int place : placesAlong) along.push_back(place < axis ? place : place + 1);
  Term places = builder.broadcast(Term(checked::clone(*op.args[1])), shape, std::move(along));
  Term numbers = builder.cast(builder.iota(shape, axis), DType::I64);
  return builder.apply(ElementwiseOp::Eq, {places, numbers});
}

/// Of elements that stand k places on, the first k of which are all the first: element i gets what stands at i + k, and the first one
/// also what stands before that.
Term ofShift(const Expr &op, const Term &value, const Term &by, Builder &builder) {
  const int axis = op.as<node::Gather>().axis;
  const std::vector<Dim> &shape = value->type.shape;
  const Dim &extent = shape[static_cast<size_t>(axis)];
  Term numbers = placesOf(extent, builder), k = builder.fill(builder.cast(by, DType::I64), numbers->type);
  Term moved = builder.gather(value, builder.apply(ElementwiseOp::Add, {numbers, k}), value->type, {axis, {axis}});
  auto everywhere = [&](const Term &holds) { return builder.broadcast(holds, shape, {axis}); };
  Term zeros = builder.number(0, value->type), begins = builder.apply(ElementwiseOp::Lt, {numbers, k});
  Term before = builder.reduce(ReduceOp::Sum, builder.select(everywhere(begins), value, zeros), {axis});
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i)
    if (i != axis) kept.push_back(i);
  Term first = everywhere(builder.apply(ElementwiseOp::Eq, {numbers, whole(0, numbers->type, builder)}));
  Term there = kept.empty() ? builder.fill(before, value->type) : builder.broadcast(before, shape, std::move(kept));
  return builder.apply(ElementwiseOp::Add, {moved, builder.select(first, there, zeros)});
}

/// What is repeated along an axis, and along no other; null if it is none.
Term repeatedAlong(const Term &value, int axis, const Builder &builder) {
  const Expr *made = builder.definition(value);
  if (!made || made->kind != ExprKind::Broadcast) return nullptr;
  std::vector<int> others;
  std::vector<Dim> shape;
  for (int i = 0; i < static_cast<int>(value->type.shape.size()); ++i)
    if (i != axis) others.push_back(i), shape.push_back(value->type.shape[static_cast<size_t>(i)]);
  bool isAlong = made->as<node::Broadcast>().axes == others && made->args[0]->type.shape == shape;
  return isAlong ? Term(checked::clone(*made->args[0])) : nullptr;
}

/// Of what took, for element j at place k, the window that sees it there: window i sees element i * step + k * dilation, if there is one.
Term ofWindowPlaces(const Expr &op, const Term &value, const WindowPlaces &seen, Builder &builder) {
  const int axis = op.as<node::Gather>().axis;
  Type type = value->type;
  type.shape[static_cast<size_t>(axis)] = op.args[0]->type.shape[static_cast<size_t>(axis)];
  const std::vector<Dim> pair = {type.shape[static_cast<size_t>(axis) - 1], type.shape[static_cast<size_t>(axis)]};
  if (Term repeated = repeatedAlong(value, axis - 1, builder)) {  // the same for all places: windows of it
    const Dim reach = (pair[0] - Dim(1)) * Dim(seen.dilation) + Dim(1), &extent = value->type.shape[static_cast<size_t>(axis)];
    if (Dim::floorDiv(extent - reach, Dim(seen.step)) + Dim(1) == pair[1]) {
      checked::ExprPtr windows = checked::makeExpr(ExprKind::Window, type, builder.here);
      windows->as<node::Window>() = {axis - 1, static_cast<int>(seen.step), static_cast<int>(seen.dilation)};
      windows->args.push_back(checked::clone(*repeated));
      return builder.bind(std::move(windows));
    }
  }
  auto counted = [&](int along, int64_t each) {
    Term number = builder.cast(builder.iota(pair, along), DType::I64);
    return each == 1 ? number : builder.apply(ElementwiseOp::Mul, {number, whole(each, number->type, builder)});
  };
  Term places = builder.apply(ElementwiseOp::Add, {counted(1, seen.step), counted(0, seen.dilation)});
  return builder.gather(value, places, type, {axis, {axis - 1, axis}});
}

/// Each element of the axis adds up what was taken from it, in the order of the places: no atomics, the same bits always.
/// Places that differ along other axes are few for each of those: all elements look at them.
Term ofGather(const Expr &op, const Term &value, Builder &builder) {
  const auto &[axis, along] = op.as<node::Gather>();
  const bool isAsLong = along == std::vector<int>{axis} && value->type.shape == op.args[0]->type.shape;
  const Term places(checked::clone(*op.args[1]));
  const Dim &extent = op.args[0]->type.shape[static_cast<size_t>(axis)];
  if (Term by = isAsLong ? shiftOf(places, builder) : nullptr) return ofShift(op, value, by, builder);
  if (isAsLong && areBackwards(places, extent, builder)) return builder.gather(value, places, value->type, {axis, along});
  if (along == std::vector<int>{axis - 1, axis})
    if (std::optional<WindowPlaces> seen = windowPlacesOf(places, builder)) return ofWindowPlaces(op, value, *seen, builder);
  if (along.size() == 1) return builder.scatterAdd(value, places, extent, {axis, along});
  std::vector<Dim> shape = value->type.shape;
  shape.insert(shape.begin() + axis, extent);
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i)
    if (i != axis) kept.push_back(i);
  Term hits = isChosen(op, shape, builder);
  Term all = builder.broadcast(value, shape, kept);
  return builder.reduce(ReduceOp::Sum, builder.select(hits, all, builder.number(0, all->type)), {axis + 1});
}

}  // namespace

Cotangent transposed(const Edge &edge, const Cotangent &cotangent, Builder &builder) {
  const Expr &op = *edge.op;
  switch (op.kind) {  // what moves elements without adding them up moves the mask, too
  case ExprKind::Cast: return {builder.cast(cotangent.value, tangentDType(op.args[0]->type.dtype)), cotangent.mask};
  case ExprKind::Reduce: return both(cotangent, [&](const Term &t) { return ofReduce(op, t, builder); });
  case ExprKind::Transpose: return both(cotangent, [&](const Term &t) { return ofTranspose(op, t, builder); });
  case ExprKind::Concat: return both(cotangent, [&](const Term &t) { return ofConcat(edge, t, builder); });
  case ExprKind::Reshape:
    if (op.args[0]->type.kind != TypeKind::Tensor) break;
    return both(cotangent, [&](const Term &t) { return builder.reshape(t, op.args[0]->type); });
  default: break;
  }
  Term value = masked(cotangent, builder);
  switch (op.kind) {
  case ExprKind::Full:
  case ExprKind::Reshape: return {builder.reshape(value, op.args[0]->type), nullptr};
  case ExprKind::Broadcast: return {ofBroadcast(op, value, builder), nullptr};
  case ExprKind::Dot: return {ofDot(edge, value, builder), nullptr};
  case ExprKind::Slice: return {ofSlice(op, value, builder), nullptr};
  case ExprKind::Scan: return {ofScan(op, value, builder), nullptr};
  case ExprKind::Exchange: return {ofExchange(op, value, builder), nullptr};
  case ExprKind::Window: return {ofWindow(op, value, builder), nullptr};
  case ExprKind::Gather: return {ofGather(op, value, builder), nullptr};
  case ExprKind::ScatterAdd: {
    Type type = checked::withDType(op.args[0]->type, value->type.dtype);
    type.numerics = {};
    const auto &[axis, along] = op.as<node::ScatterAdd>();
    return {builder.gather(value, Term(checked::clone(*op.args[1])), type, {axis, along}), nullptr};
  }
  default: TSR_UNREACHABLE("the transpose of an operation that is not linear");
  }
}

}  // namespace tessera::autodiff
