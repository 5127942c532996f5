// Streams of random numbers: `rng.split()`, `rng.uniform(shape)`, `rng.normal(shape)`, dropout.
#include "sema/Checker.h"

namespace tessera::sema {

namespace {
constexpr int64_t kMostParts = 64;  // of one split

Type streamType() {
  Type type;
  type.kind = TypeKind::Stream;
  return type;
}
}  // namespace

/// Something that the checker understands and later phases do not.
void Checker::later(const std::string &what, Span span) {
  if (!fn_) {
    unsupported(what + " at module level", span);
    return;
  }
  for (const Later &have : fn_->later)
    if (have.what == what) return;
  fn_->later.push_back({what, span});
}

Value Checker::streamValue(ExprPtr expr) {
  Value v = Value::of(ValueKind::Rng);
  v.type = streamType();
  v.expr = std::shared_ptr<Expr>(expr.release());
  v.handle = newHandle();
  return v;
}

Value Checker::newStream(Bound &args, Span span) {
  Value seed = convertInt(args.values[0], args.spans[0]);
  if (seed.isPoison()) return seed;
  later("random streams (`Rng`)", span);
  ExprPtr e = makeExpr(ExprKind::Opaque, streamType(), span);
  e->text = "stream";
  e->args.push_back(indexExpr(seed, args.spans[0]));
  return streamValue(std::move(e));
}

Value Checker::splitStream(Bound &args, Span span) {
  int64_t count = 2;
  if (args.values[1].given()) {
    auto n = knownInt(args.values[1], args.spans[1], "the number of streams");
    if (!n) return Value::poison();
    if (*n < 2 || *n > kMostParts) {
      report(Id::badConstant, args.spans[1], "a stream is split into 2 to 64 streams, not " + std::to_string(*n));
      return Value::poison();
    }
    count = *n;
  }
  if (!spend(args.values[0], "`split`", span)) return Value::poison();
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    ExprPtr e = makeExpr(ExprKind::Opaque, streamType(), span);
    e->text = "split";
    e->queryAxis = static_cast<int>(i);
    e->args.push_back(clone(*args.values[0].expr));
    parts.push_back(streamValue(std::move(e)));
  }
  return Value::tuple(std::move(parts));
}

/// `rng.uniform(shape, dtype)` in [0, 1) and `rng.normal(shape, dtype)`.
Value Checker::drawFrom(const BuiltinRow &row, Bound &args, Span span) {
  std::string name(row.name);
  std::vector<Dim> shape;
  if (!shapeArgument(args.values[1], args.spans[1], shape)) return Value::poison();
  DType dtype = DType::F32;
  Numerics numerics;
  if (args.values[2].given()) {
    auto given = dtypeArgument(args.values[2], args.spans[2], &numerics);
    if (!given) return Value::poison();
    if (!isFloat(*given)) {
      report(Id::wrongArgument, args.spans[2], quoted(name), "a dtype of floats", describe(args.values[2]));
      return Value::poison();
    }
    dtype = *given;
  }
  if (!spend(args.values[0], "`" + name + "`", span)) return Value::poison();
  noteEffect({EffectKind::Random, "", false, false, {{span, "`" + name + "` draws here"}}});
  later("random streams (`Rng`)", span);
  Type type = shape.empty() ? scalarType(dtype, numerics) : sema::tensorType(dtype, shape, numerics);
  ExprPtr e = makeExpr(ExprKind::Opaque, type, span);
  e->text = name;
  e->args.push_back(clone(*args.values[0].expr));
  return finish(std::move(e), type, {}, span);
}

/// `dropout(x, p, rng)`: without a stream the numbers come from the function's own.
Value Checker::dropout(Bound &args, Span span) {
  Value x = toArray(args.values[0], DType::F32, args.spans[0]);
  if (x.isPoison()) return x;
  if (!x.isArray() || !isFloat(x.type.dtype)) {
    report(Id::wrongArgument, args.spans[0], quoted("dropout"), "a tensor of floats", describe(x));
    return Value::poison();
  }
  const Value &p = args.values[1];
  bool known = p.kind == ValueKind::Float || (p.isKnownInt() && !p.expr);
  double share = p.kind == ValueKind::Float ? p.number : known ? static_cast<double>(p.sym.constant()) : 0;
  if (p.isPoison()) return p;
  if ((!known && !p.isScalar()) || share < 0 || share >= 1) {
    report(Id::wrongArgument, args.spans[1], quoted("dropout"), "a share of at least 0 and below 1",
           known ? "the number " + std::string(sources_.text(args.spans[1])) : describe(p));
    return Value::poison();
  }
  const Value &rng = args.values[2];
  if (rng.given() && rng.kind != ValueKind::Rng) {
    if (!rng.isPoison()) report(Id::wrongArgument, args.spans[2], quoted("dropout"), "a stream, `rng: Rng`", describe(rng));
    return Value::poison();
  }
  if (rng.given() && !spend(rng, "`dropout`", span)) return Value::poison();
  noteEffect({EffectKind::Random, "", !rng.given(), false, {{span, "`dropout` draws here"}}});
  later("random numbers (`dropout`)", span);
  Type type = x.type;
  ExprPtr e = makeExpr(ExprKind::Opaque, type, span);
  e->text = "dropout";
  auto limits = x.limits;
  e->args.push_back(take(x));
  if (rng.given()) e->args.push_back(clone(*rng.expr));
  return finish(std::move(e), type, std::move(limits), span);
}

Value Checker::callEffectBuiltin(const BuiltinRow &row, Bound &args, Span span) {
  switch (row.kind) {
  case BuiltinKind::Stream: return newStream(args, span);
  case BuiltinKind::SplitStream: return splitStream(args, span);
  case BuiltinKind::Draw: return drawFrom(row, args, span);
  case BuiltinKind::Dropout: return dropout(args, span);
  case BuiltinKind::Collective: return collective(row, args, span);
  case BuiltinKind::MeshQuery: return meshQuery(row, args, span);
  case BuiltinKind::Prefetch: return prefetch(args, span);
  case BuiltinKind::State: return newState(args, span);
  case BuiltinKind::MoveOn: return moveOn(row, args, span);
  default: return Value::of(ValueKind::Absent);
  }
}

}  // namespace tessera::sema
