// Effects: noted where an operation is checked, carried to the callers, compared with what a function declares.
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/effects/Effects.h"
#include "sema/kernels/Kernels.h"

namespace tessera::sema {

using ast::as;

void noteEffect(Context &cx, Effect effect) {
  if (!cx.function.frame) return;
  if (effect.kind == EffectKind::Io && cx.function.frame->quiet > 0) {
    if (!effect.files) return;
    const EffectStep &step = effect.path.front();
    if (fresh(cx, Id::cannotSuspend, step.span))
      report(cx, Id::cannotSuspend, step.span, "reading and writing files")
          .label(step.text)
          .help("only printing can be suspended: move this out of the `with`");
    return;
  }
  cx.function.frame->effects.add(std::move(effect));
}

void noteBuiltinEffect(Context &cx, const BuiltinRow &row, Span span) {
  Effect effect;
  effect.path = {{span, "`" + std::string(row.name) + "` does it"}};
  switch (row.kind) {
  case BuiltinKind::LoadNpy:
  case BuiltinKind::LoadTensors:
  case BuiltinKind::SaveTensors:
  case BuiltinKind::SaveNpy: effect.files = true; [[fallthrough]];
  case BuiltinKind::HostCall:
    if (row.op == "decode" || row.op == "encode" || row.op == "text_quoted" || row.op.starts_with("json_")) return;
    effect.files |= row.op.starts_with("file_") || row.op == "read_bytes" || row.op == "write_bytes" || row.op == "load_npz";
    [[fallthrough]];
  case BuiltinKind::Print: effect.kind = EffectKind::Io; return noteEffect(cx, std::move(effect));
  default: return;
  }
}

void takeOverEffects(Context &cx, const Effects &effects, const std::string &callee, bool traced, Span span) {
  for (Effect effect : effects.all()) {
    if (effect.kind == EffectKind::Collective && !traced && divergentCollective(cx, callee, effect.of, span)) continue;
    effect.path.insert(effect.path.begin(), {span, "`" + callee + "` is called here"});
    noteEffect(cx, std::move(effect));
  }
}

// ---------------------------------------------------------------- effects[...]

static std::optional<DeclaredEffect> declaredEffect(Context &cx, const ast::FuncDef &def, const ast::Expr &expr) {
  auto *call = as<ast::CallExpr>(&expr);
  auto *name = as<ast::NameExpr>(call ? call->callee.get() : &expr);
  auto kind = name ? effectByName(name->name) : std::nullopt;
  if (!kind) {
    std::string shown(cx.sources.text(name ? name->span : expr.span));
    if (!fresh(cx, Id::unknownEffect, expr.span)) return std::nullopt;
    auto builder = report(cx, Id::unknownEffect, expr.span, shown);
    if (auto *text = as<ast::StringExpr>(&expr); text && effectByName(text->value)) {
      builder.help("effects stand in brackets without quotes").suggest(expr.span, text->value, "without quotes");
      return std::nullopt;
    }
    if (auto near = diag::didYouMean(shown, effectNames()); !near.empty() && name)
      builder.help("did you mean `" + std::string(near) + "`?")
          .suggest(name->span, std::string(near), "write `" + std::string(near) + "`");
    else builder.help("there are random, io, state(x), collective(\"axis\"), nondet and schedule");
    return std::nullopt;
  }
  DeclaredEffect effect{*kind, "", expr.span};
  if (!call) return effect;
  bool takes = *kind == EffectKind::State || *kind == EffectKind::Collective;
  const ast::Expr *of = call->arguments.size() == 1 ? call->arguments[0].value.get() : nullptr;
  if (auto *text = as<ast::StringExpr>(of)) effect.of = text->value;
  else if (auto *of_ = as<ast::NameExpr>(of)) effect.of = of_->name;
  bool known = *kind != EffectKind::State;
  for (const ast::Parameter &p : def.parameters) known |= p.name.text == effect.of;
  if (takes && known && !effect.of.empty()) return effect;
  if (fresh(cx, Id::unknownEffect, expr.span))
    report(cx, Id::unknownEffect, expr.span, std::string(cx.sources.text(expr.span)))
        .help(*kind == EffectKind::State        ? "it names a parameter: `state(cache)`"
              : *kind == EffectKind::Collective ? "it names an axis of the mesh: `collective(\"tp\")`"
                                                : "it takes nothing: `" + std::string(nameOf(*kind)) + "`");
  return std::nullopt;
}

static std::vector<DeclaredEffect> declaredEffects(Context &cx, const ast::FuncDef &def) {
  std::vector<DeclaredEffect> all;
  for (const ast::ExprPtr &item : *def.effects)
    if (auto effect = declaredEffect(cx, def, *item)) all.push_back(std::move(*effect));
  return all;
}

/// `effects[...]` in the text of the function.
static Span effectsClause(const Context &cx, const ast::FuncDef &def) {
  uint32_t begin = def.name.span.end;
  for (const ast::Parameter &p : def.parameters) begin = std::max(begin, p.span.end);
  if (def.result) begin = std::max(begin, def.result->span.end);
  std::string_view text = cx.sources.file(def.span.file).text;
  if (!def.effects->empty()) {
    size_t word = text.rfind("effects", def.effects->front()->span.begin);
    return {def.span.file, static_cast<uint32_t>(word), def.effects->back()->span.end};
  }
  size_t word = text.find("effects", begin), close = text.find(']', word);
  return {def.span.file, static_cast<uint32_t>(word), static_cast<uint32_t>(close)};
}

static void notePath(diag::Builder &builder, const Effect &effect) {
  for (const EffectStep &step : effect.path) builder.note(step.span, step.text);
}

void fastDecorator(Context &cx, const ast::FuncDef &def) {
  for (const ast::Decorator &decorator : def.decorators) {
    if (decoratorName(cx, *decorator.expression) != "fast") continue;
    auto *call = as<ast::CallExpr>(decorator.expression);
    if (!call || call->arguments.empty()) {
      if (fresh(cx, Id::argumentNotGiven, decorator.span))
        report(cx, Id::argumentNotGiven, decorator.span, "fast", "nondet")
            .help("it names what may differ: `@fast(nondet)`");
      continue;
    }
    for (const ast::Argument &arg : call->arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      std::string freedom = name && !arg.keyword ? name->name : "";
      if (freedom == "nondet")
        noteEffect(cx, {EffectKind::Nondet, "", false, false, {{decorator.span, "`@fast(nondet)` allows it here"}}});
      else if (freedom == "reassociate" || freedom == "approx") unsupported(cx, "`@fast(" + freedom + ")`", arg.span);
      else if (fresh(cx, Id::unknownKeyword, arg.span)) {
        auto builder = report(cx, Id::unknownKeyword, arg.span, "fast", std::string(cx.sources.text(arg.span)));
        auto *text = as<ast::StringExpr>(arg.value);
        if (text && !arg.keyword && text->value == "nondet") builder.suggest(arg.span, text->value, "without quotes");
        else builder.help("there are reassociate, approx and nondet");
      }
    }
  }
}

static void unusedEffects(Context &cx, const ast::FuncDef &def, const std::vector<DeclaredEffect> &declared,
                          const Effects &inferred);
static void checkDeterministic(Context &cx, const ast::FuncDef &def, const Effects &inferred);

void checkEffects(Context &cx, const Callable &callable, const Effects &inferred) {
  if (!callable.def) return;
  const ast::FuncDef &def = *callable.def;
  checkDeterministic(cx, def, inferred);
  if (!def.effects) return;
  size_t errors = cx.failures;
  std::vector<DeclaredEffect> declared = declaredEffects(cx, def);
  if (cx.failures != errors) return;
  for (const Effect &effect : inferred.all()) {
    bool covered = false;
    for (const DeclaredEffect &d : declared) covered |= d.kind == effect.kind && (d.of.empty() || d.of == effect.of);
    Span clause = effectsClause(cx, def);
    if (covered || !fresh(cx, Id::undeclaredEffect, clause)) continue;
    auto builder = report(cx, Id::undeclaredEffect, clause, def.name.text, effect.str());
    notePath(builder, effect);
    Span end{clause.file, clause.end, clause.end};
    builder.fix(end, (def.effects->empty() ? "" : ", ") + effect.str(), "declare `" + effect.str() + "`");
    return;
  }
  // What one call of a traced function does not do, another may.
  if (cx.function.frame && !cx.function.frame->inlined && callable.variants.empty() && callable.choices.empty())
    unusedEffects(cx, def, declared, inferred);
}

static void unusedEffects(Context &cx, const ast::FuncDef &def, const std::vector<DeclaredEffect> &declared,
                          const Effects &inferred) {
  for (size_t i = 0; i < declared.size(); ++i) {
    bool happens = false;
    for (const Effect &effect : inferred.all())
      happens |= effect.kind == declared[i].kind && (declared[i].of.empty() || declared[i].of == effect.of);
    if (happens) continue;
    Span span = declared[i].span;
    Span edit = i > 0                 ? declared[i - 1].span.to(span)
                : declared.size() > 1 ? Span{span.file, span.begin, declared[1].span.begin}
                                      : span;
    if (i > 0) edit.begin = declared[i - 1].span.end;
    cx.diagnostics.report(Id::unusedEffect, span, def.name.text, std::string(cx.sources.text(span)))
        .fix(edit, "", "remove it");
  }
}

static void checkDeterministic(Context &cx, const ast::FuncDef &def, const Effects &inferred) {
  Span promise;
  for (const ast::Decorator &decorator : def.decorators)
    if (decoratorName(cx, *decorator.expression) == "deterministic") promise = decorator.span;
  if (!promise.valid()) return;
  for (const Effect &effect : inferred.all()) {
    bool random = effect.kind == EffectKind::Random && effect.withoutStream;
    const bool bySize = effect.kind == EffectKind::Schedule;
    if (!random && !bySize && effect.kind != EffectKind::Nondet) continue;
    Span place = effect.path.back().span;
    if (!fresh(cx, Id::notDeterministic, place)) continue;
    auto builder = report(cx, Id::notDeterministic, place, def.name.text,
                          random   ? "draws random numbers that come from no stream"
                          : bySize ? "may give other values with other sizes of tiles"
                                   : "may give other bits each time it runs");
    builder.note(promise, bySize ? "this promises the same bits whatever the schedule"
                                 : "this promises the same bits each time");
    const std::string &why = effect.path.back().text;
    if (effect.path.size() == 1 && !random) builder.label(why);
    for (size_t i = 0; i + 1 < effect.path.size(); ++i) builder.note(effect.path[i].span, effect.path[i].text);
    if (random) builder.help("take a stream, `rng: Rng`, and draw from it");
    return;
  }
}

}  // namespace tessera::sema
