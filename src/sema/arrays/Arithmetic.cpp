// dtypes: what two operands become, what arithmetic is carried in, and where
// values are rounded.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "support/FloatFormats.h"
#include <cmath>
#include <cstdio>

namespace tessera::sema {
namespace {

bool isWeak(const Value &v) {
  return v.kind == ValueKind::Int || v.kind == ValueKind::Float || v.kind == ValueKind::Bool;
}
bool isNumberBool(const Value &v) { return v.kind == ValueKind::Bool; }

/// What integers become that nothing gives a dtype to (F10): i32 if the compiler knows that they fit.
DType weakInteger(const std::vector<Value> &args) {
  for (const Value &v : args) {
    if (v.kind != ValueKind::Int) continue;
    bool known = v.isKnownInt() && !v.expr;
    if (!known || v.sym.constant() > maxInt(DType::I32) || v.sym.constant() < minInt(DType::I32)) return DType::I64;
  }
  return DType::I32;
}

std::optional<double> evaluate(ElementwiseOp op, double x) {
  switch (op) {
  case ElementwiseOp::Exp: return std::exp(x);
  case ElementwiseOp::Exp2: return std::exp2(x);
  case ElementwiseOp::Expm1: return std::expm1(x);
  case ElementwiseOp::Log: return std::log(x);
  case ElementwiseOp::Log2: return std::log2(x);
  case ElementwiseOp::Log1p: return std::log1p(x);
  case ElementwiseOp::Sqrt: return std::sqrt(x);
  case ElementwiseOp::Rsqrt: return 1 / std::sqrt(x);
  case ElementwiseOp::Tanh: return std::tanh(x);
  case ElementwiseOp::Sigmoid: return 1 / (1 + std::exp(-x));
  case ElementwiseOp::Erf: return std::erf(x);
  case ElementwiseOp::Erfc: return std::erfc(x);
  case ElementwiseOp::Sin: return std::sin(x);
  case ElementwiseOp::Cos: return std::cos(x);
  case ElementwiseOp::Tan: return std::tan(x);
  case ElementwiseOp::Asin: return std::asin(x);
  case ElementwiseOp::Acos: return std::acos(x);
  case ElementwiseOp::Atan: return std::atan(x);
  case ElementwiseOp::Sinh: return std::sinh(x);
  case ElementwiseOp::Cosh: return std::cosh(x);
  case ElementwiseOp::Asinh: return std::asinh(x);
  case ElementwiseOp::Acosh: return std::acosh(x);
  case ElementwiseOp::Atanh: return std::atanh(x);
  case ElementwiseOp::Log10: return std::log10(x);
  case ElementwiseOp::Trunc: return std::trunc(x);
  case ElementwiseOp::Floor: return std::floor(x);
  case ElementwiseOp::Ceil: return std::ceil(x);
  case ElementwiseOp::Round: return std::nearbyint(x);
  case ElementwiseOp::Abs: return std::abs(x);
  case ElementwiseOp::Neg: return -x;
  default: return std::nullopt;
  }
}
}  // namespace

bool needsFloat(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Div:
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Expm1:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Log1p:
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Rsqrt:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid:
  case ElementwiseOp::Erf:
  case ElementwiseOp::Erfc:
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
  case ElementwiseOp::Tan:
  case ElementwiseOp::Asin:
  case ElementwiseOp::Acos:
  case ElementwiseOp::Atan:
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Cosh:
  case ElementwiseOp::Asinh:
  case ElementwiseOp::Acosh:
  case ElementwiseOp::Atanh:
  case ElementwiseOp::Log10:
  case ElementwiseOp::Trunc:
  case ElementwiseOp::Atan2:
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::Probit:
  case ElementwiseOp::IsNan: return true;
  default: return false;
  }
}

namespace {
bool isComplex(DType dtype) { return info(dtype).cls == DTypeClass::Complex; }
/// What is defined for complex numbers: they have no order, and no roots or logarithms here.
bool takesComplex(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Sub:
  case ElementwiseOp::Mul:
  case ElementwiseOp::Neg:
  case ElementwiseOp::Eq:
  case ElementwiseOp::Ne:
  case ElementwiseOp::Select: return true;
  default: return false;
  }
}
bool isUnsigned(DType dtype) { return isInt(dtype) && dtype != DType::Bool && minInt(dtype) == 0; }
/// `-x`: in the narrowest dtype that holds all values of the unsigned one, and their negatives.
void suggestSigned(diag::Builder &builder, DType dtype, Span span, std::string_view text) {
  int bits = info(dtype).bits;
  std::string wide(name(bits < 16 ? DType::I16 : bits < 32 ? DType::I32 : DType::I64));
  builder.label("there is nothing below 0 in " + std::string(name(dtype)));
  if (text.size() < 2 || text[0] != '-') builder.help("make it signed first: `cast(x, " + wide + ")`");
  else
    builder.suggest({span.file, span.begin + 1, span.end}, "cast(" + std::string(text.substr(1)) + ", " + wide + ")",
                    "make it signed first");
}
bool needsIntOrBool(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
  case ElementwiseOp::Xor:
  case ElementwiseOp::Not:
  case ElementwiseOp::Shl:
  case ElementwiseOp::Shr:
  case ElementwiseOp::RandomBits:
  case ElementwiseOp::RandomKey: return true;
  default: return false;
  }
}
}  // namespace

bool narrows(const Type &from, DType to) {
  auto joined = join(from.dtype, to);
  return !joined || *joined != to;
}

DType carryTypeOf(const Type &type) { return carryType(type.dtype, type.numerics); }

bool requireNumber(Context &cx, const Value &value, Span span, const std::string &shown) {
  if (value.isPoison()) return false;
  if (value.kind == ValueKind::Array || isWeak(value)) return true;
  if (!reportNone(cx, value, span) && fresh(cx, Id::badOperand, span))
    report(cx, Id::badOperand, span, shown, describe(cx, value));
  return false;
}

Value toArray(Context &cx, const Value &value, DType weak, Span span) {
  switch (value.kind) {
  case ValueKind::View: {
    Access access;
    access.base = value.var;
    for (const Dim &d : value.var->type.shape) {
      IndexPart part;
      part.size = d;
      part.inBounds = true;
      access.parts.push_back(std::move(part));
    }
    return loadAccess(cx, std::move(access), value.var->type.shape,
                      std::vector<std::optional<Limit>>(value.var->type.shape.size()), {}, span);
  }
  case ValueKind::HostTensor: return hostScalar(cx, value, span);
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::Bool: {
    Value v = Value::of(ValueKind::Array);
    DType dtype = value.kind == ValueKind::Bool ? DType::Bool : weak;
    v.type = scalarType(dtype);
    v.expr = std::shared_ptr<Expr>(inCarryType(cx, value, dtype, span).release());
    return v;
  }
  default: return value;
  }
}

/// `def wave(n: int, phase: float)`: numbers as Python has them, and nothing of tensors.
static bool hasTypesOfPython(const Context &cx, const ast::FuncDef &def) {
  auto isOne = [&](const ast::ExprPtr &type) {
    const std::string_view text = cx.sources.text(type->span);
    return text == "int" || text == "float" || text == "bool";
  };
  size_t typed = 0;
  for (const ast::Parameter &p : def.parameters) {
    if (p.annotation && !isOne(p.annotation)) return false;
    typed += p.annotation != nullptr;
  }
  return typed > 0 && (!def.result || isOne(def.result));
}

bool saysNoDTypes(const Context &cx) {
  if (inHost(cx)) return true;
  const Frame *frame = cx.function.frame.get();
  const ast::FuncDef *def = frame && frame->function ? frame->function->def : nullptr;
  if (!cx.function.inArrayWork) return def && !inKernel(cx) && hasTypesOfPython(cx, *def);
  auto names = [&](const ast::ExprPtr &type) { return type && cx.sources.text(type->span).find("Tensor") != std::string_view::npos; };
  return !def || (!names(def->result) && std::none_of(def->parameters.begin(), def->parameters.end(), [&](const ast::Parameter &p) { return names(p.annotation); }));
}

/// The float that integers become where nothing says dtypes.
static DType floatOfIntegers(const Context &cx) { return inHost(cx) ? DType::F64 : DType::F32; }

/// What two dtypes become together; nothing if neither holds the other.
static std::optional<DType> joinHere(const Context &cx, DType a, DType b) {
  auto both = join(a, b);
  if (both || isFloat(a) == isFloat(b) || isComplex(a) || isComplex(b) || !saysNoDTypes(cx)) return both;
  return inHost(cx) ? DType::F64 : isFloat(a) ? a : b;
}

/// What the arrays among the operands become together (F2), and the policy of the result (P14).
static bool promoteArrays(Context &cx, const std::vector<Value> &args, Type &type, Span span,
                          const std::string &shown) {
  std::optional<DType> joined;
  for (const Value &v : args) {
    if (v.kind != ValueKind::Array) continue;
    auto both = joined ? joinHere(cx, *joined, v.type.dtype) : std::optional(v.type.dtype);
    if (!both) {
      if (fresh(cx, Id::dtypeMismatch, span))
        report(cx, Id::dtypeMismatch, span, std::string(name(*joined)), std::string(name(v.type.dtype)), shown)
            .help("neither holds every value of the other; say which you mean: `cast(x, f32)`");
      return false;
    }
    joined = both;
  }
  Numerics numerics;
  for (const Value &v : args) {
    if (v.kind != ValueKind::Array || v.type.dtype != *joined) continue;
    if (auto field = disagreement(numerics, v.type.numerics)) {
      if (fresh(cx, Id::policiesDoNotMix, span))
        report(cx, Id::policiesDoNotMix, span, fieldText(numerics, *field), fieldText(v.type.numerics, *field), shown)
            .help("say what holds for the result: cast one operand to the dtype and policy of the other");
      return false;
    }
    numerics = combined(numerics, v.type.numerics);
  }
  if (auto refused = refusal(*joined, numerics)) {
    if (fresh(cx, Id::policiesDoNotMix, span))
      report(cx, Id::policiesDoNotMix, span, refused->first, refused->second, shown).label(refused->reason);
    return false;
  }
  type.dtype = *joined;
  type.numerics = numerics;
  return true;
}

/// A literal that takes this dtype must be one of its values, or between two of them (F14).
static bool literalFits(Context &cx, const Value &value, const Type &type, Span span, bool leaves) {
  bool known = value.kind == ValueKind::Float || (value.isKnownInt() && !value.expr);
  if (!known || type.numerics.saturate) return true;
  double number = value.kind == ValueKind::Float ? value.number : static_cast<double>(value.sym.constant());
  if (std::isinf(number) && !leaves) return true;
  std::string misfit = literalMisfit(type.dtype, number);
  if (misfit.empty()) return true;
  if (fresh(cx, Id::literalRange, span)) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", number);
    std::string wide = isInt(type.dtype) ? "i32" : "f32";
    auto builder = report(cx, Id::literalRange, span, text, std::string(name(type.dtype)));
    builder.label(misfit);
    if (leaves) builder.help("`@saturate` behind the dtype would make it the nearest value there is");
    else builder.help("it takes the type of the other operand: `cast(x, " + wide + ")` gives it room");
  }
  return false;
}

bool promote(Context &cx, const std::vector<Value> &args, Type &type, Span span, const std::string &shown) {
  bool anyArray = false, anyFloat = false, anyInt = false, allBool = true;
  for (const Value &v : args) {
    anyArray |= v.kind == ValueKind::Array;
    anyFloat |= v.kind == ValueKind::Float;
    anyInt |= v.kind == ValueKind::Int;
    allBool &= isNumberBool(v);
  }
  if (!anyArray) {
    type.dtype = allBool ? DType::Bool : anyFloat ? DType::F32 : weakInteger(args);
    return true;
  }
  if (!promoteArrays(cx, args, type, span, shown)) return false;
  if (type.dtype == DType::Bool && anyFloat) type = scalarType(DType::F32);
  else if (type.dtype == DType::Bool && anyInt) type = scalarType(DType::I32);
  else if (isInt(type.dtype) && anyFloat) {
    if (info(type.dtype).bits > 16 && !saysNoDTypes(cx)) {
      if (fresh(cx, Id::dtypeMismatch, span))
        report(cx, Id::dtypeMismatch, span, std::string(name(type.dtype)), "a fraction", shown)
            .help("f32 does not hold every " + std::string(name(type.dtype)) + "; say the float type: `cast(x, f32)`");
      return false;
    }
    type = scalarType(floatOfIntegers(cx));
  }
  for (const Value &v : args)
    if (!literalFits(cx, v, type, span, false)) return false;
  return true;
}

ExprPtr inCarryType(Context &cx, Value value, DType dtype, Span span) {
  if (value.kind == ValueKind::Array) {
    ExprPtr e = takeExpr(value);
    return e->type.dtype == dtype ? std::move(e) : makeCast(std::move(e), dtype, {});
  }
  if (value.kind == ValueKind::Int) {
    if (!value.isKnownInt() || value.expr) return makeCast(indexExpr(cx, value, span), dtype, {});
    ExprPtr e = makeConstant(dtype, static_cast<double>(value.sym.constant()), span);
    if (isInt(dtype)) e->as<node::Constant>().value = value.sym.constant();
    e->nameHint = value.text;
    return e;
  }
  ExprPtr e = makeConstant(dtype, value.kind == ValueKind::Bool ? (value.truth ? 1 : 0) : value.number, span);
  e->nameHint = value.text;
  return e;
}

ExprPtr asDType(Context &cx, Value value, DType dtype, const Numerics &numerics, Span span) {
  if (value.kind != ValueKind::Array) return inCarryType(cx, std::move(value), dtype, span);
  ExprPtr e = takeExpr(value);
  if (numerics.lossScale != 0) {
    DType wide = info(dtype).accumulate;
    if (e->type.dtype != wide) e = makeCast(std::move(e), wide, {});
    return makeCast(timesPower(std::move(e), numerics.lossScale), dtype, roundingOf(numerics));
  }
  return e->type.dtype == dtype ? std::move(e) : makeCast(std::move(e), dtype, roundingOf(numerics));
}

bool needsStream(Context &cx, const Numerics &numerics, DType from, DType to, Span span) {
  if (numerics.rounding != Rounding::Stochastic || from == to) return false;
  if (fresh(cx, Id::streamMissing, span)) {
    std::string text(cx.sources.text(span)), to_(name(to));
    report(cx, Id::streamMissing, span, to_)
        .label("this is rounded here")
        .help("name the stream of random numbers: `cast(x, " + to_ + ", rng=rng)`");
  }
  return true;
}

Value castTo(Context &cx, Value value, DType dtype, const Numerics &numerics, Span span) {
  Type target = scalarType(dtype, numerics);
  if (!literalFits(cx, value, target, span, true)) return Value::poison();
  value = toArray(cx, value, dtype, span);
  if (value.isPoison()) return value;
  if (value.kind != ValueKind::Array) {
    if (!reportNone(cx, value, span)) report(cx, Id::badOperand, span, "cast", describe(cx, value));
    return Value::poison();
  }
  if (numerics.perChannel >= 0) return scalesUnknown(cx, span);
  if (isComplex(value.type.dtype) && !isComplex(dtype)) {
    if (fresh(cx, Id::badOperand, span))
      report(cx, Id::badOperand, span, "cast", std::string(name(value.type.dtype)))
          .label("this would drop the imaginary part");
    return Value::poison();
  }
  Value out = value;
  out.type.dtype = dtype;
  Numerics kept = numerics;
  auto inherited = value.type.numerics.accumulate;
  if (!kept.accumulate && inherited && info(dtype).accumulate != dtype && holds(*inherited, dtype)) {
    kept.accumulate = inherited;
    state(kept, PolicyField::Accumulate);
  }
  out.type.numerics = kept;
  ExprPtr e = takeExpr(value);
  out.expr.reset();
  bool widening = !narrows(value.type, dtype) && value.type.dtype != dtype;
  DType now = e->type.dtype;
  if (now != dtype || (!widening && value.type.dtype != now)) {
    bool relabel = widening && carryTypeOf(out.type) == now;
    if (!relabel) {
      if (needsStream(cx, numerics, now, dtype, span)) return Value::poison();
      Value raw = value;
      raw.expr = std::shared_ptr<Expr>(e.release());
      e = asDType(cx, std::move(raw), dtype, numerics, span);
    }
  }
  out.expr = std::shared_ptr<Expr>(e.release());
  return unscaled(std::move(out), span);
}

/// The message for a value that would have to be rounded to fit where it goes.
static void reportNarrowing(Context &cx, const Type &from, DType to, Span span, const std::string &what, bool fixable) {
  if (!fresh(cx, Id::narrowing, span)) return;
  std::string text(cx.sources.text(span)), target(name(to));
  auto builder = report(cx, Id::narrowing, span, std::string(name(from.dtype)), target);
  builder.label(what + " is " + target).help("nothing narrows silently: say where it is rounded");
  const std::string whole = text.substr(0, text.find('.'));
  const bool isWhole = !whole.empty() && whole.find_first_not_of("0123456789") == std::string::npos && text == whole + ".0";
  if (fixable && isInt(to) && isWhole) builder.suggest(span, whole, "write the whole number");
  else if (fixable) builder.suggest(span, "cast(" + text + ", " + target + ")", "round it here");
}

ExprPtr castToPlace(Context &cx, Value value, const Type &type, Span span, const std::string &what, bool fixable) {
  if (!literalFits(cx, value, type, span, true)) return nullptr;
  value = toArray(cx, value, isFloat(type.dtype) || value.kind != ValueKind::Float ? type.dtype : DType::F32, span);
  if (value.isPoison()) return nullptr;
  if (value.kind != ValueKind::Array) {
    if (reportNone(cx, value, span)) return nullptr;
    bool shared = value.kind == ValueKind::Shared;
    std::string wanted = shared ? "a value" : "a `" + std::string(name(type.dtype)) + "`";
    auto builder = report(cx, Id::wrongArgument, span, what, wanted, describe(cx, value));
    if (shared && cx.sources.text(span) == value.var->name) {
      std::string all = value.var->name + "[:";
      for (size_t a = 1; a < value.var->type.shape.size(); ++a) all += ", :";
      builder.suggest(span, all + "]", "read all of it");
    }
    return nullptr;
  }
  if (type.numerics.perChannel >= 0) {
    scalesUnknown(cx, span);
    return nullptr;
  }
  if (value.type.dtype != type.dtype && narrows(value.type, type.dtype)) {
    reportNarrowing(cx, value.type, type.dtype, span, what, fixable);
    return nullptr;
  }
  // The place says how the value is rounded; what it leaves open, the value's own type says (P15).
  Numerics how = type.numerics;
  if (value.type.dtype == type.dtype) how = combined(how, withoutStorage(value.type.numerics));
  if (needsStream(cx, how, value.expr->type.dtype, type.dtype, span)) return nullptr;
  if (value.expr->type.dtype == type.dtype && !roundAsPlaceSays(cx, value, how, span, what)) return nullptr;
  return asDType(cx, std::move(value), type.dtype, how, span);
}

Value arrayValue(Context &cx, ExprPtr expr, Type type, std::vector<std::optional<Limit>> limits, Span span) {
  if (inHost(cx) && expr->type.kind == TypeKind::Tensor)
    return unsupported(
        cx, "a tensor that host code makes", span,
        "let a function make it, and call that: `def start(rng: Rng) -> Tensor[2, 3, f32]: return rng.normal((2, 3))`");
  Value v = Value::of(ValueKind::Array);
  type.shape = expr->type.shape;
  type.kind = expr->type.kind == TypeKind::Tensor ? TypeKind::Tensor : TypeKind::Scalar;
  if (type.numerics.roundEachOp && expr->type.dtype != type.dtype)
    expr = makeCast(std::move(expr), type.dtype, roundingOf(type.numerics));
  v.type = std::move(type);
  v.limits = std::move(limits);
  v.expr = std::shared_ptr<Expr>(expr.release());
  return v;
}

static void reportMissingAccumulate(Context &cx, const Value &value, Span span, const std::string &what);

std::optional<DType> accumulator(Context &cx, const Value &value, Span span, const std::string &what) {
  DType dtype = value.type.dtype;
  if (value.type.numerics.accumulate) return value.type.numerics.accumulate;
  if (dtype == DType::Bool) return DType::I32;
  if (info(dtype).accumulate == dtype) return dtype;
  auto hint = cx.accumulateHint;
  if (hint && info(*hint).accumulate == *hint && holds(*hint, dtype) && isFloat(*hint) == isFloat(dtype)) return hint;
  reportMissingAccumulate(cx, value, span, what);
  return std::nullopt;
}

/// Offers to say it where the parameter is declared from which the value comes.
static void reportMissingAccumulate(Context &cx, const Value &value, Span span, const std::string &what) {
  if (!fresh(cx, Id::missingAccumulate, span)) return;
  DType dtype = value.type.dtype;
  std::string text(name(dtype)), wide(name(info(dtype).accumulate));
  auto builder = report(cx, Id::missingAccumulate, span, what, text);
  builder.help("say it in the type, `" + text + " @accum(" + wide + ")`, or cast first: `cast(x, " + wide + ")`");
  const Var *source = value.expr ? sourceParameter(cx, *value.expr, dtype, 0) : nullptr;
  Span place = source && !source->type.numerics.accumulate ? declaredDType(cx, *source) : Span{};
  if (!place.valid()) return;
  builder.note(place, "`" + source->name + "` is declared here")
      .fix({place.file, place.end, place.end}, " @accum(" + wide + ")", "say it where it is declared");
}

Value intElementwise(Context &cx, ElementwiseOp op, const std::vector<Value> &args, Span span,
                     const std::string &shown) {
  bool compares = info(op).resultIsBool;
  Value out = compares ? Value::of(ValueKind::Array) : Value::of(ValueKind::Int);
  std::vector<ExprPtr> operands;
  bool runTime = false;
  for (const Value &v : args) runTime |= v.expr != nullptr;
  if (!compares) {
    Dim a = withShortNames(args[0].sym), b = args.size() > 1 ? withShortNames(args[1].sym) : Dim(0);
    bool known = true, zero = args.size() > 1 && b == Dim(0);
    if (op == ElementwiseOp::Mul && growsTooFar(cx, a, b, span)) return Value::poison();
    switch (op) {
    case ElementwiseOp::Add: out.sym = a + b; break;
    case ElementwiseOp::Sub: out.sym = a - b; break;
    case ElementwiseOp::Mul: out.sym = a * b; break;
    case ElementwiseOp::Neg: out.sym = Dim(0) - a; break;
    case ElementwiseOp::Min: out.sym = Dim::min(a, b); break;
    case ElementwiseOp::Max: out.sym = Dim::max(a, b); break;
    case ElementwiseOp::Abs: out.sym = Dim::max(a, Dim(0) - a); break;
    case ElementwiseOp::FloorDiv:
    case ElementwiseOp::Mod:
      if (zero) {
        report(cx, Id::badConstant, span, "this divides by zero");
        return Value::poison();
      }
      if (!mayDivide(cx, b, span)) return Value::poison();
      out.sym = op == ElementwiseOp::Mod ? Dim::mod(a, b) : Dim::floorDiv(a, b);
      break;
    default: known = false;
    }
    out.sym = withShortNames(std::move(out.sym));
    if (known && isTooLarge(cx, out.sym, span)) return Value::poison();
    if (known && !runTime) return out;
    for (const Value &v : args) operands.push_back(indexExpr(cx, v, span));
    ExprPtr e = makeElementwise(op, indexType(), span, std::move(operands));
    if (!known) return indexValue(cx, std::move(e), "", span);
    out.type = indexType();
    out.expr = std::shared_ptr<Expr>(e.release());
    return out;
  }
  for (const Value &v : args) operands.push_back(indexExpr(cx, v, span));
  out.type = scalarType(DType::Bool);
  out.expr = std::shared_ptr<Expr>(makeElementwise(op, scalarType(DType::Bool), span, std::move(operands)).release());
  return out;
}

Value elementwise(Context &cx, ElementwiseOp op, std::vector<Value> args, Span span, const std::string &shown) {
  for (Value &v : args) {
    if (v.kind == ValueKind::View || v.kind == ValueKind::HostTensor) v = toArray(cx, v, DType::F32, span);
    bool mixed = args.size() == 2 && v.kind == ValueKind::String;  // then both are told
    if (mixed && !args[0].isPoison() && !args[1].isPoison() && fresh(cx, Id::badOperand, span))
      report(cx, Id::badOperand, span, shown, describe(cx, args[0]) + " and " + describe(cx, args[1]));
    if (mixed || !requireNumber(cx, v, span, shown)) return Value::poison();
  }
  bool select = op == ElementwiseOp::Select;
  std::vector<Value> operands(args.begin() + (select ? 1 : 0), args.end());
  bool allInt = !select, allKnown = true;
  for (const Value &v : operands) {
    allInt &= v.kind == ValueKind::Int;
    allKnown &= v.kind == ValueKind::Float || v.isKnownInt();
  }
  if (allInt && !needsFloat(op)) return intElementwise(cx, op, operands, span, shown);
  if (allKnown && operands.size() == 1)
    if (auto value =
            evaluate(op, operands[0].kind == ValueKind::Float ? operands[0].number
                                                              : static_cast<double>(operands[0].sym.constant())))
      return Value::real(*value);

  Type type = scalarType(DType::F32);
  if (!promote(cx, operands, type, span, shown)) return Value::poison();
  bool onlyWeak = true;
  for (const Value &v : operands) onlyWeak &= v.kind != ValueKind::Array;
  if (needsFloat(op) && !isFloat(type.dtype)) {
    if (!onlyWeak && info(type.dtype).bits > 16 && !saysNoDTypes(cx)) {
      report(cx, Id::badOperand, span, shown, std::string(name(type.dtype))).help("it needs a float: `cast(x, f32)`");
      return Value::poison();
    }
    type = scalarType(onlyWeak ? DType::F32 : floatOfIntegers(cx));
  }
  bool wrong = needsIntOrBool(op) && isFloat(type.dtype);
  wrong |= type.dtype == DType::Bool && !needsIntOrBool(op) && !info(op).resultIsBool && !select &&
           op != ElementwiseOp::Min && op != ElementwiseOp::Max;
  wrong |= type.dtype == DType::Bool && (op == ElementwiseOp::Shl || op == ElementwiseOp::Shr);
  wrong |= isComplex(type.dtype) && !takesComplex(op);
  bool minus = op == ElementwiseOp::Neg && isUnsigned(type.dtype);
  if ((wrong || minus) && fresh(cx, Id::badOperand, span)) {
    auto builder = report(cx, Id::badOperand, span, shown, std::string(name(type.dtype)));
    if (minus) suggestSigned(builder, type.dtype, span, cx.sources.text(span));
  }
  if (wrong || minus) return Value::poison();
  std::vector<Dim> shape;
  if (!broadcastShapes(cx, args, shape, span)) return Value::poison();
  bool anyArray = false;
  for (const Value &v : args) anyArray |= v.isArray();
  operands.clear();  // an expression that nothing else holds is moved; to copy each operand would take its square

  // A type under 32 bits that is computed in: each operation as if exact, then rounded to it (P3).
  DType computed = carryTypeOf(type), in = info(computed).accumulate;
  std::vector<ExprPtr> exprs;
  std::vector<std::optional<Limit>> limits(shape.size());
  for (size_t i = 0; i < args.size(); ++i) {
    for (size_t a = 0; a < args[i].limits.size(); ++a) {
      const Limit *limit = args[i].limit(a);
      size_t axis = shape.size() - args[i].type.shape.size() + a;
      if (!limit) continue;
      if (!limits[axis]) limits[axis] = Limit{limit->end, false};
      else if (!(cx.function.facts.simplify(limits[axis]->end) == cx.function.facts.simplify(limit->end)))
        limits[axis]->end = Dim::min(limits[axis]->end, limit->end);
    }
    bool condition = select && i == 0;
    ExprPtr e = inCarryType(cx, std::move(args[i]), condition ? DType::Bool : in, span);
    exprs.push_back(anyArray ? broadcastTo(std::move(e), shape) : std::move(e));
  }
  bool isBool = info(op).resultIsBool;
  Type result = anyArray ? sema::tensorType(isBool ? DType::Bool : in, shape) : scalarType(isBool ? DType::Bool : in);
  result.numerics = isBool ? Numerics{} : type.numerics;
  ExprPtr e = makeElementwise(op, result, span, std::move(exprs));
  if (computed != in && !isBool) e = makeCast(std::move(e), computed, roundingOf(type.numerics));
  if (isBool) type = scalarType(DType::Bool);
  return arrayValue(cx, std::move(e), type, std::move(limits), span);
}

}  // namespace tessera::sema
