// A function as an entry point: parameters, dimension variables, facts, results.
#include "checked/ExprBuild.h"
#include "sema/EditorFacts.h"
#include "sema/FactTable.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include "support/LinearDim.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

uint32_t headerEnd(const Context &cx, const ast::FuncDef &def) {
  uint32_t end = def.name.span.end;
  for (const ast::TypeParameter &t : def.typeParameters) end = std::max(end, t.name.span.end);
  for (const ast::Parameter &p : def.parameters) end = std::max(end, p.span.end);
  std::string_view whole = cx.sources.file(def.span.file).text;
  bool comment = false;
  while (end < def.span.end && (comment || whole[end] != ')')) {
    comment = whole[end] != '\n' && (comment || whole[end] == '#');
    ++end;
  }
  end = std::min(end + 1, def.span.end);
  if (def.result) end = std::max(end, def.result->span.end);
  for (const auto &w : def.where) end = std::max(end, w->span.end);
  for (uint32_t at = end; at < def.span.end; ++at) {  // brackets around the last of them
    if (whole[at] == ')') end = at + 1;
    else if (whole[at] != ' ' && whole[at] != '\t' && whole[at] != '\n' && whole[at] != '\r') break;
  }
  return end;
}

std::string signatureText(const Context &cx, const ast::FuncDef &def) {
  std::string_view whole = cx.sources.file(def.span.file).text;
  uint32_t end = headerEnd(cx, def);
  uint32_t begin = def.name.span.begin;
  std::string text = "def ";
  bool blank = false, comment = false;
  for (uint32_t i = begin; i < end; ++i) {
    char c = whole[i];
    if (c == '\n') comment = false;
    if (c == '#') comment = true;
    if (comment) continue;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\\') blank = true;
    else {
      if (blank && text.back() != '(' && text.back() != '[') text += ' ';
      blank = false;
      text += c;
    }
  }
  return text;
}

/// Parameters of a kernel without types: one mistake, however many they are.
static void untypedParameters(Context &cx) {
  const ast::FuncDef &def = *cx.function.frame->function->def;
  if (!fresh(cx, Id::untypedParameter, def.name.span)) return;
  std::vector<const ast::Parameter *> all;
  std::string names;
  for (const ast::Parameter &p : def.parameters)
    if (!p.annotation) all.push_back(&p), names += (names.empty() ? "`" : ", `") + p.name.text + "`";
  bool one = all.size() == 1;
  report(cx, Id::untypedParameter, all[0]->span, (one ? "the parameter " : "the parameters ") + names,
         one ? "has no type" : "have no types")
      .help("for example `" + all[0]->name.text + ": Tensor[\"N\", f32]`");
  cx.reportedSpans.insert({static_cast<int>(Id::untypedParameter), def.name.span.file, def.name.span.begin});
}

static void noneForTensor(Context &cx, const ast::Parameter &parameter);
static void entryDefault(Context &cx, const ast::Parameter &parameter, Param &param);
static void boundDimensions(Context &cx, const ast::FuncDef &def);

static void entryParameter(Context &cx, const ast::Parameter &parameter) {
  if (parameter.kind == ast::ParameterKind::VarPositional || parameter.kind == ast::ParameterKind::VarKeyword) {
    unsupported(cx, "`*` and `**` parameters of an entry point", parameter.span);
    return;
  }
  Binding binding;
  binding.span = parameter.name.span;
  if (cx.function.frame->names.count(parameter.name.text)) {
    ++cx.failures;  // a message was given
    return;
  }
  std::optional<DeclaredType> type;
  if (inHost(cx)) {
    Value given = mainParameter(cx, parameter);
    if (!given.isPoison()) {
      assignName(cx, parameter.name.text, std::move(given), parameter.name.span);
      return noteBinding(cx, parameter.name.text, parameter.name.span);
    }
  } else if (!parameter.annotation) {
    untypedParameters(cx);
  } else {
    type = declaredType(cx, *parameter.annotation, parameter.name.text);
  }
  size_t first = cx.function.fn->params.size();
  if (type) binding.value = entryValue(cx, *type, parameter.name.text, parameter);
  if (binding.value.isState() && binding.value.kind == ValueKind::Struct && !inKernel(cx)) {
    binding.value.handle = newHandle(cx);
    binding.value.text = parameter.name.text;
    cx.function.frame->states.emplace_back(parameter.name.text, binding.value);
  }
  if (binding.value.isPoison()) ++cx.failures;
  else cx.function.frame->function->parameterTrees[parameter.name.text] = *type;
  if (binding.value.kind != ValueKind::Rng && binding.value.expr && binding.value.expr->kind == ExprKind::VarRef)
    binding.var = binding.value.expr->as<node::VarRef>().var;
  bool none = parameter.defaultValue && parameter.defaultValue->kind == ast::ExprKind::None;
  if (parameter.defaultValue && !binding.value.isPoison() && binding.value.kind != ValueKind::None &&
      !(none && alternativesOf(*parameter.annotation).size() > 1)) {
    if (none) noneForTensor(cx, parameter);
    else if (type->kind == DeclaredType::Kind::Plain) entryDefault(cx, parameter, cx.function.fn->params[first]);
    else unsupported(cx, "a default for this parameter", parameter.defaultValue->span);
  }
  cx.function.frame->names[parameter.name.text] = std::move(binding);
  noteBinding(cx, parameter.name.text, parameter.name.span);
}

/// `bias: Tensor[N, f32] = None`: the type has to say that it may be None.
static void noneForTensor(Context &cx, const ast::Parameter &parameter) {
  Span type = parameter.annotation->span;
  if (fresh(cx, Id::wrongArgument, parameter.defaultValue->span))
    report(cx, Id::wrongArgument, parameter.defaultValue->span, quoted(parameter.name.text),
           "`" + std::string(cx.sources.text(type)) + "`", "None")
        .suggest({type.file, type.end, type.end}, " | None", "say in its type that it may be None");
}

static void entryDefault(Context &cx, const ast::Parameter &parameter, Param &param) {
  Span span = parameter.defaultValue->span;
  const Type &type = param.var->type;
  Value v = checkExpr(cx, *parameter.defaultValue);
  if (type.kind == TypeKind::Scalar) param.defaultValue = castToPlace(cx, v, type, span, "the parameter");
  else if (type.kind == TypeKind::Index && v.isKnownInt()) param.defaultValue = indexExpr(cx, v, span);
  else if (!v.isPoison()) unsupported(cx, "a default for this parameter", span);
  if (param.defaultValue && param.defaultValue->kind != ExprKind::Constant) {
    report(cx, Id::notConstant, span, "a default");
    param.defaultValue.reset();
  }
}

static void entryParameters(Context &cx, const ast::FuncDef &def) {
  for (const ast::TypeParameter &t : def.typeParameters) {
    typeParameterBound(cx, t);
    cx.function.frame->dims[t.name.text] = Dim::var(t.name.text);
  }
  for (const auto &[choice, size] : cx.function.frame->function->choices)
    if (choice.starts_with(kSizeChoice))
      cx.function.frame->dims[choice.substr(kSizeChoice.size())] = Dim(static_cast<int64_t>(size));
  size_t errors = cx.failures;
  // `Const[H]` and dimension expressions may name what a later parameter binds: names in quotes first.
  cx.bindDims = true;
  for (const ast::Parameter &p : def.parameters) entryParameter(cx, p);
  cx.bindDims = false;
  if (cx.failures != errors) return;
  if (inHost(cx) && !def.parameters.empty()) hostCall(cx, "no_more_arguments", {}, def.name.span);
  for (const ast::TypeParameter &t : def.typeParameters) {  // those that only another alternative of a parameter has
    bool used =
        std::find(cx.function.fn->dims.begin(), cx.function.fn->dims.end(), t.name.text) != cx.function.fn->dims.end();
    if (used || specialSize(cx, t.name.text) || !inParameters(def, t.name.text)) continue;
    cx.function.frame->generics.insert(t.name.text);
  }
  if (!isOtherVariant(cx)) boundDimensions(cx, def);
}

/// Every dimension of the signature has to be one of some parameter.
static void boundDimensions(Context &cx, const ast::FuncDef &def) {
  std::set<std::string> given;
  std::vector<std::vector<Dim>> extents;
  for (const Param &p : cx.function.fn->params) {
    for (const Dim &d : p.var->type.shape)
      if (d.isVar()) given.insert(d.varName());
    if (p.var->type.kind == TypeKind::Tensor || p.var->type.kind == TypeKind::View) extents.push_back(p.var->type.shape);
  }
  for (const SolvedExtent &solved : solvedExtents(extents, given)) given.insert(solved.extent.variable);
  for (const std::string &dim : cx.function.fn->dims)
    if (!given.count(dim)) {
      Span span = def.name.span;
      for (const ast::TypeParameter &t : def.typeParameters)
        if (t.name.text == dim) span = t.name.span;
      report(cx, Id::unboundDimension, span, dim)
          .help("some parameter must have it as a dimension of its own, or in an expression whose other variables are given, "
                "`2 * N`, `N + M`, `N * M`");
    }
  for (const ast::TypeParameter &t : def.typeParameters)
    if (std::find(cx.function.fn->dims.begin(), cx.function.fn->dims.end(), t.name.text) ==
            cx.function.fn->dims.end() &&
        !inParameters(def, t.name.text))
      report(cx, Id::unboundDimension, t.name.span, t.name.text)
          .help("use it in the type of a parameter, or remove it");
  for (const ast::TypeParameter &t : def.typeParameters) {
    bool open = cx.function.frame->generics.count(t.name.text) && cx.function.declared;
    if (open && std::any_of(cx.function.declared->begin(), cx.function.declared->end(), [&](const Type &type) {
          std::set<std::string> names;
          for (const Dim &d : type.shape) d.collectVars(names);
          return names.count(t.name.text) != 0;
        }))
      report(cx, Id::unboundDimension, t.name.span, t.name.text).note(def.result->span, "the result has it");
  }
}

static void declaredResults(Context &cx, const ast::FuncDef &def) {
  cx.function.declared.reset();
  cx.function.declaredTree.reset();
  cx.function.declaredSpans.clear();
  if (!def.result || def.result->kind == ast::ExprKind::None) {
    if (def.result) cx.function.declared.emplace();
    return;
  }
  cx.function.declared.emplace();
  if (alternativesOf(*def.result).size() > 1) unsupported(cx, "an optional result", def.result->span);
  auto type = declaredType(cx, *def.result, "result");
  if (!type) {  // a message was given; the rest of the function is checked against something
    type.emplace();
    type->plain = scalarType(DType::F32);
    type->span = def.result->span;
  }
  flatTypes(*type, *cx.function.declared, cx.function.declaredSpans);
  cx.function.declaredTree = std::move(type);
}

/// A name of a result that no parameter has.
std::string resultName(const Context &cx, std::string name) {
  auto isTaken = [&](const Param &param) { return param.var->name == name; };
  while (std::any_of(cx.function.fn->params.begin(), cx.function.fn->params.end(), isTaken)) name += "_";
  return name;
}

static void finishTensor(Context &cx, const ast::FuncDef &def) {
  if (cx.function.fn->isTest()) return finishTest(cx, def);
  if (!cx.function.frame->returned && cx.function.declared && !cx.function.declared->empty())
    report(cx, Id::missingReturn, def.name.span, def.name.text).label("every way through it must end in `return`");
  bool moves = false;  // a state object on: that is enough to do
  for (const Effect &effect : cx.function.frame->effects.all()) moves |= effect.kind == EffectKind::State;
  if (cx.function.fn->kind == FunctionKind::Tensor && cx.function.fn->results.empty() && !cx.function.frame->returned &&
      !cx.function.declared && !moves)
    report(cx, Id::missingReturn, def.name.span, def.name.text).help("a tensor function has no effect but its result");
  std::vector<ExprPtr> states;
  if (cx.function.frame->returned || !stateResults(cx, states, {def.name.span.file, def.span.end, def.span.end}) ||
      states.empty())
    return;
  emit(cx, StmtKind::Return, def.name.span).values = std::move(states);
}

FunctionState enterFunction(Context &cx, Function &function, const Callable &callable) {
  FunctionState outer = std::exchange(cx.function, {});
  cx.function.fn = &function;
  cx.function.facts = shape::Facts(cx.solved);
  cx.function.block = &function.body;
  cx.function.frame = std::make_shared<Frame>();
  cx.function.frame->function = &callable;
  cx.function.frame->module = callable.module;
  cx.function.calls = {{&callable, {}, {}}};
  cx.function.model = std::exchange(cx.modelToEnter, nullptr);
  if (callable.isMixed) cx.function.mixed = callable.mixed;
  cx.function.isTraining = callable.choices.count(std::string(kTrainingChoice)) != 0;
  return outer;
}

void leaveFunction(Context &cx, FunctionState outer) { cx.function = std::move(outer); }

std::unique_ptr<Function> checkEntry(Context &cx, const Callable &callable) {
  const ast::FuncDef &def = *callable.def;
  reach(cx, callable);
  auto function = std::make_unique<Function>();
  FunctionState outer = enterFunction(cx, *function, callable);
  cx.function.fn->name = callable.name;
  cx.function.fn->span = def.name.span;
  cx.function.fn->kind = callable.isKernel         ? FunctionKind::Kernel
                         : callable.name == "main" ? FunctionKind::Host
                                                   : FunctionKind::Tensor;
  cx.function.fn->signature = signatureText(cx, def) + sizesText(callable);
  if (!def.body.empty())
    if (auto *first = as<ast::ExprStmt>(def.body[0]))
      if (auto *text = as<ast::StringExpr>(first->value)) cx.function.fn->docstring = text->value;
  if (def.isAsync) unsupported(cx, "an `async` function", def.name.span);
  size_t errors = cx.failures;
  entryParameters(cx, def);
  if (cx.failures == errors && !isSpecial(callable)) takeSizes(cx, def);
  for (const ast::Decorator &decorator : def.decorators)
    if (cx.failures == errors && decoratorName(cx, *decorator.expression) == "require")
      resourceClaim(cx, as<ast::CallExpr>(decorator.expression), def, decorator.span);
  if (cx.failures == errors) {
    whereFacts(cx, def, false);
    declaredResults(cx, def);
    if (cx.failures == errors) typesMayDivide(cx, def);
  }
  if (cx.failures == errors) {
    checkDecorators(cx, def);
    fastDecorator(cx, def);
    if (callable.schedule) cx.function.fn->kernel.schedule = *callable.schedule;
    if (callable.isCheckpoint && cx.function.fn->kind == FunctionKind::Tensor) cx.function.fn->kernel.schedule.options[kCheckpoint] = "";
    if (inKernel(cx)) startKernel(cx, def);
    for (const std::string &absent : cx.function.frame->generics) cx.function.frame->dims.erase(absent);
    if (!inKernel(cx)) makeLateConstants(cx, def);
    checkBlock(cx, def.body);
    if (cx.failures == errors) boundDimensions(cx, def);
    if (cx.failures == errors && callable.isCheckpoint) takeKept(cx, callable, *cx.function.fn);
    bool poisoned = cx.failures != errors;  // what is missing at the end follows from the mistake before
    if (inKernel(cx) && !poisoned) finishKernel(cx, def);
    if (inKernel(cx) && cx.failures == errors) checkRaces(cx, def);
    if (!poisoned) checkEffects(cx, callable, cx.function.frame->effects);
    cx.function.fn->effects = cx.function.frame->effects;
    if (cx.options.facts) cx.options.facts->addEffects(def, cx.function.frame->effects);
    if (!inHost(cx) && !inKernel(cx) && !poisoned) finishTensor(cx, def);
  }
  bool ok = cx.failures == errors;
  if (ok && cx.function.resultTree) callable.resultTree = *cx.function.resultTree;
  leaveFunction(cx, std::move(outer));
  return ok ? std::move(function) : nullptr;
}

}  // namespace tessera::sema
