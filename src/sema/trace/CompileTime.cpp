// What the compiler computes itself: integers, numbers, schedules.
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include "support/Lanes.h"
#include <cmath>

namespace tessera::sema {

using ast::BinaryOp;

namespace {
/// What the operator gives for whole numbers, if that has 64 bits.
std::optional<int64_t> exactly(BinaryOp op, int64_t x, int64_t y) {
  int64_t out = 0;
  switch (op) {
  case BinaryOp::Add: return __builtin_add_overflow(x, y, &out) ? std::nullopt : std::optional(out);
  case BinaryOp::Sub: return __builtin_sub_overflow(x, y, &out) ? std::nullopt : std::optional(out);
  case BinaryOp::Mul: return __builtin_mul_overflow(x, y, &out) ? std::nullopt : std::optional(out);
  case BinaryOp::FloorDiv: return y == -1 ? exactly(BinaryOp::Sub, 0, x) : Dim::floorDiv(Dim(x), Dim(y)).constant();
  case BinaryOp::Mod: return Dim::mod(Dim(x), Dim(y)).constant();
  case BinaryOp::LeftShift:
    if (x == 0) return 0;
    if (y >= 63 || (x << y) >> y != x) return std::nullopt;
    return x << y;
  case BinaryOp::RightShift: return x >> std::min<int64_t>(y, 63);
  case BinaryOp::Pow: {
    if (x == 0 || x == 1) return y == 0 ? 1 : x;
    if (x == -1) return y % 2 == 0 ? 1 : -1;
    if (y > 64) return std::nullopt;
    std::optional<int64_t> product = 1;
    for (int64_t i = 0; i < y && product; ++i) product = exactly(BinaryOp::Mul, *product, x);
    return product;
  }
  case BinaryOp::BitAnd: return x & y;
  case BinaryOp::BitOr: return x | y;
  default: return x ^ y;
  }
}
}  // namespace

/// An operator between integers that the compiler knows.
static Value knownIntBinary(Context &cx, BinaryOp op, int64_t x, int64_t y, Span span) {
  bool divides =
      op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod || (op == BinaryOp::Pow && y < 0);
  bool shifts = op == BinaryOp::LeftShift || op == BinaryOp::RightShift;
  double a = static_cast<double>(x), b = static_cast<double>(y);
  if ((divides && (op == BinaryOp::Pow ? x : y) == 0) || (shifts && y < 0)) {
    report(cx, Id::badConstant, span,
           shifts ? "this shifts by " + std::to_string(y) + " places" : "this divides by zero");
    return Value::poison();
  }
  if (op == BinaryOp::Div) return Value::real(a / b);
  if (op == BinaryOp::Pow && y < 0) return Value::real(std::pow(a, b));
  if (auto result = exactly(op, x, y)) return Value::integer(Dim(*result));
  report(cx, Id::integerTooLarge, span).help("a float holds it, rounded: with `1.0 *` in front, for example");
  return Value::poison();
}

Value intBinary(Context &cx, BinaryOp op, const Value &a, const Value &b, Span span) {
  if (a.isKnownInt() && b.isKnownInt() && !a.expr && !b.expr) {
    Value number = knownIntBinary(cx, op, a.sym.constant(), b.sym.constant(), span);
    bool named = (a.sym.hasNames() || b.sym.hasNames()) && op < BinaryOp::Pow;  // emitted text shows `BM * BK`
    if (!named || number.kind != ValueKind::Int) return number;
  }
  switch (op) {
  case BinaryOp::Add: return intElementwise(cx, ElementwiseOp::Add, {a, b}, span, "+");
  case BinaryOp::Sub: return intElementwise(cx, ElementwiseOp::Sub, {a, b}, span, "-");
  case BinaryOp::Mul: return intElementwise(cx, ElementwiseOp::Mul, {a, b}, span, "*");
  case BinaryOp::FloorDiv: return intElementwise(cx, ElementwiseOp::FloorDiv, {a, b}, span, "//");
  case BinaryOp::Mod: return intElementwise(cx, ElementwiseOp::Mod, {a, b}, span, "%");
  case BinaryOp::Div:
    return elementwise(cx, ElementwiseOp::Div, {toArray(cx, a, DType::F32, span), toArray(cx, b, DType::F32, span)},
                       span, "/");
  case BinaryOp::Pow: {
    if (!b.isKnownInt() && inHost(cx) && cx.function.block) {
      std::vector<ExprPtr> args;
      for (const Value *v : {&a, &b}) args.push_back(indexExpr(cx, *v, span));
      return hostCall(cx, "power", std::move(args), span);
    }
    if (!b.isKnownInt() || b.sym.constant() > 62 || b.sym.constant() < 0)
      return unsupported(cx, "an integer power with this exponent", span);
    Value out = Value::integer(Dim(1));
    for (int64_t i = 0; i < b.sym.constant() && !out.isPoison(); ++i)
      out = intElementwise(cx, ElementwiseOp::Mul, {out, a}, span, "**");
    return out;
  }
  case BinaryOp::LeftShift: return intElementwise(cx, ElementwiseOp::Shl, {a, b}, span, "<<");
  case BinaryOp::RightShift: return intElementwise(cx, ElementwiseOp::Shr, {a, b}, span, ">>");
  case BinaryOp::BitAnd: return intElementwise(cx, ElementwiseOp::And, {a, b}, span, "&");
  case BinaryOp::BitOr: return intElementwise(cx, ElementwiseOp::Or, {a, b}, span, "|");
  case BinaryOp::BitXor: return intElementwise(cx, ElementwiseOp::Xor, {a, b}, span, "^");
  case BinaryOp::MatMul: break;
  }
  TSR_UNREACHABLE("an operator between integers");
}

Value floatBinary(Context &cx, BinaryOp op, double a, double b, Span span) {
  switch (op) {
  case BinaryOp::Add: return Value::real(a + b);
  case BinaryOp::Sub: return Value::real(a - b);
  case BinaryOp::Mul: return Value::real(a * b);
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    if (b == 0) {
      report(cx, Id::badConstant, span, "this divides by zero");
      return Value::poison();
    }
    if (op == BinaryOp::Div) return Value::real(a / b);
    return Value::real(op == BinaryOp::FloorDiv ? std::floor(a / b) : a - std::floor(a / b) * b);
  case BinaryOp::Pow: return Value::real(std::pow(a, b));
  default: report(cx, Id::badOperand, span, "this operator", "a number that is not whole"); return Value::poison();
  }
}

std::optional<int64_t> knownInt(Context &cx, const Value &value, Span span, const char *what) {
  if (value.isPoison()) return std::nullopt;
  if (value.isKnownInt()) return value.sym.constant();
  if (value.kind == ValueKind::Int)
    if (Dim known = cx.function.facts.simplify(value.sym); known.isConstant())
      return known.constant();  // `where K == 3`
  if (value.kind == ValueKind::Float) {
    if (fresh(cx, Id::wrongArgument, span))
      report(cx, Id::wrongArgument, span, what, "an integer", describe(cx, value));
    return std::nullopt;
  }
  if (fresh(cx, Id::notConstant, span)) {
    auto builder = report(cx, Id::notConstant, span, what);
    builder.label(value.kind == ValueKind::Int ? "only run time knows this" : "this is " + describe(cx, value));
  }
  return std::nullopt;
}
std::optional<bool> knownBool(Context &cx, const Value &value, Span span, const char *what) {
  if (value.isPoison()) return std::nullopt;
  if (value.kind == ValueKind::String) {  // every text but the empty one would be true, "False" among them
    if (!fresh(cx, Id::wrongArgument, span)) return std::nullopt;
    auto builder = report(cx, Id::wrongArgument, span, what, "`True` or `False`", describe(cx, value));
    bool yes = value.text == "True" || value.text == "true", no = value.text == "False" || value.text == "false";
    if (!value.expr && (yes || no)) builder.suggest(span, yes ? "True" : "False", "without quotes");
    return std::nullopt;
  }
  if (auto known = knownCondition(value)) return known;
  if (fresh(cx, Id::notConstant, span)) report(cx, Id::notConstant, span, what);
  return std::nullopt;
}

// ---------------------------------------------------------------- schedules

namespace {
const char *const sizeFields[] = {"m", "n", "k", "warps", "stages", "vector", "split_k", "group_m", "unroll", "lanes"};
const char *const optionFields[] = {"swizzle", "order", "name"};

bool isSize(const std::string &field) {
  for (const char *f : sizeFields)
    if (field == f) return true;
  return false;
}
bool isOption(const std::string &field) {
  for (const char *f : optionFields)
    if (field == f) return true;
  return false;
}
}  // namespace

bool scheduleField(Context &cx, Schedule &schedule, const std::string &field, const Value &value, Span span) {
  if (value.isPoison()) return false;
  if (field == "block" || field == "cluster") {
    static const char *const blockNames[] = {"m", "n"}, *const clusterNames[] = {"cluster_m", "cluster_n"};
    std::vector<Value> items = value.isSequence() ? value.items : std::vector<Value>{value};
    if (items.empty() || items.size() > 2) {
      auto builder = report(cx, Id::badSchedule, span,
                            "`" + field + "` takes one or two sizes, not " + std::to_string(items.size()));
      bool loop = field == "block" && items.size() == 3 && cx.sources.text(span).substr(0, 5) == "block";
      for (const Value &item : items) loop = loop && item.isKnownInt();
      if (loop) {
        auto size = [&](size_t i) { return std::to_string(items[i].sym.constant()); };
        std::string split = "block=(" + size(0) + ", " + size(1) + "), k=" + size(2);
        builder.help("the step of the loop inside is `k`").suggest(span, split, "write `" + split + "`");
      }
      return false;
    }
    for (size_t i = 0; i < items.size(); ++i)
      if (!scheduleField(cx, schedule, (field == "block" ? blockNames : clusterNames)[i], items[i], span)) return false;
    return true;
  }
  if (isOption(field)) {
    if (value.kind != ValueKind::String || value.expr) {
      auto builder = report(cx, Id::badSchedule, span,
                            "`" + field + "` of a schedule is a word in quotes, but this is " + describe(cx, value));
      bool truth = field == "swizzle" && value.kind == ValueKind::Bool && !value.expr;
      std::string word = value.truth ? "swizzle=\"xor\"" : "swizzle=\"none\"";
      if (truth && cx.sources.text(span).substr(0, 8) == "swizzle=")
        builder.suggest(span, word, "write `" + word + "`");
      return false;
    }
    if (field == "swizzle" && value.text != "xor" && value.text != "none" && !value.text.empty()) {
      report(cx, Id::badSchedule, span, "I know no swizzle \"" + value.text + "\"")
          .help("there are \"xor\" and \"none\"");
      return false;
    }
    schedule.options[field] = value.text;
    schedule.places[field] = span;
    return true;
  }
  if (!isSize(field) && field.rfind("cluster_", 0) != 0) {
    std::vector<std::string_view> names(std::begin(sizeFields), std::end(sizeFields));
    names.insert(names.end(), {"block", "cluster", "swizzle", "order", "name"});
    auto builder = report(cx, Id::badSchedule, span, "a schedule has no `" + field + "`");
    auto near = diag::didYouMean(field, names);
    if (std::string_view ours = fieldHere(field); !ours.empty()) near = ours;
    if (near.empty()) {
      builder.help(field == "prefetch" ? "how far copies run ahead of a loop is `stages`, or of one loop `tile.range(0, K, T.k, prefetch=2)`"
                                       : "it has `block` (`m` and `n`), `k`, `warps`, `stages`, `vector`, `swizzle`, `cluster`, `split_k` and `order`");
      return false;
    }
    builder.help("did you mean `" + std::string(near) + "`?");
    uint32_t begin = span.begin + (cx.sources.text(span).find_first_of("\"'") == 0);  // `field=value`, `"field": value`
    Span word{span.file, begin, begin + static_cast<uint32_t>(field.size())};
    if (cx.sources.text(word) == field) builder.suggest(word, std::string(near), "write `" + std::string(near) + "`");
    return false;
  }
  auto fits = [&](int64_t size) {
    constexpr int64_t kMostWarps = kMostGroupLanes / kWarpLanes;
    if (size <= 0)
      report(cx, Id::badSchedule, span,
             "`" + field + "` of a schedule must be at least 1, but this is " + std::to_string(size));
    else if (field == "warps" && size > kMostWarps)
      report(cx, Id::badSchedule, span,
             "a group has at most " + std::to_string(kMostWarps) + " warps, not " + std::to_string(size));
    else return true;
    return false;
  };
  if (value.kind == ValueKind::List) {  // choices for the tuner
    if (value.items.empty()) {
      report(cx, Id::badSchedule, span, "`" + field + "` has no sizes to choose from");
      return false;
    }
    std::vector<int64_t> choices;
    for (const Value &item : value.items) {
      auto n = knownInt(cx, item, span, "a size of a schedule");
      if (!n || !fits(*n)) return false;
      choices.push_back(*n);
    }
    schedule.space[field] = std::move(choices);
    schedule.sizes.erase(field);
    schedule.places[field] = span;
    return true;
  }
  auto size = knownInt(cx, value, span, "a size of a schedule");
  if (!size || !fits(*size)) return false;
  schedule.sizes[field] = *size;
  schedule.space.erase(field);
  schedule.places[field] = span;
  return true;
}

Value scheduleCall(Context &cx, const GivenList &args, Span span) {
  auto schedule = std::make_shared<Schedule>();
  bool ok = true;
  for (const Given &arg : args) {
    if (arg.keyword.empty()) {
      if (ok && !arg.value.isPoison())
        report(cx, Id::badSchedule, arg.span, "the fields of a schedule are given by name")
            .help("for example `Schedule(block=(128, 128), warps=8)`");
      ok = false;
      continue;
    }
    ok &= scheduleField(cx, *schedule, arg.keyword, arg.value,
                        arg.keywordSpan.valid() ? arg.keywordSpan.to(arg.span) : arg.span);
  }
  if (!ok) return Value::poison();
  Value v = Value::of(ValueKind::Schedule);
  v.schedule = std::move(schedule);
  return v;
}

Value scheduleMethod(Context &cx, const Value &schedule, const std::string &name, const GivenList &args, Span span) {
  auto copy = std::make_shared<Schedule>(*schedule.schedule);
  std::string field = name.rfind("with_", 0) == 0 ? name.substr(5) : name;
  bool ok = true;
  std::vector<Value> positional;
  for (const Given &arg : args)
    if (arg.keyword.empty()) positional.push_back(arg.value);
    else
      ok &= scheduleField(cx, *copy, field == "cluster" ? "cluster_" + arg.keyword : arg.keyword, arg.value, arg.span);
  if (!positional.empty())
    ok &= scheduleField(cx, *copy, field, positional.size() == 1 ? positional[0] : Value::tuple(positional), span);
  if (!ok) return Value::poison();
  Value v = Value::of(ValueKind::Schedule);
  v.schedule = std::move(copy);
  return v;
}

}  // namespace tessera::sema
