// Loops. What the compiler can decide is traced; the rest becomes For and While.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Models.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Draws.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Branches.h"
#include "sema/trace/Held.h"
#include "sema/trace/KnownTurns.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

static std::string stateOfOuterVars(const Context &cx, size_t count) {
  std::string state;
  for (size_t i = 0; i < count; ++i) {
    Var *var = cx.function.fn->vars[i].get();
    state += var->varying ? 'v' : '.';
    if (cx.function.otherDTypes.count(var)) state += 'd';
    if (auto kept = cx.function.keptExtents.find(var); kept != cx.function.keptExtents.end())
      for (const Dim &extent : kept->second) state += extent.str() + ",";
    auto it = cx.function.varValues.find(var);
    if (it == cx.function.varValues.end()) continue;
    for (const auto &limit : it->second.limits)
      state += limit ? limit->end.str() + (limit->zeroOutside ? "z," : ",") : ",";
  }
  return state;
}

bool goesOn(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::Continue) return true;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *inner) { return goesOn(*inner); });
  });
}
/// Whether each place of a name stands in a block that leaves the loop, or the function: then no turn comes behind it.
static bool onlyWhereLeft(const ast::Block &block, const std::string &name) {
  const bool ends = !block.empty() && (block.back()->kind == ast::StmtKind::Return || block.back()->kind == ast::StmtKind::Break);
  const bool leaves = ends && !goesOn(block);
  return leaves || std::all_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    const bool loops = stmt->kind == ast::StmtKind::For || stmt->kind == ast::StmtKind::While;
    const ast::Children below = ast::childrenOf(*stmt);
    if (std::any_of(below.exprs.begin(), below.exprs.end(), [&](const ast::Expr *e) { return mentions(*e, name); })) return false;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::all_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return !loops && onlyWhereLeft(*inner, name); });
  });
}
static Names notOnlyWhereLeft(const ast::Block &body, const Names &names) {
  Names used;
  for (const auto &[name, binding] : names)
    if (!binding.value.handle || !onlyWhereLeft(body, name)) used.insert({name, binding});
  return used;
}

void loopBody(Context &cx, Stmt *loop, const ast::Block &body, std::optional<Span> cause, const std::function<std::optional<Turns>()> &prepare,
              const std::function<void()> &check) {
  std::set<std::string> assigned;
  Names before = cx.function.frame->names;
  RowsPerTurn rows;
  for (int round = 0;; ++round) {
    if (round > 0) roomForTurns(cx, before, rows, loop->span);
    if (round > 1) cx.function.keptExtents.clear();  // one tensor gives another what it is no more: enough is known
    if (round > 1 && !cx.function.otherDTypes.empty()) cx.function.otherDTypes.insert(cx.function.rebindable.begin(), cx.function.rebindable.end());
    size_t diagnostics = cx.diagnostics.all().size(), vars = cx.function.fn->vars.size(),
           requirements = cx.function.fn->requirements.size();
    auto reported = cx.reportedSpans;
    auto unknown = cx.unknownNames;
    size_t failures = cx.failures;
    shape::Facts facts = cx.function.facts;
    SpentValues spent = cx.spent;
    std::string state = stateOfOuterVars(cx, vars);
    Block *outer = cx.function.block;
    int outerId = cx.blockId;
    cx.function.block = &loop->body;
    cx.blockId = ++cx.nextBlockId;
    ++cx.function.conditionDepth;
    enterVarying(cx, cause.has_value(), cause.value_or(Span{}));
    cx.function.loopMarks.push_back(vars);
    Divergence outside = cx.function.divergence;
    cx.function.divergence.cause = {};
    cx.function.divergence.leftLoop = false;
    const std::optional<Turns> turns = prepare();
    startTurn(cx, before, turns, rows);
    if (check) check();
    else checkBlock(cx, body);
    bool counted = countRows(cx, before, turns, body, rows, loop->span);
    cx.function.frame->returned = false;
    leftByBreak(cx, outside.done.size());
    cx.function.divergence.cause = outside.cause;
    cx.function.divergence.leftLoop = outside.leftLoop;
    cx.function.loopMarks.pop_back();
    leaveVarying(cx, cause.has_value());
    --cx.function.conditionDepth;
    cx.function.block = outer;
    cx.blockId = outerId;
    cx.function.facts = std::move(facts);
    const bool listed = foundItemsOfLists(cx, before);
    if (!listed && ((counted && state == stateOfOuterVars(cx, vars)) || round >= 3)) {
      usedUpInLoop(cx, spent, notOnlyWhereLeft(body, before));
      break;
    }
    cx.spent = std::move(spent);
    loop->body.clear();
    cx.diagnostics.truncate(diagnostics);
    cx.reportedSpans = std::move(reported);
    cx.unknownNames = std::move(unknown);
    cx.failures = failures;
    cx.function.fn->requirements.resize(requirements);
    cx.function.frame->names = before;
    while (cx.function.fn->vars.size() > vars) {
      Var *var = cx.function.fn->vars.back().get();
      cx.function.symVars.erase(symName(var));
      cx.function.varValues.erase(var);
      cx.function.rebindable.erase(var);
      cx.function.keptExtents.erase(var);
      cx.function.otherDTypes.erase(var);
      cx.function.heldWidths.erase(var);
      if (auto &returned = cx.function.frame->loopReturn; returned && returned->done == var) returned.reset();
      cx.function.temps.erase(var);
      cx.function.fn->vars.pop_back();
    }
  }
  Names after = std::move(cx.function.frame->names);
  cx.function.frame->names = before;
  dropDeleted(after);
  endTurns(cx, rows);
  for (auto &[name, binding] : cx.function.frame->names) {  // a stream that was renewed: another one each turn
    auto it = after.find(name);
    if (it != after.end() && it->second.value.isPoison()) {
      binding.value = Value::poison();
      binding.var = nullptr;
    }
    if (it != after.end() && it->second.value.handle != binding.value.handle) binding.value.handle = newHandle(cx);
  }
  for (const auto &[name, binding] : after) {
    auto it = before.find(name);
    if (it != before.end() && it->second.var == binding.var && it->second.block == binding.block) continue;
    if (it != before.end() && it->second.isBound() && !it->second.value.isPoison() && !binding.value.isPoison() &&
        binding.block == it->second.block)
      continue;
    Binding half = binding;
    if (!half.unassigned.valid() && !half.value.isPoison()) half.unassigned = binding.span;
    cx.function.frame->names[name] = half;
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
static void withElse(Context &cx, const ast::Block &body, const ast::Block &otherwise, Span span,
                     const std::function<void()> &loop, bool isAlways = false) {
  LoopFrame frame;
  if (!otherwise.empty() && breaks(body)) {
    frame.broke = newVar(cx, "broke", scalarType(DType::Bool), span);
    frame.broke->reassigned = true;
    Stmt &let = emit(cx, StmtKind::Let, span);
    let.var = frame.broke;
    let.value = makeBool(false, span);
  }
  cx.function.frame->loops.push_back(frame);
  const size_t before = cx.function.block->size();
  loop();
  cx.function.frame->loops.pop_back();
  if (returnedInLoop(cx, before, otherwise, frame.broke, isAlways && !breaks(body))) return;
  if (!frame.broke) return checkBlock(cx, otherwise);
  std::vector<ExprPtr> args;
  args.push_back(makeRef(frame.broke, span));
  ExprPtr ended = makeElementwise(ElementwiseOp::Not, scalarType(DType::Bool), span, std::move(args));
  choice(cx, std::move(ended), otherwise, {}, {}, {}, span, span);
}

void jumpStmt(Context &cx, const ast::Stmt &stmt) {
  bool isBreak = stmt.kind == ast::StmtKind::Break;
  const LoopFrame loop = cx.function.frame->loops.empty() ? LoopFrame{} : cx.function.frame->loops.back();
  std::string word = isBreak ? "`break`" : "`continue`";
  if (loop.writtenOut >= 0) {
    if (cx.function.conditionDepth == loop.writtenOut) cx.function.frame->jump = isBreak ? Jump::Break : Jump::Continue;
    else
      unsupported(cx, word + " under a condition that only run time knows, in a loop that the compiler writes out",
                  stmt.span);
    return;
  }
  if (inKernel(cx)) {
    unsupported(cx, word + " of a loop that runs, in a kernel", stmt.span);
    return;
  }
  leavesIteration(cx, isBreak);
  if (isBreak && loop.broke) {
    Stmt &left = emit(cx, StmtKind::Assign, stmt.span);
    left.var = loop.broke;
    left.value = makeBool(true, stmt.span);
  }
  emit(cx, isBreak ? StmtKind::Break : StmtKind::Continue, stmt.span);
}

/// A condition that takes statements, as `while norm(r) > 0.1:` does, and `while i < row[u]:` in functions of tensors: each turn
/// begins with them, and may end there.
static void askedInside(Context &cx, const ast::WhileStmt &stmt) {
  Stmt &loop = emit(cx, StmtKind::While, stmt.span);
  loop.condition = makeBool(true, stmt.condition->span);
  loopBody(cx, &loop, stmt.body, std::nullopt, [&] {
    const size_t turn = cx.function.operandsInTurn.size();
    Value holds = checkExpr(cx, *stmt.condition);
    forgetOperands(cx, turn);
    ExprPtr c = holds.isPoison() ? nullptr : conditionExpr(cx, holds, stmt.condition->span);
    if (!c) return std::optional<Turns>();
    std::vector<ExprPtr> args;
    args.push_back(std::move(c));
    Stmt &ends = emit(cx, StmtKind::If, stmt.condition->span);
    ends.condition = makeElementwise(ElementwiseOp::Not, scalarType(DType::Bool), stmt.condition->span, std::move(args));
    auto leave = std::make_unique<Stmt>();
    leave->kind = StmtKind::Break;
    leave->span = stmt.condition->span;
    ends.body.push_back(std::move(leave));
    return std::optional<Turns>();
  });
  keepLastTurn(cx, loop, stmt.body, false, stmt.span, stmt.condition->span);
}

/// As often as known numbers say.
static void writtenOutWhile(Context &cx, const ast::WhileStmt &stmt, int64_t turns) {
  for (int64_t turn = 0; turn < turns && !cx.function.frame->returned && !exhausted(cx); ++turn) {
    cx.function.frame->loops.push_back({cx.function.conditionDepth, nullptr});
    checkBlock(cx, stmt.body);
    cx.function.frame->loops.pop_back();
  }
  if (!cx.function.frame->returned && !exhausted(cx)) checkBlock(cx, stmt.otherwise);
}

void whileStmt(Context &cx, const ast::WhileStmt &stmt) {
  if (neverEnds(cx, stmt)) return;
  if (auto turns = knownTurnsOf(cx, stmt)) return writtenOutWhile(cx, stmt, *turns);
  holdGrowingLists(cx, stmt.body);
  holdGrowingDicts(cx, stmt.body);
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(cx, assigned, stmt.span);
  const size_t emitted = cx.function.block->size(), turn = cx.function.operandsInTurn.size();
  auto kept = std::exchange(cx.function.keptExtents, {});  // the condition is looked at once, before the body is
  Value condition = checkExpr(cx, *stmt.condition);
  cx.function.keptExtents = std::move(kept);
  if (condition.isPoison()) return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  if (auto known = knownCondition(condition)) {
    if (!*known) return checkBlock(cx, stmt.otherwise);
    if (!inHost(cx) && (inKernel(cx) || !leaves(stmt.body))) {
      report(cx, Id::badConstant, stmt.condition->span, "this loop never ends");
      return;
    }
  }
  if (cx.function.block->size() != emitted && !inKernel(cx)) {
    cx.function.block->resize(emitted);
    forgetOperands(cx, turn);
    return withElse(cx, stmt.body, stmt.otherwise, stmt.span, [&] { askedInside(cx, stmt); });
  }
  if (cx.function.block->size() != emitted) {
    unsupported(cx, "this condition of a loop", stmt.condition->span);
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  ExprPtr c = conditionExpr(cx, condition, stmt.condition->span);
  if (!c) return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  bool varying = isVarying(*c);
  withElse(cx, stmt.body, stmt.otherwise, stmt.span, [&] {
    Stmt &loop = emit(cx, StmtKind::While, stmt.span);
    loop.condition = std::move(c);
    loopBody(cx, &loop, stmt.body, varying ? std::optional(stmt.condition->span) : std::nullopt,
             [] { return std::optional<Turns>(); });
    if (!varying) keepLastTurn(cx, loop, stmt.body, knownCondition(condition).value_or(false), stmt.span, stmt.condition->span);
  }, knownCondition(condition).value_or(false));
}

static void unrolledFor(Context &cx, const ast::ForStmt &stmt, const std::vector<Value> &items, LayerLoop *layers = nullptr);
static void rangeFor(Context &cx, const ast::ForStmt &stmt, const Value &range, LayerLoop *layers = nullptr);
static void downwardFor(Context &cx, const ast::ForStmt &stmt, const ast::NameExpr &target, const Value &range);
static void rowsFor(Context &cx, const ast::ForStmt &stmt, const Value &iterable);
static void stackFor(Context &cx, const ast::ForStmt &stmt, const Value &iterable);

void forStmt(Context &cx, const ast::ForStmt &stmt) {
  if (stmt.isAsync) {
    unsupported(cx, "`async for`", stmt.span);
    return;
  }
  Value iterable = iteratedStruct(cx, checkExpr(cx, *stmt.iterable), stmt.iterable->span);
  if (isHeldDict(iterable)) iterable = partsOfDict(cx, iterable, "keys", stmt.iterable->span);
  if (iterable.kind == ValueKind::Dict) iterable = keysOfDict(iterable);
  auto runs = [&](const std::function<void()> &loop) {
    holdGrowingLists(cx, stmt.body);
    holdGrowingDicts(cx, stmt.body);
    withElse(cx, stmt.body, stmt.otherwise, stmt.span, loop);
  };
  switch (iterable.kind) {
  case ValueKind::Poison: return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  case ValueKind::Tuple:
  case ValueKind::List: return unrolledFor(cx, stmt, iterable.items);
  case ValueKind::Range:
    lastTurnOnly(cx, stmt);
    if (isLoopOfLayers(cx, iterable)) {
      auto items = knownRange(cx, iterable, stmt.iterable->span, "a loop of layers");
      if (!items) return;
      LayerLoop layers(cx, stmt, static_cast<int64_t>(items->size()));
      return layers.stays() ? runs([&] { rangeFor(cx, stmt, iterable, &layers); }) : unrolledFor(cx, stmt, *items, &layers);
    }
    iterable.unrolled |= needsKnownTurns(cx, stmt, iterable);
    return iterable.unrolled ? rangeFor(cx, stmt, iterable) : runs([&] { rangeFor(cx, stmt, iterable); });
  case ValueKind::String:
    if (inHost(cx)) return runs([&] { rowsFor(cx, stmt, iterable); });
    break;
  case ValueKind::HostTensor: return runs([&] { rowsFor(cx, stmt, iterable); });
  case ValueKind::Array:
    if (!hasRows(cx, iterable)) break;
    return runs([&] { stackFor(cx, stmt, iterable); });
  case ValueKind::Struct:
    if (!iterable.isStack()) break;
    return runs([&] { stackFor(cx, stmt, iterable); });
  case ValueKind::Zip:
    if (iterable.items[0].kind == ValueKind::HostTensor) return runs([&] { rowsFor(cx, stmt, iterable); });
    return runs([&] { stackFor(cx, stmt, iterable); });
  case ValueKind::Enumerate:
    if (iterable.items[0].kind == ValueKind::HostTensor || iterable.items[0].kind == ValueKind::String || (iterable.items[0].kind == ValueKind::Zip && iterable.items[0].items[0].kind == ValueKind::HostTensor))
      return runs([&] { rowsFor(cx, stmt, iterable); });
    return runs([&] { stackFor(cx, stmt, iterable); });
  default: break;
  }
  if (!reportNone(cx, iterable, stmt.iterable->span))
    report(cx, Id::notIterable, stmt.iterable->span, describe(cx, iterable));
  bindUnknown(*cx.function.frame, stmt, cx.blockId);
}

static void unrolledFor(Context &cx, const ast::ForStmt &stmt, const std::vector<Value> &items, LayerLoop *layers) {
  int64_t turn = 0;
  for (const Value &item : items) {
    if (layers) layers->beginTurn(Value::integer(Dim(turn++)));
    comprehensionTarget(cx, *stmt.target, item);
    cx.function.frame->loops.push_back({cx.function.conditionDepth, nullptr});
    checkBlock(cx, stmt.body);
    cx.function.frame->loops.pop_back();
    if (layers) layers->endTurn();
    Jump jump = std::exchange(cx.function.frame->jump, Jump::None);
    if (cx.function.frame->returned || exhausted(cx) || jump == Jump::Break) return;
  }
  checkBlock(cx, stmt.otherwise);
}

/// What a loop asks to have fetched ahead goes into the schedule: "k0=2, k1=4".
static void notePrefetch(Context &cx, const std::string &loop, int64_t steps) {
  std::string &all = cx.function.fn->kernel.schedule.options["prefetch"];
  std::string mine = loop + "=" + std::to_string(steps);
  if ((", " + all + ",").find(", " + mine + ",") != std::string::npos) return;
  all += (all.empty() ? "" : ", ") + mine;
}

/// A name for the number of the turn.
static void bindCounter(Context &cx, const ast::NameExpr &name, Var *var, const Value &index) {
  Binding binding;
  binding.value = index;
  binding.var = var;
  binding.block = cx.blockId;
  binding.span = name.span;
  cx.function.frame->names[name.name] = binding;
  noteBinding(cx, name.name, name.span);
}

static void rangeFor(Context &cx, const ast::ForStmt &stmt, const Value &range, LayerLoop *layers) {
  const Value &start = range.items[0], &stop = range.items[1], &step = range.items[2];
  if (step.isKnownInt() && step.sym.constant() == 0) {
    report(cx, Id::badConstant, stmt.iterable->span, "the step of a range must not be 0");
    return;
  }
  bool down = step.isKnownInt() && step.sym.constant() < 0;
  if (range.unrolled) {
    auto items = knownRange(cx, range, stmt.iterable->span, "a static range");
    return items ? unrolledFor(cx, stmt, *items) : void();
  }
  auto *target = as<ast::NameExpr>(stmt.target);
  if (!target) {
    if (fresh(cx, Id::notIterable, stmt.target->span))
      report(cx, Id::notIterable, stmt.target->span, "an integer").label("these names take apart a tuple");
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(cx, assigned, stmt.span);
  if (down) return downwardFor(cx, stmt, *target, range);
  // By at least 1: of sizes it is proved or checked at the entry; run time knows the others, and stops.
  std::set<std::string> vars;
  step.sym.collectVars(vars);
  shape::Formula forward(step.sym, shape::Relation::Ge, Dim(1));
  if (!inHost(cx) && std::all_of(vars.begin(), vars.end(), shape::isDimensionName) &&
      !claim(cx, forward, show(cx, forward), stmt.iterable->span)) {
    auto builder = report(cx, Id::badConstant, stmt.iterable->span, "the step of a range must be at least 1");
    explainClaim(cx, builder, forward);
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  Stmt &loop = emit(cx, StmtKind::For, stmt.span);
  loop.start = indexExpr(cx, start, stmt.iterable->span);
  loop.stop = indexExpr(cx, stop, stmt.iterable->span);
  loop.step = indexExpr(cx, step, stmt.iterable->span);
  bool varying = isVarying(*loop.start) || isVarying(*loop.stop) || isVarying(*loop.step);
  if (range.items.size() > 3) notePrefetch(cx, target->name, range.items[3].sym.constant());
  bool steady = !mentionsRebound(cx, start.sym) && !mentionsRebound(cx, stop.sym);
  const bool ofData = isOfData(cx, start.sym) || isOfData(cx, stop.sym);
  auto *call = as<ast::CallExpr>(stmt.iterable);
  bool byOne = step.sym == Dim(1) && call && call->arguments.size() < 3;
  if (byOne) lanesWalkTogether(cx, stmt, start, stop);
  const Dim turns = Dim::ceilDiv(cx.function.facts.nonNegative(stop.sym - start.sym) ? stop.sym - start.sym : Dim::max(stop.sym - start.sym, Dim(0)), step.sym);
  const auto lists = varying || !steady || layers ? std::vector<std::string>() : listsOfTurns(cx, stmt.body, turns);
  loopBody(cx, &loop, stmt.body, varying ? std::optional(stmt.iterable->span) : std::nullopt, [&] {
    Var *var = loop.var = newVar(cx, target->name, indexType(), stmt.target->span);
    var->varying = varying;
    if (ofData) cx.function.ofData.insert(symName(var));
    else if (steady) cx.function.counters.insert(symName(var));
    if (inKernel(cx) && steady && isOfData(cx, stop.sym)) cx.function.dataEnds[symName(var)] = {stop.sym, step.sym};
    if (byOne) cx.function.loopsByOne[symName(var)] = stmt.iterable->span;
    Value counter = Value::of(ValueKind::Int);
    counter.type = indexType();
    counter = cx.function.varValues[var] = valueOfVar(var, counter, stmt.target->span);
    bindCounter(cx, *target, var, counter);
    if (layers) layers->beginTurn(counter);
    if (!steady) return std::optional<Turns>();
    Dim i = Dim::var(symName(var));
    cx.function.facts.addNonNegative(i - start.sym);
    cx.function.facts.addNonNegative(stop.sym - Dim(1) - i);
    if (!inKernel(cx) && step.isKnownInt() && step.sym.constant() > 1) cx.function.facts.addMultiple(i - start.sym, step.sym);
    return std::optional(
        Turns{Dim::floorDiv(i - start.sym, step.sym), Dim::ceilDiv(Dim::max(stop.sym - start.sym, Dim(0)), step.sym)});
  });
  if (!varying) keepLastTurn(cx, loop, stmt, start, stop);
  if (!lists.empty()) stackTurns(cx, lists, Dim::floorDiv(Dim::var(symName(loop.var)) - start.sym, step.sym), turns, loop);
}

/// `for i in range(a, b, -s)`: the turns are counted up, and i is a - s * turn.
static void downwardFor(Context &cx, const ast::ForStmt &stmt, const ast::NameExpr &target, const Value &range) {
  const Value &start = range.items[0], &stop = range.items[1], &step = range.items[2];
  Span span = stmt.iterable->span;
  auto whole = [&](ElementwiseOp op, Value a, Value b) { return intElementwise(cx, op, {a, b}, span, "range"); };
  Value by = Value::integer(Dim(0) - step.sym), one = Value::integer(Dim(1));
  Value room = whole(ElementwiseOp::Sub, whole(ElementwiseOp::Add, whole(ElementwiseOp::Sub, start, stop), by), one);
  Value turns = whole(ElementwiseOp::FloorDiv, room, by);
  Stmt &loop = emit(cx, StmtKind::For, stmt.span);
  loop.start = makeIndex(0, span);
  loop.stop = indexExpr(cx, turns, span);
  loop.step = makeIndex(1, span);
  bool varying = isVarying(*loop.stop);
  Var *var = newVar(cx, target.name + "_turn", indexType(), stmt.target->span);
  loop.var = var;
  var->varying = varying;
  bool steady = !mentionsRebound(cx, start.sym) && !mentionsRebound(cx, stop.sym);
  loopBody(cx, &loop, stmt.body, varying ? std::optional(span) : std::nullopt, [&] {
    Value v = Value::of(ValueKind::Int);
    v.type = indexType();
    Value turn = cx.function.varValues[var] = valueOfVar(var, v, stmt.target->span);
    Binding binding;
    binding.value =
        reusable(cx, whole(ElementwiseOp::Sub, start, whole(ElementwiseOp::Mul, by, turn)), target.name, target.span);
    if (binding.value.expr && binding.value.expr->kind == ExprKind::VarRef) binding.var = binding.value.expr->as<node::VarRef>().var;
    binding.block = cx.blockId;
    binding.span = stmt.target->span;
    cx.function.frame->names[target.name] = binding;
    noteBinding(cx, target.name, target.span);
    cx.function.facts.addNonNegative(turn.sym);
    if (!steady) return std::optional<Turns>();
    cx.function.facts.addNonNegative(start.sym - binding.value.sym);
    cx.function.facts.addNonNegative(binding.value.sym - stop.sym - Dim(1));
    return std::optional(Turns{turn.sym, Dim::max(turns.sym, Dim(0))});
  });
  if (!varying) keepLastTurn(cx, loop, stmt, stop, start);
}

namespace {
/// What a loop over rows binds: `row`, and the index of `for i, row in enumerate(...)`.
struct RowTargets {
  const ast::Expr *index = nullptr;
  const ast::Expr *row = nullptr;
};

/// Nothing after a message.
std::optional<RowTargets> rowTargets(Context &cx, const ast::ForStmt &stmt, const Value &iterable) {
  if (iterable.kind != ValueKind::Enumerate) return RowTargets{nullptr, stmt.target.get()};
  auto *pair =
      stmt.target->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(stmt.target.get()) : nullptr;
  if (pair && pair->items.size() == 2) return RowTargets{pair->items[0].get(), pair->items[1].get()};
  report(cx, Id::unpackCount, stmt.target->span, diag::counted(pair ? pair->items.size() : 1, "name"),
         "an index and a value");
  return std::nullopt;
}
}  // namespace

bool hasRows(const Context &cx, const Value &value) {
  if (value.kind == ValueKind::Enumerate) return hasRows(cx, value.items[0]);
  if (value.kind == ValueKind::Zip) return std::all_of(value.items.begin(), value.items.end(), [&](const Value &one) { return hasRows(cx, one); });
  return value.isStack() || (value.isArray() && !value.type.shape.empty() && cx.function.fn && cx.function.block && !inKernel(cx) && !inHost(cx));
}

Value rowAt(Context &cx, const Value &rows, const Value &index, Span span) {
  if (rows.kind == ValueKind::Enumerate) {
    Value number = rows.items.size() > 1 ? intElementwise(cx, ElementwiseOp::Add, {rows.items[1], index}, span, "enumerate") : index;
    return Value::tuple({std::move(number), rowAt(cx, rows.items[0], index, span)});
  }
  if (rows.kind == ValueKind::Zip) {
    Value all = Value::of(ValueKind::Tuple);
    for (const Value &one : rows.items) all.items.push_back(rowAt(cx, one, index, span));
    return all;
  }
  if (rows.kind == ValueKind::Array) return rowOfArray(cx, rows, index, span);
  Value one = rowOfStack(cx, rows, index, span);
  if (one.kind == ValueKind::Struct) one.inner = std::make_shared<const Value>(index);
  return one;
}

Value countOfRows(Context &cx, const Value &rows, Span span) {
  if (rows.kind == ValueKind::Enumerate || rows.kind == ValueKind::Zip) return countOfRows(cx, rows.items[0], span);
  return rows.kind == ValueKind::Array ? Value::integer(rows.type.shape[0]) : lengthOfStack(cx, rows, span);
}

/// `for row in x` over the first axis of a tensor, `for layer in layers`, `for i, layer in enumerate(layers)`,
/// `for layer, cache in zip(layers, caches)` over stacks of structs: a loop of run time, whose names stand for parts of the arrays.
static void stackFor(Context &cx, const ast::ForStmt &stmt, const Value &iterated) {
  const auto targets = rowTargets(cx, stmt, iterated);
  if (!targets) return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  prepareRebinding(cx, assigned, stmt.span);
  const Span span = stmt.iterable->span;
  const Value iterable = snapshot(cx, iterated, "rows", span);  // what the loop goes over stays what it was
  const Value count = countOfRows(cx, iterable, span);
  Stmt &loop = emit(cx, StmtKind::For, stmt.span);
  loop.start = makeIndex(0, span);
  loop.stop = indexExpr(cx, count, span);
  loop.step = makeIndex(1, span);
  auto *indexName = as<ast::NameExpr>(targets->index), *rowName = as<ast::NameExpr>(targets->row);
  const std::string called = indexName ? indexName->name : rowName ? rowName->name + "_index" : "index";
  const auto lists = listsOfTurns(cx, stmt.body, count.sym);
  loopBody(cx, &loop, stmt.body, std::nullopt, [&] {
    Var *var = loop.var = newVar(cx, called, indexType(), stmt.target->span);
    cx.function.counters.insert(symName(var));
    Value index = Value::of(ValueKind::Int);
    index.type = indexType();
    index = cx.function.varValues[var] = valueOfVar(var, index, stmt.target->span);
    const Dim turn = Dim::var(symName(var));
    cx.function.facts.addNonNegative(turn);
    cx.function.facts.addNonNegative(count.sym - Dim(1) - turn);
    Value row = rowAt(cx, iterable, index, span);
    if (iterable.kind == ValueKind::Enumerate) {
      if (indexName && iterable.items.size() == 1) bindCounter(cx, *indexName, var, index);
      else assignTo(cx, *targets->index, std::move(row.items[0]), stmt.target->span);
      row = Value(row.items[1]);
    }
    assignTo(cx, *targets->row, std::move(row), stmt.target->span);
    return inHost(cx) ? std::nullopt : std::optional(Turns{turn, Dim::max(count.sym, Dim(0))});
  });
  if (!inHost(cx)) keepLastTurn(cx, loop, stmt, Value::integer(Dim(0)), count);
  stackTurns(cx, lists, Dim::var(symName(loop.var)), count.sym, loop);
}

/// Names of the target that stand for texts which the compiler knows: each turn gives them another one.
static void collectKnownTexts(const Context &cx, const ast::Expr &target, std::set<std::string> &names) {
  if (auto *name = as<ast::NameExpr>(&target)) {
    auto bound = cx.function.frame->names.find(name->name);
    const ValueKind kind = bound != cx.function.frame->names.end() && bound->second.isBound() ? bound->second.value.kind : ValueKind::Poison;
    if (kind == ValueKind::String || kind == ValueKind::Int || kind == ValueKind::Float || kind == ValueKind::Bool) names.insert(name->name);
  }
  if (target.kind == ast::ExprKind::Tuple)
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(target).items) collectKnownTexts(cx, *item, names);
}

/// Host code: `for row in tensor`, `for x, y in zip(xs, ys)` and `for i, row in enumerate(tensor)`.
static void rowsFor(Context &cx, const ast::ForStmt &stmt, const Value &iterable) {
  const Value rows = iterable.kind == ValueKind::Enumerate ? iterable.items[0] : iterable;
  std::vector<Value> tensors = rows.kind == ValueKind::Zip ? rows.items : std::vector<Value>{rows};
  for (Value &text : tensors)  // characters, one after the other
    if (text.kind == ValueKind::String) text = asVariable(cx, text, "text", stmt.iterable->span);
  std::set<std::string> assigned;
  collectAssigned(stmt.body, assigned);
  collectKnownTexts(cx, *stmt.target, assigned);
  prepareRebinding(cx, assigned, stmt.span);
  ExprPtr stop;
  for (const Value &tensor : tensors) {  // as many as the shortest has
    ExprPtr extent = makeExpr(ExprKind::HostShape, indexType(), stmt.iterable->span);
    if (tensor.kind == ValueKind::String) extent = indexExpr(cx, hostTextCall(cx, "text_length", tensor, stmt.iterable->span), stmt.iterable->span);
    else extent->args.push_back(clone(*tensor.expr));
    std::vector<ExprPtr> both;
    if (stop) both.push_back(std::move(stop)), both.push_back(std::move(extent));
    stop = both.empty() ? std::move(extent) : makeElementwise(ElementwiseOp::Min, indexType(), stmt.iterable->span, std::move(both));
  }
  Stmt &loop = emit(cx, StmtKind::For, stmt.span);
  loop.start = makeIndex(0, stmt.span);
  loop.stop = std::move(stop);
  loop.step = makeIndex(1, stmt.span);
  const auto targets = rowTargets(cx, stmt, iterable);
  if (!targets) return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  auto *indexName = as<ast::NameExpr>(targets->index);
  loopBody(cx, &loop, stmt.body, std::nullopt, [&] {
    Var *var = loop.var = newVar(cx, indexName ? indexName->name : "row", indexType(), stmt.target->span);
    Value index = Value::of(ValueKind::Int);
    index.type = indexType();
    index = valueOfVar(var, index, stmt.target->span);
    cx.function.varValues[var] = index;
    if (indexName && iterable.items.size() == 1) bindCounter(cx, *indexName, var, index);
    else if (targets->index)
      assignTo(cx, *targets->index, iterable.items.size() == 1 ? index : intElementwise(cx, ElementwiseOp::Add, {iterable.items[1], index}, stmt.target->span, "enumerate"), stmt.target->span);
    Value row = Value::of(ValueKind::Tuple);
    for (const Value &tensor : tensors) row.items.push_back(tensor.kind == ValueKind::String ? characterAt(cx, tensor, index, stmt.iterable->span) : hostItem(cx, tensor, &index, stmt.iterable->span));
    assignTo(cx, *targets->row, rows.kind == ValueKind::Zip ? std::move(row) : std::move(row.items[0]), stmt.target->span);
    return std::optional<Turns>();
  });
  keepLastTurn(cx, loop, stmt.body, false, stmt.span, stmt.iterable->span);
}

}  // namespace tessera::sema
