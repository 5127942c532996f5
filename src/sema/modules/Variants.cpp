// Parameters with several types, `A | B | None`: an entry point for each alternative. None is used behind a test only.
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"

namespace tessera::sema {

namespace {
constexpr size_t kMostVariants = 16;

std::string joined(const std::string &path, const std::string &part) { return path.empty() ? part : path + "_" + part; }
/// `Tensor[N, f32]` as a part of a name: Tensor_N_f32.
std::string asName(std::string_view text) {
  std::string name;
  for (char c : text)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}
}  // namespace

/// Every way to choose among the alternatives of a type; more than kMostVariants are cut off.
static std::vector<Choices> variantsOf(Context &cx, const ast::Expr &annotation, const std::string &path) {
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  std::vector<Choices> all;
  if (!countStep(cx, annotation.span)) return std::vector<Choices>(1);
  if (alternatives.size() > 1) {
    size_t first = alternatives[0]->kind == ast::ExprKind::None;  // the type, before None
    for (size_t n = 0; n < alternatives.size(); ++n) {
      size_t i = (n + first) % alternatives.size();
      for (Choices inner : variantsOf(cx, *alternatives[i], path)) {
        inner[path] = i;
        all.push_back(std::move(inner));
      }
    }
    return all;
  }
  all.emplace_back();
  auto product = [&](const ast::Expr &part, const std::string &name) {
    std::vector<Choices> old = std::move(all);
    all.clear();
    for (const Choices &inner : variantsOf(cx, part, joined(path, name)))
      for (const Choices &outer : old) {
        if (all.size() > kMostVariants) return;
        all.push_back(outer);
        all.back().insert(inner.begin(), inner.end());
      }
  };
  std::vector<const ast::Expr *> items;
  if (tupleItems(annotation, 0, items)) {
    for (size_t i = 0; i < items.size(); ++i) product(*items[i], std::to_string(i));
    return all;
  }
  auto *index = as<ast::SubscriptExpr>(&annotation);
  Value named = typeNamed(cx, index ? *index->object : annotation);
  if (named.kind == ValueKind::StructType && !named.instance->info->recursive)
    for (const StructField &field : named.instance->info->fields) product(*field.type, field.name);
  return all;
}

std::vector<Choices> variantsOf(Context &cx, const Callable &callable) {
  ModuleScope *outer = cx.scope;
  std::shared_ptr<Frame> frame = cx.function.frame;
  cx.scope = callable.module;
  cx.function.frame = nullptr;
  cx.steps = 0;
  std::vector<Choices> all(1);
  for (const ast::Parameter &p : callable.def->parameters) {
    if (!p.annotation) continue;
    std::vector<Choices> old = std::move(all);
    all.clear();
    for (const Choices &inner : variantsOf(cx, *p.annotation, p.name.text))
      for (const Choices &before : old) {
        all.push_back(before);
        all.back().insert(inner.begin(), inner.end());
      }
    if (all.size() > kMostVariants) break;
  }
  const size_t dtypes = jitDTypes(*callable.def).size();
  for (size_t i = 0, before = all.size(); i < before && dtypes > 1 && all.size() <= kMostVariants; ++i)
    for (size_t dtype = 0; dtype < dtypes; ++dtype) {
      Choices more = all[i];
      more[std::string(kDTypeChoice)] = dtype;
      if (dtype == 0) all[i] = std::move(more);
      else all.push_back(std::move(more));
    }
  cx.scope = outer;
  cx.function.frame = frame;
  if (all.size() > kMostVariants) {
    unsupported(cx,
                "an entry point with more than " + std::to_string(kMostVariants) +
                    " combinations of alternatives for its parameters",
                callable.nameSpan);
    all.clear();
  }
  return all;
}

/// The alternative of `path` that a choice means; null if the type at this path has only one.
static const ast::Expr *chosenAlternative(Context &cx, const Callable &callable, const std::string &path,
                                          size_t choice) {
  if (path == kDTypeChoice) return jitDTypes(*callable.def).at(choice);
  const ast::Expr *found = nullptr;
  std::function<void(const ast::Expr &, const std::string &)> search = [&](const ast::Expr &annotation,
                                                                           const std::string &at) {
    std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
    if (alternatives.size() > 1) {
      if (at == path && choice < alternatives.size()) found = alternatives[choice];
      for (const ast::Expr *alternative : alternatives) search(*alternative, at);
      return;
    }
    std::vector<const ast::Expr *> items;
    if (tupleItems(annotation, 0, items))
      for (size_t i = 0; i < items.size(); ++i) search(*items[i], joined(at, std::to_string(i)));
    auto *index = as<ast::SubscriptExpr>(&annotation);
    Value named = typeNamed(cx, index ? *index->object : annotation);
    if (named.kind == ValueKind::StructType && !named.instance->info->recursive)
      for (const StructField &field : named.instance->info->fields) search(*field.type, joined(at, field.name));
  };
  ModuleScope *outer = cx.scope;
  std::shared_ptr<Frame> frame = cx.function.frame;
  cx.scope = callable.module;
  cx.function.frame = nullptr;
  for (const ast::Parameter &p : callable.def->parameters)
    if (p.annotation) search(*p.annotation, p.name.text);
  cx.scope = outer;
  cx.function.frame = frame;
  return found;
}

const Callable &variant(Context &cx, const Callable &callable, const Choices &choices) {
  std::string without, with;
  for (const auto &[path, choice] : choices) {
    if (path == kTrainingChoice) {
      with += "_training";
      continue;
    }
    const ast::Expr *alternative = chosenAlternative(cx, callable, path, choice);
    const ast::Expr *zero = chosenAlternative(cx, callable, path, 0);
    bool plain = choice == (zero->kind == ast::ExprKind::None ? 1u : 0u);
    if (path == kDTypeChoice) with += plain ? "" : "_" + asName(cx.sources.text(alternative->span));
    else if (alternative->kind == ast::ExprKind::None) without += (without.empty() ? "_without_" : "_and_") + path;
    else if (!plain) with += "_with_" + path + "_as_" + asName(cx.sources.text(alternative->span));
  }
  std::string suffix = with + without;
  if (suffix.empty()) return callable;
  const Callable *&slot = callable.variants[suffix];
  if (slot) return *slot;
  cx.callables.push_back(callable);
  Callable &made = cx.callables.back();
  made.name += suffix;
  made.choices = choices;
  made.checked = nullptr;
  made.failed = made.active = false;
  made.variants.clear();
  slot = &made;
  return made;
}

const Callable &forTraining(Context &cx, const Callable &callable, bool isDerived) {
  if (!ensureChecked(cx, callable) || !callable.asksTraining) return callable;
  if (cx.function.fn && !cx.function.calls.empty()) cx.function.calls.front().callable->asksTraining = true;
  if (!isDerived && !cx.function.isTraining) return callable;
  Choices choices = callable.choices;
  choices[std::string(kTrainingChoice)] = 1;
  return variant(cx, callable, choices);
}

Value isTraining(Context &cx, const BuiltinRow &, Bound &, Span) {
  if (cx.function.fn && !cx.function.calls.empty()) cx.function.calls.front().callable->asksTraining = true;
  return Value::boolean(cx.function.isTraining);
}

bool chooseVariant(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &path, Span span,
                   Choices &choices) {
  std::vector<const ast::Expr *> alternatives = alternativesOf(annotation);
  if (alternatives.size() > 1) {
    size_t chosen = alternatives.size();
    int cost = 0;
    for (size_t i = 0; i < alternatives.size(); ++i) {
      bool none = alternatives[i]->kind == ast::ExprKind::None;
      if (none != (value.kind == ValueKind::None)) continue;
      Trial trial{true, 0, {}};
      if (!none)
        trial = attempt(cx, [&] {
          Value ignored;
          bindGenerics(cx, value, *alternatives[i], {span, path});
          return matchParameter(cx, value, *alternatives[i], path, span, ignored);
        });
      if (trial.ok && (chosen == alternatives.size() || trial.conversions < cost)) chosen = i, cost = trial.conversions;
    }
    if (chosen == alternatives.size())
      return wrongValue(cx, value, annotation, path, span, "`" + std::string(cx.sources.text(annotation.span)) + "`");
    choices[path] = chosen;
    return chooseVariant(cx, value, *alternatives[chosen], path, span, choices);
  }
  std::vector<const ast::Expr *> items;
  if (value.isSequence() && tupleItems(annotation, value.items.size(), items)) {
    for (size_t i = 0; i < items.size() && i < value.items.size(); ++i)
      if (!chooseVariant(cx, value.items[i], *items[i], joined(path, std::to_string(i)), span, choices)) return false;
  } else if (value.kind == ValueKind::Struct) {
    const StructInfo &info = *value.instance->info;
    const Value one = value.isStack() ? elementOfStack(value) : value;
    for (size_t i = 0; i < info.fields.size(); ++i)
      if (!chooseVariant(cx, one.items[i], *info.fields[i].type, joined(path, info.fields[i].name), span, choices))
        return false;
  }
  return true;
}

bool reportNone(Context &cx, const Value &value, Span span) {
  if (value.kind != ValueKind::None || !value.declared.valid()) return false;
  if (fresh(cx, Id::maybeNone, span))
    report(cx, Id::maybeNone, span, value.text)
        .label("used here without a test")
        .note(value.declared, "it may be None because of its type")
        .help("use it only behind `if " + value.text + " is not None:`");
  return true;
}

// ---------------------------------------------------------------- raise

bool isOtherVariant(Context &cx) {
  const Callable *entry = cx.function.calls.empty() ? nullptr : cx.function.calls.front().callable;
  if (!entry) return false;
  for (const auto &[path, choice] : entry->choices) {
    if (path.starts_with(kSizeChoice)) continue;
    const ast::Expr *zero = chosenAlternative(cx, *entry, path, 0);
    if (choice != (zero && zero->kind == ast::ExprKind::None ? 1u : 0u)) return true;
  }
  return false;
}

bool refuseVariant(Context &cx, Span span) {
  if (cx.function.conditionDepth > 0 || !isOtherVariant(cx)) return false;
  cx.function.calls.front().callable->raises = span;
  ++cx.failures;
  cx.function.frame->returned = true;
  cx.function.frame->results = {Value::poison()};
  return true;
}

void raiseStmt(Context &cx, const ast::RaiseStmt &stmt) {
  if (inHost(cx)) return raiseInHost(cx, stmt);
  if (cx.function.conditionDepth > cx.function.frame->conditionDepth) {
    bool known = !cx.function.path.empty() && cx.function.path.back();
    unsupported(cx, "a `raise` that only run time reaches", stmt.span,
                known ? "what must hold of dimensions: `assert " + show(cx, cx.function.path.back()->negated()) + "`"
                      : "");
    return;
  }
  if (refuseVariant(cx, stmt.span)) return;
  Span call = cx.function.calls.empty() ? Span() : cx.function.calls.back().span;
  bool ofCall = call.valid();
  Span place = ofCall ? call : stmt.span;
  if (fresh(cx, Id::alwaysRaises, place)) {
    auto builder = report(cx, Id::alwaysRaises, place);
    if (ofCall) builder.note(stmt.span, "raised here");
  }
  cx.function.frame->returned = true;
  cx.function.frame->results = {Value::poison()};
}

}  // namespace tessera::sema
