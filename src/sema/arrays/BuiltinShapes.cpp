// Built-in functions that move elements: transpose, reshape, concat, split and their kin.
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

Value arrayTranspose(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  bool listed = args.rest.size() == 1 && args.rest[0].isSequence();
  std::vector<Value> given = listed ? args.rest[0].items : args.rest;
  size_t rank = x.type.shape.size();
  std::vector<int> axes;
  for (size_t i = 0; i < given.size(); ++i) {
    auto axis = axisOf(cx, given[i], x, args.restSpans[args.rest.size() == given.size() ? i : 0]);
    if (!axis) return Value::poison();
    axes.push_back(*axis);
  }
  if (axes.size() == 2 && row.name == "transpose") {  // two axes change places
    if (axes[0] == axes[1]) {
      if (fresh(cx, Id::badConstant, span))
        report(cx, Id::badConstant, span, "`transpose` exchanges two axes, but both are " + std::to_string(axes[0]));
      return Value::poison();
    }
    std::vector<int> all;
    for (size_t i = 0; i < rank; ++i) all.push_back(static_cast<int>(i));
    std::swap(all[axes[0]], all[axes[1]]);
    axes = all;
  }
  std::set<int> distinct(axes.begin(), axes.end());
  if ((listed || !axes.empty()) && (axes.size() != rank || distinct.size() != rank)) {
    report(cx, Id::badConstant, span, "`" + shown + "` needs each of the " + std::to_string(rank) + " axes once");
    return Value::poison();
  }
  return transpose(cx, std::move(x), std::move(axes), span);
}

Value arrayReshape(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  std::vector<Value> given = args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  std::vector<Dim> shape;
  int inferred = -1;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].isKnownInt() && given[i].sym.constant() == -1) {
      if (inferred >= 0) {
        report(cx, Id::badConstant, span, "only one dimension of a reshape may be -1");
        return Value::poison();
      }
      inferred = static_cast<int>(shape.size());
      shape.push_back(Dim(1));
    } else if (!shapeArgument(cx, given[i], span, shape)) {
      return Value::poison();
    }
  }
  const std::vector<Dim> before = x.type.shape;
  Value made = reshape(cx, std::move(x), std::move(shape), inferred, span);
  if (!made.isPoison()) warnOfReorderedAxes(cx, before, made.type.shape, span);
  return made;
}

Value arrayBroadcastTo(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  std::vector<Dim> shape;
  if (!shapeArgument(cx, args.values[1], args.spans[1], shape)) return Value::poison();
  return broadcastValue(cx, args.values[0], shape, span);
}

Value arrayUnsqueeze(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = toArray(cx, args.values[0], DType::F32, span);
  if (!requireNumber(cx, x, span, shown)) return Value::poison();
  auto axis = axisOf(cx, args.values[1], x.type.shape.size() + 1, args.spans[1], "the result of `" + shown + "`");
  return axis ? insertAxis(cx, std::move(x), *axis, span) : Value::poison();
}

Value arraySqueeze(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  std::vector<int> axes;
  if (!args.values[1].given()) {  // all that are proved to have one element
    for (size_t a = 0; a < x.type.shape.size(); ++a)
      if (cx.function.facts.same(x.type.shape[a], Dim(1))) axes.push_back(static_cast<int>(a));
  } else if (!axesOf(cx, args.values[1], x, args.spans[1], axes)) {
    return Value::poison();
  }
  for (size_t i = axes.size(); i-- > 0 && !x.isPoison();) x = removeAxis(cx, std::move(x), axes[i], span);
  return x;
}

/// The tensors of `f(a, b)` or `f([a, b])`.
static bool partsArgument(Context &cx, const BuiltinRow &row, const Bound &args, Span span, std::vector<Value> &parts) {
  std::string shown(row.name);
  parts = args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  if (parts.empty()) {
    report(cx, Id::argumentNotGiven, span, shown, "parts");
    return false;
  }
  for (Value &part : parts) {
    part = toArray(cx, part, DType::F32, span);
    if (part.isArray()) continue;
    if (!part.isPoison()) report(cx, Id::badOperand, span, shown, describe(cx, part));
    return false;
  }
  return true;
}

Value arrayConcat(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::vector<Value> parts;
  if (!partsArgument(cx, row, args, span, parts)) return Value::poison();
  Value axis = args.values[1].given() ? args.values[1] : Value::integer(Dim(0));
  auto at = axisOf(cx, axis, parts[0], args.spans[1]);
  return at ? concat(cx, std::move(parts), *at, span) : Value::poison();
}

/// `stack([a, b])` of numbers is the tensor of them; nothing if some are none. A number that is known takes the dtype of those that are not.
static std::optional<Value> stackOfNumbers(Context &cx, const Bound &args, Span span) {
  std::vector<Value> parts = args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  auto isKnown = [](const Value &v) { return v.kind == ValueKind::Float || v.kind == ValueKind::Int; };
  auto isNumber = [&](const Value &v) { return v.isScalar() || isKnown(v); };
  const auto computed = std::find_if(parts.begin(), parts.end(), [](const Value &v) { return v.isScalar(); });
  if (inKernel(cx) || computed == parts.end() || !std::all_of(parts.begin(), parts.end(), isNumber)) return std::nullopt;
  const DType dtype = computed->type.dtype;
  if (args.values[1].given() && !axisOf(cx, args.values[1], 1, args.spans[1], "the result of `stack`")) return Value::poison();
  for (Value &part : parts) {
    part = broadcastValue(cx, toArray(cx, part, dtype, span), {Dim(1)}, span);
    if (part.isPoison()) return part;
  }
  return concat(cx, std::move(parts), 0, span);
}

Value arrayStack(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  if (auto made = stackOfNumbers(cx, args, span)) return *made;
  std::vector<Value> parts;
  if (!partsArgument(cx, row, args, span, parts)) return Value::poison();
  for (const Value &part : parts)
    if (part.type.shape.size() != parts[0].type.shape.size()) {
      report(cx, Id::rankMismatch, span, diag::counted(parts[0].type.shape.size(), "dimension"),
             diag::counted(part.type.shape.size(), "dimension"))
          .label("part 0 has the shape " + shapeText(cx, parts[0].type.shape) + ", another one " +
                 shapeText(cx, part.type.shape));
      return Value::poison();
    }
  Value axis = args.values[1].given() ? args.values[1] : Value::integer(Dim(0));
  auto at = axisOf(cx, axis, parts[0].type.shape.size() + 1, args.spans[1], "the result of `stack`");
  return at ? stack(cx, std::move(parts), *at, span) : Value::poison();
}

Value arraySplit(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(cx, args, 0, shown);
  if (x.isPoison()) return x;
  auto axis = axisOf(cx, args.values[2].given() ? args.values[2] : Value::integer(Dim(0)), x, args.spans[2]);
  if (!axis) return Value::poison();
  if (args.values[1].isSequence()) {
    std::vector<Dim> sizes;
    if (!shapeArgument(cx, args.values[1], args.spans[1], sizes)) return Value::poison();
    return splitInto(cx, std::move(x), sizes, *axis, span);
  }
  auto parts = knownInt(cx, args.values[1], args.spans[1], "the number of parts");
  if (!parts) return Value::poison();
  if (*parts < 1 || *parts > 4096) {
    report(cx, Id::badConstant, args.spans[1], "a tensor is split into at least one part");
    return Value::poison();
  }
  return split(cx, std::move(x), static_cast<int>(*parts), *axis, span);
}

Value arrayFlatten(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  Value x = arrayArgument(cx, args, 0, std::string(row.name));
  if (x.isPoison()) return x;
  Value first = args.values[1].given() ? args.values[1] : Value::integer(Dim(0)),
        last = args.values[2].given() ? args.values[2] : Value::integer(Dim(-1));
  auto a = axisOf(cx, first, x, args.spans[1]),
       b = axisOf(cx, last, x, args.spans[2]);
  if (!a || !b) return Value::poison();
  if (*a > *b) {
    report(cx, Id::badConstant, span, "the first axis of `flatten` comes behind the last one");
    return Value::poison();
  }
  return mergeAxes(cx, std::move(x), static_cast<size_t>(*a), static_cast<size_t>(*b - *a + 1), span);
}

Value arrayExpand(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  Value x = arrayArgument(cx, args, 0, std::string(row.name));
  if (x.isPoison()) return x;
  std::vector<Value> given = args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  std::vector<Dim> shape;
  size_t rank = x.type.shape.size();
  for (size_t i = 0; i < given.size(); ++i) {
    bool keep = given[i].isKnownInt() && given[i].sym == Dim(-1) && i + rank >= given.size();
    if (keep) shape.push_back(x.type.shape[i + rank - given.size()]);
    else if (!shapeArgument(cx, given[i], span, shape)) return Value::poison();
  }
  return broadcastValue(cx, std::move(x), shape, span);
}

Value arrayRepeat(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  Value x = arrayArgument(cx, args, 0, std::string(row.name));
  if (x.isPoison()) return x;
  std::vector<Dim> times;
  auto axis = axisOf(cx, args.values[2], x, args.spans[2]);
  if (!axis || !shapeArgument(cx, args.values[1], args.spans[1], times)) return Value::poison();
  if (times.size() != 1) {
    report(cx, Id::wrongArgument, args.spans[1], quoted(std::string(row.name)), "one number",
           describe(cx, args.values[1]));
    return Value::poison();
  }
  return repeat(cx, std::move(x), times[0], *axis, row.name == "tile_repeat", span);
}

}  // namespace tessera::sema
