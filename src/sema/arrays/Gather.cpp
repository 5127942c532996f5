// Elements chosen by indices: take, gather, scatter. An index below 0 counts from the end; no target can stop
// at one that lies outside, so that such a place reads as 0 and is not written.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {
bool isIndexTensor(const Value &v) { return v.isArray() && isInt(v.type.dtype); }
}  // namespace

Value indicesFromStart(Context &cx, Value indices, const Dim &extent, Span span) {
  bool isSigned = info(indices.type.dtype).cls != DTypeClass::UnsignedInt;
  Value at = castTo(cx, std::move(indices), DType::I64, {}, span);
  if (at.isPoison() || !isSigned) return at;
  at = reusable(cx, std::move(at), "index", span);
  auto least = at.isScalar() ? limitOf(cx, *at.expr, false) : std::nullopt;
  if (least && cx.function.facts.proves({*least, Relation::Ge, Dim(0)})) return at;
  Value isFromEnd = compareValues(cx, ast::CompareOp::Lt, at, Value::integer(Dim(0)), span);
  Value fromStart = elementwise(cx, ElementwiseOp::Add, {at, Value::integer(extent)}, span, "take");
  Value chosen = elementwise(cx, ElementwiseOp::Select, {isFromEnd, fromStart, at}, span, "take");
  return chosen.isPoison() ? chosen : reusable(cx, std::move(chosen), "place", span);
}

Value gathered(Context &cx, Value x, Value places, int axis, const std::vector<int> &along, Span span) {
  Type type = x.type;
  // In a kernel: what lies outside of a tensor beside the axis, or at the places' ends, is outside of the result.
  std::vector<std::optional<Limit>> limits(x.type.shape.size());
  auto take = [&](const Limit *limit, size_t to) {
    if (limit && !limits[to]) limits[to] = Limit{limit->end, false};
  };
  for (size_t i = 0; i < along.size(); ++i) take(places.limit(i), static_cast<size_t>(along[i]));
  for (size_t i = 0; i < limits.size(); ++i)
    if (const Limit *limit = x.limit(i); static_cast<int>(i) != axis && limit && !limits[i]) limits[i] = *limit;  // zeros stay zeros
  ExprPtr arg = takeExpr(x), at = takeExpr(places);
  Type result = arg->type;
  for (size_t i = 0; i < along.size(); ++i) result.shape[static_cast<size_t>(along[i])] = at->type.shape[i];
  ExprPtr e = makeExpr(ExprKind::Gather, std::move(result), span);
  e->as<node::Gather>() = {axis, along};
  e->args.push_back(std::move(arg));
  e->args.push_back(std::move(at));
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

Value taken(Context &cx, Value x, Value places, int axis, Span span) {
  std::vector<Dim> shape = x.type.shape;
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, places.type.shape.begin(), places.type.shape.end());
  const size_t rank = places.type.shape.size();
  const bool flat = rank == 1;
  if (!flat) places = mergeAxes(cx, std::move(places), 0, rank, span);
  if (places.isPoison()) return places;
  Value out = gathered(cx, std::move(x), std::move(places), axis, {axis}, span);
  return flat || out.isPoison() ? out : reshape(cx, std::move(out), std::move(shape), -1, span);
}

Value arrayTake(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  Value axisValue = args.values[2].given() ? args.values[2] : Value::integer(Dim(0));
  auto axis = axisOf(cx, axisValue, x, args.spans[2]);
  if (!axis) return Value::poison();
  Value indices = toArray(cx, args.values[1], DType::I32, args.spans[1]);
  if (indices.isPoison()) return indices;
  if (!isIndexTensor(indices) && !(indices.isScalar() && isInt(indices.type.dtype))) {
    if (fresh(cx, Id::wrongArgument, args.spans[1]))
      report(cx, Id::wrongArgument, args.spans[1], quoted(shown), "a tensor of integers as its indices",
             describe(cx, indices));
    return Value::poison();
  }
  size_t first = static_cast<size_t>(*axis);
  if (dependsOnTile(cx, x.type.shape[first], shown, span)) return Value::poison();
  bool single = indices.isScalar();
  Value places = indicesFromStart(cx, std::move(indices), x.type.shape[first], span);
  if (single && !places.isPoison()) places = insertAxis(cx, std::move(places), 0, span);
  if (places.isPoison()) return places;
  Value out = taken(cx, std::move(x), std::move(places), *axis, span);
  return single ? removeAxis(cx, std::move(out), *axis, span) : out;
}

static Value scattered(Context &cx, Value x, Value indices, Value values, int axis, Span span);

bool axisStandsFirst(Context &cx, const Bound &args, std::string_view shown) {
  size_t last = 2;  // the last argument: the values of a scatter, the axis of a gather
  if (args.values.size() > 3 && args.values[3].isArray()) last = 3;
  if (args.values[1].kind != ValueKind::Int || !args.values[last].isArray()) return false;
  if (!fresh(cx, Id::wrongArgument, args.spans[1])) return true;
  std::string order;
  for (size_t i = 2; i <= last; ++i) order += std::string(cx.sources.text(args.spans[i])) + ", ";
  auto builder = report(cx, Id::wrongArgument, args.spans[1], quoted(std::string(shown)),
                        "a tensor of integers as its indices", describe(cx, args.values[1]));
  builder.help(last == 3 ? "the axis stands behind the indices and the values" : "the indices stand before the axis");
  const bool byPlace = args.spans[1].end < args.spans[2].begin && args.spans[2].end <= args.spans[last].end;
  if (byPlace)
    builder.suggest(args.spans[1].to(args.spans[last]), order + std::string(cx.sources.text(args.spans[1])),
                    last == 3 ? "give them in this order" : "exchange them");
  return true;
}

Value arrayGather(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  bool scatters = row.name == "scatter";
  if (axisStandsFirst(cx, args, shown)) return Value::poison();
  Value x = arrayArgument(cx, args, 0, shown), indices = arrayArgument(cx, args, 1, shown);
  if (x.isPoison() || indices.isPoison()) return Value::poison();
  size_t axisAt = scatters ? 3 : 2;
  auto axis = axisOf(cx, args.values[axisAt], x, args.spans[axisAt]);
  if (!axis) return Value::poison();
  if (!isIndexTensor(indices)) {
    if (fresh(cx, Id::wrongArgument, args.spans[1]))
      report(cx, Id::wrongArgument, args.spans[1], quoted(shown), "a tensor of integers as its indices",
             describe(cx, indices));
    return Value::poison();
  }
  const std::vector<Dim> &from = x.type.shape, &to = indices.type.shape;
  auto refuse = [&](const std::vector<Dim> &want, const shape::Formula *broken) {
    if (!fresh(cx, Id::indexShape, span)) return Value::poison();
    auto builder = report(cx, Id::indexShape, span, shapeText(cx, to), shapeText(cx, want));
    builder.help("`" + shown + "` needs as many axes, none of them longer but axis " + std::to_string(*axis));
    if (broken) explainClaim(cx, builder, *broken);
    return Value::poison();
  };
  if (from.size() != to.size()) return refuse(from, nullptr);
  for (size_t a = 0; a < from.size(); ++a) {
    shape::Formula fits(to[a], Relation::Le, from[a]);
    std::string why = "`" + shown + "` needs " + show(cx, fits);
    if (static_cast<int>(a) != *axis && !claim(cx, fits, why, span)) return refuse(from, &fits);
  }
  if (inKernel(cx) && scatters) return unsupported(cx, "`" + shown + "` inside a kernel", span);
  if (dependsOnTile(cx, from[static_cast<size_t>(*axis)], shown, span)) return Value::poison();
  if (scatters) {
    Value values = arrayArgument(cx, args, 2, shown);
    if (values.isPoison()) return values;
    if (values.type.shape.size() != to.size()) return refuse(values.type.shape, nullptr);
    for (size_t a = 0; a < to.size(); ++a) {
      shape::Formula same(to[a], Relation::Eq, values.type.shape[a]);
      if (!claim(cx, same, "`scatter` needs " + show(cx, same), span)) return refuse(values.type.shape, &same);
    }
    return scattered(cx, std::move(x), std::move(indices), std::move(values), *axis, span);
  }
  std::vector<int> along;
  for (size_t a = 0; a < from.size(); ++a) {
    along.push_back(static_cast<int>(a));
    bool all = static_cast<int>(a) == *axis || cx.function.facts.same(from[a], to[a]);
    if (!all) x = sliceAxis(cx, std::move(x), a, Dim(0), to[a], 1, span);
  }
  Value places = indicesFromStart(cx, std::move(indices), x.type.shape[static_cast<size_t>(*axis)], span);
  return places.isPoison() ? places : gathered(cx, std::move(x), std::move(places), *axis, along, span);
}

/// Of the values whose index is a place the last one is written there: each place looks at all indices.
static Value scattered(Context &cx, Value x, Value indices, Value values, int axis, Span span) {
  size_t at = static_cast<size_t>(axis);
  std::vector<Dim> shape = x.type.shape, pairs = shape;
  for (size_t a = 0; a < shape.size(); ++a)
    if (a != at && !cx.function.facts.same(shape[a], indices.type.shape[a]))
      return unsupported(cx, "`scatter` of less than all of an axis other than its own", span);
  Dim extent = shape[at], count = indices.type.shape[at];
  Value places = indicesFromStart(cx, std::move(indices), extent, span);
  if (places.isPoison()) return places;
  // [..., place, index, ...]: the number of the index where it is that place, else -1.
  pairs.insert(pairs.begin() + axis + 1, count);
  auto counted = [&](int along) {
    ExprPtr e = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, pairs), span);
    e->as<node::Iota>().axis = along;
    std::vector<std::optional<Limit>> limits(pairs.size());
    return arrayValue(cx, std::move(e), scalarType(DType::I64), std::move(limits), span);
  };
  Value spread = broadcastValue(cx, insertAxis(cx, std::move(places), axis, span), pairs, span);
  Value isHere = compareValues(cx, ast::CompareOp::Eq, counted(axis), std::move(spread), span);
  std::vector<Value> choice = {std::move(isHere), counted(axis + 1), Value::integer(Dim(-1))};
  Value numbers = elementwise(cx, ElementwiseOp::Select, std::move(choice), span, "scatter");
  Value among = Value::integer(Dim(axis + 1));
  Value last = reduce(cx, ReduceOp::Max, std::move(numbers), among, span, false, span, "scatter");
  if (last.isPoison()) return last;
  last = reusable(cx, std::move(last), "last", span);
  std::vector<int> along;
  for (size_t a = 0; a < shape.size(); ++a) along.push_back(static_cast<int>(a));
  Value written = gathered(cx, std::move(values), last, axis, along, span);
  Value isWritten = compareValues(cx, ast::CompareOp::Ge, last, Value::integer(Dim(0)), span);
  return elementwise(cx, ElementwiseOp::Select, {isWritten, std::move(written), std::move(x)}, span, "scatter");
}

}  // namespace tessera::sema
