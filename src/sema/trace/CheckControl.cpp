// Conditions. What the compiler can decide is traced; the rest becomes If.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Draws.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Branches.h"
#include "sema/trace/Held.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
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
    for (const auto &item : static_cast<const ast::SequenceExpr &>(target).items) collectTargets(*item, names);
}

void collectAssigned(const ast::Block &block, std::set<std::string> &names) {
  for (const ast::StmtPtr &stmt : block) collectAssigned(*stmt, names);
}

void collectAssigned(const ast::Stmt &stmt, std::set<std::string> &names) {
  if (auto *s = as<ast::AssignStmt>(&stmt))
    for (const auto &t : s->targets) collectTargets(*t, names);
  else if (auto *s = as<ast::AnnAssignStmt>(&stmt)) collectTargets(*s->target, names);
  else if (auto *s = as<ast::AugAssignStmt>(&stmt)) collectTargets(*s->target, names);
  else if (auto *s = as<ast::IfStmt>(&stmt)) collectAssigned(s->then, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::WhileStmt>(&stmt)) collectAssigned(s->body, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::ForStmt>(&stmt)) collectAssigned(s->body, names), collectAssigned(s->otherwise, names);
  else if (auto *s = as<ast::WithStmt>(&stmt)) collectAssigned(s->body, names);
  else if (stmt.kind == ast::StmtKind::Try)
    for (const ast::Block *part : ast::blocksOf(stmt)) collectAssigned(*part, names);
}

// ---------------------------------------------------------------- if

void dropDeleted(std::map<std::string, Binding> &names) {
  for (auto it = names.begin(); it != names.end();) it = it->second.deleted.valid() ? names.erase(it) : std::next(it);
}

static bool isTree(const Value &v) { return (v.isSequence() || v.kind == ValueKind::Struct) && !v.items.empty(); }

static Names branch(Context &cx, Block &into, const ast::Block &body, const std::vector<shape::Formula> &implies,
                    const std::set<std::string> &shared, std::optional<Span> returns = std::nullopt) {
  Names before = cx.function.frame->names;
  shape::Facts facts = cx.function.facts;
  Block *outer = cx.function.block;
  int outerId = cx.blockId;
  cx.function.block = &into;
  cx.blockId = ++cx.nextBlockId;
  ++cx.function.conditionDepth;
  cx.function.loopMarks.push_back(cx.function.fn->vars.size());
  for (const shape::Formula &fact : implies) cx.function.facts.add(fact);
  cx.function.path.push_back(implies.empty() ? std::nullopt : std::optional(shape::Formula::all(implies)));
  if (returns) ++cx.function.frame->ways;
  checkBlock(cx, body);
  if (returns) endBranch(cx, *returns), --cx.function.frame->ways;
  cx.function.path.pop_back();
  cx.function.frame->returned = false;
  for (const std::string &name : shared) {  // known numbers, structs and tuples that both branches give
    auto it = cx.function.frame->names.find(name);
    if (it == cx.function.frame->names.end() || it->second.var) continue;
    Value &v = it->second.value;
    if (isTree(v) && !v.isState() && !before.count(name)) v = onThisWay(cx, std::move(v), name, true, it->second.span);
    const bool isText = v.kind == ValueKind::String && !v.expr && inHost(cx);
    if (v.kind != ValueKind::Int && v.kind != ValueKind::Float && v.kind != ValueKind::Bool && !isText) continue;
    Value made = asVariable(cx, v, name, it->second.span);
    it->second.var = made.expr->as<node::VarRef>().var;
    it->second.value = made;
  }
  cx.function.loopMarks.pop_back();
  --cx.function.conditionDepth;
  cx.function.block = outer;
  cx.blockId = outerId;
  cx.function.facts = std::move(facts);
  Names after = std::move(cx.function.frame->names);
  cx.function.frame->names = std::move(before);
  dropDeleted(after);
  return after;
}

/// Whether both branches bind the name to a variable of the same type.
static bool bindAlike(Context &cx, const Binding &a, const Binding &b) {
  bool same = a.value.kind == b.value.kind && a.var && b.var && (a.value.kind == ValueKind::Int || a.value.type.dtype == b.value.type.dtype) &&
              a.value.type.shape.size() == b.value.type.shape.size() && a.var->type.dtype == b.var->type.dtype;
  for (size_t i = 0; same && i < a.value.type.shape.size(); ++i)
    same = sameDim(cx, a.value.type.shape[i], b.value.type.shape[i], b.span, "");
  return same;
}

Binding mergeBindings(Context &cx, Stmt &stmt, const Binding &a, const Binding &b) {
  Var *var = a.var, *other = b.var;
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = a.span;
  let->var = var;
  let->value = anyValue(cx, var->type, a.span);
  var->reassigned = true;
  var->varying |= other->varying;
  for (Block *block : {&stmt.body, &stmt.otherwise})
    for (auto &s : *block)
      if (s->kind == StmtKind::Let && (s->var == var || s->var == other)) s->kind = StmtKind::Assign, s->var = var;
  visitExprs(stmt.otherwise, [&](Expr &e) {
    if (auto *ref = e.get<node::VarRef>(); ref && ref->var == other) ref->var = var;
  });
  std::function<void(Block &)> rename = [&](Block &block) {
    for (auto &s : block) {
      if (s->var == other) s->var = var;
      rename(s->body);
      rename(s->otherwise);
    }
  };
  rename(stmt.otherwise);
  cx.function.block->insert(cx.function.block->end() - 1, std::move(let));
  cx.function.facts.undefine(symName(var));
  Binding merged = a;
  merged.block = cx.blockId;
  merged.value = valueOfVar(var, a.value, a.span);
  meetDTypes(cx, var, a.value, b.value);
  for (size_t axis = 0; axis < merged.value.type.shape.size(); ++axis) {
    merged.value.limits.resize(merged.value.type.shape.size());
    const Limit *y = cx.function.varValues[other].limit(axis);
    auto &x = merged.value.limits[axis];
    if (!x && y) x = *y;
    else if (x && y && !(x->end == y->end)) x->end = Dim::min(x->end, y->end);
    if (x) x->zeroOutside = false;
  }
  cx.function.rebindable.insert(var);
  cx.function.varValues[var] = merged.value;
  return merged;
}

/// One stream in place of the two that the branches bind.
static Binding mergeStreams(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  auto set = [&](StmtKind kind, Var *var, ExprPtr value) {
    auto made = std::make_unique<Stmt>();
    made->kind = kind;
    made->span = a.span;
    made->var = var;
    made->value = std::move(value);
    return made;
  };
  Var *var = newVar(cx, name, keyType(), a.span);
  var->reassigned = true;
  var->varying = a.value.expr->as<node::VarRef>().var->varying || b.value.expr->as<node::VarRef>().var->varying || isVarying(*stmt.condition);
  stmt.body.push_back(set(StmtKind::Assign, var, clone(*a.value.expr)));
  stmt.otherwise.push_back(set(StmtKind::Assign, var, clone(*b.value.expr)));
  cx.function.block->insert(cx.function.block->end() - 1, set(StmtKind::Let, var, makeConstant(DType::I64, 0, a.span)));
  Binding merged = a;
  merged.block = cx.blockId;
  merged.value.expr = std::shared_ptr<Expr>(makeRef(var, a.span).release());
  if (auto spent = cx.spent.find(b.value.handle); spent != cx.spent.end()) cx.spent[a.value.handle] = spent->second;
  cx.function.rebindable.insert(var);
  return merged;
}

/// A number that the sizes give on one of the branches, and data on the other: one of data, as `return i` and `return -1` of a loop give it.
static bool isOfDataOnce(const Value &a, const Value &b) {
  auto isData = [](const Value &v) { return v.isScalar() && isInt(v.type.dtype) && v.type.dtype != DType::Bool; };
  return (a.kind == ValueKind::Int && isData(b)) || (b.kind == ValueKind::Int && isData(a));
}
static Binding mergeNumbers(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  const Value &data = a.value.kind == ValueKind::Int ? b.value : a.value;
  Var *var = newVar(cx, name, scalarType(data.type.dtype), a.span);
  var->reassigned = true;
  var->varying = isVarying(*stmt.condition);
  for (auto [block, one] : {std::pair(&stmt.body, &a), std::pair(&stmt.otherwise, &b)}) {
    Value number = castTo(cx, one->value, data.type.dtype, {}, one->span);
    auto set = std::make_unique<Stmt>();
    set->kind = StmtKind::Assign;
    set->span = one->span;
    set->var = var;
    set->value = takeExpr(number);
    var->varying |= isVarying(*set->value);
    block->push_back(std::move(set));
  }
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = a.span;
  let->var = var;
  let->value = anyValue(cx, var->type, a.span);
  cx.function.block->insert(cx.function.block->end() - 1, std::move(let));
  Binding merged = a;
  merged.var = var;
  merged.block = cx.blockId;
  Value like = Value::of(ValueKind::Array);
  like.type = var->type;
  merged.value = cx.function.varValues[var] = valueOfVar(var, like, a.span);
  cx.function.rebindable.insert(var);
  return merged;
}

/// `if c: return x`, and the function ends without a result where `c` is not met.
static void returnsOnOneWay(Context &cx, Span given, Span condition) {
  const Callable *function = cx.function.frame->function;
  if (fresh(cx, Id::missingReturn, condition))
    report(cx, Id::missingReturn, condition, function ? function->name : "this function")
        .label("on one of the ways from here")
        .note(given, "on the other one this is returned")
        .help("return a result behind it, or in an `else:`");
}

static bool isOfSameStruct(const Value &a, const Value &b) {
  return a.kind != ValueKind::Struct || (a.instance->info == b.instance->info && a.instance->stack.size() == b.instance->stack.size());
}

Binding mergeName(Context &cx, Stmt &stmt, const std::string &name, const Binding &a, const Binding &b) {
  if (bindAlike(cx, a, b)) return mergeBindings(cx, stmt, a, b);
  if ((name == kResult ? !isLeftToHost(cx) : inHost(cx)) && isOfDataOnce(a.value, b.value)) return mergeNumbers(cx, stmt, name == kResult ? "result" : name, a, b);
  if (a.value.kind == ValueKind::Rng && b.value.kind == ValueKind::Rng) return mergeStreams(cx, stmt, name, a, b);
  if (a.value.kind == ValueKind::State && b.value.kind == ValueKind::State) return mergeCaches(cx, stmt, name, a, b);
  bool trees = isTree(a.value) && a.value.kind == b.value.kind && (name == kResult || !a.value.isState());
  if (trees && a.value.items.size() == b.value.items.size() && isOfSameStruct(a.value, b.value)) return mergeTrees(cx, stmt, name, a, b);
  bool known = !a.var && !b.var && a.value.kind == b.value.kind && a.value.kind != ValueKind::Array && !isTree(a.value);
  if (known && a.value.sym == b.value.sym && a.value.text == b.value.text && a.value.number == b.value.number) return a;
  if (name == kResult && (a.value.kind == ValueKind::None) != (b.value.kind == ValueKind::None))
    returnsOnOneWay(cx, a.value.kind == ValueKind::None ? b.span : a.span, stmt.condition->span);
  else if (fresh(cx, Id::redefinedType, b.span))
    report(cx, Id::redefinedType, b.span, name, describe(cx, a.value), describe(cx, b.value))
        .note(a.span, "the other branch binds it here");
  Binding poison = a;
  poison.value = Value::poison();
  poison.var = nullptr;
  return poison;
}

/// A list to which both branches append as often: each item that they bring is one of both.
static void mergeLists(Context &cx, Stmt &stmt, const Names &before, const Names &thenNames, const Names &elseNames) {
  for (const auto &[name, old] : before) {
    auto a = thenNames.find(name), b = elseNames.find(name);
    if (old.value.kind != ValueKind::List || old.var || a == thenNames.end() || b == elseNames.end()) continue;
    const Value &x = a->second.value, &y = b->second.value;
    if (x.kind != ValueKind::List || y.kind != ValueKind::List) continue;
    const size_t known = old.value.items.size(), count = std::max(x.items.size(), y.items.size());
    if (count == known) continue;
    Binding &merged = cx.function.frame->names[name];
    if (x.items.size() != y.items.size()) {
      const bool more = x.items.size() > y.items.size();
      const std::string few = "a list of " + std::to_string(std::min(x.items.size(), y.items.size())), many = "a list of " + std::to_string(count);
      if (fresh(cx, Id::redefinedType, (more ? a : b)->second.span))
        report(cx, Id::redefinedType, (more ? a : b)->second.span, name, few, many)
            .note(stmt.condition->span, "only on one of the ways from here")
            .help("append on both ways, for example zeros or `where(condition, x, 0.0)`: how many items a list has is known when it is compiled");
      merged.value = Value::poison();
      merged.var = nullptr;
      continue;
    }
    for (size_t i = known; i < count; ++i) {
      auto item = [&](const Binding &whole) {
        Binding one = whole;
        one.value = whole.value.items[i];
        one.var = one.value.expr && one.value.expr->kind == ExprKind::VarRef && one.value.kind != ValueKind::Rng ? one.value.expr->as<node::VarRef>().var : nullptr;
        return one;
      };
      Value both = mergeName(cx, stmt, name, item(a->second), item(b->second)).value;
      if (both.isPoison()) {
        merged.value = Value::poison();
        break;
      }
      merged.value.items.push_back(std::move(both));
    }
  }
}
/// Whether nothing runs behind a block of host code: it leaves the loop, or raises an error.
static bool endsThere(const Block &block) {
  if (block.empty()) return false;
  const Stmt &last = *block.back();
  if (last.kind == StmtKind::Break || last.kind == StmtKind::Continue) return true;
  if (last.kind == StmtKind::If) return endsThere(last.body) && endsThere(last.otherwise);
  auto *call = last.kind == StmtKind::Evaluate && last.value ? last.value->get<node::HostCall>() : nullptr;
  return call && (call->function.starts_with("raise_") || call->function == "exit_program");
}
/// Whether what follows a condition can have a name of one way alone, since the other does not get there.
static bool isOfOneWay(const Block &other, const std::string &name, const Binding &binding) {
  if (!endsThere(other) || binding.unassigned.valid() || binding.value.isPoison()) return false;
  return binding.var || isTree(binding.value) || (!binding.value.expr && binding.value.kind != ValueKind::State);
}

/// Names that both branches bind get one variable before the condition; names of one branch may have no
/// value.
static void mergeBranches(Context &cx, Stmt &stmt, const Names &before, const Names &thenNames,
                          const Names &elseNames) {
  auto isNew = [&](const std::string &name) {
    auto it = before.find(name);
    return it == before.end() || !it->second.isBound();
  };
  for (const Names *names : {&thenNames, &elseNames})  // what one of them took the meaning of has none behind them
    for (const auto &[name, binding] : *names)
      if (!isNew(name) && binding.value.isPoison()) {
        cx.function.frame->names[name].value = Value::poison();
        cx.function.frame->names[name].var = nullptr;
      }
  mergeCounts(cx, before, thenNames, elseNames, stmt.condition->span);
  if (!thenNames.count(kResult)) mergeLists(cx, stmt, before, thenNames, elseNames);
  for (const auto &[name, a] : thenNames) {
    if (!isNew(name)) continue;
    auto it = elseNames.find(name);
    if (it == elseNames.end() && isOfOneWay(stmt.otherwise, name, a)) {
      cx.function.frame->names[name] = mergeName(cx, stmt, name, a, a);
      continue;
    }
    bool inBoth = it != elseNames.end() && !a.unassigned.valid() && !it->second.unassigned.valid();
    if (inBoth && !a.value.isPoison() && !it->second.value.isPoison()) {
      cx.function.frame->names[name] = mergeName(cx, stmt, name, a, it->second);
      continue;
    }
    Binding half = a;
    if (!half.unassigned.valid()) half.unassigned = a.span;
    if (a.value.isPoison() || (it != elseNames.end() && it->second.value.isPoison())) {
      half.value = Value::poison();
      half.var = nullptr;
      half.unassigned = {};
    }
    cx.function.frame->names[name] = half;
  }
  for (const auto &[name, b] : elseNames)
    if (isNew(name) && !thenNames.count(name) && isOfOneWay(stmt.body, name, b)) {
      std::swap(stmt.body, stmt.otherwise);  // as if it were the first side: variables are those of that one
      cx.function.frame->names[name] = mergeName(cx, stmt, name, b, b);
      std::swap(stmt.body, stmt.otherwise);
    } else if (isNew(name) && !thenNames.count(name)) {
      Binding half = b;
      if (!half.unassigned.valid() && !b.value.isPoison()) half.unassigned = b.span;
      cx.function.frame->names[name] = half;
    }
}

void ifStmt(Context &cx, const ast::IfStmt &stmt) {
  Value condition = checkExpr(cx, *stmt.condition);
  if (auto known = condition.isPoison() ? std::nullopt : knownCondition(condition)) {
    checkBlock(cx, *known ? stmt.then : stmt.otherwise);
    return;
  }
  ExprPtr c =
      condition.isPoison() ? makeBool(true, stmt.condition->span) : conditionExpr(cx, condition, stmt.condition->span);
  auto ends = [](const ast::Block &block) { return !block.empty() && block.back()->kind == ast::StmtKind::Return; };
  if ((!c || condition.isPoison()) && (ends(stmt.then) || ends(stmt.otherwise))) {
    cx.function.frame->returned = true;  // what it would return follows from the mistake
    cx.function.frame->results = {Value::poison()};
    return;
  }
  if (!c) c = makeBool(true, stmt.condition->span);
  if (inKernel(cx) && cx.function.conditionDepth == 0) noteLaneGuard(cx, condition.implies, stmt.condition->span);

  std::vector<shape::Formula> inside, outside;
  if (condition.fact && !mentionsRebound(cx, *condition.fact))
    inside = {*condition.fact}, outside = {condition.fact->negated()};
  else if (!condition.fact)  // what data decide, too: some of it holds for sizes where the whole does
    for (const Dim &atLeastZero : condition.implies)
      if (!mentionsRebound(cx, atLeastZero)) inside.push_back({atLeastZero, Relation::Ge, Dim(0)});
  bool returns = returnsOnSomeWay(cx, stmt);
  choice(cx, std::move(c), stmt.then, stmt.otherwise, inside, outside, stmt.span, stmt.condition->span, returns);
  if (returns) return returnMerged(cx);
  // What follows a branch that ends the function is reached on the other way only.
  auto leaves = [&](const ast::Block &block) {
    return ends(block) || (!block.empty() && block.back()->kind == ast::StmtKind::Raise);
  };
  if (leaves(stmt.then) != leaves(stmt.otherwise))
    for (const shape::Formula &fact : leaves(stmt.then) ? outside : inside) cx.function.facts.add(fact);
}

void choice(Context &cx, ExprPtr c, const ast::Block &then, const ast::Block &otherwise,
                   const std::vector<shape::Formula> &inside, const std::vector<shape::Formula> &outside, Span span,
                   Span condition, bool returns) {
  std::set<std::string> inThen, inElse, all, both;
  collectAssigned(then, inThen);
  collectAssigned(otherwise, inElse);
  all = inThen;
  all.insert(inElse.begin(), inElse.end());
  std::set_intersection(inThen.begin(), inThen.end(), inElse.begin(), inElse.end(), std::inserter(both, both.end()));
  if (returns) both.clear(), collectAssignedInRest(cx, all);
  for (const ast::Block *way : {&then, &otherwise}) holdGrowingLists(cx, *way, false), holdGrowingDicts(cx, *way);
  prepareRebinding(cx, all, span);
  bool varying = isVarying(*c);
  Stmt &out = emit(cx, StmtKind::If, span);
  out.condition = std::move(c);
  Names before = cx.function.frame->names;
  SpentValues spent = cx.spent;
  enterVarying(cx, varying, condition);
  const std::optional<Span> way = returns ? std::optional(span) : std::nullopt;
  Names thenNames = branch(cx, out.body, then, inside, both, way);
  std::swap(spent, cx.spent);
  Names elseNames = branch(cx, out.otherwise, otherwise, outside, both, way);
  leaveVarying(cx, varying);
  if (returns) keepResultOnly(before, thenNames), keepResultOnly(before, elseNames);
  mergeBranches(cx, out, before, thenNames, elseNames);
  mergeUsedUp(cx, before, thenNames, spent, elseNames, condition);
}

void enterVarying(Context &cx, bool varying, Span cause) {
  cx.function.varyingDepth += varying;
  if (varying) cx.function.varyingCauses.push_back(cause);
}
void leaveVarying(Context &cx, bool varying) {
  cx.function.varyingDepth -= varying;
  if (varying) cx.function.varyingCauses.pop_back();
}

}  // namespace tessera::sema
