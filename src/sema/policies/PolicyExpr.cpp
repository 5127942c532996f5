// Policies as they are written: `bf16 @accum(f32)`, `policy Name = Policy(storage=bf16, ...)`, `bf16 @Name`.
#include "checked/Policy.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include <cmath>

namespace tessera::sema {

using ast::as;

namespace {
struct Choice {
  std::string_view word;
  int value;
};
const Choice roundings[] = {{"nearest_even", static_cast<int>(Rounding::NearestEven)},
                            {"toward_zero", static_cast<int>(Rounding::TowardZero)},
                            {"up", static_cast<int>(Rounding::Up)},
                            {"down", static_cast<int>(Rounding::Down)},
                            {"stochastic", static_cast<int>(Rounding::Stochastic)}};
const Choice places[] = {{"each_op", 1}, {"store", 0}};
const Choice subnormals[] = {{"flush", static_cast<int>(Denormals::Flush)},
                             {"keep", static_cast<int>(Denormals::Keep)}};

struct WordField {
  std::string_view name;
  PolicyField field;
  const Choice *choices;
  size_t count;
};
// `@round(stochastic)` is written `@stochastic_round`: the last choice is that of bundles only.
const WordField wordFields[] = {{"round", PolicyField::Round, roundings, 4},
                                {"rounding", PolicyField::Round, roundings, 5},
                                {"round_at", PolicyField::RoundAt, places, 2},
                                {"denormals", PolicyField::Denormals, subnormals, 2}};

void setField(Numerics &n, PolicyField field, int value) {
  switch (field) {
  case PolicyField::Round: n.rounding = static_cast<Rounding>(value); break;
  case PolicyField::RoundAt: n.roundEachOp = value != 0; break;
  case PolicyField::Saturate: n.saturate = value != 0; break;
  case PolicyField::Denormals: n.denormals = static_cast<Denormals>(value); break;
  case PolicyField::LossScale: n.lossScale = value; break;
  case PolicyField::PerChannel: n.perChannel = value; break;
  case PolicyField::FastSums: n.fastSums = value != 0; break;
  case PolicyField::Accumulate:
  case PolicyField::Compute: TSR_UNREACHABLE("a dtype is no number");
  }
  state(n, field);
}
const WordField *wordField(std::string_view name, bool bundle) {
  for (const WordField &f : wordFields)
    if (f.name == name && (bundle || f.count != 5)) return &f;
  return nullptr;
}
}  // namespace

std::vector<std::string_view> bundleNames(const ModuleScope &module) {
  std::vector<std::string_view> all;
  for (const auto &[name, value] : module.names)
    if (value.kind == ValueKind::Policy) all.push_back(name);
  return all;
}

bool isDTypeExpr(Context &cx, const ast::Expr &expr) {
  auto isDType = [](const Value &v) {
    return v.kind == ValueKind::DType || (v.kind == ValueKind::Policy && v.truth) ||
           (v.kind == ValueKind::Builtin && (v.builtin->name == "bool" || v.builtin->name == "float"));
  };
  if (auto *name = as<ast::NameExpr>(&expr)) {
    for (Frame *f = cx.function.frame.get(); f; f = f->parent.get())
      if (f->dims.count(name->name)) return false;
    return isDType(lookupName(cx, name->name, expr.span, true));
  }
  if (auto *attribute = as<ast::AttributeExpr>(&expr)) {
    auto *root = as<ast::NameExpr>(attribute->object);
    if (!root) return false;
    Value v = lookupName(cx, root->name, expr.span, true);
    if (v.kind != ValueKind::Module) return false;
    if (v.text == "tessera" && dtypeByName(attribute->attribute.text)) return true;
    return v.module && isDType(moduleMember(*v.module, attribute->attribute.text));
  }
  if (auto *binary = as<ast::BinaryExpr>(&expr))
    return binary->op == ast::BinaryOp::MatMul && isDTypeExpr(cx, *binary->left);
  if (auto *call = as<ast::CallExpr>(&expr)) {
    auto *name = as<ast::NameExpr>(call->callee);
    return name && (name->name == "fp8" || name->name == "fp6" || name->name == "fp4");
  }
  return false;
}

/// `@accum(T)` and `@compute(T)`; `argument` is null where none was given.
static bool policyDType(Context &cx, const std::string &policy, const ast::Expr *argument, Span span, Numerics &n) {
  if (!argument) {
    report(cx, Id::argumentNotGiven, span, "@" + policy, "dtype");
    return false;
  }
  auto dtype = dtypeArgument(cx, checkExpr(cx, *argument), argument->span);
  if (!dtype) return false;
  bool computes = policy == "compute";
  (computes ? n.compute : n.accumulate) = dtype;
  state(n, computes ? PolicyField::Compute : PolicyField::Accumulate);
  return true;
}

/// `@loss_scale(1024)` and `@per_channel(0)`.
static bool policyNumber(Context &cx, const std::string &policy, const Value &value, Span span, Numerics &n) {
  if (value.isPoison()) return false;
  bool scale = policy == "loss_scale";
  bool known = value.isKnownInt() || (scale && value.kind == ValueKind::Float);
  double number = !known                           ? 0
                  : value.kind == ValueKind::Float ? value.number
                                                   : static_cast<double>(value.sym.constant());
  int exponent = 0;
  bool power = scale && number > 0 && std::frexp(number, &exponent) == 0.5;
  if (known && (scale ? power && exponent >= -125 && exponent <= 127 : number >= 0 && number < 16)) {
    setField(n, scale ? PolicyField::LossScale : PolicyField::PerChannel,
             scale ? exponent - 1 : static_cast<int>(number));
    return true;
  }
  if (!fresh(cx, Id::policyArgument, span)) return false;
  std::string shown(cx.sources.text(span));
  if (!known) {
    report(cx, Id::policyArgument, span, "@" + policy, "a number that the compiler knows", describe(cx, value));
  } else if (!scale) {
    report(cx, Id::policyArgument, span, "@per_channel", "an axis, counted from 0", "`" + shown + "`");
  } else {
    auto builder = report(cx, Id::policyArgument, span, "@loss_scale", "a power of two", "`" + shown + "`");
    builder.help("scaling by a power of two changes no digit of a value");
    if (number > 1 && number < 1e9) {
      auto nearest = static_cast<int64_t>(std::ldexp(1.0, static_cast<int>(std::lround(std::log2(number)))));
      builder.suggest(span, std::to_string(nearest), "write `" + std::to_string(nearest) + "`");
    }
  }
  return false;
}

/// One of the words that a policy takes.
static bool policyWord(Context &cx, const std::string &policy, const std::string &given, Span span, bool bundle,
                       Numerics &n) {
  const WordField &field = *wordField(policy, bundle);
  std::string all;
  for (size_t i = 0; i < field.count; ++i) {
    if (field.choices[i].word == given) {
      setField(n, field.field, field.choices[i].value);
      return true;
    }
    all += (i ? ", " : "") + std::string(field.choices[i].word);
  }
  std::string shown = bundle ? policy + "=\"" + given + "\"" : "@" + policy + "(" + given + ")";
  report(cx, Id::unknownPolicy, span, shown).help("it takes one of: " + all);
  return false;
}

/// `bf16 @Training`, `bf16 @NumericalPolicy(accumulation=f32)`: the fields of a bundle behind a dtype.
static bool bundleOf(Context &cx, const Value &bundle, const Type &type, Span span, Numerics &n) {
  if (bundle.kind != ValueKind::Policy) return false;
  if (bundle.truth && bundle.type.dtype != type.dtype) {
    std::string stored(name(bundle.type.dtype));
    report(cx, Id::policyConflict, span, std::string(name(type.dtype)), std::string(cx.sources.text(span)))
        .label("this policy stores " + stored)
        .help("write the policy alone, in the place of the dtype, or `" + stored + "`");
    return false;
  }
  n = bundle.type.numerics;
  return true;
}

/// What one `@policy` states.
static std::optional<Numerics> statedPolicy(Context &cx, const ast::Expr &expr, const Type &type) {
  const ast::CallExpr *call = as<ast::CallExpr>(&expr);
  const ast::Expr &callee = call ? *call->callee : expr;
  std::string policy(cx.sources.text(callee.span));
  if (size_t dot = policy.rfind('.'); dot != std::string::npos) policy = policy.substr(dot + 1);
  const ast::Expr *argument = call && call->arguments.size() == 1 ? call->arguments[0].value.get() : nullptr;
  Numerics n;
  auto ifOk = [&](bool ok) { return ok ? std::optional(n) : std::nullopt; };
  if (policy == "accum" || policy == "accumulate" || policy == "compute")
    return ifOk(policyDType(cx, policy, argument, expr.span, n));
  if (policy == "loss_scale" || policy == "per_channel") {
    if (argument) return ifOk(policyNumber(cx, policy, checkExpr(cx, *argument), argument->span, n));
    report(cx, Id::argumentNotGiven, expr.span, "@" + policy, policy == "loss_scale" ? "scale" : "axis");
    return std::nullopt;
  }
  if (wordField(policy, false)) {
    auto *text = argument ? as<ast::StringExpr>(argument) : nullptr;
    std::string word = text ? text->value : argument ? std::string(cx.sources.text(argument->span)) : "";
    return ifOk(policyWord(cx, policy, word, expr.span, false, n));
  }
  if (policy == "saturate" || policy == "fast_sums" || policy == "stochastic_round") {
    if (call && !call->arguments.empty()) {
      auto builder = report(cx, Id::tooManyArguments, call->arguments[0].span, "@" + policy, "no arguments",
                            std::to_string(call->arguments.size()));
      if (cx.sources.text(call->arguments[0].span) != "False")
        builder.suggest({expr.span.file, callee.span.end, expr.span.end}, "", "leave them out");
      return std::nullopt;
    }
    if (policy == "saturate") setField(n, PolicyField::Saturate, 1);
    else if (policy == "fast_sums") setField(n, PolicyField::FastSums, 1);
    else setField(n, PolicyField::Round, static_cast<int>(Rounding::Stochastic));
    return n;
  }
  if (policy == "rolling_window") {
    Type dtype = type;
    dtype.kind = TypeKind::Scalar;
    rollingWindow(cx, dtype, expr.span);
    return std::nullopt;
  }
  for (const char *known : {"device", "fp32_master", "paged", "checkpointable"})
    if (policy == known) {
      unsupported(cx, "the policy `@" + policy + "`", expr.span);
      return std::nullopt;
    }
  if (call && (policy == "NumericalPolicy" || policy == "Policy"))
    return ifOk(bundleOf(cx, checkExpr(cx, expr), type, expr.span, n));
  Value named = Value::poison();
  if (callee.kind == ast::ExprKind::Attribute) named = checkExpr(cx, callee);
  else if (!call) named = lookupName(cx, policy, expr.span, true);
  if (named.kind == ValueKind::Policy) return ifOk(bundleOf(cx, named, type, expr.span, n));
  if (callee.kind == ast::ExprKind::Attribute && named.isPoison()) return std::nullopt;
  const ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
  if (!call && module && module->names.count(policy)) {  // its declaration has a message, or it is something else
    if (!named.isPoison())
      report(cx, Id::wrongArgument, expr.span, "a policy behind `@`", "`Policy(...)`", describe(cx, named));
    return std::nullopt;
  }
  if (!call && !firstUnknown(cx, "@" + policy)) return std::nullopt;
  static const std::vector<std::string_view> names = {"accum",      "compute",  "saturate",  "stochastic_round",
                                                      "round",      "round_at", "denormals", "loss_scale",
                                                      "per_channel", "fast_sums"};
  auto near = diag::didYouMean(policy, names);
  if (std::vector<std::string_view> bundles; near.empty() && !call && module) {
    bundles = bundleNames(*module);
    near = diag::didYouMean(policy, bundles);
  }
  if (near.empty() && policy == "rolling") near = "rolling_window";
  for (std::string_view one : names)  // `@acc`, `@accumulate`
    if (near.empty() && policy.size() > 2 && (one.substr(0, policy.size()) == policy || policy.rfind(one, 0) == 0))
      near = one;
  auto builder = report(cx, Id::unknownPolicy, expr.span, "@" + policy);
  if (!near.empty())
    builder.help("did you mean `@" + std::string(near) + "`?")
        .suggest(callee.span, std::string(near), "write `@" + std::string(near) + "`");
  else {
    std::string all;
    for (std::string_view one : names) all += (all.empty() ? "`@" : ", `@") + std::string(one) + "`";
    builder.help("there are " + all + ", and bundles that `policy " + policy + " = Policy(...)` declares");
  }
  return std::nullopt;
}

bool policyOf(Context &cx, const ast::Expr &expr, Type &type) {
  auto stated = statedPolicy(cx, expr, type);
  if (!stated) return false;
  if (auto field = disagreement(type.numerics, *stated)) {
    report(cx, Id::policyConflict, expr.span, fieldText(type.numerics, *field), fieldText(*stated, *field))
        .label("one value has one of them")
        .help("remove one");
    return false;
  }
  type.numerics = combined(type.numerics, *stated);
  return true;
}

bool soundPolicies(Context &cx, const Type &type, Span span) {
  auto refused = refusal(type.dtype, type.numerics);
  if (!refused && type.kind == TypeKind::Tensor && type.numerics.perChannel >= 0 && !type.shape.empty() &&
      type.numerics.perChannel >= static_cast<int>(type.shape.size())) {
    refused = PolicyRefusal{false, fieldText(type.numerics, PolicyField::PerChannel), "this tensor",
                            "its axes are 0 to " + std::to_string(type.shape.size() - 1)};
  }
  if (!refused) return true;
  Id id = refused->contradiction ? Id::policyConflict : Id::policyMeaningless;
  if (fresh(cx, id, span)) report(cx, id, span, refused->first, refused->second).label(refused->reason);
  return false;
}

bool dtypeParts(Context &cx, const ast::Expr &expr, Type &type) {
  if (auto *binary = as<ast::BinaryExpr>(&expr); binary && binary->op == ast::BinaryOp::MatMul)
    return dtypeParts(cx, *binary->left, type) && policyOf(cx, *binary->right, type);
  if (auto *call = as<ast::CallExpr>(&expr)) {  // fp8(e4m3)
    auto *name = as<ast::NameExpr>(call->callee);
    if (name && call->arguments.size() == 1)
      if (auto dtype = dtypeByName(name->name + "_" + std::string(cx.sources.text(call->arguments[0].value->span)))) {
        type.dtype = *dtype;
        return true;
      }
  }
  Value v = checkExpr(cx, expr);
  if (v.isPoison()) return false;
  Numerics numerics;
  auto dtype = dtypeArgument(cx, v, expr.span, &numerics);
  if (!dtype) return false;
  type.dtype = *dtype;
  type.numerics = numerics;
  return true;
}

bool dtypeItem(Context &cx, const ast::Expr &expr, Type &type) {
  return dtypeParts(cx, expr, type) && soundPolicies(cx, type, expr.span);
}

// ---------------------------------------------------------------- bundles

/// One field of `Policy(...)`.
static bool bundleField(Context &cx, const Given &arg, Value &bundle) {
  const std::string &field = arg.keyword;
  Numerics one;
  if (arg.value.isPoison()) return false;
  bool dtype = field == "storage" || field == "compute" || field == "accumulate" || field == "accumulation";
  if (dtype && arg.value.kind == ValueKind::String && !arg.value.expr && dtypeByName(arg.value.text)) {
    report(cx, Id::policyArgument, arg.span, field, "a dtype", describe(cx, arg.value))
        .suggest(arg.span, arg.value.text, "without quotes");
    return false;
  }
  if (field == "storage") {
    auto dtype = dtypeArgument(cx, arg.value, arg.span, &one);
    if (!dtype) return false;
    bundle.type.dtype = *dtype;
    bundle.truth = true;
  } else if (field == "compute" || field == "accumulate" || field == "accumulation") {
    auto dtype = dtypeArgument(cx, arg.value, arg.span);
    if (!dtype) return false;
    (field == "compute" ? one.compute : one.accumulate) = dtype;
    state(one, field == "compute" ? PolicyField::Compute : PolicyField::Accumulate);
  } else if (field == "saturate" || field == "fast_sums") {
    auto truth = knownBool(cx, arg.value, arg.span, field == "saturate" ? "`saturate`" : "`fast_sums`");
    if (!truth) return false;
    setField(one, field == "saturate" ? PolicyField::Saturate : PolicyField::FastSums, *truth);
  } else if (field == "loss_scale") {
    if (!policyNumber(cx, field, arg.value, arg.span, one)) return false;
  } else if (wordField(field, true) && field != "round") {
    if (arg.value.kind != ValueKind::String || arg.value.expr) {
      report(cx, Id::policyArgument, arg.span, field, "a word in quotes", describe(cx, arg.value));
      return false;
    }
    if (!policyWord(cx, field, arg.value.text, arg.span, true, one)) return false;
  } else {
    static const std::vector<std::string_view> fields = {"storage",  "compute",  "accumulate", "rounding",
                                                         "round_at", "saturate", "denormals",  "loss_scale", "fast_sums"};
    std::string_view near = field == "round"   ? "rounding"
                            : field == "accum" ? "accumulate"
                                               : diag::didYouMean(field, fields);
    auto builder = report(cx, Id::unknownPolicy, arg.keywordSpan.valid() ? arg.keywordSpan : arg.span, field);
    if (!near.empty() && arg.keywordSpan.valid())
      builder.help("did you mean `" + std::string(near) + "`?")
          .suggest(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
    else
      builder.help("a policy has storage, compute, accumulate, fast_sums, rounding, round_at, saturate, denormals and loss_scale");
    return false;
  }
  if (auto twice = disagreement(bundle.type.numerics, one)) {
    report(cx, Id::policyConflict, arg.span, fieldText(bundle.type.numerics, *twice), fieldText(one, *twice))
        .label("one value has one of them")
        .help("remove one");
    return false;
  }
  bundle.type.numerics = combined(bundle.type.numerics, one);
  return true;
}

Value policyCall(Context &cx, const GivenList &args, Span span) {
  Value v = Value::of(ValueKind::Policy);
  if (!args.empty() && args[0].keyword.empty()) {
    size_t unnamed = 0, dtypes = 0;
    for (const Given &arg : args) {
      if (arg.value.isPoison()) return Value::poison();
      unnamed += arg.keyword.empty(), dtypes += arg.keyword.empty() && arg.value.kind == ValueKind::DType;
    }
    auto builder = report(cx, Id::wrongArgument, args[0].span, quoted("Policy"), "its fields by name",
                          describe(cx, args[0].value));
    if (unnamed == dtypes && dtypes <= 2) {
      std::string named = "storage=" + std::string(cx.sources.text(args[0].span));
      if (dtypes == 2) named += ", accumulate=" + std::string(cx.sources.text(args[1].span));
      builder.suggest(args[0].span.to(args[dtypes - 1].span), named, "write `" + named + "`");
    } else builder.help("for example `Policy(storage=bf16, accumulate=f32)`");
    return Value::poison();
  }
  for (const Given &arg : args)
    if (!bundleField(cx, arg, v)) return Value::poison();
  if (v.truth && !soundPolicies(cx, v.type, span)) return Value::poison();
  return v;
}

}  // namespace tessera::sema
