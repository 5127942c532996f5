// How values stand in memory: multiplied by a power of two (`@loss_scale`), or as integers with one scale for
// each channel (`@per_channel`). What is read is brought back to the value at once; what is written is
// scaled.
#include "sema/Checker.h"
#include "checked/Lets.h"
#include "checked/Policy.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tessera::sema {

using ast::as;

/// 2^exponent times a value, exactly unless that leaves its range.
ExprPtr Checker::timesPower(ExprPtr value, int exponent) {
  Type type = value->type;
  Span span = value->span;
  ExprPtr factor = makeConstant(type.dtype, std::ldexp(1.0, exponent), span);
  std::vector<ExprPtr> args;
  if (type.kind == TypeKind::Tensor) factor = broadcastTo(std::move(factor), type.shape);
  args.push_back(std::move(value));
  args.push_back(std::move(factor));
  return makeElementwise(ElementwiseOp::Mul, type, span, std::move(args));
}

/// What was read from memory, as the value it means.
Value Checker::unscaled(Value value, Span) {
  if (value.kind != ValueKind::Array || value.type.numerics.lossScale == 0 || !value.expr) return value;
  if (value.expr->type.dtype != value.type.dtype) return value;
  DType wide = carriedIn(value.type);
  wide = info(wide).accumulate;
  value.expr = std::shared_ptr<Expr>(
      timesPower(makeCast(take(value), wide, {}), -value.type.numerics.lossScale).release());
  return value;
}

Value Checker::scalesUnknown(Span span) {
  if (fresh(Id::scalesUnknown, span))
    report(Id::scalesUnknown, span)
        .label("whose scales would these be?")
        .help("compute the integers and the scales, and return both");
  return Value::poison();
}

/// Integers times the scales of their channels. `axis` of the array is that of the channels, -1: the array
/// lies within one channel and `scale` is a scalar.
Value Checker::dequantized(Value raw, ExprPtr scale, int axis, Span span) {
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
  DType in = info(carriedIn(out.type)).accumulate;
  ExprPtr ints = makeCast(take(raw), in, {});
  if (scale->type.dtype != in) scale = makeCast(std::move(scale), in, {});
  Type type = ints->type;
  type.numerics = {};
  if (type.kind == TypeKind::Tensor) {
    Type wide = type;
    ExprPtr spread = makeExpr(axis < 0 ? ExprKind::Full : ExprKind::Broadcast, wide, span);
    if (axis >= 0) spread->axes = {axis};
    spread->args.push_back(std::move(scale));
    scale = std::move(spread);
  }
  std::vector<ExprPtr> args;
  args.push_back(std::move(ints));
  args.push_back(std::move(scale));
  out.expr =
      std::shared_ptr<Expr>(makeElementwise(ElementwiseOp::Mul, type, span, std::move(args)).release());
  return out;
}

/// What a load brings, as the value it means.
Value Checker::loadedValue(Value raw, Span span) {
  auto scales = scales_.find(raw.expr->access.base);
  if (scales == scales_.end()) return unscaled(std::move(raw), span);
  const Access &access = raw.expr->access;
  size_t channel = static_cast<size_t>(access.base->type.numerics.perChannel);
  int axis = -1;
  for (size_t i = 0; i <= channel; ++i) axis += !access.parts[i].isPoint;
  if (access.parts[channel].isPoint) axis = -1;
  Type type = scalarType(DType::F32);
  if (axis >= 0) type = sema::tensorType(DType::F32, {raw.type.shape[static_cast<size_t>(axis)]});
  ExprPtr scale = makeExpr(ExprKind::Load, type, span);
  scale->access.base = scales->second;
  scale->access.parts.push_back(clone(access.parts[channel]));
  loaded_.insert(scales->second);
  return dequantized(std::move(raw), std::move(scale), axis, span);
}

/// A parameter whose memory holds something else than the value: its binding becomes the value. Integers with
/// scales bring a second parameter, `w_scale`.
Value Checker::storedParameter(Var *var, Value value, Span span) {
  const Numerics stored = var->type.numerics;
  if (stored.perChannel < 0) {
    bool scaled = stored.lossScale != 0 && value.kind == ValueKind::Array;
    return scaled ? bindTemp(unscaled(value, span), var->name + "_value", span) : value;
  }
  auto channels = static_cast<size_t>(stored.perChannel);
  if (channels >= var->type.shape.size()) {  // said of the declaration, if it has dimensions
    if (var->type.shape.empty() && fresh(Id::policyMeaningless, span))
      report(Id::policyMeaningless, span, fieldText(stored, PolicyField::PerChannel), "a single number").label("it has no axes");
    return Value::poison();
  }
  Type type = sema::tensorType(DType::F32, {var->type.shape[channels]});
  if (var->type.kind == TypeKind::View) type.kind = TypeKind::View;
  std::string name = var->name + "_scale";
  for (const ast::Parameter &p : frame_->function->def->parameters)
    if (p.name.text == name) {
      report(Id::definedTwice, p.name.span, name)
          .note(span, "`" + var->name + "` brings its scales under this name");
      return Value::poison();
    }
  Param scale;
  scale.var = newVar(name, type, span);
  scale.scalesOf = static_cast<int>(fn_->params.size()) - 1;
  fn_->params.push_back(std::move(scale));
  Var *made = fn_->params.back().var;
  scales_[var] = made;
  if (value.kind == ValueKind::View) return value;
  Var *bound = nullptr;
  Value meant = bindTemp(dequantized(value, makeRef(made, span), stored.perChannel, span),
                         var->name + "_value", span, &bound);
  quantized_[bound] = var;
  return meant;
}

/// The parameter with scales whose value this is, untouched, if its channels lie along `axis`.
const Var *Checker::quantizedSource(const Value &value, const Type &wanted) const {
  if (!value.expr || value.expr->kind != ExprKind::VarRef) return nullptr;
  auto it = quantized_.find(value.expr->var);
  if (it == quantized_.end()) return nullptr;
  const Type &have = it->second->type;
  bool same = have.dtype == wanted.dtype && have.numerics.perChannel == wanted.numerics.perChannel;
  return same ? it->second : nullptr;
}

// ---------------------------------------------------------------- where a value comes from

/// The parameter of this dtype from which a value is computed, or null. Looks at so many expressions, counted from `looked`,
/// and at each name once, however often it is used.
const Var *Checker::sourceParameter(const Expr &root, DType dtype, int looked) const {
  constexpr int kMost = 1000;
  std::vector<const Expr *> open{&root};
  std::set<const Var *> seen;
  for (; !open.empty() && looked < kMost; ++looked) {
    const Expr &expr = *open.back();
    open.pop_back();
    const Var *var = expr.kind == ExprKind::VarRef ? expr.var : expr.kind == ExprKind::Load ? expr.access.base : nullptr;
    if (!var) {
      for (size_t i = expr.args.size(); i-- > 0;) open.push_back(expr.args[i].get());
      continue;
    }
    if (!seen.insert(var).second) continue;
    bool isParameter = std::any_of(fn_->params.begin(), fn_->params.end(), [&](const Param &p) { return p.var == var; });
    if (isParameter && var->type.dtype == dtype) return var;
    const Expr *let = !isParameter && expr.kind == ExprKind::VarRef ? letOf(fn_->body, var) : nullptr;
    if (let) open.push_back(let);
  }
  return nullptr;
}

/// The words of the dtype in the declaration of a parameter of the entry point.
Span Checker::declaredDType(const Var &var) {
  if (calls_.empty() || !calls_.front().callable->def) return {};
  auto frame = frame_;
  frame_ = std::make_shared<Frame>();  // the names of types are those of the entry point's module
  frame_->module = calls_.front().callable->module;
  Span found;
  for (const ast::Parameter &p : calls_.front().callable->def->parameters) {
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
        if (item.keyword ? item.keyword->text == "dtype" : isDTypeExpr(*item.value)) found = item.value->span;
  }
  frame_ = frame;
  return found;
}

}  // namespace tessera::sema
