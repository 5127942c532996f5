// Calls of functions whose derivative is written by hand (`@custom_vjp`, `@custom_jvp`).
#include "autodiff/CallStep.h"

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

std::vector<Term> calledFunction(const checked::Function &function, const std::vector<Term> &arguments, std::vector<Type> types,
                                 Span span, Builder &builder) {
  Type all = types.size() == 1 ? types[0] : Type();
  if (types.size() != 1) all.kind = TypeKind::Tuple, all.items = types;
  ExprPtr call = checked::makeExpr(ExprKind::Call, all, span);
  call->as<node::Call>().callee = &function;
  for (const Term &term : arguments) call->args.push_back(checked::clone(*term));
  Term value = builder.bind(std::move(call));
  if (types.size() == 1) return {value};
  std::vector<Term> items;
  for (size_t i = 0; i < types.size(); ++i) {
    ExprPtr item = checked::makeExpr(ExprKind::TupleItem, types[i], span);
    item->as<node::TupleItem>().item = static_cast<int>(i);
    item->args.push_back(checked::clone(*value));
    items.push_back(builder.bind(std::move(item)));
  }
  return items;
}

namespace {

std::vector<Type> floatsOf(const std::vector<Term> &terms) {
  std::vector<Type> types;
  for (const Term &term : terms)
    if (isFloating(term->type)) types.push_back(term->type);
  return types;
}

/// `@custom_vjp`: the rule takes the arguments, the results and the derivatives by the results, and gives one for each argument
/// that is a float.
class RuleStep : public CallStep {
public:
  RuleStep(Trace &trace, const Expr &call, const checked::Function &rule, std::vector<Term> arguments, std::vector<Term> results)
      : CallStep(trace, call, std::move(arguments), std::move(results)), rule_(rule) {}

  void pushForward(Tangents &, Builder &) const override {
    trace_.refuse(checked::varOf(*results_[0]), {span_, "the rule of `" + function_.name + "`",
                                                 "it serves `grad` and `vjp`; a rule under `@custom_jvp` serves `jvp`, too"});
  }

  void pullBack(Cotangents &cotangents) const override {
    Builder &builder = cotangents.builder();
    std::vector<Term> given = arguments_, seeds;
    if (!takeSeeds(cotangents, seeds)) return;
    given.insert(given.end(), results_.begin(), results_.end());
    for (size_t i = 0; i < results_.size(); ++i) {
      const Type &type = results_[i]->type;
      given.push_back(seeds[i] ? builder.cast(seeds[i], type.dtype) : builder.number(0, type));
    }
    std::vector<Term> back = calledFunction(rule_, given, floatsOf(arguments_), span_, builder);
    size_t next = 0;
    for (const Term &argument : arguments_) {
      if (!isFloating(argument->type)) continue;
      Term derivative = back.at(next++);
      if (trace_.isActive(argument))
        cotangents.add(checked::varOf(*argument), {builder.cast(derivative, tangentDType(argument->type.dtype)), nullptr});
    }
  }

private:
  const checked::Function &rule_;
};

/// `@custom_jvp`: the rule takes the arguments, the results and the tangents of the arguments that are floats, and gives one for
/// each result that is. It is linear in the tangents (Linearity.cpp): its transpose is the way back.
class ForwardRuleStep : public CallStep {
public:
  ForwardRuleStep(Trace &trace, const Expr &call, const checked::Function &rule, std::vector<Term> arguments, std::vector<Term> results)
      : CallStep(trace, call, std::move(arguments), std::move(results)), rule_(rule) {}

  void pushForward(Tangents &tangents, Builder &builder) const override {
    std::vector<Term> given = primals();
    for (const Term &argument : arguments_) {
      if (!isFloating(argument->type)) continue;
      auto tangent = trace_.isActive(argument) ? tangents.find(checked::varOf(*argument)) : tangents.end();
      given.push_back(tangent == tangents.end() ? builder.number(0, argument->type) : builder.cast(tangent->second, argument->type.dtype));
    }
    std::vector<Term> on = calledFunction(rule_, given, floatsOf(results_), span_, builder);
    size_t next = 0;
    for (const Term &result : results_)
      if (isFloating(result->type)) tangents[checked::varOf(*result)] = builder.cast(on.at(next++), tangentDType(result->type.dtype));
  }

  void pullBack(Cotangents &cotangents) const override {
    std::vector<Term> seeds;
    if (!takeSeeds(cotangents, seeds)) return;
    Builder &builder = cotangents.builder();
    std::vector<Term> given = primals();
    std::vector<const Var *> because(given.size());
    std::vector<const Var *> of(given.size());  // which argument each tangent is that of
    for (const Term &argument : arguments_) {
      if (!isFloating(argument->type)) continue;
      given.push_back(builder.number(0, argument->type));  // what a linear map is at does not matter
      because.push_back(trace_.isActive(argument) ? checked::varOf(*argument) : nullptr);
      of.push_back(because.back());
    }
    Trace::Apart body = trace_.apart(rule_, given, because);
    if (trace_.hasFailed()) return;
    Cotangents inner(builder);
    size_t next = 0;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!isFloating(results_[i]->type)) continue;
      const Term &tangent = body.values.at(next++);
      if (seeds[i] && trace_.isActive(tangent)) inner.add(checked::varOf(*tangent), {seeds[i], nullptr});
    }
    trace_.pullBackAll(body.steps, inner);
    for (size_t i = 0; i < given.size(); ++i)
      if (of[i] && inner.has(body.parameters[i])) cotangents.add(of[i], {inner.takePlain(body.parameters[i]), nullptr});
  }

private:
  std::vector<Term> primals() const {
    std::vector<Term> given = arguments_;
    given.insert(given.end(), results_.begin(), results_.end());
    return given;
  }
  const checked::Function &rule_;
};

}  // namespace

std::unique_ptr<Step> ruleStep(Trace &trace, const Expr &call, const checked::Function &rule, std::vector<Term> arguments,
                               std::vector<Term> results) {
  return std::make_unique<RuleStep>(trace, call, rule, std::move(arguments), std::move(results));
}
std::unique_ptr<Step> forwardRuleStep(Trace &trace, const Expr &call, const checked::Function &rule, std::vector<Term> arguments,
                                      std::vector<Term> results) {
  return std::make_unique<ForwardRuleStep>(trace, call, rule, std::move(arguments), std::move(results));
}

}  // namespace tessera::autodiff
