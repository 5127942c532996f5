// dtypes: what two operands become, what arithmetic is carried in, and where values are rounded.
#include "sema/Checker.h"
#include <cmath>
#include <limits>

namespace tessera::sema {
namespace {

bool isWeak(const Value &v) {
  return v.kind == ValueKind::Int || v.kind == ValueKind::Float || v.kind == ValueKind::Bool;
}
bool isNumberBool(const Value &v) { return v.kind == ValueKind::Bool; }

/// The smallest dtype of the two (or just above, for small integers) that holds the values of both.
std::optional<DType> join(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  if (a == DType::Complex64 || b == DType::Complex64) return std::nullopt;
  if (isFloat(a) && isFloat(b)) {
    for (DType wide : {DType::F64, DType::F32})
      if (a == wide || b == wide) return wide;
    int x = info(a).bits, y = info(b).bits;
    if (a == DType::TF32 || b == DType::TF32) return DType::TF32;
    if (x > y && y <= 8) return a;
    if (y > x && x <= 8) return b;
    return std::nullopt;
  }
  if (isInt(a) && isInt(b)) {
    bool sa = info(a).cls == DTypeClass::SignedInt, sb = info(b).cls == DTypeClass::SignedInt;
    if (sa == sb) return info(a).bits >= info(b).bits ? a : b;
    DType s = sa ? a : b, u = sa ? b : a;
    if (info(s).bits > info(u).bits) return s;
    if (info(u).bits < 16) return DType::I16;
    return info(u).bits < 32 ? DType::I32 : DType::I64;
  }
  DType f = isFloat(a) ? a : b, i = isFloat(a) ? b : a;
  if (f == DType::F64) return info(i).bits <= 32 ? std::optional(f) : std::nullopt;
  if (info(i).bits <= 16 && f == DType::F32) return f;
  return std::nullopt;
}

std::optional<double> evaluate(ElementwiseOp op, double x) {
  switch (op) {
  case ElementwiseOp::Exp: return std::exp(x);
  case ElementwiseOp::Exp2: return std::exp2(x);
  case ElementwiseOp::Log: return std::log(x);
  case ElementwiseOp::Log2: return std::log2(x);
  case ElementwiseOp::Sqrt: return std::sqrt(x);
  case ElementwiseOp::Rsqrt: return 1 / std::sqrt(x);
  case ElementwiseOp::Tanh: return std::tanh(x);
  case ElementwiseOp::Sigmoid: return 1 / (1 + std::exp(-x));
  case ElementwiseOp::Erf: return std::erf(x);
  case ElementwiseOp::Sin: return std::sin(x);
  case ElementwiseOp::Cos: return std::cos(x);
  case ElementwiseOp::Floor: return std::floor(x);
  case ElementwiseOp::Ceil: return std::ceil(x);
  case ElementwiseOp::Round: return std::nearbyint(x);
  case ElementwiseOp::Abs: return std::abs(x);
  case ElementwiseOp::Neg: return -x;
  default: return std::nullopt;
  }
}
bool needsFloat(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Div:
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Rsqrt:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid:
  case ElementwiseOp::Erf:
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::IsNan: return true;
  default: return false;
  }
}
bool needsIntOrBool(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
  case ElementwiseOp::Xor:
  case ElementwiseOp::Not:
  case ElementwiseOp::Shl:
  case ElementwiseOp::Shr: return true;
  default: return false;
  }
}
}  // namespace

bool Checker::narrows(const Type &from, DType to) const {
  auto joined = join(from.dtype, to);
  return !joined || *joined != to;
}

DType Checker::carriedIn(const Type &type) const {
  DType natural = info(type.dtype).accumulate;
  if (natural == type.dtype) return type.dtype;
  if (type.numerics.compute) return *type.numerics.compute;
  return type.numerics.accumulate ? *type.numerics.accumulate : natural;
}

bool Checker::requireNumber(const Value &value, Span span, const std::string &shown) {
  if (value.isPoison()) return false;
  if (value.kind == ValueKind::Array || isWeak(value)) return true;
  if (!reportNone(value, span) && fresh(Id::badOperand, span))
    report(Id::badOperand, span, shown, describe(value));
  return false;
}

/// Views are read whole, host tensors as the scalar they hold; everything else stays.
Value Checker::toArray(const Value &value, DType weak, Span span) {
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
    return loadAccess(std::move(access), value.var->type.shape,
                      std::vector<std::optional<Limit>>(value.var->type.shape.size()), {}, span);
  }
  case ValueKind::HostTensor: return hostScalar(value, span);
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::Bool: {
    Value v = Value::of(ValueKind::Array);
    DType dtype = value.kind == ValueKind::Bool ? DType::Bool : weak;
    v.type = scalarType(dtype);
    v.expr = std::shared_ptr<Expr>(carried(value, dtype, span).release());
    return v;
  }
  default: return value;
  }
}

bool Checker::promote(const std::vector<Value> &args, Type &type, Span span, const std::string &shown) {
  const Value *first = nullptr;
  for (const Value &v : args) {
    if (v.kind != ValueKind::Array) continue;
    if (!first) {
      first = &v;
      type.dtype = v.type.dtype;
      type.numerics = v.type.numerics;
      continue;
    }
    auto joined = join(type.dtype, v.type.dtype);
    if (!joined) {
      if (fresh(Id::dtypeMismatch, span))
        report(Id::dtypeMismatch, span, std::string(name(type.dtype)), std::string(name(v.type.dtype)), shown)
            .help("neither holds every value of the other; say which you mean: `cast(x, f32)`");
      return false;
    }
    if (*joined != type.dtype) {
      auto accumulate = type.numerics.accumulate;
      type.numerics = *joined == v.type.dtype ? v.type.numerics : Numerics{};
      (void)accumulate;
    } else if (v.type.dtype == *joined && !type.numerics.accumulate) {
      type.numerics.accumulate = v.type.numerics.accumulate;
    }
    type.dtype = *joined;
  }
  bool anyFloat = false, allBool = true;
  for (const Value &v : args) anyFloat |= v.kind == ValueKind::Float, allBool &= isNumberBool(v);
  if (!first) {
    type.dtype = allBool ? DType::Bool : DType::F32;
    return true;
  }
  bool anyInt = false;
  for (const Value &v : args) anyInt |= v.kind == ValueKind::Int;
  if (type.dtype == DType::Bool && anyFloat) type.dtype = DType::F32;
  else if (type.dtype == DType::Bool && anyInt) type.dtype = DType::I32;
  else if (isInt(type.dtype) && anyFloat) {
    if (info(type.dtype).bits > 16) {
      if (fresh(Id::dtypeMismatch, span))
        report(Id::dtypeMismatch, span, std::string(name(type.dtype)), "a fraction", shown)
            .help("f32 does not hold every " + std::string(name(type.dtype)) +
                  "; say the float type: `cast(x, f32)`");
      return false;
    }
    type = scalarType(DType::F32);
  }
  return true;
}

ExprPtr Checker::carried(const Value &value, DType dtype, Span span) {
  if (value.kind == ValueKind::Array) {
    Value copy = value;
    ExprPtr e = take(copy);
    return e->type.dtype == dtype ? std::move(e) : makeCast(std::move(e), dtype, {});
  }
  if (value.kind == ValueKind::Int) {
    if (!value.isKnownInt() || value.expr) return makeCast(indexExpr(value, span), dtype, {});
    ExprPtr e = makeConstant(dtype, static_cast<double>(value.sym.constant()), span);
    if (isInt(dtype)) e->value = value.sym.constant();
    e->nameHint = value.text;
    return e;
  }
  ExprPtr e = makeConstant(dtype, value.kind == ValueKind::Bool ? (value.truth ? 1 : 0) : value.number, span);
  e->nameHint = value.text;
  return e;
}

ExprPtr Checker::asDType(Value value, DType dtype, const Numerics &numerics, Span span) {
  if (value.kind != ValueKind::Array) return carried(value, dtype, span);
  ExprPtr e = take(value);
  return e->type.dtype == dtype ? std::move(e) : makeCast(std::move(e), dtype, numerics);
}

Value Checker::castTo(Value value, DType dtype, const Numerics &numerics, Span span) {
  value = toArray(value, dtype, span);
  if (value.isPoison()) return value;
  if (value.kind != ValueKind::Array) {
    if (!reportNone(value, span)) report(Id::badOperand, span, "cast", describe(value));
    return Value::poison();
  }
  Value out = value;
  out.type.dtype = dtype;
  Numerics kept = numerics;
  if (!kept.accumulate && info(dtype).accumulate != dtype) kept.accumulate = value.type.numerics.accumulate;
  out.type.numerics = kept;
  ExprPtr e = take(value);
  out.expr.reset();
  bool widening = !narrows(value.type, dtype) && value.type.dtype != dtype;
  DType now = e->type.dtype;
  if (now != dtype || (!widening && value.type.dtype != now)) {
    bool relabel = widening && carriedIn(out.type) == now;
    if (!relabel) e = makeCast(std::move(e), dtype, numerics);
  }
  out.expr = std::shared_ptr<Expr>(e.release());
  return out;
}

ExprPtr Checker::leave(Value value, const Type &type, Span span, const std::string &what) {
  value =
      toArray(value, isFloat(type.dtype) || value.kind != ValueKind::Float ? type.dtype : DType::F32, span);
  if (value.isPoison()) return nullptr;
  if (value.kind != ValueKind::Array) {
    if (reportNone(value, span)) return nullptr;
    bool quoted = what.size() > 2 && what.front() == '`' && what.back() == '`';
    report(Id::wrongArgument, span, quoted ? what.substr(1, what.size() - 2) : what, "a `" + std::string(name(type.dtype)) + "`", describe(value));
    return nullptr;
  }
  if (value.type.dtype != type.dtype && narrows(value.type, type.dtype)) {
    if (fresh(Id::narrowing, span)) {
      std::string text(sources_.text(span));
      std::string to(name(type.dtype));
      report(Id::narrowing, span, std::string(name(value.type.dtype)), to)
          .label(what + " is " + to)
          .help("nothing narrows silently: say where it is rounded")
          .suggest(span, "cast(" + text + ", " + to + ")", "round it here");
    }
    return nullptr;
  }
  return asDType(std::move(value), type.dtype, type.numerics, span);
}

Value Checker::finish(ExprPtr expr, Type type, std::vector<std::optional<Limit>> limits, Span span) {
  Value v = Value::of(ValueKind::Array);
  type.shape = expr->type.shape;
  type.kind = expr->type.kind == TypeKind::Tensor ? TypeKind::Tensor : TypeKind::Scalar;
  if (type.numerics.roundEachOp && expr->type.dtype != type.dtype)
    expr = makeCast(std::move(expr), type.dtype, type.numerics);
  v.type = std::move(type);
  v.limits = std::move(limits);
  v.expr = std::shared_ptr<Expr>(expr.release());
  return v;
}

std::optional<DType> Checker::accumulator(const Value &value, Span span, const std::string &what) {
  DType dtype = value.type.dtype;
  if (value.type.numerics.accumulate) return value.type.numerics.accumulate;
  if (dtype == DType::Bool) return DType::I32;
  if (info(dtype).accumulate == dtype) return dtype;
  if (accumulateHint_) return accumulateHint_;
  if (fresh(Id::missingAccumulate, span)) {
    std::string text(name(dtype)), wide(name(info(dtype).accumulate));
    report(Id::missingAccumulate, span, what, text)
        .help("say it in the type, `" + text + " @accum(" + wide + ")`, or cast first: `cast(x, " + wide +
              ")`");
  }
  return std::nullopt;
}

Value Checker::intElementwise(ElementwiseOp op, const std::vector<Value> &args, Span span,
                              const std::string &shown) {
  bool compares = info(op).resultIsBool;
  Value out = compares ? Value::of(ValueKind::Array) : Value::of(ValueKind::Int);
  std::vector<ExprPtr> operands;
  bool runTime = false;
  for (const Value &v : args) runTime |= v.expr != nullptr;
  if (!compares) {
    const Dim &a = args[0].sym;
    Dim b = args.size() > 1 ? args[1].sym : Dim(0);
    bool known = true, zero = args.size() > 1 && b == Dim(0);
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
        report(Id::badConstant, span, "this divides by zero");
        return Value::poison();
      }
      out.sym = op == ElementwiseOp::Mod ? Dim::mod(a, b) : Dim::floorDiv(a, b);
      break;
    default: known = false;
    }
    if (known && !runTime) return out;
    for (const Value &v : args) operands.push_back(indexExpr(v, span));
    ExprPtr e = makeElementwise(op, indexType(), span, std::move(operands));
    if (!known) return indexValue(std::move(e), "", span);
    out.type = indexType();
    out.expr = std::shared_ptr<Expr>(e.release());
    return out;
  }
  for (const Value &v : args) operands.push_back(indexExpr(v, span));
  out.type = scalarType(DType::Bool);
  out.expr = std::shared_ptr<Expr>(
      makeElementwise(op, scalarType(DType::Bool), span, std::move(operands)).release());
  return out;
}

Value Checker::elementwise(ElementwiseOp op, std::vector<Value> args, Span span, const std::string &shown) {
  for (Value &v : args) {
    if (v.kind == ValueKind::View || v.kind == ValueKind::HostTensor) v = toArray(v, DType::F32, span);
    if (!requireNumber(v, span, shown)) return Value::poison();
  }
  bool select = op == ElementwiseOp::Select;
  std::vector<Value> operands(args.begin() + (select ? 1 : 0), args.end());
  bool allInt = !select, allKnown = true;
  for (const Value &v : operands) {
    allInt &= v.kind == ValueKind::Int;
    allKnown &= v.kind == ValueKind::Float || v.isKnownInt();
  }
  if (allInt && !needsFloat(op)) return intElementwise(op, operands, span, shown);
  if (allKnown && operands.size() == 1)
    if (auto value = evaluate(op, operands[0].kind == ValueKind::Float
                                      ? operands[0].number
                                      : static_cast<double>(operands[0].sym.constant())))
      return Value::real(*value);

  Type type = scalarType(DType::F32);
  if (!promote(operands, type, span, shown)) return Value::poison();
  bool onlyWeak = true;
  for (const Value &v : operands) onlyWeak &= v.kind != ValueKind::Array;
  if (needsFloat(op) && !isFloat(type.dtype)) {
    if (!onlyWeak && info(type.dtype).bits > 16) {
      report(Id::badOperand, span, shown, std::string(name(type.dtype)))
          .help("it needs a float: `cast(x, f32)`");
      return Value::poison();
    }
    type = scalarType(DType::F32);
  }
  bool wrong = needsIntOrBool(op) && isFloat(type.dtype);
  wrong |= type.dtype == DType::Bool && !needsIntOrBool(op) && !info(op).resultIsBool && !select &&
           op != ElementwiseOp::Min && op != ElementwiseOp::Max;
  if (wrong) {
    report(Id::badOperand, span, shown, std::string(name(type.dtype)));
    return Value::poison();
  }
  std::vector<Dim> shape;
  if (!broadcastShapes(args, shape, span)) return Value::poison();
  bool anyArray = false;
  for (const Value &v : args) anyArray |= v.isArray();

  DType in = carriedIn(type);
  std::vector<ExprPtr> exprs;
  std::vector<std::optional<Limit>> limits(shape.size());
  for (size_t i = 0; i < args.size(); ++i) {
    bool condition = select && i == 0;
    ExprPtr e = carried(args[i], condition ? DType::Bool : in, span);
    for (size_t a = 0; a < args[i].limits.size(); ++a) {
      const Limit *limit = args[i].limit(a);
      size_t axis = shape.size() - args[i].type.shape.size() + a;
      if (!limit) continue;
      if (!limits[axis]) limits[axis] = Limit{limit->end, false};
      else if (!(facts_.simplify(limits[axis]->end) == facts_.simplify(limit->end)))
        limits[axis]->end = Dim::min(limits[axis]->end, limit->end);
    }
    exprs.push_back(anyArray ? broadcastTo(std::move(e), shape) : std::move(e));
  }
  bool isBool = info(op).resultIsBool;
  Type result =
      anyArray ? sema::tensorType(isBool ? DType::Bool : in, shape) : scalarType(isBool ? DType::Bool : in);
  result.numerics = isBool ? Numerics{} : type.numerics;
  ExprPtr e = makeElementwise(op, result, span, std::move(exprs));
  if (isBool) type = scalarType(DType::Bool);
  return finish(std::move(e), type, std::move(limits), span);
}

}  // namespace tessera::sema
