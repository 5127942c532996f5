// Calls of functions whose derivative is written by hand (`@custom_vjp`).
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

class RuleStep : public Step {
public:
  RuleStep(const Trace &trace, const Expr &call, const checked::Function &rule, std::vector<Term> arguments,
           std::vector<Term> results)
      : trace_(trace), span_(call.span), function_(*call.as<node::Call>().callee), rule_(rule), arguments_(std::move(arguments)),
        results_(std::move(results)) {}

  void pushForward(Tangents &, Builder &) const override {
    trace_.refuse(checked::varOf(*results_[0]), {span_, "the rule of `" + function_.name + "`", "it serves `grad` and `vjp`; `jvp` needs a function without one"});
  }

  bool isAsked(std::set<const Var *> &asked) const override {
    bool any = false;
    for (const Term &result : results_) any |= asked.count(checked::varOf(*result)) != 0;
    for (const Term &argument : arguments_)
      if (any && trace_.isActive(argument)) asked.insert(checked::varOf(*argument));
    return any;
  }

  void pullBack(Cotangents &cotangents) const override {
    Builder &builder = cotangents.builder();
    bool any = false;
    std::vector<Term> given = arguments_, seeds;
    for (const Term &result : results_) {
      given.push_back(result);
      Term seed = cotangents.takePlain(checked::varOf(*result));
      any |= seed != nullptr;
      seeds.push_back(seed ? builder.cast(seed, result->type.dtype) : builder.number(0, result->type));
    }
    if (!any) return;
    given.insert(given.end(), seeds.begin(), seeds.end());
    std::vector<Term> back = called(given, builder);
    size_t next = 0;
    for (const Term &argument : arguments_) {
      const Type &type = argument->type;
      if ((type.kind != TypeKind::Tensor && type.kind != TypeKind::Scalar) || !isFloat(type.dtype)) continue;
      Term derivative = back.at(next++);
      if (trace_.isActive(argument)) cotangents.add(checked::varOf(*argument), {builder.cast(derivative, tangentDType(type.dtype)), nullptr});
    }
  }

private:
  /// What the rule gives: a derivative for each argument that is a float.
  std::vector<Term> called(const std::vector<Term> &given, Builder &builder) const {
    std::vector<Type> types;
    for (const Term &argument : arguments_) {
      Type type = argument->type;
      bool numbers = type.kind == TypeKind::Tensor || type.kind == TypeKind::Scalar;
      if (numbers && isFloat(type.dtype)) types.push_back(std::move(type));
    }
    Type all = types.size() == 1 ? types[0] : Type();
    if (types.size() != 1) all.kind = TypeKind::Tuple, all.items = types;
    ExprPtr call = checked::makeExpr(ExprKind::Call, all, span_);
    call->as<node::Call>().callee = &rule_;
    for (const Term &term : given) call->args.push_back(checked::clone(*term));
    Term value = builder.bind(std::move(call));
    if (types.size() == 1) return {value};
    std::vector<Term> items;
    for (size_t i = 0; i < types.size(); ++i) {
      ExprPtr item = checked::makeExpr(ExprKind::TupleItem, types[i], span_);
      item->as<node::TupleItem>().item = static_cast<int>(i);
      item->args.push_back(checked::clone(*value));
      items.push_back(builder.bind(std::move(item)));
    }
    return items;
  }

  const Trace &trace_;
  Span span_;
  const checked::Function &function_, &rule_;
  std::vector<Term> arguments_, results_;
};

}  // namespace

void Trace::ruled(const Expr &call, const std::vector<Term> &arguments, const std::vector<Term> &results, const Var *because) {
  for (const Term &result : results) activate(checked::varOf(*result), because);
  steps_.push_back(std::make_unique<RuleStep>(*this, call, *rules_.of(*call.as<node::Call>().callee), arguments, results));
}

}  // namespace tessera::autodiff
