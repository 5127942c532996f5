// Conditions and loops. What the compiler can decide is traced; the rest
// becomes If, For and While.
#include "frontend/Walk.h"
#include "sema/Checker.h"
#include "sema/trace/Unknown.h"
#include "sema/effects/Draws.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

// ---------------------------------------------------------------- names that a block assigns

static void collectTargets(const ast::Expr &target, std::set<std::string> &names) {
  if (auto *name = as<ast::NameExpr>(&target)) names.insert(name->name);
  else if (auto *part = as<ast::SubscriptExpr>(&target)) collectTargets(*part->object, names);
  else if (auto *field = as<ast::AttributeExpr>(&target)) collectTargets(*field->object, names);
  else if (auto *star = as<ast::StarredExpr>(&target)) collectTargets(*star->value, names);
  else if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List)
    for (const auto &item : static_cast<const ast::SequenceExpr &>(target).items)
      collectTargets(*item, names);
}

void Checker::collectAssigned(const ast::Block &block, std::set<std::string> &names) {
  for (const ast::StmtPtr &stmt : block) collectAssigned(*stmt, names);
}

void Checker::collectAssigned(const ast::Stmt &stmt, std::set<std::string> &names) {
  if (auto *s = as<ast::AssignStmt>(&stmt))
    for (const auto &t : s->targets) collectTargets(*t, names);
  else if (auto *s = as<ast::AnnAssignStmt>(&stmt)) collectTargets(*s->target, names);
  else if (auto *s = as<ast::AugAssignStmt>(&stmt)) collectTargets(*s->target, names);
  else if (auto *s = as<ast::IfStmt>(&stmt)) collectAssigned(s->then, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::WhileStmt>(&stmt)) collectAssigned(s->body, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::ForStmt>(&stmt)) collectAssigned(s->body, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::WithStmt>(&stmt)) collectAssigned(s->body, names);
}

// ---------------------------------------------------------------- if

/// What a block bound and deleted again means nothing behind it.
static void dropDeleted(std::map<std::string, Binding> &names) {
  for (auto it = names.begin(); it != names.end();) it = it->second.deleted.valid() ? names.erase(it) : std::next(it);
}

Checker::Names Checker::branch(Block &into, const ast::Block &body, const std::vector<shape::Formula> &implies,
                               const std::set<std::string> &shared, std::optional<Span> returns) {
  Names before = frame_->names;
  shape::Facts facts = facts_;
  Block *outer = block_;
  int outerId = blockId_;
  block_ = &into;
  blockId_ = ++nextBlockId_;
  ++conditionDepth_;
  loopMarks_.push_back(fn_->vars.size());
  for (const shape::Formula &fact : implies) facts_.add(fact);
  path_.push_back(implies.empty() ? std::nullopt : std::optional(shape::Formula::all(implies)));
  if (returns) ++frame_->ways;
  checkBlock(body);
  if (returns) endBranch(*returns), --frame_->ways;
  path_.pop_back();
  frame_->returned = false;
  for (const std::string &name : shared) {  // known numbers that both branches give
    auto it = frame_->names.find(name);
    if (it == frame_->names.end() || it->second.var) continue;
    Value &v = it->second.value;
    if (v.kind != ValueKind::Int && v.kind != ValueKind::Float && v.kind != ValueKind::Bool) continue;
    Value made = materialised(v, name, it->second.span);
    it->second.var = made.expr->var;
    it->second.value = made;
  }
  loopMarks_.pop_back();
  --conditionDepth_;
  block_ = outer;
  blockId_ = outerId;
  facts_ = std::move(facts);
  Names after = std::move(frame_->names);
  frame_->names = std::move(before);
  dropDeleted(after);
  return after;
}

/// Whether both branches bind the name to a variable of the same type.
bool Checker::bindAlike(const Binding &a, const Binding &b) {
  bool same = a.value.kind == b.value.kind && a.var && b.var && a.value.type.dtype == b.value.type.dtype &&
              a.value.type.shape.size() == b.value.type.shape.size() && a.var->type.dtype == b.var->type.dtype;
  for (size_t i = 0; same && i < a.value.type.shape.size(); ++i)
    same = sameDim(a.value.type.shape[i], b.value.type.shape[i], b.span, "");
  return same;
}

/// One variable, declared before the condition, in place of the two that the branches bind.
Binding Checker::mergeBindings(Stmt &stmt, const Binding &a, const Binding &b) {
  Var *var = a.var, *other = b.var;
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = a.span;
  let->var = var;
  ExprPtr zero =
      var->type.kind == TypeKind::Index ? makeIndex(0, a.span) : makeConstant(var->type.dtype, 0, a.span);
  let->value =
      var->type.kind == TypeKind::Tensor ? broadcastTo(std::move(zero), var->type.shape) : std::move(zero);
  var->reassigned = true;
  var->varying |= other->varying;
  for (Block *block : {&stmt.body, &stmt.otherwise})
    for (auto &s : *block)
      if (s->kind == StmtKind::Let && (s->var == var || s->var == other))
        s->kind = StmtKind::Assign, s->var = var;
  visitExprs(stmt.otherwise, [&](Expr &e) {
    if (e.var == other) e.var = var;
  });
  std::function<void(Block &)> rename = [&](Block &block) {
    for (auto &s : block) {
      if (s->var == other) s->var = var;
      rename(s->body);
      rename(s->otherwise);
    }
  };
  rename(stmt.otherwise);
  block_->insert(block_->end() - 1, std::move(let));
  facts_.undefine(symName(var));
  Binding merged = a;
  merged.block = blockId_;
  merged.value = valueOfVar(var, a.value, a.span);
  for (size_t axis = 0; axis < merged.value.type.shape.size(); ++axis) {
    merged.value.limits.resize(merged.value.type.shape.size());
    const Limit *y = varValues_[other].limit(axis);
    auto &x = merged.value.limits[axis];
    if (!x && y) x = *y;
    else if (x && y && !(x->end == y->end)) x->end = Dim::min(x->end, y->end);
    if (x) x->zeroOutside = false;
  }
  rebindable_.insert(var);
  varValues_[var] = merged.value;
  return merged;
}

/// One stream in place of the two that the branches bind.
Binding Checker::mergeStreams(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  auto set = [&](StmtKind kind, Var *var, ExprPtr value) {
    auto made = std::make_unique<Stmt>();
    made->kind = kind;
    made->span = a.span;
    made->var = var;
    made->value = std::move(value);
    return made;
  };
  Var *var = newVar(name, keyType(), a.span);
  var->reassigned = true;
  var->varying = a.value.expr->var->varying || b.value.expr->var->varying || isVarying(*stmt.condition);
  stmt.body.push_back(set(StmtKind::Assign, var, clone(*a.value.expr)));
  stmt.otherwise.push_back(set(StmtKind::Assign, var, clone(*b.value.expr)));
  block_->insert(block_->end() - 1, set(StmtKind::Let, var, makeConstant(DType::I64, 0, a.span)));
  Binding merged = a;
  merged.block = blockId_;
  merged.value.expr = std::shared_ptr<Expr>(makeRef(var, a.span).release());
  if (auto spent = spent_.find(b.value.handle); spent != spent_.end()) spent_[a.value.handle] = spent->second;
  rebindable_.insert(var);
  return merged;
}

/// What a name stands for behind a condition whose branches bind it to a and to b.
Binding Checker::mergeName(Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  if (bindAlike(a, b)) return mergeBindings(stmt, a, b);
  if (a.value.kind == ValueKind::Rng && b.value.kind == ValueKind::Rng) return mergeStreams(stmt, name, a, b);
  if (a.value.kind == ValueKind::State && b.value.kind == ValueKind::State) return mergeCaches(stmt, name, a, b);
  bool trees = name == kResult && a.value.kind == b.value.kind && (a.value.isSequence() || a.value.kind == ValueKind::Struct) && !a.value.items.empty();
  if (trees && a.value.items.size() == b.value.items.size()) return mergeTrees(stmt, name, a, b);
  bool known = !a.var && !b.var && a.value.kind == b.value.kind && a.value.kind != ValueKind::Array;
  if (known && a.value.sym == b.value.sym && a.value.text == b.value.text && a.value.number == b.value.number)
    return a;
  if (fresh(Id::redefinedType, b.span))
    report(Id::redefinedType, b.span, name, describe(a.value), describe(b.value))
        .note(a.span, "the other branch binds it here");
  Binding poison = a;
  poison.value = Value::poison();
  poison.var = nullptr;
  return poison;
}

/// Names that both branches bind get one variable before the condition; names of one branch may have no
/// value.
void Checker::mergeBranches(Stmt &stmt, const Names &before, const Names &thenNames, const Names &elseNames) {
  auto isNew = [&](const std::string &name) {
    auto it = before.find(name);
    return it == before.end() || !it->second.isBound();
  };
  for (const Names *names : {&thenNames, &elseNames})  // what one of them took the meaning of has none behind them
    for (const auto &[name, binding] : *names)
      if (!isNew(name) && binding.value.isPoison()) {
        frame_->names[name].value = Value::poison();
        frame_->names[name].var = nullptr;
      }
  mergeCounts(before, thenNames, elseNames, stmt.condition->span);
  for (const auto &[name, a] : thenNames) {
    if (!isNew(name)) continue;
    auto it = elseNames.find(name);
    bool inBoth = it != elseNames.end() && !a.unassigned.valid() && !it->second.unassigned.valid();
    if (inBoth && !a.value.isPoison() && !it->second.value.isPoison()) {
      frame_->names[name] = mergeName(stmt, name, a, it->second);
      continue;
    }
    Binding half = a;
    if (!half.unassigned.valid()) half.unassigned = a.span;
    if (a.value.isPoison() || (it != elseNames.end() && it->second.value.isPoison())) {
      half.value = Value::poison();
      half.var = nullptr;
      half.unassigned = {};
    }
    frame_->names[name] = half;
  }
  for (const auto &[name, b] : elseNames)
    if (isNew(name) && !thenNames.count(name)) {
      Binding half = b;
      if (!half.unassigned.valid() && !b.value.isPoison()) half.unassigned = b.span;
      frame_->names[name] = half;
    }
}

void Checker::ifStmt(const ast::IfStmt &stmt) {
  Value condition = checkExpr(*stmt.condition);
  if (auto known = condition.isPoison() ? std::nullopt : knownCondition(condition)) {
    checkBlock(*known ? stmt.then : stmt.otherwise);
    return;
  }
  ExprPtr c = condition.isPoison() ? makeBool(true, stmt.condition->span)
                                   : conditionExpr(condition, stmt.condition->span);
  auto ends = [](const ast::Block &block) { return !block.empty() && block.back()->kind == ast::StmtKind::Return; };
  if ((!c || condition.isPoison()) && (ends(stmt.then) || ends(stmt.otherwise))) {
    frame_->returned = true;  // what it would return follows from the mistake
    frame_->results = {Value::poison()};
    return;
  }
  if (!c) c = makeBool(true, stmt.condition->span);
  if (inKernel() && conditionDepth_ == 0) noteLaneGuard(condition.implies, stmt.condition->span);

  std::vector<shape::Formula> inside, outside;
  if (condition.fact && !mentionsRebound(*condition.fact))
    inside = {*condition.fact}, outside = {condition.fact->negated()};
  bool returns = returnsOnSomeWay(stmt);
  choice(std::move(c), stmt.then, stmt.otherwise, inside, outside, stmt.span, stmt.condition->span, returns);
  if (returns) return returnMerged();
  // What follows a branch that ends the function is reached on the other way only.
  auto leaves = [&](const ast::Block &block) {
    return ends(block) || (!block.empty() && block.back()->kind == ast::StmtKind::Raise);
  };
  if (leaves(stmt.then) != leaves(stmt.otherwise))
    for (const shape::Formula &fact : leaves(stmt.then) ? outside : inside) facts_.add(fact);
}

void Checker::choice(ExprPtr c, const ast::Block &then, const ast::Block &otherwise,
                     const std::vector<shape::Formula> &inside, const std::vector<shape::Formula> &outside, Span span,
                     Span condition, bool returns) {
  std::set<std::string> inThen, inElse, all, both;
  collectAssigned(then, inThen);
  collectAssigned(otherwise, inElse);
  all = inThen;
  all.insert(inElse.begin(), inElse.end());
  std::set_intersection(inThen.begin(), inThen.end(), inElse.begin(), inElse.end(),
                        std::inserter(both, both.end()));
  if (returns) both.clear(), collectAssignedInRest(all);
  prepareRebinding(all, span);
  bool varying = isVarying(*c);
  Stmt &out = emit(StmtKind::If, span);
  out.condition = std::move(c);
  Names before = frame_->names;
  SpentValues spent = spent_;
  enterVarying(varying, condition);
  const std::optional<Span> way = returns ? std::optional(span) : std::nullopt;
  Names thenNames = branch(out.body, then, inside, both, way);
  std::swap(spent, spent_);
  Names elseNames = branch(out.otherwise, otherwise, outside, both, way);
  leaveVarying(varying);
  if (returns) keepResultOnly(before, thenNames), keepResultOnly(before, elseNames);
  mergeBranches(out, before, thenNames, elseNames);
  mergeSpent(before, thenNames, spent, elseNames, condition);
}

/// What follows is not done by every lane, or device: they disagree about `cause`.
void Checker::enterVarying(bool varying, Span cause) {
  varyingDepth_ += varying;
  if (varying) varyingCauses_.push_back(cause);
}
void Checker::leaveVarying(bool varying) {
  varyingDepth_ -= varying;
  if (varying) varyingCauses_.pop_back();
}

// ---------------------------------------------------------------- loops

std::string Checker::stateOfOuterVars(size_t count) const {
  std::string state;
  for (size_t i = 0; i < count; ++i) {
    Var *var = fn_->vars[i].get();
    state += var->varying ? 'v' : '.';
    auto it = varValues_.find(var);
    if (it == varValues_.end()) continue;
    for (const auto &limit : it->second.limits)
      state += limit ? limit->end.str() + (limit->zeroOutside ? "z," : ",") : ",";
  }
  return state;
}

/// Checks the body until what it does to the variables around it changes nothing more.
void Checker::loopBody(Stmt *loop, const ast::Block &body, std::optional<Span> cause,
                       const std::function<std::optional<Turns>()> &prepare) {
  std::set<std::string> assigned;
  Names before = frame_->names;
  RowsPerTurn rows;
  for (int round = 0;; ++round) {
    if (round > 0) roomForTurns(before, rows, loop->span);
    size_t diagnostics = diagnostics_.all().size(), vars = fn_->vars.size(),
           requirements = fn_->requirements.size();
    auto reported = reportedSpans_;
    auto unknown = unknownNames_;
    size_t failures = failures_;
    shape::Facts facts = facts_;
    SpentValues spent = spent_;
    std::string state = stateOfOuterVars(vars);
    Block *outer = block_;
    int outerId = blockId_;
    block_ = &loop->body;
    blockId_ = ++nextBlockId_;
    ++conditionDepth_;
    enterVarying(cause.has_value(), cause.value_or(Span{}));
    loopMarks_.push_back(vars);
    Divergence outside = divergence_;
    divergence_.cause = {};
    divergence_.leftLoop = false;
    const std::optional<Turns> turns = prepare();
    startTurn(before, turns, rows);
    checkBlock(body);
    bool counted = countRows(before, turns, body, rows, loop->span);
    frame_->returned = false;
    leftByBreak(outside.done.size());
    divergence_.cause = outside.cause;
    divergence_.leftLoop = outside.leftLoop;
    loopMarks_.pop_back();
    leaveVarying(cause.has_value());
    --conditionDepth_;
    block_ = outer;
    blockId_ = outerId;
    facts_ = std::move(facts);
    if ((counted && state == stateOfOuterVars(vars)) || round == 3) {
      spentInLoop(spent, before);
      break;
    }
    spent_ = std::move(spent);
    loop->body.clear();
    diagnostics_.truncate(diagnostics);
    reportedSpans_ = std::move(reported);
    unknownNames_ = std::move(unknown);
    failures_ = failures;
    fn_->requirements.resize(requirements);
    frame_->names = before;
    while (fn_->vars.size() > vars) {
      Var *var = fn_->vars.back().get();
      symVars_.erase(symName(var));
      varValues_.erase(var);
      rebindable_.erase(var);
      temps_.erase(var);
      fn_->vars.pop_back();
    }
  }
  Names after = std::move(frame_->names);
  frame_->names = before;
  dropDeleted(after);
  endTurns(rows);
  for (auto &[name, binding] : frame_->names) {  // a stream that was renewed: another one each turn
    auto it = after.find(name);
    if (it != after.end() && it->second.value.isPoison()) {
      binding.value = Value::poison();
      binding.var = nullptr;
    }
    if (it != after.end() && it->second.value.handle != binding.value.handle) binding.value.handle = newHandle();
  }
  for (const auto &[name, binding] : after) {
    auto it = before.find(name);
    if (it != before.end() && it->second.var == binding.var && it->second.block == binding.block) continue;
    if (it != before.end() && it->second.isBound() && !it->second.value.isPoison() &&
        !binding.value.isPoison() && binding.block == it->second.block)
      continue;
    Binding half = binding;
    if (!half.unassigned.valid() && !half.value.isPoison()) half.unassigned = binding.span;
    frame_->names[name] = half;
  }
}

/// Whether the loop with this body may be left by a `break` of its own.
static bool breaks(const ast::Block &body) {
  return std::any_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::Break) return true;
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    auto *inner = as<ast::ForStmt>(stmt);
    auto *repeated = as<ast::WhileStmt>(stmt);
    if (inner) return breaks(inner->otherwise);  // a loop inside: its body leaves that one
    if (repeated) return breaks(repeated->otherwise);
    std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *block) { return breaks(*block); });
  });
}

/// `else` behind a loop is done if no `break` left the loop: always, where there is none; else where a variable says so.
void Checker::withElse(const ast::Block &body, const ast::Block &otherwise, Span span, const std::function<void()> &loop) {
  LoopFrame frame;
  if (!otherwise.empty() && breaks(body)) {
    frame.broke = newVar("broke", scalarType(DType::Bool), span);
    frame.broke->reassigned = true;
    Stmt &let = emit(StmtKind::Let, span);
    let.var = frame.broke;
    let.value = makeBool(false, span);
  }
  frame_->loops.push_back(frame);
  loop();
  frame_->loops.pop_back();
  if (!frame.broke) return checkBlock(otherwise);
  std::vector<ExprPtr> args;
  args.push_back(makeRef(frame.broke, span));
  ExprPtr ended = makeElementwise(ElementwiseOp::Not, scalarType(DType::Bool), span, std::move(args));
  choice(std::move(ended), otherwise, {}, {}, {}, span, span);
}

/// `break` and `continue`: of a loop that is written out where the compiler knows that they are reached.
void Checker::jumpStmt(const ast::Stmt &stmt) {
  bool isBreak = stmt.kind == ast::StmtKind::Break;
  const LoopFrame loop = frame_->loops.empty() ? LoopFrame{} : frame_->loops.back();
  std::string word = isBreak ? "`break`" : "`continue`";
  if (loop.writtenOut >= 0) {
    if (conditionDepth_ == loop.writtenOut) frame_->jump = isBreak ? Jump::Break : Jump::Continue;
    else
      unsupported(word + " under a condition that only run time knows, in a loop that the compiler writes out", stmt.span);
    return;
  }
  if (inKernel()) {
    unsupported(word + " of a loop that runs, in a kernel", stmt.span);
    return;
  }
  leavesIteration(isBreak);
  if (isBreak && loop.broke) {
    Stmt &left = emit(StmtKind::Assign, stmt.span);
    left.var = loop.broke;
    left.value = makeBool(true, stmt.span);
  }
  emit(isBreak ? StmtKind::Break : StmtKind::Continue, stmt.span);
}

void Checker::whileStmt(const ast::WhileStmt &stmt) {
  if (neverEnds(stmt)) return;
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(assigned, stmt.span);
  size_t emitted = block_->size();
  Value condition = checkExpr(*stmt.condition);
  if (condition.isPoison()) return bindUnknown(*frame_, stmt, blockId_);
  if (auto known = knownCondition(condition)) {
    if (!*known) return checkBlock(stmt.otherwise);
    if (!inHost()) {
      report(Id::badConstant, stmt.condition->span, "this loop never ends");
      return;
    }
  }
  if (block_->size() != emitted) {
    unsupported("this condition of a loop", stmt.condition->span);
    return bindUnknown(*frame_, stmt, blockId_);
  }
  ExprPtr c = conditionExpr(condition, stmt.condition->span);
  if (!c) return bindUnknown(*frame_, stmt, blockId_);
  bool varying = isVarying(*c);
  withElse(stmt.body, stmt.otherwise, stmt.span, [&] {
    Stmt &loop = emit(StmtKind::While, stmt.span);
    loop.condition = std::move(c);
    loopBody(&loop, stmt.body, varying ? std::optional(stmt.condition->span) : std::nullopt, [] { return std::optional<Turns>(); });
  });
}

void Checker::forStmt(const ast::ForStmt &stmt) {
  if (stmt.isAsync) {
    unsupported("`async for`", stmt.span);
    return;
  }
  Value iterable = checkExpr(*stmt.iterable);
  auto runs = [&](const std::function<void()> &loop) { withElse(stmt.body, stmt.otherwise, stmt.span, loop); };
  switch (iterable.kind) {
  case ValueKind::Poison: return bindUnknown(*frame_, stmt, blockId_);
  case ValueKind::Tuple:
  case ValueKind::List: return unrolledFor(stmt, iterable.items);
  case ValueKind::Range:
    lastTurnOnly(stmt);
    return iterable.unrolled ? rangeFor(stmt, iterable) : runs([&] { rangeFor(stmt, iterable); });
  case ValueKind::HostTensor:
  case ValueKind::Enumerate: return runs([&] { rowsFor(stmt, iterable); });
  default:
    if (!reportNone(iterable, stmt.iterable->span))
      report(Id::notIterable, stmt.iterable->span, describe(iterable));
    bindUnknown(*frame_, stmt, blockId_);
  }
}

void Checker::unrolledFor(const ast::ForStmt &stmt, const std::vector<Value> &items) {
  for (const Value &item : items) {
    comprehensionTarget(*stmt.target, item);
    frame_->loops.push_back({conditionDepth_, nullptr});
    checkBlock(stmt.body);
    frame_->loops.pop_back();
    Jump jump = std::exchange(frame_->jump, Jump::None);
    if (frame_->returned || exhausted() || jump == Jump::Break) return;
  }
  checkBlock(stmt.otherwise);
}

/// What a loop asks to have fetched ahead goes into the schedule: "k0=2, k1=4".
void Checker::notePrefetch(const std::string &loop, int64_t steps) {
  std::string &all = fn_->kernel.schedule.options["prefetch"];
  std::string mine = loop + "=" + std::to_string(steps);
  if ((", " + all + ",").find(", " + mine + ",") != std::string::npos) return;
  all += (all.empty() ? "" : ", ") + mine;
}

void Checker::rangeFor(const ast::ForStmt &stmt, const Value &range) {
  const Value &start = range.items[0], &stop = range.items[1], &step = range.items[2];
  if (step.isKnownInt() && step.sym.constant() == 0) {
    report(Id::badConstant, stmt.iterable->span, "the step of a range must not be 0");
    return;
  }
  bool down = step.isKnownInt() && step.sym.constant() < 0;
  if (range.unrolled) {
    auto items = knownRange(range, stmt.iterable->span, "a static range");
    return items ? unrolledFor(stmt, *items) : void();
  }
  auto *target = as<ast::NameExpr>(stmt.target);
  if (!target) {
    if (fresh(Id::notIterable, stmt.target->span))
      report(Id::notIterable, stmt.target->span, "an integer").label("these names take apart a tuple");
    return bindUnknown(*frame_, stmt, blockId_);
  }
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(assigned, stmt.span);
  if (down) return downwardFor(stmt, *target, range);
  // By at least 1: of sizes it is proved or checked at the entry; run time knows the others, and stops.
  std::set<std::string> vars;
  step.sym.collectVars(vars);
  shape::Formula forward(step.sym, shape::Relation::Ge, Dim(1));
  if (!inHost() && std::all_of(vars.begin(), vars.end(), shape::isDimensionName) && !claim(forward, show(forward), stmt.iterable->span)) {
    auto builder = report(Id::badConstant, stmt.iterable->span, "the step of a range must be at least 1");
    explainClaim(builder, forward);
    return bindUnknown(*frame_, stmt, blockId_);
  }
  Stmt &loop = emit(StmtKind::For, stmt.span);
  loop.start = indexExpr(start, stmt.iterable->span);
  loop.stop = indexExpr(stop, stmt.iterable->span);
  loop.step = indexExpr(step, stmt.iterable->span);
  bool varying = isVarying(*loop.start) || isVarying(*loop.stop) || isVarying(*loop.step);
  if (range.items.size() > 3) notePrefetch(target->name, range.items[3].sym.constant());
  bool steady = !mentionsRebound(start.sym) && !mentionsRebound(stop.sym);
  auto *call = as<ast::CallExpr>(stmt.iterable);
  bool byOne = step.sym == Dim(1) && call && call->arguments.size() < 3;
  if (byOne) lanesWalkTogether(stmt, start, stop);
  loopBody(&loop, stmt.body, varying ? std::optional(stmt.iterable->span) : std::nullopt, [&] {
    Var *var = loop.var = newVar(target->name, indexType(), stmt.target->span);
    var->varying = varying;
    if (steady) counters_.insert(symName(var));
    if (byOne) loopsByOne_[symName(var)] = stmt.iterable->span;
    Binding binding;
    Value v = Value::of(ValueKind::Int);
    v.type = indexType();
    binding.value = valueOfVar(var, v, stmt.target->span);
    binding.var = var;
    binding.block = blockId_;
    binding.span = stmt.target->span;
    varValues_[var] = binding.value;
    frame_->names[target->name] = binding;
    noteBound(target->name, target->span);
    if (!steady) return std::optional<Turns>();
    Dim i = Dim::var(symName(var));
    facts_.addNonNegative(i - start.sym);
    facts_.addNonNegative(stop.sym - Dim(1) - i);
    return std::optional(Turns{Dim::floorDiv(i - start.sym, step.sym), Dim::ceilDiv(Dim::max(stop.sym - start.sym, Dim(0)), step.sym)});
  });
}

/// `for i in range(a, b, -s)`: the turns are counted up, and i is a - s * turn.
void Checker::downwardFor(const ast::ForStmt &stmt, const ast::NameExpr &target, const Value &range) {
  const Value &start = range.items[0], &stop = range.items[1], &step = range.items[2];
  Span span = stmt.iterable->span;
  auto whole = [&](ElementwiseOp op, Value a, Value b) { return intElementwise(op, {a, b}, span, "range"); };
  Value by = Value::integer(Dim(0) - step.sym), one = Value::integer(Dim(1));
  Value room = whole(ElementwiseOp::Sub, whole(ElementwiseOp::Add, whole(ElementwiseOp::Sub, start, stop), by), one);
  Value turns = whole(ElementwiseOp::FloorDiv, room, by);
  Stmt &loop = emit(StmtKind::For, stmt.span);
  loop.start = makeIndex(0, span);
  loop.stop = indexExpr(turns, span);
  loop.step = makeIndex(1, span);
  bool varying = isVarying(*loop.stop);
  Var *var = newVar(target.name + "_turn", indexType(), stmt.target->span);
  loop.var = var;
  var->varying = varying;
  bool steady = !mentionsRebound(start.sym) && !mentionsRebound(stop.sym);
  loopBody(&loop, stmt.body, varying ? std::optional(span) : std::nullopt, [&] {
    Value v = Value::of(ValueKind::Int);
    v.type = indexType();
    Value turn = varValues_[var] = valueOfVar(var, v, stmt.target->span);
    Binding binding;
    binding.value = cheap(whole(ElementwiseOp::Sub, start, whole(ElementwiseOp::Mul, by, turn)), target.name, target.span);
    if (binding.value.expr && binding.value.expr->kind == ExprKind::VarRef) binding.var = binding.value.expr->var;
    binding.block = blockId_;
    binding.span = stmt.target->span;
    frame_->names[target.name] = binding;
    noteBound(target.name, target.span);
    facts_.addNonNegative(turn.sym);
    if (!steady) return std::optional<Turns>();
    facts_.addNonNegative(start.sym - binding.value.sym);
    facts_.addNonNegative(binding.value.sym - stop.sym - Dim(1));
    return std::optional(Turns{turn.sym, Dim::max(turns.sym, Dim(0))});
  });
}

/// Host code: `for row in tensor` and `for i, row in enumerate(tensor)`.
void Checker::rowsFor(const ast::ForStmt &stmt, const Value &iterable) {
  Value tensor = iterable.kind == ValueKind::Enumerate ? iterable.items[0] : iterable;
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(assigned, stmt.span);
  Stmt &loop = emit(StmtKind::For, stmt.span);
  ExprPtr extent = makeExpr(ExprKind::HostShape, indexType(), stmt.iterable->span);
  extent->args.push_back(clone(*tensor.expr));
  loop.start = makeIndex(0, stmt.span);
  loop.stop = std::move(extent);
  loop.step = makeIndex(1, stmt.span);
  const ast::Expr *indexTarget = nullptr, *rowTarget = stmt.target.get();
  if (iterable.kind == ValueKind::Enumerate) {
    auto *pair = stmt.target->kind == ast::ExprKind::Tuple
                     ? static_cast<const ast::SequenceExpr *>(stmt.target.get())
                     : nullptr;
    if (!pair || pair->items.size() != 2) {
      report(Id::unpackCount, stmt.target->span, diag::counted(pair ? pair->items.size() : 1, "name"), "an index and a value");
      return bindUnknown(*frame_, stmt, blockId_);
    }
    indexTarget = pair->items[0].get();
    rowTarget = pair->items[1].get();
  }
  auto *indexName = as<ast::NameExpr>(indexTarget);
  loopBody(&loop, stmt.body, std::nullopt, [&] {
    Var *var = loop.var = newVar(indexName ? indexName->name : "row", indexType(), stmt.target->span);
    Value index = Value::of(ValueKind::Int);
    index.type = indexType();
    index = valueOfVar(var, index, stmt.target->span);
    varValues_[var] = index;
    if (indexName) {
      Binding binding;
      binding.value = index;
      binding.var = var;
      binding.block = blockId_;
      binding.span = indexTarget->span;
      frame_->names[indexName->name] = binding;
      noteBound(indexName->name, indexName->span);
    }
    assignTo(*rowTarget, hostItem(tensor, &index, stmt.iterable->span), stmt.target->span);
    return std::optional<Turns>();
  });
}

}  // namespace tessera::sema
