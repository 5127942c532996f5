// Calls that stay calls where a derivative is taken, because the derivative of their function is made in its own way.
#pragma once
#include "autodiff/Trace.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

/// Whether values of this type have derivatives.
inline bool isFloating(const checked::Type &type) {
  return (type.kind == checked::TypeKind::Scalar || type.kind == checked::TypeKind::Tensor) && isFloat(type.dtype);
}

class CallStep : public Step {
public:
  CallStep(Trace &trace, const checked::Expr &call, std::vector<Term> arguments, std::vector<Term> results)
      : trace_(trace), span_(call.span), function_(*checked::calleeOf(call)), arguments_(std::move(arguments)), results_(std::move(results)) {}

  bool isAsked(std::set<const checked::Var *> &asked) const override {
    bool any = false;
    for (const Term &result : results_) any |= asked.count(checked::varOf(*result)) != 0;
    for (const Term &argument : arguments_)
      if (any && trace_.isActive(argument)) asked.insert(checked::varOf(*argument));
    return any;
  }

protected:
  /// The derivatives by the results, in their tangents' types; null where there is none. False if there are none at all.
  bool takeSeeds(Cotangents &cotangents, std::vector<Term> &seeds) const {
    bool any = false;
    for (const Term &result : results_) {
      seeds.push_back(isFloating(result->type) ? cotangents.takePlain(checked::varOf(*result)) : nullptr);
      any |= seeds.back() != nullptr;
    }
    return any;
  }

  Trace &trace_;
  Span span_;
  const checked::Function &function_;
  std::vector<Term> arguments_, results_;
};

/// A call of a function that stays one, and its results.
std::vector<Term> calledFunction(const checked::Function &function, const std::vector<Term> &arguments, std::vector<checked::Type> types,
                                 Span span, Builder &builder);

// ---- one for each way
std::unique_ptr<Step> checkpointStep(Trace &trace, const checked::Expr &call, std::vector<Term> arguments, std::vector<Term> results, Trace::Kept kept);
std::unique_ptr<Step> ruleStep(Trace &trace, const checked::Expr &call, const checked::Function &rule, std::vector<Term> arguments,
                               std::vector<Term> results);
std::unique_ptr<Step> forwardRuleStep(Trace &trace, const checked::Expr &call, const checked::Function &rule, std::vector<Term> arguments,
                                      std::vector<Term> results);

}  // namespace tessera::autodiff
