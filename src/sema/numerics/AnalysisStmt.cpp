// Statements: variables, stores, branches.
#include "sema/numerics/Analysis.h"
#include <algorithm>

namespace tessera::sema::numerics {

Analysis::Analysis(const Function &function, const Sizes &sizes, const Inputs &inputs)
    : function_(function), sizes_(sizes), inputs_(inputs) {
  for (const Param &param : function.params) {
    const Type &type = param.var->type;
    auto given = inputs.ranges.find(param.var->name);
    Range range = given != inputs.ranges.end() ? given->second
                  : type.kind == TypeKind::Index || isInt(type.dtype)
                      ? Range::of(smallest(type.dtype), largest(type.dtype))
                  : type.dtype == DType::Bool ? Range::truth()
                                              : Range::unknown();
    if (type.kind == TypeKind::View) {
      state_.memory[param.var] = param.mode == ParamMode::Out ? Range{} : range;
      continue;
    }
    Abstract value = plain(range, type.kind != TypeKind::Index && type.dtype != DType::Bool);
    value.hitsLow = value.hitsHigh = inputs.points && inputs.mixed.count(param.var->name);
    if (value.hitsLow) value.share = inputs.mixed.at(param.var->name);
    state_.values[param.var] = value;
  }
}

void Analysis::run() { exec(function_.body); }

void Analysis::exec(const Block &block) {
  for (const auto &stmt : block) exec(*stmt);
}

void Analysis::exec(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Let:
  case StmtKind::Assign: return assign(stmt);
  case StmtKind::Store: return storeTo(stmt.access.base, eval(*stmt.value).range);
  case StmtKind::Atomic:  // how often is not known
    if (stmt.var) state_.values[stmt.var] = plain(Range::unknown(), isFloat(stmt.var->type.dtype));
    return storeTo(stmt.access.base, Range::unknown());
  case StmtKind::AsyncCopy: {
    auto source = state_.memory.find(stmt.source.base);
    Range range = source != state_.memory.end() ? source->second : Range::unknown();
    return storeTo(stmt.access.base, join(range, Range::point(0)));
  }
  case StmtKind::For: return execFor(stmt);
  case StmtKind::While: return execWhile(stmt);
  case StmtKind::If: return execIf(stmt);
  case StmtKind::AllocShared: state_.memory[stmt.var] = Range{}; return;
  case StmtKind::Return:
    for (const ExprPtr &value : stmt.values) results_.push_back(eval(*value).range);
    return;
  case StmtKind::Evaluate: eval(*stmt.value); return;
  default: return;
  }
}

/// What is stored joins what is there: other elements keep their values.
void Analysis::storeTo(const Var *base, const Range &range) {
  auto [it, fresh] = state_.memory.emplace(base, range);
  if (!fresh) it->second = join(it->second, range);
  ++state_.versions[base];
  for (size_t i = 0; i < function_.results.size(); ++i) {
    int param = function_.results[i].param;
    if (param < 0 || function_.params[static_cast<size_t>(param)].var != base) continue;
    if (results_.size() < function_.results.size()) results_.resize(function_.results.size());
    results_[i] = join(results_[i], range);
  }
}

void Analysis::assign(const Stmt &stmt) {
  if (stmt.kind == StmtKind::Assign) noteStep(stmt);
  else noteLet(stmt);
  Abstract value = eval(*stmt.value);
  if (stmt.kind == StmtKind::Assign) lets_.clear();
  else lets_[stmt.var] = stmt.value.get();
  if (stmt.value->type.kind == TypeKind::Tuple) tuples_[stmt.var] = lastTuple_;
  state_.values[stmt.var] = std::move(value);
}

void Analysis::execIf(const Stmt &stmt) {
  Range condition = eval(*stmt.condition).range;
  if (condition.isPoint(1)) return exec(stmt.body);
  if (condition.isPoint(0)) return exec(stmt.otherwise);
  State before = state_;
  Steps stepsBefore = steps_;
  exec(stmt.body);
  State then = std::move(state_);
  Steps stepsThen = std::move(steps_);
  state_ = std::move(before);
  steps_ = std::move(stepsBefore);
  exec(stmt.otherwise);
  joinInto(state_, then, nextNumber_);
  joinSteps(steps_, stepsThen);
}

void Analysis::joinInto(State &into, const State &other, int &nextNumber) {
  for (auto &[var, value] : into.values) {
    auto it = other.values.find(var);
    if (it == other.values.end() || it->second.number == value.number) continue;
    Abstract joined;
    joined.range = join(value.range, it->second.range);
    joined.data = value.data || it->second.data;
    joined.number = nextNumber++;
    value = std::move(joined);
  }
  for (const auto &[var, value] : other.values) into.values.emplace(var, value);
  for (const auto &[var, range] : other.memory) {
    auto [it, fresh] = into.memory.emplace(var, range);
    if (!fresh) it->second = join(it->second, range);
  }
  for (const auto &[var, version] : other.versions)
    into.versions[var] = std::max(into.versions[var], version) + (into.versions[var] != version);
}

}  // namespace tessera::sema::numerics
