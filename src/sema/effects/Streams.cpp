// Streams of random numbers: `rng.split()`, `rng.uniform(shape)`, `rng.normal(shape)`, `rng.bernoulli(p, shape)`, dropout.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Draws.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {
constexpr int64_t kMostParts = 1024;  // of one split, which is written out: more layers than models have
}  // namespace

void notCompiledYet(Context &cx, const std::string &what, Span span) {
  if (!cx.function.fn) {
    unsupported(cx, what + " at module level", span);
    return;
  }
  for (const Later &have : cx.function.fn->later)
    if (have.what == what) return;
  cx.function.fn->later.push_back({what, span});
}

Value streamValue(Context &cx, ExprPtr key, const std::string &name) {
  Value v = Value::of(ValueKind::Rng);
  v.type.kind = TypeKind::Stream;
  v.handle = newHandle(cx);
  if (key->kind == ExprKind::VarRef) {
    Type type = keyType();
    key->type = std::move(type);
    v.expr = std::shared_ptr<Expr>(key.release());
    return v;
  }
  Span span = key->span;
  Var *var = newVar(cx, name, keyType(), span);
  var->varying = isVarying(*key) || cx.function.varyingDepth > 0;
  Stmt &let = emit(cx, StmtKind::Let, span);
  let.var = var;
  let.value = std::move(key);
  cx.function.temps[var] = cx.blockId;
  v.expr = std::shared_ptr<Expr>(makeRef(var, span).release());
  return v;
}

static Value newStream(Context &cx, Bound &args, Span span) {
  Value seed = convertInt(cx, args.values[0], args.spans[0]);
  if (seed.isPoison()) return seed;
  if (!cx.function.fn || !cx.function.block) return unsupported(cx, "a stream of random numbers at module level", span);
  return streamValue(cx, inCarryType(cx, seed, DType::I64, args.spans[0]), "rng");
}

static Value splitStream(Context &cx, Bound &args, Span span) {
  int64_t count = 2;
  if (args.values[1].kind == ValueKind::String) {  // of a name, as the author means it
    std::string named(cx.sources.text(span));
    auto builder = report(cx, Id::wrongArgument, args.spans[1], "`split`", "the number of streams", describe(cx, args.values[1]));
    builder.help("`fold_in` gives the stream of a name or a number, and the stream itself stays as it is");
    if (size_t at = named.find("split("); at != std::string::npos) builder.fix(span, named.replace(at, 5, "fold_in"), "take the stream of the name");
    return Value::poison();
  }
  if (args.values[1].given()) {
    auto n = knownInt(cx, args.values[1], args.spans[1], "the number of streams");
    if (!n) return Value::poison();
    if (*n < 2 || *n > kMostParts) {
      report(cx, Id::badConstant, args.spans[1], "a stream is split into 2 to " + std::to_string(kMostParts) + " streams, not " + std::to_string(*n));
      return Value::poison();
    }
    count = *n;
  }
  if (!useUp(cx, args.values[0], "`split`", span)) return Value::poison();
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<ExprPtr> operands;
    operands.push_back(clone(*args.values[0].expr));
    operands.push_back(makeConstant(DType::I64, static_cast<double>(i), span));
    parts.push_back(
        streamValue(cx, makeElementwise(ElementwiseOp::RandomKey, keyType(), span, std::move(operands)), "part"));
  }
  return Value::tuple(std::move(parts));
}

/// The number of a text: FNV-1a of its bytes in UTF-8 (Fowler, Noll, Vo), of which a constant of f64 holds the lower 52 bits.
static double numberOfText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3;
  return static_cast<double>(hash & ((uint64_t(1) << 52) - 1));
}

/// `rng.fold_in(step)` and `rng.fold_in("weights")`: the stream of a number or a name, beside those that `split` gives and the numbers of
/// the stream itself.
static Value foldedStream(Context &cx, Bound &args, Span span) {
  const bool isNamed = args.values[1].kind == ValueKind::String;
  const double kApart = isNamed ? 0x6e616d65 : 0x666f6c64;  // no part of `split` has these numbers
  const Value number = isNamed ? Value::of(ValueKind::Absent) : convertInt(cx, args.values[1], args.spans[1]);
  if (number.isPoison()) return number;
  auto key = [&](ExprPtr from, ExprPtr of) {
    std::vector<ExprPtr> operands;
    operands.push_back(std::move(from));
    operands.push_back(std::move(of));
    return makeElementwise(ElementwiseOp::RandomKey, keyType(), span, std::move(operands));
  };
  ExprPtr apart = key(clone(*args.values[0].expr), makeConstant(DType::I64, kApart, span));
  ExprPtr of = isNamed ? makeConstant(DType::I64, numberOfText(args.values[1].text), span) : inCarryType(cx, number, DType::I64, args.spans[1]);
  return streamValue(cx, key(std::move(apart), std::move(of)), "folded");
}

ExprPtr inNamedVariable(Context &cx, ExprPtr expr, const std::string &name) {
  Value v = Value::of(ValueKind::Array);
  v.type = withDType(expr->type, expr->type.dtype);
  Span span = expr->span;
  v.expr = std::shared_ptr<Expr>(expr.release());
  return clone(*bindTemp(cx, v, name, span).expr);
}

static ExprPtr share(Context &cx, const Value &p, Span span, const std::string &of, bool mayBeOne);

/// `at=`: the numbers of the elements that are drawn, as i64. Poison after a message.
static Value elementsToDraw(Context &cx, const Value &at, Span span, const std::string &of) {
  if (at.isPoison()) return at;
  const bool isIndex = at.kind == ValueKind::Int;
  if (!isIndex && !((at.isArray() || at.isScalar()) && isInt(at.type.dtype))) {
    report(cx, Id::wrongArgument, span, quoted(of), "numbers of elements, which are integers", describe(cx, at));
    return Value::poison();
  }
  if (!isIndex) return reusable(cx, castTo(cx, at, DType::I64, {}, span), "element", span);
  return reusable(cx, arrayValue(cx, inCarryType(cx, at, DType::I64, span), scalarType(DType::I64), {}, span), "element", span);
}

/// `rng.uniform(shape, dtype)` in [0, 1), `rng.normal(shape, dtype)` and `rng.bernoulli(p, shape)`.
static Value drawFrom(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  std::string name(row.name);
  const bool events = name == "bernoulli";
  const size_t at = events ? 2 : 1;
  const Value &named = args.values[3];
  std::vector<Dim> shape;
  if (named.given() == args.values[at].given()) {
    report(cx, Id::wrongArgument, span, quoted(name), "either a shape or `at=`, the numbers of elements", named.given() ? "both" : "none of them");
    return Value::poison();
  }
  if (named.given() && inHost(cx)) return unsupported(cx, "`at=` in host code", args.spans[3], "a function of tensors draws at places, and so does a kernel");
  if (!named.given() && !inHost(cx) && !shapeArgument(cx, args.values[at], args.spans[at], shape)) return Value::poison();
  DType dtype = events ? DType::Bool : DType::F32;
  Numerics numerics;
  ExprPtr probability;
  if (events) {
    probability = share(cx, args.values[1], args.spans[1], name, true);
    if (!probability) return Value::poison();
  } else if (args.values[2].given()) {
    auto given = dtypeArgument(cx, args.values[2], args.spans[2], &numerics);
    if (!given) return Value::poison();
    if (!isFloat(*given)) {
      report(cx, Id::wrongArgument, args.spans[2], quoted(name), "a dtype of floats", describe(cx, args.values[2]));
      return Value::poison();
    }
    dtype = *given;
  }
  if (inHost(cx)) return hostDraw(cx, name, args, at, dtype, span);
  Value elements = named.given() ? elementsToDraw(cx, named, args.spans[3], name) : Value::of(ValueKind::Absent);
  if (elements.isPoison() || (named.given() && isUsedUp(cx, args.values[0], span))) return Value::poison();
  // What is drawn at places is drawn as often as the program says: it names the numbers itself.
  if (!named.given() && !useUp(cx, args.values[0], "`" + name + "`", span)) return Value::poison();
  noteEffect(cx, {EffectKind::Random, "", false, false, {{span, "`" + name + "` draws here"}}});
  if (inKernel(cx) && !named.given())
    return unsupported(cx, "a draw of a shape inside a kernel", span,
                       "each group would get the same numbers; name the elements that are drawn, `rng." + name + "(" + (events ? "p, " : "") + "at=tile.arange(i, i + 256))`");
  if (elements.given()) shape = elements.type.shape;
  Type type = shape.empty() ? scalarType(dtype, numerics) : sema::tensorType(dtype, shape, numerics);
  Draw draw(*args.values[0].expr, shape, elements.given() ? elements.expr : nullptr, span);
  ExprPtr drawn;
  if (events) drawn = draw.happens(std::move(probability));
  else if (name == "uniform") drawn = uniform(draw, dtype);
  else {
    DType in = info(dtype).accumulate;
    ExprPtr high = inNamedVariable(cx, draw.bits(0, dtype == DType::F64 ? 2 : 1), "bits");
    drawn = draw.normal(in, *high, dtype == DType::F64 ? draw.bits(1, 2) : nullptr);
  }
  return arrayValue(cx, std::move(drawn), type, elements.given() ? elements.limits : std::vector<std::optional<Limit>>(), span);
}

ExprPtr uniform(const Draw &draw, DType dtype) {
  if (dtype == DType::F64) return draw.uniform(dtype, draw.bits(0, 2), draw.bits(1, 2));
  return draw.uniform(dtype, draw.bits(), nullptr);
}

/// A probability as a number of f32 or f64. Null after a message.
static ExprPtr share(Context &cx, const Value &p, Span span, const std::string &of, bool mayBeOne) {
  if (p.isPoison()) return nullptr;
  bool known = p.kind == ValueKind::Float || (p.isKnownInt() && !p.expr);
  double value = p.kind == ValueKind::Float ? p.number : known ? static_cast<double>(p.sym.constant()) : 0;
  bool number = known || (p.isScalar() && isFloat(p.type.dtype));
  if (!number || !(value >= 0) || !(mayBeOne ? value <= 1 : value < 1)) {
    report(cx, Id::wrongArgument, span, quoted(of),
           mayBeOne ? "a probability from 0 to 1" : "a share of at least 0 and below 1",
           known ? "the number " + std::string(cx.sources.text(span)) : describe(cx, p));
    return nullptr;
  }
  if (known) return makeConstant(DType::F64, value, span);
  return inCarryType(cx, p, p.type.dtype == DType::F64 ? DType::F64 : DType::F32, span);
}

/// How often a name is read in a function.
static size_t readsOf(const ast::Expr &expr, const std::string &name) {
  auto *own = as<ast::NameExpr>(&expr);
  size_t count = own && own->name == name;
  for (const ast::Expr *child : ast::childrenOf(expr).exprs) count += readsOf(*child, name);
  return count;
}
static size_t readsOf(const ast::Stmt &stmt, const std::string &name) {
  size_t count = 0;
  const ast::Children children = ast::childrenOf(stmt);
  for (const ast::Expr *child : children.exprs) count += readsOf(*child, name);
  for (const ast::Stmt *child : children.stmts) count += readsOf(*child, name);
  return count;
}

/// `dropout(x, 0.1)` in a function with a stream from which nothing draws.
static void warnOfUnreadStream(Context &cx, Span span) {
  const Frame *frame = cx.function.frame.get();
  const ast::FuncDef *def = frame && frame->function ? frame->function->def : nullptr;
  auto promises = [&](const ast::Decorator &decorator) { return cx.sources.text(decorator.expression->span) == "deterministic"; };  // which says so itself
  if (!def || frame->module != cx.main || std::any_of(def->decorators.begin(), def->decorators.end(), promises) || cx.reportedSpans.count({static_cast<int>(Id::unreadStream), span.file, span.begin})) return;
  for (const auto &[name, binding] : frame->names) {
    if (binding.value.kind != ValueKind::Rng || name[0] == '_') continue;
    size_t places = 0;  // of which one is its target
    for (const ast::StmtPtr &stmt : def->body) places += readsOf(*stmt, name);
    if (places != 1 || std::any_of(def->parameters.begin(), def->parameters.end(), [&](const ast::Parameter &p) { return p.name.text == name; })) continue;
    const std::string_view call = cx.sources.text(span);
    size_t at = call.find_last_not_of(" \n", call.size() - 2);
    const bool comma = at != std::string_view::npos && call[at] == ',';
    if (comma) --at;
    const uint32_t end = span.begin + static_cast<uint32_t>(at) + 1;
    warn(cx, Id::unreadStream, span, name)
        .note(binding.span, "`" + name + "` gets its value here")
        .help("a `dropout` draws from the stream that it is given: `dropout(x, 0.1, " + name + ")`")
        .suggest({span.file, end, end}, ", " + name, "draw from `" + name + "`");
    return;
  }
}

/// `dropout(x, p, rng)`: without a stream the numbers come from the function's own.
static Value dropout(Context &cx, Bound &args, Span span) {
  Value x = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  if (x.isPoison()) return x;
  if (!x.isArray() || !isFloat(x.type.dtype)) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("dropout"), "a tensor of floats", describe(cx, x));
    return Value::poison();
  }
  ExprPtr probability = share(cx, args.values[1], args.spans[1], "dropout", false);
  if (!probability) return Value::poison();
  const Value &rng = args.values[2];
  if (rng.given() && rng.kind != ValueKind::Rng) {
    if (!rng.isPoison())
      report(cx, Id::wrongArgument, args.spans[2], quoted("dropout"), "a stream, `rng: Rng`", describe(cx, rng));
    return Value::poison();
  }
  if (rng.given() && !useUp(cx, rng, "`dropout`", span)) return Value::poison();
  noteEffect(cx, {EffectKind::Random, "", !rng.given(), false, {{span, "`dropout` draws here"}}});
  if (!rng.given()) warnOfUnreadStream(cx, span);
  if (!rng.given() || inKernel(cx)) {
    notCompiledYet(cx,
                   rng.given() ? "random numbers that a kernel draws"
                               : "random numbers of a function's own (`dropout` without `rng`)",
                   span);
    return x;
  }
  Value dropped = Value::of(ValueKind::Array);
  dropped.type = sema::tensorType(DType::Bool, x.type.shape);
  dropped.limits.resize(x.type.shape.size());
  dropped.expr = std::shared_ptr<Expr>(Draw(*rng.expr, x.type.shape, span).happens(std::move(probability)).release());
  const Type type = x.type;
  const Value &p = args.values[1];
  bool known = p.kind == ValueKind::Float || p.kind == ValueKind::Int;
  Value left = known ? Value::real(1 - (p.kind == ValueKind::Float ? p.number : static_cast<double>(p.sym.constant())))
                     : elementwise(cx, ElementwiseOp::Sub, {Value::real(1), p}, span, "dropout");
  Value kept = elementwise(cx, ElementwiseOp::Div, {std::move(x), std::move(left)}, span, "dropout");
  if (kept.isPoison()) return kept;
  kept = elementwise(cx, ElementwiseOp::Select, {std::move(dropped), Value::real(0), std::move(kept)}, span, "dropout");
  return kept.isPoison() || kept.type.dtype == type.dtype
             ? kept
             : castTo(cx, std::move(kept), type.dtype, type.numerics, span);
}

Value callEffectBuiltin(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  switch (row.kind) {
  case BuiltinKind::Stream: return newStream(cx, args, span);
  case BuiltinKind::SplitStream: return row.name == "fold_in" ? foldedStream(cx, args, span) : splitStream(cx, args, span);
  case BuiltinKind::Draw: return drawFrom(cx, row, args, span);
  case BuiltinKind::Dropout: return dropout(cx, args, span);
  case BuiltinKind::Collective: return collective(cx, row, args, span);
  case BuiltinKind::MeshQuery: return meshQuery(cx, row, args, span);
  case BuiltinKind::Prefetch: return prefetch(cx, args, span);
  case BuiltinKind::State: return newState(cx, args, span);
  case BuiltinKind::MoveOn: return advanceState(cx, row, args, span);
  default: return Value::of(ValueKind::Absent);
  }
}

}  // namespace tessera::sema
