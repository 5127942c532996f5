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

/// True, with a message, if not all devices get to a collective, or to a call of a function that does one.
bool Checker::divergentCollective(const std::string &what, const std::string &axis, Span span) {
  Span cause = varyingDepth_ > 0 && !varyingCauses_.empty() ? varyingCauses_.back() : divergence_.cause;
  if (!cause.valid()) {
    divergence_.done.push_back({what, axis, span});
    return false;
  }
  if (!fresh(Id::divergentCollective, span)) return true;
  // One condition is one mistake, whatever stands under it.
  Span decides = placeOf(cause);
  if (!reportedSpans_.insert({static_cast<int>(Id::divergentCollective), decides.file, decides.begin}).second) return true;
  report(Id::divergentCollective, span, what, axis)
      .label("those that get here would wait for the others without end")
      .note(cause, "this differs between devices")
      .help("do it on all devices, and use its result under the condition");
  return true;
}

/// `break` and `continue` under a condition that differs between devices: what follows in this iteration, and
/// behind a `break` all that the loop does, is not done by all of them.
void Checker::leavesIteration(bool loop) {
  if (inKernel() || varyingDepth_ == 0 || varyingCauses_.empty()) return;
  divergence_.cause = varyingCauses_.back();
  divergence_.leftLoop |= loop;
}

/// Behind a loop whose body did the collectives from number `first` on.
void Checker::leftByBreak(size_t first) {
  if (!divergence_.leftLoop) return;
  const std::vector<DoneCollective> done = divergence_.done;
  for (size_t i = first; i < done.size(); ++i) divergentCollective(done[i].what, done[i].axis, done[i].span);
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
  if (divergentCollective(name, *axis, span)) return Value::poison();
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
