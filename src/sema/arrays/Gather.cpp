// Elements chosen by indices: take, gather, scatter. An index below 0 counts from the end; no target can stop
// at one that lies outside, so that such a place reads as 0 and is not written.
#include "sema/Checker.h"

namespace tessera::sema {

namespace {
bool isIndexTensor(const Value &v) { return v.isArray() && isInt(v.type.dtype); }
}  // namespace

/// The indices as 64-bit integers that count from the start of an axis.
Value Checker::indicesFromStart(Value indices, const Dim &extent, Span span) {
  bool isSigned = info(indices.type.dtype).cls != DTypeClass::UnsignedInt;
  Value at = castTo(std::move(indices), DType::I64, {}, span);
  if (at.isPoison() || !isSigned) return at;
  at = cheap(std::move(at), "index", span);
  Value isFromEnd = compareValues(ast::CompareOp::Lt, at, Value::integer(Dim(0)), span);
  Value fromStart = elementwise(ElementwiseOp::Add, {at, Value::integer(extent)}, span, "take");
  Value chosen = elementwise(ElementwiseOp::Select, {isFromEnd, fromStart, at}, span, "take");
  return chosen.isPoison() ? chosen : cheap(std::move(chosen), "place", span);
}

/// x at these places of an axis; along[i]: the axis of the result that axis i of the places is.
Value Checker::gathered(Value x, Value places, int axis, const std::vector<int> &along, Span span) {
  Type type = x.type;
  ExprPtr arg = take(x), at = take(places);
  Type result = arg->type;
  for (size_t i = 0; i < along.size(); ++i)
    result.shape[static_cast<size_t>(along[i])] = at->type.shape[i];
  size_t rank = result.shape.size();
  ExprPtr e = makeExpr(ExprKind::Gather, std::move(result), span);
  e->axes = {axis};
  e->axes.insert(e->axes.end(), along.begin(), along.end());
  e->args.push_back(std::move(arg));
  e->args.push_back(std::move(at));
  return finish(std::move(e), type, std::vector<std::optional<Limit>>(rank), span);
}

/// take(x, indices, axis): the axis is replaced by the axes of the indices.
Value Checker::arrayTake(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(args, 0, shown);
  if (x.isPoison()) return x;
  Value axisValue = args.values[2].given() ? args.values[2] : Value::integer(Dim(0));
  auto axis = axisOf(axisValue, x.type.shape.size(), args.spans[2], describe(x));
  if (!axis) return Value::poison();
  Value indices = toArray(args.values[1], DType::I32, args.spans[1]);
  if (indices.isPoison()) return indices;
  if (!isIndexTensor(indices) && !(indices.isScalar() && isInt(indices.type.dtype))) {
    if (fresh(Id::wrongArgument, args.spans[1]))
      report(Id::wrongArgument, args.spans[1], quoted(shown), "a tensor of integers as its indices", describe(indices));
    return Value::poison();
  }
  if (inKernel()) return unsupported("`" + shown + "` inside a kernel", span);
  size_t first = static_cast<size_t>(*axis);
  bool single = indices.isScalar();
  std::vector<Dim> shape = x.type.shape;
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, indices.type.shape.begin(), indices.type.shape.end());
  Value places = indicesFromStart(std::move(indices), x.type.shape[first], span);
  if (single && !places.isPoison()) places = insertAxis(std::move(places), 0, span);
  if (places.isPoison()) return places;
  size_t rank = places.type.shape.size();
  bool flat = rank == 1;
  if (!flat) places = mergeAxes(std::move(places), 0, rank, span);
  if (places.isPoison()) return places;
  Value out = gathered(std::move(x), std::move(places), *axis, {*axis}, span);
  if (single) return removeAxis(std::move(out), *axis, span);
  return flat ? out : reshape(std::move(out), std::move(shape), -1, span);
}

/// gather(x, indices, axis): as many axes as x, of which only `axis` may be longer; scatter the other way round.
Value Checker::arrayGather(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  bool scatters = row.name == "scatter";
  if (!scatters && args.values[1].kind == ValueKind::Int && args.values[2].isArray()) {
    if (fresh(Id::wrongArgument, args.spans[1]))
      report(Id::wrongArgument, args.spans[1], quoted(shown), "a tensor of integers as its indices",
             describe(args.values[1]))
          .help("the indices stand before the axis")
          .suggest(args.spans[1].to(args.spans[2]),
                   std::string(sources_.text(args.spans[2])) + ", " + std::string(sources_.text(args.spans[1])),
                   "exchange them");
    return Value::poison();
  }
  Value x = arrayArgument(args, 0, shown), indices = arrayArgument(args, 1, shown);
  if (x.isPoison() || indices.isPoison()) return Value::poison();
  size_t axisAt = scatters ? 3 : 2;
  auto axis = axisOf(args.values[axisAt], x.type.shape.size(), args.spans[axisAt], describe(x));
  if (!axis) return Value::poison();
  if (!isIndexTensor(indices)) {
    if (fresh(Id::wrongArgument, args.spans[1]))
      report(Id::wrongArgument, args.spans[1], quoted(shown), "a tensor of integers as its indices", describe(indices));
    return Value::poison();
  }
  const std::vector<Dim> &from = x.type.shape, &to = indices.type.shape;
  auto refuse = [&](const std::vector<Dim> &want, const shape::Formula *broken) {
    if (!fresh(Id::indexShape, span)) return Value::poison();
    auto builder = report(Id::indexShape, span, shapeText(to), shapeText(want));
    builder.help("`" + shown + "` needs as many axes, none of them longer but axis " + std::to_string(*axis));
    if (broken) explainClaim(builder, *broken);
    return Value::poison();
  };
  if (from.size() != to.size()) return refuse(from, nullptr);
  for (size_t a = 0; a < from.size(); ++a) {
    shape::Formula fits(to[a], Relation::Le, from[a]);
    std::string why = "`" + shown + "` needs " + show(fits);
    if (static_cast<int>(a) != *axis && !claim(fits, why, span)) return refuse(from, &fits);
  }
  if (inKernel()) return unsupported("`" + shown + "` inside a kernel", span);
  if (scatters) {
    Value values = arrayArgument(args, 2, shown);
    if (values.isPoison()) return values;
    if (values.type.shape.size() != to.size()) return refuse(values.type.shape, nullptr);
    for (size_t a = 0; a < to.size(); ++a) {
      shape::Formula same(to[a], Relation::Eq, values.type.shape[a]);
      if (!claim(same, "`scatter` needs " + show(same), span)) return refuse(values.type.shape, &same);
    }
    return scattered(std::move(x), std::move(indices), std::move(values), *axis, span);
  }
  std::vector<int> along;
  for (size_t a = 0; a < from.size(); ++a) {
    along.push_back(static_cast<int>(a));
    bool all = static_cast<int>(a) == *axis || facts_.equal(from[a], to[a]) == shape::Verdict::Proved;
    if (!all) x = sliceAxis(std::move(x), a, Dim(0), to[a], 1, span);
  }
  Value places = indicesFromStart(std::move(indices), x.type.shape[static_cast<size_t>(*axis)], span);
  return places.isPoison() ? places : gathered(std::move(x), std::move(places), *axis, along, span);
}

/// Of the values whose index is a place the last one is written there: each place looks at all indices.
Value Checker::scattered(Value x, Value indices, Value values, int axis, Span span) {
  size_t at = static_cast<size_t>(axis);
  std::vector<Dim> shape = x.type.shape, pairs = shape;
  for (size_t a = 0; a < shape.size(); ++a)
    if (a != at && facts_.equal(shape[a], indices.type.shape[a]) != shape::Verdict::Proved)
      return unsupported("`scatter` of less than all of an axis other than its own", span);
  Dim extent = shape[at], count = indices.type.shape[at];
  Value places = indicesFromStart(std::move(indices), extent, span);
  if (places.isPoison()) return places;
  // [..., place, index, ...]: the number of the index where it is that place, else -1.
  pairs.insert(pairs.begin() + axis + 1, count);
  auto counted = [&](int along) {
    ExprPtr e = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, pairs), span);
    e->axes = {along};
    std::vector<std::optional<Limit>> limits(pairs.size());
    return finish(std::move(e), scalarType(DType::I64), std::move(limits), span);
  };
  Value spread = broadcastValue(insertAxis(std::move(places), axis, span), pairs, span);
  Value isHere = compareValues(ast::CompareOp::Eq, counted(axis), std::move(spread), span);
  std::vector<Value> choice = {std::move(isHere), counted(axis + 1), Value::integer(Dim(-1))};
  Value numbers = elementwise(ElementwiseOp::Select, std::move(choice), span, "scatter");
  Value among = Value::integer(Dim(axis + 1));
  Value last = reduce(ReduceOp::Max, std::move(numbers), among, span, false, span, "scatter");
  if (last.isPoison()) return last;
  last = cheap(std::move(last), "last", span);
  std::vector<int> along;
  for (size_t a = 0; a < shape.size(); ++a) along.push_back(static_cast<int>(a));
  Value written = gathered(std::move(values), last, axis, along, span);
  Value isWritten = compareValues(ast::CompareOp::Ge, last, Value::integer(Dim(0)), span);
  return elementwise(ElementwiseOp::Select, {isWritten, std::move(written), std::move(x)}, span, "scatter");
}

}  // namespace tessera::sema
