// Results: what a function returns as the parts that the checked program has, and calls put together again.
#include "sema/Checker.h"

namespace tessera::sema {

const ast::Expr *itemOf(const ast::Expr *syntax, size_t i, size_t count) {
  if (!syntax || (syntax->kind != ast::ExprKind::Tuple && syntax->kind != ast::ExprKind::List)) return nullptr;
  const auto &items = static_cast<const ast::SequenceExpr &>(*syntax).items;
  bool apart = items.size() == count && std::none_of(items.begin(), items.end(), [](const ast::ExprPtr &item) {
    return item->kind == ast::ExprKind::Starred;
  });
  return apart ? items[i].get() : nullptr;
}

/// The parts of a result, and the tree that puts them together again. False after a message.
bool Checker::resultParts(const ResultPart &whole, const DeclaredType *declared, const ast::Expr *syntax,
                          std::vector<ResultPart> &parts, DeclaredType &tree) {
  const auto &[value, path, span] = whole;
  bool structure = value.kind == ValueKind::Struct;
  auto wrong = [&](const std::string &wanted) {
    std::string what = value.isSequence() ? diag::counted(value.items.size(), "value") : describe(value);
    if (!reportNone(value, span) && fresh(Id::wrongResult, span))
      report(Id::wrongResult, span, fn_->name, what, wanted).note(declared->span, "declared here");
    return false;
  };
  tree.span = span;
  auto holdsIt = [&](const auto &state) { return state.first == value.text || frame_->names[state.first].value.handle == value.handle; };
  bool fits = !declared || (declared->kind == DeclaredType::Kind::Struct && structure && declared->instance->info == value.instance->info);
  if (structure && value.isState() && fits && std::any_of(frame_->states.begin(), frame_->states.end(), holdsIt)) {
    tree.kind = DeclaredType::Kind::None;  // stays in its parameter
    if (auto root = frame_->names.find(value.text); root != frame_->names.end() && root->second.value.handle != value.handle) {
      root->second.value = value;
      root->second.parts = false;
    }
    frame_->function->returnsState = true;
    return true;
  }
  if (!structure && !value.isSequence()) {
    if (declared && declared->kind == DeclaredType::Kind::Struct)
      return wrong("a `" + instanceText(*declared->instance) + "`");
    if (declared && declared->kind == DeclaredType::Kind::Tuple)
      return wrong("a tuple of " + std::to_string(declared->items.size()));
    parts.push_back(whole);
    if (declared) flatTypes(*declared, *declared_, declaredSpans_);
    return true;
  }
  tree.kind = structure ? DeclaredType::Kind::Struct : DeclaredType::Kind::Tuple;
  tree.instance = value.instance;
  if (declared) {
    if (declared->kind == DeclaredType::Kind::Plain)
      return wrong(structure ? "`" + declared->plain.str() + "`" : "1 result");
    if (structure != (declared->kind == DeclaredType::Kind::Struct) ||
        (structure && declared->instance->info != value.instance->info))
      return wrong(declared->instance ? "a `" + instanceText(*declared->instance) + "`"
                                       : "a tuple of " + std::to_string(declared->items.size()));
    if (declared->items.size() != value.items.size())
      return wrong("a tuple of " + std::to_string(declared->items.size()));
    tree.instance = declared->instance;
  }
  for (size_t i = 0; i < value.items.size(); ++i) {
    tree.items.emplace_back();
    const DeclaredType *item = declared ? &declared->items[i] : nullptr;
    std::string part = structure ? value.instance->info->fields[i].name : std::to_string(i);
    if (value.items[i].kind == ValueKind::None &&
        (!item || item->kind == DeclaredType::Kind::None || item->mayBeNone)) {
      tree.items.back().kind = DeclaredType::Kind::None;
      continue;
    }
    const ast::Expr *written = structure ? nullptr : itemOf(syntax, i, value.items.size());
    ResultPart one{value.items[i], path + "_" + part, written ? written->span : span};
    if (!resultParts(one, item, written, parts, tree.items.back())) return false;
  }
  return true;
}

/// A result of a call, put together from its parts, which are used up from `next`.
Value resultValue(const DeclaredType &tree, const std::vector<Value> &parts, size_t &next) {
  switch (tree.kind) {
  case DeclaredType::Kind::None: return Value::of(ValueKind::None);
  case DeclaredType::Kind::Plain: return next < parts.size() ? parts[next++] : Value::of(ValueKind::None);
  default: break;
  }
  Value v = Value::of(tree.kind == DeclaredType::Kind::Struct ? ValueKind::Struct : ValueKind::Tuple);
  v.instance = tree.instance;
  for (const DeclaredType &item : tree.items) v.items.push_back(resultValue(item, parts, next));
  return v;
}

/// Arguments as the entry point has them: the parts of structs and tuples, without what is None.
void argumentParts(const Value &value, Span span, std::vector<Value> &parts, std::vector<Span> &spans) {
  if (value.kind == ValueKind::None) return;
  bool isCache = value.kind == ValueKind::State && !value.items.empty();
  if (value.kind != ValueKind::Struct && !value.isSequence() && !isCache) {
    parts.push_back(value);
    spans.push_back(span);
    return;
  }
  for (const Value &item : value.items) argumentParts(item, span, parts, spans);
}

/// The types of the parts of a declared result, in order.
void flatTypes(const DeclaredType &type, std::vector<Type> &types, std::vector<Span> &spans) {
  if (type.kind == DeclaredType::Kind::Plain) {
    Type plain = type.plain.kind == TypeKind::Index ? scalarType(DType::I64) : type.plain;
    if (plain.kind != TypeKind::State) plain.kind = TypeKind::Tensor;
    types.push_back(std::move(plain));
    spans.push_back(type.span);
  }
  for (const DeclaredType &item : type.items) flatTypes(item, types, spans);
}

/// The i-th part of a result as the type that is declared for it. Null after a message.
ExprPtr Checker::resultExpr(const ResultPart &part, size_t i, bool alone) {
  const auto &[value, name, span] = part;
  Value v = toArray(value, DType::F32, span);
  if (v.isPoison() || reportNone(v, span)) return nullptr;
  if (v.kind != ValueKind::Array) {
    if (v.kind == ValueKind::State)
      unsupported("a state object as a result", span, "it moves on in the caller, too: return what was computed");
    else
      report(Id::wrongResult, span, fn_->name, describe(v), declared_ ? "`" + (*declared_)[i].str() + "`" : "a tensor");
    return nullptr;
  }
  Type type = declared_ ? (*declared_)[i] : v.type;
  bool fits = type.shape.size() == v.type.shape.size();
  std::optional<shape::Formula> broken;
  for (size_t a = 0; fits && a < type.shape.size(); ++a) {
    fits = sameDim(v.type.shape[a], type.shape[a], span,
                   "the result needs " + show(v.type.shape[a]) + " == " + show(type.shape[a]));
    if (!fits) broken = shape::Formula(v.type.shape[a], Relation::Eq, type.shape[a]);
  }
  if (!fits) {
    auto builder = report(Id::wrongResult, span, fn_->name, "`" + shapeText(v.type.shape) + "`",
                          "`" + shapeText(type.shape) + "`");
    builder.label("this has the shape " + shapeText(v.type.shape));
    if (i < declaredSpans_.size()) builder.note(declaredSpans_[i], "declared here");
    if (broken) explainClaim(builder, *broken);
    return nullptr;
  }
  type.kind = TypeKind::Tensor;
  ExprPtr e = leave(value.kind == ValueKind::Array ? v : value, type, span, "the declared result", alone);
  fn_->results.push_back({resultName(name), type, -1});
  return e;
}

/// State objects among the results are what the function leaves in its parameters: they are no results of the
/// entry point. False after a message.
bool Checker::returnedStates(std::vector<ResultPart> &parts) {
  for (size_t i = parts.size(); i-- > 0;) {
    const auto &[value, name, span] = parts[i];
    bool wanted = declared_ && (*declared_)[i].kind == TypeKind::State;
    if (value.kind != ValueKind::State && !wanted) continue;
    bool fits = value.kind == ValueKind::State && (!declared_ || wanted);
    if (fits && wanted) {
      const Type &type = (*declared_)[i];
      fits = type.dtype == value.type.dtype;
      for (size_t a = 0; fits && a < type.shape.size(); ++a)
        fits = sameDim(value.type.shape[a], type.shape[a], span,
                       "the result needs " + show(value.type.shape[a]) + " == " + show(type.shape[a]));
    }
    if (!fits) {
      report(Id::wrongResult, span, fn_->name, describe(value), declared_ ? "`" + (*declared_)[i].str() + "`" : "");
      return false;
    }
    frame_->function->returnsState = true;
    if (auto root = frame_->names.find(value.text); root != frame_->names.end()) root->second.value = value;
    auto at = static_cast<std::ptrdiff_t>(i);
    parts.erase(parts.begin() + at);
    if (!declared_) continue;
    declared_->erase(declared_->begin() + at);
    if (i < declaredSpans_.size()) declaredSpans_.erase(declaredSpans_.begin() + at);
  }
  return true;
}

/// `return value` of an entry point that is no kernel.
void Checker::returnResults(const Value &value, const ast::ReturnStmt &stmt) {
  Span span = stmt.value ? stmt.value->span : stmt.span;
  if (inHost()) {
    if (value.kind != ValueKind::None) unsupported("a result of host code", span);
    emit(StmtKind::Return, stmt.span);
    return;
  }
  std::vector<ResultPart> parts;
  DeclaredType tree;
  bool nothing = value.kind == ValueKind::None && !value.declared.valid();
  if (declaredTree_) declared_->clear(), declaredSpans_.clear();  // anew, without optional parts that are None
  if (declared_ && !declaredTree_) {  // -> None
    if (!nothing) report(Id::wrongResult, span, fn_->name, describe(value), "`None`");
    if (!nothing) return;
  } else if (nothing && declaredTree_) {
    report(Id::wrongResult, span, fn_->name, "`None`", "a result")
        .note(declaredTree_->span, "declared here");
    return;
  } else if (!nothing && !resultParts({value, "result", span}, declaredTree_ ? &*declaredTree_ : nullptr, stmt.value.get(),
                                      parts, tree)) {
    return;
  }
  if (!returnedStates(parts)) return;
  std::vector<ExprPtr> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    ExprPtr e = resultExpr(parts[i], i, parts.size() == 1);
    if (!e) return;
    out.push_back(std::move(e));
  }
  if (!stateResults(out, span)) return;
  resultTree_ = std::move(tree);
  emit(StmtKind::Return, stmt.span).values = std::move(out);
}

}  // namespace tessera::sema
