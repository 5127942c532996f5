// Names that a loop binds first, and that are read behind it: where at least one turn is done, they hold what the last turn gave them.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Branches.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

namespace {

/// What the statements behind a place do with a name first: true for a read, false for a new value, nothing if it is not there.
std::optional<bool> readsFirst(const ast::Block &block, const std::string &name, uint32_t behind);

std::optional<bool> readsFirst(const ast::Stmt &stmt, const std::string &name, uint32_t behind) {
  if (stmt.span.end <= behind) return std::nullopt;
  const bool isWhole = stmt.span.begin >= behind;
  auto *assign = as<ast::AssignStmt>(&stmt);
  auto *loop = as<ast::ForStmt>(&stmt);
  if (isWhole && (assign || loop)) {
    if (mentions(assign ? *assign->value : *loop->iterable, name)) return true;
    auto isName = [&](const ast::Expr &target) { return target.kind == ast::ExprKind::Name; };
    std::vector<const ast::Expr *> targets;
    if (loop) targets.push_back(loop->target.get());
    else for (const ast::ExprPtr &target : assign->targets) targets.push_back(target.get());
    for (const ast::Expr *target : targets)
      if (mentions(*target, name)) return !isName(*target) && target->kind != ast::ExprKind::Tuple;
  } else if (isWhole) {
    for (const ast::Expr *part : ast::childrenOf(stmt).exprs)
      if (mentions(*part, name)) return true;
  }
  for (const ast::Block *block : ast::blocksOf(stmt))
    if (auto found = readsFirst(*block, name, behind)) return found;
  return std::nullopt;
}
std::optional<bool> readsFirst(const ast::Block &block, const std::string &name, uint32_t behind) {
  for (const ast::StmtPtr &stmt : block)
    if (auto found = readsFirst(*stmt, name, behind)) return found;
  return std::nullopt;
}

/// Where the first statement begins that may end a turn early; behind the body if there is none.
uint32_t firstJump(const ast::Block &body, uint32_t end) {
  for (const ast::StmtPtr &stmt : body) {
    using K = ast::StmtKind;
    if (stmt->kind == K::Break || stmt->kind == K::Continue || stmt->kind == K::Return) end = std::min(end, stmt->span.begin);
    if (stmt->kind == K::FuncDef) continue;
    for (const ast::Block *inner : ast::blocksOf(*stmt)) end = std::min(end, firstJump(*inner, end));
  }
  return end;
}

/// Whether the type of a variable says the same outside of the loop, and there is a value of it.
bool isOutside(Context &cx, const Type &type) {
  std::set<std::string> names;
  for (const Dim &extent : type.shape) extent.collectVars(names);
  const bool known = type.kind == TypeKind::Index || type.kind == TypeKind::Scalar || type.kind == TypeKind::HostTensor || type.kind == TypeKind::Tensor;
  return known && (type.kind != TypeKind::Tensor || (!inKernel(cx) && std::all_of(names.begin(), names.end(), shape::isDimensionName)));
}

void declareBefore(Context &cx, const Stmt &loop, Var *var, ExprPtr value, Span span) {
  auto let = std::make_unique<Stmt>();
  let->kind = StmtKind::Let;
  let->span = span;
  let->var = var;
  let->value = std::move(value);
  var->reassigned = true;
  Block &around = *cx.function.block;
  around.insert(std::find_if(around.begin(), around.end(), [&](const auto &stmt) { return stmt.get() == &loop; }), std::move(let));
}

}  // namespace

ExprPtr anyValue(Context &cx, const Type &type, Span span) {
  std::vector<ExprPtr> args;
  switch (type.kind) {
  case TypeKind::Index: return makeIndex(0, span);
  case TypeKind::String: return textExpr("", span);
  case TypeKind::HostTensor:
    args.push_back(textExpr("f32", span));
    return clone(*hostCall(cx, "zeros", std::move(args), span).expr);
  case TypeKind::Tensor: return broadcastTo(makeConstant(type.dtype, 0, span), type.shape);
  default: return makeConstant(type.dtype, 0, span);
  }
}

static void keepName(Context &cx, Stmt &loop, const std::string &name, Binding &binding) {
  Var *var = binding.var;
  if (!var || var == loop.var) {  // the number of the turn, or what is counted down by it: a copy stays behind
    ExprPtr counted = var ? makeRef(var, binding.span) : clone(*binding.value.expr);
    if (var) var->name = name + "_turn";
    var = newVar(cx, name, indexType(), binding.span);
    auto set = std::make_unique<Stmt>();
    set->kind = StmtKind::Assign;
    set->span = binding.span;
    set->var = var;
    set->value = std::move(counted);
    loop.body.insert(loop.body.begin(), std::move(set));
    declareBefore(cx, loop, var, makeIndex(0, binding.span), binding.span);
  } else {
    auto let = std::find_if(loop.body.begin(), loop.body.end(), [&](const auto &stmt) { return stmt->kind == StmtKind::Let && stmt->var == var; });
    if (let == loop.body.end() || !isOutside(cx, var->type)) return;
    (*let)->kind = StmtKind::Assign;
    declareBefore(cx, loop, var, anyValue(cx, var->type, binding.span), binding.span);
  }
  Value value = binding.value;
  value.limits.assign(value.type.shape.size(), std::nullopt);
  binding.var = var;
  binding.block = cx.blockId;
  binding.unassigned = {};
  cx.function.facts.undefine(symName(var));
  binding.value = cx.function.varValues[var] = valueOfVar(var, value, binding.span);
  if (value.kind == ValueKind::HostTensor) binding.value.rank = value.rank, binding.value.madeOf = value.madeOf;
  cx.function.rebindable.insert(var);
}

/// Behind the statements of a turn that a statement of the loop's body became. What functions became that it calls has spans elsewhere.
static std::ptrdiff_t behindStatement(const Stmt &loop, const ast::Block &body, Span bound) {
  auto holds = [&](const ast::StmtPtr &stmt) { return stmt->span.begin <= bound.begin && bound.end <= stmt->span.end; };
  auto own = std::find_if(body.begin(), body.end(), holds);
  const Span all = body.back()->span;
  const uint32_t end = own == body.end() ? all.end : (*own)->span.end;
  auto later = [&](const auto &stmt) { return stmt->span.file == all.file && stmt->span.begin >= end && stmt->span.end <= all.end; };
  return std::find_if(loop.body.begin(), loop.body.end(), later) - loop.body.begin();
}

/// A struct or a tuple that a turn binds: behind the loop each of its parts is what the last turn made of it.
static void keepTree(Context &cx, Stmt &loop, const ast::Block &body, const std::string &name, Binding &binding) {
  const std::ptrdiff_t first = std::ssize(loop.body), place = behindStatement(loop, body, binding.span);
  Block *around = std::exchange(cx.function.block, &loop.body);
  Value kept = onThisWay(cx, binding.value, name, true, binding.span);
  cx.function.block = around;
  const auto made = loop.body.begin() + first;
  if (made == loop.body.end() || !std::all_of(made, loop.body.end(), [&](const auto &stmt) { return stmt->kind == StmtKind::Let && isOutside(cx, stmt->var->type); })) {
    loop.body.resize(static_cast<size_t>(first));
    return;
  }
  for (auto it = made; it != loop.body.end(); ++it) {
    Var *var = (*it)->var;
    (*it)->kind = StmtKind::Assign;
    declareBefore(cx, loop, var, anyValue(cx, var->type, binding.span), binding.span);
    cx.function.facts.undefine(symName(var));
    cx.function.rebindable.insert(var);
  }
  std::rotate(loop.body.begin() + place, loop.body.begin() + first, loop.body.end());
  binding.value = std::move(kept);
  binding.block = cx.blockId;
  binding.unassigned = {};
}

/// A variable that a part of it lives in.
static const Var *firstVar(const Value &value) {
  if (value.expr && value.expr->kind == ExprKind::VarRef) return value.expr->as<node::VarRef>().var;
  for (const Value &item : value.items)
    if (const Var *var = firstVar(item)) return var;
  return nullptr;
}

static bool isKeptTree(const Value &v) { return (v.isSequence() || (v.kind == ValueKind::Struct && !v.isState())) && !v.items.empty(); }

/// Run time stops behind a loop that had no turn.
static void assertTurn(Context &cx, const std::string &name, Value start, Value stop, Span span) {
  Value holds = compareValues(cx, ast::CompareOp::Lt, std::move(start), std::move(stop), span);
  ExprPtr condition = holds.isPoison() ? nullptr : conditionExpr(cx, holds, span);
  ExprPtr text = condition ? formatExpr(cx, {}, {"`" + name + "` has no value: the loop that gives it one had no turn"}, span) : nullptr;
  if (!text) return;
  Stmt &stmt = emit(cx, StmtKind::Assert, span);
  stmt.condition = std::move(condition);
  stmt.value = std::move(text);
}

/// Behind the statement that gives `var` its value, a variable says that a turn was done; behind the loop it is asked.
static void assertSomeTurn(Context &cx, Stmt &loop, const Var *var, const std::string &name, Span span) {
  auto set = std::find_if(loop.body.begin(), loop.body.end(), [&](const auto &stmt) { return stmt->kind == StmtKind::Assign && stmt->var == var; });
  if (set == loop.body.end()) return;
  Var *done = newVar(cx, "turned", scalarType(DType::Bool), span);
  auto note = std::make_unique<Stmt>();
  note->kind = StmtKind::Assign;
  note->span = span;
  note->var = done;
  note->value = makeBool(true, span);
  loop.body.insert(set + 1, std::move(note));
  declareBefore(cx, loop, done, makeBool(false, span), span);
  ExprPtr text = formatExpr(cx, {}, {"`" + name + "` has no value: the loop that gives it one had no turn"}, span);
  if (!text) return;
  Stmt &stmt = emit(cx, StmtKind::Assert, span);
  stmt.condition = makeRef(done, span);
  stmt.value = std::move(text);
}

void keepLastTurn(Context &cx, Stmt &loop, const ast::Block &body, bool isSure, Span span, Span condition) {
  const Callable *function = cx.function.frame->function;
  if (!inHost(cx) || !function || !function->def) return;
  const uint32_t jump = firstJump(body, span.end);
  const Var *first = nullptr;
  std::string kept;
  for (auto &[name, binding] : cx.function.frame->names) {
    const bool tree = !binding.var && isKeptTree(binding.value);
    const bool here = binding.unassigned.valid() && (binding.var || tree) && binding.span.file == span.file && binding.span.begin >= span.begin &&
                      binding.span.begin < jump;
    if (!here || !readsFirst(function->def->body, name, span.end).value_or(false)) continue;
    if (tree) keepTree(cx, loop, body, name, binding);
    else keepName(cx, loop, name, binding);
    if (!first && !binding.unassigned.valid()) first = tree ? firstVar(binding.value) : binding.var, kept = name;
  }
  if (first && !isSure) assertSomeTurn(cx, loop, first, kept, condition);
}

void keepLastTurn(Context &cx, Stmt &loop, const ast::ForStmt &stmt, const Value &start, const Value &stop) {
  const Callable *function = cx.function.frame->function;
  const ast::FuncDef *def = function ? function->def : nullptr;
  const bool isSure = cx.function.facts.proves({stop.sym - start.sym, shape::Relation::Ge, Dim(1)});
  if (!def || (!isSure && (!inHost(cx) || mentionsRebound(cx, start.sym) || mentionsRebound(cx, stop.sym)))) return;
  const uint32_t jump = firstJump(stmt.body, stmt.span.end);
  std::string kept;
  for (auto &[name, binding] : cx.function.frame->names) {
    const bool counted = binding.span == stmt.target->span && binding.value.kind == ValueKind::Int && binding.value.expr;
    const bool tree = !binding.var && isKeptTree(binding.value);
    const bool here = binding.unassigned.valid() && (binding.var || counted || tree) && binding.span.file == stmt.span.file &&
                      binding.span.begin >= stmt.span.begin && binding.span.begin < std::min(jump, stmt.span.end);
    if (!here || !readsFirst(def->body, name, stmt.span.end).value_or(false)) continue;
    if (tree) keepTree(cx, loop, stmt.body, name, binding);
    else keepName(cx, loop, name, binding);
    if (kept.empty() && !binding.unassigned.valid()) kept = name;
  }
  if (!isSure && !kept.empty()) assertTurn(cx, kept, start, stop, stmt.iterable->span);
}

}  // namespace tessera::sema
