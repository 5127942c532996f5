// Rules of one's own: derivatives of functions with `@custom_vjp` and `@custom_jvp`, written by hand under `@f.vjp` and `@f.jvp`.
#include "sema/Report.h"
#include "sema/calls/Arguments.h"
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
}  // namespace

void checkRule(Context &cx, const Callable &of) {
  const std::string kind = ruleKind(of);
  const char *option = of.isCustomVjp ? kRule : kForwardRule;
  if (of.isCustomVjp && of.isCustomJvp)
    return void(report(cx, Id::badDecorator, of.nameSpan, "custom_jvp", "stands above `" + of.name + "`, which has `@custom_vjp`, too")
                    .help("a rule under `@custom_jvp` serves `grad` and `jvp`: keep that one alone"));
  const Callable *ruled = ruleOf(of);
  if (!ruled && hasMisspeltRule(of)) return;
  if (!ruled) {
    report(cx, Id::badRule, of.nameSpan, of.name + "." + kind, of.name, "there is none")
        .help("write it: `@" + of.name + "." + kind + "` above a function");
    return;
  }
  const Function *primal = ensureChecked(cx, of), *rule = ensureChecked(cx, *ruled);
  if (!primal || !rule || primal->kernel.schedule.options.count(option)) return;
  if (variantsOf(cx, of).size() > 1) {
    report(cx, Id::badRule, ruled->nameSpan, ruled->name, of.name, "that has parameters of several types");
    return;
  }
  const RuleShape shape = shapeOf(of, *primal);
  auto wrong = [&](Span span, const std::string &why) {
    report(cx, Id::badRule, span, ruled->name, of.name, why).note(of.nameSpan, "`" + of.name + "` is defined here");
  };
  if (shape.gives.empty()) return wrong(ruled->nameSpan, of.isCustomVjp ? "no argument of that is a float" : "no result of that is a float");
  if (rule->params.size() != shape.takes.size())
    return wrong(ruled->nameSpan, "it takes " + std::to_string(rule->params.size()) + " arguments, not " +
                                      std::to_string(shape.takes.size()) + ": " + listOf(shape.takesNames));
  if (rule->results.size() != shape.gives.size())
    return wrong(ruled->nameSpan, "it returns " + std::to_string(rule->results.size()) +
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
    if (const Type &have = rule->params[i].var->type; !same(*shape.takes[i], have))
      return wrong(rule->params[i].var->span, "`" + rule->params[i].var->name + "` is `" + have.str() + "`, but " +
                                                  shape.takesNames[i] + " is `" + shape.takes[i]->str() + "`");
  for (size_t i = 0; i < shape.gives.size(); ++i)
    if (!same(*shape.gives[i], rule->results[i].type))
      return wrong(ruled->nameSpan, "its result " + std::to_string(i) + " is `" + rule->results[i].type.str() +
                                        "`, but `" + shape.givesNames[i] + "` is `" + shape.gives[i]->str() + "`");
  of.checked->kernel.schedule.options[option] = rule->name;
}

}  // namespace tessera::sema
