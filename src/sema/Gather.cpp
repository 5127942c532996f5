// Elements chosen by indices: take, gather, scatter. Their shapes are checked; no level below can move elements
// by indices that only run time knows.
#include "sema/Checker.h"

namespace tessera::sema {

namespace {
bool isIndexTensor(const Value &v) { return v.isArray() && isInt(v.type.dtype); }
}  // namespace

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
  return unsupported("`" + shown + "` by indices that only run time knows", span);
}

/// gather(x, indices, axis): as many axes as x, of which only `axis` may be longer; scatter the other way round.
Value Checker::arrayGather(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  bool scatters = row.name == "scatter";
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
  if (scatters) {
    Value values = arrayArgument(args, 2, shown);
    if (values.isPoison()) return values;
    if (values.type.shape.size() != to.size()) return refuse(values.type.shape, nullptr);
    for (size_t a = 0; a < to.size(); ++a) {
      shape::Formula same(to[a], Relation::Eq, values.type.shape[a]);
      if (!claim(same, "`scatter` needs " + show(same), span)) return refuse(values.type.shape, &same);
    }
  }
  return unsupported("`" + shown + "` by indices that only run time knows", span);
}

}  // namespace tessera::sema
