// Collectives: operations in which all devices along an axis of the mesh take part, and a device's place in it.
#include "sema/Checker.h"

namespace tessera::sema {

/// The name of an axis.
std::optional<std::string> Checker::meshAxis(const Value &value, Span span) {
  if (value.kind == ValueKind::String && !value.expr && !value.text.empty()) return value.text;
  if (!value.isPoison() && fresh(Id::wrongArgument, span))
    report(Id::wrongArgument, span, quoted("axis"), "an axis of the mesh in quotes", describe(value));
  return std::nullopt;
}

/// `axis_index("tp")` and `rank()` differ between devices; `axis_size("tp")` is a dimension.
Value Checker::meshQuery(const BuiltinRow &row, Bound &args, Span span) {
  std::string axis;
  if (!args.values.empty()) {
    auto name = meshAxis(args.values[0], args.spans[0]);
    if (!name) return Value::poison();
    axis = *name;
  }
  if (inKernel()) return unsupported("`" + std::string(row.name) + "` inside a kernel", span);
  later("meshes of devices (`" + std::string(row.name) + "`)", span);
  if (row.name == "axis_size") return Value::integer(Dim::var("mesh." + axis));
  ExprPtr e = makeExpr(ExprKind::Opaque, indexType(), span);
  e->text = row.name;
  e->nameHint = axis;
  return indexValue(std::move(e), axis.empty() ? "rank" : axis + "_index", span);
}

Value Checker::collective(const BuiltinRow &row, Bound &args, Span span) {
  std::string name(row.name);
  Value x = toArray(args.values[0], DType::F32, args.spans[0]);
  if (x.isPoison()) return x;
  if (x.kind != ValueKind::Array) {
    report(Id::wrongArgument, args.spans[0], quoted(name), "a tensor", describe(x));
    return Value::poison();
  }
  auto axis = meshAxis(args.values[1], args.spans[1]);
  if (!axis) return Value::poison();
  if (inKernel()) return unsupported("`" + name + "` inside a kernel", span);
  if (varyingDepth_ > 0) {
    if (fresh(Id::divergentCollective, span)) {
      auto builder = report(Id::divergentCollective, span, name, *axis);
      builder.label("those that get here would wait for the others without end");
      if (!varyingCauses_.empty()) builder.note(varyingCauses_.back(), "this differs between devices");
      builder.help("do it on all devices, and use its result under the condition");
    }
    return Value::poison();
  }
  bool reduces = name == "all_reduce" || name == "reduce_scatter";
  Type type = x.type;
  if (reduces && !accumulator(x, span, "`" + name + "`")) return Value::poison();
  if (name != "all_reduce") {
    Value zero = Value::integer(Dim(0));
    auto dim = axisOf(args.values[2].given() ? args.values[2] : zero, type.shape.size(), span, name);
    if (!dim) return Value::poison();
    Dim devices = Dim::var("mesh." + *axis);
    Dim &extent = type.shape[static_cast<size_t>(*dim)];
    if (name == "all_gather") {
      extent = extent * devices;
    } else {
      Requirement whole;
      whole.left = Dim::mod(extent, devices);
      whole.right = Dim(0);
      whole.text = name + " shares out " + show(extent) + " among the devices of \"" + *axis + "\"";
      whole.span = span;
      fn_->requirements.push_back(whole);
      extent = Dim::floorDiv(extent, devices);
    }
  }
  noteEffect({EffectKind::Collective, *axis, false, false, {{span, "`" + name + "` exchanges data here"}}});
  later("collectives (`" + name + "`)", span);
  ExprPtr e = makeExpr(ExprKind::Opaque, type, span);
  e->text = name;
  e->nameHint = *axis;
  e->args.push_back(take(x));
  return cheap(finish(std::move(e), type, {}, span), name, span);
}

}  // namespace tessera::sema
