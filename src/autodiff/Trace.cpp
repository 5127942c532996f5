#include "autodiff/CallStep.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Stmt;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

const checked::Function *Rules::named(const checked::Function &function, const char *option) const {
  const auto &options = function.kernel.schedule.options;
  auto rule = function.kind == checked::FunctionKind::Tensor ? options.find(option) : options.end();
  return rule == options.end() ? nullptr : program.find(rule->second);
}

bool Rules::isCheckpoint(const checked::Function &function) {
  return function.kind == checked::FunctionKind::Tensor && function.kernel.schedule.options.count(checked::kCheckpoint) != 0;
}

namespace {
constexpr int64_t kMostTurns = 256;        // as many as a tensor function has written out anywhere
constexpr int64_t kMostWrittenOut = 2048;  // operations: what is written out is compiled turn by turn
}  // namespace

// ---------------------------------------------------------------- messages

bool Reporter::inLibrary(Span span) const {
  return !span.valid() || sources.file(span.file).path.rfind("<", 0) == 0;
}

void Reporter::refuse(const Refusal &refusal, const std::string &by, const std::vector<std::string> &through) {
  failed = true;
  bool library = inLibrary(refusal.span);
  auto message = diagnostics.report(diag::Id::notSupportedYet, library ? call : refusal.span, "the derivative of " + refusal.what);
  message.label("`" + function + "` depends on `" + by + "` through it");
  if (!library) message.note(call, "the derivative is taken here");
  std::string chain = "`" + by + "`";
  for (const std::string &name : through) chain += " -> `" + name + "`";
  if (!through.empty()) message.help("the way there: " + chain);
  if (!refusal.help.empty()) message.help(refusal.help);
  message.help("`stop_gradient(...)` around it, if it is meant to be constant");
}

void Reporter::cannot(Span span, const std::string &what, const std::string &help) {
  failed = true;
  bool library = inLibrary(span);
  auto message = diagnostics.report(diag::Id::notSupportedYet, library ? call : span, subject + what);
  if (!library) message.note(call, taken);
  if (!help.empty()) message.help(help);
}

void Trace::refuse(const Var *out, const Refusal &refusal) const {
  auto [by, through] = dependence(out);
  reporter_.refuse(refusal, by, through);
}

std::pair<std::string, std::vector<std::string>> Trace::dependence(const Var *var) const {
  std::vector<std::string> names;
  while (var) {
    auto next = active_.find(var);
    if (next == active_.end() && (next = whole_.find(var)) == whole_.end()) break;
    bool isParameter = next->second == nullptr;
    if ((isParameter || !var->name.empty()) && (names.empty() || names.back() != var->name)) names.push_back(var->name);
    var = next->second;
  }
  std::string by = names.empty() ? "" : names.back();
  if (!names.empty()) names.pop_back();
  std::reverse(names.begin(), names.end());
  return {by, names};
}

// ---------------------------------------------------------------- parameters

void Trace::bindParameter(const Var &parameter, const Term &argument, bool active) {
  if (parameter.type.kind == TypeKind::Index) return setIndex(parameter, argument);
  Term value = argument;
  Type type = here(parameter.type);
  if (type.kind == TypeKind::Tensor) value = builder_.reshape(value, type);
  if (active) {
    value = copied(value, parameter.name);
    active_.emplace(checked::varOf(*value), nullptr);
  }
  env_[&parameter] = value;
}

Var *Trace::parameter(const Var &parameter) const { return env_.at(&parameter)->as<node::VarRef>().var; }

// ---------------------------------------------------------------- statements

std::vector<Term> Trace::body(const checked::Function &function) {
  block(function.body);
  return std::move(returned_);
}

void Trace::block(const checked::Block &block) {
  for (const auto &stmt : block) {
    if (reporter_.failed || hasReturned_) return;
    statement(*stmt);
  }
}

void Trace::statement(const Stmt &stmt) {
  builder_.here = stmt.span;
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: return assign(stmt);
  case StmtKind::For: return leavesEarly(stmt) ? loopOverTurns(stmt) : loop(stmt);
  case StmtKind::While: return loopOverTurns(stmt);
  case StmtKind::If: return branch(stmt);
  case StmtKind::Return:
    for (const ExprPtr &value : stmt.values) returned_.push_back(expr(*value));
    hasReturned_ = true;
    return;
  case StmtKind::Evaluate: expr(*stmt.value); return;
  default: return reporter_.cannot(stmt.span, "this statement");
  }
}

void Trace::assign(const Stmt &stmt) {
  if (stmt.var->type.kind == TypeKind::Index) {
    Term value = expr(*stmt.value);
    setIndex(*stmt.var, value);
    if (const Var *bound = checked::varOf(*env_.at(stmt.var)); bound && !dimOf(*value))
      between_["%" + std::to_string(bound->id)] = {limitOf(*value, false), limitOf(*value, true)};
    return;
  }
  const size_t first = builder_.function().vars.size();
  env_[stmt.var] = expr(*stmt.value, stmt.var->name);
  if (kept_ && !reporter_.failed) keepOrTake(stmt, first);
}

/// A value that is kept, on the way forward and where the body is written again. `first`: the number of the first variable of it.
void Trace::keepOrTake(const Stmt &stmt, size_t first) {
  if (std::find(keeps_->begin(), keeps_->end(), stmt.var->name) == keeps_->end()) return;
  const Term &value = env_[stmt.var];
  if (!kept_->written) return kept_->values.push_back(value);
  const Term &known = kept_->values.at(kept_->next++);
  const Var *var = checked::varOf(*value);
  if (var && var->id >= first && known->kind == ExprKind::VarRef) builder_.rewrite(value, known);
}

/// A value that could be kept.
const Term &Trace::computed(const Term &value) {
  if (kept_) kept_->all.push_back(value);
  return value;
}

/// How many operations a turn has, with those of the functions that it calls.
static int64_t operationsOf(const checked::Block &block) {
  int64_t count = 0;
  checked::visitExprs(const_cast<checked::Block &>(block), [&](Expr &e) {
    ++count;
    if (auto *call = e.get<node::Call>(); call && call->callee) count += operationsOf(call->callee->body);
  });
  return count;
}

/// A loop of a few short turns is written out: it need not compute anything again on the way back.
void Trace::loop(const Stmt &stmt, bool isShort) {
  auto bound = [&](const ExprPtr &e, int64_t absent) -> std::optional<int64_t> {
    if (!e) return absent;
    auto dim = dimOf(*tree(*e));
    return dim && dim->isConstant() ? std::optional(dim->constant()) : std::nullopt;
  };
  auto start = bound(stmt.start, 0), stop = bound(stmt.stop, 0), step = bound(stmt.step, 1);
  bool isLong = start && stop && step && *stop > *start && *step > 0 && (*stop - *start - 1) / *step >= kMostTurns;
  if (!start || !stop || !step || *step < 1 || isLong) return keepLoop(stmt, isShort);
  const int64_t turns = std::max<int64_t>(*stop - *start + *step - 1, 0) / *step;
  if (turns > 1 && turns * operationsOf(stmt.body) > kMostWrittenOut) return keepLoop(stmt, isShort);
  for (int64_t i = *start; i < *stop && !reporter_.failed; i += *step) {
    setIndex(*stmt.var, builder_.index(Dim(i)));
    block(stmt.body);
  }
}

// ---------------------------------------------------------------- expressions

Term Trace::expr(const Expr &expr, const std::string &name) {
  bool truth = expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool;
  if (expr.type.kind == TypeKind::Index || truth || expr.kind == ExprKind::VarRef) {
    ExprPtr written = tree(expr);
    const Var *because = nullptr;
    checked::visitExprs(written.get(), [&](Expr &e) {
      const Var *var = checked::varOf(e);
      if (active_.count(var) || whole_.count(var)) because = var;
    });
    Term value = builder_.bind(std::move(written), name);
    const Var *bound = checked::varOf(*value);
    if (truth && because && bound && bound != because) whole_.emplace(bound, because);
    return value;
  }
  if (expr.kind == ExprKind::Call) return call(expr);
  if (expr.kind == ExprKind::TupleItem) {
    Term tuple = this->expr(*expr.args[0]);
    auto items = tuple ? tuples_.find(checked::varOf(*tuple)) : tuples_.end();
    if (items != tuples_.end()) return items->second.at(static_cast<size_t>(expr.as<node::TupleItem>().item));
  }
  if (auto *cast = expr.get<node::Cast>(); cast && cast->stopsGradient) {
    Term value = this->expr(*expr.args[0]);
    if (reporter_.failed || value->kind != ExprKind::VarRef) return value;
    // It has no tangent, and stays: a derivative of what is written here takes it as constant, too.
    return builder_.bind(moved(expr, [&](const Expr &) { return checked::clone(*value); }), name);
  }
  ExprPtr flat = moved(expr, [&](const Expr &arg) {
    Term value = reporter_.failed ? nullptr : this->expr(arg);
    return value ? checked::clone(*value) : nullptr;
  });
  if (reporter_.failed) return builder_.index(Dim(0));
  return rewritten(*flat, name);
}

/// Binds an operation on what is bound already, and says what its tangent is.
Term Trace::rewritten(const Expr &flat, const std::string &name) {
  if (flat.kind == ExprKind::Broadcast || flat.kind == ExprKind::Reshape)
    if (auto known = constantOf(*flat.args[0]); known && flat.args[0]->kind != ExprKind::VarRef)
      return builder_.number(*known, flat.type);
  Span outer = builder_.here;
  Term value = builder_.bind(checked::clone(flat), name);
  if (value->kind == ExprKind::VarRef) linearize(checked::varOf(*value), flat);
  builder_.here = outer;
  return computed(value);
}

// ---------------------------------------------------------------- calls

/// The body of a function, with names of its own, in the place of its call.
std::vector<Term> Trace::inlined(const checked::Function &function, const std::vector<Term> &arguments) {
  Env env = std::exchange(env_, {});
  auto dims = std::exchange(dims_, {});
  std::vector<Term> outer = std::exchange(returned_, {});
  bool hadReturned = std::exchange(hasReturned_, false);
  Span place = builder_.here;
  bindDims(function, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) bindParameter(*function.params[i].var, arguments[i], false);
  std::vector<Term> values = body(function);
  builder_.here = place;
  env_ = std::move(env);
  dims_ = std::move(dims);
  returned_ = std::move(outer);
  hasReturned_ = hadReturned;
  return values;
}

/// A function without a way of its own is written out. What stays a call: a kernel, which has no derivative, and a function
/// whose derivative is made in its own way, so that a derivative of this one meets the call again.
Term Trace::call(const Expr &expr) {
  const checked::Function *callee = expr.as<node::Call>().callee;
  ExprPtr made = checked::makeExpr(ExprKind::Call, here(expr.type), expr.span);
  made->as<node::Call>().callee = callee;
  std::vector<Term> arguments;
  const Var *because = nullptr;
  for (const ExprPtr &arg : expr.args) {
    arguments.push_back(this->expr(*arg));
    if (reporter_.failed) return builder_.index(Dim(0));
    if (isActive(arguments.back())) because = checked::varOf(*arguments.back());
    made->args.push_back(checked::clone(*arguments.back()));
  }
  bool isKernel = callee->kind == checked::FunctionKind::Kernel;
  bool isTuple = expr.type.kind == TypeKind::Tuple;
  if (because && Rules::isCheckpoint(*callee) && (!callee->keeps.empty() || callee->budget)) return keeping(expr, arguments);
  if (!isKernel && !rules_.stayCalls(*callee)) {
    std::vector<Term> values = inlined(*callee, arguments);
    if (reporter_.failed || values.empty()) return builder_.index(Dim(0));
    if (!isTuple) return values[0];
    Var *tuple = unwritten(made->type);
    tuples_[tuple] = std::move(values);
    return builder_.ref(tuple);
  }
  Term value = isTuple ? builder_.bind(std::move(made)) : computed(builder_.bind(std::move(made)));
  if (!because || value->kind != ExprKind::VarRef) return value;
  if (isKernel) {
    refused(checked::varOf(*value), because, {expr.span, "the kernel `" + callee->name + "`",
                                  "call it in a function with `@custom_vjp`, and give that a rule"});
    return value;
  }
  if (!isTuple) {
    called(expr, arguments, {value}, because);
    return value;
  }
  std::vector<Term> results;
  const std::vector<Type> &items = checked::varOf(*value)->type.items;
  for (size_t i = 0; i < items.size(); ++i) {
    Type type = items[i];
    if (type.shape.empty()) type.kind = TypeKind::Scalar;
    ExprPtr item = checked::makeExpr(ExprKind::TupleItem, type, expr.span);
    item->as<node::TupleItem>().item = static_cast<int>(i);
    item->args.push_back(checked::clone(*value));
    results.push_back(computed(builder_.bind(std::move(item))));
  }
  called(expr, arguments, results, because);
  tuples_[checked::varOf(*value)] = std::move(results);
  return value;
}

/// A call of a function of which some values are kept: it is written out, so that these are values of here.
Term Trace::keeping(const Expr &call, const std::vector<Term> &arguments) {
  const checked::Function &callee = *checked::calleeOf(call);
  std::vector<const Var *> because;
  for (const Term &argument : arguments) because.push_back(isActive(argument) ? checked::varOf(*argument) : nullptr);
  Kept kept;
  Apart forward = apart(callee, arguments, because, &kept);
  if (reporter_.failed) return builder_.index(Dim(0));
  kept.written = true;
  std::vector<Term> results;
  for (const Term &value : forward.values) results.push_back(copied(value, ""));  // what it is made of is for the way back to say
  const Var *any = *std::find_if(because.begin(), because.end(), [](const Var *var) { return var != nullptr; });
  for (const Term &result : results)
    if (isFloating(result->type)) activate(checked::varOf(*result), any);
    else whole_.emplace(checked::varOf(*result), any);
  steps_.push_back(checkpointStep(*this, call, arguments, results, std::move(kept)));
  if (call.type.kind != TypeKind::Tuple) return results[0];
  Var *tuple = unwritten(here(call.type));
  tuples_[tuple] = std::move(results);
  return builder_.ref(tuple);
}

/// What a call that stays one is for derivatives.
void Trace::called(const Expr &call, const std::vector<Term> &arguments, const std::vector<Term> &results, const Var *because) {
  const checked::Function &callee = *checked::calleeOf(call);
  for (const Term &result : results) {
    if (isFloating(result->type)) activate(checked::varOf(*result), because);
    else whole_.emplace(checked::varOf(*result), because);
  }
  if (Rules::isCheckpoint(callee)) steps_.push_back(checkpointStep(*this, call, arguments, results, {}));
  else if (auto *rule = rules_.of(callee)) steps_.push_back(ruleStep(*this, call, *rule, arguments, results));
  else steps_.push_back(forwardRuleStep(*this, call, *rules_.forwardOf(callee), arguments, results));
}

Trace::Apart Trace::apart(const checked::Function &function, const std::vector<Term> &arguments, const std::vector<const Var *> &because, Kept *kept) {
  Apart made;
  Kept *outerKept = std::exchange(kept_, kept);
  const std::vector<std::string> *outerKeeps = std::exchange(keeps_, &function.keeps);
  Env env = std::exchange(env_, {});
  Dims dims = std::exchange(dims_, {});
  std::vector<Term> returned = std::exchange(returned_, {});
  bool hadReturned = std::exchange(hasReturned_, false);
  std::vector<std::unique_ptr<Step>> steps = std::exchange(steps_, {});
  Span place = builder_.here;
  bindDims(function, arguments);
  made.dims = dims_;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Var &parameter = *function.params[i].var;
    bindParameter(parameter, arguments[i], because[i] != nullptr);
    made.parameters.push_back(checked::varOf(*env_.at(&parameter)));
    if (because[i]) active_[made.parameters.back()] = because[i];
  }
  made.values = body(function);
  made.steps = std::exchange(steps_, std::move(steps));
  kept_ = outerKept;
  keeps_ = outerKeeps;
  builder_.here = place;
  env_ = std::move(env);
  dims_ = std::move(dims);
  returned_ = std::move(returned);
  hasReturned_ = hadReturned;
  return made;
}

void Trace::pullBackAll(const std::vector<std::unique_ptr<Step>> &steps, Cotangents &cotangents) const {
  for (size_t i = steps.size(); i-- > 0 && !reporter_.failed;) steps[i]->pullBack(cotangents);
}

void Trace::pushForwardAll(const std::vector<std::unique_ptr<Step>> &steps, const std::vector<Term> &values, Tangents &tangents) const {
  std::set<const Var *> asked;
  for (const Term &value : values)
    if (isActive(value)) asked.insert(checked::varOf(*value));
  std::vector<const Step *> needed;
  for (size_t i = steps.size(); i-- > 0;)
    if (steps[i]->isAsked(asked)) needed.push_back(steps[i].get());
  for (size_t i = needed.size(); i-- > 0 && !reporter_.failed;) needed[i]->pushForward(tangents, builder_);
}

}  // namespace tessera::autodiff
