// A function as an entry point: parameters, dimension variables, facts, results.
#include "sema/Checker.h"
#include "sema/FactTable.h"
#include "sema/trace/Unknown.h"
#include "support/LinearDim.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

/// Behind the parameters, the result and the facts of a function: where one more fact can be written.
uint32_t Checker::headerEnd(const ast::FuncDef &def) const {
  uint32_t end = def.name.span.end;
  for (const ast::TypeParameter &t : def.typeParameters) end = std::max(end, t.name.span.end);
  for (const ast::Parameter &p : def.parameters) end = std::max(end, p.span.end);
  std::string_view whole = sources_.file(def.span.file).text;
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

std::string Checker::signatureText(const ast::FuncDef &def) const {
  std::string_view whole = sources_.file(def.span.file).text;
  uint32_t end = headerEnd(def);
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
void Checker::untypedParameters() {
  const ast::FuncDef &def = *frame_->function->def;
  if (!fresh(Id::untypedParameter, def.name.span)) return;
  std::vector<const ast::Parameter *> all;
  std::string names;
  for (const ast::Parameter &p : def.parameters)
    if (!p.annotation) all.push_back(&p), names += (names.empty() ? "`" : ", `") + p.name.text + "`";
  bool one = all.size() == 1;
  report(Id::untypedParameter, all[0]->span, (one ? "the parameter " : "the parameters ") + names,
         one ? "has no type" : "have no types")
      .help("for example `" + all[0]->name.text + ": Tensor[\"N\", f32]`");
  reportedSpans_.insert({static_cast<int>(Id::untypedParameter), def.name.span.file, def.name.span.begin});
}

void Checker::entryParameter(const ast::Parameter &parameter) {
  if (parameter.kind == ast::ParameterKind::VarPositional ||
      parameter.kind == ast::ParameterKind::VarKeyword) {
    unsupported("`*` and `**` parameters of an entry point", parameter.span);
    return;
  }
  Binding binding;
  binding.span = parameter.name.span;
  if (frame_->names.count(parameter.name.text)) {
    ++failures_;  // a message was given
    return;
  }
  std::optional<DeclaredType> type;
  if (inHost()) {
    Value given = mainParameter(parameter);
    if (!given.isPoison()) {
      assignName(parameter.name.text, std::move(given), parameter.name.span);
      return noteBound(parameter.name.text, parameter.name.span);
    }
  } else if (!parameter.annotation) {
    untypedParameters();
  } else {
    type = declaredType(*parameter.annotation, parameter.name.text);
  }
  size_t first = fn_->params.size();
  if (type) binding.value = entryValue(*type, parameter.name.text, parameter);
  if (binding.value.isState() && binding.value.kind == ValueKind::Struct && !inKernel()) {
    binding.value.handle = newHandle();
    binding.value.text = parameter.name.text;
    frame_->states.emplace_back(parameter.name.text, binding.value);
  }
  if (binding.value.isPoison()) ++failures_;
  else frame_->function->parameterTrees[parameter.name.text] = *type;
  if (binding.value.kind != ValueKind::Rng && binding.value.expr && binding.value.expr->kind == ExprKind::VarRef)
    binding.var = binding.value.expr->var;
  bool none = parameter.defaultValue && parameter.defaultValue->kind == ast::ExprKind::None;
  if (parameter.defaultValue && !binding.value.isPoison() && binding.value.kind != ValueKind::None &&
      !(none && alternativesOf(*parameter.annotation).size() > 1)) {
    if (none) noneForTensor(parameter);
    else if (type->kind == DeclaredType::Kind::Plain) entryDefault(parameter, fn_->params[first]);
    else unsupported("a default for this parameter", parameter.defaultValue->span);
  }
  frame_->names[parameter.name.text] = std::move(binding);
  noteBound(parameter.name.text, parameter.name.span);
}

/// `bias: Tensor[N, f32] = None`: the type has to say that it may be None.
void Checker::noneForTensor(const ast::Parameter &parameter) {
  Span type = parameter.annotation->span;
  if (fresh(Id::wrongArgument, parameter.defaultValue->span))
    report(Id::wrongArgument, parameter.defaultValue->span, quoted(parameter.name.text),
           "`" + std::string(sources_.text(type)) + "`", "None")
        .suggest({type.file, type.end, type.end}, " | None", "say in its type that it may be None");
}

void Checker::entryDefault(const ast::Parameter &parameter, Param &param) {
  Span span = parameter.defaultValue->span;
  const Type &type = param.var->type;
  Value v = checkExpr(*parameter.defaultValue);
  if (type.kind == TypeKind::Scalar) param.defaultValue = leave(v, type, span, "the parameter");
  else if (type.kind == TypeKind::Index && v.isKnownInt()) param.defaultValue = indexExpr(v, span);
  else if (!v.isPoison()) unsupported("a default for this parameter", span);
  if (param.defaultValue && param.defaultValue->kind != ExprKind::Constant) {
    report(Id::notConstant, span, "a default");
    param.defaultValue.reset();
  }
}

void Checker::entryParameters(const ast::FuncDef &def) {
  for (const ast::TypeParameter &t : def.typeParameters) {
    typeParameterBound(t);
    frame_->dims[t.name.text] = Dim::var(t.name.text);
  }
  size_t errors = failures_;
  // `Const[H]` and dimension expressions may name what a later parameter binds: names in quotes first.
  bindDims_ = true;
  for (const ast::Parameter &p : def.parameters) entryParameter(p);
  bindDims_ = false;
  if (failures_ != errors) return;
  if (inHost() && !def.parameters.empty()) hostCall("no_more_arguments", {}, def.name.span);
  for (const ast::TypeParameter &t : def.typeParameters) {  // those that only another alternative of a parameter has
    bool used = std::find(fn_->dims.begin(), fn_->dims.end(), t.name.text) != fn_->dims.end();
    if (used || !inParameters(def, t.name.text)) continue;
    frame_->generics.insert(t.name.text);
  }
  if (!isOtherVariant()) boundDimensions(def);
}

/// Every dimension of the signature has to be one of some parameter.
void Checker::boundDimensions(const ast::FuncDef &def) {
  std::set<std::string> given;
  for (const Param &p : fn_->params)
    for (const Dim &d : p.var->type.shape) {
      if (d.isVar()) given.insert(d.varName());
      bool isExtent = p.var->type.kind == TypeKind::Tensor || p.var->type.kind == TypeKind::View;
      if (auto linear = linearDim(d); linear && isExtent) given.insert(linear->variable);
    }
  for (const std::string &dim : fn_->dims)
    if (!given.count(dim)) {
      Span span = def.name.span;
      for (const ast::TypeParameter &t : def.typeParameters)
        if (t.name.text == dim) span = t.name.span;
      report(Id::unboundDimension, span, dim)
          .help("some parameter must have it as a dimension of its own, or in an expression without another variable, `2 * N`");
    }
  for (const ast::TypeParameter &t : def.typeParameters)
    if (std::find(fn_->dims.begin(), fn_->dims.end(), t.name.text) == fn_->dims.end() && !inParameters(def, t.name.text))
      report(Id::unboundDimension, t.name.span, t.name.text)
          .help("use it in the type of a parameter, or remove it");
  for (const ast::TypeParameter &t : def.typeParameters) {
    bool open = frame_->generics.count(t.name.text) && declared_;
    if (open && std::any_of(declared_->begin(), declared_->end(), [&](const Type &type) {
          std::set<std::string> names;
          for (const Dim &d : type.shape) d.collectVars(names);
          return names.count(t.name.text) != 0;
        }))
      report(Id::unboundDimension, t.name.span, t.name.text).note(def.result->span, "the result has it");
  }
}

void Checker::declaredResults(const ast::FuncDef &def) {
  declared_.reset();
  declaredTree_.reset();
  declaredSpans_.clear();
  if (!def.result || def.result->kind == ast::ExprKind::None) {
    if (def.result) declared_.emplace();
    return;
  }
  declared_.emplace();
  if (alternativesOf(*def.result).size() > 1) unsupported("an optional result", def.result->span);
  auto type = declaredType(*def.result, "result");
  if (!type) {  // a message was given; the rest of the function is checked against something
    type.emplace();
    type->plain = scalarType(DType::F32);
    type->span = def.result->span;
  }
  flatTypes(*type, *declared_, declaredSpans_);
  declaredTree_ = std::move(type);
}

/// A name of a result that no parameter has.
std::string Checker::resultName(std::string name) const {
  auto isTaken = [&](const Param &param) { return param.var->name == name; };
  while (std::any_of(fn_->params.begin(), fn_->params.end(), isTaken)) name += "_";
  return name;
}

void Checker::finishTensor(const ast::FuncDef &def) {
  if (!frame_->returned && declared_ && !declared_->empty())
    report(Id::missingReturn, def.name.span, def.name.text)
        .label("every way through it must end in `return`");
  bool moves = false;  // a state object on: that is enough to do
  for (const Effect &effect : frame_->effects.all()) moves |= effect.kind == EffectKind::State;
  if (fn_->kind == FunctionKind::Tensor && fn_->results.empty() && !frame_->returned && !declared_ && !moves)
    report(Id::missingReturn, def.name.span, def.name.text)
        .help("a tensor function has no effect but its result");
  std::vector<ExprPtr> states;
  if (frame_->returned || !stateResults(states, {def.name.span.file, def.span.end, def.span.end}) || states.empty()) return;
  emit(StmtKind::Return, def.name.span).values = std::move(states);
}

/// Puts the state of the function around aside: one that is called while another is checked.
FunctionState Checker::enterFunction(Function &function, const Callable &callable) {
  FunctionState saved{fn_,
                      block_,
                      frame_,
                      std::move(facts_),
                      varyingDepth_,
                      conditionDepth_,
                      std::move(calls_),
                      std::move(symVars_),
                      std::move(varValues_),
                      std::move(rebindable_),
                      std::move(temps_),
                      std::move(declared_),
                      std::move(declaredTree_),
                      std::move(resultTree_),
                      std::move(declaredSpans_),
                      std::move(outputShape_),
                      linearSpan_,
                      lanesKnown_,
                      lanesGiven_,
                      std::move(loopMarks_),
                      std::move(path_),
                      std::move(chosen_),
                      std::move(divergence_)};
  leaveFunction({});
  fn_ = &function;
  block_ = &function.body;
  frame_ = std::make_shared<Frame>();
  frame_->function = &callable;
  frame_->module = callable.module;
  calls_ = {{&callable, {}, {}}};
  return saved;
}

void Checker::leaveFunction(FunctionState outer) {
  fn_ = outer.fn;
  block_ = outer.block;
  frame_ = std::move(outer.frame);
  facts_ = std::move(outer.facts);
  varyingDepth_ = outer.varyingDepth;
  conditionDepth_ = outer.conditionDepth;
  calls_ = std::move(outer.calls);
  symVars_ = std::move(outer.symVars);
  varValues_ = std::move(outer.varValues);
  rebindable_ = std::move(outer.rebindable);
  temps_ = std::move(outer.temps);
  declared_ = std::move(outer.declared);
  declaredTree_ = std::move(outer.declaredTree);
  resultTree_ = std::move(outer.resultTree);
  declaredSpans_ = std::move(outer.declaredSpans);
  outputShape_ = std::move(outer.outputShape);
  linearSpan_ = outer.linearSpan;
  lanesKnown_ = outer.lanesKnown;
  lanesGiven_ = outer.lanesGiven;
  loopMarks_ = std::move(outer.loopMarks);
  path_ = std::move(outer.path);
  chosen_ = std::move(outer.chosen);
  divergence_ = std::move(outer.divergence);
}

std::unique_ptr<Function> Checker::checkEntry(const Callable &callable) {
  const ast::FuncDef &def = *callable.def;
  reached_.traced.insert(callable.body());
  auto function = std::make_unique<Function>();
  FunctionState outer = enterFunction(*function, callable);
  fn_->name = callable.name;
  fn_->span = def.name.span;
  fn_->kind = callable.isKernel         ? FunctionKind::Kernel
              : callable.name == "main" ? FunctionKind::Host
                                        : FunctionKind::Tensor;
  fn_->signature = signatureText(def);
  if (!def.body.empty())
    if (auto *first = as<ast::ExprStmt>(def.body[0]))
      if (auto *text = as<ast::StringExpr>(first->value)) fn_->docstring = text->value;
  if (def.isAsync) unsupported("an `async` function", def.name.span);
  size_t errors = failures_;
  entryParameters(def);
  if (failures_ == errors) {
    whereFacts(def, false);
    declaredResults(def);
    if (failures_ == errors) typesMayDivide(def);
  }
  if (failures_ == errors) {
    decorators(def);
    freedoms(def);
    if (callable.schedule) fn_->kernel.schedule = *callable.schedule;
    if (inKernel()) startKernel(def);
    for (const std::string &absent : frame_->generics) frame_->dims.erase(absent);
    checkBlock(def.body);
    if (failures_ == errors) boundDimensions(def);
    bool poisoned = failures_ != errors;  // what is missing at the end follows from the mistake before
    if (inKernel() && !poisoned) finishKernel(def);
    if (inKernel() && failures_ == errors) kernelSafety(def);
    if (!poisoned) checkEffects(callable, frame_->effects);
    fn_->effects = frame_->effects;
    if (options_.facts) options_.facts->addEffects(def, frame_->effects);
    if (!inHost() && !inKernel() && !poisoned) finishTensor(def);
  }
  bool ok = failures_ == errors;
  if (ok && resultTree_) callable.resultTree = *resultTree_;
  leaveFunction(std::move(outer));
  return ok ? std::move(function) : nullptr;
}

}  // namespace tessera::sema
