// Functions with `@test`: each `assert` that only run time decides makes what it compares results of the function, so that
// whoever runs it sees both sides. Sizes of tests and benchmarks stand in their decorators.
#include "checked/ExprBuild.h"
#include "checked/Lets.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

bool hasDecorator(Context &cx, const ast::FuncDef &def, std::string_view name) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const ast::Decorator &d) {
    std::string other = decoratorName(cx, *d.expression);
    return other.substr(0, other.find('.')) == name;
  });
}

/// Why a function cannot be a test, behind "`@test` ..."; empty if it can.
std::string whyNoTest(Context &cx, const ast::FuncDef &def) {
  if (hasDecorator(cx, def, "kernel"))
    return "stands above a kernel, which writes and returns nothing that could be asserted";
  if (def.result && def.result->kind != ast::ExprKind::None)
    return "stands above a function with a result, which nothing would look at";
  if (def.name.text == "main") return "stands above `main`, which runs by itself";
  return "";
}

/// Why a function cannot be measured.
std::string whyNoBenchmark(Context &cx, const ast::FuncDef &def) {
  if (hasDecorator(cx, def, "test")) return "stands above a test";
  return whyNoSizes(def);
}

}  // namespace

std::string whyNoSizes(const ast::FuncDef &def) {
  if (def.name.text == "main") return "stands above `main`, which has no sizes";
  if (def.name.text[0] == '_') return "stands above a function that no caller outside sees: its name begins with `_`";
  for (const ast::Parameter &p : def.parameters)
    if (!p.annotation) return "stands above a function whose parameter `" + p.name.text + "` has no type";
  return "";
}

void runDecorator(Context &cx, const ast::FuncDef &def, const ast::Decorator &decorator, const std::string &which) {
  if (!fresh(cx, Id::badDecorator, decorator.span)) return;
  const bool test = which == "test";
  if (std::string why = test ? whyNoTest(cx, def) : whyNoBenchmark(cx, def); !why.empty()) {
    ++cx.failures;
    report(cx, Id::badDecorator, decorator.span, which, why)
        .help(test ? "a test is a function of its own without results: `@test` above `def " + def.name.text +
                         "_works():`, and in it `assert ...`"
                   : "put it above a function that others can call, whose parameters have types");
    return;
  }
  auto *call = as<ast::CallExpr>(decorator.expression);
  std::set<std::string> given;
  for (size_t i = 0; call && i < call->arguments.size(); ++i) {
    const ast::Argument &argument = call->arguments[i];
    bool number = argument.keyword && argument.value->kind == ast::ExprKind::Int;
    if (number && given.insert(argument.keyword->text).second) continue;
    ++cx.failures;
    report(cx, Id::badDecorator, argument.span, which, "gives each dimension a size once, as a whole number")
        .help("for example `@" + which + "(N=1000)`");
    return;
  }
}

bool isTest(Context &cx, const ast::FuncDef &def) {
  return hasDecorator(cx, def, "test") && whyNoTest(cx, def).empty();
}

void refuseInnerTest(Context &cx, const ast::FuncDef &def) {
  for (const ast::Decorator &decorator : def.decorators) {
    const std::string which = decoratorName(cx, *decorator.expression);
    if ((which != "test" && which != "specialize") || !fresh(cx, Id::badDecorator, decorator.span)) continue;
    ++cx.failures;
    if (which == "specialize") {
      report(cx, Id::badDecorator, decorator.span, which, "stands above a function that is part of another definition")
          .help("put it above the function of the module that calls this one");
      continue;
    }
    report(cx, Id::badDecorator, decorator.span, "test", "stands above a function that is part of another definition")
        .help("tests are functions of the module, so that `tessera test` finds them");
  }
}

static void sizesOf(Context &cx, const ast::FuncDef &def, std::string_view which, std::vector<RunSizes> &all) {
  const std::vector<std::string> &dims = cx.function.fn->dims;
  for (const ast::Decorator &decorator : def.decorators) {
    if (decoratorName(cx, *decorator.expression) != which) continue;
    RunSizes &sizes = all.emplace_back();
    std::set<std::string> missing(dims.begin(), dims.end());
    std::string unknown;
    bool sound = true;
    if (auto *call = as<ast::CallExpr>(decorator.expression))
      for (const ast::Argument &argument : call->arguments) {
        auto *number = as<ast::IntExpr>(argument.value);
        if (!(sound &= number && argument.keyword)) break;  // has its message
        sizes.emplace_back(argument.keyword->text, static_cast<int64_t>(number->value));
        bool known = std::find(dims.begin(), dims.end(), argument.keyword->text) != dims.end();
        if (!known && unknown.empty()) unknown = argument.keyword->text;
        if (known && !(sound = missing.erase(argument.keyword->text))) break;
      }
    if (!sound || (unknown.empty() && missing.empty()) || !fresh(cx, Id::badDecorator, decorator.span)) continue;
    std::string example, names;
    for (const std::string &dim : dims) {
      example += (example.empty() ? "" : ", ") + dim + "=7";
      names += (names.empty() ? "`" : ", `") + dim + "`";
    }
    ++cx.failures;
    report(cx, Id::badDecorator, decorator.span, which,
           unknown.empty() ? "gives no size to the dimension `" + *missing.begin() + "`"
                           : "gives a size to `" + unknown + "`, which is no dimension of `" + def.name.text + "`")
        .help(dims.empty() ? "`" + def.name.text + "` has no dimensions: write `@" + std::string(which) + "` alone"
                           : "its dimensions are " + names + ": `@" + std::string(which) + "(" + example + ")`");
  }
}

void takeSizes(Context &cx, const ast::FuncDef &def) {
  Function &function = *cx.function.fn;
  if (cx.function.frame->function->isTest) sizesOf(cx, def, "test", function.tests);
  sizesOf(cx, def, "benchmark", function.benchmarks);
}

bool isClaim(const Context &cx) {
  return cx.function.fn && cx.function.fn->isTest() && cx.function.frame && cx.function.frame->module == cx.main;
}

namespace {

/// What an `assert` asks, and the values that it asks about.
struct Asked {
  Value condition, left, right;
  const ast::Expr *leftSyntax = nullptr, *rightSyntax = nullptr;  // null: it compares nothing
  std::string comparison;
};

/// `all(a == b)` asks the same as `a == b`: that it holds of all elements.
const ast::Expr &withoutAll(const Context &cx, const ast::Expr &condition) {
  auto *call = as<ast::CallExpr>(&condition);
  auto *name = call ? as<ast::NameExpr>(call->callee) : nullptr;
  bool ofAll = name && name->name == "all" && !cx.main->names.count("all") && call->arguments.size() == 1 &&
               !call->arguments[0].keyword;
  return ofAll && call->arguments[0].value->kind == ast::ExprKind::Compare ? *call->arguments[0].value : condition;
}

/// `[1.0, 2.0]` as an array, where it is compared with one: of the dtype of that. Everything else stays.
Value listLike(Context &cx, const Value &value, const Value &other, Span span) {
  return value.isSequence() && other.isArray() ? tensorLike(cx, value, other.type.dtype, span) : value;
}

Asked askedBy(Context &cx, const ast::Expr &whole) {
  const ast::Expr &condition = withoutAll(cx, whole);
  Asked asked;
  auto *compare = as<ast::CompareExpr>(&condition);
  if (compare && compare->ops.size() == 1 && compare->ops[0] <= ast::CompareOp::Ge) {
    asked.leftSyntax = compare->operands[0].get(), asked.rightSyntax = compare->operands[1].get();
    Value left = checkExpr(cx, *asked.leftSyntax), right = checkExpr(cx, *asked.rightSyntax);
    asked.left = reusable(cx, listLike(cx, left, right, asked.leftSyntax->span), "seen", asked.leftSyntax->span);
    asked.right = reusable(cx, listLike(cx, right, left, asked.rightSyntax->span), "expected", asked.rightSyntax->span);
    asked.condition = compareValues(cx, compare->ops[0], asked.left, asked.right, condition.span);
    asked.comparison =
        cx.sources.text({condition.span.file, asked.leftSyntax->span.end, asked.rightSyntax->span.begin});
    std::erase_if(asked.comparison, [](char c) { return std::string_view("=!<>").find(c) == std::string_view::npos; });
    return asked;
  }
  auto *call = as<ast::CallExpr>(&condition);
  if (!call) return asked.condition = checkExpr(cx, condition), asked;
  GivenList given;
  asked.condition = checkCall(cx, *call, [&](GivenList &arguments) {
    if (arguments.size() >= 2) {
      Value &first = arguments[0].value, &second = arguments[1].value;
      first = listLike(cx, first, second, arguments[0].span);
      second = listLike(cx, second, first, arguments[1].span);
    }
    for (Given &argument : arguments)
      if (argument.value.kind == ValueKind::Array) argument.value = reusable(cx, argument.value, "seen", argument.span);
    given = arguments;
  });
  bool two =
      given.size() >= 2 && given[0].keyword.empty() && given[1].keyword.empty() && given[0].syntax && given[1].syntax;
  if (!two) return asked;
  asked.left = given[0].value, asked.right = given[1].value;
  asked.leftSyntax = given[0].syntax, asked.rightSyntax = given[1].syntax;
  asked.comparison = cx.sources.text(call->callee->span);
  return asked;
}

/// A value at this place as a further result of the test; -1 where it is no number or array, or after a message.
int keep(Context &cx, const Value &value, const std::string &name, Span span) {
  Value v = toArray(cx, value, value.kind == ValueKind::Int ? DType::I64 : DType::F64, span);
  if (v.kind != ValueKind::Array || !v.expr) return -1;
  v = asStored(cx, v, name, span);
  Type type = v.type;
  type.kind = TypeKind::Tensor;
  ExprPtr e = castToPlace(cx, v, type, span, "what is asserted", false);
  if (!e) return -1;
  cx.function.fn->results.push_back({resultName(cx, name), type, -1});
  cx.function.asserted.push_back(std::move(e));
  return static_cast<int>(cx.function.fn->results.size()) - 1;
}

/// The variable of a claim that is met on the way, in a loop or under a condition of run time; null of any other value. No
/// statement has bound it yet: beginClaims() does.
Var *carriedBy(const Function &function, const Expr &asserted) {
  Var *var = varOf(asserted);
  if (!var || !var->reassigned || checked::letOf(function.body, var)) return nullptr;
  auto isIt = [&](const Param &p) { return p.var == var; };
  return std::any_of(function.params.begin(), function.params.end(), isIt) ? nullptr : var;
}

/// What the loop around it counts has no part in the shape of what is there when the test ends: such a condition is one truth
/// value.
bool isLasting(const Value &value) {
  std::set<std::string> vars;
  for (const Dim &extent : value.type.shape) extent.collectVars(vars);
  return std::none_of(vars.begin(), vars.end(), [](const std::string &name) { return name[0] == '%'; });
}
Value whole(Context &cx, Value condition, Span span) {
  if (!condition.isArray() || isLasting(condition)) return condition;
  return reduce(cx, ReduceOp::All, std::move(condition), Value::of(ValueKind::Absent), span, false, span, "all");
}

/// As keep(), in a variable that is there from the start of the test.
int keepOnTheWay(Context &cx, const Value &value, const std::string &name, Span span) {
  Value v = toArray(cx, value, value.kind == ValueKind::Int ? DType::I64 : DType::F64, span);
  if (v.kind != ValueKind::Array || !v.expr || !isLasting(v)) return -1;
  v = asStored(cx, v, name, span);
  Var *var = newVar(cx, name, v.expr->type, span);
  var->reassigned = true;
  return keep(cx, arrayValue(cx, makeRef(var, span), v.type, {}, span), name, span);
}

/// As long as a claim has held, its variables take what it asks about now: they end with where it first did not hold. False if
/// there are none for it, of these shapes.
bool updateClaims(Context &cx, const ast::AssertStmt &stmt, const Asked &asked) {
  Function &function = *cx.function.fn;
  auto variable = [&](int result) { return result < 0 ? nullptr : carriedBy(function, *cx.function.asserted[static_cast<size_t>(result)]); };
  auto fits = [&](int result, const Value &value) {
    return result < 0 || (variable(result) && variable(result)->type.shape == toArray(cx, value, DType::F64, stmt.span).type.shape);
  };
  for (const TestClaim &claim : function.claims) {
    if (!(claim.span == stmt.span) || !variable(claim.held) || !fits(claim.held, asked.condition) || !fits(claim.left, asked.left) ||
        !fits(claim.right, asked.right))
      continue;
    auto current = [&](Var *var) { return arrayValue(cx, makeRef(var, stmt.span), withDType(var->type, var->type.dtype), {}, stmt.span); };
    Value before = current(variable(claim.held));
    if (before.isArray()) before = reduce(cx, ReduceOp::All, std::move(before), Value::of(ValueKind::Absent), stmt.span, false, stmt.span, "all");
    before = bindTemp(cx, before, "before", stmt.span);
    const std::pair<int, const Value *> parts[] = {{claim.left, &asked.left}, {claim.right, &asked.right}, {claim.held, &asked.condition}};
    for (const auto &[result, now] : parts) {
      Var *var = variable(result);
      if (!var) continue;
      Value stored = asStored(cx, toArray(cx, *now, var->type.dtype, stmt.span), "now", stmt.span);
      Value next = elementwise(cx, ElementwiseOp::Select, {before, std::move(stored), current(var)}, stmt.span, "where");
      ExprPtr value = castToPlace(cx, std::move(next), var->type, stmt.span, "what is asserted", false);
      if (!value) return true;  // has its message
      Stmt &assign = emit(cx, StmtKind::Assign, stmt.span);
      assign.var = var;
      assign.value = std::move(value);
    }
    return true;
  }
  return false;
}

}  // namespace

void assertInTest(Context &cx, const ast::AssertStmt &stmt) {
  Span span = stmt.condition->span;
  Function &function = *cx.function.fn;
  ++function.assertions;
  Asked asked = askedBy(cx, *stmt.condition);
  if (asked.condition.isPoison() || assertsNothing(cx, stmt, asked.condition)) return;
  if (auto known = knownCondition(asked.condition)) {
    if (!*known) assertedText(report(cx, Id::factRefuted, span, std::string(cx.sources.text(span))), stmt);
    return;
  }
  if (asked.condition.kind != ValueKind::Array || asked.condition.type.dtype != DType::Bool) {
    ExprPtr single = conditionExpr(cx, asked.condition, span);  // a number that only run time knows, or a message
    if (!single) return;
    asked.condition = arrayValue(cx, std::move(single), scalarType(DType::Bool), {}, span);
  }
  const bool always = cx.function.block == &function.body;
  if (!always && (asked.condition = whole(cx, std::move(asked.condition), span)).isPoison()) return;
  if (!always && updateClaims(cx, stmt, asked)) return;
  TestClaim claim;
  claim.span = stmt.span, claim.condition = span;
  const std::string number = std::to_string(function.claims.size());
  auto kept = always ? &keep : &keepOnTheWay;
  claim.held = kept(cx, asked.condition, "held_" + number, span);
  if (claim.held < 0) return;
  if (asked.leftSyntax) {
    claim.comparison = std::move(asked.comparison);
    claim.leftText = cx.sources.text(asked.leftSyntax->span),
    claim.rightText = cx.sources.text(asked.rightSyntax->span);
    claim.left = kept(cx, asked.left, "seen_" + number, asked.leftSyntax->span);
    claim.right = kept(cx, asked.right, "expected_" + number, asked.rightSyntax->span);
  }
  if (stmt.message) {
    Value message = checkExpr(cx, *stmt.message);
    if (message.kind == ValueKind::String && !message.expr) claim.message = message.text;
    else if (!message.isPoison())
      unsupported(cx, "a message of a test that only run time knows", stmt.message->span,
                  "what is compared is shown anyway");
  }
  function.claims.push_back(std::move(claim));
  if (!always) updateClaims(cx, stmt, asked);
}

/// The variables of claims that are met on the way: they hold until one does not.
static void beginClaims(Context &cx) {
  Function &function = *cx.function.fn;
  std::set<const Var *> begun;
  std::vector<std::unique_ptr<Stmt>> first;
  for (const ExprPtr &asserted : cx.function.asserted) {
    Var *var = carriedBy(function, *asserted);
    if (!var || !begun.insert(var).second) continue;
    first.push_back(std::make_unique<Stmt>());
    first.back()->kind = StmtKind::Let, first.back()->span = asserted->span, first.back()->var = var;
    first.back()->value = makeConstant(var->type.dtype, var->type.dtype == DType::Bool ? 1 : 0, asserted->span);
    if (var->type.kind != TypeKind::Tensor) continue;
    ExprPtr full = makeExpr(ExprKind::Full, var->type, asserted->span);
    full->args.push_back(std::move(first.back()->value));
    first.back()->value = std::move(full);
  }
  function.body.insert(function.body.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
}

void finishTest(Context &cx, const ast::FuncDef &def) {
  if (cx.function.fn->assertions == 0 && fresh(cx, Id::badDecorator, def.name.span)) {
    ++cx.failures;
    report(cx, Id::badDecorator, def.name.span, "test", "stands above a function that asserts nothing")
        .help("say what must hold: `assert f(x) == 1.0`");
    return;
  }
  beginClaims(cx);
  if (!cx.function.asserted.empty()) emit(cx, StmtKind::Return, def.name.span).values = std::move(cx.function.asserted);
}

}  // namespace tessera::sema
