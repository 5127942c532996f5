// Calls: arguments are bound to parameters; bodies of tensor functions are traced where they are called.
#include "sema/Checker.h"
#include "sema/FactTable.h"
#include "sema/advice/Foreign.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

GivenList Checker::arguments(const ast::CallExpr &expr) {
  GivenList out;
  for (const ast::Argument &arg : expr.arguments) {
    Value v = checkExpr(*arg.value);
    if (arg.stars == 1) {
      if (v.isSequence())
        for (Value &item : v.items) out.push_back({"", item, arg.span, {}, arg.value.get()});
      else {
        if (!v.isPoison()) report(Id::notIterable, arg.span, describe(v));
        out.push_back({"", Value::poison(), arg.span, {}, arg.value.get()});
      }
      continue;
    }
    if (arg.stars == 2) {
      if (v.kind != ValueKind::Dict) {
        if (!v.isPoison()) report(Id::wrongArgument, arg.span, quoted("**"), "a dict", describe(v));
        continue;
      }
      for (size_t i = 0; i + 1 < v.items.size(); i += 2) {
        Span word = v.items[i].declared.valid() ? v.items[i].declared : arg.span;
        out.push_back({v.items[i].text, v.items[i + 1], arg.span, word, arg.value.get()});
      }
      continue;
    }
    Given given{arg.keyword ? arg.keyword->text : "", std::move(v), arg.value->span,
                arg.keyword ? arg.keyword->span : Span{}, arg.value.get()};
    out.push_back(std::move(given));
  }
  return out;
}

namespace {
/// `jax.random.normal`: a function of another library.
bool isForeign(const ast::Expr &callee) {
  const ast::Expr *root = &callee;
  while (auto *member = as<ast::AttributeExpr>(root)) root = member->object.get();
  auto *name = as<ast::NameExpr>(root);
  return name && root != &callee && (foreignName(name->name) || foreignPackage(name->name));
}
}  // namespace

Value Checker::call(const ast::CallExpr &expr) {
  Value callee = checkExpr(*expr.callee);
  if (callee.isPoison()) {
    size_t before = diagnostics_.all().size();
    arguments(expr);  // mistakes in them are said, too, but not that other libraries have other names
    bool foreign = isForeign(*expr.callee);
    const auto &said = diagnostics_.all();
    for (size_t i = before; !foreign && i < said.size(); ++i)
      foreign = said[i].id == Id::undefinedName && foreignName(sources_.text(said[i].span)) && expr.callee->kind == ast::ExprKind::Attribute;
    if (foreign) diagnostics_.truncate(before);
    return callee;
  }
  if (callee.kind == ValueKind::Builtin && callee.builtin->kind == BuiltinKind::Unsupported)
    return unsupported(std::string(callee.builtin->op), expr.span);
  GivenList args = arguments(expr);
  return callValue(callee, std::move(args), expr.span, std::string(sources_.text(expr.callee->span)));
}

Value Checker::callValue(const Value &callee, GivenList args, Span span, const std::string &shown) {
  switch (callee.kind) {
  case ValueKind::Poison: return callee;
  case ValueKind::Builtin: return callBuiltin(*callee.builtin, std::move(args), span);
  case ValueKind::Method: {
    const Value &object = callee.items[0];
    if (object.kind == ValueKind::Schedule) return scheduleMethod(object, callee.text, args, span);
    if (object.kind == ValueKind::Function) return withSchedule(*object.callable, args, span);
    args.insert(args.begin(), Given{"", object, span, {}, nullptr});
    if (callee.builtin) return callBuiltin(*callee.builtin, std::move(args), span);
    if (callee.items.size() > 1) return callOverloads(callee.items[1], std::move(args), span);
    return callFunction(*callee.callable, std::move(args), span);
  }
  case ValueKind::Function: return callFunction(*callee.callable, std::move(args), span);
  case ValueKind::Overloads: return callOverloads(callee, std::move(args), span);
  case ValueKind::Partial: return callPartial(callee, std::move(args), span);
  case ValueKind::Derivative: return callDerivative(callee, std::move(args), span);
  case ValueKind::StructType: return constructStruct(callee, std::move(args), span);
  case ValueKind::DType: return callDType(callee, args, span, shown);
  default:
    if (!reportNone(callee, span) && fresh(Id::notCallable, span)) report(Id::notCallable, span, describe(callee));
    return Value::poison();
  }
}

/// bf16(x): a conversion.
Value Checker::callDType(const Value &dtype, const GivenList &args, Span span, const std::string &shown) {
  if (misnamed_.count(shown)) {  // a function cannot have this name: it was said
    ++failures_;
    return Value::poison();
  }
  if (args.size() != 1 || !args[0].keyword.empty()) {
    report(Id::tooManyArguments, span, shown, "one value", std::to_string(args.size()));
    return Value::poison();
  }
  const Value &value = args[0].value;
  if (value.isPoison() || reportNone(value, args[0].span)) return Value::poison();
  if (value.kind == ValueKind::None || value.isSequence() || value.kind == ValueKind::String) {
    report(Id::wrongArgument, args[0].span, quoted(shown), "a number", describe(value));
    return Value::poison();
  }
  return castTo(value, dtype.type.dtype, dtype.type.numerics, span);
}

/// kernel.with_schedule(...): the same kernel with other sizes.
Value Checker::withSchedule(const Callable &kernel, const GivenList &args, Span span) {
  for (const Given &arg : args)
    if (arg.value.isPoison()) return Value::poison();
  if (!args.empty() && args[0].keywordSpan.valid()) {  // block=(64, 64), warps=4
    Span all = args.front().keywordSpan.to(args.back().span);
    std::string fields;
    for (const Given &arg : args) {
      std::string_view ours = fieldHere(arg.keyword), name = ours.empty() ? std::string_view(arg.keyword) : ours;
      fields += (fields.empty() ? "" : ", ") + std::string(name) + (name.empty() ? "" : "=") +
                std::string(sources_.text(arg.span));
    }
    report(Id::wrongArgument, all, quoted("with_schedule"), "one schedule", "what a schedule is made of")
        .suggest(all, "Schedule(" + fields + ")", "make a schedule of it");
    return Value::poison();
  }
  if (args.size() != 1 || args[0].value.kind != ValueKind::Schedule) {
    report(Id::wrongArgument, span, quoted("with_schedule"), "one schedule",
           args.empty() ? "nothing" : describe(args[0].value));
    return Value::poison();
  }
  callables_.push_back(kernel);
  Callable &made = callables_.back();
  made.schedule = args[0].value.schedule;
  made.checked = nullptr;
  made.failed = false;
  Value v = Value::of(ValueKind::Function);
  v.callable = &made;
  return v;
}

bool Checker::isCallable(const Value &value) {
  switch (value.kind) {
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Function:
  case ValueKind::Overloads:
  case ValueKind::Partial:
  case ValueKind::Derivative: return true;
  default: return false;
  }
}

/// partial(f, x, k=v): f with these arguments given.
Value Checker::makePartial(GivenList args, Span span) {
  if (args.empty() || !args[0].keyword.empty() || !isCallable(args[0].value)) {
    bool poison = !args.empty() && args[0].value.isPoison();
    if (!poison)
      report(Id::wrongArgument, args.empty() ? span : args[0].span, quoted("partial"), "a function",
             args.empty() ? "nothing" : describe(args[0].value));
    return Value::poison();
  }
  Value v = Value::of(ValueKind::Partial);
  Value positional = Value::tuple({}), named = Value::of(ValueKind::Dict), places = Value::tuple({});
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].value.isPoison()) return Value::poison();
    Value kept = args[i].value.expr && block_ ? cheap(args[i].value, "argument", args[i].span) : args[i].value;
    if (args[i].keyword.empty()) {
      positional.items.push_back(std::move(kept));
      places.items.push_back(Value::of(ValueKind::Absent));
      places.items.back().declared = args[i].span;
    } else {
      named.items.push_back(Value::string(args[i].keyword));
      named.items.back().declared = args[i].keywordSpan;
      named.items.push_back(std::move(kept));
    }
  }
  for (size_t i = 1; i < args.size(); ++i)
    if (!args[i].keyword.empty()) {
      places.items.push_back(Value::of(ValueKind::Absent));
      places.items.back().declared = args[i].span;
    }
  v.items = {std::move(args[0].value), std::move(positional), std::move(named), std::move(places)};
  return v;
}

Value Checker::callPartial(const Value &partial, GivenList args, Span span) {
  GivenList all;
  const std::vector<Value> &places = partial.items[3].items;  // of the arguments, those with names last
  size_t place = 0;
  for (const Value &v : partial.items[1].items) all.push_back({"", v, places[place++].declared, {}, nullptr});
  for (size_t i = 0; i + 1 < partial.items[2].items.size(); i += 2) {
    const std::string &keyword = partial.items[2].items[i].text;
    bool again = false;  // as in Python, what is given at the call wins
    for (const Given &arg : args) again |= arg.keyword == keyword;
    Span word = partial.items[2].items[i].declared.valid() ? partial.items[2].items[i].declared : span;
    Span at = places[place++].declared;
    if (!again) all.push_back({keyword, partial.items[2].items[i + 1], at, word, nullptr});
  }
  for (Given &arg : args) all.push_back(std::move(arg));
  return callValue(partial.items[0], std::move(all), span, "partial");
}

// ---------------------------------------------------------------- binding

bool Checker::bindParameters(const Callable &callable, GivenList &args, Span span, std::vector<Value> &values,
                             std::vector<Span> &spans) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  const std::string &shown = callable.name;
  values.assign(parameters.size(), Value::of(ValueKind::Absent));
  spans.assign(parameters.size(), span);
  bool ok = true;
  size_t next = 0;
  size_t plain = 0;
  for (const ast::Parameter &p : parameters) plain += p.kind == ast::ParameterKind::Plain;
  for (Given &arg : args) {
    if (arg.value.isPoison()) ok = false;
    size_t at = parameters.size();
    if (arg.keyword.empty()) {
      while (next < parameters.size() && parameters[next].kind != ast::ParameterKind::Plain &&
             parameters[next].kind != ast::ParameterKind::VarPositional)
        ++next;
      if (next >= parameters.size()) {
        size_t count =
            std::count_if(args.begin(), args.end(), [](const Given &g) { return g.keyword.empty(); });
        auto builder =
            report(Id::tooManyArguments, arg.span, shown,
                   std::to_string(plain) + (plain == 1 ? " argument" : " arguments"), std::to_string(count));
        builder.note(callable.nameSpan, "defined here");
        for (size_t i = 0; i < parameters.size(); ++i) {
          if (parameters[i].kind != ast::ParameterKind::KeywordOnly || values[i].given()) continue;
          const std::string &name = parameters[i].name.text;
          builder.help("`" + name + "` stands behind `*`: it is given by name")
              .fix({arg.span.file, arg.span.begin, arg.span.begin}, name + "=", "name it");
          break;
        }
        return false;
      }
      at = next;
      if (parameters[at].kind == ast::ParameterKind::VarPositional) {
        spans[at] = values[at].given() ? spans[at].to(arg.span) : arg.span;
        if (!values[at].given()) values[at] = Value::tuple({});
        values[at].items.push_back(std::move(arg.value));
        continue;
      }
      ++next;
    } else {
      for (size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name.text == arg.keyword && (parameters[i].kind == ast::ParameterKind::Plain ||
                                                       parameters[i].kind == ast::ParameterKind::KeywordOnly))
          at = i;
      if (at == parameters.size()) {
        std::vector<std::string_view> names;
        for (const ast::Parameter &p : parameters) names.push_back(p.name.text);
        auto builder = report(Id::unknownKeyword, arg.keywordSpan, shown, arg.keyword);
        auto near = diag::didYouMean(arg.keyword, names);
        if (std::string_view ours = nameHere(arg.keyword); std::find(names.begin(), names.end(), ours) != names.end())
          near = ours;
        if (near.empty()) builder.help(argumentNames(names));
        else builder.help("did you mean `" + std::string(near) + "`?");
        if (!near.empty() && sources_.text(arg.keywordSpan) == arg.keyword)
          builder.suggest(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
        ok = false;
        continue;
      }
    }
    if (values[at].given()) {
      report(Id::argumentTwice, arg.span, shown, parameters[at].name.text);
      ok = false;
      continue;
    }
    values[at] = std::move(arg.value);
    spans[at] = arg.span;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (values[i].given()) continue;
    if (parameters[i].kind == ast::ParameterKind::VarPositional) values[i] = Value::tuple({});
    else if (parameters[i].kind == ast::ParameterKind::VarKeyword) values[i] = Value::of(ValueKind::Dict);
    else if (!parameters[i].defaultValue) {
      if (ok)
        report(Id::argumentNotGiven, span, shown, parameters[i].name.text)
            .note(parameters[i].span, "declared here");
      ok = false;
    }
  }
  return ok;
}

/// True, with a message, for a call of a function from inside of itself.
bool Checker::isRecursive(const Callable &callable, Span span) {
  auto isThis = [&](const TracedCall &call) { return call.callable == &callable; };
  if (!callable.active && std::none_of(calls_.begin(), calls_.end(), isThis)) return false;
  if (fresh(Id::recursion, span))
    report(Id::recursion, span, callable.name).help("the compiler writes calls out; use a loop");
  return true;
}

Value Checker::callFunction(const Callable &callable, GivenList args, Span span) {
  if (isRecursive(callable, span)) return Value::poison();
  std::vector<Value> values;
  std::vector<Span> spans;
  if (!bindParameters(callable, args, span, values, spans)) return Value::poison();
  for (size_t i = 0; i < values.size(); ++i)
    if (isSpent(values[i], spans[i])) return Value::poison();
  if (!fn_) return unsupported("calling a function at module level", span);
  if (callable.isKernel) {
    if (inKernel()) return unsupported("calling a kernel inside a kernel", span);
    return callEntry(callable, std::move(values), spans, span);
  }
  if (inHost() && callable.def && callable.name != "main" && isEntry(callable))
    return callEntry(callable, std::move(values), spans, span);
  if (callable.isCustomVjp && !inHost() && !inKernel()) {  // stays a call: its derivative is its own
    if (callable.module != main_) checkRule(callable);  // those of the main module are entries, and are checked as such
    if (isEntry(callable)) return callEntry(callable, std::move(values), spans, span);
    return unsupported("a rule for a function whose parameters have no types", span, "write their types");
  }
  return inlineCall(callable, std::move(values), spans, span);
}

/// A frame for the body of a traced function, in which its generic names are open.
std::shared_ptr<Frame> Checker::calleeFrame(const Callable &callable) const {
  auto frame = std::make_shared<Frame>();
  frame->function = &callable;
  frame->module = callable.module;
  frame->parent = callable.closure;
  frame->inlined = true;
  frame->conditionDepth = conditionDepth_;
  if (callable.def)
    for (const ast::TypeParameter &t : callable.def->typeParameters)
      (isDTypeParameter(t) ? frame->dtypeGenerics : frame->generics).insert(t.name.text);
  return frame;
}

namespace {
/// Whether one of the messages from this one on is about the shape of an argument.
bool saysShapes(const std::vector<diag::Diagnostic> &said, size_t from) {
  return std::any_of(said.begin() + static_cast<std::ptrdiff_t>(from), said.end(), [](const diag::Diagnostic &d) {
    return d.id == Id::shapeMismatch || d.id == Id::rankMismatch;
  });
}
}  // namespace

/// Values for all parameters, of the types that they declare; in the callee's frame. `failed` counts those that
/// do not fit.
bool Checker::matchArguments(const Callable &callable, std::vector<Value> &values, const std::vector<Span> &spans,
                             int *failed) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  if (callable.structure && !values.empty() && values[0].kind == ValueKind::Struct) {
    frame_->dims = values[0].instance->dims;
    for (const auto &[name, type] : values[0].instance->dtypes) {
      frame_->names[name].value = Value::dtype(type.dtype, type.numerics);
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    if (!values[i].given() && p.defaultValue) values[i] = checkExpr(*p.defaultValue);
    if (!p.annotation) ++conversions_;
    else if (p.kind == ast::ParameterKind::VarPositional)
      for (const Value &item : values[i].items)
        bindGenerics(item, *p.annotation, {spans[i], "`" + p.name.text + "`"});
    else bindGenerics(values[i], *p.annotation, {spans[i], "`" + p.name.text + "`"});
  }
  bool ok = true, misshapen = false;  // one argument in the place of another leaves the others without their places
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    bool plain = p.kind == ast::ParameterKind::Plain || p.kind == ast::ParameterKind::KeywordOnly;
    std::vector<Value *> items = {&values[i]};
    if (p.kind == ast::ParameterKind::VarPositional) {
      items.clear();
      for (Value &item : values[i].items) items.push_back(&item);
    } else if (!plain) {
      continue;
    }
    for (Value *item : items) {
      Value out = *item;
      auto matches = [&] {
        return !item->isPoison() &&
               (!p.annotation || matchParameter(*item, *p.annotation, p.name.text, spans[i], out));
      };
      size_t before = diagnostics_.all().size();
      auto follows = [&] { return item->kind == ValueKind::Int || saysShapes(attempt(matches).said, 0); };
      bool fits = (!misshapen || attempt(matches).ok || !follows()) && matches();
      misshapen |= !fits && saysShapes(diagnostics_.all(), before);
      if (!fits && failed) ++*failed;
      ok &= fits;
      if (fits) *item = std::move(out);
    }
  }
  return ok;
}

const std::vector<ast::Parameter> &Checker::parametersOf(const Callable &callable) {
  return callable.def ? callable.def->parameters : callable.lambda->parameters;
}

/// What the body of a traced function returned, as the type that it declares.
Value Checker::inlineResult(const Callable &callable, Span span) {
  Value result = frame_->results.empty() ? Value::of(ValueKind::None) : frame_->results[0];
  const ast::Expr *declared = callable.def->result.get();
  if (!declared || result.isPoison() || declared->kind == ast::ExprKind::None) return result;
  if (!frame_->returned) {
    if (fresh(Id::missingReturn, callable.nameSpan)) report(Id::missingReturn, callable.nameSpan, callable.name);
    return Value::poison();
  }
  Value out;
  return matchParameter(result, *declared, "the result", span, out) ? out : Value::poison();
}

Value Checker::inlineCall(const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans,
                          Span span) {
  const std::vector<ast::Parameter> &parameters = parametersOf(callable);
  size_t errors = failures_;
  // Arguments are computed once, in the caller; defaults belong to the callee's module.
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (values[i].given() && values[i].expr && !values[i].handle)
      values[i] = cheap(std::move(values[i]), parameters[i].name.text, spans[i]);
    for (Value &item : values[i].items)
      if (item.expr && !item.handle) item = cheap(std::move(item), parameters[i].name.text, spans[i]);
  }
  std::shared_ptr<Frame> caller = frame_;
  frame_ = calleeFrame(callable);
  calls_.push_back({&callable, span, spans});
  reached_.traced.insert(callable.body());
  auto hint = accumulateHint_;
  accumulateHint_.reset();
  bool ok = matchArguments(callable, values, spans, nullptr);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Binding binding;
    binding.value = values[i];
    binding.span = parameters[i].span;
    binding.block = blockId_;
    if (values[i].expr && !values[i].handle && values[i].expr->kind == ExprKind::VarRef)
      binding.var = values[i].expr->var;
    binding.borrowed = binding.var != nullptr;
    frame_->names[parameters[i].name.text] = std::move(binding);
    noteBound(parameters[i].name.text, parameters[i].name.span);
  }
  std::vector<PassedState> states = enterStates();
  Value result = Value::poison();
  if (ok && callable.lambda) {
    result = checkExpr(*callable.lambda->body);
  } else if (ok) {
    whereFacts(*callable.def, true);
    freedoms(*callable.def);
    if (failures_ == errors) {  // else all that is wrong in it follows
      checkBlock(callable.def->body);
      result = inlineResult(callable, span);
    }
  }
  accumulateHint_ = hint;
  calls_.pop_back();
  if (failures_ == errors) checkEffects(callable, frame_->effects);
  if (options_.facts && callable.def) options_.facts->addEffects(*callable.def, frame_->effects);
  std::swap(frame_, caller);
  leaveStates(states, *caller, callable.name, result, span);
  if (failures_ > errors) return Value::poison();
  return result;
}

}  // namespace tessera::sema
