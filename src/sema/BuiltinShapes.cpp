// Built-in functions that move elements: transpose, reshape, concat, split.
#include "sema/Checker.h"

namespace tessera::sema {

Value Checker::arrayTranspose(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(args, 0, shown);
  if (x.isPoison()) return x;
  std::vector<Value> given =
      args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  size_t rank = x.type.shape.size();
  std::vector<int> axes;
  for (const Value &v : given) {
    auto axis = axisOf(v, rank, span, describe(x));
    if (!axis) return Value::poison();
    axes.push_back(*axis);
  }
  if (axes.size() == 2 && rank != 2 && row.name == "transpose") {  // two axes change places
    std::vector<int> all;
    for (size_t i = 0; i < rank; ++i) all.push_back(static_cast<int>(i));
    std::swap(all[axes[0]], all[axes[1]]);
    axes = all;
  }
  std::set<int> distinct(axes.begin(), axes.end());
  if (!axes.empty() && (axes.size() != rank || distinct.size() != rank)) {
    report(Id::badConstant, span,
           "`" + shown + "` needs each of the " + std::to_string(rank) + " axes once");
    return Value::poison();
  }
  return transpose(std::move(x), std::move(axes), span);
}

Value Checker::arrayReshape(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(args, 0, shown);
  if (x.isPoison()) return x;
  std::vector<Value> given =
      args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  std::vector<Dim> shape;
  int inferred = -1;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].isKnownInt() && given[i].sym.constant() == -1) {
      if (inferred >= 0) {
        report(Id::badConstant, span, "only one dimension of a reshape may be -1");
        return Value::poison();
      }
      inferred = static_cast<int>(i);
      shape.push_back(Dim(1));
    } else if (!shapeArgument(given[i], span, shape)) {
      return Value::poison();
    }
  }
  return reshape(std::move(x), std::move(shape), inferred, span);
}

Value Checker::arrayBroadcastTo(const BuiltinRow &, Bound &args, Span span) {
  std::vector<Dim> shape;
  if (!shapeArgument(args.values[1], args.spans[1], shape)) return Value::poison();
  return broadcastValue(args.values[0], shape, span);
}

Value Checker::arrayUnsqueeze(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = toArray(args.values[0], DType::F32, span);
  if (!requireNumber(x, span, shown)) return Value::poison();
  auto axis = axisOf(args.values[1], x.type.shape.size() + 1, args.spans[1], describe(x));
  return axis ? insertAxis(std::move(x), *axis, span) : Value::poison();
}

Value Checker::arraySqueeze(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(args, 0, shown);
  if (x.isPoison()) return x;
  auto axis = axisOf(args.values[1], x.type.shape.size(), args.spans[1], describe(x));
  return axis ? removeAxis(std::move(x), *axis, span) : Value::poison();
}

Value Checker::arrayConcat(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  std::vector<Value> parts =
      args.rest.size() == 1 && args.rest[0].isSequence() ? args.rest[0].items : args.rest;
  if (parts.empty()) {
    report(Id::argumentNotGiven, span, shown, "parts");
    return Value::poison();
  }
  for (Value &part : parts) {
    part = toArray(part, DType::F32, span);
    if (!part.isArray()) {
      if (!part.isPoison()) report(Id::badOperand, span, shown, describe(part));
      return Value::poison();
    }
  }
  Value axis = args.values[1].given() ? args.values[1] : Value::integer(Dim(0));
  auto at = axisOf(axis, parts[0].type.shape.size(), span, describe(parts[0]));
  return at ? concat(std::move(parts), *at, span) : Value::poison();
}

Value Checker::arraySplit(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  Value x = arrayArgument(args, 0, shown);
  if (x.isPoison()) return x;
  auto parts = knownInt(args.values[1], args.spans[1], "the number of parts");
  auto axis = axisOf(args.values[2].given() ? args.values[2] : Value::integer(Dim(0)), x.type.shape.size(),
                     span, describe(x));
  if (!parts || !axis) return Value::poison();
  if (*parts < 1 || *parts > 4096) {
    report(Id::badConstant, args.spans[1], "a tensor is split into at least one part");
    return Value::poison();
  }
  return split(std::move(x), static_cast<int>(*parts), *axis, span);
}

}  // namespace tessera::sema
