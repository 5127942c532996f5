// Built-in functions on numbers, tensors and tiles.
#include "sema/Checker.h"

namespace tessera::sema {

namespace {
struct SignatureItem {
  std::string name;
  bool optional = false, rest = false;
};
std::vector<SignatureItem> signatureItems(std::string_view text) {
  std::vector<SignatureItem> items;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(',', at);
    if (end == std::string_view::npos) end = text.size();
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    SignatureItem item;
    if (word.front() == '*') item.rest = true, word.remove_prefix(1);
    if (word.back() == '=') item.optional = true, word.remove_suffix(1);
    item.name = word;
    items.push_back(std::move(item));
    at = end + 1;
  }
  return items;
}
}  // namespace

Bound Checker::bindBuiltin(const BuiltinRow &row, GivenList args, Span span) {
  Bound bound;
  std::vector<SignatureItem> items = signatureItems(row.signature);
  std::string shown(row.name);
  bound.values.assign(items.size(), Value::of(ValueKind::Absent));
  bound.spans.assign(items.size(), span);
  size_t next = 0, positional = 0, plain = 0;
  for (const SignatureItem &item : items) plain += !item.rest;
  for (const Given &arg : args) positional += arg.keyword.empty();
  for (Given &arg : args) {
    if (arg.value.isPoison()) bound.ok = false;
    size_t at = items.size();
    if (arg.keyword.empty()) {
      if (next < items.size() && items[next].rest) {
        bound.rest.push_back(std::move(arg.value));
        bound.restSpans.push_back(arg.span);
        continue;
      }
      at = next++;
      if (at >= items.size()) {
        report(Id::tooManyArguments, arg.span, shown,
               std::to_string(plain) + (plain == 1 ? " argument" : " arguments"), std::to_string(positional));
        bound.ok = false;
        return bound;
      }
    } else {
      for (size_t i = 0; i < items.size(); ++i)
        if (items[i].name == arg.keyword && !items[i].rest) at = i;
      if (at == items.size()) {
        std::vector<std::string_view> names;
        for (const SignatureItem &item : items) names.push_back(item.name);
        auto builder = report(Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
        auto near = diag::didYouMean(arg.keyword, names);
        if (!near.empty())
          builder.help("did you mean `" + std::string(near) + "`?")
              .fix(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
        bound.ok = false;
        continue;
      }
    }
    if (bound.values[at].given()) {
      report(Id::argumentTwice, arg.span, shown, items[at].name);
      bound.ok = false;
      continue;
    }
    bound.values[at] = std::move(arg.value);
    bound.spans[at] = arg.span;
  }
  for (size_t i = 0; i < items.size() && bound.ok; ++i)
    if (!items[i].optional && !items[i].rest && !bound.values[i].given()) {
      report(Id::argumentNotGiven, span, shown, items[i].name);
      bound.ok = false;
    }
  return bound;
}

Value Checker::callBuiltin(const BuiltinRow &row, GivenList args, Span span) {
  bool kernelOnly = row.places.find('K') != std::string_view::npos,
       hostOnly = row.places.find('H') != std::string_view::npos;
  if (kernelOnly && !inKernel()) {
    if (fresh(Id::kernelOnly, span))
      report(Id::kernelOnly, span, "tile." + std::string(row.name)).help("mark the function `@kernel`");
    return Value::poison();
  }
  if (hostOnly && !inHost()) {
    if (fresh(Id::hostOnly, span))
      report(Id::hostOnly, span, std::string(row.name)).help("call it in `def main()`");
    return Value::poison();
  }
  switch (row.kind) {
  case BuiltinKind::Unsupported: return unsupported(std::string(row.op), span);
  case BuiltinKind::Decorator:
    return unsupported("`" + std::string(row.name) + "` outside of a decorator", span);
  case BuiltinKind::Schedule: return scheduleCall(args, span);
  case BuiltinKind::Policy: return policyCall(args, span);
  case BuiltinKind::Dict: {
    Value v = Value::of(ValueKind::Dict);
    for (Given &arg : args) {
      v.items.push_back(Value::string(arg.keyword));
      v.items.push_back(std::move(arg.value));
    }
    return v;
  }
  default: break;
  }
  Bound bound = bindBuiltin(row, args, span);
  if (!bound.ok) return Value::poison();
  if (hostOnly) return callHostBuiltin(row, bound, args, span);
  Value v = callKernelBuiltin(row, bound, args, span);
  if (v.given()) return v;
  return callArrayBuiltin(row, bound, span);
}

bool Checker::shapeArgument(const Value &value, Span span, std::vector<Dim> &shape) {
  std::vector<Value> items = value.isSequence() ? value.items : std::vector<Value>{value};
  for (const Value &item : items) {
    if (item.kind != ValueKind::Int) {
      if (!item.isPoison() && fresh(Id::wrongArgument, span))
        report(Id::wrongArgument, span, "a shape", "integers and dimensions", describe(item));
      return false;
    }
    Dim d = item.sym;
    std::set<std::string> vars;
    d.collectVars(vars);
    for (const std::string &v : vars)
      if (v[0] == '%') {
        d = facts_.external(d);
        break;
      }
    vars.clear();
    d.collectVars(vars);
    for (const std::string &v : vars)
      if (v[0] == '%') {
        if (fresh(Id::notConstant, span)) report(Id::notConstant, span, "a dimension (`" + show(d) + "`)");
        return false;
      }
    shape.push_back(d);
  }
  return true;
}

std::optional<DType> Checker::dtypeArgument(const Value &value, Span span, Numerics *numerics) {
  if (value.kind == ValueKind::DType || (value.kind == ValueKind::Policy && value.truth)) {
    if (numerics) *numerics = value.type.numerics;
    return value.type.dtype;
  }
  if (value.kind == ValueKind::Builtin) {  // Python's names
    if (value.builtin->name == "float") return DType::F32;
    if (value.builtin->name == "int") return DType::I32;
    if (value.builtin->name == "bool") return DType::Bool;
  }
  if (!value.isPoison() && fresh(Id::wrongArgument, span))
    report(Id::wrongArgument, span, "this argument", "a dtype", describe(value));
  return std::nullopt;
}

Value Checker::callArrayBuiltin(const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  auto flag = [&](size_t i) {
    if (!args.values[i].given()) return std::optional(false);
    return knownBool(args.values[i], args.spans[i], "this choice");
  };
  auto array = [&](size_t i) {
    Value v = toArray(args.values[i], DType::F32, args.spans[i]);
    if (v.isArray()) return v;
    if (!v.isPoison() && fresh(Id::badOperand, args.spans[i]))
      report(Id::badOperand, args.spans[i], shown, describe(v));
    return Value::poison();
  };
  switch (row.kind) {
  case BuiltinKind::Elementwise: return elementwise(*elementwiseByMnemonic(row.op), args.values, span, shown);
  case BuiltinKind::Where: {
    Value condition = toArray(args.values[0], DType::Bool, args.spans[0]);
    if (condition.isPoison()) return condition;
    if (condition.kind != ValueKind::Array || condition.type.dtype != DType::Bool) {
      report(Id::wrongArgument, args.spans[0], "where", "a condition", describe(condition));
      return Value::poison();
    }
    return elementwise(ElementwiseOp::Select, {condition, args.values[1], args.values[2]}, span, shown);
  }
  case BuiltinKind::Reduce: {
    auto keep = flag(2);
    if (!keep) return Value::poison();
    if (args.values[0].isSequence() && row.op == "sum") {  // of a list known to the compiler
      Value total = Value::integer(Dim(0));
      for (const Value &item : args.values[0].items)
        total = binaryValues(ast::BinaryOp::Add, total, item, span);
      return total;
    }
    return reduce(*reduceByMnemonic(row.op), args.values[0], args.values[1], *keep, span, shown);
  }
  case BuiltinKind::MinMax: {
    bool arrayFirst = args.values[0].isArray() || args.values[0].kind == ValueKind::View;
    auto keep = flag(3);
    if (!keep) return Value::poison();
    if (arrayFirst) {
      Value axis = args.values[2];
      if (!axis.given() && args.rest.size() == 1 &&
          (args.rest[0].kind == ValueKind::Int || args.rest[0].isSequence()))
        axis = args.rest[0];
      else if (!args.rest.empty()) {
        report(Id::wrongArgument, args.restSpans[0], shown, "an axis", describe(args.rest[0]))
            .help("`" + shown + "imum(a, b)` compares element by element");
        return Value::poison();
      }
      return reduce(*reduceByMnemonic(row.op), args.values[0], axis, *keep, span, shown);
    }
    std::vector<Value> all = {args.values[0]};
    if (all[0].isSequence()) all = all[0].items;
    all.insert(all.end(), args.rest.begin(), args.rest.end());
    if (all.empty()) {
      report(Id::argumentNotGiven, span, shown, "x");
      return Value::poison();
    }
    Value out = all[0];
    for (size_t i = 1; i < all.size() && !out.isPoison(); ++i) {
      if ((out.kind == ValueKind::Float || out.isKnownInt()) &&
          (all[i].kind == ValueKind::Float || all[i].isKnownInt())) {
        Value less = compareValues(ast::CompareOp::Lt, all[i], out, span);
        if (less.kind == ValueKind::Bool) {
          if (less.truth == (row.op == "min")) out = all[i];
          continue;
        }
      }
      out = elementwise(*elementwiseByMnemonic(row.op), {out, all[i]}, span, shown);
    }
    return out;
  }
  case BuiltinKind::Mean: {
    auto keep = flag(2);
    return keep ? mean(args.values[0], args.values[1], *keep, span) : Value::poison();
  }
  case BuiltinKind::Cast: {
    if (args.values.size() > 2 && args.values[2].given())
      return unsupported("stochastic rounding (`rng=`)", span);
    Numerics numerics;
    auto dtype = dtypeArgument(args.values[1], args.spans[1], &numerics);
    if (!dtype) return Value::poison();
    if (args.values[0].kind == ValueKind::Array || args.values[0].kind == ValueKind::View ||
        args.values[0].kind == ValueKind::Int || args.values[0].kind == ValueKind::Float ||
        args.values[0].kind == ValueKind::Bool || args.values[0].kind == ValueKind::HostTensor)
      return castTo(args.values[0], *dtype, numerics, span);
    report(Id::wrongArgument, args.spans[0], shown, "a number or tensor", describe(args.values[0]));
    return Value::poison();
  }
  case BuiltinKind::Transpose: {
    Value x = array(0);
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
  case BuiltinKind::Reshape: {
    Value x = array(0);
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
  case BuiltinKind::BroadcastTo: {
    std::vector<Dim> shape;
    if (!shapeArgument(args.values[1], args.spans[1], shape)) return Value::poison();
    return broadcastValue(args.values[0], shape, span);
  }
  case BuiltinKind::Unsqueeze: {
    Value x = toArray(args.values[0], DType::F32, span);
    if (!requireNumber(x, span, shown)) return Value::poison();
    auto axis = axisOf(args.values[1], x.type.shape.size() + 1, args.spans[1], describe(x));
    return axis ? insertAxis(std::move(x), *axis, span) : Value::poison();
  }
  case BuiltinKind::Squeeze: {
    Value x = array(0);
    if (x.isPoison()) return x;
    auto axis = axisOf(args.values[1], x.type.shape.size(), args.spans[1], describe(x));
    return axis ? removeAxis(std::move(x), *axis, span) : Value::poison();
  }
  case BuiltinKind::Concat: {
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
  case BuiltinKind::Split: {
    Value x = array(0);
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
  case BuiltinKind::Dot:
    return dot(args.values[0], args.values[1],
               args.values.size() > 2 ? args.values[2] : Value::of(ValueKind::Absent), span);
  case BuiltinKind::Full:
  case BuiltinKind::Zeros:
  case BuiltinKind::Ones: {
    std::vector<Dim> shape;
    if (!shapeArgument(args.values[0], args.spans[0], shape)) return Value::poison();
    bool full = row.kind == BuiltinKind::Full;
    const Value &given = args.values[full ? 2 : 1];
    Value value = full ? args.values[1] : Value::real(row.kind == BuiltinKind::Ones ? 1 : 0);
    Numerics numerics;
    DType dtype = value.kind == ValueKind::Array  ? value.type.dtype
                  : value.kind == ValueKind::Bool ? DType::Bool
                                                  : DType::F32;
    if (given.given()) {
      auto chosen = dtypeArgument(given, args.spans[full ? 2 : 1], &numerics);
      if (!chosen) return Value::poison();
      dtype = *chosen;
    }
    if (!full && isInt(dtype)) value = Value::integer(Dim(row.kind == BuiltinKind::Ones ? 1 : 0));
    if (!full && dtype == DType::Bool) value = Value::boolean(row.kind == BuiltinKind::Ones);
    if (value.isArray()) {
      report(Id::wrongArgument, span, shown, "one value", describe(value));
      return Value::poison();
    }
    Type type = scalarType(dtype, numerics);
    ExprPtr scalar = leave(value, type, span, "the element");
    if (!scalar) return Value::poison();
    ExprPtr e = makeExpr(ExprKind::Full, sema::tensorType(dtype, shape, numerics), span);
    e->args.push_back(std::move(scalar));
    return finish(std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span);
  }
  case BuiltinKind::Iota:
  case BuiltinKind::Arange: {
    std::vector<Dim> shape;
    if (!shapeArgument(args.values[0], args.spans[0], shape)) return Value::poison();
    bool iota = row.kind == BuiltinKind::Iota;
    int axis = 0;
    if (iota && args.values[1].given()) {
      auto at = axisOf(args.values[1], shape.size(), args.spans[1], "this shape");
      if (!at) return Value::poison();
      axis = *at;
    }
    const Value &given = args.values[iota ? 2 : 1];
    ExprPtr e = makeExpr(ExprKind::Iota, sema::tensorType(DType::I32, shape), span);
    e->axes = {axis};
    Value v =
        finish(std::move(e), scalarType(DType::I32), std::vector<std::optional<Limit>>(shape.size()), span);
    if (!given.given()) return v;
    Numerics numerics;
    auto dtype = dtypeArgument(given, span, &numerics);
    return dtype ? castTo(std::move(v), *dtype, numerics, span) : Value::poison();
  }
  case BuiltinKind::Cdiv: {
    Value a = convertInt(args.values[0], args.spans[0]), b = convertInt(args.values[1], args.spans[1]);
    if (a.isPoison() || b.isPoison()) return Value::poison();
    if (b.sym == Dim(0)) {
      report(Id::badConstant, span, "this divides by zero");
      return Value::poison();
    }
    Value top = intElementwise(
        ElementwiseOp::Sub, {intElementwise(ElementwiseOp::Add, {a, b}, span, "+"), Value::integer(Dim(1))},
        span, "-");
    return intElementwise(ElementwiseOp::FloorDiv, {top, b}, span, "//");
  }
  case BuiltinKind::Len: {
    const Value &x = args.values[0];
    if (x.isSequence()) return Value::integer(Dim(static_cast<int64_t>(x.items.size())));
    if (x.isArray()) return Value::integer(x.type.shape[0]);
    if (x.kind == ValueKind::View && !x.var->type.shape.empty()) return Value::integer(x.var->type.shape[0]);
    if (x.kind == ValueKind::String && !x.expr)
      return Value::integer(Dim(static_cast<int64_t>(x.text.size())));
    if (x.kind == ValueKind::HostTensor) return hostExtent(x, 0, span);
    report(Id::badOperand, span, "len", describe(x));
    return Value::poison();
  }
  case BuiltinKind::Enumerate: {
    const Value &x = args.values[0];
    if (x.kind == ValueKind::HostTensor) {
      Value v = Value::of(ValueKind::Enumerate);
      v.items = {x};
      return v;
    }
    if (!x.isSequence()) {
      report(Id::notIterable, span, describe(x));
      return Value::poison();
    }
    Value v = Value::of(ValueKind::List);
    for (size_t i = 0; i < x.items.size(); ++i)
      v.items.push_back(Value::tuple({Value::integer(Dim(static_cast<int64_t>(i))), x.items[i]}));
    return v;
  }
  case BuiltinKind::ToInt: {
    const Value &x = args.values[0];
    if (x.kind == ValueKind::Float) return Value::integer(Dim(static_cast<int64_t>(x.number)));
    Value s = toArray(x, DType::F32, span);
    if (x.kind == ValueKind::Int || x.kind == ValueKind::Bool) return convertInt(x, span);
    if (s.isScalar() && isFloat(s.type.dtype)) s = castTo(std::move(s), DType::I64, {}, span);
    return convertInt(s, span);
  }
  case BuiltinKind::ToFloat: {
    const Value &x = args.values[0];
    if (x.kind == ValueKind::Float) return x;
    if (x.isKnownInt() && !x.expr) return Value::real(static_cast<double>(x.sym.constant()));
    return castTo(x, inHost() ? DType::F64 : DType::F32, {}, span);
  }
  case BuiltinKind::ToBool: {
    if (auto known = knownCondition(args.values[0])) return Value::boolean(*known);
    ExprPtr e = conditionExpr(args.values[0], span);
    return e ? finish(std::move(e), scalarType(DType::Bool), {}, span) : Value::poison();
  }
  case BuiltinKind::Range: return rangeValue(args, false, span);
  case BuiltinKind::StaticRange: return rangeValue(args, true, span);
  default: break;
  }
  return unsupported("`" + shown + "`", span);
}

Value Checker::rangeValue(Bound &args, bool unrolled, Span span) {
  Value v = Value::of(ValueKind::Range);
  v.unrolled = unrolled;
  bool two = args.values[1].given();
  Value start = two ? args.values[0] : Value::integer(Dim(0));
  Value stop = two ? args.values[1] : args.values[0];
  Value step = args.values[2].given() ? args.values[2] : Value::integer(Dim(1));
  v.items = {convertInt(start, span), convertInt(stop, span), convertInt(step, span)};
  for (const Value &item : v.items)
    if (item.isPoison()) return item;
  if (args.values.size() < 4 || !args.values[3].given()) return v;
  auto prefetch = knownInt(args.values[3], args.spans[3], "how many steps are fetched ahead");
  if (!prefetch) return Value::poison();
  if (*prefetch < 0 || *prefetch > 16 || !inKernel()) {
    report(Id::badKernelOption, args.spans[3],
           inKernel() ? "a loop fetches 0 to 16 steps ahead, not " + std::to_string(*prefetch)
                      : "`prefetch` has a meaning only in the loops of kernels");
    return Value::poison();
  }
  v.items.push_back(Value::integer(Dim(*prefetch)));
  return v;
}

}  // namespace tessera::sema
