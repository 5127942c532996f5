// Rules of one's own: derivatives of functions with `@custom_vjp` and `@custom_jvp`, written by hand under `@f.vjp` and `@f.jvp`.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
std::string listOf(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items)
    text += (text.empty() ? "" : ", ") + (item.find(' ') == std::string::npos ? "`" + item + "`" : item);
  return text;
}
/// "vjp" for a function with `@custom_vjp`, "jvp" for one with `@custom_jvp`; empty if it has no rule.
std::string ruleKind(const Callable &of) { return of.isCustomVjp ? "vjp" : of.isCustomJvp ? "jvp" : ""; }
const Callable *&ruleOf(const Callable &of) { return of.isCustomVjp ? of.vjp : of.jvp; }
bool isRuleWord(std::string_view word) { return word == "vjp" || word == "jvp"; }
bool isFloatArray(const Value &value) { return value.kind == ValueKind::Array && isFloat(value.type.dtype); }
bool hasNumbers(const Type &type) {
  return (type.kind == TypeKind::Tensor || type.kind == TypeKind::Scalar) && isFloat(type.dtype);
}
}  // namespace

void attachRule(Context &cx, const ast::FuncDef &def, const Callable &rule) {
  for (const ast::Decorator &decorator : def.decorators) {
    auto *attribute = as<ast::AttributeExpr>(decorator.expression);
    if (!attribute || !isRuleWord(attribute->attribute.text)) continue;
    const std::string &kind = attribute->attribute.text;
    Value of = checkExpr(cx, *attribute->object);
    if (of.isPoison()) continue;
    if (of.kind != ValueKind::Function || ruleKind(*of.callable) != kind) {
      auto builder =
          report(cx, Id::badRule, decorator.span, rule.name, std::string(cx.sources.text(attribute->object->span)),
                 of.kind == ValueKind::Function ? "that has no `@custom_" + kind + "`" : "that is " + describe(cx, of));
      if (of.kind == ValueKind::Function)
        builder.note(of.callable->nameSpan, "defined here").help("write `@custom_" + kind + "` above it");
      continue;
    }
    const Callable *&known = ruleOf(*of.callable);
    if (known)
      report(cx, Id::definedTwice, decorator.span, of.callable->name + "." + kind).note(known->nameSpan, "the first rule is here");
    else known = &rule;
  }
}

/// Whether some function was meant to be the rule of this one but stands under a misspelt decorator; a message was given.
static bool hasMisspeltRule(const Callable &of) {
  for (const ast::StmtPtr &stmt : of.module->ast->body) {
    auto *def = as<ast::FuncDef>(stmt);
    for (size_t i = 0; def && i < def->decorators.size(); ++i) {
      auto *member = as<ast::AttributeExpr>(def->decorators[i].expression);
      auto *name = member ? as<ast::NameExpr>(member->object) : nullptr;
      if (!name) continue;
      bool misspelt = isRuleWord(member->attribute.text) && !of.module->names.count(name->name);
      bool other = name->name == of.name && member->attribute.text != ruleKind(of);
      if (misspelt || other) return true;
    }
  }
  return false;
}

namespace {
/// What a rule takes and gives: types, and what they are the types of.
struct RuleShape {
  std::vector<const Type *> takes, gives;
  std::vector<std::string> takesNames, givesNames;
};

RuleShape shapeOf(const Callable &of, const Function &primal) {
  RuleShape shape;
  std::vector<std::pair<const Type *, std::string>> floats;
  for (const Param &p : primal.params) {
    shape.takes.push_back(&p.var->type);
    shape.takesNames.push_back(p.var->name);
    if (hasNumbers(p.var->type)) floats.emplace_back(&p.var->type, p.var->name);
  }
  auto take = [&](const Type &type, const std::string &what) {
    shape.takes.push_back(&type);
    shape.takesNames.push_back(what);
  };
  auto give = [&](const Type &type, const std::string &what) {
    shape.gives.push_back(&type);
    shape.givesNames.push_back(what);
  };
  for (const FunctionResult &r : primal.results) take(r.type, "the result");
  if (of.isCustomVjp) {
    for (const FunctionResult &r : primal.results) take(r.type, "the derivative of the result");
    for (const auto &[type, name] : floats) give(*type, name);
  } else {
    for (const auto &[type, name] : floats) take(*type, "the tangent of `" + name + "`");
    for (const FunctionResult &r : primal.results)
      if (hasNumbers(r.type)) give(r.type, "the result");
  }
  return shape;
}

const char *optionOf(const Callable &of) { return of.isCustomVjp ? kRule : kForwardRule; }

/// The rule of a function with one; null after a message.
const Callable *ruleFor(Context &cx, const Callable &of) {
  const std::string kind = ruleKind(of);
  if (of.isCustomVjp && of.isCustomJvp) {
    report(cx, Id::badDecorator, of.nameSpan, "custom_jvp", "stands above `" + of.name + "`, which has `@custom_vjp`, too")
        .help("a rule under `@custom_jvp` serves `grad` and `jvp`: keep that one alone");
    return nullptr;
  }
  const Callable *ruled = ruleOf(of);
  if (!ruled && !hasMisspeltRule(of))
    report(cx, Id::badRule, of.nameSpan, of.name + "." + kind, of.name, "there is none")
        .help("write it: `@" + of.name + "." + kind + "` above a function");
  return ruled;
}

/// Whether a rule takes and gives what the function asks for. False after a message.
bool fits(Context &cx, const Callable &of, const Callable &ruled, const Function &primal, const Function &rule) {
  const RuleShape shape = shapeOf(of, primal);
  auto wrong = [&](Span span, const std::string &why) {
    report(cx, Id::badRule, span, ruled.name, of.name, why).note(of.nameSpan, "`" + of.name + "` is defined here");
    return false;
  };
  if (shape.gives.empty()) return wrong(ruled.nameSpan, of.isCustomVjp ? "no argument of that is a float" : "no result of that is a float");
  if (rule.params.size() != shape.takes.size())
    return wrong(ruled.nameSpan, "it takes " + std::to_string(rule.params.size()) + " arguments, not " +
                                      std::to_string(shape.takes.size()) + ": " + listOf(shape.takesNames));
  if (rule.results.size() != shape.gives.size())
    return wrong(ruled.nameSpan, "it returns " + std::to_string(rule.results.size()) +
                                      " values, not a derivative for each of " + listOf(shape.givesNames));
  std::map<std::string, Dim> dims;  // the rule's names for the function's dimensions
  auto same = [&](const Type &want, const Type &have) {
    if (want.dtype != have.dtype || want.shape.size() != have.shape.size()) return false;
    for (size_t i = 0; i < want.shape.size(); ++i) {
      if (have.shape[i].isVar()) dims.emplace(have.shape[i].varName(), want.shape[i]);
      if (!(have.shape[i].substitute(dims) == want.shape[i])) return false;
    }
    return true;
  };
  for (size_t i = 0; i < shape.takes.size(); ++i)
    if (const Type &have = rule.params[i].var->type; !same(*shape.takes[i], have))
      return wrong(rule.params[i].var->span, "`" + rule.params[i].var->name + "` is `" + have.str() + "`, but " +
                                                  shape.takesNames[i] + " is `" + shape.takes[i]->str() + "`");
  for (size_t i = 0; i < shape.gives.size(); ++i)
    if (!same(*shape.gives[i], rule.results[i].type))
      return wrong(ruled.nameSpan, "its result " + std::to_string(i) + " is `" + rule.results[i].type.str() +
                                        "`, but `" + shape.givesNames[i] + "` is `" + shape.gives[i]->str() + "`");
  return true;
}
}  // namespace

void checkRule(Context &cx, const Callable &of) {
  const Callable *ruled = ruleFor(cx, of);
  if (!ruled) return;
  const Function *primal = ensureChecked(cx, of), *rule = ensureChecked(cx, *ruled);
  if (!primal || !rule || primal->kernel.schedule.options.count(optionOf(of))) return;
  if (variantsOf(cx, of).size() > 1) {
    report(cx, Id::badRule, ruled->nameSpan, ruled->name, of.name, "that has parameters of several types");
    return;
  }
  if (fits(cx, of, *ruled, *primal, *rule)) of.checked->kernel.schedule.options[optionOf(of)] = rule->name;
}

// ---------------------------------------------------------------- functions without types

/// What the two functions of a call take besides its arguments comes behind those in both: dimensions around it. False if that differs.
static bool alignCaptured(Function &rule, const Function &primal, size_t arguments, size_t given) {
  auto isSame = [](const Param &one, const Param &other) { return one.var->name == other.var->name && one.var->type.str() == other.var->type.str(); };
  size_t captured = primal.params.size() - arguments;
  if (rule.params.size() != given + captured) return false;
  if (!std::equal(rule.params.begin() + static_cast<std::ptrdiff_t>(given), rule.params.end(), primal.params.begin() + static_cast<std::ptrdiff_t>(arguments), isSame)) return false;
  std::rotate(rule.params.begin() + static_cast<std::ptrdiff_t>(arguments), rule.params.begin() + static_cast<std::ptrdiff_t>(given), rule.params.end());
  return true;
}

/// Arrays in a tuple or a struct.
static bool hasParts(Value value) {
  bool any = false;
  visitArrays(value, "", [&](Value &v, const std::string &) { any |= &v != &value; });
  return any;
}

/// What the rule takes: the arguments, the results, and a derivative or a tangent for each of those, or of the arguments, that is a float.
static std::vector<Value> givenToRule(const Callable &of, const std::vector<Value> &values, const Value &result) {
  std::vector<Value> given = values, results = result.isSequence() ? result.items : std::vector<Value>{result};
  given.insert(given.end(), results.begin(), results.end());
  for (const Value &each : of.isCustomVjp ? results : values)
    if (of.isCustomVjp || isFloatArray(each)) given.push_back(each);
  return given;
}

/// Arguments that are not given are what the function says; the rule is given them, too.
static void takeDefaults(Context &cx, const Callable &of, std::vector<Value> &values) {
  std::shared_ptr<Frame> caller = cx.function.frame;
  cx.function.frame = calleeFrame(cx, of);
  for (size_t i = 0; i < values.size(); ++i)
    if (const ast::Parameter &p = parametersOf(of)[i]; !values[i].given() && p.defaultValue) values[i] = checkExpr(cx, *p.defaultValue);
  cx.function.frame = caller;
}

/// The function that this call of one without types is, into `call`. Null after a message.
static const Function *tracedFor(Context &cx, const Callable &of, const std::vector<Value> &values, const std::vector<Span> &spans, Span span,
                                 Expr &call, DeclaredType &results) {
  ApartCall what{of.name, of.nameSpan, {}, span, "a call of a function with a rule and without types"};
  for (const ast::Parameter &p : parametersOf(of)) what.names.push_back(p.name.text);
  auto compute = [&](std::vector<Value> given) { return inlineCall(cx, of, std::move(given), spans, span); };
  return traceApart(cx, what, values, compute, call, results);
}

Value callRuled(Context &cx, const Callable &of, std::vector<Value> values, const std::vector<Span> &spans, Span span) {
  const Callable *ruled = ruleFor(cx, of);
  if (!ruled) return Value::poison();
  if (std::any_of(values.begin(), values.end(), hasParts))
    return unsupported(cx, "a rule for a function whose parameters have no types, and one is of several parts", span, "write their types");
  if (std::none_of(values.begin(), values.end(), isFloatArray)) return inlineCall(cx, of, std::move(values), spans, span);
  takeDefaults(cx, of, values);
  auto arraysOf = [](const std::vector<Value> &all) {
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Value &v) { return v.kind == ValueKind::Array; }));
  };
  ExprPtr e = makeExpr(ExprKind::Call, {}, span), unused = makeExpr(ExprKind::Call, {}, span);
  DeclaredType tree, gives;
  const Function *primal = tracedFor(cx, of, values, spans, span, *e, tree);
  if (!primal) return Value::poison();
  Function &made = *cx.program->functions.back();
  e->as<node::Call>().callee = primal;
  Value result = apartValue(cx, *primal, tree, std::move(e), span);

  const std::vector<Value> given = givenToRule(of, values, result);
  if (size_t takes = parametersOf(*ruled).size(); takes != given.size()) {
    report(cx, Id::badRule, ruled->nameSpan, ruled->name, of.name, "it takes " + std::to_string(takes) + " arguments, not " + std::to_string(given.size()))
        .note(of.nameSpan, "`" + of.name + "` is defined here");
    return Value::poison();
  }
  const Function *rule = tracedFor(cx, *ruled, given, std::vector<Span>(given.size(), span), span, *unused, gives);
  if (!rule) return Value::poison();
  if (!alignCaptured(*cx.program->functions.back(), *primal, arraysOf(values), arraysOf(given)))
    return unsupported(cx, "a rule that takes other values from around it than its function", ruled->nameSpan, "write the types of both");
  if (!fits(cx, of, *ruled, *primal, *rule)) return Value::poison();
  made.kernel.schedule.options[optionOf(of)] = rule->name;
  return result;
}

}  // namespace tessera::sema
