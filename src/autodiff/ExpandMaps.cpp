// Maps over an axis, and functions that stay calls with the axis in front of what they take and give.
#include "autodiff/BatchKernel.h"
#include "autodiff/CallStep.h"
#include "autodiff/Expander.h"
#include "autodiff/Linearity.h"
#include "support/Check.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Function;
using checked::Type;
using checked::TypeKind;
namespace node = checked::node;

/// What the function gives for all indices of the axis.
std::vector<Term> Expander::mapped(Expr &e, checked::Block &out) {
  for (ExprPtr &arg : e.args) replace(arg, out);
  const auto &vmap = e.as<node::Vmap>();
  expandCallee(vmap.callee);
  if (failed_) return {};
  Builder builder(*function_, out);
  builder.here = e.span;
  Reporter reporter{diagnostics_, sources_, e.span, vmap.callee->name, "`vmap` over ", "it is mapped here"};
  Batch batch(builder, reporter, {program_}, [&](const Function &callee, const std::vector<bool> &mapped) {
    return batched(callee, mapped, {}, reporter);
  });
  std::vector<Term> arguments;
  for (ExprPtr &arg : e.args) arguments.push_back(builder.bind(std::move(arg)));
  std::vector<Term> results = batch.run(*vmap.callee, arguments, vmap.mapped);
  failed_ |= reporter.failed;
  return failed_ ? std::vector<Term>() : results;
}

/// The function with the axis in front of these parameters, and of its results; those that are `summed` are added up over it.
const Function *Expander::batched(const Function &callee, const std::vector<bool> &mapped, const std::vector<bool> &summed, Reporter &reporter) {
  auto known = batched_.find({&callee, mapped});
  if (known != batched_.end() && summed.empty()) return known->second;
  expandCallee(&callee);
  std::string name = callee.name + "_vmap", axis = "batch";
  for (int n = 2; program_.find(name); ++n) name = callee.name + "_vmap_" + std::to_string(n);
  while (std::find(callee.dims.begin(), callee.dims.end(), axis) != callee.dims.end()) axis += "_";
  if (callee.kind == checked::FunctionKind::Kernel) {
    TSR_CHECK(summed.empty(), "a kernel that is the rule of a function");
    return kernelOfAll(callee, mapped, axis, name, reporter);
  }
  auto function = std::make_unique<Function>();
  Function *made = function.get();
  made->name = name;
  made->span = callee.span;
  made->signature = callee.signature;
  made->ofCall = true;
  made->dims = callee.dims;
  made->dims.insert(made->dims.begin(), axis);
  Builder builder(*made, made->body);
  builder.here = callee.span;
  std::vector<Term> arguments;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    Type type = callee.params[i].var->type;
    if (mapped[i]) type.kind = TypeKind::Tensor, type.shape.insert(type.shape.begin(), Dim::var(axis));
    checked::Param param;
    param.var = builder.fresh(callee.params[i].var->name, std::move(type));
    arguments.push_back(builder.ref(param.var));
    made->params.push_back(std::move(param));
  }
  if (summed.empty()) batched_[{&callee, mapped}] = made;
  program_.functions.push_back(std::move(function));
  done_.insert(made);
  Batch batch(builder, reporter, {program_}, [&](const Function &inner, const std::vector<bool> &which) {
    return batched(inner, which, {}, reporter);
  });
  std::vector<Term> values = batch.run(callee, arguments, mapped);
  if (reporter.failed) return nullptr;
  auto returns = std::make_unique<checked::Stmt>();
  returns->kind = checked::StmtKind::Return;
  returns->span = callee.span;
  for (size_t i = 0; i < values.size(); ++i) {
    Term value = values[i];
    if (i < summed.size() && summed[i])  // rounded once
      value = builder.cast(builder.reduce(ReduceOp::Sum, builder.cast(value, tangentDType(value->type.dtype)), {0}), value->type.dtype);
    Type type = value->type;
    type.kind = TypeKind::Tensor;
    made->results.push_back({callee.results[i].name, std::move(type), -1});
    returns->values.push_back(checked::clone(*value));
  }
  made->body.push_back(std::move(returns));
  batchRules(callee, *made, mapped, reporter);
  return reporter.failed ? nullptr : made;
}

/// A kernel stays one: the entry point has no other function for it.
const Function *Expander::kernelOfAll(const Function &kernel, const std::vector<bool> &mapped, const std::string &axis, const std::string &name,
                                      Reporter &reporter) {
  if (std::string why = whyNotBatched(kernel); !why.empty()) {
    reporter.cannot(kernel.span, "the kernel `" + kernel.name + "`, which has " + why + " of a group: lanes of two indices may be in one",
                    "`@kernel(grid=..., group=...)` gives each index groups of its own");
    return nullptr;
  }
  program_.functions.push_back(batchedKernel(kernel, mapped, axis, name));
  const Function *made = program_.functions.back().get();
  done_.insert(made);
  return batched_[{&kernel, mapped}] = made;
}

/// A derivative of the function for all indices is that of the function for each: its rule is the rule for all. What all indices
/// share gets the sum of their derivatives.
void Expander::batchRules(const Function &callee, Function &made, const std::vector<bool> &mapped, Reporter &reporter) {
  Rules rules{program_};
  if (Rules::isCheckpoint(callee)) made.kernel.schedule.options[checked::kCheckpoint] = "", made.keeps = callee.keeps, made.budget = callee.budget;
  if (made.budget) made.budget->sizes.emplace_back(made.dims.front(), 1);  // so many bytes for each index
  const Function *rule = rules.of(callee), *forward = rules.forwardOf(callee);
  if (!rule && !forward) return;
  std::vector<bool> given = mapped, summed, tangents;
  given.insert(given.end(), callee.results.size(), true);
  for (size_t i = 0; i < mapped.size(); ++i)
    if (isFloating(callee.params[i].var->type)) tangents.push_back(mapped[i]), summed.push_back(!mapped[i]);
  if (rule) {
    given.insert(given.end(), callee.results.size(), true);
    if (const Function *all = batched(*rule, given, summed, reporter)) made.kernel.schedule.options[checked::kRule] = all->name;
  } else {
    given.insert(given.end(), tangents.begin(), tangents.end());
    if (const Function *all = batched(*forward, given, {}, reporter)) made.kernel.schedule.options[checked::kForwardRule] = all->name;
  }
}

/// A rule under `@custom_jvp` has to be linear in the tangents, which are its last parameters.
void Expander::checkForwardRules() {
  Rules rules{program_};
  for (size_t i = 0; i < program_.functions.size() && !failed_; ++i) {
    const Function &of = *program_.functions[i];
    const Function *rule = rules.forwardOf(of);
    if (!rule) continue;
    size_t primals = of.params.size() + of.results.size();
    std::vector<bool> tangents(rule->params.size());
    for (size_t k = primals; k < tangents.size(); ++k) tangents[k] = true;
    Reporter reporter{diagnostics_, sources_, rule->span, rule->name, "the transpose of ", "the rule is here"};
    if (auto found = nonlinearIn(*rule, tangents, reporter, rules)) {
      bool library = reporter.inLibrary(found->span);
      diagnostics_.report(diag::Id::badRule, library ? rule->span : found->span, rule->name, of.name,
                          "it is not linear in the tangents, because of " + found->what)
          .help("each tangent is multiplied by what the arguments and results give, and nothing else is done to it");
      reporter.failed = true;
    }
    failed_ |= reporter.failed;
  }
}

}  // namespace tessera::autodiff
