// Sums of what has the same index: scatter_add, index_add, segment_sum. An index below 0 counts from the end; what has one
// outside of the axis is dropped. The order is that of the indices, so that a sum has the same bits always.
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

/// What a call gives, by its meaning.
struct Scatter {
  std::string name;
  Value values, indices;
  std::vector<Dim> shape;  // of the result
  int axis = 0;
  Span span;
  bool byElement = false;  // an index for each value, not for each place of the axis
};

/// The first axis whose extent is not what it has to be: nothing if all are; no formula if there are more or fewer.
struct Misfit {
  std::optional<shape::Formula> broken;
};
std::optional<Misfit> misfit(Context &cx, const Scatter &scatter, const std::vector<Dim> &got, const std::vector<Dim> &want) {
  if (got.size() != want.size()) return Misfit{};
  for (size_t a = 0; a < got.size(); ++a) {
    shape::Formula same(got[a], Relation::Eq, want[a]);
    if (!claim(cx, same, "`" + scatter.name + "` needs " + show(cx, same), scatter.span)) return Misfit{same};
  }
  return std::nullopt;
}

bool indicesFit(Context &cx, const Scatter &scatter, const std::vector<Dim> &want) {
  const std::vector<Dim> &got = scatter.indices.type.shape;
  auto wrong = misfit(cx, scatter, got, want);
  if (!wrong) return true;
  if (!fresh(cx, Id::indexShape, scatter.span)) return false;
  auto builder = report(cx, Id::indexShape, scatter.span, shapeText(cx, got), shapeText(cx, want));
  if (!scatter.byElement) builder.help("`" + scatter.name + "` needs an index for each place of axis " + std::to_string(scatter.axis));
  else builder.help("`scatter_add` needs an index for each of its values");
  Span name{scatter.span.file, scatter.span.begin, scatter.span.begin + static_cast<uint32_t>(scatter.name.size())};
  bool named = cx.sources.text(name) == scatter.name;  // not a method of x
  if (scatter.byElement && got.size() == 1 && named) builder.suggest(name, "index_add", "one index for each part along the axis");
  if (wrong->broken) explainClaim(cx, builder, *wrong->broken);
  return false;
}

/// The values have the axes of what they are added to, of which only that of the indices may be another.
bool valuesFit(Context &cx, const Scatter &scatter, const std::vector<Dim> &want, Span at) {
  auto wrong = misfit(cx, scatter, scatter.values.type.shape, want);
  if (!wrong) return true;
  if (!fresh(cx, Id::wrongArgument, at)) return false;
  auto builder = report(cx, Id::wrongArgument, at, quoted(scatter.name), "values of the shape " + shapeText(cx, want), describe(cx, scatter.values));
  if (wrong->broken) explainClaim(cx, builder, *wrong->broken);
  return false;
}

/// The sums, as one operation.
Value sums(Context &cx, Scatter scatter) {
  size_t at = static_cast<size_t>(scatter.axis);
  auto summand = summandOf(cx, scatter.values, "a sum (`" + scatter.name + "`)", scatter.span);
  if (!summand) return Value::poison();
  Value places = indicesFromStart(cx, std::move(scatter.indices), scatter.shape[at], scatter.span);
  if (places.isPoison()) return places;
  ExprPtr updates = takeExpr(summand->value), to = takeExpr(places);
  Type result = sema::tensorType(summand->carried, scatter.shape);
  result.numerics = summand->type.numerics;
  size_t rank = scatter.shape.size();
  ExprPtr e = makeExpr(ExprKind::ScatterAdd, std::move(result), scatter.span);
  auto &node = e->as<node::ScatterAdd>();
  node.axis = scatter.axis;
  for (size_t a = 0; a < rank; ++a)
    if (scatter.byElement || a == at) node.along.push_back(static_cast<int>(a));
  e->args.push_back(std::move(updates));
  e->args.push_back(std::move(to));
  return arrayValue(cx, std::move(e), summand->type, std::vector<std::optional<Limit>>(rank), scatter.span);
}

Value axisNotGiven(Context &cx, const Value &x, Span span) {
  if (fresh(cx, Id::argumentNotGiven, span))
    report(cx, Id::argumentNotGiven, span, "scatter_add", "axis")
        .help("indices of " + std::to_string(x.type.shape.size()) + " axes" + " choose along one of them: write `scatter_add(x, indices, values, axis=...)`");
  return Value::poison();
}

}  // namespace

Value arrayScatterAdd(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  Scatter scatter;
  scatter.name = std::string(row.name);
  scatter.span = span;
  scatter.byElement = row.name == "scatter_add";
  bool makes = row.name == "segment_sum";  // from nothing; the others add to x
  if (axisStandsFirst(cx, args, scatter.name)) return Value::poison();
  Value x = arrayArgument(cx, args, 0, scatter.name);
  scatter.indices = arrayArgument(cx, args, 1, scatter.name);
  scatter.values = makes ? x : arrayArgument(cx, args, 2, scatter.name);
  if (x.isPoison() || scatter.indices.isPoison() || scatter.values.isPoison()) return Value::poison();
  if (!isInt(scatter.indices.type.dtype)) {
    if (fresh(cx, Id::wrongArgument, args.spans[1]))
      report(cx, Id::wrongArgument, args.spans[1], quoted(scatter.name), "a tensor of integers as its indices",
             describe(cx, scatter.indices));
    return Value::poison();
  }
  if (info(scatter.values.type.dtype).cls == DTypeClass::Complex) return unsupported(cx, "`" + scatter.name + "` of complex numbers", span);
  if (inKernel(cx)) return unsupported(cx, "`" + scatter.name + "` inside a kernel", span);
  if (scatter.byElement && !args.values[3].given()) {  // `scatter_add(x, nodes, messages)`: a row for each index, as `index_add` adds them
    scatter.byElement = scatter.indices.type.shape.size() != 1;
    if (scatter.byElement) return axisNotGiven(cx, x, span);
  }
  Value axisValue = args.values[3].given() ? args.values[3] : Value::integer(Dim(0));
  auto axis = axisOf(cx, axisValue, x, args.spans[3]);
  if (!axis) return Value::poison();
  scatter.axis = *axis;
  size_t at = static_cast<size_t>(*axis);
  scatter.shape = x.type.shape;
  if (makes) {
    std::vector<Dim> count;
    if (!shapeArgument(cx, args.values[2], args.spans[2], count)) return Value::poison();
    if (count.size() != 1) {
      report(cx, Id::wrongArgument, args.spans[2], quoted(scatter.name), "one number", describe(cx, args.values[2]));
      return Value::poison();
    }
    scatter.shape[at] = count[0];
  }
  std::vector<Dim> values = scatter.values.type.shape, wanted = scatter.shape;
  if (values.size() == wanted.size()) wanted[at] = values[at];
  if (!valuesFit(cx, scatter, wanted, args.spans[makes ? 0 : 2])) return Value::poison();
  if (!indicesFit(cx, scatter, scatter.byElement ? values : std::vector<Dim>{values[at]})) return Value::poison();
  Value added = sums(cx, std::move(scatter));
  if (makes || added.isPoison()) return added;
  return elementwise(cx, ElementwiseOp::Add, {std::move(x), std::move(added)}, span, std::string(row.name));
}

}  // namespace tessera::sema
