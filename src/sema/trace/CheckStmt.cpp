// Statements without control flow: assignments, stores, returns, asserts.
#include "checked/ExprBuild.h"
#include "sema/EditorFacts.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/arrays/ChosenBuffer.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/kernels/Coverage.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Branches.h"
#include "sema/trace/ChangedLists.h"
#include "sema/trace/Held.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"

namespace tessera::sema {

using ast::as;

void checkBlock(Context &cx, const ast::Block &block) { checkFrom(cx, {&block, 0}); }

static void checkStmt(Context &cx, const ast::Stmt &stmt);
static void importHere(Context &cx, const ast::Stmt &stmt);
static void delStmt(Context &cx, const ast::DelStmt &stmt);
static void exprStmt(Context &cx, const ast::ExprStmt &stmt);
static void assign(Context &cx, const ast::AssignStmt &stmt);
static void augAssign(Context &cx, const ast::AugAssignStmt &stmt);
static void annAssign(Context &cx, const ast::AnnAssignStmt &stmt);
static void assertStmt(Context &cx, const ast::AssertStmt &stmt);

void checkFrom(Context &cx, Continuation at) {
  while (at.next < at.block->size()) {
    if (cx.function.frame->returned || cx.function.frame->jump != Jump::None) return;  // what follows is not reached
    const ast::Stmt &stmt = *(*at.block)[at.next++];
    cx.function.frame->rest.push_back(at);
    checkStmt(cx, stmt);
    cx.function.frame->rest.pop_back();
  }
}

static void checkStmt(Context &cx, const ast::Stmt &stmt) {
  using K = ast::StmtKind;
  auto refused = [&](const char *what, const char *instead) {
    unsupported(cx, what, stmt.span, instead);
    bindUnknown(*cx.function.frame, stmt, cx.blockId);
  };
  switch (stmt.kind) {
  case K::Expr: return exprStmt(cx, static_cast<const ast::ExprStmt &>(stmt));
  case K::Assign: return assign(cx, static_cast<const ast::AssignStmt &>(stmt));
  case K::AnnAssign: return annAssign(cx, static_cast<const ast::AnnAssignStmt &>(stmt));
  case K::AugAssign: return augAssign(cx, static_cast<const ast::AugAssignStmt &>(stmt));
  case K::Return: return returnStmt(cx, static_cast<const ast::ReturnStmt &>(stmt));
  case K::Assert: return assertStmt(cx, static_cast<const ast::AssertStmt &>(stmt));
  case K::Pass: return;
  case K::Break:
  case K::Continue: return jumpStmt(cx, stmt);
  case K::If: return ifStmt(cx, static_cast<const ast::IfStmt &>(stmt));
  case K::While: return whileStmt(cx, static_cast<const ast::WhileStmt &>(stmt));
  case K::For: return forStmt(cx, static_cast<const ast::ForStmt &>(stmt));
  case K::FuncDef: {
    auto &def = static_cast<const ast::FuncDef &>(stmt);
    Value v = functionValue(cx, *cx.function.frame->module, def, cx.function.frame);
    assignName(cx, def.name.text, v, def.name.span);
    return;
  }
  case K::Import:
  case K::FromImport: return importHere(cx, stmt);
  case K::Sample: unsupported(cx, "a `~` statement", stmt.span); return;
  case K::Raise: return raiseStmt(cx, static_cast<const ast::RaiseStmt &>(stmt));
  case K::Del: return delStmt(cx, static_cast<const ast::DelStmt &>(stmt));
  case K::Global: {
    bool outer = static_cast<const ast::GlobalStmt &>(stmt).nonlocal;
    return refused(outer ? "`nonlocal`" : "`global`", "give the function what it needs, and return what it changes: `n = counted(n)`");
  }
  case K::With: return withStmt(cx, static_cast<const ast::WithStmt &>(stmt));
  case K::Try: return tryStmt(cx, static_cast<const ast::TryStmt &>(stmt));
  case K::ClassDef:
    unsupported(cx, "a class", stmt.span, "a `struct` at module level has fields with types, and methods");
    return;
  case K::StructDef: unsupported(cx, "a struct inside a function", stmt.span); return;
  case K::PolicyDef: unsupported(cx, "a policy inside a function", stmt.span); return;
  case K::StateDef: unsupported(cx, "`state`", stmt.span); return;
  case K::Error: return;
  }
}

/// `import` in a function: its names are local ones.
static void importHere(Context &cx, const ast::Stmt &stmt) {
  ModuleScope names;
  names.path = cx.function.frame->module->path;
  names.ast = cx.function.frame->module->ast;
  if (auto *import = as<ast::ImportStmt>(&stmt)) importStatement(cx, names, *import);
  else fromImport(cx, names, static_cast<const ast::FromImportStmt &>(stmt));
  for (auto &[name, value] : names.names) {
    if (value.isPoison()) ++cx.failures;  // a message was given
    assignName(cx, name, std::move(value), names.spans[name]);
  }
}

/// `del name`: the name stands for nothing from here on.
static void delStmt(Context &cx, const ast::DelStmt &stmt) {
  std::vector<const ast::Expr *> targets;
  for (const ast::ExprPtr &target : stmt.targets) {
    bool several = target->kind == ast::ExprKind::Tuple || target->kind == ast::ExprKind::List;
    if (!several) targets.push_back(target.get());
    else
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*target).items)
        targets.push_back(item.get());
  }
  for (const ast::Expr *target : targets) {
    auto *name = as<ast::NameExpr>(target);
    auto *place = as<ast::SubscriptExpr>(target);
    if (place && deleteItem(cx, *place)) continue;
    if (!name) {
      unsupported(cx, "`del` of anything but a name, or an item of a list or dict of host code,", target->span);
      continue;
    }
    auto it = cx.function.frame->names.find(name->name);
    if (it == cx.function.frame->names.end()) {
      Value other = lookupName(cx, name->name, target->span, false);
      if (!other.isPoison())
        unsupported(cx, "`del` of a name from outside of the function, or of a dimension,", target->span);
      continue;
    }
    Binding &binding = it->second;
    if (readBinding(cx, name->name, binding, target->span).isPoison()) continue;
    if (binding.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth)
      unsupported(cx, "`del` under a condition or in a loop of run time, of a name from outside of it,", target->span);
    else if (binding.value.kind == ValueKind::State) unsupported(cx, "`del` of a state object", target->span);
    else binding.deleted = target->span;
  }
}

/// `parts.append(x)`: the name stands for a list with one item more. False if this is none.
static bool appendToList(Context &cx, const ast::ExprStmt &stmt) {
  auto *call = as<ast::CallExpr>(stmt.value);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *name = method && method->attribute.text == "append" && call->arguments.size() == 1 ? as<ast::NameExpr>(method->object) : nullptr;
  if (!name || !cx.function.frame) return false;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end() || !bound->second.isBound() || bound->second.value.kind != ValueKind::List) return false;
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  auto isName = [&](const ast::Parameter &p) { return p.name.text == name->name; };
  if (def && std::any_of(def->parameters.begin(), def->parameters.end(), isName)) return false;  // the caller's would stay as it is
  const auto &loops = cx.function.frame->loops;
  const bool isOuter = bound->second.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth;
  const bool onWay = isOuter && !inHost(cx) && !inKernel(cx) && std::all_of(loops.begin(), loops.end(), [](const LoopFrame &loop) { return loop.writtenOut >= 0; });
  if (isOuter && !onWay) {
    if (!inHost(cx)) return appendToTurns(cx, name->name, *call->arguments[0].value);  // else there is an edit for it: `[f(i) for i in range(n)]`
    const std::string list = name->name, item(cx.sources.text(call->arguments[0].value->span));
    unsupported(cx, "a list that grows while the program runs", stmt.span,
                "a tensor holds them: `" + list + " = zeros(n)` before the loop, and `" + list + "[i] = " + item + "` in it");
    bound->second.value = Value::poison();
    bound->second.var = nullptr;
    return true;
  }
  Value list = readBinding(cx, name->name, bound->second, name->span), item = checkExpr(cx, *call->arguments[0].value);
  if (onWay && !list.isPoison() && !item.isPoison()) {  // each way gives the item, and a variable holds it behind them (mergeLists)
    list.items.push_back(onThisWay(cx, std::move(item), name->name, false, stmt.span));
    bound->second.value = withinLimits(cx, std::move(list), stmt.span);
    bound->second.span = stmt.span;
    return true;
  }
  if (list.isPoison() || item.isPoison()) return assignName(cx, name->name, Value::poison(), name->span), true;
  list.items.push_back(std::move(item));
  assignName(cx, name->name, withinLimits(cx, std::move(list), stmt.span), name->span);
  return true;
}

static void exprStmt(Context &cx, const ast::ExprStmt &stmt) {
  if (stmt.value->kind == ast::ExprKind::String || stmt.value->kind == ast::ExprKind::Ellipsis) return;
  if (appendToHeldList(cx, stmt) || appendToItem(cx, stmt) || changeEntry(cx, stmt) || sortInPlace(cx, stmt) || changeList(cx, stmt) || appendToList(cx, stmt)) return;
  size_t emitted = cx.function.block->size();
  Value v = checkExpr(cx, *stmt.value);
  if (droppedState(cx, v, *stmt.value)) return;
  unusedValue(cx, stmt, v, emitted);
  if (v.expr && v.expr->kind == ExprKind::Call) emit(cx, StmtKind::Evaluate, stmt.span).value = takeExpr(v);
}

/// `values, places = sort(x)`.
static bool asksForPlaces(const ast::AssignStmt &stmt) {
  auto *call = as<ast::CallExpr>(stmt.value);
  auto *names = stmt.targets.size() == 1 && stmt.targets[0]->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(stmt.targets[0].get()) : nullptr;
  auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  return names && names->items.size() == 2 && ((name && name->name == "sort") || (method && method->attribute.text == "sort"));
}

static void assign(Context &cx, const ast::AssignStmt &stmt) {
  if (asksForPlaces(stmt)) cx.asksPlaces = stmt.value.get();
  Value v = checkExpr(cx, *stmt.value);
  cx.asksPlaces = nullptr;
  bool several = stmt.targets.size() > 1 || stmt.targets[0]->kind == ast::ExprKind::Tuple;
  if (several && v.isSequence() && !v.items.empty()) {  // all values first: `a[i], a[j] = a[j], a[i]`
    for (Value &item : v.items)
      if (item.expr && item.expr->kind != ExprKind::Query)
        item = reusable(cx, std::move(item), "value", stmt.value->span);
    bool once = stmt.targets.size() == 1 && v.items[0].items.empty();  // nothing is rebound before the first is read
    for (size_t i = once ? 1 : 0; i < v.items.size(); ++i)
      v.items[i] = snapshot(cx, std::move(v.items[i]), "value", stmt.value->span);
  } else if (several) {
    v = reusable(cx, std::move(v), "value", stmt.value->span);
  }
  for (const ast::ExprPtr &target : stmt.targets) assignTo(cx, *target, v, stmt.span, stmt.value->span);
}

/// `a, b, c = x` of a tensor that is known to have as many rows, and `m, n = x.shape` in host code.
static std::optional<Value> rowsForNames(Context &cx, Value &value, size_t count, Span span) {
  if (value.kind == ValueKind::HostShape) {
    if (value.items[0].rank != static_cast<int>(count)) return std::nullopt;
    std::vector<Value> extents;
    for (size_t axis = 0; axis < count; ++axis) extents.push_back(hostExtent(cx, value.items[0], static_cast<int>(axis), span));
    return Value::tuple(std::move(extents));
  }
  const bool host = value.kind == ValueKind::HostTensor;
  if (inHost(cx) && host && (isHeldRows(value) || (value.text == kHeldList && value.rank == 1))) {  // run time stops where there are fewer
    value = reusable(cx, std::move(value), "items", span);
    std::vector<Value> items;
    for (size_t i = 0; i < count; ++i) {
      const Value index = Value::integer(Dim(static_cast<int64_t>(i)));
      items.push_back(hostItem(cx, value, &index, span));
    }
    return Value::tuple(std::move(items));
  }
  const std::vector<Dim> &extents = host ? value.madeAs : value.type.shape;
  const bool fits = (host || value.isArray()) && !extents.empty() && extents[0] == Dim(static_cast<int64_t>(count));
  if (!fits || (!host && inKernel(cx))) return std::nullopt;
  value = reusable(cx, std::move(value), "rows", span);
  std::vector<Value> rows;
  for (size_t i = 0; i < count; ++i) {
    const Value index = Value::integer(Dim(static_cast<int64_t>(i)));
    rows.push_back(host ? hostItem(cx, value, &index, span) : rowOfArray(cx, value, index, span));
  }
  return Value::tuple(std::move(rows));
}

void assignTo(Context &cx, const ast::Expr &target, Value value, Span span, Span valueSpan) {
  if (auto *name = as<ast::NameExpr>(&target)) {
    if (name->name == "_") {
      if (value.expr && value.expr->kind == ExprKind::Call) emit(cx, StmtKind::Evaluate, span).value = takeExpr(value);
      return;
    }
    assignName(cx, name->name, std::move(value), target.span);
    noteBinding(cx, name->name, target.span);
    return;
  }
  if (auto *index = as<ast::SubscriptExpr>(&target)) {
    if (storeToDict(cx, *index, value, span) || storeToItem(cx, *index, value, span, valueSpan) || hostStore(cx, *index, value, span, valueSpan)) return;
    std::vector<StackRow> rows;
    Value object = placeOf(cx, objectOf(cx, *index), rows);
    if (object.isStack()) assignRow(cx, *index, object, std::move(rows), std::move(value), span);
    else if (!object.isPoison()) storeTo(cx, object, *index, std::move(value), span, valueSpan, std::move(rows));
    return;
  }
  if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List) {
    auto &items = static_cast<const ast::SequenceExpr &>(target).items;
    if (value.isPoison()) {
      for (const auto &item : items) assignTo(cx, *item, value, span);
      return;
    }
    if (auto rows = rowsForNames(cx, value, items.size(), target.span)) value = std::move(*rows);
    if (!value.isSequence()) {
      auto builder = report(cx, Id::unpackCount, target.span, diag::counted(items.size(), "name"), describe(cx, value));
      builder.label("these names take apart a tuple");
      if (value.kind == ValueKind::Context)
        builder.help("it has fields: `T = tile.context()`, then `T.m`, `T.n` and `T.k`");
      for (const auto &item : items) assignTo(cx, *item, Value::poison(), span);
      return;
    }
    size_t star = items.size();
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i]->kind == ast::ExprKind::Starred) star = i;
    bool fits = star == items.size() ? items.size() == value.items.size() : items.size() - 1 <= value.items.size();
    if (!fits) {
      report(cx, Id::unpackCount, target.span, diag::counted(items.size(), "name"),
             diag::counted(value.items.size(), "value"));
      for (const auto &item : items)
        assignTo(cx, item->kind == ast::ExprKind::Starred ? *static_cast<const ast::StarredExpr &>(*item).value : *item,
                 Value::poison(), span);
      return;
    }
    size_t extra = value.items.size() - (items.size() - (star < items.size()));
    for (size_t i = 0, at = 0; i < items.size(); ++i) {
      if (i == star) {
        Value rest = Value::of(ValueKind::List);
        rest.items.assign(value.items.begin() + at, value.items.begin() + at + extra);
        at += extra;
        assignTo(cx, *static_cast<const ast::StarredExpr &>(*items[i]).value, std::move(rest), span);
      } else {
        assignTo(cx, *items[i], value.items[at++], span);
      }
    }
    return;
  }
  if (auto *field = as<ast::AttributeExpr>(&target)) return assignField(cx, *field, std::move(value), span);
  if (target.kind != ast::ExprKind::Error) unsupported(cx, "an assignment to this", target.span);
}

static void updateTarget(Context &cx, const ast::AugAssignStmt &stmt) {
  if (auto value = arrayWork(cx, stmt)) return assignTo(cx, *stmt.target, std::move(*value), stmt.span);
  auto *part = as<ast::SubscriptExpr>(stmt.target);
  Value old = part && cx.function.fn && !inKernel(cx) && !inHost(cx) ? checkSubscript(cx, *part, true) : checkExpr(cx, *stmt.target);
  if (old.isPoison()) {
    if (auto *name = as<ast::NameExpr>(stmt.target)) assignName(cx, name->name, Value::poison(), stmt.target->span);
    auto hint = cx.accumulateHint;
    cx.accumulateHint = DType::F32;  // what it is added up in would be known
    checkExpr(cx, *stmt.value);
    cx.accumulateHint = hint;
    return;
  }
  auto saved = cx.accumulateHint;
  const bool adds = stmt.op == ast::BinaryOp::Add || stmt.op == ast::BinaryOp::Sub;
  if (old.kind == ValueKind::Array && adds) cx.accumulateHint = old.type.dtype;
  Value right = checkExpr(cx, *stmt.value);
  cx.accumulateHint = saved;
  auto joined = stmt.op == ast::BinaryOp::Add ? joinedLists(cx, old, right, stmt.span) : std::nullopt;
  Value value = joined ? std::move(*joined) : binaryValues(cx, stmt.op, old, std::move(right), stmt.span);
  bool known = !value.isPoison() || stmt.target->kind == ast::ExprKind::Name;
  if (known) assignTo(cx, *stmt.target, std::move(value), stmt.span);
}

static void augAssign(Context &cx, const ast::AugAssignStmt &stmt) {
  if (addsToModule(cx, stmt)) return;
  const size_t before = cx.function.operandsInTurn.size();
  updateTarget(cx, stmt);
  forgetOperands(cx, before);
}

static void annAssign(Context &cx, const ast::AnnAssignStmt &stmt) {
  if (!stmt.value) {
    using K = ast::ExprKind;
    K kind = stmt.annotation->kind;
    bool value = kind == K::Int || kind == K::Float || kind == K::Bool || kind == K::String || kind == K::List;
    if (value && fresh(cx, Id::notAType, stmt.annotation->span))
      report(cx, Id::notAType, stmt.annotation->span, "`" + std::string(cx.sources.text(stmt.annotation->span)) + "`")
          .fix({stmt.span.file, stmt.target->span.end, stmt.annotation->span.begin}, " = ", "a value is given by `=`");
    else if (!value) unsupported(cx, "a declaration without a value", stmt.span);
    if (auto *name = as<ast::NameExpr>(stmt.target)) assignName(cx, name->name, Value::poison(), stmt.target->span);
    return;
  }
  Value v = checkExpr(cx, *stmt.value);
  std::vector<const ast::Expr *> items;
  auto *index = as<ast::SubscriptExpr>(stmt.annotation);
  bool several = alternativesOf(*stmt.annotation).size() > 1 || tupleItems(*stmt.annotation, 0, items) ||
                 typeNamed(cx, index ? *index->object : *stmt.annotation).kind == ValueKind::StructType;
  if (several) {  // of a union, a tuple or a struct
    Value out = Value::poison();
    if (!matchParameter(cx, v, *stmt.annotation, "the value", stmt.value->span, out)) out = Value::poison();
    return assignTo(cx, *stmt.target, std::move(out), stmt.span);
  }
  if (inHost(cx) && v.kind == ValueKind::HostTensor && index && cx.sources.text(index->object->span) == "Tensor") {
    Value out = Value::poison();  // names in quotes are what the extents are, and so are names that are new
    v = reusable(cx, std::move(v), std::string(cx.sources.text(stmt.target->span)), stmt.value->span);
    if (!v.madeOf) nameExtents(cx, v, *index);
    bindGenerics(cx, v, *stmt.annotation, {stmt.value->span, "`" + std::string(cx.sources.text(stmt.target->span)) + "`"});
    if (!matchParameter(cx, v, *stmt.annotation, "the value", stmt.value->span, out)) out = Value::poison();
    return assignTo(cx, *stmt.target, std::move(out), stmt.span);
  }
  auto type = parameterType(cx, *stmt.annotation);
  if (v.isPoison() || !type) return assignTo(cx, *stmt.target, Value::poison(), stmt.span);
  if (type->kind == TypeKind::Scalar) {
    ExprPtr e = castToPlace(cx, v, *type, stmt.value->span, "the declared type");
    v = e ? arrayValue(cx, std::move(e), *type, {}, stmt.span) : Value::poison();
  } else if (type->kind == TypeKind::Tensor) {
    Value out = Value::poison();
    if (!matchParameter(cx, v, *stmt.annotation, "the value", stmt.value->span, out)) out = Value::poison();
    v = std::move(out);
  } else if (type->kind == TypeKind::Index) {
    if (mayBeInteger(v)) v = convertInt(cx, v, stmt.value->span);
    else {
      wrongValue(cx, v, *stmt.annotation, std::string(cx.sources.text(stmt.target->span)), stmt.value->span,
                 "an integer");
      v = Value::poison();
    }
  }
  assignTo(cx, *stmt.target, std::move(v), stmt.span);
}

// ---------------------------------------------------------------- return, assert

/// A `return` that only run time reaches.
static void assertStmt(Context &cx, const ast::AssertStmt &stmt) {
  if (isClaim(cx)) return assertInTest(cx, stmt);
  // About dimensions: a fact, proved or asked of the caller.
  Value condition = checkExpr(cx, *stmt.condition);
  if (condition.isPoison() || assertsNothing(cx, stmt, condition)) return;
  if (auto known = knownCondition(condition)) {
    if (*known || refuseVariant(cx, stmt.span)) return;
    auto builder = report(cx, Id::factRefuted, stmt.condition->span, std::string(cx.sources.text(stmt.condition->span)));
    assertedText(builder, stmt);
    if (!cx.libraryFiles.count(stmt.span.file)) builder.settled();  // what it asserts is what was meant
    if (const TracedCall *call = cx.function.calls.empty() ? nullptr : &cx.function.calls.back();
        call && call->span.valid() && isEntry(cx, *call->callable))  // with these arguments alone
      builder.note(call->span, "`" + call->callable->name + "` is called here");
    if (cx.function.calls.empty() || cx.function.conditionDepth > cx.function.frame->conditionDepth) return;
    cx.function.frame->returned = true;  // what follows relies on it: the call has its message
    cx.function.frame->results = {Value::poison()};
    return;
  }
  bool aboutDims = condition.kind == ValueKind::Array;
  if (condition.expr)
    visitExprs(condition.expr.get(), [&](Expr &e) {
      aboutDims &= e.kind == ExprKind::Elementwise || e.kind == ExprKind::DimValue || e.kind == ExprKind::Constant;
    });
  if (aboutDims && !inHost(cx)) {
    whereFact(cx, *stmt.condition, FactOrigin::Assert);
    return;
  }
  if (!inHost(cx)) {
    unsupported(cx, "an `assert` on values that only run time knows", stmt.span);
    return;
  }
  ExprPtr c = conditionExpr(cx, condition, stmt.condition->span);
  Value message = stmt.message ? checkExpr(cx, *stmt.message) : Value::of(ValueKind::None);
  if (!c) return;
  ExprPtr text;
  if (message.isPoison()) return;
  if (message.kind != ValueKind::None && !(text = formatExpr(cx, {message}, {"", ""}, stmt.message->span))) return;
  Stmt &out = emit(cx, StmtKind::Assert, stmt.span);
  out.condition = std::move(c);
  out.value = std::move(text);
}

}  // namespace tessera::sema
