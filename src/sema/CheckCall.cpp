// Calls: arguments are bound to parameters; bodies of tensor functions are traced where they are called.
#include "sema/Checker.h"
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
      else if (!v.isPoison()) report(Id::notIterable, arg.span, describe(v));
      continue;
    }
    if (arg.stars == 2) {
      if (v.kind != ValueKind::Dict) {
        if (!v.isPoison()) report(Id::wrongArgument, arg.span, "**", "a dict", describe(v));
        continue;
      }
      for (size_t i = 0; i + 1 < v.items.size(); i += 2)
        out.push_back({v.items[i].text, v.items[i + 1], arg.span, arg.span, arg.value.get()});
      continue;
    }
    Given given{arg.keyword ? arg.keyword->text : "", std::move(v), arg.value->span,
                arg.keyword ? arg.keyword->span : Span{}, arg.value.get()};
    out.push_back(std::move(given));
  }
  return out;
}

Value Checker::call(const ast::CallExpr &expr) {
  Value callee = checkExpr(*expr.callee);
  if (callee.isPoison()) {
    arguments(expr);  // mistakes in them are said, too
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
    if (object.kind == ValueKind::Function) {  // kernel.with_schedule(...)
      if (args.size() != 1 || args[0].value.kind != ValueKind::Schedule) {
        report(Id::wrongArgument, span, "with_schedule", "one schedule",
               args.empty() ? "nothing" : describe(args[0].value));
        return Value::poison();
      }
      callables_.push_back(*object.callable);
      Callable &made = callables_.back();
      made.schedule = args[0].value.schedule;
      made.checked = nullptr;
      made.failed = false;
      Value v = Value::of(ValueKind::Function);
      v.callable = &made;
      return v;
    }
    args.insert(args.begin(), Given{"", object, span, {}, nullptr});
    if (callee.builtin) return callBuiltin(*callee.builtin, std::move(args), span);
    return callFunction(*callee.callable, std::move(args), span);
  }
  case ValueKind::Function: return callFunction(*callee.callable, std::move(args), span);
  case ValueKind::DType: {
    if (args.size() != 1 || !args[0].keyword.empty()) {
      report(Id::tooManyArguments, span, shown, "one value", std::to_string(args.size()));
      return Value::poison();
    }
    if (args[0].value.isPoison()) return Value::poison();
    if (args[0].value.kind == ValueKind::None || args[0].value.isSequence() ||
        args[0].value.kind == ValueKind::String) {
      report(Id::wrongArgument, args[0].span, shown, "a number", describe(args[0].value));
      return Value::poison();
    }
    return castTo(args[0].value, callee.type.dtype, callee.type.numerics, span);
  }
  default:
    if (fresh(Id::notCallable, span)) report(Id::notCallable, span, describe(callee));
    return Value::poison();
  }
}

// ---------------------------------------------------------------- binding

bool Checker::bindParameters(const Callable &callable, GivenList &args, Span span, std::vector<Value> &values,
                             std::vector<Span> &spans) {
  const std::vector<ast::Parameter> &parameters =
      callable.def ? callable.def->parameters : callable.lambda->parameters;
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
        report(Id::tooManyArguments, arg.span, shown,
               std::to_string(plain) + (plain == 1 ? " argument" : " arguments"), std::to_string(count))
            .note(callable.nameSpan, "defined here");
        return false;
      }
      at = next;
      if (parameters[at].kind == ast::ParameterKind::VarPositional) {
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
        if (!near.empty())
          builder.help("did you mean `" + std::string(near) + "`?")
              .fix(arg.keywordSpan, std::string(near), "write `" + std::string(near) + "`");
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

Value Checker::callFunction(const Callable &callable, GivenList args, Span span) {
  if (std::find(calls_.begin(), calls_.end(), &callable) != calls_.end() || callable.active) {
    if (fresh(Id::recursion, span))
      report(Id::recursion, span, callable.name).help("the compiler writes calls out; use a loop");
    return Value::poison();
  }
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
  return inlineCall(callable, std::move(values), spans, span);
}

Value Checker::inlineCall(const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans,
                          Span span) {
  const std::vector<ast::Parameter> &parameters =
      callable.def ? callable.def->parameters : callable.lambda->parameters;
  auto frame = std::make_shared<Frame>();
  frame->function = &callable;
  frame->module = callable.module;
  frame->parent = callable.closure;
  frame->inlined = true;
  frame->conditionDepth = conditionDepth_;
  size_t errors = failures_;
  // Arguments are computed once, in the caller; defaults belong to the callee's module.
  for (size_t i = 0; i < parameters.size(); ++i)
    if (values[i].given() && values[i].expr)
      values[i] = cheap(std::move(values[i]), parameters[i].name.text, spans[i]);
  std::shared_ptr<Frame> caller = frame_;
  frame_ = frame;
  calls_.push_back(&callable);
  auto hint = accumulateHint_;
  accumulateHint_.reset();
  bool ok = true;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &p = parameters[i];
    if (!values[i].given() && p.defaultValue) values[i] = checkExpr(*p.defaultValue);
    bool plain = p.kind == ast::ParameterKind::Plain || p.kind == ast::ParameterKind::KeywordOnly;
    if (p.annotation && plain) {
      Value out;
      if (!matchParameter(values[i], *p.annotation, p.name.text, spans[i], out)) ok = false;
      else values[i] = std::move(out);
    }
    if (values[i].isPoison()) ok = false;
    Binding binding;
    binding.value = values[i];
    binding.span = p.span;
    binding.block = blockId_;
    if (values[i].expr && values[i].expr->kind == ExprKind::VarRef) binding.var = values[i].expr->var;
    binding.borrowed = binding.var != nullptr;
    frame->names[p.name.text] = std::move(binding);
  }
  Value result = Value::poison();
  if (ok) {
    if (callable.lambda) {
      result = checkExpr(*callable.lambda->body);
    } else {
      Span outer = callSpan_;
      callSpan_ = span;
      whereFacts(*callable.def, true);
      callSpan_ = outer;
      if (failures_ == errors) {  // else all that is wrong in it follows
        checkBlock(callable.def->body);
        result = frame->results.empty() ? Value::of(ValueKind::None) : frame->results[0];
      }
      if (callable.def->result && !result.isPoison() && callable.def->result->kind != ast::ExprKind::None) {
        Value out;
        if (!frame->returned) {
          if (fresh(Id::missingReturn, callable.nameSpan))
            report(Id::missingReturn, callable.nameSpan, callable.name);
          result = Value::poison();
        } else if (as<ast::SubscriptExpr>(callable.def->result) || isDTypeExpr(*callable.def->result)) {
          if (matchParameter(result, *callable.def->result, "the result", span, out)) result = std::move(out);
          else result = Value::poison();
        }
      }
    }
  }
  accumulateHint_ = hint;
  calls_.pop_back();
  if (failures_ == errors) checkEffects(callable, frame_->effects);
  Effects effects = std::move(frame_->effects);
  frame_ = caller;
  takeOverEffects(effects, callable.name, span);
  if (failures_ > errors) return Value::poison();
  return result;
}

/// A call of an entry point: of a kernel from a tensor function, of either from host code.
Value Checker::callEntry(const Callable &callable, std::vector<Value> values, std::vector<Span> spans,
                         Span span) {
  std::set<std::string> none;
  for (size_t i = callable.def->parameters.size(); i-- > 0;) {
    const ast::Parameter &p = callable.def->parameters[i];
    bool isNone = values[i].given() ? values[i].kind == ValueKind::None
                                    : p.defaultValue && p.defaultValue->kind == ast::ExprKind::None;
    if (!isNone || !p.annotation || !optionalType(*p.annotation)) continue;
    none.insert(p.name.text);
    values.erase(values.begin() + i);
    spans.erase(spans.begin() + i);
  }
  const Function *callee = ensureChecked(without(callable, none));
  if (!callee) return Value::poison();
  takeOverEffects(callee->effects, callable.name, span);
  for (const Later &what : callee->later) later(what.what, span);
  std::map<std::string, Dim> dims;
  ExprPtr e = makeExpr(ExprKind::Call, {}, span);
  e->callee = callee;
  size_t next = 0;
  for (const Param &param : callee->params) {
    if (param.isResult) continue;
    Value v = next < values.size() ? values[next] : Value::of(ValueKind::Absent);
    Span at = next < spans.size() ? spans[next] : span;
    ++next;
    if (!v.given()) {
      e->args.push_back(param.defaultValue ? clone(*param.defaultValue) : nullptr);
      if (!e->args.back()) return Value::poison();
      continue;
    }
    const Type &type = param.var->type;
    if (type.kind == TypeKind::Index) {
      v = convertInt(v, at);
      if (v.isPoison()) return v;
      if (!type.shape.empty() && type.shape[0].isVar()) dims[type.shape[0].varName()] = v.sym;
      e->args.push_back(indexExpr(v, at));
      continue;
    }
    if (type.kind == TypeKind::Stream) {
      if (v.kind != ValueKind::Rng) {
        report(Id::wrongArgument, at, callable.name, "a stream for `" + param.var->name + "`", describe(v));
        return Value::poison();
      }
      if (!spend(v, "`" + callable.name + "`", at)) return Value::poison();
      e->args.push_back(clone(*v.expr));
      continue;
    }
    if (type.kind == TypeKind::Scalar) {
      if (inHost() &&
          (v.kind == ValueKind::HostTensor || (v.isScalar() && isFloat(v.type.dtype) && isFloat(type.dtype))))
        v = castTo(v, type.dtype, type.numerics, at);  // numbers of host code are f64; the call rounds them
      ExprPtr arg = leave(v, type, at, "`" + param.var->name + "`");
      if (!arg) return Value::poison();
      if (arg->type.kind == TypeKind::Tensor) {
        report(Id::wrongArgument, at, callable.name, "a scalar for `" + param.var->name + "`", describe(v));
        return Value::poison();
      }
      e->args.push_back(std::move(arg));
      continue;
    }
    if (inHost()) {
      ExprPtr arg = hostArgument(v, at);
      if (!arg) return Value::poison();
      e->args.push_back(std::move(arg));
      continue;
    }
    if (!v.isArray() || v.type.shape.size() != type.shape.size()) {
      report(Id::wrongArgument, at, callable.name, "`" + type.str() + "` for `" + param.var->name + "`",
             describe(v));
      return Value::poison();
    }
    for (size_t a = 0; a < type.shape.size(); ++a) {
      const Dim &want = type.shape[a];
      if (want.isVar() && !dims.count(want.varName())) dims[want.varName()] = v.type.shape[a];
      else if (!sameDim(want.substitute(dims), v.type.shape[a], at,
                        "`" + callable.name + "` needs " + show(want.substitute(dims)) +
                            " == " + show(v.type.shape[a]))) {
        auto builder = report(Id::shapeMismatch, at, shapeText(type.shape), shapeText(v.type.shape));
        explainClaim(builder, {want.substitute(dims), Relation::Eq, v.type.shape[a]});
        return Value::poison();
      }
    }
    ExprPtr arg = leave(v, type, at, "`" + param.var->name + "`");
    if (!arg) return Value::poison();
    e->args.push_back(std::move(arg));
  }
  for (const Requirement &r : callee->requirements) {
    if (inHost()) break;
    shape::Formula fact = shape::asFormula({r.left, r.relation, r.right});
    requireOfCall(fact.map([&](const Dim &d) { return d.substitute(dims); }), callable.name, r.text, r.span, span);
  }
  std::vector<Type> types;
  for (const FunctionResult &r : callee->results) {
    Type type = r.type;
    if (inHost()) {
      Type host;
      host.kind = TypeKind::HostTensor;
      host.dtype = type.dtype;
      type = host;
    } else {
      for (Dim &d : type.shape) d = d.substitute(dims);
    }
    types.push_back(std::move(type));
  }
  auto wrap = [&](ExprPtr made, const Type &type) {
    Value v = Value::of(inHost() ? ValueKind::HostTensor : ValueKind::Array);
    v.type = type;
    if (!inHost()) {
      if (type.shape.empty()) v.type.kind = made->type.kind = TypeKind::Scalar;
      v.limits.resize(type.shape.size());
    }
    v.expr = std::shared_ptr<Expr>(made.release());
    return v;
  };
  if (types.empty()) {
    e->type.kind = TypeKind::None;
    emit(StmtKind::Evaluate, span).value = std::move(e);
    return Value::of(ValueKind::None);
  }
  if (types.size() == 1) {
    e->type = types[0];
    return cheap(wrap(std::move(e), types[0]), callable.name + "_result", span);
  }
  e->type.kind = TypeKind::Tuple;
  e->type.items = types;
  Var *var = newVar(callable.name + "_results", e->type, span);
  Stmt &let = emit(StmtKind::Let, span);
  let.var = var;
  let.value = std::move(e);
  std::vector<Value> items;
  for (size_t i = 0; i < types.size(); ++i) {
    ExprPtr item = makeExpr(ExprKind::TupleItem, types[i], span);
    item->queryAxis = static_cast<int>(i);
    item->args.push_back(makeRef(var, span));
    items.push_back(wrap(std::move(item), types[i]));
  }
  return Value::tuple(std::move(items));
}

}  // namespace tessera::sema
