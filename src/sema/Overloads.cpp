// Several functions of one name: which one a call means, and why none fits. Trials: checking that leaves no trace.
#include "sema/Checker.h"
#include <algorithm>
#include <tuple>

namespace tessera::sema {

/// Runs a check, takes back everything that it said and built, and tells how it went.
Trial Checker::attempt(const std::function<bool()> &check) {
  size_t diagnostics = diagnostics_.all().size(), failures = failures_, statements = block_ ? block_->size() : 0,
         vars = fn_ ? fn_->vars.size() : 0, requirements = fn_ ? fn_->requirements.size() : 0;
  auto reported = reportedSpans_;
  auto unknown = unknownNames_;
  auto facts = facts_;
  std::shared_ptr<Frame> frame = frame_;
  auto names = frame ? frame->names : Names{};
  auto dims = frame ? frame->dims : std::map<std::string, Dim>{};
  int conversions = conversions_;
  bool saidExhausted = saidExhausted_;
  conversions_ = 0;
  reportedSpans_.clear();  // a trial says everything
  Trial trial;
  trial.ok = check() && failures_ == failures;
  trial.conversions = conversions_;
  for (size_t i = diagnostics; i < diagnostics_.all().size(); ++i)
    trial.said.push_back(diagnostics_.all()[i]);
  conversions_ = conversions;
  saidExhausted_ = saidExhausted;
  diagnostics_.truncate(diagnostics);
  reportedSpans_ = std::move(reported);
  unknownNames_ = std::move(unknown);
  failures_ = failures;
  facts_ = std::move(facts);
  frame_ = frame;
  if (frame) frame->names = std::move(names), frame->dims = std::move(dims);
  if (block_) block_->resize(statements);
  if (!fn_) return trial;
  fn_->requirements.resize(requirements);
  while (fn_->vars.size() > vars) {
    Var *var = fn_->vars.back().get();
    symVars_.erase(symName(var));
    varValues_.erase(var);
    rebindable_.erase(var);
    temps_.erase(var);
    fn_->vars.pop_back();
  }
  return trial;
}

namespace {
/// How far a candidate is from a call: the number of arguments before their types.
struct Candidate {
  const Callable *callable = nullptr;
  int distance = 0, conversions = 0;
  size_t order = 0;  // of the definitions
  std::string why;
};
}  // namespace

/// Adds a definition to those of its name. Each of them has to say `@overload`.
void Checker::defineOverload(ModuleScope &scope, const std::string &name, Value value, Span span) {
  Value &old = scope.names[name];
  bool several = old.kind == ValueKind::Overloads;
  const Callable &first = several ? *old.items[0].callable : *old.callable;
  if (!first.isOverload || !value.callable->isOverload) {
    report(Id::definedTwice, span, name)
        .note(scope.spans[name], "the first definition is here")
        .help("functions of one name with different parameters say so: `@overload` above each of them");
    return;
  }
  if (!several) {
    Value list = Value::of(ValueKind::Overloads);
    list.text = name;
    list.items = {old};
    old = std::move(list);
  }
  old.items.push_back(std::move(value));
}

/// Whether a call fits a function: arguments to parameters, and their types. The body is not looked at.
Trial Checker::fitsCall(const Callable &callable, const GivenList &args, Span span, int &distance) {
  return attempt([&] {
    std::vector<Value> values;
    std::vector<Span> spans;
    GivenList copy = args;
    distance = 1000;
    if (!bindParameters(callable, copy, span, values, spans)) return false;
    distance = 0;
    std::shared_ptr<Frame> caller = frame_;
    frame_ = calleeFrame(callable);
    bool ok = matchArguments(callable, values, spans, &distance);
    frame_ = caller;
    return ok;
  });
}

Value Checker::callOverloads(const Value &overloads, GivenList args, Span span) {
  for (const Given &arg : args)
    if (arg.value.isPoison()) return arg.value;
  std::vector<Candidate> candidates;
  const Candidate *best = nullptr;
  candidates.reserve(overloads.items.size());
  for (const Value &item : overloads.items) {
    Candidate candidate;
    candidate.callable = item.callable;
    Trial trial = fitsCall(*item.callable, args, span, candidate.distance);
    candidate.conversions = trial.conversions;
    if (!trial.said.empty()) {
      candidate.why = trial.said[0].message;
      if (!trial.said[0].label.empty()) candidate.why += ": " + trial.said[0].label;
    }
    candidates.push_back(candidate);
    if (trial.ok && (!best || trial.conversions < best->conversions)) best = &candidates.back();
  }
  if (best) return callFunction(*best->callable, std::move(args), span);
  if (!fresh(Id::noOverload, span)) return Value::poison();
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i].order = i;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return std::tie(a.distance, a.order) < std::tie(b.distance, b.order);
  });
  auto builder = report(Id::noOverload, span, overloads.text, candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    builder.note(candidates[i].callable->nameSpan,
                 (i == 0 ? "the closest: " : "") + (candidates[i].why.empty() ? "it does not fit" : candidates[i].why));
  return Value::poison();
}

}  // namespace tessera::sema
