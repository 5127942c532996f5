// Statements without control flow: assignments, stores, returns, asserts.
#include "sema/trace/AssertedText.h"
#include "sema/Checker.h"
#include "sema/kernels/Coverage.h"
#include "sema/trace/Unknown.h"

namespace tessera::sema {

using ast::as;

void Checker::checkBlock(const ast::Block &block) { checkFrom({&block, 0}); }

void Checker::checkFrom(Continuation at) {
  while (at.next < at.block->size()) {
    if (frame_->returned || frame_->jump != Jump::None) return;  // what follows is not reached
    const ast::Stmt &stmt = *(*at.block)[at.next++];
    frame_->rest.push_back(at);
    checkStmt(stmt);
    frame_->rest.pop_back();
  }
}

void Checker::checkStmt(const ast::Stmt &stmt) {
  using K = ast::StmtKind;
  auto refused = [&](const char *what, const char *instead) {
    unsupported(what, stmt.span, instead);
    bindUnknown(*frame_, stmt, blockId_);
  };
  switch (stmt.kind) {
  case K::Expr: return exprStmt(static_cast<const ast::ExprStmt &>(stmt));
  case K::Assign: return assign(static_cast<const ast::AssignStmt &>(stmt));
  case K::AnnAssign: return annAssign(static_cast<const ast::AnnAssignStmt &>(stmt));
  case K::AugAssign: return augAssign(static_cast<const ast::AugAssignStmt &>(stmt));
  case K::Return: return returnStmt(static_cast<const ast::ReturnStmt &>(stmt));
  case K::Assert: return assertStmt(static_cast<const ast::AssertStmt &>(stmt));
  case K::Pass: return;
  case K::Break:
  case K::Continue: return jumpStmt(stmt);
  case K::If: return ifStmt(static_cast<const ast::IfStmt &>(stmt));
  case K::While: return whileStmt(static_cast<const ast::WhileStmt &>(stmt));
  case K::For: return forStmt(static_cast<const ast::ForStmt &>(stmt));
  case K::FuncDef: {
    auto &def = static_cast<const ast::FuncDef &>(stmt);
    Value v = functionValue(*frame_->module, def, frame_);
    assignName(def.name.text, v, def.name.span);
    return;
  }
  case K::Import:
  case K::FromImport: return importHere(stmt);
  case K::Sample: unsupported("a `~` statement", stmt.span); return;
  case K::Raise: return raiseStmt(static_cast<const ast::RaiseStmt &>(stmt));
  case K::Del: return delStmt(static_cast<const ast::DelStmt &>(stmt));
  case K::Global: {
    bool outer = static_cast<const ast::GlobalStmt &>(stmt).nonlocal;
    return refused(outer ? "`nonlocal`" : "`global`", "give the function what it needs, and return what it changes");
  }
  case K::With: return withStmt(static_cast<const ast::WithStmt &>(stmt));
  case K::Try: return refused("`try`", "nothing is caught: check before, with `if` or `assert`; a function that fails returns a status to who called the program");
  case K::ClassDef: unsupported("a class", stmt.span, "a `struct` at module level has fields with types, and methods"); return;
  case K::StructDef: unsupported("a struct inside a function", stmt.span); return;
  case K::PolicyDef: unsupported("a policy inside a function", stmt.span); return;
  case K::StateDef: unsupported("`state`", stmt.span); return;
  case K::Error: return;
  }
}

/// `import` in a function: its names are local ones.
void Checker::importHere(const ast::Stmt &stmt) {
  ModuleScope names;
  names.path = frame_->module->path;
  names.ast = frame_->module->ast;
  if (auto *import = as<ast::ImportStmt>(&stmt)) importStatement(names, *import);
  else fromImport(names, static_cast<const ast::FromImportStmt &>(stmt));
  for (auto &[name, value] : names.names) {
    if (value.isPoison()) ++failures_;  // a message was given
    assignName(name, std::move(value), names.spans[name]);
  }
}

/// `del name`: the name stands for nothing from here on.
void Checker::delStmt(const ast::DelStmt &stmt) {
  std::vector<const ast::Expr *> targets;
  for (const ast::ExprPtr &target : stmt.targets) {
    bool several = target->kind == ast::ExprKind::Tuple || target->kind == ast::ExprKind::List;
    if (!several) targets.push_back(target.get());
    else
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*target).items) targets.push_back(item.get());
  }
  for (const ast::Expr *target : targets) {
    auto *name = as<ast::NameExpr>(target);
    if (!name) {
      unsupported("`del` of anything but a name", target->span);
      continue;
    }
    auto it = frame_->names.find(name->name);
    if (it == frame_->names.end()) {
      Value other = lookup(name->name, target->span, false);
      if (!other.isPoison())
        unsupported("`del` of a name from outside of the function, or of a dimension,", target->span);
      continue;
    }
    Binding &binding = it->second;
    if (readBinding(name->name, binding, target->span).isPoison()) continue;
    if (binding.block != blockId_ && conditionDepth_ > frame_->conditionDepth)
      unsupported("`del` under a condition or in a loop of run time, of a name from outside of it,", target->span);
    else if (binding.value.kind == ValueKind::State) unsupported("`del` of a state object", target->span);
    else binding.deleted = target->span;
  }
}

void Checker::exprStmt(const ast::ExprStmt &stmt) {
  if (stmt.value->kind == ast::ExprKind::String || stmt.value->kind == ast::ExprKind::Ellipsis) return;
  size_t emitted = block_->size();
  Value v = checkExpr(*stmt.value);
  if (droppedState(v, *stmt.value)) return;
  unusedValue(stmt, v, emitted);
  if (v.expr && v.expr->kind == ExprKind::Call) emit(StmtKind::Evaluate, stmt.span).value = take(v);
}

void Checker::assign(const ast::AssignStmt &stmt) {
  Value v = checkExpr(*stmt.value);
  bool several = stmt.targets.size() > 1 || stmt.targets[0]->kind == ast::ExprKind::Tuple;
  if (several && v.isSequence() && !v.items.empty()) {  // all values first: `a[i], a[j] = a[j], a[i]`
    for (Value &item : v.items)
      if (item.expr && item.expr->kind != ExprKind::Query)
        item = cheap(std::move(item), "value", stmt.value->span);
    bool once = stmt.targets.size() == 1 && v.items[0].items.empty();  // nothing is rebound before the first is read
    for (size_t i = once ? 1 : 0; i < v.items.size(); ++i) v.items[i] = snapshot(std::move(v.items[i]), "value", stmt.value->span);
  } else if (several) {
    v = cheap(std::move(v), "value", stmt.value->span);
  }
  for (const ast::ExprPtr &target : stmt.targets) assignTo(*target, v, stmt.span, stmt.value->span);
}

void Checker::assignTo(const ast::Expr &target, Value value, Span span, Span valueSpan) {
  if (auto *name = as<ast::NameExpr>(&target)) {
    if (name->name == "_") {
      if (value.expr && value.expr->kind == ExprKind::Call)
        emit(StmtKind::Evaluate, span).value = take(value);
      return;
    }
    assignName(name->name, std::move(value), target.span);
    noteBound(name->name, target.span);
    return;
  }
  if (auto *index = as<ast::SubscriptExpr>(&target)) {
    Value object = checkExpr(*index->object);
    if (!object.isPoison()) store(object, *index, std::move(value), span, valueSpan);
    return;
  }
  if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List) {
    auto &items = static_cast<const ast::SequenceExpr &>(target).items;
    if (value.isPoison()) {
      for (const auto &item : items) assignTo(*item, value, span);
      return;
    }
    if (!value.isSequence()) {
      if (value.kind == ValueKind::Context)
        report(Id::unpackCount, target.span, diag::counted(items.size(), "name"), describe(value))
            .help("it has fields: `T = tile.context()`, then `T.m`, `T.n` and `T.k`");
      else report(Id::notIterable, target.span, describe(value)).label("these names take apart a tuple");
      for (const auto &item : items) assignTo(*item, Value::poison(), span);
      return;
    }
    size_t star = items.size();
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i]->kind == ast::ExprKind::Starred) star = i;
    bool fits =
        star == items.size() ? items.size() == value.items.size() : items.size() - 1 <= value.items.size();
    if (!fits) {
      report(Id::unpackCount, target.span, diag::counted(items.size(), "name"), diag::counted(value.items.size(), "value"));
      for (const auto &item : items)
        assignTo(item->kind == ast::ExprKind::Starred ? *static_cast<const ast::StarredExpr &>(*item).value
                                                      : *item,
                 Value::poison(), span);
      return;
    }
    size_t extra = value.items.size() - (items.size() - (star < items.size()));
    for (size_t i = 0, at = 0; i < items.size(); ++i) {
      if (i == star) {
        Value rest = Value::of(ValueKind::List);
        rest.items.assign(value.items.begin() + at, value.items.begin() + at + extra);
        at += extra;
        assignTo(*static_cast<const ast::StarredExpr &>(*items[i]).value, std::move(rest), span);
      } else {
        assignTo(*items[i], value.items[at++], span);
      }
    }
    return;
  }
  if (auto *field = as<ast::AttributeExpr>(&target)) return assignField(*field, std::move(value), span);
  if (target.kind != ast::ExprKind::Error) unsupported("an assignment to this", target.span);
}

void Checker::augAssign(const ast::AugAssignStmt &stmt) {
  if (addsToModule(stmt)) return;
  Value old = checkExpr(*stmt.target);
  if (old.isPoison()) {
    if (auto *name = as<ast::NameExpr>(stmt.target)) assignName(name->name, Value::poison(), stmt.target->span);
    auto hint = accumulateHint_;
    accumulateHint_ = DType::F32;  // what it is added up in would be known
    checkExpr(*stmt.value);
    accumulateHint_ = hint;
    return;
  }
  auto saved = accumulateHint_;
  if (old.kind == ValueKind::Array && stmt.op == ast::BinaryOp::Add) accumulateHint_ = old.type.dtype;
  Value right = checkExpr(*stmt.value);
  accumulateHint_ = saved;
  Value value = binaryValues(stmt.op, old, std::move(right), stmt.span);
  bool known = !value.isPoison() || stmt.target->kind == ast::ExprKind::Name;
  if (known) assignTo(*stmt.target, std::move(value), stmt.span);
}

void Checker::annAssign(const ast::AnnAssignStmt &stmt) {
  if (!stmt.value) {
    using K = ast::ExprKind;
    K kind = stmt.annotation->kind;
    bool value = kind == K::Int || kind == K::Float || kind == K::Bool || kind == K::String || kind == K::List;
    if (value && fresh(Id::notAType, stmt.annotation->span))
      report(Id::notAType, stmt.annotation->span, "`" + std::string(sources_.text(stmt.annotation->span)) + "`")
          .fix({stmt.span.file, stmt.target->span.end, stmt.annotation->span.begin}, " = ", "a value is given by `=`");
    else if (!value) unsupported("a declaration without a value", stmt.span);
    if (auto *name = as<ast::NameExpr>(stmt.target)) assignName(name->name, Value::poison(), stmt.target->span);
    return;
  }
  Value v = checkExpr(*stmt.value);
  std::vector<const ast::Expr *> items;
  auto *index = as<ast::SubscriptExpr>(stmt.annotation);
  bool several = alternativesOf(*stmt.annotation).size() > 1 || tupleItems(*stmt.annotation, 0, items) ||
                 typeNamed(index ? *index->object : *stmt.annotation).kind == ValueKind::StructType;
  if (several) {  // of a union, a tuple or a struct
    Value out = Value::poison();
    if (!matchParameter(v, *stmt.annotation, "the value", stmt.value->span, out)) out = Value::poison();
    return assignTo(*stmt.target, std::move(out), stmt.span);
  }
  auto type = parameterType(*stmt.annotation);
  if (v.isPoison() || !type) return assignTo(*stmt.target, Value::poison(), stmt.span);
  if (type->kind == TypeKind::Scalar) {
    ExprPtr e = leave(v, *type, stmt.value->span, "the declared type");
    v = e ? finish(std::move(e), *type, {}, stmt.span) : Value::poison();
  } else if (type->kind == TypeKind::Tensor) {
    Value out = Value::poison();
    if (!matchParameter(v, *stmt.annotation, "the value", stmt.value->span, out)) out = Value::poison();
    v = std::move(out);
  } else if (type->kind == TypeKind::Index) {
    if (mayBeInteger(v)) v = convertInt(v, stmt.value->span);
    else {
      wrongValue(v, *stmt.annotation, std::string(sources_.text(stmt.target->span)), stmt.value->span, "an integer");
      v = Value::poison();
    }
  }
  assignTo(*stmt.target, std::move(v), stmt.span);
}

// ---------------------------------------------------------------- stores

/// where(here, part, old), in the dtype that memory has: nothing is computed.
Value Checker::chosenAsStored(Value here, Value part, const Value &old, Span span) {
  std::vector<ExprPtr> args;
  for (Value *one : {&here, &part}) {
    *one = broadcastValue(std::move(*one), old.type.shape, span);
    if (one->isPoison()) return *one;
    args.push_back(take(*one));
  }
  args.push_back(clone(*old.expr));
  Type type = sema::tensorType(old.type.dtype, old.type.shape);
  Value made = finish(makeElementwise(ElementwiseOp::Select, type, span, std::move(args)), old.type, {}, span);
  made.limits.resize(old.type.shape.size());
  return made;
}

/// What is stored to a tensor in memory; or `out[t] = h` of a tensor function: the name gets a new value, the old one with a part
/// chosen anew. What the caller passed stays as it is.
void Checker::store(const Value &target, const ast::SubscriptExpr &syntax, Value value, Span span,
                    Span valueSpan) {
  auto *name = as<ast::NameExpr>(syntax.object);
  auto bound = name ? frame_->names.find(name->name) : frame_->names.end();
  auto isPassed = [&](const Param &param) { return !frame_->inlined && bound->second.span == param.var->span; };
  bool isTensorCode = fn_ && target.isArray() && !inKernel() && !inHost(), ofState = isTensorCode && isPartOfState(*syntax.object);
  bool isOwn = ofState || (isTensorCode && bound != frame_->names.end() && std::none_of(fn_->params.begin(), fn_->params.end(), isPassed));
  if (target.kind != ValueKind::View && target.kind != ValueKind::Shared && !isOwn) {
    if (fresh(Id::immutableTensor, syntax.span))
      report(Id::immutableTensor, syntax.span, describe(target))
          .help(!target.isArray()      ? "only tensors of a kernel's parameters and shared buffers are written to"
                : inKernel() || !name ? "values do not change; build a new one, for example with `where` or `concat`"
                                      : "what a function was called with does not change; give it a name of your own, and assign to a "
                                        "part of that: `y = " + name->name + "`");
    return;
  }
  Access access;
  std::vector<Dim> shape;
  std::vector<std::optional<Limit>> limits;
  std::vector<int> newAxes;
  std::vector<SliceStart> starts;
  if (!accessOf(target, syntax, access, shape, limits, newAxes, &starts) || value.isPoison()) return;
  for (size_t axis = 0; target.kind == ValueKind::View && axis < starts.size(); ++axis) {  // lanes without a guard
    const Dim index = facts_.simplify(starts[axis].first);
    bool mayMiss = access.parts[axis].isPoint && !access.parts[axis].inBounds && countsLanes(index, fn_->kernel);
    Span place = syntax.items.size() == starts.size() ? syntax.items[axis].span : syntax.span;
    if (mayMiss && counterOutside(index, target.var->type.shape[axis], place)) return;
  }
  for (size_t axis = 0; isOwn && axis < starts.size(); ++axis) {
    IndexPart &part = access.parts[axis];
    if (starts[axis].backwards) {
      unsupported("a step below 0 in the place of an assignment", syntax.span);
      return;
    }
    bool counted = part.isPoint || facts_.nonNegative(part.size);
    if (!(part.inBounds && counted) && !requireInside(target, axis, part, starts[axis], syntax.span)) return;
  }
  if (!newAxes.empty()) {
    unsupported("`None` in the place of a store", syntax.span);
    return;
  }
  Type type = isOwn ? target.type : target.var->type;
  bool apart = valueSpan.valid();
  const std::string called = isOwn ? std::string(sources_.text(syntax.object->span)) : target.var->name;
  ExprPtr e = leave(value, type, apart ? valueSpan : span, "`" + called + "`", apart);
  if (!e) return;
  if (!shape.empty()) {
    Value stored = finish(std::move(e), type, {}, span);
    stored.type.numerics = {};
    if (stored.isArray() && stored.type.shape.size() > shape.size()) {
      report(Id::shapeMismatch, apart ? valueSpan : span, shapeText(shape), shapeText(stored.type.shape))
          .note(syntax.span, "what is written to here has the shape " + shapeText(shape));
      return;
    }
    stored = broadcastValue(std::move(stored), shape, apart ? valueSpan : span);
    if (stored.isPoison()) return;
    e = take(stored);
  } else if (e->type.kind == TypeKind::Tensor) {
    report(Id::shapeMismatch, apart ? valueSpan : span, "[]", shapeText(e->type.shape))
        .note(syntax.span, "one element is written to here");
    return;
  }
  if (isOwn) {  // where(here, value, target)
    Value part = finish(std::move(e), type, std::vector<std::optional<Limit>>(shape.size()), span), here;
    bool all = true;
    const std::vector<Dim> extents = target.type.shape;
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      const IndexPart &at = access.parts[axis];
      const Dim start = starts[axis].first, length = at.isPoint ? Dim(1) : Dim(at.step) * at.size;
      bool toEnd = facts_.same(start + length, extents[axis]);
      ExprPtr count = makeExpr(ExprKind::Iota, sema::tensorType(DType::I64, {extents[axis]}), span);
      count->axes = {0};
      Value places = finish(std::move(count), scalarType(DType::I64), {std::nullopt}, span), inside;
      auto also = [&](ast::CompareOp op, Value a, Value b) {
        Value holds = compareValues(op, std::move(a), std::move(b), span);
        for (size_t i = axis + 1; i < extents.size(); ++i) holds = insertAxis(std::move(holds), static_cast<int>(i - axis), span);
        here = all ? std::move(holds) : elementwise(ElementwiseOp::And, {here, std::move(holds)}, span, "=");
        all = false;
      };
      if (at.isPoint) {
        if (extents[axis] != Dim(1)) also(ast::CompareOp::Eq, places, Value::integer(start));
        if (part.isArray()) part = insertAxis(std::move(part), static_cast<int>(axis), span);
        continue;
      }
      if (start == Dim(0) && at.step == 1 && facts_.same(at.size, extents[axis])) continue;
      Value distance = start == Dim(0) ? places : elementwise(ElementwiseOp::Sub, {places, Value::integer(start)}, span, "=");
      if (start != Dim(0)) also(ast::CompareOp::Ge, places, Value::integer(start));
      if (!toEnd) also(ast::CompareOp::Lt, places, Value::integer(start + length));
      if (at.step != 1) {
        Value step = Value::integer(Dim(at.step));
        also(ast::CompareOp::Eq, elementwise(ElementwiseOp::Mod, {distance, step}, span, "="), Value::integer(Dim(0)));
        distance = elementwise(ElementwiseOp::FloorDiv, {distance, step}, span, "=");
      }
      part = gathered(std::move(part), std::move(distance), static_cast<int>(axis), {static_cast<int>(axis)}, span);
    }
    Value made = all       ? std::move(part)
                 : ofState ? chosenAsStored(std::move(here), std::move(part), target, span)
                           : elementwise(ElementwiseOp::Select, {here, std::move(part), target}, span, "=");
    if (made.expr && made.expr->kind == ExprKind::Elementwise) made.expr->text = "update";
    if (!made.isPoison() && !made.isArray()) made = broadcastValue(std::move(made), extents, span);
    return ofState ? assignPart(*syntax.object, std::move(made), span) : assignName(name->name, std::move(made), span);
  }
  stored_.insert(target.var);
  // `y[0] += x` on behalf of the whole group must not happen once a lane.
  bool once = shape.empty() && varyingDepth_ == 0 && !isVarying(access) && !isVarying(*e);
  Stmt &stmt = emit(StmtKind::Store, span);
  stmt.access = std::move(access);
  stmt.value = std::move(e);
  stmt.oncePerGroup = once;
}

// ---------------------------------------------------------------- return, assert

/// A `return` that only run time reaches.
void Checker::assertStmt(const ast::AssertStmt &stmt) {
  // About dimensions: a fact, proved or asked of the caller.
  Value condition = checkExpr(*stmt.condition);
  if (condition.isPoison() || assertsNothing(stmt, condition)) return;
  if (auto known = knownCondition(condition)) {
    if (!*known && !refuseVariant(stmt.span))
      assertedText(report(Id::factRefuted, stmt.condition->span, std::string(sources_.text(stmt.condition->span))), stmt);
    return;
  }
  bool aboutDims = condition.kind == ValueKind::Array;
  if (condition.expr)
    visitExprs(condition.expr.get(), [&](Expr &e) {
      aboutDims &=
          e.kind == ExprKind::Elementwise || e.kind == ExprKind::DimValue || e.kind == ExprKind::Constant;
    });
  if (aboutDims && !inHost()) {
    whereFact(*stmt.condition, FactOrigin::Assert);
    return;
  }
  if (!inHost()) {
    unsupported("an `assert` on values that only run time knows", stmt.span);
    return;
  }
  ExprPtr c = conditionExpr(condition, stmt.condition->span);
  Value message = stmt.message ? checkExpr(*stmt.message) : Value::of(ValueKind::None);
  if (!c) return;
  ExprPtr text;
  if (message.isPoison()) return;
  if (message.kind != ValueKind::None && !(text = formatExpr({message}, {"", ""}, stmt.message->span))) return;
  Stmt &out = emit(StmtKind::Assert, stmt.span);
  out.condition = std::move(c);
  out.value = std::move(text);
}

}  // namespace tessera::sema
