// Collectives: operations in which all devices along an axis of the mesh take part, and a device's place in it.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include "support/MeshDims.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

/// ASCII alone: it becomes part of the name of a dimension (support/MeshDims.h).
static bool isIdentifier(const std::string &text) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::all_of(text.begin(), text.end(), isPart);
}

/// The name of an axis.
static std::optional<std::string> meshAxis(Context &cx, const Value &value, Span span) {
  if (value.kind == ValueKind::String && !value.expr && isIdentifier(value.text)) return value.text;
  if (!value.isPoison() && fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("axis"), "an axis of the mesh in quotes", describe(cx, value));
  return std::nullopt;
}

/// How many devices an axis has: one at least.
static Dim sizeAlong(Context &cx, const std::string &axis) {
  Dim size = MeshDim{MeshNumber::Size, axis}.dim();
  cx.function.facts.addNonNegative(size - Dim(1));
  return size;
}

static MeshNumber numberNamed(std::string_view function) {
  for (MeshNumber what : {MeshNumber::Size, MeshNumber::Index, MeshNumber::Rank})
    if (MeshDim{what, {}}.function() == function) return what;
  TSR_UNREACHABLE("a question to the mesh that is none");
}
static ExchangeKind exchangeNamed(std::string_view function) {
  for (ExchangeKind what : {ExchangeKind::AllReduce, ExchangeKind::AllGather, ExchangeKind::ReduceScatter})
    if (checked::name(what) == function) return what;
  TSR_UNREACHABLE("a collective that is none");
}

Value meshQuery(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string axis;
  if (!args.values.empty()) {
    auto name = meshAxis(cx, args.values[0], args.spans[0]);
    if (!name) return Value::poison();
    axis = *name;
  }
  if (inKernel(cx)) return unsupported(cx, "`" + std::string(row.name) + "` inside a kernel", span);
  const MeshNumber what = numberNamed(row.name);
  if (inHost(cx)) {
    std::vector<ExprPtr> named;
    if (!axis.empty()) {
      Type text;
      text.kind = TypeKind::String;
      named.push_back(makeExpr(ExprKind::String, text, span));
      named.back()->as<node::String>().text = axis;
    }
    return hostCall(cx, row.name, std::move(named), span);
  }
  const Dim number = MeshDim{what, axis}.dim();
  if (what == MeshNumber::Size) return Value::integer(sizeAlong(cx, axis));
  ExprPtr e = makeExpr(ExprKind::DimValue, indexType(), span);
  e->as<node::DimValue>().dim = number;
  Value index = indexValue(cx, std::move(e), axis.empty() ? "rank" : axis + "_index", span);
  cx.function.facts.addNonNegative(index.sym);
  if (what == MeshNumber::Index) cx.function.facts.addNonNegative(sizeAlong(cx, axis) - Dim(1) - index.sym);
  return index;
}

bool divergentCollective(Context &cx, const std::string &what, const std::string &axis, Span span) {
  Span cause = cx.function.varyingDepth > 0 && !cx.function.varyingCauses.empty() ? cx.function.varyingCauses.back()
                                                                                  : cx.function.divergence.cause;
  if (!cause.valid()) {
    cx.function.divergence.done.push_back({what, axis, span});
    return false;
  }
  if (!fresh(cx, Id::divergentCollective, span)) return true;
  // One condition is one mistake, whatever stands under it.
  Span decides = placeOf(cx, cause);
  if (!cx.reportedSpans.insert({static_cast<int>(Id::divergentCollective), decides.file, decides.begin}).second)
    return true;
  report(cx, Id::divergentCollective, span, what, axis)
      .label("those that get here would wait for the others without end")
      .note(cause, "this differs between devices")
      .help("do it on all devices, and use its result under the condition");
  return true;
}

void leavesIteration(Context &cx, bool loop) {
  if (inKernel(cx) || cx.function.varyingDepth == 0 || cx.function.varyingCauses.empty()) return;
  cx.function.divergence.cause = cx.function.varyingCauses.back();
  cx.function.divergence.leftLoop |= loop;
}

void leftByBreak(Context &cx, size_t first) {
  if (!cx.function.divergence.leftLoop) return;
  const std::vector<DoneCollective> done = cx.function.divergence.done;
  for (size_t i = first; i < done.size(); ++i) divergentCollective(cx, done[i].what, done[i].axis, done[i].span);
}

/// What `reduce_scatter` leaves of an extent: the entry function asks that it is a multiple of the number of devices.
static Dim partOf(Context &cx, const Dim &extent, const Dim &devices, const std::string &axis, Span span) {
  addGuard(cx, shape::Formula(Dim::mod(extent, devices), Relation::Eq, Dim(0)),
           "reduce_scatter shares out " + show(cx, extent) + " among the devices of \"" + axis + "\"", span);
  return Dim::floorDiv(extent, devices);
}

Value collective(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string name(row.name);
  Value x = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  if (x.isPoison()) return x;
  if (x.kind != ValueKind::Array) {
    report(cx, Id::wrongArgument, args.spans[0], quoted(name), "a tensor", describe(cx, x));
    return Value::poison();
  }
  auto axis = meshAxis(cx, args.values[1], args.spans[1]);
  if (!axis) return Value::poison();
  if (inKernel(cx)) return unsupported(cx, "`" + name + "` inside a kernel", span);
  if (divergentCollective(cx, name, *axis, span)) return Value::poison();
  const ExchangeKind what = exchangeNamed(row.name);
  Type type = x.type;
  if (what != ExchangeKind::AllGather) {
    auto summand = summandOf(cx, x, "`" + name + "`", span);
    if (!summand) return Value::poison();
    type = summand->type;
    type.shape = x.type.shape;
    // Of 16 bits devices give each other no more than that: they add up in f32, and round once.
    if ((x.type.dtype == DType::BF16 || x.type.dtype == DType::F16) && summand->carried == DType::F32)
      x.expr = std::shared_ptr<Expr>(inCarryType(cx, x, x.type.dtype, span).release());
    else
      x = std::move(summand->value);
  }
  std::vector<int> front;  // the axes with the one that devices share first
  if (what != ExchangeKind::AllReduce) {
    Value zero = Value::integer(Dim(0));
    auto dim = axisOf(cx, args.values[2].given() ? args.values[2] : zero, type.shape.size(), span, name);
    if (!dim) return Value::poison();
    const Dim devices = sizeAlong(cx, *axis);
    if (*dim != 0) {
      for (int i = 0; i < static_cast<int>(type.shape.size()); ++i) front.push_back(i);
      std::swap(front[0], front[static_cast<size_t>(*dim)]);
      x = transpose(cx, std::move(x), front, span);
      std::swap(type.shape[0], type.shape[static_cast<size_t>(*dim)]);
    }
    type.shape[0] = what == ExchangeKind::AllGather ? type.shape[0] * devices : partOf(cx, type.shape[0], devices, *axis, span);
  }
  noteEffect(cx, {EffectKind::Collective, *axis, false, false, {{span, "`" + name + "` exchanges data here"}}});
  ExprPtr arg = takeExpr(x);
  ExprPtr e = makeExpr(ExprKind::Exchange, sema::tensorType(arg->type.dtype, type.shape), span);
  e->type.numerics = arg->type.numerics;
  e->as<node::Exchange>() = {what, *axis};
  e->args.push_back(std::move(arg));
  Value all = reusable(cx, arrayValue(cx, std::move(e), type, {}, span), name, span);
  return front.empty() ? all : transpose(cx, std::move(all), front, span);
}

}  // namespace tessera::sema
