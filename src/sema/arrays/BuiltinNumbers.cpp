// Built-in functions that compute: elementwise, reductions, products, casts.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Draws.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

Value arrayElementwise(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  const Value &x = args.values[0];
  bool ofPositive = row.op == "sqrt" || row.op == "rsqrt" || row.op == "log" || row.op == "log2";
  bool isNegative = (x.kind == ValueKind::Float && x.number < 0) || (x.isKnownInt() && !x.expr && x.sym.constant() < 0);
  if (ofPositive && isNegative) {
    if (fresh(cx, Id::badConstant, span))
      report(cx, Id::badConstant, span, "`" + shown + "` of a negative number is no number");
    return Value::poison();
  }
  return elementwise(cx, *elementwiseByMnemonic(row.op), std::move(args.values), span, shown);
}

Value arrayWhere(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  const Value &given = args.values[0];
  const bool isNumber = given.kind == ValueKind::Float || given.kind == ValueKind::Int;
  Value condition = isNumber ? given : toArray(cx, given, DType::Bool, args.spans[0]);
  if (condition.isPoison()) return condition;
  if (condition.kind != ValueKind::Array || condition.type.dtype != DType::Bool) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("where"), "a condition", describe(cx, condition));
    return Value::poison();
  }
  return elementwise(cx, ElementwiseOp::Select, {condition, args.values[1], args.values[2]}, span, shown);
}

/// `sum(x, dtype=f32)`: added up in this dtype, which the result has; one that is narrower than x is what the result is rounded to.
static Value reducedIn(Context &cx, Bound &args, Span span, const std::function<Value(Value)> &reduced) {
  if (args.values.size() <= 3 || !args.values[3].given() || args.values[3].kind == ValueKind::None) return reduced(args.values[0]);
  Numerics numerics;
  const auto dtype = dtypeArgument(cx, args.values[3], args.spans[3], &numerics);
  Value x = toArray(cx, args.values[0], DType::F32, span);
  if (!dtype || x.isPoison()) return Value::poison();
  const bool after = x.kind == ValueKind::Array && narrows(x.type, *dtype);
  if (!after) return reduced(castTo(cx, std::move(x), *dtype, numerics, span));
  Value out = reduced(std::move(x));
  return out.isPoison() ? out : castTo(cx, std::move(out), *dtype, numerics, span);
}

Value arrayReduce(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  auto keep = flagArgument(cx, args, 2);
  if (!keep) return Value::poison();
  if (args.values[0].isSequence() && row.op == "sum") {  // of a list known to the compiler
    Value total = Value::integer(Dim(0));
    for (const Value &item : args.values[0].items) total = binaryValues(cx, ast::BinaryOp::Add, total, item, span);
    if (args.values.size() <= 3 || !args.values[3].given() || total.isPoison()) return total;
    const auto dtype = dtypeArgument(cx, args.values[3], args.spans[3]);
    return dtype ? castTo(cx, std::move(total), *dtype, {}, span) : Value::poison();
  }
  return reducedIn(cx, args, span, [&](Value x) {
    return x.isPoison() ? x : reduce(cx, *reduceByMnemonic(row.op), std::move(x), args.values[1], args.spans[1], *keep, span, shown);
  });
}

Value arrayMinMax(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  bool arrayFirst = args.values[0].isArray() || args.values[0].kind == ValueKind::View;
  auto keep = flagArgument(cx, args, 3);
  if (!keep) return Value::poison();
  if (args.values[4].given()) {  // the first of those that a sort puts in front
    Value from = args.values[0];
    if (isHeldDict(from)) from = partsOfDict(cx, from, "keys", span);
    if (from.kind == ValueKind::Dict) from = keysOfDict(from);
    const Value sorted = sortedList(cx, from, args.values[4], Value::boolean(row.op == "max"), span), first = Value::integer(Dim(0));
    if (sorted.isPoison()) return sorted;
    if (!sorted.isSequence()) return hostItem(cx, sorted, &first, span);
    if (!sorted.items.empty()) return sorted.items[0];
    report(cx, Id::wrongArgument, span, quoted(shown), "a list with an item", "an empty list");
    return Value::poison();
  }
  if (arrayFirst) {
    Value axis = args.values[2];
    Span axisSpan = args.spans[2];
    if (!axis.given() && args.rest.size() == 1 && (args.rest[0].kind == ValueKind::Int || args.rest[0].isSequence()))
      axis = args.rest[0], axisSpan = args.restSpans[0];
    else if (!args.rest.empty()) {
      report(cx, Id::wrongArgument, args.restSpans[0], quoted(shown), "an axis", describe(cx, args.rest[0]))
          .help("`" + shown + "imum(a, b)` compares element by element");
      return Value::poison();
    }
    return reduce(cx, *reduceByMnemonic(row.op), args.values[0], axis, axisSpan, *keep, span, shown);
  }
  std::vector<Value> all = args.values[0].isSequence() ? args.values[0].items : std::vector<Value>{args.values[0]};
  all.insert(all.end(), args.rest.begin(), args.rest.end());
  if (all.empty()) {
    report(cx, Id::argumentNotGiven, span, shown, "x");
    return Value::poison();
  }
  Value out = all[0];
  for (size_t i = 1; i < all.size() && !out.isPoison(); ++i) {
    if ((out.kind == ValueKind::Float || out.isKnownInt()) &&
        (all[i].kind == ValueKind::Float || all[i].isKnownInt())) {
      Value less = compareValues(cx, ast::CompareOp::Lt, all[i], out, span);
      if (less.kind == ValueKind::Bool) {
        if (less.truth == (row.op == "min")) out = all[i];
        continue;
      }
    }
    out = elementwise(cx, *elementwiseByMnemonic(row.op), {out, all[i]}, span, shown);
  }
  return out;
}

Value arrayMean(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  auto keep = flagArgument(cx, args, 2);
  if (!keep) return Value::poison();
  return reducedIn(cx, args, span, [&](Value x) { return x.isPoison() ? x : mean(cx, std::move(x), args.values[1], args.spans[1], *keep, span); });
}

/// Whether its bits are those of memory: dtypes of parts of a byte, and tf32, in which some bits mean nothing, have none.
static bool hasBits(DType dtype) {
  const DTypeClass cls = info(dtype).cls;
  return dtype != DType::TF32 && cls != DTypeClass::Bool && cls != DTypeClass::Complex && info(dtype).bits >= 8;
}

/// `bitcast(x, i32)`: the same bits as a dtype of as many.
static Value bitCast(Context &cx, Bound &args, Span span) {
  Numerics numerics;
  auto dtype = dtypeArgument(cx, args.values[1], args.spans[1], &numerics);
  if (!dtype || args.values[0].isPoison() || reportNone(cx, args.values[0], args.spans[0])) return Value::poison();
  Value x = args.values[0];
  if (x.kind == ValueKind::View || x.kind == ValueKind::Float || x.kind == ValueKind::HostTensor) x = toArray(cx, x, DType::F32, args.spans[0]);
  if (x.kind != ValueKind::Array) {
    if (!x.isPoison())
      report(cx, Id::wrongArgument, args.spans[0], quoted("bitcast"), "a number or tensor whose dtype is known", describe(cx, x)).help("say how it is stored: `bitcast(cast(n, i32), f32)`");
    return Value::poison();
  }
  const DType from = x.type.dtype;
  if (!hasBits(from) || !hasBits(*dtype) || info(from).bits != info(*dtype).bits) {
    auto builder = report(cx, Id::badOperand, span, "bitcast", std::string(name(from)) + " as " + std::string(name(*dtype)));
    auto bits = [&](DType which) { return std::string(name(which)) + (hasBits(which) ? " has " + std::to_string(info(which).bits) + " bits" : " has no bits of its own in memory"); };
    builder.label(bits(from) + ", " + bits(*dtype));
    static constexpr DType all[] = {DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::F32, DType::F64};
    for (DType other : all)
      if (hasBits(from) && isFloat(other) != isFloat(from) && info(other).bits == info(from).bits)
        return builder.help("`bitcast(x, " + std::string(name(other)) + ")` reads all bits; `cast(x, " + std::string(name(*dtype)) + ")` converts the value"), Value::poison();
    builder.help("`cast(x, " + std::string(name(*dtype)) + ")` converts the value");
    return Value::poison();
  }
  ExprPtr stored = asDType(cx, x, from, {}, span);  // it may be carried in more bits
  if (!stored) return Value::poison();
  if (from == *dtype) return x;
  Type type = x.type;
  type.dtype = *dtype, type.numerics = numerics;
  ExprPtr e = makeExpr(ExprKind::Cast, withDType(stored->type, *dtype), span);
  e->as<node::Cast>().ofBits = true;
  e->type.numerics = {};
  e->args.push_back(std::move(stored));
  return arrayValue(cx, std::move(e), type, x.limits, span);
}

static Value castByChance(Context &cx, Bound &args, Span span);
static void byChance(Context &cx, Expr &cast, const Expr &key);

Value arrayCast(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string shown(row.name);
  if (row.op == "stop") {  // kernels are not differentiated: there it is nothing
    Value v = args.values[0];
    if (v.kind != ValueKind::Array || inKernel(cx)) return v;
    Type type = v.type;
    std::vector<std::optional<Limit>> limits = v.limits;
    ExprPtr arg = takeExpr(v);
    DType own = arg->type.dtype;
    ExprPtr e = makeCast(std::move(arg), own, {});
    e->as<node::Cast>().stopsGradient = true;
    return arrayValue(cx, std::move(e), type, std::move(limits), span);
  }
  if (row.op == "bits") return bitCast(cx, args, span);
  if (args.values.size() > 2 && args.values[2].given()) return castByChance(cx, args, span);
  Numerics numerics;
  auto dtype = dtypeArgument(cx, args.values[1], args.spans[1], &numerics);
  if (!dtype) return Value::poison();
  if (args.values[0].kind == ValueKind::Array || args.values[0].kind == ValueKind::View ||
      args.values[0].kind == ValueKind::Int || args.values[0].kind == ValueKind::Float ||
      args.values[0].kind == ValueKind::Bool || args.values[0].kind == ValueKind::HostTensor)
    return castTo(cx, args.values[0], *dtype, numerics, span);
  if (!reportNone(cx, args.values[0], args.spans[0]))
    report(cx, Id::wrongArgument, args.spans[0], quoted(shown), "a number or tensor", describe(cx, args.values[0]));
  return Value::poison();
}

/// `cast(x, bf16, rng=rng)`: rounding by chance (P9).
static Value castByChance(Context &cx, Bound &args, Span span) {
  Type type;
  auto dtype = dtypeArgument(cx, args.values[1], args.spans[1], &type.numerics);
  const Value &rng = args.values[2];
  if (!dtype || rng.isPoison()) return Value::poison();
  if (rng.kind != ValueKind::Rng) {
    report(cx, Id::wrongArgument, args.spans[2], quoted("cast"), "a stream, `rng: Rng`", describe(cx, rng));
    return Value::poison();
  }
  Numerics chance;
  chance.rounding = Rounding::Stochastic;
  state(chance, PolicyField::Round);
  if (auto field = disagreement(type.numerics, chance)) {
    report(cx, Id::policyConflict, args.spans[1], fieldText(type.numerics, *field), "rng=");
    return Value::poison();
  }
  type.dtype = *dtype;
  Type rounded = type;
  rounded.numerics = combined(chance, type.numerics);
  if (!soundPolicies(cx, rounded, args.spans[1])) return Value::poison();
  Value x = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  if (x.isPoison()) return x;
  if (x.kind != ValueKind::Array || !isFloat(x.type.dtype)) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("cast"), "floats to round by chance", describe(cx, x));
    return Value::poison();
  }
  if (!useUp(cx, rng, "`cast`", span)) return Value::poison();
  noteEffect(cx, {EffectKind::Random, "", false, false, {{span, "`cast` rounds by chance here"}}});
  if (inKernel(cx)) notCompiledYet(cx, "random numbers that a kernel draws", span);
  auto limits = x.limits;
  ExprPtr e = asDType(cx, std::move(x), *dtype, rounded.numerics, span);
  if (e->kind == ExprKind::Cast && e->args[0]->type.dtype != *dtype) byChance(cx, *e, *rng.expr);
  return unscaled(arrayValue(cx, std::move(e), type, std::move(limits), span), span);
}

/// What the cast takes is one of the neighbours already, chosen by chance: it changes nothing any more.
static void byChance(Context &cx, Expr &cast, const Expr &key) {
  DType dtype = cast.type.dtype, in = cast.args[0]->type.dtype;
  DType wide = in == DType::F64 ? DType::F64 : DType::F32;
  ExprPtr exact = in == wide ? std::move(cast.args[0]) : makeCast(std::move(cast.args[0]), wide, {});
  exact = inNamedVariable(cx, std::move(exact), "exact");
  auto rounded = [&](Rounding rounding, const char *name) {
    Numerics how = cast.type.numerics;
    how.rounding = rounding;
    return inNamedVariable(cx, makeCast(makeCast(clone(*exact), dtype, how), wide, {}), name);
  };
  Neighbours to{rounded(Rounding::Down, "below"), rounded(Rounding::Up, "above"),
                rounded(Rounding::NearestEven, "nearest")};
  ExprPtr chance = uniform(Draw(key, exact->type.shape, cast.span), wide);
  cast.args[0] = roundedByChance(*exact, to, std::move(chance));
}

Value arrayDot(Context &cx, const BuiltinRow &, Bound &args, Span span) {
  return dot(cx, args.values[0], args.values[1], args.values.size() > 2 ? args.values[2] : Value::of(ValueKind::Absent),
             span);
}

}  // namespace tessera::sema
