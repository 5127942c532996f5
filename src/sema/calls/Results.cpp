// Results: what a function returns as the parts that the checked program has, and calls put together again.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

const ast::Expr *itemOf(const ast::Expr *syntax, size_t i, size_t count) {
  if (!syntax || (syntax->kind != ast::ExprKind::Tuple && syntax->kind != ast::ExprKind::List)) return nullptr;
  const auto &items = static_cast<const ast::SequenceExpr &>(*syntax).items;
  bool apart = items.size() == count && std::none_of(items.begin(), items.end(), [](const ast::ExprPtr &item) {
                 return item->kind == ast::ExprKind::Starred;
               });
  return apart ? items[i].get() : nullptr;
}

/// A list of structs, where a stack of them is declared.
static bool areLike(const Value &list, const StructInstance &stack) {
  return list.isSequence() && !list.items.empty() && std::all_of(list.items.begin(), list.items.end(), [&](const Value &one) {
    return one.kind == ValueKind::Struct && one.instance->info == stack.info &&
           one.instance->stack.size() + 1 == stack.stack.size();
  });
}

bool resultParts(Context &cx, const ResultPart &whole, const DeclaredType *declared, const ast::Expr *syntax,
                 std::vector<ResultPart> &parts, DeclaredType &tree) {
  const auto &[value, path, span] = whole;
  if (declared && declared->instance && !declared->instance->stack.empty() && areLike(value, *declared->instance)) {
    Value made = stackOfStructs(cx, value.items, span);
    return !made.isPoison() && resultParts(cx, {std::move(made), path, span}, declared, nullptr, parts, tree);
  }
  bool structure = value.kind == ValueKind::Struct;
  auto wrong = [&](const std::string &wanted) {
    std::string what = value.isSequence() ? diag::counted(value.items.size(), "value") : describe(cx, value);
    if (reportNone(cx, value, span) || !fresh(cx, Id::wrongResult, span)) return false;
    auto builder = report(cx, Id::wrongResult, span, cx.function.fn->name, what, wanted);
    builder.note(declared->span, "declared here");
    std::string types;
    std::set<std::string> different;
    const bool one = declared->kind == DeclaredType::Kind::Plain && syntax && syntax->kind == ast::ExprKind::Tuple;
    for (const Value &item : value.items) {
      if (value.kind != ValueKind::Tuple || (!item.isArray() && !item.isScalar())) return false;
      Type type = item.type;
      if (!type.shape.empty()) type.kind = TypeKind::Tensor;
      types += (types.empty() ? "" : ", ") + type.str();
      different.insert(type.str());
    }
    if (one && different.size() > 1) builder.help("what is returned is `(" + types + ")`");
    return false;
  };
  tree.span = span;
  auto holdsIt = [&](const auto &state) {
    return state.first == value.text || cx.function.frame->names[state.first].value.handle == value.handle;
  };
  bool fits = !declared || (declared->kind == DeclaredType::Kind::Struct && structure &&
                            declared->instance->info == value.instance->info &&
                            declared->instance->stack.size() == value.instance->stack.size());
  if (structure && value.isState() && fits &&
      std::any_of(cx.function.frame->states.begin(), cx.function.frame->states.end(), holdsIt)) {
    tree.kind = DeclaredType::Kind::None;  // stays in its parameter
    if (auto root = cx.function.frame->names.find(value.text);
        root != cx.function.frame->names.end() && root->second.value.handle != value.handle) {
      root->second.value = value;
      root->second.parts = false;
    }
    cx.function.frame->function->returnsState = true;
    return true;
  }
  if (declared && declared->kind == DeclaredType::Kind::None) return wrong("None");
  if (!structure && !value.isSequence()) {
    if (declared && declared->kind == DeclaredType::Kind::Struct)
      return wrong("a `" + instanceText(cx, *declared->instance) + "`");
    if (declared && declared->kind == DeclaredType::Kind::Tuple)
      return wrong("a tuple of " + std::to_string(declared->items.size()));
    parts.push_back(whole);
    if (declared) flatTypes(*declared, *cx.function.declared, cx.function.declaredSpans);
    return true;
  }
  tree.kind = structure ? DeclaredType::Kind::Struct : DeclaredType::Kind::Tuple;
  tree.instance = value.instance;
  if (declared) {
    if (declared->kind == DeclaredType::Kind::Plain)
      return wrong(structure ? "`" + declared->plain.str() + "`" : "1 result");
    if (structure != (declared->kind == DeclaredType::Kind::Struct) ||
        (structure && (declared->instance->info != value.instance->info ||
                       declared->instance->stack.size() != value.instance->stack.size())))
      return wrong(declared->instance ? "a `" + instanceText(cx, *declared->instance) + "`"
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
    if (!resultParts(cx, one, item, written, parts, tree.items.back())) return false;
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
static ExprPtr resultExpr(Context &cx, const ResultPart &part, size_t i, bool alone) {
  const auto &[value, name, span] = part;
  const bool isWhole = !cx.function.declared && value.kind == ValueKind::Int;
  Value v = toArray(cx, value, isWhole ? DType::I64 : DType::F32, span);
  if (v.isPoison() || reportNone(cx, v, span)) return nullptr;
  if (v.kind != ValueKind::Array) {
    if (v.kind == ValueKind::State)
      unsupported(cx, "a state object as a result", span, "it moves on in the caller, too: return what was computed");
    else
      report(cx, Id::wrongResult, span, cx.function.fn->name, describe(cx, v),
             cx.function.declared ? "`" + (*cx.function.declared)[i].str() + "`" : "a tensor");
    return nullptr;
  }
  Type type = cx.function.declared ? (*cx.function.declared)[i] : v.type;
  bool fits = type.shape.size() == v.type.shape.size();
  std::optional<shape::Formula> broken;
  for (size_t a = 0; fits && a < type.shape.size(); ++a) {
    fits = sameDim(cx, v.type.shape[a], type.shape[a], span,
                   "the result needs " + show(cx, v.type.shape[a]) + " == " + show(cx, type.shape[a]));
    if (!fits) broken = shape::Formula(v.type.shape[a], Relation::Eq, type.shape[a]);
  }
  if (!fits) {
    auto builder = report(cx, Id::wrongResult, span, cx.function.fn->name, "`" + shapeText(cx, v.type.shape) + "`",
                          "`" + shapeText(cx, type.shape) + "`");
    builder.label("this has the shape " + shapeText(cx, v.type.shape));
    if (i < cx.function.declaredSpans.size()) builder.note(cx.function.declaredSpans[i], "declared here");
    if (broken) explainClaim(cx, builder, *broken);
    return nullptr;
  }
  type.kind = TypeKind::Tensor;
  ExprPtr e = castToPlace(cx, value.kind == ValueKind::Array ? v : value, type, span, "the declared result", alone);
  cx.function.fn->results.push_back({resultName(cx, name), type, -1});
  return e;
}

bool returnParts(Context &cx, const Value &value, Span span, DeclaredType &tree) {
  std::vector<ResultPart> parts;
  if (!resultParts(cx, {value, "result", span}, nullptr, nullptr, parts, tree)) return false;
  std::vector<ExprPtr> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    out.push_back(resultExpr(cx, parts[i], i, parts.size() == 1));
    if (!out.back()) return false;
  }
  emit(cx, StmtKind::Return, span).values = std::move(out);
  return true;
}

/// State objects among the results are what the function leaves in its parameters: they are no results of the
/// entry point. False after a message.
static bool returnedStates(Context &cx, std::vector<ResultPart> &parts) {
  for (size_t i = parts.size(); i-- > 0;) {
    const auto &[value, name, span] = parts[i];
    bool wanted = cx.function.declared && (*cx.function.declared)[i].kind == TypeKind::State;
    if (value.kind != ValueKind::State && !wanted) continue;
    bool fits = value.kind == ValueKind::State && (!cx.function.declared || wanted);
    if (fits && wanted) {
      const Type &type = (*cx.function.declared)[i];
      fits = type.dtype == value.type.dtype;
      for (size_t a = 0; fits && a < type.shape.size(); ++a)
        fits = sameDim(cx, value.type.shape[a], type.shape[a], span,
                       "the result needs " + show(cx, value.type.shape[a]) + " == " + show(cx, type.shape[a]));
    }
    if (!fits) {
      report(cx, Id::wrongResult, span, cx.function.fn->name, describe(cx, value),
             cx.function.declared ? "`" + (*cx.function.declared)[i].str() + "`" : "");
      return false;
    }
    cx.function.frame->function->returnsState = true;
    if (auto root = cx.function.frame->names.find(value.text); root != cx.function.frame->names.end())
      root->second.value = value;
    auto at = static_cast<std::ptrdiff_t>(i);
    parts.erase(parts.begin() + at);
    if (!cx.function.declared) continue;
    cx.function.declared->erase(cx.function.declared->begin() + at);
    if (i < cx.function.declaredSpans.size()) cx.function.declaredSpans.erase(cx.function.declaredSpans.begin() + at);
  }
  return true;
}

void returnResults(Context &cx, const Value &value, const ast::ReturnStmt &stmt) {
  Span span = stmt.value ? stmt.value->span : stmt.span;
  if (cx.function.fn->isTest()) {  // finishTest() returns what was asserted
    if (value.kind != ValueKind::None)
      unsupported(cx, "a result of a test", span, "say what must hold of it: `assert`");
    else if (cx.function.block != &cx.function.fn->body)
      unsupported(cx, "a `return` of a test that run time decides", span);
    return;
  }
  if (inHost(cx)) {
    if (value.kind != ValueKind::None) unsupported(cx, "a result of host code", span);
    emit(cx, StmtKind::Return, stmt.span);
    return;
  }
  std::vector<ResultPart> parts;
  DeclaredType tree;
  bool nothing = value.kind == ValueKind::None && !value.declared.valid();
  if (cx.function.declaredTree)
    cx.function.declared->clear(), cx.function.declaredSpans.clear();  // anew, without optional parts that are None
  if (cx.function.declared && !cx.function.declaredTree) {             // -> None
    if (!nothing) report(cx, Id::wrongResult, span, cx.function.fn->name, describe(cx, value), "`None`");
    if (!nothing) return;
  } else if (nothing && cx.function.declaredTree) {
    report(cx, Id::wrongResult, span, cx.function.fn->name, "`None`", "a result")
        .note(cx.function.declaredTree->span, "declared here");
    return;
  } else if (!nothing &&
             !resultParts(cx, {value, "result", span}, cx.function.declaredTree ? &*cx.function.declaredTree : nullptr,
                          stmt.value.get(), parts, tree)) {
    return;
  }
  if (!returnedStates(cx, parts)) return;
  std::vector<ExprPtr> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    ExprPtr e = resultExpr(cx, parts[i], i, parts.size() == 1);
    if (!e) return;
    out.push_back(std::move(e));
  }
  if (!stateResults(cx, out, span)) return;
  cx.function.resultTree = std::move(tree);
  emit(cx, StmtKind::Return, stmt.span).values = std::move(out);
}

}  // namespace tessera::sema
