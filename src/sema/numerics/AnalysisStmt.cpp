// Statements: variables, branches, loops. A loop's ranges grow until they hold after every iteration; a sum
// that gains at most d each time gains at most trips * d in all.
#include "sema/numerics/Analysis.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

namespace {
constexpr int kPasses = 12, kWidenAfter = 6;
constexpr double kMostUnrolled = 64;

bool mentions(const Expr &expr, const Var *var) {
  if (expr.kind == ExprKind::VarRef && expr.var == var) return true;
  return std::any_of(expr.args.begin(), expr.args.end(), [&](const ExprPtr &a) { return mentions(*a, var); });
}
}  // namespace

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
  if (stmt.kind == StmtKind::Assign) {
    Step step;
    auto known = steps_.find(stmt.var);
    bool once = known == steps_.end() || !known->second.linear;
    step.linear = known == steps_.end() && linearIn(*stmt.value, stmt.var, step);
    if (!once) step.linear = false;
    steps_[stmt.var] = step;
  }
  Abstract value = eval(*stmt.value);
  if (stmt.value->type.kind == TypeKind::Tuple) tuples_[stmt.var] = lastTuple_;
  state_.values[stmt.var] = std::move(value);
}

/// Reads an expression as alpha * v + delta.
bool Analysis::linearIn(const Expr &expr, const Var *var, Step &step) {
  if (expr.kind == ExprKind::VarRef && expr.var == var) {
    step.alpha = Range::point(1);
    step.delta = Range::point(0);
    return true;
  }
  if (!mentions(expr, var)) {
    step.alpha = Range::point(0);
    step.delta = eval(expr).range;
    return !step.delta.hasInfinity();
  }
  if (expr.kind != ExprKind::Elementwise || expr.args.size() != 2) return false;
  Step a, b;
  if (!linearIn(*expr.args[0], var, a) || !linearIn(*expr.args[1], var, b)) return false;
  switch (expr.op) {
  case ElementwiseOp::Add: step = {a.alpha + b.alpha, a.delta + b.delta, true}; return true;
  case ElementwiseOp::Sub: step = {a.alpha - b.alpha, a.delta - b.delta, true}; return true;
  case ElementwiseOp::Mul: {
    bool left = a.alpha.isPoint(0), right = b.alpha.isPoint(0);
    if (!left && !right) return false;
    const Range &factor = left ? a.delta : b.delta;
    const Step &of = left ? b : a;
    step = {of.alpha * factor, of.delta * factor, true};
    return true;
  }
  default: return false;
  }
}

void Analysis::execIf(const Stmt &stmt) {
  Range condition = eval(*stmt.condition).range;
  if (condition.isPoint(1)) return exec(stmt.body);
  if (condition.isPoint(0)) return exec(stmt.otherwise);
  State before = state_;
  exec(stmt.body);
  State then = std::move(state_);
  state_ = std::move(before);
  exec(stmt.otherwise);
  joinInto(state_, then, nextNumber_);
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

void Analysis::assignedIn(const Block &block, std::set<const Var *> &vars, std::set<const Var *> &memory) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Assign) vars.insert(stmt->var);
    if (stmt->kind == StmtKind::Store || stmt->kind == StmtKind::AsyncCopy) memory.insert(stmt->access.base);
    assignedIn(stmt->body, vars, memory);
    assignedIn(stmt->otherwise, vars, memory);
  }
}

void Analysis::execFor(const Stmt &stmt) {
  Range start = eval(*stmt.start).range, stop = eval(*stmt.stop).range, step = eval(*stmt.step).range;
  if (start.isPoint() && stop.isPoint() && step.isPoint() && step.low >= 1 &&
      (stop.low - start.low) / step.low <= kMostUnrolled)
    return unroll(stmt, start.low, stop.low, step.low);
  if (stop.high <= start.low) return;
  double trips = step.low >= 1 ? std::ceil((stop.high - start.low) / step.low) : kInfinity;
  loop(stmt, trips, stop.low > start.high, Range::of(start.low, stop.high - 1), start);
}

void Analysis::execWhile(const Stmt &stmt) {
  eval(*stmt.condition);
  loop(stmt, kInfinity, false, Range{}, Range{});
}

void Analysis::unroll(const Stmt &stmt, double start, double stop, double step) {
  auto outer = steps_;
  for (double i = start; i < stop; i += step) iteration(stmt, Range::point(i));
  steps_ = std::move(outer);
}

void Analysis::iteration(const Stmt &stmt, const Range &counter) {
  if (stmt.var) {
    Abstract i = plain(counter, false);
    if (counter.isPoint()) i.number = numberOf("c:" + std::to_string(counter.low) + "index");
    state_.values[stmt.var] = i;
  }
  steps_.clear();
  exec(stmt.body);
}

void Analysis::loop(const Stmt &stmt, double trips, bool atLeastOnce, const Range &counter,
                    const Range &first) {
  std::set<const Var *> vars, memory;
  assignedIn(stmt.body, vars, memory);
  auto steps = steps_;
  State before = state_;
  auto enter = [&](const State &from) {  // an iteration that is not the first: values without relations
    state_ = from;
    for (const Var *var : vars)
      if (auto it = state_.values.find(var); it != state_.values.end())
        it->second = plain(it->second.range, it->second.data);
    for (const Var *base : memory) ++state_.versions[base];
  };
  iteration(stmt, first);  // the first iteration, with what is known there
  State afterFirst = state_, entry = state_;
  ++quiet_;
  for (int pass = 0; pass < kPasses; ++pass) {
    enter(entry);
    State from = state_;
    iteration(stmt, counter);
    State next;
    if (!grow(afterFirst, from, trips, pass >= kWidenAfter, next)) break;
    entry = std::move(next);
  }
  --quiet_;
  enter(entry);
  iteration(stmt, counter);
  joinInto(state_, afterFirst, nextNumber_);
  if (!atLeastOnce) joinInto(state_, before, nextNumber_);
  if (stmt.var) state_.values.erase(stmt.var);
  steps_ = std::move(steps);
}

/// The ranges at the entry of an iteration that cover `entry` and what the iteration made of it (state_).
/// False if `entry` covers it already. `start`: what held after the first iteration.
bool Analysis::grow(const State &start, const State &entry, double trips, bool widen, State &next) {
  bool changed = false;
  next = entry;
  for (auto &[var, value] : next.values) {
    auto out = state_.values.find(var);
    auto first = start.values.find(var);
    if (out == state_.values.end() || first == start.values.end() || out->second.number == value.number)
      continue;
    Range r = join(value.range, out->second.range);
    auto step = steps_.find(var);
    const Range &from = first->second.range;
    bool linear = step != steps_.end() && step->second.linear && trips < kInfinity && from.bounded() &&
                  !from.hasInfinity() && step->second.delta.bounded();
    if (linear) {
      const Range &alpha = step->second.alpha, &delta = step->second.delta;
      double rounding = 1 + 1e-6 * std::min(trips, 1e6);
      if (alpha.low >= 0 && alpha.high <= 1) {
        bool keeps = alpha.isPoint(1);
        double high = keeps ? from.high : std::max(from.high, 0.0),
               low = keeps ? from.low : std::min(from.low, 0.0);
        Range bound =
            Range::of((low + trips * std::min(delta.low, 0.0)) * (low < 0 || delta.low < 0 ? rounding : 1),
                      (high + trips * std::max(delta.high, 0.0)) * rounding);
        if (from.low >= 0 && delta.low >= 0) bound.low = keeps ? from.low : std::min(from.low, delta.low);
        r = join(from, bound);
      } else if (alpha.magnitude() <= 1) {
        double most = (from.magnitude() + trips * delta.magnitude()) * rounding;
        r = join(from, Range::of(-most, most));
      } else {
        linear = false;
      }
    }
    if (r.within(value.range)) continue;
    changed = true;
    if (widen && !linear) {
      if (r.low < value.range.low) r.low = -kInfinity;
      if (r.high > value.range.high) r.high = kInfinity;
    }
    value.range = linear ? join(value.range, r) : r;
  }
  for (auto &[base, range] : next.memory) {
    auto out = state_.memory.find(base);
    if (out == state_.memory.end() || out->second.within(range)) continue;
    changed = true;
    Range r = join(range, out->second);
    if (widen) r = Range::unknown();
    range = r;
  }
  return changed;
}

}  // namespace tessera::sema::numerics
