// Built-in functions that make values: full tensors, ranges, lengths, numbers of Python.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema {

/// Host code makes tensors when it runs, of shapes with extents; the rest are numbers.
static bool makesHostTensor(const Context &cx, const Value &shape) {
  return inHost(cx) && !(shape.isSequence() && shape.items.empty());
}
/// How many there are in a shape of host code that is no list: one number, or what a tensor has.
static size_t extentsOf(const Context &cx, const Value &shape) {
  return shape.kind == ValueKind::HostShape ? knownRank(shape.items[0], cx.function.rebindable) : 1;
}

Value arrayFull(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  std::vector<Dim> shape;
  bool host = makesHostTensor(cx, args.values[0]);
  if (!host && (!shapeArgument(cx, args.values[0], args.spans[0], shape) || !sizesArePossible(cx, shape, args.spans[0])))
    return Value::poison();
  bool full = row.kind == BuiltinKind::Full;
  const Value &given = args.values[full ? 2 : 1];
  Value value = full ? args.values[1] : Value::real(row.kind == BuiltinKind::Ones ? 1 : 0);
  Numerics numerics;
  bool ofHost = host && value.kind == ValueKind::Array && value.type.dtype == DType::F64;  // all its numbers are f64
  DType dtype = value.kind == ValueKind::Array && !ofHost ? value.type.dtype
                : value.kind == ValueKind::Bool           ? DType::Bool
                                                          : DType::F32;
  if (given.given()) {
    auto chosen = dtypeArgument(cx, given, args.spans[full ? 2 : 1], &numerics);
    if (!chosen) return Value::poison();
    dtype = *chosen;
    numerics = withoutStorage(numerics);
  }
  if (!full && isInt(dtype)) value = Value::integer(Dim(row.kind == BuiltinKind::Ones ? 1 : 0));
  if (!full && dtype == DType::Bool) value = Value::boolean(row.kind == BuiltinKind::Ones);
  if (value.isArray()) {
    report(cx, Id::wrongArgument, span, quoted(shown), "one value", describe(cx, value));
    return Value::poison();
  }
  Type type = scalarType(dtype, numerics);
  ExprPtr scalar = ofHost && isFloat(dtype) ? nullptr : castToPlace(cx, value, type, span, "the element");
  if (!scalar && !(ofHost && isFloat(dtype))) return Value::poison();
  if (host) return hostFull(cx, args.values[0], args.spans[0], value, type, span);
  if (inHost(cx) && scalar) return arrayValue(cx, std::move(scalar), type, {}, span);  // `zeros(())` is a number there
  ExprPtr e = makeExpr(ExprKind::Full, sema::tensorType(dtype, shape, numerics), span);
  e->args.push_back(std::move(scalar));
  return arrayValue(cx, std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span);
}

Value arrayIota(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::vector<Dim> shape;
  bool host = makesHostTensor(cx, args.values[0]);
  if (!host && (!shapeArgument(cx, args.values[0], args.spans[0], shape) || !sizesArePossible(cx, shape, args.spans[0])))
    return Value::poison();
  bool iota = row.kind == BuiltinKind::Iota;
  size_t rank = !host                         ? shape.size()
                : args.values[0].isSequence() ? args.values[0].items.size()
                                              : extentsOf(cx, args.values[0]);
  int axis = 0;
  if (iota && args.values[1].given()) {
    auto at = axisOf(cx, args.values[1], rank, args.spans[1], "this shape");
    if (!at) return Value::poison();
    axis = *at;
  }
  const Value &given = args.values[iota ? 2 : 1];
  if (!iota && given.given() && given.kind == ValueKind::Int) {
    if (fresh(cx, Id::wrongArgument, args.spans[1]))
      report(cx, Id::wrongArgument, args.spans[1], "what stands behind the end", "a dtype", describe(cx, given))
          .help("it counts from 0 to its one number: `arange(stop)`, `arange(stop - start) + start`");
    return Value::poison();
  }
  Numerics numerics;
  std::optional<DType> dtype = given.given() ? dtypeArgument(cx, given, args.spans[iota ? 2 : 1], &numerics) : DType::I32;
  if (!dtype) return Value::poison();
  if (host) return hostIota(cx, args.values[0], args.spans[0], axis, *dtype, span);
  ExprPtr e = makeExpr(ExprKind::Iota, sema::tensorType(DType::I32, shape), span);
  e->as<node::Iota>().axis = axis;
  Value v = arrayValue(cx, std::move(e), scalarType(DType::I32), std::vector<std::optional<Limit>>(shape.size()), span);
  return given.given() ? castTo(cx, std::move(v), *dtype, numerics, span) : v;
}

Value arrayCdiv(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  Value a = convertInt(cx, args.values[0], args.spans[0]), b = convertInt(cx, args.values[1], args.spans[1]);
  if (a.isPoison() || b.isPoison()) return Value::poison();
  if (b.sym == Dim(0)) {
    report(cx, Id::badConstant, span, "this divides by zero");
    return Value::poison();
  }
  Value top =
      intElementwise(cx, ElementwiseOp::Sub,
                     {intElementwise(cx, ElementwiseOp::Add, {a, b}, span, "+"), Value::integer(Dim(1))}, span, "-");
  return intElementwise(cx, ElementwiseOp::FloorDiv, {top, b}, span, "//");
}

Value arrayLen(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  const Value &x = args.values[0];
  if (auto length = byMethod(cx, x, "__len__", span)) return *length;
  if (x.isSequence()) return Value::integer(Dim(static_cast<int64_t>(x.items.size())));
  if (x.kind == ValueKind::Dict) return Value::integer(Dim(static_cast<int64_t>(x.items.size() / 2)));
  if (x.isArray() && !x.type.shape.empty()) return Value::integer(x.type.shape[0]);
  if (x.isStack()) return lengthOfStack(cx, x, span);
  if (x.kind == ValueKind::View && !x.var->type.shape.empty()) return Value::integer(x.var->type.shape[0]);
  if (x.kind == ValueKind::String && !x.expr) return Value::integer(Dim(static_cast<int64_t>(x.text.size())));
  if (x.kind == ValueKind::String && inHost(cx)) return hostTextCall(cx, "text_length", x, span);
  if (x.kind == ValueKind::HostTensor) return hostExtent(cx, x, 0, span);
  if (x.kind == ValueKind::HostShape) return hostExtent(cx, x.items[0], std::nullopt, span);
  report(cx, Id::badOperand, span, "len", describe(cx, x));
  return Value::poison();
}

Value arrayEnumerate(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  const Value x = iteratedStruct(cx, args.values[0], span);
  const Value start = args.values[1].given() ? convertInt(cx, args.values[1], args.spans[1]) : Value::integer(Dim(0));
  if (x.isPoison() || start.isPoison()) return Value::poison();
  if (x.kind == ValueKind::HostTensor || x.kind == ValueKind::Zip || hasRows(cx, x) || (x.kind == ValueKind::String && inHost(cx))) {
    Value v = Value::of(ValueKind::Enumerate);
    v.items = {x};
    if (args.values[1].given()) v.items.push_back(start);
    return v;
  }
  if (!x.isSequence()) {
    report(cx, Id::notIterable, span, describe(cx, x));
    return Value::poison();
  }
  Value v = Value::of(ValueKind::List);
  for (size_t i = 0; i < x.items.size(); ++i)
    v.items.push_back(Value::tuple({intElementwise(cx, ElementwiseOp::Add, {start, Value::integer(Dim(static_cast<int64_t>(i)))}, span, "enumerate"), x.items[i]}));
  return v;
}

/// `zip` of stacks and tensors: as many structs and rows of each.
static Value zipStacks(Context &cx, Bound &args, Span span) {
  Value v = Value::of(ValueKind::Zip);
  for (size_t i = 0; i < args.rest.size(); ++i) {
    Value &x = args.rest[i];
    if (!hasRows(cx, x)) {
      report(cx, Id::notIterable, args.restSpans[i], describe(cx, x)).help("beside tensors and stacks of structs stand others");
      return Value::poison();
    }
    const Dim count = countOfRows(cx, x, span).sym, first = v.items.empty() ? count : countOfRows(cx, v.items[0], span).sym;
    if (!sameDim(cx, first, count, span, "`zip` needs " + show(cx, first) + " == " + show(cx, count))) {
      report(cx, Id::wrongArgument, args.restSpans[i], quoted("zip"), show(cx, first) + (x.isStack() ? " structs" : " rows"), describe(cx, x));
      return Value::poison();
    }
    v.items.push_back(std::move(x));
  }
  return v;
}

Value arrayZip(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  if (std::any_of(args.rest.begin(), args.rest.end(), [&](const Value &x) { return hasRows(cx, x); }))
    return zipStacks(cx, args, span);
  auto isTensor = [](const Value &x) { return x.kind == ValueKind::HostTensor; };
  if (!args.rest.empty() && std::all_of(args.rest.begin(), args.rest.end(), isTensor)) {
    Value rows = Value::of(ValueKind::Zip);
    rows.items = args.rest;
    return rows;
  }
  size_t count = args.rest.empty() ? 0 : args.rest[0].items.size();
  for (size_t i = 0; i < args.rest.size(); ++i) {
    const Value &x = args.rest[i];
    if (!x.isSequence()) {
      report(cx, Id::notIterable, args.restSpans[i], describe(cx, x))
          .help("`zip` takes lists and tuples; rows of tensors are read by an index, `for i in range(N):`");
      return Value::poison();
    }
    count = std::min(count, x.items.size());
  }
  Value v = Value::of(ValueKind::List);
  for (size_t i = 0; i < count; ++i) {
    std::vector<Value> row;
    for (const Value &x : args.rest) row.push_back(x.items[i]);
    v.items.push_back(Value::tuple(std::move(row)));
  }
  return v;
}

/// `sorted(items)`: known numbers in their order; those of a tensor as `sort` puts them.
static Value sortedItems(Context &cx, Bound &args, Span span) {
  Value v = args.values[0];
  const Value &key = args.values[1], &reverse = args.values[2];
  if (v.isPoison() || key.isPoison() || reverse.isPoison()) return Value::poison();
  if (isHeldDict(v)) v = partsOfDict(cx, v, "keys", span);
  if (v.kind == ValueKind::Dict) v = keysOfDict(v);
  if (v.isSequence() || key.given() || isHeldRows(v)) return sortedList(cx, v, key, reverse, span);
  const Value sort = cx.prelude ? moduleMember(*cx.prelude, "sort") : Value::poison();
  if ((!v.isArray() && v.kind != ValueKind::HostTensor) || !isCallable(sort)) {
    report(cx, Id::wrongArgument, args.spans[0], "`sorted`", "known numbers or a tensor of one axis", describe(cx, v));
    return Value::poison();
  }
  GivenList given;
  given.push_back({"", v, args.spans[0], {}, nullptr});
  if (reverse.given()) given.push_back({"descending", reverse, args.spans[2], args.spans[2], nullptr});
  return callValue(cx, sort, std::move(given), span, "sort");
}

/// `reversed(range(a, b, s))` and `reversed(items)`.
Value arrayReversed(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  if (row.op == "sorted") return sortedItems(cx, args, span);
  Value v = args.values[0];
  if (v.isSequence()) {
    std::reverse(v.items.begin(), v.items.end());
    return v;
  }
  if (v.isArray() && hasRows(cx, v)) return reversed(cx, std::move(v), 0, span);
  if (isListOfHost(v)) return turnedList(cx, v, span);
  if (v.kind == ValueKind::Enumerate || v.kind == ValueKind::Zip) {
    Value list = inHost(cx) ? listOfIterated(cx, v, span) : v;
    if (isListOfHost(list)) return turnedList(cx, list, span);
  }
  if (v.kind != ValueKind::Range || v.items.size() > 3 || !v.items[2].isKnownInt()) {
    auto builder = report(cx, Id::wrongArgument, args.spans[0], "`reversed`", "a list, a tuple or a range whose step is a number", describe(cx, v));
    if (v.isArray() || v.kind == ValueKind::HostTensor) builder.help("`flip(x, axis=0)` is a tensor from its last row to its first");
    return Value::poison();
  }
  const Value start = v.items[0], stop = v.items[1], step = v.items[2];
  const int64_t by = step.sym.constant();
  if (by == 0) return v;  // the loop says it
  auto whole = [&](ElementwiseOp op, const Value &a, const Value &b) { return intElementwise(cx, op, {a, b}, span, "reversed"); };
  auto number = [](int64_t value) { return Value::integer(Dim(value)); };
  v.items[1] = whole(ElementwiseOp::Sub, start, step);
  v.items[2] = number(-by);
  if (by == 1 || by == -1) {
    v.items[0] = whole(ElementwiseOp::Sub, stop, step);
    return v;
  }
  Value room = whole(ElementwiseOp::Add, whole(ElementwiseOp::Sub, stop, start), number(by > 0 ? -1 : 1));
  v.items[0] = whole(ElementwiseOp::Add, start, whole(ElementwiseOp::Mul, whole(ElementwiseOp::FloorDiv, room, step), step));
  return v;
}

/// `d.items()`, `d.keys()`, `d.values()`.
Value arrayDictParts(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  if (row.op == "get") return readDictOr(cx, args.values[0], args.values[1], args.values[2], span);
  if (isHeldDict(args.values[0])) return partsOfDict(cx, args.values[0], std::string(row.op), span);
  const std::vector<Value> &pairs = args.values[0].items;
  Value v = Value::of(ValueKind::List);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    v.items.push_back(row.op == "keys"     ? pairs[i]
                      : row.op == "values" ? pairs[i + 1]
                                           : Value::tuple({pairs[i], pairs[i + 1]}));
  return v;
}

Value arrayToInt(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  const Value &x = args.values[0];
  if (auto whole = byMethod(cx, x, "__int__", span)) return *whole;
  if (x.kind == ValueKind::Float) {
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    if (x.number >= -kEnd && x.number < kEnd) return Value::integer(Dim(static_cast<int64_t>(x.number)));
    report(cx, Id::badConstant, args.spans[0],
           std::isnan(x.number) ? "this is no number" : "this integer does not fit 64 bits");
    return Value::poison();
  }
  if (x.kind == ValueKind::String) return numberOfText(cx, x, true, args.spans[0]);
  Value s = toArray(cx, x, DType::F32, span);
  if (x.kind == ValueKind::Int || x.kind == ValueKind::Bool) return convertInt(cx, x, span);
  if (s.isScalar() && isFloat(s.type.dtype)) s = castTo(cx, std::move(s), DType::I64, {}, span);
  return convertInt(cx, s, span);
}

Value arrayToFloat(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  const Value &x = args.values[0];
  if (auto number = byMethod(cx, x, "__float__", span)) return *number;
  if (x.kind == ValueKind::Float) return x;
  if (x.isKnownInt() && !x.expr) return Value::real(static_cast<double>(x.sym.constant()));
  if (x.isArray()) {
    if (fresh(cx, Id::badOperand, span))
      report(cx, Id::badOperand, span, "float", describe(cx, x))
          .help("it is one number; `cast(x, f32)` converts a tensor");
    return Value::poison();
  }
  if (x.kind == ValueKind::String) {
    std::string number = x.text.substr(x.text.find_first_not_of("+-") == 1);
    const bool shows = inHost(cx) && (x.expr || number.find_first_of("0123456789") == 0);
    if (shows) return numberOfText(cx, x, false, args.spans[0]);
    bool infinite = !x.expr && (number == "inf" || number == "Inf" || number == "infinity");
    auto builder = report(cx, Id::badOperand, span, "float", describe(cx, x));
    std::string ours = x.text.substr(0, 1) == "-" ? "-INF" : "INF";
    if (infinite) builder.suggest(span, ours, "infinity is called `INF`");
    else if (!x.expr && (number == "nan" || number == "NaN")) builder.suggest(span, "NAN", "it is called `NAN`");
    return Value::poison();
  }
  return castTo(cx, x, inHost(cx) ? DType::F64 : DType::F32, {}, span);
}

Value arrayToBool(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  if (auto known = knownCondition(args.values[0])) return Value::boolean(*known);
  ExprPtr e = conditionExpr(cx, args.values[0], span);
  return e ? arrayValue(cx, std::move(e), scalarType(DType::Bool), {}, span) : Value::poison();
}

static Value rangeValue(Context &cx, Bound &args, bool unrolled, Span span);

Value arrayRange(Context &cx, const BuiltinRow &, Bound &args, Span span) { return rangeValue(cx, args, false, span); }

Value arrayStaticRange(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  return rangeValue(cx, args, true, span);
}

static Value rangeValue(Context &cx, Bound &args, bool unrolled, Span span) {
  Value v = Value::of(ValueKind::Range);
  v.unrolled = unrolled;
  for (Value &part : args.values)
    if (auto number = byMethod(cx, part, "__int__", span)) part = std::move(*number);
  bool two = args.values[1].given();
  Value start = two ? args.values[0] : Value::integer(Dim(0));
  Value stop = two ? args.values[1] : args.values[0];
  Value step = args.values[2].given() ? args.values[2] : Value::integer(Dim(1));
  bool told = false;
  auto whole = [&](const Value &value, size_t i) {
    if (mayBeInteger(value)) return convertInt(cx, value, args.spans[i]);
    if (told || !fresh(cx, Id::wrongArgument, args.spans[i])) return Value::poison();
    told = true;  // `range(0.0, 1.0, 0.1)` is one mistake
    auto builder = report(cx, Id::wrongArgument, args.spans[i], "`range`", "an integer", describe(cx, value));
    std::string text(cx.sources.text(args.spans[i]));
    if (value.kind == ValueKind::Float) builder.help("count in integers, `for i in range(n):`, and multiply inside of the loop, `i * step`");
    bool number = value.kind == ValueKind::HostTensor && value.rank == 0 && value.madeOf && isInt(*value.madeOf);  // what a function gave
    if (number) builder.suggest(args.spans[i], "int(" + text + ")", "make an integer of it");
    else if (value.kind == ValueKind::HostTensor || value.isArray())
      builder.suggest(args.spans[i], text + ".shape[0]", "count along its first dimension");
    if (value.isSequence()) builder.suggest(args.spans[i], "len(" + text + ")", "count its items");
    return Value::poison();
  };
  v.items = {whole(start, 0), whole(stop, two ? 1 : 0), whole(step, 2)};
  for (const Value &item : v.items)
    if (item.isPoison()) return item;
  if (args.values.size() < 4 || !args.values[3].given()) return v;
  auto prefetch = knownInt(cx, args.values[3], args.spans[3], "how many steps are fetched ahead");
  if (!prefetch) return Value::poison();
  if (*prefetch < 0 || *prefetch > 16 || !inKernel(cx)) {
    report(cx, Id::badKernelOption, args.spans[3],
           inKernel(cx) ? "a loop fetches 0 to 16 steps ahead, not " + std::to_string(*prefetch)
                        : "`prefetch` has a meaning only in the loops of kernels");
    return Value::poison();
  }
  v.items.push_back(Value::integer(Dim(*prefetch)));
  return v;
}

}  // namespace tessera::sema
