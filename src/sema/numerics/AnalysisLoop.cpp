// Loops. Ranges grow until they hold after every iteration. What an iteration does to a variable is
// read as v = alpha * v + delta: a sum that gains at most d each time gains at most trips * d in all, and what two
// variables gain stays in proportion: a weighted sum is at most the largest value times the sum of the weights.
#include "sema/numerics/Analysis.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema::numerics {

namespace {
constexpr int kPasses = 12, kWidenAfter = 6;
constexpr double kMostUnrolled = 64;

/// Room for the rounding errors of `trips` iterations in f32.
double roomFor(double trips) { return 1 + 1e-6 * std::min(trips, kMostRounded); }

/// True if the expression reads a run-time variable inside of a size.
bool inDim(const Dim &dim, const Var *var) {
  std::string text = dim.str(), name = "%" + std::to_string(var->id);
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end == text.size() || !std::isdigit(static_cast<unsigned char>(text[end]))) return true;
  }
  return false;
}
}  // namespace

bool Analysis::mentions(const Expr &expr, const Var *var) const {
  if (const Var *named = varOf(expr)) {
    if (named == var) return true;
    auto let = letSteps_.find(named);
    return let != letSteps_.end() && let->second.count(var);
  }
  if (auto *value = expr.get<node::DimValue>(); value && var->type.kind == TypeKind::Index && inDim(value->dim, var))
    return true;
  if (const Access *access = accessOf(expr)) {
    for (const IndexPart &part : access->parts)
      if (part.offset && mentions(*part.offset, var)) return true;
    if (access->other && mentions(*access->other, var)) return true;
  }
  return std::any_of(expr.args.begin(), expr.args.end(), [&](const ExprPtr &a) { return mentions(*a, var); });
}

/// What an expression is of a variable's value now: alpha * v + delta.
Analysis::Step Analysis::linearIn(const Expr &expr, const Var *var) {
  Step step;
  if (!mentions(expr, var)) {
    Abstract value = eval(expr);
    step.alpha = Range::point(0);
    step.delta = value.range;
    step.linear = !value.range.hasInfinity();
    step.deltaFacts = std::move(value.facts);
    step.deltaNumber = value.number;
    return step;
  }
  if (expr.kind == ExprKind::VarRef && expr.as<node::VarRef>().var == var) return step;
  // A name bound in this iteration speaks of the value then: of this one, if nothing was assigned since.
  if (expr.kind == ExprKind::VarRef && !steps_.count(var)) return letSteps_.at(expr.as<node::VarRef>().var).at(var);
  step.linear = false;
  auto *op = expr.get<node::Elementwise>();
  bool sum = op && (op->op == ElementwiseOp::Add || op->op == ElementwiseOp::Sub);
  if (!sum && !(op && op->op == ElementwiseOp::Mul)) return step;
  bool inLeft = mentions(*expr.args[0], var), inRight = mentions(*expr.args[1], var);
  if (inLeft && inRight) return step;
  const Expr &with = inLeft ? *expr.args[0] : *expr.args[1], &without = inLeft ? *expr.args[1] : *expr.args[0];
  Step of = linearIn(with, var);
  Abstract other = eval(without);
  if (!of.linear || other.range.hasInfinity()) return step;
  step = of;
  if (sum) {
    bool minus = op->op == ElementwiseOp::Sub;
    if (minus && inRight) step.alpha = -of.alpha, step.delta = other.range - of.delta, step.factor = -1;
    else step.delta = minus ? of.delta - other.range : of.delta + other.range;
    bool only = of.delta.isPoint(0) && !minus;
    step.deltaFacts = only ? std::move(other.facts) : std::vector<Fact>{};
    step.deltaNumber = only ? other.number : -1;
    return step;
  }
  step.alpha = of.alpha * other.range;
  step.delta = of.delta * other.range;
  step.deltaFacts.clear();
  step.deltaNumber = -1;
  bool first = of.alpha.isPoint(1);
  step.factor = first ? other.rootNumber() : -1;
  step.factorAxes = other.root >= 0 ? other.rootAxes : identityAxes(expr.type.shape.size());
  return step;
}

/// What an assignment adds to what the iteration did to the variable before.
void Analysis::noteStep(const Stmt &stmt) {
  if (!loopVars_.count(stmt.var)) return;
  Step now = linearIn(*stmt.value, stmt.var);
  auto known = steps_.find(stmt.var);
  if (known == steps_.end()) {
    steps_[stmt.var] = std::move(now);
    return;
  }
  Step &before = known->second;
  bool linear = before.linear && now.linear;
  Range delta = now.alpha * before.delta + now.delta;
  before = Step{now.alpha * before.alpha, delta, linear, -1, {}, {}, -1};
}

void Analysis::noteLet(const Stmt &stmt) {
  if (!stmt.var || loopVars_.empty()) return;
  Steps steps;
  for (const Var *var : loopVars_)
    if (var != stmt.var && mentions(*stmt.value, var)) {
      Step step = linearIn(*stmt.value, var);
      if (steps_.count(var)) step.linear = false;  // of a value in between
      steps[var] = std::move(step);
    }
  letSteps_[stmt.var] = std::move(steps);
}

Analysis::Step Analysis::joined(const Step &a, const Step &b) {
  return Step{join(a.alpha, b.alpha), join(a.delta, b.delta), a.linear && b.linear, -1, {}, {}, -1};
}

/// Either way may have been taken.
void Analysis::joinSteps(Steps &into, const Steps &other) {
  const Step same;
  for (auto &[var, step] : into) {
    auto it = other.find(var);
    const Step &second = it != other.end() ? it->second : same;
    bool equal = it != other.end() && second.alpha == step.alpha && second.delta == step.delta &&
                 second.factor == step.factor && second.deltaNumber == step.deltaNumber;
    if (!equal) step = joined(step, second);
  }
  for (const auto &[var, step] : other) into.emplace(var, joined(step, same));
}

/// A step done up to `trips` times.
Analysis::Step Analysis::repeated(const Step &step, double trips) {
  Step all;
  all.linear = step.linear && trips < kInfinity && step.delta.bounded() && step.alpha.magnitude() <= 1;
  if (!all.linear) return all;
  bool keeps = step.alpha.isPoint(1), positive = step.alpha.low >= 0;
  if (!keeps) all.alpha = positive ? Range::of(0, 1) : Range::of(-1, 1);
  double least = trips * std::min(step.delta.low, 0.0), most = trips * std::max(step.delta.high, 0.0);
  if (!positive) most = std::max(most, -least), least = -most;
  all.delta = Range::of(least * roomFor(trips), most * roomFor(trips));
  return all;
}

void Analysis::assignedIn(const Block &block, std::set<const Var *> &vars, std::set<const Var *> &memory) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Assign) vars.insert(stmt->var);
    if (stmt->kind == StmtKind::Store || stmt->kind == StmtKind::Atomic || stmt->kind == StmtKind::AsyncCopy) memory.insert(stmt->access.base);
    assignedIn(stmt->body, vars, memory);
    assignedIn(stmt->otherwise, vars, memory);
  }
}

/// A `break` or `continue` of this loop may be reached.
static bool leavesEarly(const Block &body) {
  return std::any_of(body.begin(), body.end(), [](const std::unique_ptr<Stmt> &stmt) {
    if (stmt->kind == StmtKind::Break || stmt->kind == StmtKind::Continue) return true;
    return stmt->kind == StmtKind::If && (leavesEarly(stmt->body) || leavesEarly(stmt->otherwise));
  });
}

void Analysis::execFor(const Stmt &stmt) {
  Range start = eval(*stmt.start).range, stop = eval(*stmt.stop).range, step = eval(*stmt.step).range;
  if (start.isPoint() && stop.isPoint() && step.isPoint() && step.low >= 1 &&
      (stop.low - start.low) / step.low <= kMostUnrolled && !leavesEarly(stmt.body))
    return unroll(stmt, start.low, stop.low, step.low);
  if (stop.high <= start.low) return;
  double trips = step.low >= 1 ? std::ceil((stop.high - start.low) / step.low) : kInfinity;
  loop(stmt, trips, stop.low > start.high, Range::of(start.low, stop.high - 1), start);
}

void Analysis::execWhile(const Stmt &stmt) {
  eval(*stmt.condition);
  loop(stmt, kInfinity, false, Range{}, Range{});
}

/// The iterations of a short loop stand one after the other: their steps are steps of the loop around.
void Analysis::unroll(const Stmt &stmt, double start, double stop, double step) {
  for (double i = start; i < stop; i += step) iteration(stmt, Range::point(i));
}

void Analysis::iteration(const Stmt &stmt, const Range &counter) {
  if (stmt.var) {
    Abstract i = plain(counter, false);
    if (counter.isPoint()) i.number = numberOf("c:" + std::to_string(counter.low) + "index");
    state_.values[stmt.var] = i;
  }
  exec(stmt.body);
}

void Analysis::loop(const Stmt &stmt, double trips, bool atLeastOnce, const Range &counter,
                    const Range &first) {
  std::set<const Var *> vars, memory;
  assignedIn(stmt.body, vars, memory);
  Steps outer = std::move(steps_);
  auto outerLets = std::move(letSteps_);
  letSteps_.clear();
  std::set<const Var *> outerVars = loopVars_;
  loopVars_.insert(vars.begin(), vars.end());
  State before = state_;
  if (leavesEarly(stmt.body)) {  // any of the values on the way may be the last
    auto forget = [&] {
      for (const Var *var : vars) state_.values[var] = plain(Range::unknown(), true);
      for (const Var *base : memory) state_.memory[base] = Range::unknown(), ++state_.versions[base];
    };
    forget();
    steps_.clear();
    iteration(stmt, counter);
    forget();
    if (stmt.var) state_.values.erase(stmt.var);
    for (const Var *var : vars) outer[var] = {}, outer[var].linear = false;
    steps_ = std::move(outer);
    letSteps_ = std::move(outerLets);
    loopVars_ = std::move(outerVars);
    return;
  }
  auto enter = [&](const State &from) {  // an iteration that is not the first: values without relations
    state_ = from;
    steps_.clear();
    for (const Var *var : vars)
      if (auto it = state_.values.find(var); it != state_.values.end())
        it->second = plain(it->second.range, it->second.data);
    for (const Var *base : memory) ++state_.versions[base];
  };
  steps_.clear();
  iteration(stmt, first);  // the first iteration, with what is known there
  State afterFirst = state_, entry = state_;
  const Steps firstSteps = steps_;
  ++quiet_;
  for (int pass = 0;; ++pass) {
    enter(entry);
    State from = state_;
    iteration(stmt, counter);
    State next;
    if (!grow(afterFirst, from, trips, pass >= kWidenAfter, next)) break;
    entry = std::move(next);
    if (pass < kPasses) continue;
    for (const Var *var : vars) entry.values[var].range = Range::unknown();
    for (const Var *base : memory) entry.memory[base] = Range::unknown();
    break;
  }
  --quiet_;
  enter(entry);
  iteration(stmt, counter);
  Steps steps = steps_;
  joinInto(state_, afterFirst, nextNumber_);
  if (!atLeastOnce) joinInto(state_, before, nextNumber_);
  keepRatios(ratiosOf(firstSteps, before, trips), ratiosOf(steps, before, trips));
  if (stmt.var) state_.values.erase(stmt.var);
  for (const Var *var : vars) {  // what the loop did is one step of the loop around
    auto one = firstSteps.find(var);
    Step all = repeated(joined(steps[var], one != firstSteps.end() ? one->second : Step{}), trips);
    if (outer.count(var)) all.linear = false;
    outer[var] = std::move(all);
  }
  steps_ = std::move(outer);
  letSteps_ = std::move(outerLets);
  loopVars_ = std::move(outerVars);
}

// ---------------------------------------------------------------- ranges that hold after every iteration

/// What `from` has become after any number of iterations up to `trips`, if the step tells.
std::optional<Range> Analysis::afterTrips(const Range &from, const Step &step, double trips) {
  const Range &alpha = step.alpha, &delta = step.delta;
  if (!step.linear || alpha.isPoint(0) || !from.bounded() || from.hasInfinity() || !delta.bounded() ||
      delta.hasInfinity() || alpha.magnitude() > 1)
    return std::nullopt;
  double most = kInfinity;  // of the magnitude of what was gained
  double gained = delta.magnitude();
  if (trips < kInfinity) most = trips * gained;
  if (alpha.magnitude() < 1) most = std::min(most, gained / (1 - alpha.magnitude()) * (1 + 1e-5));
  if (most == kInfinity && gained == 0) most = 0;
  if (most == kInfinity) return std::nullopt;
  most *= roomFor(trips);
  if (alpha.low < 0) {
    double end = from.magnitude() * roomFor(trips) + most;
    return Range::of(-end, end);
  }
  bool keeps = alpha.isPoint(1);
  double low = keeps ? from.low : std::min(from.low, 0.0), high = keeps ? from.high : std::max(from.high, 0.0);
  if (delta.low < 0) low = std::min(low, low * roomFor(trips)) - most;
  if (delta.high > 0) high = std::max(high, high * roomFor(trips)) + most;
  return Range::of(low, high);
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
    if (r.within(value.range)) continue;
    auto step = steps_.find(var);
    auto bound = step != steps_.end() ? afterTrips(first->second.range, step->second, trips) : std::nullopt;
    // Each end holds if the iteration keeps it, or if no number of iterations passes it.
    if (value.range.hasFinite() && r.low < value.range.low) {
      if (bound && bound->low >= value.range.low) r.low = value.range.low;
      else r.low = widen ? -kInfinity : bound ? std::min(bound->low, value.range.low) : r.low;
    }
    if (value.range.hasFinite() && r.high > value.range.high) {
      if (bound && bound->high <= value.range.high) r.high = value.range.high;
      else r.high = widen ? kInfinity : bound ? std::max(bound->high, value.range.high) : r.high;
    }
    if (r.within(value.range)) continue;
    changed = true;
    value.range = r;
  }
  for (auto &[base, range] : next.memory) {
    auto out = state_.memory.find(base);
    if (out == state_.memory.end() || out->second.within(range)) continue;
    changed = true;
    range = widen ? Range::unknown() : join(range, out->second);
  }
  return changed;
}

// ---------------------------------------------------------------- what stays in proportion

/// What |small| <= scale * big needs of one iteration: the same factor, and gains in that proportion.
std::optional<Analysis::Ratio> Analysis::ratioOf(const Step &small, const Step &big) {
  if (!small.linear || !big.linear || small.alpha.low < 0 || big.alpha.low < 0 || big.delta.low < 0)
    return std::nullopt;
  bool both = small.factor >= 0 && small.factor == big.factor;
  if (!both && !(small.alpha.isPoint(1) && big.alpha.isPoint(1))) return std::nullopt;
  auto proportion = [&](int source, const std::vector<int> &in, double scale) -> std::optional<Ratio> {
    for (const Fact &fact : small.deltaFacts) {
      if (fact.kind != FactKind::WithinSum || fact.source != source || fact.axes.size() != in.size()) continue;
      Ratio ratio{nullptr, nullptr, {}, fact.scale / scale};
      for (size_t i = 0; i < in.size(); ++i) {
        if ((fact.axes[i] < 0) != (in[i] < 0)) return std::nullopt;
        if (fact.axes[i] < 0) continue;
        ratio.axes.resize(std::max(ratio.axes.size(), static_cast<size_t>(fact.axes[i]) + 1), -1);
        ratio.axes[static_cast<size_t>(fact.axes[i])] = in[i];
      }
      return ratio;
    }
    return std::nullopt;
  };
  std::optional<Ratio> found;
  for (const Fact &fact : big.deltaFacts)
    if (fact.kind == FactKind::AboveSum && !found) found = proportion(fact.source, fact.axes, fact.scale);
  if (!found) return std::nullopt;
  for (size_t i = 0; both && i < small.factorAxes.size(); ++i) {  // the factor lies along the same axes of both
    auto at = static_cast<size_t>(small.factorAxes[i]);
    if (i >= big.factorAxes.size() || at >= found->axes.size() || found->axes[at] != big.factorAxes[i])
      return std::nullopt;
  }
  return found;
}

/// The pairs of variables that the loop keeps in proportion, and that were so `before`: 0, and at least 0.
std::vector<Analysis::Ratio> Analysis::ratiosOf(const Steps &steps, const State &before, double trips) const {
  std::vector<Ratio> all;
  for (const auto &[small, step] : steps) {
    auto start = before.values.find(small);
    if (start == before.values.end() || !start->second.range.isPoint(0)) continue;
    for (const auto &[big, other] : steps) {
      auto from = before.values.find(big);
      if (small == big || from == before.values.end() || !(from->second.range.low >= 0)) continue;
      auto ratio = ratioOf(step, other);
      if (!ratio) continue;
      ratio->small = small, ratio->big = big;
      ratio->axes.resize(small->type.shape.size(), -1);
      ratio->scale *= roomFor(std::min(trips, kMostRounded));
      all.push_back(std::move(*ratio));
    }
  }
  return all;
}

/// Behind the loop, what its first and every other iteration kept in proportion is.
void Analysis::keepRatios(const std::vector<Ratio> &first, const std::vector<Ratio> &others) {
  for (const Ratio &a : first)
    for (const Ratio &b : others) {
      if (a.small != b.small || a.big != b.big || a.axes != b.axes) continue;
      double scale = std::max(a.scale, b.scale);
      if (!(scale > 0) || !std::isfinite(scale)) continue;
      Abstract &big = state_.values[a.big];
      big.facts.push_back({FactKind::AboveRoot, state_.values[a.small].number, a.axes, 1 / scale, false, {}});
    }
}

}  // namespace tessera::sema::numerics
