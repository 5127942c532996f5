#include "sema/races/Simulation.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::sema::races {
namespace {

constexpr int64_t kMaxElements = 1 << 18;  // of one shared buffer: more than any machine has
constexpr int64_t kMaxTurns = 4096;        // of one loop

/// Equal texts for conditions that are the same expression of the same variables. `negated` turns over with `not`.
std::string keyOf(const Expr &expr, bool &negated) {
  if (expr.kind == ExprKind::Elementwise && expr.as<node::Elementwise>().op == ElementwiseOp::Not) {
    negated = !negated;
    return keyOf(*expr.args[0], negated);
  }
  std::string key = std::to_string(static_cast<int>(expr.kind)) + ".";
  if (auto *op = expr.get<node::Elementwise>()) key += std::to_string(static_cast<int>(op->op));
  else if (const Var *var = varOf(expr)) key += "v" + std::to_string(var->id);
  else if (expr.kind != ExprKind::Cast || expr.as<node::Cast>().ofBits)
    key += "@" + std::to_string(expr.span.file) + ":" + std::to_string(expr.span.begin);
  bool inner = false;
  for (const ExprPtr &arg : expr.args) key += "(" + keyOf(*arg, inner) + (inner ? "!)" : ")"), inner = false;
  return key;
}

void collectLets(const Block &block, std::unordered_map<const Var *, const Expr *> &lets) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Let && !stmt->var->reassigned) lets[stmt->var] = stmt->value.get();
    collectLets(stmt->body, lets);
    collectLets(stmt->otherwise, lets);
  }
}

}  // namespace

Simulation::Simulation(const Function &kernel, Sizes sizes, size_t lanes, GroupPlace place, bool decision,
                       Observations &observations)
    : kernel_(kernel), lanes_(lanes, std::move(sizes), std::move(place)), mask_(lanes, 1), decision_(decision),
      seen_(observations) {
  collectLets(kernel.body, lets_);
  for (const Param &param : kernel.params) {
    if (param.var->type.kind == TypeKind::View && param.mode != ParamMode::In && !param.isResult) allocate(param.var);
    auto given = lanes_.sizes().find(param.var->name);
    if (param.var->type.kind != TypeKind::Index) continue;
    if (!param.var->type.shape.empty()) {
      if (auto value = lanes_.size(param.var->type.shape[0])) lanes_.bind(param.var, Number::of(*value), mask_);
    } else if (given != lanes_.sizes().end()) {
      lanes_.bind(param.var, Number::of(given->second), mask_);
    }
  }
}

/// The extents of a buffer, if they are known and not too large to be followed.
std::optional<std::vector<int64_t>> Simulation::extentsOf(const Var &buffer) const {
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (const Dim &dim : buffer.type.shape) {
    auto extent = lanes_.size(dim);
    if (!extent || *extent <= 0 || *extent > kMaxElements / count) return std::nullopt;
    extents.push_back(*extent);
    count *= *extent;
  }
  return extents;
}

/// Follows a shared buffer, or a tensor that is written.
void Simulation::allocate(const Var *buffer) {
  if (auto extents = extentsOf(*buffer)) memory_.allocate(buffer, std::move(*extents));
}

namespace {
/// What differs between groups by itself.
bool namesGroup(const Expr &expr) {
  auto *query = expr.get<node::Query>();
  return query && (query->what == Query::Origin || query->what == Query::GroupId || query->what == Query::LinearId);
}
}  // namespace

void Simulation::share(GlobalMemory &global, int64_t group) {
  global_ = &global;
  global.enter(group);
  groupsOwn_ = madeFrom(kernel_, namesGroup);
  for (const Param &param : kernel_.params)
    if (param.var->type.kind == TypeKind::View && param.mode != ParamMode::In && !param.isResult)
      if (auto extents = extentsOf(*param.var)) global.allocate(param.var, std::move(*extents));
}

namespace {
/// Equal texts for equal formulas over variables; empty for what is no formula.
std::string formulaOf(const Expr &expr) {
  std::string key = std::to_string(static_cast<int>(expr.kind)) + ".";
  switch (expr.kind) {
  case ExprKind::VarRef: return key + std::to_string(expr.as<node::VarRef>().var->id);
  case ExprKind::DimValue: return key + expr.as<node::DimValue>().dim.str();
  case ExprKind::Query: {
    const auto &[what, axis] = expr.as<node::Query>();
    return key + std::to_string(static_cast<int>(what)) + ":" + std::to_string(axis);
  }
  case ExprKind::Constant:
    if (auto *i = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return key + std::to_string(*i);
    return "";
  case ExprKind::Elementwise:
    key += std::to_string(static_cast<int>(expr.as<node::Elementwise>().op));
    for (const ExprPtr &arg : expr.args) {
      std::string inner = formulaOf(*arg);
      if (inner.empty()) return "";
      key += "(" + inner + ")";
    }
    return key;
  default: return "";
  }
}
}  // namespace

/// Whether what is stored is a function of the place alone: who writes one element, writes one value.
bool Simulation::followsIndex(const Stmt &store) const {
  std::set<std::string> places;
  for (const IndexPart &part : store.access.parts)
    if (part.offset) places.insert(formulaOf(*part.offset));
  places.erase("");
  std::function<bool(const Expr &, int)> follows = [&](const Expr &expr, int depth) {
    if (depth > 32) return false;
    if (places.count(formulaOf(expr))) return true;
    if (const Var *var = varOf(expr)) {
      if (!var->varying && !groupsOwn_.count(var)) return true;
      auto let = lets_.find(var);
      return let != lets_.end() && follows(*let->second, depth + 1);
    }
    if (auto *query = expr.get<node::Query>())
      return query->what == Query::GroupSize || query->what == Query::GroupCount;
    for (const ExprPtr &arg : expr.args)
      if (!follows(*arg, depth + 1)) return false;
    const Access *access = accessOf(expr);
    if (!access) return true;
    for (const IndexPart &part : access->parts)
      if (part.offset && !follows(*part.offset, depth + 1)) return false;
    return !access->other || follows(*access->other, depth + 1);
  };
  return follows(*store.value, 0);
}

void Simulation::useGlobal(const Region &region, const LaneMask &lanes, const Use &use, bool sameValue) {
  if (!global_ || !global_->knows(region.buffer)) return;
  int64_t before = global_->work();
  note(global_->use(region, lanes, use, sameValue));
  spend(global_->work() - before);
}

void Simulation::run() {
  block(kernel_.body);
  if (outOfFuel_) seen_.complete = false;
}

void Simulation::spend(int64_t amount) {
  seen_.fuel -= amount + (memory_.work() - workSeen_);
  workSeen_ = memory_.work();
  outOfFuel_ |= seen_.fuel <= 0;
}

void Simulation::note(std::optional<Finding> found) {
  if (!found || finding_) return;
  finding_ = std::move(found);
  finding_->around = around_;
  finding_->sizes = lanes_.sizes();
  finding_->newerAtWait = finding_->newerGroups - (memory_.groupsEver() - groupsAtWait_);
  if (lastWait_ && finding_->newerAtWait >= 0) finding_->weakWait = lastWait_;
}

bool Simulation::anyLane(const LaneMask &mask) const {
  return std::find(mask.begin(), mask.end(), 1) != mask.end();
}

// ---------------------------------------------------------------- accesses

/// Nothing if some index or extent is not known.
std::optional<Region> Simulation::region(const Access &access) const {
  Region out;
  out.buffer = access.base;
  for (const IndexPart &part : access.parts) {
    RegionAxis axis;
    axis.offset = part.offset ? lanes_.evaluate(*part.offset) : Number::of(0);
    auto size = part.isPoint ? std::optional<int64_t>(1) : lanes_.size(part.size);
    if (!axis.offset.known || !size) return std::nullopt;
    axis.size = *size;
    axis.step = part.step;
    axis.isPoint = part.isPoint;
    out.isTile |= !part.isPoint;
    out.byLanes |= !axis.offset.uniform();
    out.axes.push_back(std::move(axis));
  }
  return out;
}

void Simulation::load(const Expr &expr, const Stmt &stmt) {
  const Access *access = accessOf(expr);
  const Var *buffer = access ? access->base : nullptr;
  if (!buffer || !memory_.knows(buffer)) return;
  LaneMask lanes = lanesOf(stmt);
  auto where = region(*access);
  if (buffer->type.kind != TypeKind::Shared) {
    if (!where) return;
    if (!where->isTile) note(memory_.read(*where, lanes, use(stmt, expr.span, false, false)));
    return useGlobal(*where, lanes, use(stmt, expr.span, false, false), false);
  }
  auto known = std::find_if(seen_.reads.begin(), seen_.reads.end(), [&](const Observations::Read &r) {
    return r.span == expr.span && r.buffer == buffer;
  });
  if (known == seen_.reads.end()) known = seen_.reads.insert(known, {buffer, expr.span, false});
  known->everTouched |= !memory_.untouched(buffer);
  if (where) note(memory_.read(*where, lanes, use(stmt, expr.span, false, false)));
}

/// One lane does a store of one value to one place, with what it reads for it.
LaneMask Simulation::lanesOf(const Stmt &stmt) const {
  LaneMask lanes = mask_;
  if (stmt.oncePerGroup) std::fill(std::find(lanes.begin(), lanes.end(), 1) + 1, lanes.end(), 0);
  return lanes;
}

void Simulation::readsOf(const Expr *expr, const Stmt &stmt) {
  if (expr)
    visitExprs(const_cast<Expr *>(expr), [&](Expr &e) {
      if (e.kind == ExprKind::Load && !stopped()) load(e, stmt);
    });
}

void Simulation::reads(const Stmt &stmt) {
  for (const ExprPtr *e : {&stmt.value, &stmt.extra, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step})
    readsOf(e->get(), stmt);
  for (const ExprPtr &e : stmt.values) readsOf(e.get(), stmt);
  for (const Access *access : {&stmt.access, &stmt.source}) {
    for (const IndexPart &part : access->parts) readsOf(part.offset.get(), stmt);
    readsOf(access->other.get(), stmt);
  }
}

void Simulation::store(const Stmt &stmt) {
  const Var *buffer = stmt.access.base;
  if (!memory_.knows(buffer)) return;
  auto where = region(stmt.access);
  if (!where) return memory_.touch(buffer);
  const bool follows = buffer->type.kind != TypeKind::Shared && followsIndex(stmt);
  const bool same = follows || !differsBetweenLanes(*stmt.value);
  if (buffer->type.kind != TypeKind::Shared) {
    // What one statement writes in the groups of a grid of its own is judged by its formulas (K16).
    bool inGroups = follows || kernel_.kernel.grid == GridKind::Explicit || !isMadeFrom(*stmt.value, groupsOwn_, namesGroup);
    Use shared = use(stmt, stmt.span, true, false);
    shared.byPlace = follows;
    useGlobal(*where, lanesOf(stmt), shared, inGroups);
    if (where->isTile) return;
  }
  Use written = use(stmt, stmt.span, true, false);
  written.byPlace = follows;
  note(memory_.write(*where, lanesOf(stmt), written, same));
}

/// Whether tiles of indices say which elements are updated; else its parts do.
static bool namesPlaces(const Stmt &atomic) {
  const std::vector<IndexPart> &parts = atomic.access.parts;
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    const bool whole = !parts[axis].isPoint && !parts[axis].offset && parts[axis].size == atomic.access.base->type.shape[axis];
    if (whole && !parts[axis].inBounds) return true;
  }
  return false;
}

/// Updates of one kind in one step order themselves; with other uses they meet like stores.
void Simulation::atomic(const Stmt &stmt) {
  if (stmt.var) lanes_.forget(stmt.var);
  const Var *buffer = stmt.access.base;
  if (!memory_.knows(buffer)) return;
  auto where = namesPlaces(stmt) ? std::nullopt : region(stmt.access);
  if (!where) return memory_.touch(buffer);
  Use update = use(stmt, stmt.span, true, false);
  update.isAtomic = true;
  if (buffer->type.kind != TypeKind::Shared) {
    useGlobal(*where, lanesOf(stmt), update, false);
    if (where->isTile) return;
  }
  note(memory_.write(*where, lanesOf(stmt), update, false));
}

void Simulation::asyncCopy(const Stmt &stmt) {
  if (auto source = region(stmt.source)) useGlobal(*source, mask_, use(stmt, stmt.span, false, false), false);
  const Var *buffer = stmt.access.base;
  if (!memory_.knows(buffer)) return memory_.copyElsewhere();
  if (auto where = region(stmt.access)) return note(memory_.copy(*where, mask_, use(stmt, stmt.span, true, true)));
  memory_.touch(buffer);
  memory_.copyElsewhere();
}

void Simulation::waitGroup(const Stmt &stmt) {
  auto known = std::find_if(seen_.waits.begin(), seen_.waits.end(),
                            [&](const Observations::Wait &w) { return w.stmt == &stmt; });
  if (known == seen_.waits.end()) known = seen_.waits.insert(known, {&stmt, 0});
  known->mostPending = std::max(known->mostPending, memory_.pendingGroups());
  if (memory_.pendingGroups() == 0 && memory_.anyUncommitted())
    if (auto copy = memory_.lastUncommitted()) {
      emptyWait_ = EmptyWait{&stmt, *copy};
      return;
    }
  memory_.wait(stmt.count);
  lastWait_ = &stmt;
  groupsAtWait_ = memory_.groupsEver();
}

// ---------------------------------------------------------------- statements

void Simulation::block(const Block &block) {
  for (const auto &stmt : block) {
    if (stopped()) return;
    spend(static_cast<int64_t>(mask_.size()));
    ++now_;
    statement(*stmt);
  }
}

void Simulation::statement(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::If: return ifStatement(stmt);
  case StmtKind::For: return forLoop(stmt);
  case StmtKind::While: return whileLoop(stmt);
  default: break;
  }
  reads(stmt);
  if (stopped()) return;
  switch (stmt.kind) {
  case StmtKind::Let: return lanes_.declare(stmt.var, lanes_.evaluate(*stmt.value));
  case StmtKind::Assign: return lanes_.bind(stmt.var, lanes_.evaluate(*stmt.value), mask_);
  case StmtKind::Store: return store(stmt);
  case StmtKind::Atomic: return atomic(stmt);
  case StmtKind::AllocShared: return allocate(stmt.var);
  case StmtKind::AsyncCopy: return asyncCopy(stmt);
  case StmtKind::CommitGroup: return memory_.commit();
  case StmtKind::WaitGroup: return waitGroup(stmt);
  case StmtKind::Barrier: return memory_.barrier();
  default: return;
  }
}

/// Runs a body for the lanes of the mask.
void Simulation::under(Around around, LaneMask mask, const Block &body) {
  if (!anyLane(mask)) return;
  std::swap(mask, mask_);
  around_.push_back(around);
  block(body);
  around_.pop_back();
  std::swap(mask, mask_);
}

/// Whether it asks which lanes' own numbers are equal to one that all lanes have and nobody knows, `(x + y) % 2 == colour`:
/// then it does not hold in all lanes, or in none, at will.
bool Simulation::choosesLanes(const Expr &condition) const {
  if (const Expr *made = definitionOf(condition)) return choosesLanes(*made);
  auto *op = condition.get<node::Elementwise>();
  if (op && (op->op == ElementwiseOp::Eq || op->op == ElementwiseOp::Ne) && differsBetweenLanes(condition)) {
    bool ofAll = false, ofLanes = false;
    unknownsOf(condition, ofAll, ofLanes);
    if (ofAll && !ofLanes) return true;
  }
  return op && std::any_of(condition.args.begin(), condition.args.end(), [&](const ExprPtr &arg) { return choosesLanes(*arg); });
}

/// What a variable is that nothing rebinds, or null.
const Expr *Simulation::definitionOf(const Expr &expr) const {
  auto let = lets_.find(varOf(expr));
  return let == lets_.end() ? nullptr : let->second;
}

/// Whether there are unknown numbers in it that all lanes share, and such that each lane has for itself.
void Simulation::unknownsOf(const Expr &expr, bool &ofAll, bool &ofLanes) const {
  if (lanes_.evaluate(expr).known || expr.kind == ExprKind::Constant) return;
  if (const Expr *made = definitionOf(expr)) return unknownsOf(*made, ofAll, ofLanes);
  if (expr.args.empty() || accessOf(expr)) (differsBetweenLanes(expr) ? ofLanes : ofAll) = true;
  else
    for (const ExprPtr &arg : expr.args) unknownsOf(*arg, ofAll, ofLanes);
}

/// Which way a condition goes that only data decide; nothing if it is not the first of its kind.
std::optional<bool> Simulation::decide(const Expr &condition) {
  if (choosesLanes(condition)) return std::nullopt;
  bool negated = false;
  std::string key = keyOf(condition, negated);
  if (unknownKey_.empty()) unknownKey_ = key;
  if (key != unknownKey_) return std::nullopt;
  return decision_ != negated;
}

/// A statement about which nothing can be said.
void Simulation::skip(const Stmt &stmt) {
  memory_.forget();
  forgetAssigned(stmt.body);
  forgetAssigned(stmt.otherwise);
  seen_.complete = false;
}

void Simulation::forgetAssigned(const Block &block) {
  for (const auto &stmt : block) {
    if (stmt->var) lanes_.forget(stmt->var);
    forgetAssigned(stmt->body);
    forgetAssigned(stmt->otherwise);
  }
}

void Simulation::ifStatement(const Stmt &stmt) {
  readsOf(stmt.condition.get(), stmt);
  Number condition = lanes_.evaluate(*stmt.condition);
  if (!condition.known) {
    auto way = decide(*stmt.condition);
    if (!way) return skip(stmt);
    condition = Number::of(*way);
  }
  LaneMask then = mask_, otherwise = mask_;
  for (size_t lane = 0; lane < mask_.size(); ++lane) {
    then[lane] = mask_[lane] && condition.at(lane);
    otherwise[lane] = mask_[lane] && !condition.at(lane);
  }
  Around around{&stmt, differsBetweenLanes(*stmt.condition), now_};
  under(around, std::move(then), stmt.body);
  if (!stopped()) under(around, std::move(otherwise), stmt.otherwise);
}

void Simulation::forLoop(const Stmt &stmt) {
  for (const ExprPtr *e : {&stmt.start, &stmt.stop, &stmt.step}) readsOf(e->get(), stmt);
  Number start = lanes_.evaluate(*stmt.start), stop = lanes_.evaluate(*stmt.stop),
         step = lanes_.evaluate(*stmt.step);
  Around around{&stmt, false, now_};
  for (const ExprPtr *e : {&stmt.start, &stmt.stop, &stmt.step}) around.lanesDisagree |= differsBetweenLanes(**e);
  if (!start.known || !stop.known || !step.known) return skip(stmt);
  bool uniform = start.uniform() && stop.uniform() && step.uniform();
  for (int64_t turn = 0; turn < kMaxTurns && !stopped(); ++turn) {
    LaneMask mask = mask_;
    Number index{true, {}};
    for (size_t lane = 0; lane < mask_.size(); ++lane) {
      int64_t at = start.at(lane) + turn * step.at(lane);
      mask[lane] = mask_[lane] && step.at(lane) > 0 && at < stop.at(lane);
      if (!uniform || lane == 0) index.lanes.push_back(at);
    }
    if (!anyLane(mask)) return;
    lanes_.declare(stmt.var, std::move(index));
    under(around, std::move(mask), stmt.body);
  }
  if (!stopped()) skip(stmt);
}

void Simulation::whileLoop(const Stmt &stmt) {
  Around around{&stmt, differsBetweenLanes(*stmt.condition), now_};
  for (int64_t turn = 0; turn < kMaxTurns && !stopped(); ++turn) {
    readsOf(stmt.condition.get(), stmt);
    Number condition = lanes_.evaluate(*stmt.condition);
    if (!condition.known) return skip(stmt);
    LaneMask mask = mask_;
    for (size_t lane = 0; lane < mask_.size(); ++lane) mask[lane] = mask_[lane] && condition.at(lane);
    if (!anyLane(mask)) return;
    under(around, std::move(mask), stmt.body);
    spend(static_cast<int64_t>(mask_.size()));
  }
  if (!stopped()) skip(stmt);
}

// ---------------------------------------------------------------- what is made from what

bool isMadeFrom(const Expr &expr, const std::set<const Var *> &made, const std::function<bool(const Expr &)> &source) {
  bool found = false;
  visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    found |= source(e) || (made.count(varOf(e)));
  });
  return found;
}

namespace {
/// True if a variable is new in `made`.
bool spread(const Block &block, std::set<const Var *> &made, const std::function<bool(const Expr &)> &source,
            bool bounds) {
  bool more = false;
  for (const auto &stmt : block) {
    bool is = false;
    for (const ExprPtr *e : {&stmt->value, &stmt->start, &stmt->stop, &stmt->step})
      is |= *e && (bounds || (e != &stmt->stop && e != &stmt->step)) && isMadeFrom(**e, made, source);
    if (stmt->var && is) more |= made.insert(stmt->var).second;
    more |= spread(stmt->body, made, source, bounds);
    more |= spread(stmt->otherwise, made, source, bounds);
  }
  return more;
}
}  // namespace

std::set<const Var *> madeFrom(const Function &kernel, const std::function<bool(const Expr &)> &source, bool bounds) {
  std::set<const Var *> made;
  while (spread(kernel.body, made, source, bounds)) continue;
  return made;
}

}  // namespace tessera::sema::races
