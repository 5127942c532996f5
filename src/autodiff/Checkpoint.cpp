// Calls of functions of which a derivative keeps the arguments alone (`@checkpoint`): what it needs of the body is computed
// again on the way back, from arguments that are known only when the derivatives by the results are.
#include "autodiff/Budget.h"
#include "autodiff/CallStep.h"

namespace tessera::autodiff {

using checked::ExprKind;
using checked::ExprPtr;
using checked::TypeKind;
using checked::Var;

namespace {

class CheckpointStep : public CallStep {
public:
  CheckpointStep(Trace &trace, const checked::Expr &call, std::vector<Term> arguments, std::vector<Term> results, Trace::Kept kept)
      : CallStep(trace, call, std::move(arguments), std::move(results)), kept_(std::move(kept)) {}

  void pullBack(Cotangents &cotangents) const override {
    std::vector<Term> seeds;
    if (!takeSeeds(cotangents, seeds)) return;
    Builder &builder = cotangents.builder();
    const Term &first = *std::find_if(seeds.begin(), seeds.end(), [](const Term &seed) { return seed != nullptr; });
    std::vector<Term> again;
    for (const Term &argument : arguments_) again.push_back(after(argument, first, builder));
    Trace::Kept kept = kept_;
    kept.all.clear();
    const size_t begin = builder.block().size();
    Trace::Apart body = trace_.apart(function_, again, because(), kept.written ? &kept : nullptr);
    if (trace_.hasFailed()) return;
    const size_t back = builder.block().size();
    Cotangents inner(builder);
    for (size_t i = 0; i < seeds.size(); ++i)
      if (seeds[i] && trace_.isActive(body.values.at(i))) inner.add(checked::varOf(*body.values[i]), {seeds[i], nullptr});
    trace_.pullBackAll(body.steps, inner);
    std::vector<const Var *> given;
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (trace_.isActive(arguments_[i]) && inner.has(body.parameters[i])) {
        Term gradient = inner.takePlain(body.parameters[i]);
        given.push_back(checked::varOf(*gradient));
        cotangents.add(checked::varOf(*arguments_[i]), {gradient, nullptr});
      }
    if (function_.budget && !trace_.hasFailed())
      keepWithin(*function_.budget, body.dims, kept, {builder.block(), begin, back, builder.block().size(), kept.all, given}, builder);
  }

  /// Nothing is kept on the way forward: the tangents go with the values.
  void pushForward(Tangents &tangents, Builder &) const override {
    Trace::Apart body = trace_.apart(function_, arguments_, because());
    if (trace_.hasFailed()) return;
    Tangents inner;
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (auto tangent = trace_.isActive(arguments_[i]) ? tangents.find(checked::varOf(*arguments_[i])) : tangents.end(); tangent != tangents.end())
        inner[body.parameters[i]] = tangent->second;
    trace_.pushForwardAll(body.steps, body.values, inner);
    for (size_t i = 0; i < results_.size(); ++i)
      if (auto tangent = trace_.isActive(body.values.at(i)) ? inner.find(checked::varOf(*body.values[i])) : inner.end(); tangent != inner.end())
        tangents[checked::varOf(*results_[i])] = tangent->second;
  }

private:
  Trace::Kept kept_;

  /// Now that the way back says what it reads, takes as many values of the way forward as there is room for. Those with names are kept
  /// whatever they take, and what they take counts.
  void keepWithin(const checked::KeptBudget &budget, const std::map<std::string, Dim> &dims, const Trace::Kept &kept, const Recomputed &again, Builder &builder) const {
    TSR_CHECK(kept.all.size() == kept_.all.size(), "a body that is written again has other values");
    std::map<std::string, Dim> sizes = sizesHere(dims, budget.sizes);
    int64_t left = budget.bytes;
    for (const Term &value : kept_.values) left -= bytesOf(value->type, sizes).value_or(0);
    for (size_t place : chosenToKeep(again, left, sizes))
      if (kept_.all[place]->kind == ExprKind::VarRef) builder.rewrite(kept.all[place], kept_.all[place]);
  }

  std::vector<const Var *> because() const {
    std::vector<const Var *> because;
    for (const Term &argument : arguments_) because.push_back(trace_.isActive(argument) ? checked::varOf(*argument) : nullptr);
    return because;
  }

  /// A value that stands for itself, and that no value of before is made from. Sizes are the same always.
  static Term after(const Term &value, const Term &seed, Builder &builder) {
    bool isNumber = value->type.kind == TypeKind::Tensor || value->type.kind == TypeKind::Scalar || value->type.kind == TypeKind::Stream;
    if (value->kind != ExprKind::VarRef || !isNumber) return value;
    ExprPtr e = checked::makeExpr(ExprKind::After, value->type, builder.here);
    e->args.push_back(checked::clone(*value));
    e->args.push_back(checked::clone(*seed));
    return builder.bind(std::move(e), checked::varOf(*value)->name);
  }
};

}  // namespace

std::unique_ptr<Step> checkpointStep(Trace &trace, const checked::Expr &call, std::vector<Term> arguments, std::vector<Term> results, Trace::Kept kept) {
  return std::make_unique<CheckpointStep>(trace, call, std::move(arguments), std::move(results), std::move(kept));
}

}  // namespace tessera::autodiff
