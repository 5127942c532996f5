// The order of elements along an axis. What can be chosen with it (sort, topk, median) is in stdlib/.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/trace/Trace.h"
#include <limits>
#include <numeric>

namespace tessera::sema {

/// In a kernel: what lies outside of the tensor that a tile comes from stands last, as a NaN or the element that is last of all.
static Value lastOutside(Context &cx, Value x, bool descending, Span span) {
  const size_t axis = x.type.shape.size() - 1;
  if (!x.limit(axis)) return x;
  DType carried = carryTypeOf(x.type);
  x.expr = std::shared_ptr<Expr>(inCarryType(cx, x, carried, span).release());
  const double last = isFloat(carried) ? std::numeric_limits<double>::quiet_NaN() : identityOf(descending ? ReduceOp::Max : ReduceOp::Min, carried);
  return maskAxis(cx, std::move(x), axis, last, span);
}

/// Rows along the last axis are sorted: another axis is exchanged with it before and after.
Value arrayArgsort(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  if (info(x.type.dtype).cls == DTypeClass::Complex) {
    report(cx, Id::badOperand, span, shown, std::string(name(x.type.dtype))).label("complex numbers have no order");
    return Value::poison();
  }
  size_t rank = x.type.shape.size();
  Value axisValue = args.values[1].given() ? args.values[1] : Value::integer(Dim(-1));
  auto axis = axisOf(cx, axisValue, x, args.spans[1]);
  auto descending = flagArgument(cx, args, 2);
  if (!axis || !descending) return Value::poison();
  if (dependsOnTile(cx, x.type.shape[static_cast<size_t>(*axis)], shown, span)) return Value::poison();
  std::vector<int> exchanged(rank);
  std::iota(exchanged.begin(), exchanged.end(), 0);
  std::swap(exchanged[static_cast<size_t>(*axis)], exchanged.back());
  bool isLast = static_cast<size_t>(*axis) + 1 == rank;
  if (!isLast) x = transpose(cx, std::move(x), exchanged, span);
  if (x.isPoison()) return x;
  x = lastOutside(cx, std::move(x), *descending, span);
  std::vector<std::optional<Limit>> limits(rank);
  for (size_t i = 0; i < rank; ++i)
    if (const Limit *limit = x.limit(i)) limits[i] = Limit{limit->end, false};
  ExprPtr arg = takeExpr(x);
  ExprPtr e = makeExpr(ExprKind::Argsort, sema::tensorType(DType::I64, arg->type.shape), span);
  e->as<node::Argsort>().descending = *descending;
  e->args.push_back(std::move(arg));
  Value order = arrayValue(cx, std::move(e), scalarType(DType::I64), std::move(limits), span);
  if (order.isPoison()) return order;
  order = reusable(cx, std::move(order), "order", span);
  return isLast ? order : transpose(cx, std::move(order), exchanged, span);
}

/// `values, places = sort(x)`: both. Two elements are taken apart, as those of any tensor of two.
Value sortedWithPlaces(Context &cx, const ast::CallExpr &call) {
  cx.asksPlaces = nullptr;
  GivenList given;
  Value sorted = checkCall(cx, call, [&](GivenList &args) { given = args; });
  auto *method = ast::as<ast::AttributeExpr>(call.callee);
  if (method) given.insert(given.begin(), {"", checkExpr(cx, *method->object), method->object->span, {}, nullptr});
  const bool ofTwo = sorted.isArray() && sorted.type.shape.size() == 1 && sorted.type.shape[0] == Dim(2);
  const Value argsort = builtinMember(cx, "", "argsort");
  if (!sorted.isArray() || ofTwo || !isCallable(argsort)) return sorted;
  Value places = callValue(cx, argsort, std::move(given), call.span, "argsort");
  return places.isPoison() ? places : Value::tuple({std::move(sorted), std::move(places)});
}

}  // namespace tessera::sema
