// How values stand in memory: multiplied by a power of two (`@loss_scale`), or as integers with one scale for
// each channel (`@per_channel`). What is read is brought back to the value at once; what is written is
// scaled.
#include "checked/ExprBuild.h"
#include "checked/Lets.h"
#include "checked/Policy.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tessera::sema {

using ast::as;

ExprPtr timesPower(ExprPtr value, int exponent) {
  Type type = value->type;
  Span span = value->span;
  ExprPtr factor = makeConstant(type.dtype, std::ldexp(1.0, exponent), span);
  std::vector<ExprPtr> args;
  if (type.kind == TypeKind::Tensor) factor = broadcastTo(std::move(factor), type.shape);
  args.push_back(std::move(value));
  args.push_back(std::move(factor));
  return makeElementwise(ElementwiseOp::Mul, type, span, std::move(args));
}

Value unscaled(Value value, Span) {
  if (value.kind != ValueKind::Array || value.type.numerics.lossScale == 0 || !value.expr) return value;
  if (value.expr->type.dtype != value.type.dtype) return value;
  DType wide = carryTypeOf(value.type);
  wide = info(wide).accumulate;
  value.expr =
      std::shared_ptr<Expr>(timesPower(makeCast(takeExpr(value), wide, {}), -value.type.numerics.lossScale).release());
  return value;
}

Value scalesUnknown(Context &cx, Span span) {
  if (fresh(cx, Id::scalesUnknown, span))
    report(cx, Id::scalesUnknown, span)
        .label("whose scales would these be?")
        .help("compute the integers and the scales, and return both");
  return Value::poison();
}

/// Integers times the scales of their channels. `axis` of the array is that of the channels, -1: the array
/// lies within one channel and `scale` is a scalar.
static Value dequantized(Value raw, ExprPtr scale, int axis, Span span) {
  Numerics stored = raw.type.numerics;
  DType meant = stored.compute ? *stored.compute : DType::F32;
  Value out = raw;
  out.type.dtype = meant;
  out.type.numerics = {};
  if (stored.accumulate) {
    out.type.numerics.accumulate = stored.accumulate;
    state(out.type.numerics, PolicyField::Accumulate);
  }
  for (auto &limit : out.limits)
    if (limit) limit->zeroOutside = false;
  DType in = info(carryTypeOf(out.type)).accumulate;
  ExprPtr ints = makeCast(takeExpr(raw), in, {});
  if (scale->type.dtype != in) scale = makeCast(std::move(scale), in, {});
  Type type = ints->type;
  type.numerics = {};
  if (type.kind == TypeKind::Tensor) {
    Type wide = type;
    ExprPtr spread = makeExpr(axis < 0 ? ExprKind::Full : ExprKind::Broadcast, wide, span);
    if (axis >= 0) spread->as<node::Broadcast>().axes = {axis};
    spread->args.push_back(std::move(scale));
    scale = std::move(spread);
  }
  std::vector<ExprPtr> args;
  args.push_back(std::move(ints));
  args.push_back(std::move(scale));
  out.expr = std::shared_ptr<Expr>(makeElementwise(ElementwiseOp::Mul, type, span, std::move(args)).release());
  return out;
}

Value loadedValue(Context &cx, Value raw, Span span) {
  const Access &access = raw.expr->as<node::Load>().access;
  auto scales = cx.scales.find(access.base);
  if (scales == cx.scales.end()) return unscaled(std::move(raw), span);
  size_t channel = static_cast<size_t>(access.base->type.numerics.perChannel);
  int axis = -1;
  for (size_t i = 0; i <= channel; ++i) axis += !access.parts[i].isPoint;
  if (access.parts[channel].isPoint) axis = -1;
  Type type = scalarType(DType::F32);
  if (axis >= 0) type = sema::tensorType(DType::F32, {raw.type.shape[static_cast<size_t>(axis)]});
  ExprPtr scale = makeExpr(ExprKind::Load, type, span);
  Access &ofScale = scale->as<node::Load>().access;
  ofScale.base = scales->second;
  ofScale.parts.push_back(clone(access.parts[channel]));
  cx.function.loaded.insert(scales->second);
  return dequantized(std::move(raw), std::move(scale), axis, span);
}

Value storedParameter(Context &cx, Var *var, Value value, Span span) {
  const Numerics stored = var->type.numerics;
  if (stored.perChannel < 0) {
    bool scaled = stored.lossScale != 0 && value.kind == ValueKind::Array;
    return scaled ? bindTemp(cx, unscaled(value, span), var->name + "_value", span) : value;
  }
  auto channels = static_cast<size_t>(stored.perChannel);
  if (channels >= var->type.shape.size()) {  // said of the declaration, if it has dimensions
    if (var->type.shape.empty() && fresh(cx, Id::policyMeaningless, span))
      report(cx, Id::policyMeaningless, span, fieldText(stored, PolicyField::PerChannel), "a single number")
          .label("it has no axes");
    return Value::poison();
  }
  Type type = sema::tensorType(DType::F32, {var->type.shape[channels]});
  if (var->type.kind == TypeKind::View) type.kind = TypeKind::View;
  std::string name = var->name + "_scale";
  for (const ast::Parameter &p : cx.function.frame->function->def->parameters)
    if (p.name.text == name) {
      report(cx, Id::definedTwice, p.name.span, name)
          .note(span, "`" + var->name + "` brings its scales under this name");
      return Value::poison();
    }
  Param scale;
  scale.var = newVar(cx, name, type, span);
  scale.scalesOf = static_cast<int>(cx.function.fn->params.size()) - 1;
  cx.function.fn->params.push_back(std::move(scale));
  Var *made = cx.function.fn->params.back().var;
  cx.scales[var] = made;
  if (value.kind == ValueKind::View) return value;
  Var *bound = nullptr;
  Value meant = bindTemp(cx, dequantized(value, makeRef(made, span), stored.perChannel, span), var->name + "_value",
                         span, &bound);
  cx.quantized[bound] = var;
  return meant;
}

const Var *quantizedSource(const Context &cx, const Value &value, const Type &wanted) {
  if (!value.expr || value.expr->kind != ExprKind::VarRef) return nullptr;
  auto it = cx.quantized.find(value.expr->as<node::VarRef>().var);
  if (it == cx.quantized.end()) return nullptr;
  const Type &have = it->second->type;
  bool same = have.dtype == wanted.dtype && have.numerics.perChannel == wanted.numerics.perChannel;
  return same ? it->second : nullptr;
}

// ---------------------------------------------------------------- where a value comes from

const Var *sourceParameter(const Context &cx, const Expr &root, DType dtype, int looked) {
  constexpr int kMost = 1000;
  std::vector<const Expr *> open{&root};
  std::set<const Var *> seen;
  for (; !open.empty() && looked < kMost; ++looked) {
    const Expr &expr = *open.back();
    open.pop_back();
    auto *load = expr.get<node::Load>();
    const Var *var = load ? load->access.base : varOf(expr);
    if (!var) {
      for (size_t i = expr.args.size(); i-- > 0;) open.push_back(expr.args[i].get());
      continue;
    }
    if (!seen.insert(var).second) continue;
    bool isParameter = std::any_of(cx.function.fn->params.begin(), cx.function.fn->params.end(),
                                   [&](const Param &p) { return p.var == var; });
    if (isParameter && var->type.dtype == dtype) return var;
    const Expr *let = !isParameter && expr.kind == ExprKind::VarRef ? letOf(cx.function.fn->body, var) : nullptr;
    if (let) open.push_back(let);
  }
  return nullptr;
}

Span declaredDType(Context &cx, const Var &var) {
  if (cx.function.calls.empty() || !cx.function.calls.front().callable->def) return {};
  auto frame = cx.function.frame;
  cx.function.frame = std::make_shared<Frame>();  // the names of types are those of the entry point's module
  cx.function.frame->module = cx.function.calls.front().callable->module;
  Span found;
  for (const ast::Parameter &p : cx.function.calls.front().callable->def->parameters) {
    if (p.name.text != var.name || !(p.name.span == var.span) || !p.annotation) continue;
    const ast::Expr *type = p.annotation.get();
    for (const ast::Expr *alternative : alternativesOf(*type))
      if (alternative->kind != ast::ExprKind::None) type = alternative;
    auto *policy = as<ast::BinaryExpr>(type);
    if (policy && policy->op == ast::BinaryOp::MatMul && policy->left->kind == ast::ExprKind::Subscript)
      type = policy->left.get();
    auto *index = as<ast::SubscriptExpr>(type);
    if (!index) found = type->span;
    else
      for (const ast::Argument &item : index->items)
        if (item.keyword ? item.keyword->text == "dtype" : isDTypeExpr(cx, *item.value)) found = item.value->span;
  }
  cx.function.frame = frame;
  return found;
}

}  // namespace tessera::sema
