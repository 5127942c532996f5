// Collectives: operations in which all devices along an axis of the mesh take part, and a device's place in it.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Arguments.h"
#include "sema/effects/Effects.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

/// The name of an axis.
static std::optional<std::string> meshAxis(Context &cx, const Value &value, Span span) {
  if (value.kind == ValueKind::String && !value.expr && !value.text.empty()) return value.text;
  if (!value.isPoison() && fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("axis"), "an axis of the mesh in quotes", describe(cx, value));
  return std::nullopt;
}

Value meshQuery(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string axis;
  if (!args.values.empty()) {
    auto name = meshAxis(cx, args.values[0], args.spans[0]);
    if (!name) return Value::poison();
    axis = *name;
  }
  if (inKernel(cx)) return unsupported(cx, "`" + std::string(row.name) + "` inside a kernel", span);
  notCompiledYet(cx, "meshes of devices (`" + std::string(row.name) + "`)", span);
  if (row.name == "axis_size") return Value::integer(Dim::var("mesh." + axis));
  ExprPtr e = makeExpr(ExprKind::Opaque, indexType(), span);
  e->as<node::Opaque>().name = row.name;
  e->nameHint = axis;
  return indexValue(cx, std::move(e), axis.empty() ? "rank" : axis + "_index", span);
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
  bool reduces = name == "all_reduce" || name == "reduce_scatter";
  Type type = x.type;
  if (reduces && !accumulator(cx, x, span, "`" + name + "`")) return Value::poison();
  if (name != "all_reduce") {
    Value zero = Value::integer(Dim(0));
    auto dim = axisOf(cx, args.values[2].given() ? args.values[2] : zero, type.shape.size(), span, name);
    if (!dim) return Value::poison();
    Dim devices = Dim::var("mesh." + *axis);
    Dim &extent = type.shape[static_cast<size_t>(*dim)];
    if (name == "all_gather") {
      extent = extent * devices;
    } else {
      Requirement whole;
      whole.left = Dim::mod(extent, devices);
      whole.right = Dim(0);
      whole.text = name + " shares out " + show(cx, extent) + " among the devices of \"" + *axis + "\"";
      whole.span = span;
      cx.function.fn->requirements.push_back(whole);
      extent = Dim::floorDiv(extent, devices);
    }
  }
  noteEffect(cx, {EffectKind::Collective, *axis, false, false, {{span, "`" + name + "` exchanges data here"}}});
  notCompiledYet(cx, "collectives (`" + name + "`)", span);
  ExprPtr e = makeExpr(ExprKind::Opaque, type, span);
  e->as<node::Opaque>().name = name;
  e->nameHint = *axis;
  e->args.push_back(takeExpr(x));
  return reusable(cx, arrayValue(cx, std::move(e), type, {}, span), name, span);
}

}  // namespace tessera::sema
