// A function as an entry point: parameters, dimension variables, facts, results.
#include "sema/Checker.h"
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

void Checker::entryParameter(const ast::Parameter &parameter) {
  if (parameter.kind == ast::ParameterKind::VarPositional ||
      parameter.kind == ast::ParameterKind::VarKeyword) {
    unsupported("`*` and `**` parameters of an entry point", parameter.span);
    return;
  }
  Binding binding;
  binding.span = parameter.name.span;
  if (frame_->names.count(parameter.name.text)) {
    report(Id::definedTwice, parameter.name.span, parameter.name.text);
    return;
  }
  bool mayBeNone = false;
  std::optional<Type> type;
  if (!parameter.annotation) {
    report(Id::notAType, parameter.span,
           "the parameter `" + parameter.name.text + "` of a kernel has no type");
  } else {
    type = parameterType(*parameter.annotation, mayBeNone);
  }
  if (type && mayBeNone && frame_->function->without.count(parameter.name.text)) {
    binding.value = Value::of(ValueKind::None);
    frame_->names[parameter.name.text] = std::move(binding);
    return;
  }
  if (type && type->kind == TypeKind::String) {
    unsupported("a string parameter of an entry point", parameter.annotation->span);
    type.reset();
  }
  if (!type) {
    ++failures_;
    frame_->names[parameter.name.text] = binding;  // poison
    return;
  }
  if (type->kind == TypeKind::Tensor && inKernel()) type->kind = TypeKind::View;
  Param param;
  param.var = newVar(parameter.name.text, *type, parameter.name.span);
  param.keywordOnly = parameter.kind == ast::ParameterKind::KeywordOnly;
  binding.var = param.var;
  switch (type->kind) {
  case TypeKind::View:
    binding.value = Value::of(ValueKind::View);
    binding.value.var = param.var;
    binding.var = nullptr;
    break;
  case TypeKind::Index:
    if (!type->shape.empty()) {  // Const[H]: it is the dimension
      binding.value = Value::integer(type->shape[0]);
      binding.var = nullptr;
    } else {
      Value v = Value::of(ValueKind::Int);
      v.type = indexType();
      binding.value = valueOfVar(param.var, v, parameter.name.span);
    }
    break;
  case TypeKind::Stream:
    binding.value = streamValue(makeRef(param.var, parameter.name.span));
    binding.var = nullptr;
    later("random streams (`Rng`)", parameter.span);
    break;
  default: {
    Value v = Value::of(ValueKind::Array);
    v.type = *type;
    v.limits.resize(type->shape.size());
    binding.value = valueOfVar(param.var, v, parameter.name.span);
    varValues_[param.var] = binding.value;
  }
  }
  if (parameter.defaultValue && !(mayBeNone && parameter.defaultValue->kind == ast::ExprKind::None)) {
    Value v = checkExpr(*parameter.defaultValue);
    Type scalar = *type;
    if (type->kind == TypeKind::Scalar)
      param.defaultValue = leave(v, scalar, parameter.defaultValue->span, "the parameter");
    else if (type->kind == TypeKind::Index && v.isKnownInt())
      param.defaultValue = indexExpr(v, parameter.defaultValue->span);
    else if (!v.isPoison()) unsupported("a default for this parameter", parameter.defaultValue->span);
    if (param.defaultValue && param.defaultValue->kind != ExprKind::Constant) {
      report(Id::notConstant, parameter.defaultValue->span, "a default");
      param.defaultValue.reset();
    }
  }
  fn_->params.push_back(std::move(param));
  frame_->names[parameter.name.text] = std::move(binding);
}

void Checker::entryParameters(const ast::FuncDef &def) {
  for (const ast::TypeParameter &t : def.typeParameters) {
    if (t.bound) unsupported("a bound on a type parameter", t.bound->span);
    frame_->dims[t.name.text] = Dim::var(t.name.text);
  }
  size_t errors = failures_;
  // `Const[H]` and dimension expressions may name what a later parameter binds: names in quotes first.
  bindDims_ = true;
  for (const ast::Parameter &p : def.parameters) entryParameter(p);
  bindDims_ = false;
  std::set<std::string> given;
  for (const Param &p : fn_->params)
    for (const Dim &d : p.var->type.shape)
      if (d.isVar()) given.insert(d.varName());
  bool poisoned = failures_ != errors;
  for (const std::string &dim : fn_->dims)
    if (!given.count(dim) && !poisoned) {
      Span span = def.name.span;
      for (const ast::TypeParameter &t : def.typeParameters)
        if (t.name.text == dim) span = t.name.span;
      report(Id::unboundDimension, span, dim)
          .help("it occurs only inside expressions; some parameter must have it as a dimension of its own");
    }
  for (const ast::TypeParameter &t : def.typeParameters)
    if (std::find(fn_->dims.begin(), fn_->dims.end(), t.name.text) == fn_->dims.end() && !poisoned)
      report(Id::unboundDimension, t.name.span, t.name.text)
          .help("use it in the type of a parameter, or remove it");
}

void Checker::declaredResults(const ast::FuncDef &def) {
  declared_.reset();
  declaredSpans_.clear();
  if (!def.result || def.result->kind == ast::ExprKind::None) {
    if (def.result) declared_.emplace();
    return;
  }
  std::vector<const ast::Expr *> items = {def.result.get()};
  auto *index = as<ast::SubscriptExpr>(def.result);
  if (def.result->kind == ast::ExprKind::Tuple) {
    items.clear();
    for (const auto &e : static_cast<const ast::SequenceExpr &>(*def.result).items) items.push_back(e.get());
  } else if (index && as<ast::NameExpr>(index->object) &&
             (as<ast::NameExpr>(index->object)->name == "Tuple" ||
              as<ast::NameExpr>(index->object)->name == "tuple")) {
    items.clear();
    for (const auto &e : index->items) items.push_back(e.value.get());
  }
  declared_.emplace();
  for (const ast::Expr *item : items) {
    bool mayBeNone = false;
    auto type = parameterType(*item, mayBeNone);
    if (type && mayBeNone) unsupported("an optional result", item->span);
    if (!type) type = scalarType(DType::F32);
    if (type->kind == TypeKind::Index) *type = scalarType(DType::I64);
    type->kind = TypeKind::Tensor;
    declared_->push_back(*type);
    declaredSpans_.push_back(item->span);
  }
  if (fn_->kind == FunctionKind::Kernel) return;
  for (size_t i = 0; i < declared_->size(); ++i) fn_->results.push_back({"", (*declared_)[i], -1});
}

void Checker::finishTensor(const ast::FuncDef &def) {
  for (size_t i = 0; i < fn_->results.size(); ++i)
    fn_->results[i].name = fn_->results.size() == 1 ? "result" : "result_" + std::to_string(i);
  if (!frame_->returned && declared_ && !declared_->empty())
    report(Id::missingReturn, def.name.span, def.name.text)
        .label("every way through it must end in `return`");
  if (fn_->kind == FunctionKind::Tensor && fn_->results.empty() && !frame_->returned && !declared_)
    report(Id::missingReturn, def.name.span, def.name.text)
        .help("a tensor function has no effect but its result");
}

/// What is known of the function that is being checked; put aside while another one is.
struct Checker::EntryState {
  Function *fn;
  Block *block;
  std::shared_ptr<Frame> frame;
  shape::Facts facts;
  int varying, condition;
  std::vector<const Callable *> calls;
  std::map<std::string, Var *> syms;
  std::map<Var *, Value> values;
  std::set<Var *> rebindable;
  std::optional<std::vector<Type>> declared;
  std::vector<Span> declaredSpans;
  std::vector<Dim> output;
  Span linear;
  bool lanes, lanesGiven;
  std::vector<size_t> marks;
  std::vector<std::optional<shape::Formula>> path;
  std::map<Var *, int> temps;
};

Checker::EntryState Checker::enterFunction(Function &function, const Callable &callable) {
  EntryState saved{fn_,
                   block_,
                   frame_,
                   std::move(facts_),
                   varyingDepth_,
                   conditionDepth_,
                   std::move(calls_),
                   std::move(symVars_),
                   std::move(varValues_),
                   std::move(rebindable_),
                   std::move(declared_),
                   std::move(declaredSpans_),
                   std::move(outputShape_),
                   linearSpan_,
                   lanesKnown_,
                   lanesGiven_,
                   std::move(loopMarks_),
                   std::move(path_),
                   std::move(temps_)};
  fn_ = &function;
  block_ = &function.body;
  frame_ = std::make_shared<Frame>();
  frame_->function = &callable;
  frame_->module = callable.module;
  facts_ = {};
  varyingDepth_ = conditionDepth_ = 0;
  calls_ = {&callable};
  symVars_.clear();
  varValues_.clear();
  rebindable_.clear();
  declared_.reset();
  declaredSpans_.clear();
  outputShape_.clear();
  linearSpan_ = {};
  lanesKnown_ = lanesGiven_ = false;
  loopMarks_.clear();
  path_.clear();
  temps_.clear();
  return saved;
}

void Checker::leaveFunction(EntryState saved) {
  fn_ = saved.fn;
  block_ = saved.block;
  frame_ = std::move(saved.frame);
  facts_ = std::move(saved.facts);
  varyingDepth_ = saved.varying;
  conditionDepth_ = saved.condition;
  calls_ = std::move(saved.calls);
  symVars_ = std::move(saved.syms);
  varValues_ = std::move(saved.values);
  rebindable_ = std::move(saved.rebindable);
  declared_ = std::move(saved.declared);
  declaredSpans_ = std::move(saved.declaredSpans);
  outputShape_ = std::move(saved.output);
  linearSpan_ = saved.linear;
  lanesKnown_ = saved.lanes;
  lanesGiven_ = saved.lanesGiven;
  loopMarks_ = std::move(saved.marks);
  path_ = std::move(saved.path);
  temps_ = std::move(saved.temps);
}

std::unique_ptr<Function> Checker::checkEntry(const Callable &callable) {
  const ast::FuncDef &def = *callable.def;
  auto function = std::make_unique<Function>();
  EntryState saved = enterFunction(*function, callable);
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
  }
  if (failures_ == errors) {
    decorators(def);
    if (callable.schedule) fn_->kernel.schedule = *callable.schedule;
    if (inKernel()) startKernel(def);
    checkBlock(def.body);
    bool poisoned = failures_ != errors;  // what is missing at the end follows from the mistake before
    if (inKernel() && !poisoned) finishKernel(def);
    if (inKernel() && failures_ == errors) kernelSafety(def);
    if (!poisoned) checkEffects(callable, frame_->effects);
    fn_->effects = frame_->effects;
    if (!inHost() && !inKernel() && !poisoned) finishTensor(def);
  }
  bool ok = failures_ == errors;
  leaveFunction(std::move(saved));
  return ok ? std::move(function) : nullptr;
}

}  // namespace tessera::sema
