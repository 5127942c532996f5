#include "autodiff/Expand.h"
#include "autodiff/Expander.h"
#include "autodiff/Sweep.h"
#include "checked/ExprBuild.h"
#include "checked/Verify.h"
#include "support/Check.h"
#include <algorithm>
#include <utility>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Function;
using checked::FunctionKind;
using checked::Stmt;
using checked::StmtKind;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

bool Expander::run() {
  expandAll();
  checkForwardRules();
  done_.clear();
  derivatives_ = false;
  expandAll();
  if (!failed_) dropOfCalls();
  return !failed_;
}

/// Functions made for calls are written out. Of kernels made for them, those stay that are called.
void Expander::dropOfCalls() {
  std::erase_if(program_.functions, [](const auto &function) { return function->ofCall && function->kind != FunctionKind::Kernel; });
  std::set<const Function *> called;
  for (const auto &function : program_.functions)
    checked::visitExprs(function->body, [&](Expr &e) {
      if (auto *call = e.get<node::Call>()) called.insert(call->callee);
    });
  std::erase_if(program_.functions, [&](const auto &function) { return function->ofCall && !called.count(function.get()); });
}

void Expander::expandAll() {
  for (size_t i = 0; i < program_.functions.size(); ++i)  // which may add some
    if (derivatives_ || !failed_) expand(*program_.functions[i]);
}

void Expander::expand(Function &function) {
  if (!done_.insert(&function).second) return;
  function_ = &function;
  size_t firstVar = function.vars.size();
  tuples_.clear();
  Block body = std::move(function.body);
  function.body = expanded(std::move(body));
  if (function.vars.size() != firstVar) sweep(function.body, firstVar);
}

/// What a derivative is of is without derivatives first.
void Expander::expandCallee(const Function *callee) {
  Function *outer = function_;
  auto tuples = std::move(tuples_);
  for (size_t i = 0; i < program_.functions.size(); ++i)
    if (program_.functions[i].get() == callee) expand(*program_.functions[i]);
  function_ = outer;
  tuples_ = std::move(tuples);
}

Block Expander::expanded(Block block) {
  Block out;
  for (auto &stmt : block) {
    bool isTuple = stmt->kind == StmtKind::Let && stmt->var->type.kind == TypeKind::Tuple;
    if (isTuple && isWritten(*stmt->value)) {
      tuples_[stmt->var] = written(*stmt->value, out);
      continue;
    }
    if (stmt->kind == StmtKind::While && derivatives_) inCondition(stmt->condition.get());
    for (ExprPtr *e : {&stmt->value, &stmt->extra, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
      replace(*e, out);
    for (ExprPtr &e : stmt->values) replace(e, out);
    stmt->body = expanded(std::move(stmt->body));
    stmt->otherwise = expanded(std::move(stmt->otherwise));
    out.push_back(std::move(stmt));
  }
  return out;
}

/// Derivatives first, while functions with a derivative of their own are still called; then those calls.
bool Expander::isWritten(const Expr &e) const {
  if (derivatives_) return e.kind == ExprKind::Derivative || e.kind == ExprKind::Vmap;
  return e.kind == ExprKind::Call && e.as<node::Call>().callee->kind == FunctionKind::Tensor && function_->kind == FunctionKind::Tensor;
}

std::vector<Term> Expander::written(Expr &e, Block &out) {
  if (!derivatives_) return body(e, out);
  return e.kind == ExprKind::Vmap ? mapped(e, out) : derivative(e, out);
}

/// A condition is asked every turn; what stands before the loop is computed once.
void Expander::inCondition(Expr *condition) {
  checked::visitExprs(condition, [&](Expr &e) {
    if (e.kind != ExprKind::Derivative && e.kind != ExprKind::Vmap) return;
    failed_ = true;
    diagnostics_.report(diag::Id::notSupportedYet, e.span, std::string(e.kind == ExprKind::Vmap ? "a map over an axis" : "a derivative") + " in the condition of a loop");
  });
}

void Expander::replace(ExprPtr &e, Block &out) {
  if (!e || failed_) return;
  for (ExprPtr &arg : e->args) replace(arg, out);
  if (checked::Access *access = checked::accessOf(*e))
    for (checked::IndexPart &part : access->parts) replace(part.offset, out);
  auto *cast = e->get<node::Cast>();
  if (cast && cast->stopsGradient && !derivatives_) {  // all derivatives are taken: it is its operand
    ExprPtr operand = std::move(e->args[0]);
    e = std::move(operand);
  } else if (isWritten(*e)) {
    std::vector<Term> results = written(*e, out);
    if (!results.empty()) e = checked::clone(*results[0]);
  } else if (e->kind == ExprKind::TupleItem && e->args[0]->kind == ExprKind::VarRef) {
    auto tuple = tuples_.find(checked::varOf(*e->args[0]));
    if (tuple != tuples_.end() && static_cast<size_t>(e->as<node::TupleItem>().item) < tuple->second.size())
      e = checked::clone(*tuple->second[static_cast<size_t>(e->as<node::TupleItem>().item)]);
  }
}

/// The body of a function in the place of its call: as it is for all indices of an axis that no argument has.
std::vector<Term> Expander::body(Expr &e, Block &out) {
  for (ExprPtr &arg : e.args) replace(arg, out);
  const Function *callee = e.as<node::Call>().callee;
  expandCallee(callee);
  if (failed_) return {};
  Builder builder(*function_, out);
  builder.here = e.span;
  Reporter reporter{diagnostics_, sources_, e.span, callee->name, "a call of `" + callee->name + "`, which has ", "it is called here"};
  Batch inliner(builder, reporter, {program_}, nullptr);
  std::vector<Term> arguments;
  for (ExprPtr &arg : e.args) arguments.push_back(builder.bind(std::move(arg)));
  std::vector<Term> results = inliner.run(*callee, arguments, std::vector<bool>(arguments.size()));
  failed_ |= reporter.failed;
  return failed_ ? std::vector<Term>() : results;
}

/// What the derivative has, in the order of `DerivativeKind`.
std::vector<Term> Expander::derivative(Expr &e, Block &out) {
  for (ExprPtr &arg : e.args) replace(arg, out);
  const auto &asked = e.as<node::Derivative>();
  const Function *callee = asked.callee;
  expandCallee(callee);
  if (failed_) return {};
  Builder builder(*function_, out);
  builder.here = e.span;
  Reporter reporter{diagnostics_, sources_, e.span, callee->name};
  Trace trace(builder, reporter, {program_});
  std::vector<Term> arguments, seeds;
  for (ExprPtr &arg : e.args) arguments.push_back(builder.bind(std::move(arg)));
  size_t own = std::min(arguments.size(), callee->params.size());
  seeds.assign(arguments.begin() + static_cast<std::ptrdiff_t>(own), arguments.end());
  arguments.resize(own);
  trace.bindDims(*callee, arguments);
  for (size_t i = 0; i < arguments.size(); ++i)
    trace.bindParameter(*callee->params[i].var, arguments[i], std::count(asked.parameters.begin(), asked.parameters.end(), static_cast<int>(i)) != 0);
  std::vector<Term> values = trace.body(*callee);
  builder.here = e.span;
  std::vector<Term> results;
  if (!reporter.failed)
    results = asked.what == checked::DerivativeKind::Pushforward
                  ? pushedForward(e, trace, values, seeds, builder, reporter)
                  : pulledBack(e, trace, values, seeds, builder, reporter);
  failed_ |= reporter.failed;
  return failed_ ? std::vector<Term>() : results;
}

/// From the results back to the parameters that are asked for.
std::vector<Term> Expander::pulledBack(const Expr &e, const Trace &trace, const std::vector<Term> &values,
                                       std::vector<Term> seeds, Builder &builder, const Reporter &reporter) {
  const auto &asked = e.as<node::Derivative>();
  std::vector<Term> results;
  if (asked.what == checked::DerivativeKind::ValueAndGradient) results = values;
  if (seeds.empty()) seeds.push_back(builder.number(1, tangentType(values.at(0)->type)));
  Cotangents cotangents(builder);
  for (size_t i = 0; i < values.size() && i < seeds.size(); ++i)
    if (trace.isActive(values[i]))
      cotangents.add(checked::varOf(*values[i]), {builder.cast(seeds[i], tangentDType(seeds[i]->type.dtype)), nullptr});
  trace.pullBackAll(trace.steps(), cotangents);
  if (reporter.failed) return {};
  for (int number : asked.parameters) {
    const Var &parameter = *asked.callee->params[static_cast<size_t>(number)].var;
    const Var *by = trace.parameter(parameter);
    Term gradient = cotangents.takePlain(by);
    if (!gradient) gradient = builder.number(0, by->type);
    results.push_back(builder.cast(gradient, by->type.dtype));
    Builder::name(results.back(), "d" + parameter.name);
  }
  return results;
}

/// From those parameters on to the results.
std::vector<Term> Expander::pushedForward(const Expr &e, const Trace &trace, const std::vector<Term> &values,
                                          const std::vector<Term> &seeds, Builder &builder, const Reporter &reporter) {
  Tangents tangents;
  const auto &derivative = e.as<node::Derivative>();
  for (size_t i = 0; i < derivative.parameters.size(); ++i) {
    const Var *by = trace.parameter(*derivative.callee->params[static_cast<size_t>(derivative.parameters[i])].var);
    tangents[by] = builder.reshape(builder.cast(seeds.at(i), tangentDType(by->type.dtype)), tangentType(by->type));
  }
  trace.pushForwardAll(trace.steps(), values, tangents);
  std::vector<Term> results;
  for (const Term &value : values) {
    auto tangent = trace.isActive(value) ? tangents.find(checked::varOf(*value)) : tangents.end();
    results.push_back(tangent == tangents.end() ? builder.number(0, value->type)
                                                : builder.cast(tangent->second, value->type.dtype));
  }
  return results;
}

bool expand(checked::Program &program, const Sources &sources, diag::Engine &diagnostics) {
  bool expanded = Expander(program, sources, diagnostics).run();
  std::string wrong = expanded ? checked::verify(program) : std::string();
  TSR_CHECK(wrong.empty(), wrong);
  return expanded;
}

}  // namespace tessera::autodiff
